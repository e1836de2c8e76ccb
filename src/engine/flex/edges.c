// Edges of flexes: length and its Jacobian.
//
// The length of an edge grows by dir*(v1 - v0), dir being its direction and v the velocities of its
// ends.  A dof moves a point by cdof, so the row has for each dof the work of a unit force along
// dir at one end and against it at the other.
#include "flex/flex.h"

#include "base/assert.h"
#include "kinematics/chain.h"
#include "math/inline.h"
#include "math/spatial.h"

enum { EQUALITY_EDGES = 1 };


// somebody multiplies by the Jacobian: constraint, edge spring or damper, or damped elasticity
static bool usesJacobian(const mjModel* m, int f) {
  return m->flex_edgeequality[f] == EQUALITY_EDGES || m->flex_edgedamping[f] != 0 ||
         m->flex_edgestiffness[f] != 0 || m->flex_damping[f] != 0;
}


// force vector of a unit force along dir at a point of a body
static inline void unitForce(mjtNum force[6], const mjModel* m, const mjData* d,
                             const mjtNum point[3], int body, const mjtNum dir[3]) {
  mjtNum offset[3];
  cfi_pointOffset(offset, m, d, point, body);
  cfi_cross(force, offset, dir);
  cfi_copy3(force + 3, dir);
}


// fill a row from its last dof to its first
static void fillRow(mjtNum* row, int count, const mjModel* m, const mjData* d, const int body[2],
                    mjtNum force[2][6]) {
  int at0 = cfi_lastDof(m, body[0]), at1 = cfi_lastDof(m, body[1]);
  mjtNum both[6];
  for (int k = 0; k < 6; k++) {
    both[k] = force[1][k] - force[0][k];
  }
  while (at0 >= 0 || at1 >= 0) {
    CF_ASSERT(count > 0);
    if (at0 == at1) {
      row[--count] = cfi_dot6(d->cdof + 6 * at0, both);
      at0 = at1 = m->dof_parentid[at0];
    } else if (at0 > at1) {
      row[--count] = -cfi_dot6(d->cdof + 6 * at0, force[0]);
      at0 = m->dof_parentid[at0];
    } else {
      row[--count] = cfi_dot6(d->cdof + 6 * at1, force[1]);
      at1 = m->dof_parentid[at1];
    }
  }
  CF_ASSERT(count == 0);
}


// a body with dofs of its own only, three slides: returns the first of them, or -1
static inline int firstSlide(const mjModel* m, int body) {
  return m->body_simple[body] == CF_SIMPLE_SLIDING && m->body_dofnum[body] == 3
             ? m->body_dofadr[body]
             : -1;
}


// the row of two bodies that slide apart from all others; false for other bodies
static inline bool fillSlideRow(mjtNum* row, int count, const mjModel* m, const mjData* d,
                                const int body[2], const mjtNum dir[3]) {
  const int dof0 = firstSlide(m, body[0]), dof1 = firstSlide(m, body[1]);
  if (count != 6 || dof0 < 0 || dof1 < 0) {
    return false;
  }
  const int place0 = dof0 < dof1 ? 0 : 3;
  const mjtNum *axis0 = d->cdof + 6 * dof0 + 3, *axis1 = d->cdof + 6 * dof1 + 3;
  for (int k = 0; k < 3; k++) {
    row[place0 + k] = -cfi_dot3(axis0 + 6 * k, dir);
    row[3 - place0 + k] = cfi_dot3(axis1 + 6 * k, dir);
  }
  return true;
}


static void fillChainRow(mjtNum* row, int count, const mjModel* m, const mjData* d,
                         const int body[2], const mjtNum* x0, const mjtNum* x1,
                         const mjtNum dir[3]) {
  mjtNum force[2][6];
  unitForce(force[0], m, d, x0, body[0], dir);
  unitForce(force[1], m, d, x1, body[1], dir);
  fillRow(row, count, m, d, body, force);
}


void cfi_measureEdges(const mjModel* m, mjData* d, int f) {
  const int start = m->flex_edgeadr[f], end = start + m->flex_edgenum[f];
  const mjtNum* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  const int* vertbody = m->flex_vertbodyid + m->flex_vertadr[f];
  const bool has_rows = usesJacobian(m, f);
  for (int e = start; e < end; e++) {
    const int v0 = m->flex_edge[2 * e], v1 = m->flex_edge[2 * e + 1];
    mjtNum dir[3];
    cfi_sub3(dir, xpos + 3 * v1, xpos + 3 * v0);
    d->flexedge_length[e] = cfi_normalize3(dir);
    mjtNum* row = d->flexedge_J + m->flexedge_J_rowadr[e];
    const int count = m->flexedge_J_rownnz[e];

    // no entries: ends that do not move, or a rigid flex that mj_setConst measures
    if (!has_rows || !count) {
      mju_zero(row, count);
      continue;
    }
    const int body[2] = {vertbody[v0], vertbody[v1]};
    if (!fillSlideRow(row, count, m, d, body, dir)) {
      fillChainRow(row, count, m, d, body, xpos + 3 * v0, xpos + 3 * v1, dir);
    }
  }
}
