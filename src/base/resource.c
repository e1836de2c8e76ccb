// Resources: named byte strings from the file system, a VFS, or a registered provider.
#include "base/resource.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/vfs.h"

// what callers without a VFS use; it lives as long as the process
static mjVFS shared_vfs;
static pthread_once_t shared_once = PTHREAD_ONCE_INIT;


static void makeSharedVfs(void) {
  mj_defaultVFS(&shared_vfs);
}


mjResource* cfi_openResource(const char* directory, const char* name, const mjVFS* vfs, char* error,
                             size_t nerror) {
  if (!vfs) {
    pthread_once(&shared_once, makeSharedVfs);
    vfs = &shared_vfs;
  }
  mjResource* resource = cfi_vfsOpen((mjVFS*)(uintptr_t)vfs, directory, name);
  if (error && nerror) {
    error[0] = 0;
    if (!resource) {
      snprintf(error, nerror, "Error opening file '%s'", name ? name : "(null)");
    }
  }
  return resource;
}


int cfi_readResource(mjResource* resource, const void** bytes) {
  *bytes = NULL;
  return resource ? resource->provider->read(resource, bytes) : -1;
}


void cfi_closeResource(mjResource* resource) {
  if (resource) {
    cfi_vfsClose(resource);
  }
}


size_t cfi_resourceDirectory(const mjResource* resource) {
  // the scheme of a provider belongs to the directory, separator or not
  const char* prefix = resource->provider ? resource->provider->prefix : NULL;
  size_t scheme = prefix ? strlen(prefix) + 1 : 0;
  size_t directory = (size_t)(cfi_fileName(resource->name) - resource->name);
  return directory > scheme ? directory : scheme;
}


int cfi_resourceModified(const mjResource* resource, const char* timestamp) {
  if (!resource || !resource->provider->modified) {
    return 1;
  }
  return resource->provider->modified(resource, timestamp);
}


mjSpec* cfi_decodeResource(mjResource* resource, const char* content_type, const mjVFS* vfs) {
  const mjpDecoder* decoder = mjp_findDecoder(resource, content_type);
  if (!decoder) {
    mju_warning("Could not find decoder for resource '%s'", resource->name);
    return NULL;
  }
  return decoder->decode(resource, vfs);
}
