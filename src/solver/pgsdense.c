// Projected Gauss-Seidel over a dense matrix, units of whole vectors.
//
// Forces change a few at a time and are read again at once.  Where they are written one by one and
// read as vectors the processor has to wait, so a unit writes its forces as one vector, and no
// vector belongs to two units.
#include "solver/pgsdense.h"

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "math/dense.h"
#include "math/simd/lane.h"
#include "solver/dualcone.h"

// scalar rows of a unit, at most: a vector
enum { CF_DENSE_UNIT = 4 };

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
  const size_t width = (size_t)s->width, total = width * (n + 6);
  const size_t missing = (size_t)(dual->m->narena - d->narena);
  if (cfi_stackAvailable(d) + missing < 2 * total * sizeof(mjtNum)) {
    return false;
  }
  mjtNum* lines = mj_stackAllocNum(d, total);
  cfi_zero(lines, (int)total);
  s->force = lines + width * (n + 1);
  s->b = s->force + width;
  s->inverse = s->b + width;
  s->lowest = s->inverse + width;
  s->highest = s->lowest + width;
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


// residuals of three rows
static inline cfLane residualThree(const cfDenseSweep* s, const mjtNum* const line[3], int slot) {
  const mjtNum *a = line[0], *b = line[1], *c = line[2];
  cfLane s0 = cfi_laneSpread(0), s1 = s0, s2 = s0;
  for (int k = 0; k < s->width; k += 4) {
    const cfLane x = cfi_laneLoad(s->force + k);
    s0 = cfi_laneAddMul(s0, cfi_laneLoad(a + k), x);
    s1 = cfi_laneAddMul(s1, cfi_laneLoad(b + k), x);
    s2 = cfi_laneAddMul(s2, cfi_laneLoad(c + k), x);
  }
  return cfi_laneAdd(cfi_laneSum4(s0, s1, s2, cfi_laneSpread(0)), cfi_laneLoad(s->b + slot));
}


// up to four scalar rows in turn; slots without a row stay zero
static inline mjtNum sweepScalars(const cfDenseSweep* s, const cfDenseUnit* unit) {
  const int slot = unit->slot;
  const cfScalarFour four = {
      {unit->line[0] + slot, unit->line[1] + slot, unit->line[2] + slot, unit->line[3] + slot},
      s->inverse + slot,
      s->lowest + slot,
      s->highest + slot};
  return cfi_sweepFour(s->force + slot, residualLane(s, unit->line, slot), &four);
}


// one elliptic contact; n is its dimension, a constant where this is inlined
static inline mjtNum sweepContact(const cfDenseSweep* s, const cfDenseUnit* unit, const int n) {
  const int slot = unit->slot;
  mjtNum force[8], old[8], res[8];
  CF_ASSERT(unit->count == n);
  cfi_laneStore(res,
                n == 3 ? residualThree(s, unit->line, slot) : residualLane(s, unit->line, slot));
  cfi_laneStore(old, cfi_laneLoad(s->force + slot));
  if (n > 4) {
    cfi_laneStore(res + 4, residualLane(s, unit->line + 4, slot + 4));
    cfi_laneStore(old + 4, cfi_laneLoad(s->force + slot + 4));
  }
  for (int k = 0; k < n; k++) {
    force[k] = old[k];
  }
  cfi_moveAlongRay(force, s->inverse[slot], unit->block, res, n);
  cfi_bestFriction(force, unit->con, unit->block, res, old, n);
  const mjtNum improvement = -cfi_dualChange(unit->block, force, old, res, n);
  cfi_laneStore(s->force + slot, cfi_laneSet(force[0], force[1], force[2], n > 3 ? force[3] : 0));
  if (n > 4) {
    cfi_laneStore(s->force + slot + 4, cfi_laneSet(force[4], force[5], 0, 0));
  }
  return improvement;
}


mjtNum cfi_sweepDense(const cfDenseSweep* s, mjData* d) {
  mjtNum improvement = 0;
  CF_ASSERT(s->nunit > 0);
  for (const cfDenseUnit* unit = s->unit; unit < s->unit + s->nunit; unit++) {
    if (!unit->con) {
      improvement += sweepScalars(s, unit);
    } else if (unit->count == 3) {
      improvement += sweepContact(s, unit, 3);
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
