// What is fixed about each type of joint, from the table of joints.
#ifndef CF_MODEL_JOINTKIND_H
#define CF_MODEL_JOINTKIND_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// Constants where the type is one.  A chain of choices instead of an array: it takes no memory
// access in loops over joints, and code for GPUs has no tables in memory.
#define CF_JOINT_CHOICE(type_, value) joint == (int)(type_) ? (value):

// numbers of a joint in qpos
static inline int cfi_jointCoordinates(int joint) {
#define CF_JOINT(type, positions, dofs, linear, has_quat) CF_JOINT_CHOICE(type, positions)
  return
#include "tables/joints.def"
#undef CF_JOINT
      1;
}


// numbers of a joint in qvel
static inline int cfi_jointDofs(int joint) {
#define CF_JOINT(type, positions, dofs, linear, has_quat) CF_JOINT_CHOICE(type, dofs)
  return
#include "tables/joints.def"
#undef CF_JOINT
      1;
}


// coordinates of a joint that add up, which come before its quaternion if it has one
static inline int cfi_jointLinear(int joint) {
#define CF_JOINT(type, positions, dofs, linear, has_quat) CF_JOINT_CHOICE(type, linear)
  return
#include "tables/joints.def"
#undef CF_JOINT
      1;
}


// True if the orientation of a joint is a quaternion.
static inline bool cfi_hasQuat(int joint) {
#define CF_JOINT(type, positions, dofs, linear, has_quat) CF_JOINT_CHOICE(type, has_quat)
  return
#include "tables/joints.def"
#undef CF_JOINT
      0;
}


// True for joints of one coordinate.
static inline bool cfi_isScalarJoint(int joint) {
#define CF_JOINT(type, positions, dofs, linear, has_quat) (joint == (int)(type) && !(has_quat)) ||
  return
#include "tables/joints.def"
#undef CF_JOINT
      false;
}

#endif  // CF_MODEL_JOINTKIND_H
