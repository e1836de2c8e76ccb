// Field tables expanded from src/tables/*.def.
#include "tables/fields.h"

#include <string.h>

#include "base/assert.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define TABLE(owner, array) \
  { #owner, array, LENGTH(array) }

// rows and columns of every array as a small function, so that the expressions stay in the tables
#define SHAPE(prefix, name, rows, cols)                                           \
  static void prefix##name(const mjModel* m, const mjData* d, mjtSize shape[2]) { \
    (void)m;                                                                      \
    (void)d;                                                                      \
    shape[0] = (rows);                                                            \
    shape[1] = (cols);                                                            \
  }

static void scalarShape(const mjModel* m, const mjData* d, mjtSize shape[2]) {
  (void)m;
  (void)d;
  shape[0] = 1;
  shape[1] = 1;
}


// size fields of mjModel
static const cfFieldInfo model_sizes[] = {
#define CF_SIZE(name, set, doc) \
  {#name,                       \
   CF_TYPE_mjtSize,             \
   sizeof(mjtSize),             \
   offsetof(mjModel, name),     \
   CF_HOME_VALUE,               \
   CF_WRITER_COMPILE,           \
   CF_COMPARE_EXACT,            \
   scalarShape,                 \
   "1",                         \
   "1",                         \
   "-",                         \
   doc},
#include "tables/model_sizes.def"
#undef CF_SIZE
};
const cfFieldTable cfi_modelSizes = TABLE(mjModel, model_sizes);


// arrays of mjModel
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  SHAPE(modelShape_, name, rows, cols)
#include "tables/model_fields.def"
#undef CF_FIELD

static const cfFieldInfo model_fields[] = {
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  {#name,                                                                  \
   CF_TYPE_##type,                                                         \
   sizeof(type),                                                           \
   offsetof(mjModel, name),                                                \
   CF_HOME_##home,                                                         \
   CF_WRITER_##writer,                                                     \
   CF_COMPARE_##compare,                                                   \
   modelShape_##name,                                                      \
   #rows,                                                                  \
   #cols,                                                                  \
   unit,                                                                   \
   doc},
#include "tables/model_fields.def"
#undef CF_FIELD
};
const cfFieldTable cfi_modelFields = TABLE(mjModel, model_fields);


// fields of mjData held by value
#define CF_SCALAR(type, name, dims, writer, compare, unit, doc) \
  SHAPE(dataShape_, name, sizeof(((const mjData*)0)->name) / sizeof(type), 1)
#include "tables/data_scalars.def"
#undef CF_SCALAR

static const cfFieldInfo data_scalars[] = {
#define CF_SCALAR(type, name, dims, writer, compare, unit, doc) \
  {#name,                                                       \
   CF_TYPE_##type,                                              \
   sizeof(type),                                                \
   offsetof(mjData, name),                                      \
   CF_HOME_VALUE,                                               \
   CF_WRITER_##writer,                                          \
   CF_COMPARE_##compare,                                        \
   dataShape_##name,                                            \
   #dims,                                                       \
   "1",                                                         \
   unit,                                                        \
   doc},
#include "tables/data_scalars.def"
#undef CF_SCALAR
};
const cfFieldTable cfi_dataScalars = TABLE(mjData, data_scalars);


// arrays of mjData
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  SHAPE(dataShape_, name, rows, cols)
#include "tables/data_fields.def"
#undef CF_FIELD

static const cfFieldInfo data_fields[] = {
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  {#name,                                                                  \
   CF_TYPE_##type,                                                         \
   sizeof(type),                                                           \
   offsetof(mjData, name),                                                 \
   CF_HOME_##home,                                                         \
   CF_WRITER_##writer,                                                     \
   CF_COMPARE_##compare,                                                   \
   dataShape_##name,                                                       \
   #rows,                                                                  \
   #cols,                                                                  \
   unit,                                                                   \
   doc},
#include "tables/data_fields.def"
#undef CF_FIELD
};
const cfFieldTable cfi_dataFields = TABLE(mjData, data_fields);


const cfFieldInfo* cfi_findField(const cfFieldTable* table, const char* name) {
  for (int i = 0; i < table->count; i++) {
    if (!strcmp(table->field[i].name, name)) {
      return table->field + i;
    }
  }
  return NULL;
}


mjtSize cfi_fieldCount(const cfFieldInfo* field, const mjModel* m, const mjData* d) {
  CF_ASSERT(d || !cfi_fieldInArena(field));
  mjtSize shape[2];
  field->shape(m, d, shape);
  return shape[0] * shape[1];
}


const void* cfi_fieldElements(const cfFieldInfo* field, const void* owner) {
  const char* place = (const char*)owner + field->offset;
  if (field->home == CF_HOME_VALUE) {
    return place;
  }
  const void* elements;
  memcpy(&elements, place, sizeof(elements));
  return elements;
}
