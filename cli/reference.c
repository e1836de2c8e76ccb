// The reference library (MuJoCo 3.5.0) beside ours in one process, in a name space of its own.
#include <dlfcn.h>
#include <glob.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "yardstick.h"

static const char wheel_library[] = "refenv/lib/python3*/site-packages/mujoco/libmujoco.so.3.5.0";


static bool keepPath(cliReference* r, const char* path, const char* found_by) {
  if (!path || !path[0]) {
    return false;
  }
  snprintf(r->path, sizeof(r->path), "%s", path);
  r->found_by = found_by;
  return true;
}


// what `make setup-test` installs: refenv in that folder
static bool findInFolder(cliReference* r, const char* folder) {
  char pattern[5000];
  glob_t found;
  snprintf(pattern, sizeof(pattern), "%s/%s", folder, wheel_library);
  const bool is_there =
      !glob(pattern, 0, NULL, &found) && keepPath(r, found.gl_pathv[0], "build/refenv");
  globfree(&found);
  return is_there;
}


// beside the program, which stands in the build folder, or in ./build
static bool findInBuild(cliReference* r) {
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (n > 0) {
    self[n] = '\0';
    if (findInFolder(r, dirname(self))) {
      return true;
    }
  }
  return findInFolder(r, "build");
}


// ask Python where its mujoco package lives
static bool findByPython(cliReference* r) {
  FILE* p = popen(
      "python3 -c \"import importlib.util as u,os;s=u.find_spec('mujoco');"
      "f=os.path.join(os.path.dirname(s.origin),'libmujoco.so.3.5.0') if s else '';"
      "print(f if os.path.exists(f) else '')\" 2>/dev/null",
      "r");
  if (!p) {
    return false;
  }
  char path[4096] = "";
  bool found = fgets(path, sizeof(path), p) != NULL;
  pclose(p);
  path[strcspn(path, "\n")] = '\0';
  return found && keepPath(r, path, "the mujoco package of python3");
}


static bool find(cliReference* r, const char* path) {
  if (path && !path[0]) {
    cli_error("--reference needs the name of a library");
    return false;
  }
  if (keepPath(r, path, "--reference") ||
      keepPath(r, getenv("MUJOCO_REFERENCE_LIB"), "MUJOCO_REFERENCE_LIB") || findInBuild(r) ||
      findByPython(r)) {
    return true;
  }
  cli_error(
      "no MuJoCo 3.5.0 to compare with: install it with 'pip install mujoco==3.5.0' or\n'make setup-test' (under build/refenv), or name libmujoco.so.3.5.0 with --reference or in\nMUJOCO_REFERENCE_LIB");
  return false;
}


static bool resolve(cliReference* r) {
  const struct {
    const char* name;
    void* slot;
  } wanted[] = {
      {"mj_parseXML", &r->parseXML},
      {"mj_compile", &r->compile},
      {"mj_deleteSpec", &r->deleteSpec},
      {"mjs_getError", &r->getError},
      {"mj_sizeModel", &r->sizeModel},
      {"mj_saveModel", &r->saveModel},
      {"mj_makeData", &r->makeData},
      {"mj_resetDataKeyframe", &r->resetKey},
      {"mj_step", &r->step},
      {"mj_stateSize", &r->stateSize},
      {"mj_getState", &r->getState},
      {"mj_setState", &r->setState},
      {"mj_version", &r->version},
      {"mju_user_error", &r->user_error},
      {"mju_user_warning", &r->user_warning},
  };
  for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++) {
    void* symbol = dlsym(r->handle, wanted[k].name);
    if (!symbol) {
      cli_error("%s has no %s", r->path, wanted[k].name);
      return false;
    }
    memcpy(wanted[k].slot, &symbol, sizeof(symbol));
  }
  if (r->version() != mj_version()) {
    cli_error("%s is version %d, not %d", r->path, r->version(), mj_version());
    return false;
  }
  return true;
}


// the plugin libraries that stand beside the reference, in the order of their names, in which ours
// are loaded too: a slot means the same plugin in both
static void loadPlugins(const cliReference* r) {
  void (*load)(const char*);
  void* symbol = dlsym(r->handle, "mj_loadPluginLibrary");
  char path[4200], pattern[4300];
  glob_t found;
  snprintf(path, sizeof(path), "%s", r->path);
  snprintf(pattern, sizeof(pattern), "%s/plugin/*.so", dirname(path));
  if (symbol && !glob(pattern, 0, NULL, &found)) {
    memcpy(&load, &symbol, sizeof(symbol));
    for (size_t k = 0; k < found.gl_pathc; k++) {
      load(found.gl_pathv[k]);
    }
    globfree(&found);
  }
}


// open the library in a name space of its own; false with a message
static bool openLibrary(cliReference* r) {
  r->handle = dlmopen(LM_ID_NEWLM, r->path, RTLD_NOW | RTLD_LOCAL);
  if (!r->handle) {
    cli_error("%s", dlerror());
  }
  return r->handle;
}


// MuJoCo's own library: an adopted package has ours in its place, and the original beside it
static bool openOriginal(cliReference* r) {
  if (!openLibrary(r)) {
    return false;
  }
  if (!dlsym(r->handle, "cf_versionString")) {
    return true;
  }
  char original[sizeof(r->path)];
  const int n = snprintf(original, sizeof(original), "%s.original", r->path);
  dlclose(r->handle);
  r->handle = NULL;
  if (n >= (int)sizeof(original) || access(original, R_OK)) {
    cli_error(
        "%s (found by %s) is CortenForge itself, which says nothing about MuJoCo; name MuJoCo's "
        "libmujoco.so.3.5.0 with --reference, or put it back with 'cortenforge adopt --undo'",
        r->path, r->found_by);
    return false;
  }
  memcpy(r->path, original, sizeof(r->path));
  if (!openLibrary(r)) {
    return false;
  }
  if (dlsym(r->handle, "cf_versionString")) {
    cli_error("%s is CortenForge, too", r->path);
    return false;
  }
  return true;
}


bool cli_openReference(cliReference* r, const char* path) {
  memset(r, 0, sizeof(*r));
  if (!find(r, path) || !openOriginal(r) || !resolve(r)) {
    return false;
  }
  loadPlugins(r);
  fprintf(stderr, "reference: %s (found by %s)\n", r->path, r->found_by);
  return true;
}


mjModel* cli_loadReference(const cliReference* r, const char* path, char* error, int nerror) {
  mjSpec* spec = r->parseXML(path, NULL, error, nerror);
  if (!spec) {
    return NULL;
  }
  // the library has a name space of its own, in which threads have no memory of their own
  spec->compiler.usethread = 0;
  mjModel* m = r->compile(spec, NULL);
  if (!m) {
    snprintf(error, (size_t)nerror, "%s", r->getError(spec));
  }
  r->deleteSpec(spec);
  return m;
}


mjModel* cli_handOver(const cliReference* r, const mjModel* m) {
  const int size = (int)r->sizeModel(m);
  void* bytes = malloc((size_t)size);
  if (!bytes) {
    return NULL;
  }
  r->saveModel(m, NULL, bytes, size);
  mjModel* ours = mj_loadModelBuffer(bytes, size);
  free(bytes);
  return ours;
}
