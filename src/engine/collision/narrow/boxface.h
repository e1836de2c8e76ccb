// Coordinates of a box's face: z leaves the box through the face, x and y span it.
#ifndef CF_COLLISION_NARROW_BOXFACE_H
#define CF_COLLISION_NARROW_BOXFACE_H

#include <math.h>

#include "math/inline.h"

// a signed permutation of axes: row k of the face frame is sign[k] times axis index[k] of the box
typedef struct {
  int index[3];
  mjtNum sign[3];
} faceFrame;

// by face: +x +y +z -x -y -z
static const faceFrame cfi_face_frames[6] = {
    {{2, 1, 0}, {-1, 1, 1}}, {{0, 2, 1}, {1, -1, 1}}, {{0, 1, 2}, {1, 1, 1}},
    {{2, 1, 0}, {1, 1, -1}}, {{0, 2, 1}, {1, 1, -1}}, {{0, 1, 2}, {-1, 1, -1}},
};


// box coordinates to face coordinates
static inline void cfi_toFace(mjtNum res[3], const faceFrame* f, const mjtNum v[3]) {
  for (int k = 0; k < 3; k++) {
    res[k] = f->sign[k] * v[f->index[k]];
  }
}


// half sizes of the box along the face's axes
static inline void cfi_faceSize(mjtNum res[3], const faceFrame* f, const mjtNum size[3]) {
  for (int k = 0; k < 3; k++) {
    res[k] = size[f->index[k]];
  }
}


// world <- face
static inline void cfi_faceToWorld(mjtNum res[9], const faceFrame* f, const mjtNum mat[9]) {
  for (int k = 0; k < 3; k++) {
    for (int row = 0; row < 9; row += 3) {
      res[row + k] = mat[row + f->index[k]] * f->sign[k];
    }
  }
}

#endif  // CF_COLLISION_NARROW_BOXFACE_H
