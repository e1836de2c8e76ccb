// cf_transition: which positions need no stages at all, and nudges under which rows come and go.
#include <stdbool.h>

#include <cortenforge/derivative.h>

#include "cf_smooth.h"
#include "cf_test.h"
#include "cf_text.h"

// a floating body with an arm, in the air or as high as Z says; TO: what else the model has
#define FLOATER(z, world, arm, more)                                                                          \
  "<mujoco><option timestep='0.002' density='1.2' viscosity='0.001' wind='1 0 0'/>"                           \
  "<default><geom density='500'/></default><worldbody><site name='w' pos='0.2 0.1 2'/>"                       \
  "<geom name='f' type='plane' size='3 3 .1'/>" world "<body name='b' pos='0 0 " z                            \
  "'><freejoint name='j'/><geom type='box' size='0.1 0.15 0.05'/><site name='s' pos='0.1 0 0'/>"              \
  "<body pos='0.3 0 0.1'><joint name='h' axis='0 1 1' damping='0.1'/><geom size='0.05'/><site name='t'/>" arm \
  "</body></body></worldbody>" more "</mujoco>"
#define SLIDER(joints, more)                                                                                    \
  "<mujoco><option timestep='0.002'/><worldbody><site name='w' pos='0 0 2'/><body name='b' pos='0 0 1'>" joints \
  "<geom size='0.1'/><site name='s' pos='.1 .2 0'/><body pos='.4 0 0'><joint name='h' axis='0 1 0'/>"           \
  "<geom size='0.05'/></body></body></worldbody>" more "</mujoco>"
#define SLIDE "<joint name='x' type='slide' axis='1 1 0'/>"

typedef struct {
  const char* xml;
  int free;  // bit k: dof k moves the tree and changes nothing
} translation;

enum { COLUMNS_MAX = 64, ALL = 7, PLANAR = 3, KINKS = 2 };

static const translation translations[] = {
    {FLOATER("1", "", "", ""), ALL},
    {FLOATER("0.0499", "", "", ""), PLANAR},
    {FLOATER("0.0499", "<geom type='plane' size='1 1 1' zaxis='-1 0 0' pos='0.0999 0 0'/>", "", ""),
     2},
    {FLOATER("0.1499", "<geom type='box' size='1 1 0.1'/>", "", ""), 0},
    {FLOATER("1", "<body pos='0 0 1.0999'><freejoint/><geom type='box' size='.1 .1 .05'/></body>",
             "", ""),
     0},
    {FLOATER("1", "<body mocap='true' pos='0 0 0.9'><geom type='box' size='.1 .1 .0501'/></body>",
             "", ""),
     0},
    {FLOATER("1", "", "", "<equality><connect body1='b' anchor='0 0 0'/></equality>"), 0},
    {FLOATER("1", "", "", "<equality><weld site1='t' site2='w'/></equality>"), 0},
    {FLOATER("1", "", "", "<equality><connect site1='s' site2='t'/></equality>"), ALL},
    {FLOATER("1", "", "", "<equality><joint joint1='h' polycoef='0.1'/></equality>"), ALL},
    {FLOATER("1", "", "",
             "<tendon><spatial stiffness='9'><site site='w'/><site site='t'/></spatial></tendon>"),
     0},
    {FLOATER("1", "", "",
             "<tendon><spatial stiffness='9'><site site='s'/><site site='t'/></spatial></tendon>"),
     ALL},
    {FLOATER("1", "", "",
             "<actuator><position site='t' refsite='w' gear='1 2 0 0 0 0' kp='9'/></actuator>"),
     0},
    {FLOATER("1", "", "",
             "<actuator><position site='t' refsite='s' gear='1 2 0 0 0 0' kp='9'/></actuator>"),
     ALL},
    {FLOATER(
         "1", "", "",
         "<actuator><motor site='t' gear='1 2 0 0 0 0'/><motor joint='j' gear='1 2 0 0 0 1'/></actuator>"),
     ALL},
    {FLOATER("1", "", "<site name='r' pos='0 .1 .1'/>",
             "<actuator><general cranklength='0.6' cranksite='w' slidersite='r'/></actuator>"),
     0},
    {SLIDER(SLIDE, ""), 1},
    {SLIDER("<joint type='slide' axis='1 1 0' stiffness='3'/>", ""), 0},
    {SLIDER("<joint type='slide' axis='1 1 0' limited='true' range='-1 0.0001'/>", ""), 0},
    {SLIDER(SLIDE, "<equality><joint joint1='x' polycoef='0.1'/></equality>"), 0},
    {SLIDER(SLIDE, "<equality><joint joint1='h' joint2='x' polycoef='0.1 1'/></equality>"), 0},
    {SLIDER(
         SLIDE,
         "<tendon><fixed stiffness='5'><joint joint='x' coef='1'/><joint joint='h' coef='1'/></fixed></tendon>"),
     0},
    {SLIDER(SLIDE, "<actuator><position joint='x' kp='5'/></actuator>"), 0},
    {SLIDER(SLIDE "<joint type='slide' axis='0 0 1'/>", ""), 3},
    {SLIDER("<joint axis='0 0 1' pos='0.3 0 0'/>" SLIDE, ""), 0},
};


static mjtNum worstColumn(const mjtNum* a, const mjtNum* b, int height, int width, int column) {
  mjtNum error = 0, size = 1;
  for (int r = 0; r < height; r++) {
    error = fmax(error, fabs(a[r * width + column] - b[r * width + column]));
    size = fmax(size, fabs(b[r * width + column]));
  }
  return isfinite(error) ? error / size : INFINITY;
}


// largest error of a column of A against mjd_transitionFD
static mjtNum errorOf(const mjModel* m, mjData* d, bool is_one_sided, mjtByte* column) {
  const int nx = (int)(2 * m->nv + m->na);
  static mjtNum A[COLUMNS_MAX * COLUMNS_MAX], expected[COLUMNS_MAX * COLUMNS_MAX];
  CF_TRUE(nx + m->nu <= COLUMNS_MAX);
  const cfTransitionOptions how = {.eps = 1e-6, .one_sided = is_one_sided};
  cf_transitionColumns(m, d, &how, A, NULL, column);
  mjd_transitionFD(m, d, 1e-6, !is_one_sided, expected, NULL, NULL, NULL);
  mjtNum error = 0;
  for (int c = 0; c < nx; c++) {
    error = fmax(error, worstColumn(A, expected, nx, nx, c));
  }
  return error;
}


CF_TEST(transition__translation_of_a_tree__closed_where_nothing_feels_it) {
  const int count = (int)(sizeof(translations) / sizeof(translations[0]));
  for (int k = 0; k < count; k++) {
    mjModel* m = cf_compileText(translations[k].xml);
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      if (integrator == mjINT_RK4) {
        continue;
      }
      m->opt.integrator = integrator;
      mjData* d = mj_makeData(m);
      unsigned seed = 3;
      for (int i = 0; i < m->nv; i++) {
        d->qvel[i] = 0.1 * cf_random(&seed);
      }
      for (int u = 0; u < m->nu; u++) {
        d->ctrl[u] = 0.3;
      }
      mjtByte column[COLUMNS_MAX];
      const mjtNum error = errorOf(m, d, false, column);
      int found = 0;
      for (int dof = 0; dof < m->nv; dof++) {
        found |= column[dof] == CF_COLUMN_CLOSED ? 1 << dof : 0;
      }
      if (found != translations[k].free || !(error < 2e-5)) {
        print_message("scene %d, integrator %d: error %g\n", k, integrator, error);
      }
      CF_EQ_INT(found, translations[k].free);
      CF_TRUE(error < 2e-5);
      mj_deleteData(d);
    }
    mj_deleteModel(m);
  }
}


// rows come and go under the nudges: a box that just touches the floor, arms at their limits
static const char* const kinks[KINKS] = {
    FLOATER("0.05", "", "", ""),
    "<mujoco><worldbody><body><joint axis='0 1 0' limited='true' range='0 100'/><geom type='capsule' size='.05' fromto='0 0 0 .5 0 0'/>"
    "<body pos='.5 0 0'><joint axis='0 1 0' limited='true' range='-100 0'/><geom type='capsule' size='.05' fromto='0 0 0 .5 0 0'/>"
    "</body></body></worldbody></mujoco>",
};


CF_TEST(transition__rows_come_and_go__steps_from_the_nudged_stages) {
  int steps = 0, stages = 0;
  for (int k = 0; k < KINKS; k++) {
    mjModel* m = cf_compileText(kinks[k]);
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      if (integrator == mjINT_RK4) {
        continue;
      }
      m->opt.integrator = integrator;
      for (int one_sided = 0; one_sided < 2; one_sided++) {
        mjData* d = mj_makeData(m);
        mjtByte column[COLUMNS_MAX];
        const mjtNum error = errorOf(m, d, one_sided, column);
        if (!(error < 2e-5)) {
          print_message("scene %d, integrator %d, one-sided %d: %g\n", k, integrator, one_sided,
                        error);
        }
        CF_TRUE(error < 2e-5);
        for (int dof = 0; dof < m->nv; dof++) {
          steps += column[dof] == CF_COLUMN_STEP;
          stages += column[dof] == CF_COLUMN_STAGE;
        }
        mj_deleteData(d);
      }
    }
    mj_deleteModel(m);
  }
  // the floor is met on all sides, a limit on one
  CF_TRUE(steps > 6 && stages > 0);
}


CF_TEST_MAIN("finitediff/nudges")
