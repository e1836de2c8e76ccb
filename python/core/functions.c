// Functions of the C API: wrappers generated from src/tables/functions.def and parameters.def, and
// a few by hand.
#include "core.h"

#include <stdlib.h>

#include "python_tables.h"

#define HAND(name)                                                                      \
  static PyObject* py_##name(PyObject* self, PyObject* const* args_, Py_ssize_t nargs_, \
                             PyObject* kw_)


HAND(mj_step) {
  static const char* const names[] = {"m", "d", "nstep"};
  PyObject* o[3];
  mjModel* m;
  mjData* d;
  long long n = 1;
  (void)self;
  if (arguments("mj_step", names, 3, 2, args_, nargs_, kw_, o) || to_model(o[0], "m", &m) ||
      to_data(o[1], "d", m, &d) ||
      (o[2] != Py_None && to_int(o[2], "nstep", INT_MIN, INT_MAX, &n))) {
    return NULL;
  }
  GUARD(1, d, for (long long i = 0; i < n; i++) mj_step(m, d), return NULL);
  Py_RETURN_NONE;
}


HAND(mj_copyData) {
  static const char* const names[] = {"dest", "m", "src"};
  PyObject* o[3];
  mjModel* m;
  mjData *to, *from;
  (void)self;
  if (arguments("mj_copyData", names, 3, 3, args_, nargs_, kw_, o) || to_model(o[1], "m", &m) ||
      to_data(o[0], "dest", m, &to) || to_data(o[2], "src", m, &from)) {
    return NULL;
  }
  GUARD(1, NULL, mj_copyData(to, m, from), return NULL);
  return Py_NewRef(o[0]);
}


HAND(mj_saveLastXML) {
  static const char* const names[] = {"filename", "m"};
  PyObject* o[2];
  mjModel* m;
  const char* path;
  char error[1000] = "";
  int done = 0;
  (void)self;
  if (arguments("mj_saveLastXML", names, 2, 2, args_, nargs_, kw_, o) ||
      to_text(o[0], "filename", 0, &path) || to_model(o[1], "m", &m)) {
    return NULL;
  }
  GUARD(1, NULL, done = mj_saveLastXML(path, m, error, sizeof(error)), return NULL);
  if (!done) {
    PyErr_SetString(core_FatalError, error[0] ? error : "no model was read from XML");
    return NULL;
  }
  Py_RETURN_NONE;
}


HAND(mj_saveModel) {
  static const char* const names[] = {"m", "filename", "buffer"};
  PyObject* o[3];
  mjModel* m;
  const char* path = NULL;
  Py_buffer b = {0};
  (void)self;
  if (arguments("mj_saveModel", names, 3, 1, args_, nargs_, kw_, o) || to_model(o[0], "m", &m) ||
      to_text(o[1], "filename", 1, &path)) {
    return NULL;
  }
  if (o[2] != Py_None) {
    if (PyObject_GetBuffer(o[2], &b, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)) {
      return NULL;
    }
    if (b.len < mj_sizeModel(m)) {
      PyErr_Format(PyExc_ValueError, "buffer has %zd bytes, the model needs %lld", b.len,
                   (long long)mj_sizeModel(m));
      PyBuffer_Release(&b);
      return NULL;
    }
  } else if (!path) {
    return PyErr_Format(PyExc_TypeError, "mj_saveModel needs a filename or a buffer");
  }
  int bad = 0;
  GUARD(1, NULL, mj_saveModel(m, path, b.buf, b.len > INT_MAX ? INT_MAX : (int)b.len), bad = 1);
  if (b.obj) {
    PyBuffer_Release(&b);
  }
  return bad ? NULL : Py_NewRef(Py_None);
}


HAND(mj_setLengthRange) {
  static const char* const names[] = {"m", "d", "index", "opt"};
  PyObject* o[4];
  mjModel* m;
  mjData* d;
  mjLROpt* opt;
  long long index;
  char error[1000] = "";
  int done = 0;
  (void)self;
  if (arguments("mj_setLengthRange", names, 4, 4, args_, nargs_, kw_, o) ||
      to_model(o[0], "m", &m) || to_data(o[1], "d", m, &d) ||
      to_int(o[2], "index", INT_MIN, INT_MAX, &index) ||
      to_struct(o[3], "opt", &desc_mjLROpt, 0, (void**)&opt) ||
      check_range("index", index, 0, m->nu)) {
    return NULL;
  }
  GUARD(1, d, done = mj_setLengthRange(m, d, (int)index, opt, error, sizeof(error)), return NULL);
  if (!done) {
    PyErr_SetString(core_FatalError, error);
    return NULL;
  }
  Py_RETURN_NONE;
}


HAND(mju_getXMLDependencies) {
  static const char* const names[] = {"filename"};
  PyObject* o[1];
  const char* path;
  (void)self;
  if (arguments("mju_getXMLDependencies", names, 1, 1, args_, nargs_, kw_, o) ||
      to_text(o[0], "filename", 0, &path)) {
    return NULL;
  }
  return core_xmlDependencies(path);
}


HAND(mj_printSchema) {
  static const char* const names[] = {"flg_html", "flg_pad"};
  PyObject* o[2];
  long long html, pad;
  enum { ROOM = 1 << 20 };
  int n = 0;
  (void)self;
  if (arguments("mj_printSchema", names, 2, 2, args_, nargs_, kw_, o) ||
      to_int(o[0], "flg_html", INT_MIN, INT_MAX, &html) ||
      to_int(o[1], "flg_pad", INT_MIN, INT_MAX, &pad)) {
    return NULL;
  }
  char* text = calloc(ROOM, 1);
  if (!text) {
    return PyErr_NoMemory();
  }
  GUARD(0, NULL, n = mj_printSchema(NULL, text, ROOM, (int)html, (int)pad), free(text);
        return NULL);
  PyObject* result =
      n > 0 ? text_or_none(text) : PyErr_Format(core_FatalError, "the schema could not be written");
  free(text);
  return result;
}


HAND(mj_loadAllPluginLibraries) {
  static const char* const names[] = {"directory"};
  PyObject* o[1];
  const char* path;
  (void)self;
  if (arguments("mj_loadAllPluginLibraries", names, 1, 1, args_, nargs_, kw_, o) ||
      to_text(o[0], "directory", 0, &path)) {
    return NULL;
  }
  GUARD(1, NULL, mj_loadAllPluginLibraries(path, NULL), return NULL);
  Py_RETURN_NONE;
}


// The stored reading is copied into `result`, so that it holds the reading in either case.
HAND(mj_readSensor) {
  static const char* const names[] = {"m", "d", "id", "time", "result", "interp"};
  PyObject *o[6], *out = NULL;
  mjModel* m;
  mjData* d;
  long long id, interp;
  double time;
  Array a = {{0}};
  (void)self;
  if (arguments("mj_readSensor", names, 6, 6, args_, nargs_, kw_, o) || to_model(o[0], "m", &m) ||
      to_data(o[1], "d", m, &d) || to_int(o[2], "id", INT_MIN, INT_MAX, &id) ||
      to_number(o[3], "time", &time) || to_int(o[5], "interp", INT_MIN, INT_MAX, &interp) ||
      to_array(o[4], "result", E_NUM, 1, 0, &a) || check_range("id", id, 0, m->nsensor) ||
      check_length(&a, "result", m->sensor_dim[id], 1)) {
    goto end;
  }
  const mjtNum* stored = NULL;
  GUARD(0, d, stored = mj_readSensor(m, d, (int)id, time, a.b.buf, (int)interp), goto end);
  if (stored) {
    memcpy(a.b.buf, stored, (size_t)m->sensor_dim[id] * sizeof(mjtNum));
  }
  out = Py_NewRef(o[4]);
end:
  end_array(&a);
  return out;
}


// pixels as bytes and depths as floats, either may be None
static int pixels(PyObject* const o[4], int out, Array* rgb, Array* depth, mjrRect** viewport,
                  mjrContext** con) {
  if (to_array(o[0], "rgb", E_BYTE, out, 1, rgb) ||
      to_array(o[1], "depth", E_FLOAT, out, 1, depth) ||
      to_struct(o[2], "viewport", &desc_mjrRect, 0, (void**)viewport) ||
      to_struct(o[3], "con", &desc_mjrContext, 0, (void**)con)) {
    return -1;
  }
  const long long n = (long long)(*viewport)->width * (*viewport)->height;
  if ((*viewport)->width < 0 || (*viewport)->height < 0 ||
      (rgb->b.obj && array_length(rgb) != 3 * n) || (depth->b.obj && array_length(depth) != n)) {
    PyErr_Format(PyExc_TypeError, "rgb needs %lld bytes and depth %lld floats for this viewport",
                 3 * n, n);
    return -1;
  }
  return 0;
}


// images are (height, width, 3); arrays of other functions have two dimensions at most
static PyObject* flat(PyObject* o) {
  PyObject* result = o == Py_None ? Py_NewRef(o) : PyObject_CallMethod(o, "reshape", "i", -1);
  return result;
}


static PyObject* movePixels(const char* name, int out, PyObject* const* a, Py_ssize_t na,
                            PyObject* kw) {
  static const char* const names[] = {"rgb", "depth", "viewport", "con"};
  PyObject *o[4], *result = NULL, *rgb_flat, *depth_flat;
  Array rgb = {{0}}, depth = {{0}};
  mjrRect* viewport;
  mjrContext* con;
  if (arguments(name, names, 4, 4, a, na, kw, o)) {
    return NULL;
  }
  o[0] = rgb_flat = flat(o[0]);
  o[1] = depth_flat = rgb_flat ? flat(o[1]) : NULL;
  if (!rgb_flat || !depth_flat || pixels(o, out, &rgb, &depth, &viewport, &con)) {
    goto end;
  }
  if (out) {
    GUARD(0, NULL, mjr_readPixels(rgb.b.buf, depth.b.buf, *viewport, con), goto end);
  } else {
    GUARD(0, NULL, mjr_drawPixels(rgb.b.buf, depth.b.buf, *viewport, con), goto end);
  }
  result = Py_NewRef(Py_None);
end:
  end_array(&rgb);
  end_array(&depth);
  Py_XDECREF(rgb_flat);
  Py_XDECREF(depth_flat);
  return result;
}


HAND(mjr_readPixels) {
  (void)self;
  return movePixels("mjr_readPixels", 1, args_, nargs_, kw_);
}


HAND(mjr_drawPixels) {
  (void)self;
  return movePixels("mjr_drawPixels", 0, args_, nargs_, kw_);
}


HAND(mjs_bodyToFrame) {
  static const char* const names[] = {"body"};
  PyObject* o[1];
  mjsBody* body;
  mjsFrame* volatile frame = NULL;
  (void)self;
  if (arguments("mjs_bodyToFrame", names, 1, 1, args_, nargs_, kw_, o) ||
      to_struct(o[0], "body", &desc_mjsBody, 0, (void**)&body)) {
    return NULL;
  }
  GUARD(0, NULL, frame = mjs_bodyToFrame(&body), return NULL);
  return wrap_part(o[0], &desc_mjsFrame, frame);
}


HAND(mjs_makeMesh) {
  static const char* const names[] = {"mesh", "builtin", "params"};
  PyObject *o[3], *out = NULL;
  mjsMesh* mesh;
  long long builtin;
  Array a = {{0}};
  volatile int failed = 0;
  (void)self;
  if (arguments("mjs_makeMesh", names, 3, 3, args_, nargs_, kw_, o) ||
      to_struct(o[0], "mesh", &desc_mjsMesh, 0, (void**)&mesh) ||
      to_int(o[1], "builtin", INT_MIN, INT_MAX, &builtin) ||
      to_array(o[2], "params", E_NUM, 0, 0, &a)) {
    goto end;
  }
  GUARD(0, NULL,
        failed = mjs_makeMesh(mesh, (mjtMeshBuiltin)builtin, a.b.buf, (int)array_length(&a)),
        goto end);
  out = PyLong_FromLong(failed);
end:
  end_array(&a);
  return out;
}


// struct of an element, by its kind
Desc* core_elementDesc(const mjsElement* element, void** p) {
  mjsElement* e = (mjsElement*)element;
#define KIND(kind, struct_, as) \
  case kind:                    \
    *p = as(e);                 \
    return &desc_##struct_;
  switch ((int)e->elemtype) {
    KIND(mjOBJ_BODY, mjsBody, mjs_asBody)
    KIND(mjOBJ_XBODY, mjsBody, mjs_asBody)
    KIND(mjOBJ_GEOM, mjsGeom, mjs_asGeom)
    KIND(mjOBJ_JOINT, mjsJoint, mjs_asJoint)
    KIND(mjOBJ_SITE, mjsSite, mjs_asSite)
    KIND(mjOBJ_CAMERA, mjsCamera, mjs_asCamera)
    KIND(mjOBJ_LIGHT, mjsLight, mjs_asLight)
    KIND(mjOBJ_FRAME, mjsFrame, mjs_asFrame)
    KIND(mjOBJ_ACTUATOR, mjsActuator, mjs_asActuator)
    KIND(mjOBJ_SENSOR, mjsSensor, mjs_asSensor)
    KIND(mjOBJ_FLEX, mjsFlex, mjs_asFlex)
    KIND(mjOBJ_PAIR, mjsPair, mjs_asPair)
    KIND(mjOBJ_EQUALITY, mjsEquality, mjs_asEquality)
    KIND(mjOBJ_EXCLUDE, mjsExclude, mjs_asExclude)
    KIND(mjOBJ_TENDON, mjsTendon, mjs_asTendon)
    KIND(mjOBJ_NUMERIC, mjsNumeric, mjs_asNumeric)
    KIND(mjOBJ_TEXT, mjsText, mjs_asText)
    KIND(mjOBJ_TUPLE, mjsTuple, mjs_asTuple)
    KIND(mjOBJ_KEY, mjsKey, mjs_asKey)
    KIND(mjOBJ_MESH, mjsMesh, mjs_asMesh)
    KIND(mjOBJ_HFIELD, mjsHField, mjs_asHField)
    KIND(mjOBJ_SKIN, mjsSkin, mjs_asSkin)
    KIND(mjOBJ_TEXTURE, mjsTexture, mjs_asTexture)
    KIND(mjOBJ_MATERIAL, mjsMaterial, mjs_asMaterial)
    KIND(mjOBJ_PLUGIN, mjsPlugin, mjs_asPlugin)
    case mjOBJ_MODEL:
      *p = NULL;
      return &desc_mjSpec;
    default:
      *p = NULL;
      return NULL;
  }
#undef KIND
}


#include "python_functions.h"


// (name, members) of every enumeration, documentation, and the constants, for the package to make
// classes of
static PyObject* enumerations(void) {
  PyObject* all = PyDict_New();
  for (int e = 0; all && e < COUNT(enum_names); e++) {
    PyObject *values = PyDict_New(), *pair;
    for (int i = 0; values && i < COUNT(enum_values); i++) {
      if (strcmp(enum_values[i].enumeration, enum_names[e].name) == 0) {
        PyObject* value = PyLong_FromLong(enum_values[i].value);
        PyDict_SetItemString(values, enum_values[i].name, value);
        Py_XDECREF(value);
      }
    }
    pair = Py_BuildValue("(sN)", enum_names[e].doc, values);
    PyDict_SetItemString(all, enum_names[e].name, pair);
    Py_XDECREF(pair);
  }
  return all;
}


static PyObject* constantTable(void) {
  PyObject* all = PyDict_New();
  for (int i = 0; all && i < COUNT(constants); i++) {
    PyObject* value = constants[i].whole ? PyLong_FromDouble(constants[i].value)
                                         : PyFloat_FromDouble(constants[i].value);
    PyDict_SetItemString(all, constants[i].name, value);
    Py_XDECREF(value);
  }
  return all;
}


static PyObject* textTable(const char* const* texts, Py_ssize_t n, int columns) {
  PyObject* all = PyTuple_New(n);
  for (Py_ssize_t i = 0; all && i < n; i++) {
    const char* const* row = texts + i * columns;
    PyTuple_SetItem(
        all, i,
        columns == 1 ? text_or_none(row[0]) : Py_BuildValue("(sss)", row[0], row[1], row[2]));
  }
  return all;
}


int core_initFunctions(PyObject* module);


int core_initFunctions(PyObject* module) {
  for (int i = 0; i < COUNT(all_descs); i++) {
    if (core_makeStructType(module, all_descs[i])) {
      return -1;
    }
  }
  if (core_initModel(module, fields_mjModel, COUNT(fields_mjModel), slots_mjModel, NULL) ||
      core_initData(module, fields_mjData, COUNT(fields_mjData), slots_mjData, size_offsets,
                    COUNT(size_offsets)) ||
      PyModule_AddFunctions(module, generated_methods) ||
      PyModule_AddObject(module, "enumerations", enumerations()) ||
      PyModule_AddObject(module, "constants", constantTable())) {
    return -1;
  }
  PyObject* functions = PyTuple_New(COUNT(generated_methods) - 1);
  for (int i = 0; functions && i < COUNT(generated_methods) - 1; i++) {
    PyTuple_SetItem(functions, i, PyUnicode_FromString(generated_methods[i].ml_name));
  }
  return PyModule_AddObject(module, "functions", functions) ||
         PyModule_AddObject(module, "mjDISABLESTRING", textTable(mjDISABLESTRING, mjNDISABLE, 1)) ||
         PyModule_AddObject(module, "mjENABLESTRING", textTable(mjENABLESTRING, mjNENABLE, 1)) ||
         PyModule_AddObject(module, "mjTIMERSTRING", textTable(mjTIMERSTRING, mjNTIMER, 1)) ||
         PyModule_AddObject(module, "mjLABELSTRING", textTable(mjLABELSTRING, mjNLABEL, 1)) ||
         PyModule_AddObject(module, "mjFRAMESTRING", textTable(mjFRAMESTRING, mjNFRAME, 1)) ||
         PyModule_AddObject(module, "mjVISSTRING", textTable(&mjVISSTRING[0][0], mjNVISFLAG, 3)) ||
         PyModule_AddObject(module, "mjRNDSTRING", textTable(&mjRNDSTRING[0][0], mjNRNDFLAG, 3));
}
