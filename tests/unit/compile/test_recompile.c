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

CF_TEST_MAIN("compile/recompile")
