// cortenforge adopt: our library in the place of MuJoCo's in an installed Python package, and back.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "package.h"


static bool isThere(const char* path) {
  cfFileInfo info;
  return cfi_fileInfo(path, &info);
}


static int complain(const char* what, const char* path) {
  cli_error("%s %s: %s", what, path, strerror(errno));
  return CLI_IO;
}


// bytes of one file into another that nobody sees before it is complete
static bool copyFile(const char* from, const char* to) {
  char temporary[CLI_PATH_MAX + 8], block[65536];
  cfFileInfo info;
  snprintf(temporary, sizeof(temporary), "%s.part", to);
  FILE* in = cfi_fileOpen(from, "rb");
  FILE* out = in ? cfi_fileOpen(temporary, "wb") : NULL;
  bool is_ok = in && out && cfi_fileInfoOf(in, &info);
  for (size_t n; is_ok && (n = fread(block, 1, sizeof(block), in)) > 0;) {
    is_ok = fwrite(block, 1, n, out) == n;
  }
  is_ok = is_ok && !ferror(in) && cfi_fileSetMode(out, info.mode);
  if (in) {
    fclose(in);
  }
  if (out) {
    is_ok = fclose(out) == 0 && is_ok;
    is_ok = is_ok && cfi_fileReplace(temporary, to);
    if (!is_ok) {
      const int trouble = errno;
      cfi_fileRemove(temporary);
      errno = trouble;
    }
  }
  return is_ok;
}


static int undo(cliPackage* p) {
  if (!isThere(p->backup)) {
    printf("nothing to undo: %s has no original beside it\n", p->library);
    return CLI_OK;
  }
  if (!cfi_fileReplace(p->backup, p->library)) {
    return complain("cannot restore", p->library);
  }
  printf("restored %s\n", p->library);
  return cli_smokeTest(p, false) ? CLI_OK : CLI_UNSTABLE;
}


static int adopt(cliPackage* p, const char* library) {
  if (!p->is_adopted && !copyFile(p->library, p->backup)) {
    return complain("cannot keep the original as", p->backup);
  }
  if (!copyFile(library, p->library)) {
    return complain("cannot replace", p->library);
  }
  printf("%s is %s now\n", p->library, library);
  if (isThere(p->backup)) {
    printf("the original is %s; 'cortenforge adopt --undo' puts it back\n", p->backup);
  }
  if (cli_smokeTest(p, true)) {
    return CLI_OK;
  }
  if (isThere(p->backup) && cfi_fileReplace(p->backup, p->library)) {
    cli_error("the original was put back");
  }
  return CLI_UNSTABLE;
}


typedef struct {
  const char* library;
  bool is_undo, is_system;
} adoptRequest;

static const cliOption option_table[] = {{"--undo", NULL, offsetof(adoptRequest, is_undo)},
                                         {"--system", NULL, offsetof(adoptRequest, is_system)},
                                         {"--library", "FILE", offsetof(adoptRequest, library)}};


static int runAdopt(int argc, char** argv) {
  adoptRequest request = {NULL, false, false};
  char own[CLI_PATH_MAX];
  cliPackage package;
  const int nargument = cli_parse(&cli_adopt, argc, argv, &request);
  const char* library = request.library;
  if (nargument < 0 || nargument > 1) {
    cli_usage(&cli_adopt);
    return CLI_USAGE;
  }
  const char* active = cfi_environment("VIRTUAL_ENV");
  if (!nargument && !request.is_system && !(active && *active)) {
    cli_error(
        "no virtual environment is active; name one (cortenforge adopt VENV), or change the Python that is found "
        "first, for everybody who uses it, with --system");
    return CLI_USAGE;
  }
  if (!cli_findPackage(&package, nargument ? argv[0] : NULL)) {
    cli_error("%s: %s", package.python,
              package.python_status ? "cannot be run, or has no importlib.metadata"
                                    : "has no package mujoco; pip install mujoco==3.5.0");
    return CLI_IO;
  }
  if (strcmp(package.version, mj_versionString())) {
    cli_error("%s has mujoco %s; only %s can be replaced", package.python, package.version,
              mj_versionString());
    return CLI_BAD_MODEL;
  }
  if (!isThere(package.library)) {
    return complain("no library at", package.library);
  }
  if (request.is_undo) {
    return undo(&package);
  }
  if (!library && cli_ownLibrary(own)) {
    library = own;
  }
  if (!library || !cli_isOurs(library)) {
    cli_error("%s; give it with --library",
              library ? "that is not our library" : "libmujoco.so is not beside this program");
    return CLI_IO;
  }
  return adopt(&package, library);
}


const cliCommand cli_adopt = {
    "adopt",
    "[--undo] [--library FILE] [VENV | --system]",
    "put our library into an installed mujoco package",
    "DESCRIPTION\n"
    "  Replaces the library of the Python package mujoco in a virtual environment (the active one, or\n"
    "  VENV) by ours, after checking that the versions agree and keeping the original beside it, and\n"
    "  simulates a second in that environment. When that fails, the original is put back.\n"
    "\n"
    "OPTIONS\n"
    "  --undo          put the original back\n"
    "  --system        without a virtual environment: the Python that is found first, for all who use it\n"
    "  --library FILE  our library, if it is not beside this program\n"
    "\n"
    "EXIT STATUS\n"
    "  0 done; 1 another version of the package; 2 usage; 3 nothing found or not writable;\n"
    "  4 the smoke test failed\n",
    runAdopt,
    CLI_OPTIONS(option_table)};
