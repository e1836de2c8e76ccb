// What MJCF files may say: every attribute of every element, as data.
#ifndef CORTENFORGE_SCHEMA_H_
#define CORTENFORGE_SCHEMA_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One attribute of one element.
typedef struct cfSchemaAttribute_ {
  char element[64];     // path of the element below `mujoco`, such as "default/joint"
  const char* name;     // name of the attribute
  const char* type;     // "number", "integer", "text", "word", "words"
  int least, most;      // how many values there may be; most is -1 where there is no bound
  char words[256];      // words that are allowed, separated by blanks; empty for other types
  char initial[160];    // value where none is given, as a file would give it; empty where there is
                        // none
  const char* unit;     // "-" for pure numbers; a bar separates translation from rotation
  const char* meaning;  // one line of documentation
  int is_extension;     // 1 for attributes that MuJoCo does not have
} cfSchemaAttribute;

/// Describe the attribute of a given index, in the order of `mj_printSchema`, elements first.
///
/// Returns 1, or 0 when the index is not that of an attribute: counting from 0 until 0 is returned
/// visits all of them. Pointers in `attribute` are static. Allocates nothing; may be called from
/// any thread.
MJAPI int cf_schemaAttribute(int index, cfSchemaAttribute* attribute);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_SCHEMA_H_
