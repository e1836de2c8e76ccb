// Box against box: relative pose, axis of least penetration among 6 face normals and 9 edge pairs
// (Gottschalk, Lin & Manocha 1996), then contacts by clipping (boxface.c, boxedge.c), then removal
// of bad contacts.
#include "collision/collider.h"

#include <math.h>

#include "base/assert.h"
#include "collision/narrow/boxpair.h"
#include "math/inline.h"

static boxPair relateBoxes(cfGeomView a, cfGeomView b, mjtNum margin) {
  boxPair p = {.box = {a, b}, .margin = margin};
  mjtNum offset[3];
  cfi_sub3(offset, b.pos, a.pos);
  cfi_mulMatTVec3(p.center[0], a.mat, offset);
  cfi_scl3(offset, offset, -1);
  cfi_mulMatTVec3(p.center[1], b.mat, offset);
  cfi_mulMatTMat3(p.rot, a.mat, b.mat);
  for (int k = 0; k < 9; k++) {
    p.absrot[k] = fabs(p.rot[k]);
  }
  return p;
}


// the six face normals; false when one of them separates the boxes by more than margin
static bool pickFace(boxAxis* best, const boxPair* p) {
  mjtNum reach[2][3];
  cfi_mulMatVec3(reach[0], p->absrot, p->box[1].size);
  cfi_mulMatTVec3(reach[1], p->absrot, p->box[0].size);
  for (int k = 0; k < 3; k++) {
    for (int owner = 0; owner < 2; owner++) {
      const mjtNum x = p->center[owner][k];
      const mjtNum depth = -fabs(x) + p->box[owner].size[k] + reach[owner][k];
      if (depth < -p->margin) {
        return false;
      }
      if (depth < best->depth) {
        *best = (boxAxis){.depth = depth, .owner = owner, .face = x < 0 ? k + 3 : k};
      }
    }
  }
  return true;
}


// axis i of box 0  x  axis j of box 1, as it comes
static void crossEdges(mjtNum res[3], const boxPair* p, int i, int j) {
  CF_ASSERT(i >= 0 && i < 3 && j >= 0 && j < 3);
  const int next = (i + 1) % 3, last = (i + 2) % 3;
  res[i] = 0;
  res[next] = -p->rot[3 * last + j];
  res[last] = p->rot[3 * next + j];
}


// which sides of the boxes the edges i and j lie on when the axis of crossEdges separates best
static void pickSides(boxAxis* axis, const boxPair* p, int i, int j) {
  axis->side[0] = axis->side[1] = 0;
  CF_ASSERT(0 <= i && i < 3 && 0 <= j && j < 3);
  for (int step = 1; step < 3; step++) {
    const int k = (i + step) % 3;
    axis->side[0] |= ((axis->normal[k] > 0) != axis->inward) << k;

    // the normal's component along axis l of box 1 is +-rot of the third axis
    const int l = (j + step) % 3;
    const bool positive = (p->rot[3 * i + 3 - l - j] > 0) != (step == 1);
    axis->side[1] |= (positive != axis->inward) << l;
  }
}


// extents of both boxes along the normal of edges i and j; `length` divides what is not in the
// normal
static mjtNum edgeExtent(const boxPair* p, int i, int j, const mjtNum normal[3], mjtNum length) {
  CF_ASSERT(i >= 0 && i < 3 && j >= 0 && j < 3);
  mjtNum extent = 0;
  for (int k = 0; k < 3; k++) {
    extent += k == i ? 0 : p->box[0].size[k] * fabs(normal[k]);
  }
  for (int k = 0; k < 3; k++) {
    extent += k == j ? 0 : p->box[1].size[k] * p->absrot[3 * i + 3 - k - j] / length;
  }
  return extent;
}


// does the pair overlap by clearly more than the best axis so far; tested without roots and
// quotients
static bool isNoCandidate(const boxAxis* best, const boxPair* p, int i, int j,
                          const mjtNum normal[3]) {
  // less than it is by more than rounding: of axes equal to rounding the later one may win
  const mjtNum extent = (1 - 1e-14) * edgeExtent(p, i, j, normal, 1);
  const mjtNum scaled = extent - fabs(cfi_dot3(p->center[0], normal));
  const mjtNum limit = cfi_max(0, best->depth);
  return scaled > 0 && scaled * scaled > (1 + 1e-9) * limit * limit * cfi_dot3(normal, normal);
}


// the nine edge pairs; they must beat a face clearly, which avoids flicker between equal axes
static bool pickEdges(boxAxis* best, const boxPair* p) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      mjtNum normal[3];
      crossEdges(normal, p, i, j);
      if (isNoCandidate(best, p, i, j, normal)) {
        continue;
      }
      const mjtNum length = cfi_normalize3(normal);
      if (length < mjMINVAL) {
        continue;
      }

      const mjtNum along = cfi_dot3(p->center[0], normal);
      const mjtNum depth = edgeExtent(p, i, j, normal, length) - fabs(along);
      if (depth < -p->margin) {
        return false;
      }
      if (depth < best->depth * (1 - 1e-12)) {
        *best = (boxAxis){.is_edge = true, .depth = depth, .edge = {i, j}, .inward = along < 0};
        cfi_copy3(best->normal, normal);
        pickSides(best, p, i, j);
      }
    }
  }
  return true;
}


int cfi_boxBox(mjContact con[CF_MAXCON_BOXBOX], cfGeomView a, cfGeomView b, mjtNum margin) {
  const boxPair p = relateBoxes(a, b, margin);

  // larger than any penetration
  boxAxis axis = {.owner = -1, .depth = margin};
  for (int k = 0; k < 3; k++) {
    axis.depth += a.size[k] * 3 + b.size[k] * 3;
  }
  if (!pickFace(&axis, &p) || !pickEdges(&axis, &p) || axis.owner < 0) {
    return 0;
  }
  return axis.is_edge ? cfi_boxEdgeContacts(con, &p, &axis) : cfi_boxFaceContacts(con, &p, &axis);
}


// where a point lies relative to a box: -1 inside, 1 outside, 0 within one percent of its surface
static int placeInBox(cfGeomView box, mjtNum margin, const mjtNum point[3]) {
  const mjtNum ratio = 1.01;
  mjtNum offset[3], local[3];
  cfi_sub3(offset, point, box.pos);
  cfi_mulMatTVec3(local, box.mat, offset);
  int place = -1;
  for (int k = 0; k < 3; k++) {
    const mjtNum size = box.size[k] + margin, x = fabs(local[k]);
    if (x > size * ratio) {
      return 1;
    }
    if (!(x < size / ratio)) {
      place = 0;
    }
  }
  return place;
}


// clipping can leave points beyond a box, and corners that are found twice
int cfi_pruneBoxBox(mjContact* con, int ncon, cfGeomView a, cfGeomView b, mjtNum margin) {
  CF_ASSERT(ncon <= mjMAXCONPAIR);
  bool keep[mjMAXCONPAIR];
  for (int i = 0; i < ncon; i++) {
    const int in_a = placeInBox(a, margin, con[i].pos);
    const int in_b = placeInBox(b, margin, con[i].pos);
    keep[i] = !((in_a == 1 && in_b != -1) || (in_b == 1 && in_a != -1));
  }

  // of equal points the last one stays
  int kept = 0;
  for (int i = 0; i < ncon; i++) {
    for (int j = i + 1; keep[i] && j < ncon; j++) {
      keep[i] = !(keep[j] && con[i].pos[0] == con[j].pos[0] && con[i].pos[1] == con[j].pos[1] &&
                  con[i].pos[2] == con[j].pos[2]);
    }
    if (keep[i]) {
      con[kept] = con[i];
      kept++;
    }
  }
  return kept;
}


CF_TABLE_ENTRY(cfi_collideBoxBox, cfi_boxBox)
