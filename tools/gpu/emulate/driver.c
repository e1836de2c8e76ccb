// A CUDA driver whose device is the optimized code of the base tier's kernels on this CPU.
//
// The twin of tests/device, with the kernel itself in the place of the code that is compiled anew.
#define CF_TWIN_RUN(job, block, bytes, world, place) runKernel(job, place)
#include "device/job.h"

static void runKernel(const cfDeviceJob* job, int place);

#include "../../../tests/device/driver.c"

// the fast tier is not here
const cfTeamTier cfi_teamDouble, cfi_teamSingle;

void cf_world(const cfDeviceJob* job);

static int thread_index;

int cf_emulated_tid(void);
int cf_emulated_ntid(void);
int cf_emulated_ctaid(void);
void cf_emulated_exit(void);


int cf_emulated_tid(void) {
  return thread_index;
}


int cf_emulated_ntid(void) {
  return 1;
}


int cf_emulated_ctaid(void) {
  return 0;
}


void cf_emulated_exit(void) {
  longjmp(way_out, 1);
}


// one thread; the kernel finds out by itself which world it has, and where that lies
static void runKernel(const cfDeviceJob* job, int place) {
  thread_index = place;
  cf_world(job);
}
