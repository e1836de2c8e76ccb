// What can be chosen by name: exchangeable models of one kind, ours and those that programs add.
//
// Entries keep their place and are never taken back: ours first, then the others in the order of
// their registration. The model and its name belong to the program and live as long as the process.
// All functions are thread-safe.
#ifndef CF_BASE_CATALOG_H
#define CF_BASE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/registry.h"

enum { CF_MODEL_NAME_MAX = 200 };  // characters of a name

typedef struct {
  const char* name;
  const void* model;
} cfCatalogEntry;

typedef struct {
  const char* what;  // for messages, e.g. "gain model"
  const char* (*name)(const void* model);
  const void* const* own;  // models that are always there; the first is the usual one
  int nown;
  cfRegistry added;
} cfCatalog;

// how a catalog treats what is added to it
extern const cfRegistryClass cfi_catalogClass;

// initializer from an array of pointers to our own models
#define CF_CATALOG_INIT(what, name, own) \
  { what, name, own, sizeof(own) / sizeof((own)[0]), CF_REGISTRY_INIT(&cfi_catalogClass) }

// model in a place, or NULL
const void* cfi_modelAt(cfCatalog* catalog, int place);

// model of that name, or NULL
const void* cfi_modelNamed(cfCatalog* catalog, const char* name);

// the same; where there is none, the message says which are known
const void* cfi_needModel(cfCatalog* catalog, const char* name, char* error, int nerror);

// names of all models, separated by commas
void cfi_listModels(cfCatalog* catalog, char* text, size_t room);

// what is wrong with the name of a model that is to be added; NULL if nothing is
const char* cfi_nameFault(cfCatalog* catalog, const void* model);

// add a model; with a fault (or a name that is taken) a warning that says so, and false
bool cfi_addModel(cfCatalog* catalog, const void* model, const char* fault);

#endif  // CF_BASE_CATALOG_H
