// Vectors and matrices as OpenGL takes them: floats, 4x4 matrices by columns.
#ifndef CF_RENDER_MATRIX_H
#define CF_RENDER_MATRIX_H

#include <mujoco/mujoco.h>

// dot and cross products of 3-vectors
float cfi_dotf(const float a[3], const float b[3]);
void cfi_crossf(float result[3], const float a[3], const float b[3]);

// to unit length; the z axis if there is no length
void cfi_unitf(float v[3]);

// unit normal of a triangle, counter-clockwise
void cfi_faceNormal(float normal[3], const float a[3], const float b[3], const float c[3]);

// some unit vector at right angles to a direction
void cfi_sideways(float result[3], const float direction[3]);

// product of 4x4 matrices
void cfi_product4(float result[16], const float a[16], const float b[16]);

// is a point on the back side of a plane with this frame?
int cfi_isBehind(const float point[3], const float pos[3], const float mat[9]);

// ---- these multiply the current matrix of OpenGL
void cfi_lookAlong(const float eye[3], const float forward[3], const float up[3]);
void cfi_mirror(const float pos[3], const float mat[9]);    // at a plane with this frame
void cfi_rotate9(const float mat[9]);                       // 3x3 by rows, as in mjvGeom
void cfi_roomFrame(const mjvScene* scn);                    // transformation of a scene
void cfi_reverseDepth(void);                                // near becomes 1, far 0 (or -1)
void cfi_perspective(float fovy, float znear, float zfar);  // square view, angle in degrees

#endif  // CF_RENDER_MATRIX_H
