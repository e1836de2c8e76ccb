// Sensors.
#include "mjcf/writer.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "model/sensorkind.h"

// attribute for an object of a distance or contact sensor: geom1, body2, subtree1, site
static void writeNumbered(cfWriter* w, mjtObj type, const char* name, int number) {
  const char* word = type == mjOBJ_GEOM    ? "geom"
                     : type == mjOBJ_BODY  ? "body"
                     : type == mjOBJ_XBODY ? "subtree"
                                           : NULL;
  char attribute[20];
  if (type == mjOBJ_SITE) {
    cfi_writeText(&w->out, "site", name);
  } else if (word) {
    snprintf(attribute, sizeof(attribute), "%s%d", word, number);
    cfi_writeText(&w->out, attribute, name);
  }
}

static void writeTyped(cfWriter* w, const char* type_name, const char* name_name, mjtObj type,
                       const char* name) {
  if (type != mjOBJ_UNKNOWN) {
    cfi_writeText(&w->out, type_name, mju_type2Str(type));
    cfi_writeText(&w->out, name_name, name);
  }
}

static void writeDataBits(cfWriter* w, cftWords words, int bits, int base) {
  char text[200] = "";
  int count;
  const cfKeyword* row = cfi_keywords(words, &count);
  if (bits == base) {
    return;
  }
  for (int i = 0; i < count; i++) {
    if (bits & (1 << row[i].value)) {
      size_t used = strlen(text);
      snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "", row[i].word);
    }
  }
  cfi_writeText(&w->out, "data", text);
}

static void writeContact(cfWriter* w, const mjsSensor* sensor) {
  writeNumbered(w, sensor->objtype, cfi_text(sensor->objname), 1);
  writeNumbered(w, sensor->reftype, cfi_text(sensor->refname), 2);
  if (sensor->intprm[2] != 1) {
    cfi_writeInts(&w->out, "num", &sensor->intprm[2], 1);
  }
  writeDataBits(w, WORDS_CONDATA, sensor->intprm[0], 1 << mjCONDATA_FOUND);
  if (sensor->intprm[1]) {
    cfi_writeText(&w->out, "reduce", cfi_valueWord(WORDS_REDUCE, sensor->intprm[1]));
  }
}

static void writeSensorObjects(cfWriter* w, const mjsSensor* sensor, int objects) {
  const char *object = cfi_text(sensor->objname), *reference = cfi_text(sensor->refname);
  switch (objects) {
    case BY_OBJECT:
    case BY_USER:
    case BY_PLUGIN:
      writeTyped(w, "objtype", "objname", sensor->objtype, object);
      break;
    case BY_FRAME:
      writeTyped(w, "objtype", "objname", sensor->objtype, object);
      writeTyped(w, "reftype", "refname", sensor->reftype, reference);
      break;
    case BY_CAMERA:
      cfi_writeText(&w->out, "site", object);
      cfi_writeText(&w->out, "camera", reference);
      break;
    case BY_RANGE:
      cfi_writeText(&w->out, sensor->objtype == mjOBJ_CAMERA ? "camera" : "site", object);
      writeDataBits(w, WORDS_RAYDATA, sensor->intprm[0], 1 << mjRAYDATA_DIST);
      break;
    case BY_INSIDE:
      writeTyped(w, "objtype", "objname", sensor->objtype, object);
      cfi_writeText(&w->out, "site", reference);
      break;
    case BY_GEOMS:
      writeNumbered(w, sensor->objtype, object, 1);
      writeNumbered(w, sensor->reftype, reference, 2);
      break;
    case BY_CONTACT:
      writeContact(w, sensor);
      break;
    case BY_TACTILE:
      cfi_writeText(&w->out, "geom", reference);
      cfi_writeText(&w->out, "mesh", object);
      break;
    case BY_NOTHING:
      break;
    default:
      cfi_writeText(&w->out, mju_type2Str(cfi_namedObject(objects)), object);
      break;
  }
}

static void writeSensor(cfWriter* w, const cfElement* e) {
  const mjsSensor* sensor = (const mjsSensor*)cfi_finalAttributes(e);
  if ((int)sensor->type < 0 || sensor->type > mjSENS_USER) {
    return;
  }
  const cfSensorKind* kind = &cfi_sensorKinds[sensor->type];
  cfi_openTag(&w->out, kind->tag);
  writeSensorObjects(w, sensor, kind->objects);
  cfi_writeAttributes(w, cfi_findTag(TAG_SENSOR, kind->tag), e, cfi_pristine(w, mjOBJ_SENSOR));
  cfi_writePluginOwn(w, &sensor->plugin);
  cfi_closeTag(&w->out, kind->tag);
}

void cfi_writeSensors(cfWriter* w) {
  const cfList* list = cfi_list(w->spec, mjOBJ_SENSOR);
  if (list->count == 0) {
    return;
  }
  cfi_openTag(&w->out, "sensor");
  for (int i = 0; i < list->count; i++) {
    writeSensor(w, list->item[i]);
  }
  cfi_closeTag(&w->out, "sensor");
}
