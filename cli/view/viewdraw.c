// A frame of the viewer: the scene, what is written over it, plots, panels, pictures to files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../canvas.h"
#include "view.h"

static const double look_again = 0.5;  // between two looks at the files of the model [s]


static void say(const cliView* v, int font, int place, mjrRect where, const char* a,
                const char* b) {
  mjr_overlay(font, place, where, a, b, &v->con);
}


// pause and speed above the scene
static void drawStatus(const cliView* v, mjrRect where) {
  const viewSim* s = &v->sim;
  const double wanted = cli_simPercent(s->speed);
  const bool is_late = s->run && s->measured > 0 && fabs(s->measured - wanted) > 0.1 * wanted;
  char text[64];
  if (!s->run) {
    snprintf(text, sizeof(text), s->scrub ? "PAUSE (%d)" : "PAUSE", s->scrub);
    say(v, mjFONT_BIG, mjGRID_TOP, where, text, NULL);
  }
  if (wanted != 100 || is_late) {
    const int n = snprintf(text, sizeof(text), "%g%%", wanted);
    if (is_late) {
      snprintf(text + n, sizeof(text) - (size_t)n, " (%-4.1f%%)", s->measured);
    }
    say(v, mjFONT_BIG, mjGRID_TOPLEFT, where, text, NULL);
  }
}


// a text in lines that are no wider than that many pixels, broken at blanks
static void breakLines(const mjrContext* con, const char* text, int width, char* lines,
                       size_t size) {
  size_t blank = 0;
  int used = 0, since_blank = 0;
  snprintf(lines, size, "%s", text);
  for (size_t k = 0; lines[k]; k++) {
    const int letter = con->charWidth[(unsigned char)lines[k] % 127];
    used = lines[k] == '\n' ? 0 : used + letter;
    since_blank += letter;
    if (lines[k] == ' ' || lines[k] == '\n') {
      blank = lines[k] == ' ' ? k : 0;
      since_blank = 0;
    }
    if (used > width && blank) {
      lines[blank] = '\n';
      blank = 0;
      used = since_blank;
    }
  }
}


static void drawTexts(cliView* v, mjrRect scene) {
  const char* trouble = cli_simTrouble(&v->sim);
  if (v->message_end > 0 && v->clock() > v->message_end) {
    v->message[0] = '\0';
  }
  if (v->message[0] || trouble) {
    char lines[VIEW_TEXT];
    breakLines(&v->con, v->message[0] ? v->message : trouble, scene.width - scene.width / 20, lines,
               sizeof(lines));
    say(v, mjFONT_NORMAL, mjGRID_BOTTOM, scene, lines, NULL);
  }
  if (v->help) {
    say(v, mjFONT_NORMAL, mjGRID_TOPLEFT, scene, cli_help_texts, cli_help_keys);
  }
  if (v->info) {
    char title[VIEW_TEXT], content[VIEW_TEXT];
    cli_textInfo(v, title, content, VIEW_TEXT);
    say(v, mjFONT_NORMAL, mjGRID_BOTTOMLEFT, scene, title, content);
  }
}


// the profiler takes the right quarter, sensors and energy stand left of it
static void drawPlots(cliView* v, mjrRect scene) {
  viewFigures* f = &v->figures;
  mjvFigure* const column[] = {&f->timers, &f->sizes, &f->cost, &f->counts};
  const int width = scene.width / 4, right = scene.left + scene.width;
  for (int k = 0; k < 4 && v->profiler; k++) {
    const mjrRect r = {right - width, scene.bottom + k * (scene.height / 4), width,
                       scene.height / 4};
    mjr_figure(r, column[k], &v->con);
  }
  const int left = right - (v->profiler ? 2 : 1) * width, height = scene.height / 3;
  if (v->sensors) {
    mjr_figure((mjrRect){left, scene.bottom, width, height}, &f->sensors, &v->con);
  }
  if (v->energy) {
    const int bottom = scene.bottom + (v->sensors ? height : 0);
    mjr_figure((mjrRect){left, bottom, width, height}, &f->energy, &v->con);
  }
}


static void updatePlots(cliView* v) {
  if (v->profiler) {
    cli_figuresProfile(&v->figures, v->sim.m, v->sim.d);
  }
  if (v->sensors) {
    cli_figuresSensors(&v->figures, v->sim.m, v->sim.d);
  }
  if (v->energy) {
    cli_figuresEnergy(&v->figures, v->sim.m, v->sim.d);
  }
}


//---------------------------------- pictures to files ---------------------------------------------

// screenshot.png, or with the first number that is free
static void pictureName(const cliView* v, char name[VIEW_TEXT]) {
  snprintf(name, VIEW_TEXT, "%s", v->screenshot[0] ? v->screenshot : "screenshot.png");
  for (int k = 2; !v->screenshot[0] && k < 10000 && cfi_fileIsReadable(name); k++) {
    snprintf(name, VIEW_TEXT, "screenshot-%d.png", k);
  }
}


static void savePicture(cliView* v) {
  const mjrRect all = v->ui.rect[0];
  const size_t row = 3 * (size_t)all.width;
  unsigned char* rgb = malloc(2 * row * (size_t)all.height + 1);
  char name[VIEW_TEXT];
  v->wants_picture = false;
  if (!rgb) {
    return;
  }
  unsigned char* turned = rgb + row * (size_t)all.height;
  mjr_readPixels(rgb, NULL, all, &v->con);
  for (int k = 0; k < all.height; k++) {
    memcpy(turned + row * (size_t)k, rgb + row * (size_t)(all.height - 1 - k), row);
  }
  pictureName(v, name);
  const bool is_written = cli_writePng(name, turned, all.width, all.height);
  cli_viewSaved(v, name, is_written ? NULL : "");
  free(rgb);
}


//---------------------------------- a frame -------------------------------------------------------

static void countFrame(cliView* v) {
  const double now = v->clock();
  v->rate_frames++;
  if (now - v->rate_start > 0.2) {
    v->rate = v->rate_frames / (now - v->rate_start);
    v->rate_start = now;
    v->rate_frames = 0;
  }
}


static void watchFiles(cliView* v) {
  const double now = v->clock();
  if (v->path[0] && now - v->watched > look_again) {
    v->watched = now;
    if (cli_watchChanged(&v->watch)) {
      cli_viewReload(v);
    }
  }
}


static void clearTimers(mjData* d) {
  for (int k = 0; k < mjNTIMER; k++) {
    d->timer[k] = (mjTimerStat){0, 0};
  }
}


static void drawScene(cliView* v) {
  const mjrRect scene = v->ui.rect[SCENE_RECT];
  mjrRect rest = scene;
  rest.width -= v->profiler ? scene.width / 4 : 0;
  mjr_render(scene, &v->scn, &v->con);
  drawStatus(v, rest);
  drawTexts(v, scene);
  drawPlots(v, scene);
}


void cli_viewScene(cliView* v) {
  viewSim* s = &v->sim;
  cli_updateScene(s->m, s->d, &v->opt, &s->pert, &v->cam, &v->scn);
  cli_studioScene(&v->studio, s->m, &v->scn);
}


void cli_viewFrame(cliView* v) {
  viewSim* s = &v->sim;
  watchFiles(v);
  cli_simAdvance(s, v->clock);
  cli_viewScene(v);
  updatePlots(v);
  cli_panelsRefresh(v);
  drawScene(v);
  clearTimers(s->d);
  if (v->show_left) {
    mjui_render(&v->left, &v->ui, &v->con);
  }
  if (v->show_right) {
    mjui_render(&v->right, &v->ui, &v->con);
  }
  if (v->wants_picture) {
    savePicture(v);
  }
  countFrame(v);
}
