// Models of the viewer: the first one, those that are dropped or loaded again, what is saved.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "view.h"

enum { MOST_GEOMS = 20000 };
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
  cli_simClose(&v->sim);
}


void cli_viewAlign(cliView* v) {
  const mjModel* m = v->sim.m;
  mjv_defaultFreeCamera(m, &v->cam);
  if (m->vis.global.cameraid >= 0 && m->vis.global.cameraid < m->ncam) {
    v->cam.type = mjCAMERA_FIXED;
    v->cam.fixedcamid = m->vis.global.cameraid;
  }
}


// scene and OpenGL objects of a new model; flags of the picture stay as they are
static void remake(cliView* v) {
  mjtByte flags[mjNRNDFLAG];
  const bool has_flags = v->scn.maxgeom > 0;
  memcpy(flags, v->scn.flags, sizeof(flags));
  mjv_makeScene(v->sim.m, &v->scn, MOST_GEOMS);
  if (has_flags) {
    memcpy(v->scn.flags, flags, sizeof(flags));
  }
  mjr_makeContext(v->sim.m, &v->con, 50 * (v->font + 1));
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
    snprintf(v->path, sizeof(v->path), "%s", path && strcmp(path, "-") ? path : "");
  }
  cli_watchModel(&v->watch, v->path);
  remake(v);
  if (!is_same || (v->cam.type == mjCAMERA_FIXED && v->cam.fixedcamid >= m->ncam) ||
      (v->cam.type == mjCAMERA_TRACKING && v->cam.trackbodyid >= m->nbody)) {
    cli_viewAlign(v);
  }
  cli_panelsModel(v);
  cli_panelsFit(v);
  mjv_updateScene(m, v->sim.d, &v->opt, &v->sim.pert, &v->cam, mjCAT_ALL, &v->scn);
  v->wish.title = v->is_stale = true;
  return true;
}


void cli_viewReload(cliView* v) {
  cli_viewLoad(v, v->path[0] ? v->path : NULL);
}


//---------------------------------- what is saved -------------------------------------------------

// a file with the state as a keyframe, which models may include
static bool writeKey(const cliView* v, const char* path) {
  char* text = malloc(VIEW_LONG);
  FILE* out = text ? fopen(path, "w") : NULL;
  if (out) {
    cli_textKey(v->sim.m, v->sim.d, text, VIEW_LONG);
    fprintf(out, "<mujoco>\n<keyframe>\n%s</keyframe>\n</mujoco>\n", text);
  }
  const bool is_written = out && !ferror(out) && !fclose(out);
  free(text);
  return is_written;
}


static bool saveXml(const cliView* v, const char* path, char* why) {
  return mj_saveLastXML(path, v->sim.m, why, VIEW_TEXT - 100);
}


void cli_viewSaved(cliView* v, const char* path, const char* why) {
  snprintf(v->message, sizeof(v->message), "%s %s%s%.*s", why ? "cannot write" : "saved", path,
           why && why[0] ? ": " : "", VIEW_TEXT / 2, why ? why : "");
  v->message_end = v->clock() + message_time;
}


void cli_viewSave(cliView* v, int command) {
  const mjModel* m = v->sim.m;
  char why[VIEW_TEXT] = "";
  const char* path = NULL;
  bool is_saved = true;
  if (command == DO_SAVE_XML) {
    is_saved = saveXml(v, path = "mjmodel.xml", why);
  } else if (command == DO_SAVE_MJB) {
    mj_saveModel(m, path = "mjmodel.mjb", NULL, 0);
  } else if (command == DO_PRINT_MODEL) {
    mj_printModel(m, path = "MJMODEL.TXT");
  } else if (command == DO_PRINT_DATA) {
    mj_printData(m, v->sim.d, path = "MJDATA.TXT");
  } else if (command == DO_WRITE_KEY) {
    is_saved = writeKey(v, path = "keyframe.xml");
  } else if (command == DO_COPY_STATE) {
    cli_textKey(m, v->sim.d, v->wish.text, VIEW_LONG);
    v->wish.clipboard = true;
  } else if (command == DO_COPY_CAMERA) {
    cli_textCamera(&v->scn, v->wish.text, VIEW_LONG);
    v->wish.clipboard = true;
  }
  if (path) {
    cli_viewSaved(v, path, is_saved ? NULL : why);
  }
}
