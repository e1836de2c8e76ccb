// Files of assets: finding them and telling what is in them.
#include "compile/assetfile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/path.h"

cfFile cfi_loadFile(cfDraft* draft, const cfPart* part, const void* folder, const char* name) {
  char error[400] = "";
  char* path = cfi_joinPath(cfi_text(folder), name);
  if (!path) {
    cfi_fail(draft, part, "out of memory for the name of file '%s'", name);
  }
  mjResource* resource =
      mju_openResource(cfi_modelDirOf(part->origin), path, draft->vfs, error, sizeof(error));
  mju_free(path);
  if (!resource) {
    cfi_fail(draft, part, "%s", error);
  }

  // the bytes are copied so that nothing stays open when the compilation ends early
  cfFile file = {cfi_poolText(&draft->pool, resource->name), NULL, 0};
  const void* bytes = NULL;
  int size = mju_readResource(resource, &bytes);
  if (size > 0) {
    file.data = (const unsigned char*)cfi_poolCopy(&draft->pool, bytes, (size_t)size, 1);
    file.size = (size_t)size;
  }
  mju_closeResource(resource);
  if (size < 0) {
    cfi_fail(draft, part, "could not read file '%s'", file.name);
  }
  return file;
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
