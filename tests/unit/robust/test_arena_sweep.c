// Less and less arena on scenes with many contacts: counted warnings (or an error that names the
// stack), data that hangs together, and everything that reads contacts and rows afterwards is safe.
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"

enum { NSIZE = 64, NSTEP = 3 };

typedef struct {
  mjModel* m;
  mjData *d, *copy;
} Simulation;

typedef struct {
  int good, full, raised;
} Tally;


static mjModel* loadModel(const char* path) {
  char full[1000], error[1000] = "";
  snprintf(full, sizeof(full), "%s/%s", CF_SOURCE_DIR, path);
  mjModel* m = mj_loadXML(full, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("cannot load %s: %s\n", full, error);
  }
  return m;
}


// sleep is initialized in a second reset: an error that jumps out of mj_makeData would leak the
// data
static void startAndStep(void* argument) {
  Simulation* s = argument;
  const int flags = s->m->opt.enableflags;
  s->m->opt.enableflags &= ~mjENBL_SLEEP;
  s->d = mj_makeData(s->m);
  s->m->opt.enableflags = flags;
  if (s->d) {
    mj_resetDataKeyframe(s->m, s->d, s->m->nkey ? 0 : -1);
  }
  for (int k = 0; s->d && k < NSTEP; k++) {
    mj_step(s->m, s->d);
  }
}


// all that reads contacts and rows after a step
static void readEverything(void* argument) {
  Simulation* s = argument;
  mj_rnePostConstraint(s->m, s->d);
  for (int k = 0; k < s->d->ncon; k++) {
    mjtNum force[6];
    mj_contactForce(s->m, s->d, k, force);
    for (int i = 0; i < 6; i++) {
      CF_TRUE(isfinite(force[i]));
    }
  }
  mj_sensorPos(s->m, s->d);
  mj_sensorVel(s->m, s->d);
  mj_sensorAcc(s->m, s->d);
  mj_energyPos(s->m, s->d);
  mj_energyVel(s->m, s->d);
  s->copy = mj_copyData(NULL, s->m, s->d);
  mj_inverse(s->m, s->copy);
  mj_forward(s->m, s->copy);
  mj_step(s->m, s->copy);
}


// rows of a contact by its dimension and the cone
static int contactRows(const mjModel* m, const mjContact* con) {
  if (con->dim == 1) {
    return 1;
  }
  return m->opt.cone == mjCONE_PYRAMIDAL ? 2 * (con->dim - 1) : con->dim;
}


static void expectConsistent(const mjModel* m, const mjData* d) {
  CF_EQ_INT(d->pstack, 0);
  CF_TRUE(d->parena <= (size_t)d->narena);
  CF_TRUE(d->ncon >= 0 && d->nefc >= 0);
  CF_TRUE(d->ncon == 0 || (const char*)(d->contact + d->ncon) <= (const char*)d->arena + d->parena);
  int rows = d->ne + d->nf + d->nl;
  for (int k = 0; k < d->ncon; k++) {
    const mjContact* con = d->contact + k;
    CF_TRUE(con->efc_address >= -1 && con->efc_address < (d->nefc ? d->nefc : 1));
    if (con->efc_address >= 0 && d->nefc) {
      CF_EQ_INT(con->efc_address, rows);
      rows += contactRows(m, con);
    }
    if (!d->nefc) {
      CF_EQ_INT(con->efc_address, -1);
    }
  }
  if (d->nefc) {
    CF_EQ_INT(rows, d->nefc);
  } else {
    CF_EQ_INT(d->nisland, 0);
  }
  for (int i = 0; i < m->nv; i++) {
    CF_TRUE(isfinite(d->qacc[i]));
  }
}


static void runWithArena(mjModel* m, mjtSize narena, Tally* tally) {
  m->narena = narena;
  Simulation s = {m, NULL, NULL};
  cf_guardClear();
  const int raised = cf_tryCall(startAndStep, &s);
  if (raised) {
    CF_HAS_STR(cf_error_text, "stack");
    tally->raised++;

    // positions of a fresh start need no scratch
    if (s.d && !(m->opt.enableflags & mjENBL_SLEEP)) {
      mj_resetData(m, s.d);
      CF_EQ_INT(s.d->ncon + s.d->nefc, 0);
      CF_EQ_INT(s.d->pstack, 0);
    }
  } else if (s.d) {
    expectConsistent(m, s.d);
    const int nwarning =
        s.d->warning[mjWARN_CONTACTFULL].number + s.d->warning[mjWARN_CNSTRFULL].number;
    tally->good += !nwarning;
    tally->full += nwarning > 0;
    for (int k = 0; k < mjNWARNING; k++) {
      CF_TRUE(k == mjWARN_CONTACTFULL || k == mjWARN_CNSTRFULL || s.d->warning[k].number == 0);
    }
    if (!cf_tryCall(readEverything, &s)) {
      expectConsistent(m, s.copy);
    }
  }
  mj_deleteData(s.copy);
  mj_deleteData(s.d);
}


// bytes of the arena that the first steps really use
static mjtSize neededArena(mjModel* m) {
  Simulation s = {m, NULL, NULL};
  startAndStep(&s);
  CF_EQ_INT(s.d->warning[mjWARN_CONTACTFULL].number + s.d->warning[mjWARN_CNSTRFULL].number, 0);
  const mjtSize used = s.d->maxuse_arena;
  mj_deleteData(s.d);
  return used;
}


// from a little more than enough down to a KiB, in NSIZE sizes
static Tally sweepArena(const char* path, int solver, int cone) {
  mjModel* m = loadModel(path);
  Tally tally = {0, 0, 0};
  m->opt.solver = solver;
  m->opt.cone = cone;
  const mjtSize most = neededArena(m) * 11 / 10;
  for (int k = NSIZE; k > 0; k--) {
    runWithArena(m, 1024 + (most - 1024) * k / NSIZE / 8 * 8, &tally);
  }
  mj_deleteModel(m);
  mju_user_warning = NULL;
  return tally;
}


CF_TEST(arena__shrunk_on_rich_scenes__warnings_and_safe_readers) {
  const char* const path[] = {
      "models/stack.xml",    "models/terrain.xml",         "models/grasp.xml",
      "models/humanoid.xml", "models/loops.xml",           "models/sleepers.xml",
      "models/car.xml",      "tests/data/flags/scene.xml", "tests/data/constraint/scene.xml"};
  for (int k = 0; k < 9; k++) {
    for (int solver = mjSOL_PGS; solver <= mjSOL_NEWTON; solver++) {
      const Tally t =
          sweepArena(path[k], solver, solver == mjSOL_CG ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL);
      printf("%s, solver %d: %d complete, %d with warnings, %d errors\n", path[k], solver, t.good,
             t.full, t.raised);
      CF_TRUE(t.good > 0);
      CF_TRUE(t.full + t.raised > 0);
    }
  }
}

CF_TEST_MAIN("robust/arena_sweep")
