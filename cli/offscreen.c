// An OpenGL context without a screen.
#include "offscreen.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"

// numbers of EGL and OSMesa that are used here
enum {
  EGL_ALPHA = 0x3021,
  EGL_BLUE = 0x3022,
  EGL_GREEN = 0x3023,
  EGL_RED = 0x3024,
  EGL_DEPTH = 0x3025,
  EGL_STENCIL = 0x3026,
  EGL_SURFACE = 0x3033,
  EGL_END = 0x3038,
  EGL_RENDERABLE = 0x3040,
  EGL_HEIGHT_OF = 0x3056,
  EGL_WIDTH_OF = 0x3057,
  EGL_DESKTOP_GL = 0x30A2,
  EGL_FROM_DEVICE = 0x313F,
  EGL_SURFACELESS = 0x31DD,
  EGL_PBUFFER = 1,
  EGL_GL_BIT = 8,
  MOST_DEVICES = 16,
  MESA_RGBA = 0x1908,
  MESA_BYTE = 0x1401,
};

typedef void (*anyFunction)(void);

// functions of EGL, found in the library that was opened
typedef struct {
  anyFunction (*find)(const char*);
  void* (*default_display)(void*);
  unsigned int (*initialize)(void*, int*, int*);
  unsigned int (*bind_api)(unsigned int);
  unsigned int (*choose)(void*, const int*, void**, int, int*);
  void* (*make_context)(void*, void*, void*, const int*);
  void* (*make_window)(void*, void*, const int*);
  unsigned int (*use)(void*, void*, void*, void*);
  unsigned int (*drop_context)(void*, void*);
  unsigned int (*drop_window)(void*, void*);
} eglTable;


static anyFunction symbol(void* library, const char* name) {
  void* found = cfi_librarySymbol(library, name);
  anyFunction function;
  memcpy(&function, &found, sizeof(function));
  return function;
}


static bool fillEgl(eglTable* egl, void* library) {
  egl->find = (anyFunction(*)(const char*))symbol(library, "eglGetProcAddress");
  egl->default_display = (void* (*)(void*))symbol(library, "eglGetDisplay");
  egl->initialize = (unsigned int (*)(void*, int*, int*))symbol(library, "eglInitialize");
  egl->bind_api = (unsigned int (*)(unsigned int))symbol(library, "eglBindAPI");
  egl->choose =
      (unsigned int (*)(void*, const int*, void**, int, int*))symbol(library, "eglChooseConfig");
  egl->make_context =
      (void* (*)(void*, void*, void*, const int*))symbol(library, "eglCreateContext");
  egl->make_window =
      (void* (*)(void*, void*, const int*))symbol(library, "eglCreatePbufferSurface");
  egl->use = (unsigned int (*)(void*, void*, void*, void*))symbol(library, "eglMakeCurrent");
  egl->drop_context = (unsigned int (*)(void*, void*))symbol(library, "eglDestroyContext");
  egl->drop_window = (unsigned int (*)(void*, void*))symbol(library, "eglDestroySurface");
  return egl->find && egl->default_display && egl->initialize && egl->bind_api && egl->choose &&
         egl->make_context && egl->make_window && egl->use && egl->drop_context && egl->drop_window;
}


// context on a display; false leaves nothing behind
static bool tryDisplay(cliOffscreen* o, const eglTable* egl, void* display) {
  const int wanted[] = {EGL_RED,     8,           EGL_GREEN,      8,          EGL_BLUE,    8,
                        EGL_ALPHA,   8,           EGL_DEPTH,      24,         EGL_STENCIL, 8,
                        EGL_SURFACE, EGL_PBUFFER, EGL_RENDERABLE, EGL_GL_BIT, EGL_END};
  const int size[] = {EGL_WIDTH_OF, o->width, EGL_HEIGHT_OF, o->height, EGL_END};
  void* config = NULL;
  int count = 0;
  if (!display || !egl->initialize(display, NULL, NULL) || !egl->bind_api(EGL_DESKTOP_GL) ||
      !egl->choose(display, wanted, &config, 1, &count) || count < 1) {
    return false;
  }
  void* surface = o->width ? egl->make_window(display, config, size) : NULL;
  void* context = egl->make_context(display, config, NULL, NULL);
  if (context && (surface || !o->width) && egl->use(display, surface, surface, context)) {
    o->display = display;
    o->surface = surface;
    o->context = context;
    return true;
  }
  if (context) {
    egl->drop_context(display, context);
  }
  if (surface) {
    egl->drop_window(display, surface);
  }
  return false;
}


// graphics devices first, then a display without surfaces, then what the system thinks best
static bool tryDisplays(cliOffscreen* o, const eglTable* egl) {
  void* (*from)(unsigned int, void*, const int*) =
      (void* (*)(unsigned int, void*, const int*))egl->find("eglGetPlatformDisplayEXT");
  unsigned int (*devices)(int, void**, int*) =
      (unsigned int (*)(int, void**, int*))egl->find("eglQueryDevicesEXT");
  void* device[MOST_DEVICES];
  int count = 0;
  if (from && devices && devices(MOST_DEVICES, device, &count)) {
    for (int k = 0; k < count; k++) {
      if (tryDisplay(o, egl, from(EGL_FROM_DEVICE, device[k], NULL))) {
        return true;
      }
    }
  }
  return (from && tryDisplay(o, egl, from(EGL_SURFACELESS, NULL, NULL))) ||
         tryDisplay(o, egl, egl->default_display(NULL));
}


static bool openEgl(cliOffscreen* o) {
  eglTable egl;
  void* library = cfi_libraryOpen("libEGL.so.1", NULL, 0);
  if (!library) {
    return false;
  }
  o->is_egl = true;
  if (fillEgl(&egl, library) && tryDisplays(o, &egl)) {
    o->library = library;
    return true;
  }
  return false;
}


//---------------------------------- OSMesa --------------------------------------------------------

static bool useMesa(cliOffscreen* o) {
  unsigned char (*use)(void*, void*, unsigned int, int, int) = (unsigned char (*)(
      void*, void*, unsigned int, int, int))symbol(o->library, "OSMesaMakeCurrent");
  return use && use(o->context, o->pixels, MESA_BYTE, o->width, o->height);
}


static bool openMesa(cliOffscreen* o) {
  static const char* const names[] = {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"};
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]) && !o->library; k++) {
    o->library = cfi_libraryOpen(names[k], NULL, 0);
  }
  void* (*make)(unsigned int, int, int, int, void*) = NULL;
  if (o->library) {
    make =
        (void* (*)(unsigned int, int, int, int, void*))symbol(o->library, "OSMesaCreateContextExt");
  }
  o->is_egl = false;
  o->width = o->width ? o->width : 16;
  o->height = o->height ? o->height : 16;
  o->context = make ? make(MESA_RGBA, 24, 8, 0, NULL) : NULL;
  o->pixels = o->context ? calloc((size_t)o->width * (size_t)o->height, 4) : NULL;
  return o->pixels && useMesa(o);
}


//---------------------------------- both ----------------------------------------------------------

bool cli_openOffscreen(cliOffscreen* o, int width, int height, char why[256]) {
  const char* wish = cfi_environment("MUJOCO_GL");
  const bool only_mesa = wish && !strcmp(wish, "osmesa"), only_egl = wish && !strcmp(wish, "egl");
  memset(o, 0, sizeof(*o));
  o->width = width;
  o->height = height;
  if ((!only_mesa && openEgl(o)) || (!only_egl && openMesa(o))) {
    return true;
  }
  cli_closeOffscreen(o);
  snprintf(
      why, 256,
      "no OpenGL without a screen: neither EGL (libEGL.so.1) nor OSMesa (libOSMesa.so.8) gives a "
      "context%s; on Debian: apt install libegl1 libgl1-mesa-dri",
      only_mesa ? " (MUJOCO_GL=osmesa)" : (only_egl ? " (MUJOCO_GL=egl)" : ""));
  return false;
}


bool cli_useOffscreen(cliOffscreen* o) {
  eglTable egl;
  if (!o->library) {
    return false;
  }
  if (!o->is_egl) {
    return useMesa(o);
  }
  return fillEgl(&egl, o->library) && egl.use(o->display, o->surface, o->surface, o->context);
}


// libraries stay loaded: drivers do not like to go
void cli_closeOffscreen(cliOffscreen* o) {
  eglTable egl;
  if (o->library && o->is_egl && fillEgl(&egl, o->library)) {
    egl.use(o->display, NULL, NULL, NULL);
    egl.drop_context(o->display, o->context);
    if (o->surface) {
      egl.drop_window(o->display, o->surface);
    }
  } else if (o->library && o->context) {
    void (*drop)(void*) = (void (*)(void*))symbol(o->library, "OSMesaDestroyContext");
    if (drop) {
      drop(o->context);
    }
  }
  free(o->pixels);
  memset(o, 0, sizeof(*o));
}
