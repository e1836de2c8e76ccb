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
// CF_SHARED(r, c, f, k, n)  r = n numbers of the model from entry k on, the same in all worlds
// CF_NOW(c, f, k)   entry k of an array of the state
// CF_STEP(c)        the timestep
// numOf(x)          a constant; numMax, numClip, numAbs, numSqrt, numExp, numSinCos, numAtan2,
//                   numPower
// numChoose(is, a, b)  a where the condition holds, else b; worlds together compute both
// numNot(is)        the opposite of a condition; conditions are joined by & and |, or by numAnd and
//                   numOr where one world is to look at the second only if it matters
// numAll(is)        true if the condition holds in all worlds; numNone(is): in none
//
// Words of laws that branch, and go on for the worlds that take the same way:
// cfWorlds w        the worlds that are still together
// numAgree(w, is)   true if they take this branch; worlds of the other opinion leave
// numAgreeOn(w, n)  a whole number that they have in common
// numNowhere(w, is) true if the condition holds for none of them
// numDone(w, is)    worlds where the condition holds have their result; true if all have
// numSeldom(w, is)  a branch that worlds together leave to each world alone: never taken there
// CF_LAW_ALONE(x)   what only such a branch computes
// CF_LAW_SOONER(is) a condition that only saves one world time: false where it would cost more
//
// The words of contacts are in law/closedforms.h, those of vectors in law/vec.h.
// cfSize            a size of a geom, shared by worlds or of each; numWide(x), as a cfNum
// lawTouch          a contact: dist, pos, frame
// cfTouches         where contacts are written that are found one after the other, by numTouchBelow
// CF_LAW_TINY       lengths below it are zero; CF_LAW_PARALLEL(x): lines with such a determinant
//                   of at most x are parallel
#ifndef CF_LAW_NUMBER_ONE_H
#define CF_LAW_NUMBER_ONE_H

#include <string.h>

#include <mujoco/mujoco.h>

#include "law/alone.h"
#include "law/scalar.h"
#include "math/inline.h"
#include "math/libm.h"

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
#define CF_SHARED(res, c, name, k, n) memcpy(res, (c).m->name + (k), sizeof(mjtNum) * (n))

#define numOf(x) ((mjtNum)(x))
#define numMax cfi_max
#define numClip cfi_clip
#define numAbs fabs
#define numSqrt sqrt
#define numExp cfi_exp
#define numAtan2 cfi_atan2
#define numSinCos(x, sine, cosine) cfi_sinCos(sine, cosine, x)
#define numPower cfi_power
#define numMin cfi_min

#define CF_LAW_SOONER(is) (is)

typedef mjtNum cfSize;
typedef mjContact lawTouch;
typedef mjContact* cfTouches;
#define numTouchBelow(out, n, normal, point, dist, depth) \
  lawTouchBelow((out) + (n), normal, point, dist, depth)
#define CF_LAW_TINY mjMINVAL
#define CF_LAW_PARALLEL(x) mjMINVAL

#define CF_LAW_UNROLL
#define CF_LAW_EXACT

// vectors: those of the engine (math/), whose operations and order are those of law/vec.h
#define numCopy(res, a, n) memcpy(res, a, sizeof(mjtNum) * (n))
#define numSet3 cfi_set3
#define numZero3 cfi_zero3
#define numCopy3 cfi_copy3
#define numScale3 cfi_scl3
#define numAdd3 cfi_add3
#define numSub3 cfi_sub3
#define numAddScaled3 cfi_addScl3
#define numDot3 cfi_dot3
#define numCross cfi_cross
#define numNormalize3 cfi_normalize3
#define numColumn3 cfi_column3
#define numMulMatVec3 cfi_mulMatVec3
#define numMulMatTVec3 cfi_mulMatTVec3
#define numUnitize4 cfi_unitize4
#define numMulQuat cfi_mulQuat
#define numTurn cfi_turn
#define numTurnMat cfi_turnMat
#define numTurnBy cfi_quatIntegrate
#define numDot6 cfi_dot6
#define numCrossMotion cfi_crossMotion
#define numCrossForce cfi_crossForce
#define numMulInertia cfi_mulInertVec
#define numInertCom cfi_inertCom
#define numHingeCom cfi_hingeCom

#endif  // CF_LAW_NUMBER_ONE_H
