// Attaching one specification to another, and copies.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"
#include "spec/spec.h"

static mjSpec* parse(const char* xml) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}

static int noState(const mjModel* m, int instance) {
  (void)m;
  (void)instance;
  return 0;
}

static void noForce(const mjModel* m, mjData* d, int instance, int capability) {
  (void)m;
  (void)d;
  (void)instance;
  (void)capability;
}

static int starts;

static int countStart(const mjModel* m, mjData* d, int instance) {
  (void)m;
  (void)d;
  (void)instance;
  return starts++ * 0;
}

static char last_warning[300];

static void keepWarning(const char* message) {
  snprintf(last_warning, sizeof(last_warning), "%s", message);
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
  mjs_setDeepCopy(parent, 1);
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

// as in MuJoCo, they are elements from the first compilation on and stand before what is added
// later, by replicate, attach or a program
CF_TEST(size__more_keyframes_than_are_written__real_ones_in_front_of_pending_ones) {
  mjSpec* s = parse(
      "<mujoco><size nkey='2'/><worldbody><replicate count='2' offset='1 0 0'><body name='b'><joint "
      "name='j'/><geom size='.1'/></body></replicate></worldbody><keyframe><key name='home' qpos='1'/>"
      "</keyframe></mujoco>");
  static const char* const names[] = {"", "", "home0", "home1", "home", "added"};
  for (int turn = 0; turn < 2; turn++) {
    mjModel* m = mj_compile(s, NULL);
    CF_TRUE(m != NULL);
    CF_EQ_INT(m->nkey, 5 + turn);
    CF_EQ_INT(s->nkey, 2);
    for (int k = 0; k < m->nkey; k++) {
      CF_EQ_STR(m->names + m->name_keyadr[k], names[k]);
    }
    const mjsElement* last = NULL;
    int count = 0;
    for (mjsElement* e = mjs_firstElement(s, mjOBJ_KEY); e; e = mjs_nextElement(s, e)) {
      last = e;
      count++;
    }
    CF_EQ_INT(count, 5 + turn);
    CF_TRUE(last != NULL);
    mj_deleteModel(m);
    mjs_setName(mjs_addKey(s)->element, "added");
  }
  mj_deleteSpec(s);
}

// expected values as in MuJoCo 3.5.0: kept in a keyframe of the model itself, the reference value
// where the keyframe came with an attached model
CF_TEST(keyframes__not_a_number__kept_unless_attached) {
  mjSpec* parent = parse(
      "<mujoco><worldbody><body mocap='true' pos='1 2 3'><geom size='.1'/></body><body><joint ref='30'/>"
      "<geom size='.1'/></body><frame name='f'/></worldbody><keyframe><key qpos='nan' qvel='nan' "
      "mpos='nan 5 6' mquat='0 nan 0 2'/></keyframe></mujoco>");
  mjSpec* child = parse(
      "<mujoco><worldbody><body name='b'><joint ref='60'/><joint axis='1 0 0'/><geom size='.1'/></body>"
      "</worldbody><keyframe><key name='k' qpos='nan 2' qvel='1 nan'/></keyframe></mujoco>");
  mjsFrame* frame = mjs_findFrame(parent, "f");
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "x_", "") != NULL);
  for (int turn = 0; turn < 2; turn++) {
    mjModel* m = mj_compile(parent, NULL);
    CF_TRUE(m && m->nkey == 2 && m->nq == 3);
    CF_TRUE(isnan(m->key_qpos[0]) && isnan(m->key_qvel[0]) && isnan(m->key_mpos[0]));
    CF_TRUE(m->key_mpos[1] == 5 && isnan(m->key_mquat[1]) && m->key_mquat[3] == 2);
    CF_NEAR(m->key_qpos[3], mjPI / 6, 1e-12);
    CF_NEAR(m->key_qpos[4], mjPI / 3, 1e-12);
    CF_NEAR(m->key_qpos[5], 2, 0);
    CF_NEAR_ARRAY(m->key_qvel + 3, ((const mjtNum[3]){0, 1, 0}), 3, 0);
    mj_deleteModel(m);
  }
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}

CF_TEST(attach__same_prefix_twice__refused) {
  mjSpec* parent = mj_makeSpec();
  mjSpec* child = parse(child_xml);
  mjs_setDeepCopy(parent, 1);
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

CF_TEST(attach__by_reference__elements_stay_what_they_are) {
  mjSpec* parent = mj_makeSpec();
  mjSpec* child = parse(child_xml);
  mjsBody* body = mjs_findBody(child, "b");
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  const uint64_t before = parent->element->signature;
  CF_TRUE(mjs_attach(frame->element, body->element, "x_", "") == body->element);
  CF_EQ_STR(mjs_getString(mjs_getName(body->element)), "x_b");
  CF_TRUE(mjs_getSpec(body->element) == parent);
  CF_TRUE(parent->element->signature != before);

  // what is added through the old pointer is compiled with the parent
  mjs_addGeom(body, NULL)->size[0] = 0.1;
  body->pos[0] = 7;
  mjModel* m = mj_compile(parent, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  const int id = mj_name2id(m, mjOBJ_BODY, "x_b");
  CF_EQ_INT(m->body_geomnum[id], 2);
  CF_NEAR(m->body_pos[3 * id], 7, 0);
  CF_TRUE(m->signature == parent->element->signature);
  mj_deleteModel(m);

  // the child still lists the body, but cannot be compiled or give it away again
  CF_TRUE(mjs_findBody(child, "x_b") == body && mjs_findBody(child, "b") == NULL);
  CF_TRUE(mj_compile(child, NULL) == NULL);
  CF_HAS_STR(mjs_getError(child), "attached by reference to a parent");
  CF_TRUE(mjs_attach(frame->element, body->element, "y_", "") == NULL);
  CF_HAS_STR(mjs_getError(parent), "incompatible id in body array");
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "a")->element, "y_", "") == NULL);
  CF_HAS_STR(mjs_getError(parent), "incompatible id in material array, position 1");
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}

// elements of a type in a specification; those of the other that are the same ones, in this order
static int countShared(mjSpec* a, mjSpec* b, mjtObj type, int* shared) {
  int count = 0;
  *shared = 0;
  for (mjsElement* e = mjs_firstElement(a, type); e; e = mjs_nextElement(a, e)) {
    count++;
    for (mjsElement* other = mjs_firstElement(b, type); other; other = mjs_nextElement(b, other)) {
      *shared += other == e;
    }
  }
  return count;
}

static const char full_xml[] =
    "<mujoco model='full'><asset><texture name='t' type='2d' builtin='flat' width='2' height='2'/>"
    "<material name='ma' texture='t'/><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/>"
    "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom name='left' size='.1'/>"
    "<frame name='f'><body name='b'><joint name='j'/><geom name='g' type='mesh' mesh='m'/>"
    "<geom name='g2' size='.1'/><site name='s'/><camera name='c'/><light name='l'/><frame name='in'/>"
    "<body name='b2'><joint name='j2'/><geom name='g3' size='.1'/></body></body></frame>"
    "<body name='rest'><geom name='r' size='.1'/></body></worldbody><contact><exclude name='e' body1='b' "
    "body2='b2'/><pair name='p' geom1='g' geom2='g2'/></contact><tendon><fixed name='te'><joint joint='j' "
    "coef='1'/></fixed></tendon><equality><joint name='q' joint1='j'/></equality><actuator><motor name='a' "
    "joint='j'/></actuator><sensor><jointpos name='se' joint='j'/></sensor><custom><numeric name='n' "
    "data='1'/><text name='tx' data='x'/><tuple name='tu'><element objtype='body' objname='b'/></tuple>"
    "</custom></mujoco>";

// by type: elements of the child above, and how many of them a receiver has that got the body
static const struct {
  mjtObj type;
  int count, moved;
} in_child[] = {
    {mjOBJ_BODY, 4, 2},    {mjOBJ_JOINT, 2, 2},    {mjOBJ_GEOM, 5, 3},     {mjOBJ_SITE, 1, 1},
    {mjOBJ_CAMERA, 1, 1},  {mjOBJ_LIGHT, 1, 1},    {mjOBJ_FRAME, 2, 1},    {mjOBJ_MESH, 1, 1},
    {mjOBJ_HFIELD, 1, 1},  {mjOBJ_TEXTURE, 1, 1},  {mjOBJ_MATERIAL, 1, 1}, {mjOBJ_PAIR, 1, 1},
    {mjOBJ_EXCLUDE, 1, 1}, {mjOBJ_EQUALITY, 1, 1}, {mjOBJ_TENDON, 1, 1},   {mjOBJ_ACTUATOR, 1, 1},
    {mjOBJ_SENSOR, 1, 1},  {mjOBJ_NUMERIC, 1, 1},  {mjOBJ_TEXT, 1, 1},     {mjOBJ_TUPLE, 1, 1}};
enum { KINDS_IN_CHILD = sizeof(in_child) / sizeof(in_child[0]) };

CF_TEST(attach__by_reference__the_child_lists_the_elements_of_the_receiver) {
  mjSpec *child = parse(full_xml), *parent = mj_makeSpec();
  mjsBody* body = mjs_findBody(child, "b");
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, body->element, "x", "") != NULL);
  for (int k = 0; k < KINDS_IN_CHILD; k++) {
    int shared;
    CF_EQ_INT(countShared(child, parent, in_child[k].type, &shared), in_child[k].count);
    CF_EQ_INT(shared, in_child[k].moved);
  }

  // edits through the lists of the child, and of what hangs there since
  mjs_addGeom(mjs_addBody(body, NULL), NULL)->size[0] = 0.1;
  int ngeom = 0;
  for (mjsElement* e = mjs_firstElement(child, mjOBJ_GEOM); e; e = mjs_nextElement(child, e)) {
    mjs_asGeom(e)->rgba[0] = 0.25f;
    ngeom++;
  }
  CF_EQ_INT(ngeom, 6);
  mjsBody* world = mjs_findBody(child, "world");
  CF_TRUE(mjs_firstChild(world, mjOBJ_BODY, 0) == body->element);
  CF_TRUE(mjs_nextChild(world, body->element, 0) == mjs_findBody(child, "rest")->element);
  mjsElement* last = NULL;
  int nbelow = 0;
  for (mjsElement* e = mjs_firstChild(world, mjOBJ_GEOM, 1); e; e = mjs_nextChild(world, e, 1)) {
    last = e;
    nbelow++;
  }
  CF_EQ_INT(nbelow, 6);
  CF_EQ_STR(mjs_getString(mjs_getName(last)), "r");
  mjModel* m = mj_compile(parent, NULL);
  CF_TRUE(m != NULL);
  CF_EQ_INT(m->ngeom, 4);
  for (int i = 0; i < m->ngeom; i++) {
    CF_NEAR(m->geom_rgba[4 * i], 0.25, 0);
  }
  mj_deleteModel(m);

  // what the receiver deletes the child lists further on
  CF_EQ_INT(mjs_delete(parent, body->element), 0);
  CF_TRUE(mjs_findBody(child, "xb") == body);
  for (int k = 0; k < KINDS_IN_CHILD; k++) {
    int shared;
    CF_EQ_INT(countShared(child, parent, in_child[k].type, &shared), in_child[k].count);
  }
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}

CF_TEST(attach__by_reference_twice_over__the_first_child_lists_the_elements) {
  mjSpec *child = parse(full_xml), *parent = mj_makeSpec(), *outer = mj_makeSpec();
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  mjsFrame* place = mjs_addFrame(mjs_findBody(outer, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "x", "") != NULL);
  CF_TRUE(mjs_attach(place->element, parent->element, "y", "") != NULL);
  for (int k = 0; k < KINDS_IN_CHILD; k++) {
    int shared;
    CF_EQ_INT(countShared(child, outer, in_child[k].type, &shared), in_child[k].count);
    CF_EQ_INT(shared, in_child[k].moved);
  }
  mj_deleteSpec(outer);
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}

// the mesh's file is renamed through the child, as MuJoCo's Python does with files given as assets
CF_TEST(attach__files_renamed_through_the_child__found_under_the_new_name) {
  static const char text[] =
      "<mujoco><asset><mesh name='m' file='cube.obj'/></asset><worldbody><body name='b'>"
      "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
  static const char cube[] =
      "v 0 0 0\nv 0 0 1\nv 0 1 0\nv 1 0 0\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";
  mjSpec *child = parse(text), *parent = mj_makeSpec();
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, child->element, "x", "") != NULL);
  mjs_setString(mjs_asMesh(mjs_firstElement(child, mjOBJ_MESH))->file, "xcube.obj");
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "xcube.obj", cube, sizeof(cube) - 1), 0);
  mjModel* m = mj_compile(parent, &vfs);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  CF_EQ_INT(m->nmesh, 1);
  mj_deleteVFS(&vfs);
  mj_deleteModel(m);
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}

CF_TEST(attach__child_deleted_first__parent_compiles) {
  mjSpec* parent = mj_makeSpec();
  mjSpec* child = parse(child_xml);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, child->element, "x_", "") != NULL);
  mj_deleteSpec(child);
  mjModel* m = mj_compile(parent, NULL);
  CF_TRUE(m != NULL);
  CF_EQ_INT(m->nu, 1);
  mj_deleteModel(m);
  mj_deleteSpec(parent);
}

// waiting keyframes keep the names they have, behind those that are attached now
CF_TEST(attach__nested_without_compiling__warns_and_keeps_the_order) {
  mjSpec* parent = parse("<mujoco><worldbody><frame name='f'/></worldbody></mujoco>");
  mjSpec* child = parse(
      "<mujoco><worldbody><body name='b'><joint/><geom size='1'/><frame name='f'/></body></worldbody>"
      "<keyframe><key name='outer' qpos='2'/></keyframe></mujoco>");
  mjSpec* inner = parse(
      "<mujoco><worldbody><body name='b'><joint/><geom size='1'/></body></worldbody>"
      "<keyframe><key name='inner' qpos='1'/></keyframe></mujoco>");
  CF_TRUE(mjs_attach(mjs_findFrame(child, "f")->element, mjs_findBody(inner, "b")->element, "i_",
                     "") != NULL);
  last_warning[0] = 0;
  mju_user_warning = keepWarning;
  mjsElement* made =
      mjs_attach(mjs_findFrame(parent, "f")->element, mjs_findBody(child, "b")->element, "c_", "");
  mju_user_warning = NULL;
  CF_TRUE(made != NULL);
  CF_HAS_STR(last_warning, "Child model has pending keyframes");
  mjModel* m = mj_compile(parent, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  CF_EQ_INT(m->nkey, 2);
  CF_EQ_STR(mj_id2name(m, mjOBJ_KEY, 0), "c_outer");
  CF_EQ_STR(mj_id2name(m, mjOBJ_KEY, 1), "i_inner");
  CF_NEAR(m->key_qpos[0], 2, 0);
  CF_NEAR(m->key_qpos[3], 1, 0);
  mj_deleteModel(m);
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
  mj_deleteSpec(inner);
}

CF_TEST(bodyToFrame__compiled_with_inertial__parent_takes_it_over) {
  mjSpec* s = parse(
      "<mujoco><worldbody><body name='p'><body name='c'><inertial mass='1' pos='0 0 0' diaginertia='1 2 "
      "3'/></body></body></worldbody></mujoco>");
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m != NULL);
  mjsBody *parent = mjs_findBody(s, "p"), *child = mjs_findBody(s, "c");
  CF_TRUE(mjs_bodyToFrame(&child) != NULL && child == NULL);
  CF_NEAR(parent->mass, 1, 0);
  for (int k = 0; k < 3; k++) {
    CF_NEAR(parent->fullinertia[k], k + 1, 1e-15);
  }
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

CF_TEST(compile__tendon_around_a_cylinder__wrap_says_so) {
  mjSpec* s = parse(
      "<mujoco><worldbody><geom name='g' type='cylinder' size='.1 .1'/><site name='a' pos='1 0 0'/><site "
      "name='b' pos='-1 0 0'/></worldbody><tendon><spatial name='t'><site site='a'/><geom geom='g'/><site "
      "site='b'/></spatial></tendon></mujoco>");
  mjsTendon* tendon = mjs_asTendon(mjs_findElement(s, mjOBJ_TENDON, "t"));
  CF_EQ_INT(mjs_getWrap(tendon, 1)->type, mjWRAP_SPHERE);
  mj_deleteModel(mj_compile(s, NULL));
  CF_EQ_INT(mjs_getWrap(tendon, 1)->type, mjWRAP_CYLINDER);
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
  mjs_setDeepCopy(s, 1);
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

// numbers of MuJoCo 3.5.0, where every copy looks at all elements that came with earlier ones:
// where names have numbers already, some of them follow again
CF_TEST(replicate__names_with_numbers__followed_as_often_as_in_mujoco) {
  static const struct {
    const char *joints, *target, *tendon;
    int count;
  } cases[] = {{"<joint name='j'/>", "joint='j'", "j", 3},
               {"<joint name='j'/><joint name='j0' axis='1 0 0'/>", "joint='j'", "j", 5},
               {"<joint name='j00'/>", "joint='j00'", "k", 3},
               {"<joint name='j'/>", "joint='k'", "j", 1},
               {"<joint name='j'/>", "tendon='t'", "j", 3},
               {"<joint name='j'/>", "body='x'", "j", 3}};
  for (int k = 0; k < 6; k++) {
    char text[1000];
    snprintf(
        text, sizeof(text),
        "<mujoco><worldbody><body><joint name='k'/><geom size='1'/></body><replicate count='3'><body name='x'>%s"
        "<geom size='1'/></body></replicate></worldbody><tendon><fixed name='t'><joint joint='%s' coef='1'/></fixed></tendon>"
        "<actuator><%s name='a' %s/></actuator><sensor><actuatorfrc actuator='a'/></sensor></mujoco>",
        cases[k].joints, cases[k].tendon,
        *cases[k].target == 'b' ? "adhesion ctrlrange='0 1'" : "motor", cases[k].target);
    mjModel* m = cf_compileText(text);
    CF_EQ_INT(m->nu, cases[k].count);
    CF_EQ_INT(m->nsensor, cases[k].count);
    mj_deleteModel(m);
  }
}

// as many steps as copies: with as many squared this takes minutes
CF_TEST(replicate__many_copies_of_an_actuator__one_step_each) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><replicate count='20000' offset='.5 0 0'><body><joint name='j'/><geom size='.1'/></body></replicate>"
      "</worldbody><actuator><motor name='a' joint='j'/></actuator></mujoco>");
  CF_EQ_INT(m->nu, 20000);
  CF_EQ_INT(m->actuator_trnid[2 * 19999], 19999);
  mj_deleteModel(m);
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

  // each with the configuration of its own
  const cfElement* instance = cfi_element(last->plugin.element);
  CF_EQ_INT(cfi_countStrings(&instance->part.plugin.key), 1);
  CF_EQ_STR(cfi_text(cfi_strings(&instance->part.plugin.key)), "k");
  CF_EQ_STR(cfi_text(cfi_strings(&instance->part.plugin.value)), "v");
  CF_EQ_INT(cfi_list(cfi_spec(copy), mjOBJ_PLUGIN)->count, 2);
  mj_deleteSpec(copy);
}

// as C++ sees the configuration: a tree with a node per key, in their order
typedef struct mapNode {
  struct mapNode *left, *right, *parent;
  bool is_black;
  cfString key, value;
} mapNode;
typedef struct {
  const mapNode* first;
  const mapNode* root;
  size_t count;
} mapHead;

static void expectConfig(const mjsPlugin* plugin, const char* expected) {
  const mapHead* map = (const mapHead*)mjs_getPluginAttributes(plugin);
  char text[200] = "";
  const mapNode* node = map->first;
  for (size_t i = 0; i < map->count; i++) {
    strcat(strcat(text, cfi_text(&node->key)), "=");
    strcat(strcat(text, cfi_text(&node->value)), " ");
    CF_TRUE(node->left == NULL && node->right == (i + 1 < map->count ? node + 1 : NULL));
    CF_TRUE(i ? node->parent == node - 1 : node->parent->left == node);
    node = node->right;
  }
  CF_EQ_STR(text, expected);
}

CF_TEST(plugin__configuration__read_and_written_as_a_map) {
  mjSpec* s = mj_makeSpec();
  mjsPlugin *one = mjs_addPlugin(s), *two = mjs_addPlugin(s);
  expectConfig(one, "");
  mapNode b = {.is_black = true}, a = {.is_black = true};
  mapHead map = {&a, &b, 2};
  b.left = &a;
  a.parent = &b;
  b.parent = (mapNode*)(void*)&map.root;
  cfString* strings[4] = {&b.key, &b.value, &a.key, &a.value};
  const char* texts[4] = {"second key that is long enough for the heap", "2", "first", "1"};
  for (int k = 0; k < 4; k++) {
    cfi_initString(strings[k]);
    cfi_assignString(strings[k], texts[k]);
  }
  mjs_setPluginAttributes(one, &map);
  expectConfig(one, "first=1 second key that is long enough for the heap=2 ");
  mjs_setPluginAttributes(two, (void*)(uintptr_t)mjs_getPluginAttributes(one));
  expectConfig(two, "first=1 second key that is long enough for the heap=2 ");
  for (int k = 0; k < 4; k++) {
    cfi_freeString(strings[k]);
  }

  // nothing to read and nothing to write, and no end of the program
  mjsPlugin nowhere = {.element = NULL};
  expectConfig(&nowhere, "");
  mjs_setPluginAttributes(&nowhere, &map);
  CF_EQ_INT(mjs_delete(s, one->element), 0);
  expectConfig(two, "first=1 second key that is long enough for the heap=2 ");
  mj_deleteSpec(s);
}

CF_TEST(attach__named_instance__comes_along_and_goes_with_the_body) {
  mjSpec *child = mj_makeSpec(), *parent = mj_makeSpec();
  mjsPlugin* used = mjs_addPlugin(child);
  mjs_setName(used->element, "used");
  mjs_setString(used->plugin_name, "some.plugin");
  mjs_setName(mjs_addPlugin(child)->element, "unused");
  mjsBody* body = mjs_addBody(mjs_findBody(child, "world"), NULL);
  mjs_setName(body->element, "b");
  for (int k = 0; k < 2; k++) {
    mjsGeom* geom = mjs_addGeom(body, NULL);
    geom->plugin.active = 1;
    geom->plugin.element = used->element;
    mjs_setString(geom->plugin.name, "used");
  }
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, body->element, "x_", "_y") != NULL);
  mj_deleteSpec(child);
  const mjsElement* first = mjs_firstElement(parent, mjOBJ_PLUGIN);
  CF_EQ_STR(mjs_getString(mjs_getName((mjsElement*)(uintptr_t)first)), "x_used_y");
  CF_TRUE(mjs_nextElement(parent, (mjsElement*)(uintptr_t)first) == NULL);
  const mjsPlugin* twin = mjs_asPlugin((mjsElement*)(uintptr_t)first);
  CF_EQ_STR(mjs_getString(twin->plugin_name), "some.plugin");

  CF_EQ_INT(mjs_delete(parent, mjs_findBody(parent, "x_b_y")->element), 0);
  CF_TRUE(mjs_firstElement(parent, mjOBJ_PLUGIN) == NULL);
  mj_deleteSpec(parent);
}

CF_TEST(delete__instance_in_use__nothing_points_to_it) {
  mjSpec* s = mj_makeSpec();
  mjsPlugin* plugin = mjs_addPlugin(s);
  mjsGeom* geom = mjs_addGeom(mjs_findBody(s, "world"), NULL);
  geom->size[0] = 1;
  geom->plugin.active = 1;
  geom->plugin.element = plugin->element;
  CF_EQ_INT(mjs_delete(s, plugin->element), 0);
  CF_TRUE(geom->plugin.element == NULL);
  CF_TRUE(mj_compile(s, NULL) == NULL);
  CF_HAS_STR(mjs_getError(s), "neither 'plugin' nor 'instance' is specified for geom");
  mj_deleteSpec(s);
}

// a sensor, a body and what is on it, looked at after the specification they went to is gone
static void useAfterwards(mjSpec* child, mjsBody* body, mjsGeom* geom, mjsActuator* motor) {
  CF_EQ_STR(mjs_getString(mjs_getName(body->element)), "x_b");
  CF_EQ_STR(mjs_getString(motor->target), "x_j");
  CF_TRUE(mjs_getSpec(body->element) == child);
  CF_TRUE(mjs_getParent(geom->element) == NULL && mjs_getFrame(geom->element) == NULL);
  CF_TRUE(mjs_firstChild(body, mjOBJ_GEOM, 1) == NULL);
  CF_NEAR(geom->size[0], 0.1, 0);
  geom->size[0] = 2;
  mjs_setName(body->element, "again");
  CF_TRUE(mjs_findBody(child, "again") == body && mjs_findBody(child, "x_b") == NULL);
  CF_EQ_INT(mjs_delete(child, geom->element), -1);
  CF_EQ_INT(mjs_delete(child, motor->element), -1);
  mjs_addGeom(mjs_addBody(body, NULL), NULL)->size[0] = 1;
  mjSpec* other = mj_makeSpec();
  mjsBody* world = mjs_findBody(other, "world");
  mjsFrame* frame = mjs_addFrame(world, NULL);
  CF_TRUE(mjs_attach(frame->element, body->element, "", "") == NULL);
  CF_HAS_STR(mjs_getError(other), "not in a model any more");
  mjs_setDeepCopy(other, 1);
  CF_TRUE(mjs_attach(frame->element, body->element, "", "") == NULL);
  mj_deleteSpec(other);
}

CF_TEST(attach__receiver_deleted__pointers_of_the_child_stay_good) {
  for (int way = 0; way < 3; way++) {
    mjSpec* child = parse(child_xml);
    mjSpec* parent = mj_makeSpec();
    mjsBody* body = mjs_findBody(child, "b");
    mjsGeom* geom = mjs_asGeom(mjs_firstChild(body, mjOBJ_GEOM, 0));
    mjsActuator* motor = mjs_asActuator(mjs_findElement(child, mjOBJ_ACTUATOR, "mot"));
    mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
    CF_TRUE(mjs_attach(frame->element, body->element, "x_", "") == body->element);

    // the whole receiver, the body alone, or the receiver after it was itself attached
    if (way == 0) {
      mj_deleteSpec(parent);
      parent = NULL;
    } else if (way == 1) {
      CF_EQ_INT(mjs_delete(parent, body->element), 0);
    } else {
      mjSpec* outer = mj_makeSpec();
      mjsFrame* place = mjs_addFrame(mjs_findBody(outer, "world"), NULL);
      CF_TRUE(mjs_attach(place->element, frame->element, "", "") != NULL);
      mj_deleteSpec(parent);
      mj_deleteSpec(outer);
      parent = NULL;
    }
    useAfterwards(child, body, geom, motor);
    mj_deleteSpec(parent);
    mj_deleteSpec(child);
  }
}

CF_TEST(setFrame__inside_itself__refused) {
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  mjsFrame *outer = mjs_addFrame(world, NULL), *inner = mjs_addFrame(world, outer);
  CF_EQ_INT(mjs_setFrame(outer->element, outer), -1);
  CF_EQ_INT(mjs_setFrame(outer->element, inner), -1);
  CF_HAS_STR(mjs_getError(s), "a frame cannot stand inside itself");
  CF_TRUE(mjs_getFrame(outer->element) == NULL);
  CF_EQ_INT(mjs_setFrame(inner->element, outer), 0);
  mj_deleteSpec(s);
}

// position of the only site on a body
static void expectSite(mjSpec* spec, const char* name, mjtNum x, mjtNum y, mjtNum z) {
  mjModel* m = mj_compile(spec, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(spec));
  }
  const int i = mj_name2id(m, mjOBJ_SITE, name);
  CF_TRUE(i >= 0);
  const mjtNum pos[3] = {x, y, z};
  for (int k = 0; k < 3; k++) {
    CF_NEAR(m->site_pos[3 * i + k], pos[k], 1e-12);
  }
  mj_deleteModel(m);
}


CF_TEST(attach__inner_frame_to_another_body__place_outlives_the_first_body) {
  mjSpec* spec = mj_parseXMLString(
      "<mujoco><worldbody><body name='x'><frame pos='1 0 0' euler='0 0 90'><frame name='i' pos='2 0 0' euler='0 90 0'>"
      "<site name='s' pos='0 0 3'/></frame></frame><geom size='.1'/></body><body name='y'><geom size='.1'/></body>"
      "</worldbody></mujoco>",
      NULL, NULL, 0);
  mjs_setDeepCopy(spec, 1);
  CF_TRUE(
      mjs_attach(mjs_findBody(spec, "y")->element, mjs_findFrame(spec, "i")->element, "p_", ""));
  expectSite(spec, "s", 1, 5, 0);
  expectSite(spec, "p_s", 1, 5, 0);
  mjSpec* copy = mj_copySpec(spec);
  expectSite(copy, "p_s", 1, 5, 0);
  CF_EQ_INT(mjs_delete(spec, mjs_findBody(spec, "x")->element), 0);
  expectSite(spec, "p_s", 1, 5, 0);
  mj_deleteSpec(copy);
  mj_deleteSpec(spec);
}

CF_TEST(attach__to_a_site_with_angles__body_turns_with_it) {
  mjSpec* parent =
      parse("<mujoco><worldbody><site name='s' pos='0 0 1' euler='0 0 90'/></worldbody></mujoco>");
  mjSpec* child = parse(
      "<mujoco><worldbody><body name='b' pos='2 0 0'><geom size='.1'/></body></worldbody></mujoco>");
  mjsElement* site = mjs_firstElement(parent, mjOBJ_SITE);
  CF_TRUE(mjs_attach(site, mjs_findBody(child, "b")->element, "", "_x") != NULL);
  mjModel* m = mj_compile(parent, NULL);
  CF_TRUE(m && m->nbody == 2);
  CF_NEAR_ARRAY(m->body_pos + 3, ((const mjtNum[3]){0, 2, 1}), 3, 1e-12);
  CF_NEAR_ARRAY(m->body_quat + 4, ((const mjtNum[4]){sqrt(.5), 0, 0, sqrt(.5)}), 4, 1e-12);
  mj_deleteModel(m);
  mj_deleteSpec(child);
  mj_deleteSpec(parent);
}


CF_TEST(attach__assets_without_names__known_by_their_files) {
  for (int is_copy = 0; is_copy < 2; is_copy++) {
    mjSpec* parent = mj_makeSpec();
    mjSpec* child = parse(
        "<mujoco><asset><mesh file='folder/two.parts.obj'/><mesh file='plain'/></asset><worldbody>"
        "<body name='b'><geom size='.1'/></body></worldbody></mujoco>");
    mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
    mjs_setDeepCopy(parent, is_copy);
    CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "p_", "") != NULL);
    mjsElement* mesh = mjs_firstElement(parent, mjOBJ_MESH);
    CF_EQ_STR(mjs_getString(mjs_getName(mesh)), "p_two.parts");
    CF_EQ_STR(mjs_getString(mjs_getName(mjs_nextElement(parent, mesh))), "p_plain");
    mj_deleteSpec(child);
    mj_deleteSpec(parent);
  }
}


CF_TEST(attach__plugin_of_the_child__active_in_the_parent) {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "test.attached";
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  const int slot = mjp_registerPlugin(&plugin);
  mjSpec *parent = mj_makeSpec(), *child = parse(child_xml);
  CF_EQ_INT(mjs_activatePlugin(child, "test.attached"), 0);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  for (int k = 0; k < 2; k++) {
    mjs_setDeepCopy(parent, 1);
    CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "a")->element, k ? "p" : "q", "") !=
            NULL);
    CF_EQ_INT(cfi_countInts(&cfi_spec(parent)->plugins), 1);
    CF_EQ_INT(cfi_ints(&cfi_spec(parent)->plugins)[0], slot);
  }
  mj_deleteSpec(child);
  mj_deleteSpec(parent);
}

// actuators, sensors and meshes outside the tree take their instances along, each once, in the
// order of the kinds that name them
CF_TEST(attach__named_instances_of_the_child__come_along) {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "test.instances";
  plugin.capabilityflags = mjPLUGIN_ACTUATOR | mjPLUGIN_PASSIVE;
  plugin.nstate = noState;
  plugin.init = countStart;
  plugin.compute = noForce;
  mjp_registerPlugin(&plugin);
  for (int way = 0; way < 4; way++) {
    mjSpec* child = parse(
        "<mujoco><extension><plugin plugin='test.instances'><instance name='unused'/><instance name='p'/>"
        "<instance name='q'/></plugin></extension><worldbody><body name='b'><joint name='j'/>"
        "<geom size='.1'/><plugin instance='q'/></body></worldbody><actuator><plugin joint='j' "
        "plugin='test.instances' instance='p'/><plugin joint='j' plugin='test.instances' instance='q'/>"
        "</actuator></mujoco>");
    mjSpec* parent = mj_makeSpec();
    mjs_setDeepCopy(parent, way % 2);
    mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
    mjsElement* what = way < 2 ? mjs_findBody(child, "b")->element : child->element;
    CF_TRUE(mjs_attach(frame->element, what, "x", "") != NULL);
    mjModel* m = mj_compile(parent, NULL);
    if (!m) {
      CF_FAIL("%s\n", mjs_getError(parent));
    }
    CF_EQ_INT(m->nplugin, 2);

    // compiling starts each instance once, for the step that shows whether the model works
    CF_EQ_INT(starts, 2 * (way + 1));
    CF_EQ_STR(mj_id2name(m, mjOBJ_PLUGIN, 0), "xq");
    CF_EQ_INT(m->body_plugin[1], 0);
    CF_EQ_INT(m->actuator_plugin[0], 1);
    CF_EQ_INT(m->actuator_plugin[1], 0);
    mj_deleteModel(m);
    mj_deleteSpec(parent);
    mj_deleteSpec(child);
  }
}

// number of elements of a kind that a walk meets, each of them once; -1 if one comes twice
static int countOnce(mjSpec* spec, mjtObj type) {
  enum { MOST = 100 };
  const mjsElement* seen[MOST];
  int n = 0;
  for (mjsElement* e = mjs_firstElement(spec, type); e; e = mjs_nextElement(spec, e)) {
    for (int k = 0; k < n; k++) {
      if (seen[k] == e || n == MOST - 1) {
        return -1;
      }
    }
    seen[n++] = e;
  }
  return n;
}


// frames and bodies of a specification onto others of the same, time and again
CF_TEST(attach__to_its_own_specification__walks_meet_each_element_once) {
  static const mjtObj kinds[] = {mjOBJ_BODY, mjOBJ_FRAME, mjOBJ_GEOM, mjOBJ_SITE, mjOBJ_JOINT};
  mjSpec* spec = parse(
      "<mujoco><worldbody><frame name='f'><site name='s'/></frame><body name='a'><frame name='g'>"
      "<geom name='ga' size='1'/></frame><joint/></body><body name='b'><site name='t'/>"
      "<geom name='gb' size='1'/></body></worldbody></mujoco>");
  mjSpec* other = parse("<mujoco><worldbody><frame name='h'/></worldbody></mujoco>");
  static const char* const moves[][2] = {{"a", "h"}, {"b", "f"}, {"g", "f"}, {"f", "t"}, {"f", "s"},
                                         {"a", "t"}, {"g", "s"}, {"b", "h"}, {"f", "h"}};
  int ndone = 0;
  for (size_t k = 0; k < sizeof(moves) / sizeof(moves[0]); k++) {
    static const mjtObj parts[] = {mjOBJ_BODY, mjOBJ_FRAME};
    static const mjtObj places[] = {mjOBJ_FRAME, mjOBJ_SITE};
    mjsElement *part = NULL, *place = NULL;
    for (int i = 0; i < 2; i++) {
      part = part ? part : mjs_findElement(spec, parts[i], moves[k][0]);
      place = place ? place : mjs_findElement(spec, places[i], moves[k][1]);
      place = place ? place : mjs_findElement(other, places[i], moves[k][1]);
    }
    char prefix[20];
    snprintf(prefix, sizeof(prefix), "p%d_", (int)k);
    ndone += part && place && mjs_attach(place, part, prefix, "");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
      CF_TRUE(countOnce(spec, kinds[i]) >= 0);
      CF_TRUE(countOnce(other, kinds[i]) >= 0);
    }
  }
  CF_TRUE(ndone >= 2);
  mj_deleteSpec(spec);
  mj_deleteSpec(other);
}


CF_TEST_MAIN("spec/attach")
