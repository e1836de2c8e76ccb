// Velocity derivative of the bias forces in closed form.
//
// Let s_j be the motion axis of dof j (cdof), v_b the velocity of body b, I_b its inertia, all in
// the frame of the tree's center of mass.  The velocity of every body below dof j changes with
// qvel_j by s_j alone, hence
//   d v_b / d qvel_j = s_j
//   d a_b / d qvel_j = u_j + s_j x v_b,   u_j = cdof_dot_j - s_j x w_j,
// where w_j is the velocity reached when the joint of dof j has been added.  The force f_b = I_b
// a_b + v_b x* I_b v_b then changes by I_b u_j + C_b s_j with the 6x6 matrix
//   C_b s = I_b (s x v_b) + s x* (I_b v_b) + v_b x* (I_b s).
// Summed over the subtree below the deeper of two dofs i, j (crb, C) the derivative is
//   d bias_i / d qvel_j = s_i' (crb u_j + C s_j).
// Per entry this takes one or two products of six numbers.  Only v_b - w_j enters through s_j x, so
// both are taken relative to the root of the tree: less cancels when the whole tree moves.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "derivative/velocity.h"
#include "math/inline.h"
#include "model/indexset.h"

// what one dof contributes to the entries it shares with its ancestors
typedef struct {
  mjtNum change[6];  // u
  mjtNum
      forward[6];  // crb*u + C*s: column of this dof, to be multiplied with the axis of an ancestor
  mjtNum row_u[6];  // crb*s: row of this dof, to be multiplied with u of an ancestor
  mjtNum row_s[6];  // C'*s: the same with s of an ancestor
} dofTerm;


// one body: its inertia, velocity, velocity relative to the root of its tree, momentum
typedef struct {
  const mjtNum *inert, *vel;
  mjtNum relative[6], momentum[6];
} movingBody;


// 3x3 matrices by columns.  M += [x], the matrix of the cross product with x
static inline void addCross(mjtNum M[9], const mjtNum x[3]) {
  M[1] += x[2], M[2] -= x[1];
  M[3] -= x[2], M[5] += x[0];
  M[6] += x[1], M[7] -= x[0];
}


// M = [x][y] + [z][x] = y x' + x z' - (x.y + x.z)*1
static inline void crossPair(mjtNum M[9], const mjtNum x[3], const mjtNum y[3], const mjtNum z[3]) {
  const mjtNum both = cfi_dot3(x, y) + cfi_dot3(x, z);
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) {
      M[3 * c + r] = y[r] * x[c] + x[r] * z[c] - (r == c ? both : 0);
    }
  }
}


// M = [w]J - J[r] for the moments J, which are symmetric: their columns turned by w, and by r as
// rows
static inline void turnMoments(mjtNum M[9], const mjtNum inert[10], const mjtNum w[3],
                               const mjtNum r[3]) {
  const mjtNum J[3][3] = {{inert[0], inert[3], inert[4]},
                          {inert[3], inert[1], inert[5]},
                          {inert[4], inert[5], inert[2]}};
  mjtNum column[3][3], row[3][3];
  for (int k = 0; k < 3; k++) {
    cfi_cross(column[k], w, J[k]);
    cfi_cross(row[k], r, J[k]);
  }
  for (int k = 0; k < 9; k++) {
    M[k] = column[k / 3][k % 3] + row[k % 3][k / 3];
  }
}


// C_b by 3x3 blocks.  With moments J, mass and h = mass*offset of the inertia, velocities (w, n)
// and (r, q) of the body and relative to the root, momentum (L, P) and K = [w][h] - [h][r]:
//   C_b = | [w]J - J[r] - [h][q] - [n][h] - [L]    K + [mass*n - P]   |
//         | -K - [mass*q + P]                      [mass*(w - r)]     |
static void bodyMatrix(mjtNum C[36], const movingBody* b) {
  const mjtNum *w = b->vel, *n = w + 3, *r = b->relative, *q = r + 3, *h = b->inert + 6;
  const mjtNum *L = b->momentum, *P = L + 3, mass = b->inert[9];
  mjtNum turn[9], orbit[9], K[9], other[9], drift[9] = {0}, x[3];
  turnMoments(turn, b->inert, w, r);
  crossPair(orbit, h, q, n);
  addCross(orbit, L);
  cfi_scl3(x, r, -1);
  crossPair(K, h, x, w);

  cfi_copy9(other, K);
  cfi_addScl3(x, P, q, mass);
  addCross(other, x);
  cfi_scl3(x, P, -1);
  cfi_addToScl3(x, n, mass);
  addCross(K, x);
  cfi_sub3(x, w, r);
  cfi_scl3(x, x, mass);
  addCross(drift, x);

  for (int c = 0; c < 3; c++) {
    cfi_sub3(C + 6 * c, turn + 3 * c, orbit + 3 * c);
    cfi_scl3(C + 6 * c + 3, other + 3 * c, -1);
    cfi_copy3(C + 18 + 6 * c, K + 3 * c);
    cfi_copy3(C + 18 + 6 * c + 3, drift + 3 * c);
  }
}


static movingBody movingBodyOf(const mjModel* m, const mjData* d, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  movingBody b = {.inert = d->cinert + 10 * body, .vel = d->cvel + 6 * body};
  cfi_copy6(b.relative, b.vel);
  cfi_subFrom6(b.relative, d->cvel + 6 * m->body_rootid[body]);
  cfi_mulInertVec(b.momentum, b.inert, b.vel);
  return b;
}


// C of every awake body that can move, summed over its subtree; stored by columns
static void compositeMatrices(const mjModel* m, const mjData* d, mjtNum* C) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  for (int k = 1; k < bodies.count; k++) {
    const int b = cfi_at(bodies, k);
    if (m->body_treeid[b] >= 0) {
      const movingBody moving = movingBodyOf(m, d, b);
      bodyMatrix(C + 36 * b, &moving);
    }
  }
  for (int k = bodies.count - 1; k > 0; k--) {
    const int b = cfi_at(bodies, k), parent = m->body_parentid[b];
    if (m->body_treeid[parent] >= 0) {
      mju_addTo(C + 36 * parent, C + 36 * b, 36);
    }
  }
}


// number of dofs that enter the velocity together with this one: 3 for translations and rotations
// of free and ball joints, 1 otherwise; first is the first of them
static int groupOf(const mjModel* m, int dof, int* first) {
  CF_ASSERT_INDEX(dof, m->nv);
  const int j = m->dof_jntid[dof], start = m->jnt_dofadr[j];
  if (m->jnt_type[j] == mjJNT_FREE) {
    *first = dof < start + 3 ? start : start + 3;
    return 3;
  }
  *first = m->jnt_type[j] == mjJNT_BALL ? start : dof;
  return m->jnt_type[j] == mjJNT_BALL ? 3 : 1;
}


// u_j of the dofs of one body, walking through its joints
static void motionChanges(const mjModel* m, const mjData* d, int body, dofTerm* term) {
  CF_ASSERT_INDEX(body, m->nbody);
  mjtNum reached[6];
  cfi_copy6(reached, d->cvel + 6 * m->body_parentid[body]);
  cfi_subFrom6(reached, d->cvel + 6 * m->body_rootid[body]);
  const int end = m->body_dofadr[body] + m->body_dofnum[body];
  for (int dof = m->body_dofadr[body]; dof < end;) {
    int first;
    const int count = groupOf(m, dof, &first);
    for (int k = 0; k < count; k++) {
      cfi_addToScl6(reached, d->cdof + 6 * (first + k), d->qvel[first + k]);
    }
    for (int k = 0; k < count; k++) {
      mjtNum turned[6];
      cfi_crossMotion(turned, d->cdof + 6 * (first + k), reached);
      cfi_copy6(term[first + k].change, d->cdof_dot + 6 * (first + k));
      cfi_subFrom6(term[first + k].change, turned);
    }
    dof = first + count;
  }
}


static void dofTerms(const mjModel* m, const mjData* d, const mjtNum* C, int body, dofTerm* term) {
  motionChanges(m, d, body, term);
  for (int dof = m->body_dofadr[body]; dof < m->body_dofadr[body] + m->body_dofnum[body]; dof++) {
    const mjtNum *axis = d->cdof + 6 * dof, *crb = d->crb + 10 * body, *matrix = C + 36 * body;
    dofTerm* t = term + dof;
    cfi_mulInertVec(t->row_u, crb, axis);
    cfi_mulInertVec(t->forward, crb, t->change);
    for (int k = 0; k < 6; k++) {
      t->row_s[k] = cfi_dot6(matrix + 6 * k, axis);
      cfi_addToScl6(t->forward, matrix + 6 * k, axis[k]);
    }
  }
}


void cfi_addBiasVelocity(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d), dofs = cfi_awakeDofs(m, d);
  mj_markStack(d);
  mjtNum* C = mj_stackAllocNum(d, 36 * (size_t)m->nbody);
  dofTerm* term = mj_stackAllocByte(d, sizeof(dofTerm) * (size_t)(m->nv + 1), _Alignof(dofTerm));
  compositeMatrices(m, d, C);
  for (int k = 1; k < bodies.count; k++) {
    const int body = cfi_at(bodies, k);
    if (m->body_dofnum[body]) {
      dofTerms(m, d, C, body, term);
    }
  }

  // entries left of and on the diagonal belong to ancestors, those right of it to descendants
  for (int k = 0; k < dofs.count; k++) {
    const int i = cfi_at(dofs, k);
    const mjtNum* axis = d->cdof + 6 * i;
    for (int n = m->D_rowadr[i]; n < m->D_rowadr[i] + m->D_rownnz[i]; n++) {
      const int j = m->D_colind[n];
      d->qDeriv[n] -= j > i ? cfi_dot6(axis, term[j].forward)
                            : cfi_dot6(term[i].row_u, term[j].change) +
                                  cfi_dot6(term[i].row_s, d->cdof + 6 * j);
    }
  }
  mj_freeStack(d);
}
