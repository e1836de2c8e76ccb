// mujoco.sdf.bowl: the part of a sphere below a height, with a wall of some thickness.
#include "field.h"

// inside the cone of the rim the wall is nearest, above it the rim itself
static mjtNum bowlDistance(const mjtNum p[3], const mjtNum* value) {
  const mjtNum height = value[0], radius = value[1];
  const mjtNum rim = mju_sqrt(radius * radius - height * height);
  const mjtNum at[2] = {mju_norm(p, 2), p[2]};
  mjtNum wall;
  if (height * at[0] < rim * at[1]) {
    const mjtNum offset[2] = {at[0] - rim, at[1] - height};
    wall = mju_norm(offset, 2);
  } else {
    wall = mju_abs(mju_norm(at, 2) - radius);
  }
  return wall - value[2];
}


static void bowlBox(mjtNum aabb[6], const mjtNum* value) {
  mju_zero3(aabb);
  for (int k = 3; k < 6; k++) {
    aabb[k] = value[1] + value[2];
  }
}


static void bowlValues(mjtNum* value, const char** key, const char** text) {
  (void)key;
  fieldValues(&bowl_shape, value, text);
}

const fieldShape bowl_shape = {
    .name = "mujoco.sdf.bowl",
    .trouble = "Invalid parameter specification in Bowl plugin",
    .nkey = 3,
    .nchecked = 3,
    .key = {"height", "radius", "thickness"},
    .initial = {.4, 1., .02},
    .distance = bowlDistance,
    .box = bowlBox,
    .values = bowlValues,
};
