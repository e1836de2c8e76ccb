// Copying drafts into the arrays of mjModel.
//
// A list of fields is a macro with rows ONE(array, member) for one number per element and
// ALL(array, member) for a member that is an array; it is expanded where `m` is the model, `p` the
// draft and `i` its id.
#ifndef CF_COMPILE_FILL_H
#define CF_COMPILE_FILL_H

#include <mujoco/mujoco.h>

#define CF_FILL_ONE(array, member) m->array[i] = p->member;

#define CF_FILL_ALL(array, member)                                                        \
  for (int cf_k = 0, cf_n = (int)(sizeof(p->member) / sizeof(p->member[0])); cf_k < cf_n; \
       cf_k++) {                                                                          \
    m->array[i * cf_n + cf_k] = p->member[cf_k];                                          \
  }

// user data of one element, zeros behind what was given
void cfi_fillUser(mjtNum* array, int room, int id, const void* userdata);

#endif  // CF_COMPILE_FILL_H
