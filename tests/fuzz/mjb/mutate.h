// Mutations of binary models that keep header, sizes and arrays consistent with each other.
#ifndef CF_FUZZ_MUTATE_H
#define CF_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

// change bytes[0..nbyte) in place, up to max bytes; returns the new length, 0 when nothing could be
// done
size_t cf_mutateModel(uint8_t* bytes, size_t nbyte, size_t max, unsigned seed);

#endif  // CF_FUZZ_MUTATE_H
