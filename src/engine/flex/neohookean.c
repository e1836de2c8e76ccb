// Neo-Hookean elasticity: W = mu/2*(I - dim) - mu*log(J) + la/2*log(J)^2 (Bonet and Wood 2008,
// section 6.4.3).
//
// The logarithm ends at J = 0.  Below a tenth of the rest volume the part of W that depends on J
// goes on as a parabola with the same value, slope and curvature: forces of crushed and inverted
// elements stay finite, continuous, and push back.
#include "flex/hyperelastic.h"
#include "math/libm.h"

static const mjtNum crushed = 0.1;


static inline cfDensity neoHookean(mjtNum I, mjtNum J, const cfElementRest* rest, int dim) {
  const mjtNum mu = rest->mu, la = rest->la, kept = J > crushed ? J : crushed, beyond = J - kept;
  const mjtNum ln = cfi_log(kept), slope = (la * ln - mu) / kept;
  const mjtNum curvature = (la * (1 - ln) + mu) / (kept * kept);
  const mjtNum at_kept = 0.5 * mu * (I - dim) - mu * ln + 0.5 * la * ln * ln;
  return (cfDensity){.energy = at_kept + beyond * (slope + 0.5 * curvature * beyond),
                     .by_I = 0.5 * mu,
                     .by_J = slope + curvature * beyond,
                     .by_JJ = curvature};
}


CF_HYPERELASTIC(cfi_neoHookean, "neo_hookean", neoHookean);
