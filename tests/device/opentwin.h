// The device that is a CPU: opened once, for the tests of both tiers.
#ifndef CF_OPENTWIN_H
#define CF_OPENTWIN_H

#include <dlfcn.h>
#include <unistd.h>

#include "batch/kernelsources.h"
#include "cf_test.h"

static int* runs;                   // worlds that ran on the twin
static const int32_t** twin_order;  // worlds in the order of the last launch
static const char* twin_image;      // the beginning of the last image that was loaded


// a file that looks like kernels of the base tier, for this device and as PTX, and of the fast tier
__attribute__((unused)) static void writeKernels(int file, uint64_t sources, int with_fast) {
  const int64_t count = with_fast ? 3 : 2, place = 24 + 24 * count;
  const int64_t head[] = {
      0x4c454e52454b4643, count, (int64_t)sources, 90, place, 8, 0, place + 8, 8, 1000,
      place + 8,          8};
  const ssize_t bytes = (ssize_t)place;
  CF_TRUE(write(file, head, (size_t)bytes) == bytes && write(file, "machine kernels", 16) == 16);
}


// the driver and a file that looks like kernels of the base tier, and of the fast one too
__attribute__((unused)) static void openTwin(int with_fast) {
  if (runs) {
    return;
  }
  static char path[] = "/tmp/cortenforge.kernels.XXXXXX";
  const int file = mkstemp(path);
  CF_TRUE(file >= 0);
  writeKernels(file, cfi_kernelSources, with_fast);
  close(file);
  setenv("CORTENFORGE_CUDA_DRIVER", CF_TWIN_FILE, 1);
  setenv("CORTENFORGE_KERNELS", path, 1);
  void* library = dlopen(CF_TWIN_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    CF_FAIL("%s\n", dlerror());
  }
  runs = dlsym(library, "cf_twinRuns");
  twin_order = dlsym(library, "cf_twinOrder");
  twin_image = dlsym(library, "cf_twinImage");
}

#endif  // CF_OPENTWIN_H
