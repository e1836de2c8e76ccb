// Print the hash of each compiled model, as an MJB file would hold it, and of its state after a
// number of steps with reproducible controls; tests/web/bits.mjs does the same with the WebAssembly
// module.
//
//   web_sweep STEPS FILE... > hashes.txt        one line per file: name, hash of the model, hash of
//   the state
//
// With CF_OWN_LIBM=OFF it prints nothing and returns 77: the bits are those of the system's
// functions then.
#include <inttypes.h>
#include <setjmp.h>

#include "../determinism/scenes.h"

static jmp_buf escape;
static char reason[1000];

static void onError(const char* text) {
  snprintf(reason, sizeof(reason), "%s", text);
  longjmp(escape, 1);
}


static void onWarning(const char* text) {
  (void)text;
}


// FNV-1a
static uint64_t hashModel(const mjModel* m) {
  const int nbyte = (int)mj_sizeModel(m);
  unsigned char* bytes = malloc((size_t)nbyte);
  if (!bytes) {
    exit(1);
  }
  mj_saveModel(m, NULL, bytes, nbyte);
  uint64_t hash = 0xcbf29ce484222325u;
  for (int k = 0; k < nbyte; k++) {
    hash = (hash ^ bytes[k]) * 0x100000001b3u;
  }
  free(bytes);
  return hash;
}


static void sweep(const char* file, int steps) {
  char error[1000] = "";
  if (setjmp(escape)) {
    printf("%s error\n", file);
    return;
  }
  mjModel* m = mj_loadXML(file, NULL, error, sizeof(error));
  if (!m) {
    printf("%s refused\n", file);
    return;
  }
  printf("%s %016" PRIx64, file, hashModel(m));
  mjData* d = cf_startScene(m);
  cf_stepScene(m, d, 0, steps);
  printf(" %016" PRIx64 "\n", cf_stateHash(m, d));
  mj_deleteData(d);
  mj_deleteModel(m);
}


int main(int argc, char** argv) {
#ifdef CF_SYSTEM_LIBM
  return 77;
#endif
  mju_user_error = onError;
  mju_user_warning = onWarning;
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  for (int k = 2; k < argc; k++) {
    sweep(argv[k], steps);
  }
  return 0;
}
