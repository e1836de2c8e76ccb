// The rows that fill mjModel fit its arrays, each array has one row, and a filled element comes
// back.
#include "compile/fill.h"

#include "cf_test.h"
#include "compile/draft.h"
#include "tables/fields.h"

static const cfFieldInfo* fieldAt(size_t offset) {
  for (int i = 0; i < cfi_modelFields.count; i++) {
    if (cfi_modelFields.field[i].offset == offset) {
      return &cfi_modelFields.field[i];
    }
  }
  return NULL;
}

// columns of an array in a model whose sizes do not matter
static mjtSize columnsOf(const cfFieldInfo* field) {
  static mjModel none;
  mjtSize shape[2];
  field->shape(&none, NULL, shape);
  return shape[1];
}

CF_TEST(model_rows__every_row__fits_its_array) {
  int filled = 0;
  for (int group = FIELDS_NONE + 1; group < FIELDS_COUNT; group++) {
    int count;
    const cfModelRow* row = cfi_modelRows((cftFields)group, &count);
    for (int i = 0; i < count; i++) {
      if (row[i].fill == FILL_NONE) {
        CF_TRUE(!row[i].is_back);
        continue;
      }
      filled++;
      const cfFieldInfo* field = fieldAt(row[i].array);
      CF_TRUE(field != NULL);
      const cfMember* from = row[i].resolved.count ? &row[i].resolved : &row[i].given;
      int columns = row[i].fill == FILL_SLOT ? row[i].step : from->count;
      CF_EQ_INT(field->size, cfi_scalarSize(row[i].type));
      if (row[i].fill != FILL_USER) {
        if (columnsOf(field) != columns || from->type == TYPE_OTHER) {
          CF_FAIL("%s has %d columns, its row %d\n", field->name, (int)columnsOf(field), columns);
        }
      }
      if (row[i].is_back && row[i].fill != FILL_USER) {
        CF_TRUE(!row[i].resolved.count);
      }
    }
  }
  CF_TRUE(filled > 140);
}

CF_TEST(model_rows__every_array__is_filled_by_one_row) {
  for (int g = FIELDS_NONE + 1; g < FIELDS_COUNT; g++) {
    int count;
    const cfModelRow* row = cfi_modelRows((cftFields)g, &count);
    for (int i = 0; i < count; i++) {
      for (int h = FIELDS_NONE + 1; h <= g && row[i].fill != FILL_NONE; h++) {
        int others;
        const cfModelRow* other = cfi_modelRows((cftFields)h, &others);
        for (int k = 0; k < others && other + k < row + i; k++) {
          if (other[k].fill != FILL_NONE && other[k].array == row[i].array &&
              other[k].slot == row[i].slot) {
            CF_FAIL("%s is filled twice\n", fieldAt(row[i].array)->name);
          }
        }
      }
    }
  }
}

// a flex is filled by its rows alone, before anything compiles one
CF_TEST(fill_element__flex__plain_fields_there_and_back) {
  mjModel m = {0};
  double radius[2] = {0, 0}, solref[4] = {0}, edgestiffness[2] = {0};
  float rgba[8] = {0};
  int dim[2] = {0}, matid[2] = {0}, ints[2] = {0};
  mjtByte flatskin[2] = {0};
  m.flex_radius = radius;
  m.flex_rgba = rgba;
  m.flex_dim = dim;
  m.flex_matid = matid;
  m.flex_group = ints;
  m.flex_flatskin = flatskin;
  m.flex_edgestiffness = m.flex_edgedamping = edgestiffness;
  cfFlexDraft flex = {.matid = 7};
  mjs_defaultFlex(&flex.attr);
  flex.attr.dim = 3;
  flex.attr.flatskin = 1;
  flex.attr.edgestiffness = 12;
  cfi_fillElement(&m, FIELDS_FLEX, &flex, 1);
  CF_EQ_INT(dim[1], 3);
  CF_EQ_INT(dim[0], 0);
  CF_EQ_INT(matid[1], 7);
  CF_EQ_INT(flatskin[1], 1);
  CF_NEAR(radius[1], 0.005, 0);
  CF_NEAR(rgba[4], 0.5, 0);
  CF_NEAR(rgba[0], 0, 0);
  CF_NEAR(solref[0], 0, 0);

  // conversion between types: a tendon's numbers are doubles, its color is not
  double width[2] = {0.1, 0.25};
  float color[8] = {0, 0, 0, 0, 0.25f, 0.5f, 0.75f, 1};
  mjModel back = {.tendon_width = width, .tendon_rgba = color};
  double zeros[10] = {0};
  back.tendon_margin = back.tendon_stiffness = back.tendon_damping = back.tendon_armature =
      back.tendon_frictionloss = zeros;
  back.tendon_range = back.tendon_actfrcrange = back.tendon_solref_lim = back.tendon_solref_fri =
      back.tendon_solimp_lim = back.tendon_solimp_fri = zeros;
  mjsTendon tendon;
  mjs_defaultTendon(&tendon);
  cfi_elementBack(&back, FIELDS_TENDON, &tendon, 1, -1);
  CF_NEAR(tendon.width, 0.25, 0);
  CF_NEAR(tendon.rgba[2], 0.75, 0);
  CF_EQ_INT(tendon.limited, mjLIMITED_AUTO);
}

CF_TEST_MAIN("compile/fillrows")
