// Law of the reference of constraints: what the parameters solref and solimp of a model mean.  They
// are looked at once per constraint, by one world of the engine or when a plan is made.
#ifndef CF_LAW_REFERENCE_H
#define CF_LAW_REFERENCE_H

#include "law/number_one.h"


// Parameters of the impedance within their bounds: dmin, dmax, width, midpoint, power.
CF_LAW void lawBoundImpedance(cfReal imp[mjNIMP], const cfReal solimp[mjNIMP]) {
  imp[0] = cfi_clip(solimp[0], mjMINIMP, mjMAXIMP);
  imp[1] = cfi_clip(solimp[1], mjMINIMP, mjMAXIMP);
  imp[2] = cfi_max(0, solimp[2]);
  imp[3] = cfi_clip(solimp[3], mjMINIMP, mjMAXIMP);
  imp[4] = cfi_max(1, solimp[4]);
}


// True for a mixture of the two formats of solref: (time constant, damping ratio), both positive,
// and (-stiffness, -damping), both not.
CF_LAW bool lawIsMixed(const cfReal solref[mjNREF]) {
  return (solref[0] > 0) != (solref[1] > 0);
}


// Stiffness and damping of a reference in either format; dmax normalizes them.
CF_LAW void lawGains(const cfReal ref[mjNREF], cfReal dmax, cfReal* K, cfReal* B) {
  *K = ref[0] > 0 ? 1 / cfi_max(mjMINVAL, dmax * dmax * ref[0] * ref[0] * ref[1] * ref[1])
                  : -ref[0] / cfi_max(mjMINVAL, dmax * dmax);
  *B = ref[1] > 0 ? 2 / cfi_max(mjMINVAL, dmax * ref[0]) : -ref[1] / cfi_max(mjMINVAL, dmax);
}

#endif  // CF_LAW_REFERENCE_H
