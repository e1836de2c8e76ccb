// mj_recompile: state stays with its elements when the specification changes.
#include "cf_test.h"

#include <mujoco/mujoco.h>

static mjsBody* addMovingBody(mjSpec* s, const char* name) {
  mjsBody* body = mjs_addBody(mjs_findBody(s, "world"), NULL);
  mjs_setName(body->element, name);
  mjsJoint* joint = mjs_addJoint(body, NULL);
  joint->type = mjJNT_SLIDE;
  mjs_setName(joint->element, name);
  mjs_addGeom(body, NULL)->size[0] = .1;
  return body;
}


CF_TEST(recompile__body_deleted_in_front__state_moves_along) {
  mjSpec* s = mj_makeSpec();
  mjsBody* first = addMovingBody(s, "first");
  addMovingBody(s, "second");
  mjModel* m = mj_compile(s, NULL);
  mjData* d = mj_makeData(m);
  d->time = 3;
  d->qpos[0] = 1;
  d->qpos[1] = 2;
  d->qvel[1] = 5;
  CF_EQ_INT(mjs_delete(s, first->element), 0);
  addMovingBody(s, "third");
  CF_EQ_INT(mj_recompile(s, NULL, m, d), 0);
  CF_EQ_INT(m->nv, 2);
  int second = m->jnt_qposadr[mj_name2id(m, mjOBJ_JOINT, "second")];
  CF_NEAR(d->qpos[second], 2, 0);
  CF_NEAR(d->qvel[second], 5, 0);
  CF_NEAR(d->qpos[1 - second], 0, 0);
  CF_NEAR(d->time, 3, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(recompile__without_data__replaces_the_model) {
  mjSpec* s = mj_makeSpec();
  addMovingBody(s, "only");
  mjModel* m = mj_compile(s, NULL);
  addMovingBody(s, "more");
  CF_EQ_INT(mj_recompile(s, NULL, m, NULL), 0);
  CF_EQ_INT(m->nbody, 3);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


// three motors, a keyframe and a mocap body
static const char* const three_motors =
    "<mujoco><worldbody><body name='still' mocap='true'><geom size='.1'/></body><body><joint name='j'/>"
    "<geom size='.1'/></body></worldbody><actuator><motor name='a' joint='j'/>"
    "<motor name='b' joint='j'/><general name='c' joint='j' dyntype='integrator'/></actuator>"
    "<keyframe><key ctrl='1 2 3' act='4'/></keyframe></mujoco>";

static mjSpec* threeMotors(mjModel** m) {
  char error[200] = "";
  mjSpec* s = mj_parseXMLString(three_motors, NULL, error, sizeof(error));
  CF_TRUE(s != NULL);
  *m = mj_compile(s, NULL);
  CF_TRUE(*m != NULL);
  return s;
}


// what MuJoCo does: controls keep their places in the list, activations stay with their actuators
CF_TEST(recompile__actuator_deleted_in_front__controls_keep_their_places) {
  mjModel* m;
  mjSpec* s = threeMotors(&m);
  mjData* d = mj_makeData(m);
  mju_copy(d->ctrl, m->key_ctrl, 3);
  d->act[0] = 4;
  CF_EQ_INT(mjs_delete(s, mjs_findElement(s, mjOBJ_ACTUATOR, "a")), 0);
  mjs_delete(s, mjs_firstElement(s, mjOBJ_KEY));
  mjsActuator* late = mjs_addActuator(s, NULL);
  late->trntype = mjTRN_JOINT;
  mjs_setString(late->target, "j");
  CF_EQ_INT(mj_recompile(s, NULL, m, d), 0);
  CF_NEAR_ARRAY(d->ctrl, ((mjtNum[]){1, 2, 3}), 3, 0);
  CF_NEAR(d->act[0], 4, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(keyframe__actuator_and_a_body_deleted__controls_keep_their_places) {
  mjModel* m;
  mjSpec* s = threeMotors(&m);
  mj_deleteModel(m);
  CF_EQ_INT(mjs_delete(s, mjs_findElement(s, mjOBJ_ACTUATOR, "a")), 0);
  CF_EQ_INT(mjs_delete(s, mjs_findBody(s, "still")->element), 0);
  m = mj_compile(s, NULL);
  CF_TRUE(m != NULL && m->nkey == 1 && m->nu == 2 && m->na == 1);
  CF_NEAR_ARRAY(m->key_ctrl, ((mjtNum[]){1, 2}), 2, 0);
  CF_NEAR(m->key_act[0], 4, 0);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


// MuJoCo's numbers: an edit that is taken back leaves the structure of the model
CF_TEST(signature__edited_after_compilation__that_of_the_structure) {
  mjModel* m;
  mjSpec* s = threeMotors(&m);
  const uint64_t compiled = s->element->signature;
  CF_TRUE(compiled == m->signature && compiled == 3410408504862585128u);
  mjsBody* body = mjs_addBody(mjs_findBody(s, "world"), NULL);
  CF_TRUE(s->element->signature == 15529528256381426439u);
  mjs_addFreeJoint(body);
  mjs_addGeom(body, NULL);
  CF_TRUE(s->element->signature == 18369411194966824242u);
  CF_EQ_INT(mjs_delete(s, mjs_firstElement(s, mjOBJ_KEY)), 0);
  CF_EQ_INT(mjs_delete(s, body->element), 0);
  CF_TRUE(s->element->signature != compiled);
  mjs_addKey(s);
  CF_TRUE(s->element->signature == compiled);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


// a sensor gets its type after it was added: that counts with the next call that changes something
CF_TEST(signature__call_refused__as_it_was) {
  mjModel* m;
  mjSpec *s = threeMotors(&m), *child = mj_makeSpec();
  mjsElement *world = mjs_findBody(s, "world")->element,
             *part = mjs_addBody(mjs_findBody(child, "world"), NULL)->element;
  const mjsDefault* own = mjs_addDefault(s, "own", NULL);
  mjs_addSensor(s)->type = mjSENS_CLOCK;
  const uint64_t added = s->element->signature;
  CF_TRUE(added != m->signature);
  CF_TRUE(mjs_attach(world, part, "p_", "") == NULL);
  CF_EQ_INT(mjs_delete(s, world), -1);
  CF_EQ_INT(mjs_delete(s, mjs_getSpecDefault(s)->element), -1);
  CF_EQ_INT(mjs_delete(s, own->element), 0);
  CF_TRUE(s->element->signature == added);
  mjs_addFrame(mjs_asBody(world), NULL);
  CF_TRUE(s->element->signature != added);
  mj_deleteModel(m);
  m = mj_compile(s, NULL);
  CF_TRUE(m != NULL && m->signature == s->element->signature);
  mj_deleteModel(m);
  mj_deleteSpec(s);
  mj_deleteSpec(child);
}


// programs keep pointers to what they deleted: it stays readable, and is in no model
CF_TEST(delete__elements_that_a_program_still_knows__have_no_id) {
  mjModel* m;
  mjSpec* s = threeMotors(&m);
  mjsElement* gone[] = {mjs_findElement(s, mjOBJ_ACTUATOR, "b"),
                        mjs_findElement(s, mjOBJ_JOINT, "j"), mjs_findBody(s, "still")->element,
                        mjs_firstElement(s, mjOBJ_GEOM)};
  for (int i = 0; i < 3; i++) {
    CF_EQ_INT(mjs_delete(s, gone[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    CF_EQ_INT(mjs_getId(gone[i]), -1);
    CF_EQ_INT(mjs_delete(s, gone[i]), -1);
  }
  CF_EQ_STR(mjs_getString(mjs_getName(gone[0])), "b");
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

// solmix 0: the other geom alone decides
CF_TEST(pair__one_geom_without_weight__parameters_of_the_other) {
  static const char xml[] =
      "<mujoco><worldbody><geom name='a' size='.1' solmix='%d' solimp='.5 .6 .1'/>"
      "<body><freejoint/><geom name='b' size='.1' solmix='%d' solimp='.7 .8 .2'/></body></worldbody>"
      "<contact><pair geom1='a' geom2='b'/></contact></mujoco>";
  for (int k = 0; k < 2; k++) {
    char text[600];
    snprintf(text, sizeof(text), xml, k, 1 - k);
    mjSpec* s = mj_parseXMLString(text, NULL, NULL, 0);
    CF_TRUE(s != NULL);
    mjs_asPair(mjs_firstElement(s, mjOBJ_PAIR))->solimp[0] = NAN;  // left open
    mjModel* m = mj_compile(s, NULL);
    CF_TRUE(m != NULL);
    const mjtNum of_a[3] = {.5, .6, .1}, of_b[3] = {.7, .8, .2};
    CF_NEAR_ARRAY(m->pair_solimp, k ? of_a : of_b, 3, 1e-15);
    mj_deleteModel(m);
    mj_deleteSpec(s);
  }
}


CF_TEST_MAIN("compile/recompile")
