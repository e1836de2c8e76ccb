// Room for the contacts of one pair, behind the last contact in the arena.
#ifndef CF_COLLISION_NARROW_ROOM_H
#define CF_COLLISION_NARROW_ROOM_H

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/sanitize.h"

// give back what a collider did not use
static inline void cfi_trimContacts(mjData* d) {
  d->parena = (size_t)d->ncon * sizeof(mjContact);
  if (CF_ASAN && !d->threadpool) {
    CF_POISON((char*)d->arena + d->parena, (size_t)d->narena - d->pstack - d->parena);
  }
}


// room for the most contacts that any collider returns, or NULL
static inline mjContact* cfi_reserveContacts(mjData* d) {
  const size_t bytes = sizeof(mjContact) * mjMAXCONPAIR;
  if (CF_ASAN || d->threadpool) {
    return (mjContact*)cfi_arenaAlloc(d, bytes, _Alignof(mjContact));
  }

  // the same without the call: contacts lie one behind the other from the arena's start
  const size_t end = d->parena + bytes, use = end + d->pstack;
  if (use > (size_t)d->narena) {
    return NULL;
  }
  mjContact* con = (mjContact*)((char*)d->arena + d->parena);
  d->parena = end;
  if (d->maxuse_arena < (mjtSize)use) {
    d->maxuse_arena = (mjtSize)use;
  }
  return con;
}

#endif  // CF_COLLISION_NARROW_ROOM_H
