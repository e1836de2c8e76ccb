// Comparison of two models and of two simulations, field by field.
#ifndef CORTENFORGE_COMPARE_H_
#define CORTENFORGE_COMPARE_H_

#include <mujoco/mujoco.h>

/// Errors up to these count as equal: reals of compiled models, and reals after a step.
#define CF_TOLERANCE_MODEL 1e-10
#define CF_TOLERANCE_STEP 1e-8

#ifdef __cplusplus
extern "C" {
#endif

/// One field in which two models or two simulations differ.
typedef struct cfDifference_ {
  const char* part;   // "opt", "vis", "stat", "contact", or "" for mjModel and mjData themselves
  const char* field;  // name of the field; static text
  mjtNum error;       // see cf_compareModels
  mjtByte is_exact;   // the field has to be equal to the last bit
} cfDifference;

/// Compare all fields of two models and list those that differ.
///
/// The error of a field of reals is the largest |a - b| of its elements, divided by the largest
/// finite |reference| of the field or by 1e-6, whichever is larger; NaN or an infinity on one side
/// alone makes it infinite.  Integers, flags and text have to be equal; their error is 0 or 1.
/// Sizes are compared first: where one differs, its error is infinite and only sizes are listed,
/// since the arrays cannot be lined up.  Fields that are free to differ (the tables in
/// docs/fields.md say why) are left out.
///
/// @param list  receives up to `max` differences in the order of the fields, any error above 0
/// @return number of fields that differ, which may be larger than `max`; 0: the models are equal
/// @note Reads only, allocates nothing.  The models may come from different libraries that share
///       MuJoCo 3.5.0's layout.
MJAPI int cf_compareModels(const mjModel* m, const mjModel* reference, cfDifference* list, int max);

/// Compare all fields of two simulations of one model and list those that differ.
///
/// As `cf_compareModels`.  Contacts are compared one by one, each member of mjContact on its own;
/// the largest error over the contacts counts.  Sparse actuator moments are compared by what they
/// mean: an entry that is not stored is zero.  Where counts (ncon, nefc, nisland, ...) differ, the
/// counts are listed and the arrays that depend on them are left out.
MJAPI int cf_compareData(const mjModel* m, const mjData* d, const mjData* reference,
                         cfDifference* list, int max);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_COMPARE_H_
