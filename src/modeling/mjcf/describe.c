// The attributes of MJCF as data for programs: form, default, unit and meaning of each.
#include <cortenforge/schema.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "mjcf/grammar.h"

//---------------------------------- initial values ------------------------------------------------

// a struct with the fields of some group, as it starts
typedef union {
  mjSpec spec;
  mjStatistic statistic;
  mjOption option;
  mjVisual visual;
  mjLROpt lengthrange;
  mjsBody body;
  mjsFrame frame;
  mjsJoint joint;
  mjsGeom geom;
  mjsSite site;
  mjsCamera camera;
  mjsLight light;
  mjsFlex flex;
  mjsMesh mesh;
  mjsHField hfield;
  mjsSkin skin;
  mjsTexture texture;
  mjsMaterial material;
  mjsPair pair;
  mjsEquality equality;
  mjsTendon tendon;
  mjsActuator actuator;
  mjsSensor sensor;
} cfInitial;

// structs of elements that hang on bodies; false for other groups
static bool startTree(cftFields fields, cfInitial* start) {
  switch ((int)fields) {
    case FIELDS_BODY:
    case FIELDS_INERTIAL:
      mjs_defaultBody(&start->body);
      return true;
    case FIELDS_FRAME:
      mjs_defaultFrame(&start->frame);
      return true;
    case FIELDS_JOINT:
      mjs_defaultJoint(&start->joint);
      return true;
    case FIELDS_GEOM:
      mjs_defaultGeom(&start->geom);
      return true;
    case FIELDS_SITE:
      mjs_defaultSite(&start->site);
      return true;
    case FIELDS_CAMERA:
      mjs_defaultCamera(&start->camera);
      return true;
    case FIELDS_LIGHT:
      mjs_defaultLight(&start->light);
      return true;
    default:
      return false;
  }
}

// structs of elements outside the tree; false for other groups
static bool startObject(cftFields fields, cfInitial* start) {
  switch ((int)fields) {
    case FIELDS_FLEX:
    case FIELDS_FLEXCON:
    case FIELDS_FLEXEDGE:
    case FIELDS_FLEXELAST:
      mjs_defaultFlex(&start->flex);
      return true;
    case FIELDS_MESH:
      mjs_defaultMesh(&start->mesh);
      return true;
    case FIELDS_HFIELD:
      mjs_defaultHField(&start->hfield);
      return true;
    case FIELDS_SKIN:
      mjs_defaultSkin(&start->skin);
      return true;
    case FIELDS_TEXTURE:
      mjs_defaultTexture(&start->texture);
      return true;
    case FIELDS_MATERIAL:
      mjs_defaultMaterial(&start->material);
      return true;
    case FIELDS_PAIR:
      mjs_defaultPair(&start->pair);
      return true;
    case FIELDS_EQUALITY:
      mjs_defaultEquality(&start->equality);
      return true;
    case FIELDS_TENDON:
      mjs_defaultTendon(&start->tendon);
      return true;
    case FIELDS_ACTUATOR:
      mjs_defaultActuator(&start->actuator);
      return true;
    case FIELDS_SENSOR:
      mjs_defaultSensor(&start->sensor);
      return true;
    default:
      return false;
  }
}

static void startStatistic(mjStatistic* statistic) {
  mjSpec spec;
  mjs_defaultSpec(&spec);
  *statistic = spec.stat;
}

// structs of the whole model; others start as zeros
static void startSettings(cftFields fields, cfInitial* start) {
  switch ((int)fields) {
    case FIELDS_COMPILER:
    case FIELDS_SIZE:
      mjs_defaultSpec(&start->spec);
      break;
    case FIELDS_STATISTIC:
      startStatistic(&start->statistic);
      break;
    case FIELDS_OPTION:
    case FIELDS_FLAG:
      mj_defaultOption(&start->option);
      break;
    case FIELDS_LRANGE:
      mj_defaultLROpt(&start->lengthrange);
      break;
    case FIELDS_GLOBAL:
    case FIELDS_QUALITY:
    case FIELDS_HEADLIGHT:
    case FIELDS_MAP:
    case FIELDS_SCALE:
    case FIELDS_RGBA:
      mj_defaultVisual(&start->visual);
      break;
    default:
      memset(start, 0, sizeof(*start));
      break;
  }
}

static void addWords(char* text, size_t size, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static void addWords(char* text, size_t size, const char* format, ...) {
  const size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

static double numberOf(const cfRow* row, const char* field, int k) {
  switch (row->type) {
    case TYPE_DOUBLE:
      return ((const double*)(const void*)field)[k];
    case TYPE_FLOAT:
      return ((const float*)(const void*)field)[k];
    case TYPE_INT:
      return ((const int*)(const void*)field)[k];
    case TYPE_BYTE:
      return ((const mjtByte*)field)[k];
    default:
      CF_ASSERT(row->type == TYPE_SIZE);
      return (double)((const mjtSize*)(const void*)field)[k];
  }
}

// numbers of a field, nothing where the first one is undefined
static void putNumbers(const cfRow* row, const char* field, cfSchemaAttribute* a) {
  const int count = (int)(row->size / cfi_scalarSize(row->type));
  if (isnan(numberOf(row, field, 0))) {
    return;
  }
  for (int k = 0; k < count; k++) {
    addWords(a->initial, sizeof(a->initial), "%s%.9g", k ? " " : "", numberOf(row, field, k));
  }
}

static void putInitial(cftFields fields, const cfRow* row, cfSchemaAttribute* a) {
  cfInitial start;
  a->initial[0] = 0;
  if (row->how == HOW_OFF || row->how == HOW_ON) {
    addWords(a->initial, sizeof(a->initial), "%s",
             cfi_valueWord(WORDS_ENABLE, row->how == HOW_OFF));
  }
  if (!row->size || row->how == HOW_ORIENT) {
    return;
  }
  if (!startTree(fields, &start) && !startObject(fields, &start)) {
    startSettings(fields, &start);
  }
  const char* field = (const char*)&start + row->offset;
  if (row->how == HOW_KEY || row->how == HOW_KEYS) {
    addWords(a->initial, sizeof(a->initial), "%s",
             cfi_valueWord(row->words, (int)numberOf(row, field, 0)));
  } else if (row->type != TYPE_OTHER) {
    putNumbers(row, field, a);
  } else if (row->how == HOW_TEXT && row->size < sizeof(void*)) {
    addWords(a->initial, sizeof(a->initial), "%.*s", (int)row->size, field);
  }
}

//---------------------------------- forms ---------------------------------------------------------

static void putForm(const cfRow* row, cfSchemaAttribute* a) {
  const bool is_integer = row->type == TYPE_INT || row->type == TYPE_BYTE || row->type == TYPE_SIZE;
  int held =
      row->size && row->type != TYPE_OTHER ? (int)(row->size / cfi_scalarSize(row->type)) : 1;
  const struct {
    const char* type;
    int least, most;
  } forms[] = {
      [HOW_EXACT] = {is_integer ? "integer" : "number", held, held},
      [HOW_UPTO] = {is_integer ? "integer" : "number", 1, held},
      [HOW_KEY] = {"word", 1, 1},
      [HOW_KEYS] = {"words", 1, -1},
      [HOW_TEXT] = {"text", 1, 1},
      [HOW_WORDS] = {"text", 1, -1},
      [HOW_DOUBLES] = {"number", 0, -1},
      [HOW_FLOATS] = {"number", 0, -1},
      [HOW_INTS] = {"integer", 0, -1},
      [HOW_QUAT] = {"number", 4, 4},
      [HOW_ORIENT] = {"number", held, held},
      [HOW_REALS] = {"number", row->value, row->value},
      [HOW_UPTO_REALS] = {"number", 1, row->value},
      [HOW_ANY_REALS] = {"number", 0, -1},
      [HOW_INTEGERS] = {"integer", row->value, row->value},
      [HOW_UPTO_INTEGERS] = {"integer", 1, row->value},
      [HOW_ANY_INTEGERS] = {"integer", 0, -1},
      [HOW_OFF] = {"word", 1, 1},
      [HOW_ON] = {"word", 1, 1},
  };
  a->type = forms[row->how].type;
  a->least = forms[row->how].least;
  a->most = forms[row->how].most;
  int count;
  const cfKeyword* word = cfi_keywords(row->words, &count);
  a->words[0] = 0;
  for (int i = 0; i < count; i++) {
    addWords(a->words, sizeof(a->words), "%s%s", i ? " " : "", word[i].word);
  }
}

static void putPath(cftTag tag, cfSchemaAttribute* a) {
  const char* part[16];
  int depth = 0;
  for (cftTag id = tag; id > TAG_MUJOCO && depth < 16; id = cfi_tags[id].parent) {
    part[depth++] = cfi_tags[id].tag;
  }
  snprintf(a->element, sizeof(a->element), "%s", depth ? "" : cfi_tags[tag].tag);
  for (int i = depth - 1; i >= 0; i--) {
    addWords(a->element, sizeof(a->element), "%s%s", part[i], i ? "/" : "");
  }
}

int cf_schemaAttribute(int index, cfSchemaAttribute* attribute) {
  for (int id = 0; id < TAG_COUNT && index >= 0; id++) {
    int count;
    const cfRow* row = cfi_rows(cfi_tags[id].fields, &count);
    for (int i = 0; i < count; i++) {
      if (!cfi_allows(&row[i], (cftTag)id) || index-- > 0) {
        continue;
      }
      putPath((cftTag)id, attribute);
      putForm(&row[i], attribute);
      putInitial(cfi_tags[id].fields, &row[i], attribute);
      attribute->name = row[i].name;
      attribute->unit = row[i].unit;
      attribute->meaning = row[i].doc;
      attribute->is_extension = row[i].is_ours;
      return 1;
    }
  }
  return 0;
}
