// Editable models: specs, their elements, and the strings and lists behind the handles of mjspec.h.
//
// An element lives as long as the spec it was made in, also after it was deleted or attached
// elsewhere, so objects hold that spec. Lists are read where the engine keeps them; their layout is
// that of libc++, which clients may rely on (src/modeling/spec/vector.h).
#include "core.h"

#include <stdlib.h>

static PyTypeObject* SpecMemoryType;
static PyObject* known;         // objects by address, weakly
static PyObject* list_factory;  // makes what Python sees of a list, of (object, name, kind)

typedef struct {
  PyObject_HEAD mjSpec* spec;
  PyObject* assets;  // files that compiling finds: dict
} SpecMemory;

enum { STRING_SIZE = 24 };  // bytes of a string

// array behind a handle
typedef struct {
  char *begin, *end, *limit;
} Vec;


static void memoryDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  mj_deleteSpec(((SpecMemory*)o)->spec);
  Py_XDECREF(((SpecMemory*)o)->assets);
  PyObject_Free(o);
  Py_DECREF(type);
}


// Object for a spec, which it owns.
PyObject* core_wrapSpec(mjSpec* spec) {
  if (!spec) {
    return PyErr_NoMemory();
  }
  SpecMemory* mem = PyObject_New(SpecMemory, SpecMemoryType);
  if (!mem) {
    mj_deleteSpec(spec);
    return NULL;
  }
  mem->spec = spec;
  mem->assets = NULL;
  void* p;
  PyObject* s = core_wrapStruct(core_elementDesc(spec->element, &p), spec, (PyObject*)mem);
  Py_DECREF(mem);
  return s;
}


static SpecMemory* memoryOf(PyObject* o) {
  return PyObject_TypeCheck(o, core_StructType) && Py_TYPE(((Struct*)o)->mem) == SpecMemoryType
             ? (SpecMemory*)((Struct*)o)->mem
             : NULL;
}


static mjSpec* toSpec(PyObject* o) {
  SpecMemory* mem = memoryOf(o);
  if (!mem || ((Struct*)o)->p != mem->spec) {
    PyErr_SetString(PyExc_TypeError, "spec must be MjSpec");
    return NULL;
  }
  return mem->spec;
}


int to_element(PyObject* o, const char* name, int nullable, mjsElement** element) {
  *element = NULL;
  if (o == Py_None && nullable) {
    return 0;
  }
  if (PyObject_TypeCheck(o, core_StructType)) {
    const Struct* s = (Struct*)o;
    for (int i = 0; i < s->desc->nfield; i++) {
      if (s->desc->fields[i].kind == F_ELEMENT) {
        *element = *(mjsElement**)((char*)s->p + s->desc->fields[i].offset);
        return *element ? 0 : -1;
      }
    }
  }
  PyErr_Format(PyExc_TypeError, "%s must be an element of a spec", name);
  return -1;
}


// 0 if two elements are in the same spec, or one of them is None or has no element of its own
int same_spec(PyObject* a, PyObject* b) {
  mjsElement *first, *second;
  if (a == Py_None || b == Py_None || to_element(a, "", 0, &first) ||
      to_element(b, "", 0, &second)) {
    PyErr_Clear();
    return 0;
  }
  if (mjs_getSpec(first) != mjs_getSpec(second)) {
    PyErr_SetString(PyExc_ValueError, "the elements belong to different specs");
    return -1;
  }
  return 0;
}


// Object for a part of the spec that `from` belongs to, the same as long as somebody has it; None
// for NULL.
PyObject* wrap_part(PyObject* from, Desc* desc, void* p) {
  if (!p) {
    return Py_NewRef(Py_None);
  }
  PyObject* key = PyLong_FromVoidPtr(p);
  PyObject* found = key ? PyObject_GetItem(known, key) : NULL;
  if (found && ((Struct*)found)->desc == desc) {
    Py_DECREF(key);
    return found;
  }
  PyErr_Clear();
  Py_XDECREF(found);
  PyObject* made = key ? core_wrapStruct(desc, p, ((Struct*)from)->mem) : NULL;
  if (made && PyObject_SetItem(known, key, made)) {
    Py_CLEAR(made);
  }
  Py_XDECREF(key);
  return made;
}


PyObject* wrap_element(PyObject* from, mjsElement* e) {
  void* p = NULL;
  Desc* desc = e ? core_elementDesc(e, &p) : NULL;
  return desc && p ? wrap_part(from, desc, p) : Py_NewRef(Py_None);
}


// ---- strings and lists

static Py_ssize_t count(const Vec* v, size_t size) {
  return v && v->begin ? (Py_ssize_t)((size_t)(v->end - v->begin) / size) : 0;
}


// text of a string, a `libc++` one: short ones are held in place
static PyObject* stringAt(const void* p) {
  return text_or_none(p ? mjs_getString(p) : "");
}


static PyObject* listOfStrings(const Vec* v) {
  const Py_ssize_t n = count(v, STRING_SIZE);
  PyObject* list = PyList_New(n);
  for (Py_ssize_t i = 0; list && i < n; i++) {
    PyList_SetItem(list, i, stringAt(v->begin + i * STRING_SIZE));
  }
  return list;
}


static PyObject* arrayCopy(const Vec* v, int type, size_t size) {
  Py_ssize_t n = count(v, size);
  PyObject* bytes = PyBytes_FromStringAndSize(n ? v->begin : NULL, n * (Py_ssize_t)size);
  PyObject* view =
      bytes ? PyObject_CallMethod(core_numpy, "frombuffer", "OO", bytes, core_dtypes[type]) : NULL;
  PyObject* copy = view ? PyObject_CallMethod(view, "copy", NULL) : NULL;
  Py_XDECREF(bytes);
  Py_XDECREF(view);
  return copy;
}


static PyObject* listOfArrays(const Vec* v, int type, size_t size) {
  const Py_ssize_t n = count(v, sizeof(Vec));
  PyObject* list = PyList_New(n);
  for (Py_ssize_t i = 0; list && i < n; i++) {
    PyList_SetItem(list, i, arrayCopy((Vec*)v->begin + i, type, size));
  }
  return list;
}


static PyObject* rawValue(Struct* s, const Field* f) {
  void* p = *(void**)((char*)s->p + f->offset);
  switch (f->kind) {
    case F_STRING:
      return stringAt(p);
    case F_STRINGS:
      return listOfStrings(p);
    case F_INTS:
      return arrayCopy(p, E_INT, sizeof(int));
    case F_FLOATS:
      return arrayCopy(p, E_FLOAT, sizeof(float));
    case F_DOUBLES:
      return arrayCopy(p, E_NUM, sizeof(double));
    case F_INTLISTS:
      return listOfArrays(p, E_INT, sizeof(int));
    case F_FLOATLISTS:
      return listOfArrays(p, E_FLOAT, sizeof(float));
    default:
      return PyBytes_FromStringAndSize(((Vec*)p)->begin, count(p, 1));
  }
}


PyObject* core_specGet(Struct* s, const Field* f) {
  void* p = *(void**)((char*)s->p + f->offset);
  if (f->kind == F_ELEMENT) {
    return PyLong_FromVoidPtr(p);
  }
  if (f->kind == F_REFERENCE) {
    return wrap_part((PyObject*)s, f->desc, p);
  }
  if (f->kind == F_STRING || f->kind == F_BYTES || !list_factory) {
    return rawValue(s, f);
  }
  return PyObject_CallFunction(list_factory, "Osi", (PyObject*)s, f->name, f->kind);
}


static int setNumbers(void* p, const Field* f, PyObject* x) {
  Array a = {{0}};
  const int type = f->kind == F_INTS ? E_INT : f->kind == F_FLOATS ? E_FLOAT : E_NUM;
  int bad = PyUnicode_Check(x);
  if (bad) {
    PyErr_Format(PyExc_TypeError, "%s must be a list of numbers", f->name);
  } else {
    bad = to_array(x, f->name, type, 0, 0, &a);
  }
  if (!bad) {
    const int n = (int)array_length(&a);
    if (type == E_INT) {
      mjs_setInt(p, a.b.buf, n);
    } else if (type == E_FLOAT) {
      mjs_setFloat(p, a.b.buf, n);
    } else {
      mjs_setDouble(p, a.b.buf, n);
    }
  }
  end_array(&a);
  return bad;
}


static int setStrings(void* p, const Field* f, PyObject* x) {
  if (PyUnicode_Check(x)) {
    PyErr_Format(PyExc_TypeError, "%s must be a list of str", f->name);
    return -1;
  }
  PyObject* items = PySequence_List(x);
  int bad = !items;
  for (Py_ssize_t i = 0; !bad && i < PyList_Size(items); i++) {
    const char* text;
    bad = to_text(PyList_GetItem(items, i), f->name, 0, &text);
  }
  if (!bad) {
    mjs_setStringVec(p, "");
  }
  for (Py_ssize_t i = 0; !bad && i < PyList_Size(items); i++) {
    mjs_appendString(p, PyUnicode_AsUTF8AndSize(PyList_GetItem(items, i), NULL));
  }
  Py_XDECREF(items);
  return bad ? -1 : 0;
}


// Lists of lists are emptied in place: there is no function of the C API for it.
static int setLists(Vec* v, const Field* f, PyObject* x) {
  PyObject* items = PySequence_List(x);
  if (!items) {
    return -1;
  }
  for (char* inner = v->begin; inner < v->end; inner += sizeof(Vec)) {
    free(((Vec*)inner)->begin);
  }
  v->end = v->begin;
  int bad = 0;
  for (Py_ssize_t i = 0; !bad && i < PyList_Size(items); i++) {
    Array a = {{0}};
    bad = to_array(PyList_GetItem(items, i), f->name, f->kind == F_INTLISTS ? E_INT : E_FLOAT, 0, 0,
                   &a);
    if (!bad && f->kind == F_INTLISTS) {
      mjs_appendIntVec(v, a.b.buf, (int)array_length(&a));
    } else if (!bad) {
      mjs_appendFloatVec(v, a.b.buf, (int)array_length(&a));
    }
    end_array(&a);
  }
  Py_DECREF(items);
  return bad;
}


static int setBytes(void* p, PyObject* x) {
  Py_buffer b;
  if (PyObject_GetBuffer(x, &b, PyBUF_C_CONTIGUOUS)) {
    return -1;
  }
  const int bad = b.len > INT_MAX;
  if (!bad) {
    mjs_setBuffer(p, b.buf, (int)b.len);
  } else {
    PyErr_SetString(PyExc_ValueError, "too many bytes");
  }
  PyBuffer_Release(&b);
  return bad ? -1 : 0;
}


int core_specSet(Struct* s, const Field* f, PyObject* x) {
  void* p = *(void**)((char*)s->p + f->offset);
  const char* text;
  if (!p) {
    PyErr_Format(PyExc_AttributeError, "%s cannot be set here", f->name);
    return -1;
  }
  switch (f->kind) {
    case F_STRING:
      if (to_text(x, f->name, 0, &text)) {
        return -1;
      }
      mjs_setString(p, text);
      return 0;
    case F_STRINGS:
      return setStrings(p, f, x);
    case F_INTS:
    case F_FLOATS:
    case F_DOUBLES:
      return setNumbers(p, f, x);
    case F_INTLISTS:
    case F_FLOATLISTS:
      return setLists(p, f, x);
    case F_BYTES:
      return setBytes(p, x);
    default:
      PyErr_Format(PyExc_AttributeError, "%s cannot be set", f->name);
      return -1;
  }
}


// Free what a list of strings holds: texts that are too long to be held in place are memory of
// their own.
static void freeStrings(Vec* v) {
  for (char* s = v->begin; s < v->end; s += STRING_SIZE) {
    if (s[0] & 1) {
      free(*(char**)(s + 2 * sizeof(size_t)));
    }
  }
  free(v->begin);
}


PyObject* core_xmlDependencies(const char* path) {
  Vec v = {0};
  GUARD(1, NULL, mju_getXMLDependencies(path, (mjStringVec*)&v), freeStrings(&v); return NULL);
  PyObject* list = listOfStrings(&v);
  freeStrings(&v);
  return list;
}


// ---- configuration of plugin instances: a tree of pairs of strings, in the layout of libc++'s
// std::map

typedef struct Node_ {
  struct Node_ *left, *right, *parent;
  char is_black, unused[7];
  char key[STRING_SIZE], value[STRING_SIZE];
} Node;

typedef struct {
  Node *first, *root;
  size_t count;
} Map;


static const Node* successor(const Node* node) {
  if (node->right) {
    for (node = node->right; node->left; node = node->left) {
    }
    return node;
  }
  while (node != node->parent->left) {
    node = node->parent;
  }
  return node->parent;
}


static mjsPlugin* pluginOf(PyObject* o) {
  if (!memoryOf(o) || strcmp(((Struct*)o)->desc->name, "MjsPlugin") != 0) {
    PyErr_SetString(PyExc_TypeError, "this is not a plugin of a spec");
    return NULL;
  }
  return ((Struct*)o)->p;
}


static PyObject* getConfig(PyObject* self, PyObject* o) {
  mjsPlugin* plugin = pluginOf(o);
  (void)self;
  if (!plugin) {
    return NULL;
  }
  const Map* map = mjs_getPluginAttributes(plugin);
  PyObject* dict = PyDict_New();
  const Node* node = map->first;
  for (size_t i = 0; dict && i < map->count; i++) {
    PyObject *key = stringAt(node->key), *value = stringAt(node->value);
    PyDict_SetItem(dict, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    node = i + 1 < map->count ? successor(node) : NULL;
  }
  return dict;
}


// set_config(plugin, names, values): the nodes are one branch to the right, which every reader can
// walk
static PyObject* setConfig(PyObject* self, PyObject* args) {
  PyObject *o, *names, *values;
  (void)self;
  if (!PyArg_ParseTuple(args, "OO!O!", &o, &PyList_Type, &names, &PyList_Type, &values)) {
    return NULL;
  }
  mjsPlugin* plugin = pluginOf(o);
  const Py_ssize_t n = PyList_Size(names);
  Vec texts = {0};
  if (!plugin || PyList_Size(values) != n) {
    return NULL;
  }
  for (Py_ssize_t i = 0; i < 2 * n; i++) {
    const char* text;
    if (to_text(PyList_GetItem(i % 2 ? values : names, i / 2), "a configuration", 0, &text)) {
      freeStrings(&texts);
      return NULL;
    }
    mjs_appendString((mjStringVec*)&texts, text);
  }
  Node* node = calloc((size_t)n + 1, sizeof(Node));
  if (!node) {
    freeStrings(&texts);
    return PyErr_NoMemory();
  }
  Map map = {node, node, (size_t)n};
  for (Py_ssize_t i = 0; i < n; i++) {
    memcpy(node[i].key, texts.begin + 2 * i * STRING_SIZE, STRING_SIZE);
    memcpy(node[i].value, texts.begin + (2 * i + 1) * STRING_SIZE, STRING_SIZE);
    node[i].right = i + 1 < n ? node + i + 1 : NULL;
    node[i].parent = i ? node + i - 1 : (Node*)(void*)&map.root;
  }
  mjs_setPluginAttributes(plugin, &map);
  free(node);
  freeStrings(&texts);
  Py_RETURN_NONE;
}


// raw(object, name): a copy of a list as arrays
static PyObject* raw(PyObject* self, PyObject* args) {
  PyObject* o;
  const char* name;
  (void)self;
  if (!PyArg_ParseTuple(args, "Os", &o, &name) || !PyObject_TypeCheck(o, core_StructType)) {
    return NULL;
  }
  Struct* s = (Struct*)o;
  for (int i = 0; i < s->desc->nfield; i++) {
    if (s->desc->fields[i].kind >= F_STRING && strcmp(s->desc->fields[i].name, name) == 0) {
      return rawValue(s, &s->desc->fields[i]);
    }
  }
  return PyErr_Format(PyExc_AttributeError, "%s", name);
}


// ---- whole specs

// spec_parse(kind, text, assets): kind "path" or "string"
static PyObject* parse(PyObject* self, PyObject* args) {
  const char *kind, *text;
  PyObject *given, *assets;
  char error[2000] = "";
  mjVFS vfs;
  mjSpec* volatile spec = NULL;
  (void)self;
  if (!PyArg_ParseTuple(args, "sOO", &kind, &given, &assets) ||
      to_text(given, "the model", 0, &text) || core_openFiles(&vfs, assets)) {
    return NULL;
  }
  GUARD(1, NULL,
        spec = kind[0] == 's' ? mj_parseXMLString(text, &vfs, error, sizeof(error))
                              : mj_parse(text, NULL, &vfs, error, sizeof(error)),
        mj_deleteVFS(&vfs);
        return NULL);
  mj_deleteVFS(&vfs);
  if (!spec) {
    core_raiseModelError(error, kind[0] == 's' ? NULL : text);
    return NULL;
  }
  return core_wrapSpec(spec);
}


static PyObject* specCopy(PyObject* self, PyObject* o) {
  mjSpec* spec = toSpec(o);
  mjSpec* volatile copy = NULL;
  (void)self;
  if (!spec) {
    return NULL;
  }
  GUARD(1, NULL, copy = mj_copySpec(spec), return NULL);
  return core_wrapSpec(copy);
}


static int raiseSpecError(mjSpec* spec) {
  return core_raiseModelError(mjs_getError(spec), NULL);
}


// spec_compile(spec, assets[, model, data]): a model, or (model, data) with the state of those
// given
static PyObject* compile(PyObject* self, PyObject* args) {
  PyObject *o, *assets, *model = NULL, *data = NULL;
  mjModel *old_m = NULL, *volatile m = NULL;
  mjData *old_d = NULL, *volatile d = NULL;
  mjVFS vfs;
  (void)self;
  if (!PyArg_ParseTuple(args, "OO|OO", &o, &assets, &model, &data)) {
    return NULL;
  }
  mjSpec* spec = toSpec(o);
  if (!spec ||
      (model && (to_model(model, "model", &old_m) || to_data(data, "data", old_m, &old_d))) ||
      core_openFiles(&vfs, assets)) {
    return NULL;
  }
  volatile int failed = 0;
  if (!model) {
    GUARD(1, NULL, m = mj_compile(spec, &vfs), failed = -1);
  } else {
    GUARD(1, NULL, m = mj_copyModel(NULL, old_m); d = mj_copyData(NULL, old_m, old_d);
          failed = mj_recompile(spec, &vfs, m, d), failed = -1);
  }
  mj_deleteVFS(&vfs);
  if (failed && m && model) {
    mj_deleteModel(m);
    mj_deleteData(d);
    m = NULL;
  }
  if (!m) {
    if (!PyErr_Occurred()) {
      raiseSpecError(spec);
    }
    return NULL;
  }
  if (mjs_isWarning(spec) && PyErr_WarnEx(core_EngineWarning, mjs_getError(spec), 2)) {
    mj_deleteModel(m);
    mj_deleteData(d);
    return NULL;
  }
  PyObject* wrapped = core_wrapModel(m, NULL);
  if (!model || !wrapped) {
    return wrapped;
  }
  PyObject* wrapped_d = core_wrapData(core_DataType, d, wrapped);
  PyObject* pair = wrapped_d ? Py_BuildValue("(NN)", wrapped, wrapped_d) : NULL;
  return pair;
}


static PyObject* toXml(PyObject* self, PyObject* o) {
  mjSpec* spec = toSpec(o);
  char error[1000] = "", small[1];
  (void)self;
  if (!spec) {
    return NULL;
  }
  volatile int n = 0;
  GUARD(1, NULL, n = mj_saveXMLString(spec, small, 1, error, sizeof(error)), return NULL);
  char* text = n > 0 ? calloc(1, (size_t)n + 2) : NULL;
  if (!text) {
    PyErr_SetString(core_FatalError,
                    error[0] ? error : "the spec cannot be written; compile it first");
    return NULL;
  }
  GUARD(1, NULL, n = mj_saveXMLString(spec, text, n + 1, error, sizeof(error)), free(text);
        return NULL);
  PyObject* result = n == 0 ? text_or_none(text) : NULL;
  if (!result) {
    PyErr_SetString(core_FatalError, error);
  }
  free(text);
  return result;
}


// elements(spec or body, kind, recurse): list
static PyObject* elements(PyObject* self, PyObject* args) {
  PyObject* o;
  int kind, recurse = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "Oi|p", &o, &kind, &recurse) || !memoryOf(o)) {
    return PyErr_Occurred()
               ? NULL
               : PyErr_Format(PyExc_TypeError, "the first argument must be a spec or a body");
  }
  Struct* s = (Struct*)o;
  mjSpec* spec = s->p == memoryOf(o)->spec ? memoryOf(o)->spec : NULL;
  PyObject* list = PyList_New(0);
  mjsElement* volatile e = NULL;
  GUARD(0, NULL, e = spec ? mjs_firstElement(spec, kind) : mjs_firstChild(s->p, kind, recurse),
        Py_DECREF(list);
        return NULL);
  while (list && e) {
    PyObject* item = wrap_element(o, e);
    if (!item || PyList_Append(list, item)) {
      Py_CLEAR(list);
    }
    Py_XDECREF(item);
    e = spec ? mjs_nextElement(spec, e) : mjs_nextChild(s->p, e, recurse);
  }
  return list;
}


static PyObject* specOf(PyObject* self, PyObject* o) {
  (void)self;
  SpecMemory* mem = memoryOf(o);
  if (!mem) {
    return PyErr_Format(PyExc_TypeError, "this is not an element of a spec");
  }
  void* p;
  return core_wrapStruct(core_elementDesc(mem->spec->element, &p), mem->spec, (PyObject*)mem);
}


// assets(spec[, dict]): files that belong to a spec
static PyObject* assets(PyObject* self, PyObject* args) {
  PyObject *o, *dict = NULL;
  (void)self;
  if (!PyArg_ParseTuple(args, "O|O!", &o, &PyDict_Type, &dict)) {
    return NULL;
  }
  SpecMemory* mem = memoryOf(o);
  if (!mem) {
    return PyErr_Format(PyExc_TypeError, "this is not a spec");
  }
  if (dict || !mem->assets) {
    PyObject* old = mem->assets;
    mem->assets = dict ? Py_NewRef(dict) : PyDict_New();
    Py_XDECREF(old);
  }
  return Py_XNewRef(mem->assets);
}


static PyObject* signature(PyObject* self, PyObject* o) {
  mjsElement* e;
  (void)self;
  return to_element(o, "element", 0, &e) ? NULL : PyLong_FromUnsignedLongLong(e->signature);
}


static PyObject* setFactory(PyObject* self, PyObject* factory) {
  (void)self;
  PyObject* old = list_factory;
  list_factory = Py_NewRef(factory);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}


int core_initSpec(PyObject* module) {
  PyType_Slot memory[] = {{Py_tp_dealloc, memoryDealloc}, {0, NULL}};
  SpecMemoryType = core_makeType("cortenforge._core.SpecMemory", sizeof(SpecMemory),
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION, memory);
  static PyMethodDef functions[] = {{"spec_parse", parse, METH_VARARGS, NULL},
                                    {"spec_copy", specCopy, METH_O, NULL},
                                    {"spec_compile", compile, METH_VARARGS, NULL},
                                    {"spec_xml", toXml, METH_O, NULL},
                                    {"spec_elements", elements, METH_VARARGS, NULL},
                                    {"spec_of", specOf, METH_O, NULL},
                                    {"spec_assets", assets, METH_VARARGS, NULL},
                                    {"spec_raw", raw, METH_VARARGS, NULL},
                                    {"spec_config", getConfig, METH_O, NULL},
                                    {"spec_set_config", setConfig, METH_VARARGS, NULL},
                                    {"spec_signature", signature, METH_O, NULL},
                                    {"spec_list_factory", setFactory, METH_O, NULL},
                                    {0}};
  PyObject* weakref = PyImport_ImportModule("weakref");
  known = weakref ? PyObject_CallMethod(weakref, "WeakValueDictionary", NULL) : NULL;
  Py_XDECREF(weakref);
  return !known || !SpecMemoryType || PyModule_AddFunctions(module, functions) ? -1 : 0;
}
