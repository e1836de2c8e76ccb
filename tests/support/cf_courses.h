// Rollouts of a batch beside those of lone worlds.
#ifndef CF_COURSES_H
#define CF_COURSES_H

#include "cf_worlds.h"

// many steps by one call: rows of inputs, and of what is recorded
typedef struct {
  cfBatchRollout asked;
  int ncontrol, nstate, nbytes;  // of a row of a world; of the one record
  const cfFieldInfo* info;       // of the record; NULL: none
  mjtNum* control;
  char *state, *history, *lone_state, *lone_history;
  int done[CF_MOST_WORLDS];
} cfDrawnRollout;

static cfDrawnRollout* cf_rollout_drawn;


static inline void cf_recordLone(cfTwins* t, int w, int row) {
  cfDrawnRollout* r = cf_rollout_drawn;
  const cfLoneWorld* own = t->world + w;
  const size_t place = (size_t)(w * r->asked.nrow + row), size = sizeof(mjtNum);
  mj_getState(own->m, own->d, (mjtNum*)(void*)(r->lone_state + size * place * (size_t)r->nstate),
              (int)r->asked.state_spec);
  if (r->info) {
    memcpy(r->lone_history + place * (size_t)r->nbytes, cfi_fieldElements(r->info, own->d),
           (size_t)r->nbytes);
  }
  r->done[w] = row + 1;
}


// steps of a lone world, each with what batches do about it
static inline bool cf_rollLone(cfTwins* t, int w, int nrow) {
  const cfDrawnRollout* r = cf_rollout_drawn;
  cfLoneWorld* own = t->world + w;
  for (int k = 0; k < nrow * r->asked.nsubstep; k++) {
    const int row = k / r->asked.nsubstep;
    if (k % r->asked.nsubstep == 0) {
      mj_setState(own->m, own->d, r->control + (w * nrow + row) * r->ncontrol,
                  (int)r->asked.control_spec);
    }
    if (t->options.noise_scale > 0) {
      const cfNoise noise = {t->options.noise_scale, t->options.noise_rate, t->options.seed};
      cfi_addNoise(&noise, own->m, own->d, w, own->status.nstep);
    }
    cfi_stepReacting(own->m, own->d, cfi_batchWantsReactions(t->batch));
    own->status.nstep++;
    const bool is_bad = cfi_badNumbers(own->d);
    if (is_bad) {
      return false;
    }
    if ((k + 1) % r->asked.nsubstep == 0) {
      cf_recordLone(t, w, row);
    }
  }
  return true;
}


// inputs that lone worlds have now, some of them changed
static inline void cf_drawControls(cfDice* dice, cfTwins* t, cfDrawnRollout* r) {
  for (int w = 0; w < t->n; w++) {
    const mjModel* m = t->world[w].m;
    mjData* d = mj_copyData(NULL, m, t->world[w].d);
    for (int row = 0; row < r->asked.nrow; row++) {
      for (int i = 0; i < m->nu; i++) {
        d->ctrl[i] = cf_even(dice);
      }
      for (int i = 0; i < m->nv; i++) {
        d->qfrc_applied[i] = cf_below(dice, 4) ? 0 : cf_even(dice);
      }
      for (int i = 0; i < 6 * m->nbody; i++) {
        d->xfrc_applied[i] = i < 6 || cf_below(dice, 12) ? 0 : cf_even(dice);
      }
      for (int i = 0; i < m->neq; i++) {
        d->eq_active[i] = (mjtByte)cf_below(dice, 2);
      }
      mj_getState(m, d, r->control + (w * r->asked.nrow + row) * r->ncontrol,
                  (int)r->asked.control_spec);
    }
    mj_deleteData(d);
  }
}


static inline bool cf_sameRows(const cfTwins* t, const cfDrawnRollout* r, const mjtByte* mask) {
  const size_t bytes = sizeof(mjtNum) * (size_t)r->nstate;
  bool is_same = true;
  for (int w = 0; w < t->n; w++) {
    const int nrow = r->asked.nrow;
    for (int row = 0; row < nrow && r->done[w]; row++) {
      const int alone = row < r->done[w] ? row : r->done[w] - 1;
      const size_t a = (size_t)(w * nrow + row), b = (size_t)(w * nrow + alone);
      is_same &= !memcmp(r->state + bytes * a, r->lone_state + bytes * b, bytes);
      is_same &= !memcmp(r->history + (size_t)r->nbytes * a,
                         r->lone_history + (size_t)r->nbytes * b, (size_t)r->nbytes);
    }
    for (size_t i = 0; mask && !mask[w] && i < bytes * (size_t)nrow; i++) {
      is_same &= r->state[bytes * (size_t)(w * nrow) + i] == 0;
    }
  }
  if (!is_same) {
    print_error("%s: rows of a rollout differ\n", t->name);
  }
  return is_same;
}


static inline bool cf_rollTwins(cfDice* dice, cfTwins* t, const mjtByte* mask) {
  static const unsigned int specs[] = {mjSTATE_CTRL, mjSTATE_CTRL, mjSTATE_USER,
                                       mjSTATE_EQ_ACTIVE | mjSTATE_CTRL, mjSTATE_XFRC_APPLIED};
  static const char* const names[] = {"qpos", "qacc_warmstart", "sensordata", "qacc",
                                      "xpos", "ncon",           "cfrc_int"};
  cfDrawnRollout r = {.asked = {.nrow = 1 + cf_below(dice, 12), .nsubstep = 1 + cf_below(dice, 3)}};
  const mjModel* m = cf_batchModel(t->batch);
  const char* name = names[cf_below(dice, 7)];
  cfBatchField field;
  r.asked.mask = mask;
  r.asked.control_spec = specs[cf_below(dice, 5)];
  r.asked.state_spec = cf_below(dice, 2) ? mjSTATE_FULLPHYSICS : mjSTATE_INTEGRATION;
  r.ncontrol = mj_stateSize(m, (int)r.asked.control_spec);
  r.nstate = mj_stateSize(m, (int)r.asked.state_spec);
  if (cf_batchField(t->batch, name, &field)) {
    r.info = cf_dataField(name);
    r.nbytes = (int)field.count * field.nbyte;
  }
  const size_t nrow = (size_t)(t->n * r.asked.nrow), size = sizeof(mjtNum);
  r.control = calloc(nrow * (size_t)r.ncontrol + 1, size);
  r.state = calloc(nrow * (size_t)r.nstate + 1, size);
  r.lone_state = calloc(nrow * (size_t)r.nstate + 1, size);
  r.history = calloc(nrow * (size_t)r.nbytes + 1, 1);
  r.lone_history = calloc(nrow * (size_t)r.nbytes + 1, 1);
  void* const history[] = {r.history};
  cf_drawControls(dice, t, &r);
  r.asked.control = r.control;
  r.asked.state = (mjtNum*)(void*)r.state;
  r.asked.nrecord = r.info != NULL;
  r.asked.record = &name;
  r.asked.history = history;
  if (!cf_batchRollout(t->batch, &r.asked)) {
    CF_FAIL("%s: %s\n", t->name, cf_batchError(t->batch));
  }
  cf_rollout_drawn = &r;
  for (int w = 0; w < t->n; w++) {
    if (!mask || mask[w]) {
      cf_callLone(t, w, cf_rollLone, r.asked.nrow);
    }
  }
  const bool is_same = cf_sameRows(t, &r, mask);
  free(r.control);
  free(r.state);
  free(r.lone_state);
  free(r.history);
  free(r.lone_history);
  return is_same;
}

#endif  // CF_COURSES_H
