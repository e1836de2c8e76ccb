// The past: states of the last frames in a ring, so that the time line can be moved.
#include <stdlib.h>

#include "web.h"

enum { MOST_STATES = 6000, MOST_BYTES = 100000000 };

static struct {
  mjtNum* state;
  int room, newest, count;
} past;

static mjtNum* stateAt(int back) {
  const int place = (past.newest - back + past.room) % past.room;
  return past.state + (size_t)place * (size_t)web.state_size;
}


void cfi_webStartPast(void) {
  const size_t bytes = sizeof(mjtNum) * (size_t)(web.state_size + 1);
  free(past.state);
  past.room = MOST_BYTES / bytes < MOST_STATES ? (int)(MOST_BYTES / bytes) : MOST_STATES;
  past.room = past.room < 2 ? 2 : past.room;
  past.state = malloc((size_t)past.room * bytes);
  past.room = past.state ? past.room : 0;
  past.count = 0;
  past.newest = past.room - 1;
  cfi_webRemember();
}


void cfi_webRemember(void) {
  if (past.room) {
    past.newest = (past.newest + 1) % past.room;
    past.count += past.count < past.room;
    mj_getState(web.m, web.d, stateAt(0), mjSTATE_INTEGRATION);
  }
}


void EXPORT(cfw_remember)(void) {
  cfi_webRemember();
}


// States in the past, the present one included.
int EXPORT(cfw_past)(void) {
  return past.count;
}


// Show the state of so many frames ago; the past stays as it is.
void EXPORT(cfw_scrub)(int back) {
  if (back >= 0 && back < past.count) {
    mj_setState(web.m, web.d, stateAt(back), mjSTATE_INTEGRATION);
    cfi_webForward();
  }
}


// Forget everything after the state of so many frames ago.
void EXPORT(cfw_rewind)(int back) {
  if (back > 0 && back < past.count) {
    past.newest = (past.newest - back + past.room) % past.room;
    past.count -= back;
  }
}
