// Pictures of a simulation, drawn without a screen; files and films made of them.
#ifndef CF_CLI_CANVAS_H
#define CF_CLI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "cli.h"
#include "offscreen.h"
#include "studio.h"

// everything that is needed to draw a model
typedef struct {
  const mjModel* m;
  cliOffscreen gl;
  mjrContext con;
  mjvScene scn;
  mjvOption option;
  mjvCamera camera;
  cliStudio studio;
  int width, height;
  unsigned char* rgb;  // rows from above
  float* depth;        // the same, as OpenGL has it: 1 at the near plane, 0 far away
} cliCanvas;

// "WxH"; false with a message
bool cli_sizeFrom(const char* text, int* width, int* height);

// a camera of the model by name or number, "azimuth,elevation,distance[,x,y,z]", "free", or for
// NULL the one to begin with; false with a message
bool cli_chooseCamera(const mjModel* m, mjData* d, const char* text, double aspect,
                      mjvCamera* camera);

// how a canvas is opened: a camera as above; is_plain for MuJoCo's picture, without a studio
typedef struct {
  const char* camera;
  int width, height;
  bool is_plain;
} cliCanvasOptions;

// open for a model in the state that is drawn first.  CLI_OK, or a message on stderr and what the
// program should return
cliExit cli_openCanvas(cliCanvas* c, const mjModel* m, mjData* d, const cliCanvasOptions* o);
void cli_closeCanvas(cliCanvas* c);

// draw a state into c->rgb and c->depth
void cli_draw(cliCanvas* c, mjData* d);

// distance from the camera's plane [m] of a value of c->depth
double cli_distance(const cliCanvas* c, float depth);

// PNG files, rows from above: 8 bits red, green, blue, or 16 bits gray; false with a message
bool cli_writePng(const char* path, const unsigned char* rgb, int width, int height);
bool cli_writeGrayPng(const char* path, const uint16_t* gray, int width, int height);

// ---- films: frames go to ffmpeg, or to numbered PNG files where there is none
typedef struct {
  const char* path;
  cliFeed feed;  // to ffmpeg, its pipe -1 without
  int frames;
  double rate;  // frames a second
  cliCanvas canvas;
} cliVideo;

// what the options of a film say
typedef struct {
  const char *path, *camera, *size, *rate;
} cliVideoOptions;

cliExit cli_openVideo(cliVideo* v, const mjModel* m, mjData* d, const cliVideoOptions* o);
// is a frame due at a time since the start; draw as many as are, of that state
bool cli_isFrameDue(const cliVideo* v, double time);
bool cli_addFrames(cliVideo* v, mjData* d, double time);

// the film, or the first and the last of its numbered files
enum { CLI_VIDEO_NAME = 4096 };
void cli_videoName(const cliVideo* v, char text[CLI_VIDEO_NAME]);
cliExit cli_closeVideo(cliVideo* v);

#endif  // CF_CLI_CANVAS_H
