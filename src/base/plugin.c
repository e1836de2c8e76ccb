// Plugins: registration, lookup, configuration, and loading of their libraries.
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/registry.h"

enum { MAX_ATTRIBUTE = 255 };


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

static const cfRegistryClass plugin_class = {"plugin", sizeof(mjpPlugin), pluginName, samePlugin,
                                             copyPlugin};
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


// plugin libraries register themselves when they are loaded, and stay loaded
void mj_loadPluginLibrary(const char* path) {
  if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    const char* reason = dlerror();
    mju_error("Error loading plugin library '%s': %s", path, reason ? reason : "unknown reason");
  }
}


// load one library and tell the caller which plugins came with it
static void loadAndReport(const char* path, const char* name,
                          mjfPluginLibraryLoadCallback callback) {
  pthread_mutex_lock(&plugins.mutex);
  const int before = mjp_pluginCount();
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const int count = mjp_pluginCount() - before;
  pthread_mutex_unlock(&plugins.mutex);
  if (!library) {
    const char* reason = dlerror();
    mju_error("Error loading plugin library '%s': %s", path, reason ? reason : "unknown reason");
    return;
  }
  if (callback) {
    callback(name, count ? before : -1, count);
  }
}


static bool hasLibrarySuffix(const char* name) {
  const size_t length = strlen(name);
  return length > 3 && !strcmp(name + length - 3, ".so");
}


void mj_loadAllPluginLibraries(const char* directory, mjfPluginLibraryLoadCallback callback) {
  DIR* folder = opendir(directory);
  if (!folder) {
    return;
  }
  for (struct dirent* entry = readdir(folder); entry; entry = readdir(folder)) {
    char path[4096];
    struct stat info;
    const int length = snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
    if (length < (int)sizeof(path) && hasLibrarySuffix(entry->d_name) && !stat(path, &info) &&
        S_ISREG(info.st_mode)) {
      loadAndReport(path, entry->d_name, callback);
    }
  }
  closedir(folder);
}
