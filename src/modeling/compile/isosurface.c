// The surface on which a function of space is zero: marching cubes (W. Lorensen, H. Cline 1987).
//
// The cubes of the grid are visited x fastest. Where an edge leads from a negative value to another
// one, linear interpolation gives a vertex, made by the first cube that has the edge; a table says
// how the vertices of a cube are joined. Numbers are single precision, as they are in MuJoCo.
#include "compile/isosurface.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

enum { CUBE_EDGES = 12 };

static const char* const cube_triangles[256] = {
#include "compile/isosurface.def"
};

typedef struct {
  cfGrid grid;
  int* made;  // vertex on the edge along each axis from each point, plus one; 0: none so far
  cfSurface out;
} isoWork;


// steps between neighbors along the axes
static size_t stride(const cfGrid* grid, int axis) {
  return axis == 0 ? 1 : (size_t)grid->size[0] * (axis == 1 ? 1 : (size_t)grid->size[1]);
}


// start of an edge of the cube at a point; its axis
static size_t edgeStart(const cfGrid* grid, size_t point, int edge, int* axis) {
  CF_ASSERT(edge >= 0 && edge < CUBE_EDGES);
  *axis = edge / 4;
  const int low = *axis == 0, high = *axis == 2 ? 1 : 2;
  return point + (edge % 4 & 1 ? stride(grid, low) : 0) + (edge % 4 & 2 ? stride(grid, high) : 0);
}


// which corners of a cube are inside, a bit each
static int insideCorners(const cfGrid* grid, size_t point) {
  int bits = 0;
  for (int corner = 0; corner < 8; corner++) {
    size_t at = point;
    for (int axis = 0; axis < 3; axis++) {
      at += corner >> axis & 1 ? stride(grid, axis) : 0;
    }
    bits |= (grid->value[at] < 0) << corner;
  }
  return bits;
}


// vertex of an edge, made where it is not there yet
static int vertexOn(isoWork* work, const int place[3], size_t point, int edge) {
  int axis;
  const cfGrid* grid = &work->grid;
  const size_t from = edgeStart(grid, point, edge, &axis), key = 3 * from + (size_t)axis;
  if (!work->made[key]) {
    const float a = grid->value[from], b = grid->value[from + stride(grid, axis)];
    const int low = axis == 0, high = axis == 2 ? 1 : 2;
    float* vert = work->out.vert.item + work->out.vert.count;
    for (int k = 0; k < 3; k++) {
      vert[k] = (float)place[k];
    }
    vert[low] = (float)(place[low] + (edge % 4 & 1));
    vert[high] = (float)(place[high] + (edge % 4 >> 1));
    vert[axis] += a / (a - b);
    work->out.vert.count += 3;
    work->made[key] = (int)(work->out.vert.count / 3);
  }
  return work->made[key] - 1;
}


// all crossed edges of a cube in order, then its triangles
static void joinCube(isoWork* work, const int place[3], size_t point) {
  const int bits = insideCorners(&work->grid, point);
  int vertex[CUBE_EDGES] = {0};
  if (bits == 0 || bits == 255) {
    return;
  }
  for (int edge = 0; edge < CUBE_EDGES; edge++) {
    int axis;
    const size_t from = edgeStart(&work->grid, point, edge, &axis);
    const float *value = work->grid.value + from, *next = value + stride(&work->grid, axis);
    if ((*value < 0) != (*next < 0)) {
      vertex[edge] = vertexOn(work, place, point, edge);
    }
  }
  for (const char* letter = cube_triangles[bits]; *letter; letter++) {
    work->out.face.item[work->out.face.count++] = vertex[*letter - 'a'];
  }
}


// numbers of vertices and triangle corners, before there is room for them
static void countSurface(const cfGrid* grid, size_t* nvert, size_t* ncorner) {
  *nvert = *ncorner = 0;
  for (int z = 0; z < grid->size[2]; z++) {
    for (int y = 0; y < grid->size[1]; y++) {
      for (int x = 0; x < grid->size[0]; x++) {
        const int place[3] = {x, y, z};
        const size_t point = (size_t)x + y * stride(grid, 1) + z * stride(grid, 2);
        bool is_cube = true;
        for (int axis = 0; axis < 3; axis++) {
          const bool is_last = place[axis] + 1 == grid->size[axis];
          is_cube = is_cube && !is_last;
          *nvert +=
              !is_last && (grid->value[point] < 0) != (grid->value[point + stride(grid, axis)] < 0);
        }
        *ncorner += is_cube ? strlen(cube_triangles[insideCorners(grid, point)]) : 0;
      }
    }
  }
}


// normals of triangles, weighted by area, summed at their corners and made unit
static void sumNormals(cfSurface* s) {
  for (size_t i = 0; i + 2 < s->face.count; i += 3) {
    const int* corner = s->face.item + i;
    const float *a = s->vert.item + 3 * (size_t)corner[0],
                *b = s->vert.item + 3 * (size_t)corner[1],
                *c = s->vert.item + 3 * (size_t)corner[2];
    const float u[3] = {c[0] - b[0], c[1] - b[1], c[2] - b[2]},
                v[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    float n[3];
    for (int k = 0; k < 3; k++) {
      const int next = (k + 1) % 3, last = (k + 2) % 3;
      n[k] = u[next] * v[last] - u[last] * v[next];
    }
    for (int k = 0; k < 9; k++) {
      s->normal.item[3 * (size_t)corner[k / 3] + k % 3] += n[k % 3];
    }
  }
  for (size_t i = 0; i < s->normal.count; i += 3) {
    float* n = s->normal.item + i;
    const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) {
      n[k] /= length;
    }
  }
}


cfSurface cfi_isoSurface(cfPool* pool, cfGrid grid) {
  CF_ASSERT(grid.value && grid.size[0] > 0 && grid.size[1] > 0 && grid.size[2] > 0);
  size_t nvert, ncorner;
  countSurface(&grid, &nvert, &ncorner);
  isoWork work = {.grid = grid};
  memset(&work.out, 0, sizeof(work.out));
  work.out.vert = cfi_newFloats(pool, 3 * nvert);
  work.out.normal = cfi_newFloats(pool, 3 * nvert);
  work.out.face = cfi_newInts(pool, ncorner);
  work.made = cfi_newInts(pool, 3 * stride(&grid, 2) * (size_t)grid.size[2]).item;
  work.out.vert.count = work.out.face.count = 0;
  for (int z = 0; z + 1 < grid.size[2]; z++) {
    for (int y = 0; y + 1 < grid.size[1]; y++) {
      for (int x = 0; x + 1 < grid.size[0]; x++) {
        const int place[3] = {x, y, z};
        joinCube(&work, place, (size_t)x + y * stride(&grid, 1) + z * stride(&grid, 2));
      }
    }
  }
  CF_ASSERT(work.out.vert.count == 3 * nvert && work.out.face.count == ncorner);
  sumNormals(&work.out);
  return work.out;
}
