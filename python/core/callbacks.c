// Callbacks of the engine in Python: mjcb_control and its kin. What they raise leaves the engine's
// call as an exception.
#include "core.h"
#include "base/platform.h"


enum {
  CB_CONTROL,
  CB_PASSIVE,
  CB_CONTACTFILTER,
  CB_SENSOR,
  CB_TIME,
  CB_ACT_DYN,
  CB_ACT_GAIN,
  CB_ACT_BIAS,
  CB_COUNT
};
static PyObject* callback[CB_COUNT];


// the objects that a call was given, or others over the same memory
static PyObject* modelObject(const mjModel* m) {
  const Guard* g = core_innermost();
  if (g && g->model_object && ((Model*)g->model_object)->m == m) {
    return Py_NewRef(g->model_object);
  }
  return core_wrapModel((mjModel*)m, Py_None);
}


static PyObject* dataObject(mjData* d, PyObject* model) {
  const Guard* g = core_innermost();
  if (g && g->data_object && ((Data*)g->data_object)->d == d) {
    return Py_NewRef(g->data_object);
  }
  return core_referData(d, model, Py_None);
}


// Call a callback with model, data and up to two numbers; the result as a number.
static double call(int which, const mjModel* m, const mjData* d, int n, int a, int b) {
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* function = PyErr_Occurred() ? NULL : Py_XNewRef(callback[which]);
  PyObject *model = NULL, *data = NULL, *result = NULL;
  double value = 0;
  if (function && n < 0) {
    result = PyObject_CallNoArgs(function);
  } else if (function) {
    model = modelObject(m);
    data = model ? dataObject((mjData*)d, model) : NULL;
    result = !data    ? NULL
             : n == 0 ? PyObject_CallFunction(function, "OO", model, data)
             : n == 1 ? PyObject_CallFunction(function, "OOi", model, data, a)
                      : PyObject_CallFunction(function, "OOii", model, data, a, b);
  }
  if (result && which != CB_CONTROL && which != CB_PASSIVE && which != CB_SENSOR) {
    value = PyFloat_AsDouble(result);
    if (PyErr_Occurred()) {
      static const char* const name[CB_COUNT] = {"control", "passive", "contactfilter", "sensor",
                                                 "time",    "act_dyn", "act_gain",      "act_bias"};
      PyErr_Format(PyExc_TypeError, "mjcb_%s callback did not return a number", name[which]);
      Py_CLEAR(result);
    }
  }
  const int failed = function && !result;
  Py_XDECREF(function);
  Py_XDECREF(model);
  Py_XDECREF(data);
  Py_XDECREF(result);
  if (failed && core_innermost()) {
    PyGILState_Release(state);
    core_escape();
  }
  if (failed) {
    PyErr_WriteUnraisable(NULL);
  }
  PyGILState_Release(state);
  return value;
}


static void onControl(const mjModel* m, mjData* d) {
  call(CB_CONTROL, m, d, 0, 0, 0);
}
static void onPassive(const mjModel* m, mjData* d) {
  call(CB_PASSIVE, m, d, 0, 0, 0);
}
static int onContactFilter(const mjModel* m, mjData* d, int a, int b) {
  return call(CB_CONTACTFILTER, m, d, 2, a, b) != 0;
}
static void onSensor(const mjModel* m, mjData* d, int stage) {
  call(CB_SENSOR, m, d, 1, stage, 0);
}
static mjtNum onTime(void) {
  return call(CB_TIME, NULL, NULL, -1, 0, 0);
}
static mjtNum onActDyn(const mjModel* m, const mjData* d, int id) {
  return call(CB_ACT_DYN, m, d, 1, id, 0);
}
static mjtNum onActGain(const mjModel* m, const mjData* d, int id) {
  return call(CB_ACT_GAIN, m, d, 1, id, 0);
}
static mjtNum onActBias(const mjModel* m, const mjData* d, int id) {
  return call(CB_ACT_BIAS, m, d, 1, id, 0);
}


static void install(int which, void* p) {
  switch (which) {
    case CB_CONTROL:
      mjcb_control = (mjfGeneric)p;
      break;
    case CB_PASSIVE:
      mjcb_passive = (mjfGeneric)p;
      break;
    case CB_CONTACTFILTER:
      mjcb_contactfilter = (mjfConFilt)p;
      break;
    case CB_SENSOR:
      mjcb_sensor = (mjfSensor)p;
      break;
    case CB_TIME:
      mjcb_time = (mjfTime)p;
      break;
    case CB_ACT_DYN:
      mjcb_act_dyn = (mjfAct)p;
      break;
    case CB_ACT_GAIN:
      mjcb_act_gain = (mjfAct)p;
      break;
    default:
      mjcb_act_bias = (mjfAct)p;
  }
}


// milliseconds of a clock that never goes back, for timers
static mjtNum milliseconds(void) {
  return 1e3 * cfi_clock();
}


static int has_timers;


// start_timers(): from now on stages of the pipeline are measured unless a clock of the user does
static PyObject* startTimers(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  has_timers = 1;
  if (!mjcb_time) {
    mjcb_time = milliseconds;
  }
  Py_RETURN_NONE;
}


static void* const trampoline[CB_COUNT] = {onControl, onPassive, onContactFilter, onSensor,
                                           onTime,    onActDyn,  onActGain,       onActBias};


// set_callback(which, callable, None or address of a C function)
static PyObject* setCallback(PyObject* self, PyObject* args) {
  int which;
  PyObject *function, *old;
  unsigned long long address = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "iO|K", &which, &function, &address)) {
    return NULL;
  }
  if (which < 0 || which >= CB_COUNT ||
      (!address && function != Py_None && !PyCallable_Check(function))) {
    return PyErr_Format(PyExc_TypeError, "callback is not an Optional[Callable]");
  }
  void* const none = which == CB_TIME && has_timers ? milliseconds : NULL;
  install(which, address               ? (void*)(uintptr_t)address
                 : function == Py_None ? none
                                       : trampoline[which]);
  old = callback[which];
  callback[which] = function == Py_None ? NULL : Py_NewRef(function);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}


static PyObject* getCallback(PyObject* self, PyObject* which) {
  (void)self;
  const long i = PyLong_AsLong(which);
  return i < 0 || i >= CB_COUNT || !callback[i] ? Py_NewRef(Py_None) : Py_NewRef(callback[i]);
}


static PyObject* setWarning(PyObject* self, PyObject* function) {
  (void)self;
  if (function != Py_None && !PyCallable_Check(function)) {
    return PyErr_Format(PyExc_TypeError, "callback is not an Optional[Callable]");
  }
  PyObject* old = core_userWarning;
  core_userWarning = function == Py_None ? NULL : Py_NewRef(function);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}


static PyObject* getWarning(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return Py_NewRef(core_userWarning ? core_userWarning : Py_None);
}


int core_initCallbacks(PyObject* module) {
  static PyMethodDef functions[] = {{"set_callback", setCallback, METH_VARARGS, NULL},
                                    {"start_timers", startTimers, METH_NOARGS, NULL},
                                    {"get_callback", getCallback, METH_O, NULL},
                                    {"set_warning", setWarning, METH_O, NULL},
                                    {"get_warning", getWarning, METH_NOARGS, NULL},
                                    {0}};
  return PyModule_AddFunctions(module, functions);
}
