// Shadows by shadow maps.  For each lamp that throws shadows, the scene is drawn as the lamp sees
// it, depth alone; then it is drawn from the camera with that lamp alone and added where the point
// is not farther from the lamp than the map says.
#include "base/assert.h"
#include "render/buffers.h"
#include "render/draw.h"
#include "render/gl.h"
#include "render/matrix.h"

// offsets of depth against stripes, steep surfaces first; finer where depth is precise
static const float precise_offset[2] = {-1.5f, -4}, coarse_offset[2] = {-16, -512};

// widest cone that has shadows [deg]
static const float widest_cone = 160;


static void lampProjection(const cfPicture* p, const mjvLight* light) {
  const mjrContext* con = p->con;
  const float znear = p->camera.frustum_near, zfar = p->camera.frustum_far;
  cfi_reverseDepth();
  if (light->type == mjLIGHT_DIRECTIONAL) {
    cfi_gl.Ortho(-con->shadowClip, con->shadowClip, -con->shadowClip, con->shadowClip, znear, zfar);
  } else if (light->type == mjLIGHT_SPOT) {
    const float cone = 2 * light->cutoff * con->shadowScale;
    cfi_perspective(cone < widest_cone ? cone : widest_cone, znear, zfar);
  }
}


// look from the lamp; out: from positions to coordinates of the shadow map, from 0 to 1
static void lookFromLamp(const cfPicture* p, const mjvLight* light, float matrix[16]) {
  float project[16], view[16], both[16], up[3];
  const float depth = cfi_gl.has_clip_control ? 1 : 0.5f;
  const float to_map[16] = {0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, depth, 0, 0.5f, 0.5f, 1 - depth, 1};
  cfi_gl.MatrixMode(GL_PROJECTION);
  cfi_gl.LoadIdentity();
  lampProjection(p, light);
  cfi_gl.GetFloatv(GL_PROJECTION_MATRIX, project);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.LoadIdentity();
  cfi_sideways(up, light->dir);
  cfi_lookAlong(light->pos, light->dir, up);
  cfi_gl.GetFloatv(GL_MODELVIEW_MATRIX, view);
  cfi_product4(both, project, view);
  cfi_product4(matrix, to_map, both);
}


// depth of all geoms, front and back, into the shadow map; its rim stays free, so that what is
// outside is in the light
static void fillMap(const cfPicture* p) {
  const mjrContext* con = p->con;
  const float* offset = cfi_gl.has_clip_control ? precise_offset : coarse_offset;
  cfi_gl.BindFramebuffer(GL_FRAMEBUFFER, con->shadowFBO);
  cfi_gl.DrawBuffer(GL_NONE);
  cfi_gl.Clear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);  // whole words, nothing is read
  cfi_gl.Viewport(1, 1, con->shadowSize - 2, con->shadowSize - 2);
  cfi_gl.ShadeModel(GL_FLAT);
  cfi_gl.Disable(GL_LIGHTING);
  cfi_gl.ColorMask(0, 0, 0, 0);
  cfi_gl.Disable(GL_CULL_FACE);
  cfi_gl.Enable(GL_POLYGON_OFFSET_FILL);
  cfi_gl.PolygonOffset(offset[0], offset[1]);
  for (int k = 0; k < p->scn->ngeom; k++) {
    cfi_drawGeom(p, p->scn->geoms + k, CF_PASS_CAST);
  }
}


// back to the camera and its buffer
static void leaveMap(const cfPicture* p) {
  cfi_gl.BindFramebuffer(GL_FRAMEBUFFER, cfi_currentSurface(p->con).fbo);
  cfi_gl.DrawBuffer(p->buffer);
  cfi_gl.Viewport(p->viewport.left, p->viewport.bottom, p->viewport.width, p->viewport.height);
  if (p->scn->flags[mjRND_CULL_FACE]) {
    cfi_gl.Enable(GL_CULL_FACE);
  }
  cfi_gl.Disable(GL_POLYGON_OFFSET_FILL);
  cfi_gl.ShadeModel(GL_SMOOTH);
  cfi_gl.Enable(GL_LIGHTING);
  cfi_gl.ColorMask(1, 1, 1, 1);
  cfi_gl.MatrixMode(GL_PROJECTION);
  cfi_gl.LoadMatrixf(p->project);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.LoadMatrixf(p->view);
}


// add the light of one lamp to what is opaque
static void addLight(const cfPicture* p, int light) {
  cfi_gl.Enable(GL_ALPHA_TEST);
  cfi_gl.Enable(GL_BLEND);
  cfi_gl.BlendFunc(GL_ONE, GL_ONE);
  cfi_gl.DepthMask(0);  // the nearest depth is there already
  cfi_switchLight(light, true);
  for (int k = 0; k < p->scn->ngeom; k++) {
    if (!p->scn->geoms[k].transparent) {
      cfi_drawGeom(p, p->scn->geoms + k, CF_PASS_SHADOW);
    }
  }
  cfi_switchLight(light, false);
  cfi_gl.DepthMask(1);
  cfi_gl.Disable(GL_BLEND);
  cfi_gl.Disable(GL_ALPHA_TEST);
}


void cfi_drawShadows(cfPicture* p) {
  // fog has its color already; adding it once more would glow
  static const float black[4] = {0, 0, 0, 0};
  CF_ASSERT(p->con->shadowFBO);
  cfi_gl.Fogfv(GL_FOG_COLOR, black);
  for (int k = 0; k < p->lights; k++) {
    const mjvLight* light = p->scn->lights + k;
    if (light->castshadow) {
      float matrix[16];
      lookFromLamp(p, light, matrix);
      fillMap(p);
      leaveMap(p);
      cfi_shadowTextureOn(p->con, matrix);
      addLight(p, k);
      cfi_shadowTextureOff();
    }
  }
  cfi_gl.Fogfv(GL_FOG_COLOR, p->con->fogRGBA);
}
