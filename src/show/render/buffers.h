// Framebuffers of a context.
#ifndef CF_RENDER_BUFFERS_H
#define CF_RENDER_BUFFERS_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// a framebuffer and which color buffer of it is meant
typedef struct {
  unsigned int fbo, color;
} cfDrawSurface;

// what is drawn to now
cfDrawSurface cfi_currentSurface(const mjrContext* con);

// a surface with one sample per pixel and what stands in a rectangle of the current one, ready to
// be read; mask says which of color and depth
cfDrawSurface cfi_resolve(mjrRect rect, unsigned int mask, const mjrContext* con);

// offscreen buffer and shadow map in the sizes that the context has; false after mju_error
bool cfi_makeOffscreen(mjrContext* con);
bool cfi_makeShadowMap(mjrContext* con);
void cfi_freeBuffers(mjrContext* con);

#endif  // CF_RENDER_BUFFERS_H
