// Elementary functions of the single-precision tier on a device: a few units in the last place.

#define teamSqrt __builtin_sqrtf

// sine and cosine of r in -pi/4..pi/4, by polynomials
CF_TEAM_FN float smallSin(float r) {
  const float s = r * r;
  return r + r * s * (-1.6666654611e-1f + s * (8.3321608736e-3f - s * 1.9515295891e-4f));
}


CF_TEAM_FN float smallCos(float r) {
  const float s = r * r;
  return 1 - 0.5f * s + s * s * (4.166664568e-2f + s * (-1.388731625e-3f + s * 2.443315712e-5f));
}


// x = quarter*pi/2 + the result
CF_TEAM_FN float reduceQuarter(float x, int* quarter) {
  const float n = __builtin_rintf(x * 0.636619772f);
  *quarter = (int)n;
  return ((x - n * 1.5703125f) - n * 4.837512969970703125e-4f) - n * 7.549789948768648e-8f;
}


CF_TEAM_FN float teamSin(float x) {
  int quarter;
  const float r = reduceQuarter(x, &quarter);
  const float value = quarter & 1 ? smallCos(r) : smallSin(r);
  return quarter & 2 ? -value : value;
}


CF_TEAM_FN float teamCos(float x) {
  int quarter;
  const float r = reduceQuarter(x, &quarter);
  const float value = quarter & 1 ? smallSin(r) : smallCos(r);
  return (quarter + 1) & 2 ? -value : value;
}


CF_TEAM_FN float teamExp(float x) {
  return __nvvm_ex2_approx_f(x * 1.44269504f);
}


// x > 0
CF_TEAM_FN float teamPow(float x, float y) {
  return __nvvm_ex2_approx_f(__nvvm_lg2_approx_f(x) * y);
}


// arc tangent of a number in 0..1
CF_TEAM_FN float smallAtan(float x) {
  const bool is_large = x > 0.414213562f;
  const float y = is_large ? (x - 1) / (x + 1) : x, s = y * y;
  const float rest =
      ((8.05374449538e-2f * s - 1.38776856032e-1f) * s + 1.99777106478e-1f) * s - 3.33329491539e-1f;
  return (is_large ? 0.785398163f : 0) + y + y * s * rest;
}


CF_TEAM_FN float teamAtan2(float y, float x) {
  const float a = y < 0 ? -y : y, b = x < 0 ? -x : x;
  const float low = a < b ? a : b, high = a < b ? b : a;
  float angle = high > 0 ? smallAtan(low / high) : 0;
  angle = a > b ? 1.57079633f - angle : angle;
  angle = x < 0 ? 3.14159265f - angle : angle;
  return y < 0 ? -angle : angle;
}


CF_TEAM_FN float teamAcos(float x) {
  const float sine = 1 - x * x;
  return teamAtan2(sine > 0 ? teamSqrt(sine) : 0, x);
}
