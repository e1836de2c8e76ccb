// Cache of processed assets between compilations: a list ordered by last use, newest first.
#include "base/cache.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/registry.h"

typedef struct Entry {
  struct Entry* next;
  char* id;
  char timestamp[sizeof(((mjResource*)0)->timestamp)];
  void* data;
  size_t nbyte;
  void (*release)(void* data);
} Entry;

typedef struct {
  cfMutex mutex;
  Entry* first;
  size_t nbyte, capacity;
} Cache;

enum { DEFAULT_CAPACITY = 500 << 20 };

static Cache cache = {CF_MUTEX_INIT, NULL, 0, DEFAULT_CAPACITY};
static mjCache handle = {&cache};


// take an entry out of the list and free it
static void dropEntry(Entry** link) {
  Entry* entry = *link;
  *link = entry->next;
  CF_ASSERT(cache.nbyte >= entry->nbyte);
  cache.nbyte -= entry->nbyte;
  entry->release(entry->data);
  mju_free(entry->id);
  mju_free(entry);
}


static Entry** findEntry(const char* id) {
  CF_ASSERT(id != NULL);
  Entry** link = &cache.first;
  while (*link && strcmp((*link)->id, id)) {
    link = &(*link)->next;
  }
  return link;
}


// drop from the end of the list until the cache fits
static void shrinkTo(size_t nbyte) {
  while (cache.nbyte > nbyte) {
    CF_ASSERT(cache.first);
    Entry** link = &cache.first;
    while ((*link)->next) {
      link = &(*link)->next;
    }
    dropEntry(link);
  }
}


static Entry* newEntry(const char* id, const mjResource* resource) {
  CF_ASSERT(id && resource);
  Entry* entry = cfi_tryMalloc(sizeof(Entry));
  char* name = entry ? cfi_copyName(id) : NULL;
  if (!name) {
    mju_free(entry);
    return NULL;
  }
  *entry = (Entry){.id = name};
  memcpy(entry->timestamp, resource->timestamp, sizeof(entry->timestamp));
  return entry;
}


bool cfi_cacheStore(const char* id, const mjResource* resource, void* data, size_t nbyte,
                    void (*release)(void* data)) {
  cfi_lock(&cache.mutex);
  Entry* entry = nbyte <= cache.capacity ? newEntry(id, resource) : NULL;
  if (entry) {
    Entry** old = findEntry(id);
    if (*old) {
      dropEntry(old);
    }
    shrinkTo(cache.capacity - nbyte);
    entry->data = data;
    entry->nbyte = nbyte;
    entry->release = release;
    entry->next = cache.first;
    cache.first = entry;
    cache.nbyte += nbyte;
    CF_ASSERT(cache.nbyte <= cache.capacity);
  }
  cfi_unlock(&cache.mutex);
  return entry != NULL;
}


bool cfi_cacheFetch(const char* id, const mjResource* resource,
                    bool (*use)(const void* data, size_t nbyte, void* argument), void* argument) {
  bool used = false;
  cfi_lock(&cache.mutex);
  Entry** link = findEntry(id);
  Entry* entry = *link;
  if (entry && !mju_isModifiedResource(resource, entry->timestamp)) {
    *link = entry->next;
    entry->next = cache.first;
    cache.first = entry;
    used = use(entry->data, entry->nbyte, argument);
  }
  cfi_unlock(&cache.mutex);
  return used;
}


mjCache* mj_getCache(void) {
  return &handle;
}


// a number of the cache, 0 for a handle that is not its own
static size_t readSize(const mjCache* c, const size_t* size) {
  if (!c || c->impl_ != &cache) {
    return 0;
  }
  cfi_lock(&cache.mutex);
  const size_t value = *size;
  cfi_unlock(&cache.mutex);
  return value;
}


size_t mj_getCacheSize(const mjCache* c) {
  return readSize(c, &cache.nbyte);
}


size_t mj_getCacheCapacity(const mjCache* c) {
  return readSize(c, &cache.capacity);
}


size_t mj_setCacheCapacity(mjCache* c, size_t size) {
  if (!c || c->impl_ != &cache) {
    return 0;
  }
  cfi_lock(&cache.mutex);
  cache.capacity = size;
  shrinkTo(size);
  cfi_unlock(&cache.mutex);
  return size;
}


void mj_clearCache(mjCache* c) {
  if (c && c->impl_ == &cache) {
    cfi_lock(&cache.mutex);
    while (cache.first) {
      dropEntry(&cache.first);
    }
    cfi_unlock(&cache.mutex);
  }
}
