// Keyframes: missing values are those of the reference configuration.
#include "compile/phases.h"

#include <math.h>
#include <string.h>

#include "compile/placement.h"

//---------------------------------- values too short for the model --------------------------------

// dimensions of the state as the specification counts them
typedef struct {
  int nq, nv, na, nu, nmocap;
} stateSize;


static stateSize countState(cfDraft* draft) {
  stateSize size = {0};
  const cfPartList* joints = cfi_parts(draft, mjOBJ_JOINT);
  for (int i = 0; i < joints->count; i++) {
    int type = ((const cfJointDraft*)joints->item[i])->attr.type;
    size.nq += cfi_jointCoordinates(type);
    size.nv += cfi_jointDofs(type);
  }
  const cfPartList* actuators = cfi_parts(draft, mjOBJ_ACTUATOR);
  for (int i = 0; i < actuators->count; i++) {
    const mjsActuator* attr = &((const cfActuatorDraft*)actuators->item[i])->attr;
    size.na += attr->actdim > 0 ? attr->actdim : attr->dyntype != mjDYN_NONE;
  }
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 0; i < bodies->count; i++) {
    size.nmocap += ((const cfBodyDraft*)bodies->item[i])->attr.mocap != 0;
  }
  size.nu = actuators->count;
  return size;
}


// copy of the user's values with room for the whole state
static cfKeyValues takeValues(cfDraft* draft, const void* given, int needed) {
  int count = cfi_countDoubles(given);
  if (!count) {
    return (cfKeyValues){0};
  }
  int room = count > needed ? count : needed;
  double* value = (double*)cfi_poolAlloc(&draft->pool, room, sizeof(double));
  memcpy(value, cfi_doubles(given), count * sizeof(double));
  return (cfKeyValues){value, room};
}


// coordinates that a keyframe leaves out, as they stand in the specification
static void padCoordinates(cfDraft* draft, double* qpos, int from) {
  const cfPartList* joints = cfi_parts(draft, mjOBJ_JOINT);
  double block[7];
  for (int i = 0, adr = 0; i < joints->count; i++) {
    const cfJointDraft* joint = (const cfJointDraft*)joints->item[i];
    int count = cfi_jointCoordinates(joint->attr.type);
    if (joint->attr.type == mjJNT_FREE) {
      memcpy(block, joint->body->attr.pos, 3 * sizeof(double));
      memcpy(block + 3, joint->body->attr.quat, 4 * sizeof(double));
    } else {
      memset(block, 0, sizeof(block));
      block[0] = joint->attr.type == mjJNT_BALL ? 1 : joint->attr.ref;
    }
    for (int k = 0; k < count; k++) {
      if (adr + k >= from) {
        qpos[adr + k] = block[k];
      }
    }
    adr += count;
  }
}


// poses of mocap bodies from number `from` on
static void padMocap(cfDraft* draft, double* value, int from, bool is_quat) {
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 0, mocap = 0; i < bodies->count; i++) {
    const mjsBody* attr = &((const cfBodyDraft*)bodies->item[i])->attr;
    if (!attr->mocap) {
      continue;
    }
    if (mocap >= from) {
      int width = is_quat ? 4 : 3;
      memcpy(value + width * mocap, is_quat ? attr->quat : attr->pos, width * sizeof(double));
    }
    mocap++;
  }
}


static void padKeyframe(cfDraft* draft, cfKeyDraft* key, stateSize size) {
  const mjsKey* attr = &key->attr;
  int nq = cfi_countDoubles(attr->qpos), npos = cfi_countDoubles(attr->mpos),
      nquat = cfi_countDoubles(attr->mquat);
  key->qpos = takeValues(draft, attr->qpos, size.nq);
  key->qvel = takeValues(draft, attr->qvel, size.nv);
  key->act = takeValues(draft, attr->act, size.na);
  key->ctrl = takeValues(draft, attr->ctrl, size.nu);
  key->mpos = takeValues(draft, attr->mpos, npos / 3 < size.nmocap ? 3 * size.nmocap : 0);
  key->mquat = takeValues(draft, attr->mquat, nquat / 4 < size.nmocap ? 4 * size.nmocap : 0);
  if (nq && nq < size.nq) {
    padCoordinates(draft, key->qpos.value, nq);
  }
  if (npos && npos / 3 < size.nmocap) {
    padMocap(draft, key->mpos.value, npos / 3, false);
  }
  if (nquat && nquat / 4 < size.nmocap) {
    padMocap(draft, key->mquat.value, nquat / 4, true);
  }
}


// a keyframe that only the size section asks for
static void addEmptyKey(cfDraft* draft) {
  cfPartList* keys = cfi_parts(draft, mjOBJ_KEY);
  cfKeyDraft* key = (cfKeyDraft*)cfi_poolAlloc(&draft->pool, 1, sizeof(cfKeyDraft));
  key->part = (cfPart){.origin = NULL, .name = "", .type = mjOBJ_KEY, .id = keys->count};
  cfi_pushPart(draft, keys, &key->part);
}


void cfi_padKeyframes(cfDraft* draft) {
  cfPartList* keys = cfi_parts(draft, mjOBJ_KEY);
  stateSize size = countState(draft);
  for (int i = 0; i < keys->count; i++) {
    padKeyframe(draft, (cfKeyDraft*)keys->item[i], size);
  }
  while (keys->count < draft->spec->pub.nkey) {
    addEmptyKey(draft);
  }
}


//---------------------------------- into the model ------------------------------------------------

// values of one kind, or the default; dest has room for `count`
static void fillValues(cfDraft* draft, const cfKeyDraft* key, const char* what,
                       const cfKeyValues* values, mjtNum* dest, const mjtNum* otherwise,
                       int count) {
  if (values->count && values->count != count) {
    cfi_fail(draft, &key->part, "keyframe '%s': invalid %s size, expected %d, got %d",
             key->part.name, what, count, values->count);
  }
  for (int i = 0; i < count; i++) {
    // an attached model's keyframe says nothing about the rest
    bool is_given = values->count && !isnan(values->value[i]);
    dest[i] = is_given ? values->value[i] : (otherwise ? otherwise[i] : 0);
  }
}


// pose of the mocap bodies in the model, as defaults
static void collectMocap(const mjModel* m, mjtNum* pos, mjtNum* quat) {
  for (int b = 0; b < m->nbody; b++) {
    int mocap = m->body_mocapid[b];
    if (mocap >= 0) {
      mju_copy3(pos + 3 * mocap, m->body_pos + 3 * b);
      mju_copy4(quat + 4 * mocap, m->body_quat + 4 * b);
    }
  }
}


static void unitQuaternions(const mjModel* m, mjtNum* qpos, mjtNum* mquat) {
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] == mjJNT_BALL || m->jnt_type[j] == mjJNT_FREE) {
      cfi_unit(qpos + m->jnt_qposadr[j] + (m->jnt_type[j] == mjJNT_FREE ? 3 : 0), 4);
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
