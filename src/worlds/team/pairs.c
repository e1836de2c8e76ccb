// Pairs of geoms that may touch, in the order in which the engine meets them, with the parameters
// of their contacts already mixed.
//
// The engine goes through pairs of bodies in the order of their signatures, predefined pairs before
// the geoms of the same two bodies.  Which pairs are near changes from step to step, their order
// does not: a list of all that pass the filters, looked through in its order, gives the same
// contacts.
#include <stdio.h>

#include "base/assert.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "collision/parameters.h"
#include "law/reference.h"
#include "math/inline.h"
#include "model/flags.h"
#include "team/overlap.h"
#include "team/tier.h"

// the list while it is made; pair is NULL where pairs are only counted
typedef struct {
  const mjModel* m;
  cfTeamPair* pair;
  int most, count;
  int next;                // predefined pair
  int missing1, missing2;  // types of a pair that has no collider here; -1: none
  bool has_convex;
} teamPairList;


static int teamColliderKind(int type1, int type2) {
  static const signed char kind[mjNGEOMTYPES][mjNGEOMTYPES] = {
      [mjGEOM_PLANE] = {[mjGEOM_SPHERE] = CF_PAIR_PLANE_SPHERE,
                        [mjGEOM_CAPSULE] = CF_PAIR_PLANE_CAPSULE,
                        [mjGEOM_ELLIPSOID] = CF_PAIR_PLANE_ELLIPSOID,
                        [mjGEOM_CYLINDER] = CF_PAIR_PLANE_CYLINDER,
                        [mjGEOM_BOX] = CF_PAIR_PLANE_BOX,
                        [mjGEOM_MESH] = CF_PAIR_PLANE_MESH},
      [mjGEOM_SPHERE] = {[mjGEOM_SPHERE] = CF_PAIR_SPHERE_SPHERE,
                         [mjGEOM_CAPSULE] = CF_PAIR_SPHERE_CAPSULE,
                         [mjGEOM_ELLIPSOID] = CF_PAIR_CONVEX,
                         [mjGEOM_CYLINDER] = CF_PAIR_SPHERE_CYLINDER,
                         [mjGEOM_BOX] = CF_PAIR_SPHERE_BOX,
                         [mjGEOM_MESH] = CF_PAIR_CONVEX},
      [mjGEOM_CAPSULE] = {[mjGEOM_CAPSULE] = CF_PAIR_CAPSULE_CAPSULE,
                          [mjGEOM_ELLIPSOID] = CF_PAIR_CONVEX,
                          [mjGEOM_CYLINDER] = CF_PAIR_CONVEX,
                          [mjGEOM_BOX] = CF_PAIR_CAPSULE_BOX,
                          [mjGEOM_MESH] = CF_PAIR_CONVEX},
      [mjGEOM_ELLIPSOID] = {[mjGEOM_ELLIPSOID] = CF_PAIR_CONVEX,
                            [mjGEOM_CYLINDER] = CF_PAIR_CONVEX,
                            [mjGEOM_BOX] = CF_PAIR_CONVEX,
                            [mjGEOM_MESH] = CF_PAIR_CONVEX},
      [mjGEOM_CYLINDER] = {[mjGEOM_CYLINDER] = CF_PAIR_CONVEX,
                           [mjGEOM_BOX] = CF_PAIR_CONVEX,
                           [mjGEOM_MESH] = CF_PAIR_CONVEX},
      [mjGEOM_BOX] = {[mjGEOM_BOX] = CF_PAIR_BOX_BOX, [mjGEOM_MESH] = CF_PAIR_CONVEX},
      [mjGEOM_MESH] = {[mjGEOM_MESH] = CF_PAIR_CONVEX},
  };
  return kind[type1][type2];
}


// what the tier does not have of the pairs that are found by GJK, by name, or NULL
static const char* foreignConvex(const mjModel* m) {
  if (cfi_disabled(m, mjDSBL_NATIVECCD)) {
    return "contacts by libccd";
  }
  return m->opt.ccd_iterations > CF_OVERLAP_ITERATIONS ? "more than 50 iterations of GJK" : NULL;
}


// does the engine collide geoms of these types
static bool haveCollider(int type1, int type2) {
  return type2 > mjGEOM_HFIELD && (type1 != mjGEOM_PLANE || type2 != mjGEOM_PLANE);
}


// stiffness and damping of a reference, and the impedance, as the engine checks them
void cfi_teamGains(const mjModel* m, const mjtNum solref[mjNREF], const mjtNum solimp[mjNIMP],
                   mjtNum gain[2], mjtNum imp[mjNIMP]) {
  mjtNum ref[mjNREF] = {solref[0], solref[1]};
  lawBoundImpedance(imp, solimp);
  if (lawIsMixed(ref)) {
    ref[0] = 0.02;  // the default
    ref[1] = 1;
  }
  if (ref[0] > 0 && !cfi_disabled(m, mjDSBL_REFSAFE)) {
    ref[0] = cfi_max(ref[0], 2 * m->opt.timestep);
  }
  lawGains(ref, imp[1], gain, gain + 1);
}


static void setTeamParameters(const mjModel* m, cfTeamPair* to, const cfContactParameters* from) {
  const mjtNum* friction = from->solreffriction;
  to->dim = from->dim;
  to->includemargin = to->margin - from->gap;
  cfi_teamGains(m, from->solref, from->solimp, to->gain, to->imp);
  to->gain[2] = to->gain[1];

  // rows of friction may have a reference of their own; a mixture of formats is none
  if ((friction[0] > 0) == (friction[1] > 0) && (friction[0] != 0 || friction[1] != 0)) {
    mjtNum gain[2], imp[mjNIMP];
    cfi_teamGains(m, friction, from->solimp, gain, imp);
    to->gain[2] = gain[1];
  }
  for (int k = 0; k < 5; k++) {
    to->friction[k] = from->friction[k];
  }
  for (int k = 0; k < 2; k++) {
    to->body[k] = m->geom_bodyid[k ? to->second : to->first];
  }
  to->weight = m->body_invweight0[2 * to->body[0]] + m->body_invweight0[2 * to->body[1]];
}


// add two geoms; predefined: the pair that names them, or -1
static void addTeamPair(teamPairList* list, int g1, int g2, int predefined) {
  const mjModel* m = list->m;
  if (m->geom_type[g1] > m->geom_type[g2]) {
    const int swap = g1;
    g1 = g2;
    g2 = swap;
  }
  const int type1 = m->geom_type[g1], type2 = m->geom_type[g2];
  if (!haveCollider(type1, type2)) {
    return;
  }
  cfTeamPair pair = {.first = g1, .second = g2, .kind = teamColliderKind(type1, type2)};
  list->has_convex |= pair.kind == CF_PAIR_CONVEX;
  if (pair.kind == CF_PAIR_NONE) {
    list->missing1 = type1;
    list->missing2 = type2;
  }
  if (list->pair && list->count < list->most) {
    cfContactParameters parameters;
    if (predefined >= 0) {
      pair.margin = cfi_overrideMargin(m, m->pair_margin[predefined]);
      cfi_pairParameters(&parameters, m, predefined);
    } else {
      const cfContactSide a = cfi_geomSide(m, g1), b = cfi_geomSide(m, g2);
      pair.margin = cfi_geomMargin(m, g1, g2);
      cfi_mixParameters(&parameters, m, &a, &b);
    }
    setTeamParameters(m, &pair, &parameters);
    list->pair[list->count] = pair;
  }
  list->count++;
}


static bool isTeamPredefined(const mjModel* m, int g1, int g2) {
  for (int k = 0; k < m->npair; k++) {
    const int p1 = m->pair_geom1[k], p2 = m->pair_geom2[k];
    if ((p1 == g1 && p2 == g2) || (p1 == g2 && p2 == g1)) {
      return true;
    }
  }
  return false;
}


// pairs from `start` on by their geoms, as the engine orders what the trees of two bodies give
static void sortTeamPairs(teamPairList* list, int start) {
  for (int i = start + 1; list->pair && i < list->count && i < list->most; i++) {
    const cfTeamPair moving = list->pair[i];
    int hole = i;
    for (; hole > start && cfi_pairKey(list->pair[hole - 1].first, list->pair[hole - 1].second) >
                               cfi_pairKey(moving.first, moving.second);
         hole--) {
      list->pair[hole] = list->pair[hole - 1];
    }
    list->pair[hole] = moving;
  }
}


// all geoms of two bodies
static void addTeamBodies(teamPairList* list, int body1, int body2) {
  const mjModel* m = list->m;
  const int start = list->count, adr1 = m->body_geomadr[body1], adr2 = m->body_geomadr[body2];
  for (int g1 = adr1; g1 < adr1 + m->body_geomnum[body1]; g1++) {
    for (int g2 = adr2; g2 < adr2 + m->body_geomnum[body2]; g2++) {
      if (cfi_masksMatch(m->geom_contype[g1], m->geom_conaffinity[g1], m->geom_contype[g2],
                         m->geom_conaffinity[g2]) &&
          !isTeamPredefined(m, g1, g2)) {
        addTeamPair(list, g1, g2, -1);
      }
    }
  }
  if (m->body_bvhadr[body1] >= 0 && m->body_bvhadr[body2] >= 0 &&
      !cfi_disabled(m, mjDSBL_MIDPHASE)) {
    sortTeamPairs(list, start);
  }
}


static bool isTeamExcluded(const mjModel* m, int signature) {
  for (int k = 0; k < m->nexclude; k++) {
    if (m->exclude_signature[k] == signature) {
      return true;
    }
  }
  return false;
}


// two bodies that the broad phase may pair
static bool mayTeamMeet(const mjModel* m, int body1, int body2) {
  if (!m->body_geomnum[body1] || !m->body_geomnum[body2] ||
      isTeamExcluded(m, (body1 << 16) + body2)) {
    return false;
  }
  const cfMover a = cfi_describeBody(m, body1), b = cfi_describeBody(m, body2);
  return !cfi_keptApart(&a, &b, !cfi_disabled(m, mjDSBL_FILTERPARENT)) && cfi_masksAllow(m, &a, &b);
}


// predefined pairs up to a signature
static void addPredefined(teamPairList* list, unsigned int signature) {
  const mjModel* m = list->m;
  while (list->next < m->npair && (unsigned int)m->pair_signature[list->next] <= signature) {
    const int pair = list->next++;
    addTeamPair(list, m->pair_geom1[pair], m->pair_geom2[pair], pair);
  }
}


static void listTeamPairs(teamPairList* list) {
  const mjModel* m = list->m;
  if (cfi_disabled(m, mjDSBL_CONSTRAINT) || cfi_disabled(m, mjDSBL_CONTACT)) {
    return;
  }
  for (int body1 = 0; body1 < m->nbody; body1++) {
    for (int body2 = body1 + 1; body2 < m->nbody; body2++) {
      if (mayTeamMeet(m, body1, body2)) {
        addPredefined(list, ((unsigned int)body1 << 16) + (unsigned int)body2);
        addTeamBodies(list, body1, body2);
      }
    }
  }
  addPredefined(list, UINT32_MAX);
}


int cfi_teamPairs(const mjModel* m, cfTeamPair* pair, int most, char* reason, size_t nreason) {
  static const char* const name[mjNGEOMTYPES] = {
      "plane", "height field", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "SDF"};
  teamPairList list = {.m = m, .pair = pair, .most = most, .missing1 = -1, .missing2 = -1};
  listTeamPairs(&list);
  if (list.missing1 >= 0) {
    snprintf(reason, nreason, "contacts of %s and %s", name[list.missing1], name[list.missing2]);
    return -1;
  }
  const char* foreign = list.has_convex ? foreignConvex(m) : NULL;
  if (foreign) {
    snprintf(reason, nreason, "%s", foreign);
    return -1;
  }
  return list.count;
}
