// What a bolt and a nut that fits it share: the thread and the hexagon.
#ifndef CF_PLUGIN_SDF_SCREW_H
#define CF_PLUGIN_SDF_SCREW_H

#include <math.h>

#include "field.h"
#include "../libm.h"

// a point as the thread sees it
typedef struct {
  mjtNum outward;  // distance from the core
  mjtNum thread;   // from the surface of the thread, without ends
  mjtNum cone;     // from a cone that opens along z with its top in the origin
  mjtNum slope;    // sine of 45 degrees: flanks and cones stand at this angle
} screwPoint;

// a triangle wave of 12 turns per unit along z, wound around a core
static inline screwPoint screwAt(const mjtNum p[3], mjtNum core) {
  static const mjtNum turns = 12;
  screwPoint s;
  s.outward = mju_sqrt(p[0] * p[0] + p[1] * p[1]) - core;
  s.slope = mju_sqrt(2.) / 2.;
  const mjtNum phase = p[2] * turns - cfi_atan2(p[1], p[0]) / mjPI / 2.;
  const mjtNum wave = fabs(phase - floor(phase) - .5);
  s.thread = (s.outward - wave / turns) * s.slope;
  s.cone = (p[2] - s.outward) * s.slope;
  return s;
}


// the head: a hexagonal prism below the origin, its top rounded by a cone
static inline mjtNum screwHead(const mjtNum p[3], const screwPoint* s) {
  static const mjtNum per_radian = 6. / mjPI / 2.;  // sides
  const mjtNum angle = -floor(cfi_atan2(p[1], p[0]) * per_radian + .5) / per_radian;
  const mjtNum turned = cfi_sin(angle + mjPI * .5) * p[0] + -cfi_sin(angle) * p[1];
  const mjtNum prism = common(turned - .5, fabs(p[2] + .25) - .25);
  return common(prism, (p[2] + s->outward - .22) * s->slope);
}


// the box that holds both
static inline void screwBox(mjtNum aabb[6], const mjtNum* value) {
  (void)value;
  mju_zero3(aabb);
  aabb[3] = aabb[4] = .6;
  aabb[5] = 1;
}

#endif  // CF_PLUGIN_SDF_SCREW_H
