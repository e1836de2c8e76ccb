// Life of mjData: make, copy, delete.
#ifndef CF_MODEL_DATA_H
#define CF_MODEL_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

#include "model/extension.h"

// forget the constraint rows and islands in the arena: their arrays become NULL, nefc and nisland
// zero. Contacts stay and lose their row addresses.
void cfi_clearEfc(mjData* d);

// the same, and all counts zero with the arena given back; contacts survive when keep_contacts is
// set
void cfi_clearArenaArrays(mjData* d, int keep_contacts);

// mj_makeData for those who catch errors: *made is the data also while it is being made, so that
// it can be deleted when a plugin raises an error.  Without instances of plugins for what a model
// must know before they can start.  False leaves *made NULL
bool cfi_makeDataInto(const mjModel* m, bool with_plugins, mjData** made);

// steps since the data was reset that met bad numbers
static inline int cfi_badNumbers(const mjData* d) {
  return d->warning[mjWARN_BADQPOS].number + d->warning[mjWARN_BADQVEL].number +
         d->warning[mjWARN_BADQACC].number;
}

// state and inputs of a reset, all trees awake; what follows from them is not
void cfi_initInputs(const mjModel* m, mjData* d);

// mj_resetData with its failure in words; false leaves d reset as far as possible
bool cfi_resetData(const mjModel* m, mjData* d, unsigned char debug_value, char* message,
                   size_t nmessage);

#endif  // CF_MODEL_DATA_H
