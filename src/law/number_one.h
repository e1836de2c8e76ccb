// Words of the laws (src/law) for one world of the engine.
//
// A law is the formula of what happens to one body, joint, actuator, row or contact, written once
// and compiled for one world (this file), for several worlds per number (number_lanes.h) and for a
// thread of the fast tier (number_team.h).  A file that uses laws includes one of the three, then
// the laws.  Loops, memory and the order of stages stay in the back ends.
//
// cfNum             a number: of one world, or of each of several worlds
// cfIs              a condition on numbers, which worlds may answer differently
// cfLaw             what a law is about: a model and the state of its world or worlds
// CF_KIND(c, f, k)  entry k of an integer array of the model, the same in all worlds
// CF_NUM(c, f, k)   entry k of an array of numbers of the model, which worlds may have of their own
// CF_NOW(c, f, k)   entry k of an array of the state
// CF_STEP(c)        the timestep
// numOf(x)          a constant; numMax, numClip, numAbs, numSqrt, numExp, numPower
// numChoose(is, a, b)  a where the condition holds, else b; worlds together compute both
// numAll(is)        true if the condition holds in all worlds
#ifndef CF_LAW_NUMBER_ONE_H
#define CF_LAW_NUMBER_ONE_H

#include <mujoco/mujoco.h>

#include "law/scalar.h"
#include "math/libm.h"
#include "math/scalar.h"

typedef mjtNum cfNum;
typedef bool cfIs;

typedef struct {
  const mjModel* m;
  const mjData* d;
} cfLaw;

#define CF_KIND(c, name, k) ((c).m->name[k])
#define CF_NUM(c, name, k) ((c).m->name[k])
#define CF_NOW(c, name, k) ((c).d->name[k])
#define CF_STEP(c) ((c).m->opt.timestep)

#define numOf(x) ((mjtNum)(x))
#define numMax cfi_max
#define numClip cfi_clip
#define numAbs fabs
#define numSqrt sqrt
#define numExp cfi_exp
#define numPower cfi_power
#define numAll(is) (is)
#define numChoose(is, a, b) ((is) ? (a) : (b))

#endif  // CF_LAW_NUMBER_ONE_H
