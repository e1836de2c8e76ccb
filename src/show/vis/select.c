// What is under the mouse: geom, flex or skin.
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"

// nearest hit of one kind of object; no body when nothing is hit
typedef struct {
  mjtNum dist, point[3];
  int id, body;
} cfHit;

typedef struct {
  mjtNum start[3], direction[3];
} cfSight;

static const cfHit miss = {-1, {0, 0, 0}, -1, -1};


static bool isNearer(mjtNum dist, const cfHit* hit) {
  return dist >= 0 && (hit->dist < 0 || dist < hit->dist);
}


// line of sight through a point of the image, which has (0, 0) at the lower left and (1, 1) at the
// upper right
static cfSight lineOfSight(const mjvScene* scn, mjtNum aspect, mjtNum x, mjtNum y) {
  mjvGLCamera cam = mjv_averageCamera(scn->camera, scn->camera + 1);
  cfSight sight;
  mjtNum forward[3], up[3], left[3];
  mjv_cameraInModel(sight.start, forward, up, scn);
  cfi_cross(left, up, forward);
  cfi_normalize3(left);

  // offsets in the image plane
  const mjtNum height = cam.frustum_top - cam.frustum_bottom;
  const mjtNum upward = cam.frustum_bottom + y * height;
  const mjtNum leftward = -(cam.frustum_center + (2 * x - 1) * 0.5 * aspect * height);

  // they move the start of an orthographic ray and turn a perspective one
  cfi_scl3(sight.direction, forward, cam.orthographic ? 1 : cam.frustum_near);
  mjtNum* moved = cam.orthographic ? sight.start : sight.direction;
  cfi_addToScl3(moved, up, upward);
  cfi_addToScl3(moved, left, leftward);
  cfi_normalize3(sight.direction);
  return sight;
}


static cfHit hitGeom(const mjModel* m, const mjData* d, const mjvOption* opt,
                     const cfSight* sight) {
  cfHit hit = miss;
  hit.dist = mj_ray(m, d, sight->start, sight->direction, opt->geomgroup, opt->flags[mjVIS_STATIC],
                    -1, &hit.id, NULL);
  if (hit.dist >= 0) {
    hit.body = m->geom_bodyid[hit.id];
    cfi_addScl3(hit.point, sight->start, sight->direction, hit.dist);
  }
  return hit;
}


// control node that moves an interpolated vertex most. The basis functions are products of Lagrange
// polynomials over the unit box, x slowest; neighbors are equal at 1/2 (linear) or 1/6 and 5/6
// (quadratic).
static int strongestNode(const mjModel* m, int flex, int vertex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const mjtNum* coord = m->flex_vert0 + 3 * (m->flex_vertadr[flex] + vertex);
  const bool is_linear = m->flex_interp[flex] == 1;
  int node = 0;
  for (int k = 0; k < 3; k++) {
    const int step = is_linear ? coord[k] > 0.5 : (coord[k] > 1.0 / 6) + (coord[k] > 5.0 / 6);
    node = node * (is_linear ? 2 : 3) + step;
  }
  return m->flex_nodeadr[flex] + node;
}


// body and point of a flex vertex
static void takeFlexVertex(cfHit* hit, const mjModel* m, const mjData* d, int flex, int vertex) {
  CF_ASSERT(flex >= 0 && flex < m->nflex && vertex >= 0);
  const int v = m->flex_vertadr[flex] + vertex;
  hit->id = flex;
  if (!m->flex_interp[flex]) {
    hit->body = m->flex_vertbodyid[v];
    cfi_copy3(hit->point, d->flexvert_xpos + 3 * v);
    return;
  }
  const int node = strongestNode(m, flex, vertex);
  hit->body = m->flex_nodebodyid[node];
  cfi_copy3(hit->point, d->xpos + 3 * hit->body);
  if (!m->flex_centered[flex]) {
    mjtNum offset[3];
    cfi_mulMatVec3(offset, d->xmat + 9 * hit->body, m->flex_node + 3 * node);
    cfi_addTo3(hit->point, offset);
  }
}


static cfHit hitFlex(const mjModel* m, const mjData* d, const mjvOption* opt,
                     const cfSight* sight) {
  cfHit hit = miss;
  const mjtByte* flag = opt->flags;
  if (!(flag[mjVIS_FLEXVERT] || flag[mjVIS_FLEXEDGE] || flag[mjVIS_FLEXFACE] ||
        flag[mjVIS_FLEXSKIN])) {
    return hit;
  }
  for (int f = 0; f < m->nflex; f++) {
    int vertex = -1;
    mjtNum dist = mj_rayFlex(m, d, opt->flex_layer, flag[mjVIS_FLEXVERT], flag[mjVIS_FLEXEDGE],
                             flag[mjVIS_FLEXFACE], flag[mjVIS_FLEXSKIN], f, sight->start,
                             sight->direction, &vertex, NULL);
    if (isNearer(dist, &hit)) {
      hit.dist = dist;
      takeFlexVertex(&hit, m, d, f, vertex);
    }
  }
  return hit;
}


// weight of a bone at a skin vertex, negative if the bone does not move it
static float boneWeight(const mjModel* m, int bone, int vertex) {
  CF_ASSERT_INDEX(bone, m->nskinbone);
  const int* id = m->skin_bonevertid + m->skin_bonevertadr[bone];
  const float* weight = m->skin_bonevertweight + m->skin_bonevertadr[bone];
  float most = -1;
  for (int k = 0; k < m->skin_bonevertnum[bone]; k++) {
    most = id[k] == vertex && weight[k] > most ? weight[k] : most;
  }
  return most;
}


// body with the largest weight at a skin vertex, -1 if no bone moves it
static int strongestBone(const mjModel* m, int skin, int vertex) {
  CF_ASSERT_INDEX(skin, m->nskin);
  int body = -1;
  float most = -1;
  for (int k = 0; k < m->skin_bonenum[skin]; k++) {
    const int bone = m->skin_boneadr[skin] + k;
    const float weight = boneWeight(m, bone, vertex);
    if (weight > most) {
      most = weight;
      body = m->skin_bonebodyid[bone];
    }
  }
  return body;
}


static cfHit hitSkin(const mjModel* m, const mjvOption* opt, const mjvScene* scn,
                     const cfSight* sight) {
  cfHit hit = miss;
  for (int s = 0; opt->flags[mjVIS_SKIN] && s < m->nskin; s++) {
    const float* vert = scn->skinvert + 3 * m->skin_vertadr[s];
    int vertex = -1;
    mjtNum dist =
        mju_raySkin(m->skin_facenum[s], m->skin_vertnum[s], m->skin_face + 3 * m->skin_faceadr[s],
                    vert, sight->start, sight->direction, &vertex);
    if (isNearer(dist, &hit)) {
      hit.dist = dist;
      hit.id = s;
      hit.body = strongestBone(m, s, vertex);
      mju_f2n(hit.point, vert + 3 * vertex, 3);
    }
  }
  return hit;
}


// ids of what was hit; the others are -1
static void writeIds(int* const id[3], const cfHit hit[3], int best) {
  for (int k = 0; k < 3; k++) {
    if (id[k]) {
      *id[k] = k == best ? hit[k].id : -1;
    }
  }
}


int mjv_select(const mjModel* m, const mjData* d, const mjvOption* vopt, mjtNum aspectratio,
               mjtNum relx, mjtNum rely, const mjvScene* scn, mjtNum selpnt[3], int geomid[1],
               int flexid[1], int skinid[1]) {
  int* const id[3] = {geomid, flexid, skinid};
  const cfSight sight = lineOfSight(scn, aspectratio, relx, rely);
  const cfHit hit[3] = {hitGeom(m, d, vopt, &sight), hitFlex(m, d, vopt, &sight),
                        hitSkin(m, vopt, scn, &sight)};

  int best = -1;
  for (int k = 0; k < 3; k++) {
    if (hit[k].dist >= 0 && (best < 0 || hit[k].dist < hit[best].dist)) {
      best = k;
    }
  }
  writeIds(id, hit, best);
  if (best < 0) {
    return -1;
  }
  cfi_copy3(selpnt, hit[best].point);
  return hit[best].body;
}
