// What we add to MuJoCo's specifications (contact solvers and their values, models of actuators and
// flexes): changed by a program on the compiled model and saved, copied, attached either way.
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cortenforge/actuator.h>
#include <cortenforge/contact.h>
#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

#define EXTENDED(deformable)                                                                   \
  "<mujoco><option cortenforge:hunt_crossley_stiffness='2.5e6'/>"                              \
  "<default><default class='soft'><geom cortenforge:xpbd_compliance='1e-4'/>"                  \
  "<general gaintype='custom' cortenforge:gain_model='dc_motor' "                              \
  "cortenforge:gain_params='gear=30'/></default></default>"                                    \
  "<worldbody><geom name='floor' type='plane' size='1 1 1'/>"                                  \
  "<body name='b' pos='0 0 .2'><joint name='j' type='slide'/>"                                 \
  "<geom name='g' class='soft' size='.1'/><geom name='h' size='.1' pos='.1 0 0' "              \
  "cortenforge:solver_params='hunt_crossley:dissipation=.25'/>" deformable                     \
  "</body></worldbody>"                                                                        \
  "<contact><pair name='p' geom1='g' geom2='h' cortenforge:xpbd_restitution='.75'/></contact>" \
  "<actuator><general name='a' joint='j' class='soft'/><motor name='m' joint='j'/></actuator>" \
  "</mujoco>"

// a flex keeps its name when it is attached, so that a model with one is attached once
static const char* const rigid_xml = EXTENDED("");
static const char* const extended_xml = EXTENDED(
    "<flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' pos='0 0 1' dim='2' "
    "bending_model='bridson' implicit_stiffness='true'>"
    "<elasticity young='1e4' thickness='.01' elastic2d='both'/></flexcomp>");


static mjtNum contactValue(const mjModel* m, const char* solver, const char* parameter, mjtObj type,
                           const char* name) {
  return cf_contactParameter(m, solver, parameter, type, name ? mj_name2id(m, type, name) : 0);
}


// values of the text under names with a prefix; those of <option> if the model is not a part
static void expectExtended(const mjModel* m, const char* prefix, bool is_whole) {
  char g[20], h[20], p[20], a[20];
  snprintf(g, sizeof(g), "%sg", prefix);
  snprintf(h, sizeof(h), "%sh", prefix);
  snprintf(p, sizeof(p), "%sp", prefix);
  snprintf(a, sizeof(a), "%sa", prefix);
  CF_NEAR(contactValue(m, "xpbd", "compliance", mjOBJ_GEOM, g), 1e-4, 0);
  CF_TRUE(isnan(contactValue(m, "xpbd", "compliance", mjOBJ_GEOM, h)));
  CF_NEAR(contactValue(m, "hunt_crossley", "dissipation", mjOBJ_GEOM, h), 0.25, 0);
  CF_NEAR(contactValue(m, "xpbd", "restitution", mjOBJ_PAIR, p), 0.75, 0);
  CF_NEAR(contactValue(m, "hunt_crossley", "stiffness", mjOBJ_MODEL, NULL), is_whole ? 2.5e6 : 1e7,
          0);
  const int u = mj_name2id(m, mjOBJ_ACTUATOR, a);
  CF_TRUE(u >= 0);
  CF_EQ_STR(cf_actuatorGain(m, u)->name, "dc_motor");
  CF_NEAR(m->actuator_gainprm[mjNGAIN * u + 4], 30, 0);
  CF_EQ_INT(m->actuator_actnum[u], 1);
  CF_EQ_INT(m->nflex, 1);
  CF_EQ_STR(cf_flexBending(m, 0), "bridson");
  CF_EQ_STR(cf_flexElasticity(m, 0), "linear");
  CF_EQ_INT(cf_flexImplicit(m, 0), 1);
}


static mjSpec* parseExtended(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}


static mjModel* compileSpec(mjSpec* spec) {
  mjModel* m = mj_compile(spec, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(spec));
  }
  return m;
}


// ---------------------------------------- attaching

CF_TEST(extensions__attached_by_reference_and_by_copy__go_with_their_elements) {
  for (int is_copy = 0; is_copy < 2; is_copy++) {
    mjSpec *parent = parseExtended("<mujoco><worldbody/></mujoco>"),
           *child = parseExtended(extended_xml);
    mjs_setDeepCopy(parent, is_copy);
    mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
    if (!mjs_attach(frame->element, mjs_findBody(child, "b")->element, "x_", "")) {
      CF_FAIL("%s\n", mjs_getError(parent));
    }
    mjModel* m = compileSpec(parent);
    expectExtended(m, "x_", false);

    // options are those of the receiving specification, as everything in <option>
    CF_EQ_STR(cf_contactSolver(m)->name, "lcp");

    // and it can be saved as it is now
    char text[20000], error[1000] = "";
    CF_EQ_INT(mj_saveXMLString(parent, text, sizeof(text), error, sizeof(error)), 0);
    mjModel* again = cf_compileText(text);
    expectExtended(again, "x_", false);
    mj_deleteModel(again);
    mj_deleteModel(m);
    mj_deleteSpec(parent);
    mj_deleteSpec(child);
  }
}


CF_TEST(extensions__attached_twice_by_copy__values_of_each) {
  mjSpec* parent =
      parseExtended("<mujoco><option cortenforge:solver='xpbd'/><worldbody/></mujoco>");
  mjSpec* child = parseExtended(rigid_xml);
  mjs_setDeepCopy(parent, 1);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "x_", "") != NULL);
  CF_TRUE(mjs_attach(frame->element, mjs_findBody(child, "b")->element, "y_", "") != NULL);
  mjModel* m = compileSpec(parent);
  CF_EQ_STR(cf_contactSolver(m)->name, "xpbd");
  CF_NEAR(contactValue(m, "xpbd", "compliance", mjOBJ_GEOM, "x_g"), 1e-4, 0);
  CF_NEAR(contactValue(m, "xpbd", "compliance", mjOBJ_GEOM, "y_g"), 1e-4, 0);
  CF_NEAR(contactValue(m, "xpbd", "restitution", mjOBJ_PAIR, "y_p"), 0.75, 0);
  CF_EQ_STR(cf_actuatorGain(m, mj_name2id(m, mjOBJ_ACTUATOR, "y_a"))->name, "dc_motor");
  mj_deleteModel(m);
  mj_deleteSpec(parent);
  mj_deleteSpec(child);
}


// ---------------------------------------- changed by a program

// choices and values on the compiled model that the text does not have
static void changeModel(mjModel* m) {
  const mjtNum xpbd[2] = {7, 33}, fixed[1] = {-2.5};
  const int g = mj_name2id(m, mjOBJ_GEOM, "g"), floor = mj_name2id(m, mjOBJ_GEOM, "floor");
  CF_TRUE(cf_setFlexImplicit(m, 0, 0, NULL, 0));
  CF_TRUE(cf_setContactSolver(m, "xpbd", xpbd, 2, NULL, 0));
  CF_TRUE(cf_setContactParameter(m, "xpbd", "depth", mjOBJ_MODEL, 0, 0.1 / 3, NULL, 0));
  CF_TRUE(cf_setContactParameter(m, "xpbd", "compliance", mjOBJ_GEOM, g, 3e-5, NULL, 0));
  CF_TRUE(cf_setContactParameter(m, "xpbd", "restitution", mjOBJ_GEOM, floor, 0.5, NULL, 0));
  CF_TRUE(cf_setContactParameter(m, "hunt_crossley", "stiffness", mjOBJ_PAIR, 0, 1e5, NULL, 0));
  CF_TRUE(cf_setActuatorGain(m, 1, "fixed", fixed, 1, NULL, 0));
  CF_TRUE(cf_setFlexBending(m, 0, NULL, NULL, 0));
  CF_TRUE(cf_setFlexElasticity(m, 0, "neo_hookean", NULL, 0));
}


static void expectChanged(const mjModel* m) {
  CF_EQ_STR(cf_contactSolver(m)->name, "xpbd");
  CF_NEAR(contactValue(m, "xpbd", "substeps", mjOBJ_MODEL, NULL), 7, 0);
  CF_NEAR(contactValue(m, "xpbd", "iterations", mjOBJ_MODEL, NULL), 33, 0);
  CF_NEAR(contactValue(m, "xpbd", "depth", mjOBJ_MODEL, NULL), 0.1 / 3, 0);
  CF_NEAR(contactValue(m, "hunt_crossley", "stiffness", mjOBJ_MODEL, NULL), 2.5e6, 0);
  CF_NEAR(contactValue(m, "xpbd", "compliance", mjOBJ_GEOM, "g"), 3e-5, 0);
  CF_NEAR(contactValue(m, "xpbd", "restitution", mjOBJ_GEOM, "floor"), 0.5, 0);
  CF_TRUE(isnan(contactValue(m, "xpbd", "restitution", mjOBJ_GEOM, "g")));
  CF_NEAR(contactValue(m, "hunt_crossley", "dissipation", mjOBJ_GEOM, "h"), 0.25, 0);
  CF_NEAR(contactValue(m, "xpbd", "restitution", mjOBJ_PAIR, "p"), 0.75, 0);
  CF_NEAR(contactValue(m, "hunt_crossley", "stiffness", mjOBJ_PAIR, "p"), 1e5, 0);
  CF_EQ_STR(cf_actuatorGain(m, 0)->name, "dc_motor");
  CF_EQ_STR(cf_actuatorGain(m, 1)->name, "fixed");
  CF_NEAR(m->actuator_gainprm[mjNGAIN], -2.5, 0);
  CF_EQ_STR(cf_flexBending(m, 0), "cotangent");
  CF_EQ_STR(cf_flexElasticity(m, 0), "neo_hookean");
  CF_EQ_INT(cf_flexImplicit(m, 0), 0);
}


CF_TEST(extensions__chosen_by_a_program__saved_by_saveLastXML_and_copied_back) {
  char error[1000] = "", text[40000];
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "m.xml", extended_xml, (int)strlen(extended_xml)), 0);
  mjModel* m = mj_loadXML("m.xml", &vfs, error, sizeof(error));
  mj_deleteVFS(&vfs);
  CF_EQ_STR(error, "");
  changeModel(m);
  char name[] = "/tmp/cf_extensions_XXXXXX";
  const int file = mkstemp(name);
  CF_TRUE(file >= 0);
  CF_EQ_INT(mj_saveLastXML(name, m, error, sizeof(error)), 1);
  const ssize_t n = read(file, text, sizeof(text) - 1);
  CF_TRUE(n > 0);
  text[n > 0 ? n : 0] = 0;
  close(file);
  unlink(name);
  mjModel* again = cf_compileText(text);
  expectChanged(again);
  CF_HAS_STR(text, "cortenforge:hunt_crossley_stiffness=\"2.5e6\"");
  mj_deleteModel(again);
  mj_deleteModel(m);

  // back to MuJoCo's solver
  mjSpec* spec = parseExtended(text);
  m = compileSpec(spec);
  CF_TRUE(cf_setContactSolver(m, NULL, NULL, 0, NULL, 0));
  CF_TRUE(mj_copyBack(spec, m));
  again = compileSpec(spec);
  CF_EQ_STR(cf_contactSolver(again)->name, "lcp");
  CF_NEAR(contactValue(again, "xpbd", "substeps", mjOBJ_MODEL, NULL), 7, 0);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST(extensions__nothing_changed__copy_back_writes_the_same_text) {
  static char before[40000], after[40000];
  char error[1000] = "";
  mjSpec* spec = parseExtended(extended_xml);
  mjModel* m = compileSpec(spec);
  expectExtended(m, "", true);
  CF_TRUE(mj_copyBack(spec, m));
  CF_EQ_INT(mj_saveXMLString(spec, before, sizeof(before), error, sizeof(error)), 0);
  CF_TRUE(mj_copyBack(spec, m));
  CF_EQ_INT(mj_saveXMLString(spec, after, sizeof(after), error, sizeof(error)), 0);
  CF_EQ_STR(after, before);
  CF_TRUE(strstr(after, "cortenforge:solver=") == NULL);
  CF_TRUE(strstr(after, "elasticity_model") == NULL);
  CF_TRUE(strstr(after, "xpbd_substeps") == NULL);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


// ---------------------------------------- numbers

CF_TEST(extensions__decimal_comma_of_the_locale__numbers_are_read_with_points) {
  const char* old = setlocale(LC_NUMERIC, NULL);
  const bool has_comma = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
  mjModel* m = cf_compileText(extended_xml);
  expectExtended(m, "", true);
  mj_deleteModel(m);
  setlocale(LC_NUMERIC, old);
  if (!has_comma) {
    printf("no locale with a decimal comma here: read with the usual one\n");
  }
}


static void expectValueRefused(const char* value) {
  char xml[2000], error[1000] = "";
  snprintf(xml, sizeof(xml), "<mujoco><option cortenforge:xpbd_substeps='%s'/></mujoco>", value);
  CF_TRUE(mj_parseXMLString(xml, NULL, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, "'substeps' of contact solver 'xpbd'");
  snprintf(xml, sizeof(xml),
           "<mujoco><option cortenforge:solver_params='xpbd:substeps=%s'/></mujoco>", value);
  CF_TRUE(mj_parseXMLString(xml, NULL, error, sizeof(error)) == NULL);
}


CF_TEST(extensions__values_with_something_behind_or_too_long__refused) {
  char zeros[400];
  memset(zeros, '0', sizeof(zeros));
  memcpy(zeros + sizeof(zeros) - 2, "2", 2);
  expectValueRefused("4 junk");
  expectValueRefused("4junk");
  expectValueRefused("");
  expectValueRefused("nan");
  expectValueRefused("1e400");
  expectValueRefused(zeros);
  mjModel* m = cf_compileText("<mujoco><option cortenforge:xpbd_substeps='  12\n '/></mujoco>");
  CF_NEAR(contactValue(m, "xpbd", "substeps", mjOBJ_MODEL, NULL), 12, 0);
  mj_deleteModel(m);
}


// ---------------------------------------- many values of a registered solver

static cftContactResult leaveAlone(const cfContactProblem* problem, void* workspace) {
  (void)problem;
  (void)workspace;
  return CF_CONTACT_FORCES;
}

enum { NMANY = 16, NMANYSOLVER = 12 };
static char many_names[NMANYSOLVER][64], many_parameters[NMANY][64];
static cfContactParameter many_parameter[NMANY];
static cfContactSolver many_solver[NMANYSOLVER];


CF_TEST(extensions__more_values_than_fit_in_a_line__all_are_saved) {
  for (int k = 0; k < NMANY; k++) {
    snprintf(many_parameters[k], 64, "a_parameter_with_a_long_name_%d", k);
    many_parameter[k] =
        (cfContactParameter){many_parameters[k], 0, 0, 1000, CF_CONTACT_MEAN, "-", ""};
  }
  static char text[100000];
  char error[1000] = "";
  mjSpec* spec = parseExtended("<mujoco><worldbody><geom name='g' size='1'/></worldbody></mujoco>");
  mjModel* m = compileSpec(spec);
  for (int s = 0; s < NMANYSOLVER; s++) {
    snprintf(many_names[s], 64, "solver_%d", s);
    many_solver[s] = (cfContactSolver){.name = many_names[s],
                                       .nparameter = NMANY,
                                       .parameter = many_parameter,
                                       .solve = leaveAlone};
    CF_EQ_INT(cf_registerContactSolver(many_solver + s), 1);
    for (int k = 0; k < NMANY; k++) {
      CF_TRUE(cf_setContactParameter(m, many_names[s], many_parameters[k], mjOBJ_GEOM, 0,
                                     s + k / 7.0, error, 1000));
    }
  }
  CF_TRUE(mj_copyBack(spec, m));
  CF_EQ_INT(mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)), 0);
  CF_TRUE(strlen(text) > 8000);
  mjModel* again = cf_compileText(text);
  for (int s = 0; s < NMANYSOLVER; s++) {
    for (int k = 0; k < NMANY; k++) {
      CF_NEAR(cf_contactParameter(again, many_names[s], many_parameters[k], mjOBJ_GEOM, 0),
              s + k / 7.0, 0);
    }
  }
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST_MAIN("spec/extensions")
