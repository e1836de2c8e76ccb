// Field tables expanded from src/tables/*.def.
#include "tables/fields.h"

#include <string.h>

#include "base/assert.h"

// ---- what the column `compare` of mjData asks

// entries of the islands' part of M; an arena that was full leaves the counts without the arrays
static mjtSize islandEntries(const mjData* d) {
  if (!d->nidof || !d->iM_rowadr || !d->iM_rownnz) {
    return 0;
  }
  return d->iM_rowadr[d->nidof - 1] + d->iM_rownnz[d->nidof - 1];
}


// entries of efc_J: rows that were dropped leave room behind those of a dense one
static mjtSize jacobianEntries(const mjModel* m, const mjData* d) {
  const mjtSize dense = (mjtSize)d->nefc * m->nv;
  return d->nJ < dense ? d->nJ : dense;
}


// a primal solver, island by island, that no other follows
static bool isPrimalAlone(const mjModel* m) {
  return m->opt.solver != mjSOL_PGS && m->opt.noslip_iterations == 0;
}


// MuJoCo's solvers by island leave efc_state alone, only the warm start before them fills it: where
// there is none, it holds what its memory held before
static bool hasRowStates(const mjModel* m, const mjData* d) {
  return isPrimalAlone(m) && (!(m->opt.disableflags & mjDSBL_WARMSTART) || !d->nisland);
}


// clang-format off

// a table over an array of rows
#define TABLE(owner, rows) {#owner, rows, (int)(sizeof(rows) / sizeof((rows)[0]))}

// rows and columns of an array as a small function, so that the expressions stay in the tables
#define SHAPE(prefix, name, rows, cols, compare)                                  \
  static void prefix##name(const mjModel* m, const mjData* d, mjtSize shape[2]) { \
    (void)m;                                                                      \
    (void)d;                                                                      \
    shape[0] = (rows);                                                            \
    shape[1] = (cols);                                                            \
  }                                                                               \
  static mjtSize prefix##used_##name(const mjModel* m, const mjData* d) {         \
    (void)m;                                                                      \
    (void)d;                                                                      \
    return USED_##compare;                                                        \
  }

// how many elements the column `compare` speaks of, -1 for all
#define USED_EXACT -1
#define USED_ABS -1
#define USED_RESIDUE -1
#define USED_ROWS -1
#define USED_BLOCKS -1
#define USED_SPARSE -1
#define USED_SKIP -1
#define USED_EXACT_OF(used) (used)
#define USED_ABS_OF(used) (used)

// row of an array
#define FIELD_ROW(owner, prefix, type, name, rows, cols, home, writer, compare, unit, doc)          \
  {#name, CF_TYPE_##type, sizeof(type), offsetof(owner, name), CF_HOME_##home,                  \
   CF_WRITER_##writer, CF_COMPARE_##compare, prefix##name, prefix##used_##name, 0, #rows, #cols, unit, doc},

// row of a field held by value
#define VALUE(owner, type, name, dims, writer, compare, unit, doc)                              \
  {#name, CF_TYPE_##type, sizeof(type), offsetof(owner, name), CF_HOME_VALUE,                   \
   CF_WRITER_##writer, compare, NULL, NULL, sizeof(((owner*)0)->name) / sizeof(type), #dims, "",\
   unit, doc},


// ---- mjModel

static const cfFieldInfo model_sizes[] = {
#define CF_SIZE(name, set, doc) VALUE(mjModel, mjtSize, name, , COMPILE, CF_COMPARE_EXACT, "-", doc)
#include "tables/model_sizes.def"
#undef CF_SIZE
};
const cfFieldTable cfi_modelSizes = TABLE(mjModel, model_sizes);

#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  SHAPE(modelShape_, name, rows, cols, compare)
#include "tables/model_fields.def"
#undef CF_FIELD

static const cfFieldInfo model_fields[] = {
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  FIELD_ROW(mjModel, modelShape_, type, name, rows, cols, home, writer, compare, unit, doc)
#include "tables/model_fields.def"
#undef CF_FIELD
};
const cfFieldTable cfi_modelFields = TABLE(mjModel, model_fields);


// ---- mjData

static const cfFieldInfo data_scalars[] = {
#define CF_SCALAR(type, name, dims, writer, compare, unit, doc) \
  VALUE(mjData, type, name, dims, writer, CF_COMPARE_##compare, unit, doc)
#include "tables/data_scalars.def"
#undef CF_SCALAR
};
const cfFieldTable cfi_dataScalars = TABLE(mjData, data_scalars);

#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  SHAPE(dataShape_, name, rows, cols, compare)
#include "tables/data_fields.def"
#undef CF_FIELD

static const cfFieldInfo data_fields[] = {
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) \
  FIELD_ROW(mjData, dataShape_, type, name, rows, cols, home, writer, compare, unit, doc)
#include "tables/data_fields.def"
#undef CF_FIELD
};
const cfFieldTable cfi_dataFields = TABLE(mjData, data_fields);


// ---- parts of mjModel, contacts and parts of scenes; reals are compared as close, others as equal

enum {
  compare_mjtNum = CF_COMPARE_ABS,
  compare_float = CF_COMPARE_ABS,
  compare_int = CF_COMPARE_EXACT,
  compare_mjtByte = CF_COMPARE_EXACT,
  compare_char = CF_COMPARE_EXACT,
};

#define CF_MEMBER(owner, type, name, dims, unit, doc) \
  VALUE(owner, type, name, dims, COMPILE, (cftCompare)compare_##type, unit, doc)
#include "tables/structs.h"

static const cfFieldInfo option_fields[] = {
#include "tables/option_fields.def"
};
const cfFieldTable cfi_optionFields = TABLE(mjOption, option_fields);

static const cfFieldInfo visual_fields[] = {
#include "tables/visual_fields.def"
};
const cfFieldTable cfi_visualFields = TABLE(mjVisual, visual_fields);

static const cfFieldInfo statistic_fields[] = {
#include "tables/statistic_fields.def"
};
const cfFieldTable cfi_statisticFields = TABLE(mjStatistic, statistic_fields);

#undef CF_MEMBER
#define CF_MEMBER(owner, type, name, dims, unit, doc) \
  VALUE(owner, type, name, dims, COLLISION, (cftCompare)compare_##type, unit, doc)

#undef CF_COMPARED
#define CF_COMPARED(owner, type, name, dims, compare, unit, doc) \
  VALUE(owner, type, name, dims, COLLISION, CF_COMPARE_##compare, unit, doc)

static const cfFieldInfo contact_fields[] = {
#include "tables/contact_fields.def"
};
const cfFieldTable cfi_contactFields = TABLE(mjContact, contact_fields);
#undef CF_COMPARED

#undef CF_MEMBER
#define CF_MEMBER(owner, type, name, dims, unit, doc) \
  VALUE(owner, type, name, dims, ANY, (cftCompare)compare_##type, unit, doc)

static const cfFieldInfo vgeom_fields[] = {
#include "tables/vgeom_fields.def"
};
const cfFieldTable cfi_vgeomFields = TABLE(mjvGeom, vgeom_fields);

static const cfFieldInfo vlight_fields[] = {
#include "tables/vlight_fields.def"
};
const cfFieldTable cfi_vlightFields = TABLE(mjvLight, vlight_fields);

static const cfFieldInfo vcamera_fields[] = {
#include "tables/vcamera_fields.def"
};
const cfFieldTable cfi_vcameraFields = TABLE(mjvGLCamera, vcamera_fields);

#include "tables/structs_end.h"

// clang-format on


const cfFieldInfo* cfi_findField(const cfFieldTable* table, const char* name) {
  CF_ASSERT(table && name);
  for (int i = 0; i < table->count; i++) {
    if (!strcmp(table->field[i].name, name)) {
      return table->field + i;
    }
  }
  return NULL;
}


mjtSize cfi_fieldCount(const cfFieldInfo* field, const mjModel* m, const mjData* d) {
  if (field->home == CF_HOME_VALUE) {
    return field->length;
  }
  CF_ASSERT(d || !cfi_fieldInArena(field));
  mjtSize shape[2];
  field->shape(m, d, shape);
  return shape[0] * shape[1];
}


mjtSize cfi_fieldUsed(const cfFieldInfo* field, const mjModel* m, const mjData* d) {
  const mjtSize used = field->used ? field->used(m, d) : -1;
  return used < 0 ? cfi_fieldCount(field, m, d) : used;
}


const void* cfi_fieldElements(const cfFieldInfo* field, const void* owner) {
  CF_ASSERT(field && owner);
  const char* place = (const char*)owner + field->offset;
  if (field->home == CF_HOME_VALUE) {
    return place;
  }
  const void* elements;
  memcpy(&elements, place, sizeof(elements));
  return elements;
}
