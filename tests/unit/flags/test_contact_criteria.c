// Contact parameters and mesh inertia.  Rn_k is criterion k of requirement n (23 mesh inertia, 24
// friction, 25 priority, 26 solmix, 27 margin and gap); numbers are recorded with MuJoCo 3.5.0.
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"
#include "cf_text.h"
#include "collision/parameters.h"

typedef struct {
  mjModel* m;
  mjData* d;
} Scene;


static Scene openText(const char* xml) {
  mjModel* m = cf_compileText(xml);
  Scene s = {m, mj_makeData(m)};
  mj_forward(s.m, s.d);
  return s;
}


static void closeScene(Scene s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}


// ball of radius 0.1 at some distance from a floor, with attributes of both and a contact section
static Scene ballOverFloor(const char* floor, const char* ball, mjtNum distance,
                           const char* contact) {
  char xml[1000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' %s/><body pos='0 0 %.17g'>"
      "<freejoint/><geom name='ball' size='0.1' %s/></body></worldbody><contact>%s</contact>"
      "</mujoco>",
      floor, 0.1 + distance, ball, contact);
  return openText(xml);
}

// a brick of 0.2 x 0.4 x 0.6 as a mesh, and beside it a primitive
static const char brick[] =
    "<mujoco><compiler %s/><asset><mesh name='brick' vertex='-.1 -.2 -.3 .1 -.2 -.3 -.1 .2 -.3 .1 "
    ".2 -.3 "
    "-.1 -.2 .3 .1 -.2 .3 -.1 .2 .3 .1 .2 .3'/></asset><worldbody><body><freejoint/>"
    "<geom type='mesh' mesh='brick'/></body><body pos='2 0 0'><freejoint/>"
    "<geom type='ellipsoid' size='.1 .2 .3'/></body></worldbody></mujoco>";


static mjModel* compileBrick(const char* attribute) {
  char xml[1000];
  snprintf(xml, sizeof(xml), brick, attribute);
  return cf_compileText(xml);
}


// MuJoCo 3.5.0 has the choice per mesh (inertia="exact"); the flag of the compiler is an alias
CF_TEST(R23_3_4_exactmeshinertia__brick_and_ellipsoid__formulas_whatever_the_flag) {
  const char* const attribute[] = {"", "exactmeshinertia='false'", "exactmeshinertia='true'"};
  cf_guardClear();
  const mjtNum mass = 1000 * 0.2 * 0.4 * 0.6;
  const mjtNum square[3] = {0.2 * 0.2, 0.4 * 0.4, 0.6 * 0.6};
  for (int k = 0; k < 3; k++) {
    mjModel* m = compileBrick(attribute[k]);
    // vertices are kept in single precision
    CF_NEAR(m->body_mass[1], mass, 1e-5);

    // largest moment first
    CF_NEAR(m->body_inertia[3], mass / 12 * (square[1] + square[2]), 1e-5);
    CF_NEAR(m->body_inertia[4], mass / 12 * (square[0] + square[2]), 1e-5);
    CF_NEAR(m->body_inertia[5], mass / 12 * (square[0] + square[1]), 1e-5);

    // the primitive is what it is without the flag
    const mjtNum ellipsoid = 1000 * 4.0 / 3.0 * mjPI * 0.1 * 0.2 * 0.3;
    CF_NEAR(m->body_mass[2], ellipsoid, 1e-9);
    CF_NEAR(m->body_inertia[6], ellipsoid / 5 * (0.04 + 0.09), 1e-9);
    mj_deleteModel(m);
  }
  mju_user_warning = NULL;
}


// a horseshoe, 3 x 3 x 1 with a slot of 1 x 2.5: not every face is seen from its center, so that
// the method shows; beside it a body that has its own inertia
static const char horseshoe[] =
    "<mujoco><compiler %s/><asset><mesh name='u' vertex='0 0 0 3 0 0 3 3 0 2 3 0 2 .5 0 1 .5 0 1 3 0 0 3 0 "
    "0 0 1 3 0 1 3 3 1 2 3 1 2 .5 1 1 .5 1 1 3 1 0 3 1' face='0 4 1 8 9 12 0 5 4 8 12 13 1 3 2 9 10 11 1 4 3 9 11 12 "
    "0 6 5 8 13 14 0 7 6 8 14 15 0 1 9 0 9 8 1 2 10 1 10 9 2 3 11 2 11 10 3 4 12 3 12 11 4 5 13 4 13 12 "
    "5 6 14 5 14 13 6 7 15 6 15 14 7 0 8 7 8 15'/></asset><worldbody>"
    "<body><geom type='mesh' mesh='u' density='1'/></body><body><inertial pos='0 0 0' mass='4' diaginertia='3 2 1'/>"
    "<geom type='mesh' mesh='u'/></body></worldbody></mujoco>";


static mjModel* compileHorseshoe(const char* attribute) {
  char xml[2000];
  snprintf(xml, sizeof(xml), horseshoe, attribute);
  return cf_compileText(xml);
}


// without the flag and with "false": MuJoCo's default, which counts the slot in part (values
// recorded)
CF_TEST(R23_1_exactmeshinertia__false__as_without_the_flag) {
  const char* const attribute[] = {"", "exactmeshinertia='false'"};
  const mjtNum inertia[3] = {12.990391403479963, 7.4771184950773568, 6.8237247368132961};
  cf_guardClear();
  for (int k = 0; k < 2; k++) {
    mjModel* m = compileHorseshoe(attribute[k]);
    CF_NEAR(m->body_mass[1], 8.7711849507735575, 1e-6);
    CF_NEAR_ARRAY(m->body_inertia + 3, inertia, 3, 1e-5);
    CF_NEAR(m->body_mass[2], 4, 0);
    mj_deleteModel(m);
  }
  mju_user_warning = NULL;
}


// slab less slot: mass 9 - 2.5, center and moments of the difference
CF_TEST(R23_2_exactmeshinertia__true__moments_of_slab_less_slot) {
  cf_guardClear();
  mjModel* m = compileHorseshoe("exactmeshinertia='true'");
  const mjtNum y = (9 * 1.5 - 2.5 * 1.75) / 6.5;
  const mjtNum along_x = 9 * (9 + 1) / 12.0 + 9 * (1.5 - y) * (1.5 - y) - 2.5 * (6.25 + 1) / 12 -
                         2.5 * (1.75 - y) * (1.75 - y);
  const mjtNum along_y = 9 * (9 + 1) / 12.0 - 2.5 * (1 + 1) / 12;
  const mjtNum along_z = 9 * (9 + 9) / 12.0 + 9 * (1.5 - y) * (1.5 - y) - 2.5 * (6.25 + 1) / 12 -
                         2.5 * (1.75 - y) * (1.75 - y);
  CF_NEAR(m->body_mass[1], 6.5, 1e-9);
  CF_NEAR(m->body_ipos[3 + 1], y, 1e-9);
  CF_NEAR_ARRAY(m->body_inertia + 3, ((mjtNum[3]){along_z, along_y, along_x}), 3, 1e-8);

  // given inertia is not touched
  CF_NEAR(m->body_mass[2], 4, 0);
  CF_NEAR_ARRAY(m->body_inertia + 6, ((mjtNum[3]){3, 2, 1}), 3, 0);
  mj_deleteModel(m);
  mju_user_warning = NULL;
}


CF_TEST(R24_1_3_4_friction__different__larger_one) {
  Scene s = ballOverFloor("friction='0.3'", "friction='0.7'", -0.001, "");
  CF_NEAR(s.d->contact[0].friction[0], 0.7, 0);
  CF_NEAR(s.d->contact[0].friction[1], 0.7, 0);
  closeScene(s);
  s = ballOverFloor("friction='0.3 0.2 0.001'", "friction='0.7 0.1 0.002'", -0.001, "");
  const mjtNum expected[5] = {0.7, 0.7, 0.2, 0.002, 0.002};
  CF_NEAR_ARRAY(s.d->contact[0].friction, expected, 5, 0);
  closeScene(s);
}


// the sheet, rope and block of the small flex model and their floor, in either order
CF_TEST(R24_2_friction__flex_and_floor__larger_one) {
  mjModel* m = cf_loadTestModel("strip");
  const mjtNum floor[3] = {0.3, 0.02, 0.001}, flex[3] = {0.7, 0.01, 0.002};
  const mjtNum expected[5] = {0.7, 0.7, 0.02, 0.002, 0.002};
  memcpy(m->geom_friction, floor, sizeof(floor));
  CF_TRUE(m->nflex > 0);
  for (int k = 0; k < m->nflex; k++) {
    memcpy(m->flex_friction + 3 * k, flex, sizeof(flex));
    const cfContactSide side[2] = {cfi_geomSide(m, 0), cfi_flexSide(m, k)};
    CF_EQ_INT(side[0].priority, side[1].priority);
    for (int first = 0; first < 2; first++) {
      cfContactParameters p;
      cfi_mixParameters(&p, m, side + first, side + 1 - first);
      CF_NEAR_ARRAY(p.friction, expected, 5, 0);
    }
  }

  // the floor raised into them: what the contacts themselves carry
  m->geom_pos[2] = 0.045;
  m->geom_sameframe[0] = mjSAMEFRAME_NONE;
  mjData* d = mj_makeData(m);
  mj_fwdKinematics(m, d);
  mj_collision(m, d);
  int count = 0;
  for (int k = 0; k < d->ncon; k++) {
    if (d->contact[k].geom[0] == 0 && d->contact[k].flex[1] >= 0) {
      CF_NEAR_ARRAY(d->contact[k].friction, expected, 5, 0);
      count++;
    }
  }
  CF_TRUE(count > 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(R25_1_2_3_priority__higher_or_equal__verbatim_or_combined) {
  const char low[] =
      "friction='0.9 0.05 0.01' solref='0.1 0.7' solimp='0.5 0.6 0.02 0.3 1' solmix='3'";
  const char high[] =
      "priority='1' friction='0.2 0.01 0.001' solref='0.03 1.1' solimp='0.7 0.8 0.004 0.5 3' condim='4'";
  const mjtNum own[5] = {0.7, 0.8, 0.004, 0.5, 3}, mixed[5] = {0.55, 0.65, 0.016, 0.35, 1.5};
  const mjtNum verbatim[5] = {0.2, 0.2, 0.01, 0.001, 0.001},
               largest[5] = {0.9, 0.9, 0.05, 0.01, 0.01};
  Scene s = ballOverFloor(low, high, -0.001, "");
  CF_NEAR_ARRAY(s.d->contact[0].friction, verbatim, 5, 0);
  CF_NEAR(s.d->contact[0].solref[0], 0.03, 0);
  CF_NEAR(s.d->contact[0].solref[1], 1.1, 0);
  CF_NEAR_ARRAY(s.d->contact[0].solimp, own, 5, 0);
  CF_EQ_INT(s.d->contact[0].dim, 4);
  closeScene(s);

  // in the other order
  s = ballOverFloor(high, low, -0.001, "");
  CF_NEAR_ARRAY(s.d->contact[0].friction, verbatim, 5, 0);
  CF_NEAR(s.d->contact[0].solref[0], 0.03, 0);
  CF_NEAR_ARRAY(s.d->contact[0].solimp, own, 5, 0);
  CF_EQ_INT(s.d->contact[0].dim, 4);
  closeScene(s);

  // fewer dimensions than the other geom's, too
  s = ballOverFloor("condim='6'", "condim='1' priority='1'", -0.001, "");
  CF_EQ_INT(s.d->contact[0].dim, 1);
  closeScene(s);

  // default and equal explicit priority
  s = ballOverFloor(low, high + strlen("priority='1' "), -0.001, "");
  CF_EQ_INT(s.m->geom_priority[0], 0);
  CF_NEAR_ARRAY(s.d->contact[0].friction, largest, 5, 0);
  CF_NEAR(s.d->contact[0].solref[0], 0.75 * 0.1 + 0.25 * 0.03, 1e-16);
  CF_NEAR_ARRAY(s.d->contact[0].solimp, mixed, 5, 1e-15);
  CF_EQ_INT(s.d->contact[0].dim, 4);
  closeScene(s);
}


// in MuJoCo a pair has its own values or their defaults, whatever its geoms and their priorities
// say
CF_TEST(R25_4_priority__of_the_geoms_of_a_pair__is_ignored) {
  Scene s = ballOverFloor("priority='2' friction='0.1'", "friction='0.9'", -0.001,
                          "<pair geom1='floor' geom2='ball'/>");
  CF_NEAR(s.d->contact[0].friction[0], 1, 0);
  closeScene(s);
  s = ballOverFloor("priority='2' friction='0.1'", "friction='0.9'", -0.001,
                    "<pair geom1='floor' geom2='ball' friction='0.4 0.5 0.1 0.2 0.3'/>");
  const mjtNum own[5] = {0.4, 0.5, 0.1, 0.2, 0.3};
  CF_EQ_INT(s.d->ncon, 1);
  CF_NEAR_ARRAY(s.d->contact[0].friction, own, 5, 0);
  closeScene(s);
}


CF_TEST(R26_1_2_3_5_solmix__weights__of_the_references) {
  const struct {
    const char *floor, *ball;
    mjtNum weight;  // of the floor
  } mix[] = {{"1", "1", 0.5}, {"2", "1", 2.0 / 3}, {"0", "1", 0}, {"1", "0", 1}, {"0", "0", 0.5}};
  const mjtNum floor_imp[5] = {0.5, 0.6, 0.02, 0.3, 1}, ball_imp[5] = {0.7, 0.8, 0.004, 0.5, 3};
  for (int k = 0; k < 5; k++) {
    char floor[100], ball[100];
    snprintf(floor, sizeof(floor), "solmix='%s' solref='0.1 1' solimp='0.5 0.6 0.02 0.3 1'",
             mix[k].floor);
    snprintf(ball, sizeof(ball), "solmix='%s' solref='0.03 1' solimp='0.7 0.8 0.004 0.5 3'",
             mix[k].ball);
    Scene s = ballOverFloor(floor, ball, -0.001, "");
    const mjtNum w = mix[k].weight;
    CF_NEAR(s.d->contact[0].solref[0], w * 0.1 + (1 - w) * 0.03, 1e-15);
    CF_NEAR(s.d->contact[0].solref[1], 1, 1e-15);
    for (int i = 0; i < 5; i++) {
      CF_NEAR(s.d->contact[0].solimp[i], w * floor_imp[i] + (1 - w) * ball_imp[i], 1e-15);
    }
    closeScene(s);
  }
}


CF_TEST(R26_4_solmix__pair_with_references__bypassed) {
  Scene s = ballOverFloor("solmix='5' solref='0.1 1'", "solref='0.03 1'", -0.001,
                          "<pair geom1='floor' geom2='ball' solref='0.07 0.9' "
                          "solimp='0.8 0.9 0.01 0.4 3'/>");
  const mjtNum solimp[5] = {0.8, 0.9, 0.01, 0.4, 3};
  CF_NEAR(s.d->contact[0].solref[0], 0.07, 0);
  CF_NEAR(s.d->contact[0].solref[1], 0.9, 0);
  CF_NEAR_ARRAY(s.d->contact[0].solimp, solimp, 5, 0);
  closeScene(s);
}


CF_TEST(R27_1_margin__ball_above_the_floor__contact_with_force) {
  Scene s = ballOverFloor("margin='0.002'", "margin='0.002'", 0.001, "");
  CF_EQ_INT(s.d->ncon, 1);
  CF_NEAR(s.d->contact[0].dist, 0.001, 1e-15);
  CF_NEAR(s.d->contact[0].includemargin, 0.004, 1e-17);
  CF_TRUE(s.d->qfrc_constraint[2] > 0);
  closeScene(s);
}


// the document has the sign of the distance turned round: beyond margin - gap MuJoCo applies no
// force
CF_TEST(R27_2_gap__two_distances__force_only_inside_the_included_margin) {
  Scene far = ballOverFloor("margin='0.004' gap='0.003'", "", 0.002, "");
  CF_EQ_INT(far.d->ncon, 1);
  CF_EQ_INT(far.d->nefc, 0);
  CF_NEAR(far.d->qfrc_constraint[2], 0, 0);
  closeScene(far);

  mjtNum last = 0;
  for (int k = 0; k < 3; k++) {
    Scene near = ballOverFloor("margin='0.004' gap='0.003'", "", 0.0005 - 0.0005 * k, "");
    CF_TRUE(near.d->qfrc_constraint[2] > last);
    last = near.d->qfrc_constraint[2];
    closeScene(near);
  }
}


CF_TEST(R27_3_pair__own_margin_and_gap__geoms_are_ignored) {
  Scene s = ballOverFloor("margin='0.1'", "margin='0.1' gap='0.1'", 0.004,
                          "<pair geom1='floor' geom2='ball' margin='0.01' gap='0.005'/>");
  CF_EQ_INT(s.d->ncon, 1);
  CF_NEAR(s.d->contact[0].includemargin, 0.005, 1e-17);
  CF_TRUE(s.d->nefc > 0);
  closeScene(s);
}


CF_TEST(R27_4_margin__zero__contact_only_when_touching) {
  Scene s = ballOverFloor("", "", 0.0001, "");
  CF_EQ_INT(s.d->ncon, 0);
  closeScene(s);
  s = ballOverFloor("", "", -0.0001, "");
  CF_EQ_INT(s.d->ncon, 1);
  CF_NEAR(s.d->efc_margin[0], 0, 0);
  closeScene(s);
}


CF_TEST(R27_5_6_margin_and_gap__five_distances__recorded_forces_and_efc_margin) {
  const mjtNum distance[] = {-0.002, -0.001, 0.0005, 0.002, 0.003};
  const mjtNum force[] = {91.397307873336445, 80.925332361370735, 65.217369093421766,
                          49.509405825472754, 0};
  for (int k = 0; k < 5; k++) {
    Scene s = ballOverFloor("", "margin='0.004' gap='0.001'", distance[k], "");
    CF_EQ_INT(s.d->ncon, 1);
    CF_EQ_INT(s.d->nefc, k < 4 ? 4 : 0);
    CF_NEAR(s.d->qfrc_constraint[2], force[k], 1e-8);
    for (int i = 0; i < s.d->nefc; i++) {
      CF_NEAR(s.d->efc_margin[i], s.d->contact[0].includemargin, 0);
    }
    closeScene(s);
  }
}

CF_TEST_MAIN("flags/contact_criteria")
