// Included before every source file that is compiled for a device (and for its twin on the CPU):
// errors end the world, warnings are counted and not printed, elementary functions are our own.
#ifndef CF_DEVICE_DEVICE_H
#define CF_DEVICE_DEVICE_H

#include <mujoco/mujoco.h>

#include "math/libm.h"

__attribute__((noreturn)) void cfi_deviceStop(const char* message);

// are blocks of the arena to have rounded sizes (base/arena.h)
int cfi_deviceRounds(void);

// the text of an error is its first argument, told with its formats
#define CF_DEVICE_FIRST(first, ...) first
#define mju_error(...) cfi_deviceStop(CF_DEVICE_FIRST(__VA_ARGS__, 0))
#define mju_warning(...) ((void)0)
#define _Thread_local

#endif  // CF_DEVICE_DEVICE_H
