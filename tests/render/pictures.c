// Pictures of this library and of the reference with the same driver, pixel by pixel.
//
//   pictures [--all] [--write FOLDER] MODEL...
//
// Both draw the same scenes, each in an OpenGL context of its own.  Colors may differ by 1 of 255
// on average and by 4 in 99 of 100 pixels, segments in 0.5 % of the pixels (edges), depth by 1e-4.
// --all does not stop looking after the first look; --write leaves pictures (PPM) that differ.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_reference.h"
#include "offscreen.h"

// functions of the reference are looked up by name
#pragma GCC diagnostic ignored "-Wpedantic"

enum { WIDTH = 320, HEIGHT = 240, PIXELS = WIDTH * HEIGHT, GEOMS = 5000 };

// the functions of one library
typedef struct {
  const char* name;
  void (*make)(const mjModel*, mjrContext*, int);
  void (*free)(mjrContext*);
  void (*buffer)(int, mjrContext*);
  void (*resize)(int, int, mjrContext*);
  void (*render)(mjrRect, mjvScene*, const mjrContext*);
  void (*read)(unsigned char*, float*, mjrRect, const mjrContext*);
  void (*figure)(mjrRect, mjvFigure*, const mjrContext*);
  void (*rectangle)(mjrRect, float, float, float, float);
  int (*error)(void);
} renderer;

// one library with its context and what it drew
typedef struct {
  renderer r;
  cliOffscreen gl;
  mjrContext con;
  unsigned char rgb[3 * PIXELS];
  float depth[PIXELS];
} side;

// what is shown: flags that are turned over from their defaults, -1 ends a list
typedef struct {
  const char* name;
  int render[6], vis[12];
  int stereo, frame, depth_map;
  bool is_segment;
} look;

#define NONE \
  { -1 }
static const look looks[] = {
    {"plain", NONE, NONE, 0, 0, mjDEPTH_ZERONEAR, false},
    {"bare",
     {mjRND_SHADOW, mjRND_REFLECTION, mjRND_SKYBOX, -1},
     NONE,
     0,
     5,
     mjDEPTH_ZEROFAR,
     false},
    {"wireframe", {mjRND_WIREFRAME, -1}, NONE, 0, 0, mjDEPTH_ZERONEAR, false},
    {"fog", {mjRND_FOG, mjRND_HAZE, -1}, NONE, 0, 0, mjDEPTH_ZERONEAR, false},
    {"segments", {mjRND_SEGMENT, -1}, NONE, 0, 0, mjDEPTH_ZERONEAR, true},
    {"ids", {mjRND_SEGMENT, mjRND_IDCOLOR, -1}, NONE, 0, 0, mjDEPTH_ZERONEAR, true},
    {"transparent", NONE, {mjVIS_TRANSPARENT, -1}, 0, 0, mjDEPTH_ZERONEAR, false},
    {"additive", {mjRND_ADDITIVE, -1}, {mjVIS_TRANSPARENT, -1}, 0, 0, mjDEPTH_ZERONEAR, false},
    {"backfaces",
     {mjRND_CULL_FACE, -1},
     {mjVIS_CONVEXHULL, mjVIS_TEXTURE, -1},
     0,
     0,
     mjDEPTH_ZEROFAR,
     false},
    {"stereo", NONE, NONE, mjSTEREO_SIDEBYSIDE, 0, mjDEPTH_ZERONEAR, false},
    {"decorated",
     NONE,
     {mjVIS_JOINT, mjVIS_ACTUATOR, mjVIS_COM, mjVIS_CONTACTPOINT, mjVIS_CONTACTFORCE, mjVIS_INERTIA,
      mjVIS_CAMERA, mjVIS_LIGHT, mjVIS_AUTOCONNECT, mjVIS_SKIN, mjVIS_FLEXVERT, -1},
     0,
     0,
     mjDEPTH_ZERONEAR,
     false},
};
enum { LOOKS = sizeof(looks) / sizeof(looks[0]) };

static const renderer our_renderer = {
    "ours",     mjr_makeContext, mjr_freeContext, mjr_setBuffer, mjr_resizeOffscreen,
    mjr_render, mjr_readPixels,  mjr_figure,      mjr_rectangle, mjr_getError};


static renderer theirRenderer(void) {
  return (renderer){"theirs",
                    CF_REF(mjr_makeContext),
                    CF_REF(mjr_freeContext),
                    CF_REF(mjr_setBuffer),
                    CF_REF(mjr_resizeOffscreen),
                    CF_REF(mjr_render),
                    CF_REF(mjr_readPixels),
                    CF_REF(mjr_figure),
                    CF_REF(mjr_rectangle),
                    CF_REF(mjr_getError)};
}


static void writePicture(const char* folder, const char* label, const side* s) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s.%s.ppm", folder, label, s->r.name);
  FILE* out = fopen(path, "wb");
  if (out) {
    fprintf(out, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int y = HEIGHT - 1; y >= 0; y--) {
      fwrite(s->rgb + 3 * WIDTH * y, 3, WIDTH, out);
    }
    fclose(out);
  }
}


// how two pictures differ
typedef struct {
  double mean;   // of absolute differences of colors
  double far;    // part of the pixels with a color off by more than 4
  double apart;  // part of the pixels with any difference
  double deep;   // part of the pixels whose depth is off by more than 1e-4
} difference;


static difference compare(const side* a, const side* b) {
  difference r = {0, 0, 0, 0};
  for (int k = 0; k < PIXELS; k++) {
    int worst = 0;
    for (int c = 0; c < 3; c++) {
      const int off = abs(a->rgb[3 * k + c] - b->rgb[3 * k + c]);
      worst = off > worst ? off : worst;
      r.mean += off;
    }
    r.far += worst > 4;
    r.apart += worst > 0;
    r.deep += !(fabsf(a->depth[k] - b->depth[k]) <= 1e-4f * fmaxf(1e-6f, fabsf(b->depth[k])));
  }
  r.mean /= 3 * PIXELS;
  r.far /= PIXELS;
  r.apart /= PIXELS;
  r.deep /= PIXELS;
  return r;
}


static bool isGood(difference d, bool is_segment) {
  const bool colors = is_segment ? d.apart <= 0.005 : d.mean <= 1 && d.far <= 0.01;
  return colors && d.deep <= 0.005;
}


// a picture is not empty: some pixel differs from another
static bool isPicture(const side* s) {
  for (int k = 3; k < 3 * PIXELS; k++) {
    if (s->rgb[k] != s->rgb[k % 3]) {
      return true;
    }
  }
  return false;
}


static void applyLook(const look* l, mjvScene* scn, mjvOption* option, mjrContext* con) {
  for (int k = 0; l->render[k] >= 0 && k < 6; k++) {
    scn->flags[l->render[k]] ^= 1;
  }
  for (int k = 0; l->vis[k] >= 0 && k < 12; k++) {
    option->flags[l->vis[k]] ^= 1;
  }
  scn->stereo = l->stereo;
  scn->framewidth = l->frame;
  scn->framergb[0] = 0.5f;
  con->readDepthMap = l->depth_map;
}


// draw one look of a model with one library
static void draw(side* s, const mjModel* m, mjData* d, const mjvCamera* camera, const look* l) {
  const mjrRect all = {0, 0, WIDTH, HEIGHT};
  mjvScene scn;
  mjvOption option;
  mjvCamera cam = *camera;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, GEOMS);
  mjv_defaultOption(&option);
  applyLook(l, &scn, &option, &s->con);
  mjv_updateScene(m, d, &option, NULL, &cam, mjCAT_ALL, &scn);
  cli_useOffscreen(&s->gl);
  s->r.buffer(mjFB_OFFSCREEN, &s->con);
  s->r.render(all, &scn, &s->con);
  s->r.read(s->rgb, s->depth, all, &s->con);
  mjv_freeScene(&scn);
}


static mjModel* loadModel(const char* path) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));

  // the largest shadow maps take a driver in software long
  if (m && m->vis.quality.shadowsize > 1024) {
    m->vis.quality.shadowsize = 1024;
  }
  if (!m) {
    printf("%s: %s\n", path, error);
  }
  return m;
}


// the free camera, or the first of the model for every other look
static mjvCamera cameraFor(const mjModel* m, int k) {
  mjvCamera camera;
  mjv_defaultFreeCamera(m, &camera);
  if (k % 2 && m->ncam) {
    camera.type = mjCAMERA_FIXED;
    camera.fixedcamid = k / 2 % (int)m->ncam;
  }
  return camera;
}


typedef struct {
  int pictures, bad, empty;
  double worst_mean, worst_far;
} summary;


static void judge(summary* sum, const char* label, const side sides[2], bool is_segment,
                  const char* folder) {
  const difference d = compare(sides, sides + 1);
  const bool is_good = isGood(d, is_segment);
  sum->pictures++;
  sum->empty += !isPicture(sides + 1);
  sum->worst_mean = fmax(sum->worst_mean, d.mean);
  sum->worst_far = fmax(sum->worst_far, is_segment ? d.apart : d.far);
  if (!is_good) {
    sum->bad++;
    printf("DIFFERS %s: mean %.3f, beyond 4 %.2f %%, any %.2f %%, depth %.2f %%\n", label, d.mean,
           100 * d.far, 100 * d.apart, 100 * d.deep);
  }
  if (!is_good && folder) {
    writePicture(folder, label, sides);
    writePicture(folder, label, sides + 1);
  }
}


static bool openSides(side sides[2]) {
  char why[256] = "";
  sides[0].r = our_renderer;
  sides[1].r = theirRenderer();
  for (int k = 0; k < 2; k++) {
    if (!cli_openOffscreen(&sides[k].gl, 0, 0, why)) {
      printf("%s\n", why);
      return false;
    }
  }
  return true;
}


// contexts of both libraries for a model, or freed
static void makeContexts(side sides[2], const mjModel* m) {
  for (int k = 0; k < 2; k++) {
    side* s = sides + k;
    cli_useOffscreen(&s->gl);
    if (m) {
      memset(&s->con, 0, sizeof(s->con));
      s->r.make(m, &s->con, 100);
      s->r.resize(WIDTH, HEIGHT, &s->con);
    } else {
      s->r.free(&s->con);
    }
  }
}


static void compareModel(summary* sum, side sides[2], const char* path, bool all_looks,
                         const char* folder) {
  const char* slash = strrchr(path, '/');
  mjModel* m = loadModel(path);
  mjData* d = m ? mj_makeData(m) : NULL;
  if (!d) {
    sum->bad++;
    return;
  }
  for (int k = 0; k < 30; k++) {
    mj_step(m, d);
  }
  mj_forward(m, d);
  makeContexts(sides, m);
  for (int k = 0; k < LOOKS; k++) {
    char label[256];
    const mjvCamera camera = cameraFor(m, k);
    if (!all_looks && k && (k + sum->pictures) % 3) {
      continue;
    }
    snprintf(label, sizeof(label), "%s.%s", slash ? slash + 1 : path, looks[k].name);
    for (int s = 0; s < 2; s++) {
      draw(sides + s, m, d, &camera, looks + k);
      if (sides[s].r.error()) {
        printf("OpenGL error of %s after %s\n", sides[s].r.name, label);
        sum->bad += s == 0;
      }
    }
    judge(sum, label, sides, looks[k].is_segment, folder);
  }
  makeContexts(sides, NULL);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// a figure without letters, and rectangles; both are laid out alike
static void compareFlat(summary* sum, side sides[2], const char* folder) {
  static mjvFigure fig;
  const mjrRect all = {0, 0, WIDTH, HEIGHT}, part = {40, 20, 200, 150};
  mjv_defaultFigure(&fig);
  fig.flg_legend = 0;
  fig.flg_ticklabel[0] = fig.flg_ticklabel[1] = 0;
  fig.flg_selection = 1;
  fig.selection = 12;
  fig.highlightid = -1;
  for (int line = 0; line < 3; line++) {
    fig.linepnt[line] = 40;
    for (int k = 0; k < 40; k++) {
      fig.linedata[line][2 * k] = (float)k;
      fig.linedata[line][2 * k + 1] = (float)sin(0.2 * k + line);
    }
  }
  makeContexts(sides, NULL);
  for (int k = 0; k < 2; k++) {
    side* s = sides + k;
    cli_useOffscreen(&s->gl);
    memset(&s->con, 0, sizeof(s->con));
    s->r.make(NULL, &s->con, 150);
    s->con.readPixelFormat = 0x1907;
    s->r.buffer(mjFB_OFFSCREEN, &s->con);
    s->r.rectangle(all, 0.2f, 0.3f, 0.4f, 1);
    s->r.figure(part, &fig, &s->con);
    s->r.rectangle((mjrRect){10, 10, 60, 60}, 1, 0, 0, 0.5f);
    s->r.read(s->rgb, s->depth, all, &s->con);
  }
  judge(sum, "flat", sides, false, folder);
  makeContexts(sides, NULL);
}


int main(int argc, char** argv) {
  static side sides[2];
  summary sum = {0, 0, 0, 0, 0};
  const char* folder = NULL;
  bool all_looks = false;
  if (!cf_referenceOpen() || !openSides(sides)) {
    return cf_skipCode();
  }
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--all")) {
      all_looks = true;
    } else if (!strcmp(argv[k], "--write") && k + 1 < argc) {
      folder = argv[++k];
    } else {
      compareModel(&sum, sides, argv[k], all_looks, folder);
    }
  }
  compareFlat(&sum, sides, folder);
  printf(
      "%d pictures, %d differ; worst mean %.4f of 255, worst part beyond 4 (segments: any) %.3f %%\n",
      sum.pictures, sum.bad, sum.worst_mean, 100 * sum.worst_far);
  // a driver that draws nothing would agree with itself
  if (20 * sum.empty > sum.pictures) {
    printf("%d pictures are empty\n", sum.empty);
  }
  return sum.bad || sum.pictures < 2 || 20 * sum.empty > sum.pictures;
}
