// Life of mjData: make, copy, delete.
#include "model/data.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "model/layout.h"


// release the struct and what it holds, except plugin instances
static void releaseData(mjData* d) {
  if (d->buffer) {
    cfi_freeExtension(cfi_dataExtension(d));
  }
  mju_free(d->buffer);
  mju_free(d->arena);
  mju_free(d);
}


// give d its buffer and arena; false when memory is short
static bool allocateBlocks(const mjModel* m, mjData* d) {
  size_t bytes = cfi_extendedBytes(d->nbuffer);
  d->buffer = bytes ? cfi_tryMalloc(bytes) : NULL;
  if (d->buffer) {
    cfi_clearExtension(cfi_dataExtension(d));
  }
  d->narena = m->narena;
  d->arena = cfi_tryMalloc((size_t)d->narena);
  return d->buffer && d->arena;
}


mjData* cfi_newRawData(const mjModel* m) {
  mjtSize nbuffer;
  const char* name;
  if (!cfi_bufferBytes(&cfi_dataFields, m, &nbuffer, &name)) {
    mju_warning("Invalid data: %s too large.", name);
    return NULL;
  }
  mjData* d = cfi_tryMalloc(sizeof(mjData));
  if (!d) {
    mju_error("mj_makeData: could not allocate mjData");
    return NULL;
  }
  memset(d, 0, sizeof(mjData));
  d->nbuffer = nbuffer;
  if (!allocateBlocks(m, d)) {
    releaseData(d);
    mju_error("mj_makeData: could not allocate %lld bytes of buffer and %lld bytes of arena",
              (long long)nbuffer, (long long)m->narena);
    return NULL;
  }

  cfi_placeArrays(&cfi_dataFields, m, d, d->buffer);
  d->contact = d->arena;
  cfi_arenaReset(d);
  d->ntree_awake = (int)m->ntree;
  d->nbody_awake = d->nparent_awake = (int)m->nbody;
  d->nv_awake = (int)m->nv;
  return d;
}


mjData* mj_makeData(const mjModel* m) {
  mjData* d = cfi_newRawData(m);
  if (d) {
    mj_resetData(m, d);
  }
  return d;
}


void mj_deleteData(mjData* d) {
  if (d) {
    releaseData(d);
  }
}


void cfi_clearArenaArrays(mjData* d, int keep_contacts) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    if (cfi_fieldInArena(cfi_dataFields.field + k)) {
      cfi_setArray(cfi_dataFields.field + k, d, NULL);
    }
  }
  d->contact = d->arena;
  d->ncon = keep_contacts ? d->ncon : 0;
  d->parena = (size_t)d->ncon * sizeof(mjContact);
  d->ne = d->nf = d->nl = d->nefc = d->nJ = d->nA = 0;
  d->nisland = d->nidof = 0;
}
