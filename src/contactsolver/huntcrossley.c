// Compliant points after Hunt and Crossley (1975), implicit in velocity.
//
// A contact of depth x pushes with k x^3/2 (1 + 3/2 c x'), never negative; friction opposes slip u
// with mu N u/sqrt(u^2 + v0^2), an ellipsoid over tangents, spin and roll, where mu falls from its
// static to its dynamic value by Stribeck's exp(-(u/vs)^2).  All of it is taken at the end of the
// step: depth x - h*u_n and velocities u = J*(v + h*a).  Other rows keep MuJoCo's laws, so the
// accelerations a are the least point of one convex cost
//
//   (a - a_smooth)' M (a - a_smooth)/2 + s(J*a - aref) + sum of potentials of the contacts
//
// once the N that friction scales with and mu are held: mu is that of the velocity at the start of
// the step, N is repeated until it agrees with the normal force (Castro et al. 2023 call it the
// lagged model).  Newton's method, exact Hessian, dense factor or conjugate gradients, line search
// on the derivative, which grows along a line.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/blocks.h"
#include "contactsolver/contactsolver.h"
#include "math/dense.h"
#include "math/inline.h"
#include "model/flags.h"
#include "solver/treeldl.h"

enum {
  HUNT_STIFFNESS,
  HUNT_DISSIPATION,
  HUNT_STATIC,
  HUNT_DYNAMIC,
  HUNT_STRIBECK,
  HUNT_STICTION,
  NHUNT
};

static const cfContactParameter hunt_parameter[NHUNT] = {
    {"stiffness", 1e7, 0, 1e15, CF_CONTACT_MEAN, "N/m^1.5", "force per depth to the power 3/2"},
    {"dissipation", 1, 0, 1e6, CF_CONTACT_MEAN, "s/m", "part of the force per velocity, times 2/3"},
    {"static_friction", -1, -1, 1e6, CF_CONTACT_MAX, "-",
     "coefficient at rest; negative: sliding friction of the contact"},
    {"dynamic_friction", -1, -1, 1e6, CF_CONTACT_MAX, "-",
     "coefficient of fast sliding; negative: as at rest"},
    {"stribeck_velocity", 0.01, 1e-9, 1e6, CF_CONTACT_MAX, "m/s",
     "velocity at which most of the fall from static to dynamic friction has happened"},
    {"stiction_velocity", 1e-5, 1e-9, 1, CF_CONTACT_MAX, "m/s",
     "slip at which friction has 71 % of its strength"},
};

// a dense factor up to so many dofs, conjugate gradients beyond
enum { HUNT_DENSE_DOFS = 400, HUNT_LAGS = 10, HUNT_LINE = 30 };

// law of a contact
typedef struct {
  mjtNum stiffness, damping;  // k and 3c/2
  mjtNum depth;               // at the start of the step
  mjtNum mu[6];               // by axis; 0 for the normal
  mjtNum stiction;            // mu times the velocity of stiction
  mjtNum normal;              // force that friction scales with
  mjtNum start[6];            // velocities at the start of the step
} huntLaw;

typedef struct {
  const cfContactProblem* p;
  cfContactBlocks blocks;
  huntLaw* law;          // by block; used for contacts
  mjtNum *y, *z, *f;     // by axis: J*a, J*search, force
  mjtNum *a, *Ma;        // nv: accelerations, M*(a - a_smooth)
  mjtNum *grad, *Ms;     // nv: gradient, M*search
  mjtNum* search;        // padded as cfi_solveTreeLDL wants it
  mjtNum *H, *diag_inv;  // dense: Hessian and its factor; else 3 vectors of conjugate gradients
  bool is_dense;
} huntWork;


// ---------------------------------------- laws

// force of a row that is not of a contact at y = J*a, and minus its slope
static mjtNum rowLaw(const mjData* d, const cfContactBlock* block, mjtNum y, mjtNum* slope) {
  const int r = block->row;
  const mjtNum x = y - d->efc_aref[r], D = d->efc_D[r];
  const bool is_dry = block->type == mjCNSTR_FRICTION_DOF || block->type == mjCNSTR_FRICTION_TENDON;
  *slope = 0;
  if (is_dry && fabs(x) >= d->efc_R[r] * d->efc_frictionloss[r]) {
    return x > 0 ? -d->efc_frictionloss[r] : d->efc_frictionloss[r];
  }
  if (block->type >= mjCNSTR_LIMIT_JOINT && x >= 0) {
    return 0;
  }
  *slope = D;
  return -D * x;
}


// normal force at velocity u, and minus its slope
static mjtNum normalLaw(const huntLaw* law, mjtNum h, mjtNum u, mjtNum* slope) {
  const mjtNum depth = law->depth - h * u, damped = 1 - law->damping * u;
  *slope = 0;
  if (depth <= 0 || damped <= 0) {
    return 0;
  }
  const mjtNum root = sqrt(depth), elastic = law->stiffness * depth * root;
  *slope = 1.5 * law->stiffness * root * h * damped + elastic * law->damping;
  return elastic * damped;
}


// forces of a contact at y = J*a and, unless NULL, W = -dforce/dy (dim x dim)
static void contactLaw(const huntWork* work, const cfContactBlock* block, const huntLaw* law,
                       const mjtNum* y, mjtNum* force, mjtNum* W) {
  const mjtNum h = work->p->m->opt.timestep;
  const int n = block->dim;
  mjtNum slope, sum = law->stiction * law->stiction, g[6] = {0};
  CF_ASSERT(n >= 1 && n <= 6);
  force[0] = normalLaw(law, h, law->start[0] + h * y[0], &slope);
  for (int k = 1; k < n; k++) {
    const mjtNum slip = law->mu[k] * (law->start[k] + h * y[k]);
    sum += slip * slip;
    g[k] = law->mu[k] * slip;
  }
  const mjtNum inverse = 1 / sqrt(cfi_max(mjMINVAL * mjMINVAL, sum));
  for (int k = 1; k < n; k++) {
    force[k] = -law->normal * g[k] * inverse;
  }
  if (!W) {
    return;
  }
  memset(W, 0, sizeof(mjtNum) * (size_t)(n * n));
  W[0] = h * slope;
  for (int i = 1; i < n; i++) {
    for (int j = 1; j < n; j++) {
      const mjtNum same = i == j ? law->mu[i] * law->mu[i] : 0;
      W[i * n + j] = h * law->normal * inverse * (same - g[i] * g[j] * inverse * inverse);
    }
  }
}


static void blockLaw(const huntWork* work, int k, const mjtNum* y, mjtNum* force, mjtNum* W) {
  const cfContactBlock* block = work->blocks.block + k;
  mjtNum slope;
  if (block->contact >= 0) {
    contactLaw(work, block, work->law + k, y, force, W);
  } else {
    force[0] = rowLaw(work->p->d, block, y[0], &slope);
    if (W) {
      W[0] = slope;
    }
  }
}


// coefficients at the slip that the step starts with
static huntLaw huntLawOf(const huntWork* work, const cfContactBlock* block) {
  const cfContactProblem* p = work->p;
  const mjContact* con = p->d->contact + block->contact;
  const mjtNum* value = p->contact + (size_t)block->contact * NHUNT;
  huntLaw law = {.stiffness = value[HUNT_STIFFNESS],
                 .damping = 1.5 * value[HUNT_DISSIPATION],
                 .depth = p->d->efc_margin[block->row] - p->d->efc_pos[block->row]};
  for (int k = 0; k < block->dim; k++) {
    law.start[k] = cfi_blockDot(block, k, p->d->qvel);
  }
  const mjtNum slip = block->dim > 2 ? hypot(law.start[1], law.start[2]) : 0;
  const mjtNum fall = slip / value[HUNT_STRIBECK];
  const mjtNum at_rest = value[HUNT_STATIC] < 0 ? con->friction[0] : value[HUNT_STATIC];
  const mjtNum fast = value[HUNT_DYNAMIC] < 0 ? at_rest : value[HUNT_DYNAMIC];
  const mjtNum mu = fast + (at_rest - fast) * exp(-fall * fall);
  for (int k = 1; k < block->dim; k++) {
    law.mu[k] = con->friction[k - 1] * mu / con->friction[0];
  }
  law.stiction = mu * value[HUNT_STICTION];
  return law;
}


// ---------------------------------------- memory

static size_t huntNumbers(const cfContactProblem* p, bool is_dense) {
  const size_t nv = (size_t)p->m->nv, stride = (size_t)cfi_treeStride((int)nv);
  return 3 * (size_t)p->d->nefc + 5 * nv + stride + (is_dense ? nv * stride : 3 * nv);
}


static size_t huntWorkspace(const cfContactProblem* p) {
  return sizeof(huntWork) + sizeof(huntLaw) * (size_t)p->d->nefc +
         sizeof(mjtNum) * huntNumbers(p, p->m->nv <= HUNT_DENSE_DOFS) + cfi_blocksBytes(p, false);
}


static void prepareHunt(const cfContactProblem* p, void* workspace) {
  const size_t nv = (size_t)p->m->nv, nefc = (size_t)p->d->nefc;
  huntWork* work = workspace;
  work->p = p;
  work->is_dense = p->m->nv <= HUNT_DENSE_DOFS;
  work->law = (huntLaw*)(work + 1);
  work->y = (mjtNum*)(work->law + nefc);
  work->z = work->y + nefc;
  work->f = work->z + nefc;
  work->a = work->f + nefc;
  work->Ma = work->a + nv;
  work->grad = work->Ma + nv;
  work->Ms = work->grad + nv;
  work->diag_inv = work->Ms + nv;
  work->search = work->diag_inv + nv;
  work->H = work->search + cfi_treeStride((int)nv);
  work->blocks = cfi_fillBlocks(p, false, work->y + huntNumbers(p, work->is_dense));
  CF_ASSERT(work->blocks.naxis <= (int)nefc);
  for (int k = 0; k < work->blocks.count; k++) {
    if (work->blocks.block[k].contact >= 0) {
      work->law[k] = huntLawOf(work, work->blocks.block + k);
    }
  }
}


// ---------------------------------------- Newton

// res = J*vec, by axis
static void mulBlocks(const huntWork* work, mjtNum* res, const mjtNum* vec) {
  for (int k = 0; k < work->blocks.count; k++) {
    for (int j = 0; j < work->blocks.block[k].dim; j++) {
      *res++ = cfi_blockDot(work->blocks.block + k, j, vec);
    }
  }
}


// res += scale*J'*axis of one block
static void addBlockT(const cfContactBlock* block, const mjtNum* axis, mjtNum scale, mjtNum* res) {
  for (int j = 0; j < block->dim; j++) {
    const mjtNum* J = block->J + (size_t)j * (size_t)block->ndof;
    for (int i = 0; i < block->ndof; i++) {
      res[block->dof[i]] += scale * axis[j] * J[i];
    }
  }
}


// forces and gradient at a, y = J*a and Ma
static void evaluateHunt(huntWork* work) {
  mjtNum *y = work->y, *f = work->f;
  cfi_copy(work->grad, work->Ma, (int)work->p->m->nv);
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    blockLaw(work, k, y, f, NULL);
    addBlockT(block, f, -1, work->grad);
    y += block->dim;
    f += block->dim;
  }
}


// lower triangle of H += J'WJ of one block
static void addHessian(const huntWork* work, const cfContactBlock* block, const mjtNum* W,
                       int stride) {
  const int n = block->ndof, dim = block->dim;
  for (int i = 0; i < n; i++) {
    mjtNum left[6], *row = work->H + (size_t)block->dof[i] * (size_t)stride;
    for (int l = 0; l < dim; l++) {
      left[l] = 0;
      for (int k = 0; k < dim; k++) {
        left[l] += block->J[(size_t)k * (size_t)n + (size_t)i] * W[k * dim + l];
      }
    }
    for (int j = 0; j <= i; j++) {
      mjtNum sum = 0;
      for (int l = 0; l < dim; l++) {
        sum += left[l] * block->J[(size_t)l * (size_t)n + (size_t)j];
      }
      row[block->dof[j]] += sum;
    }
  }
}


// search = -H^-1 grad with H = M + J'WJ
static void directionDense(huntWork* work) {
  const mjModel* m = work->p->m;
  const int nv = (int)m->nv, stride = cfi_treeStride(nv);
  mju_zero(work->H, nv * stride);
  for (int i = 0; i < nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      work->H[(size_t)i * (size_t)stride + (size_t)m->M_colind[k]] = work->p->d->M[k];
    }
  }
  const mjtNum* y = work->y;
  for (int k = 0; k < work->blocks.count; k++) {
    mjtNum W[36], force[6];
    blockLaw(work, k, y, force, W);
    addHessian(work, work->blocks.block + k, W, stride);
    y += work->blocks.block[k].dim;
  }
  cfi_factorTreeLDL(work->H, work->diag_inv, nv, stride, mjMINVAL);
  mju_zero(work->search, stride);
  for (int i = 0; i < nv; i++) {
    work->search[i] = -work->grad[i];
  }
  cfi_solveTreeLDL(work->search, work->H, work->diag_inv, nv, stride);
}


// res = (M + J'WJ)*vec
static void mulHuntHessian(const huntWork* work, mjtNum* res, const mjtNum* vec) {
  mj_mulM(work->p->m, work->p->d, res, vec);
  const mjtNum* y = work->y;
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    mjtNum W[36], axis[6], force[6];
    blockLaw(work, k, y, force, W);
    for (int i = 0; i < block->dim; i++) {
      force[i] = cfi_blockDot(block, i, vec);
    }
    for (int i = 0; i < block->dim; i++) {
      axis[i] = cfi_dot(W + i * block->dim, force, block->dim);
    }
    addBlockT(block, axis, 1, res);
    y += block->dim;
  }
}


// the same by conjugate gradients with M as preconditioner, to a thousandth of the gradient
static void directionIterative(huntWork* work) {
  const mjModel* m = work->p->m;
  const int nv = (int)m->nv;
  mjtNum *residual = work->H, *turned = residual + nv, *step = turned + nv, *image = work->diag_inv;
  mju_zero(work->search, cfi_treeStride(nv));
  mju_scl(residual, work->grad, -1, nv);
  mj_solveM(m, work->p->d, turned, residual, 1);
  mju_copy(step, turned, nv);
  mjtNum now = cfi_dot(residual, turned, nv);
  const mjtNum enough = 1e-6 * now;
  for (int k = 0; k < 2 * nv && now > enough && now > 0; k++) {
    mulHuntHessian(work, image, step);
    const mjtNum length = now / cfi_max(mjMINVAL, cfi_dot(step, image, nv));
    mju_addToScl(work->search, step, length, nv);
    mju_addToScl(residual, image, -length, nv);
    mj_solveM(m, work->p->d, turned, residual, 1);
    const mjtNum next = cfi_dot(residual, turned, nv);
    mju_addScl(step, turned, step, next / now, nv);
    now = next;
  }
}


// derivative of the cost at a + t*search, and its slope
static mjtNum lineDerivative(const huntWork* work, mjtNum t, mjtNum line, mjtNum curve,
                             mjtNum* slope) {
  const mjtNum *y = work->y, *z = work->z;
  mjtNum derivative = line + t * curve;
  *slope = curve;
  for (int k = 0; k < work->blocks.count; k++) {
    const int n = work->blocks.block[k].dim;
    mjtNum at[6], force[6], W[36];
    for (int i = 0; i < n; i++) {
      at[i] = y[i] + t * z[i];
    }
    blockLaw(work, k, at, force, W);
    for (int i = 0; i < n; i++) {
      derivative -= force[i] * z[i];
      *slope += z[i] * cfi_dot(W + i * n, z, n);
    }
    y += n;
    z += n;
  }
  return derivative;
}


// length of the step: the derivative, which grows with t, is zero or small there
static mjtNum huntLineSearch(const huntWork* work) {
  const int nv = (int)work->p->m->nv;
  const mjtNum line = cfi_dot(work->Ma, work->search, nv);
  const mjtNum curve = cfi_dot(work->Ms, work->search, nv);
  mjtNum slope, low = 0, high = -1, t = 1;
  const mjtNum first = lineDerivative(work, 0, line, curve, &slope);
  if (!(first < 0)) {
    return 0;
  }
  for (int k = 0; k < HUNT_LINE; k++) {
    const mjtNum derivative = lineDerivative(work, t, line, curve, &slope);
    if (fabs(derivative) <= 0.01 * -first) {
      break;
    }
    low = derivative < 0 ? t : low;
    high = derivative < 0 ? high : t;
    const mjtNum next = t - derivative / cfi_max(mjMINVAL, slope);
    const bool is_inside = next > low && (high < 0 || next < high);
    t = is_inside ? next : high < 0 ? 2 * t : 0.5 * (low + high);
  }
  return t;
}


// least cost with N held; returns the iterations
static int minimizeHunt(huntWork* work) {
  const mjModel* m = work->p->m;
  const int nv = (int)m->nv;
  const mjtNum scale = 1 / (m->stat.meaninertia * cfi_max(1, nv));
  int count = 0;
  evaluateHunt(work);
  while (count < m->opt.iterations && scale * mju_norm(work->grad, nv) > m->opt.tolerance) {
    if (work->is_dense) {
      directionDense(work);
    } else {
      directionIterative(work);
    }
    mulBlocks(work, work->z, work->search);
    mj_mulM(m, work->p->d, work->Ms, work->search);
    const mjtNum t = huntLineSearch(work);
    count++;
    if (!(t > 0)) {
      break;
    }
    mju_addToScl(work->a, work->search, t, nv);
    mju_addToScl(work->Ma, work->Ms, t, nv);
    mju_addToScl(work->y, work->z, t, work->blocks.naxis);
    evaluateHunt(work);
  }
  return count;
}


// N of every contact from its normal force; returns whether it changed by more than a millionth
static bool updateNormals(huntWork* work) {
  const mjtNum* f = work->f;
  bool has_changed = false;
  for (int k = 0; k < work->blocks.count; f += work->blocks.block[k++].dim) {
    if (work->blocks.block[k].dim > 1) {
      huntLaw* law = work->law + k;
      has_changed = has_changed || fabs(f[0] - law->normal) > 1e-6 * (law->normal + f[0]);
      law->normal = f[0];
    }
  }
  return has_changed;
}


static cftContactResult solveHunt(const cfContactProblem* p, void* workspace) {
  huntWork* work = workspace;
  const int nv = (int)p->m->nv;
  const bool is_warm = !cfi_disabled(p->m, mjDSBL_WARMSTART);
  cfi_copy(work->a, is_warm ? p->d->qacc_warmstart : p->d->qacc_smooth, nv);
  mju_sub(work->grad, work->a, p->d->qacc_smooth, nv);
  mj_mulM(p->m, p->d, work->Ma, work->grad);
  mulBlocks(work, work->y, work->a);
  evaluateHunt(work);
  updateNormals(work);

  int count = 0;
  for (int k = 0; k < HUNT_LAGS; k++) {
    count += minimizeHunt(work);
    if (!updateNormals(work)) {
      break;
    }
  }

  const mjtNum* f = work->f;
  for (int k = 0; k < work->blocks.count; f += work->blocks.block[k++].dim) {
    const cfContactBlock* block = work->blocks.block + k;
    cfi_rowsOfAxes(p->force + block->row, p->d, block, f);
  }
  p->d->solver_niter[0] = count;
  return CF_CONTACT_FORCES;
}


const cfContactSolver cfi_contactHuntCrossley = {.name = "hunt_crossley",
                                                 .nparameter = NHUNT,
                                                 .parameter = hunt_parameter,
                                                 .workspace = huntWorkspace,
                                                 .prepare = prepareHunt,
                                                 .solve = solveHunt};
