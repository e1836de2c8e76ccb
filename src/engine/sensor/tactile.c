// Tactile sensor: at every vertex of a mesh, how deep it is inside the touching geoms and how fast
// they slide.
//
// Channels, one block of all vertices each: pressure from depth, sliding speed along both tangents.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/sdf/distance.h"
#include "math/inline.h"
#include "sensor/sensor.h"

// depth at which the pressure saturates, m
static const mjtNum saturation_depth = 0.05;

// the sensing skin: mesh whose vertices are the taxels, geom that carries it, body it is welded to
typedef struct {
  int mesh, geom, weld, vertices;
} tactileSkin;


static void addOnce(int* list, int* count, int value) {
  for (int k = 0; k < *count; k++) {
    if (list[k] == value) {
      return;
    }
  }
  list[(*count)++] = value;
}


// geoms that touch the skin's body, each once
static int touchingGeoms(const cfSensor* s, const tactileSkin* skin, int* list) {
  CF_ASSERT_INDEX(skin->weld, s->m->nbody);
  int count = 0;
  for (int k = 0; k < s->d->ncon; k++) {
    const int* geom = s->d->contact[k].geom;
    if (geom[0] < 0 || geom[1] < 0) {
      continue;
    }
    for (int side = 0; side < 2; side++) {
      if (s->m->body_weldid[s->m->geom_bodyid[geom[side]]] == skin->weld) {
        addOnce(list, &count, geom[1 - side]);
      }
    }
  }
  return count;
}


// velocity of a point that moves with a body
static void pointVelocity(mjtNum vel[3], const cfSensor* s, int body, const mjtNum point[3]) {
  mjtNum spatial[6];
  cfi_transformSpatial(spatial, s->d->cvel + 6 * body, 0, point,
                       s->d->subtree_com + 3 * s->m->body_rootid[body], NULL);
  cfi_copy3(vel, spatial + 3);
}


// one vertex against one geom; false outside
static bool feelVertex(const cfSensor* s, const tactileSkin* skin, int vertex, int geom,
                       mjtNum feel[3]) {
  CF_ASSERT(vertex >= 0 && vertex < skin->vertices && geom >= 0 && geom < s->m->ngeom);
  const mjModel* m = s->m;
  const float* v = m->mesh_vert + 3 * (m->mesh_vertadr[skin->mesh] + vertex);
  const mjtNum local[3] = {v[0], v[1], v[2]};
  mjtNum point[3], offset[3], inside[3];
  cfi_mulMatVec3(point, s->d->geom_xmat + 9 * skin->geom, local);
  cfi_addTo3(point, s->d->geom_xpos + 3 * skin->geom);
  cfi_sub3(offset, point, s->d->geom_xpos + 3 * geom);
  cfi_mulMatTVec3(inside, s->d->geom_xmat + 9 * geom, offset);
  const mjtNum depth = cfi_min(cfi_geomSignedDistance(m, s->d, geom, inside), 0);
  if (depth == 0) {
    return false;
  }

  mjtNum mine[3], theirs[3], slide[3];
  pointVelocity(mine, s, skin->weld, point);
  pointVelocity(theirs, s, m->geom_bodyid[geom], s->d->geom_xpos + 3 * geom);
  cfi_sub3(slide, mine, theirs);

  // normal and tangents of the vertex, three vectors in a row
  const float* axes = m->mesh_normal + 3 * m->mesh_normaladr[skin->mesh] + 9 * vertex;
  for (int k = 0; k < 3; k++) {
    mjtNum axis[3] = {axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]};
    cfi_rotVecQuat(axis, axis, m->mesh_quat + 4 * skin->mesh);
    const mjtNum pressure = depth / cfi_max(saturation_depth - depth, mjMINVAL);
    feel[k] = k ? fabs(cfi_dot3(slide, axis)) : pressure * cfi_dot3(axis, axis);
  }
  return true;
}


void cfi_senseTactile(const cfSensor* s, mjtNum* out) {
  CF_ASSERT_INDEX(s->objid, s->m->nmesh);
  const tactileSkin skin = {.mesh = s->objid,
                            .geom = s->refid,
                            .weld = s->m->body_weldid[s->m->geom_bodyid[s->refid]],
                            .vertices = s->m->mesh_vertnum[s->objid]};
  const int channels = cfi_minInt(3, s->m->sensor_dim[s->id] / skin.vertices);
  CF_ASSERT(skin.vertices > 0 && channels > 0);
  mju_zero(out, s->m->sensor_dim[s->id]);

  mj_markStack(s->d);
  int* geoms = mj_stackAllocInt(s->d, (size_t)(2 * s->d->ncon + 1));
  const int touching = touchingGeoms(s, &skin, geoms);
  for (int g = 0; g < touching; g++) {
    if (!cfi_hasSignedDistance(s->m, geoms[g])) {
      continue;
    }
    for (int vertex = 0; vertex < skin.vertices; vertex++) {
      mjtNum feel[3];
      if (feelVertex(s, &skin, vertex, geoms[g], feel)) {
        for (int c = 0; c < channels; c++) {
          out[c * skin.vertices + vertex] = feel[c];
        }
      }
    }
  }
  mj_freeStack(s->d);
}
