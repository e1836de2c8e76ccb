// Virtual file system: providers mounted at paths, and the resources opened through them.
#include "base/vfs.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/platform.h"
#include "base/registry.h"

// return codes of the public functions
enum { VFS_OK = 0, VFS_REPEATED = 2, VFS_FAILED = -1 };

// a mount point or an open resource; the public struct comes first
typedef struct Node {
  mjResource resource;
  struct Node* next;
} Node;

typedef struct {
  cfMutex mutex;
  mjVFS* self;
  Node* mounts;
  Node* open;
} Vfs;


static Vfs* vfsOf(const mjVFS* vfs) {
  return vfs ? vfs->impl_ : NULL;
}


static void freeNode(Node* node) {
  mju_free(node->resource.name);
  mju_free(node);
}


// takes over the name; NULL frees it
static Node* newNode(Vfs* vfs, char* name, const mjpResourceProvider* provider) {
  Node* node = name ? cfi_tryMalloc(sizeof(Node)) : NULL;
  if (!node) {
    mju_free(name);
    return NULL;
  }
  CF_ASSERT(provider && provider->open && provider->read && provider->close);
  memset(node, 0, sizeof(*node));
  node->resource.name = name;
  node->resource.vfs = vfs->self;
  node->resource.provider = provider;
  return node;
}


// last link of a list, for appending
static Node** listEnd(Node** list) {
  while (*list) {
    list = &(*list)->next;
  }
  return list;
}


// link that points to the mount of exactly that path, or NULL
static Node** findMount(Vfs* vfs, const char* path, size_t length) {
  CF_ASSERT(path != NULL);
  for (Node** link = &vfs->mounts; *link; link = &(*link)->next) {
    const char* name = (*link)->resource.name;
    if (!strncmp(name, path, length) && !name[length]) {
      return link;
    }
  }
  return NULL;
}

//---------------------------------- life ----------------------------------------------------------


void mj_defaultVFS(mjVFS* vfs) {
  if (!vfs) {
    mju_error("mj_defaultVFS: mjVFS is null.");
    return;
  }
  Vfs* impl = mju_malloc(sizeof(Vfs));
  if (impl) {
    *impl = (Vfs){.self = vfs};
    cfi_mutexInit(&impl->mutex);
  }
  vfs->impl_ = impl;
}


void mj_deleteVFS(mjVFS* vfs) {
  Vfs* impl = vfsOf(vfs);
  if (!impl) {
    return;
  }
  for (Node *node = impl->open, *next; node; node = next) {
    next = node->next;
    node->resource.provider->close(&node->resource);
    freeNode(node);
  }
  for (Node *node = impl->mounts, *next; node; node = next) {
    next = node->next;
    if (node->resource.provider->unmount) {
      node->resource.provider->unmount(&node->resource);
    }
    freeNode(node);
  }
  cfi_mutexDestroy(&impl->mutex);
  mju_free(impl);
  vfs->impl_ = NULL;
}

//---------------------------------- mounting ------------------------------------------------------


// the caller holds the lock; takes over path
static int mountLocked(Vfs* vfs, char* path, const mjpResourceProvider* provider) {
  CF_ASSERT(vfs && path && provider);
  if (path && findMount(vfs, path, strlen(path))) {
    mju_free(path);
    return VFS_REPEATED;
  }
  Node* node = newNode(vfs, path, provider);
  if (!node) {
    return VFS_FAILED;
  }
  if (provider->mount) {
    provider->mount(&node->resource);
  }
  *listEnd(&vfs->mounts) = node;
  return VFS_OK;
}


int mj_mountVFS(mjVFS* vfs, const char* filepath, const mjpResourceProvider* provider) {
  Vfs* impl = vfsOf(vfs);
  if (!impl) {
    mju_error("mj_mountVFS: mjVFS is null.");
    return VFS_FAILED;
  }
  if (!filepath || !provider) {
    return VFS_FAILED;
  }
  char* path = cfi_joinPath(NULL, filepath);
  cfi_lock(&impl->mutex);
  const int status = mountLocked(impl, path, provider);
  cfi_unlock(&impl->mutex);
  return status;
}


int mj_unmountVFS(mjVFS* vfs, const char* filename) {
  Vfs* impl = vfsOf(vfs);
  if (!impl) {
    mju_error("mj_unmountVFS: mjVFS is null.");
    return VFS_FAILED;
  }
  char* path = filename ? cfi_joinPath(NULL, filename) : NULL;
  if (!path) {
    return VFS_FAILED;
  }
  cfi_lock(&impl->mutex);
  Node** link = findMount(impl, path, strlen(path));
  Node* node = link ? *link : NULL;
  if (node) {
    *link = node->next;
  }
  cfi_unlock(&impl->mutex);
  mju_free(path);
  if (!node) {
    return VFS_FAILED;
  }
  if (node->resource.provider->unmount) {
    node->resource.provider->unmount(&node->resource);
  }
  freeNode(node);
  return VFS_OK;
}


// mount a copy of some bytes; takes over path
static int mountBytes(mjVFS* vfs, char* path, const void* bytes, size_t nbyte) {
  Vfs* impl = vfsOf(vfs);
  const mjpResourceProvider* provider = impl && path ? cfi_newBufferProvider(bytes, nbyte) : NULL;
  if (!provider) {
    mju_free(path);
    if (!impl) {
      mju_error("mjVFS is null.");
    }
    return VFS_FAILED;
  }
  cfi_lock(&impl->mutex);
  const int status = mountLocked(impl, path, provider);
  cfi_unlock(&impl->mutex);
  if (status != VFS_OK) {
    cfi_freeBufferProvider(provider);
  }
  return status;
}


int mj_addBufferVFS(mjVFS* vfs, const char* name, const void* buffer, int nbuffer) {
  if (!name || nbuffer < 0 || (!buffer && nbuffer)) {
    return VFS_FAILED;
  }
  return mountBytes(vfs, cfi_joinPath(NULL, name), buffer, (size_t)nbuffer);
}


// files are known by their name without directory, in lower case
static char* plainName(const char* filename) {
  CF_ASSERT(filename != NULL);
  char* name = cfi_joinPath(NULL, cfi_fileName(filename));
  for (char* c = name; c && *c; c++) {
    *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
  }
  return name;
}


// is something mounted under that name
static bool isMounted(mjVFS* vfs, const char* name) {
  Vfs* impl = vfsOf(vfs);
  if (!impl || !name) {
    return false;
  }
  cfi_lock(&impl->mutex);
  const bool is_there = findMount(impl, name, strlen(name)) != NULL;
  cfi_unlock(&impl->mutex);
  return is_there;
}


// a name that is taken is told before the disk is touched; a file that cannot be read is mounted
// without bytes, as in MuJoCo, and whoever opens it is told that it is empty
int mj_addFileVFS(mjVFS* vfs, const char* directory, const char* filename) {
  char* name = filename ? plainName(filename) : NULL;
  if (!name || isMounted(vfs, name)) {
    mju_free(name);
    return filename ? VFS_REPEATED : VFS_FAILED;
  }
  char* path = cfi_joinPath(directory, filename);
  size_t nbyte = 0;
  char* bytes = path ? cfi_readFile(path, &nbyte) : NULL;
  mju_free(path);
  const int status = mountBytes(vfs, name, bytes, bytes ? nbyte : 0);
  mju_free(bytes);
  return status;
}


int mj_deleteFileVFS(mjVFS* vfs, const char* filename) {
  if (!filename) {
    return VFS_FAILED;
  }
  if (mj_unmountVFS(vfs, filename) == VFS_OK) {
    return VFS_OK;
  }
  char* name = plainName(filename);
  const int status = name ? mj_unmountVFS(vfs, name) : VFS_FAILED;
  mju_free(name);
  return status;
}

//---------------------------------- opening -------------------------------------------------------


// the mount of a path or of one of its parents
static Node* mountAbove(Vfs* vfs, const char* path) {
  for (size_t length = strlen(path); length; length--) {
    const bool is_end = !path[length] || path[length] == '/' || path[length] == '\\';
    Node** link = is_end ? findMount(vfs, path, length) : NULL;
    if (link) {
      return *link;
    }
  }
  return NULL;
}


// the mount of a registered provider, made on first use
static Node* mountOfScheme(Vfs* vfs, const char* path) {
  const mjpResourceProvider* provider = mjp_getResourceProvider(path);
  if (!provider) {
    return NULL;
  }
  const size_t length = strlen(provider->prefix);
  if (!findMount(vfs, provider->prefix, length)) {
    mountLocked(vfs, cfi_copyName(provider->prefix), provider);
  }
  Node** link = findMount(vfs, provider->prefix, length);
  return link ? *link : NULL;
}


// the newest mount whose file name is that of the path, whatever its directory and case
static Node* mountOfName(Vfs* vfs, const char* path) {
  Node* newest = NULL;
  for (Node* node = vfs->mounts; node; node = node->next) {
    if (cfi_sameName(cfi_fileName(node->resource.name), cfi_fileName(path))) {
      newest = node;
    }
  }
  return newest;
}


// provider that serves the path, and the data of its mount
static const mjpResourceProvider* serverOf(Vfs* vfs, const char* path, void** data) {
  cfi_lock(&vfs->mutex);
  Node* node = mountAbove(vfs, path);
  node = node ? node : mountOfScheme(vfs, path);
  node = node ? node : mountOfName(vfs, path);
  *data = node ? node->resource.data : NULL;
  const mjpResourceProvider* provider = node ? node->resource.provider : &cfi_fileProvider;
  cfi_unlock(&vfs->mutex);
  return provider;
}


// the provider sees its mount's data in the resource until it sets its own
static bool openVfsNode(Node* node, void* mount_data) {
  node->resource.data = mount_data;
  const bool is_open = node->resource.provider->open(&node->resource) != 0;
  if (node->resource.data == mount_data) {
    node->resource.data = NULL;
  }
  return is_open;
}


mjResource* cfi_vfsOpen(mjVFS* vfs, const char* directory, const char* name) {
  CF_ASSERT(name != NULL);
  Vfs* impl = vfsOf(vfs);
  char* path = impl && name ? cfi_joinPath(directory, name) : NULL;
  if (!path) {
    return NULL;
  }
  void* data;
  const mjpResourceProvider* provider = serverOf(impl, path, &data);
  Node* node = newNode(impl, path, provider);
  if (!node || !openVfsNode(node, data)) {
    if (node) {
      freeNode(node);
    }
    return NULL;
  }
  cfi_lock(&impl->mutex);
  node->next = impl->open;
  impl->open = node;
  cfi_unlock(&impl->mutex);
  return &node->resource;
}


void cfi_vfsClose(mjResource* resource) {
  Vfs* impl = vfsOf(resource->vfs);
  CF_ASSERT(impl && impl->self == resource->vfs);
  cfi_lock(&impl->mutex);
  Node** link = &impl->open;
  while (*link && &(*link)->resource != resource) {
    link = &(*link)->next;
  }
  Node* node = *link;
  if (node) {
    *link = node->next;
  }
  cfi_unlock(&impl->mutex);
  if (node) {
    node->resource.provider->close(&node->resource);
    freeNode(node);
  }
}
