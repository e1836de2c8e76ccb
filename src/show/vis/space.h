// Where the camera of a scene is.
#ifndef CF_VIS_SPACE_H
#define CF_VIS_SPACE_H

#include <mujoco/mujoco.h>

// position and directions of a camera
typedef struct {
  mjtNum pos[3], forward[3], up[3];
} cfEye;

// the camera of a scene in model space, midway between its eyes
cfEye cfi_eyeInModel(const mjvScene* scn);

#endif  // CF_VIS_SPACE_H
