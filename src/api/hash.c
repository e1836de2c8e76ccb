// One number for the state of a simulation, to compare runs bit by bit.
#include <stdint.h>
#include <string.h>

#include <cortenforge/cortenforge.h>

#include "base/assert.h"

// words are mixed in one by one: xor, multiply by an odd number, rotate
static const uint64_t hash_seed = 0x9E3779B97F4A7C15u, hash_factor = 0xD6E8FEB86659FD93u;


static uint64_t mixWord(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * hash_factor;
  return hash << 31 | hash >> 33;
}


// length first, so that elements cannot move from one array to the next unseen
static uint64_t mixArray(uint64_t hash, const mjtNum* x, mjtSize n) {
  CF_ASSERT(n >= 0);
  hash = mixWord(hash, (uint64_t)n);
  for (mjtSize i = 0; i < n; i++) {
    uint64_t word;
    memcpy(&word, x + i, sizeof(word));
    hash = mixWord(hash, word);
  }
  return hash;
}
_Static_assert(sizeof(mjtNum) == sizeof(uint64_t), "one word per number");


uint64_t cf_stateHash(const mjModel* m, const mjData* d) {
  uint64_t hash = mixArray(hash_seed, &d->time, 1);
  hash = mixArray(hash, d->qpos, m->nq);
  hash = mixArray(hash, d->qvel, m->nv);
  hash = mixArray(hash, d->act, m->na);
  hash = mixArray(hash, d->history, m->nhistory);
  hash = mixArray(hash, d->plugin_state, m->npluginstate);
  hash = mixArray(hash, d->qacc, m->nv);
  hash = mixArray(hash, d->sensordata, m->nsensordata);

  // every bit of the result depends on every bit before
  hash = mixWord(hash, hash >> 29);
  return hash ^ hash >> 32;
}
