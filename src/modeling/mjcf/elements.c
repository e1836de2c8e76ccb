// Elements that stand in default classes as well as in the model.
#include "mjcf/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/nearest.h"

//---------------------------------- what all elements have ----------------------------------------

void cfi_setOrigin(cfReader* r, const cfNode* node, mjsElement* element) {
  (void)r;
  char info[40];
  cfElement* e = cfi_element(element);
  snprintf(info, sizeof(info), "line %d", node->line);
  cfi_assignString(&e->info, info);
  e->source = (cfSource){node->file, node->line, node->column};
}

// say where the name was used first
static void reportRepeated(cfReader* r, const cfNode* node, const cfElement* first,
                           const char* name) {
  char where[600] = "";
  if (first->source.line) {
    snprintf(where, sizeof(where), ", first used at %s:%d:%d", r->doc->files[first->source.file],
             first->source.line, first->source.column);
  }
  cfi_error(r->report, node, "repeated name '%s' in %s%s", name, mju_type2Str(first->head.elemtype),
            where);
}

void cfi_readName(cfReader* r, const cfNode* node, mjsElement* element) {
  cfi_setOrigin(r, node, element);
  const char* name = cfi_attribute(node, "name");
  if (!name || r->in_defaults) {
    return;
  }
  cfElement* first = cfi_find(cfi_spec(r->spec), element->elemtype, name);
  if (first && first != cfi_element(element)) {
    reportRepeated(r, node, first, name);
    return;
  }
  cfi_setElementName(cfi_element(element), name);
}

// default class that an attribute names, NULL where there is none; `what` is its kind in a message
static const mjsDefault* readDefault(cfReader* r, const cfNode* node, const char* attribute,
                                     const char* what) {
  const char* name = cfi_attribute(node, attribute);
  const mjsDefault* def = name ? mjs_findDefault(r->spec, name) : NULL;
  if (name && !def) {
    const cfList* classes = &cfi_spec(r->spec)->defaults;
    cfNearest nearest = {"", 0};
    char hint[CF_WORD_MAX + 20];
    for (int i = 0; i < classes->count; i++) {
      const char* candidate = cfi_text(&classes->item[i]->name);
      cfi_tryWord(&nearest, name, candidate, strlen(candidate));
    }
    cfi_error(r->report, node, "unknown default %s '%s'%s", what, name,
              cfi_suggestion(nearest.text, hint));
  }
  return def;
}

const mjsDefault* cfi_readClass(cfReader* r, const cfNode* node) {
  return readDefault(r, node, "class", "class name");
}

const mjsDefault* cfi_readChildClass(cfReader* r, const cfNode* node) {
  return readDefault(r, node, "childclass", "childclass");
}

//---------------------------------- plugins -------------------------------------------------------

void cfi_readPluginConfig(cfReader* r, const cfNode* node, mjsPlugin* plugin) {
  cfElement* e = cfi_element(plugin->element);
  for (const cfNode* child = cfi_firstChild(node, "config"); child;
       child = cfi_nextSibling(child, "config")) {
    const char* key = cfi_readText(r, child, "key", true);
    const char* value = cfi_readText(r, child, "value", true);
    if (!key || !value) {
      continue;
    }
    bool is_repeated = false;
    for (int i = 0; i < cfi_countStrings(&e->part.plugin.key); i++) {
      is_repeated = is_repeated || strcmp(cfi_text(&cfi_strings(&e->part.plugin.key)[i]), key) == 0;
    }
    if (is_repeated) {
      cfi_error(r->report, child, "duplicate config key: %s", key);
      continue;
    }
    cfi_pushString(&e->part.plugin.key, key, strlen(key));
    cfi_pushString(&e->part.plugin.value, value, strlen(value));
  }
}

void cfi_readPlugin(cfReader* r, const cfNode* node, mjsPlugin* plugin) {
  const char* name = cfi_attribute(node, "plugin");
  const char* instance = cfi_attribute(node, "instance");
  plugin->active = 1;
  mjs_setString(plugin->plugin_name, name ? name : "");
  mjs_setString(plugin->name, instance ? instance : "");
  if (instance && *instance) {
    r->spec->hasImplicitPluginElem = 1;
    return;
  }
  mjsPlugin* fresh = mjs_addPlugin(r->spec);
  mjs_setString(fresh->plugin_name, name ? name : "");
  plugin->element = fresh->element;
  cfi_readPluginConfig(r, node, fresh);
}

void cfi_namePlugin(mjsPlugin* plugin, const char* prefix, const char* name) {
  if (!plugin->active || !cfi_isEmptyString(plugin->name)) {
    return;
  }
  cfString* own = (cfString*)(void*)plugin->name;
  cfi_assignString(own, name);
  cfi_prefixSuffix(own, prefix, "");
  cfi_setElementName(cfi_element(plugin->element), cfi_text(own));
}

void cfi_sharePlugin(mjsBody* body, const mjsPlugin* plugin) {
  if (plugin->active) {
    body->plugin.active = 1;
    body->plugin.element = plugin->element;
    cfi_copyMember(body->plugin.plugin_name, plugin->plugin_name, CF_MEMBER_STRING);
    cfi_copyMember(body->plugin.name, plugin->name, CF_MEMBER_STRING);
  }
}

static void readPluginChild(cfReader* r, const cfNode* node, mjsPlugin* plugin) {
  const cfNode* child = cfi_firstChild(node, "plugin");
  if (child) {
    cfi_readPlugin(r, child, plugin);
  }
}

//---------------------------------- assets with defaults ------------------------------------------

// a built-in shape instead of a file or vertices
static void readBuiltin(cfReader* r, const cfNode* node, mjsMesh* mesh, bool has_file) {
  int builtin;
  if (!cfi_readWord(r, node, "builtin", WORDS_MESHBUILTIN, &builtin) ||
      !cfi_requireNumbers(r, node, "params")) {
    return;
  }
  cfVec params = {NULL, NULL, NULL};
  int count = cfi_readVector(r, node, "params", &params, HOW_DOUBLES);
  if (has_file) {
    cfi_error(r->report, node, "builtin cannot be used with a mesh file");
  } else if (cfi_countFloats(mesh->uservert)) {
    cfi_error(r->report, node, "builtin mesh cannot be used with user vertex data");
  } else if (mjs_makeMesh(mesh, (mjtMeshBuiltin)builtin, cfi_doubles(&params), count)) {
    cfi_error(r->report, node, "%s", mjs_getError(r->spec));
  }
  cfi_freeMember(&params, CF_MEMBER_DOUBLEVEC);
}

static void finishMesh(cfReader* r, const cfNode* node, void* attr) {
  mjsMesh* mesh = attr;
  const bool has_file = cfi_readFileName(r, node, mesh->file, cfi_meshFolder(r));
  if (cfi_attribute(node, "maxhullvert") && mesh->maxhullvert != -1 && mesh->maxhullvert < 4) {
    cfi_error(r->report, node, "maxhullvert must be larger than 3");
  }
  readPluginChild(r, node, &mesh->plugin);
  readBuiltin(r, node, mesh, has_file);
}

static void finishMaterial(cfReader* r, const cfNode* node, void* attr) {
  mjsMaterial* material = attr;
  const char* texture = cfi_attribute(node, "texture");
  if (texture) {
    mjs_setInStringVec(material->textures, mjTEXROLE_RGB, texture);
  }
  for (const cfNode* layer = node->first; layer; layer = layer->next) {
    int role = -1;
    if (texture) {
      cfi_error(r->report, layer,
                "A material with a texture attribute cannot have layer sub-elements");
      return;
    }
    const char* name = cfi_readText(r, layer, "texture", true);
    if (cfi_require(r, layer, "role") && cfi_readWord(r, layer, "role", WORDS_TEXROLE, &role) &&
        name) {
      mjs_setInStringVec(material->textures, role, name);
    }
  }
}

//---------------------------------- on bodies -----------------------------------------------------

static void finishGeom(cfReader* r, const cfNode* node, void* attr) {
  mjsGeom* geom = attr;
  cfi_readContactValues(r, node, geom->element);
  readPluginChild(r, node, &geom->plugin);
}

// words for the images, each a bit
void cfi_readCameraOutput(cfReader* r, const cfNode* node, const cfRow* row, const char* text,
                          void* target) {
  (void)text;
  int word[mjNCAMOUT];
  mjsCamera* camera = (mjsCamera*)target;
  const int count = cfi_readWords(r, node, row->name, row->words, word, mjNCAMOUT);
  for (int i = 0; i < count; i++) {
    camera->output = i ? camera->output | word[i] : word[i];
  }
}

static void finishCamera(cfReader* r, const cfNode* node, void* attr) {
  mjsCamera* camera = attr;
  if (cfi_attribute(node, "fovy") && cfi_attribute(node, "sensorsize")) {
    cfi_error(r->report, node,
              "either 'fovy' or 'sensorsize' attribute can be specified, not both");
  }

  // user data of a camera is not inherited
  mjs_setDouble(camera->userdata, NULL, 0);
  cfi_readVector(r, node, "user", (cfVec*)camera->userdata, HOW_DOUBLES);
}

static void finishLight(cfReader* r, const cfNode* node, void* attr) {
  mjsLight* light = attr;
  int directional;
  if (cfi_readWord(r, node, "directional", WORDS_BOOL, &directional)) {
    if (cfi_attribute(node, "type")) {
      cfi_error(r->report, node, "type and directional cannot both be defined");
    }
    light->type = directional ? mjLIGHT_DIRECTIONAL : mjLIGHT_SPOT;
  }
}

//---------------------------------- outside the tree ----------------------------------------------

static void finishPair(cfReader* r, const cfNode* node, void* attr) {
  mjsPair* pair = attr;
  cfi_readContactValues(r, node, pair->element);
}

// one number is the length, two are the ends of a dead band
void cfi_readSpringLength(cfReader* r, const cfNode* node, const cfRow* row, const char* text,
                          void* target) {
  (void)text;
  double* length = ((mjsTendon*)target)->springlength;
  if (cfi_readNumbers(r, node, row->name, length, 2, false) == 1) {
    length[1] = length[0];
  }
}

// connect and weld join bodies or sites, never one of each
static bool readJoined(cfReader* r, const cfNode* node, mjsEquality* equality, bool has_data) {
  const bool is_weld = equality->type == mjEQ_WELD;
  const char *site1 = cfi_attribute(node, "site1"), *site2 = cfi_attribute(node, "site2");
  const char *body1 = cfi_attribute(node, "body1"), *body2 = cfi_attribute(node, "body2");
  if ((site1 || site2) && (body1 || body2 || has_data)) {
    cfi_error(r->report, node, "body and site semantics cannot be mixed");
    return false;
  }
  const bool by_site = site1 && site2, by_body = body1 && (is_weld || has_data);
  if (by_site == by_body) {
    cfi_error(r->report, node,
              is_weld
                  ? "either body1 must be defined and optionally {body2, anchor, relpose}, or "
                    "site1 and site2 must be defined"
                  : "either both body1 and anchor must be defined, or both site1 and site2 must "
                    "be defined");
    return false;
  }
  equality->objtype = by_site ? mjOBJ_SITE : mjOBJ_BODY;
  mjs_setString(equality->name1, by_site ? site1 : body1);
  mjs_setString(equality->name2, by_site ? site2 : body2 ? body2 : "");
  return true;
}

static void readConnect(cfReader* r, const cfNode* node, mjsEquality* equality) {
  const bool has_anchor = cfi_readNumbers(r, node, "anchor", equality->data, 3, true) > 0;
  readJoined(r, node, equality, has_anchor);
}

static void readWeld(cfReader* r, const cfNode* node, mjsEquality* equality) {
  const bool has_anchor = cfi_readNumbers(r, node, "anchor", equality->data, 3, true) > 0;
  const bool has_pose = cfi_readNumbers(r, node, "relpose", equality->data + 3, 7, true) > 0;
  if (readJoined(r, node, equality, has_anchor || has_pose) && equality->objtype == mjOBJ_BODY &&
      !has_anchor) {
    memset(equality->data, 0, 3 * sizeof(double));
  }
  cfi_readDouble(r, node, "torquescale", equality->data + 10);
}

// a polynomial of one or two joints or tendons
static void readPolynomial(cfReader* r, const cfNode* node, mjsEquality* equality,
                           const char* first, const char* second) {
  const char* name1 = cfi_readText(r, node, first, true);
  const char* name2 = cfi_attribute(node, second);
  cfi_readNumbers(r, node, "polycoef", equality->data, 5, false);
  mjs_setString(equality->name1, name1 ? name1 : "");
  if (name2 && *name2) {
    mjs_setString(equality->name2, name2);
  }
}

static void readJointPolynomial(cfReader* r, const cfNode* node, mjsEquality* equality) {
  readPolynomial(r, node, equality, "joint1", "joint2");
}

static void readTendonPolynomial(cfReader* r, const cfNode* node, mjsEquality* equality) {
  readPolynomial(r, node, equality, "tendon1", "tendon2");
}

static void readFlexEquality(cfReader* r, const cfNode* node, mjsEquality* equality) {
  const char* flex = cfi_readText(r, node, "flex", true);
  mjs_setString(equality->name1, flex ? flex : "");
}

// what an equality joins; the rest of the kinds are of a flex
static void readCoupling(cfReader* r, const cfNode* node, mjsEquality* equality) {
  static void (*const couplings[])(cfReader*, const cfNode*, mjsEquality*) = {
      [mjEQ_CONNECT] = readConnect,
      [mjEQ_WELD] = readWeld,
      [mjEQ_JOINT] = readJointPolynomial,
      [mjEQ_TENDON] = readTendonPolynomial};
  equality->type = (mjtEq)cfi_wordValue(WORDS_EQUALITY, node->tag);
  (equality->type <= mjEQ_TENDON ? couplings[equality->type] : readFlexEquality)(r, node, equality);
}

//---------------------------------- any kind ------------------------------------------------------

// what some kinds have beyond a name and the attributes of their rows
static void (*const finishers[mjNOBJECT])(cfReader*, const cfNode*, void*) = {
    [mjOBJ_MESH] = finishMesh,
    [mjOBJ_MATERIAL] = finishMaterial,
    [mjOBJ_GEOM] = finishGeom,
    [mjOBJ_CAMERA] = finishCamera,
    [mjOBJ_LIGHT] = finishLight,
    [mjOBJ_PAIR] = finishPair,
    [mjOBJ_ACTUATOR] = cfi_finishActuator};

void cfi_readElement(cfReader* r, const cfNode* node, mjsElement* element) {
  const mjtObj type = element->elemtype;
  CF_ASSERT(type >= 0 && type < mjNOBJECT);
  void* attr = cfi_element(element)->attr;
  cfi_readName(r, node, element);

  // complaints about what is joined come before those about attributes
  if (type == mjOBJ_EQUALITY && !r->in_defaults) {
    readCoupling(r, node, attr);
  }
  cfi_readFields(r, node, attr);
  if (finishers[type]) {
    finishers[type](r, node, attr);
  }
}
