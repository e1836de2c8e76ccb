// placeholder
#include "compile/mesh.h"
void cfi_buildOctree(const cfMesh* mesh, const double aamm[6], cfOctree* out) {
  (void)aamm;
  (void)out;
  cfi_fail(mesh->draft, &mesh->part->part, "signed distance fields of meshes are not supported yet");
}
