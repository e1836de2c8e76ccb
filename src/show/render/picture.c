// mjr_render: one picture of a scene.
//
// Order of the passes: mirror images; opaque geoms with the lamps that throw no shadows; the other
// lamps, added one by one; sky; transparent geoms; labels.  Segmentation is one pass of its own.
#include <math.h>

#include "base/assert.h"
#include "base/sort.h"
#include "math/libm.h"
#include "render/buffers.h"
#include "render/draw.h"
#include "render/gl.h"
#include "render/matrix.h"

// below this a geom lets light through
static const double opaque_alpha = 0.995;

// distance of planes in the order of transparent geoms: behind everything
static const float plane_distance = 1e10f;


//---------------------------------- the scene -----------------------------------------------------

// new positions of skins
static void uploadSkins(const cfPicture* p) {
  const mjvScene* scn = p->scn;
  for (int k = 0; k < scn->nskin && k < p->con->nskin; k++) {
    const GLsizeiptr bytes = 3 * scn->skinvertnum[k] * (GLsizeiptr)sizeof(float);
    const int first = 3 * scn->skinvertadr[k];
    cfi_gl.BindBuffer(GL_ARRAY_BUFFER, p->con->skinvertVBO[k]);
    cfi_gl.BufferData(GL_ARRAY_BUFFER, bytes, scn->skinvert + first, GL_STREAM_DRAW);
    cfi_gl.BindBuffer(GL_ARRAY_BUFFER, p->con->skinnormalVBO[k]);
    cfi_gl.BufferData(GL_ARRAY_BUFFER, bytes, scn->skinnormal + first, GL_STREAM_DRAW);
  }
  cfi_gl.BindBuffer(GL_ARRAY_BUFFER, 0);
}


// radius of a ball around a geom
static float ballAround(const mjvGeom* geom) {
  const float* s = geom->size;
  if (geom->objtype == mjOBJ_GEOM) {
    return geom->modelrbound;
  }
  switch (geom->type) {
    case mjGEOM_SPHERE:
      return s[0];
    case mjGEOM_CAPSULE:
      return s[0] + s[2];
    case mjGEOM_CYLINDER:
      return sqrtf(s[0] * s[0] + s[2] * s[2]);
    case mjGEOM_BOX:
      return sqrtf(cfi_dotf(s, s));
    default:
      return (float)cfi_fmax(s[0], cfi_fmax(s[1], s[2]));
  }
}


// distance at which a geom begins
static float distanceOf(const cfPicture* p, const mjvGeom* geom) {
  if (geom->type == mjGEOM_PLANE) {
    return plane_distance;
  }
  float offset[3];
  for (int k = 0; k < 3; k++) {
    offset[k] = geom->pos[k] - p->head[k];
  }
  return sqrtf(cfi_dotf(offset, offset)) - ballAround(geom);
}


static int compareDistance(const void* a, const void* b, void* geoms) {
  const int first = *(const int*)a, second = *(const int*)b;
  const mjvGeom* list = geoms;
  const float d1 = list[first].camdist, d2 = list[second].camdist;
  return d1 < d2 ? -1 : (d1 > d2 ? 1 : first - second);
}


// mark and sort what lets light through: planes seen from behind, too
static void findTransparent(cfPicture* p) {
  mjvScene* scn = p->scn;
  p->transparent = 0;
  for (int k = 0; k < scn->ngeom; k++) {
    mjvGeom* geom = scn->geoms + k;
    geom->transparent = geom->rgba[3] < opaque_alpha ||
                        (geom->type == mjGEOM_PLANE && cfi_isBehind(p->head, geom->pos, geom->mat));
    if (geom->transparent) {
      scn->geomorder[p->transparent++] = k;
      geom->camdist = distanceOf(p, geom);
    }
  }
  CF_ASSERT(p->transparent <= scn->ngeom);
  if (p->transparent > 1) {
    cfi_sortWith(scn->geomorder, (size_t)p->transparent, sizeof(int), compareDistance, scn->geoms);
  }
}


// only the first mirror reflects
static void keepOneMirror(mjvScene* scn) {
  bool has_mirror = false;
  for (int k = 0; k < scn->ngeom; k++) {
    if (has_mirror) {
      scn->geoms[k].reflectance = 0;
    }
    has_mirror = has_mirror || cfi_isMirror(scn->geoms + k);
  }
}


//---------------------------------- state ---------------------------------------------------------

static void switchState(GLenum state, bool is_on) {
  (is_on ? cfi_gl.Enable : cfi_gl.Disable)(state);
}


// state of OpenGL as all passes expect it
static void prepareState(const cfPicture* p) {
  static const float white[4] = {1, 1, 1, 1};
  const mjtByte* flags = p->scn->flags;
  cfi_gl.Enable(GL_MULTISAMPLE);
  cfi_gl.Enable(GL_LIGHTING);
  switchState(GL_FOG, flags[mjRND_FOG]);
  cfi_gl.Disable(GL_BLEND);
  cfi_gl.Enable(GL_NORMALIZE);
  if (cfi_gl.has_clip_control) {
    cfi_gl.ClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
  }
  cfi_gl.Enable(GL_DEPTH_TEST);
  cfi_gl.DepthMask(1);
  cfi_gl.DepthFunc(GL_GEQUAL);
  cfi_gl.DepthRange(0, 1);
  switchState(GL_CULL_FACE, flags[mjRND_CULL_FACE]);
  cfi_gl.ShadeModel(GL_SMOOTH);
  cfi_gl.AlphaFunc(GL_GEQUAL, 0.99f);
  cfi_gl.ClearColor(0, 0, 0, 0);
  cfi_gl.ClearDepth(0);
  cfi_gl.ClearStencil(0);
  cfi_gl.TexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, flags[mjRND_WIREFRAME] ? GL_LINE : GL_FILL);
  cfi_gl.LineWidth(p->con->lineWidth);
  cfi_gl.FrontFace(GL_CCW);
  cfi_gl.Materialfv(GL_FRONT_AND_BACK, GL_SPECULAR, white);
  cfi_gl.Enable(GL_COLOR_MATERIAL);
  cfi_gl.ColorMaterial(GL_FRONT_AND_BACK, GL_AMBIENT_AND_DIFFUSE);
}


static void setViewport(mjrRect r) {
  cfi_gl.Viewport(r.left, r.bottom, r.width, r.height);
}


static void clearRect(mjrRect r, GLbitfield mask) {
  cfi_gl.Scissor(r.left, r.bottom, r.width, r.height);
  cfi_gl.Enable(GL_SCISSOR_TEST);
  cfi_gl.Clear(mask);
  cfi_gl.Disable(GL_SCISSOR_TEST);
}


// matrices of one eye, or of the middle for eye = -1; the width of the view follows the picture
// unless the camera has one
static void setView(cfPicture* p, int eye) {
  const mjvGLCamera cam = eye >= 0 ? p->scn->camera[eye] : p->camera;
  const float half = cam.frustum_width
                         ? cam.frustum_width
                         : 0.5f * (float)p->viewport.width / (float)p->viewport.height *
                               (cam.frustum_top - cam.frustum_bottom);
  void (*project)(GLdouble, GLdouble, GLdouble, GLdouble, GLdouble, GLdouble) =
      cam.orthographic ? cfi_gl.Ortho : cfi_gl.Frustum;
  cfi_gl.MatrixMode(GL_PROJECTION);
  cfi_gl.LoadIdentity();
  cfi_reverseDepth();
  project(cam.frustum_center - half, cam.frustum_center + half, cam.frustum_bottom, cam.frustum_top,
          cam.frustum_near, cam.frustum_far);
  cfi_gl.GetFloatv(GL_PROJECTION_MATRIX, p->project);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.LoadIdentity();
  cfi_lookAlong(cam.pos, cam.forward, cam.up);
  if (p->scn->enabletransform) {
    cfi_roomFrame(p->scn);
  }
  cfi_gl.GetFloatv(GL_MODELVIEW_MATRIX, p->view);
}


//---------------------------------- passes --------------------------------------------------------

// one color for each object, no light
static void drawSegments(const cfPicture* p) {
  const mjvScene* scn = p->scn;
  cfi_gl.ShadeModel(GL_FLAT);
  cfi_gl.Disable(GL_LIGHTING);
  cfi_gl.Disable(GL_COLOR_MATERIAL);
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  cfi_gl.Disable(GL_FOG);
  cfi_gl.Disable(GL_MULTISAMPLE);
  for (int k = 0; k < scn->ngeom; k++) {
    if (scn->geoms[k].segid >= 0) {
      cfi_drawGeom(p, scn->geoms + k, scn->flags[mjRND_IDCOLOR] ? CF_PASS_ID : CF_PASS_SEGMENT);
    }
  }
}


static bool hasShadows(const cfPicture* p) {
  return p->scn->flags[mjRND_SHADOW] && p->con->shadowFBO;
}


// mirrors first, over the images in them; then everything else
static void drawOpaque(const cfPicture* p) {
  const mjvScene* scn = p->scn;
  for (int k = 0; k < p->lights; k++) {
    cfi_placeLight(p, k);
    cfi_switchLight(k, !scn->lights[k].castshadow || !hasShadows(p));
  }
  cfi_gl.Enable(GL_BLEND);
  cfi_gl.BlendFunc(GL_ONE, GL_ONE);
  for (int k = 0; k < scn->ngeom; k++) {
    if (cfi_isMirror(scn->geoms + k)) {
      cfi_drawGeom(p, scn->geoms + k, CF_PASS_COLOR);
    }
  }
  cfi_gl.Disable(GL_BLEND);
  for (int k = 0; k < scn->ngeom; k++) {
    if (!scn->geoms[k].transparent && !cfi_isMirror(scn->geoms + k)) {
      cfi_drawGeom(p, scn->geoms + k, CF_PASS_COLOR);
    }
  }
  for (int k = 0; k < p->lights; k++) {
    cfi_switchLight(k, false);
  }
}


// all lamps; from near to far and back, so that what is behind shows whatever the order
static void drawTransparent(const cfPicture* p) {
  const mjvScene* scn = p->scn;
  const bool is_additive = scn->flags[mjRND_ADDITIVE];
  for (int k = 0; k < p->lights; k++) {
    cfi_switchLight(k, true);
  }
  cfi_gl.DepthMask(0);
  cfi_gl.Enable(GL_BLEND);
  cfi_gl.BlendFunc(GL_SRC_ALPHA, is_additive ? GL_ONE : GL_ONE_MINUS_SRC_ALPHA);
  for (int k = 0; k < p->transparent; k++) {
    cfi_drawGeom(p, scn->geoms + scn->geomorder[k], CF_PASS_COLOR);
  }
  for (int k = p->transparent - 1; k >= 0 && !is_additive; k--) {
    cfi_drawGeom(p, scn->geoms + scn->geomorder[k], CF_PASS_COLOR);
  }
  cfi_gl.DepthMask(1);
  cfi_gl.Disable(GL_BLEND);
  for (int k = 0; k < p->lights; k++) {
    cfi_switchLight(k, false);
  }
}


static void drawLabels(const cfPicture* p) {
  static const float white[3] = {1, 1, 1};
  cfi_gl.Disable(GL_DEPTH_TEST);
  cfi_gl.Disable(GL_LIGHTING);
  for (int k = 0; k < p->scn->ngeom; k++) {
    const mjvGeom* geom = p->scn->geoms + k;
    if (geom->label[0]) {
      cfi_drawText(mjFONT_SHADOW, geom->label, p->con, geom->pos, white);
    }
  }
  cfi_gl.Enable(GL_DEPTH_TEST);
  cfi_gl.Enable(GL_LIGHTING);
}


static void drawView(cfPicture* p, int eye) {
  const mjtByte* flags = p->scn->flags;
  setView(p, eye);
  if (flags[mjRND_SEGMENT]) {
    drawSegments(p);
    return;
  }
  if (flags[mjRND_REFLECTION] && !flags[mjRND_DEPTH]) {
    cfi_drawReflections(p);
  }
  drawOpaque(p);
  if (hasShadows(p)) {
    cfi_drawShadows(p);
  }
  if (flags[mjRND_SKYBOX]) {
    cfi_drawSky(p);
  }
  drawTransparent(p);
  drawLabels(p);
}


//---------------------------------- both eyes -----------------------------------------------------

// a buffer for each eye where the window has them, else two halves of the picture
static int stereoMode(const cfPicture* p) {
  const bool has_buffers = p->con->currentBuffer == mjFB_WINDOW && p->con->windowStereo;
  return p->scn->stereo == mjSTEREO_QUADBUFFERED && !has_buffers ? mjSTEREO_SIDEBYSIDE
                                                                 : p->scn->stereo;
}


static void selectEyeBuffer(cfPicture* p, int eye) {
  const bool is_double = p->con->windowDoublebuffer;
  const GLenum left = is_double ? GL_BACK_LEFT : GL_FRONT_LEFT;
  const GLenum right = is_double ? GL_BACK_RIGHT : GL_FRONT_RIGHT;
  p->buffer = eye ? right : left;
  cfi_gl.DrawBuffer(p->buffer);

  // depth is shared
  if (eye) {
    cfi_gl.Clear(GL_DEPTH_BUFFER_BIT);
  }
}


static void drawEyes(cfPicture* p) {
  const int stereo = stereoMode(p);
  if (!stereo) {
    drawView(p, -1);
    return;
  }
  if (stereo == mjSTEREO_SIDEBYSIDE) {
    p->viewport.width /= 2;
  }
  for (int eye = 0; eye < 2; eye++) {
    if (stereo == mjSTEREO_QUADBUFFERED) {
      selectEyeBuffer(p, eye);
    } else {
      p->viewport.left += eye ? p->viewport.width : 0;
      setViewport(p->viewport);
    }
    drawView(p, eye);
  }
}


//---------------------------------- afterwards ----------------------------------------------------

// colored edge around the picture
static void drawFrame(const cfPicture* p) {
  const mjrRect v = p->viewport;
  const int width = p->scn->framewidth;
  const float* rgb = p->scn->framergb;
  const mjrRect edges[4] = {{v.left, v.bottom, v.width, width},
                            {v.left, v.bottom + v.height - width, v.width, width},
                            {v.left, v.bottom, width, v.height},
                            {v.left + v.width - width, v.bottom, width, v.height}};
  cfi_gl.ClearColor(rgb[0], rgb[1], rgb[2], 0);
  for (int k = 0; k < 4; k++) {
    clearRect(edges[k], GL_COLOR_BUFFER_BIT);
  }
}


// a picture of gray values over the whole view
static void drawGray(const float* values, int width, int height) {
  static const float corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  GLuint texture;
  cfi_gl.Enable(GL_TEXTURE_2D);
  cfi_gl.GenTextures(1, &texture);
  cfi_gl.BindTexture(GL_TEXTURE_2D, texture);
  cfi_gl.TexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE, width, height, 0, GL_LUMINANCE, GL_FLOAT,
                    values);
  cfi_gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  cfi_gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  cfi_gl.TexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
  cfi_gl.Color4f(1, 1, 1, 1);
  cfi_gl.Begin(GL_QUADS);
  for (int k = 0; k < 4; k++) {
    cfi_gl.TexCoord2f(corner[k][0], corner[k][1]);
    cfi_gl.Vertex2f(corner[k][0], corner[k][1]);
  }
  cfi_gl.End();
  cfi_gl.DeleteTextures(1, &texture);
}


// replace colors by depth
static void showDepth(const cfPicture* p) {
  const int width = p->viewport.width, height = p->viewport.height;
  const mjrRect all = {0, 0, width, height};
  float* depth = mju_malloc(sizeof(float) * (size_t)width * (size_t)height);
  if (!depth) {
    return;
  }
  cfi_resolve(all, GL_DEPTH_BUFFER_BIT, p->con);
  cfi_gl.ReadPixels(0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
  mjr_restoreBuffer(p->con);
  cfi_gl.PushAttrib(GL_ENABLE_BIT | GL_TRANSFORM_BIT | GL_TEXTURE_BIT | GL_LIGHTING_BIT |
                    GL_POLYGON_BIT);
  cfi_gl.MatrixMode(GL_PROJECTION);
  cfi_gl.PushMatrix();
  cfi_gl.LoadIdentity();
  cfi_gl.Ortho(0, 1, 0, 1, -1, 1);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.PushMatrix();
  cfi_gl.LoadIdentity();
  cfi_gl.Disable(GL_LIGHTING);
  cfi_gl.Disable(GL_DEPTH_TEST);
  cfi_gl.Disable(GL_CULL_FACE);
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  drawGray(depth, width, height);
  cfi_gl.MatrixMode(GL_PROJECTION);
  cfi_gl.PopMatrix();
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.PopMatrix();
  cfi_gl.PopAttrib();
  mju_free(depth);
}


void mjr_render(mjrRect viewport, mjvScene* scn, const mjrContext* con) {
  cfPicture p = {.scn = scn, .con = con, .viewport = viewport};
  mjtNum head[3];
  if (viewport.width <= 0 || viewport.height <= 0 || !cfi_needGl("mjr_render")) {
    return;
  }
  p.camera = mjv_averageCamera(scn->camera, scn->camera + 1);
  if (p.camera.frustum_near < mjMINVAL) {
    if (scn->ngeom) {
      mju_error("mjvScene frustum_near too small in mjr_render");
    }
    return;
  }
  p.buffer = cfi_currentSurface(con).color;
  mjv_cameraInModel(head, NULL, NULL, scn);
  mju_n2f(p.head, head, 3);
  uploadSkins(&p);
  cfi_setLights(&p);
  findTransparent(&p);
  keepOneMirror(scn);
  prepareState(&p);
  setViewport(viewport);
  clearRect(viewport, GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  drawEyes(&p);
  if (scn->framewidth) {
    drawFrame(&p);
  }
  if (scn->flags[mjRND_DEPTH]) {
    showDepth(&p);
  }
  mjr_restoreBuffer(con);
  cfi_checkGl("mjr_render");
}
