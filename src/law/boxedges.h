// Law of contacts of two boxes whose crossing edges are the axis of least penetration.
//
// Both edges bound a face that looks at the other box; the flatter one of each is taken.  In the
// frame of the face of box 0 (z = 0 on the face) the face of box 1 is a parallelogram, projected
// along the contact normal onto z = 0.  Contacts are
//   - where the borders of the projection cross the borders of the face,
//   - corners of the face inside the projection,
//   - corners of the projection inside the face;
// when no borders cross, the corners are let in more generously.  For one world at a time.
#ifndef CF_LAW_BOXEDGES_H
#define CF_LAW_BOXEDGES_H

#ifndef CF_LAW_TOGETHER

// pair of edges: along axis edge[b] of box b; bit k of side[b]: the edge lies on the +k side of box
// b.  normal in the frame of box 0, `inward` when it points from box 1 to box 0
typedef struct {
  int edge[2], side[2];
  cfNum normal[3];
  bool inward;
} lawEdgeAxis;

typedef struct {
  cfNum size[3];     // box 0 along the face's axes
  cfNum normal[3];   // contact normal in face coordinates
  cfNum per_height;  // distance along the outward normal per unit of z
  cfNum raw[4][3];   // corners of the face of box 1
  cfNum flat[4][3];  // the same, projected
  cfReal margin;
  cfNum point[LAW_FACE_POINTS][3], depth[LAW_FACE_POINTS];
  int n;
} lawEdgeClip;


// The pair of edges by its number, and the sides of the boxes that they lie on.
CF_LAW void lawReadEdges(lawEdgeAxis* axis, const lawBoxPair* p, int number) {
  const int i = number / 3, j = number % 3;
  CF_ASSERT(0 <= i && i < 3 && 0 <= j && j < 3);
  *axis = (lawEdgeAxis){.edge = {i, j}};
  lawCrossEdges(axis->normal, p, i, j);
  numNormalize3(axis->normal);
  axis->inward = numDot3(p->center[0], axis->normal) < 0;
  for (int step = 1; step < 3; step++) {
    const int k = (i + step) % 3;
    axis->side[0] |= ((axis->normal[k] > 0) != axis->inward) << k;

    // the normal's component along axis l of box 1 is +-rot of the third axis
    const int l = (j + step) % 3;
    const bool positive = (p->rot[3 * i + 3 - l - j] > 0) != (step == 1);
    axis->side[1] |= (positive != axis->inward) << l;
  }
}


// The two axes other than `edge`, the one with the larger weight first; ties keep the lower axis
// first, except beside axis 2.
CF_LAW void lawOrderAxes(int order[2], int edge, const cfNum weight[3]) {
  CF_ASSERT_INDEX(edge, 3);
  static const int others[3][2] = {{1, 2}, {0, 2}, {1, 0}};
  const int swap = weight[others[edge][0]] < weight[others[edge][1]];
  order[0] = others[edge][swap];
  order[1] = others[edge][1 - swap];
}


CF_LAW void lawKeepDepth(lawEdgeClip* c, const cfNum point[3], cfNum depth) {
  CF_ASSERT(c->n < LAW_FACE_POINTS);
  numCopy3(c->point[c->n], point);
  c->depth[c->n++] = depth;
}


// One border of box 1's face against the four borders of the rectangle; start and direction come
// projected [0] and as they are [1].
CF_LAW void lawCrossBorder(lawEdgeClip* c, cfNum from[2][3], cfNum edge[2][3]) {
  const cfNum *flat = from[0], *flat_edge = edge[0], *raw = from[1], *raw_edge = edge[1];
  for (int q = 0; q < 2; q++) {
    if (numAbs(flat_edge[q]) <= CF_LAW_TINY) {
      continue;
    }
    for (int side = -1; side <= 1; side += 2) {
      const cfNum border = (cfReal)side * c->size[q];
      const cfNum s = (border - flat[q]) * (1 / flat_edge[q]);
      const cfNum other = flat[1 - q] + flat_edge[1 - q] * s;
      const cfNum height = raw[2] + raw_edge[2] * s;
      if (s < 0 || s > 1 || numAbs(other) > c->size[1 - q] || height * c->per_height > c->margin) {
        continue;
      }

      // halfway between the crossing on the face and the point above it
      cfNum point[3];
      for (int k = 0; k < 3; k++) {
        point[k] = raw[k] / 2 + s / 2 * raw_edge[k];
      }
      point[q] += border / 2;
      point[1 - q] += other / 2;
      lawKeepDepth(c, point, 2 * point[2] * c->per_height);
    }
  }
}


// Borders in the order: both at corner 0, then the opposite ones; corners 1 and 2 are the neighbors
// of corner 0.
CF_LAW void lawCrossAllBorders(lawEdgeClip* c) {
  cfNum corner[2][3], edge[2][2][3];
  for (int e = 0; e < 2; e++) {
    numSub3(edge[e][0], c->flat[1 + e], c->flat[0]);
    numSub3(edge[e][1], c->raw[1 + e], c->raw[0]);
  }
  for (int border = 0; border < 4; border++) {
    // start of borders 2 and 3: the far end of the other edge
    numCopy3(corner[0], c->flat[0]);
    numCopy3(corner[1], c->raw[0]);
    if (border >= 2) {
      numAdd3(corner[0], corner[0], edge[border - 2][0]);
      numAdd3(corner[1], corner[1], edge[border - 2][1]);
    }
    lawCrossBorder(c, corner, edge[border == 0 || border == 3 ? 0 : 1]);
  }
}


CF_LAW bool lawBeyondUnit(cfNum x) {
  return x < 0 || x > 1;
}


// Corners of the face of box 0 over the parallelogram.
CF_LAW void lawCoverFaceCorners(lawEdgeClip* c, bool crossed) {
  const cfNum e0[2] = {c->flat[1][0] - c->flat[0][0], c->flat[1][1] - c->flat[0][1]};
  const cfNum e1[2] = {c->flat[2][0] - c->flat[0][0], c->flat[2][1] - c->flat[0][1]};

  // MuJoCo keeps the determinant in a variable that each examined corner overwrites with its
  // squared distance; which later corners count depends on it, so it is part of the result
  cfNum divisor = e0[0] * e1[1] - e1[0] * e0[1];
  for (int k = 0; k < 4; k++) {
    const cfNum corner[3] = {k & 2 ? c->size[0] : -c->size[0], k & 1 ? c->size[1] : -c->size[1], 0};
    const cfNum dx = corner[0] - c->flat[0][0], dy = corner[1] - c->flat[0][1];
    const cfNum u = (dx * e1[1] - dy * e1[0]) * (1 / divisor);
    const cfNum v = (dy * e0[0] - dx * e0[1]) * (1 / divisor);
    const bool u_beyond = lawBeyondUnit(u), v_beyond = lawBeyondUnit(v);
    if ((crossed ? u_beyond || v_beyond : u_beyond && v_beyond) || u != u || v != v) {
      continue;
    }

    // point of the face of box 1 over the corner
    const cfNum su = numClip(u, 0, 1), sv = numClip(v, 0, 1);
    cfNum over[3], gap[3];
    numScale3(over, c->raw[0], 1 - su - sv);
    numAddScaled3(over, over, c->raw[1], su);
    numAddScaled3(over, over, c->raw[2], sv);
    numSub3(gap, corner, over);
    divisor = numDot3(gap, gap);
    if (over[2] > 0 && divisor > c->margin * c->margin) {
      continue;
    }
    const cfNum depth = numSqrt(divisor) * (over[2] < 0 ? -1 : 1);
    numAdd3(over, over, corner);
    numScale3(over, over, (cfReal)0.5);
    lawKeepDepth(c, over, depth);
  }
}


// Corners of box 1's face over the rectangle; `strict`: 2 inside it, 1 inside one of its strips, 0
// anywhere.
CF_LAW void lawCoverOtherCorners(lawEdgeClip* c, int strict) {
  for (int k = 0; k < 4; k++) {
    const cfNum *flat = c->flat[k], height = c->raw[k][2];
    const int beyond = (numAbs(flat[0]) > c->size[0]) + (numAbs(flat[1]) > c->size[1]);
    if (strict + beyond > 2) {
      continue;
    }

    // nearest point of the rectangle, squared distance to it
    cfNum dist_sqr = 0, point[3] = {0, 0, 0};
    for (int q = 0; q < 2; q++) {
      const cfNum nearest = numClip(flat[q], -c->size[q], c->size[q]);
      dist_sqr += (flat[q] - nearest) * (flat[q] - nearest);
      point[q] = nearest / 2;
    }
    dist_sqr += height * c->per_height * height * c->per_height;
    if (height > 0 && dist_sqr > c->margin * c->margin) {
      continue;
    }
    numAddScaled3(point, point, c->raw[k], (cfReal)0.5);
    lawKeepDepth(c, point, numSqrt(dist_sqr) * (height < 0 ? -1 : 1));
  }
}


// Number of the face of box 0 next to its edge, and box 1's face corners in its coordinates; -1
// when the face is seen edge-on.
CF_LAW int lawPlaceFaces(lawEdgeClip* c, const lawBoxPair* p, const lawEdgeAxis* axis) {
  const int edge0 = axis->edge[0], edge1 = axis->edge[1];
  cfNum column[3];
  int order0[2], order1[2];
  numColumn3(column, p->absrot, edge1);
  lawOrderAxes(order1, edge1, p->absrot + 3 * edge0);
  lawOrderAxes(order0, edge0, column);
  const int normal_axis = order0[1];
  CF_ASSERT(normal_axis != edge0 && order1[0] != edge1);
  const bool positive = axis->side[0] >> normal_axis & 1;
  const int number = positive ? normal_axis : normal_axis + 3;
  const lawFace face = lawFaceOf(number);
  lawToFace(c->normal, &face, axis->normal);
  if (numAbs(c->normal[2]) < CF_LAW_TINY) {
    return -1;
  }
  c->per_height = (1 / c->normal[2]) * (axis->inward ? -1 : 1);

  // corners 0 and 1 bound the edge, 2 and 3 lie across the face from them
  const cfSize* size = p->box[1].size;
  cfNum center[3], axes[3][3];
  lawToFace(center, &face, p->center[0]);
  for (int k = 0; k < 3; k++) {
    cfNum in_box[3];
    c->size[k] = p->box[0].size[face.index[k]];
    numColumn3(in_box, p->rot, k);
    lawToFace(axes[k], &face, in_box);
  }
  center[2] -= c->size[2];
  for (int k = 0; k < 4; k++) {
    const int across = order1[0], fixed = order1[1];
    const cfReal side_across = (axis->side[1] >> across & 1) != (k >= 2) ? 1 : -1;
    const cfReal side_fixed = axis->side[1] >> fixed & 1 ? 1 : -1;
    cfNum* raw = c->raw[k];
    numAddScaled3(raw, center, axes[across], side_across * size[across]);
    numAddScaled3(raw, raw, axes[fixed], side_fixed * size[fixed]);
    numAddScaled3(raw, raw, axes[edge1], k & 1 ? -size[edge1] : size[edge1]);
    numAddScaled3(c->flat[k], raw, c->normal, -raw[2] * (1 / c->normal[2]));
  }
  return number;
}


CF_LAW int lawBoxEdges(lawTouch* con, const lawBoxPair* p, int number) {
  CF_ASSERT_INDEX(number, 9);
  lawEdgeAxis axis;
  lawEdgeClip c;
  lawReadEdges(&axis, p, number);
  c.margin = p->margin;
  c.n = 0;
  const int found = lawPlaceFaces(&c, p, &axis);
  if (found < 0) {
    return 0;
  }
  lawCrossAllBorders(&c);
  const bool crossed = c.n > 0;
  lawCoverFaceCorners(&c, crossed);
  lawCoverOtherCorners(&c, crossed ? 2 : (c.n > 0 ? 1 : 0));

  // back to the world
  const lawFace face = lawFaceOf(found);
  cfNum to_world[9], normal[3];
  lawFaceToWorld(to_world, &face, p->box[0].mat);
  numMulMatVec3(normal, to_world, c.normal);
  numScale3(normal, normal, numOf(axis.inward ? -1 : 1));
  for (int k = 0; k < c.n; k++) {
    c.point[k][2] += c.size[2];
    numMulMatVec3(con[k].pos, to_world, c.point[k]);
    numAdd3(con[k].pos, con[k].pos, p->box[0].pos);
    numCopy3(con[k].frame, normal);
    numZero3(con[k].frame + 3);
    con[k].dist = c.depth[k];
  }
  return c.n;
}

#endif  // CF_LAW_TOGETHER

#endif  // CF_LAW_BOXEDGES_H
