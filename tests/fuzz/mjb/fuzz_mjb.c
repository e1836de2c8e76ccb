// Fuzz target: bytes -> model -> data -> steps -> text and bytes again.
//
// A model that is accepted has to survive everything, except that the library may raise mju_error.
// The allocator is hooked: whatever is still allocated after a run without error is a leak.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { BLOCK_MAX = 4096, ARENA_BYTES = 1 << 21, WORK_MAX = 400 };

static jmp_buf on_error;
static void* blocks[BLOCK_MAX];
static int nblock;


static void* trackMalloc(size_t size) {
  if (nblock == BLOCK_MAX || size > (size_t)1 << 28) {
    return NULL;
  }
  void* block = aligned_alloc(64, (size + 64) / 64 * 64);
  blocks[nblock++] = block;
  return block;
}


static void trackFree(void* block) {
  for (int k = nblock - 1; k >= 0; k--) {
    if (blocks[k] == block) {
      blocks[k] = blocks[--nblock];
      free(block);
      return;
    }
  }
  abort();
}


static void errorJump(const char* text) {
  (void)text;
  longjmp(on_error, 1);
}


static void ignore(const char* text) {
  (void)text;
}


// keep a single run short: iterations and sizes that are legal but take minutes
static int isAffordable(mjModel* m) {
  int* counts[] = {&m->opt.iterations,     &m->opt.ls_iterations,  &m->opt.noslip_iterations,
                   &m->opt.ccd_iterations, &m->opt.sdf_iterations, &m->opt.sdf_initpoints};
  for (int k = 0; k < 6; k++) {
    *counts[k] = *counts[k] > 20 ? 20 : *counts[k];
  }
  m->narena = m->narena > ARENA_BYTES ? ARENA_BYTES : m->narena;
  return m->nv <= WORK_MAX && m->nbody <= WORK_MAX && m->ngeom <= WORK_MAX &&
         m->nsensordata < 100000 && m->nhistory < 100000 && m->nuserdata < 100000 &&
         m->nu < WORK_MAX && m->ntendon < WORK_MAX;
}


static void run(mjModel* m, unsigned hash) {
  mjData* d = mj_makeData(m);
  if (m->nkey) {
    mj_resetDataKeyframe(m, d, (int)(hash % (unsigned)m->nkey));
  }
  for (int k = 0; k < 2; k++) {
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = (double)((hash >> (u % 24)) & 7) / 4 - 1;
    }
    mj_step(m, d);
  }
  mjData* copy = mj_copyData(NULL, m, d);
  if (hash % 64 == 0) {
    mj_forward(m, d);
    mj_printModel(m, "/dev/null");
    mj_printData(m, copy, "/dev/null");
  }
  mj_deleteData(copy);
  mj_deleteData(d);
}


static void saveAgain(const mjModel* m, size_t size) {
  int nbyte = (int)mj_sizeModel(m);
  if ((size_t)nbyte != size) {
    abort();
  }
  void* bytes = mju_malloc(size);
  mj_saveModel(m, NULL, bytes, nbyte);
  mju_free(bytes);
}


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mju_user_malloc = trackMalloc;
  mju_user_free = trackFree;
  mju_user_warning = ignore;
  mju_user_error = errorJump;
  nblock = 0;
  unsigned hash = 2166136261u;
  for (size_t k = 0; k < size; k += 1 + size / 512) {
    hash = (hash ^ data[k]) * 16777619u;
  }
  if (!setjmp(on_error)) {
    mjModel* m = mj_loadModelBuffer(data, (int)size);
    if (m) {
      saveAgain(m, size);
      if (isAffordable(m)) {
        run(m, hash);
      }
      mj_deleteModel(m);
    }
    if (nblock) {
      abort();
    }
  }
  while (nblock) {
    free(blocks[--nblock]);
  }
  return 0;
}


// mostly mutations that know the format, sometimes plain ones
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = seed % 8 ? cf_mutateModel(data, size, max_size, seed) : 0;
  return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
