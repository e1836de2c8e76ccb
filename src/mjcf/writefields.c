// Fields to attributes, and what all elements have in common.
#include "mjcf/writer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

// an undefined number cannot be written
static bool isDefined(const cfRow* row, const void* field) {
  if (row->type == TYPE_DOUBLE) {
    return !isnan(*(const double*)field);
  }
  return row->type != TYPE_FLOAT || !isnan(*(const float*)field);
}

static int loadInt(const cfRow* row, const void* field) {
  switch (row->type) {
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

// numbers at the end that the class has as well are left out, where MuJoCo leaves them out
static int trimmedCount(const cfRow* row, const double* data, const double* base, int count) {
  static const char* const names[] = {"solref",      "solimp",  "friction", "solreflimit",
                                      "solimplimit", "gainprm", "biasprm"};
  bool is_trimmed = false;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    is_trimmed = is_trimmed || strcmp(row->name, names[i]) == 0;
  }
  while (is_trimmed && base && count > 1 && data[count - 1] == base[count - 1]) {
    count--;
  }
  return count;
}

static void writeNumbers(cfWriter* w, const cfRow* row, const void* field, const void* base) {
  if (row->type == TYPE_DOUBLE) {
    const double* data = (const double*)field;
    int count = (int)(row->size / sizeof(double));
    if (row->how == HOW_UPTO) {
      count = trimmedCount(row, data, (const double*)base, count);
    }
    cfi_writeDoubles(&w->out, row->name, data, count);
  } else if (row->type == TYPE_FLOAT) {
    cfi_writeFloats(&w->out, row->name, (const float*)field, (int)(row->size / sizeof(float)));
  } else {
    CF_ASSERT(row->type == TYPE_INT);
    cfi_writeInts(&w->out, row->name, (const int*)field, (int)(row->size / sizeof(int)));
  }
}

// arrays of any length; one zero stands for nothing where the class has something
static void writeArray(cfWriter* w, const cfRow* row, const cfVec* array, const cfVec* base) {
  const size_t size = row->how == HOW_DOUBLES ? sizeof(double) : sizeof(float);
  const size_t count = cfi_vecCount(array, size), base_count = base ? cfi_vecCount(base, size) : 0;
  if (count == base_count && (count == 0 || memcmp(array->begin, base->begin, count * size) == 0)) {
    return;
  }
  if (count == 0) {
    cfi_writeText(&w->out, row->name, "0");
  } else if (row->how == HOW_DOUBLES) {
    cfi_writeDoubles(&w->out, row->name, cfi_doubles(array), (int)count);
  } else if (row->how == HOW_FLOATS) {
    cfi_writeFloats(&w->out, row->name, cfi_floats(array), (int)count);
  } else {
    cfi_writeInts(&w->out, row->name, cfi_ints(array), (int)count);
  }
}

static void writeWords(cfWriter* w, const char* name, const cfVec* words) {
  cfString line;
  cfi_initString(&line);
  const int count = cfi_countStrings(words);
  for (int i = 0; i < count; i++) {
    cfi_appendText(&line, i ? " " : "");
    cfi_appendText(&line, cfi_text(cfi_strings(words) + i));
  }
  if (count) {
    cfi_writeText(&w->out, name, cfi_text(&line));
  }
  cfi_freeString(&line);
}

// the alternative orientation, where it is in force
static void writeOrientation(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const size_t offset = cfi_orientationOffset(row);
  const mjsOrientation* alt = (const mjsOrientation*)(const void*)((const char*)target + offset);
  const bool differs = !base || memcmp(alt, (const char*)base + offset, sizeof(*alt)) != 0;
  if (alt->type == (mjtOrientation)row->value && differs) {
    const double* data = (const double*)(const void*)((const char*)target + row->offset);
    cfi_writeDoubles(&w->out, row->name, data, (int)(row->size / sizeof(double)));
  }
}

static void writeField(cfWriter* w, const cfRow* row, const void* field, const void* base) {
  switch (row->how) {
    case HOW_EXACT:
    case HOW_UPTO:
      if (isDefined(row, field) && !(base && memcmp(field, base, row->size) == 0)) {
        writeNumbers(w, row, field, base);
      }
      break;
    case HOW_QUAT:
      if (!(base && memcmp(field, base, row->size) == 0)) {
        writeNumbers(w, row, field, base);
      }
      break;
    case HOW_KEY:
      if (!base || loadInt(row, field) != loadInt(row, base)) {
        cfi_writeText(&w->out, row->name, cfi_valueWord(row->words, loadInt(row, field)));
      }
      break;
    case HOW_TEXT: {
      const char* text = cfi_text(*(cfString* const*)field);
      const char* other = base ? cfi_text(*(cfString* const*)base) : "";
      if (strcmp(text, other) != 0) {
        cfi_writeText(&w->out, row->name, text);
      }
      break;
    }
    case HOW_WORDS:
      writeWords(w, row->name, *(cfVec* const*)field);
      break;
    default:
      writeArray(w, row, *(cfVec* const*)field, base ? *(cfVec* const*)base : NULL);
      break;
  }
}

// an orientation that is given otherwise makes the quaternion superfluous
static bool isHidden(const cfRow* rows, int count, const cfRow* row, const void* target) {
  if (row->how != HOW_QUAT) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (rows[i].how == HOW_ORIENT) {
      const char* alt = (const char*)target + cfi_orientationOffset(&rows[i]);
      return ((const mjsOrientation*)(const void*)alt)->type != mjORIENTATION_QUAT;
    }
  }
  return false;
}

void cfi_writeFields(cfWriter* w, cftTag tag, const void* target, const void* base) {
  int count;
  const cfRow* rows = cfi_rows(cfi_tags[tag].fields, &count);
  for (int i = 0; i < count; i++) {
    const cfRow* row = &rows[i];
    if (!(row->is_saved || row->write) || !cfi_allows(row, tag) ||
        isHidden(rows, count, row, target)) {
      continue;
    }
    if (row->write) {
      row->write(w, row, target, base);
    } else if (row->how == HOW_ORIENT) {
      writeOrientation(w, row, target, base);
    } else {
      writeField(w, row, (const char*)target + row->offset,
                 base ? (const char*)base + row->offset : NULL);
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

// value of a key in the configuration of an instance, "" where there is none
static const char* configValue(const cfElement* instance, const char* key) {
  const cfVec *keys = &instance->part.plugin.key, *values = &instance->part.plugin.value;
  for (int i = 0; i < cfi_countStrings(keys); i++) {
    if (!strcmp(cfi_text(cfi_strings(keys) + i), key)) {
      return cfi_text(cfi_strings(values) + i);
    }
  }
  return "";
}

// in the order of the plugin's attributes, or as given where the plugin is not known
void cfi_writePluginConfig(cfWriter* w, const cfElement* instance, const char* plugin_name) {
  const mjpPlugin* plugin = mjp_getPlugin(plugin_name, NULL);
  const cfVec* keys = &instance->part.plugin.key;
  const int count = plugin ? plugin->nattribute : cfi_countStrings(keys);
  for (int i = 0; i < count; i++) {
    const char* key = plugin ? plugin->attributes[i] : cfi_text(cfi_strings(keys) + i);
    const char* value = configValue(instance, key);
    if (value[0]) {
      cfi_openTag(&w->out, "config");
      cfi_writeText(&w->out, "key", key);
      cfi_writeText(&w->out, "value", value);
      cfi_closeTag(&w->out, "config");
    }
  }
}

void cfi_writePluginUse(cfWriter* w, const mjsPlugin* plugin) {
  if (!plugin->active) {
    return;
  }
  if (!cfi_isEmptyString(plugin->name)) {
    cfi_writeText(&w->out, "instance", cfi_text(plugin->name));
    return;
  }
  const char* name = cfi_text(plugin->plugin_name);
  cfi_writeText(&w->out, "plugin", name);
  if (plugin->element && plugin->element->elemtype == mjOBJ_PLUGIN) {
    cfi_writePluginConfig(w, cfi_element(plugin->element), name);
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
