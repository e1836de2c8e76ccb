// Life of a rendering context: what OpenGL keeps of a model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/platform.h"
#include "render/assets.h"
#include "render/buffers.h"
#include "render/gl.h"
#include "render/shapes.h"

// offscreen buffer of a context without a model
enum { PLAIN_WIDTH = 800, PLAIN_HEIGHT = 600 };


void mjr_defaultContext(mjrContext* con) {
  memset(con, 0, sizeof(*con));
}


//---------------------------------- the window ----------------------------------------------------

// is there a window, or only memory to draw into?
static bool findWindow(mjrContext* con) {
  cfi_gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
  const GLenum status = cfi_gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE && status != GL_FRAMEBUFFER_UNDEFINED) {
    mju_error("Default framebuffer is not complete, error 0x%x", status);
    return false;
  }
  con->windowAvailable = status == GL_FRAMEBUFFER_COMPLETE;
  return true;
}


static void describeWindow(mjrContext* con) {
  GLboolean answer = 0;
  GLint buffers = 0, samples = 0;
  cfi_gl.GetBooleanv(GL_STEREO, &answer);
  con->windowStereo = answer;
  cfi_gl.GetBooleanv(GL_DOUBLEBUFFER, &answer);
  con->windowDoublebuffer = answer;
  cfi_gl.GetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
  if (buffers) {
    cfi_gl.GetIntegerv(GL_SAMPLES, &samples);
  }
  con->windowSamples = samples;
}


// messages of the driver, for those who set MUJOCO_GL_DEBUG=1
static void onGlMessage(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                        const char* message, const void* user) {
  (void)length;
  (void)user;
  printf("GL DEBUG: source = 0x%x, type = 0x%x, severity = 0x%x, id = 0x%x\nmessage = %s\n\n",
         source, type, severity, id, message);
}


static void enableMessages(void) {
  const char* wish = cfi_environment("MUJOCO_GL_DEBUG");
  if (cfi_gl.has_debug && wish && !strcmp(wish, "1")) {
    cfi_gl.Enable(GL_DEBUG_OUTPUT);
    cfi_gl.DebugMessageCallback(onGlMessage, NULL);
  }
}


//---------------------------------- make ----------------------------------------------------------

// sizes and colors that drawing needs
static void copyVisual(const mjModel* m, mjrContext* con) {
  const mjtNum extent = m->stat.extent;
  con->shadowClip = (float)(extent * m->vis.map.shadowclip);
  con->shadowScale = m->vis.map.shadowscale;
  con->shadowSize = m->vis.quality.shadowsize;
  con->offWidth = m->vis.global.offwidth;
  con->offHeight = m->vis.global.offheight;
  con->offSamples = m->vis.quality.offsamples;
  con->lineWidth = m->vis.global.linewidth;
  con->fogStart = (float)(extent * m->vis.map.fogstart);
  con->fogEnd = (float)(extent * m->vis.map.fogend);
  memcpy(con->fogRGBA, m->vis.rgba.fog, sizeof(con->fogRGBA));
}


static void setFog(const mjrContext* con) {
  cfi_gl.Fogi(GL_FOG_MODE, GL_LINEAR);
  cfi_gl.Fogf(GL_FOG_START, con->fogStart);
  cfi_gl.Fogf(GL_FOG_END, con->fogEnd);
  cfi_gl.Fogfv(GL_FOG_COLOR, con->fogRGBA);
  cfi_gl.Fogi(GL_FOG_COORD_SRC, GL_FRAGMENT_DEPTH);
  cfi_gl.Hint(GL_FOG_HINT, GL_NICEST);
}


// everything that the model has; false after mju_error
static bool makeParts(const mjModel* m, mjrContext* con, int fontscale) {
  return cfi_makeOffscreen(con) && cfi_makeShadowMap(con) && cfi_makeTextures(m, con) &&
         cfi_makePlanes(m, con) && cfi_makeMeshes(m, con) && cfi_makeHFields(m, con) &&
         cfi_makeShapes(m, con) && cfi_makeSkins(m, con) && cfi_makeFonts(con, fontscale);
}


static void reportErrors(void) {
  GLenum error;
  for (int k = 0; k < 16 && (error = cfi_gl.GetError()) != 0; k++) {
    mju_warning("OpenGL error 0x%x in or before mjr_makeContext", error);
  }
}


static void makeModelContext(const mjModel* m, mjrContext* con, int fontscale) {
  copyVisual(m, con);
  setFog(con);
  if (!makeParts(m, con, fontscale)) {
    return;
  }
  if (cfi_gl.has_seamless_cube) {
    cfi_gl.Enable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
  }
  mjr_setBuffer(mjFB_WINDOW, con);
  reportErrors();
  con->readPixelFormat = GL_RGB;
  con->readDepthMap = mjDEPTH_ZERONEAR;
}


// without a model: a place to draw into, and letters
static void makePlainContext(mjrContext* con, int fontscale) {
  con->offWidth = PLAIN_WIDTH;
  con->offHeight = PLAIN_HEIGHT;
  if (cfi_makeOffscreen(con) && cfi_makeFonts(con, fontscale)) {
    mjr_setBuffer(mjFB_WINDOW, con);
  }
}


// sizes of fonts go in steps of fifty percent
static int nearestScale(int fontscale) {
  const int nearest = 50 * mju_round((mjtNum)fontscale / 50.0);
  return nearest < mjFONTSCALE_100 ? mjFONTSCALE_100
                                   : (nearest > mjFONTSCALE_300 ? mjFONTSCALE_300 : nearest);
}


void mjr_makeContext(const mjModel* m, mjrContext* con, int fontscale) {
  if (!con->glInitialized) {
    if (!cfi_loadGl() || !findWindow(con)) {
      return;
    }
    con->glInitialized = 1;
  }
  enableMessages();
  if (con->windowAvailable) {
    describeWindow(con);
  }
  cfi_gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
  cfi_gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
  mjr_freeContext(con);
  if (m) {
    makeModelContext(m, con, nearestScale(fontscale));
  } else {
    makePlainContext(con, nearestScale(fontscale));
  }
  cfi_checkGl("mjr_makeContext");
}


//---------------------------------- free ----------------------------------------------------------

// display lists, textures, buffers
static void freeParts(mjrContext* con) {
  const unsigned int base[4] = {con->basePlane, con->baseMesh, con->baseHField, con->baseBuiltin};
  const int range[4] = {con->rangePlane, con->rangeMesh, con->rangeHField, con->rangeBuiltin};
  for (int k = 0; k < 4; k++) {
    if (range[k]) {
      cfi_gl.DeleteLists(base[k], range[k]);
    }
  }
  if (con->ntexture) {
    cfi_gl.DeleteTextures(con->ntexture, con->texture);
  }
  cfi_freeBuffers(con);
  cfi_freeFonts(con);
  cfi_freeSkins(con);
}


// what is known of the window outlives the resources
void mjr_freeContext(mjrContext* con) {
  const int initialized = con->glInitialized, available = con->windowAvailable;
  const int samples = con->windowSamples, stereo = con->windowStereo;
  const int doublebuffer = con->windowDoublebuffer;
  if (initialized) {
    freeParts(con);
  }
  mjr_defaultContext(con);
  con->glInitialized = initialized;
  con->windowAvailable = available;
  con->windowSamples = samples;
  con->windowStereo = stereo;
  con->windowDoublebuffer = doublebuffer;
}
