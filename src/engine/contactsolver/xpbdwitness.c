// Where contacts are as bodies move within a step of position-based dynamics.
//
// Contacts are not looked for again.  A contact lies on both bodies at a distance (the radius of
// the curvature there, zero for corners and faces) from a point that moves with the body, along the
// normal, which stays; so round things roll and corners turn.  Forces act on both bodies halfway
// between the two, so that they change neither momentum nor angular momentum.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/xpbd.h"
#include "flex/contactbodies.h"
#include "math/inline.h"

// what a geom is like where it is touched
typedef struct {
  mjtNum radius;  // of the curvature, zero for corners, edges and faces
  bool is_face;
} touchShape;


// mean of the two radii of an ellipsoid at the point whose normal this is: with n in the frame of
// the geom and s = |S n|, they add up to (tr(S^2) s^2 - |S^2 n|^2) / s^3
static mjtNum ellipsoidRadius(const mjtNum size[3], const mjtNum n[3]) {
  mjtNum Sn = 0, SSn = 0, trace = 0;
  for (int k = 0; k < 3; k++) {
    const mjtNum square = size[k] * size[k];
    Sn += square * n[k] * n[k];
    SSn += square * square * n[k] * n[k];
    trace += square;
  }
  return 0.5 * (trace * Sn - SSn) / cfi_max(mjMINVAL, Sn * sqrt(Sn));
}


static touchShape shapeOf(const mjModel* m, const mjData* d, int geom, const mjtNum normal[3]) {
  static const mjtNum parallel = 0.999;
  const mjtNum* size = m->geom_size + 3 * geom;
  mjtNum n[3];
  cfi_mulMatTVec3(n, d->geom_xmat + 9 * geom, normal);
  const mjtNum along = fabs(n[2]);
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE:
    case mjGEOM_HFIELD:
      return (touchShape){0, true};
    case mjGEOM_SPHERE:
    case mjGEOM_CAPSULE:
      return (touchShape){size[0], false};
    case mjGEOM_ELLIPSOID:
      return (touchShape){ellipsoidRadius(size, n), false};
    case mjGEOM_CYLINDER:
      return (touchShape){along < 0.5 ? size[0] : 0, along > parallel};
    case mjGEOM_BOX:
      return (touchShape){0, cfi_max(along, cfi_max(fabs(n[0]), fabs(n[1]))) > parallel};
    default:
      return (touchShape){0, false};
  }
}


// where the point of contact goes as the two surfaces slide along each other: it stays with the
// corner on a face and below the center of what is round
static mjtNum shareOf(const touchShape shape[2]) {
  const mjtNum sum = shape[0].radius + shape[1].radius;
  if (shape[0].is_face != shape[1].is_face) {
    return shape[0].is_face;
  }
  if (sum > 0) {
    const bool is_first = shape[0].radius > 0;
    return shape[0].radius > 0 && shape[1].radius > 0 ? shape[0].radius / sum : !is_first;
  }
  return 0.5;
}


// where a line enters and leaves a box, as its parameter; true if it does.  Faces beside the line
// are moved out: contacts lie on edges, and rounding must not put them outside
static bool boxInterval(const mjModel* m, const mjData* d, int geom, const mjtNum point[3],
                        const mjtNum axis[3], mjtNum interval[2]) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  const mjtNum *size = m->geom_size + 3 * geom, *mat = d->geom_xmat + 9 * geom;
  mjtNum away[3], from[3], along[3];
  cfi_sub3(away, point, d->geom_xpos + 3 * geom);
  cfi_mulMatTVec3(from, mat, away);
  cfi_mulMatTVec3(along, mat, axis);
  interval[0] = -mjMAXVAL;
  interval[1] = mjMAXVAL;
  for (int k = 0; k < 3; k++) {
    if (fabs(along[k]) > mjMINVAL) {
      const mjtNum half = fabs(along[k]) < 0.9 ? 1.1 * size[k] : size[k];
      const mjtNum a = (-half - from[k]) / along[k], b = (half - from[k]) / along[k];
      interval[0] = cfi_max(interval[0], cfi_min(a, b));
      interval[1] = cfi_min(interval[1], cfi_max(a, b));
    }
  }
  return interval[0] < interval[1];
}


// A contact of two boxes is no deeper than they overlap along its normal.  Where their corners
// coincide, as in a stack of equal boxes, MuJoCo's narrow phase reports single contacts as deep as
// a box is thick
static mjtNum trueDistance(const mjModel* m, const mjData* d, const mjContact* con) {
  const int first = con->geom[0], second = con->geom[1];
  mjtNum a[2], b[2];
  if (con->dist >= 0 || first < 0 || second < 0 || m->geom_type[first] != mjGEOM_BOX ||
      m->geom_type[second] != mjGEOM_BOX || !boxInterval(m, d, first, con->pos, con->frame, a) ||
      !boxInterval(m, d, second, con->pos, con->frame, b)) {
    return con->dist;
  }
  const mjtNum dist = cfi_min(0, cfi_max(a[0], b[0]) - cfi_min(a[1], b[1]));
  const mjtNum thickness = cfi_min(a[1] - a[0], b[1] - b[0]);
  return con->dist < dist - 0.01 * thickness ? dist : con->dist;
}


void cfi_xpbdWitness(const cfContactProblem* p, const mjContact* con, xpbdWitness* witness) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  *witness = (xpbdWitness){.body = {-1, -1}, .dist = trueDistance(m, d, con)};
  if (!cfi_contactBodies(m, con, witness->body)) {
    witness->body[0] = -1;
    return;
  }
  touchShape shape[2] = {{0, false}, {0, false}};
  for (int k = 0; k < 2; k++) {
    const int body = witness->body[k], geom = con->geom[k];
    const mjtNum side = k ? 1 : -1;
    mjtNum point[3];
    shape[k] = geom >= 0 ? shapeOf(m, d, geom, con->frame) : shape[k];
    witness->radius[k] = shape[k].radius;
    cfi_copy3(point, con->pos);
    cfi_addToScl3(point, con->frame, side * (0.5 * witness->dist + witness->radius[k]));
    cfi_subFrom3(point, d->xpos + 3 * body);
    cfi_mulMatTVec3(witness->point[k], d->xmat + 9 * body, point);
  }
  witness->share = shareOf(shape);
}


// where a contact is when its bodies are where they are now
void cfi_xpbdMoveContact(const mjData* d, mjContact* con, xpbdWitness* witness) {
  CF_ASSERT(witness->body[0] >= 0 && witness->share >= 0 && witness->share <= 1);
  mjtNum point[2][3], away[3];
  for (int k = 0; k < 2; k++) {
    const int body = witness->body[k];
    cfi_mulMatVec3(point[k], d->xmat + 9 * body, witness->point[k]);
    cfi_addTo3(point[k], d->xpos + 3 * body);
    cfi_addToScl3(point[k], con->frame, k ? -witness->radius[k] : witness->radius[k]);
  }
  cfi_sub3(away, point[1], point[0]);
  witness->dist = cfi_dot3(away, con->frame);
  cfi_copy3(con->pos, point[0]);
  cfi_addToScl3(con->pos, away, witness->share);
  cfi_addToScl3(con->pos, con->frame, (0.5 - witness->share) * witness->dist);
}
