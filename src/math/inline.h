// Everything small and of fixed size, as static inline functions with the semantics of the mju_
// functions of the same name: scalars, 3- and 4-vectors, 3x3 matrices, quaternions, poses, 6D
// algebra.
#ifndef CF_MATH_INLINE_H
#define CF_MATH_INLINE_H

#include "math/quat.h"
#include "math/scalar.h"
#include "math/spatial.h"
#include "math/vec3.h"

#endif  // CF_MATH_INLINE_H
