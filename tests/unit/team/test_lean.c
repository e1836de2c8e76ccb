// The lean kernel on the CPU, its thirty-two threads and all: the numbers of the engine.  It is
// compiled for both precisions.
#define CF_TEAM_WIDTH 32
#define CF_TEAM_LEAN
#include "together.h"


CF_TEST(lean_kernel__models_in_contact__as_the_engine) {
#ifdef CF_TEAM_SINGLE
  compareSteps("humanoid", 2, 1e-3);
#else
  compareSteps("humanoid", 2, 1e-10);
  compareSteps("robots/hopper", 2, 1e-10);
#endif
}


CF_TEST_MAIN("team_lean")
