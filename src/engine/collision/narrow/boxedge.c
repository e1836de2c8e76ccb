// Box against box when two crossing edges are the axis of least penetration.
//
// Both edges bound a face that looks at the other box; the flatter one of each is taken.  In the
// frame of the face of box 0 (z = 0 on the face) the face of box 1 is a parallelogram, projected
// along the contact normal onto z = 0.  Contacts are
//   - where the borders of the projection cross the borders of the face,
//   - corners of the face inside the projection,
//   - corners of the projection inside the face;
// when no borders cross, the corners are let in more generously.
#include "collision/narrow/boxface.h"

#include "base/assert.h"
#include "collision/narrow/boxpair.h"

typedef struct {
  mjtNum size[3];     // box 0 along the face's axes
  mjtNum normal[3];   // contact normal in face coordinates
  mjtNum per_height;  // distance along the outward normal per unit of z
  mjtNum raw[4][3];   // corners of the face of box 1
  mjtNum flat[4][3];  // the same, projected
  mjtNum margin;
  mjtNum point[mjMAXCONPAIR][3];
  mjtNum depth[mjMAXCONPAIR];
  int n;
} edgeClip;


// the two axes other than `edge`, the one with the larger weight first; ties keep the lower axis
// first, except beside axis 2
static void orderAxes(int order[2], int edge, const mjtNum weight[3]) {
  CF_ASSERT_INDEX(edge, 3);
  static const int others[3][2] = {{1, 2}, {0, 2}, {1, 0}};
  const int swap = weight[others[edge][0]] < weight[others[edge][1]];
  order[0] = others[edge][swap];
  order[1] = others[edge][1 - swap];
}


static void keepContact(edgeClip* c, const mjtNum point[3], mjtNum depth) {
  CF_ASSERT(c->n < mjMAXCONPAIR);
  cfi_copy3(c->point[c->n], point);
  c->depth[c->n++] = depth;
}


// one border of box 1's face against the four borders of the rectangle; start and direction come
// projected [0] and as they are [1]
static void crossBorder(edgeClip* c, const mjtNum from[2][3], const mjtNum edge[2][3]) {
  const mjtNum *flat = from[0], *flat_edge = edge[0], *raw = from[1], *raw_edge = edge[1];
  for (int q = 0; q < 2; q++) {
    if (fabs(flat_edge[q]) <= mjMINVAL) {
      continue;
    }
    for (int side = -1; side <= 1; side += 2) {
      const mjtNum border = side * c->size[q];
      const mjtNum s = (border - flat[q]) * (1 / flat_edge[q]);
      const mjtNum other = flat[1 - q] + flat_edge[1 - q] * s;
      const mjtNum height = raw[2] + raw_edge[2] * s;
      if (s < 0 || s > 1 || fabs(other) > c->size[1 - q] || height * c->per_height > c->margin) {
        continue;
      }

      // halfway between the crossing on the face and the point above it
      mjtNum point[3];
      for (int k = 0; k < 3; k++) {
        point[k] = 0.5 * raw[k] + 0.5 * s * raw_edge[k];
      }
      point[q] += 0.5 * border;
      point[1 - q] += 0.5 * other;
      keepContact(c, point, 2 * point[2] * c->per_height);
    }
  }
}


// borders in the order: both at corner 0, then the opposite ones; corner 1 and 2 are the neighbors
// of corner 0
static void crossAllBorders(edgeClip* c) {
  mjtNum corner[2][3], edge[2][2][3];
  for (int e = 0; e < 2; e++) {
    cfi_sub3(edge[e][0], c->flat[1 + e], c->flat[0]);
    cfi_sub3(edge[e][1], c->raw[1 + e], c->raw[0]);
  }
  for (int border = 0; border < 4; border++) {
    // start of borders 2 and 3: the far end of the other edge
    cfi_copy3(corner[0], c->flat[0]);
    cfi_copy3(corner[1], c->raw[0]);
    if (border >= 2) {
      cfi_addTo3(corner[0], edge[border - 2][0]);
      cfi_addTo3(corner[1], edge[border - 2][1]);
    }
    const int along = border == 0 || border == 3 ? 0 : 1;
    crossBorder(c, (const mjtNum(*)[3])corner, (const mjtNum(*)[3])edge[along]);
  }
}


static bool beyondUnit(mjtNum x) {
  return x < 0 || x > 1;
}


// corners of the face of box 0 over the parallelogram
static void coverFaceCorners(edgeClip* c, bool crossed) {
  const mjtNum e0[2] = {c->flat[1][0] - c->flat[0][0], c->flat[1][1] - c->flat[0][1]};
  const mjtNum e1[2] = {c->flat[2][0] - c->flat[0][0], c->flat[2][1] - c->flat[0][1]};

  // MuJoCo keeps the determinant in a variable that each examined corner overwrites with its
  // squared distance; which later corners count depends on it, so it is part of the result
  mjtNum divisor = e0[0] * e1[1] - e1[0] * e0[1];
  for (int k = 0; k < 4; k++) {
    const mjtNum corner[3] = {k & 2 ? c->size[0] : -c->size[0], k & 1 ? c->size[1] : -c->size[1],
                              0};
    const mjtNum dx = corner[0] - c->flat[0][0], dy = corner[1] - c->flat[0][1];
    const mjtNum u = (dx * e1[1] - dy * e1[0]) * (1 / divisor);
    const mjtNum v = (dy * e0[0] - dx * e0[1]) * (1 / divisor);
    const bool u_beyond = beyondUnit(u), v_beyond = beyondUnit(v);
    if ((crossed ? u_beyond || v_beyond : u_beyond && v_beyond) || isnan(u) || isnan(v)) {
      continue;
    }

    // point of the face of box 1 over the corner
    const mjtNum su = cfi_clip(u, 0, 1), sv = cfi_clip(v, 0, 1);
    mjtNum over[3], gap[3];
    cfi_scl3(over, c->raw[0], 1 - su - sv);
    cfi_addToScl3(over, c->raw[1], su);
    cfi_addToScl3(over, c->raw[2], sv);
    cfi_sub3(gap, corner, over);
    divisor = cfi_dot3(gap, gap);
    if (over[2] > 0 && divisor > c->margin * c->margin) {
      continue;
    }
    const mjtNum depth = sqrt(divisor) * (over[2] < 0 ? -1 : 1);
    cfi_addTo3(over, corner);
    cfi_scl3(over, over, 0.5);
    keepContact(c, over, depth);
  }
}


// corners of box 1's face over the rectangle; `strict`: 2 inside it, 1 inside one of its strips, 0
// anywhere
static void coverOtherCorners(edgeClip* c, int strict) {
  for (int k = 0; k < 4; k++) {
    const mjtNum *flat = c->flat[k], height = c->raw[k][2];
    const int beyond = (fabs(flat[0]) > c->size[0]) + (fabs(flat[1]) > c->size[1]);
    if (strict + beyond > 2) {
      continue;
    }

    // nearest point of the rectangle, squared distance to it
    mjtNum dist_sqr = 0, point[3] = {0, 0, 0};
    for (int q = 0; q < 2; q++) {
      const mjtNum nearest = cfi_clip(flat[q], -c->size[q], c->size[q]);
      dist_sqr += cfi_square(flat[q] - nearest);
      point[q] = 0.5 * nearest;
    }
    dist_sqr += height * c->per_height * height * c->per_height;
    if (height > 0 && dist_sqr > c->margin * c->margin) {
      continue;
    }
    cfi_addToScl3(point, c->raw[k], 0.5);
    keepContact(c, point, sqrt(dist_sqr) * (height < 0 ? -1 : 1));
  }
}


// face of box 0 next to its edge, and box 1's face corners in its coordinates; NULL when the face
// is seen edge-on
static const faceFrame* placeFaces(edgeClip* c, const boxPair* p, const boxAxis* axis) {
  const int edge0 = axis->edge[0], edge1 = axis->edge[1];
  const mjtNum row[3] = {p->absrot[3 * edge0], p->absrot[3 * edge0 + 1], p->absrot[3 * edge0 + 2]};
  const mjtNum column[3] = {p->absrot[edge1], p->absrot[3 + edge1], p->absrot[6 + edge1]};
  int order0[2], order1[2];
  orderAxes(order1, edge1, row);
  orderAxes(order0, edge0, column);
  const int normal_axis = order0[1];
  const bool positive = axis->side[0] >> normal_axis & 1;
  const faceFrame* face = &cfi_face_frames[positive ? normal_axis : normal_axis + 3];

  cfi_toFace(c->normal, face, axis->normal);
  if (fabs(c->normal[2]) < mjMINVAL) {
    return NULL;
  }
  c->per_height = (1 / c->normal[2]) * (axis->inward ? -1 : 1);
  cfi_faceSize(c->size, face, p->box[0].size);

  // corners 0 and 1 bound the edge, 2 and 3 lie across the face from them
  const mjtNum* size = p->box[1].size;
  mjtNum center[3], axes[3][3];
  cfi_toFace(center, face, p->center[0]);
  center[2] -= c->size[2];
  for (int k = 0; k < 3; k++) {
    mjtNum in_box[3];
    cfi_column3(in_box, p->rot, k);
    cfi_toFace(axes[k], face, in_box);
  }
  for (int k = 0; k < 4; k++) {
    const int across = order1[0], fixed = order1[1];
    const int side_across = (axis->side[1] >> across & 1) != (k >= 2) ? 1 : -1;
    const int side_fixed = axis->side[1] >> fixed & 1 ? 1 : -1;
    cfi_addScl3(c->raw[k], center, axes[across], side_across * size[across]);
    cfi_addToScl3(c->raw[k], axes[fixed], side_fixed * size[fixed]);
    cfi_addToScl3(c->raw[k], axes[edge1], k & 1 ? -size[edge1] : size[edge1]);
    cfi_addScl3(c->flat[k], c->raw[k], c->normal, -c->raw[k][2] * (1 / c->normal[2]));
  }
  return face;
}


int cfi_boxEdgeContacts(mjContact* con, const boxPair* p, const boxAxis* axis) {
  CF_ASSERT(axis->is_edge);
  edgeClip c;
  c.margin = p->margin;
  c.n = 0;
  const faceFrame* face = placeFaces(&c, p, axis);
  if (!face) {
    return 0;
  }

  crossAllBorders(&c);
  const bool crossed = c.n > 0;
  coverFaceCorners(&c, crossed);
  coverOtherCorners(&c, crossed ? 2 : (c.n > 0 ? 1 : 0));

  // back to the world
  mjtNum to_world[9], normal[3];
  cfi_faceToWorld(to_world, face, p->box[0].mat);
  cfi_mulMatVec3(normal, to_world, c.normal);
  cfi_scl3(normal, normal, axis->inward ? -1 : 1);
  for (int k = 0; k < c.n; k++) {
    c.point[k][2] += c.size[2];
    cfi_mulMatVec3(con[k].pos, to_world, c.point[k]);
    cfi_addTo3(con[k].pos, p->box[0].pos);
    cfi_copy3(con[k].frame, normal);
    cfi_zero3(con[k].frame + 3);
    con[k].dist = c.depth[k];
  }
  return c.n;
}
