// Arguments of wrapped functions: conversion from Python objects and the checks of
// src/tables/parameters.def.
#include "core.h"


static int keyword(const char* const* names, int n, PyObject* key) {
  for (int i = 0; i < n; i++) {
    if (PyUnicode_CompareWithASCIIString(key, names[i]) == 0) {
      return i;
    }
  }
  return -1;
}


// Sort positional and keyword arguments into `out` by the order of `names`; the first `need` must
// be there.
int arguments(const char* function, const char* const* names, int n, int need, PyObject* const* a,
              Py_ssize_t na, PyObject* kw, PyObject** out) {
  const Py_ssize_t nk = kw ? PyTuple_Size(kw) : 0;
  if (na + nk > n) {
    PyErr_Format(PyExc_TypeError, "%s takes %d arguments, %zd given", function, n, na + nk);
    return -1;
  }
  for (int i = 0; i < n; i++) {
    out[i] = i < na ? a[i] : i < need ? NULL : Py_None;
  }
  for (Py_ssize_t k = 0; k < nk; k++) {
    PyObject* key = PyTuple_GetItem(kw, k);
    const int i = keyword(names, n, key);
    if (i < 0 || (out[i] && (i < na || out[i] != Py_None))) {
      PyErr_Format(PyExc_TypeError,
                   i < 0 ? "%s has no argument '%U'" : "%s: argument '%U' is given twice", function,
                   key);
      return -1;
    }
    out[i] = a[na + k];
  }
  for (int i = 0; i < need; i++) {
    if (!out[i]) {
      PyErr_Format(PyExc_TypeError, "%s: argument '%s' is missing", function, names[i]);
      return -1;
    }
  }
  return 0;
}


static int wrongType(PyObject* o, const char* name, const char* expected) {
  PyObject* type = PyObject_GetAttrString((PyObject*)Py_TYPE(o), "__name__");
  PyErr_Format(PyExc_TypeError, "%s must be %s, not %S", name, expected, type ? type : Py_None);
  Py_XDECREF(type);
  return -1;
}


int to_model(PyObject* o, const char* name, mjModel** m) {
  if (Py_TYPE(o) != core_ModelType && !PyObject_TypeCheck(o, core_ModelType)) {
    return wrongType(o, name, "MjModel");
  }
  *m = ((Model*)o)->m;
  core_lastModel = o;
  return 0;
}


int core_dataSuits(const DataMemory* mem, const mjModel* m);


int to_data(PyObject* o, const char* name, const mjModel* m, mjData** d) {
  if (Py_TYPE(o) != core_DataType && !PyObject_TypeCheck(o, core_DataType)) {
    return wrongType(o, name, "MjData");
  }
  const Data* data = (Data*)o;
  if (m && m != data->m && !core_dataSuits((const DataMemory*)data->mem, m)) {
    PyErr_Format(PyExc_ValueError, "%s was made for a model of other sizes", name);
    return -1;
  }
  *d = data->d;
  core_lastData = o;
  return 0;
}


int to_int(PyObject* o, const char* name, long long low, long long high, long long* x) {
  PyObject* index = PyNumber_Index(o);
  if (!index) {
    // enumerators of older programs and 0-d arrays
    PyErr_Clear();
    PyObject* value = PyFloat_Check(o) ? NULL : PyNumber_Long(o);
    if (!value || PyUnicode_Check(o) || PyBytes_Check(o)) {
      Py_XDECREF(value);
      PyErr_Clear();
      return wrongType(o, name, "an integer");
    }
    index = value;
  }
  *x = PyLong_AsLongLong(index);
  Py_DECREF(index);
  if (*x == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_OverflowError, "%s is out of range", name);
    return -1;
  }
  if (*x < low || *x > high) {
    PyErr_Format(PyExc_OverflowError, "%s is %lld, allowed are %lld to %lld", name, *x, low, high);
    return -1;
  }
  return 0;
}


int to_number(PyObject* o, const char* name, double* x) {
  *x = PyFloat_AsDouble(o);
  if (*x == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return wrongType(o, name, "a number");
  }
  return 0;
}


int to_text(PyObject* o, const char* name, int nullable, const char** text) {
  if (o == Py_None && nullable) {
    *text = NULL;
    return 0;
  }
  Py_ssize_t n = 0;
  char* bytes = NULL;
  if (PyBytes_Check(o)) {
    PyBytes_AsStringAndSize(o, &bytes, &n);
    *text = bytes;
  } else if (PyUnicode_Check(o)) {
    *text = PyUnicode_AsUTF8AndSize(o, &n);
  } else {
    return wrongType(o, name, "a str");
  }
  if (*text && strlen(*text) != (size_t)n) {
    PyErr_Format(PyExc_ValueError, "%s contains a null character", name);
    *text = NULL;
  }
  return *text ? 0 : -1;
}


int to_struct(PyObject* o, const char* name, Desc* desc, int nullable, void** p) {
  if (o == Py_None && nullable) {
    *p = NULL;
    return 0;
  }
  if (!PyObject_TypeCheck(o, core_StructType) || ((Struct*)o)->desc != desc) {
    return wrongType(o, name, desc->name);
  }
  *p = ((Struct*)o)->p;
  return 0;
}


int to_cache(PyObject* o, const char* name, mjCache** cache) {
  *cache = PyCapsule_GetPointer(o, "mjCache");
  if (!*cache) {
    PyErr_Clear();
    return wrongType(o, name, "what mj_getCache returns");
  }
  return 0;
}


PyObject* cache_object(mjCache* cache) {
  return PyCapsule_New(cache, "mjCache", NULL);
}


PyObject* text_or_none(const char* text) {
  return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")
              : Py_NewRef(Py_None);
}


// true if the elements of a buffer are of the type
static int suits(const Py_buffer* b, int type) {
  const char* format = b->format ? b->format : "B";
  if (format[0] == '@' || format[0] == '=' || format[0] == '<') {
    format++;
  }
  if (format[0] == 0 || format[1] != 0) {
    return 0;
  }
  switch (type) {
    case E_NUM:
      return format[0] == 'd';
    case E_FLOAT:
      return format[0] == 'f';
    case E_INT:
      return (format[0] == 'i' || format[0] == 'l') && b->itemsize == 4;
    case E_BYTE:
      return strchr("B?b", format[0]) != NULL;
    default:
      return 0;
  }
}


static int shapeOnly(Array* a, PyObject* o, int out) {
  return PyObject_GetBuffer(o, &a->b,
                            PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (out ? PyBUF_WRITABLE : 0));
}


// Contiguous memory of an array argument. Results are written in place, so they must be arrays of
// the right type; anything that NumPy can convert without loss serves as input.
int to_array(PyObject* o, const char* name, int type, int out, int nullable, Array* a) {
  static const char* const type_name[E_COUNT] = {"S1",    "uint8",  "int32",   "uint32",
                                                 "int64", "uint64", "float32", "float64"};
  a->type = type;
  if (o == Py_None) {
    if (nullable) {
      return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s must not be None", name);
    return -1;
  }
  if (shapeOnly(a, o, out) == 0) {
    if (suits(&a->b, type)) {
      goto found;
    }
    PyBuffer_Release(&a->b);
  }
  PyErr_Clear();
  a->b.obj = NULL;
  a->b.buf = NULL;
  if (out) {
    PyErr_Format(PyExc_TypeError,
                 "%s must be a writable, contiguous array of %s: it receives a result", name,
                 type_name[type]);
    return -1;
  }
  PyObject* array = PyObject_CallMethod(core_numpy, "ascontiguousarray", "O", o);
  PyObject* astype = array ? PyObject_GetAttrString(array, "astype") : NULL;
  PyObject* args = Py_BuildValue("(O)", core_dtypes[type]);
  PyObject* kwargs = Py_BuildValue("{s:s}", "casting", type == E_BYTE ? "unsafe" : "same_kind");
  a->copy = astype && args && kwargs ? PyObject_Call(astype, args, kwargs) : NULL;
  Py_XDECREF(array);
  Py_XDECREF(astype);
  Py_XDECREF(args);
  Py_XDECREF(kwargs);
  if (!a->copy || shapeOnly(a, a->copy, 0) || !suits(&a->b, type)) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s cannot be converted to an array of %s", name,
                 type_name[type]);
    return -1;
  }
found:
  if (a->b.ndim > 2 || a->b.len / a->b.itemsize > INT_MAX) {
    PyErr_Format(PyExc_ValueError, "%s must have one or two dimensions", name);
    return -1;
  }
  return 0;
}


void end_array(Array* a) {
  if (a->b.obj) {
    PyBuffer_Release(&a->b);
  }
  Py_XDECREF(a->copy);
}


Py_ssize_t array_length(const Array* a) {
  return a->b.obj ? a->b.len / a->b.itemsize : 0;
}


Py_ssize_t array_rows(const Array* a) {
  return a->b.obj && a->b.ndim == 2 ? a->b.shape[0] : array_length(a);
}


Py_ssize_t array_cols(const Array* a) {
  return a->b.obj && a->b.ndim == 2 ? a->b.shape[1] : 1;
}


int check_length(const Array* a, const char* name, long long rows, long long cols) {
  if (!a->b.obj) {
    return 0;
  }
  // a negative count of either stands for nothing
  const long long n = rows > 0 && cols > 0 ? rows * cols : 0;
  if (array_length(a) == n &&
      (cols == 1 || a->b.ndim == 1 || (a->b.shape[0] == rows && a->b.shape[1] == cols))) {
    return 0;
  }
  if (a->b.ndim == 2) {
    PyErr_Format(PyExc_TypeError, "%s should have shape (%lld, %lld), got (%zd, %zd)", name, rows,
                 cols, a->b.shape[0], a->b.shape[1]);
  } else {
    PyErr_Format(PyExc_TypeError, "%s should be of length %lld, got %zd", name, n, array_length(a));
  }
  return -1;
}


int check_state(const Array* a, const char* name, long long size, const char* expression) {
  if (array_length(a) == size) {
    return 0;
  }
  PyErr_Format(PyExc_TypeError, "%s size should equal %s", name, expression);
  return -1;
}


int check_range(const char* name, long long x, long long low, long long high) {
  if (x >= low && x < high) {
    return 0;
  }
  if (high <= low) {
    PyErr_Format(PyExc_IndexError, "%s is %lld, but there are none", name, x);
  } else {
    PyErr_Format(PyExc_IndexError, "%s is %lld, allowed are %lld to %lld", name, x, low, high - 1);
  }
  return -1;
}


int check_indices(const Array* a, const char* name, long long high) {
  const int* x = a->b.buf;
  for (Py_ssize_t i = 0; i < array_length(a); i++) {
    if (x[i] < 0 || x[i] >= high) {
      PyErr_Format(PyExc_IndexError, "%s[%zd] is %d, allowed are 0 to %lld", name, i, x[i],
                   high - 1);
      return -1;
    }
  }
  return 0;
}


// true if compressed rows stay inside their arrays
int check_sparse(const Array* rownnz, const Array* rowadr, const Array* colind, long long nr,
                 long long nc, long long room) {
  const int *nnz = rownnz->b.buf, *adr = rowadr->b.buf, *col = colind->b.buf;
  if (!nnz && !adr && !col) {
    return 0;
  }
  if (!nnz || !adr || !col) {
    PyErr_SetString(PyExc_TypeError, "give all of rownnz, rowadr and colind, or none");
    return -1;
  }
  for (long long r = 0; r < nr; r++) {
    if (nnz[r] < 0 || adr[r] < 0 || (long long)adr[r] + nnz[r] > room) {
      PyErr_Format(PyExc_IndexError, "row %lld reaches from %d over %d entries, there are %lld", r,
                   adr[r], nnz[r], room);
      return -1;
    }
    for (int i = adr[r]; i < adr[r] + nnz[r]; i++) {
      if (col[i] < 0 || col[i] >= nc) {
        PyErr_Format(PyExc_IndexError, "colind[%d] is %d, allowed are 0 to %lld", i, col[i],
                     nc - 1);
        return -1;
      }
    }
  }
  return 0;
}
