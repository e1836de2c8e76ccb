// Saved text: layout, numbers, refusals, and the model that it describes.
#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "cf_test.h"
#include "mjcf/output.h"

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

// text of a specification, compiled before where `is_new`
static char* saveText(mjSpec* s, bool is_new) {
  enum { SIZE = 1 << 20 };
  char error[1000] = "";
  char* text = (char*)malloc(SIZE);
  mjModel* m = is_new ? mj_compile(s, NULL) : NULL;
  if (is_new && !m) {
    CF_FAIL("%s\n", mjs_getError(s));
  }
  mj_deleteModel(m);
  CF_EQ_INT(mj_saveXMLString(s, text, SIZE, error, sizeof(error)), 0);
  return text;
}

static char* save(mjSpec* s) {
  return saveText(s, true);
}

// radians, empty lines between sections, no empty sections, the main class without its name,
// numbers that the class has left out, memory in the largest unit, sizes by shape
CF_TEST(save__layout__as_mujoco_writes_it) {
  mjSpec* s = parse(
      "<mujoco model='m'><size memory='1024K'/><default><geom solimp='.8'/><default class='d'>"
      "<geom solref='.01' friction='2'/></default></default><worldbody><geom size='1 1 1'/>"
      "<body pos='0 0 1' euler='0 0 90'><joint axis='0 0 2' range='0 90' springdamper='1 1'/>"
      "<geom class='d' type='capsule' fromto='0 0 0 0 0 1' size='.1' mass='2'/></body>"
      "</worldbody><sensor><tendonpos tendon='t'/></sensor><tendon><fixed name='t'><joint joint='j' coef='1'/>"
      "</fixed></tendon></mujoco>");
  mjs_setName(mjs_asJoint(mjs_firstElement(s, mjOBJ_JOINT))->element, "j");
  char* text = save(s);
  CF_EQ_STR(
      text,
      "<mujoco model=\"m\">\n"
      "  <compiler angle=\"radian\"/>\n"
      "\n"
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
      "    <geom size=\"1\"/>\n"
      "    <body pos=\"0 0 1\" quat=\"0.707107 0 0 0.707107\">\n"
      "      <joint name=\"j\" pos=\"0 0 0\" axis=\"0 0 1\" stiffness=\"0.00976471\""
      " range=\"0 1.5708\" damping=\"0.0195294\"/>\n"
      "      <geom class=\"d\" size=\"0.1 0.5\" pos=\"0 0 0.5\" quat=\"0 1 0 0\" type=\"capsule\""
      " mass=\"2\"/>\n"
      "    </body>\n"
      "  </worldbody>\n"
      "\n"
      "  <tendon>\n"
      "    <fixed name=\"t\">\n"
      "      <joint joint=\"j\" coef=\"1\"/>\n"
      "    </fixed>\n"
      "  </tendon>\n"
      "\n"
      "  <sensor>\n"
      "\n"
      "    <tendonpos tendon=\"t\"/>\n"
      "  </sensor>\n"
      "</mujoco>\n");
  free(text);
  mj_deleteSpec(s);
  s = parse("<mujoco/>");
  text = save(s);
  CF_EQ_STR(text,
            "<mujoco model=\"MuJoCo Model\">\n  <compiler angle=\"radian\"/>\n\n"
            "  <worldbody/>\n</mujoco>\n");
  free(text);
  mj_deleteSpec(s);
}

// frames are folded by the first save; from then on the text stays what it is
CF_TEST(save__again__same_text) {
  mjSpec* spec[3] = {parse(model), NULL, NULL};
  char* text[3] = {save(spec[0]), NULL, NULL};
  for (int k = 1; k < 3; k++) {
    spec[k] = parse(text[k - 1]);
    text[k] = save(spec[k]);
  }
  CF_EQ_STR(text[2], text[1]);
  for (int k = 0; k < 3; k++) {
    free(text[k]);
    mj_deleteSpec(spec[k]);
  }
}

CF_TEST(save__copy__same_text_without_compiling) {
  mjSpec* first = parse(model);
  char* text = save(first);
  mjSpec* copy = mj_copySpec(first);
  char* other = saveText(copy, false);
  CF_EQ_STR(other, text);
  free(text);
  free(other);
  mj_deleteSpec(first);
  mj_deleteSpec(copy);
}

// frames are folded, so geoms change places: everything else is where it was
CF_TEST(save__all_digits__same_model) {
  mjSpec* first = parse(model);
  mjModel* a = mj_compile(first, NULL);
  CF_EQ_INT(_mjPRIVATE__get_xml_precision(), 6);
  _mjPRIVATE__set_xml_precision(17);
  char* text = saveText(first, false);
  _mjPRIVATE__set_xml_precision(6);
  mjSpec* second = parse(text);
  mjModel* b = mj_compile(second, NULL);
  CF_TRUE(a && b);
  for (int i = 0; i < a->ngeom; i++) {
    const char* name = mj_id2name(a, mjOBJ_GEOM, i);
    const int k = name ? mj_name2id(b, mjOBJ_GEOM, name) : i;
    CF_NEAR_ARRAY(b->geom_pos + 3 * k, a->geom_pos + 3 * i, 3, 1e-15);
    CF_NEAR_ARRAY(b->geom_quat + 4 * k, a->geom_quat + 4 * i, 4, 1e-15);
  }
  CF_NEAR_ARRAY(b->body_mass, a->body_mass, a->nbody, 1e-14);
  CF_NEAR_ARRAY(b->body_quat, a->body_quat, 4 * a->nbody, 1e-15);
  CF_NEAR_ARRAY(b->actuator_ctrlrange, a->actuator_ctrlrange, 2 * a->nu, 0);
  CF_NEAR_ARRAY(b->key_qpos, a->key_qpos, a->nq, 0);
  free(text);
  mj_deleteModel(a);
  mj_deleteModel(b);
  mj_deleteSpec(first);
  mj_deleteSpec(second);
}

static void expectRefusal(mjSpec* s, const char* message) {
  char text[1000] = "untouched", error[1000] = "";
  CF_EQ_INT(mj_saveXMLString(s, text, sizeof(text), error, sizeof(error)), -1);
  CF_EQ_STR(error, message);
  CF_EQ_STR(text, "untouched");
}

CF_TEST(save__not_compiled__refused) {
  mjSpec* s = parse("<mujoco/>");
  expectRefusal(NULL, "Cannot write empty model");
  expectRefusal(s, "XML Write error: Only compiled model can be written");
  mj_deleteSpec(s);

  // a compilation that fails leaves nothing that could be saved
  s = parse("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  mj_deleteModel(mj_compile(s, NULL));
  mjs_asGeom(mjs_firstElement(s, mjOBJ_GEOM))->size[0] = -1;
  CF_TRUE(mj_compile(s, NULL) == NULL);
  expectRefusal(s, "XML Write error: Only compiled model can be written");
  mj_deleteSpec(s);
}

CF_TEST(save__texture_from_a_buffer__refused) {
  mjSpec* s = parse("<mujoco/>");
  mjsTexture* texture = mjs_addTexture(s);
  const char pixels[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  mjs_setName(texture->element, "t");
  texture->type = mjTEXTURE_2D;
  texture->width = texture->height = 2;
  texture->nchannel = 3;
  mjs_setBuffer(texture->data, pixels, sizeof(pixels));
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m != NULL);
  expectRefusal(s, "no support for buffer textures.");
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

// elements that came after the compilation are in the text
CF_TEST(save__edited_since__compiled_in_a_copy) {
  mjSpec* s = parse("<mujoco><worldbody><geom name='old' size='1'/></worldbody></mujoco>");
  mjModel* m = mj_compile(s, NULL);
  mjsGeom* geom = mjs_addGeom(mjs_findBody(s, "world"), NULL);
  mjs_setName(geom->element, "new");
  geom->size[0] = 0.5;
  geom->alt.type = mjORIENTATION_EULER;
  geom->alt.euler[0] = 90;
  char* text = saveText(s, false);
  CF_HAS_STR(text, "<geom name=\"old\" size=\"1\"/>");
  CF_HAS_STR(text, "<geom name=\"new\" size=\"0.5\" quat=\"0.707107 0.707107 0 0\"/>");
  free(text);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

CF_TEST(save__small_buffer__required_size) {
  mjSpec* s = parse("<mujoco/>");
  mj_deleteModel(mj_compile(s, NULL));
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
  _mjPRIVATE__set_xml_precision(17);
  char* text = saveText(s, false);
  _mjPRIVATE__set_xml_precision(6);
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

// the model that the saved text of a model describes
static mjModel* savedAndRead(mjSpec* s) {
  _mjPRIVATE__set_xml_precision(17);
  char* text = saveText(s, false);
  _mjPRIVATE__set_xml_precision(6);
  mjSpec* again = parse(text);
  mjModel* m = mj_compile(again, NULL);
  if (!m) {
    CF_FAIL("%s\n%s\n", mjs_getError(again), text);
  }
  free(text);
  mj_deleteSpec(again);
  return m;
}


CF_TEST(save__turned_mesh_with_its_center_in_the_origin__stays_turned) {
  mjSpec* s = parse(
      "<mujoco><asset><mesh name='m' vertex='-1 -2 -3 1 -2 -3 -1 2 -3 1 2 -3 -1 -2 3 1 -2 3 -1 2 3 1 2 3'/></asset>"
      "<worldbody><body><freejoint/><geom type='mesh' mesh='m' euler='0 0 30'/></body></worldbody></mujoco>");
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  mjModel* again = savedAndRead(s);
  CF_NEAR_ARRAY(again->geom_quat, m->geom_quat, 4, 1e-12);
  CF_NEAR_ARRAY(again->geom_pos, m->geom_pos, 3, 1e-12);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(save__visual_geoms_discarded__inertia_is_not_inferred_again) {
  mjSpec* s = parse(
      "<mujoco><compiler discardvisual='true' inertiafromgeom='true'/><worldbody><body><freejoint/><geom size='.1'/>"
      "<geom size='.2' contype='0' conaffinity='0' group='2'/></body></worldbody></mujoco>");
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  CF_EQ_INT(m->ngeom, 1);
  mjModel* again = savedAndRead(s);
  CF_NEAR(again->body_mass[1], m->body_mass[1], 1e-12);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(copyBack__springs_and_constraints__in_the_saved_text) {
  mjSpec* s = parse(
      "<mujoco><worldbody><body name='a'><joint name='j' stiffness='1' springref='10'/><geom size='.1'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
      "<equality><connect body1='a' body2='b' anchor='.5 0 0'/></equality></mujoco>");
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  m->qpos_spring[0] = 0.75;
  m->eq_data[1] = 0.375;
  m->qpos0[0] = 0.125;
  CF_EQ_INT(mj_copyBack(s, m), 1);
  char* text = saveText(s, false);
  CF_HAS_STR(text, "springref=\"0.75\"");
  CF_HAS_STR(text, "ref=\"0.125\"");
  CF_HAS_STR(text, "anchor=\"0.5 0.375 0\"");
  free(text);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


// a mass is left out where density and volume of the class give it; a height field counts as the
// box around it, 2 x 4 x 2 here, or as the faces of that box
CF_TEST(save__mass_of_a_height_field__left_out_where_its_box_has_it) {
  static const struct {
    const char *given, *saved;
  } cases[] = {
      {"mass='16000'", "<geom type=\"hfield\" hfield=\"h\"/>"},
      {"mass='40000'", "<geom type=\"hfield\" mass=\"40000\" hfield=\"h\"/>"},
      {"mass='40000' shellinertia='true'",
       "<geom type=\"hfield\" shellinertia=\"true\" hfield=\"h\"/>"},
  };
  for (int i = 0; i < 3; i++) {
    char xml[600];
    snprintf(
        xml, sizeof(xml),
        "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='1 2 3 .5' elevation='0 1 0 1 0 1'/></asset>"
        "<worldbody><body><geom type='hfield' hfield='h' %s/></body></worldbody></mujoco>",
        cases[i].given);
    mjSpec* s = parse(xml);
    char* text = save(s);
    CF_HAS_STR(text, cases[i].saved);
    free(text);
    mj_deleteSpec(s);
  }
}

CF_TEST(save__bind_pose_of_any_length__unit_quaternion) {
  mjSpec* s = parse(
      "<mujoco><worldbody><body name='b'><joint/><geom size='.1'/></body></worldbody><asset><skin "
      "vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'><bone body='b' bindpos='0 0 0' bindquat='1 1 0 0' "
      "vertid='0 1 2' vertweight='1 1 1'/></skin></asset></mujoco>");
  char* text = save(s);
  CF_HAS_STR(text, "bindquat=\"0.707107 0.707107 0 0\"");
  free(text);
  mj_deleteSpec(s);
}

// declared where our prefix is used, and only there
CF_TEST(save__prefix_of_ours__declared_on_the_root) {
  mjSpec* s = parse(
      "<mujoco xmlns='urn:any' xmlns:cortenforge='urn:other'><option cortenforge:solver='xpbd'/>"
      "<worldbody><geom size='1'/></worldbody></mujoco>");
  char* text = save(s);
  CF_HAS_STR(text, "<mujoco model=\"MuJoCo Model\" xmlns:cortenforge=\"urn:cortenforge:mjcf\">\n");
  mjSpec* again = parse(text);
  char* same = save(again);
  CF_EQ_STR(same, text);
  free(same);
  free(text);
  mj_deleteSpec(again);
  mj_deleteSpec(s);
  s = parse("<mujoco xmlns='urn:any'><worldbody><geom size='1'/></worldbody></mujoco>");
  text = save(s);
  CF_TRUE(!strstr(text, "xmlns"));
  free(text);
  mj_deleteSpec(s);
}

CF_TEST_MAIN("mjcf/save")
