// Sensors: each element names a type and where its objects are found.
#include "mjcf/reader.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "model/sensorkind.h"

//---------------------------------- objects -------------------------------------------------------

static void setObject(mjsSensor* sensor, mjtObj type, const char* name) {
  sensor->objtype = type;
  mjs_setString(sensor->objname, name ? name : "");
}

static void setReference(mjsSensor* sensor, mjtObj type, const char* name) {
  sensor->reftype = type;
  mjs_setString(sensor->refname, name ? name : "");
}

static mjtObj typeOf(const char* word) {
  return word ? (mjtObj)mju_str2Type(word) : mjOBJ_UNKNOWN;
}

// the attribute is named after the type of the object
static void readNamed(cfReader* r, const cfNode* node, mjsSensor* sensor, mjtObj type) {
  setObject(sensor, type, cfi_readText(r, node, mju_type2Str(type), true));
}

// type and name; those of the frame of reference where the grammar has them
static void readFrame(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  const char* objtype = cfi_readText(r, node, "objtype", true);
  setObject(sensor, typeOf(objtype), cfi_readText(r, node, "objname", true));
  const char *reftype = cfi_attribute(node, "reftype"), *refname = cfi_attribute(node, "refname");
  if (reftype) {
    setReference(sensor, typeOf(reftype), cfi_readText(r, node, "refname", true));
  } else if (refname) {
    cfi_error(r->report, node, "refname '%s' given but reftype is missing", refname);
  }
}

// one of several attributes, each with its type; reports when more than one is given
typedef struct {
  const char* attribute;
  mjtObj type;
} cfChoice;

static int choose(const cfNode* node, const cfChoice* choice, int count, mjtObj* type,
                  const char** name) {
  int found = 0;
  *type = mjOBJ_UNKNOWN;
  *name = NULL;
  for (int i = 0; i < count; i++) {
    const char* text = cfi_attribute(node, choice[i].attribute);
    if (text) {
      found++;
      *type = found == 1 ? choice[i].type : *type;
      *name = text;
    }
  }
  return found;
}

// the same for two attributes of which one must be there
static void chooseOne(cfReader* r, const cfNode* node, const cfChoice choice[2], mjtObj* type,
                      const char** name, const char* complaint) {
  if (choose(node, choice, 2, type, name) != 1) {
    cfi_error(r->report, node, "%s", complaint);
  }
}

static void readDistance(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  static const cfChoice first[] = {{"body1", mjOBJ_BODY}, {"geom1", mjOBJ_GEOM}};
  static const cfChoice second[] = {{"body2", mjOBJ_BODY}, {"geom2", mjOBJ_GEOM}};
  mjtObj type;
  const char* name;
  chooseOne(r, node, first, &type, &name, "exactly one of (geom1, body1) must be specified");
  setObject(sensor, type, name);
  chooseOne(r, node, second, &type, &name, "exactly one of (geom2, body2) must be specified");
  setReference(sensor, type, name);
}

// bits of a data specification; the words must come in the order of the set
static int readDataBits(cfReader* r, const cfNode* node, cftWords words, int fallback) {
  int data[16], bits = 0, rows;
  const int count = cfi_readWords(r, node, "data", words, data, 16);
  for (int i = 0; i < count; i++) {
    if (i && data[i] <= data[i - 1]) {
      char order[200] = "";
      const cfKeyword* row = cfi_keywords(words, &rows);
      for (int k = 0; k < rows; k++) {
        size_t used = strlen(order);
        snprintf(order + used, sizeof(order) - used, "%s%s", k ? ", " : "", row[k].word);
      }
      cfi_error(r->report, node, "data attributes must be in order: %s", order);
      return fallback;
    }
    bits |= 1 << data[i];
  }
  return count ? bits : fallback;
}

static void readContact(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  static const cfChoice first[] = {{"site", mjOBJ_SITE},
                                   {"body1", mjOBJ_BODY},
                                   {"subtree1", mjOBJ_XBODY},
                                   {"geom1", mjOBJ_GEOM}};
  static const cfChoice second[] = {
      {"body2", mjOBJ_BODY}, {"subtree2", mjOBJ_XBODY}, {"geom2", mjOBJ_GEOM}};
  mjtObj type;
  const char* name;
  if (choose(node, first, 4, &type, &name) > 1) {
    cfi_error(r->report, node, "at most one of (geom1, body1, subtree1, site) can be specified");
  }
  setObject(sensor, type, name);
  if (choose(node, second, 3, &type, &name) > 1) {
    cfi_error(r->report, node, "at most one of (geom2, body2, subtree2) can be specified");
  }
  setReference(sensor, type, name);

  sensor->intprm[0] = readDataBits(r, node, WORDS_CONDATA, 1 << mjCONDATA_FOUND);
  sensor->intprm[1] = 0;
  sensor->intprm[2] = 1;
  cfi_readWord(r, node, "reduce", WORDS_REDUCE, &sensor->intprm[1]);
  cfi_readInt(r, node, "num", &sensor->intprm[2]);
  if (sensor->intprm[2] <= 0) {
    cfi_error(r->report, node, "'num' must be positive in sensor");
  }
}

static void readRangefinder(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  static const cfChoice choice[] = {{"site", mjOBJ_SITE}, {"camera", mjOBJ_CAMERA}};
  mjtObj type;
  const char* name;
  chooseOne(r, node, choice, &type, &name,
            "rangefinder requires exactly one of 'site' or 'camera'");
  setObject(sensor, type, name);
  sensor->intprm[0] = readDataBits(r, node, WORDS_RAYDATA, 1 << mjRAYDATA_DIST);
}

static void readUser(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  const char *type = cfi_attribute(node, "objtype"), *name = cfi_attribute(node, "objname");
  if (type && !name) {
    cfi_error(r->report, node, "objtype '%s' given but objname is missing", type);
  } else if (name && !type) {
    cfi_error(r->report, node, "objname '%s' given but objtype is missing", name);
  }
  setObject(sensor, typeOf(type), name);
  cfi_requireNumbers(r, node, "dim");
}

// type and name go together
static void checkCouple(cfReader* r, const cfNode* node, mjtObj type, const char* name,
                        const char* what) {
  const bool has_name = name && *name;
  if (type != mjOBJ_UNKNOWN && !has_name) {
    cfi_error(r->report, node, "%stype is specified but %sname is not", what, what);
  } else if (type == mjOBJ_UNKNOWN && has_name) {
    cfi_error(r->report, node, "%sname is specified but %stype is not", what, what);
  }
}

static void readPluginSensor(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  cfi_readPlugin(r, node, &sensor->plugin);
  setObject(sensor, typeOf(cfi_attribute(node, "objtype")), cfi_attribute(node, "objname"));
  setReference(sensor, typeOf(cfi_attribute(node, "reftype")), cfi_attribute(node, "refname"));
  checkCouple(r, node, sensor->objtype, cfi_text(sensor->objname), "obj");
  checkCouple(r, node, sensor->reftype, cfi_text(sensor->refname), "ref");
}

static void readInside(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  setReference(sensor, mjOBJ_SITE, cfi_readText(r, node, "site", true));
  setObject(sensor, typeOf(cfi_readText(r, node, "objtype", true)),
            cfi_readText(r, node, "objname", true));
}

static void readOnCamera(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  readNamed(r, node, sensor, mjOBJ_SITE);
  setReference(sensor, mjOBJ_CAMERA, cfi_readText(r, node, "camera", true));
}

static void readTactile(cfReader* r, const cfNode* node, mjsSensor* sensor) {
  setReference(sensor, mjOBJ_GEOM, cfi_readText(r, node, "geom", true));
  setObject(sensor, mjOBJ_MESH, cfi_readText(r, node, "mesh", true));
}

// objects of the kinds that are not named by one attribute
static const struct {
  int objects;
  void (*read)(cfReader* r, const cfNode* node, mjsSensor* sensor);
} object_readers[] = {{BY_FRAME, readFrame},     {BY_OBJECT, readFrame},
                      {BY_CAMERA, readOnCamera}, {BY_RANGE, readRangefinder},
                      {BY_INSIDE, readInside},   {BY_GEOMS, readDistance},
                      {BY_CONTACT, readContact}, {BY_TACTILE, readTactile},
                      {BY_USER, readUser},       {BY_PLUGIN, readPluginSensor}};
enum { OBJECT_READERS = sizeof(object_readers) / sizeof(object_readers[0]) };

static void readObjects(cfReader* r, const cfNode* node, mjsSensor* sensor, int objects) {
  int k = 0;
  while (k < OBJECT_READERS && object_readers[k].objects != objects) {
    k++;
  }
  CF_ASSERT(k < OBJECT_READERS || objects == BY_NOTHING);
  if (k < OBJECT_READERS) {
    object_readers[k].read(r, node, sensor);
  }
}

//---------------------------------- section -------------------------------------------------------

mjtObj cfi_namedObject(int objects) {
  switch (objects) {
    case BY_SITE:
      return mjOBJ_SITE;
    case BY_JOINT:
      return mjOBJ_JOINT;
    case BY_TENDON:
      return mjOBJ_TENDON;
    case BY_ACTUATOR:
      return mjOBJ_ACTUATOR;
    case BY_BODY:
      return mjOBJ_BODY;
    default:
      return mjOBJ_UNKNOWN;
  }
}

static void readSensor(cfReader* r, const cfNode* node, mjtSensor type) {
  mjsSensor* sensor = mjs_addSensor(r->spec);
  const int objects = cfi_sensorKinds[type].objects;
  const mjtObj named = cfi_namedObject(objects);
  cfi_readName(r, node, sensor->element);
  cfi_readFields(r, node, sensor);
  sensor->type = type;
  if (named != mjOBJ_UNKNOWN) {
    readNamed(r, node, sensor, named);
  } else {
    readObjects(r, node, sensor, objects);
  }
}

void cfi_readSensors(cfReader* r, const cfNode* section) {
  for (const cfNode* node = section->first; node; node = node->next) {
    for (int type = 0; type <= mjSENS_USER; type++) {
      if (strcmp(cfi_sensorKinds[type].tag, node->tag) == 0) {
        readSensor(r, node, (mjtSensor)type);
      }
    }
  }
}
