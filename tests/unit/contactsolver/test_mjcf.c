// Contact solvers in MJCF: reading, classes, saving, copies, messages.
#include <string.h>

#include <cortenforge/builder.h>
#include <cortenforge/contact.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

static const char solver_xml[] =
    "<mujoco><option cortenforge:solver='xpbd' cortenforge:xpbd_substeps='6' "
    "cortenforge:hunt_crossley_stiffness='1e6'/>"
    "<default><geom cortenforge:xpbd_restitution='0.3'/></default>"
    "<worldbody><geom name='f' type='plane' size='1 1 1'/><body pos='0 0 .2'><freejoint/>"
    "<geom name='g' size='.1' cortenforge:xpbd_compliance='1e-5'/></body></worldbody>"
    "<contact><pair geom1='f' geom2='g' cortenforge:xpbd_restitution='0.7' "
    "cortenforge:solver_params='hunt_crossley:dissipation=0.2'/></contact></mujoco>";


static void expectValues(const mjModel* m) {
  CF_EQ_STR(cf_contactSolver(m)->name, "xpbd");
  CF_NEAR(cf_contactParameter(m, "xpbd", "substeps", mjOBJ_MODEL, 0), 6, 0);
  CF_NEAR(cf_contactParameter(m, "xpbd", "iterations", mjOBJ_MODEL, 0), 10, 0);
  CF_NEAR(cf_contactParameter(m, "hunt_crossley", "stiffness", mjOBJ_MODEL, 0), 1e6, 0);
  CF_NEAR(cf_contactParameter(m, "xpbd", "restitution", mjOBJ_GEOM, 0), 0.3, 0);
  CF_NEAR(cf_contactParameter(m, "xpbd", "restitution", mjOBJ_GEOM, 1), 0.3, 0);
  CF_NEAR(cf_contactParameter(m, "xpbd", "compliance", mjOBJ_GEOM, 1), 1e-5, 0);
  CF_NEAR(cf_contactParameter(m, "xpbd", "restitution", mjOBJ_PAIR, 0), 0.7, 0);
  CF_NEAR(cf_contactParameter(m, "hunt_crossley", "dissipation", mjOBJ_PAIR, 0), 0.2, 0);
  CF_TRUE(isnan(cf_contactParameter(m, "xpbd", "compliance", mjOBJ_GEOM, 0)));
}


CF_TEST(contactSolverAttributes__read_and_saved__values_of_model_class_geom_and_pair) {
  char error[1000] = "", text[5000];
  mjModel* m = cf_compileText(solver_xml);
  expectValues(m);
  mj_deleteModel(m);

  mjSpec* spec = mj_parseXMLString(solver_xml, NULL, error, sizeof(error));
  mjSpec* copy = mj_copySpec(spec);
  m = mj_compile(copy, NULL);
  expectValues(m);
  CF_EQ_INT(mj_saveXMLString(copy, text, sizeof(text), error, sizeof(error)), 0);

  // what a class says is not said again
  const char* world = strstr(text, "<worldbody>");
  CF_TRUE(world != NULL);
  const char* floor = strstr(world, "name=\"f\"");
  CF_TRUE(floor && strcspn(floor, "c") > strcspn(floor, ">"));
  mj_deleteModel(m);
  m = cf_compileText(text);
  expectValues(m);
  mj_deleteModel(m);
  mj_deleteSpec(copy);
  mj_deleteSpec(spec);
}


static void expectMessage(const char* xml, const char* phrase) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  CF_TRUE(spec == NULL);
  CF_HAS_STR(error, phrase);
}


CF_TEST(contactSolverAttributes__wrong__message_says_what_is_allowed) {
  expectMessage("<mujoco><option cortenforge:solver='xpdb'/></mujoco>",
                "unknown contact solver 'xpdb'; known are lcp, xpbd, hunt_crossley");
  expectMessage(
      "<mujoco>\n<option cortenforge:xpbd_substeps='0'/></mujoco>",
      "parameter 'substeps' of contact solver 'xpbd' is 0, allowed is 1 to 1000, whole numbers");
  expectMessage("<mujoco>\n<option cortenforge:xpbd_substeps='0'/></mujoco>", "line 2");
  expectMessage("<mujoco><option cortenforge:xpbd_substeps='two'/></mujoco>", "substeps");
  expectMessage("<mujoco><option cortenforge:solver_params='xpbd:pace=1'/></mujoco>",
                "has no parameter 'pace' here, but substeps");
  expectMessage(
      "<mujoco><worldbody><geom size='1' cortenforge:solver_params='xpbd:substeps=1'/>"
      "</worldbody></mujoco>",
      "has no parameter 'substeps' here, but compliance");
  expectMessage("<mujoco><option cortenforge:solver_params='abc'/></mujoco>",
                "there is no contact solver");
}


// a parameter may be given once by an element; its class does not count
CF_TEST(contactSolverAttributes__given_twice_or_between_the_values__message) {
  expectMessage(
      "<mujoco>\n<option cortenforge:solver='xpbd' cortenforge:xpbd_substeps='4' "
      "cortenforge:solver_params='substeps=5'/></mujoco>",
      "parameter 'substeps' of contact solver 'xpbd' is given twice");
  expectMessage(
      "<mujoco>\n<option cortenforge:solver_params='xpbd:damping=4 xpbd:damping=4'/>"
      "</mujoco>",
      "parameter 'damping' of contact solver 'xpbd' is given twice");
  expectMessage(
      "<mujoco>\n<option cortenforge:solver_params='xpbd:damping=4 xpbd:damping=4'/>"
      "</mujoco>",
      "line 2");
  expectMessage("<mujoco><option cortenforge:xpbd_substeps='2.5'/></mujoco>",
                "'substeps' of contact solver 'xpbd' is 2.5, allowed is 1 to 1000, whole numbers");
  expectMessage("<mujoco><option cortenforge:xpbd_iterations='10.1'/></mujoco>", "whole numbers");
  expectMessage("<mujoco><option cortenforge:xpbd_compliance='-0.5'/></mujoco>",
                "is -0.5, allowed is 0 to 1e+10, or -1 for none given");
  expectMessage("<mujoco><option cortenforge:hunt_crossley_static_friction='-.1'/></mujoco>",
                "or -1 for none given");
  expectMessage("<mujoco><option cortenforge:xpbd_damping='nan'/></mujoco>", "'damping'");
  mj_deleteModel(cf_compileText(
      "<mujoco><option cortenforge:xpbd_compliance='-1' cortenforge:xpbd_substeps='1000'/>"
      "<default><geom cortenforge:xpbd_compliance='1e-5'/></default><worldbody>"
      "<geom size='.1' cortenforge:xpbd_compliance='1e-6'/></worldbody></mujoco>"));
}


static int nwarned;

static void countWarning(const char* text) {
  nwarned += strstr(text, "RK4") != NULL;
}


// a step that moves positions has no stages; where files and specifications say both they are
// refused, a program is warned
CF_TEST(positionalSolver__with_rungeKutta__refused_in_files_and_a_warning_in_programs) {
  static const char phrase[] = "which the stages of integrator RK4 do not allow";
  expectMessage("<mujoco>\n<option cortenforge:solver='xpbd' integrator='RK4'/></mujoco>", phrase);
  expectMessage("<mujoco>\n<option cortenforge:solver='xpbd' integrator='RK4'/></mujoco>",
                "line 2");
  expectMessage("<mujoco><option cortenforge:solver='xpbd'/><option integrator='RK4'/></mujoco>",
                phrase);
  mjSpec* spec =
      mj_parseXMLString("<mujoco><option cortenforge:solver='xpbd'/></mujoco>", NULL, NULL, 0);
  spec->option.integrator = mjINT_RK4;
  CF_TRUE(mj_compile(spec, NULL) == NULL);
  CF_HAS_STR(mjs_getError(spec), phrase);
  mj_deleteSpec(spec);

  void (*before)(const char*) = mju_user_warning;
  mju_user_warning = countWarning;
  mjModel* m = cf_compileText("<mujoco><option integrator='RK4'/></mujoco>");
  CF_TRUE(cf_setContactSolver(m, "hunt_crossley", NULL, 0, NULL, 0));
  CF_EQ_INT(nwarned, 0);
  CF_TRUE(cf_setContactSolver(m, "xpbd", NULL, 0, NULL, 0));
  CF_EQ_INT(nwarned, 1);
  mju_user_warning = before;
  mj_deleteModel(m);
}


// An implicit integrator has the stiffness of interpolated flexes in its matrix, which a solver
// that moves positions has not: refused wherever both are chosen.
CF_TEST(positionalSolver__interpolated_flex_and_implicit_integrator__refused_by_name) {
  static const char grid_xml[] =
      "<mujoco><option integrator='%s' timestep='.005' %s/><worldbody>"
      "<geom type='plane' size='5 5 1'/><flexcomp name='c' type='grid' dim='3' dof='trilinear'"
      " count='4 4 4' spacing='.1 .1 .1' pos='0 0 .17' mass='2' radius='.01'>"
      "<elasticity young='%s' poisson='.2' damping='.01'/>"
      "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>";
  static const char phrase[] = "'xpbd' does not know the stiffness of interpolated flexes";
  static const struct {
    const char* integrator;
    int is_refused;
  } cases[] = {{"Euler", 0}, {"implicit", 1}, {"implicitfast", 1}};
  for (int k = 0; k < 3; k++) {
    char xml[2000], error[1000] = "";
    snprintf(xml, sizeof(xml), grid_xml, cases[k].integrator, "cortenforge:solver='xpbd'", "2e4");
    mjSpec* spec = mj_parseXMLString(xml, NULL, NULL, 0);
    mjModel* m = mj_compile(spec, NULL);
    CF_TRUE(cases[k].is_refused ? !m : m != NULL);
    if (cases[k].is_refused) {
      CF_HAS_STR(mjs_getError(spec), phrase);
    }
    mj_deleteModel(m);
    mj_deleteSpec(spec);

    snprintf(xml, sizeof(xml), grid_xml, cases[k].integrator, "", "1e8");
    m = cf_compileText(xml);
    CF_EQ_INT(cf_setContactSolver(m, "xpbd", NULL, 0, error, sizeof(error)), !cases[k].is_refused);
    CF_TRUE(!cases[k].is_refused || (strstr(error, phrase) && strstr(error, "Euler")));
    if (cases[k].is_refused) {
      CF_EQ_STR(cf_contactSolver(m)->name, "lcp");
      CF_TRUE(cf_setContactSolver(m, "hunt_crossley", NULL, 0, error, sizeof(error)));
      mjData* d = mj_makeData(m);
      for (int step = 0; step < 100; step++) {
        mj_step(m, d);
        CF_TRUE(mju_norm(d->qvel, (int)m->nv) < 20);
      }
      mj_deleteData(d);
    }
    mj_deleteModel(m);
  }

  // a model that has the solver already, and a builder that has an integrator
  char xml[2000], error[1000] = "";
  snprintf(xml, sizeof(xml), grid_xml, "Euler", "cortenforge:solver='xpbd'", "2e4");
  mjModel* m = cf_compileText(xml);
  cfSimBuilder* builder = cf_simBuilder();
  cf_withIntegrator(cf_withModel(builder, m), mjINT_IMPLICITFAST);
  CF_TRUE(cf_build(builder, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, phrase);
  cf_freeSimBuilder(builder);
  mj_deleteModel(m);
}


CF_TEST(contactSolverValues__in_a_binary_model__come_back_and_write_the_same_bytes) {
  mjModel* m = cf_compileText(solver_xml);
  const int nbyte = (int)mj_sizeModel(m);
  char *bytes = malloc((size_t)nbyte), *again = malloc((size_t)nbyte);
  mj_saveModel(m, NULL, bytes, nbyte);
  mj_deleteModel(m);
  m = mj_loadModelBuffer(bytes, nbyte);
  CF_TRUE(m);
  expectValues(m);
  CF_EQ_INT(mj_sizeModel(m), nbyte);
  mj_saveModel(m, NULL, again, nbyte);
  CF_EQ_BYTES(bytes, again, (size_t)nbyte);
  free(bytes);
  free(again);
  mj_deleteModel(m);
}


CF_TEST_MAIN("contactsolver/mjcf")
