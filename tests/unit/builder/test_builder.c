// The builder of simulations: what it builds is MuJoCo's, what contradicts itself is explained.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cortenforge/builder.h>
#include <cortenforge/contact.h>
#include <cortenforge/cortenforge.h>
#include <cortenforge/flex.h>
#include <cortenforge/actuator.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "cf_text.h"

static const char* const soft_scene =
    "<mujoco><option timestep='.001' solver='CG' tolerance='1e-6'/><worldbody>"
    "<geom type='plane' size='2 2 .1'/>"
    "<flexcomp name='cloth' type='grid' count='5 5 1' spacing='.05 .05 .05' pos='0 0 .02' radius='.005' "
    "mass='.1' dim='2'><elasticity young='3e4' poisson='.2' thickness='.01' elastic2d='both'/>"
    "<contact selfcollide='none' internal='false'/></flexcomp>"
    "<flexcomp name='block' type='grid' count='3 3 3' spacing='.05 .05 .05' pos='.6 0 .1' radius='.005' "
    "mass='.2' dim='3'><elasticity young='2e3' poisson='.3' damping='.01'/>"
    "<contact selfcollide='none' internal='false'/></flexcomp>"
    "<body name='arm' pos='-1 0 1'><joint name='j' axis='0 1 0' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></worldbody>"
    "<actuator><motor name='a' joint='j'/><general name='b' joint='j' gainprm='2'/></actuator></mujoco>";


static cfSim* buildOrFail(cfSimBuilder* builder) {
  char error[2000] = "";
  cfSim* sim = cf_build(builder, error, sizeof(error));
  if (!sim) {
    CF_FAIL("not built: %s\n", error);
  }
  CF_EQ_STR(error, "");
  cf_freeSimBuilder(builder);
  return sim;
}


// nothing is built, and the message has the phrase
static void expectComplaint(cfSimBuilder* builder, const char* phrase) {
  char error[4000] = "";
  CF_TRUE(cf_build(builder, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, phrase);
  CF_TRUE(cf_build(builder, NULL, 0) == NULL);
  cf_freeSimBuilder(builder);
}


static cfSimBuilder* softBuilder(void) {
  return cf_withModelText(cf_simBuilder(), soft_scene);
}


static uint64_t runSim(cfSim* sim, int steps) {
  for (int k = 0; k < steps; k++) {
    CF_TRUE(cf_simStep(sim));
  }
  return cf_stateHash(cf_simModel(sim), cf_simData(sim));
}


// ---------------------------------------- MuJoCo's simulation

static void comparePlain(const char* path) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  CF_TRUE(m != NULL);
  mjData* d = mj_makeData(m);
  cfSim* sims[3] = {buildOrFail(cf_withModelFile(cf_simBuilder(), path)),
                    buildOrFail(cf_withPreset(cf_withModelFile(cf_simBuilder(), path), "mujoco")),
                    buildOrFail(cf_withModel(cf_simBuilder(), m))};
  for (int step = 0; step < 50; step++) {
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = 0.1 * sin(step + u);
      for (int k = 0; k < 3; k++) {
        cf_simData(sims[k])->ctrl[u] = d->ctrl[u];
      }
    }
    mj_step(m, d);
    for (int k = 0; k < 3; k++) {
      CF_TRUE(cf_simStep(sims[k]));
    }
  }
  for (int k = 0; k < 3; k++) {
    CF_TRUE(cf_stateHash(cf_simModel(sims[k]), cf_simData(sims[k])) == cf_stateHash(m, d));
    cf_freeSim(sims[k]);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(builder__nothing_but_a_model__same_bits_as_mj_step) {
  static const char* const files[] = {"humanoid.xml",
                                      "muscles.xml",
                                      "stack.xml",
                                      "soft/towel.xml",
                                      "actuators/general_dynamics.xml",
                                      "options/rk4.xml"};
  for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
    char path[500];
    snprintf(path, sizeof(path), "%s/models/%s", CF_SOURCE_DIR, files[k]);
    FILE* file = fopen(path, "r");
    if (file) {
      fclose(file);
      comparePlain(path);
    }
  }
}


CF_TEST(builder__plain_functions_of_mujoco__unchanged_beside_other_simulations) {
  mjModel* m = cf_compileText(soft_scene);
  mjData* d = mj_makeData(m);
  mjData* after = mj_makeData(m);
  for (int step = 0; step < 40; step++) {
    mj_step(m, d);
  }
  cfSim* other = buildOrFail(cf_withBending(softBuilder(), NULL, "bridson"));
  runSim(other, 40);
  for (int step = 0; step < 40; step++) {
    mj_step(m, after);
  }
  CF_TRUE(cf_stateHash(m, d) == cf_stateHash(m, after));
  CF_TRUE(cf_stateHash(m, d) != cf_stateHash(cf_simModel(other), cf_simData(other)));
  cf_freeSim(other);
  mj_deleteData(after);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- parts

CF_TEST(builder__bending__flexes_named_or_all_use_it) {
  cfSim* plain = buildOrFail(softBuilder());
  cfSim* sim = buildOrFail(cf_withBending(softBuilder(), NULL, "bridson"));
  CF_EQ_STR(cf_flexBending(cf_simModel(plain), 0), "cotangent");
  CF_EQ_STR(cf_flexBending(cf_simModel(sim), 0), "bridson");
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 0), "linear");
  CF_TRUE(runSim(sim, 30) != runSim(plain, 30));
  cf_freeSim(sim);

  // a name wins over all
  sim = buildOrFail(cf_withElasticity(
      cf_withElasticity(softBuilder(), "block", "stable_neo_hookean"), NULL, "neo_hookean"));
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 0), "neo_hookean");
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 1), "stable_neo_hookean");
  cf_freeSim(sim);
  cf_freeSim(plain);
}


static mjtNum springForce(const cfGainView* view) {
  return -view->param[0] * view->length;
}


static mjtNum noSlope(const cfGainView* view) {
  (void)view;
  return 0;
}


CF_TEST(builder__gains__with_states_from_text_and_of_a_program) {
  static const cfGainParameter parameter = {"k", 1, 0, 100, "Nm/rad", "stiffness"};
  static const cfGainModel own = {.name = "own spring",
                                  .nparameter = 1,
                                  .parameter = &parameter,
                                  .force = springForce,
                                  .slope = noSlope};
  CF_TRUE(cf_registerGainModel(&own));
  const mjtNum param[6] = {2, .01, .05, .05, 20, 0}, stiffness = 3;
  cfSimBuilder* builder = cf_withGain(softBuilder(), "a", "dc_motor", param, 6);
  cfSim* sim = buildOrFail(cf_withGain(builder, NULL, "own spring", &stiffness, 1));
  CF_EQ_STR(cf_actuatorGain(cf_simModel(sim), 0)->name, "dc_motor");
  CF_EQ_STR(cf_actuatorGain(cf_simModel(sim), 1)->name, "own spring");
  CF_EQ_INT(cf_simModel(sim)->na, 1);
  CF_NEAR_ARRAY(cf_simModel(sim)->actuator_gainprm, param, 6, 0);
  cf_simData(sim)->ctrl[0] = 6;
  runSim(sim, 2);
  CF_TRUE(cf_simData(sim)->act[0] > 0.5);
  CF_NEAR(cf_simData(sim)->actuator_force[1], -3 * cf_simData(sim)->actuator_length[1], 1e-2);
  cf_freeSim(sim);
}


CF_TEST(builder__integrator_and_timestep__in_the_options_of_the_model) {
  cfSim* sim =
      buildOrFail(cf_withTimestep(cf_withIntegrator(softBuilder(), mjINT_IMPLICITFAST), 5e-4));
  CF_EQ_INT(cf_simModel(sim)->opt.integrator, mjINT_IMPLICITFAST);
  CF_NEAR(cf_simModel(sim)->opt.timestep, 5e-4, 0);
  runSim(sim, 3);
  CF_NEAR(cf_simData(sim)->time, 1.5e-3, 1e-15);
  cf_freeSim(sim);
}


CF_TEST(builder__parts_mixed__neo_hookean_with_a_contact_solver_runs) {
  const mjtNum substeps = 4;
  const bool has_xpbd = cf_findContactSolver("xpbd") != NULL;
  cfSimBuilder* builder = cf_withElasticity(softBuilder(), NULL, "neo_hookean");
  builder = has_xpbd ? cf_withContactSolver(builder, "xpbd", &substeps, 1)
                     : cf_withContactSolver(builder, "lcp", NULL, 0);
  cfSim* sim = buildOrFail(builder);
  CF_EQ_STR(cf_contactSolver(cf_simModel(sim))->name, has_xpbd ? "xpbd" : "lcp");
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 1), "neo_hookean");
  runSim(sim, 100);
  CF_TRUE(cf_simData(sim)->ncon > 0);
  cf_freeSim(sim);
  if (!has_xpbd) {
    expectComplaint(cf_withContactSolver(softBuilder(), "xpbd", &substeps, 1), "'xpbd'");
  }
}


CF_TEST(builder__presets__models_of_each) {
  cfSim* sim = buildOrFail(cf_withPreset(softBuilder(), "softbody"));
  CF_EQ_STR(cf_flexBending(cf_simModel(sim), 0), "cotangent");
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 1), "neo_hookean");
  CF_EQ_STR(cf_contactSolver(cf_simModel(sim))->name, "lcp");
  runSim(sim, 30);
  cf_freeSim(sim);

  // what is said besides wins, in any order
  sim = buildOrFail(cf_withContactSolver(
      cf_withPreset(cf_withElasticity(softBuilder(), "block", "stable_neo_hookean"), "animation"),
      "lcp", NULL, 0));
  CF_EQ_STR(cf_flexBending(cf_simModel(sim), 0), "bridson");
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 0), "linear");
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 1), "stable_neo_hookean");
  mjModel* m = mj_copyModel(NULL, cf_simModel(sim));
  cf_freeSim(sim);
  if (cf_findContactSolver("xpbd")) {
    sim = buildOrFail(cf_withPreset(softBuilder(), "animation"));
    CF_EQ_STR(cf_contactSolver(cf_simModel(sim))->name, "xpbd");
    runSim(sim, 30);
    cf_freeSim(sim);
  }

  // back to MuJoCo's
  sim = buildOrFail(cf_withPreset(cf_withModel(cf_simBuilder(), m), "mujoco"));
  CF_EQ_STR(cf_flexBending(cf_simModel(sim), 0), "cotangent");
  CF_EQ_STR(cf_flexElasticity(cf_simModel(sim), 1), "linear");
  cf_freeSim(sim);
  mj_deleteModel(m);
}


CF_TEST(builder__built_twice__simulations_of_their_own) {
  char error[1000];
  cfSimBuilder* builder = cf_withBending(softBuilder(), "cloth", "bridson");
  cfSim *a = cf_build(builder, error, sizeof(error)), *b = cf_build(builder, error, sizeof(error));
  cf_freeSimBuilder(builder);
  CF_TRUE(a && b && cf_simModel(a) != cf_simModel(b));
  const uint64_t hash = runSim(a, 20);
  cf_freeSim(a);
  CF_TRUE(runSim(b, 20) == hash);
  cf_freeSim(b);
}


CF_TEST(builder__specification_and_binary_file__as_text) {
  char error[1000] = "", path[] = "/tmp/cf_builder_XXXXXX.mjb";
  mjSpec* spec = mj_parseXMLString(soft_scene, NULL, error, sizeof(error));
  cfSim* text = buildOrFail(softBuilder());
  cfSim* copied = buildOrFail(cf_withSpec(cf_simBuilder(), spec));
  mj_deleteSpec(spec);
  const int file = mkstemps(path, 4);
  CF_TRUE(file >= 0);
  mj_saveModel(cf_simModel(text), path, NULL, 0);
  cfSim* binary = buildOrFail(cf_withModelFile(cf_simBuilder(), path));
  remove(path);
  const uint64_t hash = runSim(text, 20);
  CF_TRUE(runSim(copied, 20) == hash);
  CF_TRUE(runSim(binary, 20) == hash);
  cf_freeSim(text);
  cf_freeSim(copied);
  cf_freeSim(binary);
}


CF_TEST(builder__bad_number_in_a_step__step_says_so) {
  cfSim* sim = buildOrFail(softBuilder());
  cf_guardClear();
  for (int k = 0; k < 3; k++) {
    CF_TRUE(cf_simStep(sim));
    cf_simData(sim)->qvel[0] = NAN;
    CF_EQ_INT(cf_simStep(sim), 0);
    CF_TRUE(cf_simStep(sim));
  }
  cf_simModel(sim)->opt.disableflags |= mjDSBL_AUTORESET;
  cf_simData(sim)->qvel[0] = NAN;
  CF_EQ_INT(cf_simStep(sim), 0);
  mju_user_warning = NULL;
  cf_freeSim(sim);
}


// ---------------------------------------- cost, randomisation

CF_TEST(builder__default_step__no_calls_through_pointers_in_its_loops) {
#ifdef CF_LIBRARY
  const int status = system(CF_PYTHON " " CF_SOURCE_DIR "/tools/check_calls.py " CF_LIBRARY);
  if (WEXITSTATUS(status) == 77) {
    skip();
  }
  CF_EQ_INT(WEXITSTATUS(status), 0);
#else
  skip();
#endif
}


// episode k of a seed: bending and gravity are drawn
static uint64_t runEpisode(unsigned seed, int k, const char** bending) {
  seed = (seed * 31 + (unsigned)k) * 1664525u + 1013904223u;
  *bending = seed >> 16 & 1 ? "bridson" : "cotangent";
  cfSim* sim = buildOrFail(cf_withBending(softBuilder(), "cloth", *bending));
  cf_simModel(sim)->opt.gravity[2] = -9 - (seed >> 20) / 4096.0;
  const uint64_t hash = runSim(sim, 25);
  cf_freeSim(sim);
  return hash;
}


CF_TEST(builder__bending_drawn_per_episode__distinct_dynamics_and_same_seed_same_bits) {
  enum { EPISODES = 6 };
  int nbridson = 0;
  uint64_t hash[EPISODES];
  for (int k = 0; k < EPISODES; k++) {
    const char* bending;
    hash[k] = runEpisode(5, k, &bending);
    CF_TRUE(hash[k] == runEpisode(5, k, &bending));
    nbridson += strcmp(bending, "bridson") == 0;
    for (int i = 0; i < k; i++) {
      CF_TRUE(hash[i] != hash[k]);
    }
  }
  CF_TRUE(nbridson > 0 && nbridson < EPISODES);
}


// ---------------------------------------- contradictions

CF_TEST(builder__contradictions__explained_and_nothing_built) {
  const mjtNum one = 1, two = 2;
  expectComplaint(cf_simBuilder(), "no model is given");
  CF_TRUE(cf_build(NULL, NULL, 0) == NULL);
  expectComplaint(cf_withModelText(softBuilder(), soft_scene), "a model is given twice");
  expectComplaint(cf_withModelFile(cf_simBuilder(), NULL), "the model that is given is NULL");
  expectComplaint(cf_withModelFile(cf_simBuilder(), "/nowhere/robot.xml"), "/nowhere/robot.xml");
  expectComplaint(cf_withModelText(cf_simBuilder(), "<mujoco><geom/></mujoco>"), "geom");
  expectComplaint(
      cf_withBending(cf_withBending(softBuilder(), "cloth", "bridson"), "cloth", "cotangent"),
      "bending of 'cloth' is chosen twice: 'bridson' and 'cotangent'");
  expectComplaint(
      cf_withGain(cf_withGain(softBuilder(), NULL, "fixed", &one, 1), NULL, "fixed", &two, 1),
      "gain is chosen twice: 'fixed' and 'fixed' with other parameters");
  expectComplaint(cf_withBending(softBuilder(), "curtain", "bridson"),
                  "bending 'bridson' is chosen for flex 'curtain', which the model does not have");
  expectComplaint(cf_withGain(softBuilder(), "knee", "fixed", NULL, 0),
                  "gain 'fixed' is chosen for actuator 'knee', which the model does not have");
  expectComplaint(
      cf_withElasticity(cf_withModelText(cf_simBuilder(), "<mujoco/>"), NULL, "neo_hookean"),
      "elasticity 'neo_hookean' is chosen, but the model has no flex");
  expectComplaint(
      cf_withElasticity(softBuilder(), NULL, "rubber"),
      "elasticity of flex 0 ('cloth'): unknown model of elasticity 'rubber'; known are linear");
  expectComplaint(cf_withGain(softBuilder(), "a", "dc_motor", &one, 1),
                  "'dc_motor' has 6 parameters");
  expectComplaint(cf_withGain(softBuilder(), NULL, NULL, NULL, 0), "gain is chosen without a name");
  expectComplaint(cf_withGain(softBuilder(), NULL, "fixed", &one, 99), "is given 99 parameters");
  expectComplaint(cf_withContactSolver(softBuilder(), "magnets", NULL, 0), "'magnets'");
  expectComplaint(cf_withPreset(softBuilder(), "games"),
                  "unknown preset 'games'; known are mujoco, animation, softbody");
  expectComplaint(cf_withPreset(cf_withPreset(softBuilder(), "mujoco"), "softbody"),
                  "preset is chosen twice: 'mujoco' and 'softbody'");
  expectComplaint(cf_withIntegrator(softBuilder(), 17), "there is no integrator 17");
  expectComplaint(cf_withIntegrator(cf_withIntegrator(softBuilder(), 0), 1),
                  "integrator is chosen twice: 0 and 1");
  expectComplaint(cf_withTimestep(softBuilder(), -1), "timestep must be positive, got -1");
  expectComplaint(cf_withTimestep(softBuilder(), NAN), "timestep must be positive");
  expectComplaint(cf_withTimestep(cf_withTimestep(softBuilder(), 1), 2),
                  "timestep is chosen twice: 1 and 2");
  expectComplaint(cf_withGain(cf_withPreset(softBuilder(), "mujoco"), "b", "fixed", NULL, 0),
                  "preset 'mujoco', but actuator 1 ('b') has gain model 'fixed'");

  // all of them, one a line
  expectComplaint(cf_withTimestep(cf_withIntegrator(softBuilder(), 9), 0),
                  "there is no integrator 9\ntimestep must be positive, got 0");
}


static cftContactResult nothingSolved(const cfContactProblem* problem, void* workspace) {
  (void)problem, (void)workspace;
  return CF_CONTACT_FORCES;
}


CF_TEST(builder__positional_solver_with_rungeKutta__refused) {
  static const cfContactSolver mover = {
      .name = "mover", .is_positional = 1, .solve = nothingSolved};
  CF_TRUE(cf_registerContactSolver(&mover));
  expectComplaint(
      cf_withIntegrator(cf_withContactSolver(softBuilder(), "mover", NULL, 0), mjINT_RK4),
      "contact solver 'mover' moves positions, which the stages of integrator RK4 do not allow");
  cf_freeSim(buildOrFail(cf_withContactSolver(softBuilder(), "mover", NULL, 0)));
}


#define SOLID_SCENE                                                                            \
  "<mujoco><worldbody><flexcomp name='block' type='grid' count='3 3 3' spacing='.05 .05 .05' " \
  "radius='.005' mass='.2' dim='3'><elasticity young='2e3' poisson='.3'/><contact "            \
  "selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>"
#define ROPE_SCENE                                                                            \
  "<mujoco><worldbody><flexcomp name='rope' type='grid' count='4 1 1' spacing='.1 .1 .1' "    \
  "radius='.005' mass='.2' dim='1'><contact selfcollide='none' internal='false'/></flexcomp>" \
  "</worldbody></mujoco>"
#define SHEET_SCENE(attributes, elastic2d)                                                  \
  "<mujoco><worldbody><flexcomp name='cloth' type='grid' count='4 4 1' spacing='.1 .1 .1' " \
  "radius='.005' mass='.2' dim='2' " attributes                                             \
  "><elasticity young='1e4' poisson='.3' "                                                  \
  "thickness='.01' " elastic2d                                                              \
  "/><contact selfcollide='none' internal='false'/></flexcomp>"                             \
  "</worldbody></mujoco>"

static cfSimBuilder* sceneBuilder(const char* xml) {
  return cf_withModelText(cf_simBuilder(), xml);
}


// two wishes that a model cannot have together
CF_TEST(builder__models_that_would_do_nothing__refused) {
  expectComplaint(cf_withBending(softBuilder(), "block", "bridson"), "flexes of dim 2");
  expectComplaint(cf_withBending(sceneBuilder(SOLID_SCENE), NULL, "bridson"),
                  "bending of flex 0 ('block'): model 'bridson' bends surfaces");
  expectComplaint(cf_withElasticity(sceneBuilder(ROPE_SCENE), NULL, "neo_hookean"),
                  "needs triangles or tetrahedra");
  expectComplaint(
      cf_withElasticity(sceneBuilder(SHEET_SCENE("", "elastic2d='bend'")), "cloth", "neo_hookean"),
      "elastic2d \"stretch\" or \"both\"");
  expectComplaint(
      cf_withElasticity(
          cf_withElasticity(cf_withElasticity(softBuilder(), "cloth", "linear"), "block", "linear"),
          NULL, "neo_hookean"),
      "elasticity 'neo_hookean' is chosen for all flexes that are not named, but each is");
  expectComplaint(cf_withPreset(cf_withModelText(cf_simBuilder(), "<mujoco/>"), "softbody"),
                  "preset 'softbody' is about flexes, but the model has none");

  // a surface gets its hinges when it is compiled, and cannot get them later
  const char* stretched = SHEET_SCENE("", "elastic2d='stretch'");
  cfSim* sim = buildOrFail(cf_withBending(sceneBuilder(stretched), "cloth", "cubic_shell"));
  cf_simData(sim)->qpos[2] = 0.03;
  mj_forward(cf_simModel(sim), cf_simData(sim));
  CF_EQ_STR(cf_flexBending(cf_simModel(sim), 0), "cubic_shell");
  CF_TRUE(cf_flexEnergy(cf_simModel(sim), cf_simData(sim), 0) > 1e-6);
  cf_freeSim(sim);
  mjModel* m = cf_compileText(stretched);
  expectComplaint(cf_withBending(cf_withModel(cf_simBuilder(), m), NULL, "cubic_shell"),
                  "compiled with a model of bending");
  sim = buildOrFail(cf_withPreset(cf_withModel(cf_simBuilder(), m), "animation"));
  CF_EQ_STR(cf_flexBending(cf_simModel(sim), 0), "cotangent");
  cf_freeSim(sim);
  mj_deleteModel(m);
}


CF_TEST(builder__parts_that_do_not_go_together__refused) {
  const mjtNum half = 2.5, rigid[3] = {4, 10, -0.5}, nothing = NAN;
  const mjtNum motor[6] = {.6, 4e-4, NAN, 1, 40, 0};
  expectComplaint(
      cf_withIntegrator(cf_withContactSolver(softBuilder(), "xpbd", NULL, 0), mjINT_RK4),
      "contact solver 'xpbd' moves positions");
  expectComplaint(cf_withIntegrator(cf_withPreset(softBuilder(), "animation"), mjINT_RK4),
                  "contact solver 'xpbd' moves positions");
  expectComplaint(
      cf_withIntegrator(sceneBuilder(SHEET_SCENE("implicit_stiffness='true'", "elastic2d='both'")),
                        mjINT_RK4),
      "implicit stiffness, which integrator RK4 does not know");
  expectComplaint(cf_withBending(cf_withPreset(softBuilder(), "mujoco"), "cloth", "bridson"),
                  "preset 'mujoco', but bending is 'bridson'");
  expectComplaint(cf_withElasticity(cf_withPreset(softBuilder(), "mujoco"), NULL, "neo_hookean"),
                  "preset 'mujoco', but elasticity is 'neo_hookean'");
  expectComplaint(cf_withContactSolver(cf_withPreset(softBuilder(), "mujoco"), "xpbd", NULL, 0),
                  "preset 'mujoco', but contact solver is 'xpbd'");
  expectComplaint(cf_withGain(softBuilder(), "a", "dc_motor", NULL, 6),
                  "gain 'dc_motor' is given 6 parameters, but no values");
  expectComplaint(cf_withContactSolver(softBuilder(), "xpbd", NULL, 2),
                  "contact solver 'xpbd' is given 2 parameters, but no values");
  expectComplaint(cf_withContactSolver(softBuilder(), "xpbd", &half, 1), "whole numbers");
  expectComplaint(cf_withContactSolver(softBuilder(), "xpbd", rigid, 3), "-1 for none given");
  expectComplaint(cf_withContactSolver(softBuilder(), "xpbd", &nothing, 1), "'substeps'");
  expectComplaint(cf_withContactSolver(softBuilder(), "lcp", &half, 1), "has 0 parameters");
  expectComplaint(cf_withGain(softBuilder(), "a", "dc_motor", motor, 6), "torque_constant");
  expectComplaint(
      cf_withContactSolver(cf_withContactSolver(softBuilder(), "xpbd", NULL, 0), "lcp", NULL, 0),
      "contact solver is chosen twice");
}


// does a wish for all flexes of a model have what it can have?
static bool isInEffect(mjModel* m, const char* wish,
                       int (*choose)(mjModel*, int, const char*, char*, int),
                       const char* (*chosen)(const mjModel*, int)) {
  int nserved = 0;
  for (int f = 0; f < m->nflex; f++) {
    const bool is_served = strcmp(chosen(m, f), wish) == 0;
    nserved += is_served;
    if (!is_served && choose(m, f, wish, NULL, 0)) {
      return false;
    }
  }
  return nserved > 0;
}


static const char* const pair_scenes[] = {
    soft_scene,
    SOLID_SCENE,
    ROPE_SCENE,
    SHEET_SCENE("", "elastic2d='stretch'"),
    SHEET_SCENE("", ""),
    SHEET_SCENE("rigid='true'", "elastic2d='both'"),
    SHEET_SCENE("implicit_stiffness='true' bending_model='bridson'", "elastic2d='both'"),
    "<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>"};


// all combinations of parts: refused with a reason, or everything that was wished is there, and
// runs
CF_TEST(builder__every_combination_of_parts__refused_or_in_effect) {
  static const char* const bending[3] = {NULL, "bridson", "cubic_shell"};
  static const char* const elasticity[3] = {NULL, "neo_hookean", "linear"};
  static const char* const solvers[3] = {NULL, "xpbd", "hunt_crossley"};
  static const char* const presets[4] = {NULL, "mujoco", "animation", "softbody"};
  int nbuilt = 0, nrefused = 0;
  cf_guardClear();
  for (int k = 0; k < 8 * 3 * 3 * 3 * 4 * 2; k++) {
    const char *b = bending[k / 8 % 3], *e = elasticity[k / 24 % 3], *s = solvers[k / 72 % 3];
    const char* preset = presets[k / 216 % 4];
    const int integrator = k / 864 ? mjINT_RK4 : mjINT_EULER;
    char error[2000] = "";
    cfSimBuilder* builder = cf_withIntegrator(sceneBuilder(pair_scenes[k % 8]), integrator);
    builder = b ? cf_withBending(builder, NULL, b) : builder;
    builder = e ? cf_withElasticity(builder, NULL, e) : builder;
    builder = s ? cf_withContactSolver(builder, s, NULL, 0) : builder;
    builder = preset ? cf_withPreset(builder, preset) : builder;
    cfSim* sim = cf_build(builder, error, sizeof(error));
    cf_freeSimBuilder(builder);
    if (!sim) {
      CF_TRUE(strlen(error) > 20);
      nrefused++;
      continue;
    }
    nbuilt++;
    mjModel* m = cf_simModel(sim);
    const bool is_mujoco = preset && !strcmp(preset, "mujoco");
    CF_EQ_STR(error, "");
    CF_EQ_INT(m->opt.integrator, integrator);
    CF_TRUE(!b || (!is_mujoco && isInEffect(m, b, cf_setFlexBending, cf_flexBending)));
    CF_TRUE(!e || isInEffect(m, e, cf_setFlexElasticity, cf_flexElasticity));
    CF_TRUE(!s || !strcmp(cf_contactSolver(m)->name, s));
    if (integrator == mjINT_RK4) {
      CF_TRUE(!cf_contactSolver(m)->is_positional);
      for (int f = 0; f < m->nflex; f++) {
        CF_TRUE(!cf_flexImplicit(m, f));
      }
    }
    m->opt.timestep = 1e-4;
    for (int step = 0; step < 2; step++) {
      CF_TRUE(cf_simStep(sim));
    }
    cf_freeSim(sim);
  }
  CF_EQ_INT(cf_warning_count, 0);
  CF_TRUE(nbuilt > 200 && nrefused > 200);
  print_message("%d built, %d refused\n", nbuilt, nrefused);
}


CF_TEST(builder__state_without_room_in_a_model__refused) {
  mjModel* m = cf_compileText(soft_scene);
  expectComplaint(cf_withGain(cf_withModel(cf_simBuilder(), m), "a", "dc_motor", NULL, 0),
                  "gain 'dc_motor': gain model 'dc_motor' needs 1 activations");
  mj_deleteModel(m);
}


CF_TEST_MAIN("builder")
