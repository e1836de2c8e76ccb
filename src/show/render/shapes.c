// Shapes that every model has.  All but the cube are surfaces of revolution: rings of points around
// the z axis, quads between neighboring rings, triangles where a ring has shrunk to a point.
//
// A quad starts at the point of its lower ring with the smaller azimuth and goes counter-clockwise
// seen from outside; where outside is below, it is written backwards.  Drivers cut quads along a
// diagonal that depends on the first corner, so the order is part of how a picture looks.
#include "render/shapes.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/libm.h"
#include "render/gl.h"
#include "render/matrix.h"

// one corner
typedef struct {
  float pos[3], normal[3];
} ringPoint;

// how finely shapes are cut
typedef struct {
  int slices, stacks, quads;
} shapeQuality;

// point of a surface at an azimuth; `along` runs along its outline
typedef ringPoint (*shapeOutline)(float azimuth, float along, int side);


static float azimuthOf(int slice, int slices) {
  return (float)((2 * mjPI * slice) / (float)slices);
}


// corners in order, or backwards where the outside is below
static void emitCorners(const ringPoint* corner, int count, bool backwards) {
  for (int k = 0; k < count; k++) {
    const ringPoint* at = corner + (backwards ? count - 1 - k : k);
    cfi_gl.Normal3fv(at->normal);
    cfi_gl.Vertex3fv(at->pos);
  }
}


// quads between two rings of a surface
static void emitBand(shapeOutline outline, int slices, float low, float high, int side,
                     bool backwards) {
  for (int j = 0; j < slices; j++) {
    const float from = azimuthOf(j, slices), to = azimuthOf(j + 1, slices);
    const ringPoint corner[4] = {outline(from, low, side), outline(to, low, side),
                                 outline(to, high, side), outline(from, high, side)};
    emitCorners(corner, 4, backwards);
  }
}


// triangles between a ring and a point on the axis; without a normal of its own the point takes the
// mean of each triangle's other two
static void emitCap(shapeOutline outline, int slices, float along, int side, const ringPoint* pole,
                    bool backwards) {
  for (int j = 0; j < slices; j++) {
    ringPoint corner[3] = {outline(azimuthOf(j, slices), along, side),
                           outline(azimuthOf(j + 1, slices), along, side), *pole};
    float* n = corner[2].normal;
    if (cfi_dotf(n, n) == 0) {
      for (int k = 0; k < 3; k++) {
        n[k] = corner[0].normal[k] + corner[1].normal[k];
      }
      cfi_unitf(n);
    }
    emitCorners(corner, 3, backwards);
  }
}


//---------------------------------- outlines ------------------------------------------------------

static float cosineOf(float x) {
  return (float)cfi_cos((double)x);
}


static float sineOf(float x) {
  return (float)cfi_sin((double)x);
}


// unit sphere around z = side, by elevation
static ringPoint ballPoint(float azimuth, float elevation, int side) {
  ringPoint p;
  p.normal[0] = p.pos[0] = cosineOf(azimuth) * cosineOf(elevation);
  p.normal[1] = p.pos[1] = sineOf(azimuth) * cosineOf(elevation);
  p.pos[2] = (float)side + sineOf(elevation);
  p.normal[2] = p.pos[2] - (float)side;
  return p;
}


// disk at z = side, by radius; at zero it faces down
static ringPoint diskPoint(float azimuth, float radius, int side) {
  const ringPoint p = {{cosineOf(azimuth) * radius, sineOf(azimuth) * radius, (float)side},
                       {0, 0, side > 0 ? 1 : -1}};
  return p;
}


// cone with its tip at z = 1, by radius
static ringPoint coneRimPoint(float azimuth, float radius, int side) {
  (void)side;
  const float scale = 1 / sqrtf(2);
  const ringPoint p = {{cosineOf(azimuth) * radius, sineOf(azimuth) * radius, 1 - radius},
                       {cosineOf(azimuth) * scale, sineOf(azimuth) * scale, scale}};
  return p;
}


// mantle of a cylinder, by height
static ringPoint tubePoint(float azimuth, float height, int side) {
  (void)side;
  const float c = cosineOf(azimuth), s = sineOf(azimuth), length = sqrtf(c * c + s * s);
  const ringPoint p = {{c, s, height}, {c / length, s / length, 0}};
  return p;
}


//---------------------------------- surfaces ------------------------------------------------------

// a quarter turn of elevation divided into equal parts
static float elevationOf(int stack, int stacks, int side) {
  return (float)((0.5 * mjPI * side * stack) / (float)stacks);
}


// half a sphere; raised halves stand on the plane z = side instead of 0
static void emitHalfBall(int side, bool is_raised, int slices, int stacks, bool caps, bool bands) {
  CF_ASSERT(side == 1 || side == -1);
  const int center = is_raised ? side : 0;
  if (caps) {
    const ringPoint pole = {{0, 0, (float)(center + side)}, {0, 0, (float)side}};
    emitCap(ballPoint, slices, elevationOf(stacks - 1, stacks, side), center, &pole, side < 0);
  }
  for (int i = 0; bands && i < stacks - 1; i++) {
    emitBand(ballPoint, slices, elevationOf(i, stacks, side), elevationOf(i + 1, stacks, side),
             center, side < 0);
  }
}


static void emitHalf(int side, shapeQuality q) {
  cfi_gl.Begin(GL_TRIANGLES);
  emitHalfBall(side, true, q.slices, q.stacks / 2, true, false);
  cfi_gl.End();
  cfi_gl.Begin(GL_QUADS);
  emitHalfBall(side, true, q.slices, q.stacks / 2, false, true);
  cfi_gl.End();
}


static void emitSphere(shapeQuality q) {
  cfi_gl.Begin(GL_TRIANGLES);
  emitHalfBall(-1, false, q.slices, q.stacks / 2, true, false);
  emitHalfBall(+1, false, q.slices, q.stacks / 2, true, false);
  cfi_gl.End();
  cfi_gl.Begin(GL_QUADS);
  emitHalfBall(-1, false, q.slices, q.stacks / 2, false, true);
  emitHalfBall(+1, false, q.slices, q.stacks / 2, false, true);
  cfi_gl.End();
}


// rings by radius, from a point outwards
static void emitRings(shapeOutline outline, int side, const ringPoint* pole, int slices, int stacks,
                      bool backwards) {
  cfi_gl.Begin(GL_TRIANGLES);
  emitCap(outline, slices, 1 / (float)stacks, side, pole, backwards);
  cfi_gl.End();
  cfi_gl.Begin(GL_QUADS);
  for (int i = 1; i < stacks; i++) {
    emitBand(outline, slices, (float)(i + 1) / (float)stacks, (float)i / (float)stacks, side,
             backwards);
  }
  cfi_gl.End();
}


static void emitDisk(int side, int slices, int stacks) {
  const ringPoint pole = {{0, 0, (float)side}, {0, 0, side > 0 ? 1 : -1}};
  emitRings(diskPoint, side, &pole, slices, stacks, side <= 0);
}


static void emitTube(shapeQuality q) {
  cfi_gl.Begin(GL_QUADS);
  for (int i = 0; i < q.stacks; i++) {
    emitBand(tubePoint, q.slices, (float)(2 * i) / (float)q.stacks - 1,
             (float)(2 * (i + 1)) / (float)q.stacks - 1, 0, false);
  }
  cfi_gl.End();
}


static void emitDrum(shapeQuality q) {
  emitDisk(-1, q.slices, q.stacks / 2);
  emitTube(q);
  emitDisk(+1, q.slices, q.stacks / 2);
}


static void emitCone(shapeQuality q) {
  const ringPoint tip = {{0, 0, 1}, {0, 0, 0}};
  emitRings(coneRimPoint, 0, &tip, q.slices, q.stacks, false);
  emitDisk(0, q.slices, q.stacks);
}


// one cell of a face of the cube: (u, v) are the axes of the face, w the one it looks along
static void emitCell(int u, int v, int w, int side, const float low[2], const float high[2]) {
  const int order[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  ringPoint corner = {{0}, {0}};
  corner.normal[w] = corner.pos[w] = (float)side;
  cfi_gl.Normal3fv(corner.normal);
  for (int k = 0; k < 4; k++) {
    // the sides that look the other way are written from the upper edge
    corner.pos[u] = (order[k][0] ? high : low)[0];
    const bool is_high = order[k][1] != ((w == 1) == (side > 0));
    corner.pos[v] = (is_high ? high : low)[1];
    cfi_gl.Vertex3fv(corner.pos);
  }
}


static void emitCube(shapeQuality q) {
  // axes of the faces, in the order x right, y up where they look at us: top and bottom, right and
  // left, front and back
  static const int faces[3][3] = {{0, 1, 2}, {1, 2, 0}, {0, 2, 1}};
  const float d = 2.0f / (float)q.quads;
  cfi_gl.Begin(GL_QUADS);
  for (int cell = 0; cell < q.quads * q.quads; cell++) {
    const int x = cell / q.quads, y = cell % q.quads;
    const float low[2] = {d * (float)x - 1, d * (float)y - 1};
    const float high[2] = {d * (float)(x + 1) - 1, d * (float)(y + 1) - 1};
    for (int k = 0; k < 6; k++) {
      const int* axes = faces[k / 2];
      const int side = (k % 2 == 0) != (k / 2 == 2) ? 1 : -1;
      emitCell(axes[0], axes[1], axes[2], side, low, high);
    }
  }
  cfi_gl.End();
}


// one ring of the haze: truncated cone between two heights, opaque at one end
static void emitHazeRing(int slices, float haze, const float low[2], const float high[2],
                         const float rgb[3]) {
  for (int j = 0; j < slices; j++) {
    for (int k = 0; k < 4; k++) {
      const float azimuth = azimuthOf(j + (k == 1 || k == 2), slices);
      const float* end = k < 2 ? low : high;
      const float radius = 1 - haze * (1 - end[0]);
      if (k % 2 == 0) {
        cfi_gl.Color4f(rgb[0], rgb[1], rgb[2], end[1]);
      }
      cfi_gl.Vertex3f(cosineOf(azimuth) * radius, sineOf(azimuth) * radius, end[0]);
    }
  }
}


// haze fades from where the ground ends, most opaque where its cone is closest to the eye
static void emitHaze(int slices, float haze, const float rgb[3]) {
  const float alpha = (float)cfi_atan2(1, haze);
  const float beta = (float)(0.75 * mjPI) - alpha;
  const float height = sqrtf(0.5f) * haze * sineOf(alpha) / sineOf(beta);
  const float ground[2] = {0, 0}, middle[2] = {height, 1}, top[2] = {1, 0};
  cfi_gl.Begin(GL_QUADS);
  cfi_gl.Normal3f(0, 0, 1);
  emitHazeRing(slices, haze, ground, middle, rgb);
  emitHazeRing(slices, haze, middle, top, rgb);
  cfi_gl.End();
}


static void emitShape(cfShape shape, shapeQuality q, const mjModel* m) {
  switch (shape) {
    case CF_SHAPE_SPHERE:
      emitSphere(q);
      break;
    case CF_SHAPE_DOME:
    case CF_SHAPE_BOWL:
      emitHalf(shape == CF_SHAPE_DOME ? +1 : -1, q);
      break;
    case CF_SHAPE_DRUM:
      emitDrum(q);
      break;
    case CF_SHAPE_TUBE:
      emitTube(q);
      break;
    case CF_SHAPE_HAZE:
      emitHaze(q.slices, m->vis.map.haze, m->vis.rgba.haze);
      break;
    case CF_SHAPE_CUBE:
      emitCube(q);
      break;
    default:
      CF_ASSERT(shape == CF_SHAPE_CONE);
      emitCone(q);
  }
}


bool cfi_makeShapes(const mjModel* m, mjrContext* con) {
  const shapeQuality q = {m->vis.quality.numslices, m->vis.quality.numstacks,
                          m->vis.quality.numquads};
  if (!cfi_newLists(&con->baseBuiltin, &con->rangeBuiltin, CF_SHAPE_COUNT)) {
    return false;
  }
  for (int k = 0; k < CF_SHAPE_COUNT; k++) {
    cfi_gl.NewList(con->baseBuiltin + (unsigned int)k, GL_COMPILE);
    emitShape((cfShape)k, q, m);
    cfi_gl.EndList();
  }
  return true;
}
