// Comparison of models and data: a planted difference is found in every kind of field, with its
// error; what is free to differ is not.
#include "cf_test.h"

#include <cortenforge/cortenforge.h>

#include "model/compare.h"

enum { LIST_MAX = 1000 };
static cfDifference list[LIST_MAX];

static const char scene[] =
    "<mujoco><option cone='elliptic'/><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='crate' pos='0 0 .09'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body pos='1 0 1'><joint name='hinge' axis='0 1 0' range='-1 1'/><geom size='.1' pos='.3 0 0'/>"
    "</body></worldbody>"
    "<actuator><motor joint='hinge' ctrlrange='-1 1'/><motor joint='hinge' gear='2'/></actuator>"
    "<sensor><jointpos joint='hinge'/></sensor></mujoco>";

// two equal simulations with contacts
typedef struct {
  mjModel* m;
  mjData *d, *reference;
} cfPair;


// two islands of one contact each
static const char balls[] =
    "<mujoco><option jacobian='dense'/><worldbody><geom type='plane' size='5 5 1'/>"
    "<body pos='0 0 .09'><freejoint/><geom size='.1'/></body>"
    "<body pos='1 0 .09'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";


static mjModel* loadText(const char* text) {
  char error[500] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "scene.xml", text, (int)strlen(text));
  mjModel* m = mj_loadXML("scene.xml", &vfs, error, sizeof(error));
  mj_deleteVFS(&vfs);
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


static mjModel* loadScene(void) {
  return loadText(scene);
}


static cfPair openText(const char* text) {
  cfPair p = {.m = loadText(text)};
  p.d = mj_makeData(p.m);
  p.reference = mj_makeData(p.m);
  for (int k = 0; k < 3; k++) {
    mj_step(p.m, p.d);
    mj_step(p.m, p.reference);
  }
  return p;
}


static cfPair openPair(void) {
  const cfPair p = openText(scene);
  CF_TRUE(p.d->ncon >= 4 && p.d->nefc > 0 && p.d->nisland > 0);
  return p;
}


static void closePair(cfPair p) {
  mj_deleteData(p.d);
  mj_deleteData(p.reference);
  mj_deleteModel(p.m);
}


static int compare(cfPair p) {
  return cf_compareData(p.m, p.d, p.reference, list, LIST_MAX);
}


// the one difference there is
#define ONLY(part_, field_, error_, exact_) \
  do {                                      \
    CF_EQ_STR(list[0].part, part_);         \
    CF_EQ_STR(list[0].field, field_);       \
    CF_NEAR(list[0].error, error_, 1e-9);   \
    CF_EQ_INT(list[0].is_exact, exact_);    \
  } while (0)


CF_TEST(compareData__equal_runs__no_difference) {
  cfPair p = openPair();
  CF_EQ_INT(compare(p), 0);
  closePair(p);
}


CF_TEST(compareData__real_off__relative_to_the_largest_number) {
  cfPair p = openPair();
  mju_fill(p.reference->qfrc_applied, 4, p.m->nv);
  mju_fill(p.d->qfrc_applied, 4, p.m->nv);
  p.d->qfrc_applied[3] = 4.5;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "qfrc_applied", .5 / 4, 0);

  // an array of zeros: the smallest scale is 1e-6
  mju_zero(p.reference->qfrc_applied, p.m->nv);
  mju_zero(p.d->qfrc_applied, p.m->nv);
  p.d->qfrc_applied[0] = 1e-9;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "qfrc_applied", 1e-3, 0);
  closePair(p);
}


CF_TEST(compareData__nan_or_infinity_on_one_side__infinite) {
  const mjtNum bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    cfPair p = openPair();
    p.d->qfrc_applied[1] = bad[k];
    CF_EQ_INT(compare(p), 1);
    CF_TRUE(isinf(list[0].error));

    // on the other side
    p.d->qfrc_applied[1] = 1;
    p.reference->qfrc_applied[1] = bad[k];
    CF_EQ_INT(compare(p), 1);
    CF_TRUE(isinf(list[0].error));

    // on both sides
    p.d->qfrc_applied[1] = bad[k];
    CF_EQ_INT(compare(p), 0);
    closePair(p);
  }
}


CF_TEST(compareData__integers_off__exact_and_one) {
  cfPair p = openPair();
  p.d->efc_type[0]++;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "efc_type", 1, 1);
  p.d->efc_type[0]--;
  p.d->body_awake[1] = 7;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "body_awake", 1, 1);
  closePair(p);
}


CF_TEST(compareData__contacts_off__each_member_on_its_own) {
  cfPair p = openPair();
  p.d->contact[2].friction[1] += .25;
  CF_EQ_INT(compare(p), 1);
  ONLY("contact", "friction", .25, 0);
  p.d->contact[2].friction[1] -= .25;
  p.d->contact[3].geom[0] = 9;
  CF_EQ_INT(compare(p), 1);
  ONLY("contact", "geom", 1, 1);
  p.d->contact[3].geom[0] = p.reference->contact[3].geom[0];

  // free to differ
  p.d->contact[1].H[0] = 42;
  CF_EQ_INT(compare(p), 0);
  closePair(p);
}


CF_TEST(compareData__counts_off__counts_are_named_and_arrays_left_out) {
  cfPair p = openPair();
  p.d->ncon--;
  p.d->contact[0].dist = 5;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "ncon", 1, 1);
  p.d->ncon++;
  p.d->contact[0].dist = p.reference->contact[0].dist;
  p.d->nefc--;
  p.d->efc_force[0] += 1;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "nefc", 1, 1);
  closePair(p);
}


CF_TEST(compareData__sparse_moments__compared_as_dense_rows) {
  cfPair p = openPair();
  CF_EQ_INT(p.d->moment_rownnz[1], 1);
  p.d->actuator_moment[p.d->moment_rowadr[1]] *= 1.5;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "actuator_moment", .5, 0);

  // an entry that is not stored is zero: dropping a moment of one is an error of one
  p.d->actuator_moment[p.d->moment_rowadr[1]] /= 1.5;
  p.d->moment_rownnz[1] = 0;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "actuator_moment", 1, 0);

  // dropping a zero is none, whichever side stores it
  p.reference->actuator_moment[p.reference->moment_rowadr[1]] = 0;
  CF_EQ_INT(compare(p), 0);
  p.d->moment_rownnz[1] = 1;
  p.d->actuator_moment[p.d->moment_rowadr[1]] = 0;
  p.reference->moment_rownnz[1] = 0;
  CF_EQ_INT(compare(p), 0);
  closePair(p);
}


// behind the elements in use anything may stand
CF_TEST(compareData__elements_not_in_use__are_left_out) {
  cfPair p = openPair();
  int last = p.d->nv_awake - 1;
  CF_EQ_INT(last, p.m->nv - 1);
  p.d->nv_awake = p.reference->nv_awake = last;
  p.d->dof_awake_ind[last] = -7;
  CF_EQ_INT(compare(p), 0);
  p.d->dof_awake_ind[last - 1] = -7;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "dof_awake_ind", 1, 1);
  closePair(p);
}


CF_TEST(compareData__array_missing_on_one_side__infinite) {
  cfPair p = openPair();
  mjtNum* kept = p.d->efc_pos;
  p.d->efc_pos = NULL;
  CF_EQ_INT(compare(p), 1);
  CF_EQ_STR(list[0].field, "efc_pos");
  CF_TRUE(isinf(list[0].error));
  p.d->efc_pos = kept;
  closePair(p);
}


CF_TEST(compareData__many_differences__counted_beyond_the_list) {
  cfPair p = openPair();
  p.d->qpos[0] += 1;
  p.d->qvel[0] += 1;
  p.d->qacc[0] += 1;
  list[1].field = "untouched";
  CF_EQ_INT(cf_compareData(p.m, p.d, p.reference, list, 1), 3);
  CF_EQ_STR(list[0].field, "qpos");
  CF_EQ_STR(list[1].field, "untouched");
  CF_EQ_INT(cf_compareData(p.m, p.d, p.reference, NULL, 0), 3);
  closePair(p);
}


// rows of islands when dense: blocks, with memory between them that nobody writes
CF_TEST(compareData__dense_rows_of_islands__compared_block_by_block) {
  cfPair p = openText(balls);
  CF_EQ_INT(p.d->nisland, 2);
  const int rows = p.d->island_nefc[0], second = rows * p.d->nidof;
  CF_EQ_INT(p.d->nidof, 12);
  p.d->iefc_J[rows * 6] = p.reference->iefc_J[rows * 6] + 1;  // behind the first block
  CF_EQ_INT(compare(p), 0);
  p.d->iefc_J[rows * 6 - 1] += 1e-3;
  CF_EQ_INT(compare(p), 1);
  CF_EQ_STR(list[0].field, "iefc_J");
  CF_NEAR(list[0].error, 1e-3, 1e-12);
  p.d->iefc_J[rows * 6 - 1] = p.reference->iefc_J[rows * 6 - 1];
  p.d->iefc_J[second] = NAN;
  CF_EQ_INT(compare(p), 1);
  CF_TRUE(isinf(list[0].error));
  closePair(p);
}


// states of rows without a warm start, solved by island: MuJoCo does not write them
CF_TEST(compareData__row_states__left_out_where_nobody_writes_them) {
  cfPair p = openPair();
  p.d->efc_state[0] ^= 1;
  CF_EQ_INT(compare(p), 1);
  CF_EQ_STR(list[0].field, "efc_state");
  p.m->opt.disableflags |= mjDSBL_WARMSTART;
  CF_EQ_INT(compare(p), 0);
  p.m->opt.disableflags |= mjDSBL_ISLAND;
  p.d->nisland = p.reference->nisland = 0;
  CF_EQ_INT(compare(p), 1);
  closePair(p);
}


// MuJoCo keeps the counts of rows for which its arena was too small
CF_TEST(compareData__counts_of_what_rows_fill__matter_where_there_are_rows) {
  cfPair p = openPair();
  p.d->nJ++;
  CF_EQ_INT(compare(p), 1);
  CF_EQ_STR(list[0].field, "nJ");
  CF_EQ_INT(list[0].is_exact, 1);
  p.d->nefc = p.reference->nefc = 0;
  CF_EQ_INT(compare(p), 0);
  p.reference->nefc = 1;
  CF_TRUE(compare(p) >= 2);
  closePair(p);
}


CF_TEST(compareWritten__one_stage__other_fields_do_not_count) {
  cfPair p = openPair();
  p.d->qpos[0] += 1;
  p.d->efc_D[0] += 1;
  CF_EQ_INT(cfi_compareWritten(p.m, p.d, p.reference, CF_WRITTEN_BY(MAKE), list, LIST_MAX), 1);
  CF_EQ_STR(list[0].field, "efc_D");
  CF_EQ_INT(cfi_compareWritten(p.m, p.d, p.reference, CF_WRITTEN_BY(KIN), list, LIST_MAX), 0);
  closePair(p);
}


// every field that is compared at all, one after the other
static void plantEverywhere(cfPair p, const cfFieldTable* table) {
  for (int k = 0; k < table->count; k++) {
    const cfFieldInfo* field = table->field + k;
    unsigned char* bytes = (unsigned char*)(uintptr_t)cfi_fieldElements(field, p.d);
    mjtSize n = bytes ? cfi_fieldUsed(field, p.m, p.d) : 0;
    bool is_compared = field->compare == CF_COMPARE_EXACT || field->compare == CF_COMPARE_ABS;
    if (n <= 0 || !is_compared || field->type == CF_TYPE_mjContact) {
      continue;
    }
    // the second highest byte: exponent of a number
    unsigned char* byte = bytes + (size_t)n * field->size - (field->size > 1 ? 2 : 1);
    *byte ^= 0x30;
    if (!compare(p) || !list[0].error) {
      CF_FAIL("a change of %s is not seen\n", field->name);
    }
    *byte ^= 0x30;
  }
  CF_EQ_INT(compare(p), 0);
}


CF_TEST(compareData__any_field_changed__is_seen) {
  cfPair p = openPair();
  plantEverywhere(p, &cfi_dataFields);
  closePair(p);
}


CF_TEST(compareModels__fields_and_parts__found_with_their_place) {
  mjModel *a = loadScene(), *b = mj_copyModel(NULL, a);
  CF_EQ_INT(cf_compareModels(a, b, list, LIST_MAX), 0);
  a->body_mass[1] *= 2;
  CF_EQ_INT(cf_compareModels(a, b, list, LIST_MAX), 1);
  CF_EQ_STR(list[0].field, "body_mass");
  a->body_mass[1] /= 2;
  a->names[a->name_bodyadr[1]] = 'C';
  CF_EQ_INT(cf_compareModels(a, b, list, LIST_MAX), 1);
  ONLY("", "names", 1, 1);
  a->names[a->name_bodyadr[1]] = 'c';
  a->opt.timestep *= 1.25;
  a->stat.extent = NAN;
  a->vis.map.znear += 1;
  CF_EQ_INT(cf_compareModels(a, b, list, LIST_MAX), 3);
  ONLY("opt", "timestep", .25, 0);
  CF_EQ_STR(list[1].part, "vis");
  CF_EQ_STR(list[1].field, "map.znear");
  CF_EQ_STR(list[2].part, "stat");
  CF_TRUE(isinf(list[2].error));
  mj_deleteModel(a);
  mj_deleteModel(b);
}


CF_TEST(compareModels__sizes_differ__infinite_and_nothing_else) {
  mjModel *a = loadScene(), *b = mj_copyModel(NULL, a);
  a->body_mass[1] *= 2;
  a->nuserdata++;
  CF_EQ_INT(cf_compareModels(a, b, list, LIST_MAX), 1);
  CF_EQ_STR(list[0].field, "nuserdata");
  CF_TRUE(isinf(list[0].error));
  a->nuserdata--;
  mj_deleteModel(a);
  mj_deleteModel(b);
}


// three index arrays stand before every sparse matrix, and what is skipped says why
CF_TEST(tables__compare_column__is_complete) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    if (field->compare == CF_COMPARE_ROWS) {
      CF_TRUE(k >= 3);
      CF_HAS_STR(field[-3].name, "rownnz");
      CF_HAS_STR(field[-2].name, "rowadr");
      CF_HAS_STR(field[-1].name, "colind");
    }
    if (field->compare == CF_COMPARE_RESIDUE) {
      CF_TRUE(k + 1 < cfi_dataFields.count);
      CF_EQ_STR(field[1].rows, field->rows);
      CF_EQ_STR(field[1].cols, field->cols);
    }
    if (field->compare == CF_COMPARE_SKIP) {
      CF_HAS_STR(field->doc, ";");
    }
  }
  for (int k = 0; k < cfi_dataScalars.count; k++) {
    if (cfi_dataScalars.field[k].compare == CF_COMPARE_SKIP) {
      CF_HAS_STR(cfi_dataScalars.field[k].doc, ";");
    }
  }
}

// a sphere that rests on the floor: the joint bears nothing, cfrc_int is what rounding leaves of
// weight and contact force
CF_TEST(compareData__what_cancels__relative_to_what_was_subtracted) {
  cfPair p = openPair();
  mju_zero(p.reference->cfrc_int, 6 * (int)p.m->nbody);
  mju_zero(p.d->cfrc_int, 6 * (int)p.m->nbody);
  mju_fill(p.reference->cfrc_ext, 20, 6 * (int)p.m->nbody);
  mju_fill(p.d->cfrc_ext, 20, 6 * (int)p.m->nbody);
  p.d->cfrc_int[7] = 0.5;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "cfrc_int", .5 / 20, 0);

  // nothing was subtracted
  mju_zero(p.reference->cfrc_ext, 6 * (int)p.m->nbody);
  mju_zero(p.d->cfrc_ext, 6 * (int)p.m->nbody);
  p.reference->cfrc_int[8] = p.d->cfrc_int[8] = 2;
  CF_EQ_INT(compare(p), 1);
  ONLY("", "cfrc_int", .5 / 2, 0);
  closePair(p);
}

CF_TEST_MAIN("model/compare")
