// Sections whose children are elements: default classes, extensions, custom data, contacts,
// equality constraints, tendons, keyframes.
#include "mjcf/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

void cfi_readChildren(cfReader* r, const cfNode* section, const cfChildReader* readers, int count) {
  for (const cfNode* node = section->first; node; node = node->next) {
    for (int k = 0; k < count; k++) {
      if (readers[k].tag_id == node->tag_id) {
        readers[k].read(r, node);
      }
    }
  }
}

//---------------------------------- default classes -----------------------------------------------

// one element of a class: it is called as its kind is, only that all actuators are one kind
static void readDefaultElement(cfReader* r, const cfNode* node, mjsDefault* def) {
  const int tag = node->tag_id;
  const bool is_actuator = tag >= TAG_DEFAULT_GENERAL && tag <= TAG_DEFAULT_ADHESION;
  const mjtObj type = is_actuator ? mjOBJ_ACTUATOR : (mjtObj)mju_str2Type(node->tag);
  cfElement* element = tag >= 0 ? cfi_defaultElement(cfi_element(def->element), type) : NULL;
  if (element) {
    cfi_readElement(r, node, &element->head);
  }
}

// class of a default element: the root one, or a new one below the given
static mjsDefault* openClass(cfReader* r, const cfNode* node, mjsDefault* parent) {
  const char* name = cfi_attribute(node, "class");
  if (!parent) {
    if (name && *name && strcmp(name, "main") != 0) {
      cfi_error(r->report, node, "top-level default class 'main' cannot be renamed");
    }
    return mjs_getSpecDefault(r->spec);
  }
  if (!name || !*name) {
    cfi_error(r->report, node, "empty class name");
    return NULL;
  }
  mjsDefault* def = mjs_addDefault(r->spec, name, parent);
  if (!def) {
    cfi_error(r->report, node, "repeated default class name '%s'", name);
  }
  return def;
}

// a class is complete before the classes inside it are made, which start as its copy
void cfi_readDefaults(cfReader* r, const cfNode* section) {
  struct {
    const cfNode* node;
    mjsDefault* def;
  } stack[CF_XML_MAX_DEPTH + 1];
  int depth = 0;
  const cfNode* node = section;
  mjsDefault* parent = NULL;

  r->in_defaults = true;
  while (node) {
    // enter a class
    mjsDefault* def = openClass(r, node, parent);
    for (const cfNode* child = node->first; child && def; child = child->next) {
      readDefaultElement(r, child, def);
    }
    const cfNode* inner = def ? cfi_firstChild(node, "default") : NULL;
    if (inner) {
      CF_ASSERT(depth < CF_XML_MAX_DEPTH);
      stack[depth].node = node;
      stack[depth++].def = parent;
      parent = def;
      node = inner;
      continue;
    }

    // go on with the next class beside it, or beside one of those around it
    while (node != section && !cfi_nextSibling(node, "default")) {
      depth--;
      node = stack[depth].node;
      parent = stack[depth].def;
    }
    node = node == section ? NULL : cfi_nextSibling(node, "default");
  }
  r->in_defaults = false;
}

//---------------------------------- extension -----------------------------------------------------

static void readInstance(cfReader* r, const cfNode* node, const char* plugin_name) {
  if (r->spec->hasImplicitPluginElem) {
    cfi_error(r->report, node,
              "explicit plugin instance must appear before implicit plugin elements");
    return;
  }
  const char* name = cfi_readText(r, node, "name", true);
  mjsPlugin* plugin = mjs_addPlugin(r->spec);
  cfi_setOrigin(r, node, plugin->element);
  mjs_setString(plugin->plugin_name, plugin_name);
  if (name) {
    cfi_setElementName(cfi_element(plugin->element), name);
  }
  cfi_readPluginConfig(r, node, plugin);
}

void cfi_readExtension(cfReader* r, const cfNode* section) {
  for (const cfNode* node = cfi_firstChild(section, "plugin"); node;
       node = cfi_nextSibling(node, "plugin")) {
    const char* name = cfi_readText(r, node, "plugin", true);
    if (!name) {
      continue;
    }
    if (mjs_activatePlugin(r->spec, name)) {
      cfi_error(r->report, node,
                "plugin %s not found; load its library before the model (mj_loadPluginLibrary, or "
                "--plugin of the command line)",
                name);
      continue;
    }
    for (const cfNode* child = cfi_firstChild(node, "instance"); child;
         child = cfi_nextSibling(child, "instance")) {
      readInstance(r, child, name);
    }
  }
}

//---------------------------------- custom --------------------------------------------------------

static void readNumeric(cfReader* r, const cfNode* node) {
  enum { MAX = 500 };
  mjsNumeric* numeric = mjs_addNumeric(r->spec);
  double data[MAX + 1] = {0};
  int size = -1;
  cfi_require(r, node, "name");
  cfi_readName(r, node, numeric->element);
  cfi_readInt(r, node, "size", &size);
  int room = size < 0 ? MAX + 1 : size < MAX ? size : MAX;
  int count = cfi_readNumbers(r, node, "data", data, room, false);
  numeric->size = cfi_attribute(node, "size") ? size : count;
  if (numeric->size < 1 || numeric->size > MAX) {
    cfi_error(r->report, node, "custom field size must be between 1 and 500");
    numeric->size = 1;
  }
  mjs_setDouble(numeric->data, data, numeric->size);
}

static void readCustomText(cfReader* r, const cfNode* node) {
  mjsText* text = mjs_addText(r->spec);
  cfi_require(r, node, "name");
  cfi_readName(r, node, text->element);
  const char* data = cfi_readText(r, node, "data", true);
  if (data && !*data) {
    cfi_error(r->report, node, "text field cannot be empty");
  }
  mjs_setString(text->data, data ? data : "");
}

static void readTuple(cfReader* r, const cfNode* node) {
  mjsTuple* tuple = mjs_addTuple(r->spec);
  cfi_require(r, node, "name");
  cfi_readName(r, node, tuple->element);
  for (const cfNode* item = cfi_firstChild(node, "element"); item;
       item = cfi_nextSibling(item, "element")) {
    const char* type = cfi_readText(r, item, "objtype", true);
    const char* name = cfi_readText(r, item, "objname", true);
    const int object = type ? mju_str2Type(type) : mjOBJ_UNKNOWN;
    double prm = 0;
    if (type && object == mjOBJ_UNKNOWN) {
      cfi_error(r->report, item, "unknown object type '%s'", type);
    }
    cfi_readDouble(r, item, "prm", &prm);
    *(int*)cfi_growVec((cfVec*)tuple->objtype, 1, sizeof(int)) = object;
    *(double*)cfi_growVec((cfVec*)tuple->objprm, 1, sizeof(double)) = prm;
    mjs_appendString(tuple->objname, name ? name : "");
  }
}

void cfi_readCustom(cfReader* r, const cfNode* section) {
  static const cfChildReader readers[] = {{TAG_CUSTOM_NUMERIC, readNumeric},
                                          {TAG_CUSTOM_TEXT, readCustomText},
                                          {TAG_CUSTOM_TUPLE, readTuple}};
  cfi_readChildren(r, section, readers, 3);
}

//---------------------------------- contact, equality, tendon, keyframe ---------------------------

static void readExclude(cfReader* r, const cfNode* node) {
  mjsExclude* exclude = mjs_addExclude(r->spec);
  cfi_readName(r, node, exclude->element);
  cfi_require(r, node, "body1");
  cfi_require(r, node, "body2");
  cfi_readFields(r, node, exclude);
}

static void readPair(cfReader* r, const cfNode* node) {
  cfi_readElement(r, node, mjs_addPair(r->spec, cfi_readClass(r, node))->element);
}

void cfi_readContacts(cfReader* r, const cfNode* section) {
  static const cfChildReader readers[] = {{TAG_CONTACT_PAIR, readPair},
                                          {TAG_CONTACT_EXCLUDE, readExclude}};
  cfi_readChildren(r, section, readers, 2);
}

void cfi_readEqualities(cfReader* r, const cfNode* section) {
  for (const cfNode* node = section->first; node; node = node->next) {
    if (node->tag_id >= 0) {
      cfi_readElement(r, node, mjs_addEquality(r->spec, cfi_readClass(r, node))->element);
    }
  }
}

// one object on the path of a tendon
static void readWrap(cfReader* r, const cfNode* node, mjsTendon* tendon) {
  mjsWrap* wrap = NULL;
  double number = 0;
  if (node->tag_id == TAG_TENDON_SPATIAL_PULLEY) {
    if (cfi_requireNumbers(r, node, "divisor")) {
      cfi_readDouble(r, node, "divisor", &number);
    }
    wrap = mjs_wrapPulley(tendon, number);
  } else if (node->tag_id == TAG_TENDON_FIXED_JOINT) {
    const char* joint = cfi_readText(r, node, "joint", true);
    if (cfi_requireNumbers(r, node, "coef")) {
      cfi_readDouble(r, node, "coef", &number);
    }
    wrap = mjs_wrapJoint(tendon, joint ? joint : "", number);
  } else if (node->tag_id == TAG_TENDON_SPATIAL_SITE) {
    const char* site = cfi_readText(r, node, "site", true);
    wrap = mjs_wrapSite(tendon, site ? site : "");
  } else if (node->tag_id == TAG_TENDON_SPATIAL_GEOM) {
    const char* geom = cfi_readText(r, node, "geom", true);
    const char* side = cfi_attribute(node, "sidesite");
    wrap = mjs_wrapGeom(tendon, geom ? geom : "", side ? side : "");
  }
  if (wrap) {
    cfi_setOrigin(r, node, wrap->element);
  }
}

void cfi_readTendons(cfReader* r, const cfNode* section) {
  for (const cfNode* node = section->first; node; node = node->next) {
    if (node->tag_id < 0) {
      continue;
    }
    mjsTendon* tendon = mjs_addTendon(r->spec, cfi_readClass(r, node));
    cfi_readElement(r, node, tendon->element);
    for (const cfNode* child = node->first; child; child = child->next) {
      readWrap(r, child, tendon);
    }
  }
}

void cfi_readKeyframes(cfReader* r, const cfNode* section) {
  for (const cfNode* node = cfi_firstChild(section, "key"); node;
       node = cfi_nextSibling(node, "key")) {
    mjsKey* key = mjs_addKey(r->spec);
    cfi_readName(r, node, key->element);
    cfi_readFields(r, node, key);
  }
}
