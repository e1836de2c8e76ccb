// GMSH files, versions 2.2 and 4.1.
#include "mjcf/flexcomp.h"

#include <stdlib.h>

bool cfi_readGmsh(cfFlexcomp* f, const void* data, size_t size) {
  (void)data;
  (void)size;
  return cfi_badFlexcomp(f, "flexcomps from GMSH files are not implemented");
}

bool cfi_loadFlexGmsh(cfFlexcomp* f) {
  mjResource* resource = cfi_openFlexFile(f);
  if (!resource) {
    return false;
  }
  const void* bytes = NULL;
  const int size = mju_readResource(resource, &bytes);
  const bool is_read = size < 0    ? cfi_badFlexcomp(f, "Could not read GMSH file")
                       : size == 0 ? cfi_badFlexcomp(f, "Empty GMSH file")
                                   : cfi_readGmsh(f, bytes, (size_t)size);
  mju_closeResource(resource);
  return is_read;
}
