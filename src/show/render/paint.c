// Textures while drawing: which one, and how positions become texture coordinates.
#include "base/assert.h"
#include "render/draw.h"
#include "render/gl.h"

// how texture coordinates come about
typedef enum {
  MAPPING_GIVEN,  // each vertex has its own
  MAPPING_FLAT,   // from x and y
  MAPPING_CUBE    // direction from the center
} textureMapping;

// target and number of coordinates that OpenGL makes from positions
typedef struct {
  GLenum target;
  int generated;
} mappingState;

static const mappingState mapping_states[] = {
    {GL_TEXTURE_2D, 0}, {GL_TEXTURE_2D, 2}, {GL_TEXTURE_CUBE_MAP, 3}};
static const GLenum coordinate_names[4] = {GL_S, GL_T, GL_R, GL_Q};


static void switchTexture(GLenum unit, mappingState state, bool is_on) {
  static const GLenum makers[4] = {GL_TEXTURE_GEN_S, GL_TEXTURE_GEN_T, GL_TEXTURE_GEN_R,
                                   GL_TEXTURE_GEN_Q};
  CF_ASSERT(state.generated <= 4);
  void (*change)(GLenum) = is_on ? cfi_gl.Enable : cfi_gl.Disable;
  cfi_gl.ActiveTexture(unit);
  change(state.target);
  for (int k = 0; k < state.generated; k++) {
    change(makers[k]);
  }
}


// coordinate k is this linear function of the position
static void setCoordinate(int k, float a, float b, float c, float d) {
  const float plane[4] = {a, b, c, d};
  cfi_gl.TexGenfv(coordinate_names[k], GL_OBJECT_PLANE, plane);
}


// texture of a geom's material, -1 for none
static int paintTexture(const mjrContext* con, const mjvGeom* geom) {
  if (geom->matid < 0 || geom->matid >= mjMAXMATERIAL) {
    return -1;
  }
  return con->mat_texid[mjNTEXROLE * geom->matid + mjTEXROLE_RGB];
}


static textureMapping mappingOf(const mjrContext* con, const mjvGeom* geom, int texture) {
  if (geom->texcoord) {
    return MAPPING_GIVEN;
  }
  return texture >= 0 && con->textureType[texture] == mjTEXTURE_2D ? MAPPING_FLAT : MAPPING_CUBE;
}


// a flat texture is repeated over the object, or over the unit of length if it is uniform; display
// lists of planes and meshes have their size in them already
static void mapFlat(const mjrContext* con, const mjvGeom* geom) {
  float scale[2];
  for (int k = 0; k < 2; k++) {
    const float size = geom->size[k];
    scale[k] = con->mat_texrepeat[2 * geom->matid + k];
    if (geom->dataid >= 0 && size > 0) {
      scale[k] = (float)(scale[k] / mju_max(mjMINVAL, size));
    }
    if (con->mat_texuniform[geom->matid] && size > 0) {
      scale[k] *= size;
    }
  }
  setCoordinate(0, 0.5f * scale[0], 0, 0, -0.5f);
  setCoordinate(1, 0, -0.5f * scale[1], 0, -0.5f);
}


static void mapCube(const mjrContext* con, const mjvGeom* geom) {
  const bool is_uniform = con->mat_texuniform[geom->matid];
  setCoordinate(0, is_uniform ? geom->size[0] : 1, 0, 0, 0);
  setCoordinate(1, 0, is_uniform ? geom->size[1] : 1, 0, 0);
  setCoordinate(2, 0, 0, is_uniform ? geom->size[2] : 1, 0);
}


void cfi_textureOn(const mjrContext* con, const mjvGeom* geom) {
  const int texture = paintTexture(con, geom);
  const textureMapping mapping = mappingOf(con, geom, texture);
  const mappingState state = mapping_states[mapping];
  switchTexture(GL_TEXTURE0, state, texture >= 0);
  if (texture < 0) {
    return;
  }
  cfi_gl.BindTexture(state.target, con->texture[texture]);
  if (mapping == MAPPING_FLAT) {
    mapFlat(con, geom);
  } else if (mapping == MAPPING_CUBE) {
    mapCube(con, geom);
  }
}


void cfi_textureOff(const mjrContext* con, const mjvGeom* geom) {
  switchTexture(GL_TEXTURE0, mapping_states[mappingOf(con, geom, paintTexture(con, geom))], false);
}


// the z axis of the model is the y axis of a cube map
void cfi_skyTextureOn(const mjrContext* con) {
  const int texture = con->mat_texid[mjNTEXROLE * (mjMAXMATERIAL - 1) + mjTEXROLE_RGB];
  if (texture < 0) {
    return;
  }
  switchTexture(GL_TEXTURE0, mapping_states[MAPPING_CUBE], true);
  cfi_gl.BindTexture(GL_TEXTURE_CUBE_MAP, con->texture[texture]);
  setCoordinate(0, 1, 0, 0, 0);
  setCoordinate(1, 0, 0, 1, 0);
  setCoordinate(2, 0, -1, 0, 0);
}


void cfi_skyTextureOff(void) {
  switchTexture(GL_TEXTURE0, mapping_states[MAPPING_CUBE], false);
}


void cfi_shadowTextureOn(const mjrContext* con, const float matrix[16]) {
  switchTexture(GL_TEXTURE1, (mappingState){GL_TEXTURE_2D, 4}, true);
  cfi_gl.BindTexture(GL_TEXTURE_2D, con->shadowTex);
  for (int k = 0; k < 4; k++) {
    const float row[4] = {matrix[k], matrix[k + 4], matrix[k + 8], matrix[k + 12]};
    cfi_gl.TexGenfv(coordinate_names[k], GL_EYE_PLANE, row);
  }
}


void cfi_shadowTextureOff(void) {
  switchTexture(GL_TEXTURE1, (mappingState){GL_TEXTURE_2D, 4}, false);
}
