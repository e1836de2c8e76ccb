// Virtual file system: providers mounted at paths, and the resources opened through them.
#ifndef CF_BASE_VFS_H
#define CF_BASE_VFS_H

#include <mujoco/mujoco.h>

// open through the VFS; NULL when nothing is there
mjResource* cfi_vfsOpen(mjVFS* vfs, const char* directory, const char* name);

// close a resource that cfi_vfsOpen gave
void cfi_vfsClose(mjResource* resource);

// the provider of plain files
extern const mjpResourceProvider cfi_fileProvider;

#endif  // CF_BASE_VFS_H
