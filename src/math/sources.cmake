list(APPEND CF_SOURCES
  src/math/simd/lanes.c
  src/math/simd/scalar.c
  src/math/vector3.c
  src/math/vectorN.c
  src/math/dense.c
  src/math/quaternion.c
  src/math/pose.c
  src/math/cholesky.c
  src/math/sparse_vector.c
  src/math/sparse.c
  src/math/sparse_square.c
  src/math/sparse_cholesky.c
  src/math/lu.c
  src/math/misc.c
  src/math/strings.c
)
