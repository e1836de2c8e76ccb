// Pins of a flexcomp: points that belong to the body itself, given by number or grid coordinates.
#include "mjcf/flexcomp.h"

#include <string.h>

#include "base/assert.h"

// numbers of one attribute of all pin elements, one after another
static void gatherPins(cfFlexcomp* f, const char* attribute, cfVec* all) {
  for (const cfNode* pin = cfi_firstChild(f->node, "pin"); pin; pin = cfi_nextSibling(pin, "pin")) {
    cfVec some = {NULL, NULL, NULL};
    const int count = cfi_readVector(f->r, pin, attribute, &some, HOW_INTS);
    if (count > 0) {
      memcpy(cfi_growVec(all, (size_t)count, sizeof(int)), some.begin, (size_t)count * sizeof(int));
    }
    cfi_freeMember(&some, CF_MEMBER_INTVEC);
  }
}

// how many numbers all pin elements have in one attribute
static int countPins(cfFlexcomp* f, const char* attribute) {
  cfVec all = {NULL, NULL, NULL};
  gatherPins(f, attribute, &all);
  const int count = cfi_countInts(&all);
  cfi_freeMember(&all, CF_MEMBER_INTVEC);
  return count;
}

bool cfi_checkPinSizes(cfFlexcomp* f) {
  const int dim = f->flex->dim, errors = f->r->report->nerror;
  const int nrange = countPins(f, "range"), ngrid = countPins(f, "grid"),
            ngridrange = countPins(f, "gridrange");
  if (f->r->report->nerror > errors) {
    return cfi_badFlexcomp(f, "pins cannot be read");
  }
  if (nrange % 2) {
    return cfi_badFlexcomp(f, "Pin range number must be multiple of 2");
  }
  if (ngrid % dim) {
    return cfi_badFlexcomp(f, "Pin grid number must be multiple of dim");
  }
  if (ngridrange % (2 * dim)) {
    return cfi_badFlexcomp(f, "Pin grid range number of must be multiple of 2*dim");
  }
  if (ngrid + ngridrange == 0) {
    return true;
  }
  if (f->type != CF_FLEXCOMP_GRID && !cfi_isInterpolated(f)) {
    return cfi_badFlexcomp(f, "Pin grid(range) can only be used with grid or interpolated");
  }
  if (dim == 1) {
    return cfi_badFlexcomp(f, "Pin grid(range) cannot be used with dim=1");
  }
  return true;
}

//---------------------------------- setting -------------------------------------------------------

static bool pinIds(cfFlexcomp* f, const cfVec* id) {
  for (int i = 0; i < cfi_countInts(id); i++) {
    const int at = cfi_ints(id)[i];
    if (at < 0 || at >= cfi_flexPoints(f)) {
      return cfi_badFlexcomp(f, "pinid out of range");
    }
    cfi_bytes(&f->pinned)[at] = 1;
  }
  return true;
}

static bool pinRanges(cfFlexcomp* f, const cfVec* range) {
  const int npoint = cfi_flexPoints(f);
  for (int i = 0; i + 1 < cfi_countInts(range); i += 2) {
    const int first = cfi_ints(range)[i], last = cfi_ints(range)[i + 1];
    if (first < 0 || first >= npoint || last < 0 || last >= npoint) {
      return cfi_badFlexcomp(f, "pinrange out of range");
    }
    if (first <= last) {
      memset(cfi_bytes(&f->pinned) + first, 1, (size_t)(last - first) + 1);
    }
  }
  return true;
}

// one place of the grid; false where there is no such point
static bool pinPlace(cfFlexcomp* f, const int at[3]) {
  double id = (double)at[0] * f->count[1] + at[1];
  if (f->flex->dim == 3) {
    id = id * f->count[2] + at[2];
  }
  if (id >= cfi_countBytes(&f->pinned)) {
    return false;
  }
  cfi_bytes(&f->pinned)[(size_t)id] = 1;
  return true;
}

// all places between two corners
static bool pinBlock(cfFlexcomp* f, const int low[3], const int high[3]) {
  int at[3];
  for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++) {
      for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
        if (!pinPlace(f, at)) {
          return false;
        }
      }
    }
  }
  return true;
}

// coordinates within the grid of points, or of nodes where points are not on a grid
static bool pinGrid(cfFlexcomp* f, const cfVec* grid) {
  const int dim = f->flex->dim, nodes = f->type == CF_FLEXCOMP_GRID ? 0 : cfi_nodesPerAxis(f);
  for (int i = 0; i < cfi_countInts(grid); i += dim) {
    int at[3] = {0, 0, 0};
    bool is_inside = true;
    for (int k = 0; k < dim; k++) {
      at[k] = cfi_ints(grid)[i + k];
      is_inside = is_inside && at[k] >= 0 && at[k] < (nodes ? nodes : f->count[k]);
    }
    if (!is_inside || !pinPlace(f, at)) {
      return cfi_badFlexcomp(f, "pingrid out of range");
    }
  }
  return true;
}

static bool pinGridRanges(cfFlexcomp* f, const cfVec* range) {
  const int dim = f->flex->dim;
  for (int i = 0; i < cfi_countInts(range); i += 2 * dim) {
    int corner[2][3] = {{0, 0, 0}, {0, 0, 0}};
    bool is_inside = true;
    for (int k = 0; k < 2 * dim; k++) {
      const int at = cfi_ints(range)[i + k];
      corner[k / dim][k % dim] = at;
      is_inside = is_inside && at >= 0 && at < f->count[k % dim];
    }
    if (!is_inside || !pinBlock(f, corner[0], corner[1])) {
      return cfi_badFlexcomp(f, "pingridrange out of range");
    }
  }
  return true;
}

// every point pinned: nothing moves; none: all points move with bodies of their own
static void sortPinned(cfFlexcomp* f) {
  const int npoint = cfi_flexPoints(f);
  int pins = 0;
  for (int i = 0; i < npoint; i++) {
    pins += cfi_bytes(&f->pinned)[i];
  }
  f->is_rigid = pins == npoint;
  f->is_centered = pins == 0;
}

bool cfi_pinPoints(cfFlexcomp* f) {
  static const struct {
    const char* attribute;
    bool (*pin)(cfFlexcomp* f, const cfVec* numbers);
  } kinds[] = {
      {"id", pinIds}, {"range", pinRanges}, {"grid", pinGrid}, {"gridrange", pinGridRanges}};
  const int npoint = cfi_flexPoints(f), nodes = cfi_nodesPerAxis(f), nnode = nodes * nodes * nodes;
  cfi_assignVec(&f->pinned, NULL, (size_t)(npoint > nnode ? npoint : nnode), 1);
  if (f->is_rigid) {
    memset(f->pinned.begin, 1, cfi_vecCount(&f->pinned, 1));
    return true;
  }
  for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
    cfVec numbers = {NULL, NULL, NULL};
    gatherPins(f, kinds[k].attribute, &numbers);
    const bool is_good = kinds[k].pin(f, &numbers);
    cfi_freeMember(&numbers, CF_MEMBER_INTVEC);
    if (!is_good) {
      return false;
    }
  }

  // the center of a radial body never moves
  if (f->dof == CF_FLEXDOF_RADIAL) {
    cfi_bytes(&f->pinned)[0] = 1;
  }
  sortPinned(f);
  return true;
}
