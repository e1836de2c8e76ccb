// The two built-in sources of bytes: files, and copies of buffers.
#include "base/buffer.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/base64.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/vfs.h"

// timestamps are eight bytes in base 64: seconds of a file, hash of a buffer
static void writeStamp(mjResource* resource, uint64_t value) {
  uint8_t bytes[sizeof(value)];
  memcpy(bytes, &value, sizeof(value));
  mju_encodeBase64(resource->timestamp, bytes, sizeof(bytes));
}


static bool readStamp(const char* timestamp, uint64_t* value) {
  uint8_t bytes[sizeof(*value) + 2];
  if (mju_isValidBase64(timestamp) != sizeof(*value)) {
    return false;
  }
  mju_decodeBase64(bytes, timestamp);
  memcpy(value, bytes, sizeof(*value));
  return true;
}

//---------------------------------- files ---------------------------------------------------------

// read all bytes of an open file of known length; NULL when it is shorter
static char* readWholeFile(FILE* file, size_t nbyte) {
  CF_ASSERT(file != NULL);
  char* bytes = cfi_tryMalloc(nbyte + 1);
  if (!bytes) {
    errno = ENOMEM;
  } else if (fread(bytes, 1, nbyte, file) != nbyte) {
    errno = errno ? errno : EIO;
    mju_free(bytes);
    bytes = NULL;
  } else {
    bytes[nbyte] = 0;
  }
  return bytes;
}


char* cfi_readFile(const char* filename, size_t* nbyte) {
  CF_ASSERT(filename && nbyte);
  cfFileInfo info;
  errno = 0;
  FILE* file = cfi_fileOpen(filename, "rb");
  if (!file) {
    return NULL;
  }
  char* bytes = NULL;
  if (!cfi_fileInfoOf(file, &info)) {
    errno = errno ? errno : EIO;
  } else if (!info.is_regular) {
    errno = info.is_folder ? EISDIR : EINVAL;
  } else {
    *nbyte = (size_t)info.size;
    bytes = readWholeFile(file, *nbyte);
  }
  const int trouble = errno;
  fclose(file);
  errno = bytes ? 0 : trouble;
  return bytes;
}

// an open file; its contents are read when asked for
typedef struct {
  int64_t modified;  // seconds
  int64_t fraction;  // nanoseconds
  char* bytes;
  size_t nbyte;
} File;


static int openFile(mjResource* resource) {
  cfFileInfo info;
  File* file = cfi_fileInfo(resource->name, &info) ? cfi_tryMalloc(sizeof(File)) : NULL;
  if (!file) {
    return 0;
  }
  *file = (File){.modified = info.seconds, .fraction = info.nanoseconds};
  writeStamp(resource, (uint64_t)file->modified);
  resource->data = file;
  return 1;
}


static int readResourceFile(mjResource* resource, const void** buffer) {
  File* file = resource->data;
  if (!file->bytes) {
    file->bytes = cfi_readFile(resource->name, &file->nbyte);
  }
  *buffer = file->bytes;
  return file->bytes && file->nbyte <= INT_MAX ? (int)file->nbyte : -1;
}


static void closeFile(mjResource* resource) {
  File* file = resource->data;
  if (file) {
    mju_free(file->bytes);
    mju_free(file);
  }
  resource->data = NULL;
}


static int fileModified(const mjResource* resource, const char* timestamp) {
  uint64_t stamp;
  if (!readStamp(timestamp, &stamp)) {
    return 1;
  }
  const int64_t own = ((const File*)resource->data)->modified, other = (int64_t)stamp;
  return (own > other) - (own < other);
}

int64_t cfi_stampFraction(const mjResource* resource) {
  CF_ASSERT(resource != NULL);
  const bool is_file = resource->provider == &cfi_fileProvider && resource->data;
  return is_file ? ((const File*)resource->data)->fraction : 0;
}

const mjpResourceProvider cfi_fileProvider = {
    .open = openFile, .read = readResourceFile, .close = closeFile, .modified = fileModified};

//---------------------------------- buffers -------------------------------------------------------

// a provider with the bytes behind it
typedef struct {
  mjpResourceProvider provider;
  uint64_t hash;
  size_t nbyte;
  char bytes[];
} Buffer;


static const Buffer* bufferOf(const mjResource* resource) {
  return (const Buffer*)resource->provider;
}


static int openBuffer(mjResource* resource) {
  writeStamp(resource, bufferOf(resource)->hash);
  return 1;
}


static int readBuffer(mjResource* resource, const void** buffer) {
  *buffer = bufferOf(resource)->bytes;
  return (int)bufferOf(resource)->nbyte;
}


static void closeBuffer(mjResource* resource) {
  resource->data = NULL;
}


static int unmountBuffer(mjResource* resource) {
  cfi_freeBufferProvider(resource->provider);
  return 1;
}


static int bufferModified(const mjResource* resource, const char* timestamp) {
  uint64_t other;
  return !readStamp(timestamp, &other) || other != bufferOf(resource)->hash;
}


// FNV-1a
static uint64_t hashBytes(const unsigned char* bytes, size_t nbyte) {
  CF_ASSERT(bytes || !nbyte);
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t k = 0; k < nbyte; k++) {
    hash = (hash ^ bytes[k]) * 0x100000001b3u;
  }
  return hash;
}


const mjpResourceProvider* cfi_newBufferProvider(const void* bytes, size_t nbyte) {
  CF_ASSERT(bytes || !nbyte);
  Buffer* buffer = nbyte <= INT_MAX ? cfi_tryMalloc(sizeof(Buffer) + nbyte + 1) : NULL;
  if (!buffer) {
    return NULL;
  }
  *buffer = (Buffer){.provider = {.open = openBuffer,
                                  .read = readBuffer,
                                  .close = closeBuffer,
                                  .unmount = unmountBuffer,
                                  .modified = bufferModified},
                     .hash = hashBytes(bytes, nbyte),
                     .nbyte = nbyte};
  if (nbyte) {
    memcpy(buffer->bytes, bytes, nbyte);
  }
  buffer->bytes[nbyte] = 0;
  return &buffer->provider;
}


void cfi_freeBufferProvider(const mjpResourceProvider* provider) {
  mju_free((void*)(uintptr_t)provider);
}
