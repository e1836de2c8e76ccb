// Projected Gauss-Seidel over a dense matrix, units of whole vectors.
//
// Forces change a few at a time and are read again at once.  Where they are written one by one and
// read as vectors the processor has to wait, so a unit writes its forces as one vector, and no
// vector belongs to two units.
#include "solver/pgsdense.h"

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/likely.h"
#include "math/dense.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "solver/dualcone.h"

// scalar rows of a unit, at most: a vector
enum { CF_DENSE_UNIT = 4 };

// sweeps after which residuals are formed anew, so that rounding does not add up
enum { CF_SWEEPS_BETWEEN = 4 };

// instructions of a residual: dense rows 0.8 a number, sparse rows 5.5 an entry and 30 a row more
static bool isWorthDense(const cfDual* dual) {
  const mjtNum n = dual->d->nefc;
  return !dual->is_sparse || 0.8 * n * n < 5.5 * (mjtNum)dual->d->nA + 30 * n;
}


// rows from this one on that are taken together
static int denseUnitSize(const mjData* d, int row) {
  CF_ASSERT_INDEX(row, d->nefc);
  if (d->efc_type[row] == mjCNSTR_CONTACT_ELLIPTIC) {
    return d->contact[d->efc_id[row]].dim;
  }
  int n = 1;
  while (n < CF_DENSE_UNIT && row + n < d->nefc &&
         d->efc_type[row + n] != mjCNSTR_CONTACT_ELLIPTIC) {
    n++;
  }
  return n;
}


// units with their slots; slot_of each row
static void listUnits(cfDenseSweep* s, const mjData* d, int* slot_of) {
  s->nunit = s->width = 0;
  for (int r = 0, n; r < d->nefc; r += n) {
    n = denseUnitSize(d, r);
    const bool is_cone = d->efc_type[r] == mjCNSTR_CONTACT_ELLIPTIC;
    cfDenseUnit* unit = s->unit + s->nunit++;
    unit->row = r;
    unit->count = n;
    unit->slot = s->width;
    unit->con = is_cone ? d->contact + d->efc_id[r] : NULL;
    for (int k = 0; k < n; k++) {
      slot_of[r + k] = s->width + k;
    }
    s->width += (n + 3) & ~3;
  }
}


// one row of AR by slots
static void loadLine(mjtNum* line, const cfDual* dual, int row, const int* slot_of) {
  CF_ASSERT_INDEX(row, dual->d->nefc);
  const mjData* d = dual->d;
  if (dual->is_sparse) {
    const int adr = d->efc_AR_rowadr[row];
    for (int k = adr; k < adr + d->efc_AR_rownnz[row]; k++) {
      line[slot_of[d->efc_AR_colind[k]]] = d->efc_AR[k];
    }
  } else {
    cfi_scatter(line, d->efc_AR + (size_t)row * d->nefc, slot_of, d->nefc);
  }
}


// numbers of one unit; lines[0] is a row of zeros
static void loadUnit(cfDenseSweep* s, cfDenseUnit* unit, const cfDual* dual, const int* slot_of,
                     mjtNum* lines) {
  const mjData* d = dual->d;
  const int n = unit->count;
  for (int k = 0; k < 8; k++) {
    unit->line[k] = lines;
  }
  for (int k = 0; k < n; k++) {
    const int r = unit->row + k, slot = unit->slot + k;
    mjtNum* line = lines + (size_t)s->width * (r + 1);
    loadLine(line, dual, r, slot_of);
    unit->line[k] = line;
    s->force[slot] = d->efc_force[r];
    s->b[slot] = d->efc_b[r];
    s->inverse[slot] = dual->diag_inverse[r];
    cfi_boundForce(d, r, s->lowest + slot, s->highest + slot);
    if (unit->con) {
      cfi_copy(unit->block + k * n, line + unit->slot, n);
    }
  }
  if (unit->con && n == 3) {
    cfi_beginPlanar(&unit->planar, unit->block, s->inverse[unit->slot], unit->con->friction);
  }
}


bool cfi_beginDenseSweep(cfDenseSweep* s, const cfDual* dual) {
  mjData* d = dual->d;
  const size_t n = (size_t)d->nefc;
  if (!isWorthDense(dual)) {
    return false;
  }
  int* slot_of = mj_stackAllocInt(d, n);
  s->unit = mj_stackAllocByte(d, sizeof(cfDenseUnit) * n, _Alignof(cfDenseUnit));
  listUnits(s, d, slot_of);

  // data whose arena is smaller than its model's decides as if it were not
  const size_t width = (size_t)s->width, total = width * (n + 7);
  const size_t missing = (size_t)(dual->m->narena - d->narena);
  if (cfi_stackAvailable(d) + missing < 2 * total * sizeof(mjtNum)) {
    return false;
  }
  mjtNum* lines = cfi_stackVectors(d, total);
  cfi_zero(lines, (int)total);
  s->force = lines + width * (n + 1);
  s->b = s->force + width;
  s->inverse = s->b + width;
  s->lowest = s->inverse + width;
  s->highest = s->lowest + width;
  s->res = s->highest + width;
  s->nsweep = 0;
  for (int u = 0; u < s->nunit; u++) {
    loadUnit(s, s->unit + u, dual, slot_of, lines);
  }
  return true;
}


// residuals of four rows
static inline cfLane residualLane(const cfDenseSweep* s, const mjtNum* const line[4], int slot) {
  const mjtNum *a = line[0], *b = line[1], *c = line[2], *e = line[3];
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0, s3 = s0;
  for (int k = 0; k < s->width; k += 4) {
    const cfLane x = cfi_laneLoad(s->force + k);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(a + k), x);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(b + k), x);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(c + k), x);
    s3 = cfi_laneAddMul(s3, cfi_laneLoad(e + k), x);
  }
  return cfi_laneAdd(cfi_laneSum4(s0, s1, s2, s3), cfi_laneLoad(s->b + slot));
}


// all residuals anew: b + AR*force
static void formResiduals(const cfDenseSweep* s) {
  for (const cfDenseUnit* unit = s->unit; unit < s->unit + s->nunit; unit++) {
    for (int k = 0; k < unit->count; k += 4) {
      const int slot = unit->slot + k;
      cfi_laneStore(s->res + slot, residualLane(s, unit->line + k, slot));
    }
  }
}


// residuals follow three forces; AR is symmetric, so its rows are its columns
static inline void followThree(const cfDenseSweep* s, const mjtNum* const line[3], cfPush delta) {
  const mjtNum *a = line[0], *b = line[1], *c = line[2];
  CF_ASSERT(s->width % 4 == 0);
  const cfLane d0 = cfi_laneSpread(delta.n), d1 = cfi_laneSpread(delta.x);
  const cfLane d2 = cfi_laneSpread(delta.y);
  for (int k = 0; k < s->width; k += 4) {
    cfLane r = cfi_laneAddMul(cfi_laneLoad(s->res + k), cfi_laneLoad(a + k), d0);
    r = cfi_laneAddMul(r, cfi_laneLoad(b + k), d1);
    cfi_laneStore(s->res + k, cfi_laneAddMul(r, cfi_laneLoad(c + k), d2));
  }
}


// the same with four
static inline void followFour(const cfDenseSweep* s, const mjtNum* const line[4],
                              const mjtNum delta[4]) {
  const mjtNum *a = line[0], *b = line[1], *c = line[2], *e = line[3];
  const cfLane d0 = cfi_laneSpread(delta[0]), d1 = cfi_laneSpread(delta[1]);
  const cfLane d2 = cfi_laneSpread(delta[2]), d3 = cfi_laneSpread(delta[3]);
  for (int k = 0; k < s->width; k += 4) {
    cfLane r = cfi_laneAddMul(cfi_laneLoad(s->res + k), cfi_laneLoad(a + k), d0);
    r = cfi_laneAddMul(r, cfi_laneLoad(b + k), d1);
    r = cfi_laneAddMul(r, cfi_laneLoad(c + k), d2);
    cfi_laneStore(s->res + k, cfi_laneAddMul(r, cfi_laneLoad(e + k), d3));
  }
}


// up to four scalar rows, each with the judgment of what its change brings
static mjtNum sweepCarefully(const cfDenseSweep* s, const cfDenseUnit* unit) {
  const int slot = unit->slot;
  const cfScalarFour four = {
      {unit->line[0] + slot, unit->line[1] + slot, unit->line[2] + slot, unit->line[3] + slot},
      s->inverse + slot,
      s->lowest + slot,
      s->highest + slot};
  const cfLane old = cfi_laneLoad(s->force + slot);
  const mjtNum improvement = cfi_sweepFour(s->force + slot, cfi_laneLoad(s->res + slot), &four);
  mjtNum delta[4];
  cfi_laneStore(delta, cfi_laneSub(cfi_laneLoad(s->force + slot), old));
  followFour(s, unit->line, delta);
  return improvement;
}


// one scalar row: its force within bounds, and what its change brings.  The change is bounded by
// itself: the next row waits for it
typedef struct {
  mjtNum force, delta, cost;
} cfScalarTurn;

static inline cfScalarTurn scalarTurn(const cfDenseSweep* s, int slot, mjtNum diagonal, mjtNum old,
                                      mjtNum res) {
  const mjtNum lowest = s->lowest[slot], highest = s->highest[slot];
  const mjtNum least = lowest - old, most = highest - old, free = -(res * s->inverse[slot]);
  mjtNum delta = free < least ? least : free;
  delta = delta > most ? most : delta;
  mjtNum force = old + free;
  force = force < lowest ? lowest : force;
  force = force > highest ? highest : force;
  return (cfScalarTurn){force, delta, 0.5 * (diagonal * delta * delta) + delta * res};
}


// up to four scalar rows in turn; slots without a row stay zero
static inline mjtNum sweepScalars(const cfDenseSweep* s, const cfDenseUnit* unit) {
  const int at = unit->slot, n = unit->count;
  const mjtNum *r0 = unit->line[0] + at, *r1 = unit->line[1] + at, *r2 = unit->line[2] + at;
  const mjtNum *r3 = unit->line[3] + at, *old = s->force + at, *res = s->res + at;
  CF_ASSERT(n >= 1 && n <= CF_DENSE_UNIT && at + 4 <= s->width);
  const cfScalarTurn none = {0, 0, 0};
  const cfScalarTurn t0 = scalarTurn(s, at, r0[0], old[0], res[0]);
  mjtNum next = res[1] + r1[0] * t0.delta;
  const cfScalarTurn t1 = n > 1 ? scalarTurn(s, at + 1, r1[1], old[1], next) : none;
  next = (res[2] + r2[0] * t0.delta) + r2[1] * t1.delta;
  const cfScalarTurn t2 = n > 2 ? scalarTurn(s, at + 2, r2[2], old[2], next) : none;
  next = ((res[3] + r3[0] * t0.delta) + r3[1] * t1.delta) + r3[2] * t2.delta;
  const cfScalarTurn t3 = n > 3 ? scalarTurn(s, at + 3, r3[3], old[3], next) : none;

  // a change for the worse, which rounding alone can make, is not made: row by row once more
  const mjtNum worst = cfi_max(cfi_max(t0.cost, t1.cost), cfi_max(t2.cost, t3.cost));
  if (CF_SELDOM(worst > 1e-10)) {
    return sweepCarefully(s, unit);
  }
  const mjtNum delta[4] = {t0.delta, t1.delta, t2.delta, t3.delta};
  const cfLane force = cfi_laneSet(t0.force, t1.force, t2.force, t3.force);
  if (cfi_laneAny(cfi_laneSub(force, cfi_laneLoad(old)))) {
    cfi_laneStore(s->force + at, force);
    followFour(s, unit->line, delta);
  }
  return -(((t0.cost + t1.cost) + t2.cost) + t3.cost);
}


// an elliptic contact of three rows.  The cost is quadratic: its change is that of the forces times
// the mean of the residuals before and after
static inline mjtNum sweepPlanar(const cfDenseSweep* s, const cfDenseUnit* unit) {
  mjtNum *f = s->force + unit->slot, *r = s->res + unit->slot;
  CF_ASSERT(unit->count == 3 && unit->slot + 4 <= s->width);
  const cfPush old = {f[0], f[1], f[2]}, res = {r[0], r[1], r[2]};
  const cfPush force = cfi_planarTurn(&unit->planar, old, res);
  const cfPush delta = {force.n - old.n, force.x - old.x, force.y - old.y};
  const cfLane next = cfi_laneSet(force.n, force.x, force.y, 0);
  if (!cfi_laneAny(cfi_laneSub(next, cfi_laneLoad(f)))) {
    return 0;
  }
  followThree(s, unit->line, delta);
  const mjtNum cost =
      0.5 * (delta.n * (res.n + r[0]) + delta.x * (res.x + r[1]) + delta.y * (res.y + r[2]));
  if (CF_SELDOM(cost > 1e-10)) {
    followThree(s, unit->line, (cfPush){-delta.n, -delta.x, -delta.y});
    return 0;
  }
  cfi_laneStore(f, next);
  return -cost;
}


// one elliptic contact of more rows; n is its dimension, a constant where this is inlined
static inline mjtNum sweepContact(const cfDenseSweep* s, const cfDenseUnit* unit, const int n) {
  const int slot = unit->slot;
  mjtNum force[8] = {0}, delta[8], *old = s->force + slot, *res = s->res + slot;
  CF_ASSERT(unit->count == n);
  for (int k = 0; k < n; k++) {
    force[k] = old[k];
  }
  cfi_moveAlongRay(force, s->inverse[slot], unit->block, res, n);
  cfi_bestFriction(force, unit->con, unit->block, res, old, n);
  const mjtNum improvement = -cfi_dualChange(unit->block, force, old, res, n);
  for (int k = 0; k < 8; k++) {
    delta[k] = k < n ? force[k] - old[k] : 0;
  }
  cfi_laneStore(old, cfi_laneSet(force[0], force[1], force[2], force[3]));
  followFour(s, unit->line, delta);
  if (n > 4) {
    cfi_laneStore(old + 4, cfi_laneSet(force[4], force[5], 0, 0));
    followFour(s, unit->line + 4, delta + 4);
  }
  return improvement;
}


mjtNum cfi_sweepDense(cfDenseSweep* s, mjData* d) {
  mjtNum improvement = 0;
  CF_ASSERT(s->nunit > 0);
  if (s->nsweep++ % CF_SWEEPS_BETWEEN == 0) {
    formResiduals(s);
  }
  for (const cfDenseUnit* unit = s->unit; unit < s->unit + s->nunit; unit++) {
    if (!unit->con) {
      improvement += sweepScalars(s, unit);
    } else if (unit->count == 3) {
      improvement += sweepPlanar(s, unit);
    } else if (unit->count == 4) {
      improvement += sweepContact(s, unit, 4);
    } else {
      improvement += sweepContact(s, unit, 6);
    }
  }
  for (const cfDenseUnit* unit = s->unit; unit < s->unit + s->nunit; unit++) {
    for (int k = 0; k < unit->count; k++) {
      d->efc_force[unit->row + k] = s->force[unit->slot + k];
    }
  }
  return improvement;
}
