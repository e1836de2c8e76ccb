// Bodies that move contacts with flexes.
#include "flex/contactbodies.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "flex/interpolation.h"
#include "math/inline.h"

// flex whose vertices are bodies of their own, as opposed to points of an interpolated grid
static bool hasVertexBodies(const mjModel* m, int flex) {
  return m->flex_interp[flex] == 0;
}


bool cfi_contactBodies(const mjModel* m, const mjContact* con, int body[2]) {
  for (int side = 0; side < 2; side++) {
    if (con->geom[side] >= 0) {
      body[side] = m->geom_bodyid[con->geom[side]];
    } else if (con->vert[side] >= 0 && hasVertexBodies(m, con->flex[side])) {
      body[side] = m->flex_vertbodyid[m->flex_vertadr[con->flex[side]] + con->vert[side]];
    } else {
      return false;
    }
  }
  return true;
}


// element vertices with weights inverse to their distance from the contact; a vertex that is the
// other side of the same contact is left out
static int elementVertices(const mjModel* m, const mjData* d, const mjContact* con, int side,
                           int vert[4], mjtNum weight[4]) {
  int flex = con->flex[side], num = m->flex_dim[flex] + 1, count = 0;
  const int* element = m->flex_elem + m->flex_elemdataadr[flex] + con->elem[side] * num;
  mjtNum sum = 0;
  for (int k = 0; k < num; k++) {
    if (element[k] == con->vert[1 - side]) {
      continue;
    }
    vert[count] = m->flex_vertadr[flex] + element[k];
    const mjtNum distance = cfi_dist3(con->pos, d->flexvert_xpos + 3 * vert[count]);
    weight[count] = 1 / cfi_max(mjMINVAL, distance);
    sum += weight[count++];
  }
  for (int k = 0; k < count; k++) {
    weight[k] /= sum;
  }
  return count;
}


// grid nodes that carry a weighted point of an interpolated flex
static void addGridNodes(const mjModel* m, int flex, const int* vert, const mjtNum* weight, int n,
                         cfContactBodies* res) {
  mjtNum point[3] = {0, 0, 0};
  for (int k = 0; k < n; k++) {
    cfi_addToScl3(point, m->flex_vert0 + 3 * vert[k], weight[k]);
  }
  for (int node = 0; node < m->flex_nodenum[flex]; node++) {
    const mjtNum w = cfi_nodeWeight(point, node, m->flex_interp[flex]);
    if (w >= 1e-5) {
      CF_ASSERT(res->count < CF_MAX_CONTACT_BODIES);
      res->body[res->count] = m->flex_nodebodyid[m->flex_nodeadr[flex] + node];
      res->weight[res->count++] = w;
    }
  }
}


// append the bodies of one side, vertex weights times sign
static void addSide(const mjModel* m, const mjData* d, const mjContact* con, int side, mjtNum sign,
                    cfContactBodies* res) {
  if (con->geom[side] >= 0) {
    res->body[res->count] = m->geom_bodyid[con->geom[side]];
    res->weight[res->count++] = sign;
    return;
  }

  int flex = con->flex[side], vert[4] = {0}, n = 1;
  mjtNum weight[4] = {1};
  if (con->vert[side] >= 0) {
    vert[0] = m->flex_vertadr[flex] + con->vert[side];
  } else {
    n = elementVertices(m, d, con, side, vert, weight);
  }
  for (int k = 0; k < n; k++) {
    weight[k] *= sign;
  }
  if (!hasVertexBodies(m, flex)) {
    addGridNodes(m, flex, vert, weight, n, res);
    return;
  }
  for (int k = 0; k < n; k++) {
    res->body[res->count] = m->flex_vertbodyid[vert[k]];
    res->weight[res->count++] = weight[k];
  }
}


void cfi_contactSide(const mjModel* m, const mjData* d, const mjContact* con, int side,
                     cfContactBodies* res) {
  res->count = 0;
  addSide(m, d, con, side, 1, res);
}


void cfi_signedContactBodies(const mjModel* m, const mjData* d, const mjContact* con,
                             cfContactBodies* res) {
  res->count = 0;
  addSide(m, d, con, 0, -1, res);
  addSide(m, d, con, 1, +1, res);
}
