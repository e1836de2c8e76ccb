// Print the hash of the compiled model, as an MJB file would hold it, of each file that is named.
//
//   hash_models FILE... > hashes.txt
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cortenforge/cortenforge.h>


// FNV-1a
static uint64_t hashBytes(const unsigned char* bytes, int nbyte) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int k = 0; k < nbyte; k++) {
    hash = (hash ^ bytes[k]) * 0x100000001b3u;
  }
  return hash;
}


static uint64_t hashModel(const mjModel* m) {
  const int nbyte = (int)mj_sizeModel(m);
  unsigned char* bytes = malloc((size_t)nbyte);
  if (!bytes) {
    fprintf(stderr, "no memory for %d bytes\n", nbyte);
    exit(1);
  }
  mj_saveModel(m, NULL, bytes, nbyte);
  const uint64_t hash = hashBytes(bytes, nbyte);
  free(bytes);
  return hash;
}


int main(int argc, char** argv) {
  for (int k = 1; k < argc; k++) {
    char error[1000] = "";
    mjModel* m = mj_loadXML(argv[k], NULL, error, sizeof(error));
    printf("%s %016" PRIx64 "\n", argv[k], m ? hashModel(m) : 0);
    mj_deleteModel(m);
  }
  return 0;
}
