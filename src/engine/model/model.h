// Life of mjModel: make, copy, delete.
#ifndef CF_MODEL_MODEL_H
#define CF_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

#include "model/extension.h"

// allocate a model whose size fields are those of `sizes`: arrays zeroed, options, visual settings
// and statistics at their defaults.  nbuffer and nnames_map are computed here.  Returns NULL with a
// warning when a size is negative or too large, NULL after mju_error when memory is short.
mjModel* cfi_newModel(const mjModel* sizes);

// check the size fields that decide array lengths; false with a text in message when one is wrong
bool cfi_checkSizes(const mjModel* sizes, char* message, size_t nmessage);

// number of slots in names_map: two for every object that can have a name
mjtSize cfi_nameMapSize(const mjModel* m);

// defaults that mujoco.h does not declare
void cfi_defaultStatistic(mjStatistic* stat);

#endif  // CF_MODEL_MODEL_H
