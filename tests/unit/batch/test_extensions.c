// Every model with every extension in a batch beside lone worlds: contact solvers, models of
// actuators, bending, elasticity and implicit stiffness, on one thread and on two.  CF_TRIALS:
// calls of ten steps in each case, for all sizes of models.
#include <glob.h>

#include <cortenforge/cortenforge.h>

#include "cf_worlds.h"
#include "flex/models.h"

enum { NWORLD = 3, CALL = 10 };

// what may be chosen in a model
typedef enum { PLAIN, SOLVER, GAIN, BENDING, ELASTICITY, IMPLICIT, SOLVER_IMPLICIT, NKIND } kind;
static long cases, refused;


static long trials(void) {
  const char* text = getenv("CF_TRIALS");
  return text ? atol(text) : 0;
}


static void dropText(const char* text) {
  (void)text;
}


// choice `k` of a kind; false: there is none, or the model cannot have it.  `is_over`: no more
static bool choose(mjModel* m, kind what, int k, bool* is_over) {
  const cfContactSolver* solver = cf_contactSolverAt(k);
  const cfGainModel* gain = cf_gainModelAt(k);
  int count = what == PLAIN;
  *is_over = what == SOLVER || what == SOLVER_IMPLICIT ? !solver
             : what == GAIN                            ? !gain
             : what == BENDING                         ? !cfi_flexBendingAt(k)
             : what == ELASTICITY                      ? !cfi_flexElasticityAt(k)
                                                       : k > 0;
  if (*is_over) {
    return false;
  }
  if (what == SOLVER || what == SOLVER_IMPLICIT) {
    count += cf_setContactSolver(m, solver->name, NULL, 0, NULL, 0) != 0;
  }
  for (int u = 0; u < m->nu && what == GAIN; u++) {
    mjtNum param[mjNGAIN] = {0};
    for (int i = 0; i < gain->nparameter; i++) {
      param[i] = gain->parameter[i].usual;
    }
    count += cf_setActuatorGain(m, u, gain->name, param, gain->nparameter, NULL, 0) != 0;
  }
  int stiff = 0;
  for (int f = 0; f < m->nflex; f++) {
    const bool is_stiff = what == IMPLICIT || what == SOLVER_IMPLICIT;
    stiff += is_stiff && cf_setFlexImplicit(m, f, 1, NULL, 0);
    count += what == BENDING && cf_setFlexBending(m, f, cfi_flexBendingAt(k)->name, NULL, 0);
    count +=
        what == ELASTICITY && cf_setFlexElasticity(m, f, cfi_flexElasticityAt(k)->name, NULL, 0);
  }
  return what == SOLVER_IMPLICIT ? count && stiff : count + stiff > 0;
}


// worlds that start with other velocities and controls
static void startTwins(cfTwins* t) {
  for (int w = 0; w < t->n; w++) {
    mjData* d = t->world[w].d;
    const mjModel* m = t->world[w].m;
    for (int i = 0; i < m->nv; i++) {
      d->qvel[i] = 0.2 * sin(1.7 * i + 2.3 * w);
    }
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = 0.4 * cos(u + 1.1 * w);
    }
    CF_TRUE(cf_batchSet(t->batch, "qvel", &w, 1, CF_ORDER_WORLD, d->qvel));
    CF_TRUE(cf_batchSet(t->batch, "ctrl", &w, 1, CF_ORDER_WORLD, d->ctrl));
  }
}


static void compareCase(const mjModel* m, const char* name, long calls) {
  for (int nthread = 1; nthread <= 2; nthread++) {
    const cfBatchOptions options = {.nthread = nthread,
                                    .unstable = CF_UNSTABLE_FREEZE,
                                    .outputs = "sensordata qacc qfrc_passive qfrc_constraint xpos"};
    cfTwins* t = cf_makeTwins(m, NWORLD, &options, name);
    refused += !t;
    if (!t) {
      return;
    }
    startTwins(t);
    for (long k = 0; k < calls; k++) {
      cf_stepTwins(t, CALL);
      if (!cf_sameTwins(t, "ten steps")) {
        CF_FAIL("%s\n", name);
      }
    }
    cases++;
    cf_freeTwins(t);
  }
}


// all kinds and choices of one model
static void compareKinds(const mjModel* made, const char* path, long calls) {
  for (kind what = PLAIN; what < NKIND; what++) {
    bool is_over = false;
    for (int k = 0; !is_over; k++) {
      mjModel* m = mj_copyModel(NULL, made);
      if (choose(m, what, k, &is_over)) {
        char name[300];
        snprintf(name, sizeof(name), "%s, kind %d, choice %d", path, (int)what, k);
        compareCase(m, name, calls);
      }
      mj_deleteModel(m);
    }
  }
}


CF_TEST(worlds__of_every_model_with_every_extension__have_the_bits_of_lone_worlds) {
  static const char* const patterns[] = {"models/*.xml", "models/*/*.xml"};
  const long calls = trials();
  int every = 0;
  mju_user_warning = dropText;
  for (int i = 0; i < 2; i++) {
    glob_t found;
    CF_EQ_INT(glob(patterns[i], 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
      mjModel* m = mj_loadXML(found.gl_pathv[k], NULL, NULL, 0);
      const int most = calls ? 2000 : m && m->nflex ? 150 : 40;
      const bool is_turn = calls || !CF_SANITIZED || ++every % 6 == 0;
      if (m && m->nv <= most && is_turn) {
        compareKinds(m, found.gl_pathv[k], calls ? calls : m->nflex ? 1 : 2);
      }
      mj_deleteModel(m);
    }
    globfree(&found);
  }
  mju_user_warning = NULL;
  CF_TRUE(cases > (CF_SANITIZED ? 40 : 500));
  print_message("%ld batches beside lone worlds, %ld refused\n", cases, refused);
}

CF_TEST_MAIN("batch/extensions")
