// Implicit elasticity beyond small strains: the incremental potential.
//
// The stiffness at the start of a step extrapolates forces to its end.  Where vertices move far in
// a step, fast rotation, crushed or inverted elements, it is wrong by more than the forces are, and
// energy comes out of nothing.  The acceleration a of an implicit step is a minimum of
//
//   Phi(a) = 1/2*a'*H*a - a'*b + s(J*a - aref) + W(x + h*v + h^2*a)/h^2
//
// with W the elastic energy and everything else as in implicitflex.c, H and b without that
// elasticity (Martin, Thomaszewski, Grinspun and Gross 2011, "Example-based elastic materials",
// section 4; Kane et al. 2000 for the principle).  Newton's method finds it: in each step W is
// replaced by its expansion at the present point with the positive part of its second derivative,
// and the convex problem that this gives is solved, rows included; a line search on Phi follows.
// A step that leaves the energy where the expansion at the start has it, or below, is taken as it
// is: then Phi is no larger than the convex cost, which bounds the velocities.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "flex/trial.h"
#include "math/dense.h"
#include "pipeline/implicitflex.h"

enum { LARGE_STEPS = 40, LARGE_HALVES = 30 };

// What the energy may exceed its expansion by, as a part of the energy of motion of the step; a
// decrease that ends the search, as a part of the same.
static const mjtNum largeExcess = 1e-3, largeEnough = 1e-9;

// What a step may gain, as a part of the same.
static const mjtNum largeGain = 1e-9;

// one point of the search
typedef struct {
  mjtNum *a, *dq;  // nv: acceleration, displacement h*v + h^2*a
  mjtNum energy;   // W there
  mjtNum cost;     // Phi there
} largePoint;

typedef struct {
  cfImplicitProblem* p;
  mjtNum *b, *force;           // nv: b without elasticity; elastic force at the start
  mjtNum* other;               // nv: all forces but elasticity, its damping and rows
  mjtNum *scratch, *velocity;  // nv
  mjtNum energy, motion;       // at the start: W, and energy of motion
  largePoint at, next;
} largeSearch;


// ---------------------------------------- the potential

static void displace(const largeSearch* s, largePoint* point) {
  const mjModel* m = s->p->m;
  const mjtNum h = m->opt.timestep;
  for (int i = 0; i < m->nv; i++) {
    point->dq[i] = s->p->awake[i] * (h * s->p->d->qvel[i] + h * h * point->a[i]);
  }
  point->energy = cfi_trialEnergy(&s->p->K, m, s->p->d, point->dq);
}


// a'*M*a/2
static mjtNum inertiaOf(const largeSearch* s, const mjtNum* a) {
  mj_mulM(s->p->m, s->p->d, s->scratch, a);
  return 0.5 * cfi_dot(a, s->scratch, (int)s->p->m->nv);
}


// Phi at point->a; p->K holds the rest
static void evaluateLarge(largeSearch* s, largePoint* point) {
  cfImplicitProblem* p = s->p;
  const int nv = (int)p->m->nv;
  const mjtNum h = p->m->opt.timestep;
  displace(s, point);
  cfi_moveImplicitFlex(p, point->a);
  point->cost = 0.5 * cfi_dot(p->a, p->Ha, nv) - cfi_dot(p->a, s->b, nv) + p->row_cost +
                point->energy / (h * h);
}


// energy of motion at the end of the step with accelerations a
static mjtNum motionAfter(largeSearch* s, const mjtNum* a) {
  const mjModel* m = s->p->m;
  for (int i = 0; i < m->nv; i++) {
    s->velocity[i] = s->p->awake[i] * (s->p->d->qvel[i] + m->opt.timestep * a[i]);
  }
  return inertiaOf(s, s->velocity);
}


// Energy that a step to the point ends with beyond W at the start and the work of all other forces
// along it, contacts included; for a minimum where W is convex it is no more than the energy of
// motion at the start.  p is at the point.
static mjtNum energyLeft(largeSearch* s, const largePoint* point) {
  const cfImplicitProblem* p = s->p;
  const mjtNum h = p->m->opt.timestep, motion = motionAfter(s, point->a);
  mjtNum work = 0;
  for (int i = 0; i < p->m->nv; i++) {
    work += s->velocity[i] * (s->other[i] + p->awake[i] * p->d->qfrc_constraint[i]);
  }
  return motion + point->energy - s->energy - h * work;
}


// true if W at the solution of the convex problem exceeds its expansion at dq = 0, or if energy
// comes out of nothing
static bool isLargeStep(largeSearch* s) {
  cfImplicitProblem* p = s->p;
  const mjModel* m = p->m;
  const int nv = (int)m->nv;
  const mjtNum h = m->opt.timestep;
  displace(s, &s->at);

  // force*dq and K*dq, the latter without the factor h^2 that products have
  const mjtNum pull = cfi_dot(s->force, s->at.dq, nv);
  cfFlexStiffness elastic = p->K;
  elastic.part = CF_STIFFNESS_ELASTIC;
  mju_zero(s->scratch, nv);
  cfi_addFlexStiffness(s->scratch, &elastic, m, p->d, s->at.dq, false);
  const mjtNum bend = 0.5 * cfi_dot(s->scratch, s->at.dq, nv) / (h * h);
  const mjtNum motion = inertiaOf(s, s->at.dq) / (h * h);
  const mjtNum expansion = s->energy - pull + bend;
  return !(s->at.energy - expansion <= largeExcess * motion) ||
         !(energyLeft(s, &s->at) <= s->motion + largeGain * (motion + s->motion));
}


// ---------------------------------------- search

static largePoint openPoint(mjData* d, int nv) {
  mjtNum* both = mj_stackAllocNum(d, 2 * (size_t)nv + 1);
  return (largePoint){.a = both, .dq = both + nv};
}


static void takePoint(largePoint* to, const largePoint* from, int nv) {
  cfi_copy(to->a, from->a, nv);
  cfi_copy(to->dq, from->dq, nv);
  to->energy = from->energy;
  to->cost = from->cost;
}


// The point with the least Phi among the solution of the convex problem, no acceleration, and no
// motion at all.
static void bestStart(largeSearch* s) {
  const int nv = (int)s->p->m->nv;
  evaluateLarge(s, &s->at);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < nv; i++) {
      s->next.a[i] = k ? -s->p->awake[i] * s->p->d->qvel[i] / s->p->m->opt.timestep : 0;
    }
    evaluateLarge(s, &s->next);
    if (!(s->at.cost <= s->next.cost)) {
      takePoint(&s->at, &s->next, nv);
    }
  }
}


// Solve the problem expanded at s->at; leaves the solution in s->next.a and returns how much the
// expansion of Phi decreases.
static mjtNum solveExpansion(largeSearch* s) {
  cfImplicitProblem* p = s->p;
  const int nv = (int)p->m->nv;
  mjData* d = p->d;
  mj_markStack(d);
  p->trial = cfi_trialStiffness(&p->K, p->m, d, s->at.dq);

  // b + force + h^2*K*a, as the force is force - K*(dq - dq at the point)
  cfi_copy(p->b, s->b, nv);
  cfi_addTrialForce(p->b, &p->K, p->m, d, s->at.dq);
  cfi_addFlexStiffness(p->b, &p->trial, p->m, d, s->at.a, false);
  for (int i = 0; i < nv; i++) {
    p->b[i] *= p->awake[i];
  }
  cfi_moveImplicitFlex(p, s->at.a);
  const mjtNum before = 0.5 * cfi_dot(p->a, p->Ha, nv) - cfi_dot(p->a, p->b, nv) + p->row_cost;
  cfi_solveImplicitFlex(p, s->at.a);
  const mjtNum after = 0.5 * cfi_dot(p->a, p->Ha, nv) - cfi_dot(p->a, p->b, nv) + p->row_cost;
  cfi_copy(s->next.a, p->a, nv);
  mj_freeStack(d);
  p->trial.nstencil = 0;
  return before - after;
}


// Go from s->at towards s->next.a until Phi is smaller; false if it is nowhere.
static bool searchPhi(largeSearch* s, const mjtNum* step, mjtNum decrease) {
  const int nv = (int)s->p->m->nv;
  mjtNum t = 1;
  for (int k = 0; k < LARGE_HALVES; k++, t *= 0.5) {
    for (int i = 0; i < nv; i++) {
      s->next.a[i] = s->at.a[i] + t * step[i];
    }
    evaluateLarge(s, &s->next);
    if (s->next.cost <= s->at.cost - 1e-4 * t * decrease) {
      takePoint(&s->at, &s->next, nv);
      return true;
    }
  }
  return false;
}


// W is not convex, and the minimum that was found may have more energy than the start.  Between no
// motion at all, which has less, and the minimum, go as far as none is gained.
static void limitGain(largeSearch* s) {
  const int nv = (int)s->p->m->nv;
  const mjtNum h = s->p->m->opt.timestep;
  mjtNum low = 0, high = 1, t = 1;
  for (int k = 0; k < LARGE_HALVES; k++) {
    for (int i = 0; i < nv; i++) {
      const mjtNum stop = -s->p->awake[i] * s->p->d->qvel[i] / h;
      s->next.a[i] = stop + t * (s->at.a[i] - stop);
    }
    evaluateLarge(s, &s->next);
    const bool is_fine = energyLeft(s, &s->next) <= s->motion;
    if (is_fine && (t == 1 || high - low < 0.01)) {
      return;
    }
    low = is_fine ? t : low;
    high = is_fine ? high : t;
    t = 0.5 * (low + high);
  }
}


static void searchMinimum(largeSearch* s) {
  const int nv = (int)s->p->m->nv;
  const mjtNum h = s->p->m->opt.timestep;
  mjtNum* step = mj_stackAllocNum(s->p->d, (size_t)nv + 1);
  bestStart(s);
  for (int k = 0; k < LARGE_STEPS; k++) {
    const mjtNum decrease = solveExpansion(s);
    const mjtNum motion = inertiaOf(s, s->at.dq) / (h * h * h * h) + inertiaOf(s, s->at.a);
    mju_sub(step, s->next.a, s->at.a, nv);
    if (!(decrease > largeEnough * motion) || !searchPhi(s, step, decrease)) {
      break;
    }
  }
  limitGain(s);
}


void cfi_refineLargeStrain(cfImplicitProblem* p) {
  const mjModel* m = p->m;
  mjData* d = p->d;
  const int nv = (int)m->nv;
  bool has_trial = false;
  for (int f = 0; f < m->nflex; f++) {
    has_trial = has_trial || cfi_hasTrial(m, f);
  }
  if (!has_trial) {
    return;
  }
  mj_markStack(d);
  largeSearch s = {.p = p, .at = openPoint(d, nv), .next = openPoint(d, nv)};
  s.b = mj_stackAllocNum(d, 5 * (size_t)nv + 1);
  s.force = s.b + nv;
  s.other = s.force + nv;
  s.scratch = s.other + nv;
  s.velocity = s.scratch + nv;
  mju_zero(s.velocity, nv);
  mju_zero(s.force, nv);
  cfi_addTrialForce(s.force, &p->K, m, d, s.velocity);
  s.energy = cfi_trialEnergy(&p->K, m, d, s.velocity);
  s.motion = inertiaOf(&s, d->qvel);
  mju_zero(s.scratch, nv);
  cfi_addTrialDamping(s.scratch, &p->K, m, d, d->qvel, 1);
  for (int i = 0; i < nv; i++) {
    s.other[i] = p->awake[i] * (d->qfrc_smooth[i] - s.force[i] + s.scratch[i]);
  }
  cfi_copy(s.at.a, p->a, nv);
  if (isLargeStep(&s)) {
    p->K.part = CF_STIFFNESS_REST;
    mju_zero(s.scratch, nv);
    cfi_addTrialDamping(s.scratch, &p->K, m, d, d->qvel, 1);
    cfi_addFlexStiffness(s.scratch, &p->K, m, d, d->qvel, true);
    for (int i = 0; i < nv; i++) {
      s.b[i] = s.other[i] - p->awake[i] * s.scratch[i];
    }
    p->trial = p->K;
    p->trial.part = CF_STIFFNESS_ELASTIC;
    p->trial.nstencil = 0;
    searchMinimum(&s);
  }
  mj_freeStack(d);
}
