// Compliant points after Hunt and Crossley (1975), implicit in velocity.
//
// A contact of depth x pushes with k x^3/2 (1 + 3/2 c x'), never negative; friction opposes slip u
// with mu N u/sqrt(u^2 + v0^2), an ellipsoid over tangents, spin and roll, where mu falls from its
// static to its dynamic value by Stribeck's exp(-(u/vs)^2).  All of it is taken at the end of the
// step: depth x - h*u_n and velocities u = J*(v + h*a).  Other rows keep MuJoCo's laws.  With the
// matrix A and the force b of the integrator (effective.h), the accelerations a are the least point
// of one convex cost
//
//   a'Sa/2 - a'(b - N*a0) + s(J*a - aref) + sum of potentials of the contacts
//
// once mu and the forces N that friction scales with are held, and a0 in the part of A that is not
// symmetric: mu is that of the velocity at the start of the step, the others are repeated until
// they agree with the result (Castro et al. 2023 call it the lagged model).  Newton's method with
// the exact Hessian, component by component (components.h), line search on the derivative, which
// grows along a line.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "contactsolver/components.h"
#include "contactsolver/contactsolver.h"
#include "contactsolver/huntnewton.h"
#include "contactsolver/patch.h"
#include "math/dense.h"
#include "math/inline.h"
#include "model/flags.h"
#include "solver/treeldl.h"

// how often what is held is brought up to date, and the part by which it may differ at the end
enum { HUNT_LAGS = 40, HUNT_STEPS = 1 };
static const mjtNum huntLoose = 0.01;
static const mjtNum huntAgreed = 1e-6;

// Normal forces at the start are used for friction where the gradient there, squared, is this part
// of the forces or less; else contacts are without friction at first.  Those of a start far from
// the solution are too large by orders of magnitude.
static const mjtNum huntNear = 0.01;

typedef struct {
  cfContactBlocks blocks;
  cfHuntLaw* law;     // by contact
  cfHuntBlock* list;  // by place among the blocks of all components
  mjtNum *y, *z, *f;  // by axis
  mjtNum *W, *used;   // six numbers by axis
  mjtNum *a, *skew;   // nv: accelerations; N*a
  mjtNum* vector;     // of a component
  int* axis;          // by block: its first axis
} huntWork;


// ---------------------------------------- memory

static size_t huntNumbers(const cfContactProblem* p) {
  const size_t nv = (size_t)p->m->nv, nefc = (size_t)p->d->nefc;
  return 15 * nefc + 8 * nv + (size_t)cfi_treeStride((int)nv);
}


static size_t huntWorkspace(const cfContactProblem* p) {
  return sizeof(huntWork) + sizeof(cfHuntLaw) * (size_t)p->d->ncon +
         sizeof(cfHuntBlock) * (size_t)p->d->nefc + sizeof(mjtNum) * huntNumbers(p) +
         sizeof(mjtNum) * (size_t)p->d->nefc + cfi_blocksBytes(p, false);
}


static void prepareHunt(const cfContactProblem* p, void* workspace) {
  const size_t nv = (size_t)p->m->nv, nefc = (size_t)p->d->nefc;
  huntWork* work = workspace;
  work->law = (cfHuntLaw*)(work + 1);
  work->list = (cfHuntBlock*)(work->law + p->d->ncon);
  work->y = (mjtNum*)(work->list + nefc);
  work->z = work->y + nefc;
  work->f = work->z + nefc;
  work->W = work->f + nefc;
  work->used = work->W + 6 * nefc;
  work->a = work->used + 6 * nefc;
  work->skew = work->a + nv;
  work->vector = work->skew + nv;
  work->axis = (int*)(work->y + huntNumbers(p));
  work->blocks = cfi_fillBlocks(p, false, work->y + huntNumbers(p) + nefc);
  CF_ASSERT(work->blocks.naxis <= (int)nefc);
  int axis = 0;
  const bool with_patches = cfi_hasPatches(p->m, cfi_contactSetting(p->m));
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    work->axis[k] = axis;
    axis += block->dim;
    if (block->contact >= 0) {
      work->law[block->contact] = cfi_huntLaw(p, block, with_patches);
    }
  }
}


// scratch of the matrix, of the components and of conjugate gradients; that of flexes with implicit
// stiffness, which other solvers take without asking, is not counted
static size_t matrixBytes(const cfContactProblem* p, const huntWork* work) {
  const size_t nv = (size_t)p->m->nv, nD = (size_t)p->m->nD;
  size_t dofs = 0;
  for (int k = 0; k < work->blocks.count; k++) {
    dofs += (size_t)work->blocks.block[k].ndof;
  }
  const size_t numbers = 3 * nD + 8 * nv + 100;
  const size_t ints =
      dofs + nD + 14 * nv + 3 * (size_t)work->blocks.count + 2 * (size_t)p->m->ntree;
  return sizeof(mjtNum) * numbers + sizeof(int) * (ints + 100) + 64 * 20;
}


// ---------------------------------------- components

// Blocks of component c, with the places of their dofs within it.
static void placeHuntBlocks(huntWork* work, const cfComponents* parts, int c, cfHuntPart* part) {
  const int from = parts->blocks.adr[c], end = parts->blocks.adr[c + 1];
  size_t room = 0;
  for (int k = from; k < end; k++) {
    room += (size_t)work->blocks.block[parts->blocks.list[k]].ndof;
  }
  int* dof = mj_stackAllocInt(part->e->d, room + 1);
  part->block = work->list + from;
  part->nblock = end - from;
  for (int k = from; k < end; k++) {
    const cfContactBlock* block = work->blocks.block + parts->blocks.list[k];
    const int axis = work->axis[parts->blocks.list[k]];
    cfHuntBlock* b = work->list + k;
    *b = (cfHuntBlock){.block = block,
                       .dof = dof,
                       .law = block->contact >= 0 ? work->law + block->contact : NULL,
                       .y = work->y + axis,
                       .z = work->z + axis,
                       .f = work->f + axis,
                       .W = work->W + 6 * (size_t)axis,
                       .used = work->used + 6 * (size_t)axis};
    part->nlinear += block->type == mjCNSTR_EQUALITY;
    for (int j = 0; j < block->dim; j++) {
      b->y[j] = cfi_blockDot(block, j, work->a);
    }
    for (int i = 0; i < block->ndof; i++) {
      *dof++ = parts->local[block->dof[i]];
    }
  }
}


static cfHuntPart openPart(const cfContactProblem* p, huntWork* work, const cfEffective* e,
                           const cfComponents* parts, int c) {
  const int from = parts->dofs.adr[c], n = parts->dofs.adr[c + 1] - from;
  cfHuntPart part = {.p = p, .e = e, .n = n};
  CF_ASSERT(n > 0);
  part.global = parts->dofs.list + from;
  part.local = parts->local;
  part.clique = parts->cliques.list + parts->cliques.adr[c];
  part.nclique = parts->cliques.adr[c + 1] - parts->cliques.adr[c];
  part.a = work->vector;
  part.Sa = part.a + n;
  part.force = part.Sa + n;
  part.grad = part.force + n;
  part.Ss = part.grad + n;
  part.search = part.Ss + n;
  placeHuntBlocks(work, parts, c, &part);
  cfi_gather(part.a, work->a, part.global, n);
  cfi_openHessian(&part);
  cfi_mulHunt(&part, part.Sa, part.a);
  return part;
}


// N*a within a component
static void mulSkew(const cfHuntPart* part, mjtNum* res) {
  const mjModel* m = part->e->m;
  for (int i = 0; i < part->n; i++) {
    const int from = m->D_rowadr[part->global[i]], end = from + m->D_rownnz[part->global[i]];
    res[i] = 0;
    for (int k = from; k < end; k++) {
      res[i] += part->e->N[k] * part->a[part->local[m->D_colind[k]]];
    }
  }
}


// b - N*a; returns whether it changed by more than a millionth.  last: the change before, squared;
// with may_stop one that did not get smaller ends the changes.
static bool updateForce(cfHuntPart* part, mjtNum* skew, mjtNum* last, bool may_stop) {
  mjtNum change = 0, size = 0;
  if (part->e->N && !part->has_mass_only) {
    mulSkew(part, part->grad);
  } else {
    mju_zero(part->grad, part->n);
  }
  for (int i = 0; i < part->n; i++) {
    const mjtNum moved = part->grad[i] - skew[part->global[i]], b = part->e->force[part->global[i]];
    change += moved * moved;
    size += b * b;
  }
  if (may_stop && !(change < *last)) {
    return false;
  }
  *last = change;
  for (int i = 0; i < part->n; i++) {
    skew[part->global[i]] = part->grad[i];
    part->force[i] = part->e->force[part->global[i]] - part->grad[i];
  }
  return change > huntAgreed * huntAgreed * size;
}


// N of every contact from its normal force; returns whether it changed by more than a millionth
static bool updateNormals(cfHuntPart* part) {
  bool has_changed = false;
  for (int k = part->nlinear; k < part->nblock; k++) {
    const cfHuntBlock* b = part->block + k;
    if (b->law && b->block->dim > 1) {
      const mjtNum normal = b->law->normal;
      has_changed = has_changed || fabs(b->f[0] - normal) > huntAgreed * (normal + b->f[0]);
      b->law->normal = b->f[0];
    }
  }
  return has_changed;
}


// N at the start: as the law has them there, if that is near to the solution, or zero
static bool startNormals(cfHuntPart* part) {
  cfi_evaluateHunt(part);
  updateNormals(part);
  cfi_evaluateHunt(part);
  const mjtNum left = cfi_dot(part->grad, part->grad, part->n);
  const bool is_near = left < huntNear * cfi_dot(part->force, part->force, part->n);
  for (int k = part->nlinear; k < part->nblock && !is_near; k++) {
    if (part->block[k].law) {
      part->block[k].law->normal = 0;
    }
  }
  return is_near;
}


static int solvePart(cfHuntPart* part, huntWork* work) {
  int count = 0;
  mjtNum last = 0;
  for (int i = 0; i < part->n; i++) {
    work->skew[part->global[i]] = 0;
  }
  updateForce(part, work->skew, &last, false);
  const mjModel* m = part->e->m;
  const mjtNum tolerance = m->opt.tolerance * m->stat.meaninertia * cfi_max(1, m->nv);
  if (!startNormals(part)) {
    count = cfi_minimizeHunt(part, m->opt.iterations,
                             cfi_max(tolerance, huntLoose * mju_norm(part->force, part->n)));
  }
  for (int k = 0; k < HUNT_LAGS && count < m->opt.iterations; k++) {
    const bool has_normals = updateNormals(part);
    const bool has_force = part->e->N && updateForce(part, work->skew, &last, k > HUNT_LAGS / 2);
    const int taken =
        cfi_minimizeHunt(part, k < HUNT_LAGS / 2 ? HUNT_STEPS : m->opt.iterations, tolerance);
    count += taken;
    if (!has_normals && !has_force && taken < HUNT_STEPS) {
      break;
    }
  }
  cfi_scatter(work->a, part->a, part->global, part->n);
  return count;
}


// ---------------------------------------- step

// where Newton starts: the last accelerations, or those without constraints
static void startHunt(const cfContactProblem* p, huntWork* work) {
  const bool is_warm = !cfi_disabled(p->m, mjDSBL_WARMSTART);
  cfi_copy(work->a, is_warm ? p->d->qacc_warmstart : p->d->qacc_smooth, (int)p->m->nv);
}


static cftContactResult solveHunt(const cfContactProblem* p, void* workspace) {
  huntWork* work = workspace;
  mjData* d = p->d;
  const size_t bytes = matrixBytes(p, work);
  if (!cfi_stackFits(d, bytes, 64)) {
    mj_warning(d, mjWARN_CNSTRFULL, (int)bytes);
    return CF_CONTACT_FORCES;
  }
  mj_markStack(d);
  const cfEffective e = cfi_effective(p->m, d);
  const cfComponents parts = cfi_components(&e, &work->blocks);
  startHunt(p, work);
  for (int c = 0; c < parts.count; c++) {
    mj_markStack(d);
    cfHuntPart part = openPart(p, work, &e, &parts, c);
    const int count = solvePart(&part, work);
    d->solver_niter[c < mjNISLAND ? c : mjNISLAND - 1] += count;
    mj_freeStack(d);
  }
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    cfi_rowsOfAxes(p->force + block->row, d, block, work->f + work->axis[k]);
  }
  if (e.has_stiffness) {
    cfi_endStiffness(&e, work->a);
  }
  mj_freeStack(d);
  return CF_CONTACT_FORCES;
}


const cfContactSolver cfi_contactHuntCrossley = {.name = "hunt_crossley",
                                                 .nparameter = NHUNT,
                                                 .parameter = cfi_huntParameter,
                                                 .knows_stiffness = 1,
                                                 .workspace = huntWorkspace,
                                                 .prepare = prepareHunt,
                                                 .solve = solveHunt,
                                                 .contacts = cfi_patchContacts};
