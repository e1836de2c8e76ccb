// NumPy arrays over memory of the engine, and single numbers. NumPy is used through Python calls,
// not its C API.
#include "core.h"

PyTypeObject* core_ViewType;
PyObject *core_dtypes[E_COUNT], *core_ndarray, *core_numpy;
static const char* const dtype_names[E_COUNT] = {"S1", "u1", "i4", "u4", "i8", "u8", "f4", "f8"};


static void viewDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_XDECREF(((View*)o)->owner);
  PyObject_Free(o);
  Py_DECREF(type);
}


static int viewBuffer(PyObject* o, Py_buffer* b, int flags) {
  return PyBuffer_FillInfo(b, o, ((View*)o)->ptr, ((View*)o)->n, 0, flags);
}


// The region that the array under construction refers to. Objects that own memory of the engine
// export it only while core_makeArray runs, so that they are the base of all their arrays.
static _Thread_local struct {
  PyObject* owner;
  void* ptr;
  Py_ssize_t n;
} exported;


int core_exportMemory(PyObject* o, Py_buffer* b, int flags) {
  if (exported.owner != o) {
    b->obj = NULL;
    PyErr_SetString(PyExc_BufferError, "memory of the engine is read through its fields");
    return -1;
  }
  return PyBuffer_FillInfo(b, o, exported.ptr, exported.n, 0, flags);
}


// object that exports `n` bytes at `ptr`, kept alive by `owner`
static PyObject* exporter(PyObject* owner, void* ptr, Py_ssize_t n) {
  PyTypeObject* type = Py_TYPE(owner);
  if (type == core_ModelMemoryType || type == core_DataMemoryType ||
      type == core_StructMemoryType) {
    exported.owner = owner;
    exported.ptr = ptr;
    exported.n = n;
    return Py_NewRef(owner);
  }
  View* view = PyObject_New(View, core_ViewType);
  if (view) {
    view->owner = Py_NewRef(owner);
    view->ptr = ptr;
    view->n = n;
  }
  return (PyObject*)view;
}


// Array of the given shape over memory at `ptr` that `owner` keeps alive; without memory its first
// dimension is 0.
PyObject* core_makeArray(PyObject* owner, void* ptr, PyObject* dtype, size_t size, int ndim,
                         const Py_ssize_t* shape) {
  if (!ptr || (ndim > 0 && shape[0] == 0)) {
    // nothing to look at: an array of its own
    PyObject* empty = ndim == 1   ? Py_BuildValue("(i)", 0)
                      : ndim == 2 ? Py_BuildValue("(in)", 0, shape[1])
                                  : Py_BuildValue("(inn)", 0, shape[1], shape[2]);
    PyObject* array = empty ? PyObject_CallFunctionObjArgs(core_ndarray, empty, dtype, NULL) : NULL;
    Py_XDECREF(empty);
    return array;
  }
  Py_ssize_t n = (Py_ssize_t)size;
  for (int i = 0; i < ndim; i++) {
    n *= shape[i];
  }
  PyObject* base = exporter(owner, ptr, n);
  if (!base) {
    return NULL;
  }
  PyObject* dims = ndim == 1   ? Py_BuildValue("(n)", shape[0])
                   : ndim == 2 ? Py_BuildValue("(nn)", shape[0], shape[1])
                               : Py_BuildValue("(nnn)", shape[0], shape[1], shape[2]);
  PyObject* array =
      dims ? PyObject_CallFunctionObjArgs(core_ndarray, dims, dtype, base, NULL) : NULL;
  exported.owner = NULL;
  Py_XDECREF(dims);
  Py_DECREF(base);
  return array;
}


PyObject* core_getNumber(const Field* f, const void* p) {
  switch (f->type) {
    case E_NUM:
      return PyFloat_FromDouble(*(const double*)p);
    case E_FLOAT:
      return PyFloat_FromDouble(*(const float*)p);
    case E_INT:
      return PyLong_FromLong(*(const int*)p);
    case E_UINT:
      return PyLong_FromUnsignedLong(*(const unsigned*)p);
    case E_BYTE:
      return PyLong_FromLong(*(const unsigned char*)p);
    case E_CHAR:
      return PyUnicode_FromStringAndSize((const char*)p, 1);
    case E_SIZE:
      return PyLong_FromLongLong(*(const long long*)p);
    default:
      return PyLong_FromUnsignedLongLong(*(const unsigned long long*)p);
  }
}


int core_setNumber(const Field* f, void* p, PyObject* x) {
  if (!x) {
    PyErr_Format(PyExc_AttributeError, "%s cannot be deleted", f->name);
    return -1;
  }
  if (f->type == E_NUM || f->type == E_FLOAT) {
    double value;
    if (to_number(x, f->name, &value)) {
      return -1;
    }
    if (f->type == E_NUM) {
      *(double*)p = value;
    } else {
      *(float*)p = (float)value;
    }
    return 0;
  }
  long long value;
  const long long high = f->type == E_BYTE   ? 255
                         : f->type == E_INT  ? INT_MAX
                         : f->type == E_UINT ? UINT_MAX
                                             : LLONG_MAX;
  if (to_int(x, f->name,
             f->type == E_INT    ? INT_MIN
             : f->type == E_SIZE ? LLONG_MIN
                                 : 0,
             high, &value)) {
    return -1;
  }
  switch (f->size) {
    case 1:
      *(unsigned char*)p = (unsigned char)value;
      break;
    case 4:
      *(int*)p = (int)value;
      break;
    default:
      *(long long*)p = value;
  }
  return 0;
}


// array[...] = x; takes the reference of `array`
int core_assign(PyObject* array, PyObject* x) {
  if (!array) {
    return -1;
  }
  int result = -1;
  if (x) {
    result = PyObject_SetItem(array, Py_Ellipsis, x);
  } else {
    PyErr_SetString(PyExc_AttributeError, "a field cannot be deleted");
  }
  Py_DECREF(array);
  return result;
}


int core_initArrays(PyObject* module) {
  (void)module;
  core_numpy = PyImport_ImportModule("numpy");
  core_ndarray = core_numpy ? PyObject_GetAttrString(core_numpy, "ndarray") : NULL;
  if (!core_ndarray) {
    return -1;
  }
  for (int i = 0; i < E_COUNT; i++) {
    core_dtypes[i] = PyObject_CallMethod(core_numpy, "dtype", "s", dtype_names[i]);
    if (!core_dtypes[i]) {
      return -1;
    }
  }
  PyType_Slot slots[] = {{Py_tp_dealloc, viewDealloc}, {Py_bf_getbuffer, viewBuffer}, {0, NULL}};
  core_ViewType = core_makeType("cortenforge._core.View", sizeof(View),
                                Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
  return core_ViewType ? 0 : -1;
}
