// Files of assets: finding them and telling what is in them.
#include "compile/assetfile.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "base/cache.h"
#include "base/memory.h"
#include "base/path.h"

static mjResource* openAsset(cfDraft* draft, const cfFileRequest* request) {
  CF_ASSERT(request && request->name);
  char error[400] = "";
  char* path = cfi_joinPath(cfi_text(request->folder), request->name);
  if (!path) {
    cfi_fail(draft, request->part, "out of memory for the name of file '%s'", request->name);
  }
  mjResource* resource = mju_openResource(cfi_modelDirOf(request->part->origin), path, draft->vfs,
                                          error, sizeof(error));
  mju_free(path);
  if (!resource) {
    cfi_fail(draft, request->part, "%s", error);
  }
  return resource;
}


// name, options and what the timestamp leaves out, as one text: a file that is written twice within
// a second is read again
static const char* productKey(cfPool* pool, const mjResource* resource, const char* options) {
  const size_t length = strlen(resource->name) + strlen(options) + 32;
  char* key = (char*)cfi_poolAlloc(pool, length, 1);
  snprintf(key, length, "%s;%s;%" PRId64, resource->name, options, cfi_stampFraction(resource));
  return key;
}


//---------------------------------- products ------------------------------------------------------

// what was made from a file, shared by the cache and by compilations; the bytes stand behind it
typedef struct {
  size_t size;
  atomic_int users;
  alignas(16) unsigned char data[];
} sharedProduct;


static sharedProduct* productOf(const unsigned char* data) {
  return (sharedProduct*)(void*)((char*)(uintptr_t)data - offsetof(sharedProduct, data));
}


static void releaseProduct(void* memory) {
  sharedProduct* product = (sharedProduct*)memory;
  if (atomic_fetch_sub(&product->users, 1) == 1) {
    mju_free(product);
  }
}


unsigned char* cfi_newProduct(cfPool* pool, size_t size) {
  CF_ASSERT(size > 0);
  sharedProduct* product =
      size < SIZE_MAX / 2 ? (sharedProduct*)cfi_tryMalloc(sizeof(sharedProduct) + size) : NULL;
  if (!product || !cfi_poolAdopt(pool, product, releaseProduct)) {
    mju_free(product);
    mju_error("could not allocate memory for compilation");
    abort();
  }
  product->size = size;
  atomic_init(&product->users, 1);
  return product->data;
}


// where a product from the cache goes
typedef struct {
  cfPool* pool;
  cfFile* file;
} productUse;


// hold on to a product of the cache, under its lock
static bool useProduct(const void* data, size_t size, void* argument) {
  (void)size;
  productUse* use = (productUse*)argument;
  sharedProduct* product = (sharedProduct*)(uintptr_t)data;
  if (!cfi_poolAdopt(use->pool, product, releaseProduct)) {
    return false;
  }
  atomic_fetch_add(&product->users, 1);
  use->file->data = product->data;
  use->file->size = product->size;
  use->file->is_product = true;
  return true;
}


void cfi_keepProduct(const cfFile* file, const unsigned char* data) {
  sharedProduct* product = productOf(data);
  if (!file->key || !product->size) {
    return;
  }
  mjResource stamp;
  memset(&stamp, 0, sizeof(stamp));
  snprintf(stamp.timestamp, sizeof(stamp.timestamp), "%s", file->timestamp);
  atomic_fetch_add(&product->users, 1);
  if (!cfi_cacheStore(file->key, &stamp, product, product->size, releaseProduct)) {
    releaseProduct(product);
  }
}


//---------------------------------- reading -------------------------------------------------------

cfFile cfi_loadFile(cfDraft* draft, cfFileRequest request) {
  cfPool* pool = &draft->pool;
  mjResource* resource = openAsset(draft, &request);
  cfFile file = {.name = cfi_poolText(pool, resource->name)};
  if (request.options) {
    file.key = productKey(pool, resource, request.options);
    file.timestamp = cfi_poolText(pool, resource->timestamp);
    if (cfi_cacheFetch(file.key, resource, useProduct, &(productUse){pool, &file})) {
      mju_closeResource(resource);
      return file;
    }
  }

  // the bytes are copied so that nothing stays open when the compilation ends early
  const void* bytes = NULL;
  int size = mju_readResource(resource, &bytes);
  if (size > 0) {
    file.data = (const unsigned char*)cfi_poolCopy(pool, bytes, (size_t)size, 1);
    file.size = (size_t)size;
  }
  mju_closeResource(resource);
  if (size < 0) {
    cfi_fail(draft, request.part, "could not read file '%s'", file.name);
  }
  return file;
}


bool cfi_allFinite(const float* array, size_t count) {
  CF_ASSERT(array || !count);
  enum { PIECE = 1024 };
  for (size_t start = 0; start < count; start += PIECE) {
    const size_t end = count - start < PIECE ? count : start + PIECE;

    // no jump inside: the difference is zero for finite numbers alone
    int bad = 0;
    for (size_t i = start; i < end; i++) {
      bad |= !(array[i] - array[i] == 0);
    }
    if (bad) {
      return false;
    }
  }
  return true;
}


bool cfi_badFile(cfFileReader* reader, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(reader->error, sizeof(reader->error), format, args);
  va_end(args);
  return false;
}


//---------------------------------- content types -------------------------------------------------

// bytes of "type/subtype" at the start of "type/subtype[;parameter=value]", 0 when the text is no
// such thing
static size_t typeLength(const char* text) {
  const char *slash = strchr(text, '/'), *semicolon = strchr(text, ';'),
             *equals = strchr(text, '=');
  if (!slash || !slash[1]) {
    return 0;
  }
  if (!semicolon) {
    return strlen(text);
  }
  return semicolon > slash && equals && equals > semicolon ? (size_t)(semicolon - text) : 0;
}


const char* cfi_contentType(cfPool* pool, const char* given, const char* name) {
  static const char* const known[][2] = {
      {".stl", "model/stl"}, {".obj", "model/obj"},
      {".ply", "model/ply"}, {".msh", "model/vnd.mujoco.msh"},
      {".png", "image/png"},
  };
  if (given[0]) {
    char* type = cfi_poolText(pool, given);
    type[typeLength(given)] = 0;
    return type;
  }
  const char* extension = cfi_fileExtension(name);
  for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
    if (!strcasecmp(extension, known[k][0])) {
      return known[k][1];
    }
  }
  return "";
}
