// Steps, resets and states of the simulation.
#include "web.h"

static void forward(void* argument) {
  (void)argument;
  mj_forward(web.m, web.d);
}


bool cfi_webForward(void) {
  return cfi_webGuard(forward, NULL);
}


static void step(void* argument) {
  const int n = *(const int*)argument;
  for (int k = 0; k < n; k++) {
    if (web.perturb.active && web.perturb.select > 0) {
      mju_zero(web.d->xfrc_applied, 6 * (int)web.m->nbody);
      mjv_applyPerturbPose(web.m, web.d, &web.perturb, 0);
      mjv_applyPerturbForce(web.m, web.d, &web.perturb);
    }
    mj_step(web.m, web.d);
  }
}


// Make n steps; 0 on an error of the engine, after which the simulation is reset.
int EXPORT(cfw_step)(int n) {
  if (cfi_webGuard(step, &n)) {
    return 1;
  }
  mj_resetData(web.m, web.d);
  return 0;
}


int EXPORT(cfw_forward)(void) {
  return cfi_webForward();
}


// Return to a keyframe, or to the initial state where there is none of that number.
void EXPORT(cfw_reset)(int key) {
  if (key >= 0 && key < web.m->nkey) {
    mj_resetDataKeyframe(web.m, web.d, key);
  } else {
    mj_resetData(web.m, web.d);
  }
  cfi_webForward();
  cfi_webStartPast();
}


// Low (0) or high (1) half of the hash of the state.
uint32_t EXPORT(cfw_hash)(int half) {
  const uint64_t hash = cf_stateHash(web.m, web.d);
  return (uint32_t)(half ? hash >> 32 : hash);
}


// Numbers of a state that a run continues from bit by bit.
int EXPORT(cfw_stateSize)(void) {
  return web.state_size;
}


void EXPORT(cfw_getState)(mjtNum* state) {
  mj_getState(web.m, web.d, state, mjSTATE_INTEGRATION);
}


// Continue from a state; the past begins there.
void EXPORT(cfw_setState)(const mjtNum* state) {
  mj_setState(web.m, web.d, state, mjSTATE_INTEGRATION);
  cfi_webForward();
  cfi_webStartPast();
}
