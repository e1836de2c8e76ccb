// Common parts of the model checks: a checker collects the first complaint.
#ifndef CF_MODEL_CHECKER_H
#define CF_MODEL_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

typedef struct {
  const mjModel* m;
  char* message;  // first complaint
  size_t nmessage;
} cfChecker;

// write a complaint, with "Invalid model: " before it; always false, so that checks can return it
bool cfi_complain(const cfChecker* c, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// array[index] == value is not in [low, bound)
bool cfi_complainRange(const cfChecker* c, const char* array, mjtSize index, mjtSize value,
                       mjtSize low, mjtSize bound);

// every element in [low, bound)
bool cfi_checkIndices(const cfChecker* c, const char* name, const int* array, mjtSize first,
                      mjtSize count, mjtSize low, mjtSize bound);

// one value of an array, in [low, bound)
static inline bool cfi_checkValue(const cfChecker* c, const char* array, mjtSize index,
                                  mjtSize value, mjtSize low, mjtSize bound) {
  return (value >= low && value < bound) || cfi_complainRange(c, array, index, value, low, bound);
}


// one value of an array that follows from others
static inline bool cfi_checkEqual(const cfChecker* c, const char* array, mjtSize index,
                                  mjtSize value, mjtSize expected) {
  return value == expected || cfi_complain(c, "%s[%lld] is %lld, expected %lld", array,
                                           (long long)index, (long long)value, (long long)expected);
}

// the parts; each may rely on those before it
bool cfi_checkTables(const cfChecker* c);    // references.def
bool cfi_checkTrees(const cfChecker* c);     // bodies, joints, dofs, trees
bool cfi_checkMatrices(const cfChecker* c);  // sparse structure of M, D and B
bool cfi_checkShapes(const cfChecker* c);    // geoms, meshes, height fields, textures, skins
bool cfi_checkVolumes(const cfChecker* c);   // bounding volume trees, octrees
bool cfi_checkFlexes(const cfChecker* c);    // flexes
bool cfi_checkFlexRows(const cfChecker* c);  // their Jacobians
bool cfi_checkObjects(
    const cfChecker* c);  // pairs, equalities, tendons, actuators, tuples, plugins
bool cfi_checkSensors(const cfChecker* c);  // sensors and history buffers
bool cfi_checkText(const cfChecker* c);     // names, paths, texts

// number of objects of a type; -1 for types without ids, -2 for values that are no type
mjtSize cfi_objectCount(const mjModel* m, int objtype);

#endif  // CF_MODEL_CHECKER_H
