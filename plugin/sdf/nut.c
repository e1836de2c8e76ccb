// mujoco.sdf.nut: a hexagon with a threaded hole that a bolt of the same radius fits.
#include "screw.h"

static mjtNum nutDistance(const mjtNum p[3], const mjtNum* value) {
  const screwPoint s = screwAt(p, value[0]);

  // the thread, widened by a cone at either end
  const mjtNum thread = without(s.thread, s.cone + .5 * s.slope);
  const mjtNum hole = joined(thread, -s.cone - .05 * s.slope);
  return without(screwHead(p, &s), hole);
}


static void nutValues(mjtNum* value, const char** key, const char** text) {
  (void)key;
  fieldValues(&nut_shape, value, text);
}

const fieldShape nut_shape = {
    .name = "mujoco.sdf.nut",
    .trouble = "Invalid parameter specification in Nut plugin",
    .nkey = 1,
    .nchecked = 1,
    .key = {"radius"},
    .initial = {.26},
    .distance = nutDistance,
    .box = screwBox,
    .values = nutValues,
};
