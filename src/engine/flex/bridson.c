// Bending by dihedral angles (Bridson, Marino and Fedkiw 2003, "Simulation of clothing with folds
// and wrinkles"), for large deflections.
//
// Every hinge stores W(turn), turn = angle - rest angle between -180 and 180 degrees:
//
//   W = k/2*turn^2                     up to 150 degrees, moment -k*turn
//   moment -k*150 degrees*sin(3*(180 degrees - |turn|)) beyond: it falls to zero at 180 degrees,
//                                      where both ways back are equally long
//
// The stiffness k is that of MuJoCo's cotangent model at small deflections from a flat rest shape
// (hinge.h).  A stiff hinge would overshoot within a timestep: its force is scaled down so that no
// vertex moves farther than one radian of the angle is worth.  All four forces are scaled alike,
// which keeps momentum.
#include <math.h>

#include "base/assert.h"
#include "flex/hinge.h"
#include "math/inline.h"
#include "math/libm.h"

// from there on the moment falls to zero at 180 degrees
static const mjtNum kSteepTurn = 5 * mjPI / 6;

// law of a hinge at a turn, for k = 1
typedef struct {
  mjtNum energy, moment, slope;  // slope of the moment where it grows, else 0
} hingeLaw;


static hingeLaw lawOfTurn(mjtNum angle, mjtNum rest) {
  const mjtNum raw = angle - rest;
  const mjtNum turn = raw > mjPI ? raw - 2 * mjPI : (raw <= -mjPI ? raw + 2 * mjPI : raw);
  if (fabs(turn) <= kSteepTurn) {
    return (hingeLaw){0.5 * turn * turn, turn, 1};
  }
  const mjtNum width = mjPI - kSteepTurn, phase = 0.5 * mjPI / width * (mjPI - fabs(turn));
  const mjtNum moment = kSteepTurn * cfi_sin(phase);
  return (hingeLaw){0.5 * kSteepTurn * kSteepTurn + kSteepTurn * width * 2 / mjPI * cfi_cos(phase),
                    turn > 0 ? moment : -moment, 0};
}


// largest moment with which no vertex moves farther in a timestep than a radian is worth to it:
// h^2/mass*moment*|gradient| <= 1/|gradient|
static mjtNum largestMoment(const cfFlexView* view, const cfHingeAngle* hinge,
                            const int corner[4]) {
  const mjModel* m = view->m;
  const int* body = m->flex_vertbodyid + m->flex_vertadr[view->flex];
  mjtNum most = 0;
  for (int i = 0; i < 4; i++) {
    const mjtNum mass = m->body_mass[body[corner[i]]];
    if (body[corner[i]] > 0 && mass > 0) {
      most = cfi_max(most, cfi_dot3(hinge->gradient[i], hinge->gradient[i]) / mass);
    }
  }
  return most > 0 ? 1 / (m->opt.timestep * m->opt.timestep * most) : mjMAXVAL;
}


static void addMoment(mjtNum* force, const cfHingeAngle* hinge, const int corner[4],
                      mjtNum moment) {
  for (int i = 0; i < 4; i++) {
    cfi_addToScl3(force + CF_POINT * corner[i], hinge->gradient[i], moment);
  }
}


static mjtNum angleRate(const cfHingeAngle* hinge, const mjtNum* velocity, const int corner[4]) {
  mjtNum rate = 0;
  for (int i = 0; i < 4; i++) {
    rate += cfi_dot3(hinge->gradient[i], velocity + CF_POINT * corner[i]);
  }
  return rate;
}


static void addBridson(const cfFlexView* view, cfFlexForces forces) {
  const mjModel* m = view->m;
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant;
  const mjtNum damping = forces.has_damper ? m->flex_damping[view->flex] : 0;
  const mjtNum scale = cfi_hingeScale(view);
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    const mjtNum stiffness = cfi_hingeStiffness(view, e, scale);
    if (stiffness == 0) {
      continue;
    }
    int corner[4];
    cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e);
    const cfHingeAngle hinge = cfi_hingeAngle(view->x, corner);
    const mjtNum most = largestMoment(view, &hinge, corner);
    if (forces.has_spring) {
      const mjtNum moment = -stiffness * lawOfTurn(hinge.angle, rest[e].angle).moment;
      addMoment(forces.spring, &hinge, corner, cfi_clip(moment, -most, most));
    }
    if (damping != 0) {
      const mjtNum moment = -stiffness * damping * angleRate(&hinge, view->velocity, corner);
      addMoment(forces.damper, &hinge, corner, cfi_clip(moment, -most, most));
    }
  }
}


static mjtNum bridsonEnergy(const cfFlexView* view) {
  const mjModel* m = view->m;
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant;
  const mjtNum scale = cfi_hingeScale(view);
  mjtNum energy = 0;
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    const mjtNum stiffness = cfi_hingeStiffness(view, e, scale);
    int corner[4];
    if (stiffness > 0 && cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e)) {
      energy += stiffness * lawOfTurn(cfi_hingeAngle(view->x, corner).angle, rest[e].angle).energy;
    }
  }
  return energy;
}


// k*gradient*gradient', without the part that is proportional to the moment; scaled down with it
static int bridsonStiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K) {
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant + stencil;
  CF_ASSERT_INDEX(stencil, view->m->flex_edgenum[view->flex]);
  if (!cfi_edgeCorners(vertex, view->m, view->m->flex_edgeadr[view->flex] + stencil) ||
      rest->by_square == 0) {
    return 0;
  }
  const mjtNum k = cfi_hingeStiffness(view, stencil, rest->unit == 0 ? cfi_hingeScale(view) : 1);
  const cfHingeAngle hinge = cfi_hingeAngle(view->x, vertex);
  const mjtNum most = largestMoment(view, &hinge, vertex);
  const hingeLaw law = lawOfTurn(hinge.angle, rest->angle);
  const mjtNum moment = k * fabs(law.moment);
  const mjtNum stiffness = k * law.slope * (moment > most ? most / moment : 1);
  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 12; j++) {
      K[12 * i + j] = stiffness * (hinge.gradient[i / 3][i % 3] * hinge.gradient[j / 3][j % 3]);
    }
  }
  return 4;
}


const cfFlexModel cfi_bridsonBending = {.name = "bridson",
                                        .spread = CF_SPREAD_CHAIN,
                                        .acts = cfi_hasHinges,
                                        .objection = cfi_hingeObjection,
                                        .numbers = cfi_hingeNumbers,
                                        .precompute = cfi_restHinges,
                                        .addForces = addBridson,
                                        .energy = bridsonEnergy,
                                        .stencils = cfi_countHinges,
                                        .stiffness = bridsonStiffness};
