// Rays against all geoms of a model: one ray, or many from one point.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "ray/local.h"
#include "ray/objects.h"

// which geoms a ray may hit
typedef struct {
  const mjtByte* group;  // by geom group, NULL: all
  bool takes_static;
  int body_excluded;
} rayFilter;


static bool isVisible(const mjModel* m, int geom) {
  const int mat = m->geom_matid[geom];
  return (mat < 0 ? m->geom_rgba[4 * geom + 3] : m->mat_rgba[4 * mat + 3]) != 0;
}


static bool passesFilter(const mjModel* m, int geom, const rayFilter* f) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  const int body = m->geom_bodyid[geom];
  if (body == f->body_excluded || !isVisible(m, geom) ||
      (!f->takes_static && m->body_weldid[body] == 0)) {
    return false;
  }
  return !f->group || f->group[cfi_clipInt(m->geom_group[geom], 0, mjNGROUP - 1)] != 0;
}


static mjtNum rayAnyGeom(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
                         const mjtNum vec[3], mjtNum* normal) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  switch (m->geom_type[geom]) {
    case mjGEOM_MESH:
      return mj_rayMesh(m, d, geom, pnt, vec, normal);
    case mjGEOM_HFIELD:
      return mj_rayHfield(m, d, geom, pnt, vec, normal);
    case mjGEOM_SDF:
      return cfi_raySdf(m, d, geom, pnt, vec, normal);
    default:
      return mju_rayGeom(d->geom_xpos + 3 * geom, d->geom_xmat + 9 * geom, m->geom_size + 3 * geom,
                         pnt, vec, m->geom_type[geom], normal);
  }
}


// nearest hit so far and the geom it belongs to, -1: none
typedef struct {
  cfRayHit hit;
  int geom;
} nearestGeom;

static const nearestGeom no_hit = {.hit = {.x = -1}, .geom = -1};


static void tryGeom(nearestGeom* best, const mjModel* m, const mjData* d, int geom,
                    const mjtNum pnt[3], const mjtNum vec[3], bool wants_normal) {
  CF_ASSERT(best->geom < geom);
  mjtNum normal[3] = {0};
  if (cfi_takeHit(&best->hit, rayAnyGeom(m, d, geom, pnt, vec, wants_normal ? normal : NULL))) {
    best->geom = geom;
    cfi_copy3(best->hit.normal, normal);
  }
}


static mjtNum report(const nearestGeom* best, int* geomid, mjtNum* normal) {
  if (geomid) {
    *geomid = best->geom;
  }
  if (normal) {
    cfi_copy3(normal, best->hit.normal);
  }
  return best->hit.x;
}


mjtNum mj_ray(const mjModel* m, const mjData* d, const mjtNum pnt[3], const mjtNum vec[3],
              const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude, int geomid[1],
              mjtNum normal[3]) {
  const rayFilter filter = {geomgroup, flg_static, bodyexclude};
  if (cfi_norm3(vec) < mjMINVAL) {
    mju_error("mj_ray: the direction has no length");
    return -1;
  }
  nearestGeom best = no_hit;
  for (int g = 0; g < m->ngeom; g++) {
    if (passesFilter(m, g, &filter)) {
      tryGeom(&best, m, d, g, pnt, vec, normal != NULL);
    }
  }
  return report(&best, geomid, normal);
}


// geoms that some ray within the cutoff may hit
static int candidates(const mjModel* m, const mjData* d, const mjtNum pnt[3],
                      const rayFilter* filter, mjtNum cutoff, int* list) {
  int count = 0;
  for (int g = 0; g < m->ngeom; g++) {
    const bool is_near = m->body_bvhadr[m->geom_bodyid[g]] < 0 ||
                         cfi_dist3(d->geom_xpos + 3 * g, pnt) <= cutoff + m->geom_rbound[g];
    if (is_near && passesFilter(m, g, filter)) {
      list[count++] = g;
    }
  }
  return count;
}


// may the ray hit this geom?  planes and height fields have no bounding sphere
static bool passesBound(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
                        const mjtNum vec[3]) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  const mjtNum radius = m->geom_rbound[geom];
  return radius <= 0 ||
         cfi_rayMeetsSphere(d->geom_xpos + 3 * geom, radius * radius * (1 + 1e-9), pnt, vec);
}


void mj_multiRay(const mjModel* m, mjData* d, const mjtNum pnt[3], const mjtNum* vec,
                 const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude, int* geomid,
                 mjtNum* dist, mjtNum* normal, int nray, mjtNum cutoff) {
  const rayFilter filter = {geomgroup, flg_static, bodyexclude};
  mj_markStack(d);
  int* geoms = mj_stackAllocInt(d, (size_t)m->ngeom + 1);
  const int count = candidates(m, d, pnt, &filter, cutoff, geoms);
  for (int i = 0; i < nray; i++) {
    nearestGeom best = no_hit;
    const mjtNum* v = vec + 3 * i;
    for (int k = 0; k < count && cfi_norm3(v) >= mjMINVAL; k++) {
      if (passesBound(m, d, geoms[k], pnt, v)) {
        tryGeom(&best, m, d, geoms[k], pnt, v, normal != NULL);
      }
    }
    dist[i] = report(&best, geomid ? geomid + i : NULL, normal ? normal + 3 * i : NULL);
  }
  mj_freeStack(d);
}
