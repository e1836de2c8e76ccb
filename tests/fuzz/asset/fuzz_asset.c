// Fuzz target: skins and height fields, always through the compilation of a whole model.
#include <string.h>

#include "asset.h"
#include "roll.h"


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) {
    cf_compileWhole(CF_FUZZ_FORMAT, data, size, cf_hashBytes(data, size));
  }
  return 0;
}


// mostly mutations that know the format, sometimes plain ones
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = 0;
  if (seed % 8) {
    changed = (strcmp(CF_FUZZ_FORMAT, "skn") ? cf_mutateHfield : cf_mutateSkn)(data, size, max_size,
                                                                               seed);
  }
  return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
