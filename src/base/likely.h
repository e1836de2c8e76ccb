// What a step usually finds.  Most models use few of the features there are: a feature that is not
// there should cost a comparison, without registers saved for the work or a jump around it.
#ifndef CF_BASE_LIKELY_H
#define CF_BASE_LIKELY_H

#include <mujoco/mujoco.h>

// so are errors, and warnings in a step
void mju_error(const char* msg, ...) __attribute__((cold));
void mj_warning(mjData* d, int warning, int info) __attribute__((cold));

#define CF_OFTEN(condition) __builtin_expect(!!(condition), 1)
#define CF_SELDOM(condition) __builtin_expect(!!(condition), 0)

#endif  // CF_BASE_LIKELY_H
