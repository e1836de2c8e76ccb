// Print the state hash of every scene after a number of steps (500 if not given), and that of libm.
//
//   hash_scenes [STEPS [FOLDER_OF_MODELS]] > hashes.txt
#include <inttypes.h>

#include "scenes.h"

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 500;
  cf_modelFolder = argc > 2 ? argv[2] : cf_modelFolder;
  printf("libm %016" PRIx64 "\n", cf_libmHash());
  for (int k = 0; k < CF_NSCENE; k++) {
    mjModel* m = cf_loadScene(cf_scenes + k);
    mjData* d = cf_startScene(m);
    cf_stepScene(m, d, 0, steps);
    printf("%s %016" PRIx64 "\n", cf_scenes[k].name, cf_stateHash(m, d));
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  return 0;
}
