#include "constraint/bodycontacts.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"

// from the last contact to the first, each in front of those that are listed
bool cfi_listBodyContacts(cfBodyContacts* list, const mjModel* m, mjData* d) {
  const size_t nbody = (size_t)m->nbody, bytes = sizeof(int) * (nbody + 2 * (size_t)d->ncon);
  if (!cfi_stackFits(d, bytes, sizeof(int))) {
    return false;
  }
  list->first = mj_stackAllocByte(d, bytes, sizeof(int));
  list->next = list->first + nbody;
  memset(list->first, -1, sizeof(int) * nbody);
  for (int side = 2 * d->ncon - 1; side >= 0; side--) {
    const int geom = d->contact[side >> 1].geom[side & 1];
    CF_ASSERT(geom < m->ngeom);
    if (geom >= 0) {
      int* first = list->first + m->geom_bodyid[geom];
      list->next[side] = *first;
      *first = side;
    }
  }
  return true;
}
