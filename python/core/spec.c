// Editable models: elements of mjSpec.
#include "core.h"

PyObject* core_specGet(Struct* s, const Field* f);
int core_specSet(Struct* s, const Field* f, PyObject* x);
int core_specAlive(Struct* s);


int core_specAlive(Struct* s) {
  (void)s;
  return 0;
}


PyObject* core_specGet(Struct* s, const Field* f) {
  (void)s;
  return PyErr_Format(PyExc_NotImplementedError, "%s of specs is not in the Python package yet",
                      f->name);
}


int core_specSet(Struct* s, const Field* f, PyObject* x) {
  (void)s;
  (void)x;
  PyErr_Format(PyExc_NotImplementedError, "%s of specs is not in the Python package yet", f->name);
  return -1;
}
