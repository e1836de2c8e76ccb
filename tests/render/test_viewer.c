// The viewer without a window: time and its past, files that are watched, texts, and every key,
// click and drag as events.  What draws needs an OpenGL driver and is skipped without one.
#include "cf_test.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_reference.h"
#include "offscreen.h"
#include "view/view.h"

enum { WIDTH = 900, HEIGHT = 600 };

static const char scene_text[] =
    "<mujoco model='yard'><option timestep='0.01' gravity='0 0 -1'/><statistic center='0 0 1' "
    "extent='2'/><visual><quality shadowsize='64'/></visual>"
    "<worldbody><light pos='0 0 5'/><camera name='above' pos='0 0 6'/><camera name='side' pos='0 "
    "-6 1' xyaxes='1 0 0 0 0 1'/>"
    "<body name='ball' pos='0 0 1'><freejoint/><geom name='round' size='0.3'/></body>"
    "<body name='cart' pos='2 0 1'><joint name='rail' type='slide' axis='1 0 0' range='-1 1' "
    "limited='true'/><geom type='box' size='.1 .1 .1' group='2'/>"
    "<body name='pole'><joint name='hinge' type='hinge' axis='0 1 0'/><geom type='capsule' "
    "fromto='0 0 0 0 0 .5' size='.05'/></body></body>"
    "</worldbody><actuator><motor name='push' joint='rail' ctrlrange='-2 2' "
    "ctrllimited='true'/></actuator>"
    "<sensor><jointpos joint='rail'/><jointvel joint='hinge'/></sensor>"
    "<keyframe><key name='high' qpos='0 0 3 1 0 0 0 .5 .25' ctrl='1'/></keyframe></mujoco>";

static double fake_time = 100;
static cliOffscreen screen;
static cliView* shown;


static double fakeClock(void) {
  return fake_time;
}


// files of these tests go into a folder of their own
static void enterFolder(void) {
  static char folder[] = "/tmp/cf_view_XXXXXX";
  static bool is_made;
  if (!is_made) {
    is_made = mkdtemp(folder) && !chdir(folder);
  }
  CF_TRUE(is_made);
}


static void writeText(const char* path, const char* text) {
  FILE* out = fopen(path, "w");
  CF_TRUE(out != NULL);
  fputs(text, out);
  fclose(out);
}


static mjModel* yard(void) {
  char error[500] = "";
  enterFolder();
  writeText("yard.xml", scene_text);
  mjModel* m = mj_loadXML("yard.xml", NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


//---------------------------------- time ----------------------------------------------------------

CF_TEST(viewSim__steps_and_back__states_are_those_of_the_way) {
  viewSim s = {0};
  mjtNum way[40][9];
  CF_TRUE(cli_simOpen(&s, yard()));
  for (int k = 0; k < 40; k++) {
    cli_simForward(&s);
    memcpy(way[k], s.d->qpos, sizeof(way[k]));
  }
  for (int k = 38; k >= 20; k--) {
    cli_simBack(&s);
    CF_TRUE(!memcmp(way[k], s.d->qpos, sizeof(way[k])));
  }
  CF_EQ_INT(s.scrub, -19);
  cli_simForward(&s);
  CF_TRUE(!memcmp(way[21], s.d->qpos, sizeof(way[21])));

  // beyond the first state there is nothing
  cli_simScrub(&s, -1000);
  CF_EQ_INT(s.scrub, -40);
  CF_NEAR(s.d->time, 0, 0);
  cli_simClose(&s);
}


CF_TEST(viewSim__gone_on_from_the_past__what_came_after_is_forgotten) {
  viewSim s = {0};
  CF_TRUE(cli_simOpen(&s, yard()));
  for (int k = 0; k < 10; k++) {
    cli_simForward(&s);
  }
  cli_simScrub(&s, -6);
  CF_NEAR(s.d->time, 0.04, 1e-12);
  cli_simPlay(&s, true);
  cli_simAdvance(&s, fakeClock);
  fake_time += 0.0101;
  cli_simAdvance(&s, fakeClock);
  CF_NEAR(s.d->time, 0.05, 1e-12);
  CF_EQ_INT(s.count, 6);
  CF_EQ_INT(s.scrub, 0);
  cli_simBack(&s);
  CF_NEAR(s.d->time, 0.04, 1e-12);
  CF_EQ_INT(s.run, 0);
  cli_simClose(&s);
}


CF_TEST(viewSim__more_states_than_room__oldest_are_forgotten) {
  viewSim s = {0};
  CF_TRUE(cli_simOpen(&s, yard()));
  for (int k = 0; k < s.capacity + 5; k++) {
    cli_simForward(&s);
  }
  cli_simScrub(&s, -100000);
  CF_EQ_INT(s.scrub, 1 - s.capacity);
  CF_NEAR(s.d->time, 0.06, 1e-9);
  cli_simClose(&s);
}


CF_TEST(viewSim__speed__simulated_time_follows_the_clock) {
  viewSim s = {0};
  CF_TRUE(cli_simOpen(&s, yard()));
  CF_NEAR(cli_simPercent(s.speed), 100, 0);
  cli_simPlay(&s, true);
  for (int k = 0; k < 101; k++) {
    cli_simAdvance(&s, fakeClock);
    fake_time += 0.02;
  }
  CF_NEAR(s.d->time, 2.0, 0.0101);
  CF_NEAR(s.measured, 100, 2);

  // half as fast is three steps down
  cli_simFaster(&s, -3);
  CF_NEAR(cli_simPercent(s.speed), 50, 0);
  const double before = s.d->time;
  for (int k = 0; k < 100; k++) {
    cli_simAdvance(&s, fakeClock);
    fake_time += 0.02;
  }
  CF_NEAR(s.d->time - before, 1.0, 0.0201);
  cli_simFaster(&s, -100);
  CF_NEAR(cli_simPercent(s.speed), 0.1, 1e-12);
  cli_simFaster(&s, 100);
  CF_EQ_INT(s.speed, 0);
  cli_simClose(&s);
}


CF_TEST(viewSim__long_silence__not_made_up_for) {
  viewSim s = {0};
  CF_TRUE(cli_simOpen(&s, yard()));
  cli_simPlay(&s, true);
  cli_simAdvance(&s, fakeClock);
  fake_time += 60;
  cli_simAdvance(&s, fakeClock);
  CF_TRUE(s.d->time < 0.3);
  cli_simClose(&s);
}


CF_TEST(viewSim__key_and_reset__state_of_the_model) {
  viewSim s = {0};
  CF_TRUE(cli_simOpen(&s, yard()));
  cli_simLoadKey(&s);
  CF_NEAR(s.d->qpos[2], 3, 0);
  CF_NEAR(s.d->ctrl[0], 1, 0);
  cli_simReset(&s);
  CF_NEAR(s.d->qpos[2], 1, 0);
  s.key = 7;
  cli_simLoadKey(&s);
  CF_NEAR(s.d->qpos[2], 1, 0);
  cli_simClose(&s);
}


CF_TEST(viewSim__numbers_gone_bad__paused_with_a_word) {
  viewSim s = {0};
  CF_TRUE(cli_simOpen(&s, yard()));
  s.m->opt.disableflags |= mjDSBL_AUTORESET;
  CF_TRUE(!cli_simTrouble(&s));
  cf_guardClear();
  s.d->qvel[0] = 1e300;
  cli_simPlay(&s, true);
  cli_simAdvance(&s, fakeClock);
  fake_time += 0.1;
  cli_simAdvance(&s, fakeClock);
  CF_TRUE(cf_warning_count > 0);
  mju_user_warning = NULL;
  CF_EQ_INT(s.run, 0);
  CF_TRUE(cli_simTrouble(&s) != NULL);
  cli_simClose(&s);
}


//---------------------------------- files and texts -----------------------------------------------

static void setTime(const char* path, long seconds) {
  const struct utimbuf times = {seconds, seconds};
  CF_EQ_INT(utime(path, &times), 0);
}


CF_TEST(viewWatch__included_file_changes__noticed_once_it_rests) {
  static viewWatch w;
  enterFolder();
  mkdir("parts", 0777);
  writeText("parts/leg.xml", "<mujoco><asset><mesh file=\"bone.obj\"/></asset></mujoco>");
  writeText("parts/bone.obj", "v 0 0 0\n");
  writeText("robot.xml",
            "<mujoco><compiler meshdir='parts'/><include file=\"parts/leg.xml\"/></mujoco>");
  setTime("parts/bone.obj", 1000);
  cli_watchModel(&w, "robot.xml");
  CF_EQ_INT(w.count, 3);
  CF_TRUE(!cli_watchChanged(&w));
  writeText("parts/leg.xml", "<mujoco/>");
  setTime("parts/leg.xml", 2000);
  CF_TRUE(!cli_watchChanged(&w));
  CF_TRUE(cli_watchChanged(&w));
  CF_TRUE(!cli_watchChanged(&w));

  // an asset in a folder that the model names
  writeText("robot.xml", "<mujoco><compiler meshdir=\"parts\"/><mesh file=\"bone.obj\"/></mujoco>");
  cli_watchModel(&w, "robot.xml");
  CF_EQ_INT(w.count, 2);
  setTime("parts/bone.obj", 3000);
  CF_TRUE(!cli_watchChanged(&w));
  CF_TRUE(cli_watchChanged(&w));

  // a file that is gone is waited for
  unlink("robot.xml");
  CF_TRUE(!cli_watchChanged(&w));
  CF_TRUE(!cli_watchChanged(&w));
  cli_watchFree(&w);
}


// does a change of a file of the model lead to a reload
static void expectWatched(viewWatch* w, const char* path) {
  static long age = 5000;
  setTime(path, age += 10);
  cli_watchChanged(w);
  if (!cli_watchChanged(w)) {
    CF_FAIL("a change of %s is not noticed\n", path);
  }
}


// all ways to name a file: blanks around the sign, sides of a cube, entities, folders that another
// file names, files beside the file that names them, and any number of them
CF_TEST(viewWatch__every_way_to_name_a_file__noticed) {
  enum { MANY = 300 };
  static viewWatch w;
  char name[100];
  enterFolder();
  mkdir("parts", 0777);
  mkdir("parts/deep", 0777);
  writeText("yard.xml",
            "<mujoco><include file = \"parts/leg.xml\"/><include\tfile='parts/arm'/><asset>"
            "<texture name='a'fileright\n=\n'right.png' fileleft = 'left.png' fileup='up.png'/>"
            "<mesh file='a&amp;b.obj' /></asset></mujoco>");
  char* leg = malloc(100 * MANY);
  int used = sprintf(leg, "<mujoco><compiler assetdir = 'parts/deep'/><asset>");
  for (int k = 0; k < MANY; k++) {
    used += sprintf(leg + used, "<mesh file='m%d.obj'/>", k);
    snprintf(name, sizeof(name), "parts/deep/m%d.obj", k);
    writeText(name, "v 0 0 0\n");
  }
  sprintf(leg + used, "</asset></mujoco>");
  writeText("parts/leg.xml", leg);
  writeText("parts/arm", "\n<mujoco><include file='deep/hand.xml'/></mujoco>");
  static const char* const plain[] = {"parts/deep/right.png", "left.png", "parts/deep/up.png",
                                      "a&b.obj", "parts/deep/hand.xml"};
  for (int k = 0; k < 5; k++) {
    writeText(plain[k], "<mujoco/>");
  }
  cli_watchModel(&w, "yard.xml");
  CF_EQ_INT(w.count, 3 + 5 + MANY);
  for (int k = 0; k < 5; k++) {
    expectWatched(&w, plain[k]);
  }
  expectWatched(&w, "parts/leg.xml");
  expectWatched(&w, "parts/arm");
  expectWatched(&w, "parts/deep/m0.obj");
  expectWatched(&w, "parts/deep/m299.obj");
  cli_watchFree(&w);
  free(leg);
}


CF_TEST(viewText__state_as_keyframe__reads_back_to_the_same_bits) {
  viewSim s = {0};
  char whole[8000], error[500] = "";
  CF_TRUE(cli_simOpen(&s, yard()));
  s.d->ctrl[0] = 1.0 / 3;
  for (int k = 0; k < 37; k++) {
    cli_simForward(&s);
  }
  char* text = cli_textKey(s.m, s.d);
  CF_TRUE(text != NULL);
  const char* end = strstr(scene_text, "<keyframe>") + strlen("<keyframe>");
  snprintf(whole, sizeof(whole), "%.*s%s%s", (int)(end - scene_text), scene_text, text, end);
  writeText("again.xml", whole);
  mjModel* m = mj_loadXML("again.xml", NULL, error, sizeof(error));
  CF_TRUE(m != NULL);
  CF_EQ_INT(m->nkey, 2);
  CF_TRUE(!memcmp(m->key_qvel, s.d->qvel, (size_t)m->nv * sizeof(mjtNum)));
  CF_NEAR(m->key_qpos[8], s.d->qpos[8], 0);
  CF_NEAR(m->key_ctrl[0], 1.0 / 3, 0);
  CF_NEAR(m->key_time[0], s.d->time, 0);
  free(text);
  mj_deleteModel(m);
  cli_simClose(&s);
}


// a text of three thousand hinges is longer than any fixed room
CF_TEST(viewText__large_state__is_whole) {
  enum { HINGES = 3000 };
  char error[500] = "";
  char* xml = malloc(200 * HINGES);
  int used = sprintf(xml, "<mujoco><worldbody>");
  for (int k = 0; k < HINGES; k++) {
    used += sprintf(xml + used, "<body><joint/><geom size='.1'/></body>");
  }
  sprintf(xml + used, "</worldbody></mujoco>");
  enterFolder();
  writeText("many.xml", xml);
  mjModel* m = mj_loadXML("many.xml", NULL, error, sizeof(error));
  CF_TRUE(m != NULL);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < HINGES; k++) {
    d->qpos[k] = d->qvel[k] = 1.0 / (3 + k);
  }
  char* text = cli_textKey(m, d);
  CF_TRUE(text && strlen(text) > 100000);
  CF_TRUE(!strcmp(text + strlen(text) - 5, "\"\n/>\n"));
  int numbers = 0;
  for (const char* p = strstr(text, "qvel=\"") + 6; *p != '"'; numbers++) {
    char* end;
    CF_NEAR(strtod(p, &end), 1.0 / (3 + numbers), 0);
    p = end;
  }
  CF_EQ_INT(numbers, HINGES);
  free(text);
  free(xml);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// a folder in the place of the file, and a disk that is full
CF_TEST(viewSave__file_cannot_be_written__said) {
  static const struct {
    int command;
    const char* path;
  } saves[] = {{DO_SAVE_XML, "mjmodel.xml"},
               {DO_SAVE_MJB, "mjmodel.mjb"},
               {DO_PRINT_MODEL, "MJMODEL.TXT"},
               {DO_PRINT_DATA, "MJDATA.TXT"},
               {DO_WRITE_KEY, "keyframe.xml"}};
  cliView* v = calloc(1, sizeof(cliView));
  v->clock = fakeClock;
  CF_TRUE(cli_simOpen(&v->sim, yard()));
  for (int k = 0; k < 15; k++) {
    const char* path = saves[k / 3].path;
    char expected[100];
    unlink(path);
    if (k % 3 == 0) {
      CF_EQ_INT(mkdir(path, 0777), 0);
    } else if (k % 3 == 1) {
      rmdir(path);
      CF_EQ_INT(symlink("/dev/full", path), 0);
    }
    snprintf(expected, sizeof(expected), k % 3 == 2 ? "saved %s" : "cannot write %s: ", path);
    cli_viewSave(v, saves[k / 3].command);
    if (strncmp(v->message, expected, strlen(expected)) != 0) {
      CF_FAIL("%s: the message is '%s'\n", expected, v->message);
    }
    unlink(path);
  }
  cli_simClose(&v->sim);
  free(v);
}


CF_TEST(viewFigures__frames__points_are_what_was_measured) {
  static viewFigures f;
  viewSim s = {0};
  CF_TRUE(cli_simOpen(&s, yard()));
  cli_figuresInit(&f);
  for (int k = 0; k < 250; k++) {
    cli_simForward(&s);
    s.d->energy[0] = 7;
    cli_figuresEnergy(&f, s.m, s.d);
    cli_figuresSensors(&f, s.m, s.d);
    cli_figuresProfile(&f, s.m, s.d);
  }
  CF_NEAR(s.d->energy[0], 7, 0);
  mj_energyPos(s.m, s.d);
  mj_energyVel(s.m, s.d);
  CF_EQ_INT(f.energy.linepnt[2], 201);
  CF_NEAR(f.energy.linedata[0][1], (float)s.d->energy[0], 0);
  CF_NEAR(f.energy.linedata[2][1], (float)(s.d->energy[0] + s.d->energy[1]), 0);
  CF_NEAR(f.energy.linedata[0][2 * 200], -200, 0);
  CF_EQ_INT(f.sensors.linepnt[0], 2);
  CF_EQ_INT(f.sensors.linepnt[1], 2);
  CF_NEAR(f.sensors.linedata[1][3], (float)s.d->sensordata[1], 0);
  CF_NEAR(f.sizes.linedata[0][1], s.m->nv, 0);
  CF_NEAR(f.sizes.linedata[2][1], s.d->nefc, 0);
  cli_simClose(&s);
}


//---------------------------------- events --------------------------------------------------------

static bool hasGl(void) {
  char why[256] = "";
  if (!screen.library && !cli_openOffscreen(&screen, 0, 0, why)) {
    print_message("%s\n", why);
  }
  return screen.library && cli_useOffscreen(&screen);
}

#define NEED_GL() CF_NEED(hasGl(), "an OpenGL driver (libegl1, libgl1-mesa-dri)")


// a viewer of the yard, paused, its panels hidden
static cliView* openYard(void) {
  mj_deleteModel(yard());
  shown = calloc(1, sizeof(cliView));
  cli_viewInit(shown, fakeClock, mjFB_OFFSCREEN, WIDTH, HEIGHT);
  shown->show_left = shown->show_right = 0;
  CF_TRUE(cli_viewLoad(shown, "yard.xml"));
  cli_viewFrame(shown);
  return shown;
}


static void closeYard(void) {
  CF_EQ_INT(mjr_getError(), 0);
  cli_viewClose(shown);
  free(shown);
}


static void typeKey(int key, bool control, bool shift, bool alt) {
  const viewEvent e = {
      .kind = VIEW_KEY, .key = key, .control = control, .shift = shift, .alt = alt};
  cli_viewEvent(shown, &e);
}


static void type(int key) {
  typeKey(key, false, false, false);
}


// press, move and release of the left or the right button; y counts from above
static void dragFrom(double x, double y, double dx, double dy, int button, bool control) {
  const bool is_left = button == mjBUTTON_LEFT;
  viewEvent e = {.kind = VIEW_PRESS, .x = x, .y = y, .button = button, .control = control};
  e.left = is_left;
  e.right = !is_left;
  e.time = fake_time += 1;
  cli_viewEvent(shown, &e);
  for (int k = 1; k <= 4; k++) {
    e.kind = VIEW_MOVE;
    e.x = x + 0.25 * k * dx;
    e.y = y + 0.25 * k * dy;
    cli_viewEvent(shown, &e);
    cli_viewFrame(shown);
  }
  e.kind = VIEW_RELEASE;
  e.left = e.right = false;
  cli_viewEvent(shown, &e);
}


static void doubleClick(double x, double y, int button, bool control) {
  for (int k = 0; k < 4; k++) {
    viewEvent e = {.kind = k % 2 ? VIEW_RELEASE : VIEW_PRESS, .x = x, .y = y, .button = button};
    e.left = button == mjBUTTON_LEFT && k % 2 == 0;
    e.right = button == mjBUTTON_RIGHT && k % 2 == 0;
    e.control = control;
    e.time = fake_time += 0.1;
    cli_viewEvent(shown, &e);
  }
  fake_time += 1;
}


CF_TEST(viewEvent__keys_of_time__play_step_back_speed_reset) {
  NEED_GL();
  const cliView* v = openYard();
  type(mjKEY_RIGHT);
  type(mjKEY_RIGHT);
  CF_NEAR(v->sim.d->time, 0.02, 1e-12);
  type(mjKEY_LEFT);
  CF_NEAR(v->sim.d->time, 0.01, 1e-12);
  type(' ');
  CF_EQ_INT(v->sim.run, 1);
  type(mjKEY_RIGHT);  // nothing while it runs
  CF_NEAR(v->sim.d->time, 0.01, 1e-12);
  cli_viewFrame(shown);
  fake_time += 0.105;
  cli_viewFrame(shown);
  CF_NEAR(v->sim.d->time, 0.11, 1e-9);
  type(' ');
  CF_EQ_INT(v->sim.run, 0);
  type('-');
  CF_NEAR(cli_simPercent(v->sim.speed), 80, 0);
  type('=');
  CF_NEAR(cli_simPercent(v->sim.speed), 100, 0);
  type(mjKEY_BACKSPACE);
  CF_NEAR(v->sim.d->time, 0, 0);
  closeYard();
}


CF_TEST(viewEvent__keys_of_the_picture__cameras_flags_groups_frames_panels) {
  NEED_GL();
  cliView* v = openYard();
  type(']');
  CF_EQ_INT(v->cam.type, mjCAMERA_FIXED);
  CF_EQ_INT(v->cam.fixedcamid, 0);
  type('[');
  CF_EQ_INT(v->cam.fixedcamid, 1);
  cli_viewFrame(v);
  CF_EQ_INT(v->camera, 3);
  type(mjKEY_ESCAPE);
  CF_EQ_INT(v->cam.type, mjCAMERA_FREE);
  type(mjKEY_F6);
  CF_EQ_INT(v->opt.frame, mjFRAME_BODY);
  type(mjKEY_F7);
  CF_EQ_INT(v->opt.label, mjLABEL_BODY);
  type('C');
  CF_EQ_INT(v->opt.flags[mjVIS_CONTACTPOINT], 1);
  type('F');
  CF_EQ_INT(v->opt.flags[mjVIS_CONTACTFORCE], 1);
  type('W');
  CF_EQ_INT(v->scn.flags[mjRND_WIREFRAME], 1);
  const int geoms = v->scn.ngeom;
  type('2');
  CF_EQ_INT(v->opt.geomgroup[2], 0);
  cli_viewFrame(v);
  CF_TRUE(v->scn.ngeom != geoms);
  type(mjKEY_TAB);
  CF_EQ_INT(v->show_left, 1);
  CF_EQ_INT(v->ui.rect[3].left, v->left.width);
  typeKey(mjKEY_TAB, false, true, false);
  CF_EQ_INT(v->show_right, 1);
  CF_EQ_INT(v->ui.rect[3].width, WIDTH - v->left.width - v->right.width);
  closeYard();
}


CF_TEST(viewEvent__keys_of_overlays__drawn_and_counted) {
  NEED_GL();
  cliView* v = openYard();
  type(mjKEY_F1);
  type(mjKEY_F2);
  type(mjKEY_F3);
  type(mjKEY_F4);
  type(mjKEY_F8);
  CF_TRUE(v->help && v->info && v->profiler && v->sensors && v->energy);
  cli_viewFrame(v);
  type(mjKEY_RIGHT);
  cli_viewFrame(v);
  CF_EQ_INT(v->figures.energy.linepnt[0], 2);
  CF_EQ_INT(v->figures.sensors.linepnt[0], 2);
  type(mjKEY_F5);
  CF_TRUE(v->wish.fullscreen && v->fullscreen);
  typeKey('Q', true, false, false);
  CF_TRUE(v->wish.quit);
  closeYard();
}


CF_TEST(viewEvent__drags_and_wheel__camera_moves) {
  NEED_GL();
  cliView* v = openYard();
  const mjvCamera before = v->cam;
  dragFrom(450, 300, 60, 0, mjBUTTON_LEFT, false);
  CF_NEAR(v->cam.azimuth, before.azimuth - 180 * 60.0 / HEIGHT, 1e-9);
  CF_NEAR(v->cam.elevation, before.elevation, 1e-9);
  dragFrom(450, 300, 0, 60, mjBUTTON_RIGHT, false);
  CF_TRUE(v->cam.lookat[2] > before.lookat[2] + 0.05);
  viewEvent e = {.kind = VIEW_SCROLL, .x = 450, .y = 300, .scroll_y = 1};
  cli_viewEvent(v, &e);
  CF_TRUE(v->cam.distance > before.distance);  // away, as simulate

  // a move without a button does nothing
  const mjvCamera after = v->cam;
  e = (viewEvent){.kind = VIEW_MOVE, .x = 10, .y = 10};
  cli_viewEvent(v, &e);
  CF_TRUE(!memcmp(&after, &v->cam, sizeof(after)));
  closeYard();
}


CF_TEST(viewEvent__double_clicks__select_look_track_parent) {
  NEED_GL();
  cliView* v = openYard();
  type(']');  // from above, the ball in the middle
  cli_viewFrame(v);
  doubleClick(450, 300, mjBUTTON_LEFT, false);
  CF_EQ_INT(v->sim.pert.select, mj_name2id(v->sim.m, mjOBJ_BODY, "ball"));
  CF_NEAR(v->sim.pert.localpos[2], 0.3, 0.01);
  type(mjKEY_PAGE_UP);
  CF_EQ_INT(v->sim.pert.select, 0);
  doubleClick(450, 300, mjBUTTON_RIGHT, false);
  CF_NEAR(v->cam.lookat[2], 1.3, 0.01);
  CF_EQ_INT(v->cam.type, mjCAMERA_FIXED);
  doubleClick(450, 300, mjBUTTON_RIGHT, true);
  CF_EQ_INT(v->cam.type, mjCAMERA_TRACKING);
  CF_EQ_INT(v->cam.trackbodyid, 1);
  doubleClick(5, 5, mjBUTTON_LEFT, false);
  CF_EQ_INT(v->sim.pert.select, 0);
  closeYard();
}


CF_TEST(viewEvent__control_drag__body_is_pulled) {
  NEED_GL();
  cliView* v = openYard();
  type('[');  // from the side
  cli_viewFrame(v);
  doubleClick(450, 300, mjBUTTON_LEFT, false);

  // paused: the body goes along
  const mjtNum before = v->sim.d->qpos[0];
  dragFrom(450, 300, 80, 0, mjBUTTON_RIGHT, true);
  CF_TRUE(v->sim.d->qpos[0] > before + 0.1);
  CF_EQ_INT(v->sim.pert.active, 0);

  // running: it is pulled by a force, which ends with the drag
  type(mjKEY_BACKSPACE);
  type(' ');
  viewEvent e = {.kind = VIEW_PRESS, .x = 450, .y = 300, .button = mjBUTTON_RIGHT};
  e.right = e.control = true;
  e.time = fake_time += 1;
  cli_viewEvent(v, &e);
  CF_EQ_INT(v->sim.pert.active, mjPERT_TRANSLATE);
  e.kind = VIEW_MOVE;
  e.x += 100;
  cli_viewEvent(v, &e);
  fake_time += 0.05;
  cli_viewFrame(v);
  CF_TRUE(v->sim.d->xfrc_applied[6] > 0);
  e.kind = VIEW_RELEASE;
  e.right = false;
  cli_viewEvent(v, &e);
  fake_time += 0.05;
  cli_viewFrame(v);
  CF_NEAR(v->sim.d->xfrc_applied[6], 0, 0);
  closeYard();
}


//---------------------------------- panels --------------------------------------------------------

// the left button goes down and up at a part of an item of the right panel
static void clickItem(const mjUI* ui, int section, int item, double part) {
  const mjrRect r = ui->sect[section].item[item].rect, panel = shown->ui.rect[ui->rectid];
  const double top = panel.height > ui->height ? panel.height - ui->height : 0;
  viewEvent e = {.kind = VIEW_PRESS, .button = mjBUTTON_LEFT, .left = true};
  e.x = panel.left + r.left + part * r.width;
  e.y = HEIGHT - (r.bottom + top + 0.5 * r.height);
  e.time = fake_time += 1;
  cli_viewEvent(shown, &e);
  e.kind = VIEW_RELEASE;
  e.left = false;
  cli_viewEvent(shown, &e);
}


CF_TEST(viewPanels__sliders__controls_and_joints_follow) {
  NEED_GL();
  cliView* v = openYard();
  typeKey(mjKEY_TAB, false, true, false);
  typeKey('C', false, false, true);
  CF_EQ_INT(v->right.sect[1].state, mjSECT_OPEN);
  cli_viewFrame(v);
  clickItem(&v->right, 1, 1, 0.75);
  CF_NEAR(v->sim.d->ctrl[0], 1, 0.1);
  clickItem(&v->right, 1, 0, 0.5);
  CF_NEAR(v->sim.d->ctrl[0], 0, 0);
  typeKey('J', false, false, true);
  cli_viewFrame(v);
  CF_EQ_INT(v->right.sect[0].nitem, 2);
  clickItem(&v->right, 0, 0, 0.25);
  CF_NEAR(v->sim.d->qpos[7], -0.5, 0.05);
  cli_viewFrame(v);
  CF_NEAR(v->sim.d->xpos[3 * 2], 2 + v->sim.d->qpos[7], 1e-12);

  // not while it runs
  type(' ');
  const mjtNum before = v->sim.d->qpos[7];
  clickItem(&v->right, 0, 0, 0.9);
  CF_NEAR(v->sim.d->qpos[7], before, 0);
  closeYard();
}


CF_TEST(viewPanels__flags_and_keys__model_follows) {
  NEED_GL();
  cliView* v = openYard();
  v->disabled[1] = 1;
  v->enabled[1] = 1;
  v->groups[0] = 0;
  cli_viewDo(v, DO_PHYSICS);
  CF_EQ_INT(v->sim.m->opt.disableflags, 2);
  CF_EQ_INT(v->sim.m->opt.enableflags, 2);
  CF_EQ_INT(v->sim.m->opt.disableactuator, 1);
  CF_EQ_INT(v->right.sect[1].item[1].state, 0);
  cli_viewDo(v, DO_LOAD_KEY);
  CF_NEAR(v->sim.d->qpos[2], 3, 0);
  v->sim.d->qpos[2] = 4;
  cli_viewDo(v, DO_SAVE_KEY);
  CF_NEAR(v->sim.m->key_qpos[2], 4, 0);
  char text[mjMAXUINAME];
  v->index = 2;
  cli_watchField(v, text);
  CF_TRUE(!strcmp(text, "4"));
  v->index = 200;
  cli_watchField(v, text);
  CF_TRUE(!strcmp(text, "invalid index"));
  snprintf(v->field, sizeof(v->field), "nonsense");
  cli_watchField(v, text);
  CF_TRUE(!strcmp(text, "invalid field"));
  CF_TRUE(cli_panelsItem(v, DO_QUIT) && !cli_panelsItem(v, 1000));
  closeYard();
}


//---------------------------------- files ---------------------------------------------------------

static long sizeOf(const char* path) {
  struct stat info;
  return stat(path, &info) ? -1 : (long)info.st_size;
}


CF_TEST(viewEvent__keys_that_write__files_and_clipboard) {
  NEED_GL();
  cliView* v = openYard();
  unlink("screenshot.png");
  unlink("screenshot-2.png");
  typeKey('P', true, false, false);
  cli_viewFrame(v);
  CF_TRUE(sizeOf("screenshot.png") > 1000);
  typeKey('P', true, false, false);
  cli_viewFrame(v);
  CF_TRUE(sizeOf("screenshot-2.png") > 1000);
  typeKey('C', true, false, false);
  CF_TRUE(v->wish.clipboard && !strncmp(v->wish.text, "<key", 4));
  cli_viewDo(v, DO_COPY_CAMERA);
  CF_TRUE(!strncmp(v->wish.text, "<camera pos=", 12));
  typeKey('K', true, false, false);
  CF_TRUE(sizeOf("keyframe.xml") > 50);
  cli_viewDo(v, DO_SAVE_XML);
  CF_TRUE(sizeOf("mjmodel.xml") > 100);
  cli_viewDo(v, DO_SAVE_MJB);
  CF_TRUE(sizeOf("mjmodel.mjb") > 1000);
  typeKey('M', true, false, false);
  CF_TRUE(sizeOf("MJMODEL.TXT") > 1000);
  typeKey('D', true, false, false);
  CF_TRUE(sizeOf("MJDATA.TXT") > 1000);
  closeYard();
}


CF_TEST(viewEvent__file_dropped_or_changed__model_comes_or_a_reason) {
  NEED_GL();
  cliView* v = openYard();
  viewEvent e = {.kind = VIEW_DROP, .path = "missing.xml"};
  cli_viewEvent(v, &e);
  CF_TRUE(strstr(v->message, "missing.xml") != NULL);
  CF_EQ_INT(v->sim.m->nbody, 4);
  writeText("bad.xml", "<mujoco><worldbody><geom size='nonsense'/></worldbody></mujoco>");
  e.path = "bad.xml";
  cli_viewEvent(v, &e);
  CF_TRUE(strstr(v->message, "cannot load bad.xml") != NULL);
  CF_EQ_INT(v->sim.m->nbody, 4);
  writeText("one.xml", "<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>");
  e.path = "one.xml";
  cli_viewEvent(v, &e);
  CF_EQ_INT(v->sim.m->nbody, 2);
  CF_TRUE(v->wish.title);
  cli_viewFrame(v);

  // the file changes: the camera stays, the model is the new one
  v->cam.azimuth = 12;
  writeText("one.xml",
            "<mujoco><worldbody><body/><body><geom size='1'/></body></worldbody></mujoco>");
  for (int k = 0; k < 3; k++) {
    fake_time += 1;
    cli_viewFrame(v);
  }
  CF_EQ_INT(v->sim.m->nbody, 3);
  CF_NEAR(v->cam.azimuth, 12, 0);
  closeYard();
}


CF_TEST(viewEvent__resize__rectangles_fill_the_window) {
  NEED_GL();
  cliView* v = openYard();
  const viewEvent e = {.kind = VIEW_RESIZE, .width = 500, .height = 300};
  cli_viewEvent(v, &e);
  CF_EQ_INT(v->ui.rect[3].width, 500);
  CF_EQ_INT(v->ui.rect[3].height, 300);
  cli_viewFrame(v);
  closeYard();
}


CF_TEST_MAIN("cli/view")
