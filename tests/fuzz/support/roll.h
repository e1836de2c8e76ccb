// Random choices of the mutators: repeatable from the seed that the fuzzer gives.
#ifndef CF_FUZZ_ROLL_H
#define CF_FUZZ_ROLL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  uint64_t state;
} cfDice;


static inline cfDice cf_newDice(unsigned seed) {
  return (cfDice){seed * 0x9E3779B97F4A7C15u + 1};
}


// a number below bound, 0 when bound is 0
static inline unsigned cf_roll(cfDice* dice, size_t bound) {
  dice->state ^= dice->state >> 12;
  dice->state ^= dice->state << 25;
  dice->state ^= dice->state >> 27;
  return bound ? (unsigned)((dice->state * 0x2545F4914F6CDD1Du >> 33) % bound) : 0;
}


// an integer that sits at an edge, or near the old one
static inline int cf_edgeInt(cfDice* dice, int old) {
  static const int edges[] = {-1,    0,      1,         2,         3,
                              4,     8,      16,        255,       256,
                              65535, 200000, INT32_MAX, INT32_MIN, INT32_MAX / 12,
                              1000,  -2,     65536,     100,       7};
  switch (cf_roll(dice, 4)) {
    case 0:
      return (int)((unsigned)old + 1u);
    case 1:
      return (int)((unsigned)old - 1u);
    case 2:
      return (int)cf_roll(dice, 12);
    default:
      return edges[cf_roll(dice, sizeof(edges) / sizeof(edges[0]))];
  }
}


// a single-precision number that sits at an edge, or is made from the old one
static inline float cf_edgeFloat(cfDice* dice, float old) {
  static const float edges[] = {0.0f,
                                -0.0f,
                                1.0f,
                                -1.0f,
                                0.5f,
                                2.0f,
                                10.0f,
                                1e-3f,
                                1e-6f,
                                1e-8f,
                                1e-20f,
                                1e-38f,
                                1e-45f,
                                1e6f,
                                1e9f,
                                1.07374182e9f,
                                1.1e9f,
                                1e10f,
                                1e20f,
                                -1e20f,
                                1.8e19f,
                                3.4e38f,
                                -3.4e38f,
                                (float)(1e300 * 1e300),
                                (float)-(1e300 * 1e300)};
  switch (cf_roll(dice, 5)) {
    case 0:
      return old * 0.5f;
    case 1:
      return -old;
    case 2:
      return old + ((float)cf_roll(dice, 2001) - 1000) * 1e-3f;
    case 3:
      return (float)cf_roll(dice, 9) - 4;
    default:
      return edges[cf_roll(dice, sizeof(edges) / sizeof(edges[0]))];
  }
}


// change one of count numbers of four bytes each: to an edge, or to another of them
static inline void cf_changeFloat(cfDice* dice, uint8_t* array, size_t count) {
  if (count) {
    uint8_t* at = array + 4 * (size_t)cf_roll(dice, count);
    float value;
    memcpy(&value, cf_roll(dice, 3) ? at : array + 4 * (size_t)cf_roll(dice, count), sizeof(value));
    value = cf_roll(dice, 4) ? cf_edgeFloat(dice, value) : value;
    memcpy(at, &value, sizeof(value));
  }
}


// a number made from all bytes, by which a target chooses what it does with them
static inline unsigned cf_hashBytes(const uint8_t* data, size_t size) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t k = 0; k < size; k++) {
    hash = (hash ^ data[k]) * 0x100000001B3u;
  }
  return (unsigned)(hash >> 32);
}

#endif  // CF_FUZZ_ROLL_H
