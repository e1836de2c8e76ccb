// Bad numbers in the state: counted warnings and, unless disabled, a reset.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "pipeline/advance.h"

// warn, reset, and put the warning back that the reset has cleared
static void handleBad(const mjModel* m, mjData* d, mjtWarning warning, int info) {
  CF_ASSERT(warning >= 0 && warning < mjNWARNING);
  mj_warning(d, warning, info);
  if (!cfi_disabled(m, mjDSBL_AUTORESET)) {
    mj_resetData(m, d);
  }
  d->warning[warning].number++;
  d->warning[warning].lastinfo = info;
}


// neither NaN nor beyond mjMAXVAL; mju_isBad the other way round
static inline bool isGood(mjtNum x) {
  return fabs(x) <= mjMAXVAL;
}


// all numbers good, without asking which is not
static __attribute__((noinline)) bool allGood(const mjtNum* vec, int n) {
  CF_ASSERT(n >= 0);
  int64_t bad = 0;
  for (int k = 0; k < n; k++) {
    bad |= isGood(vec[k]) ? 0 : 1;
  }
  return bad == 0;
}


// more numbers than this are first looked at all at once
enum { MANY_NUMBERS = 8 };


// index of the first bad number, -1 if all are good
static inline int findBad(const mjtNum* vec, cfIndexSet set) {
  CF_ASSERT(set.count >= 0);
  if (!set.index && set.count > MANY_NUMBERS && allGood(vec, set.count)) {
    return -1;
  }
  for (int k = 0; k < set.count; k++) {
    if (CF_SELDOM(!isGood(vec[cfi_at(set, k)]))) {
      return cfi_at(set, k);
    }
  }
  return -1;
}


void mj_checkPos(const mjModel* m, mjData* d) {
  const int bad = findBad(d->qpos, (cfIndexSet){NULL, (int)m->nq, 0});
  if (CF_SELDOM(bad >= 0)) {
    handleBad(m, d, mjWARN_BADQPOS, bad);
  }
}


void mj_checkVel(const mjModel* m, mjData* d) {
  const int bad = findBad(d->qvel, cfi_awakeDofs(m, d));
  if (CF_SELDOM(bad >= 0)) {
    handleBad(m, d, mjWARN_BADQVEL, bad);
  }
}


// after a reset the accelerations belong to the new state
bool cfi_checkAcc(const mjModel* m, mjData* d) {
  const int bad = findBad(d->qacc, cfi_awakeDofs(m, d));
  if (CF_OFTEN(bad < 0)) {
    return false;
  }
  handleBad(m, d, mjWARN_BADQACC, bad);
  if (cfi_disabled(m, mjDSBL_AUTORESET)) {
    return false;
  }
  mj_forward(m, d);
  return true;
}


void mj_checkAcc(const mjModel* m, mjData* d) {
  cfi_checkAcc(m, d);
}
