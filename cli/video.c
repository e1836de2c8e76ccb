// Films: frames go to ffmpeg through a pipe, or to numbered PNG files.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"


static bool endsWith(const char* text, const char* end) {
  const size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}


// start ffmpeg with a pipe to its input; false if there is none
static bool startFfmpeg(cliVideo* v) {
  char size[40], rate[40];
  snprintf(size, sizeof(size), "%dx%d", v->canvas.width, v->canvas.height);
  snprintf(rate, sizeof(rate), "%g", v->rate);
  const char* arguments[] = {"ffmpeg",
                             "-loglevel",
                             "error",
                             "-y",
                             "-f",
                             "rawvideo",
                             "-pix_fmt",
                             "rgb24",
                             "-s",
                             size,
                             "-r",
                             rate,
                             "-i",
                             "-",
                             "-an",
                             "-vf",
                             "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                             "-pix_fmt",
                             "yuv420p",
                             v->path,
                             NULL};
  return cli_feedOpen(&v->feed, arguments);
}


cliExit cli_openVideo(cliVideo* v, const mjModel* m, mjData* d, const cliVideoOptions* o) {
  int width = 640, height = 480;
  memset(v, 0, sizeof(*v));
  v->path = o->path;
  v->feed.pipe = -1;
  v->rate = 30;
  if ((o->size && !cli_sizeFrom(o->size, &width, &height)) ||
      (o->rate && !cli_number("--fps", o->rate, &v->rate))) {
    return CLI_USAGE;
  }
  if (!(v->rate > 0 && v->rate <= 1000)) {
    cli_error("--fps %s: expected a number above 0, at most 1000", o->rate);
    return CLI_USAGE;
  }
  const cliCanvasOptions canvas = {.camera = o->camera, .width = width, .height = height};
  const cliExit code = cli_openCanvas(&v->canvas, m, d, &canvas);
  if (code != CLI_OK) {
    return code;
  }
  cli_keepBrokenPipes();
  if (!endsWith(v->path, ".png") && !startFfmpeg(v)) {
    cli_error("there is no ffmpeg; the frames become numbered PNG files");
  }
  return CLI_OK;
}


// walk.mp4 becomes walk_00042.png
static void numberedName(const cliVideo* v, int frame, char path[CLI_VIDEO_NAME]) {
  const char* dot = strrchr(v->path, '.');
  const char* slash = strrchr(v->path, '/');
  const int stem = dot && (!slash || dot > slash) ? (int)(dot - v->path) : (int)strlen(v->path);
  snprintf(path, CLI_VIDEO_NAME, "%.*s_%05d.png", stem, v->path, frame);
}


static bool writeNumbered(const cliVideo* v) {
  char path[CLI_VIDEO_NAME];
  numberedName(v, v->frames, path);
  return cli_writePng(path, v->canvas.rgb, v->canvas.width, v->canvas.height);
}


void cli_videoName(const cliVideo* v, char text[CLI_VIDEO_NAME]) {
  char first[CLI_VIDEO_NAME], last[CLI_VIDEO_NAME];
  numberedName(v, 0, first);
  numberedName(v, v->frames - 1, last);
  if (v->feed.pipe >= 0) {
    snprintf(text, CLI_VIDEO_NAME, "%s", v->path);
  } else if (v->frames < 2) {
    snprintf(text, CLI_VIDEO_NAME, "%s", first);
  } else {
    snprintf(text, CLI_VIDEO_NAME, "%.2000s to %.2000s", first, last);
  }
}


// how many frames should be there at a time since the start, less one
static double lastFrame(const cliVideo* v, double time) {
  return time * v->rate + 1e-6;
}


bool cli_isFrameDue(const cliVideo* v, double time) {
  return v->frames <= lastFrame(v, time);
}


bool cli_addFrames(cliVideo* v, mjData* d, double time) {
  const double due = lastFrame(v, time);
  cli_draw(&v->canvas, d);
  for (; v->frames <= due; v->frames++) {
    const size_t bytes = 3 * (size_t)v->canvas.width * (size_t)v->canvas.height;
    const bool is_written =
        v->feed.pipe >= 0 ? cli_feedWrite(&v->feed, v->canvas.rgb, bytes) : writeNumbered(v);
    if (!is_written) {
      cli_error("%s: frame %d could not be written", v->path, v->frames);
      return false;
    }
  }
  return true;
}


cliExit cli_closeVideo(cliVideo* v) {
  int status = 0;
  if (v->feed.pipe >= 0) {
    if (!cli_feedClose(&v->feed)) {
      cli_error("ffmpeg could not write %s", v->path);
      status = 1;
    }
  }
  cli_closeCanvas(&v->canvas);
  return status ? CLI_IO : CLI_OK;
}
