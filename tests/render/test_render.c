// Rendering without the reference: what certain pixels must be, depths that follow from geometry,
// ids, buffers, bad arguments.  Skipped where no OpenGL driver can be had.
#include "cf_test.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_reference.h"
#include "offscreen.h"
#include "render/gl.h"

enum { SIDE = 64 };

static cliOffscreen screen;


// an OpenGL context is current, or the test is skipped; CI has one
static bool hasGl(void) {
  char why[256] = "";
  if (!screen.library && !cli_openOffscreen(&screen, 40, 30, why)) {
    print_message("%s\n", why);
  }
  return screen.library && cli_useOffscreen(&screen);
}

#define NEED_GL() CF_NEED(hasGl(), "an OpenGL driver (libegl1, libgl1-mesa-dri)")

// one model with everything to draw it
typedef struct {
  mjModel* m;
  mjData* d;
  mjvScene scn;
  mjrContext con;
  unsigned char rgb[3 * SIDE * SIDE];
  float depth[SIDE * SIDE];
} stage;

static const mjrRect whole = {0, 0, SIDE, SIDE};


static stage* openStage(const char* body, const char* extra) {
  static stage s;
  char text[4000], error[500] = "";
  mjVFS vfs;
  snprintf(text, sizeof(text),
           "<mujoco><statistic extent='1' center='0 0 0'/>"
           "<visual><global offwidth='%d' offheight='%d'/><map znear='0.1' zfar='10'/>"
           "<quality offsamples='0'/><headlight ambient='1 1 1' diffuse='0 0 0' specular='0 0 0'/>"
           "</visual>%s<worldbody>"
           "<camera name='eye' pos='0 0 4' fovy='45'/>%s</worldbody></mujoco>",
           SIDE, SIDE, extra, body);
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "stage.xml", text, (int)strlen(text));
  memset(&s, 0, sizeof(s));
  s.m = mj_loadXML("stage.xml", &vfs, error, sizeof(error));
  mj_deleteVFS(&vfs);
  if (!s.m) {
    CF_FAIL("%s\n", error);
  }
  s.d = mj_makeData(s.m);
  mj_forward(s.m, s.d);
  mjv_makeScene(s.m, &s.scn, 1000);
  mjr_makeContext(s.m, &s.con, 100);
  mjr_setBuffer(mjFB_OFFSCREEN, &s.con);
  return &s;
}


static void draw(stage* s) {
  mjvOption option;
  mjvCamera camera;
  mjv_defaultOption(&option);
  mjv_defaultCamera(&camera);
  camera.type = mjCAMERA_FIXED;
  camera.fixedcamid = 0;
  mjv_updateScene(s->m, s->d, &option, NULL, &camera, mjCAT_ALL, &s->scn);
  mjr_render(whole, &s->scn, &s->con);
  mjr_readPixels(s->rgb, s->depth, whole, &s->con);
  CF_EQ_INT(mjr_getError(), 0);
}


static void closeStage(stage* s) {
  mjr_freeContext(&s->con);
  mjv_freeScene(&s->scn);
  mj_deleteData(s->d);
  mj_deleteModel(s->m);
}


static const unsigned char* pixel(const stage* s, int x, int y) {
  return s->rgb + 3 * (y * SIDE + x);
}


#define CF_PIXEL(s, x, y, r, g, b, slack)             \
  do {                                                \
    const unsigned char* cf_p = pixel((s), (x), (y)); \
    CF_NEAR(cf_p[0], (r), (slack));                   \
    CF_NEAR(cf_p[1], (g), (slack));                   \
    CF_NEAR(cf_p[2], (b), (slack));                   \
  } while (0)

// first in the file: nothing has loaded OpenGL yet
CF_TEST(functions__before_makeContext__say_so) {
  static mjrContext con;
  static mjvFigure figure;
  static mjvScene scn;
  static mjUI ui;
  unsigned char rgb[3];
  const mjrRect one = {0, 0, 1, 1};
  const char* phrase = "call mjr_makeContext first";
  CF_RAISES(mjr_render(one, &scn, &con), phrase);
  CF_RAISES(mjr_readPixels(rgb, NULL, one, &con), phrase);
  CF_RAISES(mjr_drawPixels(rgb, NULL, one, &con), phrase);
  CF_RAISES(mjr_restoreBuffer(&con), phrase);
  CF_RAISES(mjr_maxViewport(&con), phrase);
  CF_RAISES(mjr_text(mjFONT_BIG, "a", &con, 0, 0, 1, 1, 1), phrase);
  CF_RAISES(mjr_overlay(mjFONT_BIG, mjGRID_TOP, one, "a", NULL, &con), phrase);
  CF_RAISES(mjr_rectangle(one, 1, 1, 1, 1), phrase);
  CF_RAISES(mjr_label(one, mjFONT_BIG, "a", 1, 1, 1, 1, 0, 0, 0, &con), phrase);
  CF_RAISES(mjr_figure(one, &figure, &con), phrase);
  CF_RAISES(mjr_resizeOffscreen(3, 3, &con), phrase);
  CF_RAISES(mjr_addAux(1, 3, 3, 0, &con), phrase);
  CF_RAISES(mjr_changeFont(100, &con), phrase);
  CF_RAISES(mjui_resize(&ui, &con), phrase);
  CF_RAISES(mjr_setAux(1, &con), "does not exist");
  CF_EQ_INT(mjr_getError(), 0);
  mjr_finish();
  mjr_freeContext(&con);
}

// ambient light alone: the color of a geom is what it says
CF_TEST(render__ambient_light__colors_of_geoms) {
  NEED_GL();
  stage* s = openStage(
      "<geom type='box' size='.5 .5 .5' pos='-.6 0 0' rgba='1 .5 0 1'/>"
      "<geom type='sphere' size='.5' pos='.6 0 0' rgba='0 .2 1 1'/>",
      "");
  draw(s);
  CF_PIXEL(s, 20, 32, 255, 128, 0, 1);
  CF_PIXEL(s, 44, 32, 0, 51, 255, 1);
  CF_PIXEL(s, 2, 2, 0, 0, 0, 0);
  closeStage(s);
}

// depth of a surface at distance z: both meanings, from the projection (near n, far f)
CF_TEST(render__depth__follows_from_the_distance) {
  NEED_GL();
  stage* s = openStage("<geom type='box' size='.5 .5 1'/>", "");
  const double n = 0.1, f = 10, z = 3;
  draw(s);
  CF_NEAR(s->depth[32 * SIDE + 32], f / (f - n) * (1 - n / z), 1e-6);
  CF_NEAR(s->depth[0], 1, 0);
  s->con.readDepthMap = mjDEPTH_ZEROFAR;
  draw(s);
  CF_NEAR(s->depth[32 * SIDE + 32], n / (f - n) * (f / z - 1), 1e-6);
  CF_NEAR(s->depth[0], 0, 0);
  closeStage(s);
}

CF_TEST(render__segmentation__id_plus_one_as_color) {
  NEED_GL();
  stage* s = openStage(
      "<geom type='box' size='.5 .5 .5' pos='-.6 0 0'/>"
      "<geom type='box' size='.5 .5 .5' pos='.6 0 0'/>",
      "");
  s->scn.flags[mjRND_SEGMENT] = s->scn.flags[mjRND_IDCOLOR] = 1;
  draw(s);
  int segid[2] = {-1, -1};
  for (int k = 0; k < s->scn.ngeom; k++) {
    if (s->scn.geoms[k].objtype == mjOBJ_GEOM) {
      segid[s->scn.geoms[k].objid] = s->scn.geoms[k].segid;
    }
  }
  CF_TRUE(segid[0] >= 0 && segid[1] > segid[0]);
  CF_PIXEL(s, 20, 32, segid[0] + 1, 0, 0, 0);
  CF_PIXEL(s, 44, 32, segid[1] + 1, 0, 0, 0);
  CF_PIXEL(s, 2, 2, 0, 0, 0, 0);
  closeStage(s);
}

// a lamp above a ball above the floor: the floor is dark under the ball and lit beside it
CF_TEST(render__shadow__dark_below_and_lit_beside) {
  NEED_GL();
  stage* s = openStage(
      "<light directional='true' pos='3 0 3' dir='-1 0 -1' diffuse='.5 .5 .5'/>"
      "<geom type='plane' size='2 2 .1' pos='0 0 -.5' rgba='1 1 1 1'/>"
      "<geom size='.2' pos='0.5 0 .5' rgba='1 1 1 1'/>",
      "<visual><headlight ambient='.2 .2 .2'/></visual>");
  draw(s);
  // the shadow of the ball falls one unit to the left of it
  const double scale = SIDE / (2 * 4.5 * 0.41421356);
  const int x = (int)(32 + (0.5 - 1) * scale);
  CF_PIXEL(s, x, 32, 51, 51, 51, 2);
  CF_PIXEL(s, x, 50, 51 + 90, 51 + 90, 51 + 90, 2);
  s->scn.flags[mjRND_SHADOW] = 0;
  draw(s);
  CF_PIXEL(s, x, 32, 51 + 90, 51 + 90, 51 + 90, 2);
  closeStage(s);
}

// half of what is behind shows through; in the other order of the geoms as well
CF_TEST(render__transparency__blends_with_what_is_behind) {
  NEED_GL();
  stage* s = openStage(
      "<geom type='box' size='.5 .5 .1' pos='0 0 .5' rgba='1 0 0 .5'/>"
      "<geom type='box' size='1 1 .1' rgba='0 0 1 1'/>",
      "");
  draw(s);
  const unsigned char* p = pixel(s, 32, 32);
  CF_TRUE(p[0] > 120 && p[2] > 20 && p[2] < 140 && p[1] == 0);
  closeStage(s);
}

// what is transparent writes no depth; what the other eye sees after it does
CF_TEST(render__transparency_for_two_eyes__depth_in_both_halves) {
  NEED_GL();
  stage* s = openStage(
      "<geom type='box' size='.5 .5 .1' pos='0 0 .5' rgba='1 0 0 .5'/>"
      "<geom type='box' size='1 1 .1' rgba='0 0 1 1'/>",
      "");
  const double n = 0.1, f = 10;
  s->scn.stereo = mjSTEREO_SIDEBYSIDE;
  draw(s);
  CF_NEAR(s->depth[32 * SIDE + 16], f / (f - n) * (1 - n / 3.9), 1e-6);
  CF_NEAR(s->depth[32 * SIDE + 48], f / (f - n) * (1 - n / 3.9), 1e-6);
  closeStage(s);
}

// two sheets under a headlight: each is lit by the normals of its own vertices
CF_TEST(render__second_skin__lit_by_its_own_normals) {
  NEED_GL();
  stage* s = openStage(
      "<body name='left' pos='-.6 0 0'><joint/><geom size='.01' mass='1'/></body>"
      "<body name='right' pos='.6 0 0' euler='0 60 0'><joint/><geom size='.01' mass='1'/></body>",
      "<visual><headlight ambient='0 0 0' diffuse='1 1 1'/></visual><deformable>"
      "<skin name='one' vertex='-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0' face='0 1 2 0 2 3' rgba='1 1 1 1'>"
      "<bone body='left' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1 2 3' vertweight='1 1 1 1'/></skin>"
      "<skin name='two' vertex='-.5 -.5 0 .5 -.5 0 .5 .5 0 -.5 .5 0' face='0 1 2 0 2 3' rgba='1 1 1 1'>"
      "<bone body='right' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1 2 3' vertweight='1 1 1 1'/></skin>"
      "</deformable>");
  draw(s);
  // the light falls straight down: cosines of 0 and 60 degrees
  const int y = 30, left = (int)(32 - 0.6 * SIDE / (8 * 0.41421356)), right = 64 - left;
  CF_NEAR(pixel(s, left - 3, y)[0], 255, 2);
  CF_NEAR(pixel(s, right, y)[0], 0.5 * 255, 2);
  closeStage(s);
}

// a lamp with a cone: the shadow is where rays from the lamp make it, in a map that is as small as
// the cone allows
CF_TEST(render__spot__shadow_in_its_place) {
  NEED_GL();
  stage* s = openStage(
      "<light pos='0 0 2' dir='0 0 -1' diffuse='.5 .5 .5' cutoff='40' exponent='0'/>"
      "<geom type='plane' size='2 2 .1' pos='0 0 -.5' rgba='1 1 1 1'/>"
      "<geom type='box' size='.1 .1 .02' pos='.2 0 1' rgba='1 1 1 1'/>",
      "<visual><quality shadowsize='128'/><headlight ambient='.2 .2 .2'/></visual>");
  draw(s);
  // from the lamp, 2.5 above the floor, a box one below it reaches from .25 to .75
  const double scale = SIDE / (2 * 4.5 * 0.41421356);
  CF_PIXEL(s, (int)(32 + 0.65 * scale), 32, 51, 51, 51, 2);
  CF_TRUE(pixel(s, (int)(32 + 1.0 * scale), 32)[0] > 100);
  CF_TRUE(pixel(s, (int)(32 - 0.65 * scale), 32)[0] > 100);
  closeStage(s);
}

// a checker of two by two: four quarters
CF_TEST(render__texture__checker_on_a_plane) {
  NEED_GL();
  stage* s =
      openStage("<geom type='plane' size='1 1 .1' material='board'/>",
                "<asset><texture name='t' type='2d' builtin='checker' rgb1='1 0 0' rgb2='0 1 0'"
                " width='64' height='64'/><material name='board' texture='t'/></asset>");
  draw(s);
  const unsigned char* a = pixel(s, 26, 26);
  const unsigned char* b = pixel(s, 38, 26);
  const unsigned char* c = pixel(s, 38, 38);
  CF_TRUE(a[0] + b[0] == 255 && a[1] + b[1] == 255);
  CF_EQ_INT(memcmp(a, c, 3), 0);
  closeStage(s);
}

// a mirror shows what stands above it, darker by its reflectance
CF_TEST(render__mirror__shows_the_other_side) {
  NEED_GL();
  stage* s = openStage(
      "<camera name='low' pos='0 -3 1' xyaxes='1 0 0 0 .316 .949'/>"
      "<geom type='plane' size='2 2 .1' material='mirror'/>"
      "<geom type='box' size='.3 .3 .3' pos='0 0 .6' rgba='0 1 0 1'/>",
      "<asset><material name='mirror' reflectance='.5' rgba='0 0 0 1'/></asset>");
  mjvOption option;
  mjvCamera camera;
  mjv_defaultOption(&option);
  mjv_defaultCamera(&camera);
  camera.type = mjCAMERA_FIXED;
  camera.fixedcamid = 1;
  mjv_updateScene(s->m, s->d, &option, NULL, &camera, mjCAT_ALL, &s->scn);
  for (int on = 0; on < 2; on++) {
    s->scn.flags[mjRND_REFLECTION] = (mjtByte)on;
    mjr_render(whole, &s->scn, &s->con);
    mjr_readPixels(s->rgb, NULL, whole, &s->con);
    int green = 0;
    for (int y = 0; y < SIDE / 2; y++) {
      const unsigned char* p = pixel(s, 32, y);
      green += p[1] >= 126 && p[1] <= 129 && p[0] == 0;
    }
    CF_EQ_INT(green > 3, on);
  }
  closeStage(s);
}

//---------------------------------- buffers -------------------------------------------------------

CF_TEST(buffers__resize_and_samples__pixels_come_back) {
  NEED_GL();
  stage* s = openStage("<geom type='box' size='5 5 .5' rgba='0 1 0 1'/>", "");
  CF_EQ_INT(mjr_maxViewport(&s->con).width, SIDE);
  mjr_resizeOffscreen(200, 100, &s->con);
  CF_EQ_INT(mjr_maxViewport(&s->con).width, 200);
  CF_EQ_INT(mjr_maxViewport(&s->con).height, 100);
  static unsigned char rgb[3 * 200 * 100];
  draw(s);
  const mjrRect big = {0, 0, 200, 100};
  mjr_render(big, &s->scn, &s->con);
  mjr_readPixels(rgb, NULL, big, &s->con);
  CF_EQ_INT(rgb[3 * (50 * 200 + 190) + 1], 255);
  s->m->vis.quality.offsamples = 4;
  mjr_makeContext(s->m, &s->con, 100);
  mjr_setBuffer(mjFB_OFFSCREEN, &s->con);
  CF_TRUE(s->con.offSamples > 0);
  draw(s);
  CF_PIXEL(s, 32, 32, 0, 255, 0, 0);
  closeStage(s);
}

// offscreen to window and back, through memory and auxiliary buffers
CF_TEST(buffers__blit_and_auxiliary__colors_arrive) {
  NEED_GL();
  stage* s = openStage("<geom type='box' size='5 5 .5' rgba='0 1 0 1'/>", "");
  const mjrRect small = {0, 0, 20, 20};
  unsigned char rgb[3 * 400];
  CF_EQ_INT(s->con.windowAvailable, 1);
  draw(s);
  mjr_blitBuffer(small, small, 1, 0, &s->con);
  mjr_setBuffer(mjFB_WINDOW, &s->con);
  mjr_readPixels(rgb, NULL, small, &s->con);
  CF_EQ_INT(rgb[1], 255);
  CF_EQ_INT(rgb[3 * 399 + 1], 255);

  mjr_addAux(2, 30, 30, 4, &s->con);
  mjr_setAux(2, &s->con);
  mjr_rectangle((mjrRect){0, 0, 30, 30}, 1, 0, 0, 1);
  mjr_restoreBuffer(&s->con);
  mjr_blitAux(2, small, 5, 5, &s->con);
  mjr_readPixels(rgb, NULL, small, &s->con);
  CF_EQ_INT(rgb[3 * (20 * 10 + 10)], 255);
  CF_EQ_INT(rgb[3 * (20 * 10 + 10) + 1], 0);
  CF_EQ_INT(rgb[3 * (20 * 2 + 2) + 1], 255);
  mjr_addAux(2, 0, 0, 0, &s->con);
  CF_EQ_INT(s->con.auxFBO[2], 0);

  memset(rgb, 77, sizeof(rgb));
  mjr_drawPixels(rgb, NULL, small, &s->con);
  memset(rgb, 0, sizeof(rgb));
  mjr_readPixels(rgb, NULL, small, &s->con);
  CF_EQ_INT(rgb[3 * 150], 77);
  CF_EQ_INT(mjr_getError(), 0);
  closeStage(s);
}

CF_TEST(findRect__edges__left_and_bottom_belong_to_it) {
  const mjrRect rects[2] = {{10, 10, 5, 5}, {0, 0, 100, 100}};
  CF_EQ_INT(mjr_findRect(10, 14, 2, rects), 0);
  CF_EQ_INT(mjr_findRect(15, 14, 2, rects), 1);
  CF_EQ_INT(mjr_findRect(9, 10, 2, rects), 1);
  CF_EQ_INT(mjr_findRect(100, 5, 2, rects), -1);
}

//---------------------------------- letters -------------------------------------------------------

// pixels of a text lie inside the rectangle that its widths promise
CF_TEST(text__six_sizes__inside_their_width) {
  NEED_GL();
  static unsigned char rgb[3 * 600 * 120];
  mjrContext con;
  const mjrRect all = {0, 0, 600, 120};
  mjr_defaultContext(&con);
  mjr_makeContext(NULL, &con, 100);
  con.readPixelFormat = GL_RGB;
  mjr_setBuffer(mjFB_OFFSCREEN, &con);
  for (int scale = 50; scale <= 300; scale += 50) {
    int width = 0, lit = 0, beyond = 0;
    mjr_changeFont(scale, &con);
    CF_EQ_INT(con.fontScale, scale);
    for (const char* c = "Hg{8}~"; *c; c++) {
      width += con.charWidth[(int)*c];
    }
    mjr_rectangle(all, 0, 0, 0, 1);
    mjr_text(mjFONT_NORMAL, "Hg{8}~", &con, 0, 0, 1, 1, 1);
    mjr_readPixels(rgb, NULL, all, &con);
    for (int k = 0; k < 600 * 120; k++) {
      const bool is_inside = k % 600 < width && k / 600 < con.charHeight;
      lit += rgb[3 * k] == 255;
      beyond += rgb[3 * k] && !is_inside;
    }
    CF_EQ_INT(beyond, 0);
    CF_TRUE(lit > width && lit < width * con.charHeight / 2);
  }
  CF_EQ_INT(mjr_getError(), 0);
  mjr_freeContext(&con);
}

// all printable characters differ from each other, and bytes that no font has are left out
CF_TEST(text__characters__differ_from_each_other) {
  NEED_GL();
  enum { CELL = 24, COUNT = 95 };
  static unsigned char rgb[COUNT][3 * CELL * CELL];
  mjrContext con;
  const mjrRect cell = {0, 0, CELL, CELL};
  mjr_defaultContext(&con);
  mjr_makeContext(NULL, &con, 100);
  con.readPixelFormat = GL_RGB;
  mjr_setBuffer(mjFB_OFFSCREEN, &con);
  for (int c = 0; c < COUNT; c++) {
    const char text[] = {(char)(32 + c), (char)0xC3, (char)0xA4, 0};
    mjr_rectangle(cell, 0, 0, 0, 1);
    mjr_text(mjFONT_NORMAL, text, &con, 0, 0, 1, 1, 1);
    mjr_readPixels(rgb[c], NULL, cell, &con);
    for (int k = 0; k < c; k++) {
      if (!memcmp(rgb[k], rgb[c], sizeof(rgb[c]))) {
        CF_FAIL("'%c' and '%c' look the same\n", 32 + k, 32 + c);
      }
    }
  }
  mjr_freeContext(&con);
}

CF_TEST(overlay_label_figure__drawn__inside_their_places) {
  NEED_GL();
  static mjvFigure fig;
  static unsigned char rgb[3 * 400 * 300];
  const mjrRect all = {0, 0, 400, 300};
  mjrContext con;
  mjr_defaultContext(&con);
  mjr_makeContext(NULL, &con, 100);
  con.readPixelFormat = GL_RGB;
  mjr_setBuffer(mjFB_OFFSCREEN, &con);
  for (int place = 0; place < 8; place++) {
    mjr_rectangle(all, 1, 1, 1, 1);
    mjr_overlay(mjFONT_NORMAL, place, all, "one\ntwo", "1\n2", &con);
    mjr_readPixels(rgb, NULL, all, &con);
    double x = 0, y = 0, n = 0;
    for (int k = 0; k < 400 * 300; k++) {
      const int dark = rgb[3 * k] < 200;
      x += dark * (k % 400);
      y += dark * (k / 400);
      n += dark;
    }
    const bool is_left =
        place == mjGRID_TOPLEFT || place == mjGRID_BOTTOMLEFT || place == mjGRID_LEFT;
    const bool is_top = place == mjGRID_TOPLEFT || place == mjGRID_TOPRIGHT || place == mjGRID_TOP;
    CF_TRUE(n > 1000);
    CF_TRUE((x / n < 150) == is_left);
    CF_TRUE((y / n > 200) == is_top);
  }
  mjr_label((mjrRect){100, 100, 80, 40}, mjFONT_BIG, "Hi", 0, 0, 1, 1, 1, 1, 0, &con);
  mjr_readPixels(rgb, NULL, all, &con);
  CF_EQ_INT(rgb[3 * (400 * 101 + 101) + 2], 255);

  mjv_defaultFigure(&fig);
  snprintf(fig.title, sizeof(fig.title), "first  second  third");
  snprintf(fig.xlabel, sizeof(fig.xlabel), "time");
  snprintf(fig.linename[0], sizeof(fig.linename[0]), "speed");
  fig.flg_ticklabel[0] = fig.flg_ticklabel[1] = fig.flg_legend = fig.flg_extend = 1;
  fig.subplot = 1;
  fig.linepnt[0] = 2;
  fig.linedata[0][2] = 10;
  fig.linedata[0][3] = 7.3f;
  mjr_figure(all, &fig, &con);
  CF_NEAR(fig.xaxisdata[1], 10, 0);
  CF_NEAR(fig.yaxisdata[1], 8, 0);
  CF_TRUE(fig.xaxispixel[0] > 0 && fig.xaxispixel[1] < 400);
  CF_TRUE(fig.yaxispixel[0] > 0 && fig.yaxispixel[1] < 300);
  CF_EQ_INT(mjr_getError(), 0);
  mjr_freeContext(&con);
}

//---------------------------------- life ----------------------------------------------------------

static int blocks;


static void* countedMalloc(size_t size) {
  blocks++;
  return aligned_alloc(64, (size + 63) / 64 * 64);
}


static void countedFree(void* block) {
  blocks -= block != NULL;
  free(block);
}


// does OpenGL still know an object?  kind is the name of the function that says so
static bool isThere(const char* kind, unsigned int name) {
  void* finder =
      dlsym(screen.library, screen.is_egl ? "eglGetProcAddress" : "OSMesaGetProcAddress");
  void* (*find)(const char*);
  unsigned char (*is)(unsigned int) = NULL;
  memcpy(&find, &finder, sizeof(find));
  void* found = find(kind);
  memcpy(&is, &found, sizeof(is));
  return !is || is(name);
}


// objects of a context that OpenGL still knows
static int countObjects(const mjrContext* con) {
  int n = isThere("glIsTexture", con->shadowTex) + isThere("glIsTexture", con->texture[0]);
  const unsigned int framebuffers[] = {con->offFBO, con->offFBO_r, con->shadowFBO, con->auxFBO[1],
                                       con->auxFBO_r[1]};
  const unsigned int renderbuffers[] = {con->offColor,        con->offColor_r,
                                        con->offDepthStencil, con->offDepthStencil_r,
                                        con->auxColor[1],     con->auxColor_r[1]};
  const unsigned int lists[] = {con->basePlane,
                                con->baseMesh,
                                con->baseBuiltin + (unsigned int)con->rangeBuiltin - 1,
                                con->baseFontNormal + 126,
                                con->baseFontShadow + 126,
                                con->baseFontBig + 126};
  for (size_t k = 0; k < sizeof(framebuffers) / sizeof(framebuffers[0]); k++) {
    n += isThere("glIsFramebuffer", framebuffers[k]);
  }
  for (size_t k = 0; k < sizeof(renderbuffers) / sizeof(renderbuffers[0]); k++) {
    n += isThere("glIsRenderbuffer", renderbuffers[k]);
  }
  for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
    n += isThere("glIsList", lists[k]);
  }
  return n;
}


CF_TEST(contexts__made_and_freed_many_times__nothing_is_left) {
  NEED_GL();
  static mjrContext con, kept;
  const char* many = getenv("CF_CONTEXTS");
  const int rounds = many ? atoi(many) : 5;
  stage* s = openStage(
      "<body name='b'><geom type='mesh' mesh='tetra'/></body>",
      "<asset><mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
      "<texture type='skybox' builtin='flat' width='8' height='48'/></asset>"
      "<deformable><skin vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'><bone body='b' bindpos='0 0 0'"
      " bindquat='1 0 0 0' vertid='0 1 2' vertweight='1 1 1'/></skin></deformable>");
  mjModel* m = s->m;
  CF_TRUE(m->nskin == 1 && m->ntex == 1 && m->nmesh == 1);
  m->vis.quality.offsamples = 4;
  mju_user_malloc = countedMalloc;
  mju_user_free = countedFree;
  for (int k = 0; k < rounds; k++) {
    const int before = blocks;
    mjr_defaultContext(&con);
    mjr_makeContext(m, &con, 150);
    mjr_addAux(1, 20, 20, 0, &con);
    kept = con;
    CF_EQ_INT(countObjects(&kept), 19);
    const unsigned int skin = con.skinvertVBO[0];
    mjr_changeFont(100, &con);
    CF_EQ_INT(countObjects(&kept), 16);
    mjr_freeContext(&con);
    CF_EQ_INT(countObjects(&kept), 0);
    CF_EQ_INT(isThere("glIsBuffer", skin), 0);
    CF_EQ_INT(blocks, before);
  }
  CF_EQ_INT(mjr_getError(), 0);
  mju_user_malloc = NULL;
  mju_user_free = NULL;
  closeStage(s);
}

//---------------------------------- trouble -------------------------------------------------------

CF_TEST(badArguments__each__one_message) {
  NEED_GL();
  stage* s = openStage("<geom size='.5'/>", "");
  CF_RAISES(mjr_uploadMesh(s->m, &s->con, 0), "Invalid mesh index");
  CF_RAISES(mjr_uploadHField(s->m, &s->con, -1), "Invalid height field index");
  CF_RAISES(mjr_uploadTexture(s->m, &s->con, 3), "Invalid texture index");
  CF_RAISES(mjr_addAux(mjNAUX, 1, 1, 0, &s->con), "Invalid aux buffer index");
  CF_RAISES(mjr_setAux(3, &s->con), "does not exist");
  CF_RAISES(mjr_changeFont(70, &s->con), "Invalid fontscale");
  mjrContext none;
  mjr_defaultContext(&none);
  CF_RAISES(mjr_setBuffer(mjFB_OFFSCREEN, &none), "No OpenGL framebuffer");
  mjr_freeContext(&none);
  closeStage(s);
}

CF_TEST(makeContext__no_current_context__says_so) {
  NEED_GL();
  mjrContext con;
  mjr_defaultContext(&con);
  cli_closeOffscreen(&screen);
  CF_RAISES(mjr_makeContext(NULL, &con, 100), "no OpenGL context is current");
  CF_EQ_INT(con.glInitialized, 0);
}

CF_TEST(glErrors__one_was_made__warned_of_where_asserts_are_on_and_returned_in_every_build) {
  NEED_GL();
  stage* s = openStage("<geom size='1'/>", "");

  CF_EQ_INT(mjr_getError(), 0);
  cf_guardClear();
  mjr_rectangle(whole, 1, 1, 1, 1);
  CF_EQ_INT(cf_warning_count, 0);
  cfi_gl.Enable(0xFFFF);  // no such ability: GL_INVALID_ENUM
  mjr_rectangle(whole, 1, 1, 1, 1);
#ifdef CF_LIBRARY_HAS_ASSERTS
  CF_EQ_INT(cf_warning_count, 1);
  CF_TRUE(strstr(cf_warning_text, "0x500") && strstr(cf_warning_text, "mjr_rectangle"));
#endif
  mju_user_warning = NULL;
  CF_EQ_INT(mjr_getError(), 0x500);
  CF_EQ_INT(mjr_getError(), 0);
  closeStage(s);
}


CF_TEST(render__context_gone__says_so_and_goes_on_with_another) {
  NEED_GL();
  stage* s = openStage("<geom size='1'/>", "");
  cliOffscreen other;
  char why[256];
  CF_TRUE(cli_openOffscreen(&other, 0, 0, why));
  cli_closeOffscreen(&other);  // nothing is current now
  CF_RAISES(mjr_render(whole, &s->scn, &s->con), "mjr_render: no OpenGL context is current");
  CF_RAISES(mjr_readPixels(s->rgb, NULL, whole, &s->con), "mjr_readPixels: no OpenGL context");
  CF_TRUE(cli_useOffscreen(&screen));
  mjr_render(whole, &s->scn, &s->con);
  closeStage(s);
}


CF_TEST_MAIN("render")
