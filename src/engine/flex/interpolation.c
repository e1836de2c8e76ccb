// Grids of nodes that carry interpolated flexes.
#include "flex/interpolation.h"

#include "base/assert.h"
#include "math/inline.h"

void cfi_axisWeights(mjtNum weight[3], mjtNum s, int order) {
  CF_ASSERT(order == 1 || order == 2);
  weight[0] = order == 1 ? 1 - s : 2 * s * s - 3 * s + 1;
  weight[1] = order == 1 ? s : 4 * (s - s * s);
  weight[2] = order == 1 ? 0 : 2 * s * s - s;
}


void cfi_axisSlopes(mjtNum slope[3], mjtNum s, int order) {
  CF_ASSERT(order == 1 || order == 2);
  slope[0] = order == 1 ? -1 : 4 * s - 3;
  slope[1] = order == 1 ? 1 : 4 * (1 - 2 * s);
  slope[2] = order == 1 ? 0 : 4 * s - 1;
}


mjtNum cfi_nodeWeight(const mjtNum at[3], int node, int order) {
  const int n = order + 1;
  const int place[3] = {node / (n * n), node / n % n, node % n};
  mjtNum product = 1;
  for (int axis = 2; axis >= 0; axis--) {
    mjtNum weight[3];
    cfi_axisWeights(weight, at[axis], order);
    product *= weight[place[axis]];
  }
  return product;
}


void cfi_placeNodes(mjtNum* x, const mjModel* m, const mjData* d, int f) {
  const int start = m->flex_nodeadr[f];
  for (int i = 0; i < m->flex_nodenum[f]; i++) {
    const int body = m->flex_nodebodyid[start + i];
    if (m->flex_centered[f]) {
      cfi_copy3(x + 3 * i, d->xpos + 3 * body);
    } else {
      cfi_mulMatVec3(x + 3 * i, d->xmat + 9 * body, m->flex_node + 3 * (start + i));
      cfi_addTo3(x + 3 * i, d->xpos + 3 * body);
    }
  }
}


void cfi_centerGradient(mjtNum gradient[9], const mjtNum* x, int order) {
  mjtNum weight[3], slope[3];
  cfi_axisWeights(weight, 0.5, order);
  cfi_axisSlopes(slope, 0.5, order);
  mju_zero(gradient, 9);
  const int n = order + 1;
  for (int node = 0; node < n * n * n; node++) {
    const int i = node / (n * n), j = node / n % n, k = node % n;
    const mjtNum along[3] = {slope[i] * weight[j] * weight[k], weight[i] * slope[j] * weight[k],
                             weight[i] * weight[j] * slope[k]};
    for (int row = 0; row < 3; row++) {
      cfi_addToScl3(gradient + 3 * row, along, x[3 * node + row]);
    }
  }
}


// velocity of a node: that of the body's first three dofs where nodes are body origins
static void nodeVelocity(mjtNum velocity[3], const mjModel* m, const mjData* d, int f, int body) {
  const int dof = m->body_dofadr[body];
  cfi_zero3(velocity);
  if (!m->flex_centered[f]) {
    mjtNum screw[6];
    mj_objectVelocity(m, d, mjOBJ_BODY, body, screw, 0);
    cfi_copy3(velocity, screw + 3);
  } else if (dof >= 0 && dof + 3 <= m->nv) {
    cfi_copy3(velocity, d->qvel + dof);
  }
}


void cfi_turnToRest(mjtNum quat[4], mjtNum* x, mjtNum* velocity, const mjModel* m, const mjData* d,
                    int f) {
  const mjtNum middle[3] = {0.5, 0.5, 0.5};
  const int* body = m->flex_nodebodyid + m->flex_nodeadr[f];
  mjtNum gradient[9];
  cfi_placeNodes(x, m, d, f);
  cfi_centerGradient(gradient, x, m->flex_interp[f]);

  // the search for the rotation starts from none
  cfi_unitQuat(quat);
  mju_mat2Rot(quat, gradient);
  cfi_negQuat(quat, quat);
  for (int i = 0; i < m->flex_nodenum[f]; i++) {
    mjtNum turned[3];
    cfi_rotVecQuat(turned, x + 3 * i, quat);
    cfi_add3(x + 3 * i, turned, middle);
    if (velocity) {
      mjtNum own[3];
      nodeVelocity(own, m, d, f, body[i]);
      cfi_rotVecQuat(velocity + 3 * i, own, quat);
    }
  }
}
