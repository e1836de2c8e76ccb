// Room for the contacts of one pair, behind the last contact in the arena.
#ifndef CF_COLLISION_NARROW_ROOM_H
#define CF_COLLISION_NARROW_ROOM_H

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/likely.h"
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
  const size_t bytes = sizeof(mjContact) * mjMAXCONPAIR, end = d->parena + bytes;
  const size_t limit = CF_SELDOM(d->threadpool) ? cfi_sharedEnd(d) : (size_t)d->narena - d->pstack;
  if (CF_ASAN || CF_SELDOM(end > limit)) {
    return (mjContact*)cfi_arenaAlloc(d, bytes, _Alignof(mjContact));
  }

  // the same without the call: contacts lie one behind the other from the arena's start
  mjContact* con = (mjContact*)((char*)d->arena + d->parena);
  d->parena = end;
  const mjtSize use = (mjtSize)(end + d->pstack);
  if (d->maxuse_arena < use) {
    d->maxuse_arena = use;
  }
  return con;
}

#endif  // CF_COLLISION_NARROW_ROOM_H
