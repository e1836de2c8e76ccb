// Keyframes of attached models; see keys.h.
#include "spec/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/sort.h"
#include "spec/resolve.h"

enum { QPOS, QVEL, ACT, CTRL, MPOS, MQUAT, KINDS };
static const char* const kind_names[KINDS] = {"qpos", "qvel", "act", "ctrl", "mpos", "mquat"};

static const cfVec* keyValues(const cfElement* key, int kind) {
  CF_ASSERT_INDEX(kind, KINDS);
  const mjsKey* attr = (const mjsKey*)key->attr;
  const void* values[KINDS] = {attr->qpos, attr->qvel, attr->act,
                               attr->ctrl, attr->mpos, attr->mquat};
  return (const cfVec*)values[kind];
}

static cfPendingKey* pendingKeys(const cfSpec* spec) {
  return (cfPendingKey*)spec->pending.begin;
}

static int countPending(const cfSpec* spec) {
  return (int)cfi_vecCount(&spec->pending, sizeof(cfPendingKey));
}

//---------------------------------- layout of a state ---------------------------------------------

// numbers an element has in each kind
static void elementSizes(const cfElement* e, int size[KINDS]) {
  static const int nq[] = {
      [mjJNT_FREE] = 7, [mjJNT_BALL] = 4, [mjJNT_SLIDE] = 1, [mjJNT_HINGE] = 1};
  static const int nv[] = {
      [mjJNT_FREE] = 6, [mjJNT_BALL] = 3, [mjJNT_SLIDE] = 1, [mjJNT_HINGE] = 1};
  memset(size, 0, KINDS * sizeof(int));
  if (e->head.elemtype == mjOBJ_JOINT) {
    const mjtJoint type = ((const mjsJoint*)e->attr)->type;
    size[QPOS] = nq[type];
    size[QVEL] = nv[type];
  } else if (e->head.elemtype == mjOBJ_ACTUATOR) {
    size[ACT] = cfi_activationCount(e);
    size[CTRL] = 1;
  } else if (e->head.elemtype == mjOBJ_BODY && ((const mjsBody*)e->attr)->mocap) {
    size[MPOS] = 3;
    size[MQUAT] = 4;
  }
}

static const mjtObj state_types[] = {mjOBJ_JOINT, mjOBJ_ACTUATOR, mjOBJ_BODY};

// call a function for every element that has a state, with the address of its numbers per kind
typedef void (*cfStateVisitor)(void* context, cfElement* e, const int address[KINDS],
                               const int size[KINDS]);

static void visitStates(cfSpec* spec, cfStateVisitor visit, void* context, int total[KINDS]) {
  memset(total, 0, KINDS * sizeof(int));
  for (int t = 0; t < 3; t++) {
    const cfList* list = cfi_list(spec, state_types[t]);
    for (int i = 0; i < list->count; i++) {
      int size[KINDS];
      elementSizes(list->item[i], size);
      if (visit) {
        visit(context, list->item[i], total, size);
      }
      for (int k = 0; k < KINDS; k++) {
        total[k] += size[k];
      }
    }
  }
}

// where an element stood in the last compiled model; what came later has no numbers there
static void compiledPlace(const cfElement* e, int address[KINDS], int size[KINDS]) {
  elementSizes(e, size);
  const int* place = e->place;
  if (!e->model_id || !place[0]) {
    memset(size, 0, KINDS * sizeof(int));
  }
  address[QPOS] = place[0] - 1;
  address[QVEL] = place[1] - 1;
  address[ACT] = place[1] - 1;
  size[ACT] = e->head.elemtype == mjOBJ_ACTUATOR && e->model_id ? place[2] : 0;
  address[MPOS] = 3 * (place[0] - 1);
  address[MQUAT] = 4 * (place[0] - 1);
}

// the same for the last compiled model, of which keyframes of that size speak; as in MuJoCo,
// controls go to actuators in the order of the specification as it is now
static void visitCompiled(cfSpec* spec, cfStateVisitor visit, void* context) {
  for (int t = 0; t < 3; t++) {
    const cfList* list = cfi_list(spec, state_types[t]);
    for (int i = 0; i < list->count; i++) {
      int address[KINDS] = {0}, size[KINDS];
      compiledPlace(list->item[i], address, size);
      if (state_types[t] == mjOBJ_ACTUATOR) {
        address[CTRL] = i;
        size[CTRL] = i < spec->compiled_size[CTRL];
      }
      visit(context, list->item[i], address, size);
    }
  }
}

//---------------------------------- splitting -----------------------------------------------------

static const cfPendingKey* addPending(cfSpec* spec, const cfElement* key, const cfCopy* copy) {
  cfPendingKey* pending = (cfPendingKey*)cfi_growVec(&spec->pending, 1, sizeof(cfPendingKey));
  cfi_initString(&pending->name);
  cfi_copyMember(&pending->name, &key->name, CF_MEMBER_STRING);
  cfi_prefixSuffix(&pending->name, copy->prefix, copy->suffix);
  pending->time = ((const mjsKey*)key->attr)->time;
  for (int k = 0; k < KINDS; k++) {
    pending->has[k] = cfi_countDoubles(keyValues(key, k)) > 0;
  }
  return pending;
}

static cfKeyState* newState(const cfString* key) {
  cfKeyState* state = (cfKeyState*)calloc(1, sizeof(cfKeyState));
  if (!state) {
    mju_error("could not allocate memory for keyframes");
    abort();
  }
  cfi_initString(&state->key);
  cfi_copyMember(&state->key, key, CF_MEMBER_STRING);
  return state;
}

typedef struct {
  const cfElement* key;
  const cfString* name;
} cfSplit;

static void splitOne(void* context, cfElement* e, const int address[KINDS], const int size[KINDS]) {
  const cfSplit* split = (const cfSplit*)context;
  cfKeyState* state = NULL;
  for (int k = 0; k < KINDS; k++) {
    const cfVec* values = keyValues(split->key, k);
    if (size[k] == 0 || cfi_countDoubles(values) == 0) {
      continue;
    }
    if (!state) {
      state = newState(split->name);
      state->next = e->keys;
      e->keys = state;
    }
    cfi_assignVec(&state->value[k], cfi_doubles(values) + address[k], (size_t)size[k],
                  sizeof(double));

    // as in MuJoCo, what is not a number says nothing once a keyframe was taken apart
    for (int n = 0; n < size[k]; n++) {
      double* value = cfi_doubles(&state->value[k]) + n;
      *value = isnan(*value) ? cfi_openValue() : *value;
    }
  }
}

// has every keyframe the right size; the first one that has not is told
static bool keysFit(cfSpec* spec, const int total[KINDS], cfSpec* teller) {
  const cfList* keys = cfi_list(spec, mjOBJ_KEY);
  for (int i = 0; i < keys->count; i++) {
    for (int k = 0; k < KINDS; k++) {
      const int count = cfi_countDoubles(keyValues(keys->item[i], k));
      if (count && count != total[k]) {
        if (teller) {
          cfi_setError(teller, false,
                       "Error: Keyframe '%s' has invalid %s size, got %d, should be %d",
                       cfi_text(&keys->item[i]->name), kind_names[k], count, total[k]);
        }
        return false;
      }
    }
  }
  return true;
}

bool cfi_splitKeys(const cfCopy* copy) {
  cfSpec* from = copy->from;
  if (from != copy->to && countPending(from)) {
    mju_warning(
        "Child model has pending keyframes. They will not be namespaced correctly. "
        "To prevent this, compile the child model before attaching it again.");
  }
  const cfList* keys = cfi_list(from, mjOBJ_KEY);
  if (keys->count == 0) {
    return true;
  }
  int total[KINDS];
  const bool is_old = from->is_compiled && keysFit(from, from->compiled_size, NULL);
  visitStates(from, NULL, NULL, total);
  if (!is_old && !keysFit(from, total, copy->to)) {
    return false;
  }
  for (int i = 0; i < keys->count; i++) {
    cfSplit split = {keys->item[i], &addPending(copy->to, keys->item[i], copy)->name};
    if (is_old) {
      visitCompiled(from, splitOne, &split);
    } else {
      visitStates(from, splitOne, &split, total);
    }
  }
  return true;
}

//---------------------------------- moving --------------------------------------------------------

void cfi_moveKeys(const cfCopy* copy, cfElement* source, cfElement* twin) {
  if (copy->is_attach) {
    twin->keys = source->keys;
    source->keys = NULL;
  }
}

void cfi_joinKeys(const cfCopy* copy) {
  int count = countPending(copy->from);
  if (copy->from == copy->to || count == 0) {
    return;
  }
  cfPendingKey* to =
      (cfPendingKey*)cfi_growVec(&copy->to->pending, (size_t)count, sizeof(cfPendingKey));
  memcpy(to, copy->from->pending.begin, (size_t)count * sizeof(cfPendingKey));
  cfi_assignVec(&copy->from->pending, NULL, 0, sizeof(cfPendingKey));
}

//---------------------------------- growing and shrinking models ----------------------------------

// value number n of an element in the reference configuration
static double referenceValue(const cfElement* e, int kind, int n) {
  CF_ASSERT_INDEX(kind, KINDS);
  const bool is_body = e->head.elemtype == mjOBJ_BODY;
  const mjsBody* body = (const mjsBody*)(is_body ? e->attr : e->body ? e->body->attr : NULL);
  if (kind == MPOS || kind == MQUAT) {
    return kind == MPOS ? body->pos[n] : body->quat[n];
  }
  if (kind != QPOS) {
    return 0;
  }
  const mjsJoint* joint = (const mjsJoint*)e->attr;

  // MuJoCo takes a joint that was never compiled for a hinge
  if (!e->was_compiled) {
    return n == 0 ? joint->ref : 0;
  }
  if (joint->type == mjJNT_FREE) {
    return n < 3 ? body->pos[n] : body->quat[n - 3];
  }
  return joint->type == mjJNT_BALL ? n == 0 : joint->ref;
}

// a keyframe that gets longer: what it had, complete poses of mocap bodies alone
typedef struct {
  cfElement* key;
  int had[KINDS];
} cfPadding;

static void padOne(void* context, cfElement* e, const int address[KINDS], const int size[KINDS]) {
  const cfPadding* pad = (const cfPadding*)context;
  for (int k = 0; k < KINDS; k++) {
    const cfVec* values = keyValues(pad->key, k);
    for (int n = 0; n < size[k]; n++) {
      const int place = address[k] + n;
      if (place >= pad->had[k] && place < cfi_countDoubles(values)) {
        cfi_doubles(values)[place] = referenceValue(e, k, n);
      }
    }
  }
}

void cfi_addMissingKeys(cfSpec* spec) {
  while (cfi_list(spec, mjOBJ_KEY)->count < spec->pub.nkey) {
    mjs_addKey(&spec->pub);
  }
}

void cfi_expandKeys(cfSpec* spec) {
  const cfList* keys = cfi_list(spec, mjOBJ_KEY);
  int total[KINDS];
  if (keys->count == 0) {
    return;
  }
  visitStates(spec, NULL, NULL, total);
  for (int i = 0; i < keys->count; i++) {
    cfPadding pad = {keys->item[i], {0}};
    bool is_short = false;
    for (int k = 0; k < KINDS; k++) {
      cfVec* values = (cfVec*)(size_t)keyValues(pad.key, k);
      const int count = cfi_countDoubles(values), width = k == MPOS ? 3 : k == MQUAT ? 4 : 1;
      pad.had[k] = count / width * width;
      if (count && pad.had[k] < total[k]) {
        cfi_growVec(values, (size_t)(total[k] - count), sizeof(double));
        is_short = true;
      } else {
        pad.had[k] = total[k];
      }
    }
    if (is_short) {
      visitStates(spec, padOne, &pad, total);
    }
  }
}

bool cfi_detachKeys(cfSpec* spec) {
  // as in MuJoCo, actuators whose target is there lose what they knew of earlier keyframes
  const cfList* actuators = cfi_list(spec, mjOBJ_ACTUATOR);
  for (int i = 0; i < actuators->count; i++) {
    if (actuators->item[i]->keys && cfi_resolveReferences(actuators->item[i], "", "")) {
      cfi_freeKeyStates(actuators->item[i]);
    }
  }
  return cfi_splitKeys(&(cfCopy){.to = spec, .from = spec, .prefix = "", .suffix = ""});
}

//---------------------------------- copies --------------------------------------------------------

void cfi_copyKeyStates(const cfElement* source, cfElement* twin) {
  for (const cfKeyState* from = source->keys; from; from = from->next) {
    cfKeyState* state = newState(&from->key);
    for (int k = 0; k < KINDS; k++) {
      cfi_copyMember(&state->value[k], &from->value[k], CF_MEMBER_DOUBLEVEC);
    }
    state->next = twin->keys;
    twin->keys = state;
  }
}

void cfi_copyPendingKeys(cfSpec* to, const cfSpec* from) {
  const int count = countPending(from);
  for (int i = 0; i < count; i++) {
    cfPendingKey* pending = (cfPendingKey*)cfi_growVec(&to->pending, 1, sizeof(cfPendingKey));
    *pending = pendingKeys(from)[i];
    cfi_initString(&pending->name);
    cfi_copyMember(&pending->name, &pendingKeys(from)[i].name, CF_MEMBER_STRING);
  }
}

int cfi_countPendingKeys(const cfSpec* spec) {
  return countPending(spec);
}

//---------------------------------- becoming keyframes --------------------------------------------

// keyframes by name
typedef struct {
  const char* name;
  mjsKey* key;
} cfNamedKey;

typedef struct {
  const cfNamedKey* item;
  int count;
} cfNamedKeys;

static int compareNames(const void* a, const void* b) {
  return strcmp(((const cfNamedKey*)a)->name, ((const cfNamedKey*)b)->name);
}

static void placeState(void* context, cfElement* e, const int address[KINDS],
                       const int size[KINDS]) {
  const cfNamedKeys* keys = (const cfNamedKeys*)context;
  for (const cfKeyState* state = e->keys; state; state = state->next) {
    const cfNamedKey wanted = {cfi_text(&state->key), NULL};
    const cfNamedKey* found = (const cfNamedKey*)bsearch(&wanted, keys->item, (size_t)keys->count,
                                                         sizeof(cfNamedKey), compareNames);
    for (int k = 0; k < KINDS && found; k++) {
      const cfVec* values = keyValues(cfi_element(found->key->element), k);
      const int count = cfi_countDoubles(&state->value[k]);
      if (count && count == size[k] && cfi_countDoubles(values)) {
        memcpy(cfi_doubles(values) + address[k], cfi_doubles(&state->value[k]),
               (size_t)count * sizeof(double));
      }
    }
  }
  cfi_freeKeyStates(e);
}

// a keyframe of the model that says nothing yet
static mjsKey* addPendingKey(cfSpec* spec, const cfPendingKey* pending, const int total[KINDS]) {
  mjsKey* key = mjs_addKey(&spec->pub);
  key->time = pending->time;
  cfi_setElementName(cfi_element(key->element), cfi_text(&pending->name));
  for (int k = 0; k < KINDS; k++) {
    const cfVec* values = keyValues(cfi_element(key->element), k);
    cfi_assignVec((cfVec*)(size_t)values, NULL, pending->has[k] ? (size_t)total[k] : 0,
                  sizeof(double));
    for (int n = 0; n < cfi_countDoubles(values); n++) {
      cfi_doubles(values)[n] = cfi_openValue();
    }
  }
  return key;
}

void cfi_resolveKeys(cfSpec* spec) {
  int count = countPending(spec), total[KINDS];
  cfNamedKey* keys = count ? (cfNamedKey*)calloc((size_t)count, sizeof(cfNamedKey)) : NULL;
  if (!keys) {
    return;
  }
  visitStates(spec, NULL, NULL, total);
  for (int i = 0; i < count; i++) {
    const cfPendingKey* pending = &pendingKeys(spec)[i];
    keys[i] = (cfNamedKey){cfi_text(&pending->name), addPendingKey(spec, pending, total)};
  }
  cfi_sort(keys, (size_t)count, sizeof(cfNamedKey), compareNames);
  visitStates(spec, placeState, &(cfNamedKeys){keys, count}, total);
  free(keys);
  cfi_freePendingKeys(spec);
}

void cfi_completeKeys(cfSpec* spec, const mjModel* m) {
  const cfList* keys = cfi_list(spec, mjOBJ_KEY);
  const mjtNum* source[KINDS] = {m->key_qpos, m->key_qvel, m->key_act,
                                 m->key_ctrl, m->key_mpos, m->key_mquat};
  const int size[KINDS] = {(int)m->nq, (int)m->nv,         (int)m->na,
                           (int)m->nu, 3 * (int)m->nmocap, 4 * (int)m->nmocap};
  for (int i = 0; i < keys->count && i < m->nkey; i++) {
    for (int k = 0; k < KINDS; k++) {
      const cfVec* values = keyValues(keys->item[i], k);
      for (int n = 0; n < cfi_countDoubles(values) && n < size[k]; n++) {
        double* value = cfi_doubles(values) + n;
        if (cfi_isOpenValue(value)) {
          *value = source[k][(size_t)i * (size_t)size[k] + (size_t)n];
        }
      }
    }
  }
}

//---------------------------------- memory --------------------------------------------------------

void cfi_freeKeyStates(cfElement* e) {
  while (e->keys) {
    cfKeyState* state = e->keys;
    e->keys = state->next;
    cfi_freeString(&state->key);
    for (int k = 0; k < KINDS; k++) {
      cfi_freeMember(&state->value[k], CF_MEMBER_DOUBLEVEC);
    }
    free(state);
  }
}

void cfi_freePendingKeys(cfSpec* spec) {
  const int count = countPending(spec);
  for (int i = 0; i < count; i++) {
    cfi_freeString(&pendingKeys(spec)[i].name);
  }
  cfi_freeMember(&spec->pending, CF_MEMBER_BYTEVEC);
}
