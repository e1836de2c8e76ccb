// stages: each constraint stage alone against MuJoCo 3.5.0.
//
//   stages [-n STEPS] [-v] [-r] [-o KEY=VALUE,...] [MODEL.xml|MODEL.mjb...]
//
// default: the test scene with several sets of options.
//
// The reference (environment variable MUJOCO_REFERENCE_LIB) runs its pipeline; before each stage
// its whole mjData is copied into ours, then both run that stage and the arrays it writes are
// compared. -r leaves out the solver.  So rows, islands and solvers are judged without our
// kinematics, collision and smooth dynamics.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "cf_twins.h"

// options for the test scene
enum { SET_COUNT = 8 };
static const char* const sets[SET_COUNT] = {"",
                                            "jacobian=0",
                                            "jacobian=1",
                                            "solver=0",
                                            "solver=1,jacobian=0",
                                            "cone=1,jacobian=0",
                                            "cone=1,solver=0",
                                            "noslip_iterations=3"};

static bool verbose, rows_only;
static cfDifference worst;


// change options as conform does
static void changeOptions(mjModel* m, const char* text) {
  char copy[400];
  snprintf(copy, sizeof(copy), "%s", text);
  for (char* key = strtok(copy, ","); key; key = strtok(NULL, ",")) {
    char* value = strchr(key, '=');
    if (!value) {
      continue;
    }
    *value++ = 0;
    int x = (int)strtol(value, NULL, 0);
    if (!strcmp(key, "solver")) {
      m->opt.solver = x;
    } else if (!strcmp(key, "cone")) {
      m->opt.cone = x;
    } else if (!strcmp(key, "jacobian")) {
      m->opt.jacobian = x;
    } else if (!strcmp(key, "iterations")) {
      m->opt.iterations = x;
    } else if (!strcmp(key, "noslip_iterations")) {
      m->opt.noslip_iterations = x;
    } else if (!strcmp(key, "disable")) {
      m->opt.disableflags |= x;
    } else if (!strcmp(key, "enable")) {
      m->opt.enableflags |= x;
    }
  }
}


// copy what lives in the buffer, the scalars, and the contacts
static void copyData(const mjModel* m, mjData* to, const mjData* from) {
  MJDATA_POINTERS_PREAMBLE(m)
#define X(type, name, nr, nc) memcpy(to->name, from->name, sizeof(type) * (m->nr) * (nc));
  MJDATA_POINTERS
#undef X
  to->time = from->time;
  to->ntree_awake = from->ntree_awake;
  to->nbody_awake = from->nbody_awake;
  to->nparent_awake = from->nparent_awake;
  to->nv_awake = from->nv_awake;
  to->ncon = from->ncon;
  to->contact = to->arena;
  to->parena = to->ncon * sizeof(mjContact);
  memcpy(to->contact, from->contact, to->parena);
}


// what a stage wrote, against the reference
static void compareStage(cfTwins t, uint64_t writers, int step) {
  const cfDifference found = cf_worstWritten(t.m, t.d, t.ref_d, writers);
  if (verbose && found.error > CF_TOLERANCE_STEP) {
    printf("#   step %d %s %.3g\n", step, found.field, found.error);
  }
  worst = found.error > worst.error ? found : worst;
}


static void compareRows(cfTwins t, int step) {
  CF_REF(mj_fwdPosition)(t.ref_m, t.ref_d);
  copyData(t.m, t.d, t.ref_d);

  // what the stage has to write into the contacts
  for (int i = 0; i < t.d->ncon; i++) {
    mjContact* con = t.d->contact + i;
    con->mu = con->exclude || con->dim == 1 ? con->mu : -1;
  }
  mj_makeConstraint(t.m, t.d);
  mj_island(t.m, t.d);
  mj_projectConstraint(t.m, t.d);
  compareStage(t,
               CF_WRITTEN_BY(MAKE) | CF_WRITTEN_BY(COLLISION) | CF_WRITTEN_BY(ISLAND) |
                   CF_WRITTEN_BY(PROJECT),
               step);

  CF_REF(mj_fwdVelocity)(t.ref_m, t.ref_d);
  mju_copy(t.d->qvel, t.ref_d->qvel, (int)t.m->nv);
  mj_referenceConstraint(t.m, t.d);
  compareStage(t, CF_WRITTEN_BY(REFERENCE), step);
}


static void compareSolver(cfTwins t, int step) {
  const int nv = (int)t.m->nv;
  CF_REF(mj_fwdActuation)(t.ref_m, t.ref_d);
  CF_REF(mj_fwdAcceleration)(t.ref_m, t.ref_d);
  mju_copy(t.d->qfrc_smooth, t.ref_d->qfrc_smooth, nv);
  mju_copy(t.d->qacc_smooth, t.ref_d->qacc_smooth, nv);
  mju_copy(t.d->qacc_warmstart, t.ref_d->qacc_warmstart, nv);
  CF_REF(mj_fwdConstraint)(t.ref_m, t.ref_d);
  mj_fwdConstraint(t.m, t.d);
  compareStage(t, CF_WRITTEN_BY(SOLVE), step);
}


static int runModel(const char* path, const char* options, int steps) {
  worst = (cfDifference){"", "-", 0, 0};
  if (setjmp(cf_twinsError)) {
    printf("ERROR %s: %s\n", path, cf_twinsMessage);
    return 1;
  }
  mjModel* m = cf_readReference(path);
  if (!m) {
    return 1;
  }
  changeOptions(m, options);
  const cfTwins t = cf_makeTwins(m);
  if (!t.m) {
    printf("ERROR %s: not loaded\n", path);
    return 1;
  }
  if (m->nkey > 0) {
    CF_REF(mj_resetDataKeyframe)(m, t.ref_d, 0);
  }
  for (int k = 0; k < steps; k++) {
    for (int u = 0; u < m->nu; u++) {
      const mjtNum* range = m->actuator_ctrlrange + 2 * u;
      const mjtNum x = 0.5 * (1 + sin(3.7 * (k + 1) * (u + 1)));
      t.ref_d->ctrl[u] =
          m->actuator_ctrllimited[u] ? range[0] + x * (range[1] - range[0]) : 2 * x - 1;
    }
    compareRows(t, k);
    if (!rows_only) {
      compareSolver(t, k);
    }
    CF_REF(mj_step)(m, t.ref_d);
  }
  const bool bad = !(worst.error <= CF_TOLERANCE_STEP);
  if (bad || verbose) {
    printf("%s %s worst %s %.3g\n", bad ? "FAIL" : "ok  ", path, worst.field, worst.error);
  }
  cf_freeTwins(t);
  return bad;
}


int main(int argc, char** argv) {
  int steps = 10, option, bad = 0;
  const char* options = "";
  while ((option = getopt(argc, argv, "n:vro:")) != -1) {
    switch (option) {
      case 'n':
        steps = atoi(optarg);
        break;
      case 'v':
        verbose = true;
        break;
      case 'r':
        rows_only = true;
        break;
      case 'o':
        options = optarg;
        break;
      default:
        return 2;
    }
  }
  if (!cf_referenceOpen()) {
    return cf_skipCode();
  }
  cf_catchErrors();
  int runs = 0;
  for (int i = optind; i < argc; i++, runs++) {
    bad += runModel(argv[i], options, steps);
  }
  for (int k = 0; optind == argc && k < SET_COUNT; k++, runs++) {
    bad += runModel(CF_SOURCE_DIR "/tests/data/constraint/scene.mjb", sets[k], steps);
  }
  printf("%d runs, %d bad\n", runs, bad);
  return bad > 0;
}
