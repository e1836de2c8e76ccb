// Synthetic keys and mouse for a window on the display in DISPLAY, by XTest.
//
//   windowdriver ACTION...
//
//   wait:TITLE    until a window with such a title is shown   pause:MS    sleep
//   key:[ctrl+][shift+][alt+]NAME   a key goes down and up    move:X,Y    pointer in that window
//   down:B up:B   button 1 left, 2 middle, 3 right, 4 and 5 the wheel
//   file:PATH     until the file is there and has stopped growing
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>

enum { PATIENCE_MS = 60000, LOOK_MS = 100, BEAT_MS = 60 };

static Display* display;
static Window shown;


static void rest(int ms) {
  usleep((unsigned int)ms * 1000);
}


// a window below this one whose title has the text, and that can be seen
static Window findWindow(Window from, const char* title) {
  XWindowAttributes attributes;
  Window root, parent, *children = NULL, found = 0;
  unsigned int count = 0;
  char* name = NULL;
  if (XFetchName(display, from, &name) && strstr(name, title) &&
      XGetWindowAttributes(display, from, &attributes) && attributes.map_state == IsViewable) {
    found = from;
  }
  if (name) {
    XFree(name);
  }
  if (!found && XQueryTree(display, from, &root, &parent, &children, &count)) {
    for (unsigned int k = 0; k < count && !found; k++) {
      found = findWindow(children[k], title);
    }
    if (children) {
      XFree(children);
    }
  }
  return found;
}


static bool waitWindow(const char* title) {
  for (int spent = 0; spent < PATIENCE_MS && !shown; spent += LOOK_MS) {
    shown = findWindow(DefaultRootWindow(display), title);
    rest(LOOK_MS);
  }
  if (shown) {
    XSetInputFocus(display, shown, RevertToPointerRoot, CurrentTime);
    XSync(display, False);
  }
  return shown != 0;
}


static bool waitFile(const char* path) {
  struct stat info;
  for (long spent = 0, before = -1; spent < PATIENCE_MS; spent += LOOK_MS) {
    const long size = stat(path, &info) ? -1 : (long)info.st_size;
    if (size > 0 && size == before) {
      return true;
    }
    before = size;
    rest(LOOK_MS);
  }
  return false;
}


static void fake(KeySym symbol, bool is_down) {
  XTestFakeKeyEvent(display, XKeysymToKeycode(display, symbol), is_down, CurrentTime);
}


static bool pressKey(const char* text) {
  static const struct {
    const char* name;
    KeySym symbol;
  } modifiers[] = {{"ctrl+", XK_Control_L}, {"shift+", XK_Shift_L}, {"alt+", XK_Alt_L}};
  KeySym held[3];
  int n = 0;
  for (int k = 0; k < 3; k++) {
    const size_t length = strlen(modifiers[k].name);
    if (!strncmp(text, modifiers[k].name, length)) {
      held[n++] = modifiers[k].symbol;
      text += length;
    }
  }
  const KeySym symbol = XStringToKeysym(text);
  if (symbol == NoSymbol) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    fake(held[k], true);
  }
  fake(symbol, true);
  fake(symbol, false);
  for (int k = n - 1; k >= 0; k--) {
    fake(held[k], false);
  }
  return true;
}


static bool movePointer(const char* text) {
  int x, y, left, top;
  Window child;
  if (sscanf(text, "%d,%d", &x, &y) != 2 || !shown ||
      !XTranslateCoordinates(display, shown, DefaultRootWindow(display), x, y, &left, &top,
                             &child)) {
    return false;
  }
  XTestFakeMotionEvent(display, -1, left, top, CurrentTime);
  return true;
}


static bool act(const char* action) {
  const char* value = strchr(action, ':');
  value = value ? value + 1 : "";
  if (!strncmp(action, "wait:", 5)) {
    return waitWindow(value);
  }
  if (!strncmp(action, "file:", 5)) {
    return waitFile(value);
  }
  if (!strncmp(action, "key:", 4)) {
    return pressKey(value);
  }
  if (!strncmp(action, "move:", 5)) {
    return movePointer(value);
  }
  if (!strncmp(action, "down:", 5) || !strncmp(action, "up:", 3)) {
    XTestFakeButtonEvent(display, (unsigned int)atoi(value), action[0] == 'd', CurrentTime);
    return true;
  }
  rest(atoi(value));
  return !strncmp(action, "pause:", 6);
}


int main(int argc, char** argv) {
  display = XOpenDisplay(NULL);
  if (!display) {
    fprintf(stderr, "windowdriver: no display\n");
    return 1;
  }
  for (int k = 1; k < argc; k++) {
    if (!act(argv[k])) {
      fprintf(stderr, "windowdriver: %s\n", argv[k]);
      return 1;
    }
    XSync(display, False);
    rest(BEAT_MS);
  }
  XCloseDisplay(display);
  return 0;
}
