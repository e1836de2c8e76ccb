// Number of values a sensor gives.
#include "base/assert.h"
#include "model/sensorkind.h"
#include "spec/spec.h"

#include <limits.h>

// size that does not depend on parameters
static int plainSize(int type) {
  const int dim = type >= 0 && type <= mjSENS_USER ? cfi_sensorKinds[type].dim : 1;
  return dim > 0 ? dim : 1;
}

// bits of a data specification, each with its number of values
static int sumSizes(int bits, const int* size, int count) {
  CF_ASSERT(count > 0);
  int sum = 0;
  for (int i = 0; i < count; i++) {
    sum += bits & (1 << i) ? size[i] : 0;
  }
  return sum;
}

// product of sizes that are not negative, as large as an int can be
static int boundedProduct(int a, int b) {
  int product;
  return __builtin_mul_overflow(a, b, &product) ? INT_MAX : product;
}

static int rangefinderSize(const mjsSensor* sensor) {
  static const int size[mjNRAYDATA] = {
      [mjRAYDATA_DIST] = 1,  [mjRAYDATA_DIR] = 3,    [mjRAYDATA_ORIGIN] = 3,
      [mjRAYDATA_POINT] = 3, [mjRAYDATA_NORMAL] = 3, [mjRAYDATA_DEPTH] = 1};
  int rays = 1;
  if (sensor->objtype == mjOBJ_CAMERA) {
    cfSpec* spec = cfi_element(sensor->element)->spec;
    mjsCamera* camera =
        mjs_asCamera(mjs_findElement(&spec->pub, mjOBJ_CAMERA, cfi_text(sensor->objname)));
    rays = camera ? boundedProduct(camera->resolution[0], camera->resolution[1]) : 0;
  }
  return boundedProduct(rays, sumSizes(sensor->intprm[0], size, mjNRAYDATA));
}

static int contactSize(const mjsSensor* sensor) {
  static const int size[mjNCONDATA] = {
      [mjCONDATA_FOUND] = 1, [mjCONDATA_FORCE] = 3,  [mjCONDATA_TORQUE] = 3, [mjCONDATA_DIST] = 1,
      [mjCONDATA_POS] = 3,   [mjCONDATA_NORMAL] = 3, [mjCONDATA_TANGENT] = 3};
  return boundedProduct(sensor->intprm[2], sumSizes(sensor->intprm[0], size, mjNCONDATA));
}

// three values per vertex as far as the vertices are part of the specification
static int tactileSize(const mjsSensor* sensor) {
  cfSpec* spec = cfi_element(sensor->element)->spec;
  mjsMesh* mesh = mjs_asMesh(mjs_findElement(&spec->pub, mjOBJ_MESH, cfi_text(sensor->objname)));
  return mesh ? cfi_countFloats(mesh->uservert) : 0;
}

int mjs_sensorDim(const mjsSensor* sensor) {
  static int (*const own_size[])(const mjsSensor*) = {[mjSENS_CONTACT] = contactSize,
                                                      [mjSENS_RANGEFINDER] = rangefinderSize,
                                                      [mjSENS_TACTILE] = tactileSize};
  const size_t type = (size_t)sensor->type;
  if (type < sizeof(own_size) / sizeof(own_size[0]) && own_size[type]) {
    return own_size[type](sensor);
  }
  if (sensor->type == mjSENS_USER || sensor->type == mjSENS_PLUGIN) {
    return sensor->type == mjSENS_USER ? sensor->dim : 0;
  }
  return plainSize((int)sensor->type);
}
