// The functions of AVX.  immintrin.h brings those of every later processor along: gcc reads half a
// second of them in each of two hundred files that want one vector of four, so it is shown the
// parts up to AVX alone.  Who wants the rest still gets it from immintrin.h, before or after.
#ifndef CF_MATH_SIMD_AVX_H
#define CF_MATH_SIMD_AVX_H

#if defined(__GNUC__) && !defined(__clang__) && !defined(_IMMINTRIN_H_INCLUDED)
#include <smmintrin.h>

#define _IMMINTRIN_H_INCLUDED  // its part wants to be included by it
#include <avxintrin.h>
#undef _IMMINTRIN_H_INCLUDED
#else
#include <immintrin.h>
#endif

#endif  // CF_MATH_SIMD_AVX_H
