// Models that cannot be compiled: the message names the trouble, the element and its line; nothing
// leaks or crashes.
#include "cf_test.h"

#include <mujoco/mujoco.h>

// a broken model and what its message must contain
typedef struct {
  const char *body, *rest, *phrase;
} brokenModel;

#define GEOM "<geom size='.1'/>"
#define HINGE "<body name='b'><joint name='j'/><geom name='g' size='.1'/><site name='s'/></body>"

#define FLEX_BODIES "<body name='x'/><body name='y' pos='1 0 0'/><body name='z' pos='0 1 0'/>"
#define FLEX(texture)                                                                          \
  "<deformable><flex dim='2' body='x y z' vertex='0 0 0 0 0 0 0 0 0' element='0 1 2' " texture \
  "/></deformable>"

static const brokenModel broken[] = {
    // texture coordinates of flexes
    {FLEX_BODIES, FLEX("texcoord='1' elemtexcoord='0 0 0'"), "two texture coordinates per vertex"},
    {FLEX_BODIES, FLEX("texcoord='1 2 3' elemtexcoord='0 0 1'"),
     "elemtexcoord 1 is out of range, there are 1 texture coordinates"},
    {FLEX_BODIES, FLEX("texcoord='1 2 3 4' elemtexcoord='0 1 -1'"), "elemtexcoord -1 is out of"},
    {FLEX_BODIES, FLEX("texcoord='1 2 3 4' elemtexcoord='0 1 1'"), ""},
    // sizes below zero
    {"", "<size nuserdata='-1'/>", "nuserdata is negative (-1)"},
    {"<body>" GEOM "</body>", "<size nuser_body='-2'/>", "nuser_body"},
    {"<body>" GEOM "</body>", "<size nuser_cam='-1' nuser_sensor='-1' nkey='-1'/>", ""},
    // names that no object has: a similar name, or the kind of object that has it
    {"<body><joint name='jk'/><geom size='1'/></body>", "<actuator><motor joint='jj'/></actuator>",
     "unknown transmission target 'jj' for actuator id = 0; did you mean 'jk'?\n"},
    {"<geom size='1' material='stell'/>", "<asset><material name='steel'/></asset>",
     "material 'stell' not found in geom 0; did you mean 'steel'?\n"},
    {"<geom type='mesh' mesh='hand'/>",
     "<asset><texture name='hand' type='2d' builtin='flat' width='2' height='2'/></asset>",
     "mesh 'hand' not found in geom 0; there is a texture of that name\n"},
    {"<site name='wheel'/>", "<equality><joint joint1='wheel'/></equality>",
     "unknown element 'wheel' in equality constraint 0; there is a site of that name\n"},
    {"<site name='grip'/>", "<sensor><touch site='grib'/></sensor>",
     "unrecognized name 'grib' of sensorized object; did you mean 'grip'?\n"},
    {"<body name='palm'/>",
     "<custom><tuple name='t'><element objtype='body' objname='plam'/></tuple></custom>",
     "unrecognized object 'plam' in tuple 0; did you mean 'palm'?\n"},
    {"<site name='end'/>",
     "<tendon><spatial><site site='endd'/><site site='end'/></spatial></tendon>",
     "site 'endd' not found in wrap 0 of tendon 0; did you mean 'end'?\n"},
    {"<body name='left'/>", "<contact><exclude body1='left' body2='right'/></contact>",
     "body 'right' not found in bodypair 0\n"},
    {"<body name='left'/>", "<equality><weld body1='lift'/></equality>",
     "unknown element 'lift' in equality constraint 0; did you mean 'left'?\n"},
    {"<body name='left'/><light target='lef' mode='targetbody'/>", "",
     "unknown target body in light; did you mean 'left'?\n"},
    {"<body><freejoint/></body>", "", "mass and inertia of moving bodies"},
    {"<body>" GEOM "<body name='bad'><freejoint/><body/></body></body>", "",
     "mass and inertia of moving bodies must be larger than mjMINVAL; give the body a geom with mass, or an inertial element\nElement name 'bad'"},
    {"<body>" GEOM "<body><freejoint/>" GEOM "</body></body><body name='bad'><joint/></body>", "",
     "mass and inertia of moving bodies must be larger than mjMINVAL; give the body a geom with mass, or an inertial element\nElement name 'bad'"},
    {"<body><freejoint/><joint/>" GEOM "</body>", "", "more than 6 dofs"},
    {"<body><joint type='ball'/><joint/>" GEOM "</body>", "", "ball followed by rotation"},
    {"<body>" GEOM "<body><freejoint/>" GEOM "</body></body>", "",
     "free joint can only be used on top level"},
    {"<body mocap='true'><joint/>" GEOM "</body>", "", "not a fixed child of world"},
    {"<body><joint axis='0 0 0'/>" GEOM "</body>", "", "axis too small"},
    {"<body><joint range='1 -1' limited='true'/>" GEOM "</body>", "", "range[0] should be smaller"},
    {"<body><joint type='ball' range='1 2' limited='true'/>" GEOM "</body>", "",
     "range[0] should be 0"},
    {"<body><joint springdamper='1 -1'/>" GEOM "</body>", "",
     "springdamper values must be positive"},
    {"<body><joint/><geom type='plane' size='1 1 1'/>" GEOM "</body>", "",
     "plane only allowed in static bodies"},
    {"<geom size='0'/>", "", "size 0 must be positive"},
    {"<geom type='box' size='1 1'/>", "", "size 2 must be positive"},
    {"<geom size='.1' condim='2'/>", "", "invalid condim"},
    {"<geom size='.1' mass='-1'/>", "", ""},
    {"<body><joint/><geom size='.1' density='-1'/></body>", "", "negative in geom"},
    {"<geom type='sphere' fromto='0 0 0 0 0 1' size='.1'/>", "", "fromto requires capsule"},
    {"<geom type='capsule' fromto='0 0 0 0 0 0' size='.1'/>", "", "fromto points too close"},
    {"<geom type='capsule' fromto='0 0 0 0 0 1' size='.1' pos='1 0 0'/>", "",
     "both pos and fromto"},
    {"<geom type='mesh'/>", "", "must have valid meshid"},
    {"<geom type='mesh' mesh='nothing'/>", "", "mesh 'nothing' not found"},
    {"<geom size='.1' material='nothing'/>", "", "material 'nothing' not found"},
    {"<geom size='.1' zaxis='0 0 0'/>", "", "zaxis too small"},
    {"<geom name='g' size='.1'/><geom name='g' size='.1'/>", "", "repeated name 'g' in geom"},
    {"<body><inertial mass='1' pos='0 0 0' diaginertia='1 1 3'/><joint/></body>", "", "A + B >= C"},
    {"<body><inertial mass='-1' pos='0 0 0' diaginertia='1 1 1'/><joint/></body>", "",
     "mass and inertia of moving bodies"},
    {"<body><inertial mass='1' pos='0 0 0' fullinertia='1 1 -1 0 0 0'/><joint/></body>", "",
     "positive eigenvalues"},
    {"<camera mode='targetbody' target='nobody'/>", "", "unknown target body"},
    {"<camera fovy='180'/>", "", "fovy too large"},
    {"<light dir='0 0 0'/>", "", "zero direction"},
    {HINGE, "<contact><pair geom1='g' geom2='x'/></contact>", "geom 'x' not found"},
    {HINGE, "<contact><exclude body1='b' body2='x'/></contact>", "body 'x' not found"},
    {HINGE, "<equality><joint joint1='x'/></equality>", "unknown element 'x'"},
    {HINGE, "<equality><weld body1='b' body2='b'/></equality>", "is repeated"},
    {"<body name='b'><freejoint name='j'/>" GEOM "</body>",
     "<equality><joint joint1='j'/></equality>", "only HINGE and SLIDE"},
    {HINGE, "<tendon><fixed><joint joint='x' coef='1'/></fixed></tendon>", "joint 'x' not found"},
    {HINGE, "<tendon><spatial><site site='s'/></spatial></tendon>", "at least two objects"},
    {HINGE, "<tendon><spatial><site site='s'/><site site='s'/></spatial></tendon>", "is repeated"},
    {HINGE, "<tendon><spatial><site site='s'/><pulley divisor='2'/></spatial></tendon>",
     "needs a neighbor"},
    {HINGE, "<tendon><spatial><geom geom='g'/><site site='s'/></spatial></tendon>",
     "not bracketed by sites"},
    {HINGE, "<actuator><motor joint='x'/></actuator>", "unknown transmission target 'x'"},
    {HINGE, "<actuator><motor site='x'/></actuator>", "transmission target 'x' not found"},
    {HINGE, "<actuator><motor joint='j' ctrllimited='true'/></actuator>", "invalid control range"},
    {HINGE, "<actuator><motor joint='j' forcerange='1 -1' forcelimited='true'/></actuator>",
     "invalid force range"},
    {HINGE, "<actuator><position joint='j' inheritrange='1'/></actuator>", "has no range defined"},
    {HINGE, "<actuator><general joint='j' dyntype='integrator' actdim='2'/></actuator>",
     "only allowed for dyntype 'user'"},
    {HINGE, "<actuator><motor joint='j' delay='1'/></actuator>", "without a history buffer"},
    {HINGE, "<sensor><jointpos joint='x'/></sensor>", "unrecognized name 'x'"},
    {HINGE, "<sensor><ballquat joint='j'/></sensor>", "joint must be ball"},
    {HINGE, "<sensor><jointlimitpos joint='j'/></sensor>", "joint must be limited"},
    {HINGE, "<sensor><framequat objtype='body' objname='b' cutoff='1'/></sensor>",
     "cutoff applied"},
    {HINGE, "<sensor><distance geom1='g' geom2='g'/></sensor>", "must be different"},
    {HINGE, "<keyframe><key qpos='1 2'/></keyframe>", "invalid qpos size"},
    {HINGE, "<custom><tuple name='t'><element objtype='body' objname='x'/></tuple></custom>",
     "unrecognized object 'x'"},
    {HINGE, "<custom><numeric name='n' size='1' data='1 2'/></custom>", "too much data"},
    {HINGE,
     "<size nuser_geom='1'/><default><geom user='1 2'/></default><worldbody><geom size='.1' "
     "user='1 2'/></worldbody>",
     "nuser_geom"},
    {HINGE,
     "<compiler autolimits='false'/><worldbody><body><joint range='0 1'/>" GEOM
     "</body></worldbody>",
     "autolimits"},
    {"<body>" GEOM "<body sleep='never'>" GEOM "</body></body>", "",
     "only allowed for movable root bodies"},
};


CF_TEST(compile__broken_models__fail_with_the_phrase) {
  for (size_t k = 0; k < sizeof(broken) / sizeof(broken[0]); k++) {
    char xml[2000], error[1000] = "";
    snprintf(xml, sizeof(xml), "<mujoco><worldbody>%s</worldbody>%s</mujoco>", broken[k].body,
             broken[k].rest);
    mjSpec* s = mj_parseXMLString(xml, NULL, error, sizeof(error));
    if (s) {
      mjModel* m = mj_compile(s, NULL);
      if (m && broken[k].phrase[0]) {
        CF_FAIL("compiled: %s\n", xml);
      }
      mj_deleteModel(m);
      snprintf(error, sizeof(error), "%s", mjs_getError(s));
      mj_deleteSpec(s);
    }
    if (!strstr(error, broken[k].phrase)) {
      CF_FAIL("%s\n gives \"%s\", lacks \"%s\"\n", xml, error, broken[k].phrase);
    }
  }
}


// error of a model made of several files in memory
static void expectPlace(const char* const file[][2], int count, const char* place) {
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  for (int i = 0; i < count; i++) {
    mj_addBufferVFS(&vfs, file[i][0], file[i][1], (int)strlen(file[i][1]));
  }
  CF_TRUE(mj_loadXML(file[0][0], &vfs, error, sizeof(error)) == NULL);
  mj_deleteVFS(&vfs);
  CF_HAS_STR(error, place);
}


CF_TEST(compile__element_of_an_included_file__message_has_its_place) {
  static const char* const files[][2] = {
      {"main.xml", "<mujoco>\n<include file='part.xml'/>\n</mujoco>"},
      {"part.xml",
       "<mujoco>\n <actuator>\n  <motor name='m' joint='none'/>\n </actuator>\n</mujoco>"},
  };
  expectPlace(files, 2,
              "Element name 'm', id 0, line 3, column 3, element 'actuator' (part.xml:3:3)");
}


CF_TEST(compile__element_of_an_attached_model__message_has_its_place) {
  static const char* const files[][2] = {
      {"main.xml",
       "<mujoco><asset><model name='kid' file='kid.xml'/></asset><worldbody><attach model='kid' "
       "body='b' prefix='k_'/></worldbody></mujoco>"},
      {"kid.xml",
       "<mujoco>\n<worldbody>\n<body name='b'><geom name='g' "
       "size='0'/></body></worldbody></mujoco>"},
  };
  expectPlace(files, 2,
              "Element name 'k_g', id 0, line 3, column 16, element 'geom' (kid.xml:3:16)");
}


CF_TEST(compile__element_in_text__message_has_name_and_line) {
  static const char xml[] =
      "<mujoco>\n<worldbody>\n<body name='b'>\n<joint name='stuck' axis='0 0 0'/>\n<geom "
      "size='.1'/></body></worldbody></mujoco>";
  mjSpec* s = mj_parseXMLString(xml, NULL, NULL, 0);
  CF_TRUE(s);
  CF_TRUE(!mj_compile(s, NULL));
  CF_HAS_STR(mjs_getError(s), "'stuck'");
  CF_HAS_STR(mjs_getError(s), "line 4");
  CF_TRUE(!strchr(mjs_getError(s), '('));  // there is no file to name in parentheses
  CF_TRUE(!mjs_isWarning(s));
  mj_deleteSpec(s);
}


// programs look for the whole message where there is no text to point at
CF_TEST(compile__name_given_twice_by_calls__message_of_MuJoCo) {
  mjSpec* s = mj_makeSpec();
  mjsElement* twin[2];
  for (int i = 0; i < 2; i++) {
    twin[i] = mjs_addMaterial(s, NULL)->element;
    mjs_setName(twin[i], "yellow");
  }
  CF_TRUE(!mj_compile(s, NULL));
  CF_EQ_STR(mjs_getError(s), "Error: repeated name 'yellow' in material");
  mjs_setString(mjs_asMaterial(twin[1])->info, "from the catalog");
  CF_TRUE(!mj_compile(s, NULL));
  CF_HAS_STR(mjs_getError(s), "\nElement name 'yellow', id 1, from the catalog");
  mj_deleteSpec(s);
}


CF_TEST(compile__several_broken_elements__all_are_named) {
  static const char xml[] =
      "<mujoco><worldbody><body><joint name='first' axis='0 0 0'/><geom name='second' size='.1' "
      "condim='2'/></body>"
      "<geom name='fine' size='.1'/><body><geom name='third' "
      "size='-1'/></body></worldbody></mujoco>";
  mjSpec* s = mj_parseXMLString(xml, NULL, NULL, 0);
  CF_TRUE(s);
  CF_TRUE(!mj_compile(s, NULL));
  CF_HAS_STR(mjs_getError(s), "'first'");
  CF_HAS_STR(mjs_getError(s), "'second'");
  CF_HAS_STR(mjs_getError(s), "'third'");
  CF_TRUE(!strstr(mjs_getError(s), "'fine'"));
  mj_deleteSpec(s);
}


CF_TEST(compile__after_a_failure__succeeds_when_repaired) {
  mjSpec* s = mj_makeSpec();
  mjsBody* body = mjs_addBody(mjs_findBody(s, "world"), NULL);
  mjs_addFreeJoint(body);
  CF_TRUE(!mj_compile(s, NULL));
  mjs_addGeom(body, NULL)->size[0] = .1;
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  CF_EQ_INT(m->nv, 6);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}

CF_TEST_MAIN("compile/errors")
