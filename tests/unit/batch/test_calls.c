// What calls of a batch do with worlds that fail, and what they leave alone: every test beside lone
// worlds or beside the promise of the header.
#include <unistd.h>

#include <cortenforge/batch.h>

#include "batch/batch.h"
#include "lanes/lanes.h"
#include "cf_test.h"
#include "cf_text.h"
#include "cf_worlds.h"


// widths of lanes that this processor has
static int nextWidth(int width) {
  do {
    width = width == 0 ? 1 : width == 1 ? 4 : 2 * width;
  } while (width <= 8 && !cfi_laneKernels(width));
  return width;
}


static cfBatch* makeOf(const mjModel* m, int nworld, cfBatchOptions options) {
  char error[300] = "";
  cfBatch* batch = cf_makeBatch(m, nworld, &options, error, sizeof(error));
  if (!batch) {
    CF_FAIL("%s\n", error);
  }
  return batch;
}


// ---------------------------------------- parameters

static const char* const ball_xml =
    "<mujoco><worldbody><body%s><freejoint/><geom size='.1'/></body></worldbody></mujoco>";


// worlds that compensate gravity hover, others fall, whoever was asked last and however many
// threads derive their constants
static void hover(const char* attribute, int nlane, int nthread) {
  enum { N = 64 };
  char xml[300];
  snprintf(xml, sizeof(xml), ball_xml, attribute);
  mjModel* m = cf_compileText(xml);
  cfBatch* batch = makeOf(m, N, (cfBatchOptions){.nlane = nlane, .nthread = nthread});
  mjtNum share[N][2], mass[N][2], qvel[N][6];
  for (int w = 0; w < N; w++) {
    share[w][0] = 0;
    share[w][1] = w % 3 == 0;
  }
  CF_TRUE(cf_batchSet(batch, "body_gravcomp", NULL, N, CF_ORDER_WORLD, share));
  CF_TRUE(cf_batchGet(batch, "body_mass", NULL, N, CF_ORDER_WORLD, mass));
  CF_TRUE(cf_batchSet(batch, "body_mass", NULL, N, CF_ORDER_WORLD, mass));
  CF_TRUE(cf_batchStep(batch, 1));
  CF_TRUE(cf_batchGet(batch, "qvel", NULL, N, CF_ORDER_WORLD, qvel));
  for (int w = 0; w < N; w++) {
    CF_NEAR(qvel[w][2], w % 3 == 0 ? 0 : -9.81 * m->opt.timestep, 1e-15);
  }
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


CF_TEST(gravity_compensation__of_some_worlds__they_hover_and_no_others) {
  for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
    for (int nthread = 1; nthread <= 3; nthread++) {
      hover("", width, nthread);
      hover(" gravcomp='1'", width, nthread);
    }
  }
}


// twins of a text, stepped once and more, for all widths of lanes
static void compareText(const char* xml, const char* outputs, int nstep,
                        void (*set)(cfTwins* t, int world)) {
  mjModel* m = cf_compileText(xml);
  for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
    const cfBatchOptions options = {.nlane = width, .outputs = outputs, .ncontact = 20};
    cfTwins* t = cf_makeTwins(m, 8, &options, "text");
    CF_TRUE(t);
    for (int w = 0; w < t->n; w++) {
      set(t, w);
    }
    for (int k = 0; k < nstep; k++) {
      cf_stepTwins(t, 1);
      CF_TRUE(cf_sameTwins(t, "a step"));
    }
    cf_freeTwins(t);
  }
  mj_deleteModel(m);
}


// a spring at rest and a damper that is zero: the sum has a sign, which nothing may be added to
static void liftSome(cfTwins* t, int world) {
  cfLoneWorld* own = t->world + world;
  own->m->body_gravcomp[1] = world % 2;
  CF_TRUE(cf_batchSet(t->batch, "body_gravcomp", &world, 1, CF_ORDER_WORLD, own->m->body_gravcomp));
  cf_finishLone(t, own->m);
}


CF_TEST(passive_forces__beside_worlds_with_gravity_compensation__have_the_bits_of_a_lone_world) {
  const char* xml =
      "<mujoco><option gravity='0 0 -5'/><worldbody><body><joint type='slide' axis='0 1 0'"
      " stiffness='3' damping='2'/><joint type='slide' axis='0 0 1'/><geom size='.1'/></body>"
      "</worldbody></mujoco>";
  compareText(xml, "qfrc_passive qfrc_gravcomp qfrc_spring qfrc_damper", 3, liftSome);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  CF_TRUE(signbit(d->qfrc_passive[0]));  // else there was nothing to tell apart
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(rest_lengths_of_springs__of_worlds__are_read_in_lanes) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint name='j' type='slide' axis='1 0 0'/><geom size='.1'/></body>"
      "</worldbody><tendon><fixed name='t' stiffness='100' springlength='0'><joint joint='j' "
      "coef='1'/></fixed></tendon></mujoco>");
  mjtNum rest[8][2], qvel[8], alone[8];
  mjModel* own = mj_copyModel(NULL, m);
  mjData* d = mj_makeData(own);
  for (int w = 0; w < 8; w++) {
    rest[w][0] = own->tendon_lengthspring[0] = 0.05 * w;
    rest[w][1] = own->tendon_lengthspring[1] = 0.05 * w + 0.01;
    mj_resetData(own, d);
    mj_step(own, d);
    alone[w] = d->qvel[0];
  }
  CF_TRUE(alone[1] != alone[2]);
  for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
    cfBatch* batch = makeOf(m, 8, (cfBatchOptions){.nlane = width});
    CF_TRUE(cf_batchSet(batch, "tendon_lengthspring", NULL, 8, CF_ORDER_WORLD, rest));
    CF_TRUE(cf_batchStep(batch, 1));
    CF_TRUE(cf_batchGet(batch, "qvel", NULL, 8, CF_ORDER_WORLD, qvel));
    CF_EQ_BYTES(qvel, alone, sizeof(alone));
    cf_freeBatch(batch);
  }
  mj_deleteData(d);
  mj_deleteModel(own);
  mj_deleteModel(m);
}


// values that no model can have, and the names that a batch gives its fields
CF_TEST(parameters__out_of_range__refused_by_name_and_nothing_changes) {
  static const struct {
    const char* name;
    mjtNum value;
    const char* reason;
  } bad[] = {{"opt.timestep", 0, "'opt.timestep': value 0 is not positive"},
             {"opt.timestep", -0.01, "'opt.timestep': value 0 is not positive"},
             {"opt.timestep", INFINITY, "'opt.timestep': value 0 is infinite"},
             {"body_mass", -1, "'body_mass': value 0 is negative"},
             {"body_inertia", -1, "'body_inertia': value 0 is negative"},
             {"dof_armature", -1, "'dof_armature': value 0 is negative"},
             {"opt.gravity", NAN, "'opt.gravity': value 0 is not a number"},
             {"body_pos", INFINITY, "'body_pos': value 0 is infinite"}};
  char xml[300];
  snprintf(xml, sizeof(xml), ball_xml, "");
  mjModel* m = cf_compileText(xml);
  cfBatch* batch = makeOf(m, 3, (cfBatchOptions){.nthread = 1});
  const int world = 1;
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    cfBatchField field;
    CF_TRUE(cf_batchField(batch, bad[k].name, &field));
    CF_EQ_STR(field.name, bad[k].name);
    mjtNum before[20], value[20], after[20];
    CF_TRUE(cf_batchGet(batch, field.name, &world, 1, CF_ORDER_WORLD, before));
    memcpy(value, before, sizeof(value));
    value[0] = bad[k].value;
    CF_TRUE(!cf_batchSet(batch, field.name, &world, 1, CF_ORDER_WORLD, value));
    CF_EQ_STR(cf_batchError(batch), bad[k].reason);
    CF_TRUE(cf_batchGet(batch, field.name, &world, 1, CF_ORDER_WORLD, after));
    CF_EQ_BYTES(after, before, sizeof(mjtNum) * (size_t)field.count);
  }
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


CF_TEST(arguments__that_are_NULL__message) {
  char xml[300], error[100];
  snprintf(xml, sizeof(xml), ball_xml, "");
  mjModel* m = cf_compileText(xml);
  cfBatch* batch = makeOf(m, 3, (cfBatchOptions){.nthread = 1});
  const char* const record[] = {"qpos", "body_mass"};
  void* const history[] = {NULL, NULL};
  cfBatchRollout r = {.nrow = 1, .nrecord = 1, .record = record, .history = history};
  CF_TRUE(!cf_makeBatch(NULL, 3, NULL, error, sizeof(error)));
  CF_EQ_STR(error, "the model is NULL");
  CF_TRUE(!cf_batchStatus(batch, 0, NULL));
  CF_EQ_STR(cf_batchError(batch), "the status is NULL");
  CF_TRUE(!cf_batchField(batch, "qpos", NULL));
  CF_EQ_STR(cf_batchError(batch), "the description of a field is NULL");
  CF_TRUE(!cf_batchRollout(batch, NULL));
  CF_EQ_STR(cf_batchError(batch), "the rollout is NULL");
  CF_TRUE(!cf_batchRollout(batch, &r));
  CF_EQ_STR(cf_batchError(batch), "'qpos': its history is NULL");
  r.record = record + 1;
  CF_TRUE(!cf_batchRollout(batch, &r));
  CF_EQ_STR(cf_batchError(batch), "'body_mass': a parameter of the model has no history");
  r.nrow = -1;
  CF_TRUE(!cf_batchRollout(batch, &r));
  CF_HAS_STR(cf_batchError(batch), "cannot be negative");
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// a tree that may sleep cannot hang on a spring to another one: mj_setConst refuses it
CF_TEST(parameters__that_mj_setConst_refuses__refused_with_its_reason) {
  mjModel* m = cf_compileText(
      "<mujoco><option><flag sleep='enable'/></option><worldbody><body sleep='allowed'>"
      "<joint name='a' type='slide'/><geom size='.1'/></body><body pos='1 0 0'>"
      "<joint name='b' type='slide'/><geom size='.1'/></body></worldbody><tendon><fixed>"
      "<joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed></tendon></mujoco>");
  static const char* const names[] = {"tendon_stiffness", "tendon_damping"};
  cfBatch* batch = makeOf(m, 3, (cfBatchOptions){.nthread = 1});
  for (int k = 0; k < 2; k++) {
    mjtNum value[3] = {0, 2, 0};
    CF_TRUE(!cf_batchSet(batch, names[k], NULL, 3, CF_ORDER_WORLD, value));
    CF_HAS_STR(cf_batchError(batch), names[k]);
    CF_HAS_STR(cf_batchError(batch), "world 1");
    CF_HAS_STR(cf_batchError(batch), "sleeping not allowed");
    CF_TRUE(cf_batchGet(batch, names[k], NULL, 3, CF_ORDER_WORLD, value));
    CF_NEAR(value[1], 0, 0);
  }
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// under TSan: constants of one world are found by one thread
CF_TEST(parameters__of_a_list_with_repeated_worlds__the_last_one_counts) {
  char xml[300];
  snprintf(xml, sizeof(xml), ball_xml, "");
  mjModel* m = cf_compileText(xml);
  cfBatch* batch = makeOf(m, 8, (cfBatchOptions){.nthread = 4});
  int list[32];
  mjtNum mass[32][2], back[8][2];
  for (int k = 0; k < 32; k++) {
    list[k] = k / 8;
    mass[k][0] = 0;
    mass[k][1] = 1 + k;
  }
  CF_TRUE(cf_batchSet(batch, "body_mass", list, 32 / 4, CF_ORDER_WORLD, mass));
  CF_TRUE(cf_batchGet(batch, "body_mass", NULL, 8, CF_ORDER_WORLD, back));
  CF_NEAR(back[0][1], 8, 0);
  CF_NEAR(back[1][1], m->body_mass[1], 0);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// ---------------------------------------- contacts

// a floor and a table in the world body, whose tree is 1e10 wide; what lies on the table sinks in
// by less than the tree can see
CF_TEST(contacts__beside_a_plane__shallow_ones_are_those_of_a_lone_world) {
  static const char* const shapes[] = {"type='box' size='.03 .03 .03'", "size='.03'",
                                       "type='capsule' size='.03 .02' euler='90 0 0'"};
  static const mjtNum depths[] = {1e-9, 3e-7, 1e-6, 1e-5, 1e-4, 1e-3};
  int total = 0, missed = 0;
  for (int k = 0; k < 18; k++) {
    char xml[600];
    snprintf(
        xml, sizeof(xml),
        "<mujoco><worldbody><geom type='plane' size='3 3 .1'/><geom type='box' size='.3 .4 .15'"
        " pos='.6 0 .15'/><body pos='.6 0 %.17g'><freejoint/><geom %s/></body></worldbody>"
        "</mujoco>",
        .33 - depths[k / 3], shapes[k % 3]);
    mjModel* m = cf_compileText(xml);
    mjData* d = mj_makeData(m);
    mj_step(m, d);
    for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
      cfBatch* batch = makeOf(m, 8, (cfBatchOptions){.nlane = width, .outputs = "ncon qacc"});
      int ncon[8];
      mjtNum qacc[8][6];
      CF_TRUE(cf_batchStep(batch, 1));
      CF_TRUE(cf_batchGet(batch, "ncon", NULL, 8, CF_ORDER_WORLD, ncon));
      CF_TRUE(cf_batchGet(batch, "qacc", NULL, 8, CF_ORDER_WORLD, qacc));
      for (int w = 0; w < 8; w++) {
        CF_EQ_INT(ncon[w], d->ncon);
        CF_EQ_BYTES(qacc[w], d->qacc, sizeof(qacc[w]));
      }
      cf_freeBatch(batch);
    }
    total += d->ncon;
    missed += !d->ncon;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  CF_TRUE(total > 10 && missed > 3);  // else there was nothing to tell apart
}


// a body of the world with a plane and a box, and what touches its sides; turned, or a km away
static mjModel* loadTable(int k) {
  static const char* const shapes[] = {"type='box' size='.03 .03 .03'", "size='.03'",
                                       "type='capsule' size='.03 .02' euler='90 0 0'"};
  char xml[900];
  const int turn = k % 3 ? 37 * k : 0, place = k % 4 == 3 ? 1000 : 1;
  snprintf(xml, sizeof(xml),
           "<mujoco><option><flag gravity='disable'/></option><worldbody><body pos='%d 1 2'"
           " euler='%d %d %d'><geom type='plane' size='3 3 .1' mass='1'/><geom type='box'"
           " size='.3 .4 .15' pos='.6 0 .15' euler='%d 0 %d'/></body><body><freejoint/><geom %s/>"
           "</body></worldbody></mujoco>",
           place, turn, 2 * turn, 3 * turn, 3 * (k % 5), 7 * (k % 5), shapes[k / 3 % 3]);
  return cf_compileText(xml);
}


// a shape that reaches into the box by `depth` at one of its sides
static void layOnTable(cfDice* dice, const mjModel* m, const mjData* d, mjtNum depth,
                       mjtNum qpos[7]) {
  const mjtNum *R = d->geom_xmat + 9, *center = d->geom_xpos + 3, *half = m->geom_size + 3;
  mjtNum p[3];
  for (int k = 0; k < 3; k++) {
    p[k] = 0.8 * half[k] * cf_even(dice);
  }
  const int axis = cf_below(dice, 3);
  p[axis] = (cf_below(dice, 2) ? 1 : -1) * (half[axis] + 0.03 - depth);
  for (int k = 0; k < 3; k++) {
    qpos[k] = center[k] + R[3 * k] * p[0] + R[3 * k + 1] * p[1] + R[3 * k + 2] * p[2];
  }
  mju_mat2Quat(qpos + 3, R);
}


CF_TEST(contacts__of_any_depth_beside_a_plane__have_the_bits_of_a_lone_world) {
  enum { N = 256 };
  cfDice dice = {7};
  int touching = 0;
  for (int k = 0; k < (CF_SANITIZED ? 6 : 36); k++) {
    mjModel* m = loadTable(k);
    mjData* d = mj_makeData(m);
    cfBatch* batch = makeOf(m, N, (cfBatchOptions){.outputs = "ncon qacc"});
    mjtNum qpos[N][7], qacc[N][6];
    int ncon[N];
    mj_forward(m, d);
    for (int w = 0; w < N; w++) {
      layOnTable(&dice, m, d, pow(10, -6 + 3 * cf_even(&dice)), qpos[w]);
    }
    CF_TRUE(cf_batchSet(batch, "qpos", NULL, N, CF_ORDER_WORLD, qpos));
    CF_TRUE(cf_batchStep(batch, 1));
    CF_TRUE(cf_batchGet(batch, "ncon", NULL, N, CF_ORDER_WORLD, ncon));
    CF_TRUE(cf_batchGet(batch, "qacc", NULL, N, CF_ORDER_WORLD, qacc));
    for (int w = 0; w < N; w++) {
      mj_resetData(m, d);
      mju_copy(d->qpos, qpos[w], 7);
      mj_step(m, d);
      CF_EQ_INT(ncon[w], d->ncon);
      CF_EQ_BYTES(qacc[w], d->qacc, sizeof(qacc[w]));
      touching += d->ncon > 0;
    }
    cf_freeBatch(batch);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  CF_TRUE(touching > 1000);
}


// upright cylinders a little above a plane, whose collider may see them a radius deep in it, and
// beside each other
static void scatterCylinders(cfTwins* t, int world) {
  cfDice dice = {(uint64_t)(1000 * world) + (uint64_t)(1e7 * t->world[0].m->opt.timestep)};
  mjData* d = t->world[world].d;
  for (int k = 0; k < 2; k++) {
    const mjtNum turn = 3 * cf_even(&dice), scale = 1 + 1e-15 * cf_even(&dice);
    const mjtNum x[3] = {0, 0.1 + 0.01 * cf_even(&dice), 0.1 + 0.002 * fabs(cf_even(&dice))};
    mju_copy3(d->qpos + 7 * k, x);
    d->qpos[7 * k] = k * (0.2 + 1e-6 * cf_even(&dice));
    mjtNum* quat = d->qpos + 7 * k + 3;
    quat[0] = scale * cos(turn);  // as near to 1 as kinematics leaves it
    quat[3] = scale * sin(turn);
  }
  CF_TRUE(cf_batchSet(t->batch, "qpos", &world, 1, CF_ORDER_WORLD, d->qpos));
}


CF_TEST(contacts__of_colliders_that_see_more_than_there_is__are_those_of_a_lone_world) {
  for (int k = 0; k < 40; k++) {
    char xml[500];
    snprintf(xml, sizeof(xml),
             "<mujoco><option timestep='%g'/><worldbody><geom type='plane' size='3 3 .1'/>"
             "<replicate count='2'><body><freejoint/><geom type='cylinder' size='.1 .1'/></body>"
             "</replicate></worldbody></mujoco>",
             0.0005 + 0.0001 * k);
    compareText(xml, "ncon contact", 4, scatterCylinders);
  }
}


static void dropText(const char* text) {
  (void)text;
}


// a lone world reserves room for contacts of every pair that comes near, and takes scratch
CF_TEST(contacts__in_an_arena_that_is_nearly_full__are_those_of_a_lone_world) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><replicate count='6' offset='.19 0 .01'>"
      "<body pos='0 0 .1'><freejoint/><geom type='capsule' size='.05 .08' euler='0 90 0'/></body>"
      "</replicate><replicate count='3' offset='.19 .02 .01'><body pos='0 .1 .3'><freejoint/>"
      "<geom size='.1'/><geom size='.05' pos='.1 0 0'/></body></replicate></worldbody></mujoco>");
  long full = 0, roomy = 0;
  mju_user_warning = dropText;
  for (int kilobytes = 20; kilobytes < 2000; kilobytes += kilobytes < 100 ? 3 : kilobytes / 3) {
    m->narena = 1024 * kilobytes;
    for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
      const cfBatchOptions options = {
          .nlane = width, .unstable = CF_UNSTABLE_FREEZE, .outputs = "ncon nefc warning qacc"};
      cfTwins* t = cf_makeTwins(m, 8, &options, "heap");
      CF_TRUE(t);
      for (int k = 0; k < 12; k++) {
        cf_stepTwins(t, 1 + k % 4);
        CF_TRUE(cf_sameTwins(t, "a step"));
      }
      const mjData* d = t->world[0].d;
      full += d->warning[mjWARN_CONTACTFULL].number > 0 && d->ncon;
      roomy += d->ncon > 3 && !d->warning[mjWARN_CONTACTFULL].number;
      cf_freeTwins(t);
    }
  }
  mju_user_warning = NULL;
  CF_TRUE(full > 0 && roomy > 0);
  mj_deleteModel(m);
}


// ---------------------------------------- outputs

// accelerations and forces that a step computes for sensors alone, beside a model that has one
CF_TEST(reactions__named_as_outputs__are_those_that_a_sensor_sees) {
  static const char* const xml =
      "<mujoco><option integrator='%s'/><worldbody><geom type='plane' size='3 3 .1'/>"
      "<body pos='0 0 .1'><freejoint/><geom size='.1'/><site name='s'/>"
      "<body pos='.15 0 0'><joint axis='0 1 0' damping='.1'/><geom size='.05'/></body></body>"
      "</worldbody>%s</mujoco>";
  static const char* const names[] = {"cacc", "cfrc_int", "cfrc_ext"};
  static const char* const integrators[] = {"Euler", "RK4", "implicitfast", "implicit"};
  for (int i = 0; i < 4; i++) {
    char plain[1000], sensed[1000];
    snprintf(plain, sizeof(plain), xml, integrators[i], "");
    snprintf(sensed, sizeof(sensed), xml, integrators[i],
             "<sensor><accelerometer site='s'/></sensor>");
    mjModel *m = cf_compileText(plain), *other = cf_compileText(sensed);
    mjData* d = mj_makeData(other);
    for (int k = 0; k < 30; k++) {
      mj_step(other, d);
    }
    CF_TRUE(mju_norm(d->cfrc_ext, 6 * (int)m->nbody) > 1);
    for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
      for (int forward = 0; forward < 2; forward++) {
        cfBatch* batch =
            makeOf(m, 8, (cfBatchOptions){.nlane = width, .outputs = "cacc cfrc_int cfrc_ext"});
        CF_TRUE(cf_batchStep(batch, 30 - forward));
        if (forward) {
          CF_TRUE(cf_batchForward(batch) && cf_batchStep(batch, 0));
        }
        for (int k = 0; k < 3; k++) {
          const mjtNum* alone = k == 0 ? d->cacc : k == 1 ? d->cfrc_int : d->cfrc_ext;
          mjtNum* mine = calloc((size_t)(48 * m->nbody), sizeof(mjtNum));
          CF_TRUE(cf_batchGet(batch, names[k], NULL, 8, CF_ORDER_WORLD, mine));
          for (int w = 0; w < 8; w++) {
            CF_EQ_BYTES(mine + 6 * m->nbody * w, alone, sizeof(mjtNum) * 6 * (size_t)m->nbody);
          }
          free(mine);
        }
        cf_freeBatch(batch);
      }
    }
    mj_deleteData(d);
    mj_deleteModel(other);
    mj_deleteModel(m);
  }
}


// cfrc_ext of CF_REACTIONS_LAST, with sensors of forces besides or without, from worlds that differ
CF_TEST(reactions__of_the_last_evaluation__are_those_after_mj_step) {
  static const char* const xml =
      "<mujoco><option integrator='%s' solver='%s'/><worldbody><geom type='plane' size='3 3 .1'/>"
      "<body pos='0 0 .1'><freejoint/><geom size='.1'/><site name='s'/>"
      "<body pos='.15 0 0'><joint axis='0 1 0' damping='.1'/><geom size='.05'/></body></body>"
      "</worldbody>%s</mujoco>";
  static const char* const integrators[] = {"RK4", "Euler", "implicitfast", "RK4"};
  static const char* const sensors[] = {"", "<sensor><accelerometer site='s'/></sensor>"};
  for (int i = 0; i < 8; i++) {
    char text[1000];
    snprintf(text, sizeof(text), xml, integrators[i % 4], i % 4 < 3 ? "Newton" : "PGS",
             sensors[i / 4]);
    mjModel* m = cf_compileText(text);
    mjData* d = mj_makeData(m);
    for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
      cfBatch* batch = makeOf(
          m, 8,
          (cfBatchOptions){.nlane = width, .outputs = "cfrc_ext", .reactions = CF_REACTIONS_LAST});
      mjtNum *mine = calloc((size_t)(48 * m->nbody), sizeof(mjtNum)), speed[8];
      for (int w = 0; w < 8; w++) {
        mjtNum* v = calloc((size_t)m->nv, sizeof(mjtNum));
        speed[w] = v[0] = 0.1 * w;
        v[2] = -0.3 * w;
        CF_TRUE(cf_batchSet(batch, "qvel", &w, 1, CF_ORDER_WORLD, v));
        free(v);
      }
      CF_TRUE(cf_batchStep(batch, 17) && cf_batchStep(batch, 3));
      CF_TRUE(cf_batchGet(batch, "cfrc_ext", NULL, 8, CF_ORDER_WORLD, mine));
      for (int w = 0; w < 8; w++) {
        mj_resetData(m, d);
        d->qvel[0] = speed[w];
        d->qvel[2] = -0.3 * w;
        for (int k = 0; k < 20; k++) {
          mj_step(m, d);
        }
        mj_rnePostConstraint(m, d);
        CF_TRUE(mju_norm(d->cfrc_ext, 6 * (int)m->nbody) > 1);
        CF_EQ_BYTES(mine + 6 * m->nbody * w, d->cfrc_ext, sizeof(mjtNum) * 6 * (size_t)m->nbody);
      }
      free(mine);
      cf_freeBatch(batch);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// delayed sensors enter accelerations at the end of each step: which reactions are asked for, and
// whether any are, changes neither histories nor what sensors show later
CF_TEST(reactions__beside_delayed_sensors__leave_histories_as_they_are) {
  static const char* const xml =
      "<mujoco><option integrator='%s'/><worldbody><geom type='plane' size='3 3 .1'/>"
      "<body pos='0 0 .1'><freejoint/><geom size='.1'/><site name='s'/>"
      "<body name='b' pos='.15 0 0'><joint axis='0 1 0' damping='.1'/><geom size='.05'/></body></body>"
      "</worldbody><sensor><accelerometer site='s' nsample='4' interp='linear' delay='.005'/>"
      "<frameangacc objtype='body' objname='b' nsample='3' delay='.003' interval='.004'/>"
      "<force site='s' nsample='3' interp='zoh' delay='.004'/>%s</sensor></mujoco>";
  static const char* const outputs[] = {"", " cfrc_ext", " cacc", " cacc cfrc_int cfrc_ext"};
  static const char* const integrators[] = {"RK4", "Euler", "implicitfast"};
  enum { N = 5 };
  for (int i = 0; i < 6; i++) {
    char text[1200];
    snprintf(text, sizeof(text), xml, integrators[i / 2], i % 2 ? "<torque site='s'/>" : "");
    mjModel* m = cf_compileText(text);
    mjData* d = mj_makeData(m);
    for (int k = 0; k < 30; k++) {
      mj_step(m, d);
    }
    CF_TRUE(m->nhistory > 20 && mju_norm(d->sensordata, (int)m->nsensordata) > 1);
    for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
      for (int k = 0; k < 8; k++) {
        char names[100];
        snprintf(names, sizeof(names), "sensordata history%s", outputs[k / 2]);
        cfBatch* batch = makeOf(
            m, N,
            (cfBatchOptions){.nlane = width, .outputs = names, .reactions = (cftReactions)(k % 2)});
        CF_TRUE(cf_batchStep(batch, 13) && cf_batchStep(batch, 1) && cf_batchStep(batch, 16));
        for (int f = 0; f < 2; f++) {
          const mjtNum* alone = f ? d->history : d->sensordata;
          const size_t count = (size_t)(f ? m->nhistory : m->nsensordata);
          mjtNum* mine = calloc(N * count, sizeof(mjtNum));
          CF_TRUE(cf_batchGet(batch, f ? "history" : "sensordata", NULL, N, CF_ORDER_WORLD, mine));
          for (size_t w = 0; w < N; w++) {
            CF_EQ_BYTES(mine + w * count, alone, sizeof(mjtNum) * count);
          }
          free(mine);
        }
        cf_freeBatch(batch);
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


static void throwTop(cfTwins* t, int world) {
  mjData* d = t->world[world].d;
  for (int k = 0; k < t->world[world].m->nv; k++) {
    d->qvel[k] = sin(1.7 * world + k);
  }
  CF_TRUE(cf_batchSet(t->batch, "qvel", &world, 1, CF_ORDER_WORLD, d->qvel));
}


// lanes that make no rows leave external forces to worlds, which need centers of mass
CF_TEST(reactions__of_worlds_with_contacts_of_their_own__have_the_bits_of_a_lone_world) {
  const char* xml =
      "<mujoco><option integrator='implicitfast' cone='elliptic'/><worldbody>"
      "<geom type='plane' size='2 2 .1'/><body pos='0 0 .102' euler='5 0 0'><freejoint/>"
      "<geom type='ellipsoid' size='.08 .08 .02' pos='0 0 .02'/><geom type='capsule' size='.01'"
      " fromto='0 0 .08 0 0 -.09' condim='6' friction='.5 .001 .0001'/></body></worldbody></mujoco>";
  static const char* const outputs[] = {"cfrc_int", "cfrc_ext", "cacc cfrc_int", "cacc"};
  for (int k = 0; k < 4; k++) {
    compareText(xml, outputs[k], 30, throwTop);
  }
}


// velocities of a ball and a box that bounce, different in every world
static void throwBouncers(int world, mjtNum qvel[12]) {
  mju_zero(qvel, 12);
  qvel[2] = 0.1 * (world % 7);
  qvel[8] = 0.07 * (world % 5);
  qvel[9] = 0.1 * world;
}


// contacts of a lone world in the first places, nothing in the others; true if there were more of
// them before
static bool expectContacts(const mjModel* m, mjData* d, int world, int nstep, const mjContact* kept,
                           int places) {
  const mjContact none = {0};
  int most = 0;
  mj_resetData(m, d);
  throwBouncers(world, d->qvel);
  for (int k = 0; k < nstep; k++) {
    mj_step(m, d);
    most = d->ncon > most ? d->ncon : most;
  }
  for (int k = 0; k < places; k++) {
    CF_EQ_BYTES(kept + k, k < d->ncon ? d->contact + k : &none,
                offsetof(mjContact, efc_address) + sizeof(int));  // without what fills it up
  }
  return d->ncon < most;
}


// places that earlier calls, or earlier steps of a call, have filled hold nothing afterwards
CF_TEST(contacts__that_have_ended__are_not_among_the_outputs) {
  enum { N = 24, PLACES = 6 };
  static mjContact kept[N][PLACES];
  mjModel* m = cf_compileText(
      "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='9 9 1'/><body"
      " pos='0 0 .1'><freejoint/><geom size='.1' solref='-3000 0'/></body><body pos='2 0 .1'>"
      "<freejoint/><geom type='box' size='.1 .1 .1' solref='-3000 0'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  int ended = 0;
  for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
    cfBatch* batch =
        makeOf(m, N, (cfBatchOptions){.nlane = width, .outputs = "contact", .ncontact = PLACES});
    for (int w = 0; w < N; w++) {
      mjtNum qvel[12];
      throwBouncers(w, qvel);
      CF_TRUE(cf_batchSet(batch, "qvel", &w, 1, CF_ORDER_WORLD, qvel));
    }
    for (int call = 0, done = 0; call < 4; call++) {
      CF_TRUE(cf_batchStep(batch, 1 + 12 * call));
      CF_TRUE(cf_batchGet(batch, "contact", NULL, N, CF_ORDER_WORLD, kept));
      done += 1 + 12 * call;
      for (int w = 0; w < N; w++) {
        ended += expectContacts(m, d, w, done, kept[w], PLACES);
      }
    }
    cf_freeBatch(batch);
  }
  CF_TRUE(ended > 20);  // else there was nothing left to show
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- lost worlds

// a slide that gets too far in step 17 of a call of 25
CF_TEST(world__lost_in_a_later_piece_of_a_call__keeps_the_state_before_it) {
  mjModel* m = cf_compileText(
      "<mujoco><option timestep='0.01'/><worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
    cfBatch* batch =
        makeOf(m, 24, (cfBatchOptions){.nlane = width, .unstable = CF_UNSTABLE_FREEZE});
    const int world = 3;
    mjtNum qvel = 9.99e9, qpos = 1e10 - 0.165 * qvel, time, back;
    CF_TRUE(cf_batchStep(batch, 2));
    CF_TRUE(cf_batchSet(batch, "qpos", &world, 1, CF_ORDER_WORLD, &qpos));
    CF_TRUE(cf_batchSet(batch, "qvel", &world, 1, CF_ORDER_WORLD, &qvel));
    CF_TRUE(cf_batchStep(batch, 25));
    cfWorldStatus status;
    CF_TRUE(cf_batchStatus(batch, world, &status));
    CF_TRUE(status.is_frozen && status.nlost == 1 && status.nstep == 20);
    CF_HAS_STR(status.reason, "QPOS");
    CF_TRUE(cf_batchGet(batch, "time", &world, 1, CF_ORDER_WORLD, &time));
    CF_TRUE(cf_batchGet(batch, "qpos", &world, 1, CF_ORDER_WORLD, &back));
    CF_NEAR(time, 0.02, 1e-15);
    CF_NEAR(back, qpos, 0);
    CF_TRUE(cf_batchStatus(batch, 4, &status));
    CF_TRUE(!status.is_frozen && status.nstep == 27 && !status.reason[0]);
    cf_freeBatch(batch);
  }
  mj_deleteModel(m);
}


static bool fails;

static void failPassive(const mjModel* m, mjData* d) {
  (void)m;
  if (fails && d->time >= 0) {
    mju_error("no license");
  }
}


static const char* const sleepers_xml =
    "<mujoco><option><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 .1'/>"
    "<body pos='0 0 .1' sleep='init'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body pos='3 0 .2'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";


// cleaning up after an error runs the callback that raised it
CF_TEST(error__in_the_clean_up_after_an_error__worlds_are_lost_and_the_call_returns) {
  mjModel* m = cf_compileText(sleepers_xml);
  for (int policy = 0; policy < 2; policy++) {
    cfBatch* batch = makeOf(m, 4, (cfBatchOptions){.unstable = (cftUnstable)policy, .nthread = 2});
    CF_TRUE(cf_batchStep(batch, 1));
    mjcb_passive = failPassive;
    fails = true;
    alarm(60);
    CF_TRUE(cf_batchStep(batch, 1));
    alarm(0);
    CF_EQ_STR(cf_batchError(batch), "");  // the call did not fail
    CF_EQ_INT(cf_batchLost(batch), 4);
    cfWorldStatus status;
    CF_TRUE(cf_batchStatus(batch, 2, &status));
    CF_TRUE(status.is_frozen);
    CF_EQ_STR(status.reason, "no license");
    fails = false;
    CF_TRUE(cf_batchReset(batch, NULL, -1) && cf_batchStep(batch, 3));
    CF_EQ_INT(cf_batchLost(batch), 4);
    CF_TRUE(cf_batchStatus(batch, 2, &status));
    CF_TRUE(!status.is_frozen);
    mjcb_passive = NULL;
    cf_freeBatch(batch);
  }
  mj_deleteModel(m);
}


CF_TEST(reset__that_raises_an_error__changes_no_world) {
  mjModel* m = cf_compileText(sleepers_xml);
  cfBatch* batch = makeOf(m, 3, (cfBatchOptions){.nthread = 1});
  CF_TRUE(cf_batchStep(batch, 5));
  mjcb_passive = failPassive;
  fails = true;
  CF_TRUE(!cf_batchReset(batch, NULL, -1));
  CF_EQ_STR(cf_batchError(batch), "world 0: no license");
  fails = false;
  mjcb_passive = NULL;
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 9; k++) {
    mj_step(m, d);
  }
  CF_TRUE(cf_batchStep(batch, 4));
  for (int w = 0; w < 3; w++) {
    mjtNum qpos[14];
    CF_TRUE(cf_batchGet(batch, "qpos", &w, 1, CF_ORDER_WORLD, qpos));
    CF_EQ_BYTES(qpos, d->qpos, sizeof(qpos));
  }
  CF_EQ_INT(cf_batchLost(batch), 0);
  mj_deleteData(d);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// an error cleans the mjData of a world that has one of its own, not what the world keeps
CF_TEST(state__set_in_a_world_that_an_error_has_frozen__outputs_stay) {
  mjModel* m = cf_compileText(sleepers_xml);
  cfBatch* batch = makeOf(
      m, 2, (cfBatchOptions){.unstable = CF_UNSTABLE_FREEZE, .nthread = 1, .outputs = "xpos"});
  const int world = 1;
  mjtNum state[100], before[9], after[9];
  CF_TRUE(cf_batchStep(batch, 5));
  CF_TRUE(cf_batchGet(batch, "xpos", &world, 1, CF_ORDER_WORLD, before));
  mjcb_passive = failPassive;
  fails = true;
  CF_TRUE(cf_batchStep(batch, 1));
  fails = false;
  mjcb_passive = NULL;
  CF_EQ_INT(cf_batchLost(batch), 2);
  CF_TRUE(mj_stateSize(m, mjSTATE_FULLPHYSICS) <= 100);
  CF_TRUE(cf_batchGetState(batch, mjSTATE_FULLPHYSICS, &world, 1, state));
  CF_TRUE(cf_batchSetState(batch, mjSTATE_FULLPHYSICS, &world, 1, state));
  CF_TRUE(cf_batchGet(batch, "xpos", &world, 1, CF_ORDER_WORLD, after));
  CF_TRUE(before[8] > 0.05);
  CF_EQ_BYTES(after, before, sizeof(before));
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


static void failLate(const mjModel* m, mjData* d) {
  (void)m;
  if (d->time > 0.005) {
    mju_error("too late");
  }
}


CF_TEST(warnings__of_forward_and_before_an_error__are_counted) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>"
      "<motor joint='j'/></actuator></mujoco>");
  cfBatch* batch = makeOf(m, 2, (cfBatchOptions){.nthread = 1, .outputs = "warning"});
  const mjtNum ctrl[2] = {NAN, 0};
  cfWorldStatus status;
  CF_TRUE(cf_batchSet(batch, "ctrl", NULL, 2, CF_ORDER_WORLD, ctrl));
  CF_TRUE(cf_batchForward(batch));
  CF_TRUE(cf_batchStatus(batch, 0, &status));
  CF_EQ_INT(status.warning[mjWARN_BADCTRL], 1);
  CF_TRUE(cf_batchStep(batch, 1));
  mjWarningStat counted[2][mjNWARNING];
  CF_TRUE(cf_batchGet(batch, "warning", NULL, 2, CF_ORDER_WORLD, counted));
  CF_EQ_INT(counted[0][mjWARN_BADCTRL].number, 2);
  CF_EQ_INT(counted[1][mjWARN_BADCTRL].number, 0);
  mjcb_passive = failLate;
  CF_TRUE(cf_batchStep(batch, 20));
  mjcb_passive = NULL;
  CF_TRUE(cf_batchStatus(batch, 0, &status));
  CF_EQ_INT(status.nlost, 1);
  CF_EQ_STR(status.reason, "too late");
  CF_EQ_INT(status.warning[mjWARN_BADCTRL], (int)status.nstep + 1);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// a bad control in step 3 of a row of steps, a bad velocity in another one, which resets the world
// with its counters of warnings, or not
static void countWarnings(int width, int unstable, const char* flag, int lost) {
  enum { N = 9, ROWS = 25 };
  const int times = strcmp(flag, "autoreset='disable'") ? 1 : 2;  // as mj_checkVel counts them
  char xml[400];
  snprintf(xml, sizeof(xml),
           "<mujoco><option><flag %s/></option><worldbody><body><joint name='j'/>"
           "<geom size='.1'/></body></worldbody><actuator><motor joint='j'/></actuator></mujoco>",
           flag);
  mjModel* m = cf_compileText(xml);
  cfBatch* batch =
      makeOf(m, N, (cfBatchOptions){.nlane = width, .unstable = (cftUnstable)unstable});
  mjtNum control[N][ROWS][2] = {{{0}}};  // velocity, control
  for (int w = 0; w < N; w++) {
    control[w][3][1] = NAN;
    control[w][lost][0] = w % 2 ? NAN : 0;
  }
  const cfBatchRollout rollout = {
      .nrow = ROWS, .control_spec = mjSTATE_QVEL | mjSTATE_CTRL, .control = control[0][0]};
  CF_TRUE(cf_batchRollout(batch, &rollout));
  for (int w = 0; w < N; w++) {
    cfWorldStatus status;
    CF_TRUE(cf_batchStatus(batch, w, &status));
    CF_EQ_INT(status.nlost, w % 2);
    CF_EQ_INT(status.nstep, w % 2 ? lost + 1 : ROWS);
    CF_EQ_INT(status.warning[mjWARN_BADCTRL], 1);
    CF_EQ_INT(status.warning[mjWARN_BADQVEL], w % 2 * times);
  }
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


CF_TEST(warnings__before_numbers_are_bad__are_counted) {
  for (int width = nextWidth(0); width <= 8; width = nextWidth(width)) {
    for (int lost = 4; lost < 25; lost += 5) {
      countWarnings(width, CF_UNSTABLE_RESET, "gravity='enable'", lost);
      countWarnings(width, CF_UNSTABLE_FREEZE, "gravity='enable'", lost);
      countWarnings(width, CF_UNSTABLE_RESET, "autoreset='disable'", lost);
    }
  }
}


// ---------------------------------------- memory

static long allocations, fails_at, alive;

static void* countingMalloc(size_t size) {
  if (__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED) == fails_at) {
    return NULL;
  }
  __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
  return aligned_alloc(64, (size + 63) / 64 * 64);
}


static void countingFree(void* block) {
  __atomic_sub_fetch(&alive, block != NULL, __ATOMIC_RELAXED);
  free(block);
}


// every allocation in turn fails: a batch or a message, never an error, and nothing is left over
static void makeWithout(const mjModel* m, int nlane) {
  bool is_over = false;
  int refused = 0;
  for (fails_at = 1; !is_over && fails_at < 500; fails_at++) {
    char error[300] = "";
    const cfBatchOptions options = {.nthread = 2, .nlane = nlane};
    const long before = alive;
    allocations = 0;
    mju_user_malloc = countingMalloc;
    mju_user_free = countingFree;
    cfBatch* batch = cf_makeBatch(m, 9, &options, error, sizeof(error));
    is_over = allocations < fails_at;
    CF_TRUE((batch != NULL) == (error[0] == 0));
    refused += !batch;
    cf_freeBatch(batch);
    mju_user_malloc = NULL;
    mju_user_free = NULL;
    CF_EQ_INT(alive, before);
  }
  CF_TRUE(is_over && refused > 5);
}


CF_TEST(batch__no_memory__message_and_nothing_left_over) {
  mjModel *arm = mj_loadXML("models/robots/arm_gripper.xml", NULL, NULL, 0),
          *sleepers = cf_compileText(sleepers_xml);
  CF_TRUE(arm);
  makeWithout(arm, cfi_laneKernels(4) ? 4 : 1);
  makeWithout(arm, 1);
  makeWithout(sleepers, 1);
  mj_deleteModel(arm);
  mj_deleteModel(sleepers);
}

CF_TEST_MAIN("batch/calls")
