// Pictures of this library and of the reference with the same driver, pixel by pixel.
//
//   pictures [--all] [--write FOLDER] MODEL|FOLDER...
//
// Both draw the same scenes, each in an OpenGL context of its own.  Colors may differ by 1 of 255
// on average and by 4 in 99 of 100 pixels, segments in 0.5 % of the pixels (edges), depth by 1e-4.
// Letters are our own and take the place of MuJoCo's: pictures with letters may differ in 6 % of
// the pixels and in brightness by 2 of 255, and are compared once more without them.
// --all takes every look with the free camera and with those of the model, not a third of them with
// one camera; a model that only one of the libraries can have is left out.  --write leaves pictures
// (PPM) that differ.
#include <ftw.h>
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

enum {
  WIDTH = 320,
  HEIGHT = 240,
  PIXELS = WIDTH * HEIGHT,
  GEOMS = 5000,
  MOST_CAMERAS = 4,
  MOST_LABELS = 30,
  NO_LETTERS = 1 << 24
};

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
  void (*overlay)(int, int, mjrRect, const char*, const char*, const mjrContext*);
  void (*text)(int, const char*, const mjrContext*, float, float, float, float, float);
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
  int label, axes;  // mjtLabel, mjtFrame
} look;

// designated members are those that a look has
static const look looks[] = {
    {"plain", .render = {-1}, .vis = {-1}},
    {"bare", .render = {mjRND_SHADOW, mjRND_REFLECTION, mjRND_SKYBOX, -1}, .vis = {-1}, .frame = 5,
     .depth_map = mjDEPTH_ZEROFAR},
    {"wireframe", .render = {mjRND_WIREFRAME, -1}, .vis = {-1}},
    {"fog", .render = {mjRND_FOG, mjRND_HAZE, -1}, .vis = {-1}},
    {"segments", .render = {mjRND_SEGMENT, -1}, .vis = {-1}, .is_segment = true},
    {"ids", .render = {mjRND_SEGMENT, mjRND_IDCOLOR, -1}, .vis = {-1}, .is_segment = true},
    {"transparent", .render = {-1}, .vis = {mjVIS_TRANSPARENT, -1}},
    {"additive", .render = {mjRND_ADDITIVE, -1}, .vis = {mjVIS_TRANSPARENT, -1}},
    {"backfaces", .render = {mjRND_CULL_FACE, -1}, .vis = {mjVIS_CONVEXHULL, mjVIS_TEXTURE, -1},
     .depth_map = mjDEPTH_ZEROFAR},
    {"stereo", .render = {-1}, .vis = {-1}, .stereo = mjSTEREO_SIDEBYSIDE},
    {"decorated", .render = {-1},
     .vis = {mjVIS_JOINT, mjVIS_ACTUATOR, mjVIS_COM, mjVIS_CONTACTPOINT, mjVIS_CONTACTFORCE,
             mjVIS_INERTIA, mjVIS_CAMERA, mjVIS_LIGHT, mjVIS_AUTOCONNECT, mjVIS_SKIN,
             mjVIS_FLEXVERT, -1}},
    {"labels", .render = {-1}, .vis = {-1}, .label = mjLABEL_BODY},
    {"axes", .render = {-1}, .vis = {mjVIS_CONVEXHULL, -1}, .axes = mjFRAME_GEOM},
    {"soft", .render = {-1},
     .vis = {mjVIS_FLEXVERT, mjVIS_FLEXEDGE, mjVIS_FLEXFACE, mjVIS_FLEXSKIN, mjVIS_SKIN, -1}},
    {"static", .render = {-1},
     .vis = {mjVIS_STATIC, mjVIS_TENDON, mjVIS_RANGEFINDER, mjVIS_CONSTRAINT, mjVIS_ISLAND, -1}},
};
_Static_assert(mjDEPTH_ZERONEAR == 0, "depth of a look that says nothing");
enum { LOOKS = sizeof(looks) / sizeof(looks[0]) };

static const renderer our_renderer = {
    "ours",     mjr_makeContext, mjr_freeContext, mjr_setBuffer, mjr_resizeOffscreen,
    mjr_render, mjr_readPixels,  mjr_figure,      mjr_rectangle, mjr_overlay,
    mjr_text,   mjr_getError};


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
                    CF_REF(mjr_overlay),
                    CF_REF(mjr_text),
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
  double light;  // difference of the mean colors
} difference;


static difference compare(const side* a, const side* b) {
  difference r = {0, 0, 0, 0, 0};
  for (int k = 0; k < PIXELS; k++) {
    int worst = 0;
    for (int c = 0; c < 3; c++) {
      const int off = abs(a->rgb[3 * k + c] - b->rgb[3 * k + c]);
      worst = off > worst ? off : worst;
      r.mean += off;
      r.light += a->rgb[3 * k + c] - b->rgb[3 * k + c];
    }
    r.far += worst > 4;
    r.apart += worst > 0;
    r.deep += !(fabsf(a->depth[k] - b->depth[k]) <= 1e-4f * fmaxf(1e-6f, fabsf(b->depth[k])));
  }
  r.mean /= 3 * PIXELS;
  r.light /= 3 * PIXELS;
  r.far /= PIXELS;
  r.apart /= PIXELS;
  r.deep /= PIXELS;
  return r;
}


// what may differ
typedef enum { COLORS, SEGMENTS, LETTERS } pictureKind;


static bool isGood(difference d, pictureKind kind) {
  const bool colors = kind == COLORS     ? d.mean <= 1 && d.far <= 0.01
                      : kind == SEGMENTS ? d.apart <= 0.005
                                         : d.far <= 0.06 && fabs(d.light) <= 2;
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
  option->label = l->label;
  option->frame = l->axes;
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


// the free camera for -1, or one of the model
static mjvCamera cameraFor(const mjModel* m, int id) {
  mjvCamera camera;
  mjv_defaultFreeCamera(m, &camera);
  if (id >= 0 && m->ncam) {
    camera.type = mjCAMERA_FIXED;
    camera.fixedcamid = id % (int)m->ncam;
  }
  return camera;
}


typedef struct {
  int pictures, bad, empty, equal, letters;
  double worst_mean, worst_far, worst_letters;
} summary;


static void judge(summary* sum, const char* label, const side sides[2], pictureKind kind,
                  const char* folder) {
  const difference d = compare(sides, sides + 1);
  const bool is_good = isGood(d, kind);
  sum->pictures++;
  sum->empty += !isPicture(sides + 1);
  sum->equal += d.apart == 0;
  if (kind == LETTERS) {
    sum->letters++;
    sum->worst_letters = fmax(sum->worst_letters, d.far);
  } else {
    sum->worst_mean = fmax(sum->worst_mean, d.mean);
    sum->worst_far = fmax(sum->worst_far, kind == SEGMENTS ? d.apart : d.far);
  }
  if (!is_good) {
    sum->bad++;
    printf("DIFFERS %s: mean %.3f, beyond 4 %.2f %%, any %.2f %%, depth %.2f %%, light %.2f\n",
           label, d.mean, 100 * d.far, 100 * d.apart, 100 * d.deep, d.light);
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


// how the command was called, and what came out
static struct {
  bool all_looks;
  const char* folder;
  side sides[2];
  summary sum;
  int models;
} run;


// one look of a model through one camera
static void compareLook(const mjModel* m, mjData* d, const char* name, int k, int camera_id) {
  char label[256];
  const mjvCamera camera = cameraFor(m, camera_id);
  snprintf(label, sizeof(label), "%s.%s.%d", name, looks[k].name, camera_id);
  for (int s = 0; s < 2; s++) {
    draw(run.sides + s, m, d, &camera, looks + k);
    if (run.sides[s].r.error()) {
      printf("OpenGL error of %s after %s\n", run.sides[s].r.name, label);
      run.sum.bad += s == 0;
    }
  }
  judge(&run.sum, label, run.sides,
        looks[k].is_segment ? SEGMENTS : (looks[k].label ? LETTERS : COLORS), run.folder);
}


// all looks through all cameras, or a third of the looks through one
static void compareLooks(const mjModel* m, mjData* d, const char* name) {
  const int cameras = m->ncam < MOST_CAMERAS ? (int)m->ncam : MOST_CAMERAS;
  for (int k = 0; k < LOOKS; k++) {
    const bool is_full = looks[k].label && m->nbody > MOST_LABELS;  // nothing but letters
    if (is_full || (!run.all_looks && k && (k + run.sum.pictures) % 3)) {
      continue;
    }
    for (int camera = -1; camera < cameras && run.all_looks; camera++) {
      compareLook(m, d, name, k, camera);
    }
    if (!run.all_looks) {
      compareLook(m, d, name, k, k % 2 ? k / 2 : -1);
    }
  }
}


static void compareModel(const char* path) {
  const char* slash = strrchr(path, '/');
  mjModel* m = loadModel(path);
  mjData* d = m ? mj_makeData(m) : NULL;
  if (!d) {
    run.sum.bad++;
    return;
  }
  for (int k = 0; k < 30; k++) {
    mj_step(m, d);
  }
  mj_forward(m, d);
  makeContexts(run.sides, m);
  compareLooks(m, d, slash ? slash + 1 : path);
  makeContexts(run.sides, NULL);
  mj_deleteData(d);
  mj_deleteModel(m);
  run.models++;
}


// a file of a folder, if it is a model that stands for itself
static int visitFile(const char* path, const struct stat* info, int kind, struct FTW* place) {
  const char* dot = strrchr(path, '.');
  (void)info;
  (void)place;
  if (kind == FTW_F && dot && !strcmp(dot, ".xml")) {
    char error[500] = "";
    mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
    const bool is_model = m != NULL;
    mj_deleteModel(m);
    if (is_model) {
      compareModel(path);
    } else {
      printf("left out %s: %s\n", path, error);
    }
  }
  return 0;
}


// three curves, with or without letters
static void fillFigure(mjvFigure* fig, bool has_letters) {
  mjv_defaultFigure(fig);
  fig->flg_legend = fig->flg_ticklabel[0] = fig->flg_ticklabel[1] = has_letters;
  fig->flg_selection = 1;
  fig->selection = 12;
  fig->highlightid = -1;
  for (int line = 0; line < 3; line++) {
    fig->linepnt[line] = 40;
    for (int k = 0; k < 40; k++) {
      fig->linedata[line][2 * k] = (float)k;
      fig->linedata[line][2 * k + 1] = (float)sin(0.2 * k + line);
    }
  }
  if (has_letters) {
    snprintf(fig->title, sizeof(fig->title), "Curves");
    snprintf(fig->xlabel, sizeof(fig->xlabel), "time");
    snprintf(fig->linename[0], sizeof(fig->linename[0]), "height");
  }
}


// figures, rectangles, overlays and text; letters are our own, but they take the same place
static void compareFlat(bool has_letters, bool shows_letters) {
  static mjvFigure fig;
  const mjrRect all = {0, 0, WIDTH, HEIGHT}, part = {40, 20, 200, 150};
  fillFigure(&fig, has_letters);
  makeContexts(run.sides, NULL);
  for (int k = 0; k < 2; k++) {
    side* s = run.sides + k;
    cli_useOffscreen(&s->gl);
    memset(&s->con, 0, sizeof(s->con));
    s->r.make(NULL, &s->con, 100);
    s->con.readPixelFormat = 0x1907;
    s->r.buffer(mjFB_OFFSCREEN, &s->con);
    if (!shows_letters) {
      s->con.baseFontNormal += NO_LETTERS;  // lists that do not exist
      s->con.baseFontShadow += NO_LETTERS;
    }
    s->r.rectangle(all, 0.2f, 0.3f, 0.4f, 1);
    s->r.figure(part, &fig, &s->con);
    s->r.rectangle((mjrRect){10, 10, 60, 60}, 1, 0, 0, 0.5f);
    if (has_letters) {
      s->r.overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, all, "Time", "1.25", &s->con);
      s->r.text(mjFONT_NORMAL, "ball", &s->con, 0.8f, 0.8f, 1, 1, 1);
    }
    s->r.read(s->rgb, s->depth, all, &s->con);
    if (!shows_letters) {
      s->con.baseFontNormal -= NO_LETTERS;
      s->con.baseFontShadow -= NO_LETTERS;
    }
  }
  judge(&run.sum, shows_letters ? "letters" : "flat", run.sides, shows_letters ? LETTERS : COLORS,
        run.folder);
  makeContexts(run.sides, NULL);
}


static void visit(const char* path) {
  struct stat info;
  if (!stat(path, &info) && S_ISDIR(info.st_mode)) {
    nftw(path, visitFile, 16, FTW_PHYS);
  } else {
    compareModel(path);
  }
}


int main(int argc, char** argv) {
  const summary* sum = &run.sum;
  if (!cf_referenceOpen() || !openSides(run.sides)) {
    return cf_skipCode();
  }
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--all")) {
      run.all_looks = true;
    } else if (!strcmp(argv[k], "--write") && k + 1 < argc) {
      run.folder = argv[++k];
    } else {
      visit(argv[k]);
    }
  }
  compareFlat(false, false);
  compareFlat(true, false);
  compareFlat(true, true);
  printf(
      "%d pictures of %d models, %d differ, %d equal in every pixel; worst mean %.4f of 255, worst "
      "part beyond 4 (segments: any) %.3f %%; %d of them with letters, worst %.2f %%\n",
      sum->pictures, run.models, sum->bad, sum->equal, sum->worst_mean, 100 * sum->worst_far,
      sum->letters, 100 * sum->worst_letters);
  // a driver that draws nothing would agree with itself
  if (20 * sum->empty > sum->pictures) {
    printf("%d pictures are empty\n", sum->empty);
  }
  return sum->bad || sum->pictures < 2 || 20 * sum->empty > sum->pictures;
}
