// Bounds of geoms and of the trees over them, and relations of frames, after geoms, sites or
// inertial frames were edited in a model.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "compile/bvh.h"
#include "compile/constants.h"
#include "compile/placement.h"
#include "compile/solids.h"
#include "math/libm.h"

// a model that was edited and the one it was made from
typedef struct {
  mjModel* m;
  const mjModel* made;
} editedModel;


// are n numbers at a place of an array the same in both models
static bool isKept(const mjtNum* edited, const mjtNum* made, int place, int n) {
  return !memcmp(edited + place, made + place, sizeof(mjtNum) * (size_t)n);
}


static bool keepsInertialFrame(const editedModel* e, int body) {
  return isKept(e->m->body_ipos, e->made->body_ipos, 3 * body, 3) &&
         isKept(e->m->body_iquat, e->made->body_iquat, 4 * body, 4);
}


static bool keepsGeomFrame(const editedModel* e, int geom) {
  return isKept(e->m->geom_pos, e->made->geom_pos, 3 * geom, 3) &&
         isKept(e->m->geom_quat, e->made->geom_quat, 4 * geom, 4);
}


// bounding sphere and box; planes have the same ones whatever their sizes, and sizes of meshes and
// the like are those of their data
static void fitBounds(const editedModel* e, int geom) {
  mjModel* m = e->m;
  const mjtNum* size = m->geom_size + 3 * geom;
  mjtNum *box = m->geom_aabb + 6 * geom, half[3];
  m->geom_rbound[geom] = e->made->geom_rbound[geom];
  memcpy(box, e->made->geom_aabb + 6 * geom, 6 * sizeof(mjtNum));
  if (!isKept(m->geom_size, e->made->geom_size, 3 * geom, 3) &&
      cfi_shapeBox(half, m->geom_type[geom], size)) {
    m->geom_rbound[geom] = cfi_shapeRadius(m->geom_type[geom], size);
    memset(box, 0, 3 * sizeof(mjtNum));
    memcpy(box + 3, half, sizeof(half));
  }
}


// ---------------------------------------- trees

// bounds of a leaf, or of what its children cover; children come after their parent
static void boundNode(const mjModel* m, int body, int node, double (*bounds)[6]) {
  const int at = m->body_bvhadr[body] + node;
  const int* child = m->bvh_child + 2 * at;
  double *low = bounds[node], *high = bounds[node] + 3;
  if (child[0] < 0 && child[1] < 0) {
    const int geom = m->bvh_nodeid[at];
    const mjtNum* quat = m->body_iquat + 4 * body;
    const double inverse[4] = {quat[0], -quat[1], -quat[2], -quat[3]};
    const cfBvhItem item = {m->geom_aabb + 6 * geom, m->geom_pos + 3 * geom,
                            m->geom_quat + 4 * geom, geom};
    CF_ASSERT_INDEX(geom, m->ngeom);
    cfi_boundItem(low, high, &item, m->body_ipos + 3 * body, inverse);
    return;
  }
  for (int k = 0; k < 3; k++) {
    low[k] = DBL_MAX;
    high[k] = -DBL_MAX;
  }
  for (int side = 0; side < 2; side++) {
    CF_ASSERT(child[side] > node && child[side] < m->body_bvhnum[body]);
    const double* below = bounds[child[side]];
    for (int k = 0; k < 3; k++) {
      low[k] = cfi_fmin(low[k], below[k]);
      high[k] = cfi_fmax(high[k], below[3 + k]);
    }
  }
}


static void fitTree(mjModel* m, mjData* d, int body) {
  const int count = m->body_bvhnum[body];
  mj_markStack(d);
  double(*bounds)[6] = (double(*)[6])(void*)mj_stackAllocNum(d, 6 * (size_t)count);
  for (int node = count - 1; node >= 0; node--) {
    boundNode(m, body, node, bounds);
  }
  for (int node = 0; node < count; node++) {
    cfi_boundsToBox(m->bvh_aabb + 6 * (m->body_bvhadr[body] + node), bounds[node],
                    bounds[node] + 3);
  }
  mj_freeStack(d);
}


// ---------------------------------------- bodies

// geoms of a body and the tree over them
static void refitBody(const editedModel* e, mjData* d, int body) {
  mjModel* m = e->m;
  const int first = m->body_geomadr[body], count = m->body_geomnum[body];
  const mjtNum *ipos = m->body_ipos + 3 * body, *iquat = m->body_iquat + 4 * body;
  const bool has_same_frame = keepsInertialFrame(e, body);
  bool is_kept = has_same_frame, has_same_margins = true;
  mjtNum margin = 0;
  for (int g = first; g < first + count; g++) {
    const bool is_in_place = keepsGeomFrame(e, g);
    fitBounds(e, g);
    m->geom_sameframe[g] =
        is_in_place && has_same_frame
            ? e->made->geom_sameframe[g]
            : (mjtByte)cfi_frameRelation(m->geom_pos + 3 * g, m->geom_quat + 4 * g, ipos, iquat);
    is_kept &= is_in_place && isKept(m->geom_size, e->made->geom_size, 3 * g, 3);
    has_same_margins &= isKept(m->geom_margin, e->made->geom_margin, g, 1);
    margin = cfi_fmax(margin, m->geom_margin[g]);
  }
  m->body_margin[body] = has_same_margins ? e->made->body_margin[body] : margin;
  if (m->body_bvhnum[body] && is_kept) {
    const size_t place = 6 * (size_t)m->body_bvhadr[body];
    memcpy(m->bvh_aabb + place, e->made->bvh_aabb + place,
           6 * sizeof(mjtNum) * (size_t)m->body_bvhnum[body]);
  } else if (m->body_bvhnum[body]) {
    fitTree(m, d, body);
  }
}


// how the inertial frame relates to that of its body, as the compiler puts it
static void relateInertialFrame(const editedModel* e, int body) {
  mjModel* m = e->m;
  const mjtNum *ipos = m->body_ipos + 3 * body, *iquat = m->body_iquat + 4 * body;
  m->body_sameframe[body] = e->made->body_sameframe[body];
  if (!keepsInertialFrame(e, body)) {
    const mjtSameFrame same = cfi_frameRelation(ipos, iquat, ipos, iquat);
    m->body_sameframe[body] =
        (mjtByte)(same == mjSAMEFRAME_BODY || same == mjSAMEFRAME_BODYROT ? same
                                                                          : mjSAMEFRAME_NONE);
  }
}


void cfi_refitGeoms(mjModel* m, const mjModel* made, mjData* d) {
  const editedModel e = {m, made};
  for (int i = 0; i < m->nbody; i++) {
    relateInertialFrame(&e, i);
    refitBody(&e, d, i);
  }
  for (int s = 0; s < m->nsite; s++) {
    const int body = m->site_bodyid[s];
    m->site_sameframe[s] = made->site_sameframe[s];
    if (!keepsInertialFrame(&e, body) || !isKept(m->site_pos, made->site_pos, 3 * s, 3) ||
        !isKept(m->site_quat, made->site_quat, 4 * s, 4)) {
      m->site_sameframe[s] =
          (mjtByte)cfi_frameRelation(m->site_pos + 3 * s, m->site_quat + 4 * s,
                                     m->body_ipos + 3 * body, m->body_iquat + 4 * body);
    }
  }
}
