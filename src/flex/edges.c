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
    if (has_rows) {
      const int body[2] = {vertbody[v0], vertbody[v1]};
      mjtNum force[2][6];
      unitForce(force[0], m, d, xpos + 3 * v0, body[0], dir);
      unitForce(force[1], m, d, xpos + 3 * v1, body[1], dir);
      fillRow(d->flexedge_J + m->flexedge_J_rowadr[e], m->flexedge_J_rownnz[e], m, d, body, force);
    }
  }
}
