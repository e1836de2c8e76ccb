// Keyframes: missing values are those of the reference configuration.
#include "base/assert.h"
#include "compile/phases.h"

#include <string.h>

#include "compile/placement.h"
#include "spec/keys.h"

//---------------------------------- from the specification ----------------------------------------

static cfKeyValues takeValues(const void* given) {
  return (cfKeyValues){cfi_doubles(given), cfi_countDoubles(given)};
}


void cfi_takeKeyframes(cfDraft* draft) {
  const cfPartList* keys = cfi_parts(draft, mjOBJ_KEY);
  for (int i = 0; i < keys->count; i++) {
    cfKeyDraft* key = (cfKeyDraft*)keys->item[i];
    key->qpos = takeValues(key->attr.qpos);
    key->qvel = takeValues(key->attr.qvel);
    key->act = takeValues(key->attr.act);
    key->ctrl = takeValues(key->attr.ctrl);
    key->mpos = takeValues(key->attr.mpos);
    key->mquat = takeValues(key->attr.mquat);
  }
}


//---------------------------------- into the model ------------------------------------------------

// values of one kind, or the default; dest has room for `count`
static void fillValues(cfDraft* draft, const cfKeyDraft* key, const char* what,
                       const cfKeyValues* values, mjtNum* dest, const mjtNum* otherwise,
                       int count) {
  CF_ASSERT(count >= 0);
  if (values->count && values->count != count) {
    // MuJoCo gives the name of some and the place of others
    if (what[0] == 'q' || what[0] == 'a') {
      cfi_fail(draft, &key->part, "keyframe '%s': invalid %s size, expected %d, got %d",
               key->part.name, what, count, values->count);
    }
    cfi_fail(draft, &key->part, "keyframe %d: invalid %s size, expected length %d, got %d",
             key->part.id, what, count, values->count);
  }
  for (int i = 0; i < count; i++) {
    // an attached model's keyframe says nothing about the rest
    const bool is_given = values->count && !cfi_isOpenValue(values->value + i);
    dest[i] = is_given ? values->value[i] : (otherwise ? otherwise[i] : 0);
  }
}


// pose of the mocap bodies in the model, as defaults
static void collectMocap(const mjModel* m, mjtNum* pos, mjtNum* quat) {
  for (int b = 0; b < m->nbody; b++) {
    const int mocap = m->body_mocapid[b];
    if (mocap >= 0) {
      mju_copy3(pos + 3 * mocap, m->body_pos + 3 * b);
      mju_copy4(quat + 4 * mocap, m->body_quat + 4 * b);
    }
  }
}


static void unitQuaternions(const mjModel* m, mjtNum* qpos, mjtNum* mquat) {
  for (int j = 0; j < m->njnt; j++) {
    if (cfi_hasQuat(m->jnt_type[j])) {
      cfi_unit(qpos + m->jnt_qposadr[j] + cfi_jointLinear(m->jnt_type[j]), 4);
    }
  }
  for (int b = 0; b < m->nmocap; b++) {
    cfi_unit(mquat + 4 * b, 4);
  }
  mj_normalizeQuat(m, qpos);
}


void cfi_fillKeyframes(cfDraft* draft) {
  mjModel* m = draft->model;
  const cfPartList* keys = cfi_parts(draft, mjOBJ_KEY);
  mjtNum* pos = (mjtNum*)cfi_poolAlloc(&draft->pool, 3 * m->nmocap + 1, sizeof(mjtNum));
  mjtNum* quat = (mjtNum*)cfi_poolAlloc(&draft->pool, 4 * m->nmocap + 1, sizeof(mjtNum));
  collectMocap(m, pos, quat);
  for (int i = 0; i < keys->count; i++) {
    const cfKeyDraft* key = (const cfKeyDraft*)keys->item[i];
    m->key_time[i] = key->attr.time;
    fillValues(draft, key, "qpos", &key->qpos, m->key_qpos + i * m->nq, m->qpos0, m->nq);
    fillValues(draft, key, "qvel", &key->qvel, m->key_qvel + i * m->nv, NULL, m->nv);
    fillValues(draft, key, "act", &key->act, m->key_act + i * m->na, NULL, m->na);
    fillValues(draft, key, "ctrl", &key->ctrl, m->key_ctrl + i * m->nu, NULL, m->nu);
    fillValues(draft, key, "mpos", &key->mpos, m->key_mpos + i * 3 * m->nmocap, pos, 3 * m->nmocap);
    fillValues(draft, key, "mquat", &key->mquat, m->key_mquat + i * 4 * m->nmocap, quat,
               4 * m->nmocap);
    unitQuaternions(m, m->key_qpos + i * m->nq, m->key_mquat + i * 4 * m->nmocap);
  }
}
