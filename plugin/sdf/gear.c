// mujoco.sdf.gear: a wheel with involute teeth, extruded along z.
//
// Everything in the plane follows from the pitch circle, on which teeth are as wide as gaps. The
// flank of a tooth is the involute of the base circle: unwinding a string from it, a point at
// radius r has paid out sqrt(r^2 - base^2), and the arc to where the string leaves the circle says
// how far the point is from the flank.
#include <math.h>

#include "field.h"
#include "../libm.h"

enum { TURN, DIAMETER, TEETH, THICKNESS, HOLE };  // values

// sizes of a wheel
typedef struct {
  mjtNum tip, root, base, hole;  // radii
  mjtNum height;                 // of a tooth, gap below included
  mjtNum period;                 // angle from tooth to tooth
  mjtNum tooth;                  // angle of a tooth at the base circle
} gearWheel;


static gearWheel measureWheel(const mjtNum* value) {
  const mjtNum diameter = value[DIAMETER], teeth = value[TEETH];

  // the pressure angle falls with the number of teeth
  const mjtNum pressure = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551;
  const mjtNum pitch = diameter / 2.0, density = teeth / diameter;
  gearWheel w;
  w.height = 2.2 / density;
  w.tip = (diameter + 2.0 * (1.0 / density)) / 2.0;
  w.root = w.tip - w.height;
  w.base = diameter * cfi_cos(pressure) / 2.0;
  w.hole = value[HOLE] >= 0.0 ? value[HOLE] / 2.0 : w.root - 0.14 * diameter;
  w.period = mjPI / density / pitch;
  const mjtNum lean = cfi_acos(w.base / pitch);
  w.tooth = w.period / 2.0 - 2.0 * (cfi_tan(lean) - lean);
  return w;
}


// smooth minimum with a polynomial over a width (I. Quilez)
static mjtNum blend(mjtNum a, mjtNum b, mjtNum width) {
  const mjtNum h = mju_clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0);
  return b * (1. - h) + a * h - width * h * (1. - h);
}


// angle from the flank of the nearest tooth, one tooth apart at most
static mjtNum wrapAngle(mjtNum angle, const gearWheel* w) {
  const mjtNum x = angle + w->tooth / 2.0;
  return x - w->period * floor(x / w->period) - w->tooth / 2.0;
}


// distance from the teeth without hole and root; `a` and `b` are the angles from either flank
static mjtNum teethDistance(const gearWheel* w, mjtNum radius, mjtNum a, mjtNum b) {
  mjtNum flanks = -1.0e6;
  if (w->base < radius) {
    const mjtNum leave = cfi_acos(w->base / radius);
    const mjtNum string = mju_sqrt(radius * radius - w->base * w->base);
    flanks = common(string - w->base * (a + leave), string - w->base * (b + leave));
  }
  const mjtNum gap = w->period - w->tooth;
  return common(common(a - gap, b - gap), flanks);
}


// in the plane
static mjtNum wheelDistance(const mjtNum p[3], const mjtNum* value) {
  const gearWheel w = measureWheel(value);
  const mjtNum radius = mju_norm(p, 2);
  if (w.hole - radius > 0.0) {
    return w.hole - radius;
  }
  if (w.tip - radius < -0.2) {
    return radius - w.tip;
  }
  const mjtNum angle = cfi_atan2(p[1], p[0]) + value[TURN];
  const mjtNum teeth =
      teethDistance(&w, radius, wrapAngle(angle, &w), wrapAngle(-angle - w.tooth, &w));
  const mjtNum rim = radius - w.tip, width = 0.0035 * value[DIAMETER];

  // round the tips, then the feet
  const mjtNum sharp = common(rim, teeth);
  const mjtNum cogs = without(sharp, blend(without(rim, teeth), without(teeth, rim), width));
  const mjtNum solid = blend(radius - w.root, cogs, w.base - w.tip + w.height);
  return without(solid, radius - w.hole);
}


static mjtNum gearDistance(const mjtNum p[3], const mjtNum* value) {
  const mjtNum side[2] = {wheelDistance(p, value), fabs(p[2]) - value[THICKNESS] / 2.};
  const mjtNum outside[2] = {mju_max(side[0], 0), mju_max(side[1], 0)};
  return joined(common(side[0], side[1]), 0) + mju_norm(outside, 2);
}


static void gearBox(mjtNum aabb[6], const mjtNum* value) {
  mju_zero3(aabb);
  aabb[3] = aabb[4] = value[DIAMETER] / 2. * 1.25;
  aabb[5] = value[THICKNESS] / 2. * 1.1;
}


static void gearValues(mjtNum* value, const char** key, const char** text) {
  (void)key;
  fieldValues(&gear_shape, value, text);
}

const fieldShape gear_shape = {
    .name = "mujoco.sdf.gear",
    .trouble = "Invalid parameter specification in Gear plugin",
    .nkey = 5,
    .nchecked = 5,
    .key = {"alpha", "diameter", "teeth", "thickness", "innerdiameter"},
    .initial = {0, 2.8, 25, .2, -1},
    .distance = gearDistance,
    .box = gearBox,
    .values = gearValues,
};
