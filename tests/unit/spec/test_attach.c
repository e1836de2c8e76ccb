// Attaching one specification to another, and copies.
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"

static mjSpec* parse(const char* xml) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}

static const char child_xml[] =
    "<mujoco model='child'><compiler angle='radian'/><default><default class='c'><geom size='.3'/>"
    "</default></default><asset><material name='m' rgba='1 0 0 1'/></asset>"
    "<worldbody><body name='a'><freejoint name='f'/><geom name='g' class='c' material='m'/></body>"
    "<body name='b'><joint name='j' ref='.5'/><geom size='.1'/></body></worldbody>"
    "<contact><exclude body1='a' body2='b'/></contact>"
    "<actuator><motor name='mot' joint='j'/></actuator>"
    "<keyframe><key name='k' time='2' qpos='1 2 3 1 0 0 0 .25' ctrl='4'/></keyframe></mujoco>";

CF_TEST(attach__whole_model__names_classes_assets_references) {
  mjSpec* parent =
      parse("<mujoco><worldbody><body name='p'><geom size='1'/></body></worldbody></mujoco>");
  mjSpec* child = parse(child_xml);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, child->element, "x_", "_y") != NULL);
  mj_deleteSpec(child);
  mjsGeom* geom = mjs_asGeom(mjs_findElement(parent, mjOBJ_GEOM, "x_g_y"));
  CF_TRUE(geom != NULL);
  CF_EQ_STR(mjs_getString(geom->material), "x_m_y");
  CF_TRUE(mjs_findDefault(parent, "x_c_y") == mjs_getDefault(geom->element));
  CF_TRUE(mjs_findElement(parent, mjOBJ_MATERIAL, "x_m_y") != NULL);
  mjsActuator* motor = mjs_asActuator(mjs_findElement(parent, mjOBJ_ACTUATOR, "x_mot_y"));
  CF_EQ_STR(mjs_getString(motor->target), "x_j_y");
  mjsExclude* exclude = mjs_asExclude(mjs_firstElement(parent, mjOBJ_EXCLUDE));
  CF_EQ_STR(mjs_getString(exclude->bodyname2), "x_b_y");
  mj_deleteSpec(parent);
}

CF_TEST(attach__keyframes__values_follow_their_joints) {
  mjSpec* parent = parse(
      "<mujoco><worldbody><body name='p'><joint ref='30'/><geom "
      "size='1'/></body></worldbody></mujoco>");
  mjSpec* child = parse(child_xml);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "1_", "") != NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "a")->element, "2_", "") != NULL);
  mj_deleteSpec(child);
  mjModel* m = mj_compile(parent, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  CF_EQ_INT(m->nkey, 2);
  CF_EQ_STR(mj_id2name(m, mjOBJ_KEY, 0), "1_k");
  CF_EQ_STR(mj_id2name(m, mjOBJ_KEY, 1), "2_k");

  // joints: parent's hinge, attached hinge, attached free joint
  // (MuJoCo 3.5.0: what was left behind by the first attach is remembered by the second)
  const double first[9] = {30 * mjPI / 180, .25, 1, 2, 3, 1, 0, 0, 0};
  const double second[9] = {30 * mjPI / 180, .5, 1, 2, 3, 1, 0, 0, 0};
  CF_NEAR_ARRAY(m->key_qpos, first, 9, 1e-12);
  CF_NEAR_ARRAY(m->key_qpos + 9, second, 9, 1e-12);
  CF_NEAR(m->key_ctrl[0], 4, 0);
  CF_NEAR(m->key_time[1], 2, 0);
  mj_deleteModel(m);
  mj_deleteSpec(parent);
}

// numbers of MuJoCo 3.5.0: every copy of a replicate brings the keyframes along, and so does its
// end
CF_TEST(replicate__keyframes__one_more_for_every_copy) {
  mjSpec* s = parse(
      "<mujoco><worldbody><replicate count='2' offset='0 1 0'><body name='q'><joint "
      "name='h'/><geom "
      "size='.1'/></body></replicate></worldbody><actuator><motor name='m' joint='h'/></actuator>"
      "<keyframe><key name='home' time='1' qpos='.7' ctrl='.2'/></keyframe></mujoco>");
  mjModel* m = mj_compile(s, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(s));
  }
  static const char* const names[3] = {"home0", "home1", "home"};
  const double qpos[6] = {.7, 0, 0, .7, 0, 0}, ctrl[6] = {0};
  CF_EQ_INT(m->nkey, 3);
  for (int k = 0; k < 3; k++) {
    CF_EQ_STR(mj_id2name(m, mjOBJ_KEY, k), names[k]);
  }
  CF_NEAR_ARRAY(m->key_qpos, qpos, 6, 0);
  CF_NEAR_ARRAY(m->key_ctrl, ctrl, 6, 0);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

CF_TEST(attach__same_prefix_twice__refused) {
  mjSpec* parent = mj_makeSpec();
  mjSpec* child = parse(child_xml);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "a")->element, "x_", "") != NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "x_", "") == NULL);
  CF_HAS_STR(mjs_getError(parent), "repeated name");
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}

CF_TEST(attach__wrong_kinds__refused) {
  mjSpec* s =
      parse("<mujoco><worldbody><geom name='g' size='1'/><body name='b'/></worldbody></mujoco>");
  mjsElement* body = mjs_findElement(s, mjOBJ_BODY, "b");
  mjsElement* geom = mjs_findElement(s, mjOBJ_GEOM, "g");
  CF_TRUE(mjs_attach(geom, body, "", "") == NULL);
  CF_HAS_STR(mjs_getError(s), "parent element is not a frame, body or site");
  CF_TRUE(mjs_attach(body, geom, "", "") == NULL);
  CF_HAS_STR(mjs_getError(s), "child element is not a frame");
  mj_deleteSpec(s);
}

CF_TEST(copy__then_change__original_untouched) {
  mjSpec* s = parse(child_xml);
  mjSpec* copy = mj_copySpec(s);
  mjsGeom* geom = mjs_asGeom(mjs_findElement(copy, mjOBJ_GEOM, "g"));
  mjs_setString(geom->material, "other");
  mjs_delete(copy, mjs_findBody(copy, "b")->element);
  CF_EQ_STR(mjs_getString(mjs_asGeom(mjs_findElement(s, mjOBJ_GEOM, "g"))->material), "m");
  CF_TRUE(mjs_findBody(s, "b") != NULL);
  CF_TRUE(mjs_findBody(copy, "b") == NULL);
  mj_deleteSpec(s);
  mj_deleteSpec(copy);
}

// a copy inside what is copied would have no end
CF_TEST(attach__inside_itself__refused) {
  char error[2000] = "";
  CF_TRUE(!mj_parseXMLString(
      "<mujoco model='a'><worldbody><body name='d'><attach model='a' prefix='p'/></body>"
      "</worldbody></mujoco>",
      NULL, error, sizeof(error)));
  CF_HAS_STR(error, "could not find model 'a'");
  mjSpec* s = parse(
      "<mujoco><worldbody><frame name='f'><body name='b'><body name='c'><frame "
      "name='g'/></body></body></frame>"
      "<body name='d'/></worldbody></mujoco>");
  mjsElement *inner = mjs_findElement(s, mjOBJ_FRAME, "g"),
             *outer = mjs_findElement(s, mjOBJ_FRAME, "f");
  CF_TRUE(mjs_attach(inner, mjs_findBody(s, "b")->element, "p", "") == NULL);
  CF_HAS_STR(mjs_getError(s), "inside it");
  CF_TRUE(mjs_attach(inner, outer, "p", "") == NULL);
  CF_TRUE(mjs_attach(mjs_findBody(s, "c")->element, outer, "p", "") == NULL);
  CF_TRUE(mjs_attach(mjs_findBody(s, "d")->element, outer, "p", "") != NULL);
  CF_TRUE(mjs_findBody(s, "pc") != NULL);
  mj_deleteSpec(s);
}

// a sensor that refers to nothing is copied with every copy of the subtree, as in MuJoCo: twice as
// many each time
CF_TEST(replicate__sensor_without_object__doubles_up_to_a_limit) {
  char error[2000] = "";
  mjSpec* s = parse(
      "<mujoco><worldbody><replicate "
      "count='4'><light/></replicate></worldbody><sensor><clock/></sensor></mujoco>");
  int count = 0;
  for (mjsElement* e = mjs_firstElement(s, mjOBJ_SENSOR); e; e = mjs_nextElement(s, e)) {
    count++;
  }
  CF_EQ_INT(count, 16);
  mj_deleteSpec(s);
  CF_TRUE(!mj_parseXMLString(
      "<mujoco><worldbody><replicate count='100'><light/></replicate></worldbody>"
      "<sensor><clock/></sensor></mujoco>",
      NULL, error, sizeof(error)));
  CF_HAS_STR(error, "elements of type sensor by attaching");
}

// every copy has a plugin instance of its own, which stays when the original goes
CF_TEST(copy__element_with_plugin__instance_of_its_own) {
  mjSpec* s = parse(
      "<mujoco><worldbody><replicate count='3' offset='1 0 0'><geom name='g' "
      "size='1'><plugin><config key='k' "
      "value='v'/></plugin></geom></replicate></worldbody></mujoco>");
  mjSpec* copy = mj_copySpec(s);
  mj_deleteSpec(s);
  const mjsGeom* first = mjs_asGeom(mjs_findElement(copy, mjOBJ_GEOM, "g0"));
  const mjsGeom* last = mjs_asGeom(mjs_findElement(copy, mjOBJ_GEOM, "g2"));
  CF_TRUE(first->plugin.element != last->plugin.element);
  CF_EQ_INT(first->plugin.element->elemtype, mjOBJ_PLUGIN);
  mjs_delete(copy, first->element);

  char text[4000], error[1000];
  CF_EQ_INT(mj_saveXMLString(copy, text, sizeof(text), error, sizeof(error)), 0);
  const char* config = strstr(text, "<config key=\"k\" value=\"v\"");
  CF_TRUE(config && strstr(config + 1, "<config"));
  CF_TRUE(!strstr(strstr(config + 1, "<config") + 1, "<config"));
  mj_deleteSpec(copy);
}

CF_TEST_MAIN("spec/attach")
