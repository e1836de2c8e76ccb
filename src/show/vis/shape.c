// Geoms of a scene.
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"


static void toFloat(float* dest, const mjtNum* source, const float* preset, int n) {
  CF_ASSERT(n >= 0);
  for (int k = 0; k < n; k++) {
    dest[k] = source ? (float)source[k] : preset[k];
  }
}


// sizes as factors along x, y and z: round shapes repeat their radius
static void scaleFactors(mjtNum factor[3], int type, const mjtNum size[3]) {
  cfi_copy3(factor, size);
  if (type == mjGEOM_SPHERE) {
    cfi_set3(factor, size[0], size[0], size[0]);
  } else if (type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER) {
    cfi_set3(factor, size[0], size[0], size[1]);
  }
}


void mjv_initGeom(mjvGeom* geom, int type, const mjtNum size[3], const mjtNum pos[3],
                  const mjtNum mat[9], const float rgba[4]) {
  static const float small[3] = {0.1f, 0.1f, 0.1f}, origin[3] = {0, 0, 0};
  static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, gray[4] = {0.5f, 0.5f, 0.5f, 1};
  mjtNum factor[3];
  if (size) {
    scaleFactors(factor, type, size);
  }
  geom->type = type;
  toFloat(geom->size, size ? factor : NULL, small, 3);
  toFloat(geom->pos, pos, origin, 3);
  toFloat(geom->mat, mat, identity, 9);
  memcpy(geom->rgba, rgba ? rgba : gray, sizeof(gray));

  // a dull, plain object without label
  geom->dataid = geom->matid = -1;
  geom->texcoord = 0;
  geom->emission = geom->reflectance = 0;
  geom->specular = geom->shininess = 0.5f;
  geom->label[0] = 0;
  geom->modelrbound = 0;
}


void mjv_connector(mjvGeom* geom, int type, mjtNum width, const mjtNum from[3],
                   const mjtNum to[3]) {
  const bool is_centered = type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER;
  const bool is_arrow = type == mjGEOM_ARROW || type == mjGEOM_ARROW1 || type == mjGEOM_ARROW2;
  if (!is_centered && !is_arrow && type != mjGEOM_LINE) {
    mju_error("invalid geom type %d for connector", type);
    return;
  }

  // capsules and cylinders have their origin in the middle and a half length
  mjtNum span[3], quat[4], mat[9];
  cfi_sub3(span, to, from);
  geom->type = type;
  geom->size[0] = geom->size[1] = (float)width;
  geom->size[2] = (float)cfi_norm3(span) * (is_centered ? 0.5f : 1.0f);
  for (int k = 0; k < 3; k++) {
    geom->pos[k] = (float)(is_centered ? 0.5 * (from[k] + to[k]) : from[k]);
  }
  mju_quatZ2Vec(quat, span);
  cfi_quat2Mat(mat, quat);
  mju_n2f(geom->mat, mat, 9);
}
