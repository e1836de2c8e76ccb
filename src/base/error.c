// Errors and warnings of the C API: user handlers first, otherwise a line on stderr.
//
// Unlike MuJoCo no log file is written unless it is asked for.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

void (*mju_user_error)(const char*);
void (*mju_user_warning)(const char*);

enum { MESSAGE_MAX = 1024 };


// report and leave: an error handler is expected not to return
static void raiseError(const char* text) {
  if (mju_user_error) {
    mju_user_error(text);
    return;
  }
  fprintf(stderr, "ERROR: %s\n\n", text);
  exit(EXIT_FAILURE);
}


static void raiseWarning(const char* text) {
  if (mju_user_warning) {
    mju_user_warning(text);
    return;
  }
  fprintf(stderr, "WARNING: %s\n\n", text);
}


void mju_error_v(const char* msg, va_list args);
void mju_error_v(const char* msg, va_list args) {
  char text[MESSAGE_MAX];
  vsnprintf(text, sizeof(text), msg, args);
  raiseError(text);
}


void mju_error(const char* msg, ...) {
  va_list args;
  va_start(args, msg);
  mju_error_v(msg, args);
  va_end(args);
}


void mju_warning(const char* msg, ...) {
  char text[MESSAGE_MAX];
  va_list args;
  va_start(args, msg);
  vsnprintf(text, sizeof(text), msg, args);
  va_end(args);
  raiseWarning(text);
}
