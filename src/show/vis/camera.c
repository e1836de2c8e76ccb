// Cameras and lights of a scene.
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"
#include "vis/space.h"

// what the frustum of a camera depends on
typedef struct {
  bool is_orthographic;
  mjtNum fovy, ipd;
  const float *intrinsic, *sensor_size;  // NULL unless the camera has a sensor
} cfOptics;


// optics of an abstract camera; fixed cameras have their own, the others those of the free camera
static cfOptics cameraOptics(const mjModel* m, const mjvCamera* cam) {
  cfOptics optics = {m->vis.global.orthographic, m->vis.global.fovy, m->vis.global.ipd, NULL, NULL};
  if (cam->type == mjCAMERA_FREE || cam->type == mjCAMERA_TRACKING) {
    return optics;
  }
  if (cam->type != mjCAMERA_FIXED) {
    mju_error("unknown camera type");
    return optics;
  }
  int id = cam->fixedcamid;
  if (id < 0 || id >= m->ncam) {
    mju_error("fixed camera id is outside valid range");
    return optics;
  }
  optics.is_orthographic = m->cam_projection[id] == mjPROJ_ORTHOGRAPHIC;
  optics.fovy = m->cam_fovy[id];
  optics.ipd = m->cam_ipd[id];
  if (m->cam_sensorsize[2 * id + 1]) {
    optics.sensor_size = m->cam_sensorsize + 2 * id;
    optics.intrinsic = m->cam_intrinsic + 4 * id;
  }
  return optics;
}


// axes of a camera that is aimed by azimuth and elevation, as columns right, up, backward
static void aimedAxes(mjtNum axes[9], const mjvCamera* cam) {
  const mjtNum azimuth = cam->azimuth / 180.0 * mjPI, elevation = cam->elevation / 180.0 * mjPI;
  const mjtNum ca = cfi_cos(azimuth), sa = cfi_sin(azimuth), ce = cfi_cos(elevation),
               se = cfi_sin(elevation);
  const mjtNum values[9] = {sa, -se * ca, -ce * ca, -ca, -se * sa, -ce * sa, 0, ce, -se};
  memcpy(axes, values, sizeof(values));
}


void mjv_cameraFrame(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3], mjtNum right[3],
                     const mjData* d, const mjvCamera* cam) {
  mjtNum axes[9], ahead[3];
  const bool is_fixed = cam->type == mjCAMERA_FIXED;
  if (!is_fixed && cam->type != mjCAMERA_FREE && cam->type != mjCAMERA_TRACKING) {
    mju_error("unknown camera type");
    return;
  }
  if (is_fixed) {
    cfi_copy9(axes, d->cam_xmat + 9 * cam->fixedcamid);
  } else {
    aimedAxes(axes, cam);
  }

  cfi_set3(ahead, -axes[2], -axes[5], -axes[8]);
  if (forward) {
    cfi_copy3(forward, ahead);
  }
  if (up) {
    cfi_column3(up, axes, 1);
  }
  if (right) {
    cfi_column3(right, axes, 0);
  }
  if (headpos && is_fixed) {
    cfi_copy3(headpos, d->cam_xpos + 3 * cam->fixedcamid);
  } else if (headpos) {
    cfi_addScl3(headpos, cam->lookat, ahead, -cam->distance);
  }
}


// extent of one image axis at the near plane, to either side of the optical axis
static void sensorExtent(float extent[2], float znear, const cfOptics* optics, int axis) {
  CF_ASSERT(axis == 0 || axis == 1);
  const float scale = znear / optics->intrinsic[axis];
  float half = optics->sensor_size[axis] / 2.f, center = optics->intrinsic[2 + axis];
  extent[0] = scale * (half - center);
  extent[1] = scale * (half + center);
}


void mjv_cameraFrustum(float zver[2], float zhor[2], float zclip[2], const mjModel* m,
                       const mjvCamera* cam) {
  cfOptics optics = cameraOptics(m, cam);
  float znear = (float)(m->vis.map.znear * m->stat.extent);
  float extent[2][2] = {{0, 0}, {0, 0}};
  if (optics.intrinsic && !optics.is_orthographic) {
    sensorExtent(extent[0], znear, &optics, 0);
    sensorExtent(extent[1], znear, &optics, 1);
  } else {
    mjtNum half =
        optics.is_orthographic ? optics.fovy / 2 : znear * cfi_tan(optics.fovy * mjPI / 360.0);
    extent[1][0] = extent[1][1] = (float)half;
  }

  if (zhor) {
    memcpy(zhor, extent[0], sizeof(extent[0]));
  }
  if (zver) {
    memcpy(zver, extent[1], sizeof(extent[1]));
  }
  if (zclip) {
    zclip[0] = znear;
    zclip[1] = (float)(m->vis.map.zfar * m->stat.extent);
  }
}


// a tracking camera looks at the subtree of its body
static void followBody(const mjModel* m, const mjData* d, mjvCamera* cam) {
  if (cam->trackbodyid < 0 || cam->trackbodyid >= m->nbody) {
    mju_error("track body id is outside valid range");
    return;
  }
  cfi_copy3(cam->lookat, d->subtree_com + 3 * cam->trackbodyid);
}


void mjv_updateCamera(const mjModel* m, const mjData* d, mjvCamera* cam, mjvScene* scn) {
  if (!m || !cam || cam->type == mjCAMERA_USER) {
    return;
  }
  if (cam->type == mjCAMERA_TRACKING) {
    followBody(m, d, cam);
  }
  const cfOptics optics = cameraOptics(m, cam);
  mjtNum head[3], forward[3], up[3], right[3];
  float vertical[2], horizontal[2], clip[2];
  mjv_cameraFrame(head, forward, up, right, d, cam);
  mjv_cameraFrustum(vertical, horizontal, clip, m, cam);

  // left eye first
  for (int eye = 0; eye < 2; eye++) {
    mjvGLCamera* camera = scn->camera + eye;
    const mjtNum shift = (eye ? optics.ipd : -optics.ipd) * 0.5;
    for (int k = 0; k < 3; k++) {
      camera->pos[k] = (float)(head[k] + shift * right[k]);
      camera->forward[k] = (float)forward[k];
      camera->up[k] = (float)up[k];
    }
    camera->orthographic = optics.is_orthographic;
    camera->frustum_bottom = -vertical[0];
    camera->frustum_top = vertical[1];
    camera->frustum_center = (horizontal[1] - horizontal[0]) / 2;
    camera->frustum_width = (horizontal[1] + horizontal[0]) / 2;
    camera->frustum_near = clip[0];
    camera->frustum_far = clip[1];
  }
  scn->enabletransform = 0;
}


//---------------------------------- lights --------------------------------------------------------

// light that sits at the camera
static mjvLight headLight(const mjModel* m, const mjvScene* scn) {
  mjvLight light = {.id = -1,
                    .headlight = 1,
                    .texid = -1,
                    .type = mjLIGHT_DIRECTIONAL,
                    .bulbradius = 0.02f,
                    .range = 10};
  const cfEye eye = cfi_eyeInModel(scn);
  mju_n2f(light.pos, eye.pos, 3);
  mju_n2f(light.dir, eye.forward, 3);
  memcpy(light.ambient, m->vis.headlight.ambient, sizeof(light.ambient));
  memcpy(light.diffuse, m->vis.headlight.diffuse, sizeof(light.diffuse));
  memcpy(light.specular, m->vis.headlight.specular, sizeof(light.specular));
  return light;
}


static mjvLight modelLight(const mjModel* m, const mjData* d, int id) {
  CF_ASSERT_INDEX(id, m->nlight);
  mjvLight light = {.id = id,
                    .type = m->light_type[id],
                    .texid = m->light_texid[id],
                    .castshadow = m->light_castshadow[id],
                    .bulbradius = m->light_bulbradius[id],
                    .intensity = m->light_intensity[id],
                    .range = m->light_range[id]};
  if (light.type == mjLIGHT_SPOT) {
    memcpy(light.attenuation, m->light_attenuation + 3 * id, sizeof(light.attenuation));
    light.exponent = m->light_exponent[id];
    light.cutoff = m->light_cutoff[id];
  }
  memcpy(light.ambient, m->light_ambient + 3 * id, sizeof(light.ambient));
  memcpy(light.diffuse, m->light_diffuse + 3 * id, sizeof(light.diffuse));
  memcpy(light.specular, m->light_specular + 3 * id, sizeof(light.specular));
  mju_n2f(light.pos, d->light_xpos + 3 * id, 3);
  mju_n2f(light.dir, d->light_xdir + 3 * id, 3);
  return light;
}


void mjv_makeLights(const mjModel* m, const mjData* d, mjvScene* scn) {
  scn->nlight = 0;
  if (m->vis.headlight.active) {
    scn->lights[scn->nlight++] = headLight(m, scn);
  }
  for (int i = 0; i < m->nlight && scn->nlight < mjMAXLIGHT; i++) {
    if (m->light_active[i]) {
      scn->lights[scn->nlight++] = modelLight(m, d, i);
    }
  }
}
