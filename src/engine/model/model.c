// Life of mjModel: make, copy, delete.
#include "model/model.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/layout.h"
#include "model/names.h"

// why a model could not be made; errors are raised, the rest is a warning
typedef struct {
  char text[200];
  bool is_error;
} Trouble;


mjtSize cfi_nameMapSize(const mjModel* m) {
  mjtSize count = 0;
  for (int k = 0; k < CF_NNAMETYPE; k++) {
    count += cfi_nameCount(m, k);
  }
  return CF_NAMELOAD * count;
}


// array lengths fit an int, except the two that count bytes of user content
static bool isIntSize(const char* name) {
  return strcmp(name, "ntexdata") && strcmp(name, "ntextdata") && strcmp(name, "narena") &&
         strcmp(name, "nbuffer");
}


bool cfi_checkSizes(const mjModel* sizes, char* message, size_t nmessage) {
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    const cfFieldInfo* field = cfi_modelSizes.field + k;
    mjtSize size;
    memcpy(&size, (const char*)sizes + field->offset, sizeof(size));

    // njmax and nconmax are -1 when the arena alone limits them
    const bool may_be_unset = !strcmp(field->name, "njmax") || !strcmp(field->name, "nconmax");
    if (size < 0 && !(may_be_unset && size == -1)) {
      snprintf(message, nmessage, "Invalid model: %s is negative (%lld).", field->name,
               (long long)size);
      return false;
    }
    if (size >= INT_MAX && isIntSize(field->name)) {
      snprintf(message, nmessage, "Invalid model: %s is too large. Expected < %d. Got %lld.",
               field->name, INT_MAX, (long long)size);
      return false;
    }
  }
  if (sizes->nbody == 0) {
    snprintf(message, nmessage, "Invalid model: nbody == 0");
    return false;
  }
  if (cfi_nameMapSize(sizes) >= INT_MAX) {
    snprintf(message, nmessage, "Invalid model: size of nnames_map is larger than INT_MAX");
    return false;
  }
  return true;
}


// keep the size fields of src and clear the rest
static void setSizes(mjModel* m, const mjModel* src) {
  mjModel sizes = {0};
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    const size_t offset = cfi_modelSizes.field[k].offset;
    memcpy((char*)&sizes + offset, (const char*)src + offset, sizeof(mjtSize));
  }
  *m = sizes;
  m->nnames_map = cfi_nameMapSize(m);
  CF_ASSERT(!m->buffer);
}


static bool allocateModelArrays(mjModel* m, Trouble* trouble) {
  const char* name;
  if (!cfi_bufferBytes(&cfi_modelFields, m, &m->nbuffer, &name)) {
    snprintf(trouble->text, sizeof(trouble->text), "Invalid model: %s too large.", name);
    return false;
  }
  const size_t bytes = cfi_extendedBytes(m->nbuffer);
  m->buffer = bytes ? cfi_tryMalloc(bytes) : NULL;
  if (!m->buffer) {
    trouble->is_error = true;
    snprintf(trouble->text, sizeof(trouble->text),
             "mj_makeModel: could not allocate mjModel buffer of %lld bytes",
             (long long)m->nbuffer);
    return false;
  }
  memset(m->buffer, 0, bytes);
  cfi_placeArrays(&cfi_modelFields, m, m, m->buffer);
  return true;
}


// release what a model holds, not the struct itself
static void releaseArrays(mjModel* m) {
  if (m->buffer) {
    cfi_freeExtension(cfi_modelExtension(m));
    mju_free(m->buffer);
    m->buffer = NULL;
  }
}


static bool fillNewModel(mjModel* m, const mjModel* sizes, Trouble* trouble) {
  setSizes(m, sizes);
  if (!allocateModelArrays(m, trouble)) {
    return false;
  }
  mj_defaultOption(&m->opt);
  mj_defaultVisual(&m->vis);
  cfi_defaultStatistic(&m->stat);
  return true;
}


// raised when everything is cleaned up: a handler may not return
static void raiseTrouble(const Trouble* trouble) {
  if (trouble->is_error) {
    mju_error("%s", trouble->text);
  } else {
    mju_warning("%s", trouble->text);
  }
}


mjModel* cfi_newModel(const mjModel* sizes) {
  Trouble trouble = {0};
  mjModel* m = NULL;
  if (!cfi_checkSizes(sizes, trouble.text, sizeof(trouble.text))) {
    raiseTrouble(&trouble);
    return NULL;
  }
  m = cfi_tryMalloc(sizeof(mjModel));
  if (!m || !fillNewModel(m, sizes, &trouble)) {
    if (!m) {
      trouble = (Trouble){"mj_makeModel: could not allocate mjModel", true};
    }
    mju_free(m);
    raiseTrouble(&trouble);
    return NULL;
  }
  return m;
}


// everything but the arrays: sizes, options, statistics, signature
static void copyHeader(mjModel* dest, const mjModel* src) {
  CF_ASSERT(dest != src && dest->nbuffer == src->nbuffer);
  void* buffer = dest->buffer;
  *dest = *src;
  dest->buffer = buffer;
  cfi_placeArrays(&cfi_modelFields, dest, dest, buffer);
}


static void copyArrays(mjModel* dest, const mjModel* src, bool with_bulk) {
  CF_ASSERT(dest != src);
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    mjtSize bytes = 0;
    cfi_arrayBytes(field, src, NULL, &bytes);
    if (bytes && (with_bulk || field->home != CF_HOME_BULK)) {
      memcpy(cfi_arrayOf(field, dest), cfi_arrayOf(field, src), (size_t)bytes);
    }
  }
}


mjModel* mj_copyModel(mjModel* dest, const mjModel* src) {
  const bool is_new = !dest;
  if (is_new) {
    dest = cfi_newModel(src);
    if (!dest) {
      return NULL;
    }
  }
  if (dest->nbuffer != src->nbuffer) {
    if (is_new) {
      mj_deleteModel(dest);
    }
    mju_error("mj_copyModel: dest and src models have different buffer size");
    return NULL;
  }
  if (dest == src) {
    return dest;
  }
  copyHeader(dest, src);
  copyArrays(dest, src, /*with_bulk=*/true);
  cfi_freeExtension(cfi_modelExtension(dest));
  cfi_copyExtension(cfi_modelExtension(dest), cfi_modelExtension(src));
  return dest;
}


// into an existing model, without the arrays that an abstract scene does not need
void mjv_copyModel(mjModel* dest, const mjModel* src) {
  if (dest->nbuffer != src->nbuffer) {
    mju_error("mjv_copyModel: dest and src models have different buffer size");
    return;
  }
  copyHeader(dest, src);
  copyArrays(dest, src, /*with_bulk=*/false);
}


void mj_deleteModel(mjModel* m) {
  if (m) {
    releaseArrays(m);
    mju_free(m);
  }
}
