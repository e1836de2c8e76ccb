// Cameras, lights, rays and tactile surfaces in a scene.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"
#include "sensor/sensor.h"
#include "vis/painter.h"


//---------------------------------- cameras -------------------------------------------------------

// half extents of a camera's image to the left, right, bottom and top, at a distance
typedef struct {
  mjtNum left, right, bottom, top;
} cfImagePlane;

static cfImagePlane nearImage(const mjModel* m, int cam, mjtNum znear) {
  CF_ASSERT_INDEX(cam, m->ncam);
  const float *size = m->cam_sensorsize + 2 * cam, *intrinsic = m->cam_intrinsic + 4 * cam;
  const bool is_orthographic = m->cam_projection[cam] == mjPROJ_ORTHOGRAPHIC;
  if (!is_orthographic && size[0] && size[1]) {
    const mjtNum x = znear / intrinsic[0], y = znear / intrinsic[1];
    return (cfImagePlane){x * (size[0] / 2 - intrinsic[2]), x * (size[0] / 2 + intrinsic[2]),
                          y * (size[1] / 2 - intrinsic[3]), y * (size[1] / 2 + intrinsic[3])};
  }
  const mjtNum aspect = (mjtNum)m->cam_resolution[2 * cam] / m->cam_resolution[2 * cam + 1];
  mjtNum half =
      is_orthographic ? m->cam_fovy[cam] / 2 : znear * cfi_tan(m->cam_fovy[cam] * mjPI / 360.0);
  return (cfImagePlane){half * aspect, half * aspect, half, half};
}


// corners of an image, counterclockwise from the lower left
static void imageCorners(mjtNum corner[4][3], const mjData* d, int cam, const cfImagePlane* image,
                         mjtNum depth) {
  const mjtNum x[4] = {-image->left, image->right, image->right, -image->left};
  const mjtNum y[4] = {-image->bottom, -image->bottom, image->top, image->top};
  for (int k = 0; k < 4; k++) {
    const mjtNum local[3] = {x[k], y[k], -depth};
    cfi_mulMatVec3(corner[k], d->cam_xmat + 9 * cam, local);
    cfi_addTo3(corner[k], d->cam_xpos + 3 * cam);
  }
}


// sides of a frustum as two triangles each, and its edges
static void paintFrustum(cfPainter* p, int cam) {
  CF_ASSERT_INDEX(cam, p->m->ncam);
  const mjModel* m = p->m;
  mjtNum znear = m->vis.map.znear * m->stat.extent, zfar = m->vis.scale.frustum * p->unit;
  cfImagePlane image = nearImage(m, cam, znear);
  mjtNum front[4][3], back[4][3];
  imageCorners(front, p->d, cam, &image, znear);
  if (m->cam_projection[cam] == mjPROJ_ORTHOGRAPHIC) {
    zfar = (image.left + image.bottom) / 2;
  } else {
    const mjtNum scale = zfar / znear;
    image = (cfImagePlane){image.left * scale, image.right * scale, image.bottom * scale,
                           image.top * scale};
  }
  imageCorners(back, p->d, cam, &image, zfar);

  const cfPaintTag tag = cfi_decor(mjOBJ_CAMERA, cam);
  const float* rgba = m->vis.rgba.frustum;
  for (int k = 0; k < 4; k++) {
    const int next = (k + 1) % 4;
    mjtNum half[2][3][3];
    cfi_copy3(half[0][0], front[k]);
    cfi_copy3(half[0][1], back[k]);
    cfi_copy3(half[0][2], front[next]);
    cfi_copy3(half[1][0], back[k]);
    cfi_copy3(half[1][1], back[next]);
    cfi_copy3(half[1][2], front[next]);
    cfi_paintTriangle(p, tag, (const mjtNum(*)[3])half[0], rgba);
    cfi_paintTriangle(p, tag, (const mjtNum(*)[3])half[1], rgba);
    cfi_paintLink(p, tag, mjGEOM_LINE, 3, front[k], front[next], rgba);
    cfi_paintLink(p, tag, mjGEOM_LINE, 3, back[k], back[next], rgba);
    cfi_paintLink(p, tag, mjGEOM_LINE, 3, front[k], back[k], rgba);
  }
}


// a box with a darker lens in front
static void paintCameraBody(cfPainter* p, int cam, bool is_translucent) {
  CF_ASSERT_INDEX(cam, p->m->ncam);
  const mjModel* m = p->m;
  const mjtNum *pos = p->d->cam_xpos + 3 * cam, *mat = p->d->cam_xmat + 9 * cam;
  mjtNum unit = p->unit * m->vis.scale.camera, axis[3], lens[3];
  const mjtNum box[3] = {unit, 0.8 * unit, 0.4 * unit}, barrel[3] = {0.4 * unit, 0.3 * unit, 0};
  cfi_column3(axis, mat, 2);
  cfi_addScl3(lens, pos, axis, -0.6 * unit);

  float rgba[4];
  memcpy(rgba, m->vis.rgba.camera, sizeof(rgba));
  rgba[3] = is_translucent ? 0.3f : rgba[3];
  const float dark[4] = {0.5f * rgba[0], 0.5f * rgba[1], 0.5f * rgba[2], rgba[3]};
  const cfPaintTag tag = cfi_decor(mjOBJ_CAMERA, cam);
  cfi_labelGeom(p, cfi_paintShape(p, tag, mjGEOM_BOX, box, pos, mat, rgba), mjLABEL_CAMERA,
                mjOBJ_CAMERA, cam);
  cfi_paintShape(p, tag, mjGEOM_CYLINDER, barrel, lens, mat, dark);
  if (p->opt->frame == mjFRAME_CAMERA) {
    cfi_paintAxes(p, cam, pos, mat, 1);
  }
}


void cfi_paintCameras(cfPainter* p) {
  for (int c = 0; cfi_wants(p, mjVIS_CAMERA) && c < p->m->ncam; c++) {
    const int* pixels = p->m->cam_resolution + 2 * c;
    const bool has_image = pixels[0] > 1 || pixels[1] > 1;
    if (has_image) {
      paintFrustum(p, c);
    }
    paintCameraBody(p, c, has_image);
  }
}


// a cylinder behind the light, where it casts no shadow
void cfi_paintLights(cfPainter* p) {
  const mjtNum unit = p->unit * p->m->vis.scale.light;
  const mjtNum size[3] = {0.8 * unit, unit, 0};
  for (int l = 0; cfi_wants(p, mjVIS_LIGHT) && l < p->m->nlight; l++) {
    const mjtNum *pos = p->d->light_xpos + 3 * l, *dir = p->d->light_xdir + 3 * l;
    mjtNum quat[4], mat[9], behind[3];
    mju_quatZ2Vec(quat, dir);
    cfi_quat2Mat(mat, quat);
    cfi_addScl3(behind, pos, dir, -unit - 0.0001);
    mjvGeom* geom = cfi_paintShape(p, cfi_decor(mjOBJ_LIGHT, l), mjGEOM_CYLINDER, size, behind, mat,
                                   p->m->vis.rgba.light);
    cfi_labelGeom(p, geom, mjLABEL_LIGHT, mjOBJ_LIGHT, l);
    if (p->opt->frame == mjFRAME_LIGHT) {
      cfi_paintAxes(p, l, pos, mat, 1);
    }
  }
}


//---------------------------------- rays ----------------------------------------------------------

// field of a ray's reading, NULL if the sensor does not report it
static const mjtNum* rayField(const mjtNum* reading, int fields, int field) {
  return fields & (1 << field) ? reading + cfi_rayDataSize(fields & ((1 << field) - 1)) : NULL;
}


// a ray as far as it was measured, the point it hit and the normal there
static void paintRay(cfPainter* p, int sensor, const mjtNum* reading, const mjtNum origin[3],
                     const mjtNum direction[3], mjtNum point_size) {
  const float* rgba = p->m->vis.rgba.rangefinder;
  const int fields = p->m->sensor_intprm[sensor * mjNSENS];
  const mjtNum* dist = rayField(reading, fields, mjRAYDATA_DIST);
  const mjtNum* hit = rayField(reading, fields, mjRAYDATA_POINT);
  const mjtNum* normal = rayField(reading, fields, mjRAYDATA_NORMAL);
  mjtNum width = p->m->vis.scale.framewidth * p->unit,
         length = p->m->vis.scale.framelength * p->unit;
  mjtNum point[3] = {0, 0, 0};
  const cfPaintTag tag = cfi_decor(mjOBJ_SENSOR, sensor);
  if (dist && *dist >= 0) {
    cfi_addScl3(point, origin, direction, *dist);
    cfi_paintLink(p, tag, mjGEOM_LINE, 3, origin, point, rgba);
  }
  if (hit && !mju_isZero(hit, 3)) {
    const mjtNum radius = point_size * width, size[3] = {radius, radius, radius};
    cfi_copy3(point, hit);
    cfi_paintShape(p, tag, mjGEOM_SPHERE, size, point, NULL, rgba);
  }
  if (normal && ((dist && *dist >= 0) || !mju_isZero(point, 3))) {
    mjtNum tip[3];
    cfi_addScl3(tip, point, normal, 2 * length);
    cfi_paintLink(p, tag, mjGEOM_ARROW1, width, point, tip, rgba);
  }
}


static void paintRangefinder(cfPainter* p, int sensor) {
  CF_ASSERT_INDEX(sensor, p->m->nsensor);
  const mjModel* m = p->m;
  const int object = m->sensor_objid[sensor],
            size = cfi_rayDataSize(m->sensor_intprm[sensor * mjNSENS]);
  const mjtNum* reading = p->d->sensordata + m->sensor_adr[sensor];
  mjtNum origin[3], direction[3];
  if (m->sensor_objtype[sensor] == mjOBJ_SITE) {
    cfi_column3(direction, p->d->site_xmat + 9 * object, 2);
    paintRay(p, sensor, reading, p->d->site_xpos + 3 * object, direction, 1.5);
    return;
  }
  const int width = m->cam_resolution[2 * object], height = m->cam_resolution[2 * object + 1];
  for (int k = 0; k < width * height; k++) {
    cfi_pixelRay(m, p->d, object, k % width, k / width, origin, direction);
    paintRay(p, sensor, reading + k * size, origin, direction, 1.3);
  }
}


void cfi_paintRays(cfPainter* p) {
  const mjModel* m = p->m;
  for (int s = 0; cfi_wants(p, mjVIS_RANGEFINDER) && s < m->nsensor; s++) {
    const mjtNum* reading = p->d->sensordata + m->sensor_adr[s];
    if (m->sensor_type[s] == mjSENS_RANGEFINDER) {
      paintRangefinder(p, s);
    } else if (m->sensor_type[s] == mjSENS_GEOMFROMTO && !mju_isZero(reading, 6)) {
      cfi_paintLink(p, cfi_decor(mjOBJ_SENSOR, s), mjGEOM_LINE, 3, reading, reading + 3,
                    m->vis.rgba.rangefinder);
    }
  }
}


//---------------------------------- tactile surfaces ----------------------------------------------

// color of a triangle: mean magnitude of each channel over the corners that feel something
static void touchColor(float rgba[4], const mjtNum* reading, const int face[3], int nvert,
                       int channels, mjtNum most) {
  CF_ASSERT(nvert > 0 && channels > 0);
  const float dark[4] = {0, 0, 0, 1};
  memcpy(rgba, dark, sizeof(dark));
  for (int c = 0; c < channels && c < 3; c++) {
    int touched = 0;
    for (int k = 0; k < 3; k++) {
      const mjtNum value = reading[c * nvert + face[k]];
      rgba[c] += (float)(fabs(value) / most);
      touched += value != 0;
    }
    rgba[c] /= (float)(touched ? touched : 1);
  }
  if (rgba[0] == 0 && rgba[1] == 0 && rgba[2] == 0) {
    rgba[3] = 0.1f;
  }
}


static void paintTouch(cfPainter* p, int sensor) {
  CF_ASSERT(p->m->sensor_type[sensor] == mjSENS_TACTILE);
  const mjModel* m = p->m;
  const int mesh = m->sensor_objid[sensor], geom = m->sensor_refid[sensor],
            nvert = m->mesh_vertnum[mesh];
  const mjtNum* reading = p->d->sensordata + m->sensor_adr[sensor];
  mjtNum most = 0;
  for (int v = 0; v < nvert; v++) {
    most = cfi_max(most, fabs(reading[v]));
  }
  if (most == 0 || m->geom_rbound[geom] < mjMINVAL) {
    return;
  }

  const float* vert = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  for (int f = 0; f < m->mesh_facenum[mesh]; f++) {
    const int* face = m->mesh_face + 3 * (m->mesh_faceadr[mesh] + f);
    mjtNum corner[3][3];
    for (int k = 0; k < 3; k++) {
      mjtNum local[3];
      mju_f2n(local, vert + 3 * face[k], 3);
      cfi_mulMatVec3(corner[k], p->d->geom_xmat + 9 * geom, local);
      cfi_addTo3(corner[k], p->d->geom_xpos + 3 * geom);
    }
    float rgba[4];
    touchColor(rgba, reading, face, nvert, m->sensor_dim[sensor] / nvert, most);
    cfi_paintTriangle(p, cfi_decor(mjOBJ_SENSOR, sensor), (const mjtNum(*)[3])corner, rgba);
  }
}


void cfi_paintTactile(cfPainter* p) {
  for (int s = 0; cfi_wants(p, mjVIS_CONTACTPOINT) && s < p->m->nsensor; s++) {
    if (p->m->sensor_type[s] == mjSENS_TACTILE) {
      paintTouch(p, s);
    }
  }
}
