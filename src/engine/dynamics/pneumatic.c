// A pneumatic cylinder: the state is the pressure p of its chamber above the ambient pressure.
//
//   V = volume + area*length,   dp/dt = valve*(activation*supply - p) - n*(p + ambient)*dV/dt / V
//   force = area*p
//
// n = 1 is isothermal, 1.4 adiabatic air.  With the valve closed (0) the chamber is an air spring,
// (p + ambient)*V^n constant.  A step first changes the volume, then lets the valve act, each by
// its exact solution.
#include <math.h>

#include "dynamics/gain.h"
#include "math/inline.h"
#include "math/libm.h"

enum { PISTON_AREA, SUPPLY, AMBIENT, DEAD_VOLUME, VALVE, EXPONENT };

// a chamber is never smaller than this share of its volume at length 0
static const mjtNum kLeastVolume = 1e-3;


static mjtNum chamberVolume(const cfGainView* view, mjtNum length) {
  const mjtNum* p = view->param;
  return cfi_max(p[DEAD_VOLUME] + p[PISTON_AREA] * length, kLeastVolume * p[DEAD_VOLUME]);
}


// absolute pressure after the volume has changed for one step, before the valve acts
static mjtNum squeezedPressure(const cfGainView* view) {
  const mjtNum now = chamberVolume(view, view->length);
  const mjtNum later = chamberVolume(view, view->length + view->timestep * view->velocity);
  return (view->state[0] + view->param[AMBIENT]) * cfi_pow(now / later, view->param[EXPONENT]);
}


static mjtNum nextPressure(const cfGainView* view) {
  const mjtNum* p = view->param;
  const mjtNum squeezed = squeezedPressure(view) - p[AMBIENT];
  const mjtNum target = view->activation * p[SUPPLY];
  return squeezed - (target - squeezed) * cfi_expm1(-p[VALVE] * view->timestep);
}


static mjtNum pneumaticForce(const cfGainView* view) {
  return view->param[PISTON_AREA] * (view->is_early ? nextPressure(view) : view->state[0]);
}


static mjtNum pneumaticSlope(const cfGainView* view) {
  const mjtNum* p = view->param;
  const mjtNum length = view->length + view->timestep * view->velocity;
  const mjtNum later = chamberVolume(view, length);
  if (!view->is_early || later > p[DEAD_VOLUME] + p[PISTON_AREA] * length) {
    return 0;
  }
  const mjtNum by_volume = -p[EXPONENT] * squeezedPressure(view) / later;
  return p[PISTON_AREA] * by_volume * p[PISTON_AREA] * view->timestep *
         cfi_exp(-p[VALVE] * view->timestep);
}


static void pneumaticRate(const cfGainView* view, mjtNum* rate) {
  const mjtNum* p = view->param;
  const mjtNum growth = p[PISTON_AREA] * view->velocity / chamberVolume(view, view->length);
  rate[0] = p[VALVE] * (view->activation * p[SUPPLY] - view->state[0]) -
            p[EXPONENT] * (view->state[0] + p[AMBIENT]) * growth;
}


static void pneumaticAdvance(const cfGainView* view, mjtNum* next) {
  next[0] = nextPressure(view);
}


static const cfGainParameter pneumatic_parameters[] = {
    [PISTON_AREA] = {"area", 1e-3, 1e-9, mjMAXVAL, "m^2", "area of the piston"},
    [SUPPLY] = {"supply", 6e5, 0, mjMAXVAL, "Pa", "pressure above ambient at activation 1"},
    [AMBIENT] = {"ambient", 101325, 0, mjMAXVAL, "Pa", "pressure around the cylinder"},
    [DEAD_VOLUME] = {"volume", 1e-4, 1e-12, mjMAXVAL, "m^3", "volume of the chamber at length 0"},
    [VALVE] = {"valve", 50, 0, mjMAXVAL, "1/s", "speed at which the valve equalizes pressures"},
    [EXPONENT] = {"exponent", 1, 0, 10, "-", "1 isothermal, 1.4 adiabatic air"}};

const cfGainModel cfi_pneumatic = {.name = "pneumatic",
                                   .text = "pneumatic cylinder driven by a valve",
                                   CF_GAIN_PARAMETERS(pneumatic_parameters),
                                   .nstate = 1,
                                   .force = pneumaticForce,
                                   .slope = pneumaticSlope,
                                   .rate = pneumaticRate,
                                   .advance = pneumaticAdvance};
