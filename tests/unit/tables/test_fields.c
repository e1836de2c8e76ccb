// Reflection over the field tables, flag names, versions and exported variables.
#include "cf_test.h"

#include <cortenforge/cortenforge.h>

#include "tables/fields.h"

// every field has a text, and offsets grow in table order
static void checkTable(const cfFieldTable* table) {
  CF_TRUE(table->count > 0);
  for (int i = 0; i < table->count; i++) {
    const cfFieldInfo* field = table->field + i;
    if (!field->doc[0] || !field->unit[0]) {
      CF_FAIL("%s.%s has no doc text or unit\n", table->owner, field->name);
    }
    if (i > 0 && field->offset <= field[-1].offset) {
      CF_FAIL("%s.%s is out of order\n", table->owner, field->name);
    }
  }
}


CF_TEST(tables__all__documented_and_in_memory_order) {
  checkTable(&cfi_modelSizes);
  checkTable(&cfi_modelFields);
  checkTable(&cfi_dataScalars);
  checkTable(&cfi_dataFields);
  checkTable(&cfi_optionFields);
  checkTable(&cfi_visualFields);
  checkTable(&cfi_statisticFields);
  checkTable(&cfi_contactFields);
  checkTable(&cfi_vgeomFields);
  checkTable(&cfi_vlightFields);
  checkTable(&cfi_vcameraFields);
}


CF_TEST(tables__all__names_are_unique) {
  const cfFieldTable* tables[] = {&cfi_modelSizes, &cfi_modelFields,  &cfi_dataScalars,
                                  &cfi_dataFields, &cfi_optionFields, &cfi_visualFields};
  for (int t = 0; t < 6; t++) {
    for (int i = 0; i < tables[t]->count; i++) {
      CF_TRUE(cfi_findField(tables[t], tables[t]->field[i].name) == tables[t]->field + i);
    }
  }
  CF_TRUE(cfi_findField(&cfi_modelFields, "no_such_field") == NULL);
}


CF_TEST(fieldCount__sizes_of_a_model__rows_times_columns) {
  mjModel m = {0};
  m.nbody = 4;
  m.nuser_body = 3;
  m.nkey = 2;
  m.nmocap = 5;
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_modelFields, "body_quat"), &m, NULL), 16);
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_modelFields, "body_user"), &m, NULL), 12);
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_modelFields, "key_mquat"), &m, NULL), 40);
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_dataFields, "cinert"), &m, NULL), 40);

  mjData* d = calloc(1, sizeof(mjData));
  d->nefc = 7;
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_dataFields, "efc_KBIP"), &m, d), 28);
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_dataScalars, "energy"), &m, d), 2);
  free(d);
}


CF_TEST(fieldElements__array_and_value__points_at_the_elements) {
  mjtNum mass[2] = {1.5, 2.5};
  mjModel m = {0};
  m.body_mass = mass;
  m.opt.gravity[2] = -9.81;
  const cfFieldInfo* field = cfi_findField(&cfi_modelFields, "body_mass");
  CF_TRUE(cfi_fieldElements(field, &m) == mass);
  CF_EQ_INT(field->type, CF_TYPE_mjtNum);
  CF_EQ_INT(field->size, sizeof(mjtNum));

  const mjtNum* gravity = cfi_fieldElements(cfi_findField(&cfi_optionFields, "gravity"), &m.opt);
  CF_NEAR(gravity[2], -9.81, 0);
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_optionFields, "gravity"), NULL, NULL), 3);
  CF_EQ_INT(cfi_fieldCount(cfi_findField(&cfi_visualFields, "rgba.haze"), NULL, NULL), 4);
}


CF_TEST(columns__known_fields__as_in_the_tables) {
  const cfFieldInfo* qpos = cfi_findField(&cfi_dataFields, "qpos");
  CF_EQ_INT(qpos->home, CF_HOME_BUFFER);
  CF_EQ_INT(qpos->writer, CF_WRITER_INPUT);
  CF_EQ_INT(qpos->compare, CF_COMPARE_ABS);
  CF_EQ_STR(qpos->unit, "m|rad");
  CF_EQ_STR(qpos->rows, "m->nq");

  const cfFieldInfo* efc_J = cfi_findField(&cfi_dataFields, "efc_J");
  CF_EQ_INT(efc_J->home, CF_HOME_ARENA_BULK);
  CF_TRUE(cfi_fieldInArena(efc_J));
  CF_TRUE(!cfi_fieldInArena(qpos));
}


CF_TEST(flagNames__from_the_tables__first_and_last) {
  CF_EQ_STR(mjDISABLESTRING[0], "Constraint");
  CF_EQ_STR(mjDISABLESTRING[mjNDISABLE - 1], "Island");
  CF_EQ_STR(mjENABLESTRING[mjNENABLE - 1], "Sleep");
  CF_EQ_STR(mjVISSTRING[mjVIS_TEXTURE][1], "1");
  CF_TRUE(mjVISSTRING[mjNVISFLAG - 1][2] != NULL);
  CF_TRUE(mjRNDSTRING[mjNRNDFLAG - 1][2] != NULL);
  CF_TRUE(mjTIMERSTRING[mjNTIMER - 1] && mjLABELSTRING[mjNLABEL - 1] &&
          mjFRAMESTRING[mjNFRAME - 1]);
}


static void control(const mjModel* m, mjData* d) {
  (void)m;
  (void)d;
}

CF_TEST(resetCallbacks__one_is_set__all_are_null) {
  mjcb_control = control;
  mj_resetCallbacks();
  CF_TRUE(!mjcb_control && !mjcb_passive && !mjcb_sensor && !mjcb_time && !mjcb_contactfilter);
  CF_TRUE(!mjcb_act_dyn && !mjcb_act_gain && !mjcb_act_bias);
}


CF_TEST(version__library_and_api__numbers_and_texts) {
  CF_EQ_INT(mj_version(), 3005000);
  CF_EQ_INT(mj_version(), mjVERSION_HEADER);
  CF_EQ_STR(mj_versionString(), "3.5.0");
  CF_EQ_INT(cf_version(), CF_VERSION_HEADER);
  int major, minor, patch;
  CF_EQ_INT(sscanf(cf_versionString(), "%d.%d.%d", &major, &minor, &patch), 3);
  CF_EQ_INT(major * 10000 + minor * 100 + patch, cf_version());
}

CF_TEST_MAIN("tables/fields")
