// Life of mjData: make, copy, delete.
#ifndef CF_MODEL_DATA_H
#define CF_MODEL_DATA_H

#include <mujoco/mujoco.h>

#include "model/extension.h"

// allocate data for a model without plugin instances and with undefined contents
mjData* cfi_newRawData(const mjModel* m);

// forget the step results in the arena: row, island and contact arrays become NULL (contact points to
// the start of the arena) and their counts zero.  Contacts survive when keep_contacts is set.
void cfi_clearArenaArrays(mjData* d, int keep_contacts);

#endif  // CF_MODEL_DATA_H
