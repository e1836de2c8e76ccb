// Law of soft constraints: stiffness and damping of the reference, impedance at a violation, and
// the regularizer that follows from it.
//
// Per constraint, solref gives stiffness K and damping B, solimp the impedance I = d(r) in (0, 1):
// a sigmoid from imp[0] to imp[1] over the width imp[2] of the violation, made of two powers
// imp[4] that meet at the midpoint imp[3].  The regularizer is R = (1 - I) / I * A, with A a cheap
// estimate of the row's inverse inertia.  Parameters are those of one world.
#ifndef CF_LAW_IMPEDANCE_H
#define CF_LAW_IMPEDANCE_H


// The sigmoid on [0, 1], and its slope.
CF_LAW_LEAF cfNum lawSigmoid(cfNum x, cfReal midpoint, cfReal power, cfNum* slope) {
  if (power == 1) {
    *slope = numOf(1);
    return x;
  }
  const cfIs is_lower = x <= midpoint;
  const cfNum u = numChoose(is_lower, x, 1 - x);
  const cfNum scale = numChoose(is_lower, numOf(1 / realPower(midpoint, power - 1)),
                                numOf(1 / realPower(1 - midpoint, power - 1)));
  const cfNum y = scale * numPower(u, power);
  *slope = power * scale * numPower(u, power - 1);
  return numChoose(is_lower, y, 1 - y);
}


// Impedance at a violation, and its slope.
CF_LAW_LEAF cfNum lawImpedance(const cfReal imp[mjNIMP], cfNum violation, cfNum* slope) {
  *slope = numOf(0);
  if (imp[0] == imp[1] || imp[2] <= (cfReal)mjMINVAL) {
    return numOf((cfReal)0.5 * (imp[0] + imp[1]));
  }
  const cfNum signed_x = violation / imp[2], x = numAbs(signed_x);
  const cfIs is_high = x >= 1;
  if (numAll(is_high)) {
    return numOf(imp[1]);
  }
  const cfIs is_low = x <= 0;
  if (numAll(is_low)) {
    return numOf(imp[0]);
  }
  cfNum steepness;
  const cfReal range = imp[1] - imp[0];
  const cfNum inside = imp[0] + lawSigmoid(x, imp[3], imp[4], &steepness) * range;
  const cfNum sign = numChoose(signed_x < 0, numOf(-1), numOf(1));
  *slope = numChoose(is_high | is_low, numOf(0), steepness * sign * range / imp[2]);
  return numChoose(is_high, numOf(imp[1]), numChoose(is_low, numOf(imp[0]), inside));
}


CF_LAW cfNum lawRegularizer(cfNum impedance, cfNum weight) {
  return numMax(numOf(mjMINVAL), (1 - impedance) * weight / impedance);
}

#endif  // CF_LAW_IMPEDANCE_H
