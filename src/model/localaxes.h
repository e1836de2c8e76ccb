// Rotations of frames in their bodies as matrices, kept from step to step.
//
// Made with every mjData.  An entry belongs to one quaternion of the model and is made anew when
// that has other bits: programs edit models between steps, and several threads may step one model.
#ifndef CF_MODEL_LOCALAXES_H
#define CF_MODEL_LOCALAXES_H

#include <mujoco/mujoco.h>

typedef struct {
  mjtNum quat[4];
  mjtNum row[3][4];  // of the rotation matrix of quat; the fourth number of a row is not used
} cfLocalAxes;

// entries of inertias (by body), geoms and sites; NULL: nothing is kept
typedef struct {
  const cfLocalAxes *inertia, *geom, *site;
} cfLocalFrames;

// fill the slot of d; leaves it empty without memory
void cfi_prepareLocalFrames(const mjModel* m, mjData* d);

// the table of d, brought to the quaternions of m; entries of cameras, which have a stage of their
// own; and an entry of the caller's
cfLocalFrames cfi_localFrames(const mjModel* m, mjData* d);
const cfLocalAxes* cfi_localCameras(const mjModel* m, mjData* d);
void cfi_makeLocalAxes(cfLocalAxes* axes, const mjtNum quat[4]);

#endif  // CF_MODEL_LOCALAXES_H
