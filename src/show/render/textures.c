// Textures, the materials that use them, and skins.
#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "render/assets.h"
#include "render/gl.h"

// the skybox is the texture of a material that no model has
enum { SKY_MATERIAL = mjMAXMATERIAL - 1 };


// first texture of the sky, -1 if there is none
static int skyTexture(const mjModel* m) {
  for (int i = 0; i < m->ntex; i++) {
    if (m->tex_type[i] == mjTEXTURE_SKYBOX) {
      return i;
    }
  }
  return -1;
}


// copy what is needed of materials with a texture, so that drawing does not need the model
static bool copyMaterials(const mjModel* m, mjrContext* con) {
  CF_ASSERT(con->mat_texuniform[0] == 0 && con->mat_texrepeat[0] == 0);
  for (int k = 0; k < mjMAXMATERIAL * mjNTEXROLE; k++) {
    con->mat_texid[k] = -1;
  }
  const int sky = skyTexture(m);
  if (sky >= 0 && m->nmat >= mjMAXMATERIAL - 2) {
    mju_error("With skybox, maximum number of materials is %d, got %" PRId64, mjMAXMATERIAL - 1,
              (int64_t)m->nmat);
    return false;
  }
  if (m->nmat >= mjMAXMATERIAL - 1) {
    mju_error("Maximum number of materials is %d, got %" PRId64, mjMAXMATERIAL, (int64_t)m->nmat);
    return false;
  }
  con->mat_texid[mjNTEXROLE * SKY_MATERIAL + mjTEXROLE_RGB] = sky;
  for (int i = 0; i < m->nmat; i++) {
    const int* roles = m->mat_texid + mjNTEXROLE * i;
    if (roles[mjTEXROLE_RGB] >= 0) {
      memcpy(con->mat_texid + mjNTEXROLE * i, roles, mjNTEXROLE * sizeof(int));
      memcpy(con->mat_texrepeat + 2 * i, m->mat_texrepeat + 2 * i, 2 * sizeof(float));
      con->mat_texuniform[i] = m->mat_texuniform[i];
    }
  }
  return true;
}


// bind a texture to unit 0, filtered and with coordinates from positions
static void prepareTexture(GLenum target, unsigned int texture, GLint wrap, int coordinates) {
  CF_ASSERT(coordinates == 2 || coordinates == 3);
  static const GLenum wrapped[3] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R};
  static const GLenum generated[3] = {GL_S, GL_T, GL_R};
  cfi_gl.ActiveTexture(GL_TEXTURE0);
  cfi_gl.Enable(target);
  cfi_gl.BindTexture(target, texture);
  cfi_gl.TexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  cfi_gl.TexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  for (int k = 0; k < coordinates; k++) {
    float plane[4] = {0};
    plane[k] = 1;
    cfi_gl.TexParameteri(target, wrapped[k], wrap);
    cfi_gl.TexGeni(generated[k], GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
    cfi_gl.TexGenfv(generated[k], GL_OBJECT_PLANE, plane);
  }
}


static void uploadFlat(const mjModel* m, int id, const mjtByte* pixels) {
  const bool has_alpha = m->tex_nchannel[id] == 4,
             is_srgb = m->tex_colorspace[id] == mjCOLORSPACE_SRGB;
  GLenum format = has_alpha ? GL_RGBA : GL_RGB, inside = format;
  if (is_srgb) {
    inside = has_alpha ? GL_SRGB8_ALPHA8 : GL_SRGB8;
  }
  cfi_gl.TexImage2D(GL_TEXTURE_2D, 0, (GLint)inside, m->tex_width[id], m->tex_height[id], 0, format,
                    GL_UNSIGNED_BYTE, pixels);
}


// six squares one below the other, or one for all sides
static void uploadCube(const mjModel* m, int id, const mjtByte* pixels) {
  const int side = m->tex_width[id];
  const size_t stride = m->tex_height[id] == side ? 0 : 3 * (size_t)side * (size_t)side;
  for (unsigned int face = 0; face < 6; face++) {
    cfi_gl.TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGB, side, side, 0, GL_RGB,
                      GL_UNSIGNED_BYTE, pixels + face * stride);
  }
}


void mjr_uploadTexture(const mjModel* m, const mjrContext* con, int texid) {
  if (!cfi_canUpload("mjr_uploadTexture", "texture", texid, m->ntex)) {
    return;
  }
  const mjtByte* pixels = m->tex_data + m->tex_adr[texid];
  const bool is_flat = m->tex_type[texid] == mjTEXTURE_2D;
  const GLenum target = is_flat ? GL_TEXTURE_2D : GL_TEXTURE_CUBE_MAP;
  prepareTexture(target, con->texture[texid], is_flat ? GL_REPEAT : GL_CLAMP_TO_EDGE,
                 is_flat ? 2 : 3);
  if (is_flat && m->tex_nchannel[texid] != 3 && m->tex_nchannel[texid] != 4) {
    mju_error("Number of channels not supported: %d", m->tex_nchannel[texid]);
  } else if (is_flat) {
    uploadFlat(m, texid, pixels);
    cfi_gl.GenerateMipmap(target);
  } else {
    uploadCube(m, texid, pixels);
    cfi_gl.GenerateMipmap(target);
  }
  cfi_gl.Disable(target);
  cfi_checkGl("mjr_uploadTexture");
}


bool cfi_makeTextures(const mjModel* m, mjrContext* con) {
  if (!copyMaterials(m, con)) {
    return false;
  }
  if (m->ntex > mjMAXTEXTURE) {
    mju_error("Maximum number of textures is %d", mjMAXTEXTURE);
    return false;
  }
  con->ntexture = (int)m->ntex;
  if (m->ntex) {
    cfi_gl.GenTextures(con->ntexture, con->texture);
  }
  for (int i = 0; i < m->ntex; i++) {
    con->textureType[i] = m->tex_type[i];
    mjr_uploadTexture(m, con, i);
  }
  return true;
}


//---------------------------------- skins ---------------------------------------------------------

// what does not move: texture coordinates and triangles
static void uploadSkin(const mjModel* m, mjrContext* con, int id) {
  CF_ASSERT_INDEX(id, con->nskin);
  if (m->skin_texcoordadr[id] < 0) {
    cfi_gl.DeleteBuffers(1, con->skintexcoordVBO + id);
    con->skintexcoordVBO[id] = 0;
  } else {
    cfi_gl.BindBuffer(GL_ARRAY_BUFFER, con->skintexcoordVBO[id]);
    cfi_gl.BufferData(GL_ARRAY_BUFFER, 2 * m->skin_vertnum[id] * (GLsizeiptr)sizeof(float),
                      m->skin_texcoord + 2 * m->skin_texcoordadr[id], GL_STATIC_DRAW);
  }
  cfi_gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, con->skinfaceVBO[id]);
  cfi_gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, 3 * m->skin_facenum[id] * (GLsizeiptr)sizeof(int),
                    m->skin_face + 3 * m->skin_faceadr[id], GL_STATIC_DRAW);
}


bool cfi_makeSkins(const mjModel* m, mjrContext* con) {
  const int n = (int)m->nskin;
  unsigned int** names[4] = {&con->skinvertVBO, &con->skinnormalVBO, &con->skintexcoordVBO,
                             &con->skinfaceVBO};
  con->nskin = n;
  if (!n) {
    return true;
  }
  for (int k = 0; k < 4; k++) {
    *names[k] = mju_malloc((size_t)n * sizeof(unsigned int));
    cfi_gl.GenBuffers(n, *names[k]);
  }
  for (int i = 0; i < n; i++) {
    uploadSkin(m, con, i);
  }
  cfi_gl.BindBuffer(GL_ARRAY_BUFFER, 0);
  cfi_gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
  return true;
}


void cfi_freeSkins(mjrContext* con) {
  unsigned int* names[4] = {con->skinvertVBO, con->skinnormalVBO, con->skintexcoordVBO,
                            con->skinfaceVBO};
  for (int k = 0; k < 4 && con->nskin; k++) {
    cfi_gl.DeleteBuffers(con->nskin, names[k]);
    mju_free(names[k]);
  }
}
