// What can be chosen by name: exchangeable models of one kind.
#include "base/catalog.h"

#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/nearest.h"


static const char* keyOfEntry(const void* object) {
  return ((const cfCatalogEntry*)object)->name;
}


// a name is given once, also by the model that has it
static bool neverEqual(const void* a, const void* b) {
  (void)a;
  (void)b;
  return false;
}


static bool copyEntry(void* dest, const void* src) {
  memcpy(dest, src, sizeof(cfCatalogEntry));
  return true;
}


const cfRegistryClass cfi_catalogClass = {"model",   sizeof(cfCatalogEntry), keyOfEntry, neverEqual,
                                          copyEntry, .is_exact = true};


const void* cfi_modelAt(cfCatalog* catalog, int place) {
  CF_ASSERT(catalog != NULL);
  if (place < catalog->nown) {
    return place < 0 ? NULL : catalog->own[place];
  }
  const cfCatalogEntry* entry = cfi_registered(&catalog->added, place - catalog->nown);
  return entry ? entry->model : NULL;
}


const void* cfi_modelNamed(cfCatalog* catalog, const char* name) {
  for (int k = 0; name && k < catalog->nown; k++) {
    if (strcmp(catalog->name(catalog->own[k]), name) == 0) {
      return catalog->own[k];
    }
  }
  const cfCatalogEntry* entry = cfi_findRegistered(&catalog->added, name, NULL);
  return entry ? entry->model : NULL;
}


void cfi_listModels(cfCatalog* catalog, char* text, size_t room) {
  CF_ASSERT(text && room > 0);
  size_t used = 0;
  text[0] = 0;
  const void* model;
  for (int k = 0; used < room && (model = cfi_modelAt(catalog, k)); k++) {
    used += (size_t)snprintf(text + used, room - used, "%s%s", k ? ", " : "", catalog->name(model));
  }
}


const void* cfi_needModel(cfCatalog* catalog, const char* name, char* error, int nerror) {
  const void* model = cfi_modelNamed(catalog, name);
  if (!model && error && nerror > 0) {
    char names[1000], hint[CF_WORD_MAX + 20];
    cfNearest nearest = {"", 0};
    const void* known;
    for (int k = 0; name && (known = cfi_modelAt(catalog, k)); k++) {
      cfi_tryWord(&nearest, name, catalog->name(known), strlen(catalog->name(known)));
    }
    cfi_listModels(catalog, names, sizeof(names));
    snprintf(error, (size_t)nerror, "unknown %s '%s'; known are %s%s", catalog->what,
             name ? name : "", names, cfi_suggestion(nearest.text, hint));
  }
  return model;
}


const char* cfi_nameFault(cfCatalog* catalog, const void* model) {
  const char* name = model ? catalog->name(model) : NULL;
  if (!name || !name[0]) {
    return "it needs a name";
  }
  if (strlen(name) > CF_MODEL_NAME_MAX) {
    return "its name is longer than 200 characters";
  }
  return cfi_modelNamed(catalog, name) ? "there is one of that name" : NULL;
}


bool cfi_addModel(cfCatalog* catalog, const void* model, const char* fault) {
  const char* name = model ? catalog->name(model) : NULL;
  CF_ASSERT(fault || (name && name[0]));
  char message[256];
  const cfCatalogEntry entry = {name, model};
  if (!fault && cfi_tryRegister(&catalog->added, &entry, message, sizeof(message)) < 0) {
    fault = message;
  }
  if (fault) {
    mju_warning("%s '%s' is not registered: %s", catalog->what, name ? name : "", fault);
  }
  return !fault;
}
