// mj_recompile: a new model from an edited specification, the state of what is still there kept.
//
// After a compilation every joint, actuator and mocap body of the specification knows where its
// state stands.  Before the next one the values are taken out of the data, afterwards they are put
// back where the same elements stand now.
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "compile/phases.h"

// state of one element
typedef struct {
  const cfElement* element;
  mjtNum position[7];  // qpos, ctrl, or mocap position and quaternion
  mjtNum velocity[6];  // qvel
  mjtNum* activation;
  int nactivation;
} keptState;

typedef struct {
  keptState* item;
  int count;
  cfPool pool;
} keptStates;


//---------------------------------- places --------------------------------------------------------

// elements of the specification that carry state
static const mjtObj kept_types[3] = {mjOBJ_JOINT, mjOBJ_ACTUATOR, mjOBJ_BODY};


static void setPlace(const cfPart* part, int first, int second, int third) {
  int* place = cfi_element(&part->origin->head)->place;
  place[0] = first;
  place[1] = second;
  place[2] = third;
}


// forget the last model, then remember where everything stands in this one
static void noteIds(cfDraft* draft) {
  for (int type = 0; type < mjNOBJECT; type++) {
    const cfList* list = draft->list[type].room ? cfi_list(draft->spec, (mjtObj)type) : NULL;
    for (int i = 0; list && i < list->count; i++) {
      list->item[i]->model_id = 0;
      memset(list->item[i]->place, 0, sizeof(list->item[i]->place));
    }
    for (int i = 0; i < draft->list[type].count; i++) {
      const cfElement* origin = draft->list[type].item[i]->origin;
      if (origin) {
        cfi_element(&origin->head)->model_id = i + 1;
        cfi_element(&origin->head)->was_compiled = true;
      }
    }
  }
}


// the specification learns what geoms its tendons wrap around
static void noteWraps(cfDraft* draft) {
  const cfPartList* tendons = cfi_parts(draft, mjOBJ_TENDON);
  for (int i = 0; i < tendons->count; i++) {
    const cfTendonDraft* tendon = (const cfTendonDraft*)tendons->item[i];
    const cfElement* origin = tendon->part.origin;
    for (int k = 0; origin && k < tendon->nwrap && k < origin->part.tendon.path.count; k++) {
      ((mjsWrap*)origin->part.tendon.path.item[k]->attr)->type = tendon->wrap[k].type;
    }
  }
}


void cfi_notePlaces(cfDraft* draft) {
  noteIds(draft);
  noteWraps(draft);
  const cfPartList* joints = cfi_parts(draft, mjOBJ_JOINT);
  for (int i = 0; i < joints->count; i++) {
    const cfJointDraft* joint = (const cfJointDraft*)joints->item[i];
    setPlace(&joint->part, joint->qposadr + 1, joint->dofadr + 1, 0);
  }
  const cfPartList* actuators = cfi_parts(draft, mjOBJ_ACTUATOR);
  for (int i = 0; i < actuators->count; i++) {
    const cfActuatorDraft* actuator = (const cfActuatorDraft*)actuators->item[i];
    setPlace(&actuator->part, i + 1, actuator->actadr + 1, actuator->attr.actdim);
  }
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 0; i < bodies->count; i++) {
    const cfBodyDraft* body = (const cfBodyDraft*)bodies->item[i];
    setPlace(&body->part, body->mocapid + 1, 0, 0);
    if (body->part.origin) {
      cfi_element(&body->part.origin->head)->compiled_mass = body->attr.mass;
    }
  }
}


//---------------------------------- take out and put back -----------------------------------------

// control: the number of the data that belongs to an actuator, -1 if there is none
static void takeState(keptStates* kept, const cfElement* e, const mjData* d, int control) {
  const int* place = e->place;
  if (e->head.elemtype == mjOBJ_ACTUATOR ? control < 0 : !place[0]) {
    return;
  }
  keptState* state = kept->item + kept->count++;
  state->element = e;
  if (e->head.elemtype == mjOBJ_JOINT) {
    const int type = ((const mjsJoint*)e->attr)->type;
    mju_copy(state->position, d->qpos + place[0] - 1, cfi_jointCoordinates(type));
    mju_copy(state->velocity, d->qvel + place[1] - 1, cfi_jointDofs(type));
  } else if (e->head.elemtype == mjOBJ_ACTUATOR) {
    state->position[0] = d->ctrl[control];
    state->nactivation = place[1] ? place[2] : 0;
    state->activation = (mjtNum*)cfi_poolAlloc(&kept->pool, state->nactivation + 1, sizeof(mjtNum));
    mju_copy(state->activation, place[1] ? d->act + place[1] - 1 : state->activation,
             state->nactivation);
  } else {
    mju_copy3(state->position, d->mocap_pos + 3 * (place[0] - 1));
    mju_copy4(state->position + 3, d->mocap_quat + 4 * (place[0] - 1));
  }
}


// as in MuJoCo, controls go to actuators in the order of the specification as it is now
static void takeStates(keptStates* kept, cfSpec* spec, const mjData* d) {
  const int ncontrol = spec->compiled_size[3];  // behind qpos, qvel, act
  int total = 0;
  for (int k = 0; k < 3; k++) {
    total += cfi_list(spec, kept_types[k])->count;
  }
  kept->item = (keptState*)cfi_poolAlloc(&kept->pool, total + 1, sizeof(keptState));
  for (int k = 0; k < 3; k++) {
    const cfList* list = cfi_list(spec, kept_types[k]);
    for (int i = 0; i < list->count; i++) {
      takeState(kept, list->item[i], d, i < ncontrol ? i : -1);
    }
  }
}


static void putState(const keptState* state, mjData* d) {
  CF_ASSERT(state && d);
  const cfElement* e = state->element;
  const int* place = e->place;
  if (!place[0]) {
    return;
  }
  if (e->head.elemtype == mjOBJ_JOINT) {
    const int type = ((const mjsJoint*)e->attr)->type;
    mju_copy(d->qpos + place[0] - 1, state->position, cfi_jointCoordinates(type));
    mju_copy(d->qvel + place[1] - 1, state->velocity, cfi_jointDofs(type));
  } else if (e->head.elemtype == mjOBJ_ACTUATOR) {
    d->ctrl[place[0] - 1] = state->position[0];
    if (place[1] && place[2] == state->nactivation) {
      mju_copy(d->act + place[1] - 1, state->activation, state->nactivation);
    }
  } else {
    mju_copy3(d->mocap_pos + 3 * (place[0] - 1), state->position);
    mju_copy4(d->mocap_quat + 4 * (place[0] - 1), state->position + 3);
  }
}


//---------------------------------- exchange ------------------------------------------------------

// give a model or data new contents; the old ones end up in `fresh`
static void exchangeStructs(void* kept, void* fresh, void* scratch, size_t bytes) {
  CF_ASSERT(kept != fresh && bytes > 0);
  memcpy(scratch, kept, bytes);
  memcpy(kept, fresh, bytes);
  memcpy(fresh, scratch, bytes);
}


static void replaceModel(mjModel* m, mjModel* fresh) {
  mjModel scratch;
  exchangeStructs(m, fresh, &scratch, sizeof(mjModel));
  mj_deleteModel(fresh);
}


// data of the new model with the old time and thread pool
static int replaceData(const mjModel* m, mjData* d, const keptStates* kept) {
  mjData scratch;
  mjData* fresh = mj_makeData(m);
  if (!fresh) {
    return -1;
  }
  fresh->time = d->time;
  fresh->threadpool = d->threadpool;
  d->threadpool = 0;
  exchangeStructs(d, fresh, &scratch, sizeof(mjData));
  mj_deleteData(fresh);
  for (int i = 0; i < kept->count; i++) {
    putState(kept->item + i, d);
  }
  return 0;
}


int mj_recompile(mjSpec* s, const mjVFS* vfs, mjModel* m, mjData* d) {
  keptStates kept = {0};
  if (d) {
    takeStates(&kept, cfi_spec(s), d);
  }
  mjModel* fresh = mj_compile(s, vfs);
  if (!fresh) {
    mj_deleteModel(m);
    mj_deleteData(d);
    cfi_poolFree(&kept.pool);
    return -1;
  }
  int status = 0;
  if (m) {
    replaceModel(m, fresh);
    status = d ? replaceData(m, d, &kept) : 0;
  } else {
    mj_deleteModel(fresh);
  }
  cfi_poolFree(&kept.pool);
  return status;
}
