// The team as threads of the CPU, to find what is missing between writing and reading: each
// operation of the team is a barrier.  A test defines CF_TEAM_WIDTH and CF_TEAM_THREADS.

#include "base/platform.h"

// what the threads of one team exchange; a test makes it
typedef struct {
  cfMutex mutex;
  cfCondition all_here;
  int nhere, round;
  cfReal real[CF_TEAM_WIDTH];
  int whole[CF_TEAM_WIDTH];
} cfTeamExchange;

static cfTeamExchange* team_exchange;


CF_TEAM_FN void teamSync(const cfTeam* t) {
  (void)t;
  cfTeamExchange* e = team_exchange;
  cfi_lock(&e->mutex);
  const int round = e->round;
  if (++e->nhere == CF_TEAM_WIDTH) {
    e->nhere = 0;
    e->round++;
    cfi_conditionBroadcast(&e->all_here);
  }
  while (e->round == round) {
    cfi_conditionWait(&e->all_here, &e->mutex);
  }
  cfi_unlock(&e->mutex);
}


CF_TEAM_FN void teamAlign(const cfTeam* t) {
  (void)t;
}


CF_TEAM_FN bool teamAny(const cfTeam* t, bool x) {
  (void)t;
  return x;
}


CF_TEAM_FN cfReal teamFrom(const cfTeam* t, cfReal x, int thread) {
  team_exchange->real[t->thread] = x;
  teamSync(t);
  const cfReal result = team_exchange->real[thread];
  teamSync(t);
  return result;
}


CF_TEAM_FN int teamFromInt(const cfTeam* t, int x, int thread) {
  team_exchange->whole[t->thread] = x;
  teamSync(t);
  const int result = team_exchange->whole[thread];
  teamSync(t);
  return result;
}


CF_TEAM_FN cfReal teamSum(const cfTeam* t, cfReal x) {
  cfReal sum = 0;
  team_exchange->real[t->thread] = x;
  teamSync(t);
  for (int k = 0; k < CF_TEAM_WIDTH; k++) {
    sum += team_exchange->real[k];
  }
  teamSync(t);
  return sum;
}


CF_TEAM_FN cfReal teamMax(const cfTeam* t, cfReal x) {
  cfReal most = teamFrom(t, x, 0);
  for (int k = 1; k < CF_TEAM_WIDTH; k++) {
    const cfReal other = teamFrom(t, x, k);
    most = other > most ? other : most;
  }
  return most;
}


CF_TEAM_FN int teamSumInt(const cfTeam* t, int x) {
  int sum = 0;
  for (int k = 0; k < CF_TEAM_WIDTH; k++) {
    sum += teamFromInt(t, x, k);
  }
  return sum;
}


CF_TEAM_FN int teamOr(const cfTeam* t, int x) {
  int bits = 0;
  team_exchange->whole[t->thread] = x;
  teamSync(t);
  for (int k = 0; k < CF_TEAM_WIDTH; k++) {
    bits |= team_exchange->whole[k];
  }
  teamSync(t);
  return bits;
}


CF_TEAM_FN int teamScan(const cfTeam* t, int x) {
  int sum = 0;
  team_exchange->whole[t->thread] = x;
  teamSync(t);
  for (int k = 0; k <= t->thread; k++) {
    sum += team_exchange->whole[k];
  }
  teamSync(t);
  return sum;
}
