// MjData: attributes are live arrays. Arrays that live for one step are made anew when they moved
// or changed length; the others are the same object as long as the data lives.
#include "core.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

PyTypeObject *core_DataType, *core_DataMemoryType;
static int slots_used, field_count, size_count;
static Field* all_fields;
static const size_t* size_places;


static void memoryDealloc(PyObject* o) {
  DataMemory* s = (DataMemory*)o;
  PyTypeObject* type = Py_TYPE(o);
  if (s->owner) {
    Py_DECREF(s->owner);
  } else {
    mj_deleteData(s->d);
  }
  free(s->sizes);
  Py_XDECREF(s->model);
  PyObject_Free(o);
  Py_DECREF(type);
}


int core_dataSuits(const DataMemory* mem, const mjModel* m);


// true if the data was made for a model of the same sizes
int core_dataSuits(const DataMemory* mem, const mjModel* m) {
  for (int i = 0; i < size_count; i++) {
    if (mem->sizes[i] != *(const mjtSize*)((const char*)m + size_places[i])) {
      return 0;
    }
  }
  return 1;
}


static PyObject* wrapMemory(PyTypeObject* type, DataMemory* mem, mjModel* m, PyObject* model);


PyObject* core_wrapData(PyTypeObject* type, mjData* d, PyObject* model) {
  DataMemory* mem = PyObject_New(DataMemory, core_DataMemoryType);
  if (!mem) {
    mj_deleteData(d);
    return NULL;
  }
  mjModel* m = ((Model*)model)->m;
  mem->d = d;
  mem->owner = NULL;
  mem->model = Py_NewRef(((Model*)model)->mem);
  mem->sizes = malloc((size_t)size_count * sizeof(mjtSize));
  if (!mem->sizes) {
    Py_DECREF(mem);
    return PyErr_NoMemory();
  }
  for (int i = 0; i < size_count; i++) {
    mem->sizes[i] = *(mjtSize*)((char*)m + size_places[i]);
  }
  PyObject* o = wrapMemory(type, mem, m, model);
  Py_DECREF(mem);
  return o;
}


static PyObject* wrapMemory(PyTypeObject* type, DataMemory* mem, mjModel* m, PyObject* model) {
  Data* s = (Data*)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!s) {
    return NULL;
  }
  s->d = mem->d;
  s->m = m;
  s->mem = Py_NewRef((PyObject*)mem);
  s->model = Py_NewRef(model);
  s->cache = PyMem_Calloc((size_t)slots_used, sizeof(PyObject*));
  s->at = PyMem_Calloc((size_t)slots_used, sizeof(void*));
  s->count = PyMem_Calloc((size_t)slots_used, sizeof(mjtSize));
  if (!s->cache || !s->at || !s->count) {
    Py_DECREF(s);
    return PyErr_NoMemory();
  }
  return (PyObject*)s;
}


// Object for data that `owner` frees.
PyObject* core_referData(mjData* d, PyObject* model, PyObject* owner) {
  PyObject* s = core_wrapData(core_DataType, d, model);
  if (s) {
    ((DataMemory*)((Data*)s)->mem)->owner = Py_NewRef(owner);
  }
  return s;
}


static PyObject* dataNew(PyTypeObject* type, PyObject* args, PyObject* kw) {
  static char* names[] = {"model", NULL};
  PyObject* model;
  mjModel* m;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "O:MjData", names, &model) ||
      to_model(model, "model", &m)) {
    return NULL;
  }
  mjData* volatile d = NULL;
  GUARD(1, NULL, d = mj_makeData(m), return NULL);
  return d ? core_wrapData(type, d, model) : PyErr_NoMemory();
}


static void dataDealloc(PyObject* o) {
  Data* s = (Data*)o;
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (s->weak) {
    PyObject_ClearWeakRefs(o);
  }
  for (int i = 0; s->cache && i < slots_used; i++) {
    Py_XDECREF(s->cache[i]);
  }
  PyMem_Free(s->cache);
  PyMem_Free(s->at);
  PyMem_Free(s->count);
  Py_XDECREF(s->extra);
  Py_XDECREF(s->model);
  Py_XDECREF(s->mem);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
  Py_DECREF(type);
}


static int dataTraverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(((Data*)o)->extra);
  Py_VISIT(((Data*)o)->model);
  Py_VISIT(Py_TYPE(o));
  return 0;
}


static int dataClear(PyObject* o) {
  Py_CLEAR(((Data*)o)->extra);
  return 0;
}


static PyObject* makeValue(Data* s, const Field* f, const mjtSize n[2]) {
  char* p = (char*)s->d + f->offset;
  const Py_ssize_t shape[2] = {n[0], n[1]};
  switch (f->kind) {
    case F_INLINE:
      return core_makeArray(s->mem, p, core_dtypes[f->type], f->size, f->ndim, f->shape);
    case F_STRUCTS:
      return core_wrapList(f->desc, p, f->shape[0], s->mem);
    default:
      return f->desc ? core_wrapList(f->desc, *(void**)p, *(void**)p ? n[0] : 0, s->mem)
                     : core_makeArray(s->mem, *(void**)p, core_dtypes[f->type], f->size, f->ndim,
                                      shape);
  }
}


static PyObject* stepValue(Data* s, const Field* f) {
  if (f->desc) {
    // contacts: one list that follows the step
    PyObject** list = &s->cache[f->index];
    if (!*list) {
      *list = core_liveList(f->desc, s->d, s->mem);
    }
    return Py_XNewRef(*list);
  }
  mjtSize n[2];
  f->sizes(s->m, s->d, n);
  void* p = *(void**)((char*)s->d + f->offset);
  PyObject** slot = &s->cache[f->index];
  if (!*slot || s->at[f->index] != p || s->count[f->index] != n[0] * n[1]) {
    PyObject* value = makeValue(s, f, n);
    PyObject* old = *slot;
    *slot = value;
    Py_XDECREF(old);
    s->at[f->index] = p;
    s->count[f->index] = n[0] * n[1];
  }
  return Py_XNewRef(*slot);
}


static PyObject* dataGet(PyObject* o, void* closure) {
  Data* s = (Data*)o;
  const Field* f = closure;
  if (f->kind == F_SCALAR) {
    return core_getNumber(f, (char*)s->d + f->offset);
  }
  PyObject* value;
  LOCK(o);
  if (f->kind == F_STEP) {
    value = stepValue(s, f);
  } else {
    if (!s->cache[f->index]) {
      mjtSize n[2] = {0, 0};
      if (f->kind == F_ARRAY) {
        f->sizes(s->m, s->d, n);
      }
      s->cache[f->index] = makeValue(s, f, n);
    }
    value = Py_XNewRef(s->cache[f->index]);
  }
  UNLOCK();
  return value;
}


static int dataSet(PyObject* o, PyObject* x, void* closure) {
  Data* s = (Data*)o;
  const Field* f = closure;
  if (f->kind == F_SCALAR) {
    // only what a caller may say: counts and positions of memory belong to the engine
    if (f->type == E_NUM || strncmp(f->name, "flg_", 4) == 0) {
      return core_setNumber(f, (char*)s->d + f->offset, x);
    }
    long long value;
    if (x && strcmp(f->name, "pstack") == 0) {
      if (to_int(x, f->name, 0, s->d->narena, &value)) {
        return -1;
      }
      s->d->pstack = (size_t)value;
      return 0;
    }
    PyErr_Format(PyExc_AttributeError, "%s cannot be set: the engine counts it", f->name);
    return -1;
  }
  if (f->desc) {
    PyErr_Format(PyExc_AttributeError, "%s cannot be replaced; set its elements", f->name);
    return -1;
  }
  return core_assign(dataGet(o, closure), x);
}


static PyObject* dataModel(PyObject* o, void* closure) {
  (void)closure;
  return Py_NewRef(((Data*)o)->model);
}


// another object over the same data, whose model is another object too
static PyObject* dataTwin(PyObject* o, PyObject* unused) {
  (void)unused;
  Data* s = (Data*)o;
  PyObject* model = core_wrapModel(s->m, ((Model*)s->model)->mem);
  PyObject* twin = model ? wrapMemory(core_DataType, (DataMemory*)s->mem, s->m, model) : NULL;
  Py_XDECREF(model);
  return twin;
}


static PyObject* dataAddress(PyObject* o, void* closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((Data*)o)->d);
}


static PyObject* dataCopy(PyObject* o, PyObject* model) {
  Data* s = (Data*)o;
  mjModel* m;
  if (to_model(model, "model", &m)) {
    return NULL;
  }
  if (!core_dataSuits((DataMemory*)s->mem, m)) {
    return PyErr_Format(PyExc_ValueError, "the model has other sizes");
  }
  mjData* volatile d = NULL;
  GUARD(1, NULL, d = mj_copyData(NULL, m, s->d), return NULL);
  return d ? core_wrapData(core_DataType, d, model) : PyErr_NoMemory();
}


// ---- pickle: numbers by value, the buffer, and the used part of the arena with the places of its
// arrays

typedef struct {
  mjtSize nbuffer, narena;
  size_t parena;
} Head;


// true for fields by value that are part of the state of this data (not addresses, not sizes of
// memory)
static int isKept(const Field* f) {
  static const char* const left_out[] = {"narena", "nbuffer", "nplugin",    "pstack",
                                         "pbase",  "parena",  "threadpool", "signature"};
  for (int i = 0; i < COUNT(left_out); i++) {
    if (strcmp(f->name, left_out[i]) == 0) {
      return 0;
    }
  }
  return f->kind == F_SCALAR || f->kind == F_INLINE || f->kind == F_STRUCTS;
}


static size_t valueSize(const Field* f) {
  size_t n = f->size;
  for (int i = 0; i < f->ndim; i++) {
    n *= (size_t)f->shape[i];
  }
  return n;
}


// Copy an arena or part of it.  Past its arrays it is closed to instrumented code.
static void copyArena(void* to, const void* from, size_t n) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(to, n);
  __asan_unpoison_memory_region(from, n);
#endif
  memcpy(to, from, n);
}


// Walk what a pickle holds: copy it to `out`, or from `in` into the data; returns its size.
static size_t transfer(Data* s, char* out, const char* in) {
  mjData* d = s->d;
  size_t at = sizeof(Head);
#define MOVE(p, n)                \
  do {                            \
    if (out) {                    \
      memcpy(out + at, (p), (n)); \
    } else if (in) {              \
      memcpy((p), in + at, (n));  \
    }                             \
    at += (n);                    \
  } while (0)
  for (int i = 0; i < field_count; i++) {
    Field* f = &all_fields[i];
    char* p = (char*)d + f->offset;
    if (isKept(f)) {
      MOVE(p, valueSize(f));
    } else if (f->kind == F_STEP) {
      // an array of a step is known by its distance from the start of the arena
      ptrdiff_t place = *(char**)p ? *(char**)p - (char*)d->arena : -1;
      MOVE(&place, sizeof(place));
      if (in) {
        *(char**)p = place < 0 || place > d->narena ? NULL : (char*)d->arena + place;
      }
    } else if (f->kind == F_ARRAY && strcmp(f->name, "plugin_data") != 0) {
      mjtSize n[2];
      f->sizes(s->m, d, n);
      MOVE(*(char**)p, (size_t)(n[0] * n[1]) * f->size);
    }
  }
  size_t parena = d->parena;
  if (in) {
    parena = ((const Head*)in)->parena;
    d->parena = parena;
  }
#undef MOVE
  if (out) {
    copyArena(out + at, d->arena, parena);
  } else if (in) {
    copyArena(d->arena, in + at, parena);
  }
  return at + parena;
}


static PyObject* dataBytes(PyObject* o, PyObject* unused) {
  (void)unused;
  Data* s = (Data*)o;
  const size_t n = transfer(s, NULL, NULL);
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n);
  char* p = bytes ? PyBytes_AsString(bytes) : NULL;
  if (p) {
    const Head head = {s->d->nbuffer, s->d->narena, s->d->parena};
    memcpy(p, &head, sizeof(head));
    transfer(s, p, NULL);
  }
  return bytes;
}


static PyObject* dataSetBytes(PyObject* o, PyObject* bytes) {
  Data* s = (Data*)o;
  char* p;
  Py_ssize_t n;
  if (PyBytes_AsStringAndSize(bytes, &p, &n)) {
    return NULL;
  }
  Head head;
  const size_t fixed = transfer(s, NULL, NULL) - s->d->parena;
  if ((size_t)n < sizeof(head)) {
    return PyErr_Format(PyExc_ValueError, "the bytes are too short");
  }
  memcpy(&head, p, sizeof(head));
  if (head.nbuffer != s->d->nbuffer || head.narena != s->d->narena ||
      head.parena > (size_t)head.narena || (size_t)n != fixed + head.parena) {
    return PyErr_Format(PyExc_ValueError, "these bytes belong to data of another model");
  }
  transfer(s, NULL, p);
  Py_RETURN_NONE;
}


const Field* core_dataFields(int* n) {
  *n = field_count;
  return all_fields;
}


int core_initData(PyObject* module, Field* fields, int nfield, int nslot, const size_t* sizes,
                  int nsizes) {
  slots_used = nslot;
  all_fields = fields;
  field_count = nfield;
  size_places = sizes;
  size_count = nsizes;
  PyType_Slot memory[] = {
      {Py_tp_dealloc, memoryDealloc}, {Py_bf_getbuffer, core_exportMemory}, {0, NULL}};
  core_DataMemoryType = core_makeType("cortenforge._core.DataMemory", sizeof(DataMemory),
                                      Py_TPFLAGS_DISALLOW_INSTANTIATION, memory);
  PyGetSetDef* getset = calloc((size_t)nfield + 3, sizeof(PyGetSetDef));
  if (!getset) {
    return -1;
  }
  for (int i = 0; i < nfield; i++) {
    getset[i] = (PyGetSetDef){fields[i].name, dataGet, dataSet, fields[i].doc, &fields[i]};
  }
  getset[nfield] =
      (PyGetSetDef){"model", dataModel, NULL, "the model that the data was made for", NULL};
  getset[nfield + 1] = (PyGetSetDef){"_address", dataAddress, NULL, NULL, NULL};
  static PyMethodDef methods[] = {{"_copy", dataCopy, METH_O, NULL},
                                  {"_twin", dataTwin, METH_NOARGS, NULL},
                                  {"_bytes", dataBytes, METH_NOARGS, NULL},
                                  {"_set_bytes", dataSetBytes, METH_O, NULL},
                                  {0}};
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Data, weak), READONLY, NULL},
      {"_extra", T_OBJECT, offsetof(Data, extra), 0, NULL},
      {0}};
  PyType_Slot slots[] = {{Py_tp_dealloc, dataDealloc}, {Py_tp_traverse, dataTraverse},
                         {Py_tp_clear, dataClear},     {Py_tp_new, dataNew},
                         {Py_tp_getset, getset},       {Py_tp_methods, methods},
                         {Py_tp_members, members},     {0, NULL}};
  core_DataType = core_makeType("cortenforge._core.MjData", sizeof(Data),
                                Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots);
  return !core_DataMemoryType || !core_DataType
             ? -1
             : PyModule_AddObjectRef(module, "MjData", (PyObject*)core_DataType);
}
