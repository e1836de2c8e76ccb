// Sections outside the tree: custom data, contacts, equality constraints, tendons, actuators,
// keyframes.
#include "mjcf/writer.h"

#include <string.h>

#include "base/assert.h"
#include "base/sort.h"

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

// as many numbers as the size says, zeros behind those that were given
static void writeNumeric(cfWriter* w, const cfElement* e) {
  const mjsNumeric* numeric = (const mjsNumeric*)e->attr;
  const int given = cfi_countDoubles(numeric->data);
  const int size = ((const mjsNumeric*)cfi_finalAttributes(e))->size;
  const int count = size > given ? size : given;
  double* data = (double*)mju_malloc((size_t)(count + 1) * sizeof(double));
  cfi_openTag(&w->out, "numeric");
  cfi_writeName(w, e);
  cfi_writeInts(&w->out, "size", &count, 1);
  for (int i = 0; data && i < count; i++) {
    data[i] = i < given ? cfi_doubles(numeric->data)[i] : 0;
  }
  if (data && count) {
    cfi_writeDoubles(&w->out, "data", data, count);
  }
  mju_free(data);
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
    cfi_writeWord(w, "data", cfi_text(((mjsText*)texts->item[i]->attr)->data));
    cfi_closeTag(&w->out, "text");
  }
  for (int i = 0; i < tuples->count; i++) {
    writeTuple(w, tuples->item[i]);
  }
  cfi_closeTag(&w->out, "custom");
}

//---------------------------------- contact, equality ---------------------------------------------

// in the order of the model, which sorts them by their bodies
static int byModelId(const void* a, const void* b) {
  const cfElement *first = *(cfElement*const*)a, *second = *(cfElement*const*)b;
  return first->model_id != second->model_id ? (first->model_id < second->model_id ? -1 : 1)
                                             : (first->id > second->id) - (first->id < second->id);
}

static cfList sortedList(cfWriter* w, mjtObj type) {
  cfList sorted = {NULL, 0, 0};
  const cfList* list = cfi_list(w->spec, type);
  for (int i = 0; i < list->count; i++) {
    cfi_pushElement(&sorted, list->item[i]);
  }
  if (sorted.count) {
    cfi_sort(sorted.item, (size_t)sorted.count, sizeof(sorted.item[0]), byModelId);
  }
  return sorted;
}

void cfi_writeContacts(cfWriter* w) {
  cfList pair_list = sortedList(w, mjOBJ_PAIR), exclude_list = sortedList(w, mjOBJ_EXCLUDE);
  const cfList *pairs = &pair_list, *excludes = &exclude_list;
  if (pairs->count + excludes->count == 0) {
    return;
  }
  cfi_openTag(&w->out, "contact");
  for (int i = 0; i < pairs->count; i++) {
    const cfElement* e = pairs->item[i];
    const cfElement* base = cfi_defaultElement(cfi_defaultOf(e), mjOBJ_PAIR);
    cfi_openTag(&w->out, "pair");
    cfi_writeClass(w, e, "main");
    cfi_writeAttributes(w, TAG_CONTACT_PAIR, e, base);
    cfi_writeContactValues(w, e, base);
    cfi_closeTag(&w->out, "pair");
  }
  for (int i = 0; i < excludes->count; i++) {
    cfi_openTag(&w->out, "exclude");
    cfi_writeName(w, excludes->item[i]);
    cfi_writeAttributes(w, TAG_CONTACT_EXCLUDE, excludes->item[i], cfi_pristine(w, mjOBJ_EXCLUDE));
    cfi_closeTag(&w->out, "exclude");
  }
  cfi_closeTag(&w->out, "contact");
  cfi_freeList(&pair_list);
  cfi_freeList(&exclude_list);
}

// names of the two objects, under the attributes of the constraint's type
static void writeObjects(cfWriter* w, const mjsEquality* equality, const char* first,
                         const char* second) {
  cfi_writeWord(w, first, cfi_text(equality->name1));
  if (second) {
    cfi_writeWord(w, second, cfi_text(equality->name2));
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
    const mjsEquality* equality = (const mjsEquality*)cfi_finalAttributes(e);
    const char* tag = cfi_valueWord(WORDS_EQUALITY, equality->type);
    cfi_openTag(&w->out, tag);
    cfi_writeName(w, e);
    cfi_writeClass(w, e, "main");
    writeCoupling(w, equality);
    cfi_writeAttributes(w, TAG_EQUALITY_CONNECT, e,
                        cfi_defaultElement(cfi_defaultOf(e), mjOBJ_EQUALITY));
    cfi_closeTag(&w->out, tag);
  }
  cfi_closeTag(&w->out, "equality");
}

//---------------------------------- tendon --------------------------------------------------------

// name of what a tendon wraps around; where bodies were fused, names may have come to stand for
// other elements than before
static const char* wrappedName(cfWriter* w, const cfElement* wrap, int k, mjtObj type) {
  const cfKept* kept = &wrap->part.wrap.tendon->kept;
  if (w->spec->is_fused && k < kept->count) {
    const cfList* list = cfi_list(w->spec, type);
    for (int i = 0; i < list->count; i++) {
      if (list->item[i]->model_id == (int)kept->number[k] + 1) {
        return cfi_text(&list->item[i]->name);
      }
    }
  }
  return cfi_text(&wrap->name);
}

static void writeWrap(cfWriter* w, const cfElement* wrap, int k) {
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
    cfi_writeText(&w->out, tag, wrappedName(w, wrap, k, (mjtObj)mju_str2Type(tag)));
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
    if (!path->count) {
      continue;
    }
    const bool is_fixed = ((mjsWrap*)path->item[0]->attr)->type == mjWRAP_JOINT;
    const cftTag id = is_fixed ? TAG_TENDON_FIXED : TAG_TENDON_SPATIAL;
    cfi_openTag(&w->out, cfi_tags[id].tag);
    cfi_writeName(w, e);
    cfi_writeClass(w, e, "main");
    cfi_writeAttributes(w, id, e, cfi_defaultElement(cfi_defaultOf(e), mjOBJ_TENDON));
    for (int k = 0; k < path->count; k++) {
      writeWrap(w, path->item[k], k);
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
      cfi_writeWord(w, targets[i].attribute, cfi_text(actuator->target));
    }
  }
  if (actuator->trntype == mjTRN_SLIDERCRANK) {
    cfi_writeWord(w, "slidersite", cfi_text(actuator->slidersite));
  } else if (actuator->trntype == mjTRN_SITE) {
    cfi_writeWord(w, "refsite", cfi_text(actuator->refsite));
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
    const cfElement* base = cfi_defaultElement(cfi_defaultOf(e), mjOBJ_ACTUATOR);
    const cftTag id = actuator->plugin.active ? TAG_ACTUATOR_PLUGIN : TAG_ACTUATOR_GENERAL;
    const char* tag = cfi_tags[id].tag;
    cfi_openTag(&w->out, tag);
    cfi_writeName(w, e);
    cfi_writeClass(w, e, "main");
    writeTransmission(w, actuator);
    cfi_writeAttributes(w, id, e, base);
    cfi_writeGain(w, e, base);
    cfi_writePluginOwn(w, &actuator->plugin);
    cfi_closeTag(&w->out, tag);
  }
  cfi_closeTag(&w->out, "actuator");
}

//---------------------------------- keyframe ------------------------------------------------------

// does the pose of a mocap body differ from that in a keyframe; the first number is the body's
static bool isMocapMoved(cfWriter* w, const double* value, bool is_quat) {
  const cfList* bodies = cfi_list(w->spec, mjOBJ_BODY);
  const int count = is_quat ? 4 : 3;
  for (int i = 0; i < bodies->count; i++) {
    const cfElement* e = bodies->item[i];
    const mjsBody* body = (const mjsBody*)cfi_finalAttributes(e);
    if (!body->mocap || e->is_dropped) {
      continue;
    }
    const double* pose = is_quat ? body->quat : body->pos;
    for (int k = 0; k < count; k++) {
      if (pose[k] != value[k]) {
        return true;
      }
    }
    value += count;
  }
  return false;
}

static bool isUsualState(cfWriter* w, int part, const double* value, int count) {
  enum { PART_QPOS = 0, PART_MPOS = 4 };
  if (part >= PART_MPOS) {
    return !isMocapMoved(w, value, part > PART_MPOS);
  }
  for (int k = 0; k < count; k++) {
    if (value[k] != (part == PART_QPOS ? cfi_doubles(&w->spec->kept_qpos)[k] : 0)) {
      return false;
    }
  }
  return true;
}

// values of a keyframe that are not those of the reference configuration, all of a kind together
void cfi_saveState(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  static const size_t part[6] = {offsetof(mjsKey, qpos), offsetof(mjsKey, qvel),
                                 offsetof(mjsKey, act),  offsetof(mjsKey, ctrl),
                                 offsetof(mjsKey, mpos), offsetof(mjsKey, mquat)};
  const double* value = w->element->kept.number;
  (void)target, (void)base;
  for (int k = 0; k < 6 && w->element->kept.count; k++) {
    const int count = w->spec->compiled_size[k];
    if (part[k] == row->offset && count && !isUsualState(w, k, value, count)) {
      cfi_writeDoubles(&w->out, row->name, value, count);
    }
    value += count;
  }
}

void cfi_writeKeyframes(cfWriter* w) {
  const cfList* list = cfi_list(w->spec, mjOBJ_KEY);
  const cfOutputMark before = cfi_markOutput(&w->out);
  cfi_openTag(&w->out, "keyframe");
  const cfOutputMark start = cfi_markOutput(&w->out);
  for (int i = 0; i < list->count; i++) {
    const cfOutputMark outside = cfi_markOutput(&w->out);
    cfi_openTag(&w->out, "key");
    const cfOutputMark inside = cfi_markOutput(&w->out);
    cfi_writeName(w, list->item[i]);
    cfi_writeAttributes(w, TAG_KEYFRAME_KEY, list->item[i], cfi_pristine(w, mjOBJ_KEY));
    cfi_closeUnlessEmpty(&w->out, "key", outside, inside);
  }
  cfi_closeUnlessEmpty(&w->out, "keyframe", before, start);
}
