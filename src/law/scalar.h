// Words of laws whose numbers belong to one world, whatever steps it: cfReal, a real number;
// CF_LAW and CF_LAW_LEAF, how a law is declared (leaves are always inlined: what their caller does
// not use is not computed); CF_LAW_RARE(x), a condition that back ends may leave out for the
// models that never meet it; realAbs, realPower.  The fast tier has its own (number_team.h).
#ifndef CF_LAW_SCALAR_H
#define CF_LAW_SCALAR_H

#include <math.h>
#include <stdbool.h>

#include <mujoco/mjtnum.h>

#include "base/assert.h"
#include "math/scalar.h"

typedef mjtNum cfReal;

#define CF_LAW static inline
#define CF_LAW_LEAF static inline __attribute__((always_inline))
#define CF_LAW_RARE(x) (x)
#define realAbs fabs
#define realPower cfi_power

#endif  // CF_LAW_SCALAR_H
