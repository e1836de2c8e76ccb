// Functions that MuJoCo 3.5.0 exports without declaring them in its headers, kept for programs that
// use them.
#include <mujoco/mujoco.h>

#include "base/arena.h"

// the Python package of MuJoCo allocates contacts and constraint rows of copied data in the arena
MJAPI void* mj_arenaAllocByte(mjData* d, size_t bytes, size_t alignment);

void* mj_arenaAllocByte(mjData* d, size_t bytes, size_t alignment) {
  return cfi_arenaAlloc(d, bytes, alignment);
}
