// Resources: named byte strings from the file system, a VFS, or a registered provider.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/missing.h"
#include "base/path.h"
#include "base/platform.h"
#include "base/vfs.h"

// what callers without a VFS use; it lives as long as the process
static mjVFS shared_vfs;
static cfOnce shared_once = CF_ONCE_INIT;


static void makeSharedVfs(void) {
  mj_defaultVFS(&shared_vfs);
}


// looked for in this order: what is mounted under the path or one of its parents, the provider of
// its scheme, a file of that name added to the VFS (directories and case do not count), the file
// system
mjResource* mju_openResource(const char* dir, const char* name, const mjVFS* vfs, char* error,
                             size_t nerror) {
  if (!vfs) {
    cfi_once(&shared_once, makeSharedVfs);
    vfs = &shared_vfs;
  }
  const bool has_files_alone = vfs == &shared_vfs;
  mjResource* resource = cfi_vfsOpen((mjVFS*)(uintptr_t)vfs, dir, name);
  if (error && nerror) {
    error[0] = 0;
    if (!resource) {
      snprintf(error, nerror, "Error opening file '%s'", name ? name : "(null)");
      if (name && has_files_alone) {
        cfi_explainMissing(dir, name, error, nerror);
      }
    }
  }
  return resource;
}


// the bytes stay valid until the resource is closed
int mju_readResource(mjResource* resource, const void** buffer) {
  *buffer = NULL;
  const bool is_readable = resource && resource->provider && resource->provider->read;
  return is_readable ? resource->provider->read(resource, buffer) : -1;
}


void mju_closeResource(mjResource* resource) {
  if (resource && resource->vfs) {
    cfi_vfsClose(resource);
  }
}


// the scheme of a provider belongs to the directory, separator or not
void mju_getResourceDir(mjResource* resource, const char** dir, int* ndir) {
  *dir = resource ? resource->name : NULL;
  *ndir = 0;
  if (*dir) {
    const char* prefix = resource->provider ? resource->provider->prefix : NULL;
    const size_t scheme = prefix ? strlen(prefix) + 1 : 0;
    const size_t directory = (size_t)(cfi_fileName(*dir) - *dir);
    *ndir = (int)(directory > scheme ? directory : scheme);
  }
}


int mju_isModifiedResource(const mjResource* resource, const char* timestamp) {
  if (!resource || !resource->provider || !resource->provider->modified) {
    return 1;
  }
  return resource->provider->modified(resource, timestamp);
}


mjSpec* mju_decodeResource(mjResource* resource, const char* content_type, const mjVFS* vfs) {
  const mjpDecoder* decoder = mjp_findDecoder(resource, content_type);
  if (!decoder) {
    mju_warning("Could not find decoder for resource '%s'", resource->name);
    return NULL;
  }
  return decoder->decode(resource, vfs);
}
