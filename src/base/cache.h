// Cache of processed assets (meshes, textures, height fields) between compilations.
//
// The compiler stores what it made from a resource under the resource's name and the options that
// shaped it, and fetches it when the same resource comes again with the same timestamp. The least
// recently used entries make room. Thread-safe.
#ifndef CF_BASE_CACHE_H
#define CF_BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

// hand over data of nbyte bytes made from the resource; release frees it. False, and data still the
// caller's, when it does not fit or memory is short. An older entry of that id is replaced.
bool cfi_cacheStore(const char* id, const mjResource* resource, void* data, size_t nbyte,
                    void (*release)(void* data));

// let use() copy what it needs of the entry, under the cache's lock; false when there is no entry
// with the resource's timestamp, or use() said no
bool cfi_cacheFetch(const char* id, const mjResource* resource,
                    bool (*use)(const void* data, size_t nbyte, void* argument), void* argument);

#endif  // CF_BASE_CACHE_H
