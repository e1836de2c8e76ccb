// The module _core of wheels for x86-64. It loads the build of the library that fits the processor,
// then the extension proper, which finds that build in the process by its name.
//
// libcortenforge.so.0 needs AVX and uses AVX2 and AVX-512 where there are; libcortenforge-sse2.so.0
// has the same name inside and runs on every x86-64 processor.
#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define BASELINE "libcortenforge-sse2.so.0"
#define EXTENSION "_engine.so"

static void* openBeside(const char* file) {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr((const void*)(uintptr_t)openBeside, &info) || !info.dli_fname) {
    return NULL;
  }
  const char* slash = strrchr(info.dli_fname, '/');
  const int folder = slash ? (int)(slash - info.dli_fname) : 0;
  const int length =
      slash ? snprintf(path, sizeof(path), "%.*s/%s", folder, info.dli_fname, file) : -1;
  return length > 0 && length < (int)sizeof(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}


// the function that makes the module, of the extension proper
static PyObject* (*findInit(void))(void) {
  if (!__builtin_cpu_supports("avx") && !openBeside(BASELINE)) {
    return NULL;
  }
  void* extension = openBeside(EXTENSION);
  return extension ? (PyObject * (*)(void))(uintptr_t)dlsym(extension, "PyInit__core") : NULL;
}


PyMODINIT_FUNC PyInit__core(void) {
  PyObject* (*init)(void) = findInit();
  if (!init) {
    const char* reason = dlerror();
    PyErr_Format(PyExc_ImportError, "the library of cortenforge cannot be loaded: %s",
                 reason ? reason : "its folder is not known");
    return NULL;
  }
  return init();
}
