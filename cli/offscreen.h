// An OpenGL context without a screen: EGL, else OSMesa, both looked for at run time.
#ifndef CF_CLI_OFFSCREEN_H
#define CF_CLI_OFFSCREEN_H

#include <stdbool.h>

// a context; its own type of pointers belongs to the library that made it
typedef struct {
  void* library;  // libEGL or libOSMesa, NULL while closed
  bool is_egl;
  void *display, *surface, *context;  // EGL; OSMesa uses the context alone
  unsigned char* pixels;              // OSMesa draws here
  int width, height;
} cliOffscreen;

// Make a context and make it current; MUJOCO_GL=egl or osmesa allows one of them alone.  With a
// size there is a window in memory, too, else only what is made with framebuffer objects.  False
// with the reason in `why`.
bool cli_openOffscreen(cliOffscreen* o, int width, int height, char why[256]);

// make it current again in this thread
bool cli_useOffscreen(cliOffscreen* o);

// give it back
void cli_closeOffscreen(cliOffscreen* o);

#endif  // CF_CLI_OFFSCREEN_H
