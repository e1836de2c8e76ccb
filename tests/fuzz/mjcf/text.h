// What the targets of model texts share.
#ifndef CF_FUZZ_TEXT_H
#define CF_FUZZ_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// handler of warnings: the last one is kept
void cf_noteWarning(const char* message);

// cut sizes to what takes little time and memory
void cf_limitSpec(mjSpec* spec);

// compile a specification whose sizes are cut to what takes little time and memory; the model must
// be accepted as a binary, and is stepped if choice says so
void cf_compileLimited(mjSpec* spec, unsigned choice);

// change a text in place, up to max bytes; the new length, 0 when nothing could be done.  MJCF by
// its grammar: attributes and elements come, go, change and move; URDF by pieces that belong into a
// robot
size_t cf_mutateMjcf(uint8_t* data, size_t size, size_t max, unsigned seed);
size_t cf_mutateUrdf(uint8_t* data, size_t size, size_t max, unsigned seed);

#endif  // CF_FUZZ_TEXT_H
