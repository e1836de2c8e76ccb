// What a step finds in an mjData beside the state and what it carries is of another world: numbers
// that are none there change nothing.  Every model, with every contact solver, implicit stiffness
// and integrator.  CF_TRIALS: steps of each case.
#include <glob.h>

#include <cortenforge/cortenforge.h>

#include "cf_worlds.h"
#include "flex/models.h"

enum { MOST_NV = 150, NCHOICE = 12 };
static long cases, refused;


static void dropText(const char* text) {
  (void)text;
}


static bool isCarried(const cfFieldInfo* info) {
  static const char* const carried[] = {
#define CF_WORLD_CARRIED(name) #name,
#include "tables/worlds.def"
  };
  bool is_carried = info->writer == CF_WRITER_INPUT;
  for (size_t k = 0; k < sizeof(carried) / sizeof(carried[0]); k++) {
    is_carried |= !strcmp(info->name, carried[k]);
  }
  return is_carried;
}


// numbers that no stage may read before it has written them
static bool isLeft(const cfFieldInfo* info) {
  return info->type == CF_TYPE_mjtNum && !isCarried(info) && !cfi_fieldInArena(info) &&
         info->writer != CF_WRITER_MEMORY && info->writer != CF_WRITER_MAKE_DATA;
}


static void spoil(const mjModel* m, mjData* d) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* info = cfi_dataFields.field + k;
    const mjtSize count = isLeft(info) ? cfi_fieldCount(info, m, d) : 0;
    mjtNum* x = (mjtNum*)(uintptr_t)cfi_fieldElements(info, d);
    for (mjtSize i = 0; i < count; i++) {
      x[i] = NAN;
    }
  }
}


// the state of `d`, and its sensors, of which users may write none, in an mjData that another world
// has used
static void lendData(const mjModel* m, const mjData* d, mjData* other) {
  mj_copyState(m, d, other, mjSTATE_INTEGRATION);
  memset(other->warning, 0, sizeof(other->warning));
  other->flg_energypos = d->flg_energypos;
  other->flg_energyvel = d->flg_energyvel;
  memcpy(other->energy, d->energy, sizeof(d->energy));
  spoil(m, other);
  mju_copy(other->sensordata, d->sensordata, (int)m->nsensordata);
}


static bool isSame(const mjModel* m, const mjData* a, const mjData* b) {
  mjtNum *x = calloc((size_t)mj_stateSize(m, mjSTATE_INTEGRATION) + 1, sizeof(mjtNum)),
         *y = calloc((size_t)mj_stateSize(m, mjSTATE_INTEGRATION) + 1, sizeof(mjtNum));
  mj_getState(m, a, x, mjSTATE_INTEGRATION);
  mj_getState(m, b, y, mjSTATE_INTEGRATION);
  bool is_same = !memcmp(x, y, sizeof(mjtNum) * (size_t)mj_stateSize(m, mjSTATE_INTEGRATION));
  free(x);
  free(y);
  const size_t size = sizeof(mjtNum);
  const bool has_sensors = m->nsensordata && !(m->opt.disableflags & mjDSBL_SENSOR);
  is_same &= !has_sensors || !memcmp(a->sensordata, b->sensordata, size * (size_t)m->nsensordata);
  return is_same && !memcmp(a->qacc, b->qacc, size * (size_t)m->nv);
}


static void compareCase(const mjModel* m, const char* name, long nstep) {
  mjData *d = mj_makeData(m), *other = mj_makeData(m), *third = mj_makeData(m);
  cfDice dice = {7};
  if (!d || !other || !third) {
    CF_FAIL("%s: no mjData\n", name);
  }
  for (int k = 0; k < m->nv; k++) {
    d->qvel[k] = 0.3 * cf_even(&dice);
    third->qvel[k] = cf_even(&dice);
  }
  for (int k = 0; k < m->nu; k++) {
    d->ctrl[k] = 0.5 * cf_even(&dice);
  }
  for (long k = 0; k < nstep; k++) {
    lendData(m, third, other);
    mj_step(m, other);
    mj_step(m, third);
    lendData(m, d, other);
    mj_step(m, other);
    mj_step(m, d);
    if (!isSame(m, d, other)) {
      CF_FAIL("%s: step %ld reads what another world has left\n", name, k);
    }
  }
  cases++;
  mj_deleteData(d);
  mj_deleteData(other);
  mj_deleteData(third);
}


// choice `k`: integrators, contact solvers, implicit stiffness; false: the model cannot have it
static bool choose(mjModel* m, int k) {
  static const int integrators[] = {mjINT_EULER, mjINT_RK4, mjINT_IMPLICIT, mjINT_IMPLICITFAST};
  if (k < 4) {
    m->opt.integrator = integrators[k];
    return k != mjINT_RK4 || !(m->opt.enableflags & mjENBL_INVDISCRETE);
  }
  if (k < 7) {
    m->opt.solver = k - 4;
    m->opt.cone = k % 2;
    m->opt.noslip_iterations = k == 5 ? 3 : 0;
    return true;
  }
  const bool is_stiff = k >= 11;
  int count = 0;
  for (int f = 0; f < m->nflex && (is_stiff || k == 10); f++) {
    count += cf_setFlexImplicit(m, f, 1, NULL, 0);
  }
  const cfContactSolver* solver = cf_contactSolverAt(is_stiff ? 1 : k - 7);
  return k == 10 ? count > 0
                 : (!is_stiff || count) && solver &&
                       cf_setContactSolver(m, solver->name, NULL, 0, NULL, 0);
}


CF_TEST(step__in_an_mjData_of_another_world__reads_nothing_of_it) {
  static const char* const patterns[] = {"models/*.xml", "models/*/*.xml"};
  const char* others = getenv("CF_MODELS");
  const char* trials = getenv("CF_TRIALS");
  int every = 0;
  mju_user_warning = dropText;
  for (int i = 0; i < (others ? 1 : 2); i++) {
    glob_t found;
    CF_EQ_INT(glob(others ? others : patterns[i], 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
      mjModel* made = mj_loadXML(found.gl_pathv[k], NULL, NULL, 0);
      const bool sleeps = made && (made->opt.enableflags & mjENBL_SLEEP);
      const bool is_turn = !CF_SANITIZED || ++every % 6 == 0;
      for (int c = 0; made && !sleeps && is_turn && made->nv <= MOST_NV && c < NCHOICE; c++) {
        mjModel* m = mj_copyModel(NULL, made);
        char name[300];
        snprintf(name, sizeof(name), "%s, choice %d", found.gl_pathv[k], c);
        if (choose(m, c)) {
          compareCase(m, name, trials ? atol(trials) : 4);
        } else {
          refused++;
        }
        mj_deleteModel(m);
      }
      mj_deleteModel(made);
    }
    globfree(&found);
  }
  mju_user_warning = NULL;
  CF_TRUE(cases > (others ? 0 : CF_SANITIZED ? 100 : 800));
  print_message("%ld cases, %ld choices that models cannot have\n", cases, refused);
}

CF_TEST_MAIN("batch/leftovers")
