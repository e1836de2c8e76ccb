// Bending by dihedral angles (Bridson, Marino and Fedkiw 2003, "Simulation of clothing with folds
// and wrinkles"), for large deflections.
//
//            x2          Two triangles share the edge x0-x1; angle is that between their normals,
//           /  \         0 when flat.  W = k/2*(angle - rest)^2 for every inner edge,
//         x0 -- x1       force = -k*(angle - rest) * gradient of the angle.
//           \  /
//            x3          The stiffness k is that of MuJoCo's cotangent model at small deflections.
//
// A stiff hinge would overshoot within a timestep: its force is scaled down so that no vertex moves
// farther than one radian of the angle is worth.  All four forces are scaled alike, which keeps
// momentum.
#include "flex/models.h"

#include "math/inline.h"

enum { COTANGENT_NUMBERS = 17 };

// constants of an edge
typedef struct {
  mjtNum stiffness, rest;  // N*m per radian, 0 at the border; angle
} hingeRest;

// angle of a hinge and its gradient
typedef struct {
  mjtNum angle, gradient[4][3];
} hingeAngle;


static mjtByte bendsDihedral(const mjModel* m, int f) {
  return m->flex_dim[f] == 2;
}


// gradients at x2 and x3 turn the triangles about the edge; those at x0 and x1 balance force and
// torque.  A triangle without area gives no gradient
static hingeAngle measureHinge(const mjtNum* x, const int corner[4]) {
  const mjtNum* at[4];
  for (int i = 0; i < 4; i++) {
    at[i] = x + CF_POINT * corner[i];
  }
  mjtNum edge[3], flap[2][3], normal[2][3], across[3];
  hingeAngle hinge = {0};
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
  hinge.angle = atan2(cfi_dot3(across, edge) / length, cfi_dot3(normal[0], normal[1]));
  for (int k = 0; k < 2; k++) {
    const mjtNum share = cfi_dot3(flap[k], edge) / square;
    cfi_scl3(hinge.gradient[2 + k], normal[k], -length / area[k]);
    cfi_addToScl3(hinge.gradient[0], hinge.gradient[2 + k], share - 1);
    cfi_addToScl3(hinge.gradient[1], hinge.gradient[2 + k], -share);
  }
  return hinge;
}


static mjtSize hingeNumbers(const mjModel* m, int f) {
  return 2 * (mjtSize)m->flex_edgenum[f];
}


// turning x3 about the edge by a small angle changes the cotangent energy by Q33*(height*angle)^2/2
static void restHinges(const mjModel* m, int f, const mjtNum* rest, mjtNum* constant) {
  hingeRest* hinge = (hingeRest*)(void*)constant;
  for (int e = 0; e < m->flex_edgenum[f]; e++) {
    const int edge = m->flex_edgeadr[f] + e;
    int corner[4];
    hinge[e] = (hingeRest){0, 0};
    if (!cfi_edgeCorners(corner, m, edge)) {
      continue;
    }
    const hingeAngle flat = measureHinge(rest, corner);
    const mjtNum steep = cfi_dot3(flat.gradient[3], flat.gradient[3]);
    const mjtNum Q33 = m->flex_bending[COTANGENT_NUMBERS * edge + 15];
    hinge[e].stiffness = steep > 0 ? cfi_max(0, Q33) / steep : 0;
    hinge[e].rest = flat.angle;
  }
}


// difference of two angles in (-pi, pi]
static inline mjtNum turnBetween(mjtNum angle, mjtNum rest) {
  const mjtNum turn = angle - rest;
  return turn > mjPI ? turn - 2 * mjPI : (turn <= -mjPI ? turn + 2 * mjPI : turn);
}


// largest moment with which no vertex moves farther in a timestep than a radian is worth to it:
// h^2/mass*moment*|gradient| <= 1/|gradient|
static mjtNum largestMoment(const cfFlexView* view, const hingeAngle* hinge, const int corner[4]) {
  const mjModel* m = view->m;
  const int* body = m->flex_vertbodyid + m->flex_vertadr[view->flex];
  mjtNum most = 0;
  for (int i = 0; i < 4; i++) {
    const mjtNum mass = m->body_mass[body[corner[i]]];
    if (body[corner[i]] > 0 && mass > 0) {
      most = cfi_max(most, cfi_dot3(hinge->gradient[i], hinge->gradient[i]) / mass);
    }
  }
  return most > 0 ? 1 / (m->opt.timestep * m->opt.timestep * most) : mjMAXVAL;
}


static void addMoment(mjtNum* force, const hingeAngle* hinge, const int corner[4], mjtNum moment) {
  for (int i = 0; i < 4; i++) {
    cfi_addToScl3(force + CF_POINT * corner[i], hinge->gradient[i], moment);
  }
}


static mjtNum angleRate(const hingeAngle* hinge, const mjtNum* velocity, const int corner[4]) {
  mjtNum rate = 0;
  for (int i = 0; i < 4; i++) {
    rate += cfi_dot3(hinge->gradient[i], velocity + CF_POINT * corner[i]);
  }
  return rate;
}


static void addBridson(const cfFlexView* view, cfFlexForces forces) {
  const mjModel* m = view->m;
  const hingeRest* rest = (const hingeRest*)(const void*)view->constant;
  const mjtNum damping = forces.has_damper ? m->flex_damping[view->flex] : 0;
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    const mjtNum stiffness = rest[e].stiffness;
    if (stiffness == 0) {
      continue;
    }
    int corner[4];
    cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e);
    const hingeAngle hinge = measureHinge(view->x, corner);
    const mjtNum most = largestMoment(view, &hinge, corner);
    if (forces.has_spring) {
      const mjtNum moment = -stiffness * turnBetween(hinge.angle, rest[e].rest);
      addMoment(forces.spring, &hinge, corner, cfi_clip(moment, -most, most));
    }
    if (damping != 0) {
      const mjtNum moment = -stiffness * damping * angleRate(&hinge, view->velocity, corner);
      addMoment(forces.damper, &hinge, corner, cfi_clip(moment, -most, most));
    }
  }
}


static mjtNum bridsonEnergy(const cfFlexView* view) {
  const mjModel* m = view->m;
  const hingeRest* rest = (const hingeRest*)(const void*)view->constant;
  mjtNum energy = 0;
  for (int e = 0; e < m->flex_edgenum[view->flex]; e++) {
    int corner[4];
    cfi_edgeCorners(corner, m, m->flex_edgeadr[view->flex] + e);
    if (rest[e].stiffness > 0) {
      const mjtNum turn = turnBetween(measureHinge(view->x, corner).angle, rest[e].rest);
      energy += 0.5 * rest[e].stiffness * turn * turn;
    }
  }
  return energy;
}


static int countHinges(const mjModel* m, int f) {
  return m->flex_edgenum[f];
}


// k*gradient*gradient', without the part that is proportional to the moment; scaled down with it
static int bridsonStiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K) {
  const hingeRest* rest = (const hingeRest*)(const void*)view->constant + stencil;
  if (!cfi_edgeCorners(vertex, view->m, view->m->flex_edgeadr[view->flex] + stencil) ||
      rest->stiffness == 0) {
    return 0;
  }
  const hingeAngle hinge = measureHinge(view->x, vertex);
  const mjtNum most = largestMoment(view, &hinge, vertex);
  const mjtNum moment = rest->stiffness * fabs(turnBetween(hinge.angle, rest->rest));
  const mjtNum stiffness = rest->stiffness * (moment > most ? most / moment : 1);
  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 12; j++) {
      K[12 * i + j] = stiffness * (hinge.gradient[i / 3][i % 3] * hinge.gradient[j / 3][j % 3]);
    }
  }
  return 4;
}


const cfFlexModel cfi_bridsonBending = {.name = "bridson",
                                        .spread = CF_SPREAD_CHAIN,
                                        .acts = bendsDihedral,
                                        .numbers = hingeNumbers,
                                        .precompute = restHinges,
                                        .addForces = addBridson,
                                        .energy = bridsonEnergy,
                                        .stencils = countHinges,
                                        .stiffness = bridsonStiffness};
