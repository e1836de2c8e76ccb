// What a block of position-based dynamics sees of a vector of all dofs, four numbers at a time.
#ifndef CF_CONTACTSOLVER_XPBDLOCAL_H
#define CF_CONTACTSOLVER_XPBDLOCAL_H

#include "base/assert.h"
#include "contactsolver/xpbd.h"
#include "math/simd/lane.h"

// dofs that fit into memory of the caller; a block with more uses that of the step
enum { XPBD_FEW_DOFS = 24, XPBD_AXES_MAX = 6 };

static inline mjtNum* cfi_xpbdPart(const xpbdWork* work, const cfContactBlock* b, mjtNum* few) {
  return b->stride <= XPBD_FEW_DOFS ? few : work->wide;
}


// the numbers of a block's dofs, zeros up to the stride
static inline void cfi_xpbdGather(mjtNum* restrict part, const cfContactBlock* b, const mjtNum* u) {
  cfi_laneStore(part + b->stride - 4, cfi_laneSpread(0));
  for (int i = 0; i < b->ndof; i++) {
    part[i] = u[b->dof[i]];
  }
}


static inline void cfi_xpbdScatter(mjtNum* restrict u, const cfContactBlock* b,
                                   const mjtNum* part) {
  for (int i = 0; i < b->ndof; i++) {
    u[b->dof[i]] = part[i];
  }
}


// the same for one or two runs of six dofs, in registers: twelve numbers
typedef struct {
  cfLane at[3];
} xpbdSixes;

static inline xpbdSixes cfi_xpbdLoadSixes(const mjtNum* u, const cfContactBlock* b, int nsix) {
  const mjtNum *first = u + b->dof[0], *second = nsix > 1 ? u + b->dof[6] : NULL;
  const cfHalfLane next = second ? cfi_halfLoad(second) : cfi_halfSet(0, 0);
  return (xpbdSixes){{cfi_laneLoad(first), cfi_laneJoin(cfi_halfLoad(first + 4), next),
                      second ? cfi_laneLoad(second + 2) : cfi_laneSpread(0)}};
}


static inline void cfi_xpbdStoreSixes(mjtNum* u, const cfContactBlock* b, int nsix,
                                      const xpbdSixes* x) {
  cfi_laneStore(u + b->dof[0], x->at[0]);
  cfi_halfStore(u + b->dof[0] + 4, cfi_laneLow(x->at[1]));
  if (nsix > 1) {
    cfi_halfStore(u + b->dof[6], cfi_laneHigh(x->at[1]));
    cfi_laneStore(u + b->dof[6] + 2, x->at[2]);
  }
}


static inline cfLane cfi_xpbdDotSixes(const mjtNum* J, int nsix, const xpbdSixes* u) {
  cfLane sum = cfi_laneMul(cfi_laneLoad(J), u->at[0]);
  sum = cfi_laneAdd(sum, cfi_laneMul(cfi_laneLoad(J + 4), u->at[1]));
  return nsix > 1 ? cfi_laneAdd(sum, cfi_laneMul(cfi_laneLoad(J + 8), u->at[2])) : sum;
}


// three axes
static inline void cfi_xpbdDotsOfSixes(mjtNum r[4], const mjtNum* J, int nsix, const xpbdSixes* u) {
  const int n = nsix > 1 ? 12 : 8;
  cfi_laneStore(r, cfi_laneSum4(cfi_xpbdDotSixes(J, nsix, u), cfi_xpbdDotSixes(J + n, nsix, u),
                                cfi_xpbdDotSixes(J + 2 * n, nsix, u), cfi_laneSpread(0)));
}


static inline void cfi_xpbdPushSixes(xpbdSixes* u, const mjtNum* B, int nsix,
                                     const mjtNum change[3]) {
  const int n = nsix > 1 ? 12 : 8;
  for (int k = 0; k < 3; k++) {
    const cfLane x = cfi_laneSpread(change[k]);
    for (int i = 0; i < nsix + 1; i++) {
      u->at[i] = cfi_laneAdd(u->at[i], cfi_laneMul(cfi_laneLoad(B + n * k + 4 * i), x));
    }
  }
}


// one row times what its block sees
static inline mjtNum cfi_xpbdDot(const cfContactBlock* b, int axis, const mjtNum* part) {
  const mjtNum* J = b->J + (size_t)axis * (size_t)b->stride;
  cfLane sum = cfi_laneMul(cfi_laneLoad(J), cfi_laneLoad(part));
  for (int i = 4; i < b->stride; i += 4) {
    sum = cfi_laneAdd(sum, cfi_laneMul(cfi_laneLoad(J + i), cfi_laneLoad(part + i)));
  }
  return cfi_laneSum(sum);
}


// three rows from an axis on
static inline void cfi_xpbdDot3(mjtNum r[4], const mjtNum* J, int stride, const mjtNum* part) {
  const mjtNum *J1 = J + stride, *J2 = J1 + stride;
  cfLane u = cfi_laneLoad(part), a = cfi_laneMul(cfi_laneLoad(J), u);
  cfLane b = cfi_laneMul(cfi_laneLoad(J1), u), c = cfi_laneMul(cfi_laneLoad(J2), u);
  for (int i = 4; i < stride; i += 4) {
    u = cfi_laneLoad(part + i);
    a = cfi_laneAdd(a, cfi_laneMul(cfi_laneLoad(J + i), u));
    b = cfi_laneAdd(b, cfi_laneMul(cfi_laneLoad(J1 + i), u));
    c = cfi_laneAdd(c, cfi_laneMul(cfi_laneLoad(J2 + i), u));
  }
  cfi_laneStore(r, cfi_laneSum4(a, b, c, cfi_laneSpread(0)));
}


// all rows; r has room for XPBD_AXES_MAX + 2
static inline void cfi_xpbdDots(mjtNum* r, const cfContactBlock* b, const mjtNum* part) {
  int k = 0;
  CF_ASSERT(b->dim <= XPBD_AXES_MAX && b->stride >= 4);
  for (; k + 3 <= b->dim; k += 3) {
    cfi_xpbdDot3(r + k, b->J + (size_t)k * (size_t)b->stride, b->stride, part);
  }
  for (; k < b->dim; k++) {
    r[k] = cfi_xpbdDot(b, k, part);
  }
}


// part += B'*change
static inline void cfi_xpbdPush(mjtNum* restrict part, const cfContactBlock* b,
                                const mjtNum* change) {
  const size_t n = (size_t)b->stride;
  if (b->dim == 3) {
    const cfLane x = cfi_laneSpread(change[0]), y = cfi_laneSpread(change[1]);
    const cfLane z = cfi_laneSpread(change[2]);
    for (size_t i = 0; i < n; i += 4) {
      cfLane sum = cfi_laneAdd(cfi_laneLoad(part + i), cfi_laneMul(cfi_laneLoad(b->B + i), x));
      sum = cfi_laneAdd(sum, cfi_laneMul(cfi_laneLoad(b->B + n + i), y));
      cfi_laneStore(part + i, cfi_laneAdd(sum, cfi_laneMul(cfi_laneLoad(b->B + 2 * n + i), z)));
    }
    return;
  }
  for (int k = 0; k < b->dim; k++) {
    const mjtNum* B = b->B + (size_t)k * n;
    const cfLane x = cfi_laneSpread(change[k]);
    for (size_t i = 0; i < n && change[k] != 0; i += 4) {
      cfi_laneStore(part + i,
                    cfi_laneAdd(cfi_laneLoad(part + i), cfi_laneMul(cfi_laneLoad(B + i), x)));
    }
  }
}


// the first axis of a block times a vector of all dofs
static inline mjtNum cfi_xpbdNormalDot(const xpbdWork* work, const cfContactBlock* b,
                                       const xpbdLaw* law, const mjtNum* u) {
  if (law->nsix == 2) {
    const xpbdSixes x = cfi_xpbdLoadSixes(u, b, 2);
    return cfi_laneSum(cfi_xpbdDotSixes(b->J, 2, &x));
  }
  if (law->nsix == 1) {
    const xpbdSixes x = cfi_xpbdLoadSixes(u, b, 1);
    return cfi_laneSum(cfi_xpbdDotSixes(b->J, 1, &x));
  }
  mjtNum few[XPBD_FEW_DOFS], *part = cfi_xpbdPart(work, b, few);
  cfi_xpbdGather(part, b, u);
  return cfi_xpbdDot(b, 0, part);
}


// all axes of a block times a vector of all dofs; r has room for XPBD_AXES_MAX + 2
static inline void cfi_xpbdAllDots(const xpbdWork* work, mjtNum* r, const cfContactBlock* b,
                                   const xpbdLaw* law, const mjtNum* u) {
  if (law->nsix == 2 && b->dim == 3) {
    const xpbdSixes x = cfi_xpbdLoadSixes(u, b, 2);
    cfi_xpbdDotsOfSixes(r, b->J, 2, &x);
    return;
  }
  mjtNum few[XPBD_FEW_DOFS], *part = cfi_xpbdPart(work, b, few);
  cfi_xpbdGather(part, b, u);
  cfi_xpbdDots(r, b, part);
}


// u += B'*change for a vector of all dofs
static inline void cfi_xpbdPushAll(const xpbdWork* work, mjtNum* u, const cfContactBlock* b,
                                   const xpbdLaw* law, const mjtNum* change) {
  if (law->nsix == 2 && b->dim == 3) {
    xpbdSixes x = cfi_xpbdLoadSixes(u, b, 2);
    cfi_xpbdPushSixes(&x, b->B, 2, change);
    cfi_xpbdStoreSixes(u, b, 2, &x);
    return;
  }
  mjtNum few[XPBD_FEW_DOFS], *part = cfi_xpbdPart(work, b, few);
  cfi_xpbdGather(part, b, u);
  cfi_xpbdPush(part, b, change);
  cfi_xpbdScatter(u, b, part);
}

#endif  // CF_CONTACTSOLVER_XPBDLOCAL_H
