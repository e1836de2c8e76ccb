// Films: frames go to ffmpeg through a pipe, or to numbered PNG files.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "canvas.h"

extern char** environ;


static bool endsWith(const char* text, const char* end) {
  const size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}


// start ffmpeg with a pipe to its input; false if there is none
static bool startFfmpeg(cliVideo* v) {
  char size[40], rate[40];
  int ends[2];
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
  posix_spawn_file_actions_t actions;
  if (pipe2(ends, O_CLOEXEC)) {
    return false;
  }
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  pid_t process;
  char** words = NULL;
  memcpy(&words, &(const char**){arguments}, sizeof(words));
  const int status = posix_spawnp(&process, "ffmpeg", &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (status) {
    close(ends[1]);
    return false;
  }
  v->pipe = ends[1];
  v->process = process;
  return true;
}


cliExit cli_openVideo(cliVideo* v, const mjModel* m, mjData* d, const cliVideoOptions* o) {
  int width = 640, height = 480;
  memset(v, 0, sizeof(*v));
  v->path = o->path;
  v->pipe = v->process = -1;
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
  signal(SIGPIPE, SIG_IGN);
  if (!endsWith(v->path, ".png") && !startFfmpeg(v)) {
    cli_error("there is no ffmpeg; the frames become numbered PNG files");
  }
  return CLI_OK;
}


static bool writeAll(int file, const unsigned char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t n = write(file, bytes, count);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    bytes += n > 0 ? n : 0;
    count -= n > 0 ? (size_t)n : 0;
  }
  return true;
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
  if (v->pipe >= 0) {
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
        v->pipe >= 0 ? writeAll(v->pipe, v->canvas.rgb, bytes) : writeNumbered(v);
    if (!is_written) {
      cli_error("%s: frame %d could not be written", v->path, v->frames);
      return false;
    }
  }
  return true;
}


cliExit cli_closeVideo(cliVideo* v) {
  int status = 0;
  if (v->pipe >= 0) {
    close(v->pipe);
    if (waitpid(v->process, &status, 0) < 0 || status) {
      cli_error("ffmpeg could not write %s", v->path);
      status = 1;
    }
  }
  cli_closeCanvas(&v->canvas);
  return status ? CLI_IO : CLI_OK;
}
