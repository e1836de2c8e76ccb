// Contacts and constraint rows of a given number in MjData: for programs that fill them from
// elsewhere, as MJX does.
#include "core.h"

// exported by the library, as by MuJoCo's, and in no header
void* mj_arenaAllocByte(mjData* d, size_t bytes, size_t alignment);


// rows of constraints, less those that only some solvers have
static int isRowField(const mjModel* m, const char* name) {
  if (strncmp(name, "efc_AR", 6) == 0) {
    return mj_isDual(m);
  }
  return (strncmp(name, "efc_", 4) == 0 && strcmp(name, "efc_island") != 0) ||
         strcmp(name, "contact") == 0 || strcmp(name, "tendon_efcadr") == 0;
}


static void clearRows(mjData* d, const Field* fields, int nfield) {
  d->parena = 0;
  d->ncon = d->nefc = d->nisland = d->nidof = 0;
  for (int i = 0; i < nfield; i++) {
    if (fields[i].kind == F_STEP) {
      *(void**)((char*)d + fields[i].offset) = NULL;
    }
  }
}


// Take the arrays from the arena, filled with zeros; false if it is too small.
static int takeRows(const mjModel* m, mjData* d, const Field* fields, int nfield) {
  for (int i = 0; i < nfield; i++) {
    const Field* f = &fields[i];
    if (f->kind != F_STEP || !isRowField(m, f->name)) {
      continue;
    }
    mjtSize n[2];
    f->sizes(m, d, n);
    const size_t bytes = (size_t)(n[0] * n[1]) * f->size;
    void* p = bytes ? mj_arenaAllocByte(d, bytes, sizeof(mjtNum)) : NULL;
    if (bytes && !p) {
      return 0;
    }
    if (p) {
      memset(p, 0, bytes);
    }
    *(void**)((char*)d + f->offset) = p;
  }
  return 1;
}


// realloc_con_efc(d, ncon, nefc, nJ=-1)
static PyObject* reallocRows(PyObject* self, PyObject* args, PyObject* kw) {
  static char* names[] = {"d", "ncon", "nefc", "nJ", NULL};
  PyObject* data;
  int ncon, nefc, nJ = -1, nfield;
  mjData* d;
  (void)self;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "Oii|i:_realloc_con_efc", names, &data, &ncon, &nefc,
                                   &nJ) ||
      to_data(data, "d", NULL, &d)) {
    return NULL;
  }
  core_lastData = NULL;
  if (ncon < 0 || nefc < 0 || nJ < -1) {
    return PyErr_Format(PyExc_ValueError, "ncon, nefc and nJ must not be negative");
  }
  const mjModel* m = ((Data*)data)->m;
  const Field* fields = core_dataFields(&nfield);
  clearRows(d, fields, nfield);
  d->ncon = ncon;
  d->nefc = nefc;
  d->nJ = nJ < 0 ? d->nJ : nJ;
  volatile int done = 0;
  GUARD(0, d, done = takeRows(m, d, fields, nfield), return NULL);
  if (!done) {
    clearRows(d, fields, nfield);
    d->nJ = nJ < 0 ? d->nJ : 0;
    return PyErr_Format(core_FatalError,
                        "Insufficient arena memory, currently allocated memory=\"%s\". "
                        "Increase using <size memory=\"X\"/>.",
                        mju_writeNumBytes((size_t)d->narena));
  }
  Py_RETURN_NONE;
}


int core_initRows(PyObject* module) {
  static PyMethodDef functions[] = {
      {"realloc_con_efc", (PyCFunction)(void (*)(void))reallocRows, METH_VARARGS | METH_KEYWORDS,
       "realloc_con_efc($module, d, ncon, nefc, nJ=-1)\n--\n\nMake room for contacts and "
       "constraint rows, filled with zeros."},
      {0}};
  return PyModule_AddFunctions(module, functions);
}
