// Plugins: registration, lookup, configuration, and loading of their libraries.
#include "base/plugin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/registry.h"

enum { MAX_ATTRIBUTE = 255, REASON_MAX = 1000 };


static const char* pluginName(const void* object) {
  return ((const mjpPlugin*)object)->name;
}


static bool sameAttributes(const mjpPlugin* a, const mjpPlugin* b) {
  if (a->nattribute != b->nattribute) {
    return false;
  }
  for (int k = 0; k < a->nattribute; k++) {
    const char *first = a->attributes[k], *second = b->attributes[k];
    if (first && second ? strcmp(first, second) : first != second) {
      return false;
    }
  }
  return true;
}


// names, attributes, and from the capabilities on every number and callback
static bool samePlugin(const void* a, const void* b) {
  const mjpPlugin *p = a, *q = b;
  const size_t tail = offsetof(mjpPlugin, capabilityflags);
  return !strcmp(p->name, q->name) && sameAttributes(p, q) &&
         !memcmp((const char*)a + tail, (const char*)b + tail, sizeof(mjpPlugin) - tail);
}


static void freeNames(char** names, int count) {
  CF_ASSERT(count >= 0);
  for (int k = 0; k < count; k++) {
    mju_free(names[k]);
  }
  mju_free(names);
}


// copies of all attribute names; NULL when one fails
static char** copyPluginAttributes(const mjpPlugin* plugin) {
  char** names = cfi_tryMalloc((size_t)plugin->nattribute * sizeof(char*) + 1);
  for (int k = 0; names && k < plugin->nattribute; k++) {
    names[k] = cfi_copyName(plugin->attributes[k]);
    if (!names[k]) {
      freeNames(names, k);
      return NULL;
    }
  }
  return names;
}


static bool copyPlugin(void* dest, const void* src) {
  const mjpPlugin* plugin = src;
  char* name = cfi_copyName(plugin->name);
  char** attributes = name ? copyPluginAttributes(plugin) : NULL;
  if (!attributes) {
    mju_free(name);
    return false;
  }
  mjpPlugin* copy = dest;
  *copy = *plugin;
  copy->name = name;
  copy->attributes = (const char* const*)attributes;
  return true;
}

static const cfRegistryClass plugin_class = {"plugin",   sizeof(mjpPlugin), pluginName,
                                             samePlugin, copyPlugin,        false};
static cfRegistry plugins = CF_REGISTRY_INIT(&plugin_class);


void mjp_defaultPlugin(mjpPlugin* plugin) {
  memset(plugin, 0, sizeof(*plugin));
}


int mjp_registerPlugin(const mjpPlugin* plugin) {
  char limit[60];
  snprintf(limit, sizeof(limit), "plugin->nattribute exceeds the maximum limit of %d",
           MAX_ATTRIBUTE);
  const char* fault = !plugin->name                        ? "plugin->name is a null pointer"
                      : !plugin->name[0]                   ? "plugin->name is an empty string"
                      : plugin->nattribute < 0             ? "plugin->nattribute is negative"
                      : plugin->nattribute > MAX_ATTRIBUTE ? limit
                                                           : NULL;
  if (fault) {
    mju_error("mjp_registerPlugin: %s", fault);
    return -1;
  }
  return cfi_register(&plugins, plugin);
}


int mjp_pluginCount(void) {
  return cfi_registeredCount(&plugins);
}


const mjpPlugin* mjp_getPlugin(const char* name, int* slot) {
  return cfi_findRegistered(&plugins, name, slot);
}


const mjpPlugin* mjp_getPluginAtSlot(int slot) {
  return cfi_registered(&plugins, slot);
}


// the values of an instance follow each other as terminated strings, in the order of the attributes
const char* mj_getPluginConfig(const mjModel* m, int plugin_id, const char* attrib) {
  if (plugin_id < 0 || plugin_id >= m->nplugin || !attrib) {
    return NULL;
  }
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[plugin_id]);
  const char *value = m->plugin_attr + m->plugin_attradr[plugin_id],
             *end = m->plugin_attr + m->npluginattr;
  for (int k = 0; plugin && k < plugin->nattribute && value < end; k++) {
    if (!strcmp(plugin->attributes[k], attrib)) {
      return value;
    }
    value += strnlen(value, (size_t)(end - value)) + 1;
  }
  return NULL;
}


//---------------------------------- libraries -----------------------------------------------------

// the file that holds this function: the library, or the program that it is linked into
static bool ownFile(char path[CF_PATH_MAX]) {
  return cfi_libraryOf((const void*)(uintptr_t)ownFile, path);
}


// Plugin libraries register themselves when they are loaded, and stay loaded. Those that name the
// library they were linked with find their functions there; others find them only among the symbols
// that all may use, which is where ours go then.
static void* openLibrary(const char* path, char* reason, size_t nreason) {
  for (int attempt = 0; attempt < 2; attempt++) {
    char own[CF_PATH_MAX];
    void* library = cfi_libraryOpen(path, reason, nreason);
    if (library) {
      return library;
    }
    const bool is_ours =
        strstr(reason, "undefined symbol: mj") || strstr(reason, "undefined symbol: cf_");
    if (!is_ours || !ownFile(own) || !cfi_libraryShow(own)) {
      return NULL;
    }
  }
  return NULL;
}


void mj_loadPluginLibrary(const char* path) {
  char reason[REASON_MAX];
  if (!openLibrary(path, reason, sizeof(reason))) {
    mju_error("Error loading plugin library '%s': %s", path, reason);
  }
}


// load one library and tell the caller which plugins came with it; false with the reason
static bool loadAndReport(const char* path, const char* name, mjfPluginLibraryLoadCallback callback,
                          char reason[REASON_MAX]) {
  cfi_lockAgain(&plugins.mutex);
  const int before = mjp_pluginCount();
  const bool is_loaded = openLibrary(path, reason, REASON_MAX) != NULL;
  const int count = mjp_pluginCount() - before;
  cfi_unlockAgain(&plugins.mutex);
  if (is_loaded && callback) {
    callback(name, count ? before : -1, count);
  }
  return is_loaded;
}


static bool isLibraryName(const char* name) {
  const size_t length = strlen(name), end = strlen(CF_LIBRARY_END);
  return length > end && !strcmp(name + length - end, CF_LIBRARY_END);
}


// all libraries of a folder in the order of their names, so that slots do not depend on the disk
static void loadFolder(const char* directory, mjfPluginLibraryLoadCallback callback,
                       void (*complain)(const char* format, ...)) {
  char** names;
  const int count = cfi_folderNames(directory, &names);
  for (int k = 0; k < count; k++) {
    char path[CF_PATH_MAX], reason[REASON_MAX];
    cfFileInfo info;
    const int length = snprintf(path, sizeof(path), "%s/%s", directory, names[k]);
    if (isLibraryName(names[k]) && length < (int)sizeof(path) && cfi_fileInfo(path, &info) &&
        info.is_regular && !loadAndReport(path, names[k], callback, reason)) {
      complain("Error loading plugin library '%s': %s", path, reason);
    }
  }
  cfi_folderFree(names, count);
}


void mj_loadAllPluginLibraries(const char* directory, mjfPluginLibraryLoadCallback callback) {
  loadFolder(directory, callback, mju_error);
}


//---------------------------------- libraries beside ours -----------------------------------------

// Under MuJoCo's file name MuJoCo's rule holds: plugins are there when somebody has loaded them.
// Under our own name the folders `plugin` and `cortenforge/plugin` beside the library are looked
// into when a model first asks for a plugin that is not there.
static void discoverPlugins(void) {
  static const char* const folders[] = {"plugin", "cortenforge/plugin"};
  char own[CF_PATH_MAX], real[CF_PATH_MAX];
  if (!ownFile(own) || !cfi_realPath(own, real)) {
    return;
  }
  char* slash = strrchr(real, '/');
  if (!slash || !strncmp(slash + 1, "libmujoco", strlen("libmujoco"))) {
    return;
  }
  *slash = 0;
  for (int k = 0; k < 2; k++) {
    char folder[CF_PATH_MAX + 40];
    snprintf(folder, sizeof(folder), "%s/%s", real, folders[k]);
    loadFolder(folder, NULL, mju_warning);
  }
}


const mjpPlugin* cfi_wantPlugin(const char* name, int* slot) {
  static cfOnce once = CF_ONCE_INIT;
  if (!mjp_getPlugin(name, NULL)) {
    cfi_once(&once, discoverPlugins);
  }
  return mjp_getPlugin(name, slot);
}
