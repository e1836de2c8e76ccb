// MjModel: loading, saving, copying, and one attribute per field.
#include "core.h"

#include <stdlib.h>

PyTypeObject *core_ModelType, *core_ModelMemoryType;
static int slots_used;


static void memoryDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  mj_deleteModel(((ModelMemory*)o)->m);
  PyObject_Free(o);
  Py_DECREF(type);
}


// Object for a model; takes `m`, or with `owner` only refers to what that keeps alive.
PyObject* core_wrapModel(mjModel* m, PyObject* owner) {
  PyObject* mem = Py_XNewRef(owner);
  if (!mem) {
    ModelMemory* own = PyObject_New(ModelMemory, core_ModelMemoryType);
    if (!own) {
      mj_deleteModel(m);
      return NULL;
    }
    own->m = m;
    mem = (PyObject*)own;
  }
  Model* s = (Model*)((allocfunc)PyType_GetSlot(core_ModelType, Py_tp_alloc))(core_ModelType, 0);
  if (!s) {
    Py_DECREF(mem);
    return NULL;
  }
  s->m = m;
  s->mem = mem;
  s->cache = PyMem_Calloc((size_t)slots_used, sizeof(PyObject*));
  if (!s->cache) {
    Py_DECREF(s);
    return PyErr_NoMemory();
  }
  return (PyObject*)s;
}


static void modelDealloc(PyObject* o) {
  Model* s = (Model*)o;
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (s->weak) {
    PyObject_ClearWeakRefs(o);
  }
  for (int i = 0; s->cache && i < slots_used; i++) {
    Py_XDECREF(s->cache[i]);
  }
  PyMem_Free(s->cache);
  Py_XDECREF(s->extra);
  Py_XDECREF(s->mem);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
  Py_DECREF(type);
}


static int modelTraverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(((Model*)o)->extra);
  Py_VISIT(Py_TYPE(o));
  return 0;
}


static int modelClear(PyObject* o) {
  Py_CLEAR(((Model*)o)->extra);
  return 0;
}


static PyObject* makeValue(Model* s, const Field* f) {
  char* p = (char*)s->m + f->offset;
  if (f->kind == F_STRUCT) {
    return core_wrapStruct(f->desc, p, s->mem);
  }
  mjtSize n[2];
  f->sizes(s->m, NULL, n);
  if (strcmp(f->name, "plugin_attr") == 0) {
    PyObject* small = PyObject_CallMethod(core_numpy, "dtype", "s", "i1");
    const Py_ssize_t count = n[0] * n[1];
    PyObject* array = small ? core_makeArray(s->mem, *(void**)p, small, 1, 1, &count) : NULL;
    Py_XDECREF(small);
    return array;
  }
  if (f->type == E_CHAR) {
    return PyBytes_FromStringAndSize(*(char**)p, *(char**)p ? n[0] * n[1] : 0);
  }
  const Py_ssize_t shape[2] = {n[0], n[1]};
  return core_makeArray(s->mem, *(void**)p, core_dtypes[f->type], f->size, f->ndim, shape);
}


static PyObject* modelGet(PyObject* o, void* closure) {
  Model* s = (Model*)o;
  const Field* f = closure;
  if (f->kind == F_SIZE) {
    return PyLong_FromLongLong(*(mjtSize*)((char*)s->m + f->offset));
  }
  PyObject* value;
  LOCK(o);
  if (!s->cache[f->index]) {
    s->cache[f->index] = makeValue(s, f);
  }
  value = Py_XNewRef(s->cache[f->index]);
  UNLOCK();
  return value;
}


static int modelSet(PyObject* o, PyObject* x, void* closure) {
  const Field* f = closure;
  if (f->kind == F_SIZE || f->type == E_CHAR) {
    PyErr_Format(PyExc_AttributeError,
                 "%s cannot be set: sizes and names are fixed when the model is compiled", f->name);
    return -1;
  }
  if (f->kind == F_STRUCT) {
    return core_setStruct(f->desc, (char*)((Model*)o)->m + f->offset, x ? x : Py_None, f->name,
                          ((Model*)o)->mem);
  }
  return core_assign(modelGet(o, closure), x);
}


// Add one file of `assets`.
static int addFile(mjVFS* vfs, PyObject* key, PyObject* value) {
  const char* name;
  Py_ssize_t n = 0;
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &n) : NULL;
  Py_buffer b = {0};
  if (to_text(key, "a name in assets", 0, &name) ||
      (!text && PyObject_GetBuffer(value, &b, PyBUF_SIMPLE))) {
    return -1;
  }
  const int bad = (text ? n : b.len) > INT_MAX
                      ? -1
                      : mj_addBufferVFS(vfs, name, text ? text : b.buf, (int)(text ? n : b.len));
  if (b.obj) {
    PyBuffer_Release(&b);
  }
  if (bad) {
    PyErr_Format(PyExc_ValueError, "assets: '%s' %s", name,
                 bad == 2 ? "is given twice" : "is too large");
  }
  return bad ? -1 : 0;
}


// Put a dictionary of names and bytes into an empty file system.
static int fillFiles(mjVFS* vfs, PyObject* assets) {
  Py_ssize_t position = 0;
  PyObject *key, *value;
  if (assets == Py_None) {
    return 0;
  }
  if (!PyDict_Check(assets)) {
    PyErr_SetString(PyExc_TypeError, "assets must be a dict of names and bytes");
    return -1;
  }
  while (PyDict_Next(assets, &position, &key, &value)) {
    if (addFile(vfs, key, value)) {
      return -1;
    }
  }
  return 0;
}


int core_openFiles(mjVFS* vfs, PyObject* assets) {
  mj_defaultVFS(vfs);
  if (fillFiles(vfs, assets)) {
    mj_deleteVFS(vfs);
    return -1;
  }
  return 0;
}


// Refuse assets whose names differ in their folders alone, as MuJoCo does for models (not for
// specs): a file of the model is found by the last part of its name.
static int checkRepeated(PyObject* assets) {
  Py_ssize_t position = 0;
  PyObject *key, *value, *seen = PyDict_Check(assets) ? PySet_New(NULL) : NULL;
  int bad = 0;
  while (seen && !bad && PyDict_Next(assets, &position, &key, &value)) {
    const char *name = "", *last;
    bad = to_text(key, "a name in assets", 0, &name);
    for (const char* p = last = name; *p; p++) {
      last = *p == '/' || *p == '\\' ? p + 1 : last;
    }
    PyObject* text = PyUnicode_FromString(last);
    const int found = text ? PySet_Contains(seen, text) : -1;
    if (found == 1) {
      PyErr_Format(PyExc_ValueError,
                   "Repeated file name in assets dict: %s (folders do not tell assets apart)",
                   last);
    }
    bad = bad || found || PySet_Add(seen, text);
    Py_XDECREF(text);
  }
  Py_XDECREF(seen);
  return bad || PyErr_Occurred() ? -1 : 0;
}


// _load(kind, text, assets): kind "path", "string" or "binary"
static PyObject* modelLoad(PyObject* cls, PyObject* args) {
  (void)cls;
  const char *kind, *text;
  PyObject *given, *assets;
  static const char string_name[] = "from_string.xml";
  if (!PyArg_ParseTuple(args, "sOO", &kind, &given, &assets) ||
      to_text(given, "the model", 0, &text) || checkRepeated(assets)) {
    return NULL;
  }
  mjVFS vfs;
  char error[2000] = "";
  mjModel* volatile m = NULL;
  if (core_openFiles(&vfs, assets)) {
    return NULL;
  }
  const int is_string = kind[0] == 's';
  if (is_string &&
      (strlen(text) > INT_MAX || mj_addBufferVFS(&vfs, string_name, text, (int)strlen(text)))) {
    mj_deleteVFS(&vfs);
    return PyErr_Format(PyExc_ValueError, "assets must not contain '%s'", string_name);
  }
  GUARD(kind[0] == 'b' ? 2 : 1, NULL,
        m = kind[0] == 'b' ? mj_loadModel(text, &vfs)
                           : mj_loadXML(is_string ? string_name : text, &vfs, error, sizeof(error)),
        mj_deleteVFS(&vfs);
        mj_deleteModel(m); return NULL);
  mj_deleteVFS(&vfs);
  if (!m) {
    core_raiseModelError(error[0]                ? error
                         : core_warningText()[0] ? core_warningText()
                                                 : "the file is not a binary model of this version",
                         is_string ? NULL : text);
    return NULL;
  }
  return core_wrapModel(m, NULL);
}


static PyObject* modelFromBytes(PyObject* cls, PyObject* bytes) {
  (void)cls;
  Py_buffer b;
  if (PyObject_GetBuffer(bytes, &b, PyBUF_SIMPLE)) {
    return NULL;
  }
  mjModel* volatile m = NULL;
  int bad = b.len > INT_MAX;
  if (!bad) {
    GUARD(2, NULL, m = mj_loadModelBuffer(b.buf, (int)b.len), bad = 1);
  }
  PyBuffer_Release(&b);
  if (!m || bad) {
    if (!PyErr_Occurred()) {
      core_raiseModelError(core_warningText()[0]
                               ? core_warningText()
                               : "these bytes are not a binary model of this version",
                           NULL);
    }
    return NULL;
  }
  return core_wrapModel(m, NULL);
}


static PyObject* modelToBytes(PyObject* o, PyObject* unused) {
  (void)unused;
  mjModel* m = ((Model*)o)->m;
  const mjtSize n = mj_sizeModel(m);
  if (n > INT_MAX) {
    return PyErr_Format(PyExc_OverflowError, "the model is too large: %lld bytes", (long long)n);
  }
  void* buffer = malloc((size_t)n);
  if (!buffer) {
    return PyErr_NoMemory();
  }
  PyObject* bytes = NULL;
  GUARD(1, NULL, mj_saveModel(m, NULL, buffer, (int)n), free(buffer); return NULL);
  bytes = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)n);
  free(buffer);
  return bytes;
}


static PyObject* modelCopy(PyObject* o, PyObject* unused) {
  (void)unused;
  mjModel* volatile m = NULL;
  GUARD(1, NULL, m = mj_copyModel(NULL, ((Model*)o)->m), return NULL);
  return m ? core_wrapModel(m, NULL) : PyErr_NoMemory();
}


// another object over the same model
static PyObject* modelTwin(PyObject* o, PyObject* unused) {
  (void)unused;
  return core_wrapModel(((Model*)o)->m, ((Model*)o)->mem);
}


static PyObject* modelAddress(PyObject* o, void* closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((Model*)o)->m);
}


static PyObject* modelSignature(PyObject* o, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLongLong(((Model*)o)->m->signature);
}


int core_initModel(PyObject* module, Field* fields, int nfield, int nslot, Field* unused) {
  (void)unused;
  slots_used = nslot;
  PyType_Slot memory[] = {
      {Py_tp_dealloc, memoryDealloc}, {Py_bf_getbuffer, core_exportMemory}, {0, NULL}};
  core_ModelMemoryType = core_makeType("cortenforge._core.ModelMemory", sizeof(ModelMemory),
                                       Py_TPFLAGS_DISALLOW_INSTANTIATION, memory);
  PyGetSetDef* getset = calloc((size_t)nfield + 3, sizeof(PyGetSetDef));
  if (!getset) {
    return -1;
  }
  for (int i = 0; i < nfield; i++) {
    getset[i] = (PyGetSetDef){fields[i].name, modelGet, modelSet, fields[i].doc, &fields[i]};
  }
  getset[nfield] = (PyGetSetDef){"_address", modelAddress, NULL, NULL, NULL};
  getset[nfield + 1] = (PyGetSetDef){"signature", modelSignature, NULL,
                                     "number of the compilation that made the model", NULL};
  static PyMethodDef methods[] = {
      {"_load", modelLoad, METH_VARARGS | METH_STATIC, NULL},
      {"from_bytes", modelFromBytes, METH_O | METH_STATIC,
       "from_bytes(data)\n--\n\nModel from the bytes of to_bytes or of an MJB file."},
      {"to_bytes", modelToBytes, METH_NOARGS,
       "to_bytes($self)\n--\n\nThe model in MuJoCo's binary format, as in an MJB file."},
      {"__copy__", modelCopy, METH_NOARGS, NULL},
      {"_twin", modelTwin, METH_NOARGS, NULL},
      {"__deepcopy__", modelCopy, METH_O, NULL},
      {0}};
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Model, weak), READONLY, NULL},
      {"_extra", T_OBJECT, offsetof(Model, extra), 0, NULL},
      {0}};
  PyType_Slot slots[] = {{Py_tp_dealloc, modelDealloc},
                         {Py_tp_traverse, modelTraverse},
                         {Py_tp_clear, modelClear},
                         {Py_tp_getset, getset},
                         {Py_tp_methods, methods},
                         {Py_tp_members, members},
                         {0, NULL}};
  core_ModelType = core_makeType("cortenforge._core.MjModel", sizeof(Model),
                                 Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
  return !core_ModelMemoryType || !core_ModelType
             ? -1
             : PyModule_AddObjectRef(module, "MjModel", (PyObject*)core_ModelType);
}
