// Stand-ins for asset processing: each is replaced by the real function when it is linked.
#include "compile/asset.h"

__attribute__((weak)) void cfi_compileMesh(cfDraft* draft, const cfMeshDraft* mesh, cfMeshUse use, cfMeshData* out) {
  (void)use;
  (void)out;
  cfi_fail(draft, &mesh->part, "meshes are not supported yet");
}


__attribute__((weak)) void cfi_compileHField(cfDraft* draft, const cfHFieldDraft* hfield, cfHFieldData* out) {
  (void)out;
  cfi_fail(draft, &hfield->part, "height fields are not supported yet");
}


__attribute__((weak)) void cfi_compileTexture(cfDraft* draft, const cfTextureDraft* texture, cfTextureData* out) {
  (void)out;
  cfi_fail(draft, &texture->part, "textures are not supported yet");
}


__attribute__((weak)) void cfi_compileSkin(cfDraft* draft, const cfSkinDraft* skin, cfSkinData* out) {
  (void)out;
  cfi_fail(draft, &skin->part, "skins are not supported yet");
}
