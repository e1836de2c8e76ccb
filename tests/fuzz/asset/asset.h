// What the targets of asset files share.
#ifndef CF_FUZZ_ASSET_H
#define CF_FUZZ_ASSET_H

#include <stddef.h>
#include <stdint.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// compile a model whose only asset is the file; what compiles must be accepted as a binary model.
// choice says how the asset is used.
void cf_compileWhole(const char* format, const uint8_t* data, size_t size, unsigned choice);

// change a file of one format in place, up to max bytes, mostly so that its parts still fit
// together; the new length, 0 when plain mutation should do it
size_t cf_mutateObj(uint8_t* data, size_t size, size_t max, unsigned seed);
size_t cf_mutateStl(uint8_t* data, size_t size, size_t max, unsigned seed);
size_t cf_mutateMsh(uint8_t* data, size_t size, size_t max, unsigned seed);
size_t cf_mutateSkn(uint8_t* data, size_t size, size_t max, unsigned seed);
size_t cf_mutateHfield(uint8_t* data, size_t size, size_t max, unsigned seed);
size_t cf_mutatePng(uint8_t* data, size_t size, size_t max, unsigned seed);

#endif  // CF_FUZZ_ASSET_H
