// The functions mjb_ of mjbatch.h for Python: simulations as rows of numbers over the engine's
// lanes. The class that users see is in cortenforge/mujoco/batch.py.
#include <stdlib.h>

#include "core.h"

#include <mujoco/mjbatch.h>

typedef struct {
  PyObject_HEAD mjBatch* b;
  PyObject* model;
  PyObject* models;  // of mjb_setModels, kept alive
  int busy;
} Sims;


static int enter(Sims* s) {
  if (__atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE)) {
    PyErr_SetString(PyExc_RuntimeError, "the batch is in use by another thread");
    return -1;
  }
  return 0;
}


static void leave(Sims* s) {
  __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}


static void simsDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  mjb_deleteBatch(((Sims*)o)->b);
  Py_XDECREF(((Sims*)o)->model);
  Py_XDECREF(((Sims*)o)->models);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
  Py_DECREF(type);
}


// Simulations(model, nsim, nthread, persistent)
static PyObject* simsNew(PyTypeObject* type, PyObject* args, PyObject* kw) {
  PyObject* model;
  mjModel* m;
  int nsim, nthread, persistent;
  char error[1000] = "";
  (void)kw;
  if (!PyArg_ParseTuple(args, "Oiip", &model, &nsim, &nthread, &persistent) ||
      to_model(model, "model", &m)) {
    return NULL;
  }
  if (nsim < 1) {
    return PyErr_Format(PyExc_ValueError, "nsim is %d, at least 1 is needed", nsim);
  }
  mjBatchConfig config;
  mjb_defaultConfig(&config);
  config.nthread = nthread;
  config.persistent = (mjtByte)persistent;
  mjBatch* volatile b = NULL;
  GUARD(1, NULL, b = mjb_makeBatch(m, nsim, &config, error, sizeof(error)), return NULL);
  if (!b) {
    return PyErr_Format(PyExc_ValueError, "%s", error);
  }
  Sims* s = (Sims*)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!s) {
    mjb_deleteBatch(b);
    return NULL;
  }
  s->b = b;
  s->model = Py_NewRef(model);
  return (PyObject*)s;
}


// array over memory of the batch: (nsim, size), rows `stride` bytes apart
static PyObject* rows(Sims* s, void* p, int size, int elemsize, int type, Py_ssize_t stride,
                      int is_writable) {
  const Py_ssize_t n = mjb_nsim(s->b);
  View* view = PyObject_New(View, core_ViewType);
  if (!view) {
    return NULL;
  }
  view->owner = Py_NewRef((PyObject*)s);
  view->ptr = p;
  view->n = size ? (n - 1) * stride + (Py_ssize_t)size * elemsize : 0;
  PyObject* arguments = Py_BuildValue("((nn)OOi(nn))", n, (Py_ssize_t)size, core_dtypes[type],
                                      (PyObject*)view, 0, stride, (Py_ssize_t)elemsize);
  PyObject* array = arguments ? PyObject_CallObject(core_ndarray, arguments) : NULL;
  Py_XDECREF(arguments);
  Py_DECREF(view);
  if (array && !is_writable) {
    PyObject* done = PyObject_CallMethod(array, "setflags", "i", 0);
    Py_XDECREF(done);
  }
  return array;
}


static int typeOf(int elemsize) {
  return elemsize == 8 ? E_NUM : elemsize == 4 ? E_INT : E_BYTE;
}


// state(bit): rows of a component of the state, or of all of it for 0
static PyObject* simsState(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  int bit, size = mjb_nstate(s->b);
  if (!PyArg_ParseTuple(args, "i", &bit)) {
    return NULL;
  }
  mjtNum* p = bit ? mjb_stateComponent(s->b, bit, &size) : mjb_state(s->b);
  if (!p) {
    return PyErr_Format(PyExc_ValueError, "%d is no component of the state", bit);
  }
  return rows(s, p, size, sizeof(mjtNum), E_NUM, (Py_ssize_t)sizeof(mjtNum) * mjb_nstate(s->b), 1);
}


// field(name, is_parameter): rows of an output or of a parameter per simulation; None if there is
// none
static PyObject* simsField(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  const char* name;
  int is_parameter, size = 0, elemsize = 0;
  if (!PyArg_ParseTuple(args, "sp", &name, &is_parameter) || enter(s)) {
    return NULL;
  }
  void* volatile p = NULL;
  GUARD(0, NULL,
        p = is_parameter ? mjb_expand(s->b, name, &size, &elemsize)
                         : mjb_output(s->b, name, &size, &elemsize),
        leave(s);
        return NULL);
  leave(s);
  if (!p) {
    Py_RETURN_NONE;
  }
  return rows(s, p, size, elemsize, typeOf(elemsize), (Py_ssize_t)size * elemsize, is_parameter);
}


// ids of simulations: None for all, else int32
static int toIds(Sims* s, PyObject* ids, Array* a, int* n) {
  if (to_array(ids, "ids", E_INT, 0, 1, a) || check_indices(a, "ids", mjb_nsim(s->b))) {
    return -1;
  }
  *n = a->b.obj ? (int)array_length(a) : mjb_nsim(s->b);
  return 0;
}


// run(what, ids, nstep, stage, keys): what 0 step, 1 forward, 2 reset, 3 constants; returns how
// many simulations failed
static PyObject* simsRun(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  PyObject *ids, *keys, *result = NULL;
  int what, nstep, stage, n;
  Array a = {{0}}, key = {{0}};
  if (!PyArg_ParseTuple(args, "iOiiO", &what, &ids, &nstep, &stage, &keys)) {
    return NULL;
  }
  if (toIds(s, ids, &a, &n) || to_array(keys, "keyframe", E_INT, 0, 1, &key) ||
      check_length(&key, "keyframe", n, 1) || enter(s)) {
    goto end;
  }
  volatile int failed = 0;
  const int* list = a.b.buf;
  GUARD(1, NULL,
        failed = what == 0   ? mjb_step(s->b, list, n, nstep, stage)
                 : what == 1 ? mjb_forward(s->b, list, n, stage)
                 : what == 2 ? mjb_reset(s->b, list, n, key.b.buf, stage)
                             : mjb_setConst(s->b, list, n),
        leave(s);
        goto end);
  leave(s);
  result = PyLong_FromLong(failed);
end:
  end_array(&a);
  end_array(&key);
  return result;
}


// rollout(ids, nstep, control, control_spec, [(field or None, spec, array)...])
static PyObject* simsRollout(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  PyObject *ids, *control, *list, *result = NULL;
  int nstep, spec, n = 0, held = 0, bad;
  enum { MOST = 64 };
  mjBatchRecord record[MOST];
  Py_buffer buffer[MOST];
  Array a = {{0}}, c = {{0}};
  if (!PyArg_ParseTuple(args, "OiOiO!", &ids, &nstep, &control, &spec, &PyList_Type, &list)) {
    return NULL;
  }
  bad = PyList_Size(list) > MOST || nstep < 0 || spec < 0 || spec >> mjNSTATE;
  if (bad) {
    PyErr_SetString(PyExc_ValueError, "counts or bits of a rollout are out of range");
  }
  bad = bad || toIds(s, ids, &a, &n) || to_array(control, "control", E_NUM, 0, 1, &c) ||
        check_length(&c, "control", (long long)n * nstep * mj_stateSize(mjb_model(s->b), spec), 1);
  for (Py_ssize_t i = 0; i < PyList_Size(list) && !bad; i++) {
    PyObject* array;
    int size = mj_stateSize(mjb_model(s->b), 0), elemsize = sizeof(mjtNum);
    bad = !PyArg_ParseTuple(PyList_GetItem(list, i), "ziO", &record[i].field, &record[i].spec,
                            &array) ||
          PyObject_GetBuffer(array, buffer + held, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE);
    if (bad) {
      break;
    }
    record[i].buf = buffer[held++].buf;
    if (record[i].field) {
      bad = !mjb_output(s->b, record[i].field, &size, &elemsize);
    } else {
      bad = record[i].spec < 0 || record[i].spec >> mjNSTATE;
      size = bad ? 0 : mj_stateSize(mjb_model(s->b), record[i].spec);
    }
    if (bad || buffer[held - 1].len != (Py_ssize_t)n * nstep * size * elemsize) {
      PyErr_Format(PyExc_ValueError, "the record of '%s' does not fit",
                   record[i].field ? record[i].field : "state");
      bad = 1;
    }
  }
  if (!bad && !enter(s)) {
    volatile int failed = -1;
    GUARD(1, NULL, failed = mjb_rollout(s->b, a.b.buf, n, nstep, c.b.buf, spec, record, held),
          failed = -1);
    leave(s);
    result = failed < 0 ? NULL : PyLong_FromLong(failed);
  }
  for (int i = 0; i < held; i++) {
    PyBuffer_Release(buffer + i);
  }
  end_array(&a);
  end_array(&c);
  return result;
}


//---------------------------------- questions about simulations -----------------------------------

typedef struct {
  int kind, id;
  const int* place;  // row of a simulation in the result
  mjtNum *point, *vector, *jacp, *jacr, *dist;
  int* geom;
  const mjtByte* groups;
  int flg_static, bodyexclude;
} Question;


static void jacobian(const mjModel* m, mjData* d, int sim, void* arg) {
  Question* q = arg;
  const size_t at = 3 * (size_t)m->nv * (size_t)q->place[sim];
  mjtNum *p = q->jacp + at, *r = q->jacr + at;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  switch (q->kind) {
    case mjOBJ_SITE:
      mj_jacSite(m, d, p, r, q->id);
      break;
    case mjOBJ_GEOM:
      mj_jacGeom(m, d, p, r, q->id);
      break;
    case mjOBJ_XBODY:
      mj_jacBody(m, d, p, r, q->id);
      break;
    default:
      mj_jacBodyCom(m, d, p, r, q->id);
  }
}


static void castRay(const mjModel* m, mjData* d, int sim, void* arg) {
  Question* q = arg;
  const int i = q->place[sim];
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_flex(m, d);
  q->dist[i] = mj_ray(m, d, q->point + 3 * i, q->vector + 3 * i, q->groups, (mjtByte)q->flg_static,
                      q->bodyexclude, q->geom + i, NULL);
}


// row of each simulation of a call in its result
static int* places(Sims* s, const int* ids, int n) {
  int* place = calloc((size_t)mjb_nsim(s->b), sizeof(int));
  for (int i = 0; place && i < n; i++) {
    place[ids ? ids[i] : i] = i;
  }
  return place;
}


static PyObject* ask(Sims* s, PyObject* ids, Question* q, mjfBatchFunc function, int n,
                     const int* list) {
  (void)ids;
  int* place = places(s, list, n);
  if (!place) {
    return PyErr_NoMemory();
  }
  if (enter(s)) {
    free(place);
    return NULL;
  }
  volatile int failed = -1;
  q->place = place;
  GUARD(1, NULL, failed = mjb_apply(s->b, list, n, function, q, 0), failed = -1);
  leave(s);
  free(place);
  return failed < 0 ? NULL : PyLong_FromLong(failed);
}


// jac(ids, kind, id, jacp, jacr): of the states, after their kinematics
static PyObject* simsJac(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  PyObject *ids, *jacp, *jacr, *result = NULL;
  Question q = {0};
  int n;
  Array a = {{0}}, p = {{0}}, r = {{0}};
  if (!PyArg_ParseTuple(args, "OiiOO", &ids, &q.kind, &q.id, &jacp, &jacr)) {
    return NULL;
  }
  const mjModel* m = mjb_model(s->b);
  const mjtSize most = q.kind == mjOBJ_SITE ? m->nsite : q.kind == mjOBJ_GEOM ? m->ngeom : m->nbody;
  if (!toIds(s, ids, &a, &n) && !to_array(jacp, "jacp", E_NUM, 1, 0, &p) &&
      !to_array(jacr, "jacr", E_NUM, 1, 0, &r) && !check_range("id", q.id, 0, most) &&
      !check_length(&p, "jacp", 3LL * n * m->nv, 1) &&
      !check_length(&r, "jacr", 3LL * n * m->nv, 1)) {
    q.jacp = p.b.buf;
    q.jacr = r.b.buf;
    result = ask(s, ids, &q, jacobian, n, a.b.buf);
  }
  end_array(&a);
  end_array(&p);
  end_array(&r);
  return result;
}


// ray(ids, points, vectors, groups or None, flg_static, bodyexclude, dist, geom)
static PyObject* simsRay(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  PyObject *ids, *point, *vector, *groups, *dist, *geom, *result = NULL;
  Question q = {0};
  int n;
  Array a[6] = {{{0}}};
  if (!PyArg_ParseTuple(args, "OOOOpiOO", &ids, &point, &vector, &groups, &q.flg_static,
                        &q.bodyexclude, &dist, &geom)) {
    return NULL;
  }
  if (!toIds(s, ids, a, &n) && !to_array(point, "pnt", E_NUM, 0, 0, a + 1) &&
      !to_array(vector, "vec", E_NUM, 0, 0, a + 2) &&
      !to_array(groups, "geomgroup", E_BYTE, 0, 1, a + 3) &&
      !to_array(dist, "dist", E_NUM, 1, 0, a + 4) &&
      !to_array(geom, "geomid", E_INT, 1, 0, a + 5) && !check_length(a + 1, "pnt", 3LL * n, 1) &&
      !check_length(a + 2, "vec", 3LL * n, 1) && !check_length(a + 3, "geomgroup", mjNGROUP, 1) &&
      !check_length(a + 4, "dist", n, 1) && !check_length(a + 5, "geomid", n, 1)) {
    q.point = a[1].b.buf;
    q.vector = a[2].b.buf;
    q.groups = a[3].b.buf;
    q.dist = a[4].b.buf;
    q.geom = a[5].b.buf;
    result = ask(s, ids, &q, castRay, n, a[0].b.buf);
  }
  for (int i = 0; i < 6; i++) {
    end_array(a + i);
  }
  return result;
}


//---------------------------------- models and data -----------------------------------------------

// set_models([model...] or None)
static PyObject* simsSetModels(PyObject* o, PyObject* list) {
  Sims* s = (Sims*)o;
  const int n = mjb_nsim(s->b);
  const mjModel** models = NULL;
  if (list != Py_None && (!PyList_Check(list) || PyList_Size(list) != n)) {
    return PyErr_Format(PyExc_ValueError, "set_models needs a list of %d models, or None", n);
  }
  if (list != Py_None) {
    models = calloc((size_t)n, sizeof(*models));
    for (int i = 0; models && i < n; i++) {
      mjModel* m;
      if (to_model(PyList_GetItem(list, i), "a model of the list", &m)) {
        free(models);
        return NULL;
      }
      models[i] = m;
    }
    if (!models) {
      return PyErr_NoMemory();
    }
  }
  int bad = enter(s);
  if (!bad) {
    GUARD(0, NULL, mjb_setModels(s->b, models), bad = 1);
    leave(s);
  }
  free(models);
  if (bad) {
    return NULL;
  }
  PyObject* old = s->models;
  s->models = Py_NewRef(list);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}


// get(sim, model or data): write the model or the state of a simulation
static PyObject* simsGet(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  PyObject* to;
  int sim;
  if (!PyArg_ParseTuple(args, "iO", &sim, &to) || check_range("sim", sim, 0, mjb_nsim(s->b)) ||
      enter(s)) {
    return NULL;
  }
  const int is_data = PyObject_TypeCheck(to, core_DataType);
  mjModel* m = NULL;
  mjData* d = NULL;
  int bad = is_data ? to_data(to, "data", mjb_model(s->b), &d) : to_model(to, "model", &m);
  core_lastModel = core_lastData = NULL;
  if (!bad) {
    GUARD(0, NULL, if (is_data) mjb_getData(s->b, sim, d);
          else mjb_getModel(s->b, sim, m), bad = 1);
  }
  leave(s);
  return bad ? NULL : Py_NewRef(Py_None);
}


static PyObject* simsStatus(PyObject* o, PyObject* unused) {
  Sims* s = (Sims*)o;
  (void)unused;
  return rows(s, (void*)mjb_status(s->b), 1, sizeof(int), E_INT, sizeof(int), 0);
}


static PyObject* simsError(PyObject* o, PyObject* args) {
  Sims* s = (Sims*)o;
  int sim;
  return !PyArg_ParseTuple(args, "i", &sim) || check_range("sim", sim, 0, mjb_nsim(s->b))
             ? NULL
             : text_or_none(mjb_error(s->b, sim));
}


static PyObject* simsInfo(PyObject* o, PyObject* unused) {
  const Sims* s = (Sims*)o;
  (void)unused;
  return Py_BuildValue("(iii)", mjb_nsim(s->b), mjb_nthread(s->b), mjb_persistent(s->b));
}


int core_initSimulations(PyObject* module) {
  static PyMethodDef methods[] = {
      {"state", simsState, METH_VARARGS, NULL},    {"field", simsField, METH_VARARGS, NULL},
      {"run", simsRun, METH_VARARGS, NULL},        {"rollout", simsRollout, METH_VARARGS, NULL},
      {"jac", simsJac, METH_VARARGS, NULL},        {"ray", simsRay, METH_VARARGS, NULL},
      {"set_models", simsSetModels, METH_O, NULL}, {"get", simsGet, METH_VARARGS, NULL},
      {"status", simsStatus, METH_NOARGS, NULL},   {"error", simsError, METH_VARARGS, NULL},
      {"info", simsInfo, METH_NOARGS, NULL},       {0}};
  PyType_Slot slots[] = {
      {Py_tp_dealloc, simsDealloc}, {Py_tp_new, simsNew}, {Py_tp_methods, methods}, {0, NULL}};
  PyTypeObject* type = core_makeType("cortenforge._core.Simulations", sizeof(Sims), 0, slots);
  return type ? PyModule_AddObjectRef(module, "Simulations", (PyObject*)type) : -1;
}
