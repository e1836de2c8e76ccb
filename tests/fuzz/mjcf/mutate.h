// Mutations of MJCF text that follow the grammar.
#ifndef CF_FUZZ_MJCF_MUTATE_H
#define CF_FUZZ_MJCF_MUTATE_H

#include <stddef.h>
#include <stdint.h>

// change a text in place, up to max bytes: attributes and elements that the grammar knows come, go, change and move;
// the new length, 0 when nothing could be done
size_t cf_mutateMjcf(uint8_t* data, size_t size, size_t max, unsigned seed);

#endif  // CF_FUZZ_MJCF_MUTATE_H
