// Elements of a specification: create, find, iterate, delete, defaults.
#include <stdint.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "spec/spec.h"

#include "cf_test.h"

static mjsBody* world(mjSpec* s) {
  return mjs_findBody(s, "world");
}

CF_TEST(make__fresh__world_and_root_class) {
  mjSpec* s = mj_makeSpec();
  CF_TRUE(world(s) != NULL);
  CF_EQ_STR(mjs_getString(s->modelname), "MuJoCo Model");
  CF_EQ_STR(mjs_getString(mjs_getName(mjs_getSpecDefault(s)->element)), "main");
  CF_EQ_INT(mjs_getId(world(s)->element), 0);
  CF_TRUE(mjs_getSpec(world(s)->element) == s);
  mj_deleteSpec(s);
}

CF_TEST(add__from_class__attributes_of_the_class) {
  mjSpec* s = mj_makeSpec();
  mjsDefault* def = mjs_addDefault(s, "big", NULL);
  def->geom->size[0] = 7;
  mjs_setString(def->geom->material, "steel");
  mjsGeom* geom = mjs_addGeom(world(s), def);
  CF_NEAR(geom->size[0], 7, 0);
  CF_EQ_STR(mjs_getString(geom->material), "steel");
  mjs_setString(geom->material, "wood");
  CF_EQ_STR(mjs_getString(def->geom->material), "steel");
  CF_TRUE(mjs_addDefault(s, "big", NULL) == NULL);
  CF_TRUE(mjs_getDefault(geom->element) == def);
  mj_deleteSpec(s);
}

CF_TEST(names__repeated__refused_and_found_again_after_delete) {
  mjSpec* s = mj_makeSpec();
  mjsGeom* a = mjs_addGeom(world(s), NULL);
  mjsGeom* b = mjs_addGeom(world(s), NULL);
  CF_EQ_INT(mjs_setName(a->element, "x"), 0);
  CF_EQ_INT(mjs_setName(b->element, "x"), -1);
  CF_HAS_STR(mjs_getError(s), "repeated name 'x' in geom");
  CF_EQ_INT(mjs_setName(b->element, "y"), 0);
  CF_TRUE(mjs_findElement(s, mjOBJ_GEOM, "y") == b->element);
  CF_EQ_INT(mjs_delete(s, a->element), 0);
  CF_TRUE(mjs_findElement(s, mjOBJ_GEOM, "x") == NULL);
  CF_EQ_INT(mjs_getId(b->element), 0);
  mj_deleteSpec(s);
}

CF_TEST(names__ten_thousand__constant_time_lookup) {
  mjSpec* s = mj_makeSpec();
  for (int i = 0; i < 10000; i++) {
    char name[20];
    snprintf(name, sizeof(name), "g%d", i);
    mjs_setName(mjs_addGeom(world(s), NULL)->element, name);
  }
  CF_EQ_INT(mjs_getId(mjs_findElement(s, mjOBJ_GEOM, "g7777")), 7777);
  mj_deleteSpec(s);
}

CF_TEST(delete__body__takes_what_refers_to_it) {
  mjSpec* s = mj_makeSpec();
  mjsBody* body = mjs_addBody(world(s), NULL);
  mjs_setName(body->element, "b");
  mjsJoint* joint = mjs_addJoint(body, NULL);
  mjs_setName(joint->element, "j");
  mjsActuator* actuator = mjs_addActuator(s, NULL);
  actuator->trntype = mjTRN_JOINT;
  mjs_setString(actuator->target, "j");
  mjsActuator* lonely = mjs_addActuator(s, NULL);
  mjs_setName(lonely->element, "lonely");
  CF_EQ_INT(mjs_delete(s, body->element), 0);
  CF_TRUE(mjs_firstElement(s, mjOBJ_ACTUATOR) == lonely->element);
  CF_TRUE(mjs_nextElement(s, lonely->element) == NULL);
  CF_EQ_INT(mjs_delete(s, world(s)->element), -1);
  mj_deleteSpec(s);
}

CF_TEST(children__recursive__depth_first) {
  mjSpec* s = mj_makeSpec();
  mjsBody* a = mjs_addBody(world(s), NULL);
  mjsBody* b = mjs_addBody(a, NULL);
  mjsBody* c = mjs_addBody(world(s), NULL);
  CF_TRUE(mjs_firstChild(world(s), mjOBJ_BODY, 1) == a->element);
  CF_TRUE(mjs_nextChild(world(s), a->element, 1) == b->element);
  CF_TRUE(mjs_nextChild(world(s), b->element, 1) == c->element);
  CF_TRUE(mjs_nextChild(world(s), a->element, 0) == c->element);
  CF_TRUE(mjs_nextChild(a, b->element, 1) == NULL);
  CF_TRUE(mjs_getParent(b->element) == a);
  mj_deleteSpec(s);
}

static int cleanups;
static void countCleanup(const void* data) {
  (void)data;
  cleanups++;
}

CF_TEST(user_values__set_get_delete__cleaned_up_once) {
  mjSpec* s = mj_makeSpec();
  mjsElement* e = mjs_addGeom(world(s), NULL)->element;
  int one = 1, two = 2;
  cleanups = 0;
  mjs_setUserValueWithCleanup(e, "k", &one, countCleanup);
  CF_TRUE(mjs_getUserValue(e, "k") == &one);
  mjs_setUserValue(e, "k", &two);
  CF_EQ_INT(cleanups, 1);
  CF_TRUE(mjs_getUserValue(e, "k") == &two);
  mjs_deleteUserValue(e, "k");
  CF_TRUE(mjs_getUserValue(e, "k") == NULL);
  mjs_setUserValueWithCleanup(e, "z", &one, countCleanup);
  mj_deleteSpec(s);
  CF_EQ_INT(cleanups, 2);
}

CF_TEST(tendon__path__kept_in_order) {
  mjSpec* s = mj_makeSpec();
  mjsTendon* tendon = mjs_addTendon(s, NULL);
  mjs_wrapSite(tendon, "a");
  mjs_wrapGeom(tendon, "g", "side");
  mjs_wrapPulley(tendon, 2);
  mjs_wrapJoint(tendon, "j", 3);
  CF_EQ_INT(mjs_getWrapNum(tendon), 4);
  CF_EQ_INT(mjs_getWrap(tendon, 1)->type, mjWRAP_SPHERE);
  CF_NEAR(mjs_getWrapDivisor(mjs_getWrap(tendon, 2)), 2, 0);
  CF_NEAR(mjs_getWrapCoef(mjs_getWrap(tendon, 3)), 3, 0);
  mj_deleteSpec(s);
}

CF_TEST(bodyToFrame__body_with_contents__contents_stand_in_the_parent) {
  mjSpec* s = mj_makeSpec();
  mjsBody* body = mjs_addBody(world(s), NULL);
  body->pos[2] = 3;
  mjsElement* geom = mjs_addGeom(body, NULL)->element;
  mjsElement* child = mjs_addBody(body, NULL)->element;
  mjsFrame* frame = mjs_bodyToFrame(&body);
  CF_TRUE(body == NULL);
  CF_NEAR(frame->pos[2], 3, 0);
  CF_TRUE(mjs_getParent(geom) == world(s) && mjs_getFrame(geom) == frame);
  CF_TRUE(mjs_getParent(child) == world(s) && mjs_getFrame(child) == frame);
  CF_EQ_INT(mjs_getId(child), 1);
  mj_deleteSpec(s);
}

// products of sizes that are beyond an int
CF_TEST(sizes__products_beyond_int__refused_or_left_out) {
  static const char* const sensors[] = {
      "<mujoco><worldbody><geom name='g' size='1'/></worldbody><sensor>"
      "<contact geom1='g' num='2147483647' data='found force'/></sensor></mujoco>",
      "<mujoco><worldbody><camera name='c' resolution='2147483647 2147483647'/></worldbody><sensor>"
      "<rangefinder camera='c' data='dist dir'/></sensor></mujoco>"};
  char error[2000] = "";
  for (int k = 0; k < 2; k++) {
    mjSpec* s = mj_parseXMLString(sensors[k], NULL, error, sizeof(error));
    CF_TRUE(s != NULL);
    CF_EQ_INT(mjs_sensorDim(mjs_asSensor(mjs_firstElement(s, mjOBJ_SENSOR))), INT32_MAX);
    CF_TRUE(mj_compile(s, NULL) == NULL);
    CF_HAS_STR(mjs_getError(s), "too many values in sensor");
    mj_deleteSpec(s);
  }
  mjSpec* s = mj_parseXMLString("<mujoco><sensor><user dim='2147483647'/></sensor></mujoco>", NULL,
                                error, sizeof(error));
  CF_TRUE(mj_compile(s, NULL) == NULL);
  CF_HAS_STR(mjs_getError(s), "too many values in sensor");
  mj_deleteSpec(s);
}

CF_TEST_MAIN("spec/elements")
