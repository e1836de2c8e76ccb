// Which elements stay meaningful when names change or bodies go away.
#include "spec/resolve.h"

#include <string.h>

#include "base/assert.h"
#include "model/awake.h"

// by the name it has, or had when the specification was compiled
static cfElement* findNow(cfSpec* spec, mjtObj type, const char* name) {
  return spec->asks_listed ? cfi_findListed(spec, type, name) : cfi_find(spec, type, name);
}

// prefix + name + suffix in a string of its own
static void wrapped(cfString* result, const cfString* name, const char* prefix,
                    const char* suffix) {
  cfi_initString(result);
  cfi_copyMember(result, name, CF_MEMBER_STRING);
  cfi_prefixSuffix(result, prefix, suffix);
}

// one name that must be found; an empty name with `optional` is fine
static bool renameOne(cfElement* e, mjtObj type, void* member, const char* prefix,
                      const char* suffix, bool optional) {
  cfString* name = (cfString*)member;
  if (!cfi_length(name)) {
    return optional;
  }
  cfi_prefixSuffix(name, prefix, suffix);
  return findNow(e->spec, type, cfi_text(name)) != NULL;
}

// two names of which at least one is found with its new name
static bool renameTwo(cfElement* e, mjtObj type1, void* member1, mjtObj type2, void* member2,
                      const char* prefix, const char* suffix) {
  cfString *name1 = (cfString*)member1, *name2 = (cfString*)member2, new1, new2;
  wrapped(&new1, name1, prefix, suffix);
  wrapped(&new2, name2, prefix, suffix);
  const bool found1 = findNow(e->spec, type1, cfi_text(&new1)) != NULL;
  const bool found2 = findNow(e->spec, type2, cfi_text(&new2)) != NULL;
  const bool is_ok = (found1 || found2) && (found1 || findNow(e->spec, type1, cfi_text(name1))) &&
                     (found2 || findNow(e->spec, type2, cfi_text(name2)));
  if (found1) {
    cfi_copyMember(name1, &new1, CF_MEMBER_STRING);
  }
  if (found2) {
    cfi_copyMember(name2, &new2, CF_MEMBER_STRING);
  }
  cfi_freeString(&new1);
  cfi_freeString(&new2);
  return is_ok;
}

static bool resolveEquality(cfElement* e, const char* prefix, const char* suffix) {
  mjsEquality* eq = (mjsEquality*)e->attr;
  const mjtObj type = cfi_equalityObject(eq->type, eq->objtype);
  return renameOne(e, type, eq->name1, prefix, suffix, false) &&
         renameOne(e, type, eq->name2, prefix, suffix, true);
}

// target of one wrap and, for geoms, its side site
static bool findWrap(const cfElement* wrap, const char* name, const char* sidesite) {
  cfSpec* spec = wrap->spec;
  switch (((const mjsWrap*)wrap->attr)->type) {
    case mjWRAP_JOINT:
      return findNow(spec, mjOBJ_JOINT, name) != NULL;
    case mjWRAP_SITE:
      return findNow(spec, mjOBJ_SITE, name) != NULL;
    case mjWRAP_SPHERE:
    case mjWRAP_CYLINDER:
      return findNow(spec, mjOBJ_GEOM, name) && (!*sidesite || findNow(spec, mjOBJ_SITE, sidesite));
    default:
      return true;
  }
}

// MuJoCo looks for the side site of a geom that has none as if its name were the prefix, and gives
// up when a compiled geom has told it what to wrap around before it misses that
static bool isSideLost(const cfElement* wrap, const char* name, const char* side) {
  const cfElement* geom = findNow(wrap->spec, mjOBJ_GEOM, name);
  return geom && geom->was_compiled && ((const mjsGeom*)geom->attr)->type == mjGEOM_CYLINDER &&
         *side && !findNow(wrap->spec, mjOBJ_SITE, side);
}

// 1: found with new names, 0: found with old names, -1: not found
static int resolveWrap(cfElement* wrap, const char* prefix, const char* suffix) {
  CF_ASSERT(wrap != NULL);
  const int type = ((const mjsWrap*)wrap->attr)->type;
  const bool is_geom = type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER;
  cfString name, side;
  wrapped(&name, &wrap->name, prefix, suffix);
  wrapped(&side, &wrap->part.wrap.sidesite, is_geom ? prefix : "", is_geom ? suffix : "");
  int result = -1;
  if (is_geom && isSideLost(wrap, cfi_text(&name), cfi_text(&side))) {
    result = -1;
  } else if (findWrap(wrap, cfi_text(&name), cfi_text(&side))) {
    cfi_copyMember(&wrap->name, &name, CF_MEMBER_STRING);
    cfi_copyMember(&wrap->part.wrap.sidesite, &side, CF_MEMBER_STRING);
    result = 1;
  } else if (findWrap(wrap, cfi_text(&wrap->name), cfi_text(&wrap->part.wrap.sidesite))) {
    result = 0;
  }
  cfi_freeString(&name);
  cfi_freeString(&side);
  return result;
}

static bool resolveTendon(cfElement* e, const char* prefix, const char* suffix) {
  const cfList* path = &e->part.tendon.path;
  int renamed = 0;
  for (int i = 0; i < path->count; i++) {
    if (((mjsWrap*)path->item[i]->attr)->type == mjWRAP_PULLEY) {
      continue;
    }
    const int found = resolveWrap(path->item[i], prefix, suffix);
    if (found < 0) {
      return false;
    }
    renamed += found;
  }
  return renamed > 0;
}

static bool resolveActuator(cfElement* e, const char* prefix, const char* suffix) {
  mjsActuator* a = (mjsActuator*)e->attr;
  switch (a->trntype) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT:
      return renameOne(e, mjOBJ_JOINT, a->target, prefix, suffix, false);
    case mjTRN_SLIDERCRANK:
      return renameOne(e, mjOBJ_SITE, a->slidersite, prefix, suffix, false) && a->cranklength > 0 &&
             renameOne(e, mjOBJ_SITE, a->target, prefix, suffix, false);
    case mjTRN_TENDON:
      return renameOne(e, mjOBJ_TENDON, a->target, prefix, suffix, false);
    case mjTRN_SITE:
      return renameOne(e, mjOBJ_SITE, a->refsite, prefix, suffix, true) &&
             renameOne(e, mjOBJ_SITE, a->target, prefix, suffix, false);
    case mjTRN_BODY:
      return renameOne(e, mjOBJ_BODY, a->target, prefix, suffix, false);
    default:
      return false;
  }
}

// sensors that need no object
static bool isFree(mjtSensor type) {
  return type == mjSENS_E_POTENTIAL || type == mjSENS_E_KINETIC || type == mjSENS_CLOCK ||
         type == mjSENS_PLUGIN || type == mjSENS_CONTACT || type == mjSENS_USER;
}

static bool resolveSensor(cfElement* e, const char* prefix, const char* suffix) {
  mjsSensor* s = (mjsSensor*)e->attr;
  if (s->objtype != mjOBJ_UNKNOWN && s->reftype != mjOBJ_UNKNOWN) {
    return renameTwo(e, s->objtype, s->objname, s->reftype, s->refname, prefix, suffix);
  }
  if (s->objtype != mjOBJ_UNKNOWN) {
    return renameOne(e, s->objtype, s->objname, prefix, suffix, false);
  }
  return isFree(s->type) && (s->reftype == mjOBJ_UNKNOWN ||
                             renameOne(e, s->reftype, s->refname, prefix, suffix, false));
}

// every name of an array
static bool renameAll(cfElement* e, const int* types, mjtObj type, void* member, const char* prefix,
                      const char* suffix) {
  const int count = cfi_countStrings(member);
  for (int i = 0; i < count; i++) {
    if (!renameOne(e, types ? (mjtObj)types[i] : type, cfi_strings(member) + i, prefix, suffix,
                   false)) {
      return false;
    }
  }
  return true;
}

static bool resolveTuple(cfElement* e, const char* prefix, const char* suffix) {
  mjsTuple* t = (mjsTuple*)e->attr;
  const int count = cfi_countInts(t->objtype);
  return count > 0 && count == cfi_countStrings(t->objname) &&
         count == cfi_countDoubles(t->objprm) &&
         renameAll(e, cfi_ints(t->objtype), mjOBJ_UNKNOWN, t->objname, prefix, suffix);
}

static bool resolvePair(cfElement* e, const char* prefix, const char* suffix) {
  mjsPair* pair = (mjsPair*)e->attr;
  return renameTwo(e, mjOBJ_GEOM, pair->geomname1, mjOBJ_GEOM, pair->geomname2, prefix, suffix);
}

static bool resolveExclude(cfElement* e, const char* prefix, const char* suffix) {
  mjsExclude* exclude = (mjsExclude*)e->attr;
  return renameTwo(e, mjOBJ_BODY, exclude->bodyname1, mjOBJ_BODY, exclude->bodyname2, prefix,
                   suffix);
}

static bool resolveSkin(cfElement* e, const char* prefix, const char* suffix) {
  return renameAll(e, NULL, mjOBJ_BODY, ((mjsSkin*)e->attr)->bodyname, prefix, suffix);
}

static bool resolveFlex(cfElement* e, const char* prefix, const char* suffix) {
  return renameAll(e, NULL, mjOBJ_BODY, ((mjsFlex*)e->attr)->vertbody, prefix, suffix) &&
         renameAll(e, NULL, mjOBJ_BODY, ((mjsFlex*)e->attr)->nodebody, prefix, suffix);
}

// kinds that refer to others
static const struct {
  mjtObj type;
  bool (*resolve)(cfElement* e, const char* prefix, const char* suffix);
} referring[] = {{mjOBJ_PAIR, resolvePair},         {mjOBJ_EXCLUDE, resolveExclude},
                 {mjOBJ_EQUALITY, resolveEquality}, {mjOBJ_TENDON, resolveTendon},
                 {mjOBJ_ACTUATOR, resolveActuator}, {mjOBJ_SENSOR, resolveSensor},
                 {mjOBJ_TUPLE, resolveTuple},       {mjOBJ_SKIN, resolveSkin},
                 {mjOBJ_FLEX, resolveFlex}};

bool cfi_resolveReferences(cfElement* e, const char* prefix, const char* suffix) {
  for (size_t k = 0; k < sizeof(referring) / sizeof(referring[0]); k++) {
    if (referring[k].type == e->head.elemtype) {
      return referring[k].resolve(e, prefix, suffix);
    }
  }
  return true;
}

bool cfi_followsAlways(const cfElement* e) {
  const mjsSensor* s = e->head.elemtype == mjOBJ_SENSOR ? (const mjsSensor*)e->attr : NULL;
  return s && s->objtype == mjOBJ_UNKNOWN && s->reftype == mjOBJ_UNKNOWN;
}

const cfString* cfi_decisiveName(const cfElement* e, mjtObj* type) {
  if (e->head.elemtype == mjOBJ_ACTUATOR) {
    const mjsActuator* a = (const mjsActuator*)e->attr;
    *type = a->trntype == mjTRN_TENDON                                    ? mjOBJ_TENDON
            : a->trntype == mjTRN_BODY                                    ? mjOBJ_BODY
            : a->trntype == mjTRN_SITE || a->trntype == mjTRN_SLIDERCRANK ? mjOBJ_SITE
                                                                          : mjOBJ_JOINT;
    return (const cfString*)a->target;
  }
  if (e->head.elemtype == mjOBJ_SENSOR) {
    const mjsSensor* s = (const mjsSensor*)e->attr;
    *type = s->objtype;
    return s->objtype != mjOBJ_UNKNOWN && s->reftype == mjOBJ_UNKNOWN ? (const cfString*)s->objname
                                                                      : NULL;
  }
  if (e->head.elemtype == mjOBJ_EQUALITY) {
    const mjsEquality* eq = (const mjsEquality*)e->attr;
    *type = cfi_equalityObject(eq->type, eq->objtype);
    return (const cfString*)eq->name1;
  }
  return NULL;
}

bool cfi_mayResolve(cfElement* e, const char* prefix, const char* suffix) {
  mjtObj type = mjOBJ_UNKNOWN;
  char text[256];
  const cfString* name = cfi_decisiveName(e, &type);
  const size_t before = strlen(prefix), after = strlen(suffix);
  const size_t length = name ? (size_t)cfi_length(name) : 0;
  if (length == 0 || before + length + after >= sizeof(text)) {
    return true;
  }
  memcpy(text, prefix, before);
  memcpy(text + before, cfi_text(name), length);
  memcpy(text + before + length, suffix, after + 1);
  return cfi_find(e->spec, type, text) != NULL;
}

bool cfi_resolveListed(cfElement* e) {
  e->spec->asks_listed = true;
  const bool is_ok = cfi_resolveReferences(e, "", "");
  e->spec->asks_listed = false;
  return is_ok;
}
