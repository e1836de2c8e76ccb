// Finds OpenGL at run time.  The caller owns the context, so a library that gives out OpenGL
// functions is in the process already: EGL, OSMesa or GLX.  The one that has a current context in
// this thread is asked.
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/platform.h"
#include "render/gl.h"

typedef void (*glFunction)(void);
typedef glFunction (*glFinder)(const char* name);
typedef void* (*glCurrent)(void);

// one way to OpenGL
typedef struct {
  const char* library;  // how its file name begins
  const char* finder;   // its function that finds functions
  const char* current;  // its function that returns the current context
} glPlatform;

static const glPlatform gl_platforms[] = {
    {"libEGL.so", "eglGetProcAddress", "eglGetCurrentContext"},
    {"libOSMesa.so", "OSMesaGetProcAddress", "OSMesaGetCurrentContext"},
    {"libGLX.so", "glXGetProcAddressARB", "glXGetCurrentContext"},
    {"libGL.so", "glXGetProcAddressARB", "glXGetCurrentContext"},
};
enum { PLATFORM_COUNT = sizeof(gl_platforms) / sizeof(gl_platforms[0]) };

cfGl cfi_gl;

// the table is filled for one platform at a time
static cfMutex gl_mutex = CF_MUTEX_INIT;
static glFinder gl_loaded;
static glCurrent gl_current;  // of the platform it came from


// object pointers and function pointers are different things in C
static glFunction asFunction(void* symbol) {
  glFunction function;
  memcpy(&function, &symbol, sizeof(function));
  return function;
}


// where the symbols of a platform are, if the process has loaded it: among those that everybody
// sees (NULL), or in a library that was loaded for somebody alone
static bool findPlatform(const glPlatform* platform, void** library) {
  *library = NULL;
  if (cfi_librarySymbol(NULL, platform->finder)) {
    return true;
  }
  *library = cfi_libraryLoaded(platform->library);
  return *library && cfi_librarySymbol(*library, platform->finder);
}


// platform with a context that is current in this thread, and where its symbols are
static const glPlatform* currentPlatform(void** library) {
  for (int k = 0; k < PLATFORM_COUNT; k++) {
    if (!findPlatform(gl_platforms + k, library)) {
      continue;
    }
    const glCurrent current =
        (glCurrent)asFunction(cfi_librarySymbol(*library, gl_platforms[k].current));
    if (current && current()) {
      return gl_platforms + k;
    }
  }
  return NULL;
}


// does the list of extensions, words between blanks, have this one?
static bool hasExtension(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at && (at = strstr(at, name)) != NULL; at += length) {
    const bool starts = at == list || at[-1] == ' ';
    if (starts && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}


// fill the table; the name of a function that is not there, or NULL
static const char* fillTable(glFinder finder, void* library) {
  const char* lost = NULL;
  glFunction found;
#define CF_GL_OPTIONAL(type, name, arguments)                                 \
  found = finder("gl" #name);                                                 \
  found = found ? found : asFunction(cfi_librarySymbol(library, "gl" #name)); \
  cfi_gl.name = (type(*) arguments)found;
#define CF_GL(type, name, arguments)    \
  CF_GL_OPTIONAL(type, name, arguments) \
  if (!found) {                         \
    lost = "gl" #name;                  \
  }
#include "render/glfunctions.def"
#undef CF_GL
#undef CF_GL_OPTIONAL
  return lost;
}


// version and extensions of the context; NULL, or what is wrong with it
static const char* checkAbilities(void) {
  const char* version = (const char*)cfi_gl.GetString(GL_VERSION);
  const char* extensions = (const char*)cfi_gl.GetString(GL_EXTENSIONS);
  int major = 0, minor = 0;
  if (!version || sscanf(version, "%d.%d", &major, &minor) != 2 || !extensions) {
    return "the current OpenGL context is not one of desktop OpenGL";
  }
  if (major == 1 && minor < 5) {
    return "OpenGL version 1.5 or higher required";
  }
  if (!hasExtension(extensions, "GL_ARB_framebuffer_object")) {
    return "OpenGL ARB_framebuffer_object required";
  }
  if (!hasExtension(extensions, "GL_ARB_vertex_buffer_object")) {
    return "OpenGL ARB_vertex_buffer_object required";
  }
  cfi_gl.has_clip_control = cfi_gl.ClipControl && hasExtension(extensions, "GL_ARB_clip_control");
  cfi_gl.has_float_depth = hasExtension(extensions, "GL_ARB_depth_buffer_float");
  cfi_gl.has_seamless_cube = hasExtension(extensions, "GL_ARB_seamless_cube_map");
  cfi_gl.has_debug = cfi_gl.DebugMessageCallback && hasExtension(extensions, "GL_KHR_debug");
  return NULL;
}


// what stands in the way of rendering, or NULL with the table filled
static const char* loadCurrent(void) {
  void* library = NULL;
  const glPlatform* platform = currentPlatform(&library);
  if (!platform) {
    return "no OpenGL context is current in this thread (EGL, OSMesa or GLX); make one and make it "
           "current before mjr_makeContext";
  }
  const glFinder finder = (glFinder)asFunction(cfi_librarySymbol(library, platform->finder));
  CF_ASSERT(finder != NULL);
  gl_current = (glCurrent)asFunction(cfi_librarySymbol(library, platform->current));
  if (finder != gl_loaded) {
    const char* lost = fillTable(finder, library);
    if (lost) {
      gl_loaded = NULL;
      return lost;
    }
    gl_loaded = finder;
  }
  return checkAbilities();
}


bool cfi_loadGl(void) {
  cfi_lock(&gl_mutex);
  const char* trouble = loadCurrent();
  cfi_unlock(&gl_mutex);
  if (!trouble) {
    return true;
  }
  const bool is_function = !strncmp(trouble, "gl", 2);
  mju_error(is_function ? "OpenGL: the driver has no function %s" : "OpenGL: %s", trouble);
  return false;
}


// is a context current in this thread, of the platform of the last mjr_makeContext or of another?
static bool hasContext(void) {
  void* library = NULL;
  return (gl_current && gl_current()) || currentPlatform(&library);
}


bool cfi_needGl(const char* function) {
  if (!cfi_gl.GetError) {
    mju_error("%s: OpenGL is not there yet, call mjr_makeContext first", function);
    return false;
  }
  if (!hasContext()) {
    mju_error(
        "%s: no OpenGL context is current in this thread; it was lost, or made current elsewhere",
        function);
    return false;
  }
  return true;
}


//---------------------------------- errors --------------------------------------------------------

// the first error that was found before the program asked for it
static _Thread_local int gl_kept_error;


void cfi_checkGl(const char* function) {
#ifndef NDEBUG
  enum { MOST_ERRORS = 8 };  // a lost context may report one for ever
  for (int k = 0; k < MOST_ERRORS && cfi_gl.GetError; k++) {
    const int error = (int)cfi_gl.GetError();
    if (!error) {
      return;
    }
    mju_warning("OpenGL error 0x%x in or before %s", (unsigned int)error, function);
    gl_kept_error = gl_kept_error ? gl_kept_error : error;
  }
#else
  (void)function;
#endif
}


int cfi_takeGlError(void) {
  const int kept = gl_kept_error;
  gl_kept_error = 0;
  return kept ? kept : (int)cfi_gl.GetError();
}


bool cfi_canUpload(const char* function, const char* what, int id, mjtSize count) {
  if (id < 0 || id >= count) {
    mju_error("Invalid %s index %d", what, id);
    return false;
  }
  return cfi_needGl(function);
}
