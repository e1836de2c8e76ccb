// Fields to attributes, and what all elements have in common.
#include "mjcf/writer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

// an undefined number cannot be written
static bool isDefined(const cfBinding* b, const void* field) {
  if (b->type == TYPE_DOUBLE) {
    return !isnan(*(const double*)field);
  }
  return b->type != TYPE_FLOAT || !isnan(*(const float*)field);
}

static int loadInt(const cfBinding* b, const void* field) {
  switch (b->type) {
    case TYPE_DOUBLE:
      return (int)*(const double*)field;
    case TYPE_BYTE:
      return *(const mjtByte*)field;
    case TYPE_SIZE:
      return (int)*(const int64_t*)field;
    default:
      return *(const int*)field;
  }
}

static void writeNumbers(cfWriter* w, const cfBinding* b, const void* field) {
  if (b->type == TYPE_DOUBLE) {
    cfi_writeDoubles(&w->out, b->attribute, (const double*)field, (int)(b->size / sizeof(double)));
  } else if (b->type == TYPE_FLOAT) {
    cfi_writeFloats(&w->out, b->attribute, (const float*)field, (int)(b->size / sizeof(float)));
  } else {
    CF_ASSERT(b->type == TYPE_INT);
    cfi_writeInts(&w->out, b->attribute, (const int*)field, (int)(b->size / sizeof(int)));
  }
}

// arrays of any length; one zero stands for nothing where the class has something
static void writeArray(cfWriter* w, const cfBinding* b, const cfVec* array, const cfVec* base) {
  size_t size = b->how == HOW_DOUBLES ? sizeof(double) : sizeof(float);
  size_t count = cfi_vecCount(array, size), base_count = base ? cfi_vecCount(base, size) : 0;
  if (count == base_count && (count == 0 || memcmp(array->begin, base->begin, count * size) == 0)) {
    return;
  }
  if (count == 0) {
    cfi_writeText(&w->out, b->attribute, "0");
  } else if (b->how == HOW_DOUBLES) {
    cfi_writeDoubles(&w->out, b->attribute, cfi_doubles(array), (int)count);
  } else if (b->how == HOW_FLOATS) {
    cfi_writeFloats(&w->out, b->attribute, cfi_floats(array), (int)count);
  } else {
    cfi_writeInts(&w->out, b->attribute, cfi_ints(array), (int)count);
  }
}

static void writeWords(cfWriter* w, const char* name, const cfVec* words) {
  cfString line;
  cfi_initString(&line);
  int count = cfi_countStrings(words);
  for (int i = 0; i < count; i++) {
    cfi_appendText(&line, i ? " " : "");
    cfi_appendText(&line, cfi_text(cfi_strings(words) + i));
  }
  if (count) {
    cfi_writeText(&w->out, name, cfi_text(&line));
  }
  cfi_freeString(&line);
}

// the alternative orientation that is in force
static void writeOrientation(cfWriter* w, const cfBinding* b, const mjsOrientation* alt,
                             const mjsOrientation* base) {
  static const struct {
    const char* attribute;
    mjtOrientation type;
    size_t offset;
    int count;
  } kind[] = {
      {"axisangle", mjORIENTATION_AXISANGLE, offsetof(mjsOrientation, axisangle), 4},
      {"xyaxes", mjORIENTATION_XYAXES, offsetof(mjsOrientation, xyaxes), 6},
      {"zaxis", mjORIENTATION_ZAXIS, offsetof(mjsOrientation, zaxis), 3},
      {"euler", mjORIENTATION_EULER, offsetof(mjsOrientation, euler), 3},
  };
  for (int i = 0; i < 4; i++) {
    if (strcmp(kind[i].attribute, b->attribute) != 0 || kind[i].type != alt->type) {
      continue;
    }
    const double* data = (const double*)(const void*)((const char*)alt + kind[i].offset);
    if (!base || memcmp(alt, base, sizeof(*alt)) != 0) {
      cfi_writeDoubles(&w->out, b->attribute, data, kind[i].count);
    }
  }
}

static void writeField(cfWriter* w, const cfBinding* b, const void* field, const void* base) {
  switch (b->how) {
    case HOW_EXACT:
    case HOW_UPTO:
      if (isDefined(b, field) && !(base && memcmp(field, base, b->size) == 0)) {
        writeNumbers(w, b, field);
      }
      break;
    case HOW_QUAT:
      if (!(base && memcmp(field, base, b->size) == 0)) {
        writeNumbers(w, b, field);
      }
      break;
    case HOW_KEY:
      if (!base || loadInt(b, field) != loadInt(b, base)) {
        cfi_writeText(&w->out, b->attribute, cfi_valueWord(b->words, loadInt(b, field)));
      }
      break;
    case HOW_TEXT: {
      const char* text = cfi_text(*(cfString* const*)field);
      const char* other = base ? cfi_text(*(cfString* const*)base) : "";
      if (strcmp(text, other) != 0) {
        cfi_writeText(&w->out, b->attribute, text);
      }
      break;
    }
    case HOW_WORDS:
      writeWords(w, b->attribute, *(cfVec* const*)field);
      break;
    case HOW_ORIENT:
      writeOrientation(w, b, (const mjsOrientation*)field, (const mjsOrientation*)base);
      break;
    default:
      writeArray(w, b, *(cfVec* const*)field, base ? *(cfVec* const*)base : NULL);
      break;
  }
}

// an orientation that is given otherwise makes the quaternion superfluous
static bool isHidden(const cfBinding* row, int count, const cfBinding* b, const void* target) {
  if (b->how != HOW_QUAT) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (row[i].how == HOW_ORIENT) {
      const mjsOrientation* alt =
          (const mjsOrientation*)(const void*)((const char*)target + row[i].offset);
      return alt->type != mjORIENTATION_QUAT;
    }
  }
  return false;
}

void cfi_writeFields(cfWriter* w, cftTag tag, cftFields fields, const void* target,
                     const void* base) {
  int count;
  const cfBinding* row = cfi_bindings(fields, &count);
  for (int i = 0; i < count; i++) {
    if (cfi_hasWord(cfi_tags[tag].attributes, row[i].attribute) &&
        !isHidden(row, count, &row[i], target)) {
      writeField(w, &row[i], (const char*)target + row[i].offset,
                 base ? (const char*)base + row[i].offset : NULL);
    }
  }
}

void cfi_writeName(cfWriter* w, const cfElement* e) {
  if (cfi_length(&e->name)) {
    cfi_writeText(&w->out, "name", cfi_text(&e->name));
  }
}

void cfi_writeClass(cfWriter* w, const cfElement* e, const char* surrounding) {
  const char* name = cfi_text(&cfi_defaultOf(e)->name);
  if (strcmp(name, surrounding) != 0) {
    cfi_writeText(&w->out, "class", name);
  }
}

//---------------------------------- plugins -------------------------------------------------------

void cfi_writePluginConfig(cfWriter* w, const cfElement* instance) {
  int count = cfi_countStrings(&instance->part.plugin.key);
  for (int i = 0; i < count; i++) {
    cfi_openTag(&w->out, "config");
    cfi_writeText(&w->out, "key", cfi_text(cfi_strings(&instance->part.plugin.key) + i));
    cfi_writeText(&w->out, "value", cfi_text(cfi_strings(&instance->part.plugin.value) + i));
    cfi_closeTag(&w->out, "config");
  }
}

void cfi_writePluginUse(cfWriter* w, const mjsPlugin* plugin) {
  if (!plugin->active) {
    return;
  }
  if (!cfi_isEmptyString(plugin->plugin_name)) {
    cfi_writeText(&w->out, "plugin", cfi_text(plugin->plugin_name));
  }
  if (!cfi_isEmptyString(plugin->name)) {
    cfi_writeText(&w->out, "instance", cfi_text(plugin->name));
  } else if (plugin->element && plugin->element->elemtype == mjOBJ_PLUGIN) {
    cfi_writePluginConfig(w, cfi_element(plugin->element));
  }
}


// reference to a named instance, or an instance of its own
void cfi_writePlugin(cfWriter* w, const char* tag, const mjsPlugin* plugin) {
  if (plugin->active) {
    cfi_openTag(&w->out, tag);
    cfi_writePluginUse(w, plugin);
    cfi_closeTag(&w->out, tag);
  }
}
