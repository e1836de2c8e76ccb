// One world on a device: its data in a block of bytes, its record in and out, its task.
#ifndef CF_DEVICE_WORLD_H
#define CF_DEVICE_WORLD_H

#include <stddef.h>

#include "device/job.h"

// do the job for one world with `bytes` of memory at `block`, which is aligned to 128 bytes
void cfi_runWorld(const cfDeviceJob* job, char* block, size_t bytes, int world);

// the world that a thread has
static inline int cfi_worldAt(const cfDeviceJob* job, int index) {
  return job->order && job->task < CF_DEVICE_COUNT ? job->order[index] : index;
}

// are blocks of the arena to have rounded sizes
int cfi_deviceRounds(void);

// end this world's task here; the text is told to the host
__attribute__((noreturn)) void cfi_deviceStop(const char* message);

#endif  // CF_DEVICE_WORLD_H
