// Factor of the inertia matrix, solves and products with it.
#include "dynamics/inertia.h"

#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/factor.h"
#include "dynamics/runs.h"
#include "kinematics/tendon.h"
#include "math/dense.h"
#include "model/awake.h"
#include "model/timer.h"

static inline cfIndexSet allDofs(const mjModel* m) {
  return (cfIndexSet){NULL, (int)m->nv, 0};
}


void cfi_copyRowsM(const mjModel* m, mjtNum* res, const mjtNum* mat, cfIndexSet rows) {
  CF_ASSERT(rows.count >= 0 && rows.count <= m->nv);
  if (!rows.index) {
    cfi_copyFew(res, mat, (int)m->nC);
    return;
  }
  for (int r = 0; r < rows.count; r++) {
    const int i = cfi_at(rows, r), adr = m->M_rowadr[i];
    memcpy(res + adr, mat + adr, sizeof(mjtNum) * m->M_rownnz[i]);
  }
}


void cfi_copyDampedM(const mjModel* m, mjData* d, cfIndexSet dofs) {
  CF_ASSERT(dofs.count <= m->nv);
  cfi_copyRowsM(m, d->qH, d->M, dofs);
  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
    d->qH[m->M_rowadr[i] + m->M_rownnz[i] - 1] += m->opt.timestep * m->dof_damping[i];
  }
}


// stage FACTORM.  reads: M.  writes: qLD, qLDiagInv.
void mj_factorM(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  if (cfi_isDiagonal(m->M_rownnz, m->M_rowadr, (int)m->nv, dofs)) {
    for (int i = 0; i < dofs.count; i++) {
      const mjtNum diagonal = d->M[i];
      d->qLD[i] = diagonal;
      d->qLDiagInv[i] = 1 / diagonal;
    }
  } else {
    cfi_copyRowsM(m, d->qLD, d->M, dofs);
    cfi_factorTree(d->qLD, d->qLDiagInv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
  }
  cfi_addTime(d, mjTIMER_POS_INERTIA, start, 0);
}


void cfi_factorDampedToo(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  const cfIndexSet dofs = allDofs(m);
  const cfFactor f[2] = {{d->qLD, d->qLDiagInv}, {d->qH, d->qHDiagInv}};
  cfi_copyRowsM(m, d->qLD, d->M, dofs);
  cfi_copyDampedM(m, d, dofs);
  cfi_factorTwoTrees(f, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
  cfi_addTime(d, mjTIMER_POS_INERTIA, start, 0);
}


void cfi_factorRun(const mjModel* m, const mjData* d, mjtNum* LD, mjtNum* LDiagInv, cfIndexSet dofs,
                   mjtNum step) {
  if (dofs.count == 0) {
    return;
  }
  const int last = dofs.first + dofs.count - 1, start = m->M_rowadr[dofs.first];
  CF_ASSERT(!dofs.index && last < m->nv);
  const int count = m->M_rowadr[last] + m->M_rownnz[last] - start;
  memcpy(LD + start, d->M + start, sizeof(mjtNum) * (size_t)count);
  for (int i = dofs.first; step != 0 && i <= last; i++) {
    LD[m->M_rowadr[i] + m->M_rownnz[i] - 1] += step * m->dof_damping[i];
  }
  cfi_factorTree(LD, LDiagInv, m->M_rownnz, m->M_rowadr, m->M_colind, dofs);
}


// x = inv(M)*y for n vectors
void mj_solveM(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, int n) {
  if (x != y && n * m->nv > 0) {
    memcpy(x, y, sizeof(mjtNum) * n * m->nv);
  }
  cfi_solveLD(x, d->qLD, d->qLDiagInv, (int)m->nv, n, m->M_rownnz, m->M_rowadr, m->M_colind,
              allDofs(m));
}


// x = sqrt(inv(D))*inv(L')*y for n vectors
void mj_solveM2(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, const mjtNum* sqrtInvD,
                int n) {
  const int nv = (int)m->nv;
  if (n * nv > 0) {
    memcpy(x, y, sizeof(mjtNum) * n * nv);
  }
  for (int v = 0; v < n; v++) {
    cfi_solveUpLD(x + (size_t)v * nv, d->qLD, m->M_rownnz, m->M_rowadr, m->M_colind, allDofs(m));
    for (int i = 0; i < nv; i++) {
      x[(size_t)v * nv + i] *= sqrtInvD[i];
    }
  }
}


// res = M*vec; each stored entry acts below and above the diagonal
static inline void mulRowsM(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec,
                            int first, int end) {
  for (int i = first; i < end; i++) {
    const int adr = m->M_rowadr[i], last = m->M_rownnz[i] - 1;
    const int* column = m->M_colind + adr;
    const mjtNum *row = d->M + adr, own = vec[i];
    mjtNum sum = row[last] * own;
    for (int k = 0; k < last; k++) {
      sum += row[k] * vec[column[k]];
      res[column[k]] += row[k] * own;
    }
    res[i] = sum;
  }
}


void mj_mulM(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  mulRowsM(m, d, res, vec, 0, (int)m->nv);
}


void cfi_mulRunM(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec,
                 cfIndexSet dofs) {
  CF_ASSERT(!dofs.index && dofs.first + dofs.count <= m->nv);
  mulRowsM(m, d, res, vec, dofs.first, dofs.first + dofs.count);
}


// res = sqrt(D)*L*vec
void mj_mulM2(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  for (int i = 0; i < m->nv; i++) {
    const int adr = m->M_rowadr[i], last = m->M_rownnz[i] - 1;
    mjtNum sum = 0;
    for (int k = 0; k < last; k++) {
      sum += d->qLD[adr + k] * vec[m->M_colind[adr + k]];
    }
    res[i] = (vec[i] + sum) * sqrt(d->qLD[adr + last]);
  }
}


// dense symmetric matrix from the layout of qM: row by row, from the dof to its oldest ancestor
void mj_fullM(const mjModel* m, mjtNum* dst, const mjtNum* M) {
  const int nv = (int)m->nv;
  if (nv > 0) {
    memset(dst, 0, sizeof(mjtNum) * nv * nv);
  }
  for (int i = 0; i < nv; i++) {
    const mjtNum* entry = M + m->dof_Madr[i];
    for (int j = i; j >= 0; j = m->dof_parentid[j], entry++) {
      dst[(size_t)i * nv + j] = *entry;
      dst[(size_t)j * nv + i] = *entry;
    }
  }
}


// dst row += M row, in place: the union of both patterns is written from its end
static int mergeRow(mjtNum* dst, int* dst_col, int ndst, const mjtNum* row, const int* col, int n) {
  CF_ASSERT(n >= 0 && ndst >= 0);
  int count = ndst + n;
  for (int a = 0, b = 0; a < ndst && b < n;) {
    count -= dst_col[a] == col[b];
    const int next = dst_col[a] <= col[b];
    b += dst_col[a] >= col[b];
    a += next;
  }

  int a = ndst - 1, b = n - 1;
  for (int k = count - 1; k >= 0; k--) {
    const int from_dst = a >= 0 && (b < 0 || dst_col[a] >= col[b]);
    const int from_row = b >= 0 && (a < 0 || col[b] >= dst_col[a]);
    const mjtNum value = (from_dst ? dst[a] : 0) + (from_row ? row[b] : 0);
    dst_col[k] = from_dst ? dst_col[a] : col[b];
    dst[k] = value;
    a -= from_dst;
    b -= from_row;
  }
  return count;
}


// dst += M; dst is dense (lower triangle) when it has no row structure
void mj_addM(const mjModel* m, mjData* d, mjtNum* dst, int* rownnz, int* rowadr, int* colind) {
  const int nv = (int)m->nv;
  const bool is_sparse = rownnz && rowadr && colind;
  for (int i = 0; i < nv; i++) {
    const int adr = m->M_rowadr[i], nnz = m->M_rownnz[i];
    if (is_sparse) {
      rownnz[i] = mergeRow(dst + rowadr[i], colind + rowadr[i], rownnz[i], d->M + adr,
                           m->M_colind + adr, nnz);
    } else {
      for (int k = adr; k < adr + nnz; k++) {
        dst[(size_t)i * nv + m->M_colind[k]] += d->M[k];
      }
    }
  }
}


void cfi_tendonBias(const mjModel* m, mjData* d, mjtNum* qfrc) {
  const bool some_rest = cfi_someAsleep(m, d);
  for (int t = 0; t < m->ntendon; t++) {
    const mjtNum armature = m->tendon_armature[t];
    if (armature == 0 || (some_rest && cfi_sleepState(m, d, mjOBJ_TENDON, t) == mjS_ASLEEP)) {
      continue;
    }
    cfi_addTendon(m, d, t, qfrc, armature * cfi_tendonDrift(m, d, t));
  }
}
