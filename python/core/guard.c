// Calls of the engine: its errors become exceptions, its warnings Python warnings.
//
// The engine reports through handlers of the calling thread. The error handler must not return: it
// jumps back to the guard of the innermost call, which gives back the scratch memory of the data
// and raises.
#include "core.h"

void (*_mjPRIVATE__get_tls_error_fn(void))(const char*);
void _mjPRIVATE__set_tls_error_fn(void (*handler)(const char*));
void (*_mjPRIVATE__get_tls_warning_fn(void))(const char*);
void _mjPRIVATE__set_tls_warning_fn(void (*handler)(const char*));

enum { TEXT_MAX = 1024 };
PyObject* core_userWarning;
_Thread_local PyObject *core_lastModel, *core_lastData;
static _Thread_local Guard* innermost;
static _Thread_local char error_text[TEXT_MAX], warning_text[TEXT_MAX];


static void onError(const char* text) {
  strncpy(error_text, text, TEXT_MAX - 1);
  longjmp(innermost->here, 1);
}


static void onWarning(const char* text) {
  if (innermost->nwarning++ == 0) {
    strncpy(warning_text, text, TEXT_MAX - 1);
  }
}


void core_enter(Guard* g, mjData* d, int release) {
  g->outer = innermost;
  g->error = _mjPRIVATE__get_tls_error_fn();
  g->warning = _mjPRIVATE__get_tls_warning_fn();
  g->d = d;
  g->nwarning = 0;
  g->model_object = core_lastModel;
  g->data_object = core_lastData;
  core_lastModel = core_lastData = NULL;
  if (d) {
    g->pstack = d->pstack;
    g->pbase = d->pbase;
  }
  innermost = g;
  _mjPRIVATE__set_tls_error_fn(onError);
  _mjPRIVATE__set_tls_warning_fn(onWarning);
  g->quiet = release == 2;
  warning_text[0] = 0;
  g->thread = release ? PyEval_SaveThread() : NULL;
}


int core_leave(Guard* g, int failed) {
  if (g->thread) {
    PyEval_RestoreThread(g->thread);
  }
  innermost = g->outer;
  _mjPRIVATE__set_tls_error_fn(g->error);
  _mjPRIVATE__set_tls_warning_fn(g->warning);
  if (failed) {
    if (g->d) {
      g->d->pstack = g->pstack;
      g->d->pbase = g->pbase;
    }
    if (!PyErr_Occurred()) {
      PyErr_SetString(core_FatalError, error_text);
    }
    return -1;
  }
  if (PyErr_Occurred()) {
    return -1;
  }
  if (g->nwarning && !g->quiet && core_userWarning) {
    PyObject* result = PyObject_CallFunction(core_userWarning, "s", warning_text);
    Py_XDECREF(result);
    return result ? 0 : -1;
  }
  if (g->nwarning && !g->quiet) {
    return PyErr_WarnEx(core_EngineWarning, warning_text, 2);
  }
  return 0;
}


// Raise ModelError with what the message says about the place: file, line, column, element and the
// hint.
int core_raiseModelError(const char* text, const char* file) {
  PyObject* error = PyObject_CallFunction(core_ModelError, "sz", text, file);
  if (error) {
    PyErr_SetObject(core_ModelError, error);
    Py_DECREF(error);
  }
  return -1;
}


const char* core_warningText(void) {
  return warning_text;
}


const Guard* core_innermost(void) {
  return innermost;
}


// The engine may have a handler of its own between here and the guard (compiling has), so this is
// an error to it.
void core_escape(void) {
  mju_error("a callback raised an exception");
  longjmp(innermost->here, 1);
}
