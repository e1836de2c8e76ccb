// Contacts that involve flexes.
#include "constraint/flexcontact.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
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


// quadratic or linear Lagrange basis on [0, 1]
static mjtNum basis1(mjtNum s, int node, int order) {
  if (order == 1) {
    return node ? s : 1 - s;
  }
  return node == 0 ? 2 * s * s - 3 * s + 1 : node == 1 ? 4 * (s - s * s) : 2 * s * s - s;
}


// weight of one grid node at a point of the unit cube; nodes vary fastest along z
static mjtNum basis3(const mjtNum x[3], int node, int order) {
  int n = order + 1;
  return basis1(x[2], node % n, order) * basis1(x[1], node / n % n, order) *
         basis1(x[0], node / (n * n), order);
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
    mjtNum distance = cfi_dist3(con->pos, d->flexvert_xpos + 3 * vert[count]);
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
    mjtNum w = basis3(point, node, m->flex_interp[flex]);
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


// bodies of both sides, the first side negative
static void allBodies(const cfRowPlan* plan, const mjContact* con, cfContactBodies* res) {
  res->count = 0;
  addSide(plan->m, plan->d, con, 0, -1, res);
  addSide(plan->m, plan->d, con, 1, +1, res);
}


// mark and list the dofs of some bodies in plan->dof, increasing
static int listDofs(cfRowPlan* plan, const cfContactBodies* bodies) {
  const mjModel* m = plan->m;
  int* mark = plan->chain.moves;
  plan->chain.body[0] = plan->chain.body[1] = -1;
  memset(mark, 0, sizeof(int) * m->nv);
  for (int k = 0; k < bodies->count; k++) {
    for (int at = cfi_lastDof(m, bodies->body[k]); at >= 0; at = m->dof_parentid[at]) {
      mark[at] = 1;
    }
  }

  int count = 0;
  for (int at = 0; at < m->nv; at++) {
    if (mark[at]) {
      plan->dof[count++] = at;
    }
  }
  return count;
}


int cfi_flexContactDofs(cfRowPlan* plan, const mjContact* con) {
  cfContactBodies bodies;
  allBodies(plan, con, &bodies);
  return listDofs(plan, &bodies);
}


// weighted sum of point Jacobians, six numbers per dof: translation, rotation
static void sumMotion(cfRowPlan* plan, const mjContact* con, const cfContactBodies* bodies) {
  const mjModel* m = plan->m;
  mju_zero(plan->jac, 6 * m->nv);
  for (int k = 0; k < bodies->count; k++) {
    mjtNum offset[3], column[3];
    cfi_pointOffset(offset, m, plan->d, con->pos, bodies->body[k]);
    for (int at = cfi_lastDof(m, bodies->body[k]); at >= 0; at = m->dof_parentid[at]) {
      const mjtNum* cdof = plan->d->cdof + 6 * at;
      cfi_pointColumn(column, cdof, offset);
      cfi_addToScl3(plan->jac + 6 * at, column, bodies->weight[k]);
      cfi_addToScl3(plan->jac + 6 * at + 3, cdof, bodies->weight[k]);
    }
  }
}


// entries of one dof in all rows of the contact, from its translation and rotation
static void writeColumn(mjtNum* entry, int stride, const mjContact* con, int type,
                        const mjtNum motion[6]) {
  mjtNum axis[6];
  for (int k = 0; k < con->dim; k++) {
    axis[k] = cfi_dot3(con->frame + 3 * (k % 3), motion + 3 * (k / 3));
  }
  for (int k = 0; k < con->dim && type != mjCNSTR_CONTACT_PYRAMIDAL; k++) {
    entry[(size_t)k * stride] = axis[k];
  }
  for (int k = 1; k < con->dim && type == mjCNSTR_CONTACT_PYRAMIDAL; k++) {
    entry[(size_t)(2 * k - 2) * stride] = axis[0] + axis[k] * con->friction[k - 1];
    entry[(size_t)(2 * k - 1) * stride] = axis[0] - axis[k] * con->friction[k - 1];
  }
}


void cfi_fillFlexContact(cfRowPlan* plan, cfRowBlock* block, const mjContact* con) {
  cfContactBodies bodies;
  allBodies(plan, con, &bodies);
  int count = listDofs(plan, &bodies);
  sumMotion(plan, con, &bodies);
  cfRowSlots slots = cfi_openRows(plan, block, plan->dof);
  for (int j = 0; j < count; j++) {
    mjtNum* entry = slots.J + (slots.col ? slots.col[j] : j);
    writeColumn(entry, slots.stride, con, block->type, plan->jac + 6 * plan->dof[j]);
  }
}
