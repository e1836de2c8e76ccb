// State vectors: selected parts of mjData laid end to end.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

// one bit of mjtState: where it is in mjData and how long it is
typedef struct {
  size_t data_offset;  // of the array's pointer, or of the value itself
  size_t size_offset;  // of the size field in mjModel
  int width;           // numbers per element
} Part;

// in the order of the bits; time is held by value, eq_active holds bytes in mjData
#define PART(array, size, width) \
  { offsetof(mjData, array), offsetof(mjModel, size), width }
enum { TIME_PART = 0, EQ_ACTIVE_PART = 9 };
static const Part parts[mjNSTATE] = {
    {offsetof(mjData, time), 0, 1},
    PART(qpos, nq, 1),
    PART(qvel, nv, 1),
    PART(act, na, 1),
    PART(history, nhistory, 1),
    PART(qacc_warmstart, nv, 1),
    PART(ctrl, nu, 1),
    PART(qfrc_applied, nv, 1),
    PART(xfrc_applied, nbody, 6),
    PART(eq_active, neq, 1),
    PART(mocap_pos, nmocap, 3),
    PART(mocap_quat, nmocap, 4),
    PART(userdata, nuserdata, 1),
    PART(plugin_state, npluginstate, 1),
};
#undef PART
_Static_assert(mjSTATE_TIME == 1 << TIME_PART && mjSTATE_EQ_ACTIVE == 1 << EQ_ACTIVE_PART, "bits");


// numbers that part k takes in a state vector
static mjtSize partSize(const mjModel* m, int k) {
  CF_ASSERT(k >= 0 && k < mjNSTATE);
  mjtSize size;
  if (k == TIME_PART) {
    return 1;
  }
  memcpy(&size, (const char*)m + parts[k].size_offset, sizeof(size));
  return size * parts[k].width;
}


// first element of part k
static void* partElements(const mjData* d, int k) {
  char* field = (char*)(uintptr_t)d + parts[k].data_offset;
  void* elements = field;
  if (k != TIME_PART) {
    memcpy(&elements, field, sizeof(elements));
  }
  return elements;
}


// a signature is a set of mjtState bits; anything else is an error
static int isSignature(const char* caller, const char* what, int sig) {
  if (sig < 0 || sig >= 1 << mjNSTATE) {
    mju_error("%s: invalid %s %d %s", caller, what, sig, sig < 0 ? "< 0" : ">= 2^mjNSTATE");
    return 0;
  }
  return 1;
}


int mj_stateSize(const mjModel* m, int sig) {
  mjtSize size = 0;
  if (isSignature("mj_stateSize", "state signature", sig)) {
    for (int k = 0; k < mjNSTATE; k++) {
      size += sig >> k & 1 ? partSize(m, k) : 0;
    }
  }
  return (int)size;
}


static void copyNumbers(mjtNum* dest, const mjtNum* src, mjtSize count) {
  CF_ASSERT(count >= 0);
  if (count) {
    memcpy(dest, src, sizeof(mjtNum) * (size_t)count);
  }
}


void mj_getState(const mjModel* m, const mjData* d, mjtNum* state, int sig) {
  if (!isSignature("mj_getState", "state signature", sig)) {
    return;
  }
  for (int k = 0; k < mjNSTATE; k++) {
    const mjtSize count = sig >> k & 1 ? partSize(m, k) : 0;
    if (k == EQ_ACTIVE_PART) {
      for (mjtSize j = 0; j < count; j++) {
        state[j] = d->eq_active[j];
      }
    } else {
      copyNumbers(state, partElements(d, k), count);
    }
    state += count;
  }
}


void mj_setState(const mjModel* m, mjData* d, const mjtNum* state, int sig) {
  if (!isSignature("mj_setState", "state signature", sig)) {
    return;
  }
  for (int k = 0; k < mjNSTATE; k++) {
    const mjtSize count = sig >> k & 1 ? partSize(m, k) : 0;
    if (k == EQ_ACTIVE_PART) {
      for (mjtSize j = 0; j < count; j++) {
        d->eq_active[j] = (mjtByte)state[j];
      }
    } else {
      copyNumbers(partElements(d, k), state, count);
    }
    state += count;
  }
}


void mj_copyState(const mjModel* m, const mjData* src, mjData* dst, int sig) {
  if (!isSignature("mj_copyState", "state signature", sig)) {
    return;
  }
  for (int k = 0; k < mjNSTATE; k++) {
    const mjtSize count = sig >> k & 1 ? partSize(m, k) : 0;
    const size_t width = k == EQ_ACTIVE_PART ? sizeof(mjtByte) : sizeof(mjtNum);
    if (count) {
      memcpy(partElements(dst, k), partElements(src, k), width * (size_t)count);
    }
  }
}


void mj_extractState(const mjModel* m, const mjtNum* src, int srcsig, mjtNum* dst, int dstsig) {
  if (!isSignature("mj_extractState", "srcsig", srcsig)) {
    return;
  }
  if (dstsig & ~srcsig) {
    mju_error("mj_extractState: dstsig is not a subset of srcsig");
    return;
  }
  for (int k = 0; k < mjNSTATE; k++) {
    const mjtSize count = srcsig >> k & 1 ? partSize(m, k) : 0;
    if (dstsig >> k & 1) {
      copyNumbers(dst, src, count);
      dst += count;
    }
    src += count;
  }
}


// the parts of a keyframe, model side first
typedef struct {
  mjtNum *key, *data;
  mjtSize count;
} KeyPart;

enum { NKEYPART = 6 };


static void keyParts(const mjModel* m, const mjData* d, int key, KeyPart part[NKEYPART]) {
  const KeyPart all[NKEYPART] = {
      {m->key_qpos, d->qpos, m->nq},
      {m->key_qvel, d->qvel, m->nv},
      {m->key_act, d->act, m->na},
      {m->key_mpos, d->mocap_pos, 3 * m->nmocap},
      {m->key_mquat, d->mocap_quat, 4 * m->nmocap},
      {m->key_ctrl, d->ctrl, m->nu},
  };
  CF_ASSERT(key >= 0 && key < m->nkey);
  for (int k = 0; k < NKEYPART; k++) {
    part[k] = all[k];
    part[k].key += key * all[k].count;
  }
}


void mj_setKeyframe(mjModel* m, const mjData* d, int k) {
  if (k < 0) {
    mju_error("mj_setKeyframe: keyframe index cannot be negative");
    return;
  }
  if (k >= m->nkey) {
    mju_error("mj_setKeyframe: index must be smaller than %lld (keyframes allocated in model)",
              (long long)m->nkey);
    return;
  }
  KeyPart part[NKEYPART];
  keyParts(m, d, k, part);
  m->key_time[k] = d->time;
  for (int j = 0; j < NKEYPART; j++) {
    copyNumbers(part[j].key, part[j].data, part[j].count);
  }
}


void mj_resetDataKeyframe(const mjModel* m, mjData* d, int key) {
  mj_resetData(m, d);
  if (key < 0 || key >= m->nkey) {
    return;
  }
  KeyPart part[NKEYPART];
  keyParts(m, d, key, part);
  d->time = m->key_time[key];
  for (int j = 0; j < NKEYPART; j++) {
    copyNumbers(part[j].data, part[j].key, part[j].count);
  }
}
