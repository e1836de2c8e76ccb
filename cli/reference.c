// The reference library (MuJoCo 3.5.0) beside ours in one process, in a name space of its own.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { PATH_LENGTH = 4096 };


// ask Python where its mujoco package lives
static bool findByPython(char path[PATH_LENGTH]) {
  FILE* p = popen(
      "python3 -c \"import importlib.util as u,os;s=u.find_spec('mujoco');"
      "print(os.path.join(os.path.dirname(s.origin),'libmujoco.so.3.5.0') if s else '')\" 2>/dev/null",
      "r");
  if (!p) {
    return false;
  }
  bool found = fgets(path, PATH_LENGTH, p) != NULL;
  pclose(p);
  path[found ? strcspn(path, "\n") : 0] = '\0';
  return path[0] != '\0';
}


static bool resolve(cliReference* r) {
  const struct {
    const char* name;
    void* slot;
  } wanted[] = {
      {"mj_loadXML", &r->loadXML},
      {"mj_loadModel", &r->loadModel},
      {"mj_saveModel", &r->saveModel},
      {"mj_makeData", &r->makeData},
      {"mj_resetDataKeyframe", &r->resetKey},
      {"mj_step", &r->step},
      {"mj_stateSize", &r->stateSize},
      {"mj_getState", &r->getState},
      {"mj_setState", &r->setState},
  };
  for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++) {
    void* symbol = dlsym(r->handle, wanted[k].name);
    if (!symbol) {
      fprintf(stderr, "cortenforge: the reference has no %s\n", wanted[k].name);
      return false;
    }
    memcpy(wanted[k].slot, &symbol, sizeof(symbol));
  }
  return true;
}


bool cli_openReference(cliReference* r, const char* path) {
  char found[PATH_LENGTH] = "";
  if (!path) {
    path = getenv("MUJOCO_REFERENCE_LIB");
  }
  if (!path && findByPython(found)) {
    path = found;
  }
  if (!path) {
    fprintf(
        stderr,
        "cortenforge: no MuJoCo 3.5.0 found: pip install mujoco==3.5.0, or name the library with "
        "--reference or MUJOCO_REFERENCE_LIB\n");
    return false;
  }
  r->handle = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
  if (!r->handle) {
    fprintf(stderr, "cortenforge: %s\n", dlerror());
    return false;
  }
  return resolve(r);
}
