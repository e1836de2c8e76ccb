// Structs of the C API as Python classes, made from the tables: attributes are live, arrays are
// views.
#include "core.h"

#include <stdlib.h>

PyTypeObject *core_StructType, *core_StructListType, *core_StructMemoryType;


// ---- memory of structs that were made in Python

static void memoryDealloc(PyObject* o) {
  StructMemory* s = (StructMemory*)o;
  PyTypeObject* type = Py_TYPE(o);
  if (s->p) {
    if (s->desc->end) {
      s->desc->end(s->p);
    }
    PyMem_Free(s->p);
  }
  Py_XDECREF(s->owner);
  PyObject_Free(o);
  Py_DECREF(type);
}


static StructMemory* newMemory(Desc* desc) {
  StructMemory* s = PyObject_New(StructMemory, core_StructMemoryType);
  if (!s) {
    return NULL;
  }
  s->desc = desc;
  s->owner = NULL;
  s->p = PyMem_Calloc(1, desc->size);
  if (!s->p) {
    Py_DECREF(s);
    PyErr_NoMemory();
    return NULL;
  }
  if (desc->fill) {
    desc->fill(s->p);
  }
  return s;
}


// ---- one struct

// true if a struct holds handles that belong to it
static int hasHandles(const Desc* desc) {
  for (int i = 0; i < desc->nfield; i++) {
    if (desc->fields[i].kind >= F_STRING || desc->fields[i].kind == F_ELEMENT) {
      return 1;
    }
  }
  return 0;
}

static PyObject* allocate(PyTypeObject* type, Desc* desc, void* p, PyObject* mem) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Struct* s = (Struct*)alloc(type, 0);
  if (s) {
    s->p = p;
    s->desc = desc;
    s->mem = Py_NewRef(mem);
  }
  return (PyObject*)s;
}


PyObject* core_wrapStruct(Desc* desc, void* p, PyObject* mem) {
  return allocate(desc->type, desc, p, mem);
}


static Desc* descOf(PyTypeObject* type) {
  PyObject* capsule = PyObject_GetAttrString((PyObject*)type, "_desc");
  Desc* desc = capsule ? PyCapsule_GetPointer(capsule, "Desc") : NULL;
  Py_XDECREF(capsule);
  return desc;
}


static PyObject* ownStruct(PyTypeObject* type, Desc* desc) {
  StructMemory* mem = newMemory(desc);
  PyObject* s = mem ? allocate(type, desc, mem->p, (PyObject*)mem) : NULL;
  Py_XDECREF((PyObject*)mem);
  return s;
}


PyObject* core_structCopy(Desc* desc, const void* p) {
  PyObject* s = ownStruct(desc->type, desc);
  if (s) {
    memcpy(((Struct*)s)->p, p, desc->size);
  }
  return s;
}


// MjvScene(model, maxgeom), MjrContext(model, fontscale); keyword arguments of other structs set
// their fields
static int fillScene(Struct* s, PyObject* args, PyObject* kw, int is_scene) {
  static char* scene_names[] = {"model", "maxgeom", NULL};
  static char* context_names[] = {"model", "fontscale", NULL};
  PyObject *model = NULL, *number = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "|OO", is_scene ? scene_names : context_names, &model,
                                   &number)) {
    return -1;
  }
  if (!model || model == Py_None) {
    if (is_scene) {
      ((mjvScene*)s->p)->scale = 1;
    }
    return 0;
  }
  mjModel* m;
  long long n = is_scene ? 10000 : mjFONTSCALE_150;
  if (to_model(model, "model", &m) ||
      (number && to_int(number, is_scene ? "maxgeom" : "fontscale", 0, 100000000, &n))) {
    return -1;
  }
  if (is_scene) {
    GUARD(1, NULL, mjv_makeScene(m, s->p, (int)n), return -1);
    // lengths of arrays follow from others, which programs may change later: find them now
    for (int i = 0; i < s->desc->nfield; i++) {
      PyObject* array = s->desc->fields[i].kind == F_POINTER
                            ? PyObject_GetAttrString((PyObject*)s, s->desc->fields[i].name)
                            : Py_NewRef(Py_None);
      if (!array) {
        return -1;
      }
      Py_DECREF(array);
    }
  } else {
    GUARD(1, NULL, mjr_makeContext(m, s->p, (int)n), return -1);
  }
  return 0;
}


static PyObject* structNew(PyTypeObject* type, PyObject* args, PyObject* kw) {
  Desc* desc = descOf(type);
  if (!desc) {
    return NULL;
  }
  if (strcmp(desc->name, "MjSpec") == 0) {
    return PyTuple_Size(args) || (kw && PyDict_Size(kw))
               ? PyErr_Format(PyExc_TypeError, "MjSpec takes no arguments")
               : core_wrapSpec(mj_makeSpec());
  }
  if (hasHandles(desc)) {
    return PyErr_Format(PyExc_TypeError, "%s is made by a spec: use its add functions", desc->name);
  }
  return ownStruct(type, desc);
}


// Arguments count here, not in structNew, so that subclasses may have others.
static int structInit(PyObject* o, PyObject* args, PyObject* kw) {
  Struct* s = (Struct*)o;
  const Desc* desc = s->desc;
  if (strcmp(desc->name, "MjSpec") == 0) {
    return 0;
  }
  const int is_scene = strcmp(desc->name, "MjvScene") == 0;
  if (is_scene || strcmp(desc->name, "MjrContext") == 0) {
    // arrays of the first time may be in use
    if (is_scene ? ((mjvScene*)s->p)->maxgeom > 0 : ((mjrContext*)s->p)->glInitialized) {
      PyErr_Format(PyExc_TypeError, "%s is initialized already", desc->name);
      return -1;
    }
    return fillScene(s, args, kw, is_scene);
  }
  // positional arguments in the order of the fields
  const Py_ssize_t na = PyTuple_Size(args);
  if (na > desc->nfield) {
    PyErr_Format(PyExc_TypeError, "%s has %d fields, %zd values given", desc->name, desc->nfield,
                 na);
    return -1;
  }
  for (Py_ssize_t i = 0; i < na; i++) {
    if (PyObject_SetAttrString(o, desc->fields[i].name, PyTuple_GetItem(args, i))) {
      return -1;
    }
  }
  Py_ssize_t position = 0;
  PyObject *key, *value;
  while (kw && PyDict_Next(kw, &position, &key, &value)) {
    if (PyObject_SetAttr(o, key, value)) {
      return -1;
    }
  }
  return 0;
}


static void clearCache(PyObject** cache, int n) {
  for (int i = 0; cache && i < n; i++) {
    Py_XDECREF(cache[i]);
  }
  PyMem_Free(cache);
}


static void structDealloc(PyObject* o) {
  Struct* s = (Struct*)o;
  PyTypeObject* type = Py_TYPE(o);
  if (s->weak) {
    PyObject_ClearWeakRefs(o);
  }
  clearCache(s->cache, s->desc ? s->desc->nfield : 0);
  Py_XDECREF(s->mem);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
  Py_DECREF(type);
}


// text in a fixed number of bytes
static PyObject* getText(const char* p, size_t n) {
  const char* end = memchr(p, 0, n);
  return PyUnicode_DecodeUTF8(p, end ? end - p : (Py_ssize_t)n, "replace");
}


// `full`: the text may take all bytes, without a final zero
static int setText(char* p, size_t n, PyObject* x, const char* name, int full) {
  const char* text;
  if (to_text(x, name, 0, &text)) {
    return -1;
  }
  if (strlen(text) >= n + (size_t)full) {
    PyErr_Format(PyExc_ValueError, "%s holds at most %zu bytes", name, n - 1 + (size_t)full);
    return -1;
  }
  memset(p, 0, n);
  memcpy(p, text, strlen(text));
  return 0;
}


static PyObject* getTexts(const Field* f, const char* p) {
  PyObject* list = PyList_New(f->shape[0]);
  for (Py_ssize_t i = 0; list && i < f->shape[0]; i++) {
    PyList_SetItem(list, i, getText(p + i * f->shape[1], (size_t)f->shape[1]));
  }
  return list;
}


// what an attribute is, made anew
static PyObject* makeValue(Struct* s, const Field* f) {
  char* p = (char*)s->p + f->offset;
  switch (f->kind) {
    case F_INLINE:
      return core_makeArray(s->mem, p, core_dtypes[f->type], f->size, f->ndim, f->shape);
    case F_STRUCT:
      return core_wrapStruct(f->desc, p, s->mem);
    case F_STRUCTS:
      return core_wrapList(f->desc, p, f->shape[0], s->mem);
    case F_POINTER: {
      Py_ssize_t n = f->count(s->p);
      return core_makeArray(s->mem, *(void**)p, core_dtypes[f->type], f->size, 1, &n);
    }
    case F_STRUCT_POINTER:
      return core_wrapList(f->desc, *(void**)p, *(void**)p ? f->count(s->p) : 0, s->mem);
    default:
      return NULL;
  }
}


static PyObject* structGet(PyObject* o, void* closure) {
  Struct* s = (Struct*)o;
  const Field* f = closure;
  char* p = (char*)s->p + f->offset;
  if (f->kind == F_SCALAR) {
    return core_getNumber(f, p);
  }
  if (f->kind == F_TEXT) {
    return getText(p, (size_t)f->shape[0]);
  }
  if (f->kind == F_TEXTS) {
    return getTexts(f, p);
  }
  if (f->kind >= F_REFERENCE) {
    return core_specGet(s, f);
  }
  const int slot = (int)(f - s->desc->fields);
  PyObject* value = NULL;
  LOCK(o);
  if (!s->cache) {
    s->cache = PyMem_Calloc((size_t)s->desc->nfield, sizeof(PyObject*));
  }
  if (s->cache && s->cache[slot]) {
    value = Py_NewRef(s->cache[slot]);
  } else if (s->cache) {
    value = makeValue(s, f);
    s->cache[slot] = Py_XNewRef(value);
  } else {
    PyErr_NoMemory();
  }
  UNLOCK();
  return value;
}


// Copy a struct into the place of another.
int core_setStruct(Desc* desc, void* p, PyObject* x, const char* name, PyObject* mem) {
  void* from;
  if (to_struct(x, name, desc, 0, &from)) {
    return -1;
  }
  if (hasHandles(desc)) {
    PyObject* to = core_wrapStruct(desc, p, ((Struct*)x)->mem);
    int bad = !to;
    for (int i = 0; i < desc->nfield && !bad; i++) {
      const Field* f = &desc->fields[i];
      void** handle =
          f->kind == F_ELEMENT || f->kind >= F_STRING ? (void**)((char*)p + f->offset) : NULL;
      if (handle && (f->kind == F_ELEMENT || !*handle)) {
        // a link to an instance of the same spec
        if (((Struct*)x)->mem == mem) {
          *handle = *(void**)((char*)from + f->offset);
        }
      } else {
        PyObject* value = PyObject_GetAttrString(x, desc->fields[i].name);
        bad = !value || PyObject_SetAttrString(to, desc->fields[i].name, value);
        Py_XDECREF(value);
      }
    }
    Py_XDECREF(to);
    return bad ? -1 : 0;
  }
  if (desc->end) {
    PyErr_Format(PyExc_AttributeError, "%s cannot be replaced", name);
    return -1;
  }
  memmove(p, from, desc->size);
  return 0;
}


// Set an array of a spec: exactly as many numbers as it has, in a row or in a column.
static int setExactly(const Field* f, PyObject* array, PyObject* x) {
  PyObject* given = PyObject_CallMethod(core_numpy, "asarray", "OO", x, core_dtypes[f->type]);
  PyObject* shape = given ? PyObject_GetAttrString(given, "shape") : NULL;
  Py_ssize_t n[2] = {-1, 1};
  if (shape && (PyTuple_Size(shape) == 1 || PyTuple_Size(shape) == 2)) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(shape); i++) {
      n[i] = PyLong_AsSsize_t(PyTuple_GetItem(shape, i));
    }
  }
  int bad = !shape;
  if (shape && (n[0] != f->shape[0] || n[1] != 1)) {
    PyErr_Format(PyExc_TypeError, "%s should be a list/array of size %zd", f->name, f->shape[0]);
    bad = 1;
  }
  PyObject* flat = bad ? NULL : PyObject_CallMethod(given, "reshape", "i", -1);
  Py_XDECREF(given);
  Py_XDECREF(shape);
  if (!flat) {
    Py_DECREF(array);
    return -1;
  }
  const int result = core_assign(array, flat);
  Py_DECREF(flat);
  return result;
}


static int structSet(PyObject* o, PyObject* x, void* closure) {
  Struct* s = (Struct*)o;
  const Field* f = closure;
  char* p = (char*)s->p + f->offset;
  if (!x) {
    PyErr_Format(PyExc_AttributeError, "%s cannot be deleted", f->name);
    return -1;
  }
  switch (f->kind) {
    case F_SCALAR:
      return core_setNumber(f, p, x);
    case F_TEXT:
      return setText(p, (size_t)f->shape[0], x, f->name, hasHandles(s->desc));
    case F_TEXTS: {
      for (Py_ssize_t i = 0; i < f->shape[0]; i++) {
        PyObject* item = PySequence_GetItem(x, i);
        const int bad =
            !item || setText(p + i * f->shape[1], (size_t)f->shape[1], item, f->name, 0);
        Py_XDECREF(item);
        if (bad) {
          return -1;
        }
      }
      return 0;
    }
    case F_INLINE:
    case F_POINTER: {
      PyObject* array = structGet(o, closure);
      return array && f->kind == F_INLINE && f->ndim == 1 && hasHandles(s->desc)
                 ? setExactly(f, array, x)
                 : core_assign(array, x);
    }
    case F_STRUCT:
      if (PyObject_TypeCheck(x, core_StructType)) {
        return core_setStruct(f->desc, p, x, f->name, s->mem);
      }
      break;
    default:
      if (f->kind >= F_REFERENCE) {
        return core_specSet(s, f, x);
      }
  }
  PyErr_Format(PyExc_AttributeError, "%s cannot be set; set its elements", f->name);
  return -1;
}


// give back what the struct holds: scenes and rendering contexts; again does nothing
static PyObject* structFree(PyObject* o, PyObject* unused) {
  Struct* s = (Struct*)o;
  (void)unused;
  if (!s->desc->end || Py_TYPE(s->mem) != core_StructMemoryType) {
    return PyErr_Format(PyExc_TypeError, "%s holds nothing to be freed", s->desc->name);
  }
  clearCache(s->cache, s->desc->nfield);
  s->cache = NULL;
  s->desc->end(s->p);
  s->desc->fill(s->p);
  Py_RETURN_NONE;
}


static PyObject* structAddress(PyObject* o, void* closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((Struct*)o)->p);
}


// bytes of a struct that holds no pointers, and back: for copy and pickle
static PyObject* structBytes(PyObject* o, PyObject* unused) {
  (void)unused;
  Struct* s = (Struct*)o;
  for (int i = 0; i < s->desc->nfield; i++) {
    if (s->desc->fields[i].kind >= F_STRUCT_POINTER && s->desc->fields[i].kind != F_TEXT &&
        s->desc->fields[i].kind != F_TEXTS) {
      return PyErr_Format(PyExc_TypeError, "%s cannot be copied or pickled", s->desc->name);
    }
  }
  return s->desc->end
             ? PyErr_Format(PyExc_TypeError, "%s cannot be copied or pickled", s->desc->name)
             : PyBytes_FromStringAndSize(s->p, (Py_ssize_t)s->desc->size);
}


static PyObject* structSetBytes(PyObject* o, PyObject* bytes) {
  Struct* s = (Struct*)o;
  char* p;
  Py_ssize_t n;
  if (PyBytes_AsStringAndSize(bytes, &p, &n)) {
    return NULL;
  }
  if (n != (Py_ssize_t)s->desc->size || s->desc->end) {
    return PyErr_Format(PyExc_ValueError, "these are not the bytes of %s", s->desc->name);
  }
  memcpy(s->p, p, (size_t)n);
  Py_RETURN_NONE;
}


// ---- arrays of structs

PyObject* core_wrapList(Desc* desc, void* p, Py_ssize_t n, PyObject* mem) {
  StructList* list = PyObject_New(StructList, core_StructListType);
  if (!list) {
    return NULL;
  }
  list->p = p;
  list->n = n;
  list->desc = desc;
  list->mem = Py_NewRef(mem);
  list->array = NULL;
  list->live = NULL;
  return (PyObject*)list;
}


PyObject* core_liveList(Desc* desc, mjData* d, PyObject* mem) {
  PyObject* list = core_wrapList(desc, d->contact, d->contact ? d->ncon : 0, mem);
  if (list) {
    ((StructList*)list)->live = d;
  }
  return list;
}


// bring a list of contacts up to date; the list itself
static StructList* current(PyObject* o) {
  StructList* list = (StructList*)o;
  mjData* d = list->live;
  if (d && (list->p != (char*)d->contact || list->n != d->ncon)) {
    list->p = (char*)d->contact;
    list->n = d->contact ? d->ncon : 0;
    Py_CLEAR(list->array);
  }
  return list;
}


// the list as a structured array, made when it is asked for
static PyObject* structured(StructList* list) {
  if (!list->array && list->desc->dtype) {
    list->array = core_makeArray(list->mem, list->n ? list->p : NULL, list->desc->dtype,
                                 list->desc->size, 1, &list->n);
  }
  return list->array;
}


static void listDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_XDECREF(((StructList*)o)->mem);
  Py_XDECREF(((StructList*)o)->array);
  PyObject_Free(o);
  Py_DECREF(type);
}


static Py_ssize_t listLength(PyObject* o) {
  return current(o)->n;
}


static PyObject* listItem(PyObject* o, Py_ssize_t i) {
  StructList* list = current(o);
  if (i < 0 || i >= list->n) {
    PyErr_Format(PyExc_IndexError, "index %zd, there are %zd", i, list->n);
    return NULL;
  }
  return core_wrapStruct(list->desc, list->p + (size_t)i * list->desc->size, list->mem);
}


static PyObject* listSubscript(PyObject* o, PyObject* key) {
  StructList* list = current(o);
  Py_ssize_t begin, end, step;
  if (PySlice_Check(key)) {
    if (PySlice_Unpack(key, &begin, &end, &step)) {
      return NULL;
    }
    const Py_ssize_t n = PySlice_AdjustIndices(list->n, &begin, &end, step);
    if (step == 1) {
      return core_wrapList(list->desc, list->p + (size_t)begin * list->desc->size, n, list->mem);
    }
    PyObject* items = PyList_New(n);
    for (Py_ssize_t i = 0; items && i < n; i++) {
      PyList_SetItem(items, i, listItem(o, begin + i * step));
    }
    return items;
  }
  PyObject* index = PyNumber_Index(key);
  if (!index) {
    return NULL;
  }
  const Py_ssize_t i = PyLong_AsSsize_t(index);
  Py_DECREF(index);
  if (i == -1 && PyErr_Occurred()) {
    return NULL;
  }
  return listItem(o, i < 0 ? i + list->n : i);
}


static PyObject* listArray(PyObject* o, void* closure) {
  (void)closure;
  StructList* list = (StructList*)o;
  return list->array ? Py_NewRef(list->array)
                     : PyErr_Format(PyExc_AttributeError, "%s has no array form", list->desc->name);
}


// contact.pos: that field of all elements, a view
static PyObject* listAttribute(PyObject* o, PyObject* name) {
  PyObject* value = PyObject_GenericGetAttr(o, name);
  StructList* list = current(o);
  if (value || !list->desc->dtype || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
    return value;
  }
  for (int i = 0; i < list->desc->nfield; i++) {
    if (PyUnicode_CompareWithASCIIString(name, list->desc->fields[i].name) == 0) {
      PyErr_Clear();
      PyObject* array = structured(list);
      return array ? PyObject_GetItem(array, name) : NULL;
    }
  }
  return NULL;
}


static int listSetAttribute(PyObject* o, PyObject* name, PyObject* x) {
  PyObject* array = listAttribute(o, name);
  return core_assign(array, x);
}


// ---- types

// dtype of arrays of a struct that is made of numbers only
static PyObject* structuredType(Desc* desc) {
  PyObject *names = PyList_New(0), *formats = PyList_New(0), *offsets = PyList_New(0);
  for (int i = 0; i < desc->nfield; i++) {
    const Field* f = &desc->fields[i];
    PyObject* name = PyUnicode_FromString(f->name);
    PyObject* format =
        f->kind == F_SCALAR ? Py_NewRef(core_dtypes[f->type])
        : f->kind == F_TEXT ? PyUnicode_FromFormat("S%zd", f->shape[0])
        : f->ndim == 1      ? Py_BuildValue("(O(n))", core_dtypes[f->type], f->shape[0])
                       : Py_BuildValue("(O(nn))", core_dtypes[f->type], f->shape[0], f->shape[1]);
    PyObject* offset = PyLong_FromSize_t(f->offset);
    PyList_Append(names, name);
    PyList_Append(formats, format);
    PyList_Append(offsets, offset);
    Py_XDECREF(name);
    Py_XDECREF(format);
    Py_XDECREF(offset);
  }
  PyObject* spec = Py_BuildValue("{sNsNsNsn}", "names", names, "formats", formats, "offsets",
                                 offsets, "itemsize", (Py_ssize_t)desc->size);
  PyObject* dtype = spec ? PyObject_CallMethod(core_numpy, "dtype", "O", spec) : NULL;
  Py_XDECREF(spec);
  return dtype;
}


int core_makeStructType(PyObject* module, Desc* desc) {
  PyGetSetDef* getset = calloc((size_t)desc->nfield + 1, sizeof(PyGetSetDef));
  PyObject* names = PyTuple_New(desc->nfield);
  if (!getset || !names) {
    return -1;
  }
  int plain = desc->nfield > 0;
  for (int i = 0; i < desc->nfield; i++) {
    Field* f = &desc->fields[i];
    getset[i] = (PyGetSetDef){f->name, structGet, structSet, f->doc, f};
    PyTuple_SetItem(names, i, PyUnicode_FromString(f->name));
    plain = plain && (f->kind == F_SCALAR || f->kind == F_INLINE || f->kind == F_TEXT) &&
            f->type != E_CHAR;
  }
  char* name = malloc(80);
  PyOS_snprintf(name, 80, "cortenforge._core.%s", desc->name);
  PyType_Slot slots[] = {{Py_tp_getset, getset}, {0, NULL}};
  PyType_Spec spec = {name, sizeof(Struct), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyObject* bases = PyTuple_Pack(1, core_StructType);
  desc->type = (PyTypeObject*)PyType_FromSpecWithBases(&spec, bases);
  Py_DECREF(bases);
  if (!desc->type) {
    return -1;
  }
  PyObject* capsule = PyCapsule_New(desc, "Desc", NULL);
  if (PyObject_SetAttrString((PyObject*)desc->type, "_desc", capsule) ||
      PyObject_SetAttrString((PyObject*)desc->type, "_fields", names)) {
    return -1;
  }
  Py_DECREF(capsule);
  Py_DECREF(names);
  if (plain) {
    desc->dtype = structuredType(desc);
    if (!desc->dtype || (strcmp(desc->name, "MjContact") == 0 &&
                         PyModule_AddObjectRef(module, "contact_dtype", desc->dtype))) {
      return -1;
    }
  }
  return PyModule_AddObjectRef(module, desc->name, (PyObject*)desc->type);
}


int core_initStructs(PyObject* module) {
  PyType_Slot memory[] = {
      {Py_tp_dealloc, memoryDealloc}, {Py_bf_getbuffer, core_exportMemory}, {0, NULL}};
  core_StructMemoryType = core_makeType("cortenforge._core.StructMemory", sizeof(StructMemory),
                                        Py_TPFLAGS_DISALLOW_INSTANTIATION, memory);
  static PyMethodDef methods[] = {{"_bytes", structBytes, METH_NOARGS, NULL},
                                  {"_set_bytes", structSetBytes, METH_O, NULL},
                                  {"_free", structFree, METH_NOARGS, NULL},
                                  {0}};
  static PyGetSetDef getset[] = {{"_address", structAddress, NULL, NULL, NULL}, {0}};
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Struct, weak), READONLY, NULL}, {0}};
  PyType_Slot one[] = {{Py_tp_dealloc, structDealloc},
                       {Py_tp_new, structNew},
                       {Py_tp_init, structInit},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {Py_tp_members, members},
                       {0, NULL}};
  core_StructType =
      core_makeType("cortenforge._core.Struct", sizeof(Struct), Py_TPFLAGS_BASETYPE, one);
  static PyGetSetDef list_getset[] = {
      {"array", listArray, NULL, "the same as a structured NumPy array", NULL}, {0}};
  PyType_Slot list[] = {{Py_tp_dealloc, listDealloc},
                        {Py_sq_length, listLength},
                        {Py_sq_item, listItem},
                        {Py_mp_subscript, listSubscript},
                        {Py_mp_length, listLength},
                        {Py_tp_getattro, listAttribute},
                        {Py_tp_setattro, listSetAttribute},
                        {Py_tp_getset, list_getset},
                        {0, NULL}};
  core_StructListType = core_makeType("cortenforge._core.StructList", sizeof(StructList),
                                      Py_TPFLAGS_DISALLOW_INSTANTIATION, list);
  if (!core_StructMemoryType || !core_StructType || !core_StructListType) {
    return -1;
  }
  return PyModule_AddObjectRef(module, "Struct", (PyObject*)core_StructType) ||
         PyModule_AddObjectRef(module, "StructList", (PyObject*)core_StructListType);
}
