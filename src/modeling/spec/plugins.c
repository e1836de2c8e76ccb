// Plugins of a specification: which are active, and what their instances are configured with.
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/plugin.h"
#include "base/sort.h"
#include "spec/tree.h"

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

static const mjtObj plugin_users[] = {mjOBJ_BODY, mjOBJ_GEOM, mjOBJ_MESH, mjOBJ_ACTUATOR,
                                      mjOBJ_SENSOR};
enum { PLUGIN_USERS = sizeof(plugin_users) / sizeof(plugin_users[0]) };

bool cfi_isInstanceUsed(cfSpec* spec, const char* name) {
  for (int k = 0; k < PLUGIN_USERS; k++) {
    const cfList* list = cfi_list(spec, plugin_users[k]);
    for (int i = 0; i < list->count; i++) {
      if (!strcmp(cfi_text(cfi_pluginOf(list->item[i])->name), name)) {
        return true;
      }
    }
  }
  return false;
}

void cfi_unlinkInstance(cfSpec* spec, const cfElement* instance) {
  for (int k = 0; k < PLUGIN_USERS; k++) {
    const cfList* list = cfi_list(spec, plugin_users[k]);
    for (int i = 0; i < list->count; i++) {
      mjsPlugin* link = cfi_pluginOf(list->item[i]);
      if (link->element == &instance->head) {
        link->element = NULL;
      }
    }
  }
}

void cfi_renameInstanceOf(cfElement* e, const char* prefix, const char* suffix) {
  mjsPlugin* link = cfi_pluginOf(e);
  if (link && link->name && cfi_length((const cfString*)(const void*)link->name)) {
    cfi_prefixSuffix((cfString*)(void*)link->name, prefix, suffix);
  }
}

// the instance that has a name with prefix and suffix in the other specification, or NULL
static cfElement* findInstanceBehind(const cfCopy* copy, const char* name) {
  const cfList* list = &copy->from->list[mjOBJ_PLUGIN];
  cfElement* found = NULL;
  for (int i = 0; i < list->count && !found; i++) {
    cfString renamed;
    cfi_initString(&renamed);
    cfi_copyMember(&renamed, &list->item[i]->name, CF_MEMBER_STRING);
    cfi_prefixSuffix(&renamed, copy->prefix, copy->suffix);
    const bool is_named = cfi_length(&list->item[i]->name) > 0;
    found = is_named && !strcmp(cfi_text(&renamed), name) ? list->item[i] : NULL;
    cfi_freeString(&renamed);
  }
  return found;
}

// attached elements name their instance under its new name: it comes with them, in the order in
// which elements of one kind after the other name it
void cfi_copyNamedInstances(const cfCopy* copy) {
  // copies in large numbers would otherwise walk through all the copies before each of them
  if (!copy->from->list[mjOBJ_PLUGIN].count) {
    return;
  }
  for (int k = 0; k < PLUGIN_USERS; k++) {
    const cfList* list = cfi_list(copy->to, plugin_users[k]);
    for (int i = 0; i < list->count; i++) {
      const char* name = cfi_text(cfi_pluginOf(list->item[i])->name);
      const cfElement* source = NULL;
      if (*name && !cfi_find(copy->to, mjOBJ_PLUGIN, name)) {
        source = findInstanceBehind(copy, name);
      }
      if (source) {
        cfElement* twin = cfi_copyElement(copy->to, source);
        twin->scope = source->scope;
        cfi_prefixSuffix(&twin->name, copy->prefix, copy->suffix);
        cfi_addToSpec(copy->to, twin);
      }
    }
  }
}

//---------------------------------- activation ----------------------------------------------------

int mjs_activatePlugin(mjSpec* s, const char* name) {
  int slot = -1;
  if (!cfi_wantPlugin(name, &slot)) {
    return -1;
  }
  cfSpec* spec = cfi_spec(s);
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

// the instance that a link leads to, or NULL
static cfElement* instanceElement(const mjsPlugin* plugin) {
  const bool is_instance = plugin && plugin->element && plugin->element->elemtype == mjOBJ_PLUGIN;
  return is_instance ? cfi_element(plugin->element) : NULL;
}

void mjs_setPluginAttributes(mjsPlugin* plugin, void* attributes) {
  cfElement* e = instanceElement(plugin);
  const cfMap* map = (const cfMap*)attributes;
  if (!e || !map) {
    return;
  }
  cfi_dropConfigView(e);
  cfi_clearStrings(&e->part.plugin.key);
  cfi_clearStrings(&e->part.plugin.value);
  const cfMapNode* node = map->first;
  for (size_t i = 0; i < map->count; i++) {
    cfi_pushString(&e->part.plugin.key, cfi_text(&node->key), cfi_length(&node->key));
    cfi_pushString(&e->part.plugin.value, cfi_text(&node->value), cfi_length(&node->value));
    node = i + 1 < map->count ? successor(node) : NULL;
  }
}

// a map and its nodes; the strings inside are those of the instance
typedef struct cfMapView {
  cfMap map;
  cfMapNode node[];
} cfMapView;

static int compareNodes(const void* a, const void* b) {
  return strcmp(cfi_text(&((const cfMapNode*)a)->key), cfi_text(&((const cfMapNode*)b)->key));
}

void cfi_dropConfigView(cfElement* instance) {
  free(instance->part.plugin.map);
  instance->part.plugin.map = NULL;
}

// a tree that is one branch to the right: correct for whoever walks or searches it
static void chainNodes(cfMapView* view) {
  const size_t count = view->map.count;
  cfMapNode *node = view->node, *end = (cfMapNode*)(void*)&view->map.root;
  cfi_sort(node, count, sizeof(cfMapNode), compareNodes);
  for (size_t i = 0; i < count; i++) {
    node[i].left = NULL;
    node[i].right = i + 1 < count ? node + i + 1 : NULL;
    node[i].parent = i ? node + i - 1 : end;
    node[i].is_black = true;
  }
  view->map.root = count ? node : NULL;
  view->map.first = count ? node : end;
}

// an empty map where there is no instance or no memory
const void* mjs_getPluginAttributes(const mjsPlugin* plugin) {
  static cfMap nothing;
  cfElement* e = instanceElement(plugin);
  const size_t count = e ? (size_t)cfi_countStrings(&e->part.plugin.key) : 0;
  nothing.first = (const cfMapNode*)(const void*)&nothing.root;
  cfMapView* view = e ? (cfMapView*)malloc(sizeof(cfMapView) + count * sizeof(cfMapNode)) : NULL;
  if (!view) {
    return &nothing;
  }
  cfi_dropConfigView(e);
  view->map.count = count;
  for (size_t i = 0; i < count; i++) {
    view->node[i].key = cfi_strings(&e->part.plugin.key)[i];
    view->node[i].value = cfi_strings(&e->part.plugin.value)[i];
  }
  chainNodes(view);
  e->part.plugin.map = view;
  return &view->map;
}
