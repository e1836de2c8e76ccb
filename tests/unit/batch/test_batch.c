// Batches: fields, parameters, resets, lost worlds, errors.
#include <cortenforge/batch.h>
#include <cortenforge/cortenforge.h>

#include "cf_swing.h"
#include "cf_test.h"

static const char* const swing_xml = CF_SWING("");
enum { NWORLD = 7, STEPS = 40 };


static mjModel* loadText(const char* xml) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  mj_deleteSpec(spec);
  return m;
}


static cfBatch* makeSwings(int nworld, const cfBatchOptions* options) {
  mjModel* m = loadText(swing_xml);
  char error[200] = "";
  cfBatch* batch = cf_makeBatch(m, nworld, options, error, sizeof(error));
  CF_EQ_STR(error, "");
  CF_TRUE(batch);
  mj_deleteModel(m);
  return batch;
}


// the state of one world in the integration signature
static void expectState(cfBatch* batch, int world, const mjData* d) {
  const mjModel* m = cf_batchModel(batch);
  const int size = mj_stateSize(m, mjSTATE_INTEGRATION);
  mjtNum *mine = calloc((size_t)size, sizeof(mjtNum)),
         *other = calloc((size_t)size, sizeof(mjtNum));
  CF_TRUE(cf_batchGetState(batch, mjSTATE_INTEGRATION, &world, 1, mine));
  mj_getState(m, d, other, mjSTATE_INTEGRATION);
  CF_EQ_BYTES(mine, other, sizeof(mjtNum) * (size_t)size);
  free(mine);
  free(other);
}


// ---------------------------------------- fields

CF_TEST(field__names_of_data_and_model__type_count_and_access) {
  cfBatch* batch = makeSwings(2, NULL);
  cfBatchField field;
  CF_TRUE(cf_batchField(batch, "qpos", &field));
  CF_EQ_STR(field.name, "qpos");
  CF_EQ_INT(field.element, CF_ELEMENT_NUM);
  CF_EQ_INT(field.count, 8);
  CF_TRUE(field.is_writable && !field.is_parameter);
  CF_TRUE(cf_batchField(batch, "sensordata", &field));
  CF_EQ_INT(field.count, 4);
  CF_TRUE(!field.is_writable);
  CF_TRUE(cf_batchField(batch, "geom_friction", &field));
  CF_EQ_INT(field.count, 9);
  CF_TRUE(field.is_writable && field.is_parameter);
  CF_TRUE(cf_batchField(batch, "opt.gravity", &field));
  CF_EQ_INT(field.count, 3);
  CF_TRUE(cf_batchField(batch, "time", &field));
  CF_EQ_INT(field.count, 1);
  cf_freeBatch(batch);
}


CF_TEST(field__wrong_names__message_says_why) {
  cfBatch* batch = makeSwings(2, NULL);
  cfBatchField field;
  CF_TRUE(!cf_batchField(batch, "speed", &field));
  CF_HAS_STR(cf_batchError(batch), "'speed': there is no such field");
  CF_TRUE(strstr(cf_batchError(batch), "did you mean") == NULL);
  CF_TRUE(!cf_batchField(batch, "bodymass", &field));
  CF_HAS_STR(cf_batchError(batch), "did you mean 'body_mass'?");
  CF_TRUE(!cf_batchField(batch, "opt.gravitiy", &field));
  CF_HAS_STR(cf_batchError(batch), "did you mean 'opt.gravity'?");
  CF_TRUE(!cf_batchField(batch, "qops", &field));
  CF_HAS_STR(cf_batchError(batch), "did you mean 'qpos'?");
  CF_TRUE(!cf_batchField(batch, "xpos", &field));
  CF_HAS_STR(cf_batchError(batch), "name it in the option `outputs`");
  CF_TRUE(!cf_batchField(batch, "mesh_vert", &field));
  CF_HAS_STR(cf_batchError(batch), "needs another model");
  CF_TRUE(!cf_batchField(batch, NULL, &field));
  CF_HAS_STR(cf_batchError(batch), "needs a name");
  cf_freeBatch(batch);
}


CF_TEST(set_and_get__chosen_worlds_in_both_orders__values_go_where_they_belong) {
  cfBatch* batch = makeSwings(4, NULL);
  const int chosen[2] = {3, 1};
  const mjtNum by_world[2][7] = {{0, 1, 2, 3, 4, 5, 6}, {10, 11, 12, 13, 14, 15, 16}};
  CF_TRUE(cf_batchSet(batch, "qvel", chosen, 2, CF_ORDER_WORLD, by_world));
  mjtNum by_field[7][4];
  CF_TRUE(cf_batchGet(batch, "qvel", NULL, 4, CF_ORDER_FIELD, by_field));
  for (int k = 0; k < 7; k++) {
    CF_EQ_INT(by_field[k][0], 0);
    CF_EQ_INT(by_field[k][1], 10 + k);
    CF_EQ_INT(by_field[k][2], 0);
    CF_EQ_INT(by_field[k][3], k);
  }
  mjtNum again[4][7];
  by_field[2][2] = 5;
  CF_TRUE(cf_batchSet(batch, "qvel", NULL, 4, CF_ORDER_FIELD, by_field));
  CF_TRUE(cf_batchGet(batch, "qvel", NULL, 4, CF_ORDER_WORLD, again));
  CF_EQ_INT(again[2][2], 5);
  CF_EQ_INT(again[3][6], 6);
  cf_freeBatch(batch);
}


CF_TEST(set_and_get__bad_arguments__refused_and_nothing_changed) {
  cfBatch* batch = makeSwings(2, NULL);
  mjtNum values[16] = {1, 2, 3};
  const int beyond = 2;
  CF_TRUE(!cf_batchSet(batch, "qvel", &beyond, 1, CF_ORDER_WORLD, values));
  CF_HAS_STR(cf_batchError(batch), "world 2: the batch has 2");
  CF_TRUE(!cf_batchSet(batch, "qvel", NULL, 3, CF_ORDER_WORLD, values));
  CF_HAS_STR(cf_batchError(batch), "3 worlds: the batch has 2");
  CF_TRUE(!cf_batchSet(batch, "sensordata", NULL, 1, CF_ORDER_WORLD, values));
  CF_HAS_STR(cf_batchError(batch), "result of the step");
  CF_TRUE(!cf_batchSet(batch, "qvel", NULL, 1, (cftOrder)9, values));
  CF_HAS_STR(cf_batchError(batch), "order 9");
  CF_TRUE(!cf_batchGet(batch, "qvel", NULL, 1, CF_ORDER_WORLD, NULL));
  CF_TRUE(!cf_batchGetState(batch, 1u << mjNSTATE, NULL, 1, values));
  CF_TRUE(!cf_batchReset(batch, NULL, 5));
  CF_HAS_STR(cf_batchError(batch), "keyframe 5: the model has 1");
  CF_TRUE(!cf_batchStep(batch, -1));
  CF_TRUE(cf_batchGet(batch, "qvel", NULL, 2, CF_ORDER_WORLD, values));
  for (int k = 0; k < 14; k++) {
    CF_EQ_INT(values[k], 0);
  }
  cf_freeBatch(batch);
}


CF_TEST(make__bad_options__message_and_no_batch) {
  mjModel* m = loadText(swing_xml);
  char error[200];
  struct {
    cfBatchOptions options;
    int nworld;
    const char* message;
  } const cases[] = {{{.backend = (cftBackend)7}, 1, "backend 7: expected CF_BACKEND_CPU"},
                     {{0}, 0, "0 worlds"},
                     {{.outputs = "xpos nonsense"}, 1, "output 'nonsense'"},
                     {{.outputs = "efc_force"}, 1, "changes from step to step"},
                     {{.outputs = "contact"}, 1, "ncontact is 0"},
                     {{.noise_scale = -1}, 1, "cannot be negative"},
                     {{.unstable = (cftUnstable)7}, 1, "unstable 7"}};
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    CF_TRUE(!cf_makeBatch(m, cases[k].nworld, &cases[k].options, error, sizeof(error)));
    CF_HAS_STR(error, cases[k].message);
  }
  CF_TRUE(!cf_makeBatch(m, 0, NULL, NULL, 0));
  mj_deleteModel(m);
}


CF_TEST(outputs__positions_contacts_and_counts__those_of_a_lone_step) {
  const cfBatchOptions options = {.outputs = "xpos, ncon,contact energy", .ncontact = 4};
  cfBatch* batch = makeSwings(3, &options);
  const mjModel* m = cf_batchModel(batch);
  mjData* d = mj_makeData(m);
  CF_TRUE(cf_batchStep(batch, STEPS));
  for (int k = 0; k < STEPS; k++) {
    mj_step(m, d);
  }
  mjtNum xpos[3][9];
  int ncon[3];
  mjContact contact[3][4];
  CF_TRUE(cf_batchGet(batch, "xpos", NULL, 3, CF_ORDER_WORLD, xpos));
  CF_TRUE(cf_batchGet(batch, "ncon", NULL, 3, CF_ORDER_WORLD, ncon));
  CF_TRUE(cf_batchGet(batch, "contact", NULL, 3, CF_ORDER_WORLD, contact));
  CF_TRUE(d->ncon > 0);
  for (int w = 0; w < 3; w++) {
    CF_EQ_BYTES(xpos[w], d->xpos, sizeof(xpos[w]));
    CF_EQ_INT(ncon[w], d->ncon);
    CF_EQ_BYTES(contact[w], d->contact, sizeof(mjContact) * (size_t)d->ncon);
  }
  mj_deleteData(d);
  cf_freeBatch(batch);
}


// ---------------------------------------- parameters

// worlds with parameters of their own, against models edited by hand
CF_TEST(parameters__different_in_every_world__as_an_edited_model_with_its_constants) {
  cfBatch* batch = makeSwings(NWORLD, NULL);
  const mjModel* m = cf_batchModel(batch);
  mjtNum mass[NWORLD][3], friction[NWORLD][9], gravity[NWORLD][3], gain[NWORLD][mjNGAIN];
  for (int w = 0; w < NWORLD; w++) {
    const mjtNum factor = 1 + 0.3 * w;
    for (int k = 0; k < 9; k++) {
      friction[w][k] = m->geom_friction[k] * factor;
    }
    mju_scl(mass[w], m->body_mass, factor, 3);
    mju_scl3(gravity[w], m->opt.gravity, factor);
    mju_scl(gain[w], m->actuator_gainprm, factor, mjNGAIN);
  }
  CF_TRUE(cf_batchSet(batch, "body_mass", NULL, NWORLD, CF_ORDER_WORLD, mass));
  CF_TRUE(cf_batchSet(batch, "geom_friction", NULL, NWORLD, CF_ORDER_WORLD, friction));
  CF_TRUE(cf_batchSet(batch, "opt.gravity", NULL, NWORLD, CF_ORDER_WORLD, gravity));
  CF_TRUE(cf_batchSet(batch, "actuator_gainprm", NULL, NWORLD, CF_ORDER_WORLD, gain));
  CF_TRUE(cf_batchReset(batch, NULL, 0));
  CF_TRUE(cf_batchStep(batch, STEPS));
  for (int w = 0; w < NWORLD; w++) {
    mjModel* own = mj_copyModel(NULL, m);
    mjData* d = mj_makeData(own);
    mju_copy(own->body_mass, mass[w], 3);
    mju_copy(own->geom_friction, friction[w], 9);
    mju_copy3(own->opt.gravity, gravity[w]);
    mju_copy(own->actuator_gainprm, gain[w], mjNGAIN);
    mj_setConst(own, d);
    mj_resetDataKeyframe(own, d, 0);
    for (int k = 0; k < STEPS; k++) {
      mj_step(own, d);
    }
    expectState(batch, w, d);
    mj_deleteData(d);
    mj_deleteModel(own);
  }
  mjtNum back[NWORLD][3];
  CF_TRUE(cf_batchGet(batch, "opt.gravity", NULL, NWORLD, CF_ORDER_WORLD, back));
  CF_EQ_BYTES(back, gravity, sizeof(back));
  cf_freeBatch(batch);
}


CF_TEST(parameters__that_no_model_can_have__refused_and_taken_back) {
  mjModel* m = loadText(
      "<mujoco><worldbody><body><joint type='slide'/><geom size='.1'/></body></worldbody></mujoco>");
  cfBatch* batch = cf_makeBatch(m, 3, NULL, NULL, 0);
  CF_TRUE(batch);
  const mjtNum massless[2] = {0, 0}, unknown[2] = {0, NAN};
  const int world = 1;
  CF_TRUE(!cf_batchSet(batch, "body_mass", &world, 1, CF_ORDER_WORLD, massless));
  CF_EQ_STR(cf_batchError(batch), "'body_mass': world 1: mj_setConst: moving body 1 has 0 mass");
  CF_TRUE(!cf_batchSet(batch, "body_mass", &world, 1, CF_ORDER_WORLD, unknown));
  CF_EQ_STR(cf_batchError(batch), "'body_mass': value 1 is not a number");
  mjtNum mass[3][2];
  CF_TRUE(cf_batchGet(batch, "body_mass", NULL, 3, CF_ORDER_WORLD, mass));
  for (int w = 0; w < 3; w++) {
    CF_EQ_BYTES(mass[w], m->body_mass, sizeof(mass[w]));
  }
  mjData* d = mj_makeData(m);
  CF_TRUE(cf_batchStep(batch, 3));
  for (int k = 0; k < 3; k++) {
    mj_step(m, d);
  }
  expectState(batch, 1, d);
  CF_EQ_INT(cf_batchLost(batch), 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  cf_freeBatch(batch);
}


// allocations until one fails; -1: none does
static int allocations_left = -1;

static void* shortMalloc(size_t size) {
  return allocations_left >= 0 && allocations_left-- == 0 ? NULL : malloc(size);
}


// each allocation in turn fails: the value is refused, and taken when there is memory
CF_TEST(parameters__no_memory__refused_and_set_later) {
  int failed = 0;
  for (int is_set = 0; !is_set && failed < 100; failed++) {
    cfBatch* batch = makeSwings(2, NULL);
    const mjtNum gravity[2][3] = {{0, 0, -1}, {0, 0, -2}};
    mjtNum back[2][3];
    mju_user_malloc = shortMalloc;
    mju_user_free = free;
    allocations_left = failed;
    is_set = cf_batchSet(batch, "opt.gravity", NULL, 2, CF_ORDER_WORLD, gravity);
    allocations_left = -1;
    mju_user_malloc = NULL;
    mju_user_free = NULL;
    CF_TRUE(cf_batchGet(batch, "opt.gravity", NULL, 2, CF_ORDER_WORLD, back));
    CF_NEAR(back[1][2], is_set ? -2 : -9.81, 0);
    CF_TRUE(cf_batchSet(batch, "opt.gravity", NULL, 2, CF_ORDER_WORLD, gravity));
    CF_TRUE(cf_batchGet(batch, "opt.gravity", NULL, 2, CF_ORDER_WORLD, back));
    CF_EQ_BYTES(back, gravity, sizeof(back));
    CF_TRUE(cf_batchStep(batch, 2));
    cf_freeBatch(batch);
  }
  CF_TRUE(failed > 1 && failed < 100);
}


// ---------------------------------------- resets, lost worlds

CF_TEST(reset__by_mask_with_a_keyframe__others_go_on) {
  cfBatch* batch = makeSwings(3, NULL);
  const mjModel* m = cf_batchModel(batch);
  mjData* d = mj_makeData(m);
  CF_TRUE(cf_batchStep(batch, 5));
  for (int k = 0; k < 5; k++) {
    mj_step(m, d);
  }
  CF_TRUE(cf_batchReset(batch, (const mjtByte[]){0, 1, 0}, 0));
  expectState(batch, 0, d);
  expectState(batch, 2, d);
  mj_resetDataKeyframe(m, d, 0);
  expectState(batch, 1, d);
  mj_deleteData(d);
  cf_freeBatch(batch);
}


// world 1 starts with a bad number
static cfBatch* makeUnstable(cftUnstable unstable) {
  const cfBatchOptions options = {.unstable = unstable, .nthread = 2};
  cfBatch* batch = makeSwings(3, &options);
  const mjtNum qvel[7] = {NAN};
  const int world = 1;
  CF_TRUE(cf_batchSet(batch, "qvel", &world, 1, CF_ORDER_WORLD, qvel));
  return batch;
}


CF_TEST(unstable_world__to_be_reset__counted_and_back_at_the_start) {
  cfBatch* batch = makeUnstable(CF_UNSTABLE_RESET);
  mjData* d = mj_makeData(cf_batchModel(batch));
  CF_TRUE(cf_batchStep(batch, 4));
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch, 1, &status));
  CF_EQ_INT(status.nlost, 1);
  CF_EQ_INT(status.is_frozen, 0);
  CF_EQ_INT(status.warning[mjWARN_BADQVEL], 1);
  expectState(batch, 1, d);
  CF_TRUE(cf_batchStatus(batch, 2, &status));
  CF_EQ_INT(status.nlost, 0);
  CF_EQ_INT(status.nstep, 4);
  CF_EQ_INT(cf_batchLost(batch), 1);
  CF_TRUE(cf_batchStep(batch, 4));
  for (int k = 0; k < 4; k++) {
    mj_step(cf_batchModel(batch), d);
  }
  expectState(batch, 1, d);
  CF_TRUE(!cf_batchStatus(batch, 3, &status));
  mj_deleteData(d);
  cf_freeBatch(batch);
}


CF_TEST(unstable_world__to_be_frozen__stands_still_until_it_is_reset) {
  cfBatch* batch = makeUnstable(CF_UNSTABLE_FREEZE);
  mjData* d = mj_makeData(cf_batchModel(batch));
  CF_TRUE(cf_batchStep(batch, 4));
  CF_TRUE(cf_batchStep(batch, 4));
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch, 1, &status));
  CF_EQ_INT(status.nlost, 1);
  CF_EQ_INT(status.is_frozen, 1);
  CF_EQ_INT(status.nstep, 1);
  mjtNum time[3];
  CF_TRUE(cf_batchGet(batch, "time", NULL, 3, CF_ORDER_WORLD, time));
  CF_NEAR(time[0], 0.04, 1e-12);
  CF_NEAR(time[1], 0, 0);
  CF_TRUE(cf_batchReset(batch, NULL, -1));
  CF_TRUE(cf_batchStep(batch, 1));
  mj_step(cf_batchModel(batch), d);
  expectState(batch, 1, d);
  mj_deleteData(d);
  cf_freeBatch(batch);
}


// worlds that start with the arm at 1 rad raise an error in their second step
static void failAtOne(const mjModel* m, mjData* d) {
  (void)m;
  if (d->qpos[0] > 0.9 && d->time > 0) {
    const size_t left = (size_t)d->narena - d->pstack - d->parena;
    mj_markStack(d);
    mj_stackAllocByte(d, left - left / 8, 1);
    mju_error("the arm is too high");
  }
}


CF_TEST(error_in_a_world__caught_counted_and_told__others_go_on) {
  const cfBatchOptions options = {.unstable = CF_UNSTABLE_FREEZE, .nthread = 2};
  cfBatch* batch = makeSwings(NWORLD, &options);
  mjtNum qpos[8];
  const int world = 4;
  CF_TRUE(cf_batchGet(batch, "qpos", &world, 1, CF_ORDER_WORLD, qpos));
  qpos[0] = 1;
  CF_TRUE(cf_batchSet(batch, "qpos", &world, 1, CF_ORDER_WORLD, qpos));
  mjcb_control = failAtOne;
  CF_TRUE(cf_batchStep(batch, 3));
  mjcb_control = NULL;
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch, world, &status));
  CF_EQ_STR(status.reason, "the arm is too high");
  CF_EQ_STR(cf_batchError(batch), "");  // no call has failed
  CF_EQ_INT(cf_batchLost(batch), 1);
  mjData* d = mj_makeData(cf_batchModel(batch));
  for (int k = 0; k < 3; k++) {
    mj_step(cf_batchModel(batch), d);
  }
  for (int w = 0; w < NWORLD; w++) {
    if (w != world) {
      expectState(batch, w, d);
    }
  }
  CF_TRUE(cf_batchReset(batch, NULL, -1));
  CF_TRUE(cf_batchStep(batch, 3));
  expectState(batch, world, d);
  mj_deleteData(d);
  cf_freeBatch(batch);
}


// what an error leaves behind in scratch memory is given back: the last world has room for its step
CF_TEST(error_in_a_world__in_a_hundred_of_them__memory_does_not_run_out) {
  enum { MANY = 101 };
  const cfBatchOptions options = {.nthread = 1, .unstable = CF_UNSTABLE_FREEZE};
  cfBatch* batch = makeSwings(MANY, &options);
  mjtNum qpos[MANY][8] = {{0}};
  for (int w = 0; w < MANY; w++) {
    qpos[w][0] = w < MANY - 1;
    qpos[w][3] = qpos[w][4] = 1;
  }
  CF_TRUE(cf_batchSet(batch, "qpos", NULL, MANY, CF_ORDER_WORLD, qpos));
  mjcb_control = failAtOne;
  CF_TRUE(cf_batchStep(batch, 3));
  mjcb_control = NULL;
  CF_EQ_INT(cf_batchLost(batch), MANY - 1);
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch, MANY - 1, &status));
  CF_EQ_INT(status.nlost, 0);
  CF_EQ_INT(status.nstep, 3);
  cf_freeBatch(batch);
}


// ---------------------------------------- noise, memory

CF_TEST(noise__any_number_of_threads__same_bits_and_worlds_that_differ) {
  mjtNum first[NWORLD][8], qpos[NWORLD][8];
  for (int threads = 1; threads <= 3; threads++) {
    const cfBatchOptions options = {
        .nthread = threads, .noise_scale = 0.5, .noise_rate = 0.1, .seed = 3};
    cfBatch* batch = makeSwings(NWORLD, &options);
    CF_TRUE(cf_batchStep(batch, STEPS));
    CF_TRUE(cf_batchGet(batch, "qpos", NULL, NWORLD, CF_ORDER_WORLD, threads > 1 ? qpos : first));
    if (threads > 1) {
      CF_EQ_BYTES(qpos, first, sizeof(first));
    }
    cf_freeBatch(batch);
  }
  for (int w = 1; w < NWORLD; w++) {
    CF_TRUE(first[w][0] != first[0][0]);
  }
}


// the spread of a control that wanders is what was asked for
CF_TEST(noise__many_worlds__spread_of_controls_is_the_scale_times_half_the_range) {
  enum { MANY = 2000 };
  const cfBatchOptions options = {.noise_scale = 0.25, .noise_rate = 0.01};
  cfBatch* batch = makeSwings(MANY, &options);
  CF_TRUE(cf_batchStep(batch, 12));
  static mjtNum ctrl[MANY];
  CF_TRUE(cf_batchGet(batch, "ctrl", NULL, MANY, CF_ORDER_WORLD, ctrl));
  mjtNum sum = 0, squares = 0;
  for (int w = 0; w < MANY; w++) {
    sum += ctrl[w];
    squares += ctrl[w] * ctrl[w];
  }
  CF_NEAR(sum / MANY, 0, 0.04);
  CF_NEAR(sqrt(squares / MANY), 0.5, 0.03);
  cf_freeBatch(batch);
}


CF_TEST(world__of_a_model_without_sleep__is_small) {
  mjModel* m = mj_loadXML("models/humanoid.xml", NULL, NULL, 0);
  CF_TRUE(m);
  cfBatch* batch = cf_makeBatch(m, 2, NULL, NULL, 0);
  CF_TRUE(batch);
  CF_TRUE(cf_batchWorldBytes(batch) > 8 * (m->nq + 2 * m->nv));
  CF_TRUE(cf_batchWorldBytes(batch) < 4000);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}

CF_TEST_MAIN("batch/batch")
