// Plugin instances on their way into the model.
#ifndef CF_COMPILE_PLUGINS_H
#define CF_COMPILE_PLUGINS_H

#include "compile/draft.h"

// the instance that an element uses; fails where there is none, or where its plugin cannot do what
// the element needs (the element's type says that)
const cfPluginDraft* cfi_usePlugin(cfDraft* draft, const cfPart* user, const mjsPlugin* link);

// what an instance is configured with, "" where a key is not given
const char* cfi_pluginValue(const cfPluginDraft* instance, const char* key);

// instances of meshes that a plugin makes, before meshes are compiled
void cfi_linkMeshPlugins(cfDraft* draft);

// configurations, once every element knows its instance
void cfi_compilePlugins(cfDraft* draft);

// into the model, before sensors: their sizes depend on it
void cfi_fillPlugins(cfDraft* draft);

#endif  // CF_COMPILE_PLUGINS_H
