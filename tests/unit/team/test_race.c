// A team of several threads on the CPU: the numbers of the engine, and with the thread sanitizer
// nothing that is read before it is written.
#define CF_TEAM_WIDTH 4
#include "together.h"


CF_TEST(team_of_four__models_in_contact__as_the_engine) {
  compareSteps("humanoid", 8, 1e-10);
  compareSteps("robots/hopper", 6, 1e-10);
  compareSteps("robots/hand", 3, 1e-10);
  compareSteps("contacts/condim", 3, 1e-10);
  compareSteps("robots/arm_gripper", 3, 1e-10);
  compareSteps("robots/mesh_quadruped", 3, 1e-10);
}


CF_TEST_MAIN("team_race")
