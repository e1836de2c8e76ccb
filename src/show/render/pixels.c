// Which buffer is drawn to, and moving pixels: between buffers, to memory and back.
#include <stdatomic.h>

#include "base/assert.h"
#include "render/buffers.h"
#include "render/gl.h"


static cfDrawSurface windowSurface(const mjrContext* con) {
  return (cfDrawSurface){0, con->windowDoublebuffer ? GL_BACK : GL_FRONT};
}


static cfDrawSurface offscreenSurface(const mjrContext* con) {
  return (cfDrawSurface){con->offFBO, GL_COLOR_ATTACHMENT0};
}


static cfDrawSurface mergedSurface(const mjrContext* con) {
  return (cfDrawSurface){con->offFBO_r, GL_COLOR_ATTACHMENT0};
}


cfDrawSurface cfi_currentSurface(const mjrContext* con) {
  return con->currentBuffer == mjFB_WINDOW ? windowSurface(con) : offscreenSurface(con);
}


static void readFrom(cfDrawSurface surface) {
  cfi_gl.BindFramebuffer(GL_READ_FRAMEBUFFER, surface.fbo);
  cfi_gl.ReadBuffer(surface.color);
}


static void drawTo(cfDrawSurface surface) {
  cfi_gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, surface.fbo);
  cfi_gl.DrawBuffer(surface.color);
}


static void useSurface(cfDrawSurface surface) {
  cfi_gl.BindFramebuffer(GL_FRAMEBUFFER, surface.fbo);
  cfi_gl.ReadBuffer(surface.color);
  cfi_gl.DrawBuffer(surface.color);
}


void mjr_restoreBuffer(const mjrContext* con) {
  if (!cfi_needGl("mjr_restoreBuffer")) {
    return;
  }
  useSurface(cfi_currentSurface(con));
}


// where only one buffer exists, the argument does not matter
void mjr_setBuffer(int framebuffer, mjrContext* con) {
  const bool has_window = con->windowAvailable, has_offscreen = con->offFBO;
  if (!has_window && !has_offscreen) {
    mju_error("No OpenGL framebuffer available");
    return;
  }
  con->currentBuffer = framebuffer;
  if (has_window != has_offscreen) {
    con->currentBuffer = has_window ? mjFB_WINDOW : mjFB_OFFSCREEN;
  }
  mjr_restoreBuffer(con);
}


//---------------------------------- between buffers -----------------------------------------------

// what a copy between two surfaces takes
typedef struct {
  GLbitfield mask;
  GLenum filter;
} blitMode;


static void copyRect(cfDrawSurface from, mjrRect src, cfDrawSurface to, mjrRect dst,
                     blitMode mode) {
  readFrom(from);
  drawTo(to);
  cfi_gl.BlitFramebuffer(src.left, src.bottom, src.left + src.width, src.bottom + src.height,
                         dst.left, dst.bottom, dst.left + dst.width, dst.bottom + dst.height,
                         mode.mask, mode.filter);
}


cfDrawSurface cfi_resolve(mjrRect rect, unsigned int mask, const mjrContext* con) {
  cfDrawSurface surface = cfi_currentSurface(con);
  if (con->currentBuffer != mjFB_WINDOW && con->offSamples) {
    const cfDrawSurface merged = mergedSurface(con);
    copyRect(surface, rect, merged, rect, (blitMode){mask, GL_NEAREST});
    surface = merged;
  }
  readFrom(surface);
  return surface;
}


// a buffer with several samples per pixel can only be copied in its own size, so the scaling is
// done on the way to or from the merged one
void mjr_blitBuffer(mjrRect src, mjrRect dst, int flg_color, int flg_depth, const mjrContext* con) {
  const GLbitfield mask =
      (flg_color ? GL_COLOR_BUFFER_BIT : 0u) | (flg_depth ? GL_DEPTH_BUFFER_BIT : 0u);
  const bool scales = src.width != dst.width || src.height != dst.height;
  const blitMode mode = {mask, !flg_depth && scales ? GL_LINEAR : GL_NEAREST};
  if (!con->windowAvailable || !con->offFBO || !mask) {
    return;
  }
  const cfDrawSurface window = windowSurface(con), offscreen = offscreenSurface(con);
  if (con->currentBuffer == mjFB_WINDOW) {
    const cfDrawSurface first = con->offSamples ? mergedSurface(con) : offscreen;
    copyRect(window, src, first, dst, mode);
    if (con->offSamples) {
      copyRect(first, dst, offscreen, dst, mode);
    }
  } else {
    const cfDrawSurface from = con->offSamples ? cfi_resolve(src, mask, con) : offscreen;
    copyRect(from, src, window, dst, mode);
  }
  mjr_restoreBuffer(con);
  cfi_checkGl("mjr_blitBuffer");
}


//---------------------------------- memory --------------------------------------------------------

// once per process: depth that was asked to be precise is not
static void warnDepth(const char* extension) {
  static atomic_flag warned = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&warned)) {
    mju_warning("%s unavailable while mjDEPTH_ZEROFAR requested, depth accuracy will be limited",
                extension);
  }
}


// 1 at the far plane instead of the near one; blocks of a fixed size become vector instructions
static void turnDepth(float* depth, int count) {
  enum { BLOCK = 32 };
  int first = 0;
  for (; first + BLOCK <= count; first += BLOCK) {
    for (int k = 0; k < BLOCK; k++) {
      depth[first + k] = (float)(1.0 - depth[first + k]);
    }
  }
  for (; first < count; first++) {
    depth[first] = (float)(1.0 - depth[first]);
  }
}


// the buffer has 1 at the near plane
static void convertDepth(float* depth, int count, const mjrContext* con) {
  if (con->readDepthMap == mjDEPTH_ZERONEAR) {
    turnDepth(depth, count);
  } else if (!cfi_gl.has_clip_control) {
    warnDepth("ARB_clip_control");
  } else if (!cfi_gl.has_float_depth) {
    warnDepth("ARB_depth_buffer_float");
  }
}


void mjr_readPixels(unsigned char* rgb, float* depth, mjrRect viewport, const mjrContext* con) {
  const GLbitfield mask = (rgb ? GL_COLOR_BUFFER_BIT : 0u) | (depth ? GL_DEPTH_BUFFER_BIT : 0u);
  const bool is_window = con->currentBuffer == mjFB_WINDOW;
  if (!mask || !cfi_needGl("mjr_readPixels")) {
    return;
  }
  cfi_resolve(viewport, mask, con);
  if (rgb) {
    cfi_gl.ReadPixels(viewport.left, viewport.bottom, viewport.width, viewport.height,
                      is_window ? GL_RGB : (GLenum)con->readPixelFormat, GL_UNSIGNED_BYTE, rgb);
  }
  if (depth) {
    cfi_gl.ReadPixels(viewport.left, viewport.bottom, viewport.width, viewport.height,
                      GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    convertDepth(depth, viewport.width * viewport.height, con);
  }
  mjr_restoreBuffer(con);
  cfi_checkGl("mjr_readPixels");
}


void mjr_drawPixels(const unsigned char* rgb, const float* depth, mjrRect viewport,
                    const mjrContext* con) {
  (void)con;
  if (!cfi_needGl("mjr_drawPixels")) {
    return;
  }
  cfi_gl.WindowPos2i(viewport.left, viewport.bottom);
  if (rgb) {
    cfi_gl.DrawPixels(viewport.width, viewport.height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
  }
  if (depth) {
    cfi_gl.DrawPixels(viewport.width, viewport.height, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
  }
  cfi_checkGl("mjr_drawPixels");
}


//---------------------------------- auxiliary buffers ---------------------------------------------

static bool isAuxiliary(int index) {
  if (index < 0 || index >= mjNAUX) {
    mju_error("Invalid aux buffer index");
    return false;
  }
  return true;
}


void mjr_setAux(int index, const mjrContext* con) {
  if (!isAuxiliary(index)) {
    return;
  }
  if (!con->auxFBO[index]) {
    mju_error("auxFBO %d does not exist", index);
    return;
  }
  useSurface((cfDrawSurface){con->auxFBO[index], GL_COLOR_ATTACHMENT0});
}


void mjr_blitAux(int index, mjrRect src, int left, int bottom, const mjrContext* con) {
  if (!isAuxiliary(index) || !con->auxFBO[index]) {
    return;
  }
  const cfDrawSurface sampled = {con->auxFBO[index], GL_COLOR_ATTACHMENT0};
  const cfDrawSurface merged = {con->auxFBO_r[index], GL_COLOR_ATTACHMENT0};
  const blitMode mode = {GL_COLOR_BUFFER_BIT, GL_NEAREST};
  const mjrRect dst = {left, bottom, src.width, src.height};
  copyRect(sampled, src, merged, src, mode);
  copyRect(merged, src, cfi_currentSurface(con), dst, mode);
  mjr_restoreBuffer(con);
  cfi_checkGl("mjr_blitAux");
}


//---------------------------------- rectangles ----------------------------------------------------

// a window says its size by its initial scissor box
mjrRect mjr_maxViewport(const mjrContext* con) {
  mjrRect rect = {0, 0, con->offWidth, con->offHeight};
  if (con->currentBuffer == mjFB_WINDOW && cfi_needGl("mjr_maxViewport")) {
    int box[4];
    cfi_gl.GetIntegerv(GL_SCISSOR_BOX, box);
    rect.width = box[2];
    rect.height = box[3];
  }
  return rect;
}


int mjr_findRect(int x, int y, int nrect, const mjrRect* rect) {
  for (int k = 0; k < nrect; k++) {
    const int right = x - rect[k].left, up = y - rect[k].bottom;
    if (right >= 0 && right < rect[k].width && up >= 0 && up < rect[k].height) {
      return k;
    }
  }
  return -1;
}


void mjr_finish(void) {
  if (cfi_gl.Finish) {
    cfi_gl.Finish();
  }
  cfi_checkGl("mjr_finish");
}


int mjr_getError(void) {
  return cfi_gl.GetError ? cfi_takeGlError() : 0;
}
