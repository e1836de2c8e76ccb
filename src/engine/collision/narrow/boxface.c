// Box against box when a face of one box is the axis of least penetration.
//
// In the frame of the reference face (z = 0 on the face) the other box shows its lowest corner and,
// from there, the edges that run flat (|z| < 1/2): none, one, or two that span its lower face.
// Contacts are
//   - where those edges cross the border of the reference face,
//   - corners of the reference face inside the lower face,
//   - corners of the lower face inside the reference face (the lowest corner in any case),
// each halfway between the two boxes.
#include "collision/narrow/boxface.h"

#include "base/assert.h"
#include "collision/narrow/boxpair.h"

typedef struct {
  mjtNum size[3];     // reference box along the face's axes
  mjtNum corner[3];   // lowest corner of the other box
  mjtNum span[2][3];  // its flat edges
  int nspan;
  mjtNum point[mjMAXCONPAIR][3];
  int n;
} faceClip;


static void keepPoint(faceClip* c, mjtNum x, mjtNum y, mjtNum z) {
  CF_ASSERT(c->n < mjMAXCONPAIR);
  cfi_set3(c->point[c->n++], x, y, z);
}


// lowest corner and flat edges of the other box; axes[k] is its axis k, center its center
static void lowerSide(faceClip* c, const mjtNum center[3], mjtNum axes[3][3],
                      const mjtNum size[3]) {
  cfi_copy3(c->corner, center);
  for (int k = 0; k < 3; k++) {
    const mjtNum down = axes[k][2] < 0 ? 1 : -1;
    cfi_addToScl3(c->corner, axes[k], down * size[k]);

    // three flat edges: the box has a pose that is no rotation
    if (fabs(axes[k][2]) < 0.5 && c->nspan < 2) {
      cfi_scl3(c->span[c->nspan++], axes[k], -2 * down * size[k]);
    }
  }
}


// crossings of the segment from + s*edge, 0 <= s <= 1, with the four borders of the rectangle
static void crossBorders(faceClip* c, const mjtNum from[3], const mjtNum edge[3]) {
  for (int q = 0; q < 2; q++) {
    if (fabs(edge[q]) <= mjMINVAL) {
      continue;
    }
    for (int side = -1; side <= 1; side += 2) {
      const mjtNum s = (side * c->size[q] - from[q]) * (1 / edge[q]);
      if (s >= 0 && s <= 1 && fabs(from[1 - q] + edge[1 - q] * s) <= c->size[1 - q]) {
        keepPoint(c, from[0] + edge[0] * s, from[1] + edge[1] * s, from[2] + edge[2] * s);
      }
    }
  }
}


// borders of the lower face, in the order: both edges at the lowest corner, then the opposite ones
static void clipLowerSide(faceClip* c) {
  mjtNum far[3];
  if (c->nspan > 0) {
    crossBorders(c, c->corner, c->span[0]);
  }
  if (c->nspan > 1) {
    crossBorders(c, c->corner, c->span[1]);
    cfi_add3(far, c->corner, c->span[0]);
    crossBorders(c, far, c->span[1]);
    cfi_add3(far, c->corner, c->span[1]);
    crossBorders(c, far, c->span[0]);
  }
}


// corners of the reference face that lie strictly inside the lower face's projection
static void coverCorners(faceClip* c) {
  const mjtNum *e0 = c->span[0], *e1 = c->span[1];
  const mjtNum inverse = 1 / (e0[0] * e1[1] - e1[0] * e0[1]);
  for (int k = 0; k < 4; k++) {
    const mjtNum x = k & 2 ? c->size[0] : -c->size[0], y = k & 1 ? c->size[1] : -c->size[1];
    const mjtNum dx = x - c->corner[0], dy = y - c->corner[1];
    const mjtNum u = (dx * e1[1] - dy * e1[0]) * inverse;
    const mjtNum v = (dy * e0[0] - dx * e0[1]) * inverse;
    if (u > 0 && v > 0 && u < 1 && v < 1) {
      keepPoint(c, x, y, c->corner[2] + u * e0[2] + v * e1[2]);
    }
  }
}


// the lowest corner, and the others of the lower side that lie strictly inside the reference face
static void coverVertices(faceClip* c) {
  for (int k = 0; k < 1 << c->nspan; k++) {
    mjtNum v[3];
    cfi_copy3(v, c->corner);
    for (int e = 0; e < 2; e++) {
      if (k >> e & 1) {
        cfi_addTo3(v, c->span[e]);
      }
    }
    if (k == 0 || (fabs(v[0]) < c->size[0] && fabs(v[1]) < c->size[1])) {
      keepPoint(c, v[0], v[1], v[2]);
    }
  }
}


// points within margin become contacts, halfway between point and face
static int emitFace(mjContact* con, const faceClip* c, const boxPair* p, const boxAxis* axis) {
  const cfGeomView owner = p->box[axis->owner];
  mjtNum to_world[9], normal[3], half[3];
  cfi_faceToWorld(to_world, &cfi_face_frames[axis->face], owner.mat);
  cfi_column3(normal, to_world, 2);
  cfi_scl3(normal, normal, axis->owner ? -1 : 1);

  int n = 0;
  for (int k = 0; k < c->n; k++) {
    const mjtNum* point = c->point[k];
    if (point[2] > p->margin) {
      continue;
    }
    cfi_set3(half, point[0], point[1], 0.5 * point[2] + c->size[2]);
    cfi_mulMatVec3(con[n].pos, to_world, half);
    cfi_addTo3(con[n].pos, owner.pos);
    cfi_copy3(con[n].frame, normal);
    cfi_zero3(con[n].frame + 3);
    con[n++].dist = point[2];
  }
  return n;
}


int cfi_boxFaceContacts(mjContact* con, const boxPair* p, const boxAxis* axis) {
  CF_ASSERT(!axis->is_edge && 0 <= axis->face && axis->face < 6);
  const faceFrame* face = &cfi_face_frames[axis->face];
  faceClip c;
  c.nspan = c.n = 0;
  mjtNum center[3], axes[3][3];

  // the other box in face coordinates; its axes are columns or rows of the relative rotation
  for (int k = 0; k < 3; k++) {
    mjtNum in_owner[3];
    if (axis->owner == 0) {
      cfi_column3(in_owner, p->rot, k);
    } else {
      cfi_copy3(in_owner, p->rot + 3 * k);
    }
    cfi_toFace(axes[k], face, in_owner);
  }
  cfi_toFace(center, face, p->center[axis->owner]);
  cfi_faceSize(c.size, face, p->box[axis->owner].size);
  center[2] -= c.size[2];

  lowerSide(&c, center, axes, p->box[1 - axis->owner].size);
  clipLowerSide(&c);
  if (c.nspan > 1) {
    coverCorners(&c);
  }
  coverVertices(&c);
  return emitFace(con, &c, p, axis);
}
