// Resources: named byte strings from the file system, a VFS, or a registered provider.
#ifndef CF_BASE_RESOURCE_H
#define CF_BASE_RESOURCE_H

#include <stddef.h>

#include <mujoco/mujoco.h>

// Open directory/name: first what is mounted in the VFS under that path or one of its parents, then
// the provider of its scheme, then a file of that name added to the VFS (directories and case do not
// count), then the file system. NULL with a message in error (which may be NULL) when there is
// nothing. Directory and vfs may be NULL. A resource belongs to its VFS and is closed before it.
mjResource* cfi_openResource(const char* directory, const char* name, const mjVFS* vfs, char* error,
                             size_t nerror);

// contents and their length, which stay valid until the resource is closed; -1 on failure
int cfi_readResource(mjResource* resource, const void** bytes);

// no-op for NULL
void cfi_closeResource(mjResource* resource);

// length of the directory part of the resource's name, its last separator included
size_t cfi_resourceDirectory(const mjResource* resource);

// 0 when the resource has this timestamp, positive when it is younger, negative when it is older
int cfi_resourceModified(const mjResource* resource, const char* timestamp);

// decode with the decoder of the content type (may be NULL) or of the name's extension; NULL after a
// warning when there is none
mjSpec* cfi_decodeResource(mjResource* resource, const char* content_type, const mjVFS* vfs);

#endif  // CF_BASE_RESOURCE_H
