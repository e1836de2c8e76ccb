// Files of assets: finding them, their content type, and reading their bytes within bounds.
#ifndef CF_COMPILE_ASSETFILE_H
#define CF_COMPILE_ASSETFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "compile/draft.h"

// contents of a file; memory from a pool
typedef struct {
  const char* name;  // full name, for messages
  const unsigned char* data;
  size_t size;
  bool is_product;  // the data is what was made from the file before, shared: not to be changed
  const char* key;  // name under which a product is kept, NULL when it is not
  const char* timestamp;  // of the file
} cfFile;

// a file that an element refers to, in a folder of the model
typedef struct {
  const cfPart* part;
  const void* folder;  // string
  const char* name;
  const char*
      options;  // everything but the file that shapes the product; NULL: products are not kept
} cfFileRequest;

// what is left to read
typedef struct {
  const unsigned char* at;
  size_t left;
} cfCursor;

// one file on its way into arrays; the message is set where reading fails
typedef struct {
  cfPool* pool;
  cfFile file;
  char error[400];
} cfFileReader;

// read a file, or get what was made from it before; fails when it cannot be opened
cfFile cfi_loadFile(cfDraft* draft, cfFileRequest request);

// memory for what is made from a file, not zeroed, aligned for any type; lives as long as the pool
unsigned char* cfi_newProduct(cfPool* pool, size_t size);

// keep such memory for later compilations, which read it where it is
void cfi_keepProduct(const cfFile* file, const unsigned char* product);

// content type of a file: the one given, without parameters, or by the file's extension; "" when
// unknown
const char* cfi_contentType(cfPool* pool, const char* given, const char* name);

// are all numbers of an array finite
bool cfi_allFinite(const float* array, size_t count);

// note why a file is no good; always false
bool cfi_badFile(cfFileReader* reader, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// the next `count` items of `size` bytes; false, and nothing taken, when the file is shorter
static inline bool cfi_take(cfCursor* cursor, void* to, size_t count, size_t size) {
  if (count > cursor->left / size) {
    return false;
  }
  if (count) {
    memcpy(to, cursor->at, count * size);
  }
  cursor->at += count * size;
  cursor->left -= count * size;
  return true;
}

#endif  // CF_COMPILE_ASSETFILE_H
