// cortenforge view: the command.
#include <stdio.h>
#include <stdlib.h>

#include "../canvas.h"
#include "../webpage.h"
#include "glfwwindow.h"

typedef struct {
  const char *model, *camera, *size, *keyframe, *screenshot, *web;
  const char* plugin;
  bool is_paused, is_bare;
} viewOptions;


static double now(void) {
  return cfi_clock();
}


static mjtNum milliseconds(void) {
  return 1e3 * now();
}


// the state and the picture that the options ask for
static cliExit applyOptions(cliView* v, const viewOptions* o) {
  if (o->keyframe) {
    v->sim.key = cli_findKeyframe(v->sim.m, o->keyframe);
    if (v->sim.key < 0) {
      return CLI_USAGE;
    }
    cli_simLoadKey(&v->sim);
    cli_viewAlign(v);
  }
  if (o->camera && !cli_chooseCamera(v->sim.m, v->sim.d, o->camera, cli_viewAspect(v), &v->cam)) {
    return CLI_USAGE;
  }
  if (o->is_bare) {
    v->show_left = v->show_right = 0;
    cli_panelsFit(v);
  }
  if (cli_windowIsSlow()) {
    v->scn.flags[mjRND_REFLECTION] = 0;
  }
  if (o->screenshot) {
    snprintf(v->screenshot, sizeof(v->screenshot), "%s", o->screenshot);
  }
  cli_simPlay(&v->sim, !o->is_paused);
  return CLI_OK;
}


static cliExit showModel(viewWindow* w, const viewOptions* o) {
  int width, height;
  cliView* v = calloc(1, sizeof(cliView));
  if (!v) {
    cli_error("not enough memory");
    return CLI_IO;
  }
  cli_windowSize(w, &width, &height);
  cli_viewInit(v, now, mjFB_WINDOW, width, height);
  cliExit code = CLI_BAD_MODEL;
  if (!cli_viewLoad(v, o->model)) {
    cli_error("%s", v->message);
  } else if ((code = applyOptions(v, o)) == CLI_OK) {
    cli_windowRun(w, v);
  }
  cli_viewClose(v);
  free(v);
  return code;
}


static const cliOption option_table[] = {
    {"--camera", "C", offsetof(viewOptions, camera)},
    {"--size", "WxH", offsetof(viewOptions, size)},
    {"--keyframe", "K", offsetof(viewOptions, keyframe)},
    {"--plugin", "FILE", offsetof(viewOptions, plugin)},
    {"--paused", NULL, offsetof(viewOptions, is_paused)},
    {"--bare", NULL, offsetof(viewOptions, is_bare)},
    {"--screenshot", "FILE", offsetof(viewOptions, screenshot)},
    {"--web", "FILE", offsetof(viewOptions, web)},
};


// the model as a page for browsers, instead of a window
static cliExit showPage(const viewOptions* o) {
  cliExit code = CLI_OK;
  if (o->camera || o->size || o->keyframe || o->plugin || o->screenshot || o->is_paused ||
      o->is_bare) {
    cli_error("--web goes with no other option: the page has its own settings");
    return CLI_USAGE;
  }
  if (!cli_hasSuffix(o->web, ".html")) {
    cli_error("--web %s: expected a name that ends in .html", o->web);
    return CLI_USAGE;
  }
  mjModel* m = cli_load(o->model, &code);
  if (!m) {
    return code;
  }
  mj_deleteModel(m);
  code = cli_writePage(o->model, o->web, NULL);
  if (code == CLI_OK) {
    const bool is_open = cli_openPage(o->web);
    printf(is_open ? "%s is in your browser\n" : "wrote %s: open it in a browser\n", o->web);
  }
  return code;
}


static int runView(int argc, char** argv) {
  viewOptions o = {0};
  int width = 1280, height = 800;
  char why[VIEW_TEXT];
  const int n = cli_parse(&cli_view, argc, argv, &o);
  if (n > 1) {
    cli_error("one model at a time; drop others on the window");
  }
  if (n < 0 || n > 1 || (o.size && !cli_sizeFrom(o.size, &width, &height))) {
    return CLI_USAGE;
  }
  o.model = n == 1 ? argv[0] : NULL;
  if (o.screenshot && !cli_hasSuffix(o.screenshot, ".png")) {
    cli_error("--screenshot %s: expected a name that ends in .png", o.screenshot);
    return CLI_USAGE;
  }
  if (o.web) {
    return showPage(&o);
  }
  if (!cli_loadPlugins(o.plugin)) {
    return CLI_IO;
  }
  viewWindow* w = cli_windowOpen(width, height, why);
  if (!w) {
    cli_error(
        "%s; 'cortenforge render' draws pictures and 'cortenforge run --video' films without a window",
        why);
    return CLI_IO;
  }
  mjcb_time = milliseconds;
  const cliExit code = showModel(w, &o);
  mjcb_time = NULL;
  cli_windowClose(w);
  return code;
}


const cliCommand cli_view = {
    "view",
    "[MODEL] [--camera C] [--keyframe K] [--plugin FILE] [--paused] [--size WxH] [--bare] [--screenshot FILE] [--web FILE]",
    "simulate a model in a window",
    "DESCRIPTION\n"
    "  Opens a window with MODEL (MJCF, URDF or MJB; - is standard input, without one the embedded humanoid) and lets it move.  Keys and\n"
    "  mouse are those of MuJoCo's simulate; F1 lists them.  The window is made by GLFW (libglfw.so.3), found at run\n"
    "  time.  Drop a file on the window to load it; the model is loaded again when one of its files changes.\n"
    "  Without a graphics card mirrors are off at first.\n\n"
    "  Space play or pause; arrows step back and forward; - and = slower and faster; Backspace reset; Ctrl-L load again;\n"
    "  drag to orbit, right drag to pan, wheel to zoom; double click selects a body, Ctrl-drag turns it, Ctrl-right-drag\n"
    "  pulls it; right double click looks at a point, with Ctrl the camera follows the body; [ and ] cameras of the\n"
    "  model, Esc the free one; Tab and Shift-Tab panels; F1 help, F2 info, F3 profiler, F4 sensors, F5 full screen,\n"
    "  F6 frames, F7 labels, F8 energy; C contacts, F contact forces (the panel 'Rendering' shows all letters);\n"
    "  Ctrl-P picture to screenshot.png, Ctrl-C state to the clipboard, Ctrl-K state to keyframe.xml; Ctrl-Q quit.\n\n"
    "OPTIONS\n"
    "  --camera C        name or number of a camera, 'free', or azimuth,elevation,distance[,x,y,z]\n"
    "  --keyframe K      start from this keyframe, name or number\n"
    "  --plugin FILE     load plugins and extensions first, files with commas between them\n"
    "  --paused          do not start yet\n"
    "  --size WxH        of the window (1280x800)\n"
    "  --bare            panels hidden at first\n"
    "  --screenshot FILE where Ctrl-P writes, over what is there (screenshot.png, then screenshot-2.png ...)\n"
    "  --web FILE        write one HTML file with the engine, MODEL and its files, and open it in the browser\n"
    "                    instead of a window; needs the page that `make web` builds\n\n"
    "EXIT STATUS\n"
    "  3 if there is no display, no GLFW or no OpenGL: `cortenforge render` needs none of them but Mesa\n",
    runView,
    CLI_OPTIONS(option_table)};
