// The two built-in sources of bytes: files, and copies of buffers.
#ifndef CF_BASE_BUFFER_H
#define CF_BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// whole contents of a regular file on the heap (mju_free), NULL with errno set when it cannot be
// read
char* cfi_readFile(const char* filename, size_t* nbyte);

// nanoseconds of a file's time that its timestamp, in seconds, leaves out; 0 for other resources
int64_t cfi_stampFraction(const mjResource* resource);

// provider that serves a copy of the bytes; unmounting frees it
const mjpResourceProvider* cfi_newBufferProvider(const void* bytes, size_t nbyte);
void cfi_freeBufferProvider(const mjpResourceProvider* provider);

#endif  // CF_BASE_BUFFER_H
