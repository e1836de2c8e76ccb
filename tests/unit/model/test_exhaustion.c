// Steps with less and less arena: warnings or errors, never a crash, and data that hangs together.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

#include "model/layout.h"

typedef struct {
  mjModel* m;
  mjData* d;
} Simulation;


static void makeAndStep(void* argument) {
  Simulation* s = argument;
  s->d = mj_makeData(s->m);
  for (int k = 0; s->d && k < 5; k++) {
    mj_step(s->m, s->d);
  }
}


// arrays that are there lie in the arena, and counts belong to arrays
static void expectConsistent(const mjModel* m, const mjData* d) {
  CF_TRUE(d->parena + d->pstack <= (size_t)d->narena);
  CF_TRUE((size_t)d->ncon * sizeof(mjContact) <= (size_t)d->narena);
  CF_TRUE(d->nefc == 0 || d->efc_J != NULL);
  CF_TRUE(d->ne + d->nf + d->nl <= d->nefc || d->nefc == 0);
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    const char *array = cfi_arrayOf(field, d), *arena = d->arena;
    mjtSize bytes = 0;
    if (cfi_fieldInArena(field) && array && cfi_arrayBytes(field, m, d, &bytes)) {
      if (array < arena || array + bytes > arena + d->narena) {
        CF_FAIL("%s is outside of the arena\n", field->name);
      }
    }
  }
}


// one run; 1 when it ended in an error, 0 when it went through
static int stepWithArena(const char* name, mjtSize narena, int* nwarning) {
  Simulation s = {cf_loadTestModel(name), NULL};
  s.m->narena = narena;
  cf_guardClear();
  int raised = cf_tryCall(makeAndStep, &s);
  if (raised) {
    CF_TRUE(strlen(cf_error_text) > 0);
  }
  if (s.d) {
    *nwarning += s.d->warning[mjWARN_CONTACTFULL].number + s.d->warning[mjWARN_CNSTRFULL].number;
    if (!raised) {
      expectConsistent(s.m, s.d);

      // and it can go on with what it has
      mj_resetData(s.m, s.d);
      CF_EQ_INT(s.d->ncon, 0);
    }
    mj_deleteData(s.d);
  }
  mj_deleteModel(s.m);
  return raised;
}


CF_TEST(arena__swept_down_to_nothing__no_crash_and_consistent) {
  const char* names[] = {"rig", "shapes"};
  for (int k = 0; k < 2; k++) {
    int good = 0, raised = 0, nwarning = 0;
    for (mjtSize narena = 300000; narena > 16; narena -= 1 + narena / 60) {
      int error = stepWithArena(names[k], narena, &nwarning);
      good += !error;
      raised += error;
    }
    printf("%s: %d runs went through, %d ended in an error, %d warnings\n", names[k], good, raised,
           nwarning);
    CF_TRUE(good > 0 && raised > 0);
  }
}

CF_TEST_MAIN("model/exhaustion")
