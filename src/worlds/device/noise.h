// Control noise of a world: a function of seed, world, step and actuator alone, the same on every
// backend.
#ifndef CF_DEVICE_NOISE_H
#define CF_DEVICE_NOISE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "math/libm.h"

typedef struct {
  mjtNum scale, rate;  // relative to the control range; correlation time in seconds
  uint64_t seed;
} cfNoise;

// a number in 0..2^64-1 that looks random, for a place in a sequence
static inline uint64_t cfi_scramble(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}


// normally distributed
static inline mjtNum cfi_gauss(uint64_t seed, int world, int64_t step, int actuator) {
  const uint64_t place =
      cfi_scramble(seed ^ cfi_scramble((uint64_t)world << 32 | (uint64_t)actuator));
  const uint64_t first = cfi_scramble(place ^ cfi_scramble((uint64_t)step));
  const uint64_t second = cfi_scramble(first);
  const mjtNum radius = sqrt(-2 * cfi_log(((mjtNum)(first >> 11) + 1) * 0x1p-53));
  return radius * cfi_cos(2 * mjPI * (mjtNum)(second >> 11) * 0x1p-53);
}


// controls wander about the middle of their range
static inline void cfi_addNoise(const cfNoise* noise, const mjModel* m, mjData* d, int world,
                                int64_t step) {
  const mjtNum rate = noise->rate > mjMINVAL ? noise->rate : mjMINVAL;
  const mjtNum keep = cfi_exp(-m->opt.timestep / rate);
  const mjtNum scale = noise->scale * sqrt(1 - keep * keep);
  for (int i = 0; i < m->nu; i++) {
    const mjtNum* range = m->actuator_ctrlrange + 2 * i;
    const bool is_limited = m->actuator_ctrllimited[i];
    const mjtNum middle = is_limited ? 0.5 * (range[0] + range[1]) : 0;
    const mjtNum half = is_limited ? 0.5 * (range[1] - range[0]) : 1;
    const mjtNum pushed = scale * half * cfi_gauss(noise->seed, world, step, i);
    d->ctrl[i] = middle + keep * (d->ctrl[i] - middle) + pushed;
  }
}

#endif  // CF_DEVICE_NOISE_H
