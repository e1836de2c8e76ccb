// Table of rotations of frames in their bodies.
#include "model/localaxes.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/extension.h"

typedef struct {
  mjtSize count;
  bool inertia, geom, site, cam;  // worth comparing
  cfLocalAxes axes[];
} axesTable;


static size_t axesBytes(mjtSize count) {
  return sizeof(axesTable) + sizeof(cfLocalAxes) * (size_t)count;
}


static void* copyAxes(const void* content) {
  return cfi_tryCopy(content, axesBytes(((const axesTable*)content)->count));
}


static const cfExtensionClass axes_class = {
    .name = "local axes", .copy = copyAxes, .free = mju_free};


static mjtSize frameCount(const mjModel* m) {
  return m->nbody + m->ngeom + m->nsite + m->ncam;
}


// a quarter of these frames, at least, coincides with no other in its axes
static bool isWorthKeeping(const mjtByte* sameframe, mjtSize n) {
  mjtSize own = 0;
  for (mjtSize k = 0; k < n; k++) {
    own += sameframe[k] == mjSAMEFRAME_NONE;
  }
  return own > 0 && 4 * own >= n;
}


void cfi_prepareLocalFrames(const mjModel* m, mjData* d) {
  cfExtensionSlot* slot = cfi_dataExtension(d)->slot + CF_EXTENSION_FRAMES;
  CF_ASSERT(!slot->content);
  const axesTable head = {.count = frameCount(m),
                          .inertia = isWorthKeeping(m->body_sameframe, m->nbody),
                          .geom = isWorthKeeping(m->geom_sameframe, m->ngeom),
                          .site = isWorthKeeping(m->site_sameframe, m->nsite),
                          .cam = m->ncam > 0};
  const bool is_any = head.inertia || head.geom || head.site || head.cam;
  axesTable* table = is_any ? cfi_tryMalloc(axesBytes(head.count)) : NULL;
  if (table) {
    memset(table, 0, axesBytes(head.count));  // the matrix of (0,0,0,0) is zero
    *table = head;
    *slot = (cfExtensionSlot){&axes_class, table};
  }
}


void cfi_makeLocalAxes(cfLocalAxes* axes, const mjtNum quat[4]) {
  mjtNum mat[9];
  cfi_turnMat(mat, quat);
  for (int r = 0; r < 3; r++) {
    cfi_copy3(axes->row[r], mat + 3 * r);
  }
  cfi_copy4(axes->quat, quat);
}


// n entries for n quaternions; NULL: they are not worth it
static inline const cfLocalAxes* keepAxes(cfLocalAxes* axes, const mjtNum* quat, mjtSize n,
                                          bool is_worth) {
  CF_ASSERT(n >= 0);
  if (!is_worth) {
    return NULL;
  }
  for (mjtSize k = 0; k < n; k++) {
    if (__builtin_expect(!cfi_laneSame(axes[k].quat, quat + 4 * k), 0)) {
      cfi_makeLocalAxes(axes + k, quat + 4 * k);
    }
  }
  return axes;
}


// NULL: none, or of a model with other frames
static axesTable* tableOf(const mjModel* m, mjData* d) {
  axesTable* table = cfi_dataExtension(d)->slot[CF_EXTENSION_FRAMES].content;
  return table && table->count == frameCount(m) ? table : NULL;
}


cfLocalFrames cfi_localFrames(const mjModel* m, mjData* d) {
  axesTable* table = tableOf(m, d);
  if (!table) {
    return (cfLocalFrames){NULL, NULL, NULL};
  }
  cfLocalAxes *geom = table->axes + m->nbody, *site = geom + m->ngeom;
  return (cfLocalFrames){keepAxes(table->axes, m->body_iquat, m->nbody, table->inertia),
                         keepAxes(geom, m->geom_quat, m->ngeom, table->geom),
                         keepAxes(site, m->site_quat, m->nsite, table->site)};
}


const cfLocalAxes* cfi_localCameras(const mjModel* m, mjData* d) {
  axesTable* table = tableOf(m, d);
  return table ? keepAxes(table->axes + (table->count - m->ncam), m->cam_quat, m->ncam, table->cam)
               : NULL;
}
