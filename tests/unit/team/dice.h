// Numbers between -1 and 1, the same in every run.
#include <mujoco/mujoco.h>
#include <stdint.h>

static uint64_t random_state = 88172645463325252u;

static mjtNum draw(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (mjtNum)(int64_t)random_state * 0x1p-63;
}
