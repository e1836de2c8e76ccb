// The module _core: types, functions, enumerations and exceptions.
#include "core.h"

PyObject *core_FatalError, *core_ModelError, *core_EngineWarning;

int core_initFunctions(PyObject* module);


PyTypeObject* core_makeType(const char* name, size_t size, int flags, PyType_Slot* slots) {
  PyType_Spec spec = {name, (int)size, 0, (unsigned)(Py_TPFLAGS_DEFAULT | flags), slots};
  return (PyTypeObject*)PyType_FromSpec(&spec);
}


// exceptions are Python classes of the package, so that they carry fields and text
static int importErrors(void) {
  PyObject* errors = PyImport_ImportModule("cortenforge.errors");
  if (!errors) {
    return -1;
  }
  core_FatalError = PyObject_GetAttrString(errors, "FatalError");
  core_ModelError = PyObject_GetAttrString(errors, "ModelError");
  core_EngineWarning = PyObject_GetAttrString(errors, "EngineWarning");
  Py_DECREF(errors);
  return core_FatalError && core_ModelError && core_EngineWarning ? 0 : -1;
}


static int execModule(PyObject* module) {
  if (core_ModelType) {
    PyErr_SetString(PyExc_ImportError, "cortenforge runs in one interpreter of a process");
    return -1;
  }
  if (importErrors() || core_initArrays(module) || core_initStructs(module) ||
      core_initFunctions(module) || core_initRows(module) || core_initBatch(module) ||
      core_initCallbacks(module) || core_initSpec(module) || core_initContext(module) ||
      core_initWindow(module) || core_initSimulations(module)) {
    return -1;
  }
  return PyModule_AddStringConstant(module, "version", cf_versionString());
}


static PyModuleDef_Slot slots[] = {{Py_mod_exec, execModule},
#ifdef Py_GIL_DISABLED
                                   {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                                   {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "cortenforge._core",
                                        "The engine of CortenForge.",
                                        0,
                                        NULL,
                                        slots,
                                        NULL,
                                        NULL,
                                        NULL};


PyMODINIT_FUNC PyInit__core(void) {
  return PyModuleDef_Init(&definition);
}
