// External and internal forces of bodies after the constraint solver: contacts, connects, welds,
// perturbations.
#include "cf_test.h"
#include "cf_text.h"

typedef struct {
  mjModel* m;
  mjData* d;
} cfRig;


static cfRig openRig(const char* xml) {
  mjModel* m = cf_compileText(xml);
  return (cfRig){m, mj_makeData(m)};
}


static void closeRig(cfRig r) {
  mj_deleteData(r.d);
  mj_deleteModel(r.m);
}


static void runRig(cfRig r) {
  mj_forward(r.m, r.d);
  mj_rnePostConstraint(r.m, r.d);
}


// two welds (by bodies with an anchor, by sites) and a connect to the world, all violated, one body
// pushed
static const char welded[] =
    "<mujoco><option gravity='0 0 -9'/><worldbody>"
    "<body name='a' pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .3' mass='2'/>"
    "<site name='sa' pos='.1 0 0' euler='0 20 0'/></body>"
    "<body name='b' pos='1 0 1'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.05' mass='1'/>"
    "<site name='sb' pos='.4 0 0'/></body></worldbody>"
    "<equality><weld body1='a' body2='b' anchor='.1 .05 0' relpose='-.5 0 .1 1 .1 0 .05' torquescale='.7'/>"
    "<weld site1='sa' site2='sb'/><connect body1='a' anchor='0 .2 .1'/></equality></mujoco>";


CF_TEST(rnePost__welds_and_connect__recorded_forces) {
  static const mjtNum external[18] = {0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0,
                                      276.21539918051957,
                                      602.07082315014304,
                                      -1433.4971391972331,
                                      3952.2887458144978,
                                      878.86139338406701,
                                      835.98650494822368,
                                      1331.8562736605647,
                                      -4148.9137440672685,
                                      10692.754032615923,
                                      -61080.025811836735,
                                      -5068.7315452273906,
                                      644.58753563204118};
  static const mjtNum internal[18] = {-1585.1971948858893,
                                      3494.9483397514514,
                                      -9191.0431353580607,
                                      61089.258751257577,
                                      5068.7315452273933,
                                      -605.40833390735236,
                                      -253.34092122532459,
                                      -650.98412914371158,
                                      1501.7108972578619,
                                      0,
                                      0,
                                      0,
                                      -1331.8562736605647,
                                      4145.9324688951629,
                                      -10692.754032615923,
                                      61089.258751257512,
                                      5068.7315452273906,
                                      -605.40833390735156};
  cfRig r = openRig(welded);
  mju_copy(r.d->qpos, (mjtNum[8]){.1, .05, .9, .9, .1, -.2, .3, .3}, 8);
  mju_copy(r.d->qvel, (mjtNum[7]){.1, .2, -.3, .4, .5, -.6, .7}, 7);
  mju_copy(r.d->xfrc_applied + 6, (mjtNum[6]){1, 2, 3, .1, .2, .3}, 6);
  runRig(r);
  CF_EQ_INT(r.d->nefc, 15);
  CF_NEAR_ARRAY(r.d->cfrc_ext, external, 18, 1e-5);
  CF_NEAR_ARRAY(r.d->cfrc_int, internal, 18, 1e-5);
  closeRig(r);
}


// what a weld does to one body it does to the other the other way round, torque included
CF_TEST(rnePost__weld_of_two_bodies__action_is_reaction) {
  cfRig r = openRig(
      "<mujoco><option gravity='0 0 0'/><worldbody>"
      "<body name='a'><freejoint/><geom type='box' size='.1 .2 .3'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/><geom type='box' size='.2 .1 .1'/></body></worldbody>"
      "<equality><weld body1='a' body2='b' relpose='1 0 0 1 0 0 0'/></equality></mujoco>");
  mju_axisAngle2Quat(r.d->qpos + 10, (mjtNum[3]){0, 0.6, 0.8}, 0.2);
  runRig(r);

  // both wrenches about the world's origin
  mjtNum a[6], b[6];
  const mjtNum origin[3] = {0};
  mju_transformSpatial(a, r.d->cfrc_ext + 6, 1, origin, r.d->subtree_com + 3, NULL);
  mju_transformSpatial(b, r.d->cfrc_ext + 12, 1, origin, r.d->subtree_com + 6, NULL);
  CF_TRUE(mju_norm3(a) > 0.1);
  for (int k = 0; k < 6; k++) {
    CF_NEAR(a[k], -b[k], 1e-9 * (1 + fabs(a[k])));
  }

  // the constraint turns b back: torque against its rotation
  CF_TRUE(b[1] < 0 && b[2] < 0);
  closeRig(r);
}


// a free body passes nothing to the world: what acts from outside is all of its inertial force
CF_TEST(rnePost__free_body_on_connect_and_floor__no_force_through_its_joint) {
  cfRig r = openRig(
      "<mujoco><option gravity='1 0 -9'/><worldbody><geom type='plane' size='2 2 .1' condim='6' friction='1 .1 .1'/>"
      "<body name='a' pos='0 0 .099'><freejoint/><geom type='box' size='.3 .2 .1' condim='6' friction='1 .1 .1'/></body>"
      "</worldbody><equality><connect body1='a' anchor='.3 0 .1'/></equality></mujoco>");
  r.d->qpos[0] = 0.01;
  mju_copy(r.d->qvel, (mjtNum[6]){.1, .2, .3, .4, .5, .6}, 6);
  mju_copy(r.d->xfrc_applied + 6, (mjtNum[6]){1, 2, 3, .1, .2, .3}, 6);
  runRig(r);
  CF_EQ_INT(r.d->ncon, 4);
  CF_EQ_INT(r.d->ne, 3);
  for (int k = 0; k < 6; k++) {
    CF_NEAR(r.d->cfrc_int[6 + k], 0, 1e-9 * (1 + fabs(r.d->cfrc_ext[6 + k])));
  }
  closeRig(r);
}


// a hanging chain: each joint carries what hangs below it
CF_TEST(rnePost__hanging_chain__weights_add_up) {
  cfRig r = openRig(
      "<mujoco><option gravity='0 0 -10'/><worldbody><body><joint axis='0 1 0'/><geom size='.1' mass='2'/>"
      "<body pos='0 0 -1'><joint axis='0 1 0'/><geom size='.1' mass='3'/></body></body></worldbody></mujoco>");
  runRig(r);
  CF_NEAR(r.d->cfrc_int[6 + 5], 50, 1e-10);
  CF_NEAR(r.d->cfrc_int[12 + 5], 30, 1e-10);
  CF_NEAR(r.d->cacc[12 + 5], 10, 1e-10);
  for (int k = 0; k < 18; k++) {
    CF_NEAR(r.d->cfrc_ext[k], 0, 0);
  }
  CF_EQ_INT(r.d->flg_rnepost, 1);
  closeRig(r);
}


CF_TEST_MAIN("constraint/rnepost")
