// Copying members of drafts into arrays of mjModel and back, row by row.
#include "compile/fill.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "compile/draft.h"

// attributes stand at the same place of every draft
enum { ATTR_AT = offsetof(cfBodyDraft, attr) };
#define SAME_PLACE(draft) \
  _Static_assert(offsetof(draft, attr) == ATTR_AT, "place of attributes in " #draft)
SAME_PLACE(cfJointDraft);
SAME_PLACE(cfGeomDraft);
SAME_PLACE(cfSiteDraft);
SAME_PLACE(cfCameraDraft);
SAME_PLACE(cfLightDraft);
SAME_PLACE(cfFlexDraft);
SAME_PLACE(cfSkinDraft);
SAME_PLACE(cfMaterialDraft);
SAME_PLACE(cfPairDraft);
SAME_PLACE(cfExcludeDraft);
SAME_PLACE(cfEqualityDraft);
SAME_PLACE(cfTendonDraft);
SAME_PLACE(cfActuatorDraft);
SAME_PLACE(cfSensorDraft);

//---------------------------------- tables --------------------------------------------------------

#define ITEM_BYTES(field) \
  _Generic((field),                         \
      double: sizeof(double),               \
      double*: sizeof(double),              \
      float: sizeof(float),                 \
      float*: sizeof(float),                \
      int: sizeof(int),                     \
      int*: sizeof(int),                    \
      unsigned: sizeof(int),                \
      default: (size_t)1)

#define MEMBER(type, field, shift)                                                 \
  {                                                                                \
    (shift) + offsetof(type, field), CF_SCALAR_TYPE(((type*)0)->field),            \
        (int)(sizeof(((type*)0)->field) / (size_t)(ITEM_BYTES(((type*)0)->field))) \
  }
#define TO_ARRAY(array_) \
  .array = offsetof(mjModel, array_), .type = CF_SCALAR_TYPE(((mjModel*)0)->array_)

// columns of the table as members of a row
#define MODEL_NONE .fill = FILL_NONE
#define MODEL_WHOLE .fill = FILL_NONE
#define MODEL_BY(function) .fill = FILL_NONE
#define MODEL_COPY(array) .fill = FILL_COPY, TO_ARRAY(array)
#define MODEL_DOFS(array) .fill = FILL_DOFS, TO_ARRAY(array)
#define MODEL_SLOT(array, k, n) .fill = FILL_SLOT, TO_ARRAY(array), .slot = k, .step = n
#define MODEL_USER(array, length) \
  .fill = FILL_USER, TO_ARRAY(array), .room = offsetof(mjModel, length)
#define MODEL_FROM(array, draft, member) \
  .fill = FILL_COPY, TO_ARRAY(array), .resolved = MEMBER(draft, member, 0)
#define BACK_BACK .is_back = true
#define BACK_KEEP .is_back = false
#define BACK_WHOLE .is_back = false
#define BACK_BY(function) .is_back = false

static const cfModelRow model_rows[] = {
#define CF_ATTRIBUTE(group, places, name, form, type_, field, initial, read, save, model, back, \
                     unit, doc)                                                                 \
  {.given = MEMBER(type_, field, ATTR_AT), MODEL_##model, BACK_##back},
#include "tables/mjcf_begin.h"
#include "tables/mjcf_attributes.def"
#include "tables/mjcf_end.h"
};

// index of the first row of each group
enum {
#define CF_GROUP(group) MODEL_ROWS_##group, BEFORE_MODEL_ROWS_##group = MODEL_ROWS_##group - 1,
#define CF_ATTRIBUTE(group, places, name, ...) MODEL_ROW_##group##_##name,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_attributes.def"
#include "tables/mjcf_end.h"
  MODEL_ROWS
};
static const short first_model_row[FIELDS_COUNT + 1] = {0,
#define CF_GROUP(group) MODEL_ROWS_##group,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_attributes.def"
#include "tables/mjcf_end.h"
                                                        MODEL_ROWS};

static const struct {
  cftFields group;
  cfModelRow row;
} derived_rows[] = {
#define CF_DERIVED(group, array_, draft, member) \
  {FIELDS_##group, {.fill = FILL_COPY, TO_ARRAY(array_), .given = MEMBER(draft, member, 0)}},
#include "compile/derived.def"
#undef CF_DERIVED
};
enum { DERIVED_ROWS = sizeof(derived_rows) / sizeof(derived_rows[0]) };

const cfModelRow* cfi_modelRows(cftFields group, int* count) {
  *count = first_model_row[group + 1] - first_model_row[group];
  return model_rows + first_model_row[group];
}


//---------------------------------- numbers -------------------------------------------------------

static double numberAt(const void* from, cftScalar type, int k) {
  switch (type) {
    case TYPE_DOUBLE:
      return ((const double*)from)[k];
    case TYPE_FLOAT:
      return ((const float*)from)[k];
    case TYPE_INT:
      return ((const int*)from)[k];
    default:
      CF_ASSERT(type == TYPE_BYTE);
      return ((const mjtByte*)from)[k];
  }
}


static void putNumber(void* to, cftScalar type, int k, double value) {
  switch (type) {
    case TYPE_DOUBLE:
      ((double*)to)[k] = value;
      break;
    case TYPE_FLOAT:
      ((float*)to)[k] = (float)value;
      break;
    case TYPE_INT:
      ((int*)to)[k] = (int)value;
      break;
    default:
      CF_ASSERT(type == TYPE_BYTE);
      ((mjtByte*)to)[k] = (mjtByte)value;
      break;
  }
}


// numbers of one type into numbers of another
static void convert(void* to, cftScalar to_type, const void* from, cftScalar from_type, int count) {
  if (to_type == from_type) {
    memcpy(to, from, (size_t)count * cfi_scalarSize(to_type));
    return;
  }
  for (int k = 0; k < count; k++) {
    putNumber(to, to_type, k, numberAt(from, from_type, k));
  }
}


// number `index` of an array of mjModel; NULL where the model has none
static char* arrayAt(const mjModel* m, const cfModelRow* row, size_t index) {
  char* array;
  memcpy(&array, (const char*)m + row->array, sizeof(array));
  return array ? array + index * cfi_scalarSize(row->type) : NULL;
}


void cfi_fillUser(mjtNum* array, int room, int id, const void* userdata) {
  const int given = cfi_countDoubles(userdata);
  for (int k = 0; k < room; k++) {
    array[(size_t)id * room + k] = k < given ? cfi_doubles(userdata)[k] : 0;
  }
}


void cfi_numbersBack(void* vec, const mjtNum* array, int count) {
  if (count > 0) {
    cfi_assignVec((cfVec*)vec, array, count, sizeof(double));
  }
}


// length of the rows of a user array
static int userRoom(const mjModel* m, const cfModelRow* row) {
  mjtSize room;
  memcpy(&room, (const char*)m + row->room, sizeof(room));
  return (int)room;
}


//---------------------------------- elements ------------------------------------------------------

static void fillArray(mjModel* m, const cfModelRow* row, const char* draft, int id) {
  const cfMember* from = row->resolved.count ? &row->resolved : &row->given;
  const int step = row->fill == FILL_SLOT ? row->step : from->count;
  convert(arrayAt(m, row, (size_t)id * step + row->slot), row->type, draft + from->offset,
          from->type, from->count);
}


void cfi_fillElement(mjModel* m, cftFields group, const void* draft, int id) {
  int count;
  const cfModelRow* rows = cfi_modelRows(group, &count);
  for (int i = 0; i < count; i++) {
    const cfModelRow* row = &rows[i];
    if (row->fill == FILL_COPY || row->fill == FILL_SLOT) {
      fillArray(m, row, (const char*)draft, id);
    } else if (row->fill == FILL_USER) {
      const void* userdata;
      memcpy(&userdata, (const char*)draft + row->given.offset, sizeof(userdata));
      cfi_fillUser((mjtNum*)(void*)arrayAt(m, row, 0), userRoom(m, row), id, userdata);
    }
  }
  for (int i = 0; i < DERIVED_ROWS; i++) {
    if (derived_rows[i].group == group) {
      fillArray(m, &derived_rows[i].row, (const char*)draft, id);
    }
  }
}


void cfi_fillDof(mjModel* m, cftFields group, const void* draft, int dof) {
  int count;
  const cfModelRow* rows = cfi_modelRows(group, &count);
  for (int i = 0; i < count; i++) {
    if (rows[i].fill == FILL_DOFS) {
      fillArray(m, &rows[i], (const char*)draft, dof);
    }
  }
}


void cfi_elementBack(const mjModel* m, cftFields group, void* attr, int id, int dof) {
  int count;
  const cfModelRow* rows = cfi_modelRows(group, &count);
  for (int i = 0; i < count; i++) {
    const cfModelRow* row = &rows[i];
    const cfMember* to = &row->given;
    char* field = (char*)attr + (to->offset - ATTR_AT);
    if (!row->is_back) {
      continue;
    }
    if (row->fill == FILL_USER) {
      void* vec;
      const int room = userRoom(m, row);
      memcpy(&vec, field, sizeof(vec));
      cfi_numbersBack(vec, (const mjtNum*)(void*)arrayAt(m, row, (size_t)room * id), room);
    } else {
      const int index = row->fill == FILL_DOFS ? dof : id;
      convert(field, to->type, arrayAt(m, row, (size_t)index * to->count), row->type, to->count);
    }
  }
}

#undef SAME_PLACE
#undef ITEM_BYTES
#undef MEMBER
#undef TO_ARRAY
#undef MODEL_NONE
#undef MODEL_WHOLE
#undef MODEL_BY
#undef MODEL_COPY
#undef MODEL_DOFS
#undef MODEL_SLOT
#undef MODEL_USER
#undef MODEL_FROM
#undef BACK_BACK
#undef BACK_KEEP
#undef BACK_WHOLE
#undef BACK_BY
