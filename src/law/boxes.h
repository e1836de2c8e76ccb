// Law of contacts of two boxes: relative pose, axis of least penetration among 6 face normals and 9
// edge pairs (Gottschalk, Lin & Manocha 1996), contacts by clipping, removal of bad contacts.
//
// In the frame of the reference face (z = 0 on the face) the other box shows its lowest corner and,
// from there, the edges that run flat (|z| < 1/2): none, one, or two that span its lower face.
// Contacts are
//   - where those edges cross the border of the reference face,
//   - corners of the reference face inside the lower face,
//   - corners of the lower face inside the reference face (the lowest corner in any case),
// each halfway between the two boxes.  Crossing edges are in law/boxedges.h.
#ifndef CF_LAW_BOXES_H
#define CF_LAW_BOXES_H

// axes by number: six faces of each box (+x +y +z -x -y -z), then pairs of edges
enum { LAW_BOX_FACES = 12, LAW_FACE_POINTS = 24 };

// relative pose of two boxes
typedef struct {
  lawView box[2];
  cfNum center[2][3];  // center[0]: of box 1 seen from box 0; center[1]: of box 0 seen from box 1
  cfNum rot[9];        // box 0 <- box 1; column j is axis j of box 1
  cfNum absrot[9];
  cfReal margin;
} lawBoxPair;

// axis of least penetration so far, -1 at first
typedef struct {
  cfNum depth, number;
} lawBoxAxis;


CF_LAW void lawRelateBoxes(lawBoxPair* p, lawView a, lawView b, cfReal margin) {
  cfNum offset[3];
  p->box[0] = a, p->box[1] = b;
  p->margin = margin;
  numSub3(offset, b.pos, a.pos);
  numMulMatTVec3(p->center[0], a.mat, offset);
  numScale3(offset, offset, numOf(-1));
  numMulMatTVec3(p->center[1], b.mat, offset);
  for (int r = 0; r < 3; r++) {
    cfNum column[3];
    numColumn3(column, a.mat, r);
    numMulMatTVec3(p->rot + 3 * r, b.mat, column);
  }
  for (int k = 0; k < 9; k++) {
    p->absrot[k] = numAbs(p->rot[k]);
  }
}

// ---------------------------------------- axis

// The six face normals; false when one of them separates the boxes by more than the margin.
CF_LAW bool lawPickFace(cfWorlds w, lawBoxAxis* best, const lawBoxPair* p) {
  cfNum reach[2][3];
  for (int k = 0; k < 3; k++) {
    const cfSize *s0 = p->box[0].size, *s1 = p->box[1].size;
    const cfNum *row = p->absrot + 3 * k, *column = p->absrot + k;
    reach[0][k] = row[0] * s1[0] + row[1] * s1[1] + row[2] * s1[2];
    reach[1][k] = column[0] * s0[0] + column[3] * s0[1] + column[6] * s0[2];
  }
  for (int k = 0; k < 3; k++) {
    for (int owner = 0; owner < 2; owner++) {
      const cfNum x = p->center[owner][k];
      const cfNum depth = -numAbs(x) + p->box[owner].size[k] + reach[owner][k];
      if (numDone(w, depth < -p->margin)) {
        return false;
      }
      const cfIs is_less = depth < best->depth;
      const cfNum plus = numOf(6 * owner + k), minus = numOf(6 * owner + k + 3);
      best->number = numChoose(is_less, numChoose(x < 0, minus, plus), best->number);
      best->depth = numChoose(is_less, depth, best->depth);
    }
  }
  return true;
}


// Axis i of box 0  x  axis j of box 1, as it comes.
CF_LAW void lawCrossEdges(cfNum res[3], const lawBoxPair* p, int i, int j) {
  CF_ASSERT(i >= 0 && i < 3 && j >= 0 && j < 3);
  const int next = (i + 1) % 3, last = (i + 2) % 3;
  res[i] = numOf(0);
  res[next] = -p->rot[3 * last + j];
  res[last] = p->rot[3 * next + j];
}


// Extents of both boxes along the normal of edges i and j; `length` divides what is not in the
// normal.
CF_LAW_LEAF cfNum lawEdgeExtent(const lawBoxPair* p, int i, int j, const cfNum normal[3],
                                cfNum length) {
  CF_ASSERT(i >= 0 && i < 3 && j >= 0 && j < 3);
  cfNum extent = numOf(0);
  for (int k = 0; k < 3; k++) {
    if (k != i) {
      extent = extent + p->box[0].size[k] * numAbs(normal[k]);
    }
  }
  for (int k = 0; k < 3; k++) {
    if (k != j) {
      extent = extent + p->box[1].size[k] * p->absrot[3 * i + 3 - k - j] / length;
    }
  }
  return extent;
}


// False where a pair of edges overlaps by clearly more than the best axis so far, tested without
// roots and quotients.
CF_LAW cfIs lawMayBeBest(const lawBoxAxis* best, const lawBoxPair* p, int i, int j,
                         const cfNum normal[3]) {
  // less than it is by more than rounding: of axes equal to rounding the later one may win
  const cfNum extent = (cfReal)(1 - 1e-14) * lawEdgeExtent(p, i, j, normal, numOf(1));
  const cfNum scaled = extent - numAbs(numDot3(p->center[0], normal));
  const cfNum limit = numMax(numOf(0), best->depth);
  return numNot((scaled > 0) &
                (scaled * scaled > (cfReal)(1 + 1e-9) * limit * limit * numDot3(normal, normal)));
}


// The nine edge pairs; they must beat a face clearly, which avoids flicker between equal axes.
CF_LAW bool lawPickEdges(cfWorlds w, lawBoxAxis* best, const lawBoxPair* p) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      cfNum normal[3];
      lawCrossEdges(normal, p, i, j);
      const cfIs may_be = lawMayBeBest(best, p, i, j, normal);
      if (numNowhere(w, may_be)) {
        continue;
      }
      const cfNum length = numNormalize3(normal);
      const cfIs is_axis = may_be & numNot(length < CF_LAW_TINY);
      const cfNum along = numDot3(p->center[0], normal);
      const cfNum depth = lawEdgeExtent(p, i, j, normal, length) - numAbs(along);
      if (numDone(w, is_axis & (depth < -p->margin))) {
        return false;
      }
      const cfIs is_less = is_axis & (depth < best->depth * (cfReal)(1 - 1e-12));
      best->depth = numChoose(is_less, depth, best->depth);
      best->number = numChoose(is_less, numOf(LAW_BOX_FACES + 3 * i + j), best->number);
    }
  }
  return true;
}

// ---------------------------------------- faces

// coordinates of a face, a signed permutation of axes: z leaves the box through the face, x and y
// span it; row k of the frame is sign[k] times axis index[k] of the box
typedef struct {
  int index[3];
  cfReal sign[3];
} lawFace;


// By number: +x +y +z -x -y -z.
CF_LAW lawFace lawFaceOf(int number) {
  static const lawFace frame[6] = {
      {{2, 1, 0}, {-1, 1, 1}}, {{0, 2, 1}, {1, -1, 1}}, {{0, 1, 2}, {1, 1, 1}},
      {{2, 1, 0}, {1, 1, -1}}, {{0, 2, 1}, {1, 1, -1}}, {{0, 1, 2}, {-1, 1, -1}},
  };
  CF_ASSERT_INDEX(number, 6);
  return frame[number];
}


// From box coordinates to face coordinates.
CF_LAW void lawToFace(cfNum res[3], const lawFace* f, const cfNum v[3]) {
  for (int k = 0; k < 3; k++) {
    res[k] = f->sign[k] * v[f->index[k]];
  }
}


// World <- face.
CF_LAW void lawFaceToWorld(cfNum res[9], const lawFace* f, const cfNum mat[9]) {
  for (int k = 0; k < 3; k++) {
    for (int row = 0; row < 9; row += 3) {
      res[row + k] = mat[row + f->index[k]] * f->sign[k];
    }
  }
}


typedef struct {
  cfWorlds worlds;
  cfSize size[3];    // reference box along the face's axes
  cfNum corner[3];   // lowest corner of the other box
  cfNum span[2][3];  // its flat edges
  int nspan;
  cfNum point[LAW_FACE_POINTS][3];
  int n;
} lawFaceClip;


CF_LAW void lawKeepPoint(lawFaceClip* c, cfNum x, cfNum y, cfNum z) {
  CF_ASSERT(c->n < LAW_FACE_POINTS);
  numSet3(c->point[c->n++], x, y, z);
}


// Lowest corner and flat edges of the other box, whose axes are columns or rows of the relative
// rotation.
CF_LAW void lawLowerSide(lawFaceClip* c, const lawBoxPair* p, int owner, const lawFace* face) {
  CF_ASSERT(owner == 0 || owner == 1);
  const cfSize* size = p->box[1 - owner].size;
  for (int k = 0; k < 3; k++) {
    c->size[k] = p->box[owner].size[face->index[k]];
  }
  lawToFace(c->corner, face, p->center[owner]);
  c->corner[2] = c->corner[2] - c->size[2];
  for (int k = 0; k < 3; k++) {
    cfNum in_owner[3], axis[3];
    if (owner == 0) {
      numColumn3(in_owner, p->rot, k);
    } else {
      numCopy3(in_owner, p->rot + 3 * k);
    }
    lawToFace(axis, face, in_owner);
    const cfNum down = numChoose(axis[2] < 0, numOf(1), numOf(-1));
    numAddScaled3(c->corner, c->corner, axis, down * size[k]);

    // three flat edges: the box has a pose that is no rotation
    if (c->nspan < 2 && numAgree(c->worlds, numAbs(axis[2]) < (cfReal)0.5)) {
      numScale3(c->span[c->nspan++], axis, -2 * down * size[k]);
    }
  }
}


// Crossings of the segment from + s*edge, 0 <= s <= 1, with the four borders of the rectangle.
CF_LAW void lawCrossBorders(lawFaceClip* c, const cfNum from[3], const cfNum edge[3]) {
  CF_ASSERT(c->n + 4 <= LAW_FACE_POINTS);
  for (int q = 0; q < 2; q++) {
    if (numAgree(c->worlds, numAbs(edge[q]) <= CF_LAW_TINY)) {
      continue;
    }
    for (int side = -1; side <= 1; side += 2) {
      const cfNum s = ((cfReal)side * c->size[q] - from[q]) * (1 / edge[q]);
      const cfIs is_crossing =
          (s >= 0) & (s <= 1) & (numAbs(from[1 - q] + edge[1 - q] * s) <= c->size[1 - q]);
      if (numAgree(c->worlds, is_crossing)) {
        lawKeepPoint(c, from[0] + edge[0] * s, from[1] + edge[1] * s, from[2] + edge[2] * s);
      }
    }
  }
}


// Borders of the lower face, in the order: both edges at the lowest corner, then the opposite ones.
CF_LAW void lawClipLowerSide(lawFaceClip* c) {
  cfNum far[3];
  if (c->nspan > 0) {
    lawCrossBorders(c, c->corner, c->span[0]);
  }
  if (c->nspan > 1) {
    lawCrossBorders(c, c->corner, c->span[1]);
    numAdd3(far, c->corner, c->span[0]);
    lawCrossBorders(c, far, c->span[1]);
    numAdd3(far, c->corner, c->span[1]);
    lawCrossBorders(c, far, c->span[0]);
  }
}


// Corners of the reference face that lie strictly inside the lower face's projection.
CF_LAW void lawCoverCorners(lawFaceClip* c) {
  CF_ASSERT(c->nspan == 2);
  const cfNum *e0 = c->span[0], *e1 = c->span[1];
  const cfNum inverse = 1 / (e0[0] * e1[1] - e1[0] * e0[1]);
  for (int k = 0; k < 4; k++) {
    const cfNum x = numWide(k & 2 ? c->size[0] : -c->size[0]);
    const cfNum y = numWide(k & 1 ? c->size[1] : -c->size[1]);
    const cfNum dx = x - c->corner[0], dy = y - c->corner[1];
    const cfNum u = (dx * e1[1] - dy * e1[0]) * inverse;
    const cfNum v = (dy * e0[0] - dx * e0[1]) * inverse;
    if (numAgree(c->worlds, (u > 0) & (v > 0) & (u < 1) & (v < 1))) {
      lawKeepPoint(c, x, y, c->corner[2] + u * e0[2] + v * e1[2]);
    }
  }
}


// The lowest corner, and the others of the lower side that lie strictly inside the reference face.
CF_LAW void lawCoverVertices(lawFaceClip* c) {
  for (int k = 0; k < 1 << c->nspan; k++) {
    cfNum v[3];
    numCopy3(v, c->corner);
    for (int e = 0; e < 2; e++) {
      if (k >> e & 1) {
        numAdd3(v, v, c->span[e]);
      }
    }
    const cfIs is_inside = (numAbs(v[0]) < c->size[0]) & (numAbs(v[1]) < c->size[1]);
    if (k == 0 || numAgree(c->worlds, is_inside)) {
      lawKeepPoint(c, v[0], v[1], v[2]);
    }
  }
}


// Points within the margin become contacts, halfway between point and face.
CF_LAW int lawEmitFace(lawTouch* con, const lawFaceClip* c, const lawBoxPair* p, int owner,
                       const lawFace* face) {
  CF_ASSERT(c->n > 0);  // the lowest corner is always among them
  cfNum to_world[9], normal[3], half[3];
  lawFaceToWorld(to_world, face, p->box[owner].mat);
  numColumn3(normal, to_world, 2);
  numScale3(normal, normal, numOf(owner ? -1 : 1));
  int n = 0;
  for (int k = 0; k < c->n; k++) {
    const cfNum* point = c->point[k];
    if (numAgree(c->worlds, point[2] > p->margin)) {
      continue;
    }
    if (numNoRoom(c->worlds, n)) {
      return n;
    }
    numSet3(half, point[0], point[1], point[2] / 2 + c->size[2]);
    numMulMatVec3(con[n].pos, to_world, half);
    numAdd3(con[n].pos, con[n].pos, p->box[owner].pos);
    numCopy3(con[n].frame, normal);
    numZero3(con[n].frame + 3);
    con[n++].dist = point[2];
  }
  return n;
}


CF_LAW int lawBoxFace(cfWorlds w, lawTouch* con, const lawBoxPair* p, int number) {
  const int owner = number / 6;
  const lawFace face = lawFaceOf(number % 6);
  lawFaceClip c;
  CF_ASSERT(owner == 0 || owner == 1);
  c.worlds = w;
  c.nspan = c.n = 0;
  lawLowerSide(&c, p, owner, &face);
  lawClipLowerSide(&c);
  if (c.nspan > 1) {
    lawCoverCorners(&c);
  }
  lawCoverVertices(&c);
  return lawEmitFace(con, &c, p, owner, &face);
}

#include "law/boxedges.h"


CF_LAW int lawBoxes(cfWorlds w, lawTouch* con, lawView a, lawView b, cfReal margin) {
  // larger than any penetration
  cfNum depth = numOf(margin);
  for (int k = 0; k < 3; k++) {
    depth = depth + (a.size[k] * 3 + b.size[k] * 3);
  }
  lawBoxAxis axis = {depth, numOf(-1)};
  lawBoxPair p;
  lawRelateBoxes(&p, a, b, margin);
  if (!lawPickFace(w, &axis, &p) || !lawPickEdges(w, &axis, &p) || numDone(w, axis.number < 0)) {
    return 0;
  }
  if (numSeldom(w, axis.number >= LAW_BOX_FACES)) {
    return CF_LAW_ALONE(lawBoxEdges(con, &p, (int)axis.number - LAW_BOX_FACES));
  }
  return lawBoxFace(w, con, &p, numAgreeOn(w, axis.number));
}

// ---------------------------------------- removal of bad contacts

// where a point lies inside a box, and outside of it, by more than one percent
CF_LAW void lawPlaceInBox(cfIs* is_in, cfIs* is_out, lawView box, cfReal margin,
                          const cfNum point[3]) {
  const cfReal ratio = (cfReal)1.01;
  cfNum offset[3], local[3];
  numSub3(offset, point, box.pos);
  numMulMatTVec3(local, box.mat, offset);
  const cfNum x = numAbs(local[0]), y = numAbs(local[1]), z = numAbs(local[2]);
  const cfSize a = box.size[0] + margin, b = box.size[1] + margin, c = box.size[2] + margin;
  *is_out = (x > a * ratio) | (y > b * ratio) | (z > c * ratio);
  *is_in = (x < a / ratio) & (y < b / ratio) & (z < c / ratio);
}


// Clipping can leave points beyond a box, and corners that are found twice: of equal points the
// last one stays.
CF_LAW int lawPruneBoxes(cfWorlds w, lawTouch* con, int ncon, lawView a, lawView b, cfReal margin) {
  CF_ASSERT(ncon <= mjMAXCONPAIR);
  bool keep[mjMAXCONPAIR];
  for (int i = 0; i < ncon; i++) {
    cfIs in_a, out_a, in_b, out_b;
    lawPlaceInBox(&in_a, &out_a, a, margin, con[i].pos);
    lawPlaceInBox(&in_b, &out_b, b, margin, con[i].pos);
    keep[i] = !numAgree(w, (out_a & numNot(in_b)) | (out_b & numNot(in_a)));
  }
  int kept = 0;
  for (int i = 0; i < ncon; i++) {
    const cfNum* p = con[i].pos;
    for (int j = i + 1; keep[i] && j < ncon; j++) {
      const cfNum* q = con[j].pos;
      keep[i] = !(keep[j] && numAgree(w, (p[0] == q[0]) & (p[1] == q[1]) & (p[2] == q[2])));
    }
    if (keep[i]) {
      con[kept] = con[i];
      kept++;
    }
  }
  return kept;
}

#endif  // CF_LAW_BOXES_H
