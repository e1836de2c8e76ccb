// cortenforge compile: from MJCF, URDF or MJB to MJCF, MJB or a readable listing.
#include <string.h>
#include <sys/stat.h>

#include "cli.h"


static bool endsWith(const char* text, const char* tail) {
  const size_t a = strlen(text), b = strlen(tail);
  return a > b && !strcmp(text + a - b, tail);
}


static bool isWritten(const char* path) {
  struct stat s;
  return !stat(path, &s) && s.st_size > 0;
}


static int saveModelAs(const mjModel* m, const char* out) {
  char error[2000] = "";
  if (endsWith(out, ".mjb")) {
    mj_saveModel(m, out, NULL, 0);
  } else if (endsWith(out, ".txt")) {
    mj_printModel(m, out);
  } else if (endsWith(out, ".xml")) {
    if (!mj_saveLastXML(out, m, error, sizeof(error))) {
      fprintf(stderr, "cortenforge compile: %s: %s\n", out, error);
      return CLI_IO;
    }
  } else {
    fprintf(stderr, "cortenforge compile: %s: the output must end in .xml, .mjb or .txt\n", out);
    return CLI_USAGE;
  }
  if (!isWritten(out)) {
    fprintf(stderr, "cortenforge compile: could not write %s\n", out);
    return CLI_IO;
  }
  return CLI_OK;
}


static const cliOption option_table[] = {{"--quiet", NULL, 0}};


static int runCompile(int argc, char** argv) {
  bool quiet = false;
  const int n = cli_parse(&cli_compile, argc, argv, &quiet);
  if (n != 2) {
    if (n >= 0) {
      fprintf(stderr, "usage: cortenforge compile IN OUT\n");
    }
    return CLI_USAGE;
  }

  cliExit code;
  mjModel* m = cli_load(argv[0], &code);
  if (!m) {
    return code;
  }
  const int result = saveModelAs(m, argv[1]);
  if (result == CLI_OK && !quiet) {
    fprintf(stderr, "%s: %d bodies, %d dofs, %.1f kB\n", argv[1], (int)m->nbody, (int)m->nv,
            mj_sizeModel(m) / 1e3);
  }
  mj_deleteModel(m);
  return result;
}


const cliCommand cli_compile = {
    "compile",
    "IN.{xml,urdf,mjb} OUT.{xml,mjb,txt} [--quiet]",
    "convert between model formats",
    "DESCRIPTION\n"
    "  Compiles IN and writes OUT in the format of its extension: .xml is MJCF, .mjb the binary model that\n"
    "  MuJoCo 3.5.0 also reads, .txt a readable listing of every field.\n",
    runCompile,
    CLI_OPTIONS(option_table)};
