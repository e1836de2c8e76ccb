// OpenGL without a screen, for pictures: the contexts of the command line as Python objects.
#include "core.h"

#include "offscreen.h"

typedef struct {
  PyObject_HEAD cliOffscreen o;
  int is_open;
} Context;


static PyObject* contextNew(PyTypeObject* type, PyObject* args, PyObject* kw) {
  static char* names[] = {"max_width", "max_height", NULL};
  int width = 0, height = 0;
  char why[256] = "";
  if (!PyArg_ParseTupleAndKeywords(args, kw, "|ii:GLContext", names, &width, &height)) {
    return NULL;
  }
  if (width < 0 || height < 0 || width > 16384 || height > 16384) {
    return PyErr_Format(PyExc_ValueError,
                        "the size of a context must be between 0 and 16384, not %d x %d", width,
                        height);
  }
  Context* s = (Context*)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (s && !cli_openOffscreen(&s->o, width, height, why)) {
    Py_DECREF(s);
    return PyErr_Format(PyExc_RuntimeError, "%s", why);
  }
  if (s) {
    s->is_open = 1;
  }
  return (PyObject*)s;
}


static PyObject* contextFree(PyObject* o, PyObject* unused) {
  Context* s = (Context*)o;
  (void)unused;
  if (s->is_open) {
    s->is_open = 0;
    cli_closeOffscreen(&s->o);
  }
  Py_RETURN_NONE;
}


static PyObject* makeCurrent(PyObject* o, PyObject* unused) {
  Context* s = (Context*)o;
  (void)unused;
  if (!s->is_open || !cli_useOffscreen(&s->o)) {
    return PyErr_Format(PyExc_RuntimeError, s->is_open ? "the context cannot be used in this thread"
                                                       : "the context was freed");
  }
  Py_RETURN_NONE;
}


static void contextDealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_XDECREF(contextFree(o, NULL));
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
  Py_DECREF(type);
}


int core_initContext(PyObject* module) {
  static PyMethodDef methods[] = {{"make_current", makeCurrent, METH_NOARGS,
                                   "make_current($self)\n--\n\nUse the context in this thread."},
                                  {"free", contextFree, METH_NOARGS,
                                   "free($self)\n--\n\nGive the context back; again does nothing."},
                                  {0}};
  PyType_Slot slots[] = {{Py_tp_dealloc, contextDealloc},
                         {Py_tp_new, contextNew},
                         {Py_tp_methods, methods},
                         {0, NULL}};
  PyTypeObject* type = core_makeType("cortenforge._core.GLContext", sizeof(Context), 0, slots);
  return type ? PyModule_AddObjectRef(module, "GLContext", (PyObject*)type) : -1;
}
