// Stable Neo-Hookean elasticity (Smith, De Goes and Kim 2018, "Stable Neo-Hookean flesh
// simulation", equation 14):
//
//   W = mu'/2*(I - dim) - mu'/2*log((I + 1)/(dim + 1)) + la'/2*((J - a)^2 - (1 - a)^2)
//
// It is smooth for every J, also through inversion, and its rest state is stable.  The constants
// follow from the moduli of small strains (their equation 16, here for dim dimensions): with
// k = dim/(dim + 1), mu' = mu/k, la' = la + mu'*(k - 2/(dim + 1)^2), a = 1 + k*mu'/la'.
#include "flex/hyperelastic.h"
#include "math/libm.h"


static inline cfDensity stableNeoHookean(mjtNum I, mjtNum J, const cfElementRest* rest, int dim) {
  const mjtNum n = dim + 1, k = dim / n, mu = rest->mu / k;
  const mjtNum la = rest->la + mu * (k - 2 / (n * n));
  const mjtNum by_rest = la * (J - 1) - k * mu;
  return (cfDensity){.energy = 0.5 * mu * (I - dim) - 0.5 * mu * cfi_log((I + 1) / n) +
                               (J - 1) * (0.5 * la * (J - 1) - k * mu),
                     .by_I = 0.5 * mu * (1 - 1 / (I + 1)),
                     .by_J = by_rest,
                     .by_II = 0.5 * mu / ((I + 1) * (I + 1)),
                     .by_JJ = la};
}


CF_HYPERELASTIC(cfi_stableNeoHookean, "stable_neo_hookean", stableNeoHookean);
