// Hinges: inner edges of a surface with their two triangles, as models of bending see them.
//
//            x2          The angle is that between the normals of the triangles, 0 when flat.  A
//            fold
//           /  \         turns about the edge x0-x1; its stiffness k, in N*m per radian, is
//         x0 -- x1       k = D*length^2/area, with D the rigidity of the plate and the area of both
//           \  /         triangles.  It does not depend on the rest angle.
//            x3
//
// MuJoCo keeps k*cos(rest angle) of every hinge in flex_bending.  What k was is read from there, so
// that an edited flex_bending is followed.  Near a right angle nothing can be read: k comes from D
// then, and follows the hinges that can be read, all together.
#ifndef CF_FLEX_HINGE_H
#define CF_FLEX_HINGE_H

#include "flex/models.h"

// constants of a hinge
typedef struct {
  mjtNum stiffness;     // k when the model was chosen
  mjtNum unit;          // k per flex_bending[15] of the edge, 0 near a right angle
  mjtNum former;        // flex_bending[15] when the model was chosen
  mjtNum angle;         // of rest
  mjtNum cosine, sine;  // of that angle
  mjtNum weight[4];     // sum(weight[i]*xi) = -length*(sum of both heights, as unit vectors)
  mjtNum by_square;     // 0: no hinge; cosine = 1 - by_square*|sum(weight[i]*xi)|^2
  mjtNum by_volume;     // sine = by_volume*det(x1 - x0, x2 - x0, x3 - x0)
  mjtNum reach[4];      // size of the gradient of (cosine, sine) at rest; of cubic_shell only
} cfHingeRest;

// angle of a hinge and its gradient
typedef struct {
  mjtNum angle, gradient[4][3];
} cfHingeAngle;

// gradients at x2 and x3 turn the triangles about the edge; those at x0 and x1 balance force and
// torque.  A triangle without area gives no gradient
cfHingeAngle cfi_hingeAngle(const mjtNum* x, const int corner[4]);

// members of the class of a model made of hinges
mjtByte cfi_hasHinges(const mjModel* m, int f);
const char* cfi_hingeObjection(const mjModel* m, int f);
mjtSize cfi_hingeNumbers(const mjModel* m, int f);
void cfi_restHinges(const mjModel* m, int f, const mjtNum* rest, mjtNum* constant);
int cfi_countHinges(const mjModel* m, int f);

// by what hinges near a right angle have become stiffer since the model was chosen
mjtNum cfi_hingeScale(const cfFlexView* view);

// k of a hinge now; `scale` as above
static inline mjtNum cfi_hingeStiffness(const cfFlexView* view, int e, mjtNum scale) {
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant + e;
  const mjtNum now =
      view->m->flex_bending[CF_BENDING_NUMBERS * (view->m->flex_edgeadr[view->flex] + e) + 15];
  const mjtNum stiffness = rest->unit != 0 ? now * rest->unit : rest->stiffness * scale;
  return rest->by_square == 0 || stiffness < 0 ? 0 : stiffness;
}

// gradient of det(x1 - x0, x2 - x0, x3 - x0), and scale times its second derivative, 12 x 12
void cfi_volumeGradient(mjtNum gradient[4][3], const mjtNum* x, const int corner[4]);
void cfi_addVolumeCurvature(mjtNum* K, mjtNum scale, const mjtNum* x, const int corner[4]);

#endif  // CF_FLEX_HINGE_H
