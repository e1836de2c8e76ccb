// The contact surface of two pressure fields (Elandt et al. 2019) and its points (Masterjohn et al.
// 2022).
//
//        a  \  |  /            Where the field of each geom is the least of some planes, the
//        surface
//      ______\ | /_____        on which both pressures are equal is made of convex polygons, one
//      for \  p_a = p_b   /        each plane of one and each of the other at most: the plane on
//      which
//   b   \____________/         the two are equal, cut by all others and by pressure zero.
//
// Smooth fields get planes that touch them at the places of a pattern, which spans the patch and
// follows it: rings of places about its center, as far out as both fields reach.  Pressures are
// those of the fields themselves.  All of it is continuous in the positions of the geoms: polygons
// appear and go with area zero.
//
// A polygon becomes one point at its center of pressure, a large one four that have its second
// moments; many small ones are gathered by the cells of a grid, so that a patch has a bounded
// number of points.
#include "contactsolver/patchshape.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"

// a polygon larger than this part of the patch becomes four points
static const mjtNum largePolygon = 0.12;

// halvings of the distance at which a field ends
enum { PATCH_HALVINGS = 24 };

typedef struct {
  cfPatchPair* pair;
  mjtNum tangent[2][3];
  mjtNum middle[2];     // of the pattern, along the tangents
  mjtNum ellipse[3];    // rows of a triangle: what makes an ellipse like the patch of a circle
  mjtNum extent[2][2];  // least and largest coordinates where the ellipse is a circle
  mjtNum area;          // of the whole patch, about
  mjtNum *now, *next;   // corners of a polygon
  mjtNum* cell;         // what small polygons add up to, by cell of the grid
  cfPatchPoint* point;
  int npoint, nsplit;
} patchMaker;

// sums of a grid cell
enum { CELL_FORCE = 0, CELL_MOMENT = 3, CELL_WEIGHT = 6, CELL_AREA, CELL_GRADIENT, CELL_NUMBERS };

// the plane of a polygon
typedef struct {
  const cfFieldPlane* of[2];
  cfFieldPlane equal;  // zero on it
  mjtNum normal[3], slope[2], gradient;
} patchFace;


// ---------------------------------------- surface

// Pressure on the contact surface near a point: where both fields are equal along the normal.
static mjtNum pressureNear(const cfPatchPair* pair, const mjtNum slope[2], const mjtNum x[3]) {
  const mjtNum a = cfi_fieldAt(&pair->field[0], x), b = cfi_fieldAt(&pair->field[1], x);
  const mjtNum sum = slope[0] + slope[1];
  if (pair->field[1].is_rigid) {
    return a + cfi_max(0, slope[0]) * b;
  }
  if (pair->field[0].is_rigid) {
    return b + cfi_max(0, slope[1]) * a;
  }
  return slope[0] > 0 && slope[1] > 0 ? (slope[1] * a + slope[0] * b) / sum : cfi_min(a, b);
}


// The plane on which two planes are equal, or on which that of a rigid geom is zero; false if there
// is none.
static bool openFace(const cfPatchPair* pair, const cfFieldPlane* a, const cfFieldPlane* b,
                     patchFace* face) {
  const bool is_rigid0 = pair->field[0].is_rigid, is_rigid1 = pair->field[1].is_rigid;
  *face = (patchFace){.of = {a, b}};
  for (int k = 0; k < 3; k++) {
    face->equal.a[k] = (is_rigid1 ? 0 : a->a[k]) - (is_rigid0 ? 0 : b->a[k]);
    face->normal[k] = is_rigid1 ? b->a[k] : -face->equal.a[k];
  }
  face->equal.b = (is_rigid1 ? 0 : a->b) - (is_rigid0 ? 0 : b->b);
  if (is_rigid1) {
    face->equal = *b;
  }
  const mjtNum scale = is_rigid0 || is_rigid1 ? pair->field[is_rigid1 ? 1 : 0].scale
                                              : cfi_max(pair->field[0].scale, pair->field[1].scale);
  if (cfi_norm3(face->equal.a) < 1e-9 * scale) {
    return false;
  }
  cfi_normalize3(face->normal);
  face->slope[0] = -cfi_dot3(a->a, face->normal);
  face->slope[1] = cfi_dot3(b->a, face->normal);
  const mjtNum s0 = face->slope[0], s1 = face->slope[1];
  face->gradient = is_rigid1 ? s0 : is_rigid0 ? s1 : s0 > 0 && s1 > 0 ? s0 * s1 / (s0 + s1) : 0;
  face->gradient = cfi_max(0, face->gradient);
  return true;
}


// ---------------------------------------- pattern

static void alongTangents(const patchMaker* maker, mjtNum u, mjtNum v, mjtNum x[3]) {
  for (int k = 0; k < 3; k++) {
    x[k] = u * maker->tangent[0][k] + v * maker->tangent[1][k];
  }
}


// how far the patch reaches from the middle of the pattern in a direction, as a multiple of (u, v)
static mjtNum reachOf(const patchMaker* maker, mjtNum u, mjtNum v) {
  const mjtNum slope[2] = {maker->pair->field[0].scale, maker->pair->field[1].scale};
  mjtNum low = 0, high = maker->pair->size / cfi_max(mjMINVAL, cfi_hypot(u, v));
  for (int k = 0; k < PATCH_HALVINGS; k++) {
    mjtNum x[3];
    const mjtNum middle = 0.5 * (low + high);
    alongTangents(maker, maker->middle[0] + middle * u, maker->middle[1] + middle * v, x);
    *(pressureNear(maker->pair, slope, x) > 0 ? &low : &high) = middle;
  }
  return low;
}


// place number k of n on the border of the patch, along the ellipse that stands for it
static void borderAt(const patchMaker* maker, int k, int n, mjtNum at[2]) {
  const mjtNum angle = 2 * mjPI * k / n, cosine = cfi_cos(angle), sine = cfi_sin(angle);
  const mjtNum u = maker->ellipse[0] * cosine,
               v = maker->ellipse[1] * cosine + maker->ellipse[2] * sine;
  const mjtNum reach = reachOf(maker, u, v);
  at[0] = maker->middle[0] + reach * u;
  at[1] = maker->middle[1] + reach * v;
}


// Move the middle to the mean of places on the border and let the ellipse have their second
// moments; false if there is no extent.
static bool fitPlaces(patchMaker* maker, mjtNum at[][2], int n) {
  mjtNum mean[2] = {0, 0}, uu = 0, uv = 0, vv = 0;
  for (int k = 0; k < n; k++) {
    mean[0] += at[k][0] / n;
    mean[1] += at[k][1] / n;
  }
  for (int k = 0; k < n; k++) {
    const mjtNum u = at[k][0] - mean[0], v = at[k][1] - mean[1];
    uu += 2 * u * u / n;
    uv += 2 * u * v / n;
    vv += 2 * v * v / n;
  }
  const mjtNum left = uu > 0 ? vv - uv * uv / uu : 0;
  if (!(left > 0)) {
    return false;
  }
  maker->middle[0] = mean[0];
  maker->middle[1] = mean[1];
  maker->ellipse[0] = sqrt(uu);
  maker->ellipse[1] = uv / sqrt(uu);
  maker->ellipse[2] = sqrt(left);
  return true;
}


// Find an ellipse like the patch.  A long patch shows its length only to rays along it, one whose
// center is near an edge only to rays away from it: both are found step by step.
static void fitEllipse(patchMaker* maker) {
  enum { FITS = 3, RAYS = 8 };
  bool has_extent = true;
  maker->ellipse[0] = maker->ellipse[2] = 1;
  for (int fit = 0; fit < FITS && has_extent; fit++) {
    mjtNum at[RAYS][2];
    for (int k = 0; k < RAYS; k++) {
      borderAt(maker, k, RAYS, at[k]);
    }
    has_extent = fitPlaces(maker, at, RAYS);
  }
}


static void touchBoth(const patchMaker* maker, mjtNum u, mjtNum v) {
  mjtNum x[3];
  alongTangents(maker, u, v, x);
  cfi_touchField(&maker->pair->field[0], x);
  cfi_touchField(&maker->pair->field[1], x);
}


// coordinates in which the ellipse is a circle
static void roundPlace(const patchMaker* maker, const mjtNum at[2], mjtNum res[2]) {
  res[0] = (at[0] - maker->middle[0]) / maker->ellipse[0];
  res[1] = (at[1] - maker->middle[1] - res[0] * maker->ellipse[1]) / maker->ellipse[2];
}


// Touch the fields at the center and on rings, 8 k places on ring k; measure the patch.
static void spanPatch(patchMaker* maker) {
  const int rings = maker->pair->rings, count = 8 * rings;
  mjtNum first[2] = {0, 0}, last[2] = {0, 0};
  fitEllipse(maker);
  const mjtNum* middle = maker->middle;
  touchBoth(maker, middle[0], middle[1]);
  for (int k = 0; k <= count; k++) {
    mjtNum at[2] = {first[0], first[1]}, place[2];
    if (k < count) {
      borderAt(maker, k, count, at);
    }
    roundPlace(maker, at, place);
    for (int i = 0; i < 2; i++) {
      maker->extent[i][0] = cfi_min(maker->extent[i][0], place[i]);
      maker->extent[i][1] = cfi_max(maker->extent[i][1], place[i]);
    }
    maker->area += !k ? 0 : 0.5 * (last[0] * at[1] - last[1] * at[0]);
    for (int i = 0; i < 2; i++) {
      first[i] = k ? first[i] : at[i];
      last[i] = at[i];
    }
    for (int ring = 1; ring <= rings && k < count; ring++) {
      if (!k || k * ring / rings != (k - 1) * ring / rings) {
        touchBoth(maker, middle[0] + (at[0] - middle[0]) * ring / rings,
                  middle[1] + (at[1] - middle[1]) * ring / rings);
      }
    }
  }
}


// ---------------------------------------- polygons

// Keep the part of a polygon on which a plane is not negative; returns the number of corners.
static int cutPolygon(patchMaker* maker, int n, const cfFieldPlane* plane) {
  mjtNum *from = maker->now, *to = maker->next;
  int count = 0;
  mjtNum before = n ? cfi_planeAt(plane, from + 3 * (size_t)(n - 1)) : 0;
  for (int k = 0; k < n; k++) {
    const mjtNum *corner = from + 3 * (size_t)k, *last = from + 3 * (size_t)(k ? k - 1 : n - 1);
    const mjtNum here = cfi_planeAt(plane, corner);
    if ((here < 0) != (before < 0)) {
      const mjtNum t = before / (before - here);
      for (int i = 0; i < 3; i++) {
        to[3 * count + i] = last[i] + t * (corner[i] - last[i]);
      }
      count++;
    }
    if (here >= 0) {
      cfi_copy3(to + 3 * (size_t)count++, corner);
    }
    before = here;
  }
  maker->now = to;
  maker->next = from;
  return count;
}


// Keep where a plane is the least of its field.
static int cutByField(patchMaker* maker, int n, const cfPressureField* field,
                      const cfFieldPlane* least) {
  for (int k = 0; k < field->nplane && n > 2; k++) {
    const cfFieldPlane* other = field->plane + k;
    if (other != least) {
      const cfFieldPlane more = {
          {other->a[0] - least->a[0], other->a[1] - least->a[1], other->a[2] - least->a[2]},
          other->b - least->b};
      n = cutPolygon(maker, n, &more);
    }
  }
  return n;
}


// A square of the plane that holds all of the patch.
static void openSquare(patchMaker* maker, const patchFace* face) {
  const mjtNum length = cfi_norm3(face->equal.a), size = 2 * maker->pair->size;
  mjtNum frame[9] = {0}, center[3];
  cfi_copy3(frame, face->normal);
  cfi_copy3(frame + 3, maker->tangent[0]);
  cfi_makeFrame(frame);
  for (int k = 0; k < 3; k++) {
    center[k] = -face->equal.b * face->equal.a[k] / (length * length);
  }
  for (int k = 0; k < 4; k++) {
    mjtNum* corner = maker->now + 3 * (size_t)k;
    cfi_addScl3(corner, center, frame + 3, k == 0 || k == 3 ? -size : size);
    cfi_addToScl3(corner, frame + 6, k < 2 ? -size : size);
  }
}


// Cut the square of a face down to its polygon; returns the number of corners, 0 if none is left.
static int makePolygon(patchMaker* maker, const patchFace* face) {
  const cfPressureField* field = maker->pair->field;
  openSquare(maker, face);
  int n = cutPolygon(maker, 4, face->of[field[0].is_rigid ? 1 : 0]);
  n = n > 2 ? cutByField(maker, n, field, face->of[0]) : 0;
  n = n > 2 ? cutByField(maker, n, field + 1, face->of[1]) : 0;
  return n > 2 ? n : 0;
}


// ---------------------------------------- integrals

// of a polygon: area, center, second moments about the center; force, center of pressure
typedef struct {
  mjtNum area, force;
  mjtNum center[3], pressed[3];
  mjtNum second[6];  // xx, yy, zz, xy, xz, yz
} polygonSums;


static mjtNum areaOf(const mjtNum* corner[3], const mjtNum normal[3]) {
  mjtNum edge[2][3], cross[3];
  for (int k = 0; k < 2; k++) {
    cfi_sub3(edge[k], corner[k + 1], corner[0]);
  }
  cfi_cross(cross, edge[0], edge[1]);
  return 0.5 * fabs(cfi_dot3(cross, normal));
}


// Sums over one triangle by its mid-edges, exact for second powers.
static void addPatchTriangle(const patchMaker* maker, const patchFace* face,
                             const mjtNum* corner[3], polygonSums* sums) {
  const mjtNum part = areaOf(corner, face->normal) / 3;
  sums->area += 3 * part;
  for (int k = 0; k < 3; k++) {
    mjtNum x[3];
    for (int i = 0; i < 3; i++) {
      x[i] = 0.5 * (corner[k][i] + corner[(k + 1) % 3][i]);
    }
    const mjtNum force = part * cfi_max(0, pressureNear(maker->pair, face->slope, x));
    sums->force += force;
    cfi_addToScl3(sums->center, x, part);
    cfi_addToScl3(sums->pressed, x, force);
    for (int i = 0; i < 3; i++) {
      sums->second[i] += part * x[i] * x[i];
      sums->second[3 + i] += part * x[i == 2 ? 1 : 0] * x[i == 0 ? 1 : 2];
    }
  }
}


static polygonSums sumPolygon(const patchMaker* maker, const patchFace* face, int n) {
  polygonSums sums = {0};
  for (int k = 2; k < n; k++) {
    const mjtNum* corner[3] = {maker->now, maker->now + 3 * (size_t)(k - 1),
                               maker->now + 3 * (size_t)k};
    addPatchTriangle(maker, face, corner, &sums);
  }
  if (!(sums.area > 0) || !(sums.force > 0)) {
    return (polygonSums){0};
  }
  for (int i = 0; i < 3; i++) {
    sums.center[i] /= sums.area;
    sums.pressed[i] /= sums.force;
  }
  for (int i = 0; i < 3; i++) {
    const int a = i == 2 ? 1 : 0, b = i == 0 ? 1 : 2;
    sums.second[i] = sums.second[i] / sums.area - sums.center[i] * sums.center[i];
    sums.second[3 + i] = sums.second[3 + i] / sums.area - sums.center[a] * sums.center[b];
  }
  return sums;
}


// second moment of a polygon along two directions
static mjtNum momentAlong(const polygonSums* s, const mjtNum a[3], const mjtNum b[3]) {
  const mjtNum* q = s->second;
  return a[0] * b[0] * q[0] + a[1] * b[1] * q[1] + a[2] * b[2] * q[2] +
         (a[0] * b[1] + a[1] * b[0]) * q[3] + (a[0] * b[2] + a[2] * b[0]) * q[4] +
         (a[1] * b[2] + a[2] * b[1]) * q[5];
}


// ---------------------------------------- points

// Four points with the area, center and second moments of a polygon, and with its force.
static void splitPolygon(patchMaker* maker, const patchFace* face, const polygonSums* sums) {
  mjtNum frame[9] = {0}, force = 0;
  cfi_copy3(frame, face->normal);
  cfi_copy3(frame + 3, maker->tangent[0]);
  cfi_makeFrame(frame);

  // square root of the moments in the plane
  const mjtNum xx = cfi_max(0, momentAlong(sums, frame + 3, frame + 3));
  const mjtNum xy = momentAlong(sums, frame + 3, frame + 6);
  const mjtNum yy = cfi_max(0, momentAlong(sums, frame + 6, frame + 6));
  const mjtNum l0 = sqrt(xx), l1 = l0 > 0 ? xy / l0 : 0, l2 = sqrt(cfi_max(0, yy - l1 * l1));
  cfPatchPoint* first = maker->point + maker->npoint;
  for (int k = 0; k < 4; k++) {
    cfPatchPoint* point = maker->point + maker->npoint++;
    const mjtNum u = k == 0 || k == 3 ? -1 : 1, v = k < 2 ? -1 : 1;
    cfi_addScl3(point->pos, sums->center, frame + 3, l0 * u);
    cfi_addToScl3(point->pos, frame + 6, l1 * u + l2 * v);
    cfi_copy3(point->normal, face->normal);
    point->area = 0.25 * sums->area;
    point->pressure = cfi_max(0, pressureNear(maker->pair, face->slope, point->pos));
    point->gradient = face->gradient;
    force += point->area * point->pressure;
  }
  for (int k = 0; k < 4; k++) {
    first[k].pressure =
        force > 0 ? first[k].pressure * sums->force / force : sums->force / sums->area;
  }
  maker->nsplit++;
}


// cell of the grid at a place
static int cellAt(const patchMaker* maker, const mjtNum x[3]) {
  const int side = 2 * maker->pair->rings + 1;
  const mjtNum at[2] = {cfi_dot3(x, maker->tangent[0]), cfi_dot3(x, maker->tangent[1])};
  mjtNum place[2];
  int cell = 0;
  roundPlace(maker, at, place);
  for (int i = 0; i < 2; i++) {
    const mjtNum low = maker->extent[i][0], width = cfi_max(mjMINVAL, maker->extent[i][1] - low);
    const mjtNum part = (place[i] - low) / width;
    cell = cell * side + (int)cfi_clip(side * part, 0, side - 1);
  }
  return cell;
}


static void gatherPolygon(patchMaker* maker, const patchFace* face, const polygonSums* sums) {
  mjtNum* cell = maker->cell + (size_t)CELL_NUMBERS * (size_t)cellAt(maker, sums->pressed);
  cfi_addToScl3(cell + CELL_FORCE, face->normal, sums->force);
  cfi_addToScl3(cell + CELL_MOMENT, sums->pressed, sums->force);
  cell[CELL_WEIGHT] += sums->force;
  cell[CELL_AREA] += sums->area;
  cell[CELL_GRADIENT] += sums->area * face->gradient;
}


static void pointsOfCells(patchMaker* maker) {
  for (int k = 0; k < PATCH_CELLS(maker->pair->rings); k++) {
    const mjtNum* cell = maker->cell + (size_t)CELL_NUMBERS * (size_t)k;
    cfPatchPoint* point = maker->point + maker->npoint;
    cfi_copy3(point->normal, cell + CELL_FORCE);
    const mjtNum force = cfi_normalize3(point->normal);
    if (!(cell[CELL_WEIGHT] > 0) || !(force > 0)) {
      continue;
    }
    point->area = cell[CELL_AREA];
    point->pressure = force / point->area;
    point->gradient = cell[CELL_GRADIENT] / point->area;
    for (int i = 0; i < 3; i++) {
      point->pos[i] = cell[CELL_MOMENT + i] / cell[CELL_WEIGHT];
    }
    maker->npoint++;
  }
}


static void addPolygonOf(patchMaker* maker, const cfFieldPlane* a, const cfFieldPlane* b) {
  patchFace face;
  if (!openFace(maker->pair, a, b, &face)) {
    return;
  }
  const int n = makePolygon(maker, &face);
  const polygonSums sums = n ? sumPolygon(maker, &face, n) : (polygonSums){0};
  if (sums.force > 0) {
    if (sums.area > largePolygon * maker->area && maker->nsplit < PATCH_SPLIT_MAX) {
      splitPolygon(maker, &face, &sums);
    } else {
      gatherPolygon(maker, &face, &sums);
    }
  }
}


// ---------------------------------------- patch

// corners of two polygons, sums of the cells
size_t cfi_patchScratch(const cfPatchPair* pair) {
  const size_t corners = (size_t)(pair->field[0].room + pair->field[1].room) + 8;
  return 6 * corners + (size_t)CELL_NUMBERS * (size_t)PATCH_CELLS(pair->rings);
}


int cfi_patchPoints(cfPatchPair* pair, mjtNum* scratch, cfPatchPoint* point) {
  const size_t corners = (size_t)(pair->field[0].room + pair->field[1].room) + 8;
  CF_ASSERT(pair->rings >= 1 && pair->rings <= PATCH_REFINE_MAX);
  patchMaker maker = {.pair = pair, .now = scratch, .next = scratch + 3 * corners, .point = point};
  maker.cell = scratch + 6 * corners;
  memset(maker.cell, 0, sizeof(mjtNum) * CELL_NUMBERS * (size_t)PATCH_CELLS(pair->rings));
  mjtNum frame[9] = {0};
  cfi_copy3(frame, pair->normal);
  cfi_makeFrame(frame);
  cfi_copy3(maker.tangent[0], frame + 3);
  cfi_copy3(maker.tangent[1], frame + 6);
  spanPatch(&maker);
  for (int i = 0; i < pair->field[0].nplane; i++) {
    for (int j = 0; j < pair->field[1].nplane; j++) {
      addPolygonOf(&maker, pair->field[0].plane + i, pair->field[1].plane + j);
    }
  }
  pointsOfCells(&maker);
  return maker.npoint;
}
