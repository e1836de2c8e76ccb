// Shared declarations of the Python extension: descriptors of fields, objects that own memory,
// guarded calls.
//
// The extension uses the limited API of Python 3.11, so that one binary runs on every later
// version; free-threaded builds have no limited API and are compiled with CF_FULL_API.
#ifndef CF_PYTHON_CORE_H_
#define CF_PYTHON_CORE_H_

#ifndef CF_FULL_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <limits.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include <cortenforge/cortenforge.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

// element types of arrays, in the order of core_dtypes
enum {
  E_CHAR,
  E_BYTE,
  E_INT,
  E_UINT,
  E_SIZE,
  E_UNSIGNED,
  E_FLOAT,
  E_NUM,
  E_COUNT,
  E_NONE = E_COUNT  // structs and texts
};

// where and how a field is stored
enum {
  F_SCALAR,          // number by value
  F_SIZE,            // number by value that cannot be set
  F_INLINE,          // array by value
  F_ARRAY,           // array through a pointer that stays
  F_STEP,            // array through a pointer that each step sets
  F_POINTER,         // array through a pointer, length by Field.count
  F_STRUCT,          // struct by value
  F_STRUCTS,         // array of structs by value
  F_STRUCT_POINTER,  // array of structs through a pointer, length by Field.count
  F_REFERENCE,       // pointer to one struct
  F_ELEMENT,         // mjsElement*
  F_TEXT,
  F_TEXTS,  // char[n], char[m][n]
  F_STRING,
  F_STRINGS,
  F_INTS,
  F_FLOATS,
  F_DOUBLES,
  F_INTLISTS,
  F_FLOATLISTS,
  F_BYTES  // handles of mjspec.h
};

typedef struct Desc Desc;
typedef struct {
  const char* name;
  const char* doc;
  int kind, type;
  size_t size;  // bytes per element
  size_t offset;
  int ndim;
  Py_ssize_t shape[3];  // of arrays by value
  int index;            // slot in the cache of arrays
  void (*sizes)(const mjModel* m, const mjData* d, mjtSize* s);
  Desc* desc;  // of structs
  Py_ssize_t (*count)(const void* p);
} Field;

struct Desc {
  const char* name;
  size_t size;
  Field* fields;
  int nfield;
  void (*fill)(void* p);  // default values
  void (*end)(void* p);   // frees what the struct holds
  PyTypeObject* type;
  PyObject* dtype;  // of arrays of this struct
};

typedef struct {
  const char *enumeration, *name;
  long value;
} EnumValue;
typedef struct {
  const char *name, *doc;
} EnumName;
typedef struct {
  const char* name;
  double value;
  int whole;
} Constant;

// ---- objects

// memory that arrays stand on: a part of what `owner` keeps alive
typedef struct {
  PyObject_HEAD PyObject* owner;
  void* ptr;
  Py_ssize_t n;
} View;

// the engine's objects; everything that refers to them holds one of these
typedef struct {
  PyObject_HEAD mjModel* m;
} ModelMemory;

typedef struct {
  PyObject_HEAD mjData* d;
  PyObject* model;  // ModelMemory it was made for
  mjtSize* sizes;   // of that model
  PyObject* owner;  // what frees `d`; NULL: this object
} DataMemory;

typedef struct {
  PyObject_HEAD void* p;
  Desc* desc;
  PyObject* owner;  // extra reference of structs that own memory
} StructMemory;

typedef struct {
  PyObject_HEAD void* p;
  Desc* desc;
  PyObject* mem;
  PyObject** cache;
  PyObject* weak;
} Struct;

typedef struct {
  PyObject_HEAD char* p;
  Py_ssize_t n;
  Desc* desc;
  PyObject* mem;
  PyObject* array;  // the same as a structured array
  mjData* live;     // of contacts: the list follows the step; else NULL
} StructList;

typedef struct {
  PyObject_HEAD mjModel* m;
  PyObject* mem;
  PyObject* weak;
  PyObject* extra;  // what the package keeps with the object
  PyObject** cache;
} Model;

typedef struct {
  PyObject_HEAD mjData* d;
  mjModel* m;
  PyObject* mem;
  PyObject* model;
  PyObject* weak;
  PyObject* extra;  // what the package keeps with the object
  PyObject** cache;
  void** at;  // where the arrays of a step were when they were cached
  mjtSize* count;
} Data;

extern PyTypeObject *core_ViewType, *core_StructType, *core_StructListType, *core_ModelType,
    *core_DataType, *core_ModelMemoryType, *core_DataMemoryType, *core_StructMemoryType;
extern PyObject *core_dtypes[E_COUNT], *core_ndarray, *core_numpy;
extern PyObject *core_FatalError, *core_ModelError, *core_EngineWarning;

PyTypeObject* core_makeType(const char* name, size_t size, int flags, PyType_Slot* slots);

// ---- arrays (arrays.c)
int core_initArrays(PyObject* module);
PyObject* core_makeArray(PyObject* owner, void* ptr, PyObject* dtype, size_t size, int ndim,
                         const Py_ssize_t* shape);
int core_exportMemory(PyObject* o, Py_buffer* b, int flags);
PyObject* core_getNumber(const Field* f, const void* p);
int core_setNumber(const Field* f, void* p, PyObject* x);
int core_assign(PyObject* array, PyObject* x);

// ---- structs (structs.c)
int core_initStructs(PyObject* module);
int core_makeStructType(PyObject* module, Desc* desc);
PyObject* core_wrapStruct(Desc* desc, void* p, PyObject* mem);
PyObject* core_structCopy(Desc* desc, const void* p);
PyObject* core_wrapList(Desc* desc, void* p, Py_ssize_t n, PyObject* mem);
PyObject* core_liveList(Desc* desc, mjData* d, PyObject* mem);  // contacts
int core_setStruct(Desc* desc, void* p, PyObject* x, const char* name, PyObject* mem);

// ---- model and data (model.c, data.c)
int core_initModel(PyObject* module, Field* fields, int nfield, int nslot, Field* mfields);
int core_initData(PyObject* module, Field* fields, int nfield, int nslot, const size_t* sizes,
                  int nsizes);
PyObject* core_wrapModel(mjModel* m, PyObject* owner);
PyObject* core_referData(mjData* d, PyObject* model, PyObject* owner);
int core_initBatch(PyObject* module);
int core_initWindow(PyObject* module);
int core_initSimulations(PyObject* module);
int core_initRows(PyObject* module);
const Field* core_dataFields(int* n);
PyObject* core_wrapData(PyTypeObject* type, mjData* d, PyObject* model);

// ---- specs (spec.c)
int core_initSpec(PyObject* module);
PyObject* core_specGet(Struct* s, const Field* f);
int core_specSet(Struct* s, const Field* f, PyObject* x);
PyObject* core_wrapSpec(mjSpec* spec);
PyObject* core_xmlDependencies(const char* path);
int core_openFiles(mjVFS* vfs, PyObject* assets);
int to_element(PyObject* o, const char* name, int nullable, mjsElement** element);
int same_spec(PyObject* a, PyObject* b);
Desc* core_elementDesc(const mjsElement* e, void** p);  // struct of an element; NULL if it has none
PyObject* wrap_element(PyObject* from, mjsElement* e);
PyObject* wrap_part(PyObject* from, Desc* desc, void* p);

// ---- calls of the engine (guard.c)

// One call of the engine: errors jump back to it, warnings are kept until Python runs again.
typedef struct Guard_ {
  jmp_buf here;
  struct Guard_* outer;
  void (*error)(const char*);
  void (*warning)(const char*);
  PyThreadState* thread;  // NULL while the call keeps the GIL
  mjData* d;
  size_t pstack, pbase;
  int nwarning;
  int quiet;                             // the warning is part of an exception
  PyObject *model_object, *data_object;  // that the call was given, borrowed
} Guard;

// release: 0 keep the GIL, 1 release it, 2 release it and keep the warning for core_warningText
void core_enter(Guard* g, mjData* d, int release);
int core_leave(Guard* g, int failed);  // 0; -1 with an exception
extern PyObject* core_userWarning;     // what receives warnings instead of the module `warnings`
extern _Thread_local PyObject *core_lastModel,
    *core_lastData;  // arguments of the call that is being prepared
const Guard* core_innermost(void);
void core_escape(void) __attribute__((noreturn));  // leave the innermost call; an exception is set
int core_initContext(PyObject* module);
int core_initCallbacks(PyObject* module);
const char* core_warningText(void);  // of the last call of this thread, empty if it gave none
int core_raiseModelError(const char* text, const char* file);

#define GUARD(release, data, call, otherwise) \
  do {                                        \
    Guard guard_;                             \
    core_enter(&guard_, (data), (release));   \
    const int failed_ = _setjmp(guard_.here); \
    if (!failed_) {                           \
      call;                                   \
    }                                         \
    if (core_leave(&guard_, failed_)) {       \
      otherwise;                              \
    }                                         \
  } while (0)

// ---- arguments (arguments.c)
typedef struct {
  Py_buffer b;
  PyObject* copy;
  int type;
} Array;

int arguments(const char* function, const char* const* names, int n, int need, PyObject* const* a,
              Py_ssize_t na, PyObject* kw, PyObject** out);
int to_model(PyObject* o, const char* name, mjModel** m);
int to_data(PyObject* o, const char* name, const mjModel* m, mjData** d);
int to_int(PyObject* o, const char* name, long long low, long long high, long long* x);
int to_number(PyObject* o, const char* name, double* x);
int to_text(PyObject* o, const char* name, int nullable, const char** text);
int to_struct(PyObject* o, const char* name, Desc* desc, int nullable, void** p);
int to_cache(PyObject* o, const char* name, mjCache** cache);
PyObject* cache_object(mjCache* cache);
PyObject* text_or_none(const char* text);
int to_array(PyObject* o, const char* name, int type, int out, int nullable, Array* a);
void end_array(Array* a);
Py_ssize_t array_length(const Array* a);
Py_ssize_t array_rows(const Array* a);
Py_ssize_t array_cols(const Array* a);
int check_length(const Array* a, const char* name, long long rows, long long cols);
int check_state(const Array* a, const char* name, long long size, const char* expression);
int check_range(const char* name, long long x, long long low, long long high);
int check_indices(const Array* a, const char* name, long long high);
int check_sparse(const Array* rownnz, const Array* rowadr, const Array* colind, long long nr,
                 long long nc, long long room);
#define struct_copy core_structCopy

// free-threaded Python: one thread at a time fills the cache of an object
#ifdef Py_GIL_DISABLED
#define LOCK(o) Py_BEGIN_CRITICAL_SECTION(o)
#define UNLOCK() Py_END_CRITICAL_SECTION()
#else
#define LOCK(o) {
#define UNLOCK() }
#endif

#endif  // CF_PYTHON_CORE_H_
