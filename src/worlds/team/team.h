// What the stages of the fast tier are written with: numbers of one precision, a team of threads,
// the plan of the model and the arrays of a world.  double.c and single.c set CF_TEAM_SINGLE and
// include this before the stages; a file is compiled for one precision at a time.
//
// A stage is a function of a team.  All threads of the team run it; they share loops by
//
//   for (int i = t->thread; i < n; i += CF_TEAM_WIDTH)
//
// and teamSync(t) stands between the writing of an array and its reading by other threads, and
// between its reading and the next writing.  Branches around teamSync, teamSum, ... depend only on
// what all threads of the team see alike.  On the CPU the width is 1.
#ifndef CF_TEAM_TEAM_H
#define CF_TEAM_TEAM_H

#include <math.h>

#include "base/assert.h"
#include "math/libm.h"
#include "team/tier.h"

#ifdef CF_TEAM_SINGLE
typedef float cfReal;
#define CF_TEAM_NAME(name) name##Single
#define CF_R(x) x##f
#else
typedef double cfReal;
#define CF_TEAM_NAME(name) name##Double
#define CF_R(x) x
#endif

// smallest number that is divided by, as mjMINVAL
#define CF_TEAM_MIN CF_R(1e-15)

// lengths below this are none; segments whose determinant is below this part of the largest are
// parallel
#ifdef CF_TEAM_SINGLE
#define CF_TEAM_TINY 1e-6f
#define CF_TEAM_PARALLEL(largest) (1e-6f * (largest))
#else
#define CF_TEAM_TINY 1e-15
#define CF_TEAM_PARALLEL(largest) 1e-15
#endif

// functions of stages: part of the kernel on a device.  Loops over the numbers of a small array of
// a thread are written out, so that the array lies in registers
#ifdef __NVPTX__
#define CF_TEAM_FN static inline __attribute__((always_inline))
#define CF_TEAM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CF_TEAM_FN static inline
#define CF_TEAM_UNROLL
#endif

// at the beginning of a function whose products and sums are not to be fused where contacts by GJK
// follow
#if defined(CF_TEAM_CONVEX) && !defined(CF_TEAM_SINGLE)
#define CF_TEAM_EXACT _Pragma("clang fp contract(off)")
#else
#define CF_TEAM_EXACT
#endif

// ---------------------------------------- plan and world

// where the arrays of a world begin, in bytes
typedef struct {
#define CF_TEAM_WORLD(type, name, count, first, last, doc) int name;
#include "tables/team_world.def"
} cfTeamPlaces;

typedef struct {
#define CF_TEAM_NUMBER(type, name, value, doc) type name;
#define CF_TEAM_ARRAY(type, name, count, origin, doc) const type* name;
#include "tables/team_model.def"
  cfTeamPlaces at;
  int world_bytes;
} cfTeamPlan;

// what few models have: a lean kernel is compiled without it, and steps the models whose shape says
// is_lean
#ifdef CF_TEAM_LEAN
#define CF_TEAM_RARE(x) (false && (x))
#else
#define CF_TEAM_RARE(x) (x)
#endif

// pairs by GJK: kernels of their own have them, so that the others are not slower for it
#if defined(__NVPTX__) && !defined(CF_TEAM_CONVEX)
#define CF_TEAM_GJK(x) (false && (x))
#else
#define CF_TEAM_GJK(x) (x)
#endif

// on a device it is constant memory, whose numbers are operands of instructions: volatile, so that
// they are not all kept in registers
#ifdef __NVPTX__
typedef volatile cfTeamPlan cfTeamModel;
#else
typedef cfTeamPlan cfTeamModel;
#endif

// types of the arrays of a plan
#define CF_TEAM_ARRAY(type, name, count, origin, doc) typedef type cfTeamKind_##name;
#include "tables/team_model.def"

// types of the arrays of a world
#define CF_TEAM_WORLD(type, name, count, first, last, doc) typedef type cfTeamOf_##name;
#include "tables/team_world.def"

// one thread of a team
typedef struct {
  const cfTeamModel* m;
  char* world;
  int thread;  // its number in the team
#ifndef CF_TEAM_PLAIN
  // from the parameters of the plan to those of the world, in bytes; the same for shapes and
  // frames, 0 where worlds share them
  uint64_t own, form;
#endif
#ifdef __NVPTX__
  unsigned int mask;  // threads of the warp that belong to the team
#ifdef CF_TEAM_CONVEX
  char* room;  // for GJK (overlap.h)
#endif
#endif
} cfTeam;

// an array or a number of the plan that worlds may have of their own, and one that belongs to
// shapes and frames, which most batches share: those stay in the cache then.  Plain kernels step
// worlds that have none, without sensors
#ifdef CF_TEAM_PLAIN
#define CF_OWN(t, name) ((t)->m->name)
#define CF_FORM(t, name) ((t)->m->name)
#define CF_VALUE(t, name) ((t)->m->name)
#else
#define CF_OWN(t, name) \
  ((const cfTeamKind_##name*)(const void*)((const char*)(t)->m->name + (t)->own))
#define CF_FORM(t, name) \
  ((const cfTeamKind_##name*)(const void*)((const char*)(t)->m->name + (t)->form))
#define CF_VALUE(t, name) (CF_OWN(t, own_values)[CF_TEAM_VALUE_##name])
#endif

// array of the world by its name
#define CF_WORLD(t, name) ((cfTeamOf_##name*)(void*)((t)->world + (t)->m->at.name))

// ---------------------------------------- the team

#ifndef CF_TEAM_WIDTH
#ifdef __NVPTX__
#define CF_TEAM_WIDTH 32
#else
#define CF_TEAM_WIDTH 1
#endif
#endif

#ifdef __NVPTX__
#include "team/warp.h"
#elif defined(CF_TEAM_THREADS)
#include "team/threads.h"
#else

// writes of all threads before it are seen by all of them after it
CF_TEAM_FN void teamSync(const cfTeam* t) {
  (void)t;
}


// the teams of a block begin together
CF_TEAM_FN void teamAlign(const cfTeam* t) {
  (void)t;
}


// the same; is it so for one of them
CF_TEAM_FN bool teamAny(const cfTeam* t, bool x) {
  (void)t;
  return x;
}


// the sum over the team, the same in every thread
CF_TEAM_FN cfReal teamSum(const cfTeam* t, cfReal x) {
  (void)t;
  return x;
}


CF_TEAM_FN cfReal teamMax(const cfTeam* t, cfReal x) {
  (void)t;
  return x;
}


CF_TEAM_FN int teamSumInt(const cfTeam* t, int x) {
  (void)t;
  return x;
}


CF_TEAM_FN int teamOr(const cfTeam* t, int x) {
  (void)t;
  return x;
}


// sum over the threads up to and including this one
CF_TEAM_FN int teamScan(const cfTeam* t, int x) {
  (void)t;
  return x;
}


// x of one thread, for all
CF_TEAM_FN cfReal teamFrom(const cfTeam* t, cfReal x, int thread) {
  (void)t, (void)thread;
  return x;
}


CF_TEAM_FN int teamFromInt(const cfTeam* t, int x, int thread) {
  (void)t, (void)thread;
  return x;
}
#endif

// are matrices lower triangles (dense.c), not of the pattern of M (inertia.c)
#ifdef CF_TEAM_LEAN
#define CF_TEAM_DENSE(t) true
#else
#define CF_TEAM_DENSE(t) ((t)->m->is_dense)
#endif

// functions that are called, and pointers into the memory of worlds that they are given
#ifdef __NVPTX__
#define CF_TEAM_CALLED static __attribute__((noinline))
#define CF_TEAM_NEAR __attribute__((address_space(3)))
#else
#define CF_TEAM_CALLED static
#define CF_TEAM_NEAR
#endif

// ---------------------------------------- elementary functions

#if defined(__NVPTX__) && defined(CF_TEAM_SINGLE)
#include "team/fast.h"
#elif defined(CF_TEAM_SINGLE)
#define teamSqrt sqrtf
#define teamSin(x) ((float)cfi_sin(x))
#define teamCos(x) ((float)cfi_cos(x))
#define teamExp(x) ((float)cfi_exp(x))
#define teamPow(x, y) ((float)cfi_pow(x, y))
#define teamAtan2(y, x) ((float)cfi_atan2(y, x))
#define teamAcos(x) ((float)cfi_acos(x))
#else
#define teamSqrt sqrt
#define teamSin cfi_sin
#define teamCos cfi_cos
#define teamExp cfi_exp
#define teamPow cfi_pow
#define teamAtan2 cfi_atan2
#define teamAcos cfi_acos
#endif


CF_TEAM_FN cfReal teamLarger(cfReal a, cfReal b) {
  return a > b ? a : b;
}


CF_TEAM_FN cfReal teamSmaller(cfReal a, cfReal b) {
  return a < b ? a : b;
}


CF_TEAM_FN cfReal teamAbs(cfReal a) {
  return CF_R(__builtin_fabs)(a);
}


CF_TEAM_FN cfReal teamClip(cfReal x, cfReal low, cfReal high) {
  return x < low ? low : x > high ? high : x;
}

#endif  // CF_TEAM_TEAM_H
