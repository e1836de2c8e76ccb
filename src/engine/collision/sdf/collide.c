// Contacts of signed distance fields: descend from quasi-random points in the common box to places
// where both fields are negative, and put contacts on the surface between them.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/collider.h"
#include "collision/sdf/distance.h"
#include "math/inline.h"

typedef struct {
  mjtNum pos[3], mat[9];
} relativePose;

typedef struct {
  mjtNum low[3], high[3];
} sdfBox;


// pose of frame 1 in frame 2, both given in the world
static relativePose poseIn(const mjtNum pos1[3], const mjtNum quat1[4], const mjtNum pos2[3],
                           const mjtNum quat2[4]) {
  relativePose r;
  mjtNum back_pos[3], back_quat[4], quat[4];
  cfi_negPose(back_pos, back_quat, pos2, quat2);
  cfi_mulPose(r.pos, quat, back_pos, back_quat, pos1, quat1);
  cfi_quat2Mat(r.mat, quat);
  return r;
}


static void movePoint(const relativePose* r, const mjtNum x[3], mjtNum res[3]) {
  mjtNum turned[3];
  cfi_mulMatVec3(turned, r->mat, x);
  cfi_add3(res, turned, r->pos);
}


// box around a geom's bounding box, seen from another frame; NULL: its own
static sdfBox boxOf(const mjtNum aabb[6], const relativePose* r) {
  sdfBox box = {{mjMAXVAL, mjMAXVAL, mjMAXVAL}, {-mjMAXVAL, -mjMAXVAL, -mjMAXVAL}};
  for (int corner = 0; corner < 8; corner++) {
    mjtNum p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = corner & (1 << k) ? aabb[k] + aabb[k + 3] : aabb[k] - aabb[k + 3];
    }
    if (r) {
      movePoint(r, p, p);
    }
    for (int k = 0; k < 3; k++) {
      box.low[k] = cfi_min(box.low[k], p[k]);
      box.high[k] = cfi_max(box.high[k], p[k]);
    }
  }
  return box;
}


// false if the boxes have nothing in common
static bool intersectBoxes(sdfBox* res, const sdfBox* a, const sdfBox* b) {
  bool is_empty = false;
  for (int k = 0; k < 3; k++) {
    res->low[k] = cfi_max(a->low[k], b->low[k]);
    res->high[k] = cfi_min(a->high[k], b->high[k]);
    is_empty = is_empty || res->high[k] < res->low[k];
  }
  return !is_empty;
}


static bool isUsable(const mjtNum g[3]) {
  for (int k = 0; k < 3; k++) {
    if (isnan(g[k]) || g[k] > mjMAXVAL || g[k] < -mjMAXVAL) {
      return false;
    }
  }
  return true;
}


// gradient descent with backtracking: accept a step that decreases the field by a tenth of what its
// slope promises. every point is evaluated once: its value is compared, and its gradient is taken
// if the descent goes on from there
static mjtNum descend(const mjModel* m, const mjData* d, const mjSDF* s, mjtNum x[3],
                      int iterations) {
  CF_ASSERT(iterations >= 0);
  const mjtNum promise = 0.1, shrink = 0.5, shortest = 1e-4;
  if (iterations <= 0) {
    return mjMAXVAL;
  }
  cfPairValue here = cfi_pairDistance(m, d, s, x);
  for (int i = 0; i < iterations; i++) {
    const mjtNum before = here.combined;
    mjtNum gradient[3], start[3], length = 2;
    cfi_pairGradient(m, d, s, here, gradient, x);
    if (!isUsable(gradient)) {
      return mjMAXVAL;
    }
    cfi_copy3(start, x);
    const mjtNum slope = cfi_dot3(gradient, gradient);
    do {
      length *= shrink;
      cfi_addScl3(x, start, gradient, -length);
      here = cfi_pairDistance(m, d, s, x);
    } while (length > shortest && here.combined - before > -promise * length * slope);
    if (before < here.combined) {
      break;
    }
  }
  return here.combined;
}


static bool isKnown(mjtNum (*points)[3], int count, const mjtNum x[3]) {
  CF_ASSERT(count >= 0);
  for (int k = 0; k < count; k++) {
    if (cfi_dist3(x, points[k]) < mjMINVAL) {
      return true;
    }
  }
  return false;
}


// contact at a point of the second geom's frame
static void putSdfContact(const mjModel* m, const mjData* d, const mjSDF* s, const mjtNum x[3],
                          const mjtNum pos[3], const mjtNum quat[4], mjtNum dist, mjContact* con) {
  mjtNum normal[3];
  mjc_gradient(m, d, s, normal, x);
  cfi_scl3(normal, normal, -1);
  con->dist = dist;
  cfi_rotVecQuat(con->frame, normal, quat);
  cfi_zero3(con->frame + 3);
  cfi_makeFrame(con->frame);
  cfi_rotVecQuat(con->pos, x, quat);
  cfi_addTo3(con->pos, pos);
  cfi_addToScl3(con->pos, con->frame, -dist / 2);
}


// plugin of an SDF geom, NULL where its mesh has an octree; id becomes what identifies the field
static const mjpPlugin* identify(const mjModel* m, int geom, int* id) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  *id = geom;
  if (m->geom_type[geom] != mjGEOM_SDF) {
    return NULL;
  }
  if (m->geom_plugin[geom] < 0) {
    *id = m->geom_dataid[geom];
    return NULL;
  }
  *id = m->geom_plugin[geom];
  return mjc_getSDF(m, geom);
}


// descend from all starting points; returns the number of contacts
static int searchContacts(const mjModel* m, const mjData* d, mjSDF* s, const sdfBox* box,
                          const relativePose* to_first, const relativePose* to_second,
                          const mjtNum pos2[3], const mjtNum quat2[4], mjContact* con) {
  mjtNum points[mjMAXCONPAIR][3];
  int count = 0;
  for (int i = 0; i < m->opt.sdf_initpoints && count < mjMAXCONPAIR; i++) {
    static const int base[3] = {2, 3, 5};
    mjtNum start[3], x[3];
    for (int k = 0; k < 3; k++) {
      start[k] = box->low[k] + (box->high[k] - box->low[k]) * mju_Halton(i, base[k]);
    }
    movePoint(to_first, start, start);
    movePoint(to_second, start, x);
    if (s->plugin[0]) {
      s->plugin[0]->compute(m, (mjData*)(uintptr_t)d, s->id[0], mjPLUGIN_SDF);
    }

    // towards overlap, then one step onto the surface of the intersection: fields that are not
    // exact lie otherwise
    s->type = mjSDFTYPE_COLLISION;
    descend(m, d, s, x, m->opt.sdf_iterations);
    s->type = mjSDFTYPE_INTERSECTION;
    const mjtNum dist = descend(m, d, s, x, 1);
    if (dist > 0 || isKnown(points, count, x)) {
      continue;
    }
    s->type = mjSDFTYPE_MIDSURFACE;
    cfi_copy3(points[count], x);
    putSdfContact(m, d, s, x, pos2, quat2, dist, con + count++);
  }
  return count;
}


int cfi_collideSdf(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                   mjtNum margin) {
  CF_ASSERT(g1 >= 0 && g1 < m->ngeom && g2 >= 0 && g2 < m->ngeom);
  (void)margin;
  if (m->geom_type[g2] != mjGEOM_SDF) {
    mju_error("collision of signed distance fields: geom %d is none", g2);
    return 0;
  }
  const mjtNum *pos1 = d->geom_xpos + 3 * g1, *pos2 = d->geom_xpos + 3 * g2;
  mjtNum quat1[4], quat2[4];
  cfi_mat2Quat(quat1, d->geom_xmat + 9 * g1);
  cfi_mat2Quat(quat2, d->geom_xmat + 9 * g2);
  relativePose second_in_first = poseIn(pos2, quat2, pos1, quat1);
  const relativePose first_in_second = poseIn(pos1, quat1, pos2, quat2);

  const sdfBox box1 = boxOf(m->geom_aabb + 6 * g1, NULL),
               box2 = boxOf(m->geom_aabb + 6 * g2, &second_in_first);
  sdfBox box;
  if (!intersectBoxes(&box, &box1, &box2)) {
    return 0;
  }
  int id[2];
  mjtGeom type[2] = {(mjtGeom)m->geom_type[g2], (mjtGeom)m->geom_type[g1]};
  const mjpPlugin* plugin[2] = {identify(m, g2, id), identify(m, g1, id + 1)};
  if (plugin[0] && plugin[0]->reset) {
    plugin[0]->reset(m, NULL, (void*)(d->plugin_data[id[0]]), id[0]);
  }
  mjSDF s = {.plugin = plugin,
             .id = id,
             .relpos = second_in_first.pos,
             .relmat = second_in_first.mat,
             .geomtype = type};

  // the first frame seen from itself moves a point by rounding alone; descent multiplies it, so
  // that it is part of the result
  const relativePose first_in_first = poseIn(pos1, quat1, pos1, quat1);
  return searchContacts(m, d, &s, &box, &first_in_first, &first_in_second, pos2, quat2, con);
}


// MuJoCo 3.5.0 has no contacts between height fields and signed distance fields either, and says so
// at every call.  We tell the handler of the program if there is one, but print nothing in a step
int cfi_collideHfieldSdf(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                         mjtNum margin) {
  (void)m, (void)d, (void)con, (void)g1, (void)g2, (void)margin;
  if (mju_user_warning) {
    mju_user_warning("HField vs SDF collision not yet supported!");
  }
  return 0;
}
