// The broad phase for who knows which bodies come near each other: many worlds of one model list
// the pairs once and compare bounding spheres in all worlds together.
#ifndef CF_COLLISION_BROAD_NEAR_H
#define CF_COLLISION_BROAD_NEAR_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "collision/broad/broad.h"
#include "collision/parameters.h"

// two bodies that all filters of the model let through
typedef struct {
  int body[2];     // the lower id first
  bool is_static;  // paired whatever their boxes do, because one of them is the world or a plane
} cfCandidate;

// two geoms of a candidate whose masks match, ordered by type
typedef struct {
  int geom[2];
} cfNearGeoms;

// what is known about the candidates in one world
typedef struct {
  const cfCandidate* candidate;  // ascending, without repetition
  const int* hit;                // those that meet in some world, ascending
  int n;
  // bits of worlds, per candidate: bounding spheres of two of their geoms meet; they overlap by
  // more than the single precision of boxes hides
  const unsigned char *meets, *is_sure;
  unsigned char bit;  // of this world
  // geoms of candidate k: first_geoms[k] .. first_geoms[k + 1], ascending; bits of worlds for each:
  // they may touch
  const int* first_geoms;
  const cfNearGeoms* geoms;
  const unsigned char* geoms_meet;
  // contacts that were found in several worlds together: bits of worlds for each of these geoms;
  // their number and place, of this world at every nworld-th entry; distance, position and frame of
  // each, again of this world at every nworld-th place of CF_BARE_CONTACT numbers
  const unsigned char *known, *found_count;
  const cfContactParameters* parameters;  // of each of these geoms; NULL: mixed when asked for
  const int* found_at;
  const mjtNum* found;
  int nworld;
  bool is_all_known;  // no world needs a collider, nor boxes
} cfNearPairs;

// numbers that a contact has before it gets its parameters, and room behind them
enum { CF_BARE_CONTACT = 16 };

// the pairs of cfi_broadphase, without those of which no two spheres meet: they have no contacts
cfPairList cfi_nearPairs(const mjModel* m, mjData* d, const cfNearPairs* near);

// are contacts that are known taken for geoms of two bodies, or does it go another way
bool cfi_takesKnown(const mjModel* m, int body1, int body2);

// mj_collision with these pairs.  Nodes of trees are not marked for drawing where nothing meets
void cfi_collideNear(const mjModel* m, mjData* d, const cfNearPairs* near);

#endif  // CF_COLLISION_BROAD_NEAR_H
