// Unpacking of zlib streams whose unpacked size is known.
#ifndef CF_COMPILE_INFLATE_H
#define CF_COMPILE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

// unpack; true when the stream is well formed, gives exactly `nout` bytes and its checksum is right
bool cfi_inflate(const unsigned char* in, size_t nin, unsigned char* out, size_t nout);

#endif  // CF_COMPILE_INFLATE_H
