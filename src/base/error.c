// Errors and warnings of the C API: handlers first, otherwise a line on stderr.
//
// Unlike MuJoCo no log file is written unless it is asked for: by calling mju_writeLog, or by
// naming a file in the environment variable CORTENFORGE_LOG.
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

#include "base/platform.h"
#include "base/threads.h"

void (*mju_user_error)(const char*);
void (*mju_user_warning)(const char*);

enum { TEXT_MAX = 1024 };

// handlers of one thread, installed by language bindings; they win over the global ones
static _Thread_local cfHandler thread_error, thread_warning;


cfHandler _mjPRIVATE__get_tls_error_fn(void) {
  return thread_error;
}


void _mjPRIVATE__set_tls_error_fn(cfHandler handler) {
  thread_error = handler;
}


cfHandler _mjPRIVATE__get_tls_warning_fn(void) {
  return thread_warning;
}


void _mjPRIVATE__set_tls_warning_fn(cfHandler handler) {
  thread_warning = handler;
}


void mju_clearHandlers(void) {
  mju_user_malloc = NULL;
  mju_user_free = NULL;
  mju_user_warning = NULL;
  mju_user_error = NULL;
}


// append one dated entry to a file; a log that cannot be opened is silently left out
static void appendLog(const char* path, const char* type, const char* msg) {
  FILE* file = cfi_fileOpen(path, "a");
  if (!file) {
    return;
  }
  char date[64];
  cfi_dateText(date);
  fprintf(file, "%s\n%s: %s\n\n", date, type, msg);
  fclose(file);
}


void mju_writeLog(const char* type, const char* msg) {
  const char* path = cfi_environment("CORTENFORGE_LOG");
  appendLog(path ? path : "MUJOCO_LOG.TXT", type, msg);
}


// where nobody listens: console, and the log file if the environment names one
static void reportToConsole(const char* type, const char* text) {
  if (cfi_environment("CORTENFORGE_LOG")) {
    mju_writeLog(type, text);
  }
  fprintf(stderr, "%s: %s\n\n", type, text);
}


void mju_error_v(const char* msg, va_list args) {
  char text[TEXT_MAX];
  vsnprintf(text, sizeof(text), msg, args);
  if (cfi_loopKeepsError(text)) {
    return;
  }
  const cfHandler handler = thread_error ? thread_error : mju_user_error;
  if (handler) {
    handler(text);
    return;
  }
  reportToConsole("ERROR", text);
  exit(EXIT_FAILURE);
}


void mju_error(const char* msg, ...) {
  va_list args;
  va_start(args, msg);
  mju_error_v(msg, args);
  va_end(args);
}


void mju_warning(const char* msg, ...) {
  char text[TEXT_MAX];
  va_list args;
  va_start(args, msg);
  vsnprintf(text, sizeof(text), msg, args);
  va_end(args);

  const cfHandler handler = thread_warning ? thread_warning : mju_user_warning;
  if (handler) {
    handler(text);
  } else {
    reportToConsole("WARNING", text);
  }
}

// the deprecated forms take a caller's format with exactly one argument
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"


void mju_error_i(const char* msg, int i) {
  mju_error(msg, i);
}


void mju_error_s(const char* msg, const char* text) {
  mju_error(msg, text);
}


void mju_warning_i(const char* msg, int i) {
  mju_warning(msg, i);
}


void mju_warning_s(const char* msg, const char* text) {
  mju_warning(msg, text);
}
