// Attaching with a prefix: every name by which one element refers to another follows.
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


// each kind of reference once, and decoys of the same names without the prefix in the parent
static const char child_xml[] =
    "<mujoco><asset><texture name='t' type='2d' builtin='flat' width='2' height='2'/><material name='m' texture='t'/>"
    "<mesh name='me' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/></asset><worldbody>"
    "<body name='a'><joint name='j' type='slide'/><geom name='g' size='.1' material='m'/><site name='s'/>"
    "<camera name='c' mode='targetbody' target='b'/><light name='l' mode='targetbody' target='b'/></body>"
    "<body name='b' pos='1 0 0'><joint name='k'/><geom name='h' type='mesh' mesh='me'/><site name='r'/></body></worldbody>"
    "<contact><pair geom1='g' geom2='h'/><exclude body1='a' body2='b'/></contact>"
    "<equality><weld body1='a' body2='b'/><joint joint1='j' joint2='k'/></equality>"
    "<tendon><spatial name='sp'><site site='s'/><geom geom='g' sidesite='r'/><site site='r'/></spatial>"
    "<fixed name='fx'><joint joint='j' coef='1'/></fixed></tendon>"
    "<actuator><motor joint='j'/><general cranksite='s' slidersite='r' cranklength='1'/>"
    "<general site='s' refsite='r'/><motor tendon='fx'/></actuator>"
    "<sensor><framepos objtype='site' objname='s' reftype='body' refname='b'/></sensor>"
    "<custom><tuple name='tu'><element objtype='body' objname='b' prm='1'/></tuple></custom></mujoco>";

static const char parent_xml[] =
    "<mujoco><worldbody><body name='b'><joint name='k'/><geom name='h' size='1'/><site name='r'/></body>"
    "<body name='a'><joint name='j'/><geom name='g' size='1'/><site name='s'/></body></worldbody></mujoco>";

static void expectReferences(int is_copy) {
  mjSpec *parent = parse(parent_xml), *child = parse(child_xml);
  mjs_setDeepCopy(parent, is_copy);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, child->element, "x_", "") != NULL);
  mj_deleteSpec(child);
  mjModel* m = mj_compile(parent, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  const int a = mj_name2id(m, mjOBJ_BODY, "x_a"), b = mj_name2id(m, mjOBJ_BODY, "x_b");
  const int s = mj_name2id(m, mjOBJ_SITE, "x_s"), r = mj_name2id(m, mjOBJ_SITE, "x_r");
  const int j = mj_name2id(m, mjOBJ_JOINT, "x_j"), k = mj_name2id(m, mjOBJ_JOINT, "x_k");
  const int g = mj_name2id(m, mjOBJ_GEOM, "x_g"), h = mj_name2id(m, mjOBJ_GEOM, "x_h");
  CF_TRUE(a > 0 && b > 0 && s >= 0 && r >= 0 && j >= 0 && k >= 0 && g >= 0 && h >= 0);
  CF_EQ_INT(m->cam_targetbodyid[0], b);
  CF_EQ_INT(m->light_targetbodyid[0], b);
  CF_EQ_INT(m->geom_matid[g], 0);
  CF_EQ_INT(m->geom_dataid[h], 0);
  CF_EQ_INT(m->mat_texid[mjTEXROLE_RGB], 0);
  CF_EQ_INT(m->pair_geom1[0], g < h ? g : h);
  CF_EQ_INT(m->pair_geom2[0], g < h ? h : g);
  CF_EQ_INT(m->exclude_signature[0], (a << 16) + b);
  CF_EQ_INT(m->eq_obj1id[0], a);
  CF_EQ_INT(m->eq_obj2id[0], b);
  CF_EQ_INT(m->eq_obj1id[1], j);
  CF_EQ_INT(m->eq_obj2id[1], k);
  CF_EQ_INT(m->wrap_objid[0], s);
  CF_EQ_INT(m->wrap_objid[1], g);
  CF_EQ_INT((int)m->wrap_prm[1], r);
  CF_EQ_INT(m->wrap_objid[2], r);
  CF_EQ_INT(m->wrap_objid[3], j);
  CF_EQ_INT(m->actuator_trnid[0], j);
  CF_EQ_INT(m->actuator_trnid[2], s);
  CF_EQ_INT(m->actuator_trnid[3], r);
  CF_EQ_INT(m->actuator_trnid[4], s);
  CF_EQ_INT(m->actuator_trnid[5], r);
  CF_EQ_INT(m->actuator_trnid[6], mj_name2id(m, mjOBJ_TENDON, "x_fx"));
  CF_EQ_INT(m->sensor_objid[0], s);
  CF_EQ_INT(m->sensor_refid[0], b);
  CF_EQ_INT(m->tuple_objid[0], b);
  mj_deleteModel(m);
  mj_deleteSpec(parent);
}


CF_TEST(attach__every_kind_of_reference__leads_to_the_attached) {
  expectReferences(0);
}


CF_TEST(attach__every_kind_of_reference_copied__leads_to_the_copy) {
  expectReferences(1);
}


// a body with a sensor on its site, another one
static const char sensed_xml[] =
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='.1'/><site name='s'/></body>"
    "<body name='z'><geom size='.1'/></body></worldbody>"
    "<sensor><framepos name='q' objtype='site' objname='s'/></sensor></mujoco>";

static void renameSite(mjSpec* spec, const char* name) {
  mjs_setName(mjs_firstElement(spec, mjOBJ_SITE), name);
}

static void deleteBody(mjSpec* spec, const char* name) {
  CF_EQ_INT(mjs_delete(spec, mjs_findBody(spec, name)->element), 0);
}

// sensors of the model; -1: it is refused
static int sensorsOf(mjSpec* spec) {
  mjModel* m = mj_compile(spec, NULL);
  const int count = m ? (int)m->nsensor : -1;
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  return count;
}

static mjSpec* parseAndCompile(void) {
  mjSpec* spec = parse(sensed_xml);
  mj_deleteModel(mj_compile(spec, NULL));
  return spec;
}


CF_TEST(delete__name_changed_since_the_compilation__old_name_counts) {
  mjSpec* spec = parseAndCompile();
  renameSite(spec, "x");
  deleteBody(spec, "a");
  CF_EQ_INT(sensorsOf(spec), 0);

  spec = parseAndCompile();
  renameSite(spec, "x");
  renameSite(spec, "y");
  mjSpec* copy = mj_copySpec(spec);
  deleteBody(spec, "z");
  CF_EQ_INT(sensorsOf(spec), 0);
  CF_EQ_INT(sensorsOf(copy), 0);  // what is not resolved is not copied

  spec = parseAndCompile();
  renameSite(spec, "x");
  mjs_setString(mjs_asSensor(mjs_firstElement(spec, mjOBJ_SENSOR))->objname, "x");
  copy = mj_copySpec(spec);
  deleteBody(spec, "a");
  deleteBody(copy, "a");
  CF_EQ_INT(sensorsOf(spec), -1);
  CF_EQ_INT(sensorsOf(copy), -1);
}


CF_TEST(delete__name_changed_without_a_compilation_or_listed_since__new_name_counts) {
  mjSpec* spec = parse(sensed_xml);
  renameSite(spec, "x");
  deleteBody(spec, "a");
  CF_EQ_INT(sensorsOf(spec), -1);

  spec = parseAndCompile();
  renameSite(spec, "x");
  mjs_delete(spec, mjs_addGeom(mjs_findBody(spec, "world"), NULL)->element);
  deleteBody(spec, "a");
  CF_EQ_INT(sensorsOf(spec), -1);

  mjSpec* child =
      parse("<mujoco><worldbody><body name='n'><geom size='1'/></body></worldbody></mujoco>");
  spec = parseAndCompile();
  renameSite(spec, "x");
  mjsFrame* frame = mjs_addFrame(mjs_findBody(spec, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "n")->element, "p", "") != NULL);
  deleteBody(spec, "a");
  CF_EQ_INT(sensorsOf(spec), -1);
  mj_deleteSpec(child);
}


CF_TEST(delete__element_and_reference_newer_than_the_compilation__reference_stays) {
  mjSpec* spec = parseAndCompile();
  mjsBody* body = mjs_addBody(mjs_findBody(spec, "world"), NULL);
  mjsSite* site = mjs_addSite(body, NULL);
  mjsSensor* sensor = mjs_addSensor(spec);
  mjs_setName(body->element, "n");
  mjs_setName(site->element, "k");
  sensor->type = mjSENS_FRAMEPOS;
  sensor->objtype = mjOBJ_SITE;
  mjs_setString(sensor->objname, "k");
  deleteBody(spec, "n");
  CF_EQ_INT(sensorsOf(spec), -1);
}


CF_TEST(compile__exclusions__specification_has_the_order_of_the_model) {
  mjSpec* spec = parse(
      "<mujoco><worldbody><body name='a'><geom name='a' size='.1'/></body><body name='b'><geom name='b' size='.1'/></body>"
      "<body name='c'><geom name='c' size='.1'/></body></worldbody><contact><pair name='bc' geom1='b' geom2='c'/>"
      "<pair name='ab' geom1='a' geom2='b'/><exclude name='x' body1='b' body2='c'/><exclude name='y' body1='b' body2='a'/>"
      "</contact></mujoco>");
  mj_deleteModel(mj_compile(spec, NULL));
  CF_EQ_STR(mjs_getString(mjs_getName(mjs_firstElement(spec, mjOBJ_EXCLUDE))), "y");
  CF_EQ_STR(mjs_getString(mjs_getName(mjs_firstElement(spec, mjOBJ_PAIR))), "ab");
  CF_EQ_INT(mjs_getId(mjs_firstElement(spec, mjOBJ_EXCLUDE)), 0);
  mjs_delete(spec, mjs_firstElement(spec, mjOBJ_EXCLUDE));
  mjModel* m = mj_compile(spec, NULL);
  CF_EQ_INT(m->exclude_signature[0], (2 << 16) + 3);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST_MAIN("spec/references")
