// Hinges of a surface: angle and gradient, constants of the rest shape, stiffness.
#include "flex/hinge.h"

#include <math.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"

// below this cosine of the rest angle flex_bending does not tell the stiffness of a hinge
static const mjtNum kLeastCosine = 0.1;

// shape of a hinge
typedef struct {
  mjtNum length, area, height[2];  // of the edge; of both triangles; of each above the edge
  mjtNum cot[2][2];                // of the angle of triangle s at end i: cot[s][i]
  mjtNum volume;                   // det(x1 - x0, x2 - x0, x3 - x0)
} hingeShape;


cfHingeAngle cfi_hingeAngle(const mjtNum* x, const int corner[4]) {
  const mjtNum* at[4];
  for (int i = 0; i < 4; i++) {
    at[i] = x + CF_POINT * corner[i];
  }
  mjtNum edge[3], flap[2][3], normal[2][3], across[3];
  cfHingeAngle hinge = {0};
  cfi_sub3(edge, at[1], at[0]);
  cfi_sub3(flap[0], at[2], at[0]);
  cfi_sub3(flap[1], at[3], at[0]);
  cfi_cross(normal[0], edge, flap[0]);
  cfi_cross(normal[1], flap[1], edge);
  const mjtNum square = cfi_dot3(edge, edge), length = sqrt(square);
  const mjtNum area[2] = {cfi_dot3(normal[0], normal[0]), cfi_dot3(normal[1], normal[1])};
  if (length < mjMINVAL || area[0] < mjMINVAL * mjMINVAL || area[1] < mjMINVAL * mjMINVAL) {
    return hinge;
  }
  cfi_cross(across, normal[0], normal[1]);
  hinge.angle = cfi_atan2(cfi_dot3(across, edge) / length, cfi_dot3(normal[0], normal[1]));
  for (int k = 0; k < 2; k++) {
    const mjtNum share = cfi_dot3(flap[k], edge) / square;
    cfi_scl3(hinge.gradient[2 + k], normal[k], -length / area[k]);
    cfi_addToScl3(hinge.gradient[0], hinge.gradient[2 + k], share - 1);
    cfi_addToScl3(hinge.gradient[1], hinge.gradient[2 + k], -share);
  }
  return hinge;
}


// ---------------------------------------- rest shape

// false for a triangle without area
static bool measureShape(hingeShape* shape, const mjtNum* x, const int corner[4]) {
  mjtNum edge[3], arm[2][2][3], normal[2][3];
  cfi_sub3(edge, x + CF_POINT * corner[1], x + CF_POINT * corner[0]);
  shape->length = cfi_norm3(edge);
  shape->area = 0;
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 2; i++) {
      cfi_sub3(arm[s][i], x + CF_POINT * corner[2 + s], x + CF_POINT * corner[i]);
    }
    cfi_cross(normal[s], edge, arm[s][0]);
    const mjtNum doubled = cfi_norm3(normal[s]);
    if (shape->length < mjMINVAL || doubled < mjMINVAL) {
      return false;
    }
    shape->height[s] = doubled / shape->length;
    shape->area += doubled / 2;
    shape->cot[s][0] = cfi_dot3(edge, arm[s][0]) / doubled;
    shape->cot[s][1] = -cfi_dot3(edge, arm[s][1]) / doubled;
  }
  shape->volume = cfi_dot3(normal[0], arm[1][0]);
  return true;
}


// everything but the stiffness, and that as far as flex_bending tells it
static void restHinge(cfHingeRest* hinge, const hingeShape* shape, mjtNum angle, mjtNum bending) {
  const mjtNum volume = shape->length * shape->height[0] * shape->height[1];
  CF_ASSERT(!(volume <= 0));
  hinge->angle = angle;
  hinge->weight[0] = shape->cot[0][1] + shape->cot[1][1];
  hinge->weight[1] = shape->cot[0][0] + shape->cot[1][0];
  hinge->weight[2] = -(shape->cot[0][0] + shape->cot[0][1]);
  hinge->weight[3] = -(shape->cot[1][0] + shape->cot[1][1]);
  hinge->by_square = 1 / (2 * shape->length * shape->length);
  hinge->by_volume = -1 / volume;
  cfi_sinCos(&hinge->sine, &hinge->cosine, angle);
  hinge->former = bending;
  if (fabs(hinge->cosine) >= kLeastCosine) {
    hinge->unit = shape->height[1] * shape->height[1] / hinge->cosine;
    hinge->stiffness = cfi_max(0, bending * hinge->unit);
  }
}


mjtSize cfi_hingeNumbers(const mjModel* m, int f) {
  return (mjtSize)(sizeof(cfHingeRest) / sizeof(mjtNum)) * m->flex_edgenum[f];
}


// hinges near a right angle get theirs from the rigidity of the flex, or of its other hinges
void cfi_restHinges(const mjModel* m, int f, const mjtNum* rest, mjtNum* constant) {
  cfHingeRest* hinge = (cfHingeRest*)(void*)constant;
  CF_ASSERT_INDEX(f, m->nflex);
  hingeShape shape;
  mjtNum sum = 0, count = 0;
  int corner[4];
  for (int e = 0; e < m->flex_edgenum[f]; e++) {
    const int edge = m->flex_edgeadr[f] + e;
    hinge[e] = (cfHingeRest){.stiffness = 0};
    if (cfi_edgeCorners(corner, m, edge) && measureShape(&shape, rest, corner)) {
      restHinge(hinge + e, &shape, cfi_hingeAngle(rest, corner).angle,
                m->flex_bending[CF_BENDING_NUMBERS * edge + 15]);
      sum += hinge[e].stiffness * shape.area / (shape.length * shape.length);
      count += hinge[e].unit != 0;
    }
  }
  const mjtNum known = cfi_flexRigidity(m, f), found = count > 0 ? sum / count : 0;
  for (int e = 0; e < m->flex_edgenum[f]; e++) {
    if (hinge[e].by_square > 0 && hinge[e].unit == 0) {
      cfi_edgeCorners(corner, m, m->flex_edgeadr[f] + e);
      measureShape(&shape, rest, corner);
      hinge[e].stiffness = (known > 0 ? known : found) * shape.length * shape.length / shape.area;
    }
  }
}


mjtNum cfi_hingeScale(const cfFlexView* view) {
  const mjModel* m = view->m;
  const cfHingeRest* rest = (const cfHingeRest*)(const void*)view->constant;
  CF_ASSERT(rest != NULL && m->flex_dim[view->flex] == 2);
  mjtNum now = 0, then = 0, any_now = 0, any_then = 0;
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    const mjtNum bending =
        m->flex_bending[CF_BENDING_NUMBERS * (m->flex_edgeadr[view->flex] + e) + 15];
    now += bending * rest[e].unit;
    then += rest[e].unit != 0 ? rest[e].stiffness : 0;
    any_now += fabs(bending);
    any_then += fabs(rest[e].former);
  }
  if (then > 0) {
    return cfi_max(0, now / then);
  }
  return any_then > 0 ? any_now / any_then : 1;
}


// ---------------------------------------- which flexes have hinges

mjtByte cfi_hasHinges(const mjModel* m, int f) {
  return m->flex_dim[f] == 2;
}


const char* cfi_hingeObjection(const mjModel* m, int f) {
  CF_ASSERT_INDEX(f, m->nflex);
  bool has_flaps = false, has_hinges = false, is_stiff = cfi_flexRigidity(m, f) > 0;
  if (m->flex_dim[f] != 2) {
    return "bends surfaces, flexes of dim 2";
  }
  for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
    int corner[4];
    has_flaps |= m->flex_edgeflap[2 * e] >= 0;
    if (cfi_edgeCorners(corner, m, e)) {
      has_hinges = true;
      is_stiff |= m->flex_bending[CF_BENDING_NUMBERS * e + 15] != 0;
    }
  }
  if (!has_flaps && m->flex_edgenum[f] > 0) {
    return "needs a flex that was compiled with a model of bending, or with elastic2d \"bend\" or "
           "\"both\"";
  }
  return has_hinges && !is_stiff ? "needs <elasticity> with young and thickness" : NULL;
}


int cfi_countHinges(const mjModel* m, int f) {
  return m->flex_edgenum[f];
}


// ---------------------------------------- volume between two triangles

void cfi_volumeGradient(mjtNum gradient[4][3], const mjtNum* x, const int corner[4]) {
  mjtNum side[3][3];
  for (int k = 0; k < 3; k++) {
    cfi_sub3(side[k], x + CF_POINT * corner[k + 1], x + CF_POINT * corner[0]);
  }
  cfi_cross(gradient[1], side[1], side[2]);
  cfi_cross(gradient[2], side[2], side[0]);
  cfi_cross(gradient[3], side[0], side[1]);
  for (int c = 0; c < 3; c++) {
    gradient[0][c] = -(gradient[1][c] + gradient[2][c] + gradient[3][c]);
  }
}


// cross products with the third side
void cfi_addVolumeCurvature(mjtNum* K, mjtNum scale, const mjtNum* x, const int corner[4]) {
  CF_ASSERT(K != NULL);
  for (int a = 1; a < 4; a++) {
    const int b = a % 3 + 1, third = b % 3 + 1;
    mjtNum side[3];
    cfi_sub3(side, x + CF_POINT * corner[third], x + CF_POINT * corner[0]);
    cfi_scl3(side, side, scale);
    const mjtNum cross[9] = {0, side[2], -side[1], -side[2], 0, side[0], side[1], -side[0], 0};
    const int row[4] = {a, 0, a, 0}, column[4] = {b, b, 0, 0};
    for (int k = 0; k < 4; k++) {
      const int sign = k == 0 || k == 3 ? 1 : -1;
      for (int r = 0; r < 9; r++) {
        const int i = 3 * row[k] + r / 3, j = 3 * column[k] + r % 3;
        K[12 * i + j] += sign * cross[r];
        K[12 * j + i] += sign * cross[r];
      }
    }
  }
}
