// Kernels for NVIDIA GPUs: one thread per world.
//
// A world that fits lies in the thread's local memory, which the hardware interleaves: threads of a
// warp that read the same address of their world read neighbors in memory.  Worlds that need more
// lie in a pool in global memory.  It is one kernel: ptxas makes a copy of all functions for each.
#include "device/world.h"

#define CF_KERNEL __attribute__((nvptx_kernel))
#define CF_SHARED __attribute__((address_space(3)))

const cfDeviceLayout cfi_deviceLayout = CF_DEVICE_LAYOUT;

// the job of this block of threads, for errors
static const cfDeviceJob* CF_SHARED current_job;
static int CF_SHARED is_rounded;


static int indexHere(const cfDeviceJob* job) {
  return job->first + __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}


__attribute__((noinline, noreturn)) void cfi_deviceStop(const char* message) {
  const cfDeviceJob* job = current_job;
  job->status[cfi_worldAt(job, indexHere(job))].message = message;
  __asm__ volatile("exit;");
  __builtin_unreachable();
}


int cfi_deviceRounds(void) {
  return is_rounded;
}


CF_KERNEL void cf_world(const cfDeviceJob* job) {
  const int index = indexHere(job);
  current_job = job;
  is_rounded = job->is_rounded;
  if (index >= cfi_endOfPlaces(job)) {
    return;
  }
  const int world = cfi_worldAt(job, index);
  if (job->local_bytes) {
    cfi_runWorld(job, __builtin_alloca_with_align(job->local_bytes, 128 * 8), job->local_bytes,
                 world);
  } else {
    const uint64_t place = (uint64_t)(index - job->first);
    cfi_runWorld(job, job->pool + job->pool_bytes * place, job->pool_bytes, world);
  }
}
