// Plugins of a specification: which are active, and what their instances are configured with.
#include "spec/spec.h"

#include <string.h>

#include "base/assert.h"

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
// The public functions pass a std::map<std::string, std::string>.  With the GNU C++ library that is a
// red-black tree: a header whose parent is the root, nodes with color, parent, left, right and then
// the pair of strings.

typedef struct cfMapNode {
  int color;
  struct cfMapNode *parent, *left, *right;
  cfString key, value;
} cfMapNode;

typedef struct {
  void* compare;
  struct {
    int color;
    cfMapNode *root, *leftmost, *rightmost;
  } header;
  size_t count;
} cfMap;

// next node in the order of keys
static const cfMapNode* successor(const cfMapNode* node, const cfMapNode* end) {
  if (node->right) {
    node = node->right;
    while (node->left) {
      node = node->left;
    }
    return node;
  }
  const cfMapNode* parent = node->parent;
  while (parent != end && node == parent->right) {
    node = parent;
    parent = parent->parent;
  }
  return parent;
}

void mjs_setPluginAttributes(mjsPlugin* plugin, void* attributes) {
  cfElement* e = cfi_element(plugin->element);
  const cfMap* map = (const cfMap*)attributes;
  const cfMapNode* end = (const cfMapNode*)(const void*)&map->header;
  if (e->head.elemtype != mjOBJ_PLUGIN) {
    return;
  }
  cfi_clearStrings(&e->part.plugin.key);
  cfi_clearStrings(&e->part.plugin.value);
  const cfMapNode* node = map->header.leftmost;
  for (size_t i = 0; i < map->count && node != end; i++) {
    cfi_pushString(&e->part.plugin.key, node->key.text, node->key.length);
    cfi_pushString(&e->part.plugin.value, node->value.text, node->value.length);
    node = successor(node, end);
  }
}
