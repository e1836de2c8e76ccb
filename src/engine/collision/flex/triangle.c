// Closed-form colliders of triangles with a radius.
#include "collision/flex/flex.h"
#include "math/inline.h"

// nearest point of a segment
static void nearestOnEdge(mjtNum res[3], const mjtNum p[3], const mjtNum a[3], const mjtNum b[3]) {
  mjtNum edge[3], offset[3];
  cfi_sub3(edge, b, a);
  cfi_sub3(offset, p, a);
  const mjtNum s = cfi_dot3(edge, offset) / cfi_max(mjMINVAL, cfi_dot3(edge, edge));
  if (s <= 0) {
    cfi_copy3(res, a);
  } else if (s >= 1) {
    cfi_copy3(res, b);
  } else {
    cfi_addScl3(res, a, edge, s);
  }
}


// nearest point of the border of a triangle
static void nearestOnBorder(mjtNum res[3], const mjtNum p[3], const cfTriangle* t) {
  mjtNum best = INFINITY;
  for (int k = 2; k >= 0; k--) {
    mjtNum point[3];
    nearestOnEdge(point, p, t->corner[k], t->corner[(k + 1) % 3]);
    const mjtNum distance = cfi_dist3(point, p);
    if (distance < best) {
      best = distance;
      cfi_copy3(res, point);
    }
  }
}


// is a point of the plane on the same side of all edges
static bool isInsideTriangle(const mjtNum p[3], const cfTriangle* t, const mjtNum normal[3]) {
  for (int k = 0; k < 3; k++) {
    mjtNum edge[3], offset[3], turn[3];
    cfi_sub3(edge, t->corner[(k + 1) % 3], t->corner[k]);
    cfi_sub3(offset, p, t->corner[k]);
    cfi_cross(turn, edge, offset);
    if (!(cfi_dot3(turn, normal) > 0)) {
      return false;
    }
  }
  return true;
}


int cfi_sphereTriangle(mjContact con[1], const mjtNum center[3], mjtNum radius, const cfTriangle* t,
                       mjtNum margin) {
  const mjtNum reach = margin + radius + t->radius;
  mjtNum side1[3], side2[3], offset[3], normal[3], nearest[3];
  cfi_sub3(side1, t->corner[1], t->corner[0]);
  cfi_sub3(side2, t->corner[2], t->corner[0]);
  cfi_sub3(offset, center, t->corner[0]);
  cfi_cross(normal, side1, side2);
  cfi_normalize3(normal);
  const mjtNum height = cfi_dot3(normal, offset);
  if (fabs(height) > reach) {
    return 0;
  }

  mjtNum dir[3];
  cfi_addScl3(nearest, center, normal, -height);
  if (isInsideTriangle(nearest, t, normal)) {
    cfi_scl3(dir, normal, -height);
  } else {
    mjtNum foot[3];
    cfi_copy3(foot, nearest);
    nearestOnBorder(nearest, foot, t);
    cfi_sub3(dir, nearest, center);
  }
  const mjtNum distance = cfi_normalize3(dir);
  if (distance > reach) {
    return 0;
  }
  con->dist = distance - radius - t->radius;
  cfi_addScl3(con->pos, center, dir, radius + con->dist / 2);
  cfi_copy3(con->frame, dir);
  cfi_zero3(con->frame + 3);
  return 1;
}


// a corner of the triangle against the faces of a box grown by margin and radius
static bool boxCorner(mjContact* con, cfGeomView box, const mjtNum corner[3], mjtNum radius,
                      mjtNum margin) {
  mjtNum offset[3], local[3], axis[3] = {0, 0, 0};
  cfi_sub3(offset, corner, box.pos);
  cfi_mulMatTVec3(local, box.mat, offset);
  int face = 0;
  mjtNum height = -INFINITY;
  for (int k = 0; k < 3; k++) {
    const mjtNum beyond = fabs(local[k]) - box.size[k];
    if (fabs(local[k]) > box.size[k] + margin + radius || beyond - radius > margin) {
      return false;
    }
    if (beyond > height) {
      height = beyond;
      face = k;
    }
  }
  axis[face] = local[face] > 0 ? 1 : -1;
  cfi_mulMatVec3(con->frame, box.mat, axis);
  cfi_zero3(con->frame + 3);
  con->dist = height - radius;
  cfi_addScl3(con->pos, corner, con->frame, -(radius + con->dist * 0.5));
  return true;
}


// corners of the triangle against the box, then corners of the box against the triangle
int cfi_boxTriangle(mjContact con[CF_MAXCON_BOXTRIANGLE], cfGeomView box, const cfTriangle* t,
                    mjtNum margin) {
  int n = 0;
  for (int k = 0; k < 3; k++) {
    n += boxCorner(con + n, box, t->corner[k], t->radius, margin);
  }
  for (int k = 0; k < 8; k++) {
    const mjtNum* s = box.size;
    const mjtNum local[3] = {k & 1 ? s[0] : -s[0], k & 2 ? s[1] : -s[1], k & 4 ? s[2] : -s[2]};
    mjtNum corner[3];
    cfi_mulMatVec3(corner, box.mat, local);
    cfi_addTo3(corner, box.pos);
    n += cfi_sphereTriangle(con + n, corner, 0, t, margin);
  }
  return n;
}


// a corner of the triangle against the inside of the capsule's axis; its ends are spheres
static bool axisCorner(mjContact* con, const mjtNum end[2][3], mjtNum half_length,
                       const mjtNum corner[3], mjtNum radius, const cfTriangle* t, mjtNum margin) {
  mjtNum offset[3], along[3], foot[3], dir[3];
  cfi_sub3(offset, corner, end[0]);
  cfi_sub3(along, end[1], end[0]);
  const mjtNum s = cfi_dot3(offset, along) / (4 * half_length * half_length);
  if (s <= mjMINVAL || s >= 1 - mjMINVAL) {
    return false;
  }
  cfi_addScl3(foot, end[0], along, s);
  cfi_sub3(dir, corner, foot);
  const mjtNum distance = cfi_normalize3(dir);
  if (distance > radius + t->radius + margin) {
    return false;
  }
  con->dist = distance - radius - t->radius;
  cfi_copy3(con->frame, dir);
  cfi_zero3(con->frame + 3);
  for (int k = 0; k < 3; k++) {
    con->pos[k] = 0.5 * (foot[k] + corner[k] + dir[k] * (radius - t->radius));
  }
  return true;
}


int cfi_capsuleTriangle(mjContact con[CF_MAXCON_CAPSULETRIANGLE], cfGeomView capsule,
                        const cfTriangle* t, mjtNum margin) {
  const mjtNum radius = capsule.size[0], half_length = capsule.size[1];
  mjtNum axis[3], end[2][3];
  int n = 0;
  cfi_column3(axis, capsule.mat, 2);
  for (int k = 0; k < 2; k++) {
    cfi_addScl3(end[k], capsule.pos, axis, k ? half_length : -half_length);
    n += cfi_sphereTriangle(con + n, end[k], radius, t, margin);
  }
  for (int k = 0; k < 3; k++) {
    n += axisCorner(con + n, (const mjtNum(*)[3])end, half_length, t->corner[k], radius, t, margin);
  }
  return n;
}
