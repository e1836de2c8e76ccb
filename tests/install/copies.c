// The shared library opened several times over, as by programs that compare builds or whose other
// libraries want thread-local memory too.
//
//   copies LIBRARY.so
//
// Room for thread-local memory of libraries that are opened late is small and shared by all of them
// (glibc: some 1,600 bytes unless a tunable says otherwise): one that takes most of it cannot be
// opened beside others of that kind
// ("cannot allocate memory in static TLS block").
#include <dlfcn.h>
#include <stdio.h>

#include <mujoco/mujoco.h>

enum { COPIES = 3 };


int main(int argc, char** argv) {
  for (int k = 0; argc == 2 && k < COPIES; k++) {
    void* library = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      printf("copy %d of %d: %s\n", k + 1, COPIES, dlerror());
      return 1;
    }
    int (*version)(void) = NULL;
    *(void**)&version = dlsym(library, "mj_version");
    if (!version || version() != mjVERSION_HEADER) {
      printf("copy %d of %d: mj_version is wrong\n", k + 1, COPIES);
      return 1;
    }
  }
  printf("%d copies side by side\n", COPIES);
  return argc == 2 ? 0 : 2;
}
