// Plugins of a specification: which are active, and what their instances are configured with.
#include "spec/spec.h"

#include <string.h>

#include "base/assert.h"

//---------------------------------- links ---------------------------------------------------------

mjsPlugin* cfi_pluginOf(const cfElement* e) {
  switch ((int)e->head.elemtype) {
    case mjOBJ_BODY:
      return &((mjsBody*)e->attr)->plugin;
    case mjOBJ_GEOM:
      return &((mjsGeom*)e->attr)->plugin;
    case mjOBJ_MESH:
      return &((mjsMesh*)e->attr)->plugin;
    case mjOBJ_ACTUATOR:
      return &((mjsActuator*)e->attr)->plugin;
    case mjOBJ_SENSOR:
      return &((mjsSensor*)e->attr)->plugin;
    default:
      return NULL;
  }
}

cfElement* cfi_instanceOf(const cfElement* e) {
  const mjsPlugin* plugin = cfi_pluginOf(e);
  bool is_linked =
      plugin && plugin->active && plugin->element && plugin->element->elemtype == mjOBJ_PLUGIN;
  return is_linked ? cfi_element(plugin->element) : NULL;
}

bool cfi_ownsInstance(const cfElement* e) {
  const cfElement* instance = cfi_instanceOf(e);
  return instance && cfi_isEmptyString(cfi_pluginOf(e)->name) && !cfi_length(&instance->name);
}

//---------------------------------- activation ----------------------------------------------------

int mjs_activatePlugin(mjSpec* s, const char* name) {
  cfSpec* spec = cfi_spec(s);
  int slot = -1;
  if (!mjp_getPlugin(name, &slot)) {
    return -1;
  }
  for (int i = 0; i < cfi_countInts(&spec->plugins); i++) {
    if (cfi_ints(&spec->plugins)[i] == slot) {
      return 0;
    }
  }
  *(int*)cfi_growVec(&spec->plugins, 1, sizeof(int)) = slot;
  return 0;
}

//---------------------------------- attributes as C++ sees them -----------------------------------
// The public functions pass a std::map<std::string, std::string>.  In libc++ that is a tree:
// pointer to the first node, end node whose left child is the root, number of nodes.  A node has
// left, right, parent, color and then the pair of strings.

typedef struct cfMapNode {
  struct cfMapNode *left, *right, *parent;
  bool is_black;
  cfString key, value;
} cfMapNode;

typedef struct {
  const cfMapNode* first;
  const cfMapNode* root;
  size_t count;
} cfMap;

// next node in the order of keys; the last one's successor is the end node
static const cfMapNode* successor(const cfMapNode* node) {
  if (node->right) {
    node = node->right;
    while (node->left) {
      node = node->left;
    }
    return node;
  }
  while (node != node->parent->left) {
    node = node->parent;
  }
  return node->parent;
}

void mjs_setPluginAttributes(mjsPlugin* plugin, void* attributes) {
  cfElement* e = cfi_element(plugin->element);
  const cfMap* map = (const cfMap*)attributes;
  if (e->head.elemtype != mjOBJ_PLUGIN) {
    return;
  }
  cfi_clearStrings(&e->part.plugin.key);
  cfi_clearStrings(&e->part.plugin.value);
  const cfMapNode* node = map->first;
  for (size_t i = 0; i < map->count; i++) {
    cfi_pushString(&e->part.plugin.key, cfi_text(&node->key), cfi_length(&node->key));
    cfi_pushString(&e->part.plugin.value, cfi_text(&node->value), cfi_length(&node->value));
    node = i + 1 < map->count ? successor(node) : NULL;
  }
}
