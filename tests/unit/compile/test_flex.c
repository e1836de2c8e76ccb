// Flexes of a specification: what is refused, and what survives saving, attaching, copying and
// editing.  Their arrays are compared with MuJoCo's in test_recorded.c.
#include "cf_test.h"

#include <math.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "mjcf/output.h"

#define TRIANGLE "body='b b c' vertex='0 0 0 1 0 0 0 1 0' element='0 1 2'"
#define NODES "node='b b b b b b b b'"
#define FLEX(attributes, children) \
  "<deformable><flex name='f' " attributes ">" children "</flex></deformable>"

// a flex that cannot be compiled, and what the message says
static const struct {
  const char *rest, *phrase;
} broken[] = {
    {FLEX("dim='4' body='b' element='0 1'", ""), "dim must be 1, 2 or 3"},
    {FLEX("dim='0' body='b' element='0 1'", ""), "dim must be 1, 2 or 3"},
    {FLEX("body='b' element='0 1'", ""), "elem size must be multiple of (dim+1)"},
    {FLEX("body='b' vertex='0 0' element='0 1 2'", ""), "vert size must be a multiple of 3"},
    {FLEX(TRIANGLE, "<edge stiffness='1'/>"), "edge stiffness only available for dim=1"},
    {FLEX(TRIANGLE " " NODES, ""), "trilinear interpolation cannot do self-collision"},
    {FLEX(TRIANGLE " " NODES, "<contact selfcollide='none' internal='true'/>"),
     "trilinear interpolation cannot do internal collisions"},
    {FLEX("body='b b' vertex='0 0 0 1 0 0 0 1 0' element='0 1 2'", ""),
     "vertbody size must be 1 or nvert"},
    {FLEX("body='b' vertex='0 0 0 1 0 0 0 1 0' element='0 1 2' " NODES,
          "<contact selfcollide='none'/>"),
     "vertbody size must be nvert where vertices are interpolated"},
    {FLEX("body='b b' element='0 1 2'", ""), "not enough vertices"},
    {FLEX(TRIANGLE " node='b b b'", "<contact selfcollide='none'/>"),
     "number of nodes must be 0^3 but it is 3"},
    {FLEX("body='b b c' element='0 1 3'", ""), "elem vertex id out of range"},
    {FLEX("body='b b c' element='0 1 -1'", ""), "elem vertex id out of range"},
    {FLEX("body='b b c' element='0 1 1'", ""), "repeated vertex in element"},
    {FLEX(TRIANGLE " texcoord='0 1'", ""), "two texture coordinates per vertex expected"},
    {FLEX(TRIANGLE " material='none'", ""), "unknown material 'none' in flex"},
    {FLEX("body='b b x' element='0 1 2'", ""), "unknown body 'x' in flex"},
    {FLEX(TRIANGLE " node='b b b b b b b x'", "<contact selfcollide='none'/>"),
     "unknown body 'x' in flex"},
    {FLEX(TRIANGLE, "<elasticity young='1' elastic2d='bend'/>"),
     "pins are not supported for bending"},
    {FLEX(TRIANGLE, "<elasticity young='1' poisson='0.5'/>"), "Poisson ratio must be in [0, 0.5)"},
    {FLEX(TRIANGLE " " NODES, "<contact selfcollide='none'/><elasticity young='1'/>"),
     "Trilinear dofs are require at least 28 elements"},
    {FLEX("body='b' vertex='0 0 0 1 0 0 0 1 0' element='0 1 2'",
          "") "<equality><flex flex='f'/></equality>",
     "rigid flex 'f' in equality constraint 0"},
    {"<equality><flexvert flex='g'/></equality>", "unknown element 'g' in equality constraint"},
    {FLEX("body='x' element='0 1 2'", ""), "line 1, column"},
};


CF_TEST(flex__cannot_be_compiled__message_says_why) {
  for (size_t k = 0; k < sizeof(broken) / sizeof(broken[0]); k++) {
    char xml[2000], error[1000] = "";
    snprintf(xml, sizeof(xml),
             "<mujoco><worldbody><body name='b'><joint/><geom size='1'/></body><body name='c'/>"
             "</worldbody>%s</mujoco>",
             broken[k].rest);
    mjSpec* s = mj_parseXMLString(xml, NULL, error, sizeof(error));
    if (!s) {
      CF_FAIL("%s\n not read: %s\n", xml, error);
    }
    mjModel* m = mj_compile(s, NULL);
    if (m || !strstr(mjs_getError(s), broken[k].phrase)) {
      CF_FAIL("%s\n gives \"%s\", lacks \"%s\"\n", xml, mjs_getError(s), broken[k].phrase);
    }
    mj_deleteModel(m);
    mj_deleteSpec(s);
  }
}


//---------------------------------- saving --------------------------------------------------------

static mjSpec* readRecorded(const char* name) {
  char path[1000], error[1000] = "";
  snprintf(path, sizeof(path), "%s/tests/data/compile/%s.xml", CF_SOURCE_DIR, name);
  mjSpec* s = mj_parseXML(path, NULL, error, sizeof(error));
  if (!s) {
    CF_FAIL("%s: %s\n", name, error);
  }
  return s;
}


CF_TEST(flex__saved_and_read_again__is_the_same) {
  static const char* const names[] = {"flex_lines", "flex_solid", "flex_nodes"};
  static char text[200000];
  for (int k = 0; k < 3; k++) {
    char error[1000] = "";
    mjSpec* first = readRecorded(names[k]);
    mjModel* m = mj_compile(first, NULL);
    CF_TRUE(m);
    CF_EQ_INT(mj_copyBack(first, m), 1);
    _mjPRIVATE__set_xml_precision(17);
    CF_EQ_INT(mj_saveXMLString(first, text, sizeof(text), error, sizeof(error)), 0);
    _mjPRIVATE__set_xml_precision(6);
    mjSpec* second = mj_parseXMLString(text, NULL, error, sizeof(error));
    CF_TRUE(second);
    mjModel* again = mj_compile(second, NULL);
    CF_TRUE(again);
    CF_EQ_INT(cf_differingModels(again, m, 1e-10), 0);
    mj_deleteModel(m);
    mj_deleteModel(again);
    mj_deleteSpec(first);
    mj_deleteSpec(second);
  }
}


//---------------------------------- editing -------------------------------------------------------

// three points that move freely, and the triangle between them
static mjSpec* makeTriangle(void) {
  mjSpec* s = mj_makeSpec();
  mjsBody* world = mjs_findBody(s, "world");
  mjsFlex* flex = mjs_addFlex(s);
  for (int i = 0; i < 3; i++) {
    const char name[2] = {(char)('a' + i), 0};
    mjsBody* body = mjs_addBody(world, NULL);
    mjs_setName(body->element, name);
    body->pos[0] = i == 1;
    body->pos[1] = i == 2 ? 2 : 0;
    body->mass = 1;
    body->inertia[0] = body->inertia[1] = body->inertia[2] = 1;
    body->explicitinertial = 1;
    for (int axis = 0; axis < 3; axis++) {
      mjsJoint* joint = mjs_addJoint(body, NULL);
      joint->type = mjJNT_SLIDE;
      joint->axis[0] = axis == 0;
      joint->axis[1] = axis == 1;
      joint->axis[2] = axis == 2;
    }
    mjs_appendString(flex->vertbody, name);
  }
  mjs_setName(flex->element, "sheet");
  mjs_setInt(flex->elem, (const int[3]){0, 1, 2}, 3);
  flex->edgedamping = 1;
  return s;
}


// elasticity is there without any attribute, as MuJoCo writes it
CF_TEST(flex__with_initial_values__saved_with_elasticity_and_without_edge) {
  char text[5000], error[1000] = "";
  mjSpec* s = makeTriangle();
  mjsFlex* flex = mjs_asFlex(mjs_findElement(s, mjOBJ_FLEX, "sheet"));
  flex->edgedamping = 0;
  mj_deleteModel(mj_compile(s, NULL));
  CF_EQ_INT(mj_saveXMLString(s, text, sizeof(text), error, sizeof(error)), 0);
  CF_HAS_STR(text, "<elasticity/>");
  CF_TRUE(!strstr(text, "<edge"));
  flex->edgedamping = 2;
  mj_deleteModel(mj_compile(s, NULL));
  CF_EQ_INT(mj_saveXMLString(s, text, sizeof(text), error, sizeof(error)), 0);
  CF_HAS_STR(text, "<edge damping=\"2\"/>");
  mj_deleteSpec(s);
}


CF_TEST(flex__made_by_a_program__has_edges_and_rest_lengths) {
  mjSpec* s = makeTriangle();
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  static const int edge[6] = {1, 2, 0, 2, 0, 1};
  CF_EQ_INT(m->nflex, 1);
  CF_EQ_INT(m->nflexedge, 3);
  CF_EQ_INT(m->nJfe, 18);
  CF_EQ_INT(m->nJfv, 27);
  for (int k = 0; k < 6; k++) {
    CF_EQ_INT(m->flex_edge[k], edge[k]);
  }
  CF_NEAR(m->flexedge_length0[0], sqrt(5.0), 1e-14);
  CF_EQ_INT(mj_name2id(m, mjOBJ_FLEX, "sheet"), 0);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(flex__attached__hangs_on_the_new_bodies) {
  mjSpec *child = makeTriangle(), *parent = mj_makeSpec();
  mjsBody* arm = mjs_addBody(mjs_findBody(parent, "world"), NULL);
  mjsFrame* frame = mjs_addFrame(arm, NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "world")->element, "in-", "-side"));
  mjModel* m = mj_compile(parent, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  CF_EQ_INT(m->nflex, 1);

  // the flex itself keeps its name, as in MuJoCo
  CF_EQ_INT(mj_name2id(m, mjOBJ_FLEX, "sheet"), 0);
  for (int v = 0; v < 3; v++) {
    const char name[] = {'i', 'n', '-', (char)('a' + v), '-', 's', 'i', 'd', 'e', 0};
    CF_EQ_INT(m->flex_vertbodyid[v], mj_name2id(m, mjOBJ_BODY, name));
  }
  mj_deleteModel(m);
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}


CF_TEST(flex__deleted__leaves_a_model_without) {
  mjSpec* s = makeTriangle();
  mjSpec* copy = mj_copySpec(s);
  CF_EQ_INT(mjs_delete(copy, mjs_findElement(copy, mjOBJ_FLEX, "sheet")), 0);
  mjModel *with = mj_compile(s, NULL), *without = mj_compile(copy, NULL);
  CF_TRUE(with && without);
  CF_EQ_INT(with->nflex, 1);
  CF_EQ_INT(without->nflex, 0);
  CF_EQ_INT(without->nflexvert, 0);
  CF_TRUE(with->signature != without->signature);
  mj_deleteModel(with);
  mj_deleteModel(without);
  mj_deleteSpec(s);
  mj_deleteSpec(copy);
}


CF_TEST(flex__recompiled_with_another_radius__grows) {
  mjSpec* s = makeTriangle();
  mjModel* m = mj_compile(s, NULL);
  mjData* d = mj_makeData(m);
  mjs_asFlex(mjs_firstElement(s, mjOBJ_FLEX))->radius = 0.5;
  CF_EQ_INT(mj_recompile(s, NULL, m, d), 0);
  CF_NEAR(m->flex_radius[0], 0.5, 0);
  CF_EQ_INT(m->nflexedge, 3);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(flex__coordinates_not_finite__refused) {
  mjSpec* s = makeTriangle();
  const double vert[9] = {0, 0, 0, NAN, 0, 0, 0, 1, 0};
  mjs_setDouble(mjs_asFlex(mjs_firstElement(s, mjOBJ_FLEX))->vert, vert, 9);
  CF_TRUE(!mj_compile(s, NULL));
  CF_HAS_STR(mjs_getError(s), "numbers are not finite in flex");
  mj_deleteSpec(s);
}


// mj_setConst measures its edges as if they moved, though their Jacobian has no entries
CF_TEST(flex__rigid_with_edge_damping__has_lengths_and_no_jacobian) {
  char error[1000] = "";
  mjSpec* s = mj_parseXMLString(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/></body></worldbody>"
      "<deformable><flex dim='1' body='a' vertex='0 0 0 1 0 0 1 2 0' element='0 1 1 2'>"
      "<edge stiffness='1' damping='1'/></flex></deformable></mujoco>",
      NULL, error, sizeof(error));
  CF_TRUE(s);
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  CF_EQ_INT(m->flex_rigid[0], 1);
  CF_EQ_INT(m->nJfe, 0);
  CF_NEAR(m->flexedge_length0[0], 1, 1e-14);
  CF_NEAR(m->flexedge_length0[1], 2, 1e-14);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


//---------------------------------- models --------------------------------------------------------

#define POINT(name, pos)                 \
  "<body name='" name "' pos='" pos      \
  "'><joint type='slide' axis='1 0 0'/>" \
  "<joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/><geom size='.1'/></body>"
#define SHEET(attributes) \
  "<mujoco><worldbody>" POINT("a", "0 0 0") POINT("b", "1 0 0") POINT("c", "0 1 0")            \
      POINT("d", "1 1 0") "</worldbody><deformable><flex name='f' body='a b c d' element='0 1 2 " \
  "1 3 2' " attributes "><elasticity young='1e3' thickness='0.1' elastic2d='both'/></flex>"    \
  "</deformable></mujoco>"


static void expectChoice(mjSpec* s, const char* bending, const char* elasticity, int is_implicit) {
  mjModel* m = mj_compile(s, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(s));
  }
  CF_EQ_STR(cf_flexBending(m, 0), bending);
  CF_EQ_STR(cf_flexElasticity(m, 0), elasticity);
  CF_EQ_INT(cf_flexImplicit(m, 0), is_implicit);
  mj_deleteModel(m);
}


static void expectModels(mjSpec* s, const char* bending, const char* elasticity) {
  expectChoice(s, bending, elasticity, 0);
}


// saved and read again, copied and attached a specification compiles to the same choice
static void expectKept(mjSpec* s, const char* bending, const char* elasticity, int is_implicit) {
  char text[5000], error[1000] = "";
  expectChoice(s, bending, elasticity, is_implicit);
  CF_EQ_INT(mj_saveXMLString(s, text, sizeof(text), error, sizeof(error)), 0);
  mjSpec *again = mj_parseXMLString(text, NULL, error, sizeof(error)), *copy = mj_copySpec(s);
  CF_TRUE(again && copy);
  expectChoice(again, bending, elasticity, is_implicit);
  expectChoice(copy, bending, elasticity, is_implicit);
  mjSpec* parent = mj_makeSpec();
  mjs_setDeepCopy(parent, 1);  // the specification is used again
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(s, "world")->element, "in-", ""));
  expectChoice(parent, bending, elasticity, is_implicit);
  mj_deleteSpec(parent);
  mj_deleteSpec(copy);
  mj_deleteSpec(again);
}


CF_TEST(flex_models__chosen_in_the_text__kept_by_saving_copying_and_attaching) {
  char error[1000] = "";
  mjSpec* s = mj_parseXMLString(SHEET("bending_model='bridson' elasticity_model='neo_hookean' "
                                      "implicit_stiffness='true'"),
                                NULL, error, sizeof(error));
  CF_TRUE(s);
  expectKept(s, "bridson", "neo_hookean", 1);
  mj_deleteSpec(s);
}


CF_TEST(flex_models__chosen_in_the_specification__kept_by_saving_copying_and_attaching) {
  char error[1000] = "";
  mjSpec* s = mj_parseXMLString(SHEET(""), NULL, error, sizeof(error));
  CF_TRUE(s);
  mjsFlex* flex = mjs_asFlex(mjs_firstElement(s, mjOBJ_FLEX));
  CF_EQ_STR(cf_specFlexBending(flex), "");
  CF_EQ_INT(cf_specFlexImplicit(flex), 0);
  cf_setSpecFlexBending(flex, "bridson");
  cf_setSpecFlexElasticity(flex, "stable_neo_hookean");
  cf_setSpecFlexImplicit(flex, 1);
  CF_EQ_STR(cf_specFlexBending(flex), "bridson");
  CF_EQ_STR(cf_specFlexElasticity(flex), "stable_neo_hookean");
  CF_EQ_INT(cf_specFlexImplicit(flex), 1);
  expectKept(s, "bridson", "stable_neo_hookean", 1);
  cf_setSpecFlexBending(flex, NULL);
  cf_setSpecFlexElasticity(flex, "");
  cf_setSpecFlexImplicit(flex, 0);
  expectKept(s, "cotangent", "linear", 0);
  mj_deleteSpec(s);
}


CF_TEST(flex_models__implicit_and_interpolated__message) {
  char error[1000] = "";
  mjSpec* s = mj_parseXMLString(
      "<mujoco><worldbody><flexcomp name='f' type='grid' count='3 3 3' spacing='.1 .1 .1' dim='3' "
      "dof='trilinear' implicit_stiffness='true'><elasticity young='1e4' poisson='0.2'/>"
      "<contact selfcollide='none'/></flexcomp>"
      "</worldbody></mujoco>",
      NULL, error, sizeof(error));
  CF_TRUE(s);
  CF_TRUE(!mj_compile(s, NULL));
  CF_HAS_STR(mjs_getError(s), "implicit stiffness cannot serve a flex that is interpolated");
  mj_deleteSpec(s);
}


CF_TEST(flex_models__of_a_flexcomp__are_those_of_its_flex) {
  char error[1000] = "";
  mjSpec* s = mj_parseXMLString(
      "<mujoco><worldbody><flexcomp name='f' type='grid' count='3 3 3' spacing='.1 .1 .1' dim='3' "
      "elasticity_model='stable_neo_hookean'><elasticity young='1e4' poisson='0.2'/></flexcomp>"
      "</worldbody></mujoco>",
      NULL, error, sizeof(error));
  if (!s) {
    CF_FAIL("%s\n", error);
  }
  expectModels(s, "cotangent", "stable_neo_hookean");
  mj_deleteSpec(s);
}


CF_TEST(flex_models__not_given__are_mujocos) {
  char text[5000], error[1000] = "";
  mjSpec* s = mj_parseXMLString(SHEET(""), NULL, error, sizeof(error));
  CF_TRUE(s);
  expectModels(s, "cotangent", "linear");
  CF_EQ_INT(mj_saveXMLString(s, text, sizeof(text), error, sizeof(error)), 0);
  CF_TRUE(!strstr(text, "_model") && !strstr(text, "implicit"));
  mj_deleteSpec(s);
}


CF_TEST(flex_models__unknown__message_names_the_known_ones) {
  char error[1000] = "";
  mjSpec* s = mj_parseXMLString(SHEET("bending_model='paper'"), NULL, error, sizeof(error));
  CF_TRUE(s);
  CF_TRUE(!mj_compile(s, NULL));
  CF_HAS_STR(mjs_getError(s), "unknown model of bending 'paper'; known are");
  CF_HAS_STR(mjs_getError(s), "bridson");
  CF_HAS_STR(mjs_getError(s), "line 1, column");
  mj_deleteSpec(s);
}


// MuJoCo 3.5.0 reads internal, or else flatskin, in place of passive
CF_TEST(flex__passive__is_the_switch_read_before) {
  static const struct {
    const char *flex, *contact;
    int passive;
  } cases[] = {{"flatskin='true'", "passive='true'", 1},
               {"flatskin='false'", "passive='true'", 0},
               {"flatskin='true'", "passive='false'", 1},
               {"", "internal='false' passive='true'", 0},
               {"", "internal='true' passive='false'", 1},
               {"flatskin='true'", "internal='false' passive='true'", 0},
               {"flatskin='true'", "internal='true'", 0}};
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    char xml[1000], error[1000] = "";
    snprintf(xml, sizeof(xml),
             "<mujoco><worldbody>" POINT("a", "0 0 0") POINT("b", "1 0 0")
             "</worldbody><deformable><flex dim='1' body='a b' element='0 1' %s><contact %s/>"
             "</flex></deformable></mujoco>",
             cases[k].flex, cases[k].contact);
    mjSpec* s = mj_parseXMLString(xml, NULL, error, sizeof(error));
    CF_TRUE(s);
    CF_EQ_INT(mjs_asFlex(mjs_firstElement(s, mjOBJ_FLEX))->passive, cases[k].passive);
    mj_deleteSpec(s);
  }
}

CF_TEST_MAIN("compile/flex")
