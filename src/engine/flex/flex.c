// Deformable bodies: where their parts are.
#include "flex/flex.h"

#include "model/flags.h"

// an equality constraint holds the strain around every vertex
enum { EQUALITY_STRAIN = 2 };


// edges of rigid and interpolated flexes carry no force
static void measureFlex(const mjModel* m, mjData* d, int f) {
  if (m->flex_rigid[f] || m->flex_interp[f]) {
    return;
  }
  cfi_measureEdges(m, d, f);
  if (m->flex_dim[f] == 2 && m->flex_edgeequality[f] == EQUALITY_STRAIN) {
    cfi_measureStrain(m, d, f);
  }
}


// stage FLEX.  reads: xpos, xmat, subtree_com, cdof.
// writes: flexvert_xpos, flexelem_aabb, bvh_aabb_dyn, flexedge_J, flexedge_length, flexvert_J,
// flexvert_length.
void mj_flex(const mjModel* m, mjData* d) {
  if (!m->nflex) {
    return;
  }
  const bool has_trees = !cfi_disabled(m, mjDSBL_MIDPHASE);
  for (int f = 0; f < m->nflex; f++) {
    cfi_placeVertices(m, d, f);
    cfi_boundElements(m, d, f);
    if (has_trees && m->flex_bvhadr[f] >= 0) {
      cfi_refitTree(m, d, f);
    }
    measureFlex(m, d, f);
  }
}
