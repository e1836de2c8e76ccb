// URDF into a specification.
#include <math.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "cf_test.h"
#include "mjcf/output.h"

static const char robot[] =
    "<robot name='r'><material name='blue'><color rgba='0 0 1 1'/></material>"
    "<link name='base'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial><visual><geometry><box size='1 2 3'/></geometry><material "
    "name='blue'/></visual>"
    "<collision><geometry><cylinder radius='.1' length='2'/></geometry></collision></link>"
    "<link name='l1'><collision><geometry><sphere radius='.3'/></geometry></collision></link>"
    "<link name='l2'><collision><geometry><sphere radius='.3'/></geometry></collision></link>"
    "<joint name='j1' type='revolute'><parent link='base'/><child link='l1'/><origin xyz='0 0 1' "
    "rpy='0 0 1.5707963267948966'/><axis xyz='0 0 1'/><limit lower='-1' upper='2' effort='10' "
    "velocity='3'/></joint>"
    "<joint name='j2' type='prismatic'><parent link='l1'/><child link='l2'/><mimic joint='j1' "
    "multiplier='2' offset='.5'/></joint><transmission/><gazebo/></robot>";

static mjSpec* parse(const char* xml) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}

CF_TEST(urdf__links_and_joints__bodies_and_joints) {
  mjSpec* s = parse(robot);
  mjsBody* l1 = mjs_findBody(s, "l1");
  mjsJoint* j1 = mjs_asJoint(mjs_findElement(s, mjOBJ_JOINT, "j1"));
  CF_NEAR(l1->pos[2], 1, 0);
  CF_NEAR(l1->quat[3], sqrt(.5), 1e-15);
  CF_NEAR(j1->range[1], 2, 0);
  CF_NEAR(j1->actfrcrange[0], -10, 0);
  CF_EQ_INT(s->compiler.degree, 0);
  mj_deleteSpec(s);
}

// the robot above with settings of the engine in it
static mjSpec* parseWith(const char* settings) {
  char text[8000];
  const char* end = strstr(robot, "</robot>");
  CF_TRUE(end != NULL);
  snprintf(text, sizeof(text), "%.*s%s</robot>", (int)(end - robot), robot, settings);
  return parse(text);
}

// as in MuJoCo
CF_TEST(urdf__mimic__left_out_with_a_warning) {
  mjSpec* s = parse(robot);
  CF_TRUE(mjs_firstElement(s, mjOBJ_EQUALITY) == NULL);
  CF_HAS_STR(mjs_getError(s), "cortenforge:mimic");
  mj_deleteSpec(s);
  s = parseWith("<mujoco><compiler cortenforge:mimic='false'/></mujoco>");
  CF_TRUE(mjs_firstElement(s, mjOBJ_EQUALITY) == NULL);
  mj_deleteSpec(s);
}

CF_TEST(urdf__mimic_kept__joint_equality) {
  mjSpec* s = parseWith("<mujoco><compiler cortenforge:mimic='true'/></mujoco>");
  mjsEquality* e = mjs_asEquality(mjs_firstElement(s, mjOBJ_EQUALITY));
  CF_EQ_INT(e->type, mjEQ_JOINT);
  CF_EQ_STR(mjs_getString(e->name1), "j2");
  CF_EQ_STR(mjs_getString(e->name2), "j1");
  CF_NEAR(e->data[0], .5, 0);
  CF_NEAR(e->data[1], 2, 0);
  CF_TRUE(e->data[2] == 0 && e->data[3] == 0 && e->data[4] == 0);
  mj_deleteSpec(s);
}

CF_TEST(compiler__mimic_that_is_no_word__refused_in_both_formats) {
  char error[1000] = "";
  CF_TRUE(!mj_parseXMLString("<mujoco><compiler cortenforge:mimic='yes'/></mujoco>", NULL, error,
                             sizeof(error)));
  CF_HAS_STR(error, "invalid keyword: 'yes' in attribute 'cortenforge:mimic'");
  CF_TRUE(
      !mj_parseXMLString("<robot name='r'><mujoco><compiler cortenforge:mimic='yes'/></mujoco>"
                         "<link name='l'/></robot>",
                         NULL, error, sizeof(error)));
  CF_HAS_STR(error, "invalid keyword: 'yes' in attribute 'cortenforge:mimic'");
}

// the old switch in repeated sections: the last one counts
CF_TEST(compiler__exactmeshinertia_twice__the_last_counts) {
  static const char* const last[] = {"false", "true"};
  static const mjtMeshInertia expected[] = {mjMESH_INERTIA_LEGACY, mjMESH_INERTIA_EXACT};
  for (int k = 0; k < 2; k++) {
    char text[300];
    snprintf(text, sizeof(text),
             "<mujoco><compiler exactmeshinertia='%s'/><compiler exactmeshinertia='%s'/></mujoco>",
             last[!k], last[k]);
    mjSpec* s = parse(text);
    CF_EQ_INT(mjs_getSpecDefault(s)->mesh->inertia, expected[k]);
    mj_deleteSpec(s);
  }
}

CF_TEST(urdf__what_is_ignored__one_warning) {
  mjSpec* s = parse(robot);
  CF_TRUE(mjs_isWarning(s));
  CF_HAS_STR(mjs_getError(s), "transmission");
  CF_HAS_STR(mjs_getError(s), "gazebo");
  CF_HAS_STR(mjs_getError(s), "limit/velocity");
  mj_deleteSpec(s);
}

CF_TEST(urdf__color_of_the_visual__taken_by_the_collision) {
  mjSpec* s = parse(robot);
  mjsGeom* geom = mjs_asGeom(mjs_firstElement(s, mjOBJ_GEOM));
  CF_EQ_INT(geom->type, mjGEOM_CYLINDER);
  CF_NEAR(geom->size[1], 1, 0);
  CF_NEAR(geom->rgba[2], 1, 0);
  CF_NEAR(geom->rgba[0], 0, 0);
  mj_deleteSpec(s);
}

CF_TEST(urdf__single_link__finds_the_color_that_follows_it) {
  mjSpec* s = parse(
      "<robot name='r'><link name='base'><visual><geometry><sphere radius='1'/></geometry><material name='red'/></visual>"
      "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
      "<material name='green'><color rgba='0 1 0 1'/></material>"
      "<material name='red'><color rgba='0.5 0.25 0 1'/></material></robot>");
  mjsGeom* geom = mjs_asGeom(mjs_firstElement(s, mjOBJ_GEOM));
  CF_NEAR(geom->rgba[0], 0.5, 0);
  CF_NEAR(geom->rgba[1], 0.25, 0);
  mj_deleteSpec(s);
}

// static links are fused unless told otherwise, and inertial frames stand beside full matrices
CF_TEST(urdf__saved_as_mjcf__equal_model) {
  static const char text[] =
      "<robot name='r'><mujoco><compiler discardvisual='false'/></mujoco><link name='base'/><link "
      "name='arm'><inertial><origin xyz='.1 0 0' rpy='.1 .2 .3'/><mass value='2'/><inertia "
      "ixx='.5' iyy='.6' "
      "izz='.7' ixy='.01' ixz='.02' iyz='.03'/></inertial><collision><geometry><sphere "
      "radius='.3'/></geometry>"
      "</collision></link><link name='hand'><inertial><mass value='1'/><inertia ixx='.5' iyy='.6' "
      "izz='.7' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent "
      "link='base'/><child "
      "link='arm'/></joint><joint name='k' type='fixed'><origin xyz='0 0 1'/><parent "
      "link='arm'/><child "
      "link='hand'/></joint></robot>";
  enum { SIZE = 20000 };
  char *saved = (char*)malloc(SIZE), error[1000] = "";
  mjSpec* first = parse(text);
  mjModel* a = mj_compile(first, NULL);
  CF_TRUE(a != NULL);
  _mjPRIVATE__set_xml_precision(17);
  CF_EQ_INT(mj_saveXMLString(first, saved, SIZE, error, sizeof(error)), 0);
  _mjPRIVATE__set_xml_precision(6);
  mjSpec* second = parse(saved);
  mjModel* b = mj_compile(second, NULL);
  CF_TRUE(b != NULL);
  CF_EQ_INT(a->nbody, 2);
  CF_EQ_INT(cf_differingModels(b, a, 1e-13), 0);
  mj_deleteModel(a);
  mj_deleteModel(b);
  mj_deleteSpec(first);
  mj_deleteSpec(second);
  free(saved);
}

CF_TEST_MAIN("mjcf/urdf")
