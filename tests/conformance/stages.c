// stages: each constraint stage alone against MuJoCo 3.5.0.
//
//   stages [-n STEPS] [-v] [-r] [-o KEY=VALUE,...] [MODEL.xml|MODEL.mjb...]   (default: the test
//   scene)
//
// The reference (environment variable MUJOCO_REFERENCE_LIB) runs its pipeline; before each stage
// its whole mjData is copied into ours, then both run that stage and the arrays it writes are
// compared. -r leaves out the solver.  So rows, islands and solvers are judged without our
// kinematics, collision and smooth dynamics.
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "cf_reference.h"

// the part of the reference's API that we call
typedef struct {
  mjModel* (*loadXML)(const char*, const mjVFS*, char*, int);
  mjModel* (*loadModel)(const char*, const mjVFS*);
  void (*saveModel)(const mjModel*, const char*, void*, int);
  mjData* (*makeData)(const mjModel*);
  void (*resetKey)(const mjModel*, mjData*, int);
  void (*step)(const mjModel*, mjData*);
  void (*fwdPosition)(const mjModel*, mjData*);
  void (*fwdVelocity)(const mjModel*, mjData*);
  void (*fwdActuation)(const mjModel*, mjData*);
  void (*fwdAcceleration)(const mjModel*, mjData*);
  void (*fwdConstraint)(const mjModel*, mjData*);
  void (*deleteModel)(mjModel*);
  void (*deleteData)(mjData*);
} Reference;

static Reference ref;
static bool verbose, rows_only;
static double worst_error;
static char worst_name[100];
static jmp_buf on_error;
static char error_text[500];


static void catchError(const char* text) {
  snprintf(error_text, sizeof(error_text), "%s", text);
  longjmp(on_error, 1);
}


static void ignoreWarning(const char* text) {
  (void)text;
}


static bool loadReference(void) {
  const char* path = getenv("MUJOCO_REFERENCE_LIB");
  void* lib = path ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!lib) {
    return false;
  }
#define SYMBOL(field, name) *(void**)&ref.field = dlsym(lib, name)
  SYMBOL(loadXML, "mj_loadXML");
  SYMBOL(loadModel, "mj_loadModel");
  SYMBOL(saveModel, "mj_saveModel");
  SYMBOL(makeData, "mj_makeData");
  SYMBOL(resetKey, "mj_resetDataKeyframe");
  SYMBOL(step, "mj_step");
  SYMBOL(fwdPosition, "mj_fwdPosition");
  SYMBOL(fwdVelocity, "mj_fwdVelocity");
  SYMBOL(fwdActuation, "mj_fwdActuation");
  SYMBOL(fwdAcceleration, "mj_fwdAcceleration");
  SYMBOL(fwdConstraint, "mj_fwdConstraint");
  SYMBOL(deleteModel, "mj_deleteModel");
  SYMBOL(deleteData, "mj_deleteData");
#undef SYMBOL
  void (**user_error)(const char*) = dlsym(lib, "mju_user_error");
  void (**user_warning)(const char*) = dlsym(lib, "mju_user_warning");
  *user_error = catchError;
  *user_warning = ignoreWarning;
  mju_user_error = catchError;
  mju_user_warning = ignoreWarning;
  return ref.step && ref.fwdConstraint;
}


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


static void record(const char* name, double error, int step) {
  if (error > 1e-9 && verbose) {
    printf("#   step %d %s %.3g\n", step, name, error);
  }
  if (!(error <= worst_error)) {
    worst_error = error;
    snprintf(worst_name, sizeof(worst_name), "%s", name);
  }
}


static double errorNum(const mjtNum* a, const mjtNum* b, long n) {
  double scale = 1e-6, error = 0;
  for (long i = 0; i < n; i++) {
    scale = fmax(scale, fabs(a[i]));
    double gap = fabs(a[i] - b[i]);
    error = isnan(gap) && !(isnan(a[i]) && isnan(b[i])) ? INFINITY : fmax(error, gap);
  }
  return error / scale;
}


static void compareNum(const char* name, const mjtNum* a, const mjtNum* b, long n, int step) {
  record(name, !a != !b && n ? INFINITY : n ? errorNum(a, b, n) : 0, step);
}


static void compareInt(const char* name, const int* a, const int* b, long n, int step) {
  record(name, !a != !b && n ? INFINITY : n && memcmp(a, b, sizeof(int) * n) ? 1 : 0, step);
}

#define NUM(name, n) compareNum(#name, d->name, t->name, n, step)
#define INT(name, n) compareInt(#name, d->name, t->name, n, step)
#define ONE(name) compareInt(#name, &d->name, &t->name, 1, step)


// rows as mj_makeConstraint leaves them
static void compareRows(const mjModel* m, const mjData* d, const mjData* t, int step) {
  ONE(nefc), ONE(ne), ONE(nf), ONE(nl), ONE(nJ);
  if (d->nefc != t->nefc || d->nJ != t->nJ || !d->nefc) {
    return;
  }
  int n = d->nefc;
  INT(efc_type, n), INT(efc_id, n), INT(tendon_efcadr, m->ntendon);
  NUM(efc_pos, n), NUM(efc_margin, n), NUM(efc_frictionloss, n), NUM(efc_D, n), NUM(efc_R, n);
  NUM(efc_KBIP, 4 * n), NUM(efc_diagApprox, n);
  NUM(efc_J, mj_isSparse(m) ? d->nJ : n * m->nv);
  if (mj_isSparse(m)) {
    INT(efc_J_rownnz, n), INT(efc_J_rowadr, n), INT(efc_J_colind, d->nJ);
    INT(efc_J_rowsuper, n);
  }
  for (int i = 0; i < d->ncon; i++) {
    compareInt("contact.efc_address", &d->contact[i].efc_address, &t->contact[i].efc_address, 1,
               step);
    compareInt("contact.exclude", &d->contact[i].exclude, &t->contact[i].exclude, 1, step);
    compareNum("contact.mu", &d->contact[i].mu, &t->contact[i].mu, 1, step);
  }
}


static void compareIslands(const mjModel* m, const mjData* d, const mjData* t, int step) {
  ONE(nisland), ONE(nidof);
  int k = d->nisland, n = d->nefc, nv = m->nv, ni = d->nidof;
  if (d->nisland != t->nisland || d->nidof != t->nidof || !k) {
    return;
  }
  INT(tree_island, m->ntree), INT(island_ntree, k), INT(island_itreeadr, k);
  INT(map_itree2tree, m->ntree), INT(dof_island, nv), INT(island_nv, k), INT(island_idofadr, k);
  INT(island_dofadr, k), INT(map_dof2idof, nv), INT(map_idof2dof, nv);
  INT(iM_rownnz, ni), INT(iM_rowadr, ni);
  int nC = ni ? d->iM_rowadr[ni - 1] + d->iM_rownnz[ni - 1] : 0;
  INT(iM_colind, nC), NUM(iM, nC), NUM(iLD, nC), NUM(iLDiagInv, ni);
  INT(efc_island, n), INT(island_ne, k), INT(island_nf, k), INT(island_nefc, k);
  INT(island_iefcadr, k), INT(map_efc2iefc, n), INT(map_iefc2efc, n);
  INT(iefc_type, n), INT(iefc_id, n), NUM(iefc_frictionloss, n), NUM(iefc_D, n), NUM(iefc_R, n);
  if (mj_isSparse(m)) {
    INT(iefc_J_rownnz, n), INT(iefc_J_rowadr, n), INT(iefc_J_colind, d->nJ), NUM(iefc_J, d->nJ);
    INT(iefc_J_rowsuper, n);
    return;
  }
  for (int i = 0; i < k; i++) {
    long adr = (long)ni * d->island_iefcadr[i];
    compareNum("iefc_J", d->iefc_J + adr, t->iefc_J + adr, d->island_nefc[i] * d->island_nv[i],
               step);
  }
}


static void compareProjection(const mjModel* m, const mjData* d, const mjData* t, int step) {
  if (!mj_isDual(m) || !d->nefc) {
    return;
  }
  ONE(nA);
  if (d->nA != t->nA) {
    return;
  }
  NUM(efc_AR, d->nA);
  if (mj_isSparse(m)) {
    INT(efc_AR_rownnz, d->nefc), INT(efc_AR_rowadr, d->nefc), INT(efc_AR_colind, d->nA);
  }
}


static void compareSolution(const mjModel* m, const mjData* d, const mjData* t, int step) {
  int n = d->nefc;
  NUM(qfrc_constraint, m->nv), NUM(qacc, m->nv);
  if (n != t->nefc || !n) {
    return;
  }
  NUM(efc_b, n), NUM(efc_force, n);

  // dual solvers leave saturated friction on the boundary of the cone, where rounding decides the
  // state
  if (!(m->opt.disableflags & mjDSBL_WARMSTART) && !mj_isDual(m)) {
    INT(efc_state, n);
  }
  if (verbose) {
    INT(solver_niter, mjNISLAND), INT(solver_nnz, mjNISLAND);
  }
}


static void oneStep(const mjModel* m, mjData* d, const mjModel* tm, mjData* t, int step) {
  ref.fwdPosition(m, d);
  copyData(m, t, d);
  for (int i = 0; i < t->ncon; i++) {
    t->contact[i].mu = t->contact[i].exclude || t->contact[i].dim == 1 ? t->contact[i].mu : -1;
  }
  mj_makeConstraint(tm, t);
  compareRows(m, d, t, step);
  mj_island(tm, t);
  compareIslands(m, d, t, step);
  mj_projectConstraint(tm, t);
  compareProjection(m, d, t, step);

  ref.fwdVelocity(m, d);
  memcpy(t->qvel, d->qvel, sizeof(mjtNum) * m->nv);
  mj_referenceConstraint(tm, t);
  if (d->nefc && d->nefc == t->nefc) {
    NUM(efc_vel, d->nefc), NUM(efc_aref, d->nefc);
  }

  if (rows_only) {
    ref.step(m, d);
    return;
  }
  ref.fwdActuation(m, d);
  ref.fwdAcceleration(m, d);
  memcpy(t->qfrc_smooth, d->qfrc_smooth, sizeof(mjtNum) * m->nv);
  memcpy(t->qacc_smooth, d->qacc_smooth, sizeof(mjtNum) * m->nv);
  memcpy(t->qacc_warmstart, d->qacc_warmstart, sizeof(mjtNum) * m->nv);
  memset(t->solver_niter, 0, sizeof(t->solver_niter));
  memset(t->solver_nnz, 0, sizeof(t->solver_nnz));
  memset(d->solver_nnz, 0, sizeof(d->solver_nnz));
  ref.fwdConstraint(m, d);
  mj_fwdConstraint(tm, t);
  compareSolution(m, d, t, step);
  ref.step(m, d);
}


static int runModel(const char* path, const char* options, int steps) {
  char message[500] = "";
  worst_error = 0;
  strcpy(worst_name, "-");
  if (setjmp(on_error)) {
    printf("ERROR %s: %s\n", path, error_text);
    return 1;
  }
  bool is_binary = strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".mjb");
  mjModel* m = is_binary ? ref.loadModel(path, NULL) : ref.loadXML(path, NULL, message, 500);
  if (!m) {
    return 0;
  }
  changeOptions(m, options);

  char file[64];
  snprintf(file, sizeof(file), "/tmp/stages_%d.mjb", (int)getpid());
  ref.saveModel(m, file, NULL, 0);
  mjModel* tm = mj_loadModel(file, NULL);
  unlink(file);
  mjData *d = ref.makeData(m), *t = tm ? mj_makeData(tm) : NULL;
  if (!t) {
    printf("ERROR %s: not loaded\n", path);
    return 1;
  }
  if (m->nkey > 0) {
    ref.resetKey(m, d, 0);
  }
  for (int k = 0; k < steps; k++) {
    for (int u = 0; u < m->nu; u++) {
      const mjtNum* range = m->actuator_ctrlrange + 2 * u;
      mjtNum x = 0.5 * (1 + sin(3.7 * (k + 1) * (u + 1)));
      d->ctrl[u] = m->actuator_ctrllimited[u] ? range[0] + x * (range[1] - range[0]) : 2 * x - 1;
    }
    oneStep(m, d, tm, t, k);
  }
  bool bad = !(worst_error <= 1e-9);
  if (bad || verbose) {
    printf("%s %s worst %s %.3g\n", bad ? "FAIL" : "ok  ", path, worst_name, worst_error);
  }
  mj_deleteData(t);
  mj_deleteModel(tm);
  ref.deleteData(d);
  ref.deleteModel(m);
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
  if (!loadReference()) {
    printf("stages: skipped, MUJOCO_REFERENCE_LIB names no reference library\n");
    return cf_skipCode();
  }
  for (int i = optind; i < argc; i++) {
    bad += runModel(argv[i], options, steps);
  }
  if (optind == argc) {
    bad += runModel(CF_SOURCE_DIR "/tests/data/constraint/scene.mjb", options, steps);
  }
  printf("%d models, %d bad\n", argc - optind, bad);
  return bad > 0;
}
