// Cameras as sensors: projection of a point into the image, rangefinders of one ray or one ray per
// pixel.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"
#include "sensor/sensor.h"

// focal lengths and principal point in pixels; an orthographic camera counts pixels from -1 to 1
typedef struct {
  mjtNum fx, fy, cx, cy;
} pinhole;

static bool hasIntrinsics(const mjModel* m, int cam) {
  return m->cam_sensorsize[2 * cam] != 0 && m->cam_sensorsize[2 * cam + 1] != 0;
}


static pinhole focalLength(const mjModel* m, int cam) {
  CF_ASSERT_INDEX(cam, m->ncam);
  const int* res = m->cam_resolution + 2 * cam;
  const float *size = m->cam_sensorsize + 2 * cam, *intrinsic = m->cam_intrinsic + 4 * cam;
  pinhole p = {.cx = res[0] / 2.0, .cy = res[1] / 2.0};
  if (hasIntrinsics(m, cam)) {
    p.fx = intrinsic[0] / size[0] * res[0];
    p.fy = intrinsic[1] / size[1] * res[1];
  } else {
    p.fx = p.fy = 0.5 / cfi_tan(m->cam_fovy[cam] * mjPI / 360.0) * res[1];
  }
  return p;
}


static pinhole pixelGrid(const mjModel* m, int cam) {
  CF_ASSERT(m->cam_resolution[2 * cam] > 0 && m->cam_resolution[2 * cam + 1] > 0);
  const int* res = m->cam_resolution + 2 * cam;
  if (m->cam_projection[cam] == mjPROJ_ORTHOGRAPHIC) {
    return (pinhole){res[0] / 2.0, res[1] / 2.0, res[0] / 2.0, res[1] / 2.0};
  }
  pinhole p = focalLength(m, cam);
  if (hasIntrinsics(m, cam)) {
    p.cx = m->cam_intrinsic[4 * cam + 2] / m->cam_sensorsize[2 * cam] * res[0];
    p.cy = m->cam_intrinsic[4 * cam + 3] / m->cam_sensorsize[2 * cam + 1] * res[1];
  }
  return p;
}


// pixel coordinates of a site: the camera looks along -z, image y runs down
void cfi_senseCamProjection(const cfSensor* s, mjtNum* out) {
  CF_ASSERT(s->objtype == mjOBJ_SITE && s->refid >= 0 && s->refid < s->m->ncam);
  const int cam = s->refid;
  const pinhole p = focalLength(s->m, cam);
  mjtNum offset[3], local[3];
  cfi_sub3(offset, s->d->site_xpos + 3 * s->objid, s->d->cam_xpos + 3 * cam);
  cfi_mulMatTVec3(local, s->d->cam_xmat + 9 * cam, offset);
  mjtNum depth = local[2];
  if (fabs(depth) < mjMINVAL) {
    depth = depth < 0 ? -mjMINVAL : mjMINVAL;
  }
  out[0] = (p.cx * local[2] - p.fx * local[0]) / depth;
  out[1] = (p.cy * local[2] + p.fy * local[1]) / depth;
}


// ---------------------------------------- rangefinder

// a ray and what it hit; dist -1: nothing
typedef struct {
  const mjtNum *origin, *direction, *normal;
  mjtNum dist;
} castRay;


static mjtNum* putVector(mjtNum* out, const mjtNum v[3], bool is_wanted) {
  const mjtNum zero[3] = {0, 0, 0};
  cfi_copy3(out, is_wanted ? v : zero);
  return out + 3;
}


// write the wanted fields of one ray, return where the next ray starts; camera -1: the ray belongs
// to a site
static mjtNum* putRay(const cfSensor* s, mjtNum* out, const castRay* ray, int fields, int camera) {
  CF_ASSERT(camera >= -1 && camera < s->m->ncam);
  const bool is_hit = ray->dist >= 0;
  mjtNum point[3];
  cfi_addScl3(point, ray->origin, ray->direction, ray->dist);
  if (fields & (1 << mjRAYDATA_DIST)) {
    *out++ = ray->dist;
  }
  if (fields & (1 << mjRAYDATA_DIR)) {
    out = putVector(out, ray->direction, is_hit);
  }
  if (fields & (1 << mjRAYDATA_ORIGIN)) {
    out = putVector(out, ray->origin, true);
  }
  if (fields & (1 << mjRAYDATA_POINT)) {
    out = putVector(out, point, is_hit);
  }
  if (fields & (1 << mjRAYDATA_NORMAL)) {
    out = putVector(out, ray->normal, is_hit);
  }
  if (fields & (1 << mjRAYDATA_DEPTH)) {
    mjtNum depth = is_hit ? ray->dist : -1;
    if (is_hit && camera >= 0) {
      mjtNum offset[3];
      cfi_sub3(offset, point, s->d->cam_xpos + 3 * camera);
      depth = -cfi_dotColumn3(s->d->cam_xmat + 9 * camera, 2, offset);
    }
    *out++ = depth;
  }
  return out;
}


// ray through the center of a pixel; row 0 is the top of the image
static void pixelRay(const cfSensor* s, const pinhole* p, int col, int row, mjtNum origin[3],
                     mjtNum direction[3]) {
  CF_ASSERT(col >= 0 && col < s->m->cam_resolution[2 * s->objid]);
  const int cam = s->objid;
  const mjtNum* axes = s->d->cam_xmat + 9 * cam;
  const mjtNum x = (col + 0.5 - p->cx) / p->fx, y = -(row + 0.5 - p->cy) / p->fy;
  cfi_copy3(origin, s->d->cam_xpos + 3 * cam);
  if (s->m->cam_projection[cam] == mjPROJ_PERSPECTIVE) {
    const mjtNum local[3] = {x, y, -1};
    cfi_mulMatVec3(direction, axes, local);
    cfi_normalize3(direction);
    return;
  }

  // parallel rays; fovy is the height of the image in length units
  const mjtNum half = s->m->cam_fovy[cam] / 2, local[3] = {x * half, y * half, 0};
  mjtNum shift[3];
  cfi_mulMatVec3(shift, axes, local);
  cfi_addTo3(origin, shift);
  cfi_column3(direction, axes, 2);
  cfi_scl3(direction, direction, -1);
}


void cfi_pixelRay(const mjModel* m, mjData* d, int camera, int col, int row, mjtNum origin[3],
                  mjtNum direction[3]) {
  const cfSensor view = {.m = m, .d = d, .objid = camera};
  const pinhole p = pixelGrid(m, camera);
  pixelRay(&view, &p, col, row, origin, direction);
}


static void perspectiveImage(const cfSensor* s, const pinhole* p, int fields, mjtNum* out) {
  const int cam = s->objid, width = s->m->cam_resolution[2 * cam],
            height = s->m->cam_resolution[2 * cam + 1];
  const size_t pixels = (size_t)width * (size_t)height;
  CF_ASSERT((int)pixels * cfi_rayDataSize(fields) == s->m->sensor_dim[s->id]);
  const mjtNum* origin = s->d->cam_xpos + 3 * cam;
  mj_markStack(s->d);
  mjtNum* direction = mj_stackAllocNum(s->d, 3 * pixels);
  mjtNum* dist = mj_stackAllocNum(s->d, pixels);
  mjtNum* normal = fields & (1 << mjRAYDATA_NORMAL) ? mj_stackAllocNum(s->d, 3 * pixels) : NULL;
  int* geom = mj_stackAllocInt(s->d, pixels);
  for (int k = 0; k < (int)pixels; k++) {
    mjtNum same_origin[3];
    pixelRay(s, p, k % width, k / width, same_origin, direction + 3 * k);
  }
  mj_multiRay(s->m, s->d, origin, direction, NULL, 1, s->m->cam_bodyid[cam], geom, dist, normal,
              (int)pixels, mjMAXVAL);
  for (int k = 0; k < (int)pixels; k++) {
    const castRay ray = {origin, direction + 3 * k, normal ? normal + 3 * k : origin, dist[k]};
    out = putRay(s, out, &ray, fields, cam);
  }
  mj_freeStack(s->d);
}


static void orthographicImage(const cfSensor* s, const pinhole* p, int fields, mjtNum* out) {
  const int cam = s->objid, width = s->m->cam_resolution[2 * cam],
            height = s->m->cam_resolution[2 * cam + 1];
  for (int k = 0; k < width * height; k++) {
    mjtNum origin[3], direction[3], normal[3] = {0};
    int geom;
    pixelRay(s, p, k % width, k / width, origin, direction);
    const mjtNum dist =
        mj_ray(s->m, s->d, origin, direction, NULL, 1, s->m->cam_bodyid[cam], &geom, normal);
    const castRay ray = {origin, direction, normal, dist};
    out = putRay(s, out, &ray, fields, cam);
  }
}


void cfi_senseRangefinder(const cfSensor* s, mjtNum* out) {
  CF_ASSERT(s->objtype == mjOBJ_SITE || s->objtype == mjOBJ_CAMERA);
  const int fields = s->m->sensor_intprm[s->id * mjNSENS];
  if (s->objtype == mjOBJ_SITE) {
    mjtNum direction[3], normal[3] = {0};
    int geom;
    const mjtNum* origin = s->d->site_xpos + 3 * s->objid;
    cfi_column3(direction, s->d->site_xmat + 9 * s->objid, 2);
    const mjtNum dist = mj_ray(s->m, s->d, origin, direction, NULL, 1, s->m->site_bodyid[s->objid],
                               &geom, fields & (1 << mjRAYDATA_NORMAL) ? normal : NULL);
    const castRay ray = {origin, direction, normal, dist};
    putRay(s, out, &ray, fields, -1);
    return;
  }
  const pinhole p = pixelGrid(s->m, s->objid);
  if (s->m->cam_projection[s->objid] == mjPROJ_PERSPECTIVE) {
    perspectiveImage(s, &p, fields, out);
  } else {
    orthographicImage(s, &p, fields, out);
  }
}
