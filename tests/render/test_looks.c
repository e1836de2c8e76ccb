// How our models look in pictures of the command line: each is drawn as `cortenforge render` draws
// it without options.  What moves has to fill a sensible part of the frame and to stand out from
// what is around it, in a picture that is neither dark nor glaring.
#include "cf_test.h"

#include <stdbool.h>

#include "canvas.h"
#include "cf_folder.h"

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT };

// what a picture shows
typedef struct {
  int subject, cut;             // pixels of what moves, and those of them at the rim
  double width, height;         // of all objects, as parts of the frame
  double brightness, contrast;  // mean of the picture, subject against the rest: of 255
} picture;

typedef struct {
  int drawn, left_out, failed;
} tally;


static bool canDraw(void) {
  static int answer = -1;
  if (answer < 0) {
    cliOffscreen screen;
    char why[256];
    answer = cli_openOffscreen(&screen, 0, 0, why);
    if (answer) {
      cli_closeOffscreen(&screen);
    } else {
      print_message("%s\n", why);
    }
  }
  return answer;
}

#define NEED_GL()   \
  if (!canDraw()) { \
    skip();         \
  }


// mark pixels of what moves, or of everything but grounds and decoration; how many there are
static int markPixels(const cliCanvas* c, bool moves, bool mark[PIXELS]) {
  int count = 0;
  for (int k = 0; k < PIXELS; k++) {
    const unsigned char* p = c->rgb + 3 * k;
    const int id = (p[0] | p[1] << 8 | p[2] << 16) - 1;
    mark[k] = false;
    for (int n = 0; n < c->scn.ngeom && id >= 0 && !mark[k]; n++) {
      const mjvGeom* geom = c->scn.geoms + n;
      mark[k] = geom->segid == id && geom->type != mjGEOM_PLANE && geom->type != mjGEOM_HFIELD &&
                (geom->category == mjCAT_DYNAMIC || (!moves && geom->category == mjCAT_STATIC));
    }
    count += mark[k];
  }
  return count;
}


static void markObjects(cliCanvas* c, mjData* d, bool subject[PIXELS], bool object[PIXELS]) {
  c->scn.flags[mjRND_SEGMENT] = c->scn.flags[mjRND_IDCOLOR] = 1;
  cli_draw(c, d);
  c->scn.flags[mjRND_SEGMENT] = c->scn.flags[mjRND_IDCOLOR] = 0;
  if (!markPixels(c, true, subject)) {
    markPixels(c, false, subject);
  }
  markPixels(c, false, object);
}


static picture measure(cliCanvas* c, mjData* d) {
  static bool mark[PIXELS], object[PIXELS];
  picture p = {0};
  double sum[2][3] = {{0, 0, 0}, {0, 0, 0}};
  int low[2] = {WIDTH, HEIGHT}, high[2] = {-1, -1};
  markObjects(c, d, mark, object);
  cli_draw(c, d);
  for (int k = 0; k < PIXELS; k++) {
    const int at[2] = {k % WIDTH, k / WIDTH};
    for (int i = 0; i < 3; i++) {
      sum[mark[k]][i] += c->rgb[3 * k + i];
      p.brightness += c->rgb[3 * k + i] / (3.0 * PIXELS);
    }
    p.subject += mark[k];
    p.cut += mark[k] && (!at[0] || !at[1] || at[0] == WIDTH - 1 || at[1] == HEIGHT - 1);
    for (int i = 0; i < 2 && object[k]; i++) {
      low[i] = at[i] < low[i] ? at[i] : low[i];
      high[i] = at[i] > high[i] ? at[i] : high[i];
    }
  }
  p.width = (high[0] - low[0] + 1) / (double)WIDTH;
  p.height = (high[1] - low[1] + 1) / (double)HEIGHT;
  for (int i = 0; i < 3 && p.subject && p.subject < PIXELS; i++) {
    p.contrast = fmax(p.contrast, fabs(sum[1][i] / p.subject - sum[0][i] / (PIXELS - p.subject)));
  }
  return p;
}


static picture drawModel(const mjModel* m, bool is_plain) {
  const cliCanvasOptions look = {.width = WIDTH, .height = HEIGHT, .is_plain = is_plain};
  mjData* d = mj_makeData(m);
  cliCanvas c;
  mj_forward(m, d);
  CF_EQ_INT(cli_openCanvas(&c, m, d, &look), CLI_OK);
  const picture p = measure(&c, d);
  CF_EQ_INT(mjr_getError(), 0);
  cli_closeCanvas(&c);
  mj_deleteData(d);
  return p;
}


// what is wrong with a picture, NULL if nothing is
static const char* flaw(const picture* p) {
  const double span = fmax(p->width, p->height);
  return p->subject < PIXELS / 1000      ? "shows too little of the subject"
         : span < 0.45                   ? "shows the subject small"
         : p->subject > 6 * PIXELS / 10  ? "is filled by the subject"
         : p->cut > (WIDTH + HEIGHT) / 4 ? "cuts the subject off"
         : p->brightness < 70            ? "is dark"
         : p->brightness > 235           ? "glares"
         : p->contrast < 12              ? "has no contrast"
                                         : NULL;
}


// files that are no models of their own, and models that need libraries of their own
static bool isLeftOut(const char* path) {
  return strstr(path, "/parts/") || strstr(path, "/files/") || strstr(path, "/plugins/");
}


static void lookAt(const char* path, void* context) {
  tally* t = context;
  char error[1000] = "";
  if (isLeftOut(path)) {
    t->left_out++;
    return;
  }
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s: %s\n", path, error);
  }
  m->vis.quality.shadowsize = m->vis.quality.shadowsize ? 512 : 0;
  m->vis.quality.offsamples = 0;
  const picture p = drawModel(m, false);
  const char* why = flaw(&p);
  if (why) {
    print_error(
        "%s %s: %.1f %% of the pixels, %.2f x %.2f, %d at the rim, brightness %.0f, contrast %.0f\n",
        path, why, 100.0 * p.subject / PIXELS, p.width, p.height, p.cut, p.brightness, p.contrast);
    t->failed++;
  }
  t->drawn++;
  mj_deleteModel(m);
}


CF_TEST(models__every_one__subject_fills_a_part_of_the_frame_with_contrast) {
  NEED_GL();
  tally t = {0, 0, 0};
  cf_visitModels(CF_SOURCE_DIR "/models", lookAt, &t);
  print_message("%d models drawn, %d files left out\n", t.drawn, t.left_out);
  CF_TRUE(t.drawn >= 170);
  CF_EQ_INT(t.failed, 0);
}


//---------------------------------- shadows -------------------------------------------------------

static int brightnessAt(const unsigned char* rgb, int pixel) {
  return rgb[3 * pixel] + rgb[3 * pixel + 1] + rgb[3 * pixel + 2];
}


// pixels that are darker than all four around them, where these are alike and of the same object:
// facets in their own shadow
static int countSpecks(const unsigned char* rgb, const unsigned char* id, int width, int height) {
  const int beside[4] = {-1, 1, -width, width};
  int count = 0;
  for (int k = width; k < (height - 1) * width; k++) {
    int low = 3 * 255, high = 0;
    bool is_inside = k % width > 0 && k % width < width - 1;
    for (int n = 0; n < 4 && is_inside; n++) {
      const int other = k + beside[n], value = brightnessAt(rgb, other);
      is_inside = !memcmp(id + 3 * k, id + 3 * other, 3);
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    count += is_inside && high - low < 90 && brightnessAt(rgb, k) < low - 60;
  }
  return count;
}


static void lookForSpecks(const char* path, void* context) {
  enum { W = 480, H = 360 };
  static unsigned char id[3 * W * H];
  tally* t = context;
  char error[1000] = "";
  mjModel* m = isLeftOut(path) ? NULL : mj_loadXML(path, NULL, error, sizeof(error));
  if (!m || mj_name2id(m, mjOBJ_LIGHT, "sun") < 0) {
    mj_deleteModel(m);
    t->left_out++;
    return;
  }
  const cliCanvasOptions look = {.width = W, .height = H};
  mjData* d = mj_makeData(m);
  cliCanvas c;
  mj_forward(m, d);
  CF_EQ_INT(cli_openCanvas(&c, m, d, &look), CLI_OK);
  c.scn.flags[mjRND_SEGMENT] = c.scn.flags[mjRND_IDCOLOR] = 1;
  cli_draw(&c, d);
  memcpy(id, c.rgb, sizeof(id));
  c.scn.flags[mjRND_SEGMENT] = c.scn.flags[mjRND_IDCOLOR] = 0;
  cli_draw(&c, d);
  const int specks = countSpecks(c.rgb, id, W, H);
  if (specks > 4) {
    print_error("%s: %d dark specks\n", path, specks);
    t->failed++;
  }
  t->drawn++;
  cli_closeCanvas(&c);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// a light that falls along the facets of a capsule puts its rim into its own shadow, in dots
CF_TEST(shadows__models_with_a_sun__free_of_specks) {
  NEED_GL();
  tally t = {0, 0, 0};
  cf_visitModels(CF_SOURCE_DIR "/models", lookForSpecks, &t);
  print_message("%d models drawn\n", t.drawn);
  CF_TRUE(t.drawn >= 12);
  CF_EQ_INT(t.failed, 0);
}


//---------------------------------- framing -------------------------------------------------------

static mjModel* modelFrom(const char* text) {
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "model.xml", text, (int)strlen(text));
  mjModel* m = mj_loadXML("model.xml", &vfs, error, sizeof(error));
  mj_deleteVFS(&vfs);
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


// far from the origin, on a large ground, tiny or huge: the subject is found, and the studio is lit
CF_TEST(framing__models_that_bring_no_view__subject_is_found) {
  NEED_GL();
  static const char* const form =
      "<mujoco><worldbody><geom type='box' size='%g %g %g' pos='0 0 %g'/><geom type='plane' "
      "size='0 0 1' pos='0 0 %g'/><body pos='%g %g %g'><freejoint/><geom type='box' size='%g %g "
      "%g'/></body></worldbody></mujoco>";
  for (int k = 0; k < 4; k++) {
    const double size = (const double[4]){0.01, 0.2, 3, 80}[k], far = 7 * size, ground = 50 * size;
    char text[1000];
    snprintf(text, sizeof(text), form, ground, ground, size, -size, -2 * size, far, -far, size,
             size, 2 * size, size);
    mjModel* m = modelFrom(text);
    const picture p = drawModel(m, false);
    if (flaw(&p)) {
      print_error("size %g: %s\n", size, flaw(&p));
    }
    CF_TRUE(!flaw(&p));
    CF_TRUE(p.contrast > 40);
    CF_EQ_INT(p.cut, 0);
    mj_deleteModel(m);
  }
}


// what a model says about its view, its lights and its colors counts
CF_TEST(framing__a_view_of_the_model__counts) {
  NEED_GL();
  mjModel* m = modelFrom(
      "<mujoco><statistic center='1 2 3' extent='4'/><visual><global azimuth='10' "
      "elevation='-60'/></visual><worldbody><body><geom size='.1'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mjvCamera free_camera, ours;
  mj_forward(m, d);
  mjv_defaultFreeCamera(m, &free_camera);
  cli_defaultCamera(m, d, 1.5, &ours);
  CF_NEAR_ARRAY(ours.lookat, free_camera.lookat, 3, 0);
  CF_NEAR(ours.distance, free_camera.distance, 0);
  CF_NEAR(ours.azimuth, 10, 0);
  CF_NEAR(ours.elevation, -60, 0);
  mj_deleteData(d);
  mj_deleteModel(m);

  // angles alone: kept, and the distance comes from the subject
  m = modelFrom(
      "<mujoco><visual><global azimuth='10' elevation='-60'/></visual><worldbody><geom "
      "type='plane' size='90 90 1'/><body pos='5 0 1'><freejoint/><geom size='.1'/></body>"
      "</worldbody></mujoco>");
  d = mj_makeData(m);
  mj_forward(m, d);
  cli_defaultCamera(m, d, 1.5, &ours);
  CF_NEAR(ours.azimuth, 10, 0);
  CF_NEAR(ours.lookat[0], 5, 0.1);
  CF_TRUE(ours.distance < 0.6);
  mj_deleteData(d);
  mj_deleteModel(m);

  m = modelFrom(
      "<mujoco><visual><global cameraid='0'/></visual><worldbody><camera pos='0 0 3'/><geom "
      "size='.1'/></worldbody></mujoco>");
  d = mj_makeData(m);
  mj_forward(m, d);
  cli_defaultCamera(m, d, 1.5, &ours);
  CF_EQ_INT(ours.type, mjCAMERA_FIXED);
  CF_EQ_INT(ours.fixedcamid, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// lights of the model or --plain: the scene is MuJoCo's, geom by geom and lamp by lamp
CF_TEST(studio__lights_of_the_model_or_plain__is_off) {
  for (int k = 0; k < 3; k++) {
    char text[300];
    snprintf(text, sizeof(text),
             "<mujoco><worldbody>%s<body><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
             k == 1 ? "<light/>" : "");
    mjModel* m = modelFrom(text);
    mjData* d = mj_makeData(m);
    cliStudio studio;
    mjvCamera camera;
    mjvScene scn;
    mjvOption option;
    mj_forward(m, d);
    mjv_defaultOption(&option);
    mjv_defaultScene(&scn);
    mjv_makeScene(m, &scn, 100);
    mjv_defaultFreeCamera(m, &camera);
    cli_openStudio(&studio, m, &camera, k == 2);
    cli_updateScene(m, d, &option, NULL, &camera, &scn);
    const int lamps = scn.nlight;
    cli_studioScene(&studio, m, &scn);
    CF_EQ_INT(studio.is_on, k == 0);
    CF_EQ_INT(scn.nlight, k == 0 ? lamps + 2 : lamps);
    CF_EQ_INT(cli_studioModel(&studio, m) == m, k != 0);
    CF_EQ_INT(scn.geoms[0].rgba[0] == 0.5f, k != 0);
    CF_EQ_INT(m->ntex, 0);
    cli_closeStudio(&studio);
    mjv_freeScene(&scn);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST_MAIN("cli/looks")
