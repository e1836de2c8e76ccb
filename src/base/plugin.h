// Plugins that models ask for.
#ifndef CF_BASE_PLUGIN_H
#define CF_BASE_PLUGIN_H

#include <mujoco/mujoco.h>

// mjp_getPlugin for a model that wants a plugin: where it is not registered, the libraries that
// stand beside ours are loaded first (once in a process)
const mjpPlugin* cfi_wantPlugin(const char* name, int* slot);

#endif  // CF_BASE_PLUGIN_H
