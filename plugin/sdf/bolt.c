// mujoco.sdf.bolt: a threaded rod of a radius with a hexagonal head.
#include "screw.h"

static mjtNum boltDistance(const mjtNum p[3], const mjtNum* value) {
  const screwPoint s = screwAt(p, value[0]);

  // the rod has a length of one and a beveled tip
  const mjtNum cut = without(s.thread, .5 - fabs(p[2] + .5));
  const mjtNum rod = without(cut, s.cone + 1. * s.slope);
  return joined(rod, screwHead(p, &s));
}


static void boltValues(mjtNum* value, const char** key, const char** text) {
  (void)key;
  fieldValues(&bolt_shape, value, text);
}

const fieldShape bolt_shape = {
    .name = "mujoco.sdf.bolt",
    .trouble = "Invalid parameter specification in Bolt plugin",
    .nkey = 1,
    .nchecked = 1,
    .key = {"radius"},
    .initial = {.26},
    .distance = boltDistance,
    .box = screwBox,
    .values = boltValues,
};
