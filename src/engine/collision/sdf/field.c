// Fields of geoms, and combinations of two of them.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/sdf/distance.h"
#include "math/inline.h"


static bool hasOctree(const mjModel* m, int mesh) {
  return mesh >= 0 && mesh < m->nmesh && m->mesh_octnum[mesh] > 0;
}


// a mesh without octree is probed by a ray towards the world's origin; *is_inside: the surface lies
// behind
static mjtNum probeMesh(const cfField* f, const mjtNum x[3], bool* is_inside) {
  mjtNum point[3], dir[3];
  cfi_mulMatVec3(point, f->d->geom_xmat + 9 * f->id, x);
  cfi_addTo3(point, f->d->geom_xpos + 3 * f->id);
  cfi_scl3(dir, point, -1);
  const mjtNum dist = mj_rayMesh(f->m, f->d, f->id, point, dir, NULL);
  *is_inside = dist > cfi_norm3(dir);
  if (!*is_inside) {
    return dist;
  }
  cfi_scl3(dir, dir, -1);
  return -mj_rayMesh(f->m, f->d, f->id, point, dir, NULL);
}


mjtNum cfi_fieldDistance(const cfField* f, const mjtNum x[3]) {
  bool is_inside;
  if (f->type == mjGEOM_SDF && f->plugin) {
    return f->plugin->sdf_distance(x, f->d, f->id);
  }
  if (f->type == mjGEOM_SDF || (f->type == mjGEOM_MESH && hasOctree(f->m, f->id))) {
    if (!hasOctree(f->m, f->id)) {
      mju_error("signed distance: mesh %d has no octree", f->id);
      return 0;
    }
    return cfi_octreeDistance(f->m, f->id, x);
  }
  if (f->type == mjGEOM_MESH) {
    return probeMesh(f, x, &is_inside);
  }
  return cfi_shapeDistance(f->type, f->m->geom_size + 3 * f->id, x);
}


void cfi_fieldGradient(const cfField* f, const mjtNum x[3], mjtNum res[3]) {
  if (f->type == mjGEOM_SDF && f->plugin) {
    f->plugin->sdf_gradient(res, x, f->d, f->id);
  } else if (f->type == mjGEOM_SDF || (f->type == mjGEOM_MESH && hasOctree(f->m, f->id))) {
    if (!hasOctree(f->m, f->id)) {
      mju_error("signed distance: mesh %d has no octree", f->id);
      cfi_zero3(res);
      return;
    }
    cfi_octreeGradient(f->m, f->id, x, res);
  } else if (f->type == mjGEOM_MESH) {
    bool is_inside;
    probeMesh(f, x, &is_inside);
    const mjtNum side = is_inside ? 1 : -1;
    cfi_set3(res, side, side, side);
  } else {
    cfi_shapeGradient(f->type, f->m->geom_size + 3 * f->id, x, res);
  }
}


// ---------------------------------------- geoms

const mjpPlugin* mjc_getSDF(const mjModel* m, int id) {
  const int slot = m->plugin[m->geom_plugin[id]];
  const mjpPlugin* plugin = mjp_getPluginAtSlot(slot);
  if (!plugin || !(plugin->capabilityflags & mjPLUGIN_SDF)) {
    mju_error("mjc_getSDF: geom %d: the plugin in slot %d is not a signed distance field", id,
              slot);
    return NULL;
  }
  return plugin;
}


static cfField fieldOfGeom(const mjModel* m, const mjData* d, int geom) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  cfField f = {.m = m, .d = d, .type = m->geom_type[geom], .id = geom};
  if (f.type == mjGEOM_SDF && m->geom_plugin[geom] >= 0) {
    f.plugin = mjc_getSDF(m, geom);
    f.id = m->geom_plugin[geom];
  } else if (f.type == mjGEOM_SDF || f.type == mjGEOM_MESH) {
    f.id = m->geom_dataid[geom];
  }
  return f;
}


bool cfi_hasSignedDistance(const mjModel* m, int geom) {
  return m->geom_type[geom] != mjGEOM_MESH || m->mesh_octadr[m->geom_dataid[geom]] >= 0;
}


mjtNum cfi_geomSignedDistance(const mjModel* m, const mjData* d, int geom, const mjtNum local[3]) {
  CF_ASSERT(cfi_hasSignedDistance(m, geom));
  const cfField f = fieldOfGeom(m, d, geom);
  if (!f.plugin) {
    return cfi_fieldDistance(&f, local);
  }

  // plugins know the mesh as it was before it was centered and aligned
  const int mesh = m->geom_dataid[geom];
  mjtNum original[3], mat[9];
  cfi_quat2Mat(mat, m->mesh_quat + 4 * mesh);
  cfi_mulMatVec3(original, mat, local);
  cfi_addTo3(original, m->mesh_pos + 3 * mesh);
  return cfi_fieldDistance(&f, original);
}


void cfi_geomDistanceGradient(const mjModel* m, const mjData* d, int geom, const mjtNum local[3],
                              mjtNum res[3]) {
  const cfField f = fieldOfGeom(m, d, geom);
  cfi_fieldGradient(&f, local, res);
}


// ---------------------------------------- pairs

static cfField fieldAt(const mjModel* m, const mjData* d, const mjSDF* s, int k) {
  return (cfField){m, d, s->plugin[k], (int)s->geomtype[k], s->id[k]};
}


// the point in the frame of the second field
static void toSecond(const mjSDF* s, const mjtNum x[3], mjtNum y[3]) {
  cfi_mulMatVec3(y, s->relmat, x);
  cfi_addTo3(y, s->relpos);
}


static mjtNum combineDistances(const mjSDF* s, mjtNum a, mjtNum b) {
  const mjtNum larger = cfi_max(a, b);
  switch (s->type) {
    case mjSDFTYPE_INTERSECTION:
      return larger;
    case mjSDFTYPE_MIDSURFACE:
      return a - b;
    case mjSDFTYPE_COLLISION:
      return a + b + (larger < 0 ? -larger : larger);
    default:
      mju_error("mjc_distance: unknown combination %d", (int)s->type);
      return 0;
  }
}


cfPairValue cfi_pairDistance(const mjModel* m, const mjData* d, const mjSDF* s, const mjtNum x[3]) {
  const cfField first = fieldAt(m, d, s, 0), second = fieldAt(m, d, s, 1);
  mjtNum y[3];
  toSecond(s, x, y);
  const mjtNum a = cfi_fieldDistance(&first, x), b = cfi_fieldDistance(&second, y);
  return (cfPairValue){combineDistances(s, a, b), a, b};
}


mjtNum mjc_distance(const mjModel* m, const mjData* d, const mjSDF* s, const mjtNum x[3]) {
  if (s->type == mjSDFTYPE_SINGLE) {
    const cfField first = fieldAt(m, d, s, 0);
    return cfi_fieldDistance(&first, x);
  }
  return cfi_pairDistance(m, d, s, x).combined;
}


// gradient of the second field in the frame of the first
static void secondGradient(const mjSDF* s, const cfField* second, const mjtNum y[3],
                           mjtNum res[3]) {
  mjtNum local[3];
  cfi_fieldGradient(second, y, local);
  cfi_mulMatTVec3(res, s->relmat, local);
}


// of the midsurface: difference of the unit gradients
static void midGradient(const mjModel* m, const mjData* d, const mjSDF* s, mjtNum gradient[3],
                        const mjtNum x[3]) {
  const cfField first = fieldAt(m, d, s, 0), second = fieldAt(m, d, s, 1);
  mjtNum y[3], ga[3], gb[3];
  toSecond(s, x, y);
  cfi_fieldGradient(&first, x, ga);
  secondGradient(s, &second, y, gb);
  cfi_normalize3(ga);
  cfi_normalize3(gb);
  cfi_sub3(gradient, ga, gb);
  cfi_normalize3(gradient);
}


void cfi_pairGradient(const mjModel* m, const mjData* d, const mjSDF* s, cfPairValue at,
                      mjtNum gradient[3], const mjtNum x[3]) {
  const cfField first = fieldAt(m, d, s, 0), second = fieldAt(m, d, s, 1);
  mjtNum y[3], ga[3], gb[3];
  toSecond(s, x, y);
  if (s->type == mjSDFTYPE_INTERSECTION) {
    if (at.a > at.b) {
      cfi_fieldGradient(&first, x, gradient);
    } else {
      secondGradient(s, &second, y, gradient);
    }
    return;
  }
  cfi_fieldGradient(&first, x, ga);
  secondGradient(s, &second, y, gb);
  cfi_add3(gradient, ga, gb);
  cfi_addToScl3(gradient, at.a > at.b ? ga : gb, cfi_max(at.a, at.b) > 0 ? 1 : -1);
}


void mjc_gradient(const mjModel* m, const mjData* d, const mjSDF* s, mjtNum gradient[3],
                  const mjtNum x[3]) {
  if (s->type == mjSDFTYPE_SINGLE) {
    const cfField first = fieldAt(m, d, s, 0);
    cfi_fieldGradient(&first, x, gradient);
  } else if (s->type == mjSDFTYPE_MIDSURFACE) {
    midGradient(m, d, s, gradient, x);
  } else {
    cfi_pairGradient(m, d, s, cfi_pairDistance(m, d, s, x), gradient, x);
  }
}
