// Field tables as data: what the fields of mjModel, mjData and their parts are called, where they
// live and how long they are. Life cycle, printing, language bindings and comparison walk these
// arrays instead of naming fields.
//
// The tables themselves are the .def files in this folder. Code that needs the C type of a field
// includes them:
//
//   #define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc)  ...
//   #include "tables/data_fields.def"
//   #undef CF_FIELD
#ifndef CF_TABLES_FIELDS_H_
#define CF_TABLES_FIELDS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// element type of a field; the last part of the name is the C type
typedef enum {
  CF_TYPE_char,
  CF_TYPE_mjtByte,
  CF_TYPE_int,
  CF_TYPE_mjtSize,
  CF_TYPE_size_t,
  CF_TYPE_uint64_t,
  CF_TYPE_uintptr_t,
  CF_TYPE_float,
  CF_TYPE_mjtNum,
  CF_TYPE_mjContact,
  CF_TYPE_mjSolverStat,
  CF_TYPE_mjWarningStat,
  CF_TYPE_mjTimerStat,
} cftType;

// where the elements are
typedef enum {
  CF_HOME_BUFFER = 0,      // in the buffer of the struct
  CF_HOME_BULK = 1,        // in the buffer, not needed for drawing
  CF_HOME_ARENA = 2,       // in the arena of mjData, for one step
  CF_HOME_ARENA_BULK = 3,  // in the arena, not needed for drawing
  CF_HOME_VALUE = 4,       // inside the struct itself
} cftHome;

// who may write the field
typedef enum {
  CF_WRITER_COMPILE,       // the model compiler or the loader
  CF_WRITER_SETCONST,      // mj_setConst
  CF_WRITER_MAKE_DATA,     // mj_makeData
  CF_WRITER_MEMORY,        // arena and stack
  CF_WRITER_ANY,           // counters and flags touched by several stages
  CF_WRITER_INPUT,         // the caller; the integrator advances the state
  CF_WRITER_KIN,           // mj_kinematics
  CF_WRITER_COM,           // mj_comPos
  CF_WRITER_CAMLIGHT,      // mj_camlight
  CF_WRITER_FLEX,          // mj_flex
  CF_WRITER_TENDON,        // mj_tendon
  CF_WRITER_INERTIA,       // mj_makeM
  CF_WRITER_FACTOR,        // mj_factorM
  CF_WRITER_COLLISION,     // mj_collision
  CF_WRITER_MAKE,          // mj_makeConstraint
  CF_WRITER_ISLAND,        // mj_island
  CF_WRITER_PROJECT,       // mj_projectConstraint
  CF_WRITER_TRANSMISSION,  // mj_transmission
  CF_WRITER_SLEEP,         // sleep and wake
  CF_WRITER_VELOCITY,      // mj_fwdVelocity
  CF_WRITER_COMVEL,        // mj_comVel
  CF_WRITER_RNE,           // mj_rne
  CF_WRITER_PASSIVE,       // mj_passive
  CF_WRITER_REFERENCE,     // mj_referenceConstraint
  CF_WRITER_SUBTREE,       // mj_subtreeVel
  CF_WRITER_ENERGY,        // mj_energyPos, mj_energyVel
  CF_WRITER_ACTUATION,     // mj_fwdActuation
  CF_WRITER_ACCELERATION,  // mj_fwdAcceleration
  CF_WRITER_SOLVE,         // mj_fwdConstraint
  CF_WRITER_INVERSE,       // mj_inverse
  CF_WRITER_POSTRNE,       // mj_rnePostConstraint
  CF_WRITER_SENSOR,        // mj_sensorPos, mj_sensorVel, mj_sensorAcc
  CF_WRITER_DERIVATIVE,    // velocity derivatives of the implicit integrators
  CF_WRITER_INTEGRATE,     // mj_Euler, mj_implicit
} cftWriter;

// how two values of a field are compared
typedef enum {
  CF_COMPARE_EXACT,    // equal
  CF_COMPARE_ABS,      // close: 1e-10 in models, 1e-8 in data
  CF_COMPARE_PLAIN,    // close in absolute terms: differences of larger numbers
  CF_COMPARE_RESIDUE,  // close; what is left of the field behind it in the table, whose numbers
                       // count for the scale too
  CF_COMPARE_ROWS,    // entries of a sparse matrix, close when seen as dense rows; the three fields
                      // before it in the table are its row lengths, row addresses and columns
  CF_COMPARE_BLOCKS,  // close; where constraint rows are dense, one block per island
  CF_COMPARE_SPARSE,  // equal where constraint rows are sparse, not written elsewhere
  CF_COMPARE_FILLED,  // counts of what rows fill: equal where there are rows
  CF_COMPARE_SKIP,    // free to differ; the doc text says why
} cftCompare;

// in the tables: EXACT_OF(n) and ABS_OF(n) are EXACT and ABS over the first n elements, the others
// being left as they were; n may depend on m and d
#define CF_COMPARE_EXACT_OF(used) CF_COMPARE_EXACT
#define CF_COMPARE_ABS_OF(used) CF_COMPARE_ABS

// one field; rows and columns may depend on the model and, in the arena, on the data
typedef struct {
  const char* name;
  cftType type;
  size_t size;    // bytes per element
  size_t offset;  // of the pointer, or of the value itself when home is VALUE
  cftHome home;
  cftWriter writer;
  cftCompare compare;
  // rows and columns of an array; NULL when home is VALUE
  void (*shape)(const mjModel* m, const mjData* d, mjtSize shape[2]);
  // elements that the writer fills, -1 for all; NULL when home is VALUE
  mjtSize (*used)(const mjModel* m, const mjData* d);
  mjtSize length;  // number of elements when home is VALUE
  const char*
      rows;  // rows and columns as written in the table; dimensions and "" when home is VALUE
  const char* cols;
  const char* unit;
  const char* doc;
} cfFieldInfo;

// a table of fields of one struct, in memory order
typedef struct {
  const char* owner;  // name of the struct
  const cfFieldInfo* field;
  int count;
} cfFieldTable;

extern const cfFieldTable cfi_modelSizes;       // size fields of mjModel
extern const cfFieldTable cfi_modelFields;      // arrays of mjModel
extern const cfFieldTable cfi_dataScalars;      // fields of mjData held by value
extern const cfFieldTable cfi_dataFields;       // arrays of mjData
extern const cfFieldTable cfi_optionFields;     // mjOption
extern const cfFieldTable cfi_visualFields;     // mjVisual; names have the form "part.field"
extern const cfFieldTable cfi_statisticFields;  // mjStatistic
extern const cfFieldTable cfi_contactFields;    // mjContact
extern const cfFieldTable cfi_vgeomFields;      // mjvGeom
extern const cfFieldTable cfi_vlightFields;     // mjvLight
extern const cfFieldTable cfi_vcameraFields;    // mjvGLCamera

// field of that name, or NULL
const cfFieldInfo* cfi_findField(const cfFieldTable* table, const char* name);

// number of elements, rows times columns; `d` may be NULL unless the field lives in the arena
mjtSize cfi_fieldCount(const cfFieldInfo* field, const mjModel* m, const mjData* d);

// number of elements that its writer fills, the rest being left as it was
mjtSize cfi_fieldUsed(const cfFieldInfo* field, const mjModel* m, const mjData* d);

// first element of the field inside `owner`, a struct of the table the field belongs to
const void* cfi_fieldElements(const cfFieldInfo* field, const void* owner);

// is the field allocated in the arena
static inline bool cfi_fieldInArena(const cfFieldInfo* field) {
  return field->home == CF_HOME_ARENA || field->home == CF_HOME_ARENA_BULK;
}

#endif  // CF_TABLES_FIELDS_H_
