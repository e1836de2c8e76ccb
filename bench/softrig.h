// Soft bodies in a testing machine: vertices that are held or moved along axes, the others
// simulated until they are at rest, and the forces that hold them.
#ifndef CF_BENCH_SOFTRIG_H
#define CF_BENCH_SOFTRIG_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

// vertices of the flex hang on bodies with three slides: qpos is their displacement
typedef struct {
  mjModel* m;
  mjData* d;
  mjtNum* rest;            // positions of the vertices
  unsigned char* held;     // per dof
  mjtNum* place;           // of held dofs
  mjtNum low[3], high[3];  // box around the rest shape
} softRig;


static inline int rigDof(const softRig* r, int v) {
  return r->m->body_dofadr[r->m->flex_vertbodyid[v]];
}


// from MJCF; quits with a message
static inline softRig rigOpen(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  softRig r = {.m = spec ? mj_compile(spec, NULL) : NULL};
  if (!r.m) {
    fprintf(stderr, "%s\n", spec ? mjs_getError(spec) : error);
    exit(1);
  }
  mj_deleteSpec(spec);
  r.d = mj_makeData(r.m);
  r.rest = malloc(3 * sizeof(mjtNum) * (size_t)r.m->nflexvert);
  r.held = calloc((size_t)r.m->nv, 1);
  r.place = calloc((size_t)r.m->nv, sizeof(mjtNum));
  mj_fwdPosition(r.m, r.d);
  mju_copy(r.rest, r.d->flexvert_xpos, 3 * (int)r.m->nflexvert);
  for (int k = 0; k < 3; k++) {
    r.low[k] = r.high[k] = r.rest[k];
    for (int v = 1; v < r.m->nflexvert; v++) {
      r.low[k] = mju_min(r.low[k], r.rest[3 * v + k]);
      r.high[k] = mju_max(r.high[k], r.rest[3 * v + k]);
    }
  }
  return r;
}


static inline void rigClose(softRig* r) {
  free(r->place);
  free(r->held);
  free(r->rest);
  mj_deleteData(r->d);
  mj_deleteModel(r->m);
}


static inline mjtNum rigSize(const softRig* r, int axis) {
  return r->high[axis] - r->low[axis];
}


// is a vertex on the side of the box at the low (0) or high (1) end of an axis
static inline int rigOnSide(const softRig* r, int v, int axis, int end) {
  return fabs(r->rest[3 * v + axis] - (end ? r->high : r->low)[axis]) < 1e-9;
}


// hold the displacement of a vertex along an axis
static inline void rigHold(softRig* r, int v, int axis, mjtNum displacement) {
  r->held[rigDof(r, v) + axis] = 1;
  r->place[rigDof(r, v) + axis] = displacement;
}


// both sides of an axis pulled apart to a multiple of their distance, free to slide sideways
static inline void rigStretch(softRig* r, int axis, mjtNum stretch) {
  for (int v = 0; v < r->m->nflexvert; v++) {
    for (int end = 0; end < 2; end++) {
      if (rigOnSide(r, v, axis, end)) {
        rigHold(r, v, axis, (end ? 0.5 : -0.5) * (stretch - 1) * rigSize(r, axis));
      }
    }
  }
}


static inline void rigPlaceHeld(softRig* r) {
  for (int i = 0; i < r->m->nv; i++) {
    if (r->held[i]) {
      r->d->qpos[i] = r->place[i];
      r->d->qvel[i] = 0;
    }
  }
}


// largest force that moves something, brakes apart, relative to the largest on what is held
static inline mjtNum rigUnrest(const softRig* r) {
  mjtNum moving = 0, holding = 1e-12;
  for (int i = 0; i < r->m->nv; i++) {
    const mjtNum force = fabs(r->d->qfrc_spring[i] - r->d->qfrc_bias[i]);
    if (r->held[i]) {
      holding = mju_max(holding, force);
    } else {
      moving = mju_max(moving, force);
    }
  }
  return moving / holding;
}


// simulate until at rest, each mass m braked by 2*rate*m; the steps it took, or -1 if it did not
// rest
static inline int rigRelax(softRig* r, mjtNum rate, mjtNum tolerance, int most) {
  for (int i = 0; i < r->m->nv; i++) {
    r->m->dof_damping[i] = 2 * rate * r->m->body_mass[r->m->dof_bodyid[i]];
  }
  for (int k = 1; k <= most; k++) {
    rigPlaceHeld(r);
    mj_step(r->m, r->d);
    if (k % 100 == 0 && rigUnrest(r) < tolerance) {
      rigPlaceHeld(r);
      mju_zero(r->d->qvel, (int)r->m->nv);
      mj_forward(r->m, r->d);
      return k;
    }
  }
  return -1;
}


// force that holds the high side of an axis, along it
static inline mjtNum rigForce(const softRig* r, int axis) {
  mjtNum force = 0;
  for (int v = 0; v < r->m->nflexvert; v++) {
    if (rigOnSide(r, v, axis, 1)) {
      force -= r->d->qfrc_passive[rigDof(r, v) + axis];
    }
  }
  return force;
}


// volume of a solid, positions as given
static inline mjtNum rigVolume(const softRig* r, const mjtNum* x) {
  mjtNum volume = 0;
  for (int e = 0; e < r->m->nflexelem; e++) {
    const int* corner = r->m->flex_elem + 4 * e;
    mjtNum edge[3][3], normal[3];
    for (int k = 0; k < 3; k++) {
      mju_sub3(edge[k], x + 3 * corner[k + 1], x + 3 * corner[0]);
    }
    mju_cross(normal, edge[0], edge[1]);
    volume += mju_dot3(normal, edge[2]) / 6;
  }
  return fabs(volume);
}


// mean distance of the sides of an axis over that at rest
static inline mjtNum rigStretchOf(const softRig* r, int axis) {
  mjtNum sum[2] = {0, 0};
  int count[2] = {0, 0};
  for (int v = 0; v < r->m->nflexvert; v++) {
    for (int end = 0; end < 2; end++) {
      if (rigOnSide(r, v, axis, end)) {
        sum[end] += r->d->flexvert_xpos[3 * v + axis];
        count[end]++;
      }
    }
  }
  return (sum[1] / count[1] - sum[0] / count[0]) / rigSize(r, axis);
}


// ---- the cube

static inline softRig rigCube(const char* elasticity, double young, double poisson,
                              double damping) {
  char xml[1000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option timestep='.0005' gravity='0 0 0'/><worldbody><flexcomp name='cube' "
      "type='grid' count='4 4 4' dim='3' spacing='.033333333333333333 .033333333333333333 "
      ".033333333333333333' radius='.001' mass='1' elasticity_model='%s'><elasticity "
      "young='%.17g' poisson='%.17g' damping='%.17g'/><contact contype='0' conaffinity='0' internal='false' "
      "selfcollide='none'/></flexcomp></worldbody></mujoco>",
      elasticity, young, poisson, damping);
  return rigOpen(xml);
}


// moduli of MuJoCo's solids: the second is twice the textbook's
static inline void rigModuli(double young, double poisson, double* mu, double* la) {
  *mu = young / (2 * (1 + poisson));
  *la = 2 * young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}


// ---- closed forms of homogeneous stretch

// nominal stress along a stretch a of one axis (axes = 1) or two of them (axes = 2), sides free,
// and the stretch of the free axes
typedef struct {
  double stress, side;
} stretchForm;

// derivatives of w by I and J at principal stretches
typedef struct {
  double by_I, by_J;
} stretchSlopes;

// neo_hookean: w = mu/2*(I - 3) - mu*log(J) + la/2*log(J)^2
static inline stretchSlopes rigSlopesLog(double I, double J, double mu, double la) {
  (void)I;
  return (stretchSlopes){mu / 2, (la * log(J) - mu) / J};
}


// stable_neo_hookean (Smith, de Goes, Kim 2018): w = m/2*(I - 3) - m/2*log(I + 1) + l/2*(J - a)^2
// with m = 4/3*mu, l = la + 5/6*mu, a = 1 + 3/4*m/l
static inline stretchSlopes rigSlopesStable(double I, double J, double mu, double la) {
  const double m = 4 * mu / 3, l = la + 5 * mu / 6;
  return (stretchSlopes){m / 2 * (1 - 1 / (I + 1)), l * (J - 1 - 0.75 * m / l)};
}


// bisection for the side at which the free faces bear no stress
static inline stretchForm rigClosedForm(double a, int axes, int is_stable, double mu, double la) {
  double low = 0.01, high = 10;
  stretchForm form = {0, 0};
  for (int k = 0; k < 200; k++) {
    const double b = form.side = 0.5 * (low + high);
    const double I = axes * a * a + (3 - axes) * b * b, J = pow(a, axes) * pow(b, 3 - axes);
    const stretchSlopes s = is_stable ? rigSlopesStable(I, J, mu, la) : rigSlopesLog(I, J, mu, la);
    // stress along stretch x is 2*w_I*x + w_J*J/x
    const double free_stress = 2 * s.by_I * b + s.by_J * J / b;
    form.stress = 2 * s.by_I * a + s.by_J * J / a;
    *(free_stress > 0 ? &high : &low) = b;
  }
  return form;
}

#endif  // CF_BENCH_SOFTRIG_H
