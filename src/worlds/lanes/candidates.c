// Pairs of bodies that may touch, whatever their poses: the filters of collision/broad, once.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/sort.h"
#include "batch/batch.h"
#include "lanes/lanes.h"
#include "collision/broad/filter.h"
#include "collision/mid/obb.h"
#include "model/flags.h"

// spheres per body up to which comparing all of them in lanes beats the sweep of each world
enum { SPHERES_PER_BODY = 64 };


// a body that the broad phase looks at
typedef struct {
  cfMover mover;
  bool can_collide;
  bool is_static;  // the world, or a plane that does not move: paired with all that does
} laneBody;


static laneBody describeLaneBody(const mjModel* m, int b) {
  laneBody body = {.mover = cfi_describeBody(m, b)};
  body.can_collide = m->body_geomnum[b] && (m->body_contype[b] || m->body_conaffinity[b]);
  body.is_static = b == 0;
  for (int g = m->body_geomadr[b]; g < m->body_geomadr[b] + m->body_geomnum[b]; g++) {
    body.is_static |= body.mover.weld == 0 && m->geom_type[g] == mjGEOM_PLANE;
  }
  return body;
}


static bool isExcludedPair(const mjModel* m, int body1, int body2) {
  const unsigned signature = ((unsigned)body1 << 16) + (unsigned)body2;
  bool is_excluded = false;
  for (int k = 0; k < m->nexclude; k++) {
    is_excluded |= (unsigned)m->exclude_signature[k] == signature;
  }
  return is_excluded;
}


// do the filters let two bodies through; is_static: whatever their boxes do
static bool isCandidate(const mjModel* m, const laneBody* a, const laneBody* b, bool* is_static) {
  CF_ASSERT(a->mover.id < b->mover.id);
  if (!a->can_collide || !b->can_collide || !cfi_masksAllow(m, &a->mover, &b->mover) ||
      isExcludedPair(m, a->mover.id, b->mover.id)) {
    return false;
  }
  *is_static = (a->is_static && b->mover.weld != 0) || (b->is_static && a->mover.weld != 0);
  // the world itself is not in the sweep
  return *is_static || (a->mover.id > 0 && !cfi_keptApart(&a->mover, &b->mover,
                                                          !cfi_disabled(m, mjDSBL_FILTERPARENT)));
}


// Trees ask the boxes of inner nodes and of leaves, with other rounding than colliders; a tree that
// holds a plane is 1e10 wide, whose sums round by 4e-6 (collision/mid/obb.c).  Bodies of one geom
// each ask none
static mjtNum doubtOf(const mjModel* m, int g1, int g2) {
  const int body[2] = {m->geom_bodyid[g1], m->geom_bodyid[g2]};
  bool is_unbounded = false;
  if (m->body_geomnum[body[0]] == 1 && m->body_geomnum[body[1]] == 1) {
    return 0;
  }
  for (int k = 0; k < 2; k++) {
    const int adr = m->body_bvhadr[body[k]];
    is_unbounded |= adr >= 0 && cfi_isUnbounded(m->bvh_aabb + 6 * adr);
  }
  return is_unbounded ? 2e-5 : 1e-9;
}


// GJK and its like take shapes for touching that are apart by less than a tolerance, and an upright
// cylinder may be found a radius deep in a plane that it does not touch (its axis has to be the
// normal but for rounding)
static mjtNum slackOf(const mjModel* m, int g1, int g2) {
  const cftNarrow kind = cfi_laneNarrowKind(m, g1, g2);
  if (kind != CF_NARROW_NONE && kind != CF_NARROW_CONVEX) {
    return 0;
  }
  const bool is_plane = m->geom_type[g1] == mjGEOM_PLANE;
  return is_plane && m->geom_type[g2] == mjGEOM_CYLINDER ? INFINITY
                                                         : 1e-6 + 2 * fabs(m->opt.ccd_tolerance);
}


// of a plane and another geom: the plane comes first
static cfLaneSpheres spheresOf(const mjModel* m, int g1, int g2) {
  const mjtNum r1 = m->geom_rbound[g1], r2 = m->geom_rbound[g2], margin = cfi_geomMargin(m, g1, g2);
  const mjtNum slack = slackOf(m, g1, g2), doubt = doubtOf(m, g1, g2);
  if (r1 > 0 && r2 > 0) {
    return (cfLaneSpheres){CF_NEAR_SPHERES, r1 + r2 + margin, margin, slack, doubt};
  }
  if (r2 > 0 && m->geom_type[g1] == mjGEOM_PLANE) {
    return (cfLaneSpheres){CF_NEAR_PLANE, margin + r2, margin, slack, doubt};
  }
  return (cfLaneSpheres){CF_NEAR_ALWAYS, 0, margin, slack, doubt};
}


// GJK and EPA: shapes without vertices, of which one contact is asked
static bool isLaneConvex(const mjModel* m, int type1, int type2) {
  const bool is_smooth = type1 == mjGEOM_ELLIPSOID || type1 == mjGEOM_CYLINDER ||
                         type2 == mjGEOM_ELLIPSOID || type2 == mjGEOM_CYLINDER;
  const bool is_other = type1 == mjGEOM_SPHERE && type2 == mjGEOM_CYLINDER;
  return is_smooth && !is_other && type1 >= mjGEOM_SPHERE && type2 <= mjGEOM_BOX &&
         m->opt.ccd_iterations <= CF_LANE_VERTICES - 6 && !cfi_enabled(m, mjENBL_MULTICCD) &&
         !cfi_disabled(m, mjDSBL_NATIVECCD);
}


cftNarrow cfi_laneNarrowKind(const mjModel* m, int geom1, int geom2) {
  static const unsigned char closed[mjNGEOMTYPES][mjNGEOMTYPES] = {
      [mjGEOM_PLANE] = {[mjGEOM_SPHERE] = CF_NARROW_PLANE_SPHERE,
                        [mjGEOM_CAPSULE] = CF_NARROW_PLANE_CAPSULE,
                        [mjGEOM_BOX] = CF_NARROW_PLANE_BOX},
      [mjGEOM_SPHERE] =
          {[mjGEOM_SPHERE] = CF_NARROW_SPHERES, [mjGEOM_CAPSULE] = CF_NARROW_SPHERE_CAPSULE},
      [mjGEOM_CAPSULE] = {[mjGEOM_CAPSULE] = CF_NARROW_CAPSULES},
      [mjGEOM_BOX] = {[mjGEOM_BOX] = CF_NARROW_BOXES},
  };
  const int type1 = m->geom_type[geom1], type2 = m->geom_type[geom2];
  CF_ASSERT(type1 <= type2 && type2 < mjNGEOMTYPES);
  if (!cfi_takesKnown(m, m->geom_bodyid[geom1], m->geom_bodyid[geom2])) {
    return CF_NARROW_NONE;
  }
  return isLaneConvex(m, type1, type2) ? CF_NARROW_CONVEX : (cftNarrow)closed[type1][type2];
}


static int compareGeoms(const void* a, const void* b) {
  const int *x = ((const cfNearGeoms*)a)->geom, *y = ((const cfNearGeoms*)b)->geom;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}


// geoms of two bodies whose masks match, ordered by type and then by number as the middle phase
// has them; their number.  NULL: count
static int listGeoms(cfNearGeoms* geoms, const mjModel* m, int body1, int body2) {
  const int adr1 = m->body_geomadr[body1], adr2 = m->body_geomadr[body2];
  int n = 0;
  for (int g1 = adr1; g1 < adr1 + m->body_geomnum[body1]; g1++) {
    for (int g2 = adr2; g2 < adr2 + m->body_geomnum[body2]; g2++) {
      if (cfi_masksMatch(m->geom_contype[g1], m->geom_conaffinity[g1], m->geom_contype[g2],
                         m->geom_conaffinity[g2])) {
        if (geoms) {
          const bool is_ordered = m->geom_type[g1] <= m->geom_type[g2];
          geoms[n] = (cfNearGeoms){{is_ordered ? g1 : g2, is_ordered ? g2 : g1}};
        }
        n++;
      }
    }
  }
  if (geoms) {
    cfi_sort(geoms, (size_t)n, sizeof(*geoms), compareGeoms);
  }
  return n;
}


// all candidates in order; the first pass, without memory, counts
static void fillCandidates(cfLaneCandidates* near, const mjModel* m, const laneBody* body,
                           int* ngeoms) {
  const int nbody = (int)m->nbody;
  near->ncandidate = *ngeoms = 0;
  for (int a = 0; a < nbody; a++) {
    for (int b = a + 1; b < nbody; b++) {
      bool is_static;
      if (!isCandidate(m, body + a, body + b, &is_static)) {
        continue;
      }
      if (near->candidate) {
        near->candidate[near->ncandidate] = (cfCandidate){{a, b}, is_static};
        near->first[near->ncandidate] = *ngeoms;
      }
      *ngeoms += listGeoms(near->geoms ? near->geoms + *ngeoms : NULL, m, a, b);
      near->ncandidate++;
    }
  }
  if (near->first) {
    near->first[near->ncandidate] = *ngeoms;
  }
  for (int k = 0; k < *ngeoms && near->spheres; k++) {
    const int* geom = near->geoms[k].geom;
    near->spheres[k] = spheresOf(m, geom[0], geom[1]);
    near->kind[k] = (unsigned char)cfi_laneNarrowKind(m, geom[0], geom[1]);
    near->known[k] = 0;
    const cfContactSide a = cfi_geomSide(m, geom[0]), b = cfi_geomSide(m, geom[1]);
    cfi_mixParameters(near->parameters + k, m, &a, &b);
  }
}


// marks of trees are for those who keep them; margins of the override may differ between worlds
static bool hasLaneCandidates(const mjModel* m, const cfBatch* batch) {
  return (cfi_laneSupport(cfi_featuresOf(m)) & CF_LANE_NEAR) &&
         !(batch && cfi_batchPart(batch, "bvh_active"));
}


static bool allocateCandidates(cfLaneCandidates* near, int ngeoms, size_t ngeom) {
  const size_t n = (size_t)near->ncandidate, npair = (size_t)ngeoms;
  near->candidate = cfi_tryMalloc(sizeof(cfCandidate) * (n + 1));
  near->geoms = cfi_tryMalloc(sizeof(cfNearGeoms) * (npair + 1));
  near->spheres = cfi_tryMalloc(sizeof(cfLaneSpheres) * (npair + 1));
  near->first = cfi_tryMalloc(sizeof(int) * (2 * n + 1));
  near->hit = near->first ? near->first + n + 1 : NULL;
  near->meets = cfi_tryMalloc(2 * n + (3 + CF_LANES_MAX) * npair + ngeom + 1);
  near->is_sure = near->meets ? near->meets + n : NULL;
  near->geoms_meet = near->meets ? near->is_sure + n : NULL;
  near->kind = near->meets ? near->geoms_meet + npair : NULL;
  near->known = near->meets ? near->kind + npair : NULL;
  near->found_count = near->meets ? near->known + npair : NULL;
  near->has_box = near->meets ? near->found_count + CF_LANES_MAX * npair : NULL;
  near->found_at = cfi_tryMalloc(sizeof(int) * (CF_LANES_MAX * npair + 1));
  near->parameters = cfi_tryMalloc(sizeof(cfContactParameters) * (npair + 1));
  near->found = cfi_tryMalloc(sizeof(mjtNum) * CF_BARE_CONTACT * CF_LANES_MAX * CF_LANE_FOUND);
  return near->candidate && near->geoms && near->spheres && near->first && near->meets &&
         near->found_at && near->found && near->parameters;
}


bool cfi_listCandidates(cfLaneCandidates* near, const mjModel* m, const cfBatch* batch) {
  memset(near, 0, sizeof(*near));
  laneBody* body =
      hasLaneCandidates(m, batch) ? cfi_tryMalloc(sizeof(laneBody) * (size_t)m->nbody) : NULL;
  if (!body) {
    return false;
  }
  for (int b = 0; b < m->nbody; b++) {
    body[b] = describeLaneBody(m, b);
  }
  int ngeoms;
  fillCandidates(near, m, body, &ngeoms);
  const bool has_list =
      ngeoms <= SPHERES_PER_BODY * m->nbody && allocateCandidates(near, ngeoms, (size_t)m->ngeom);
  if (has_list) {
    fillCandidates(near, m, body, &ngeoms);
  } else {
    cfi_freeCandidates(near);
  }
  mju_free(body);
  return has_list;
}


void cfi_freeCandidates(cfLaneCandidates* near) {
  mju_free(near->candidate);
  mju_free(near->geoms);
  mju_free(near->spheres);
  mju_free(near->first);
  mju_free(near->meets);
  mju_free(near->found_at);
  mju_free(near->found);
  mju_free(near->parameters);
  memset(near, 0, sizeof(*near));
}
