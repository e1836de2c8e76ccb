// Fields to attributes, and what all elements have in common.
#include "mjcf/writer.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"

//---------------------------------- numbers -------------------------------------------------------

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

static int countNumbers(const cfRow* row) {
  return (int)(row->size / cfi_scalarSize(row->type));
}

static double loadNumber(const cfRow* row, const void* field, int k) {
  switch (row->type) {
    case TYPE_DOUBLE:
      return ((const double*)field)[k];
    case TYPE_FLOAT:
      return ((const float*)field)[k];
    default:
      CF_ASSERT(row->type == TYPE_INT);
      return ((const int*)field)[k];
  }
}

// an undefined number cannot be written
static bool isDefined(const cfRow* row, const void* field) {
  for (int k = 0; k < countNumbers(row); k++) {
    if (isnan(loadNumber(row, field, k))) {
      return false;
    }
  }
  return true;
}

// by more than the last bit
static bool numbersDiffer(const cfRow* row, const void* field, const void* base) {
  const double bit = row->type == TYPE_DOUBLE  ? DBL_EPSILON
                     : row->type == TYPE_FLOAT ? FLT_EPSILON
                                               : 0;
  for (int k = 0; k < countNumbers(row); k++) {
    if (fabs(loadNumber(row, field, k) - loadNumber(row, base, k)) > bit) {
      return true;
    }
  }
  return false;
}

static void writeNumbers(cfWriter* w, const cfRow* row, const void* field, const void* base) {
  int count = countNumbers(row);
  if (!isDefined(row, field) || (base && !numbersDiffer(row, field, base))) {
    return;
  }
  while (row->is_trimmed && base && count > 0 &&
         loadNumber(row, field, count - 1) == loadNumber(row, base, count - 1)) {
    count--;
  }
  if (count == 0) {
    return;
  }
  if (row->type == TYPE_DOUBLE) {
    cfi_writeDoubles(&w->out, row->name, (const double*)field, count);
  } else if (row->type == TYPE_FLOAT) {
    cfi_writeFloats(&w->out, row->name, (const float*)field, count);
  } else {
    cfi_writeInts(&w->out, row->name, (const int*)field, count);
  }
}

//---------------------------------- other forms ---------------------------------------------------

void cfi_writeWord(cfWriter* w, const char* attribute, const char* text) {
  if (text[0]) {
    cfi_writeText(&w->out, attribute, text);
  }
}

static void writeArray(cfWriter* w, const cfRow* row, const cfVec* array) {
  const size_t size = row->how == HOW_DOUBLES ? sizeof(double) : sizeof(float);
  const int count = (int)cfi_vecCount(array, size);
  if (count == 0) {
    return;
  }
  if (row->how == HOW_DOUBLES) {
    cfi_writeDoubleArray(&w->out, row->name, cfi_doubles(array), count);
  } else if (row->how == HOW_FLOATS) {
    cfi_writeFloatArray(&w->out, row->name, cfi_floats(array), count, 0);
  } else {
    cfi_writeInts(&w->out, row->name, cfi_ints(array), count);
  }
}

static void writeWords(cfWriter* w, const char* name, const cfVec* words) {
  cfString line;
  cfi_initString(&line);
  for (int i = 0; i < cfi_countStrings(words); i++) {
    cfi_appendText(&line, i ? " " : "");
    cfi_appendText(&line, cfi_text(cfi_strings(words) + i));
  }
  cfi_writeWord(w, name, cfi_text(&line));
  cfi_freeString(&line);
}

void cfi_writeField(cfWriter* w, const cfRow* row, const void* target, const void* from) {
  const void* field = (const char*)target + row->offset;
  const void* base = from ? (const char*)from + row->offset : NULL;
  switch (row->how) {
    case HOW_EXACT:
    case HOW_UPTO:
    case HOW_QUAT:
      writeNumbers(w, row, field, base);
      break;
    case HOW_KEY:
      if (!base || loadInt(row, field) != loadInt(row, base)) {
        cfi_writeWord(w, row->name, cfi_valueWord(row->words, loadInt(row, field)));
      }
      break;
    case HOW_TEXT: {
      const char* text = cfi_text(*(cfString* const*)field);
      if (!base || strcmp(text, cfi_text(*(cfString* const*)base)) != 0) {
        cfi_writeWord(w, row->name, text);
      }
      break;
    }
    case HOW_WORDS:
      writeWords(w, row->name, *(cfVec* const*)field);
      break;
    default:
      CF_ASSERT(row->how == HOW_DOUBLES || row->how == HOW_FLOATS || row->how == HOW_INTS);
      writeArray(w, row, *(cfVec* const*)field);
      break;
  }
}

//---------------------------------- rows ----------------------------------------------------------

// struct to compare with; NULL: written anyway
static const void* comparedWith(cfWriter* w, const cfRow* row, const void* base) {
  if (row->saved == SAVED_ALWAYS) {
    return NULL;
  }
  return row->saved == SAVED_CHANGED ? base : cfi_pristine(w, w->element->head.elemtype)->attr;
}

void cfi_writeFields(cfWriter* w, cftTag tag, const void* target, const void* base) {
  const cfRow* row;
  for (int k = 0; (row = cfi_savedRow(cfi_tags[tag].fields, k)) != NULL; k++) {
    if (!(row->is_saved || row->write) || !cfi_allows(row, tag) || (row->is_own && w->is_class)) {
      continue;
    }
    if (row->write) {
      row->write(w, row, target, base);
    } else {
      cfi_writeField(w, row, target, comparedWith(w, row, base));
    }
  }
}

void cfi_writeAttributes(cfWriter* w, cftTag tag, const cfElement* e, const cfElement* base) {
  CF_ASSERT(e->head.elemtype == base->head.elemtype);
  w->element = e;
  w->is_class = cfi_tags[tag].parent == TAG_DEFAULT;
  cfi_writeFields(w, tag, w->is_class ? e->attr : cfi_finalAttributes(e), base->attr);
}

//---------------------------------- names and user data -------------------------------------------

// file of an asset that is named after it, "" for all others
static const char* namingFile(const cfElement* e) {
  switch ((int)e->head.elemtype) {
    case mjOBJ_MESH:
      return cfi_text(((const mjsMesh*)e->attr)->file);
    case mjOBJ_HFIELD:
      return cfi_text(((const mjsHField*)e->attr)->file);
    case mjOBJ_SKIN:
      return cfi_text(((const mjsSkin*)e->attr)->file);
    case mjOBJ_TEXTURE:
      return cfi_text(((const mjsTexture*)e->attr)->file);
    default:
      return "";
  }
}

void cfi_writeName(cfWriter* w, const cfElement* e) {
  const char* file = cfi_fileName(namingFile(e));
  if (cfi_length(&e->name) || !*file) {
    cfi_writeWord(w, "name", cfi_text(&e->name));
    return;
  }
  cfString stem;
  cfi_initString(&stem);
  cfi_assignText(&stem, file, strlen(file) - strlen(cfi_fileExtension(file)));
  cfi_writeWord(w, "name", cfi_text(&stem));
  cfi_freeString(&stem);
}

void cfi_saveName(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  (void)row, (void)target, (void)base;
  if (!w->is_class) {
    cfi_writeName(w, w->element);
  }
}

void cfi_writeClass(cfWriter* w, const cfElement* e, const char* surrounding) {
  const char* name = cfi_text(&e->classname);
  if (strcmp(name, surrounding) != 0 && strcmp(name, "main") != 0) {
    cfi_writeWord(w, "class", name);
  }
}

// numbers of user data per element of a type
static int userCount(const cfWriter* w, mjtObj type) {
  const mjSpec* s = &w->spec->kept;
  switch ((int)type) {
    case mjOBJ_BODY:
      return s->nuser_body;
    case mjOBJ_JOINT:
      return s->nuser_jnt;
    case mjOBJ_GEOM:
      return s->nuser_geom;
    case mjOBJ_SITE:
      return s->nuser_site;
    case mjOBJ_CAMERA:
      return s->nuser_cam;
    case mjOBJ_TENDON:
      return s->nuser_tendon;
    case mjOBJ_ACTUATOR:
      return s->nuser_actuator;
    default:
      CF_ASSERT(type == mjOBJ_SENSOR);
      return s->nuser_sensor;
  }
}

// zeros behind what was given, where that differs from the class
void cfi_saveUser(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const cfVec *given = *(cfVec*const*)(const void*)((const char*)target + row->offset),
              *other = *(cfVec*const*)(const void*)((const char*)base + row->offset);
  const int ngiven = cfi_countDoubles(given);
  const int count = userCount(w, w->element->head.elemtype);
  const int nother = w->is_class ? 0 : cfi_countDoubles(other);
  double small[64];
  double* value = count <= 64 ? small : (double*)mju_malloc((size_t)count * sizeof(double));
  bool differs = false;
  for (int i = 0; value && i < count; i++) {
    value[i] = i < ngiven ? cfi_doubles(given)[i] : 0;
    differs = differs || value[i] != (i < nother ? cfi_doubles(other)[i] : 0);
  }
  if (differs) {
    cfi_writeDoubles(&w->out, row->name, value, count);
  }
  if (value != small) {
    mju_free(value);
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
  } else {
    cfi_writeText(&w->out, "plugin", cfi_text(plugin->plugin_name));
  }
}

void cfi_writePluginOwn(cfWriter* w, const mjsPlugin* plugin) {
  if (plugin->active && cfi_isEmptyString(plugin->name) && plugin->element &&
      plugin->element->elemtype == mjOBJ_PLUGIN) {
    cfi_writePluginConfig(w, cfi_element(plugin->element), cfi_text(plugin->plugin_name));
  }
}

void cfi_savePlugin(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  (void)row, (void)target, (void)base;
  cfi_writePluginUse(w, cfi_pluginOf(w->element));
}

void cfi_writePlugin(cfWriter* w, const mjsPlugin* plugin) {
  if (plugin->active) {
    cfi_openTag(&w->out, "plugin");
    cfi_writePluginUse(w, plugin);
    cfi_writePluginOwn(w, plugin);
    cfi_closeTag(&w->out, "plugin");
  }
}
