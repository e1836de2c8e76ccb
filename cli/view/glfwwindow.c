// A window by GLFW: events in, wishes out.  The library is opened at run time.
#include "glfwwindow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
// numbers of GLFW 3 that are used here
enum {
  GLFW_SAMPLES_HINT = 0x0002100D,
  GLFW_UP = 0,
  GLFW_DOWN = 1,
  GLFW_LEFT_SHIFT = 340,
  GLFW_LEFT_CONTROL = 341,
  GLFW_LEFT_ALT = 342,
  GLFW_RIGHT_OFFSET = 4,  // from a left key to the right one
  GLFW_PAD_MINUS = 333,
  GLFW_PAD_PLUS = 334,
  GLFW_PAD_ENTER = 335,
  GL_RENDERER_NAME = 0x1F01,
  SAMPLES = 4,
};

// how long a paused viewer waits for events before it draws again [s]
static const double patience = 0.03;

typedef struct {
  int width, height, red, green, blue, rate;
} glfwMode;

// functions of GLFW: type, name, arguments
#define GLFW_FUNCTIONS(X)                                                   \
  X(int, Init, (void))                                                      \
  X(void, Terminate, (void))                                                \
  X(int, GetError, (const char**))                                          \
  X(void, WindowHint, (int, int))                                           \
  X(void*, CreateWindow, (int, int, const char*, void*, void*))             \
  X(void, DestroyWindow, (void*))                                           \
  X(void, MakeContextCurrent, (void*))                                      \
  X(void, SwapInterval, (int))                                              \
  X(void, SwapBuffers, (void*))                                             \
  X(void, PollEvents, (void))                                               \
  X(void, WaitEventsTimeout, (double))                                      \
  X(int, WindowShouldClose, (void*))                                        \
  X(void, GetFramebufferSize, (void*, int*, int*))                          \
  X(void, GetWindowSize, (void*, int*, int*))                               \
  X(void, GetWindowPos, (void*, int*, int*))                                \
  X(void, GetCursorPos, (void*, double*, double*))                          \
  X(int, GetKey, (void*, int))                                              \
  X(int, GetMouseButton, (void*, int))                                      \
  X(void, SetWindowUserPointer, (void*, void*))                             \
  X(void*, GetWindowUserPointer, (void*))                                   \
  X(void, SetWindowTitle, (void*, const char*))                             \
  X(void, SetClipboardString, (void*, const char*))                         \
  X(void*, GetProcAddress, (const char*))                                   \
  X(void*, GetPrimaryMonitor, (void))                                       \
  X(const glfwMode*, GetVideoMode, (void*))                                 \
  X(void, SetWindowMonitor, (void*, void*, int, int, int, int, int))        \
  X(void*, SetKeyCallback, (void*, void (*)(void*, int, int, int, int)))    \
  X(void*, SetMouseButtonCallback, (void*, void (*)(void*, int, int, int))) \
  X(void*, SetCursorPosCallback, (void*, void (*)(void*, double, double)))  \
  X(void*, SetScrollCallback, (void*, void (*)(void*, double, double)))     \
  X(void*, SetFramebufferSizeCallback, (void*, void (*)(void*, int, int)))  \
  X(void*, SetDropCallback, (void*, void (*)(void*, int, const char**)))

#define POINTER(type, name, arguments) type(*name) arguments;
static struct { GLFW_FUNCTIONS(POINTER) } glfw;
#undef POINTER

struct viewWindow {
  void* handle;
  cliView* v;
  int place[4];  // left, top, width, height before full screen
  double x, y;   // where the pointer was at the last event, units of the window
  void (*on_key)(void* owner, int key);  // of a program that listens too
  void* owner;
};


// fill the table; false where the library, or a function of it, is not there
static bool loadGlfw(void) {
  static const char* const names[] = {"libglfw.so.3", "libglfw.so"};
  void* library = NULL;
  for (int k = 0; k < 2 && !library; k++) {
    library = cfi_libraryOpen(names[k], NULL, 0);
  }
  if (!library) {
    return false;
  }
  bool is_whole = true;
  void* found;
#define FIND(type, name, arguments)                 \
  found = cfi_librarySymbol(library, "glfw" #name); \
  memcpy(&glfw.name, &found, sizeof(glfw.name));    \
  is_whole = is_whole && found;
  GLFW_FUNCTIONS(FIND)
#undef FIND
  return is_whole;
}


//---------------------------------- events --------------------------------------------------------

static bool isHeld(void* handle, int key) {
  return glfw.GetKey(handle, key) || glfw.GetKey(handle, key + GLFW_RIGHT_OFFSET);
}


// buttons and keys as they are now, the pointer where it was at its last event: asking for it would
// be ahead of the events.  Windows may have more than one pixel per unit
static viewEvent eventNow(const viewWindow* w, viewEventKind kind) {
  viewEvent e = {.kind = kind, .time = w->v->clock(), .x = w->x, .y = w->y};
  int width, height;
  glfw.GetWindowSize(w->handle, &width, &height);
  glfw.GetFramebufferSize(w->handle, &e.width, &e.height);
  const double scale = width > 0 ? (double)e.width / width : 1;
  e.x *= scale;
  e.y *= scale;
  e.left = glfw.GetMouseButton(w->handle, 0);
  e.right = glfw.GetMouseButton(w->handle, 1);
  e.middle = glfw.GetMouseButton(w->handle, 2);
  e.control = isHeld(w->handle, GLFW_LEFT_CONTROL);
  e.shift = isHeld(w->handle, GLFW_LEFT_SHIFT);
  e.alt = isHeld(w->handle, GLFW_LEFT_ALT);
  return e;
}


// keys of the number pad that mean the same as others
static int plainKey(int key) {
  switch (key) {
    case GLFW_PAD_MINUS:
      return '-';
    case GLFW_PAD_PLUS:
      return '=';
    case GLFW_PAD_ENTER:
      return mjKEY_ENTER;
    default:
      return key;
  }
}


static void onKeyboard(void* handle, int key, int code, int action, int modifiers) {
  viewWindow* w = glfw.GetWindowUserPointer(handle);
  viewEvent e = eventNow(w, VIEW_KEY);
  (void)code;
  (void)modifiers;
  e.key = plainKey(key);
  if (action != GLFW_UP) {
    cli_viewEvent(w->v, &e);
  }
  if (action == GLFW_DOWN && w->on_key) {
    w->on_key(w->owner, key);
  }
}


static void onButton(void* handle, int button, int action, int modifiers) {
  static const int buttons[] = {mjBUTTON_LEFT, mjBUTTON_RIGHT, mjBUTTON_MIDDLE};
  viewWindow* w = glfw.GetWindowUserPointer(handle);
  viewEvent e = eventNow(w, action == GLFW_UP ? VIEW_RELEASE : VIEW_PRESS);
  (void)modifiers;
  if (button >= 0 && button < 3) {
    e.button = buttons[button];
    cli_viewEvent(w->v, &e);
  }
}


static void onPointer(void* handle, double x, double y) {
  viewWindow* w = glfw.GetWindowUserPointer(handle);
  w->x = x;
  w->y = y;
  const viewEvent e = eventNow(w, VIEW_MOVE);
  cli_viewEvent(w->v, &e);
}


static void onWheel(void* handle, double x, double y) {
  viewWindow* w = glfw.GetWindowUserPointer(handle);
  viewEvent e = eventNow(w, VIEW_SCROLL);
  e.scroll_x = x;
  e.scroll_y = y;
  cli_viewEvent(w->v, &e);
}


static void onSize(void* handle, int width, int height) {
  viewWindow* w = glfw.GetWindowUserPointer(handle);
  const viewEvent e = eventNow(w, VIEW_RESIZE);
  if (width > 0 && height > 0) {
    cli_viewEvent(w->v, &e);
  }
}


static void onFiles(void* handle, int count, const char** paths) {
  viewWindow* w = glfw.GetWindowUserPointer(handle);
  viewEvent e = eventNow(w, VIEW_DROP);
  if (count > 0) {
    e.path = paths[0];
    cli_viewEvent(w->v, &e);
  }
}


//---------------------------------- wishes --------------------------------------------------------

static void toggleFullscreen(viewWindow* w) {
  void* monitor = glfw.GetPrimaryMonitor();
  const glfwMode* mode = monitor ? glfw.GetVideoMode(monitor) : NULL;
  int* p = w->place;
  if (!mode) {
    return;
  }
  if (w->v->fullscreen) {
    glfw.GetWindowPos(w->handle, p, p + 1);
    glfw.GetWindowSize(w->handle, p + 2, p + 3);
    glfw.SetWindowMonitor(w->handle, monitor, 0, 0, mode->width, mode->height, mode->rate);
  } else if (p[2] > 0) {
    glfw.SetWindowMonitor(w->handle, NULL, p[0], p[1], p[2], p[3], 0);
  }
}


static void grantWishes(viewWindow* w) {
  viewWish* wish = &w->v->wish;
  if (wish->title) {
    char title[VIEW_TEXT + 32];
    const char* name = w->v->sim.m->names;
    snprintf(title, sizeof(title), "CortenForge : %.*s", VIEW_TEXT,
             name && name[0] ? name : w->v->path);
    glfw.SetWindowTitle(w->handle, title);
  }
  if (wish->fullscreen) {
    toggleFullscreen(w);
  }
  if (wish->vsync) {
    glfw.SwapInterval(w->v->vsync);
  }
  if (wish->clipboard) {
    glfw.SetClipboardString(w->handle, wish->text);
  }
  wish->title = wish->fullscreen = wish->vsync = wish->clipboard = false;
}


//---------------------------------- window --------------------------------------------------------

static bool hasDisplay(void) {
  const char *x = cfi_environment("DISPLAY"), *wayland = cfi_environment("WAYLAND_DISPLAY");
  return (x && x[0]) || (wayland && wayland[0]);
}


static viewWindow* refuse(char why[VIEW_TEXT], const char* reason) {
  const char* text = NULL;
  if (glfw.GetError) {
    glfw.GetError(&text);
  }
  snprintf(why, VIEW_TEXT, "%s%s%s", reason, text ? ": " : "", text ? text : "");
  return NULL;
}


bool cli_windowLibrary(void) {
  return loadGlfw();
}


viewWindow* cli_windowOpen(int width, int height, char why[VIEW_TEXT]) {
  if (!hasDisplay()) {
    return refuse(why, "there is no display (DISPLAY and WAYLAND_DISPLAY are empty)");
  }
  if (!loadGlfw()) {
    memset(&glfw, 0, sizeof(glfw));
    return refuse(why, "GLFW 3 is not there (libglfw.so.3; on Debian: apt install libglfw3)");
  }
  if (!glfw.Init()) {
    return refuse(why, "GLFW does not start");
  }
  glfw.WindowHint(GLFW_SAMPLES_HINT, SAMPLES);
  viewWindow* w = calloc(1, sizeof(viewWindow));
  void* handle = w ? glfw.CreateWindow(width, height, "CortenForge", NULL, NULL) : NULL;
  if (!handle) {
    refuse(why, "no window with OpenGL");
    glfw.Terminate();
    free(w);
    return NULL;
  }
  w->handle = handle;
  glfw.MakeContextCurrent(handle);
  glfw.SwapInterval(1);
  glfw.SetWindowUserPointer(handle, w);
  return w;
}


void cli_windowClose(viewWindow* w) {
  glfw.DestroyWindow(w->handle);
  glfw.Terminate();
  free(w);
}


void cli_windowSize(const viewWindow* w, int* width, int* height) {
  glfw.GetFramebufferSize(w->handle, width, height);
}


bool cli_windowIsSlow(void) {
  static const char* const names[] = {"llvmpipe", "softpipe", "swrast", "Software"};
  void* found = glfw.GetProcAddress("glGetString");
  const unsigned char* (*text)(unsigned int);
  memcpy(&text, &found, sizeof(text));
  const char* renderer = found ? (const char*)text(GL_RENDERER_NAME) : NULL;
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]) && renderer; k++) {
    if (strstr(renderer, names[k])) {
      return true;
    }
  }
  return false;
}


static void listen(viewWindow* w) {
  glfw.SetKeyCallback(w->handle, onKeyboard);
  glfw.SetMouseButtonCallback(w->handle, onButton);
  glfw.SetCursorPosCallback(w->handle, onPointer);
  glfw.SetScrollCallback(w->handle, onWheel);
  glfw.SetFramebufferSizeCallback(w->handle, onSize);
  glfw.SetDropCallback(w->handle, onFiles);
}


void cli_windowShow(viewWindow* w, cliView* v) {
  w->v = v;
  glfw.GetCursorPos(w->handle, &w->x, &w->y);
  listen(w);
}


void cli_windowListen(viewWindow* w, void (*on_key)(void* owner, int key), void* owner) {
  w->on_key = on_key;
  w->owner = owner;
}


bool cli_windowFrame(viewWindow* w, void (*draw_more)(void* owner)) {
  cliView* v = w->v;
  if (v->sim.run || v->sim.is_passive) {
    glfw.PollEvents();
  } else {
    glfw.WaitEventsTimeout(patience);
  }
  cli_viewFrame(v);
  if (draw_more) {
    draw_more(w->owner);
  }
  glfw.SwapBuffers(w->handle);
  grantWishes(w);
  return !v->wish.quit && !glfw.WindowShouldClose(w->handle);
}


void cli_windowRun(viewWindow* w, cliView* v) {
  cli_windowShow(w, v);
  while (cli_windowFrame(w, NULL)) {
  }
}
