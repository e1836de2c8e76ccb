// The device that is a CPU: opened once, for the tests of both tiers.
#ifndef CF_OPENTWIN_H
#define CF_OPENTWIN_H

#include <dlfcn.h>
#include <unistd.h>

#include "cf_test.h"

static int *uses_system, *runs;  // of the twin: system's functions or our own; worlds that ran


// the driver and a file that looks like kernels of the base tier, and of the fast one too
__attribute__((unused)) static void openTwin(int with_fast) {
  if (runs) {
    return;
  }
  static char path[] = "/tmp/cortenforge.kernels.XXXXXX";
  const int file = mkstemp(path);
  const int64_t count = with_fast ? 2 : 1, place = 16 + 24 * count;
  const int64_t head[8] = {0x4c454e52454b4643, count, 0, place, 8, 1000, place, 8};
  const ssize_t bytes = (ssize_t)place;
  CF_TRUE(file >= 0 && write(file, head, (size_t)bytes) == bytes && write(file, "kernels", 8) == 8);
  close(file);
  setenv("CORTENFORGE_CUDA_DRIVER", CF_TWIN_FILE, 1);
  setenv("CORTENFORGE_KERNELS", path, 1);
  void* library = dlopen(CF_TWIN_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    CF_FAIL("%s\n", dlerror());
  }
  uses_system = dlsym(library, "cf_twinUsesSystem");
  runs = dlsym(library, "cf_twinRuns");
  *uses_system = 1;
}

#endif  // CF_OPENTWIN_H
