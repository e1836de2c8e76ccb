// mujoco.sdf.torus: radius1 is that of the ring, radius2 that of its tube; the axis is z.
#include "field.h"

static mjtNum torusDistance(const mjtNum p[3], const mjtNum* value) {
  const mjtNum across = mju_sqrt(p[0] * p[0] + p[1] * p[1]) - value[0];
  return mju_sqrt(across * across + p[2] * p[2]) - value[1];
}


// away from the middle of the tube
static void torusGradient(mjtNum g[3], const mjtNum p[3], const mjtNum* value) {
  const mjtNum radius = mju_sqrt(p[0] * p[0] + p[1] * p[1]), across = radius - value[0];
  const mjtNum depth = mju_max(mju_sqrt(across * across + p[2] * p[2]), mjMINVAL);
  for (int k = 0; k < 2; k++) {
    g[k] = across * (p[k] / radius) / depth;
  }
  g[2] = p[2] / depth;
}


static void torusBox(mjtNum aabb[6], const mjtNum* value) {
  mju_zero3(aabb);
  aabb[3] = aabb[4] = value[0] + value[1];
  aabb[5] = value[1];
}


static void torusValues(mjtNum* value, const char** key, const char** text) {
  (void)key;
  fieldValues(&torus_shape, value, text);
}

const fieldShape torus_shape = {
    .name = "mujoco.sdf.torus",
    .trouble = "Invalid radius1 or radius2 parameters in Torus plugin",
    .nkey = 2,
    .nchecked = 2,
    .key = {"radius1", "radius2"},
    .initial = {.35, .15},
    .distance = torusDistance,
    .box = torusBox,
    .values = torusValues,
    .gradient = torusGradient,
};
