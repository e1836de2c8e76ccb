// Specification of the model that was loaded last.
#ifndef CF_MJCF_LAST_H
#define CF_MJCF_LAST_H

#include <mujoco/mujoco.h>

// hold it, NULL if there is none; must be followed by cfi_unlockLast
mjSpec* cfi_lockLast(void);
void cfi_unlockLast(void);

#endif  // CF_MJCF_LAST_H
