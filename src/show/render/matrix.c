// Vectors and matrices as OpenGL takes them.
#include "render/matrix.h"

#include <math.h>

#include "base/assert.h"
#include "math/libm.h"
#include "render/gl.h"


float cfi_dotf(const float a[3], const float b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}


void cfi_crossf(float result[3], const float a[3], const float b[3]) {
  CF_ASSERT(result != a && result != b);
  for (int k = 0; k < 3; k++) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    result[k] = a[next] * b[last] - a[last] * b[next];
  }
}


void cfi_unitf(float v[3]) {
  const float length = sqrtf(cfi_dotf(v, v));
  const bool is_short = length < 1e-10f;
  const float scale = is_short ? 0 : 1 / length;
  for (int k = 0; k < 3; k++) {
    v[k] *= scale;
  }
  if (is_short) {
    v[0] = v[1] = 0;
    v[2] = 1;
  }
}


void cfi_faceNormal(float normal[3], const float a[3], const float b[3], const float c[3]) {
  float side[2][3];
  for (int k = 0; k < 3; k++) {
    side[0][k] = b[k] - a[k];
    side[1][k] = c[k] - a[k];
  }
  cfi_crossf(normal, side[0], side[1]);
  cfi_unitf(normal);
}


// direction x (-x axis), or direction x (y axis) where the direction is too close to x
void cfi_sideways(float result[3], const float direction[3]) {
  static const float axes[2][3] = {{-1, 0, 0}, {0, 1, 0}};
  cfi_crossf(result, direction, axes[0]);
  if (cfi_dotf(result, result) <= 0.01) {
    cfi_crossf(result, direction, axes[1]);
  }
  cfi_unitf(result);
}


void cfi_product4(float result[16], const float a[16], const float b[16]) {
  CF_ASSERT(result != a && result != b);
  for (int k = 0; k < 16; k++) {
    const int row = k % 4, column = k - row;
    float sum = 0;
    for (int i = 0; i < 4; i++) {
      sum += a[row + 4 * i] * b[i + column];
    }
    result[k] = sum;
  }
}


int cfi_isBehind(const float point[3], const float pos[3], const float mat[9]) {
  float height = 0;
  for (int k = 0; k < 3; k++) {
    height += (point[k] - pos[k]) * mat[3 * k + 2];
  }
  return height < 0;
}


// rows of the rotation are right, up and backward; then the eye is moved to the origin
void cfi_lookAlong(const float eye[3], const float forward[3], const float up[3]) {
  float ahead[3] = {forward[0], forward[1], forward[2]}, right[3], above[3], m[16];
  cfi_unitf(ahead);
  cfi_crossf(right, ahead, up);
  cfi_unitf(right);
  cfi_crossf(above, right, ahead);
  cfi_unitf(above);
  for (int k = 0; k < 3; k++) {
    m[4 * k] = right[k];
    m[4 * k + 1] = above[k];
    m[4 * k + 2] = -ahead[k];
    m[4 * k + 3] = 0;
  }
  m[12] = -cfi_dotf(right, eye);
  m[13] = -cfi_dotf(above, eye);
  m[14] = cfi_dotf(ahead, eye);
  m[15] = 1;
  cfi_gl.MultMatrixf(m);
}


// x -> x - 2 n (n.x) + 2 n (n.p)
void cfi_mirror(const float pos[3], const float mat[9]) {
  const float n[3] = {mat[2], mat[5], mat[8]};
  float m[16];
  for (int column = 0; column < 3; column++) {
    for (int row = 0; row < 3; row++) {
      m[4 * column + row] = (float)(row == column) - 2 * (n[column] * n[row]);
    }
    const float outer[3] = {n[column] * n[0], n[column] * n[1], n[column] * n[2]};
    m[4 * column + 3] = 0;
    m[12 + column] = 2 * cfi_dotf(outer, pos);
  }
  m[15] = 1;
  cfi_gl.MultMatrixf(m);
}


void cfi_rotate9(const float mat[9]) {
  float m[16] = {0};
  for (int k = 0; k < 9; k++) {
    m[4 * (k % 3) + k / 3] = mat[k];
  }
  m[15] = 1;
  cfi_gl.MultMatrixf(m);
}


void cfi_roomFrame(const mjvScene* scn) {
  mjtNum quat[4], mat[9];
  float m[16] = {0};
  mju_f2n(quat, scn->rotate, 4);
  mju_quat2Mat(mat, quat);
  for (int k = 0; k < 9; k++) {
    m[4 * (k % 3) + k / 3] = scn->scale * (float)mat[k];
  }
  for (int k = 0; k < 3; k++) {
    m[12 + k] = scn->translate[k];
  }
  m[15] = 1;
  cfi_gl.MultMatrixf(m);
}


// floats are dense near zero, where the far end of a view needs them
void cfi_reverseDepth(void) {
  if (cfi_gl.has_clip_control) {
    cfi_gl.Translatef(0, 0, 0.5f);
    cfi_gl.Scalef(1, 1, -0.5f);
  } else {
    cfi_gl.Scalef(1, 1, -1);
  }
}


void cfi_perspective(float fovy, float znear, float zfar) {
  const double half = cfi_tan((double)fovy / 360.0 * mjPI) * (double)znear;
  cfi_gl.Frustum(-half, half, -half, half, (double)znear, (double)zfar);
}
