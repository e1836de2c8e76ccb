// `cortenforge view`: a simulation in a window.
//
// Everything but glfwwindow.c knows nothing of windows: events go in (cli_viewEvent), frames come
// out (cli_viewFrame) through whatever OpenGL context is current, and what only a window can do
// (full screen, clipboard, title, quitting) is left as a wish for whoever owns the window.
//
//   window or test ──viewEvent──> viewinput ──mjuiState──> viewactions ──> viewsim, viewmodel
//                  <──viewWish──                               │
//                  <──frame──── viewdraw (viewfigures, viewpanels, viewtext)
#ifndef CF_CLI_VIEW_H
#define CF_CLI_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

#include "studio.h"
#include "system.h"

enum {
  VIEW_TEXT = 1000,  // bytes of a path or a message
};

// rectangles of the window, after the whole
enum { LEFT_RECT = 1, RIGHT_RECT, SCENE_RECT, RECTS };

// ---- viewsim.c: the simulation, its speed and its past; no OpenGL
typedef struct {
  mjModel* m;
  mjData* d;
  int run;             // 1 while time goes on
  bool is_passive;     // a program steps its own copy; nothing moves here by itself
  int speed;           // step of cli_simPercent
  double owed;         // simulated time that is due [s]
  double last;         // when the simulation was last brought forward [s of the clock], 0 for never
  double measured;     // speed that was reached lately [% of real time]
  double span, lived;  // clock and simulated time of the measurement that goes on [s]
  mjtNum noise_scale;  // of controls, relative to their range
  mjtNum noise_rate;   // [s]
  int key;             // keyframe that is loaded or saved
  mjvPerturb pert;

  // the past: a ring of states
  mjtNum* states;
  int state_size, capacity, count;
  int newest;  // place of the newest state
  int scrub;   // the state that is shown: 0 the newest, -1 the one before
} viewSim;

// take a model; false without memory, the model then stays with the caller
bool cli_simOpen(viewSim* s, mjModel* m);
void cli_simClose(viewSim* s);

// bring the simulation to the time of the clock [s], or let a paused one follow hand and sliders
void cli_simAdvance(viewSim* s, double (*clock)(void));
void cli_simPlay(viewSim* s, bool is_running);
void cli_simForward(viewSim* s);           // one step, or one state nearer to the newest
void cli_simBack(viewSim* s);              // one state back
void cli_simScrub(viewSim* s, int scrub);  // show a state of the past
void cli_simReset(viewSim* s);
void cli_simLoadKey(viewSim* s);
double cli_simPercent(int speed);  // percent of real time, 100 for 0 and less for more
void cli_simFaster(viewSim* s, int steps);
const char* cli_simTrouble(const viewSim* s);  // the last kind of warning that was counted, or NULL

enum { VIEW_SPEEDS = 31 };

// ---- viewfigures.c: plots
typedef struct {
  mjvFigure counts, cost, sizes, timers, sensors, energy;
} viewFigures;
void cli_figuresInit(viewFigures* f);
void cli_figuresProfile(viewFigures* f, const mjModel* m, const mjData* d);
void cli_figuresSensors(viewFigures* f, const mjModel* m, const mjData* d);
void cli_figuresEnergy(viewFigures* f, const mjModel* m, mjData* d);

// ---- viewwatch.c: files whose change means that the model is loaded again
typedef struct {
  long long seconds, nanoseconds, size;
} viewStamp;
typedef struct {
  char* path;
  viewStamp loaded, seen;
} viewFile;
typedef struct {
  viewFile* file;
  int count, room;
} viewWatch;
void cli_watchModel(viewWatch* w, const char* path);  // the model and the files that it names
bool cli_watchChanged(viewWatch* w);                  // and has come to rest
void cli_watchFree(viewWatch* w);

// ---- what the owner of the window is asked to do; he clears what he has done
typedef struct {
  bool quit, title, fullscreen, vsync, clipboard;
  char* text;  // for the clipboard, NULL when memory was out
} viewWish;

// ---- what happens in a window
typedef enum {
  VIEW_KEY,
  VIEW_PRESS,
  VIEW_RELEASE,
  VIEW_MOVE,
  VIEW_SCROLL,
  VIEW_RESIZE,
  VIEW_DROP,
} viewEventKind;
typedef struct {
  viewEventKind kind;
  int key;                    // as in mjui.h: capital letters, mjKEY_
  int button;                 // mjtButton that went up or down
  bool left, right, middle;   // buttons that are down
  bool control, shift, alt;   // and keys
  double x, y;                // pointer, pixels from the upper left corner
  double scroll_x, scroll_y;  // turns of the wheel
  double time;                // [s]
  int width, height;          // of the window's picture
  const char* path;           // a file that was dropped
} viewEvent;

typedef struct {
  viewSim sim;
  char path[VIEW_TEXT];        // of the model, empty for the embedded one
  char message[VIEW_TEXT];     // what is said at the bottom of the window
  double message_end;          // when it goes [s], 0 for a trouble that stays
  char screenshot[VIEW_TEXT];  // file of the next picture, empty to choose a name
  viewWatch watch;
  double watched;  // when files were looked at [s]
  double (*clock)(void);

  // picture
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjrContext con;
  cliStudio studio;
  int framebuffer;  // mjtFramebuffer that is drawn to
  bool wants_picture;

  // interface
  mjUI left, right;
  mjuiState ui;
  viewFigures figures;
  viewWish wish;
  int show_left, show_right, help, info, profiler, sensors, energy;
  int fullscreen, vsync, spacing, color, font;
  int camera;  // 0 free, 1 tracking, then those of the model
  int disabled[mjNDISABLE], enabled[mjNENABLE], groups[mjNGROUP];
  char field[mjMAXUITEXT];  // of mjData that is watched
  int index;
  bool is_stale;  // the panels show old values

  // frames a second
  double rate, rate_start;
  int rate_frames;
} cliView;

// ---- viewmodel.c: models come and go; an OpenGL context is current
void cli_viewInit(cliView* v, double (*clock)(void), int framebuffer, int width, int height);
void cli_viewClose(cliView* v);
bool cli_viewLoad(cliView* v, const char* path);  // false: the message says why, the old one stays
void cli_viewReload(cliView* v);
double cli_viewAspect(const cliView* v);  // width over height of the scene
void cli_viewAlign(cliView* v);
void cli_viewSaved(cliView* v, const char* path, const char* why);  // say so; why not, or NULL
void cli_viewSave(cliView* v, int command);  // files and texts of the model or the state

// ---- viewpanels.c: panels and what their items do
enum {
  DO_NOTHING,
  DO_SAVE_XML,
  DO_SAVE_MJB,
  DO_PRINT_MODEL,
  DO_PRINT_DATA,
  DO_WRITE_KEY,
  DO_QUIT,
  DO_SCREENSHOT,
  DO_FULLSCREEN,
  DO_VSYNC,
  DO_THEME,
  DO_RUN,
  DO_RESET,
  DO_RELOAD,
  DO_ALIGN,
  DO_COPY_STATE,
  DO_LOAD_KEY,
  DO_SAVE_KEY,
  DO_SCRUB,
  DO_PHYSICS,
  DO_CAMERA,
  DO_COPY_CAMERA,
  DO_JOINT_GROUP,
  DO_ACTUATOR_GROUP,
  DO_CLEAR,
};
enum { WATCH_SECTION = 3, PHYSICS_SECTION, RENDER_SECTION };
void cli_panelsInit(cliView* v);
void cli_panelsModel(cliView* v);                       // sections that depend on the model
void cli_panelsFit(cliView* v);                         // after a change of size
void cli_panelsLayout(cliView* v);                      // rectangles of the window
void cli_panelsRefresh(cliView* v);                     // values that changed
void cli_panelsSection(cliView* v, int section);        // of the left panel
const mjuiItem* cli_panelsItem(const cliView* v, int);  // first item with this command, or NULL
void cli_watchField(const cliView* v, char text[mjMAXUINAME]);

// ---- viewsections.c: what stands in the panels
void cli_sectionsFixed(cliView* v);  // the same for every model
void cli_sectionsModel(cliView* v);  // options, flags and groups
void cli_sectionsRight(cliView* v);  // joints, controls, equalities

// ---- viewinput.c, viewactions.c, viewmouse.c
void cli_viewEvent(cliView* v, const viewEvent* e);
void cli_viewAct(cliView* v);  // on the event in v->ui
void cli_viewDo(cliView* v, int command);
void cli_viewMouse(cliView* v);          // in the picture of the scene
void cli_viewCamera(cliView* v, int k);  // as in v->camera

// ---- viewtext.c
// texts that the caller frees, NULL when memory is out
char* cli_textKey(const mjModel* m, const mjData* d);  // <key .../>
char* cli_textCamera(const mjvScene* scn);
void cli_textInfo(const cliView* v, char* title, char* content, int size);
extern const char cli_help_keys[], cli_help_texts[];

// ---- viewdraw.c
void cli_viewScene(cliView* v);  // the scene of the state as it is
void cli_viewFrame(cliView* v);  // bring the simulation forward and draw everything

#endif  // CF_CLI_VIEW_H
