// Steps of the models of models/ under several options, for counters of branches (training.cmake).
//
//   train MODEL.xml...
//
// Everything here is a function of the models alone, so that the counts are always the same.  A
// model that does not load (plugins) is left out; one that ends in an error is left where it is.
#include <math.h>
#include <setjmp.h>
#include <stdio.h>

#include <mujoco/mujoco.h>

static jmp_buf next_run;


static void leaveRun(const char* message) {
  (void)message;
  longjmp(next_run, 1);
}


static void ignoreWarning(const char* message) {
  (void)message;
}


// controls around the middle of their range
static void setControls(const mjModel* m, mjData* d, int step) {
  for (int u = 0; u < m->nu; u++) {
    const int has_range = m->actuator_ctrllimited[u];
    const mjtNum low = has_range ? m->actuator_ctrlrange[2 * u] : -1;
    const mjtNum high = has_range ? m->actuator_ctrlrange[2 * u + 1] : 1;
    d->ctrl[u] = (low + high) / 2 + (high - low) / 10 * sin(0.1 * step + u);
  }
}


// steps from the first keyframe, or from the reset state
static void takeSteps(const mjModel* m, mjData* d, int nstep) {
  if (setjmp(next_run)) {
    return;
  }
  if (m->nkey) {
    mj_resetDataKeyframe(m, d, 0);
  } else {
    mj_resetData(m, d);
  }
  for (int step = 0; step < nstep; step++) {
    setControls(m, d, step);
    mj_step(m, d);
  }
}


// options that lead a step other ways than those of the model, a few steps each
static void takeOtherWays(mjModel* m, mjData* d, int nstep) {
  const mjOption own = m->opt;
  for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
    m->opt.solver = solver;
    m->opt.cone = own.cone == mjCONE_ELLIPTIC ? mjCONE_PYRAMIDAL : mjCONE_ELLIPTIC;
    takeSteps(m, d, nstep);
  }
  m->opt = own;
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    m->opt.integrator = integrator;
    takeSteps(m, d, nstep);
  }
  m->opt = own;
  m->opt.jacobian = mjJAC_SPARSE;
  takeSteps(m, d, nstep);
  m->opt.enableflags |= mjENBL_ENERGY;
  m->opt.disableflags |= mjDSBL_ISLAND | mjDSBL_WARMSTART | mjDSBL_EULERDAMP;
  takeSteps(m, d, nstep);
  m->opt = own;
  m->opt.noslip_iterations = 3;
  takeSteps(m, d, nstep);
  m->opt = own;
}


int main(int argc, char** argv) {
  mju_user_error = leaveRun;
  mju_user_warning = ignoreWarning;
  for (int i = 1; i < argc; i++) {
    char error[500] = "";
    mjModel* m = mj_loadXML(argv[i], NULL, error, sizeof(error));
    if (!m) {
      continue;
    }

    // small models take more steps: each is a model that somebody works with
    const int size = 20 + (int)m->nv + (int)m->ngeom + 20 * (int)m->nflexvert;
    const int nstep = mjMAX(10, 40000 / size);
    mjData* d = mj_makeData(m);
    takeSteps(m, d, nstep);
    takeOtherWays(m, d, 1 + nstep / 8);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  return 0;
}
