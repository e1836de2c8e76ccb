// What models of flexes that a program chose return is checked here before a step uses it.
//
// MuJoCo's own models are left alone: a state that is not finite gives what it gives in MuJoCo.
#include <math.h>

#include "base/assert.h"
#include "flex/models.h"
#include "math/inline.h"

// count a bad number of a model, with a dof of the flex; the first one is reported
static void warnFlex(const mjModel* m, mjData* d, int flex, const cfFlexModel* model,
                     const char* what) {
  mjWarningStat* stat = d->warning + mjWARN_BADQACC;
  CF_ASSERT_INDEX(flex, m->nflex);
  stat->lastinfo = cfi_maxInt(0, m->body_dofadr[m->flex_vertbodyid[m->flex_vertadr[flex]]]);
  if (stat->number++ == 0) {
    mju_warning("model '%s' of flex %d returned %s that is not finite. Time = %.4f.", model->name,
                flex, what, d->time);
  }
}


bool cfi_dropBadFlex(const mjModel* m, mjData* d, int flex, const cfFlexModel* model,
                     const char* what, mjtNum* x, int n) {
  bool is_bad = false;
  if (model == &cfi_cotangentBending || model == &cfi_linearElasticity) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    if (!isfinite(x[k])) {
      x[k] = 0;
      is_bad = true;
    }
  }
  if (is_bad) {
    warnFlex(m, d, flex, model, what);
  }
  return is_bad;
}
