// The simulation of the viewer: running at a chosen speed, stepping, its past, keyframes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

// most states of the past, most memory of them [bytes]; longest time of the clock that one frame
// may ask for or spend [s]; time over which the speed is measured [s]
enum { MOST_STATES = 2000, MOST_BYTES = 100000000 };
static const double longest_frame = 0.25, measured_time = 0.5;


//---------------------------------- the past ------------------------------------------------------

static mjtNum* stateAt(const viewSim* s, int scrub) {
  const int place = (s->newest + scrub + s->capacity) % s->capacity;
  return s->states + (size_t)place * (size_t)s->state_size;
}


static void remember(viewSim* s) {
  // what came after a state that was gone on from is forgotten
  s->newest = (s->newest + s->scrub + s->capacity) % s->capacity;
  s->count += s->scrub;
  s->scrub = 0;

  s->newest = (s->newest + 1) % s->capacity;
  s->count += s->count < s->capacity;
  mj_getState(s->m, s->d, stateAt(s, 0), mjSTATE_INTEGRATION);
}


static void forget(viewSim* s) {
  s->count = s->scrub = 0;
  s->newest = s->capacity - 1;
  remember(s);
}


void cli_simScrub(viewSim* s, int scrub) {
  s->run = 0;
  s->scrub = scrub < 1 - s->count ? 1 - s->count : (scrub > 0 ? 0 : scrub);
  mj_setState(s->m, s->d, stateAt(s, s->scrub), mjSTATE_INTEGRATION);
  mj_forward(s->m, s->d);
}


void cli_simBack(viewSim* s) {
  cli_simScrub(s, s->scrub - 1);
}


//---------------------------------- life ----------------------------------------------------------

// the speed that the model asks for
static int speedOf(const mjModel* m) {
  const double wanted = log(fmax(1e-3, 100 * (double)m->vis.global.realtime));
  int best = 0;
  for (int k = 1; k < VIEW_SPEEDS; k++) {
    if (fabs(log(cli_simPercent(k)) - wanted) < fabs(log(cli_simPercent(best)) - wanted)) {
      best = k;
    }
  }
  return best;
}


bool cli_simOpen(viewSim* s, mjModel* m) {
  viewSim fresh = {.m = m, .run = s->run, .is_passive = s->is_passive, .speed = speedOf(m)};
  fresh.noise_scale = s->noise_scale;
  fresh.noise_rate = s->noise_rate;
  fresh.d = mj_makeData(m);
  fresh.state_size = mj_stateSize(m, mjSTATE_INTEGRATION);
  const int bytes = fresh.state_size * (int)sizeof(mjtNum);
  const int fit = MOST_BYTES / (bytes > 0 ? bytes : 1);
  fresh.capacity = fit < 2 ? 2 : (fit < MOST_STATES ? fit : MOST_STATES);
  fresh.states = calloc((size_t)fresh.capacity, (size_t)bytes);
  if (!fresh.d || !fresh.states) {
    mj_deleteData(fresh.d);
    free(fresh.states);
    return false;
  }
  mjv_defaultPerturb(&fresh.pert);
  cli_simClose(s);
  *s = fresh;
  mj_forward(m, s->d);
  forget(s);
  return true;
}


void cli_simClose(viewSim* s) {
  mj_deleteData(s->d);
  mj_deleteModel(s->m);
  free(s->states);
  memset(s, 0, sizeof(*s));
}


void cli_simReset(viewSim* s) {
  mj_resetData(s->m, s->d);
  mj_forward(s->m, s->d);
  forget(s);
}


void cli_simLoadKey(viewSim* s) {
  if (s->key >= 0 && s->key < s->m->nkey) {
    mj_resetDataKeyframe(s->m, s->d, s->key);
    mj_forward(s->m, s->d);
    forget(s);
  }
}


const char* cli_simTrouble(const viewSim* s) {
  for (int k = mjNWARNING - 1; k >= 0; k--) {
    if (s->d->warning[k].number) {
      return mju_warningText(k, (size_t)s->d->warning[k].lastinfo);
    }
  }
  return NULL;
}


//---------------------------------- time ----------------------------------------------------------

// ten steps for each power of ten
double cli_simPercent(int speed) {
  static const double decade[] = {100, 80, 66, 50, 40, 33, 25, 20, 16, 13};
  return decade[speed % 10] * pow(10, -(speed / 10));
}


void cli_simFaster(viewSim* s, int steps) {
  const int speed = s->speed - steps;
  s->speed = speed < 0 ? 0 : (speed < VIEW_SPEEDS ? speed : VIEW_SPEEDS - 1);
  s->owed = 0;
}


void cli_simPlay(viewSim* s, bool is_running) {
  s->run = is_running;
  s->owed = s->last = s->span = s->lived = 0;
}


// controls wander about the middle of their range, an Ornstein-Uhlenbeck process
static void addNoise(viewSim* s) {
  const mjModel* m = s->m;
  const double kept = s->noise_rate > 0 ? exp(-m->opt.timestep / s->noise_rate) : 0;
  const double width = s->noise_scale * sqrt(1 - kept * kept);
  for (int k = 0; k < m->nu && s->noise_scale > 0; k++) {
    const mjtNum* range = m->actuator_ctrlrange + 2 * k;
    const bool has_range = m->actuator_ctrllimited[k];
    const double middle = has_range ? 0.5 * (range[0] + range[1]) : 0;
    const double half = has_range ? 0.5 * (range[1] - range[0]) : 1;
    mjtNum* ctrl = s->d->ctrl + k;
    *ctrl = middle + kept * (*ctrl - middle) + width * half * mju_standardNormal(NULL);
    *ctrl = has_range ? mju_clip(*ctrl, range[0], range[1]) : *ctrl;
  }
}


static void stepOnce(viewSim* s) {
  addNoise(s);
  mj_step(s->m, s->d);
  remember(s);
}


void cli_simForward(viewSim* s) {
  if (s->scrub < 0) {
    cli_simScrub(s, s->scrub + 1);
  } else {
    stepOnce(s);
  }
}


// forces of the hand, none left over from before
static void applyHand(viewSim* s) {
  mju_zero(s->d->xfrc_applied, 6 * s->m->nbody);
  mjv_applyPerturbPose(s->m, s->d, &s->pert, 0);
  mjv_applyPerturbForce(s->m, s->d, &s->pert);
}


// numbers went bad, and nobody put them right
static bool isLost(const viewSim* s) {
  const mjWarningStat* w = s->d->warning;
  return (s->m->opt.disableflags & mjDSBL_AUTORESET) &&
         (w[mjWARN_BADQPOS].number || w[mjWARN_BADQVEL].number || w[mjWARN_BADQACC].number);
}


static void measure(viewSim* s, double clock_time, double simulated) {
  s->span += clock_time;
  s->lived += simulated;
  if (s->span > measured_time) {
    s->measured = 100 * s->lived / s->span;
    s->span = s->lived = 0;
  }
}


void cli_simAdvance(viewSim* s, double (*clock)(void)) {
  const double now = clock(), passed = s->last > 0 ? now - s->last : 0, before = s->d->time;
  s->last = now;
  if (s->is_passive) {
    return;
  }
  if (!s->run) {
    mjv_applyPerturbPose(s->m, s->d, &s->pert, 1);
    mj_forward(s->m, s->d);
    return;
  }
  applyHand(s);
  s->owed += fmin(passed, longest_frame) * cli_simPercent(s->speed) / 100;
  while (s->owed >= s->m->opt.timestep && s->m->opt.timestep > 0) {
    const double time = s->d->time;
    stepOnce(s);
    s->owed -= s->m->opt.timestep;
    if (clock() - now > longest_frame || s->d->time < time || isLost(s)) {
      s->owed = 0;
    }
  }
  s->run = s->run && !isLost(s);
  measure(s, passed, fmax(0, s->d->time - before));
}
