// Law of actuators: rate and next value of an activation, input, gain and bias.
#ifndef CF_LAW_ACTUATOR_H
#define CF_LAW_ACTUATOR_H


// Activation one timestep later; a first-order filter is integrated exactly, so that it is stable
// for time constants below the timestep: act(h) = act + rate * tau * (1 - exp(-h / tau)).
CF_LAW cfNum lawNextActivation(cfLaw c, int u, int k, cfNum rate) {
  CF_ASSERT(u >= 0 && k >= 0);
  cfNum next = CF_NOW(c, act, k);
  if (CF_KIND(c, actuator_dyntype, u) == mjDYN_FILTEREXACT) {
    const cfNum tau = numMax(numOf(mjMINVAL), CF_NUM(c, actuator_dynprm, mjNDYN * u));
    next = next + rate * tau * (1 - numExp(-CF_STEP(c) / tau));
  } else {
    next = next + rate * CF_STEP(c);
  }
  if (!CF_KIND(c, actuator_actlimited, u)) {
    return next;
  }
  return numClip(next, CF_NUM(c, actuator_actrange, 2 * u),
                 CF_NUM(c, actuator_actrange, 2 * u + 1));
}


// Rate of an activation that follows the control: an integrator, or a filter with time constant
// dynprm[0].
CF_LAW cfNum lawActivationRate(cfLaw c, int u, cfNum ctrl, cfNum act) {
  if (CF_KIND(c, actuator_dyntype, u) == mjDYN_INTEGRATOR) {
    return ctrl;
  }
  return (ctrl - act) / numMax(numOf(mjMINVAL), CF_NUM(c, actuator_dynprm, mjNDYN * u));
}


// What the gain multiplies: the control, the activation, or the activation one step ahead.
CF_LAW cfNum lawActuatorInput(cfLaw c, int u, cfNum ctrl) {
  if (!CF_LAW_RARE(CF_KIND(c, actuator_actadr, u) >= 0)) {
    return ctrl;
  }
  const int last = CF_KIND(c, actuator_actadr, u) + CF_KIND(c, actuator_actnum, u) - 1;
  CF_ASSERT(last >= CF_KIND(c, actuator_actadr, u));
  if (CF_KIND(c, actuator_actearly, u)) {
    return lawNextActivation(c, u, last, CF_NOW(c, act_dot, last));
  }
  return CF_NOW(c, act, last);
}


// Gain: a constant, or affine in length and velocity.
CF_LAW cfNum lawGain(cfLaw c, int u, cfNum length, cfNum velocity) {
  CF_ASSERT(u >= 0);
  const int p = mjNGAIN * u;
  const cfNum constant = CF_NUM(c, actuator_gainprm, p);
  if (CF_KIND(c, actuator_gaintype, u) == mjGAIN_FIXED) {
    return constant;
  }
  return constant + CF_NUM(c, actuator_gainprm, p + 1) * length +
         CF_NUM(c, actuator_gainprm, p + 2) * velocity;
}


// Bias: none, or affine in length and velocity.
CF_LAW cfNum lawBias(cfLaw c, int u, cfNum length, cfNum velocity) {
  const int q = mjNBIAS * u;
  if (CF_KIND(c, actuator_biastype, u) == mjBIAS_NONE) {
    return numOf(0);
  }
  return CF_NUM(c, actuator_biasprm, q) + CF_NUM(c, actuator_biasprm, q + 1) * length +
         CF_NUM(c, actuator_biasprm, q + 2) * velocity;
}


// Slope of an actuator's force by its velocity; zero where the force is at its limit.
CF_LAW cfNum lawVelocitySlope(cfLaw c, int u, cfNum ctrl) {
  cfNum slope = numOf(0);
  if (CF_KIND(c, actuator_gaintype, u) == mjGAIN_AFFINE) {
    const cfNum gain = CF_NUM(c, actuator_gainprm, mjNGAIN * u + 2);
    slope = numChoose(gain != numOf(0), gain * lawActuatorInput(c, u, ctrl), slope);
  }
  if (CF_KIND(c, actuator_biastype, u) == mjBIAS_AFFINE) {
    slope = CF_NUM(c, actuator_biasprm, mjNBIAS * u + 2) + slope;
  }
  if (CF_KIND(c, actuator_forcelimited, u)) {
    const cfNum force = CF_NOW(c, actuator_force, u);
    const cfIs is_limited = (force <= CF_NUM(c, actuator_forcerange, 2 * u)) |
                            (force >= CF_NUM(c, actuator_forcerange, 2 * u + 1));
    slope = numChoose(is_limited, numOf(0), slope);
  }
  return slope;
}

#endif  // CF_LAW_ACTUATOR_H
