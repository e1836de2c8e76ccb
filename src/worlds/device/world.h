// One world on a device: its data in a block of bytes, its record in and out, its task.
#ifndef CF_DEVICE_WORLD_H
#define CF_DEVICE_WORLD_H

#include <stdbool.h>
#include <stddef.h>

#include "device/job.h"

// do the job for one world with `bytes` of memory at `block`, which is aligned to 128 bytes
void cfi_runWorld(const cfDeviceJob* job, char* block, size_t bytes, int world);

// the world that a thread has
static inline int cfi_worldAt(const cfDeviceJob* job, int index) {
  return job->order && job->task < CF_DEVICE_COUNT ? job->order[index] : index;
}

// the first place behind those of a launch
static inline int cfi_endOfPlaces(const cfDeviceJob* job) {
  const bool has_count = job->open_count && job->task != CF_DEVICE_GATHER;
  return has_count && *job->open_count < job->end ? *job->open_count : job->end;
}

// are blocks of the arena to have rounded sizes
int cfi_deviceRounds(void);

// end this world's task here; the text is told to the host
__attribute__((noreturn)) void cfi_deviceStop(const char* message);

#endif  // CF_DEVICE_WORLD_H
