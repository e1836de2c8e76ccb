// Fuzz target: skins and height fields, always through the compilation of a whole model.
#include "asset.h"


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) {
    cf_compileWhole(CF_FUZZ_FORMAT, data, size, (unsigned)size);
  }
  return 0;
}
