// Every number that a struct of the specification, the options or the visual settings starts with
// is the one MuJoCo 3.5.0 has.  tests/data/defaults.txt was recorded with its library:
//
//   MUJOCO_REFERENCE_LIB=... CF_RECORD=tests/data/defaults.txt test_spec_defaults
#include "cf_reference.h"
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "tables/attributes.h"

// one line: name, then the numbers of the field
static void writeMember(FILE* out, const char* name, const void* field, size_t size,
                        cftScalar type) {
  if (type == TYPE_OTHER) {
    return;
  }
  fprintf(out, "%s", name);
  for (size_t k = 0; k < size / cfi_scalarSize(type); k++) {
    double value = type == TYPE_DOUBLE  ? ((const double*)field)[k]
                   : type == TYPE_FLOAT ? ((const float*)field)[k]
                   : type == TYPE_INT   ? ((const int*)field)[k]
                   : type == TYPE_BYTE  ? ((const mjtByte*)field)[k]
                                        : (double)((const mjtSize*)field)[k];
    isnan(value) ? fprintf(out, " nan") : fprintf(out, " %.17g", value);
  }
  fprintf(out, "\n");
}

// a function per struct that writes all its members
#define CF_STRUCT(name, style, doc) \
  __attribute__((unused)) static void write_##name(FILE* out, name* s) {
#define CF_MEMBER(structure, type, name, dims, unit, doc) \
  writeMember(out, #structure "." #name, &s->name, sizeof(s->name), CF_SCALAR_TYPE(s->name));
#define CF_STRUCT_END(name) \
  (void)out;                \
  (void)s;                  \
  }
#include "tables/structs.h"
#include "tables/structs_spec.def"
#include "tables/structs_end.h"

#define CF_STRUCT(name, style, doc) \
  __attribute__((unused)) static void write_##name(FILE* out, name* s) {
#define CF_MEMBER(structure, type, name, dims, unit, doc) \
  writeMember(out, #structure "." #name, &s->name, sizeof(s->name), CF_SCALAR_TYPE(s->name));
#define CF_STRUCT_END(name) \
  (void)out;                \
  (void)s;                  \
  }
#include "tables/structs.h"
#include "tables/structs_model.def"
#include "tables/structs_end.h"

// structs and the functions that start them
// clang-format off
#define STRUCTS(X)                                                                              \
  X(mjsOrientation, mjs_defaultOrientation)                                                     \
  X(mjsBody, mjs_defaultBody) X(mjsFrame, mjs_defaultFrame) X(mjsJoint, mjs_defaultJoint)       \
  X(mjsGeom, mjs_defaultGeom) X(mjsSite, mjs_defaultSite) X(mjsCamera, mjs_defaultCamera)       \
  X(mjsLight, mjs_defaultLight) X(mjsFlex, mjs_defaultFlex) X(mjsMesh, mjs_defaultMesh)         \
  X(mjsHField, mjs_defaultHField) X(mjsSkin, mjs_defaultSkin) X(mjsTexture, mjs_defaultTexture) \
  X(mjsMaterial, mjs_defaultMaterial) X(mjsPair, mjs_defaultPair)                               \
  X(mjsEquality, mjs_defaultEquality) X(mjsTendon, mjs_defaultTendon)                           \
  X(mjsActuator, mjs_defaultActuator) X(mjsSensor, mjs_defaultSensor)                           \
  X(mjsNumeric, mjs_defaultNumeric) X(mjsText, mjs_defaultText) X(mjsTuple, mjs_defaultTuple)   \
  X(mjsKey, mjs_defaultKey) X(mjsPlugin, mjs_defaultPlugin) X(mjOption, mj_defaultOption)       \
  X(mjVisual, mj_defaultVisual) X(mjLROpt, mj_defaultLROpt)
// clang-format on

static void writeSpec(FILE* out, mjSpec* spec) {
  write_mjSpec(out, spec);
  write_mjsCompiler(out, &spec->compiler);
  write_mjStatistic(out, &spec->stat);
}

// all structs, started by our library or by the reference
static void writeAll(FILE* out, int by_reference) {
#define ONE(type, function)      \
  {                              \
    static type s;               \
    memset(&s, 0xA5, sizeof(s)); \
    if (by_reference) {          \
      CF_REF(function)(&s);      \
    } else {                     \
      function(&s);              \
    }                            \
    write_##type(out, &s);       \
  }
  STRUCTS(ONE)
#undef ONE
  static mjSpec spec;
  memset(&spec, 0xA5, sizeof(spec));
  if (by_reference) {
    CF_REF(mjs_defaultSpec)(&spec);
  } else {
    mjs_defaultSpec(&spec);
  }
  writeSpec(out, &spec);
}

// line by line the same as recorded
static void compareWithRecord(FILE* made) {
  FILE* record = fopen(CF_SOURCE_DIR "/tests/data/defaults.txt", "r");
  char ours[400], theirs[400];
  int lines = 0;
  CF_TRUE(record != NULL);
  rewind(made);
  while (fgets(theirs, sizeof(theirs), record)) {
    CF_TRUE(fgets(ours, sizeof(ours), made) != NULL);
    CF_EQ_STR(ours, theirs);
    lines++;
  }
  CF_TRUE(fgets(ours, sizeof(ours), made) == NULL);
  CF_EQ_INT(lines, 384);
  fclose(record);
}

CF_TEST(defaults__every_struct__as_recorded) {
  FILE* made = tmpfile();
  CF_TRUE(made != NULL);
  writeAll(made, 0);
  compareWithRecord(made);
  fclose(made);
}

CF_TEST(defaults__record__is_what_the_reference_gives) {
  const char* path = getenv("CF_RECORD");
  CF_NEED_REFERENCE();
  FILE* made = path ? fopen(path, "w+") : tmpfile();
  CF_TRUE(made != NULL);
  writeAll(made, 1);
  compareWithRecord(made);
  fclose(made);
}

CF_TEST_MAIN("spec/defaults")
