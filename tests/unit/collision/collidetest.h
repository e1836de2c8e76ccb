// Helpers of the collision tests: models from text, random poses, geoms outside of models.
#ifndef CF_COLLIDETEST_H
#define CF_COLLIDETEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "collision/collider.h"

// a model from MJCF text; the test fails when it does not compile
static inline mjModel* cf_modelFromText(const char* text) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    CF_FAIL("model does not compile: %s\n", error);
  }
  mj_deleteSpec(spec);
  return m;
}


// model and data with positions computed and collisions found
typedef struct {
  mjModel* m;
  mjData* d;
} cfScene;

static inline cfScene cf_sceneFromText(const char* text) {
  cfScene s = {.m = cf_modelFromText(text)};
  s.d = mj_makeData(s.m);
  mj_kinematics(s.m, s.d);
  mj_comPos(s.m, s.d);
  mj_collision(s.m, s.d);
  return s;
}


static inline void cf_freeScene(cfScene s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}


// xorshift: the same numbers everywhere
static unsigned long long cf_seed = 88172645463325252ull;

static inline double cf_uniform(double low, double high) {
  cf_seed ^= cf_seed << 13;
  cf_seed ^= cf_seed >> 7;
  cf_seed ^= cf_seed << 17;
  return low + (high - low) * (double)(cf_seed >> 11) / 9007199254740992.0;
}


static inline void cf_randomRotation(mjtNum mat[9]) {
  mjtNum quat[4];
  for (int k = 0; k < 4; k++) {
    quat[k] = cf_uniform(-1, 1);
  }
  mju_normalize4(quat);
  mju_quat2Mat(mat, quat);
}


// a geom that owns its pose and size
typedef struct {
  int type;
  mjtNum pos[3], mat[9], size[3];
} cfSolid;

static inline cfGeomView cf_view(const cfSolid* s) {
  return (cfGeomView){s->pos, s->mat, s->size};
}


static inline cfSolid cf_randomSolid(int type, double spread) {
  cfSolid s = {.type = type};
  for (int k = 0; k < 3; k++) {
    s.pos[k] = cf_uniform(-spread, spread);
    s.size[k] = cf_uniform(0.05, 0.4);
  }
  cf_randomRotation(s.mat);
  return s;
}


// at the origin, upright
static inline cfSolid cf_solidAt(int type, double x, double y, double z, double s0, double s1,
                                 double s2) {
  cfSolid s = {.type = type, .pos = {x, y, z}, .size = {s0, s1, s2}};
  s.mat[0] = s.mat[4] = s.mat[8] = 1;
  return s;
}


// turn a solid about its own axis k (radians)
static inline void cf_turn(cfSolid* s, int k, double angle) {
  mjtNum axis[3] = {0, 0, 0}, quat[4], turn[9], mat[9];
  axis[k] = 1;
  mju_axisAngle2Quat(quat, axis, angle);
  mju_quat2Mat(turn, quat);
  mju_mulMatMat(mat, s->mat, turn, 3, 3, 3);
  memcpy(s->mat, mat, sizeof(mat));
}


// closed form of two types, NULL when there is none
typedef int (*cfCollider)(mjContact*, cfGeomView, cfGeomView, mjtNum);

static inline cfCollider cf_closedForm(int type1, int type2) {
  static const struct {
    int type1, type2;
    cfCollider collider;
  } table[] = {
      {mjGEOM_PLANE, mjGEOM_SPHERE, cfi_planeSphere},
      {mjGEOM_PLANE, mjGEOM_CAPSULE, cfi_planeCapsule},
      {mjGEOM_PLANE, mjGEOM_CYLINDER, cfi_planeCylinder},
      {mjGEOM_PLANE, mjGEOM_BOX, cfi_planeBox},
      {mjGEOM_SPHERE, mjGEOM_SPHERE, cfi_sphereSphere},
      {mjGEOM_SPHERE, mjGEOM_CAPSULE, cfi_sphereCapsule},
      {mjGEOM_SPHERE, mjGEOM_CYLINDER, cfi_sphereCylinder},
      {mjGEOM_SPHERE, mjGEOM_BOX, cfi_sphereBox},
      {mjGEOM_CAPSULE, mjGEOM_CAPSULE, cfi_capsuleCapsule},
      {mjGEOM_CAPSULE, mjGEOM_BOX, cfi_capsuleBox},
      {mjGEOM_BOX, mjGEOM_BOX, cfi_boxBox},
  };
  for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
    if (table[k].type1 == type1 && table[k].type2 == type2) {
      return table[k].collider;
    }
  }
  return NULL;
}


static inline int cf_contactIsFinite(const mjContact* c) {
  int finite = isfinite(c->dist);
  for (int k = 0; k < 3; k++) {
    finite = finite && isfinite(c->pos[k]) && isfinite(c->frame[k]);
  }
  return finite;
}

#endif  // CF_COLLIDETEST_H
