// The mujoco Python package of an environment: where it is, which library it has.
#include "package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MAX = 4000 };


// run a program with one more argument, keep what it prints; its exit status, -1 if it cannot run
static int runPython(const char* python, const char* code, char output[OUTPUT_MAX]) {
  const char* words[] = {python, "-c", code, NULL};
  return cli_runProgram(words, output, OUTPUT_MAX);
}


int cli_runPython(const char* python, const char* code) {
  char output[OUTPUT_MAX];
  return runPython(python, code, output);
}


static bool isThere(const char* path) {
  cfFileInfo info;
  return cfi_fileInfo(path, &info);
}


bool cli_isOurs(const char* library) {
  void* handle = isThere(library) ? cfi_libraryOpen(library, NULL, 0) : NULL;
  const bool is_ours = handle && cfi_librarySymbol(handle, "cf_versionString");
  if (handle) {
    cfi_libraryClose(handle);
  }
  return is_ours;
}


// interpreter of an environment: the one given, the active one, the first in the path
static void findPython(cliPackage* p, const char* environment) {
  const char* folder = environment ? environment : cfi_environment("VIRTUAL_ENV");
  if (folder && *folder) {
    snprintf(p->python, sizeof(p->python), "%s/bin/python", folder);
  } else {
    snprintf(p->python, sizeof(p->python), "python3");
  }
}


bool cli_findPackage(cliPackage* p, const char* environment) {
  static const char code[] =
      "import importlib.util as u, importlib.metadata as m, os\n"
      "s = u.find_spec('mujoco')\n"
      "print('package', m.version('mujoco') if s else '-', s.submodule_search_locations[0] if s else '-')\n";
  char output[OUTPUT_MAX];
  memset(p, 0, sizeof(*p));
  findPython(p, environment);
  p->python_status = runPython(p->python, code, output);
  const char* line = strstr(output, "package ");
  if (p->python_status != 0 || !line ||
      sscanf(line, "package %63s %1500[^\n]", p->version, p->folder) != 2 ||
      !strcmp(p->version, "-")) {
    p->version[0] = 0;
    return false;
  }
  snprintf(p->library, sizeof(p->library), "%.1500s/libmujoco.so.%.20s", p->folder, p->version);
  snprintf(p->backup, sizeof(p->backup), "%.1590s.original", p->library);
  p->is_adopted = cli_isOurs(p->library);
  return true;
}


bool cli_ownLibrary(char path[CLI_PATH_MAX]) {
  // beside the library that this program runs on, in a build, or below it, where it is installed
  static const char* const places[] = {"", "cortenforge/"};
  char file[CF_PATH_MAX], real[CF_PATH_MAX];
  void* step = NULL;
  void (*const function)(const mjModel*, mjData*) = mj_step;
  memcpy(&step, &function, sizeof(step));
  const char* slash =
      cfi_libraryOf(step, file) && cfi_realPath(file, real) ? strrchr(real, '/') : NULL;
  char folder[CLI_PATH_MAX] = "";
  if (slash) {
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - real) + 1, real);
  }
  for (size_t k = 0; slash && k < sizeof(places) / sizeof(places[0]); k++) {
    snprintf(path, CLI_PATH_MAX, "%.1500s%slibmujoco.so.%s", folder, places[k], mj_versionString());
    if (cli_isOurs(path)) {
      return true;
    }
  }
  return false;
}


bool cli_smokeTest(const cliPackage* p, bool wants_ours) {
  static const char code[] =
      "import ctypes, os, mujoco\n"
      "lib = ctypes.CDLL(os.path.join(os.path.dirname(mujoco.__file__), 'libmujoco.so.' + mujoco.__version__))\n"
      "m = mujoco.MjModel.from_xml_string('<mujoco><worldbody><body><joint axis=\"0 1 0\"/>'\n"
      "    '<geom type=\"capsule\" size=\".1\" fromto=\"0 0 0 .5 0 0\"/></body></worldbody></mujoco>')\n"
      "d = mujoco.MjData(m)\n"
      "e = None\n"
      "mujoco.mj_step(m, d, nstep=500)\n"
      "assert abs(d.time - 1) < 1e-9 and 0.1 < abs(d.qpos[0]) < 10, d.qpos\n"
      "print('smoke', int(hasattr(lib, 'cf_versionString')), mujoco.mj_versionString(), repr(float(d.qpos[0])))\n";
  char output[OUTPUT_MAX], version[32];
  int is_ours;
  double angle;
  const int status = runPython(p->python, code, output);
  const char* line = strstr(output, "smoke ");
  const bool is_ok = status == 0 && line &&
                     sscanf(line, "smoke %d %31s %lf", &is_ours, version, &angle) == 3 &&
                     is_ours == wants_ours && !strcmp(version, p->version);
  if (!is_ok) {
    cli_error("the smoke test failed (exit status %d):\n%s", status, output);
  } else {
    printf("smoke test: a pendulum after 500 steps stands at %.15g rad\n", angle);
  }
  return is_ok;
}
