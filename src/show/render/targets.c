// Making and freeing framebuffers: offscreen, shadow map, auxiliary.
#include <string.h>

#include "base/assert.h"
#include "render/buffers.h"
#include "render/gl.h"

// a framebuffer with its renderbuffers; without depth for auxiliary ones
typedef struct {
  const char* name;  // for messages
  unsigned int *fbo, *color, *depth;
} renderTarget;

static const char no_buffer[] = "Could not allocate %s";


static GLenum depthFormat(void) {
  return cfi_gl.has_float_depth ? GL_DEPTH32F_STENCIL8 : GL_DEPTH24_STENCIL8;
}


// storage of the renderbuffer that is bound
static void giveStorage(GLenum format, int width, int height, int samples) {
  if (samples) {
    cfi_gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
  } else {
    cfi_gl.RenderbufferStorage(GL_RENDERBUFFER, format, width, height);
  }
}


static bool attachBuffer(unsigned int* buffer, GLenum attachment, GLenum format, const int size[2],
                         int samples) {
  cfi_gl.GenRenderbuffers(1, buffer);
  if (!*buffer) {
    return false;
  }
  cfi_gl.BindRenderbuffer(GL_RENDERBUFFER, *buffer);
  giveStorage(format, size[0], size[1], samples);
  cfi_gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, *buffer);
  return true;
}


static bool isComplete(const char* name) {
  const GLenum status = cfi_gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE) {
    mju_error("%s is not complete, error 0x%x", name, status);
    return false;
  }
  return true;
}


// make a framebuffer and leave it bound
static bool makeTarget(renderTarget target, const int size[2], int samples) {
  CF_ASSERT(size[0] > 0 && size[1] > 0);
  cfi_gl.GenFramebuffers(1, target.fbo);
  if (!*target.fbo) {
    mju_error(no_buffer, target.name);
    return false;
  }
  cfi_gl.BindFramebuffer(GL_FRAMEBUFFER, *target.fbo);
  if (!attachBuffer(target.color, GL_COLOR_ATTACHMENT0, GL_RGBA8, size, samples) ||
      (target.depth &&
       !attachBuffer(target.depth, GL_DEPTH_STENCIL_ATTACHMENT, depthFormat(), size, samples))) {
    mju_error(no_buffer, target.name);
    return false;
  }
  return isComplete(target.name);
}


static void freeTarget(renderTarget target) {
  unsigned int* buffers[2] = {target.color, target.depth};
  for (int k = 0; k < 2; k++) {
    if (buffers[k] && *buffers[k]) {
      cfi_gl.DeleteRenderbuffers(1, buffers[k]);
      *buffers[k] = 0;
    }
  }
  if (*target.fbo) {
    cfi_gl.DeleteFramebuffers(1, target.fbo);
    *target.fbo = 0;
  }
}


static renderTarget offscreenTarget(mjrContext* con, bool merged) {
  return merged ? (renderTarget){"Offscreen framebuffer_r", &con->offFBO_r, &con->offColor_r,
                                 &con->offDepthStencil_r}
                : (renderTarget){"Offscreen framebuffer", &con->offFBO, &con->offColor,
                                 &con->offDepthStencil};
}


static renderTarget auxiliaryTarget(mjrContext* con, int index, bool merged) {
  CF_ASSERT_INDEX(index, mjNAUX);
  return merged ? (renderTarget){"Auxiliary framebuffer_r", con->auxFBO_r + index,
                                 con->auxColor_r + index, NULL}
                : (renderTarget){"Auxiliary framebuffer", con->auxFBO + index,
                                 con->auxColor + index, NULL};
}


static int possibleSamples(int wanted) {
  int most = 0;
  cfi_gl.GetIntegerv(GL_MAX_SAMPLES, &most);
  return wanted > most ? most : wanted;
}


//---------------------------------- offscreen -----------------------------------------------------

bool cfi_makeOffscreen(mjrContext* con) {
  const int size[2] = {con->offWidth, con->offHeight};
  if (!size[0] || !size[1]) {
    return true;
  }
  con->offSamples = possibleSamples(con->offSamples);
  if (!makeTarget(offscreenTarget(con, false), size, con->offSamples)) {
    return false;
  }

  // drivers round the number of samples
  cfi_gl.GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &con->offSamples);
  return !con->offSamples || makeTarget(offscreenTarget(con, true), size, 0);
}


// new storage for the buffers of a target
static void resizeTarget(renderTarget target, const int size[2], int samples) {
  cfi_gl.BindRenderbuffer(GL_RENDERBUFFER, *target.color);
  giveStorage(GL_RGBA8, size[0], size[1], samples);
  cfi_gl.BindRenderbuffer(GL_RENDERBUFFER, *target.depth);
  giveStorage(depthFormat(), size[0], size[1], samples);
}


void mjr_resizeOffscreen(int width, int height, mjrContext* con) {
  const int size[2] = {width, height};
  if (con->offWidth == width && con->offHeight == height) {
    return;
  }
  con->offWidth = width;
  con->offHeight = height;
  if (!width || !height || !cfi_needGl("mjr_resizeOffscreen")) {
    return;
  }
  if (!con->offFBO) {
    cfi_makeOffscreen(con);
    return;
  }
  resizeTarget(offscreenTarget(con, false), size, con->offSamples);
  if (con->offSamples) {
    resizeTarget(offscreenTarget(con, true), size, 0);
  }
  cfi_checkGl("mjr_resizeOffscreen");
}


//---------------------------------- shadow map ----------------------------------------------------

// a depth texture in unit 1 that answers whether a point is in the light: 24 bits everywhere, so
// that one offset against stripes suits all drivers
bool cfi_makeShadowMap(mjrContext* con) {
  static const GLint parameters[][2] = {
      {GL_TEXTURE_MIN_FILTER, GL_NEAREST},   {GL_TEXTURE_MAG_FILTER, GL_NEAREST},
      {GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE}, {GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE},
      {GL_TEXTURE_COMPARE_FUNC, GL_GEQUAL},  {GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE},
      {GL_DEPTH_TEXTURE_MODE, GL_INTENSITY},
  };
  static const GLenum coordinates[4] = {GL_S, GL_T, GL_R, GL_Q};
  if (!con->shadowSize) {
    return true;
  }
  cfi_gl.GenFramebuffers(1, &con->shadowFBO);
  if (!con->shadowFBO) {
    mju_error(no_buffer, "shadow framebuffer");
    return false;
  }
  cfi_gl.BindFramebuffer(GL_FRAMEBUFFER, con->shadowFBO);
  cfi_gl.GenTextures(1, &con->shadowTex);
  cfi_gl.ActiveTexture(GL_TEXTURE1);
  cfi_gl.Enable(GL_TEXTURE_2D);
  cfi_gl.BindTexture(GL_TEXTURE_2D, con->shadowTex);
  cfi_gl.TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH24_STENCIL8, con->shadowSize, con->shadowSize, 0,
                    GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, NULL);
  for (size_t k = 0; k < sizeof(parameters) / sizeof(parameters[0]); k++) {
    cfi_gl.TexParameteri(GL_TEXTURE_2D, (GLenum)parameters[k][0], parameters[k][1]);
  }
  for (int k = 0; k < 4; k++) {
    cfi_gl.TexGeni(coordinates[k], GL_TEXTURE_GEN_MODE, GL_EYE_LINEAR);
  }
  cfi_gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D,
                              con->shadowTex, 0);
  cfi_gl.DrawBuffer(GL_NONE);
  cfi_gl.ReadBuffer(GL_NONE);
  const bool is_good = isComplete("Shadow framebuffer");
  cfi_gl.Disable(GL_TEXTURE_2D);
  return is_good;
}


//---------------------------------- auxiliary -----------------------------------------------------

// does a length fit into a renderbuffer?
static bool fitsBuffer(const char* side, int length) {
  int most = 0;
  cfi_gl.GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
  if (length > most) {
    mju_error("Auxiliary buffer %s exceeds maximum allowed by OpenGL implementation: %d > %d", side,
              length, most);
    return false;
  }
  return true;
}


void mjr_addAux(int index, int width, int height, int samples, mjrContext* con) {
  const int size[2] = {width, height};
  if (index < 0 || index >= mjNAUX) {
    mju_error("Invalid aux buffer index");
    return;
  }
  if (!cfi_needGl("mjr_addAux")) {
    return;
  }
  freeTarget(auxiliaryTarget(con, index, false));
  freeTarget(auxiliaryTarget(con, index, true));
  if (width < 1 || height < 1 || !fitsBuffer("width", width) || !fitsBuffer("height", height)) {
    return;
  }
  con->auxWidth[index] = width;
  con->auxHeight[index] = height;
  con->auxSamples[index] = possibleSamples(samples);
  if (makeTarget(auxiliaryTarget(con, index, false), size, con->auxSamples[index]) &&
      makeTarget(auxiliaryTarget(con, index, true), size, 0)) {
    mjr_restoreBuffer(con);
  }
  cfi_checkGl("mjr_addAux");
}


void cfi_freeBuffers(mjrContext* con) {
  freeTarget(offscreenTarget(con, false));
  freeTarget(offscreenTarget(con, true));
  for (int k = 0; k < mjNAUX; k++) {
    freeTarget(auxiliaryTarget(con, k, false));
    freeTarget(auxiliaryTarget(con, k, true));
  }
  if (con->shadowTex) {
    cfi_gl.DeleteTextures(1, &con->shadowTex);
  }
  if (con->shadowFBO) {
    cfi_gl.DeleteFramebuffers(1, &con->shadowFBO);
  }
}
