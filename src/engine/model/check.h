// Checks of a model that comes from outside: every index and address stays in its array.
#ifndef CF_MODEL_CHECK_H
#define CF_MODEL_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

// false with a text in message when something in the model points outside of its array
bool cfi_checkModel(const mjModel* m, char* message, size_t nmessage);

#endif  // CF_MODEL_CHECK_H
