// The private block behind the buffer of a model or a data.
#include "model/extension.h"

#include <stdint.h>

#include "base/assert.h"

enum { EXTENSION_ALIGNMENT = 64 };


// offset of the block: the first aligned byte behind the buffer
static size_t blockOffset(mjtSize nbuffer) {
  return ((size_t)nbuffer + EXTENSION_ALIGNMENT - 1) / EXTENSION_ALIGNMENT * EXTENSION_ALIGNMENT;
}


size_t cfi_extendedBytes(mjtSize nbuffer) {
  CF_ASSERT(nbuffer >= 0);
  if (nbuffer < 0 || nbuffer > PTRDIFF_MAX - EXTENSION_ALIGNMENT - (mjtSize)sizeof(cfExtension)) {
    return 0;
  }
  return blockOffset(nbuffer) + sizeof(cfExtension);
}


cfExtension* cfi_modelExtension(const mjModel* m) {
  CF_ASSERT(m->buffer && m->nbuffer >= 0);
  return (cfExtension*)((char*)m->buffer + blockOffset(m->nbuffer));
}


cfExtension* cfi_dataExtension(const mjData* d) {
  CF_ASSERT(d->buffer && d->nbuffer >= 0);
  return (cfExtension*)((char*)d->buffer + blockOffset(d->nbuffer));
}


bool cfi_unpackEntries(const cfExtensionClass* kind, mjModel* m, const char* bytes, size_t nbyte,
                       char* reason, size_t nreason) {
  CF_ASSERT(kind->unpackEntry && (bytes || !nbyte));
  int last = -1;
  for (size_t at = 0; at < nbyte;) {
    const size_t taken = kind->unpackEntry(m, &last, bytes + at, nbyte - at, reason, nreason);
    if (taken == 0) {
      return false;
    }
    CF_ASSERT(taken <= nbyte - at);
    at += taken;
  }
  return true;
}


void cfi_clearExtension(cfExtension* extension) {
  *extension = (cfExtension){0};
}


void cfi_copyExtension(cfExtension* dest, const cfExtension* src) {
  dest->drift_end = src->drift_end;
  dest->stiff_free = src->stiff_free;
  for (int k = 0; k < CF_NEXTENSION; k++) {
    const cfExtensionSlot* from = src->slot + k;
    CF_ASSERT(!from->content || (from->kind && from->kind->copy && from->kind->free));
    void* content = from->kind && from->content ? from->kind->copy(from->content) : NULL;
    dest->slot[k] = (cfExtensionSlot){content ? from->kind : NULL, content};
  }
}


void cfi_freeExtension(cfExtension* extension) {
  for (int k = 0; k < CF_NEXTENSION; k++) {
    cfExtensionSlot* slot = extension->slot + k;
    if (slot->kind && slot->content) {
      slot->kind->free(slot->content);
    }
  }
  cfi_clearExtension(extension);
}
