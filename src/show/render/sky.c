// Skybox, and haze where an endless ground meets it.
#include "render/draw.h"
#include "render/gl.h"
#include "render/matrix.h"
#include "render/shapes.h"

// radius of the sky as a part of the farthest distance: just inside 1 / sqrt(2)
static const float sky_radius = 0.70f;


static bool hasSky(const mjrContext* con) {
  for (int k = 0; k < con->ntexture; k++) {
    if (con->textureType[k] == mjTEXTURE_SKYBOX) {
      return true;
    }
  }
  return false;
}


// first plane without an end, or NULL
static const mjvGeom* endlessPlane(const mjvScene* scn) {
  for (int k = 0; k < scn->ngeom; k++) {
    const mjvGeom* geom = scn->geoms + k;
    if (geom->type == mjGEOM_PLANE && geom->size[0] == 0 && geom->size[1] == 0) {
      return geom;
    }
  }
  return NULL;
}


// in the frame of the sky; seen from below there is none
static void drawHaze(const cfPicture* p, float radius) {
  const mjvGeom* plane = endlessPlane(p->scn);
  if (!plane) {
    return;
  }
  float height = 0;
  for (int k = 0; k < 3; k++) {
    height += (p->head[k] - plane->pos[k]) * plane->mat[3 * k + 2];
  }
  height /= radius;
  if (height < 0) {
    return;
  }
  cfi_rotate9(plane->mat);
  cfi_gl.Translatef(0, 0, -height);
  cfi_gl.Scalef(1, 1, height);
  cfi_gl.Enable(GL_BLEND);
  cfi_gl.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  cfi_gl.CallList(p->con->baseBuiltin + CF_SHAPE_HAZE);
  cfi_gl.Disable(GL_BLEND);
}


// a drum around the camera, seen from inside
void cfi_drawSky(cfPicture* p) {
  const mjvScene* scn = p->scn;
  if (!hasSky(p->con)) {
    return;
  }
  float radius = p->camera.frustum_far * sky_radius;
  if (scn->enabletransform) {
    radius /= scn->scale;
  }
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  cfi_gl.Disable(GL_LIGHTING);
  cfi_gl.Disable(GL_COLOR_MATERIAL);
  cfi_gl.CullFace(GL_FRONT);
  cfi_gl.PushMatrix();
  cfi_gl.Translatef(p->head[0], p->head[1], p->head[2]);
  cfi_gl.Scalef(radius, radius, radius);
  cfi_skyTextureOn(p->con);
  cfi_gl.Color4f(1, 1, 1, 1);
  cfi_gl.CallList(p->con->baseBuiltin + CF_SHAPE_DRUM);
  cfi_skyTextureOff();
  if (scn->flags[mjRND_HAZE]) {
    drawHaze(p, radius);
  }
  cfi_gl.PopMatrix();
  cfi_gl.Enable(GL_LIGHTING);
  cfi_gl.Enable(GL_COLOR_MATERIAL);
  cfi_gl.CullFace(GL_BACK);
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, scn->flags[mjRND_WIREFRAME] ? GL_LINE : GL_FILL);
}
