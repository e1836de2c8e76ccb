// Saved text describes the same model.
#include <mujoco/mujoco.h>

#include "cf_test.h"

static const char model[] =
    "<mujoco model='round &amp; trip'><compiler angle='radian' eulerseq='XYZ'/>"
    "<option timestep='0.001' integrator='RK4' actuatorgroupdisable='1 3'>"
    "<flag contact='disable' energy='enable'/></option>"
    "<size memory='2M' nuser_geom='2'/><visual><map znear='0.02'/><rgba fog='1 0 0 1'/></visual>"
    "<statistic center='1 2 3'/>"
    "<default><geom rgba='.1 .2 .3 1'/><default class='c'><joint damping='2'/>"
    "<general biastype='affine' biasprm='0 -1 0'/></default></default>"
    "<custom><numeric name='n' data='1 2.5 1e-17'/><text name='t' data='a&#10;b'/>"
    "<tuple name='u'><element objtype='body' objname='b' prm='.5'/></tuple></custom>"
    "<worldbody><light pos='0 0 3' directional='true'/>"
    "<frame name='f' pos='1 0 0'><geom name='g1' size='.1 .2 .3' type='box' euler='.1 .2 "
    ".3'/></frame>"
    "<geom name='g2' size='.3' user='1 2'/><frame pos='0 1 0'><geom name='g3' fromto='0 0 0 0 0 1' "
    "type='capsule' size='.1'/></frame>"
    "<body name='b' childclass='c' pos='0 0 1' quat='.5 .5 .5 .5'><freejoint name='root'/>"
    "<inertial pos='0 0 0' mass='2' diaginertia='1 2 3'/><geom size='.1' class='main'/>"
    "<body name='d'><joint name='j' axis='0 1 0' range='-1 1' limited='true'/><geom size='.1'/>"
    "<site name='s' zaxis='1 1 0'/><camera name='cam' fovy='30' mode='track'/></body></body>"
    "<body name='m' mocap='true'/></worldbody>"
    "<contact><pair geom1='g1' geom2='g2' condim='4'/><exclude body1='b' body2='d'/></contact>"
    "<equality><weld body1='b' body2='m' torquescale='2'/><joint joint1='j' polycoef='0 1 "
    "2'/></equality>"
    "<tendon><fixed name='fix'><joint joint='j' coef='2'/></fixed>"
    "<spatial name='sp' springlength='.1 .2'><site site='s'/><geom geom='g2'/><site "
    "site='s'/></spatial>"
    "</tendon><actuator><motor name='a1' joint='j' gear='3'/>"
    "<position name='a2' joint='j' kp='5' dampratio='1' inheritrange='1'/>"
    "<muscle name='a3' tendon='fix' force='10' lengthrange='0 1'/><general joint='j' class='c' "
    "nsample='3' "
    "delay='0.002' interp='linear'/></actuator>"
    "<sensor><touch site='s' cutoff='1'/><framepos objtype='body' objname='d' reftype='site' "
    "refname='s'/>"
    "<contact geom1='g1' data='found dist' num='2'/><rangefinder site='s'/><clock "
    "name='k'/></sensor>"
    "<keyframe><key name='home' time='1' qpos='0 0 1 1 0 0 0 .5'/></keyframe></mujoco>";

static mjSpec* parse(const char* xml) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}

static char* save(const mjSpec* s) {
  enum { SIZE = 1 << 20 };
  char error[1000] = "";
  char* text = (char*)malloc(SIZE);
  CF_EQ_INT(mj_saveXMLString(s, text, SIZE, error, sizeof(error)), 0);
  return text;
}

// empty lines between sections, no empty sections, the main class without its name, numbers that
// the class has left out, memory in the largest unit
CF_TEST(save__layout__as_mujoco_writes_it) {
  mjSpec* s = parse(
      "<mujoco model='m'><size memory='1024K'/><default><geom solimp='.8'/><default class='d'>"
      "<geom solref='.01' friction='2'/></default></default><worldbody><geom size='1 1 1' type='box'/>"
      "</worldbody></mujoco>");
  char* text = save(s);
  CF_EQ_STR(text,
            "<mujoco model=\"m\">\n"
            "  <size memory=\"1M\"/>\n"
            "\n"
            "  <default>\n"
            "    <geom solimp=\"0.8\"/>\n"
            "    <default class=\"d\">\n"
            "      <geom friction=\"2\" solref=\"0.01\"/>\n"
            "    </default>\n"
            "  </default>\n"
            "\n"
            "  <worldbody>\n"
            "    <geom type=\"box\" size=\"1 1 1\"/>\n"
            "  </worldbody>\n"
            "</mujoco>\n");
  free(text);
  mj_deleteSpec(s);
  s = parse("<mujoco/>");
  text = save(s);
  CF_EQ_STR(text, "<mujoco model=\"MuJoCo Model\">\n  <worldbody/>\n</mujoco>\n");
  free(text);
  mj_deleteSpec(s);
}

CF_TEST(save__twice__same_text) {
  mjSpec* first = parse(model);
  char* text = save(first);
  mjSpec* second = parse(text);
  char* again = save(second);
  CF_EQ_STR(again, text);
  free(text);
  free(again);
  mj_deleteSpec(first);
  mj_deleteSpec(second);
}

CF_TEST(save__copy__same_text) {
  mjSpec* first = parse(model);
  mjSpec* copy = mj_copySpec(first);
  char* text = save(first);
  char* other = save(copy);
  CF_EQ_STR(other, text);
  free(text);
  free(other);
  mj_deleteSpec(first);
  mj_deleteSpec(copy);
}

CF_TEST(save__compiled__same_model) {
  mjSpec* first = parse(model);
  char* text = save(first);
  mjSpec* second = parse(text);
  mjModel* a = mj_compile(first, NULL);
  mjModel* b = mj_compile(second, NULL);
  if (!a || !b) {
    CF_FAIL("%s%s\n", mjs_getError(first), mjs_getError(second));
  }
  CF_EQ_INT(mj_sizeModel(a), mj_sizeModel(b));
  int size = (int)mj_sizeModel(a);
  char *bytes_a = (char*)calloc(1, (size_t)size), *bytes_b = (char*)calloc(1, (size_t)size);
  mj_saveModel(a, NULL, bytes_a, size);
  mj_saveModel(b, NULL, bytes_b, size);
  CF_EQ_BYTES(bytes_a, bytes_b, (size_t)size);
  free(bytes_a);
  free(bytes_b);
  free(text);
  mj_deleteModel(a);
  mj_deleteModel(b);
  mj_deleteSpec(first);
  mj_deleteSpec(second);
}

CF_TEST(save__small_buffer__required_size) {
  mjSpec* s = parse("<mujoco/>");
  char small[10], error[200] = "";
  int need = mj_saveXMLString(s, small, sizeof(small), error, sizeof(error));
  CF_TRUE(need > 10);
  CF_HAS_STR(error, "Output string too short");
  mj_deleteSpec(s);
}

CF_TEST(copyBack__changed_numbers__compiled_again_the_same) {
  mjSpec* s = parse(model);
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m != NULL);
  int geom = mj_name2id(m, mjOBJ_GEOM, "g1"), joint = mj_name2id(m, mjOBJ_JOINT, "j");
  m->opt.timestep = 0.004;
  m->geom_pos[3 * geom] = 5;
  m->geom_rgba[4 * geom] = 0.75f;
  m->jnt_range[2 * joint + 1] = 0.5;
  m->dof_damping[m->jnt_dofadr[joint]] = 9;
  m->body_mass[1] = 3;
  CF_EQ_INT(mj_copyBack(s, m), 1);
  mjModel* again = mj_compile(s, NULL);
  CF_TRUE(again != NULL);
  CF_NEAR(again->opt.timestep, 0.004, 0);
  CF_NEAR_ARRAY(again->geom_pos, m->geom_pos, 3 * m->ngeom, 1e-12);
  CF_NEAR_ARRAY(again->geom_quat, m->geom_quat, 4 * m->ngeom, 1e-12);
  CF_NEAR(again->geom_rgba[4 * geom], 0.75, 0);
  CF_NEAR_ARRAY(again->jnt_range, m->jnt_range, 2 * m->njnt, 1e-12);
  CF_NEAR_ARRAY(again->dof_damping, m->dof_damping, m->nv, 0);
  CF_NEAR_ARRAY(again->body_mass, m->body_mass, m->nbody, 1e-12);
  mj_deleteModel(m);
  mj_deleteModel(again);
  mj_deleteSpec(s);
}

// compiled elements have poses of their own, which end points and angles of the root class must not
// meet
CF_TEST(copyBack__root_class_with_end_points_and_angles__saved_text_gives_the_same_poses) {
  mjSpec* s = parse(
      "<mujoco><default><geom type='capsule' size='.02' fromto='0 0 0 .2 0 .1'/><site euler='10 20 30'/>"
      "<camera euler='30 0 0'/><default class='flat'><site euler='0 0 5'/></default></default>"
      "<worldbody><body><geom/><site/><site class='flat'/><camera/><joint axis='0 1 0'/></body>"
      "</worldbody></mujoco>");
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m && mj_copyBack(s, m));
  char* text = save(s);
  mjSpec* again = parse(text);
  mjModel* n = mj_compile(again, NULL);
  CF_TRUE(n);
  for (int i = 0; i < 4; i++) {
    CF_NEAR(n->geom_quat[i], m->geom_quat[i], 1e-15);
    CF_NEAR(n->site_quat[i], m->site_quat[i], 1e-15);
    CF_NEAR(n->site_quat[4 + i], m->site_quat[4 + i], 1e-15);
    CF_NEAR(n->cam_quat[i], m->cam_quat[i], 1e-15);
  }
  CF_NEAR(n->geom_size[1], m->geom_size[1], 1e-15);
  CF_NEAR(n->geom_pos[0], 0.1, 1e-15);
  mj_deleteModel(m);
  mj_deleteModel(n);
  mj_deleteSpec(s);
  mj_deleteSpec(again);
  free(text);
}

CF_TEST_MAIN("mjcf/save")
