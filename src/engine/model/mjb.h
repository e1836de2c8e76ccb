// Binary model files: MuJoCo 3.5.0's MJB, byte for byte.
//
//   int32 x 5    id 54321, bytes of a number, count of size fields, version, count of arrays
//   int64 x n    the size fields of mjModel, in the order of the struct
//   structs      mjOption, mjVisual, mjStatistic
//   arrays       in the order of the field table, without gaps; `paths` ends with our own block if
//                the model has extensions (mjbblock.h)
#ifndef CF_MODEL_MJB_H
#define CF_MODEL_MJB_H

#include <stddef.h>

#include <mujoco/mujoco.h>

// model from the bytes of an MJB; NULL after a mju_warning that says what is wrong with them
mjModel* cfi_decodeModel(const void* bytes, size_t nbyte);

#endif  // CF_MODEL_MJB_H
