// Names, offsets, types, units and meanings of everything in memory, from the tables of the engine.
#include <stdlib.h>
#include <string.h>

#include "tables/fields.h"
#include "web.h"

static const char* const type_names[] = {
    [CF_TYPE_char] = "char",
    [CF_TYPE_mjtByte] = "mjtByte",
    [CF_TYPE_int] = "int",
    [CF_TYPE_mjtSize] = "mjtSize",
    [CF_TYPE_size_t] = "size_t",
    [CF_TYPE_uint64_t] = "uint64_t",
    [CF_TYPE_uintptr_t] = "uintptr_t",
    [CF_TYPE_float] = "float",
    [CF_TYPE_mjtNum] = "mjtNum",
    [CF_TYPE_mjContact] = "mjContact",
    [CF_TYPE_mjSolverStat] = "mjSolverStat",
    [CF_TYPE_mjWarningStat] = "mjWarningStat",
    [CF_TYPE_mjTimerStat] = "mjTimerStat",
};

// one member: offset, type, number of values (-1: an array elsewhere), unit, meaning
static void putMember(webJson* json, const char* name, size_t offset, const char* type,
                      long long count, const char* unit, const char* doc) {
  cfi_jsonOpen(json, name, '[');
  cfi_jsonNumber(json, NULL, (long long)offset);
  cfi_jsonText(json, NULL, type);
  cfi_jsonNumber(json, NULL, count);
  cfi_jsonText(json, NULL, unit);
  cfi_jsonText(json, NULL, doc);
  cfi_jsonClose(json, ']');
}


static void putTable(webJson* json, const char* key, const cfFieldTable* table, size_t size) {
  cfi_jsonOpen(json, key, '{');
  cfi_jsonNumber(json, "size", (long long)size);
  cfi_jsonOpen(json, "field", '{');
  for (int k = 0; k < table->count; k++) {
    const cfFieldInfo* f = table->field + k;
    putMember(json, f->name, f->offset, type_names[f->type],
              f->home == CF_HOME_VALUE ? f->length : -1, f->unit, f->doc);
  }
  cfi_jsonClose(json, '}');
  cfi_jsonClose(json, '}');
}


// structs of the scene: the same form, counts from the size of the member
static void putVisual(webJson* json) {
#define CF_STRUCT(name, style, doc)                      \
  cfi_jsonOpen(json, #name, '{');                        \
  cfi_jsonNumber(json, "size", (long long)sizeof(name)); \
  cfi_jsonOpen(json, "field", '{');
#define CF_MEMBER(structure, type, name, dims, unit, doc)  \
  putMember(json, #name, offsetof(structure, name), #type, \
            (long long)(sizeof(((structure*)0)->name) / sizeof(type)), unit, doc);
#define CF_STRUCT_END(name) \
  cfi_jsonClose(json, '}'); \
  cfi_jsonClose(json, '}');
#include "tables/structs.h"
#include "tables/structs_visualize.def"
#include "tables/structs_end.h"
}


static void putEnumerations(webJson* json) {
#define CF_ENUM(name, doc) cfi_jsonOpen(json, #name, '{');
#define CF_VALUE(enumeration, name, number, doc) cfi_jsonNumber(json, #name, (long long)(name));
#define CF_ENUM_END(name) cfi_jsonClose(json, '}');
#include "tables/enums.h"
#include "tables/enums_model.def"
#include "tables/enums_visualize.def"
#include "tables/enums_end.h"
}


static void putFlag(webJson* json, int value, const char* label, const char* preset,
                    const char* doc) {
  cfi_jsonOpen(json, NULL, '{');
  cfi_jsonNumber(json, "index", value);
  cfi_jsonText(json, "label", label);
  cfi_jsonNumber(json, "preset", preset[0] == '1');
  cfi_jsonText(json, "doc", doc);
  cfi_jsonClose(json, '}');
}


// what user interfaces show of the flags of a scene
static void putFlags(webJson* json) {
#define CF_FLAG(enumeration, name, value, label, preset, key, doc) \
  putFlag(json, name, label, preset, doc);
  cfi_jsonOpen(json, "visual", '[');
#include "tables/enums.h"
#include "tables/flags_vis.def"
#include "tables/enums_end.h"
  cfi_jsonClose(json, ']');
#define CF_FLAG(enumeration, name, value, label, preset, key, doc) \
  putFlag(json, name, label, preset, doc);
  cfi_jsonOpen(json, "rendering", '[');
#include "tables/enums.h"
#include "tables/flags_rnd.def"
#include "tables/enums_end.h"
  cfi_jsonClose(json, ']');
}


static void putStructs(webJson* json) {
  putTable(json, "sizes", &cfi_modelSizes, sizeof(mjModel));
  putTable(json, "model", &cfi_modelFields, sizeof(mjModel));
  putTable(json, "option", &cfi_optionFields, sizeof(mjOption));
  putTable(json, "visual", &cfi_visualFields, sizeof(mjVisual));
  putTable(json, "statistic", &cfi_statisticFields, sizeof(mjStatistic));
  putTable(json, "scalars", &cfi_dataScalars, sizeof(mjData));
  putTable(json, "data", &cfi_dataFields, sizeof(mjData));
  putTable(json, "mjContact", &cfi_contactFields, sizeof(mjContact));
  putVisual(json);
}


// JSON text; to be freed
const char* EXPORT(cfw_layout)(void) {
  webJson json = {0};
  cfi_jsonOpen(&json, NULL, '{');
  cfi_jsonOpen(&json, "struct", '{');
  putStructs(&json);
  cfi_jsonClose(&json, '}');
  cfi_jsonOpen(&json, "enumeration", '{');
  putEnumerations(&json);
  cfi_jsonClose(&json, '}');
  cfi_jsonOpen(&json, "flag", '{');
  putFlags(&json);
  cfi_jsonClose(&json, '}');
  cfi_jsonOpen(&json, "part", '{');
  cfi_jsonNumber(&json, "option", (long long)offsetof(mjModel, opt));
  cfi_jsonNumber(&json, "visual", (long long)offsetof(mjModel, vis));
  cfi_jsonNumber(&json, "statistic", (long long)offsetof(mjModel, stat));
  cfi_jsonClose(&json, '}');
  cfi_jsonClose(&json, '}');
  return json.text;
}


// JSON text of all attributes of MJCF; to be freed
const char* EXPORT(cfw_schema)(void) {
  webJson json = {0};
  cfSchemaAttribute a;
  cfi_jsonOpen(&json, NULL, '[');
  for (int k = 0; cf_schemaAttribute(k, &a); k++) {
    cfi_jsonOpen(&json, NULL, '{');
    cfi_jsonText(&json, "element", a.element);
    cfi_jsonText(&json, "name", a.name);
    cfi_jsonText(&json, "type", a.type);
    cfi_jsonText(&json, "words", a.words);
    cfi_jsonText(&json, "initial", a.initial);
    cfi_jsonText(&json, "unit", a.unit);
    cfi_jsonText(&json, "meaning", a.meaning);
    cfi_jsonClose(&json, '}');
  }
  cfi_jsonClose(&json, ']');
  return json.text;
}


// Address and number of elements of an array of the model (0) or the data (1).
const void* EXPORT(cfw_array)(int owner, const char* name, int* count) {
  const cfFieldTable* table = owner ? &cfi_dataFields : &cfi_modelFields;
  const cfFieldInfo* field = cfi_findField(table, name);
  *count = 0;
  if (!field || !web.m) {
    return NULL;
  }
  *count = (int)cfi_fieldCount(field, web.m, web.d);
  return cfi_fieldElements(field, owner ? (const void*)web.d : (const void*)web.m);
}


// Address of a struct of the simulation.
void* EXPORT(cfw_struct)(const char* name) {
  const struct {
    const char* name;
    void* address;
  } all[] = {{"mjModel", web.m},         {"mjData", web.d},          {"mjvScene", &web.scene},
             {"mjvOption", &web.option}, {"mjvCamera", &web.camera}, {"mjvPerturb", &web.perturb}};
  for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
    if (!strcmp(all[k].name, name)) {
      return all[k].address;
    }
  }
  return NULL;
}


// Name of an object, "" where it has none.
const char* EXPORT(cfw_name)(int type, int id) {
  const char* name = mj_id2name(web.m, type, id);
  return name ? name : "";
}
