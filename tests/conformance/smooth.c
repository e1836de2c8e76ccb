// Steps without contacts against MuJoCo 3.5.0: the models of tests/data/smooth with every
// integrator, dense and sparse rows.
#include "steps.h"

CF_TEST(step__models_without_contacts__equal_reference) {
  CF_NEED_REFERENCE();
  for (int k = 0; k < 8; k++) {
    const stepsRun run = {.integrator = k / 2,
                          .solver = mjSOL_NEWTON,
                          .jacobian = k % 2 ? mjJAC_SPARSE : mjJAC_DENSE,
                          .compared = 15};
    CF_TRUE(compareFolder("smooth", run) >= 8);
  }
}


CF_TEST_MAIN("conformance/smooth")
