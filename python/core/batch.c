// Many worlds (cortenforge/batch.h), simulations put together by a builder, and comparison.
#include "core.h"

#include <stdlib.h>

static PyTypeObject *BatchType, *SimMemoryType;

typedef struct {
  PyObject_HEAD cfBatch* batch;
  PyObject* model;
  int busy;  // a call is under way: a batch is used by one thread at a time
} Batch;


static void batchDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  cf_freeBatch(((Batch*)o)->batch);
  Py_XDECREF(((Batch*)o)->model);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
  Py_DECREF(type);
}


static int number(PyObject* options, const char* name, long long low, long long high,
                  long long* x) {
  PyObject* value = PyDict_GetItemString(options, name);
  return value ? to_int(value, name, low, high, x) : 0;
}


static int fillOptions(cfBatchOptions* o, PyObject* given) {
  long long backend = o->backend, nthread = 0, unstable = o->unstable, ncontact = 0, nlane = 0,
            narena = 0, tier = o->tier, precision = o->precision, reactions = o->reactions;
  PyObject* text = PyDict_GetItemString(given, "outputs");
  PyObject* scale = PyDict_GetItemString(given, "noise_scale");
  PyObject* rate = PyDict_GetItemString(given, "noise_rate");
  PyObject* seed = PyDict_GetItemString(given, "seed");
  if (number(given, "backend", 0, 1, &backend) || number(given, "nthread", 0, 4096, &nthread) ||
      number(given, "unstable", 0, 1, &unstable) ||
      number(given, "ncontact", 0, INT_MAX, &ncontact) || number(given, "nlane", 0, 8, &nlane) ||
      number(given, "narena", 0, LLONG_MAX, &narena) || number(given, "tier", 0, 2, &tier) ||
      number(given, "precision", 0, 1, &precision) ||
      number(given, "reactions", 0, 1, &reactions) ||
      (text && to_text(text, "outputs", 0, &o->outputs)) ||
      (scale && to_number(scale, "noise_scale", &o->noise_scale)) ||
      (rate && to_number(rate, "noise_rate", &o->noise_rate))) {
    return -1;
  }
  if (seed) {
    o->seed = PyLong_AsUnsignedLongLongMask(seed);
    if (PyErr_Occurred()) {
      return -1;
    }
  }
  o->backend = (cftBackend)backend;
  o->nthread = (int)nthread;
  o->unstable = (cftUnstable)unstable;
  o->ncontact = (int)ncontact;
  o->nlane = (int)nlane;
  o->narena = narena;
  o->tier = (cftTier)tier;
  o->precision = (cftPrecision)precision;
  o->reactions = (cftReactions)reactions;
  return 0;
}


// Batch(model, nworld, options)
static PyObject* batchNew(PyTypeObject* type, PyObject* args, PyObject* kw) {
  PyObject *model, *options, *n;
  mjModel* m;
  long long nworld;
  (void)kw;
  if (!PyArg_ParseTuple(args, "OOO!", &model, &n, &PyDict_Type, &options) ||
      to_model(model, "model", &m) || to_int(n, "nworld", 1, INT_MAX, &nworld)) {
    return NULL;
  }
  cfBatchOptions o;
  cf_defaultBatchOptions(&o);
  if (fillOptions(&o, options)) {
    return NULL;
  }
  char error[1000] = "";
  cfBatch* volatile batch = NULL;
  GUARD(1, NULL, batch = cf_makeBatch(m, (int)nworld, &o, error, sizeof(error)), return NULL);
  if (!batch) {
    return PyErr_Format(PyExc_ValueError, "%s", error);
  }
  Batch* s = (Batch*)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!s) {
    cf_freeBatch(batch);
    return NULL;
  }
  s->batch = batch;
  s->model = Py_NewRef(model);
  return (PyObject*)s;
}


static int begin(Batch* s) {
  if (__atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE)) {
    PyErr_SetString(PyExc_RuntimeError, "the batch is in use by another thread");
    return -1;
  }
  return 0;
}


static PyObject* end(Batch* s, int done) {
  PyObject* result = done > 0 ? Py_NewRef(Py_None) : NULL;
  if (done == 0) {
    PyErr_SetString(PyExc_ValueError, cf_batchError(s->batch));
  }
  __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
  return result;
}

// one call of the batch; -1 stands for an exception that is set
#define CALL(expression)                                      \
  do {                                                        \
    if (begin(s)) {                                           \
      return NULL;                                            \
    }                                                         \
    volatile int done_ = 0;                                   \
    GUARD(1, NULL, done_ = (expression) ? 1 : 0, done_ = -1); \
    return end(s, done_);                                     \
  } while (0)


// a mask of worlds: None for all, else a byte each
static int toMask(Batch* s, PyObject* mask, Array* a) {
  return to_array(mask, "mask", E_BYTE, 0, 1, a) ||
         check_length(a, "mask", cf_batchSize(s->batch), 1);
}


// step(n, mask, is_forward): n steps, or everything but the next state
static PyObject* batchStep(PyObject* o, PyObject* args) {
  Batch* s = (Batch*)o;
  PyObject* mask = Py_None;
  int n = 1, is_forward = 0;
  Array a = {{0}};
  if (!PyArg_ParseTuple(args, "|iOp", &n, &mask, &is_forward)) {
    return NULL;
  }
  if (toMask(s, mask, &a) || begin(s)) {
    end_array(&a);
    return NULL;
  }
  volatile int done = 0;
  GUARD(1, NULL,
        done = (is_forward ? cf_batchForwardMasked(s->batch, a.b.buf)
                           : cf_batchStepMasked(s->batch, a.b.buf, n))
                   ? 1
                   : 0,
        done = -1);
  end_array(&a);
  return end(s, done);
}


static PyObject* batchCommit(PyObject* o, PyObject* unused) {
  Batch* s = (Batch*)o;
  (void)unused;
  CALL(cf_batchCommit(s->batch));
}


// rollout(nrow, nsubstep, mask, control_spec, control, state_spec, state, [name...], [array...]):
// arrays are contiguous; None where there is none
static PyObject* batchRollout(PyObject* o, PyObject* args) {
  Batch* s = (Batch*)o;
  PyObject *mask, *control, *state, *names, *arrays;
  cfBatchRollout r = {0};
  Array a[3] = {{{0}}};
  enum { MOST = 64 };
  Py_buffer history[MOST];
  const char* name[MOST];
  void* to[MOST];
  int n = 0, bad = 0;
  if (!PyArg_ParseTuple(args, "iiOIOIOO!O!", &r.nrow, &r.nsubstep, &mask, &r.control_spec, &control,
                        &r.state_spec, &state, &PyList_Type, &names, &PyList_Type, &arrays)) {
    return NULL;
  }
  const mjModel* m = cf_batchModel(s->batch);
  const long long rows = (long long)r.nrow * cf_batchSize(s->batch);
  if (r.nrow < 0 || r.control_spec >> mjNSTATE || r.state_spec >> mjNSTATE ||
      PyList_Size(names) > MOST || PyList_Size(names) != PyList_Size(arrays)) {
    return PyErr_Format(PyExc_ValueError, "counts, specs and fields of a rollout do not fit");
  }
  bad = toMask(s, mask, a) || to_array(control, "control", E_NUM, 0, 1, a + 1) ||
        check_length(a + 1, "control", rows * mj_stateSize(m, (int)r.control_spec), 1) ||
        to_array(state, "state", E_NUM, 1, 1, a + 2) ||
        check_length(a + 2, "state", rows * mj_stateSize(m, (int)r.state_spec), 1);
  for (Py_ssize_t i = 0; i < PyList_Size(names) && !bad; i++) {
    cfBatchField f = {0};
    bad = to_text(PyList_GetItem(names, i), "field", 0, name + i) ||
          PyObject_GetBuffer(PyList_GetItem(arrays, i), history + n,
                             PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
    if (bad) {
      break;
    }
    to[n] = history[n].buf;
    n++;
    if (!cf_batchField(s->batch, name[i], &f)) {
      PyErr_SetString(PyExc_ValueError, cf_batchError(s->batch));
      bad = 1;
    } else if (history[n - 1].len != rows * f.nbyte * f.count) {
      PyErr_Format(PyExc_ValueError, "the history of %s has %zd bytes, %lld are needed", name[i],
                   history[n - 1].len, (long long)(rows * f.nbyte * f.count));
      bad = 1;
    }
  }
  r.mask = a[0].b.buf;
  r.control = a[1].b.buf;
  r.state = a[2].b.buf;
  r.nrecord = n;
  r.record = name;
  r.history = to;
  PyObject* result = NULL;
  if (!bad && !begin(s)) {
    volatile int done = 0;
    GUARD(1, NULL, done = cf_batchRollout(s->batch, &r) ? 1 : 0, done = -1);
    result = end(s, done);
  }
  for (int i = 0; i < n; i++) {
    PyBuffer_Release(history + i);
  }
  for (int i = 0; i < 3; i++) {
    end_array(a + i);
  }
  return result;
}


// reset(mask, key)
static PyObject* batchReset(PyObject* o, PyObject* args) {
  Batch* s = (Batch*)o;
  PyObject* mask;
  int key;
  Array a = {{0}};
  if (!PyArg_ParseTuple(args, "Oi", &mask, &key)) {
    return NULL;
  }
  if (toMask(s, mask, &a) || begin(s)) {
    end_array(&a);
    return NULL;
  }
  volatile int done = 0;
  GUARD(1, NULL, done = cf_batchReset(s->batch, a.b.buf, key) ? 1 : 0, done = -1);
  end_array(&a);
  return end(s, done);
}


// field(name): (element, bytes per element, elements per world, can be set, belongs to the model)
static PyObject* batchField(PyObject* o, PyObject* name) {
  Batch* s = (Batch*)o;
  cfBatchField f;
  const char* text;
  if (to_text(name, "name", 0, &text) || begin(s)) {
    return NULL;
  }
  volatile int done = 0;
  GUARD(0, NULL, done = cf_batchField(s->batch, text, &f) ? 1 : 0, done = -1);
  PyObject* ended = end(s, done);
  if (!ended) {
    return NULL;
  }
  Py_DECREF(ended);
  return Py_BuildValue("(iiLii)", (int)f.element, f.nbyte, (long long)f.count, (int)f.is_writable,
                       (int)f.is_parameter);
}


// ids of worlds: None for all, else int32
static int worlds(Batch* s, PyObject* ids, Array* a, int* n) {
  if (to_array(ids, "worlds", E_INT, 0, 1, a) ||
      check_indices(a, "worlds", cf_batchSize(s->batch))) {
    return -1;
  }
  *n = a->b.obj ? (int)array_length(a) : cf_batchSize(s->batch);
  return 0;
}


// move(name, worlds, buffer, is_set): copy values of a field; move(sig, worlds, buffer, is_set)
// parts of the state
static PyObject* batchMove(PyObject* o, PyObject* args) {
  Batch* s = (Batch*)o;
  PyObject *what, *ids, *values, *result = NULL;
  int is_set, n;
  Array a = {{0}};
  Py_buffer b = {0};
  cfBatchField f = {0};
  const char* name = NULL;
  long long sig = 0;
  if (!PyArg_ParseTuple(args, "OOOp", &what, &ids, &values, &is_set)) {
    return NULL;
  }
  const int is_field = PyUnicode_Check(what);
  if (worlds(s, ids, &a, &n) ||
      (is_field ? to_text(what, "name", 0, &name)
                : to_int(what, "sig", 0, (1 << mjNSTATE) - 1, &sig)) ||
      PyObject_GetBuffer(values, &b, PyBUF_C_CONTIGUOUS | (is_set ? 0 : PyBUF_WRITABLE)) ||
      begin(s)) {
    goto end_;
  }
  volatile int done = 1;
  if (is_field) {
    GUARD(0, NULL, done = cf_batchField(s->batch, name, &f) ? 1 : 0, done = -1);
  }
  const long long bytes =
      is_field ? (long long)f.nbyte * f.count
               : (long long)sizeof(mjtNum) * mj_stateSize(cf_batchModel(s->batch), (int)sig);
  if (done > 0 && b.len != bytes * n) {
    PyErr_Format(PyExc_ValueError, "values have %zd bytes, %lld are needed", b.len, bytes * n);
    done = -1;
  }
  if (done > 0 && is_field) {
    GUARD(1, NULL,
          done = (is_set ? cf_batchSet(s->batch, name, a.b.buf, n, CF_ORDER_WORLD, b.buf)
                         : cf_batchGet(s->batch, name, a.b.buf, n, CF_ORDER_WORLD, b.buf))
                     ? 1
                     : 0,
          done = -1);
  } else if (done > 0) {
    GUARD(1, NULL,
          done = (is_set ? cf_batchSetState(s->batch, (unsigned)sig, a.b.buf, n, b.buf)
                         : cf_batchGetState(s->batch, (unsigned)sig, a.b.buf, n, b.buf))
                     ? 1
                     : 0,
          done = -1);
  }
  result = end(s, done);
end_:
  if (b.obj) {
    PyBuffer_Release(&b);
  }
  end_array(&a);
  return result;
}


// ---- live fields

// DLPack 0.8, as cf_batchTensor gives it
typedef struct {
  void* data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} TensorView;

struct DLManagedTensor {
  TensorView view;
  void* manager;
  void (*deleter)(struct DLManagedTensor* self);
};

// a tensor that keeps the batch alive
typedef struct {
  struct DLManagedTensor tensor;
  struct DLManagedTensor* inner;
  PyObject* batch;
} Shared;


static void deleteShared(struct DLManagedTensor* tensor) {
  Shared* shared = (Shared*)tensor;
  shared->inner->deleter(shared->inner);
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(shared->batch);
  PyGILState_Release(state);
  free(shared);
}


static void endCapsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    struct DLManagedTensor* tensor = PyCapsule_GetPointer(capsule, "dltensor");
    tensor->deleter(tensor);
  }
}


static struct DLManagedTensor* tensorOf(Batch* s, PyObject* name) {
  const char* text;
  if (to_text(name, "name", 0, &text) || begin(s)) {
    return NULL;
  }
  struct DLManagedTensor* volatile tensor = NULL;
  volatile int done = 0;
  GUARD(0, NULL, tensor = cf_batchTensor(s->batch, text), done = -1);
  PyObject* ended = end(s, done ? done : tensor != NULL);
  Py_XDECREF(ended);
  return ended ? tensor : NULL;
}


// DLPack 1.0: the struct that cf_batchTensorVersioned gives
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  TensorView view;
};

typedef struct {
  struct DLManagedTensorVersioned tensor;
  struct DLManagedTensorVersioned* inner;
  PyObject* batch;
} SharedVersioned;


static void deleteVersioned(struct DLManagedTensorVersioned* tensor) {
  SharedVersioned* shared = (SharedVersioned*)tensor;
  shared->inner->deleter(shared->inner);
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(shared->batch);
  PyGILState_Release(state);
  free(shared);
}


static void endVersioned(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    struct DLManagedTensorVersioned* tensor = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    tensor->deleter(tensor);
  }
}


// dlpack_versioned(name): capsule of DLPack 1.0, which says whether the field may be written
static PyObject* batchDlpackVersioned(PyObject* o, PyObject* name) {
  Batch* s = (Batch*)o;
  const char* text;
  SharedVersioned* shared = calloc(1, sizeof(*shared));
  if (!shared) {
    return PyErr_NoMemory();
  }
  if (to_text(name, "name", 0, &text) || begin(s)) {
    free(shared);
    return NULL;
  }
  struct DLManagedTensorVersioned* volatile tensor = NULL;
  volatile int done = 0;
  GUARD(0, NULL, tensor = cf_batchTensorVersioned(s->batch, text), done = -1);
  PyObject* ended = end(s, done ? done : tensor != NULL);
  Py_XDECREF(ended);
  if (!ended) {
    free(shared);
    return NULL;
  }
  shared->tensor = *tensor;
  shared->tensor.deleter = deleteVersioned;
  shared->inner = tensor;
  shared->batch = Py_NewRef(o);
  return PyCapsule_New(&shared->tensor, "dltensor_versioned", endVersioned);
}


static PyObject* batchDlpack(PyObject* o, PyObject* name) {
  struct DLManagedTensor* tensor = tensorOf((Batch*)o, name);
  Shared* shared = tensor ? calloc(1, sizeof(*shared)) : NULL;
  if (!shared) {
    return tensor ? PyErr_NoMemory() : NULL;
  }
  shared->tensor = *tensor;
  shared->tensor.deleter = deleteShared;
  shared->inner = tensor;
  shared->batch = Py_NewRef(o);
  return PyCapsule_New(&shared->tensor, "dltensor", endCapsule);
}


// view(name): live array of (worlds, elements), on the CPU
static PyObject* batchView(PyObject* o, PyObject* name) {
  Batch* s = (Batch*)o;
  struct DLManagedTensor* tensor = tensorOf(s, name);
  if (!tensor) {
    return NULL;
  }
  const TensorView v = tensor->view;
  const int64_t n = v.shape[0], count = v.shape[1], size = v.bits / 8, stride = v.strides[0] * size;
  tensor->deleter(tensor);
  if (v.device_type != 1) {
    return PyErr_Format(PyExc_ValueError, "the worlds are on a GPU; use dlpack, get and set");
  }
  View* view = PyObject_New(View, core_ViewType);
  if (!view) {
    return NULL;
  }
  view->owner = Py_NewRef(o);
  view->ptr = v.data;
  view->n = count ? (n - 1) * stride + count * size : 0;
  PyObject* dtype = core_dtypes[v.code == 2   ? (size == 8 ? E_NUM : E_FLOAT)
                                : v.code == 0 ? E_INT
                                              : E_BYTE];
  PyObject* args = Py_BuildValue("((LL)OOi(LL))", (long long)n, (long long)count, dtype,
                                 (PyObject*)view, 0, (long long)stride, (long long)size);
  PyObject* array = args ? PyObject_CallObject(core_ndarray, args) : NULL;
  Py_XDECREF(args);
  Py_DECREF(view);
  return array;
}


// status(): (steps, losses, frozen, steps again, warnings) as bytes of int64, int32, uint8, int64
// and int32 arrays
static PyObject* batchStatus(PyObject* o, PyObject* unused) {
  Batch* s = (Batch*)o;
  (void)unused;
  const int n = cf_batchSize(s->batch);
  if (begin(s)) {
    return NULL;
  }
  PyObject* list = PyList_New(n);
  volatile int done = list ? 1 : -1;
  for (int w = 0; w < n && done > 0; w++) {
    cfWorldStatus status;
    GUARD(0, NULL, done = cf_batchStatus(s->batch, w, &status) ? 1 : 0, done = -1);
    PyObject* warnings = PyTuple_New(mjNWARNING);
    for (int i = 0; warnings && i < mjNWARNING; i++) {
      PyTuple_SetItem(warnings, i, PyLong_FromLong(status.warning[i]));
    }
    PyList_SetItem(list, w,
                   Py_BuildValue("(LiOLNs)", (long long)status.nstep, status.nlost,
                                 status.is_frozen ? Py_True : Py_False, (long long)status.nagain,
                                 warnings, status.reason));
  }
  PyObject* ended = end(s, done);
  if (!ended) {
    Py_CLEAR(list);
  }
  Py_XDECREF(ended);
  return list;
}


static PyObject* batchInfo(PyObject* o, PyObject* unused) {
  Batch* s = (Batch*)o;
  (void)unused;
  const char* reason = NULL;
  const int tier = (int)cf_batchTier(s->batch, &reason);
  return Py_BuildValue("{sisisLsLsisz}", "nworld", cf_batchSize(s->batch), "lanes",
                       cf_batchLanes(s->batch), "world_bytes",
                       (long long)cf_batchWorldBytes(s->batch), "lost",
                       (long long)cf_batchLost(s->batch), "tier", tier, "reason",
                       reason && reason[0] ? reason : NULL);
}


static PyObject* batchWait(PyObject* o, PyObject* unused) {
  Batch* s = (Batch*)o;
  (void)unused;
  CALL(cf_batchWait(s->batch));
}


static PyObject* batchModel(PyObject* o, void* closure) {
  (void)closure;
  return Py_NewRef(((Batch*)o)->model);
}


// ---- builder: one call with everything that was said

typedef struct {
  PyObject_HEAD cfSim* sim;
} SimMemory;


static void simDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  cf_freeSim(((SimMemory*)o)->sim);
  PyObject_Free(o);
  Py_DECREF(type);
}


// one thing that is said: (verb, element or None, text, numbers or None)
static int say(cfSimBuilder* b, PyObject* item) {
  const char *verb, *element, *text;
  PyObject* numbers;
  double value = 0;
  Array a = {{0}};
  if (!PyArg_ParseTuple(item, "szzOd", &verb, &element, &text, &numbers, &value) ||
      to_array(numbers, "parameters", E_NUM, 0, 1, &a)) {
    end_array(&a);
    return -1;
  }
  const int n = (int)array_length(&a);
  if (strcmp(verb, "preset") == 0) {
    cf_withPreset(b, text);
  } else if (strcmp(verb, "bending") == 0) {
    cf_withBending(b, element, text);
  } else if (strcmp(verb, "elasticity") == 0) {
    cf_withElasticity(b, element, text);
  } else if (strcmp(verb, "gain") == 0) {
    cf_withGain(b, element, text, a.b.buf, n);
  } else if (strcmp(verb, "contact_solver") == 0) {
    cf_withContactSolver(b, text, a.b.buf, n);
  } else if (strcmp(verb, "integrator") == 0) {
    cf_withIntegrator(b, (int)value);
  } else if (strcmp(verb, "timestep") == 0) {
    cf_withTimestep(b, value);
  } else if (strcmp(verb, "text") == 0) {
    cf_withModelText(b, text);
  } else {
    cf_withModelFile(b, text);
  }
  end_array(&a);
  return 0;
}


// build(model or None, [item...]): a model of its own with the choices; the data of the simulation
// is not needed
static PyObject* build(PyObject* self, PyObject* args) {
  PyObject *model, *items;
  mjModel* m = NULL;
  char error[4000] = "";
  (void)self;
  if (!PyArg_ParseTuple(args, "OO!", &model, &PyList_Type, &items) ||
      (model != Py_None && to_model(model, "model", &m))) {
    return NULL;
  }
  cfSimBuilder* b = cf_simBuilder();
  if (!b) {
    return PyErr_NoMemory();
  }
  cfSim* volatile sim = NULL;
  volatile int bad = 0;
  for (Py_ssize_t i = 0; i < PyList_Size(items) && !bad; i++) {
    bad = say(b, PyList_GetItem(items, i)) != 0;
  }
  if (!bad) {
    GUARD(1, NULL, if (m) cf_withModel(b, m); sim = cf_build(b, error, sizeof(error)), bad = 1);
  }
  cf_freeSimBuilder(b);
  if (!sim) {
    if (!bad) {
      core_raiseModelError(error, NULL);
    }
    return NULL;
  }
  SimMemory* mem = PyObject_New(SimMemory, SimMemoryType);
  if (!mem) {
    cf_freeSim(sim);
    return NULL;
  }
  mem->sim = sim;
  PyObject* built = core_wrapModel(cf_simModel(sim), (PyObject*)mem);
  PyObject* data = built ? core_referData(cf_simData(sim), built, (PyObject*)mem) : NULL;
  Py_DECREF(mem);
  PyObject* pair = data ? Py_BuildValue("(OO)", built, data) : NULL;
  Py_XDECREF(built);
  Py_XDECREF(data);
  return pair;
}


// ---- rollouts

// rollout(model, [data...], nroll, nstep, control_spec, initial, warm, control, state, sensordata):
// arrays are contiguous and of the right sizes, None where there is none; as many threads work as
// there are data
static PyObject* rollout(PyObject* self, PyObject* args) {
  PyObject *model, *list, *o[5], *result = NULL;
  static const char* const names[] = {"initial_state", "initial_warmstart", "control", "state",
                                      "sensordata"};
  int nroll, nstep, spec;
  mjModel* m;
  Array a[5] = {{{0}}};
  (void)self;
  if (!PyArg_ParseTuple(args, "OO!iiiOOOOO", &model, &PyList_Type, &list, &nroll, &nstep, &spec, o,
                        o + 1, o + 2, o + 3, o + 4) ||
      to_model(model, "model", &m)) {
    return NULL;
  }
  const int n = (int)PyList_Size(list), nstate = mj_stateSize(m, mjSTATE_FULLPHYSICS);
  if (nroll < 0 || nstep < 0 || n < 1 || spec < 0 || spec >= 1 << mjNSTATE) {
    return PyErr_Format(PyExc_ValueError, "counts of a rollout must be positive");
  }
  mjData** d = malloc((size_t)n * sizeof(mjData*));
  mjThreadPool* pool = NULL;
  const long long rows = (long long)nroll * nstep,
                  width[5] = {nstate, m->nv, mj_stateSize(m, spec), nstate, m->nsensordata};
  int bad = !d;
  for (int i = 0; i < 5 && !bad; i++) {
    bad = to_array(o[i], names[i], E_NUM, i > 2, i > 0, a + i) ||
          check_length(a + i, names[i], (i < 2 ? nroll : rows) * width[i], 1);
  }
  for (int i = 0; i < n && !bad; i++) {
    bad = to_data(PyList_GetItem(list, i), "data", m, d + i);
    for (int k = 0; k < i && !bad; k++) {
      bad = d[k] == d[i];
      if (bad) {
        PyErr_SetString(PyExc_ValueError, "each thread needs a data of its own");
      }
    }
  }
  if (!bad) {
    const cfRollout r = {nroll,          nstep,      a[0].b.buf, a[1].b.buf,
                         (unsigned)spec, a[2].b.buf, a[3].b.buf, a[4].b.buf};
    volatile int unstable = 0;
    core_lastData = NULL;
    GUARD(1, NULL, pool = n > 1 ? mju_threadPoolCreate((size_t)n - 1) : NULL;
          unstable = cf_rollout(m, d, n, pool, &r), bad = 1);
    result = bad ? NULL : PyLong_FromLong(unstable);
  }
  if (pool) {
    mju_threadPoolDestroy(pool);
  }
  for (int i = 0; i < 5; i++) {
    end_array(a + i);
  }
  free(d);
  return result;
}


// ---- comparison

static PyObject* differences(const cfDifference* list, int n) {
  PyObject* all = PyList_New(n);
  for (int i = 0; all && i < n; i++) {
    PyList_SetItem(all, i,
                   Py_BuildValue("(ssdO)", list[i].part, list[i].field, list[i].error,
                                 list[i].is_exact ? Py_True : Py_False));
  }
  return all;
}


// compare(m, m2) or compare(m, d, d2): fields that differ, worst first as the engine lists them
static PyObject* compare(PyObject* self, PyObject* args) {
  PyObject *a, *b, *c = NULL;
  mjModel *m, *m2;
  mjData *d, *d2;
  enum { ROOM = 1024 };
  (void)self;
  if (!PyArg_ParseTuple(args, "OO|O", &a, &b, &c) || to_model(a, "the first", &m) ||
      (c ? to_data(b, "the second", m, &d) || to_data(c, "the third", m, &d2)
         : to_model(b, "the second", &m2))) {
    return NULL;
  }
  cfDifference* list = calloc(ROOM, sizeof(*list));
  if (!list) {
    return PyErr_NoMemory();
  }
  volatile int n = 0;
  GUARD(1, NULL, n = c ? cf_compareData(m, d, d2, list, ROOM) : cf_compareModels(m, m2, list, ROOM),
        free(list);
        return NULL);
  PyObject* all = differences(list, n < ROOM ? n : ROOM);
  free(list);
  return all;
}


static PyObject* stateHash(PyObject* self, PyObject* args) {
  PyObject *a, *b;
  mjModel* m;
  mjData* d;
  (void)self;
  if (!PyArg_ParseTuple(args, "OO", &a, &b) || to_model(a, "model", &m) ||
      to_data(b, "data", m, &d)) {
    return NULL;
  }
  return PyLong_FromUnsignedLongLong(cf_stateHash(m, d));
}


int core_initBatch(PyObject* module) {
  static PyMethodDef methods[] = {{"step", batchStep, METH_VARARGS, NULL},
                                  {"commit", batchCommit, METH_NOARGS, NULL},
                                  {"rollout", batchRollout, METH_VARARGS, NULL},
                                  {"reset", batchReset, METH_VARARGS, NULL},
                                  {"field", batchField, METH_O, NULL},
                                  {"move", batchMove, METH_VARARGS, NULL},
                                  {"dlpack", batchDlpack, METH_O, NULL},
                                  {"dlpack_versioned", batchDlpackVersioned, METH_O, NULL},
                                  {"view", batchView, METH_O, NULL},
                                  {"status", batchStatus, METH_NOARGS, NULL},
                                  {"info", batchInfo, METH_NOARGS, NULL},
                                  {"wait", batchWait, METH_NOARGS, NULL},
                                  {0}};
  static PyGetSetDef getset[] = {{"model", batchModel, NULL, NULL, NULL}, {0}};
  PyType_Slot slots[] = {{Py_tp_dealloc, batchDealloc},
                         {Py_tp_new, batchNew},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, getset},
                         {0, NULL}};
  BatchType = core_makeType("cortenforge._core.Batch", sizeof(Batch), 0, slots);
  PyType_Slot sim[] = {{Py_tp_dealloc, simDealloc}, {0, NULL}};
  SimMemoryType = core_makeType("cortenforge._core.SimMemory", sizeof(SimMemory),
                                Py_TPFLAGS_DISALLOW_INSTANTIATION, sim);
  static PyMethodDef functions[] = {{"build", build, METH_VARARGS, NULL},
                                    {"compare", compare, METH_VARARGS, NULL},
                                    {"rollout", rollout, METH_VARARGS, NULL},
                                    {"state_hash", stateHash, METH_VARARGS, NULL},
                                    {0}};
  return !BatchType || !SimMemoryType ||
                 PyModule_AddObjectRef(module, "Batch", (PyObject*)BatchType) ||
                 PyModule_AddFunctions(module, functions)
             ? -1
             : 0;
}
