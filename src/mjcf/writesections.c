// Sections outside the tree: custom data, contacts, equality constraints, tendons, actuators,
// keyframes.
#include "mjcf/writer.h"

#include <string.h>

#include "base/assert.h"

// open a section before its first element
static bool beginSection(cfWriter* w, mjtObj type, const char* tag) {
  if (cfi_list(w->spec, type)->count == 0) {
    return false;
  }
  cfi_openTag(&w->out, tag);
  return true;
}

//---------------------------------- custom --------------------------------------------------------

static void writeTuple(cfWriter* w, const cfElement* e) {
  const mjsTuple* tuple = (const mjsTuple*)e->attr;
  const int count = cfi_countInts(tuple->objtype);
  cfi_openTag(&w->out, "tuple");
  cfi_writeName(w, e);
  for (int i = 0; i < count && i < cfi_countStrings(tuple->objname); i++) {
    cfi_openTag(&w->out, "element");
    cfi_writeText(&w->out, "objtype", mju_type2Str(cfi_ints(tuple->objtype)[i]));
    cfi_writeText(&w->out, "objname", cfi_text(cfi_strings(tuple->objname) + i));
    if (i < cfi_countDoubles(tuple->objprm) && cfi_doubles(tuple->objprm)[i] != 0) {
      cfi_writeDoubles(&w->out, "prm", cfi_doubles(tuple->objprm) + i, 1);
    }
    cfi_closeTag(&w->out, "element");
  }
  cfi_closeTag(&w->out, "tuple");
}

static void writeNumeric(cfWriter* w, const cfElement* e) {
  const mjsNumeric* numeric = (const mjsNumeric*)e->attr;
  const int count = cfi_countDoubles(numeric->data);
  cfi_openTag(&w->out, "numeric");
  cfi_writeName(w, e);
  cfi_writeInts(&w->out, "size", &numeric->size, 1);
  if (count) {
    cfi_writeDoubles(&w->out, "data", cfi_doubles(numeric->data), count);
  }
  cfi_closeTag(&w->out, "numeric");
}

void cfi_writeCustom(cfWriter* w) {
  const cfList* numerics = cfi_list(w->spec, mjOBJ_NUMERIC);
  const cfList* texts = cfi_list(w->spec, mjOBJ_TEXT);
  const cfList* tuples = cfi_list(w->spec, mjOBJ_TUPLE);
  if (numerics->count + texts->count + tuples->count == 0) {
    return;
  }
  cfi_openTag(&w->out, "custom");
  for (int i = 0; i < numerics->count; i++) {
    writeNumeric(w, numerics->item[i]);
  }
  for (int i = 0; i < texts->count; i++) {
    cfi_openTag(&w->out, "text");
    cfi_writeName(w, texts->item[i]);
    cfi_writeText(&w->out, "data", cfi_text(((mjsText*)texts->item[i]->attr)->data));
    cfi_closeTag(&w->out, "text");
  }
  for (int i = 0; i < tuples->count; i++) {
    writeTuple(w, tuples->item[i]);
  }
  cfi_closeTag(&w->out, "custom");
}

//---------------------------------- contact, equality ---------------------------------------------

void cfi_writeContacts(cfWriter* w) {
  const cfList* pairs = cfi_list(w->spec, mjOBJ_PAIR);
  const cfList* excludes = cfi_list(w->spec, mjOBJ_EXCLUDE);
  if (pairs->count + excludes->count == 0) {
    return;
  }
  cfi_openTag(&w->out, "contact");
  for (int i = 0; i < pairs->count; i++) {
    const cfElement* e = pairs->item[i];
    cfi_openTag(&w->out, "pair");
    cfi_writeName(w, e);
    cfi_writeClass(w, e, "main");
    const cfElement* base = cfi_defaultElement(cfi_defaultOf(e), mjOBJ_PAIR);
    cfi_writeFields(w, TAG_CONTACT_PAIR, e->attr, base->attr);
    cfi_writeContactValues(w, e, base);
    cfi_closeTag(&w->out, "pair");
  }
  for (int i = 0; i < excludes->count; i++) {
    cfi_openTag(&w->out, "exclude");
    cfi_writeName(w, excludes->item[i]);
    cfi_writeFields(w, TAG_CONTACT_EXCLUDE, excludes->item[i]->attr, NULL);
    cfi_closeTag(&w->out, "exclude");
  }
  cfi_closeTag(&w->out, "contact");
}

// names of the two objects, under the attributes of the constraint's type
static void writeObjects(cfWriter* w, const mjsEquality* equality, const char* first,
                         const char* second) {
  cfi_writeText(&w->out, first, cfi_text(equality->name1));
  if (second && !cfi_isEmptyString(equality->name2)) {
    cfi_writeText(&w->out, second, cfi_text(equality->name2));
  }
}

static void writeCoupling(cfWriter* w, const mjsEquality* equality) {
  const bool by_site = equality->objtype == mjOBJ_SITE;
  switch (equality->type) {
    case mjEQ_CONNECT:
    case mjEQ_WELD:
      writeObjects(w, equality, by_site ? "site1" : "body1", by_site ? "site2" : "body2");
      if (!by_site) {
        cfi_writeDoubles(&w->out, "anchor", equality->data, 3);
      }
      if (equality->type == mjEQ_WELD) {
        if (!by_site) {
          cfi_writeDoubles(&w->out, "relpose", equality->data + 3, 7);
        }
        cfi_writeDoubles(&w->out, "torquescale", equality->data + 10, 1);
      }
      break;
    case mjEQ_JOINT:
      writeObjects(w, equality, "joint1", "joint2");
      cfi_writeDoubles(&w->out, "polycoef", equality->data, 5);
      break;
    case mjEQ_TENDON:
      writeObjects(w, equality, "tendon1", "tendon2");
      cfi_writeDoubles(&w->out, "polycoef", equality->data, 5);
      break;
    default:
      writeObjects(w, equality, "flex", NULL);
      break;
  }
}

void cfi_writeEqualities(cfWriter* w) {
  const cfList* list = cfi_list(w->spec, mjOBJ_EQUALITY);
  if (!beginSection(w, mjOBJ_EQUALITY, "equality")) {
    return;
  }
  for (int i = 0; i < list->count; i++) {
    const cfElement* e = list->item[i];
    const mjsEquality* equality = (const mjsEquality*)e->attr;
    const char* tag = cfi_valueWord(WORDS_EQUALITY, equality->type);
    cfi_openTag(&w->out, tag);
    cfi_writeName(w, e);
    cfi_writeClass(w, e, "main");
    writeCoupling(w, equality);
    cfi_writeFields(w, TAG_EQUALITY_CONNECT, equality,
                    cfi_defaultElement(cfi_defaultOf(e), mjOBJ_EQUALITY)->attr);
    cfi_closeTag(&w->out, tag);
  }
  cfi_closeTag(&w->out, "equality");
}

//---------------------------------- tendon --------------------------------------------------------

static void writeWrap(cfWriter* w, const cfElement* wrap) {
  const char* tag = NULL;
  switch (((const mjsWrap*)wrap->attr)->type) {
    case mjWRAP_JOINT:
      tag = "joint";
      break;
    case mjWRAP_SITE:
      tag = "site";
      break;
    case mjWRAP_PULLEY:
      tag = "pulley";
      break;
    default:
      tag = "geom";
      break;
  }
  const bool is_pulley = strcmp(tag, "pulley") == 0;
  cfi_openTag(&w->out, tag);
  if (!is_pulley) {
    cfi_writeText(&w->out, tag, cfi_text(&wrap->name));
  }
  if (is_pulley || strcmp(tag, "joint") == 0) {
    cfi_writeDoubles(&w->out, is_pulley ? "divisor" : "coef", &wrap->part.wrap.prm, 1);
  }
  if (cfi_length(&wrap->part.wrap.sidesite)) {
    cfi_writeText(&w->out, "sidesite", cfi_text(&wrap->part.wrap.sidesite));
  }
  cfi_closeTag(&w->out, tag);
}

void cfi_writeTendons(cfWriter* w) {
  const cfList* list = cfi_list(w->spec, mjOBJ_TENDON);
  if (!beginSection(w, mjOBJ_TENDON, "tendon")) {
    return;
  }
  for (int i = 0; i < list->count; i++) {
    const cfElement* e = list->item[i];
    const cfList* path = &e->part.tendon.path;
    const bool is_fixed = path->count && ((mjsWrap*)path->item[0]->attr)->type == mjWRAP_JOINT;
    const cftTag id = is_fixed ? TAG_TENDON_FIXED : TAG_TENDON_SPATIAL;
    cfi_openTag(&w->out, cfi_tags[id].tag);
    cfi_writeName(w, e);
    cfi_writeClass(w, e, "main");
    cfi_writeTendon(w, id, e, cfi_defaultElement(cfi_defaultOf(e), mjOBJ_TENDON));
    for (int k = 0; k < path->count; k++) {
      writeWrap(w, path->item[k]);
    }
    cfi_closeTag(&w->out, cfi_tags[id].tag);
  }
  cfi_closeTag(&w->out, "tendon");
}

//---------------------------------- actuator ------------------------------------------------------

static void writeTransmission(cfWriter* w, const mjsActuator* actuator) {
  static const struct {
    mjtTrn type;
    const char* attribute;
  } targets[] = {{mjTRN_JOINT, "joint"},   {mjTRN_JOINTINPARENT, "jointinparent"},
                 {mjTRN_TENDON, "tendon"}, {mjTRN_SLIDERCRANK, "cranksite"},
                 {mjTRN_SITE, "site"},     {mjTRN_BODY, "body"}};
  for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
    if (targets[i].type == actuator->trntype) {
      cfi_writeText(&w->out, targets[i].attribute, cfi_text(actuator->target));
    }
  }
}

void cfi_writeActuators(cfWriter* w) {
  const cfList* list = cfi_list(w->spec, mjOBJ_ACTUATOR);
  if (!beginSection(w, mjOBJ_ACTUATOR, "actuator")) {
    return;
  }
  for (int i = 0; i < list->count; i++) {
    const cfElement* e = list->item[i];
    const mjsActuator* actuator = (const mjsActuator*)e->attr;
    const char* tag = cfi_actuatorTag(e);
    cfi_openTag(&w->out, tag);
    cfi_writeName(w, e);
    cfi_writeClass(w, e, "main");
    writeTransmission(w, actuator);
    cfi_writeActuator(w, cfi_findTag(TAG_ACTUATOR, tag), e,
                      cfi_defaultElement(cfi_defaultOf(e), mjOBJ_ACTUATOR));
    cfi_writePluginUse(w, &actuator->plugin);
    cfi_closeTag(&w->out, tag);
  }
  cfi_closeTag(&w->out, "actuator");
}

//---------------------------------- keyframe ------------------------------------------------------

void cfi_writeKeyframes(cfWriter* w) {
  const cfList* list = cfi_list(w->spec, mjOBJ_KEY);
  if (!beginSection(w, mjOBJ_KEY, "keyframe")) {
    return;
  }
  for (int i = 0; i < list->count; i++) {
    cfi_openTag(&w->out, "key");
    cfi_writeName(w, list->item[i]);
    cfi_writeFields(w, TAG_KEYFRAME_KEY, list->item[i]->attr, cfi_pristine(w, mjOBJ_KEY)->attr);
    cfi_closeTag(&w->out, "key");
  }
  cfi_closeTag(&w->out, "keyframe");
}
