// Models of the viewer: the first one, those that are dropped or loaded again, what is saved.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "view.h"

enum { GEOMS_AT_FIRST = 20000 };
static const double message_time = 3;  // how long it is said that something was saved [s]


void cli_viewInit(cliView* v, double (*clock)(void), int framebuffer, int width, int height) {
  v->clock = clock;
  v->framebuffer = framebuffer;
  v->show_left = v->show_right = v->vsync = 1;
  v->font = mjFONTSCALE_100 / 50 - 1;
  snprintf(v->field, sizeof(v->field), "qpos");
  mjv_defaultScene(&v->scn);
  mjv_defaultOption(&v->opt);
  mjv_defaultCamera(&v->cam);
  mjr_defaultContext(&v->con);
  cli_figuresInit(&v->figures);
  v->ui.userdata = v;
  v->ui.nrect = 1;
  v->ui.rect[0] = (mjrRect){0, 0, width, height};
  cli_panelsInit(v);
}


void cli_viewClose(cliView* v) {
  if (v->con.glInitialized) {
    mjr_freeContext(&v->con);
  }
  mjv_freeScene(&v->scn);
  cli_closeStudio(&v->studio);
  cli_watchFree(&v->watch);
  free(v->wish.text);
  v->wish.text = NULL;
  cli_simClose(&v->sim);
}


double cli_viewAspect(const cliView* v) {
  const mjrRect scene = v->ui.rect[v->ui.nrect > SCENE_RECT ? SCENE_RECT : 0];
  return scene.height > 0 && scene.width > 0 ? (double)scene.width / scene.height : 1;
}


void cli_viewAlign(cliView* v) {
  cli_defaultCamera(v->sim.m, v->sim.d, cli_viewAspect(v), &v->cam);
}


// scene and OpenGL objects of a new model; flags of the picture stay as they are
static void remake(cliView* v) {
  mjtByte flags[mjNRNDFLAG];
  const bool has_flags = v->scn.maxgeom > 0;
  memcpy(flags, v->scn.flags, sizeof(flags));
  mjv_makeScene(v->sim.m, &v->scn, GEOMS_AT_FIRST);
  if (has_flags) {
    memcpy(v->scn.flags, flags, sizeof(flags));
  }
  cli_closeStudio(&v->studio);
  cli_openStudio(&v->studio, v->sim.m, &v->cam, false);
  mjr_makeContext(cli_studioModel(&v->studio, v->sim.m), &v->con, 50 * (v->font + 1));
  cli_studioContext(&v->studio, &v->con);
  if (v->framebuffer == mjFB_OFFSCREEN) {
    mjr_resizeOffscreen(v->ui.rect[0].width, v->ui.rect[0].height, &v->con);
  }
  mjr_setBuffer(v->framebuffer, &v->con);
}


bool cli_viewLoad(cliView* v, const char* path) {
  char error[VIEW_TEXT] = "";
  cliExit code;
  mjModel* m = cli_open(path, error, sizeof(error), &code);
  if (!m || !cli_simOpen(&v->sim, m)) {
    snprintf(v->message, sizeof(v->message), "%s", m ? "not enough memory" : error);
    v->message_end = 0;
    mj_deleteModel(m);
    return false;
  }
  const bool is_same = v->con.glInitialized && !strcmp(v->path, path ? path : "");
  snprintf(v->message, sizeof(v->message), "%s", error);
  v->message_end = 0;
  if (path != v->path) {
    snprintf(v->path, sizeof(v->path), "%s", path ? path : "");
  }
  cli_watchModel(&v->watch, v->path);
  if (!is_same || (v->cam.type == mjCAMERA_FIXED && v->cam.fixedcamid >= m->ncam) ||
      (v->cam.type == mjCAMERA_TRACKING && v->cam.trackbodyid >= m->nbody)) {
    cli_viewAlign(v);
  }
  remake(v);
  cli_panelsModel(v);
  cli_panelsFit(v);
  cli_viewScene(v);
  v->wish.title = v->is_stale = true;
  return true;
}


void cli_viewReload(cliView* v) {
  cli_viewLoad(v, v->path[0] ? v->path : NULL);
}


//---------------------------------- what is saved -------------------------------------------------

// a file with the state as a keyframe, which models may include; why not goes to `why`
static void writeKey(const cliView* v, const char* path, char* why) {
  char* text = cli_textKey(v->sim.m, v->sim.d);
  FILE* out = text ? cfi_fileOpen(path, "w") : NULL;
  bool is_written = out;
  if (out) {
    fprintf(out, "<mujoco>\n<keyframe>\n%s</keyframe>\n</mujoco>\n", text);
    is_written = !ferror(out) & !fclose(out);
  }
  if (!is_written) {
    snprintf(why, VIEW_TEXT, "%s", text ? strerror(errno) : "not enough memory");
  }
  free(text);
}


// the file that a command writes, NULL for none; what went wrong goes to `why`
static const char* writeFile(const cliView* v, int command, char* why) {
  const mjModel* m = v->sim.m;
  const char* path = NULL;
  cli_catchWarnings(why, VIEW_TEXT);
  if (command == DO_SAVE_XML) {
    char error[VIEW_TEXT] = "";
    if (!mj_saveLastXML(path = "mjmodel.xml", m, error, sizeof(error))) {
      snprintf(why, VIEW_TEXT, "%s", error);
    }
  } else if (command == DO_SAVE_MJB) {
    mj_saveModel(m, path = "mjmodel.mjb", NULL, 0);
  } else if (command == DO_PRINT_MODEL) {
    mj_printModel(m, path = "MJMODEL.TXT");
  } else if (command == DO_PRINT_DATA) {
    mj_printData(m, v->sim.d, path = "MJDATA.TXT");
  } else if (command == DO_WRITE_KEY) {
    writeKey(v, path = "keyframe.xml", why);
  }
  cli_releaseWarnings();
  return path;
}


// take over a text for the clipboard
static void offerText(cliView* v, char* text) {
  free(v->wish.text);
  v->wish.text = text;
  v->wish.clipboard = text;
  if (!text) {
    cli_viewSaved(v, "to the clipboard", "not enough memory");
  }
}


void cli_viewSaved(cliView* v, const char* path, const char* why) {
  snprintf(v->message, sizeof(v->message), "%s %s%s%.*s", why ? "cannot write" : "saved", path,
           why && why[0] ? ": " : "", VIEW_TEXT / 2, why ? why : "");
  v->message_end = v->clock() + message_time;
}


void cli_viewSave(cliView* v, int command) {
  char why[VIEW_TEXT] = "";
  if (command == DO_COPY_STATE) {
    offerText(v, cli_textKey(v->sim.m, v->sim.d));
    return;
  }
  if (command == DO_COPY_CAMERA) {
    offerText(v, cli_textCamera(&v->scn));
    return;
  }
  const char* path = writeFile(v, command, why);
  if (path) {
    cli_viewSaved(v, path, why[0] ? why : NULL);
  }
}
