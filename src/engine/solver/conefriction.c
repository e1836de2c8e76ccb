// Friction force of an elliptic contact.
#include "solver/conefriction.h"

#include <math.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/qcqp.h"

void cfi_solveFriction(mjtNum* x, const mjtNum* A, const mjtNum* b, const mjtNum* mu, mjtNum normal,
                       int n) {
  CF_ASSERT(n >= 2 && n <= 5);
  const int is_active = n == 2   ? cfi_QCQP2(x, A, b, mu, normal)
                        : n == 3 ? cfi_QCQP3(x, A, b, mu, normal)
                                 : cfi_QCQP(x, A, b, mu, normal, n);
  if (!is_active) {
    return;
  }
  mjtNum length = 0;
  for (int i = 0; i < n; i++) {
    length += x[i] * x[i] / (mu[i] * mu[i]);
  }
  const mjtNum scale = sqrt(normal * normal / cfi_max(mjMINVAL, length));
  for (int i = 0; i < n; i++) {
    x[i] *= scale;
  }
}
