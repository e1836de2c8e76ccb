// The reference library (MuJoCo 3.5.0) beside ours in one process, in a name space of its own.
#include <stdlib.h>
#include <string.h>

#include "yardstick.h"

static const char wheel_library[] = "site-packages/mujoco/libmujoco.so.3.5.0";


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
  char path[CF_PATH_MAX], **names;
  cfFileInfo info;
  bool is_there = false;
  snprintf(path, sizeof(path), "%s/refenv/lib", folder);
  const int count = cfi_folderNames(path, &names);
  for (int k = 0; k < count && !is_there; k++) {
    snprintf(path, sizeof(path), "%s/refenv/lib/%s/%s", folder, names[k], wheel_library);
    is_there = !strncmp(names[k], "python3", 7) && cfi_fileInfo(path, &info) &&
               keepPath(r, path, "build/refenv");
  }
  cfi_folderFree(names, count);
  return is_there;
}


// beside the program, which stands in the build folder, or in ./build
static bool findInBuild(cliReference* r) {
  char self[CF_PATH_MAX];
  char* slash = cli_ownProgram(self) ? strrchr(self, '/') : NULL;
  if (slash) {
    *slash = '\0';
    if (findInFolder(r, self)) {
      return true;
    }
  }
  return findInFolder(r, "build");
}


// ask Python where its mujoco package lives
static bool findByPython(cliReference* r) {
  static const char mark[] = "library ";
  static const char* const words[] = {
      "python3", "-c",
      "import importlib.util as u,os;s=u.find_spec('mujoco');"
      "f=os.path.join(os.path.dirname(s.origin),'libmujoco.so.3.5.0') if s else '';"
      "print('library', f if os.path.exists(f) else '')",
      NULL};
  char output[CF_PATH_MAX];
  char* path = cli_runProgram(words, output, sizeof(output)) ? NULL : strstr(output, mark);
  if (!path) {
    return false;
  }
  path += strlen(mark);
  path[strcspn(path, "\r\n")] = '\0';
  return keepPath(r, path, "the mujoco package of python3");
}


static bool find(cliReference* r, const char* path) {
  if (path && !path[0]) {
    cli_error("--reference needs the name of a library");
    return false;
  }
  if (keepPath(r, path, "--reference") ||
      keepPath(r, cfi_environment("MUJOCO_REFERENCE_LIB"), "MUJOCO_REFERENCE_LIB") ||
      findInBuild(r) || findByPython(r)) {
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
    void* symbol = cfi_librarySymbol(r->handle, wanted[k].name);
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
  void* symbol = cfi_librarySymbol(r->handle, "mj_loadPluginLibrary");
  char folder[CF_PATH_MAX], path[CF_PATH_MAX], **names;
  const char* slash = strrchr(r->path, '/');
  snprintf(folder, sizeof(folder), "%.*s/plugin", slash ? (int)(slash - r->path) : 1,
           slash ? r->path : ".");
  const int count = symbol ? cfi_folderNames(folder, &names) : -1;
  for (int k = 0; k < count; k++) {
    const char* end = strrchr(names[k], '.');
    const int length = snprintf(path, sizeof(path), "%s/%s", folder, names[k]);
    if (end && !strcmp(end, CF_LIBRARY_END) && length < (int)sizeof(path)) {
      memcpy(&load, &symbol, sizeof(symbol));
      load(path);
    }
  }
  if (count >= 0) {
    cfi_folderFree(names, count);
  }
}


// open the library in a name space of its own; false with a message
static bool openLibrary(cliReference* r) {
  char fault[1000];
  r->handle = cli_libraryApart(r->path, fault, sizeof(fault));
  if (!r->handle) {
    cli_error("%s", fault);
  }
  return r->handle;
}


// MuJoCo's own library: an adopted package has ours in its place, and the original beside it
static bool openOriginal(cliReference* r) {
  if (!openLibrary(r)) {
    return false;
  }
  if (!cfi_librarySymbol(r->handle, "cf_versionString")) {
    return true;
  }
  char original[sizeof(r->path)];
  const int n = snprintf(original, sizeof(original), "%s.original", r->path);
  cfi_libraryClose(r->handle);
  r->handle = NULL;
  if (n >= (int)sizeof(original) || !cfi_fileIsReadable(original)) {
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
  if (cfi_librarySymbol(r->handle, "cf_versionString")) {
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
