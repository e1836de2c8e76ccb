// Files of assets: finding them and telling what is in them.
#include "compile/assetfile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/cache.h"
#include "base/memory.h"
#include "base/path.h"

static mjResource* openFile(cfDraft* draft, const cfFileRequest* request) {
  char error[400] = "";
  char* path = cfi_joinPath(cfi_text(request->folder), request->name);
  if (!path) {
    cfi_fail(draft, request->part, "out of memory for the name of file '%s'", request->name);
  }
  mjResource* resource =
      mju_openResource(cfi_modelDirOf(request->part->origin), path, draft->vfs, error, sizeof(error));
  mju_free(path);
  if (!resource) {
    cfi_fail(draft, request->part, "%s", error);
  }
  return resource;
}


// name and options as one text
static const char* productKey(cfPool* pool, const char* name, const char* options) {
  size_t length = strlen(name) + strlen(options) + 2;
  char* key = (char*)cfi_poolAlloc(pool, length, 1);
  snprintf(key, length, "%s;%s", name, options);
  return key;
}


// where a product goes
typedef struct {
  cfPool* pool;
  cfFile* file;
} productCopy;


static bool copyProduct(const void* data, size_t size, void* argument) {
  productCopy* to = (productCopy*)argument;
  to->file->data = (const unsigned char*)cfi_poolCopy(to->pool, data, size, 1);
  to->file->size = size;
  to->file->is_product = true;
  return true;
}


cfFile cfi_loadFile(cfDraft* draft, cfFileRequest request) {
  cfPool* pool = &draft->pool;
  mjResource* resource = openFile(draft, &request);
  cfFile file = {.name = cfi_poolText(pool, resource->name)};
  if (request.options) {
    file.key = productKey(pool, file.name, request.options);
    file.timestamp = cfi_poolText(pool, resource->timestamp);
    if (cfi_cacheFetch(file.key, resource, copyProduct, &(productCopy){pool, &file})) {
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


void cfi_keepProduct(const cfFile* file, const void* header, size_t nheader, const void* data, size_t size) {
  if (!file->key || !size) {
    return;
  }
  mjResource stamp;
  memset(&stamp, 0, sizeof(stamp));
  snprintf(stamp.timestamp, sizeof(stamp.timestamp), "%s", file->timestamp);
  char* copy = (char*)cfi_tryMalloc(nheader + size);
  if (copy) {
    if (nheader) {
      memcpy(copy, header, nheader);
    }
    memcpy(copy + nheader, data, size);
    if (!cfi_cacheStore(file->key, &stamp, copy, nheader + size, mju_free)) {
      mju_free(copy);
    }
  }
}


bool cfi_allFinite(const float* array, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(array[i])) {
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

// bytes of "type/subtype" at the start of "type/subtype[;parameter=value]", 0 when the text is no such thing
static size_t typeLength(const char* text) {
  const char *slash = strchr(text, '/'), *semicolon = strchr(text, ';'), *equals = strchr(text, '=');
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
      {".stl", "model/stl"},
      {".obj", "model/obj"},
      {".ply", "model/ply"},
      {".msh", "model/vnd.mujoco.msh"},
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
