// cortenforge compile: from MJCF, URDF or MJB to MJCF, MJB or a readable listing.
#include <stdlib.h>
#include <string.h>

#include "cli.h"


// the folder of a path, absolute and with a slash behind it, for the caller to free; NULL if there
// is none
static char* folderOf(const char* path) {
  const char* slash = strrchr(path, '/');
  char* folder = slash ? cli_copyPart(path, (size_t)(slash - path) + 1) : strdup("./");
  char real[CF_PATH_MAX];
  const char* full = folder && cfi_realPath(folder, real) ? real : NULL;
  char* result = NULL;
  if (full && asprintf(&result, strcmp(full, "/") ? "%s/" : "%s", full) < 0) {
    result = NULL;
  }
  free(folder);
  return result;
}


// the way from one folder to another, with a slash behind it; for the caller to free
static char* wayTo(const char* from, const char* to) {
  size_t same = 0, ups = 0;
  for (size_t k = 0; from[k] && from[k] == to[k]; k++) {
    same = from[k] == '/' ? k + 1 : same;
  }
  for (const char* p = from + same; (p = strchr(p, '/')) != NULL; p++) {
    ups++;
  }
  char* way = malloc(3 * ups + strlen(to + same) + 1);
  if (way) {
    way[0] = '\0';
    for (size_t k = 0; k < ups; k++) {
      strcpy(way + 3 * k, "../");
    }
    strcpy(way + 3 * ups, to + same);
  }
  return way;
}


// a folder of assets, seen from where the file goes
static void moveFolder(mjString* folder, const char* way) {
  const char* old = mjs_getString(folder);
  char* moved = NULL;
  if (old[0] != '/' && asprintf(&moved, "%s%s", way, old) >= 0) {
    mjs_setString(folder, moved);
    free(moved);
  }
}


// MJCF in another folder: what it says about folders of assets leads to the same files from there
static bool saveElsewhere(const char* in, const char* out, const char* way, char* error, int size) {
  mjSpec* spec = mj_parseXML(in, NULL, error, size);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  bool is_saved = m;
  if (m) {
    error[0] = '\0';
    moveFolder(spec->compiler.meshdir, way);
    moveFolder(spec->compiler.texturedir, way);
    is_saved = !mj_saveXML(spec, out, error, size);
  } else if (spec) {
    snprintf(error, (size_t)size, "%s", mjs_getError(spec));
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  return is_saved;
}


static bool saveXml(const mjModel* m, const char* in, const char* out, char* error, int size) {
  char *from = folderOf(out), *to = folderOf(in), *way = from && to ? wayTo(from, to) : NULL;
  const bool is_elsewhere = way && way[0] && !cli_isStream(in);
  const bool is_saved =
      is_elsewhere ? saveElsewhere(in, out, way, error, size) : mj_saveLastXML(out, m, error, size);
  free(from);
  free(to);
  free(way);
  return is_saved;
}


// was the model loaded from a binary, which has no MJCF any more
static bool isBinary(const char* path) {
  char error[100];
  return cli_isStream(path) ? cli_readStream(path, error, sizeof(error))->is_binary
                            : cli_hasSuffix(path, ".mjb");
}


static int saveModelAs(const mjModel* m, const char* in, const char* out) {
  char error[2000] = "", warning[2000];
  cli_catchWarnings(warning, sizeof(warning));
  if (cli_hasSuffix(out, ".mjb")) {
    mj_saveModel(m, out, NULL, 0);
  } else if (cli_hasSuffix(out, ".txt")) {
    mj_printModel(m, out);
  } else if (!saveXml(m, in, out, error, sizeof(error)) && !error[0]) {
    snprintf(error, sizeof(error), "could not be written");
  }
  cli_releaseWarnings();
  if (error[0] || warning[0]) {
    cli_error("%s: %s", out, error[0] ? error : warning);
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
      cli_usage(&cli_compile);
    }
    return CLI_USAGE;
  }

  if (!cli_hasSuffix(argv[1], ".xml") && !cli_hasSuffix(argv[1], ".mjb") &&
      !cli_hasSuffix(argv[1], ".txt")) {
    cli_error("%s: the output must end in .xml, .mjb or .txt", argv[1]);
    return CLI_USAGE;
  }
  cliExit code;
  mjModel* m = cli_load(argv[0], &code);
  if (!m) {
    return code;
  }
  if (cli_hasSuffix(argv[1], ".xml") && isBinary(argv[0])) {
    cli_error(
        "%s: a binary model has no MJCF any more; write .xml from the .xml or .urdf that it was made of, "
        "or .txt to look at it",
        argv[1]);
    mj_deleteModel(m);
    return CLI_USAGE;
  }
  const int result = saveModelAs(m, argv[0], argv[1]);
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
    "  Compiles IN (- is standard input) and writes OUT in the format of its extension: .xml is MJCF (not from .mjb, which has\n"
    "  lost it), .mjb the binary model that\n"
    "  MuJoCo 3.5.0 also reads, .txt a readable listing of every field.\n",
    runCompile,
    CLI_OPTIONS(option_table)};
