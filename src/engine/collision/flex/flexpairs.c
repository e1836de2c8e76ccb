// Which parts of flexes meet which others.
#include "base/likely.h"
#include "collision/flex/flex.h"

#include "base/assert.h"
#include "collision/broad/filter.h"
#include "model/flags.h"


// every geom of a body against every element
static void collideAllElems(const mjModel* m, mjData* d, int body, int f) {
  for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
    if (!cfi_masksMatch(m->geom_contype[g], m->geom_conaffinity[g], m->flex_contype[f],
                        m->flex_conaffinity[f])) {
      continue;
    }
    if (m->geom_type[g] == mjGEOM_PLANE) {
      cfi_collidePlaneFlex(m, d, g, f);
      continue;
    }
    for (int e = 0; e < m->flex_elemnum[f]; e++) {
      cfi_collideGeomElem(m, d, g, f, e);
    }
  }
}


static void collideBodyFlex(const mjModel* m, mjData* d, int body, int f) {
  const bool have_trees = m->body_bvhadr[body] >= 0 && m->flex_bvhadr[f] >= 0;
  if (have_trees && !cfi_disabled(m, mjDSBL_MIDPHASE)) {
    cfi_collideBodyTree(m, d, body, f);
  } else {
    collideAllElems(m, d, body, f);
  }
}


static void collideTwoFlexes(const mjModel* m, mjData* d, int f1, int f2) {
  const bool have_trees = m->flex_bvhadr[f1] >= 0 && m->flex_bvhadr[f2] >= 0;
  if (have_trees && !cfi_disabled(m, mjDSBL_MIDPHASE)) {
    cfi_collideFlexTrees(m, d, f1, f2);
    return;
  }
  for (int e1 = 0; e1 < m->flex_elemnum[f1]; e1++) {
    for (int e2 = 0; e2 < m->flex_elemnum[f2]; e2++) {
      cfi_collideElems(m, d, f1, e1, f2, e2);
    }
  }
}


void cfi_collideFlexPair(const mjModel* m, mjData* d, int mover1, int mover2) {
  CF_ASSERT(mover1 < mover2 && mover2 >= m->nbody);
  if (mover1 < m->nbody) {
    collideBodyFlex(m, d, mover1, mover2 - (int)m->nbody);
  } else {
    collideTwoFlexes(m, d, mover1 - (int)m->nbody, mover2 - (int)m->nbody);
  }
}


// predefined pairs of element and vertex, then tetrahedra that turn inside out
static void collideInternal(const mjModel* m, mjData* d, int f) {
  for (int k = 0; k < m->flex_evpairnum[f]; k++) {
    const int* pair = m->flex_evpair + 2 * (m->flex_evpairadr[f] + k);
    cfi_collideElemVert(m, d, f, pair[0], pair[1]);
  }
  if (m->flex_dim[f] == 3) {
    cfi_collideInsideOut(m, d, f);
  }
}


static void collideAllActive(const mjModel* m, mjData* d, int f) {
  for (int e1 = 0; e1 < m->flex_elemnum[f]; e1++) {
    for (int e2 = e1 + 1; cfi_isActiveElem(m, f, e1) && e2 < m->flex_elemnum[f]; e2++) {
      if (cfi_isActiveElem(m, f, e2)) {
        cfi_collideElems(m, d, f, e1, f, e2);
      }
    }
  }
}


static void collideSelf(const mjModel* m, mjData* d, int f) {
  const int mode = m->flex_selfcollide[f];
  if (cfi_disabled(m, mjDSBL_MIDPHASE) || mode == mjFLEXSELF_NARROW || m->flex_bvhadr[f] < 0) {
    collideAllActive(m, d, f);
  } else if (mode == mjFLEXSELF_BVH || (mode == mjFLEXSELF_AUTO && m->flex_dim[f] == 3)) {
    cfi_collideOwnTree(m, d, f);
  } else {
    cfi_sweepElements(m, d, f);
  }
}


void cfi_collideFlexSelf(const mjModel* m, mjData* d) {
  if (CF_OFTEN(m->nflex == 0)) {
    return;
  }
  for (int f = 0; f < m->nflex; f++) {
    if (m->flex_rigid[f] || !(m->flex_contype[f] & m->flex_conaffinity[f])) {
      continue;
    }
    if (m->flex_internal[f]) {
      collideInternal(m, d, f);
    }
    if (m->flex_selfcollide[f] != mjFLEXSELF_NONE) {
      collideSelf(m, d, f);
    }
  }
}
