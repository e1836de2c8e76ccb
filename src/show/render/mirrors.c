// Reflections: the scene is drawn once more, mirrored at the plane and only where the plane is
// seen. One mirror is enough; more would shine through each other.
#include "base/assert.h"
#include "render/draw.h"
#include "render/gl.h"
#include "render/matrix.h"


// a mirrored geom is darker by the reflectance of the mirror
static void drawDarkened(const cfPicture* p, int geom, float reflectance) {
  CF_ASSERT_INDEX(geom, p->scn->ngeom);
  mjvGeom copy = p->scn->geoms[geom];
  for (int k = 0; k < 3; k++) {
    copy.rgba[k] *= reflectance;
  }
  cfi_drawGeom(p, &copy, CF_PASS_COLOR);
}


// the plane that mirrors: a plane itself, or the upper side of a box
static mjvGeom mirrorPlane(const mjvGeom* geom) {
  mjvGeom plane = *geom;
  if (geom->type == mjGEOM_BOX) {
    plane.type = mjGEOM_PLANE;
    for (int k = 0; k < 3; k++) {
      plane.pos[k] += plane.size[2] * plane.mat[3 * k + 2];
    }
  }
  return plane;
}


// mark the pixels of the mirror, and draw only there from now on
static void openStencil(const cfPicture* p, const mjvGeom* plane) {
  cfi_gl.Disable(GL_DEPTH_TEST);
  cfi_gl.ColorMask(0, 0, 0, 0);
  cfi_gl.Enable(GL_STENCIL_TEST);
  cfi_gl.Clear(GL_STENCIL_BUFFER_BIT);
  cfi_gl.StencilFunc(GL_ALWAYS, 1, 0xFF);
  cfi_gl.StencilOp(GL_REPLACE, GL_REPLACE, GL_REPLACE);
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  cfi_drawGeom(p, plane, CF_PASS_COLOR);
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, p->scn->flags[mjRND_WIREFRAME] ? GL_LINE : GL_FILL);

  cfi_gl.Enable(GL_DEPTH_TEST);
  cfi_gl.ColorMask(1, 1, 1, 1);
  cfi_gl.StencilFunc(GL_EQUAL, 1, 0xFF);
  cfi_gl.StencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
}


// keep what is behind the mirror after mirroring; the plane is given before the mirroring
static void clipAt(const mjvGeom* plane) {
  const float normal[3] = {plane->mat[2], plane->mat[5], plane->mat[8]};
  const double equation[4] = {-normal[0], -normal[1], -normal[2], cfi_dotf(plane->pos, normal)};
  cfi_gl.Enable(GL_CLIP_PLANE0);
  cfi_gl.ClipPlane(GL_CLIP_PLANE0, equation);
}


static void switchLamps(const cfPicture* p, bool is_on) {
  for (int k = 0; k < p->lights; k++) {
    if (is_on) {
      cfi_placeLight(p, k);
    }
    cfi_switchLight(k, is_on);
  }
}


static void drawMirrored(const cfPicture* p, int mirror, float reflectance) {
  const mjvScene* scn = p->scn;
  for (int k = 0; k < scn->ngeom; k++) {
    if (k != mirror && !scn->geoms[k].transparent) {
      drawDarkened(p, k, reflectance);
    }
  }
  cfi_gl.DepthMask(0);
  cfi_gl.Enable(GL_BLEND);
  cfi_gl.BlendFunc(GL_SRC_ALPHA, scn->flags[mjRND_ADDITIVE] ? GL_ONE : GL_ONE_MINUS_SRC_ALPHA);
  const int rounds = scn->flags[mjRND_ADDITIVE] ? 1 : 2;
  for (int k = 0; k < rounds * p->transparent; k++) {
    // from near to far, then back
    const int place = k < p->transparent ? k : 2 * p->transparent - 1 - k;
    if (scn->geomorder[place] != mirror) {
      drawDarkened(p, scn->geomorder[place], reflectance);
    }
  }
  cfi_gl.DepthMask(1);
  cfi_gl.Disable(GL_BLEND);
}


void cfi_drawReflections(cfPicture* p) {
  for (int k = 0; k < p->scn->ngeom; k++) {
    if (!cfi_isMirror(p->scn->geoms + k)) {
      continue;
    }
    const mjvGeom plane = mirrorPlane(p->scn->geoms + k);
    if (cfi_isBehind(p->head, plane.pos, plane.mat)) {
      continue;
    }
    openStencil(p, &plane);
    clipAt(&plane);
    cfi_gl.FrontFace(GL_CW);
    cfi_gl.PushMatrix();
    cfi_mirror(plane.pos, plane.mat);
    switchLamps(p, true);
    drawMirrored(p, k, plane.reflectance);
    switchLamps(p, false);
    cfi_gl.Disable(GL_STENCIL_TEST);
    cfi_gl.Disable(GL_CLIP_PLANE0);
    cfi_gl.PopMatrix();
    cfi_gl.FrontFace(GL_CCW);
  }
}
