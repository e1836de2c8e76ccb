// A program that takes its library at run time, as Python does, and runs a model with plugins.
//
//   host LIBRARY MODEL [FOLDER | PLUGIN.so ...]    plugins of a folder or of single libraries first
//
// Prints the number of plugins and what became of the model; with two steps, the state hash of the
// plugins' forces so that a script can compare. Exit status 0 where the model was accepted.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

static void* library;


static void* symbolOf(const char* name) {
  void* symbol = dlsym(library, name);
  if (!symbol) {
    fprintf(stderr, "no %s\n", name);
  }
  return symbol;
}

#define CALL(name) ((__typeof__(&name))(uintptr_t)symbolOf(#name))


static void onLibrary(const char* file, int first, int count) {
  printf("%s: %d from slot %d\n", file, count, first);
}


static void loadPlugins(char** argument, int count) {
  for (int k = 0; k < count; k++) {
    const size_t length = strlen(argument[k]);
    if (length > 3 && !strcmp(argument[k] + length - 3, ".so")) {
      CALL(mj_loadPluginLibrary)(argument[k]);
    } else {
      CALL(mj_loadAllPluginLibraries)(argument[k], onLibrary);
    }
  }
}


int main(int argc, char** argv) {
  char error[1000] = "";
  library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", argc > 2 ? dlerror() : "usage: host LIBRARY MODEL [PLUGINS ...]");
    return 2;
  }
  loadPlugins(argv + 3, argc - 3);
  mjModel* m = CALL(mj_loadXML)(argv[2], NULL, error, sizeof(error));
  printf("%d plugins\n", CALL(mjp_pluginCount)());
  if (!m) {
    printf("refused: %s\n", error);
    return 1;
  }
  mjData* d = CALL(mj_makeData)(m);
  for (int k = 0; k < 100; k++) {
    CALL(mj_step)(m, d);
  }
  printf("accepted: %d instances, time %.3f, force %.9g, state %.9g\n", (int)m->nplugin, d->time,
         m->nv ? d->qfrc_passive[0] : 0, m->npluginstate ? d->plugin_state[0] : 0);
  CALL(mj_deleteData)(d);
  CALL(mj_deleteModel)(m);
  return 0;
}
