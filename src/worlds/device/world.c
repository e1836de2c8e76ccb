// One world on a device: its data in a block of bytes, its record in and out, its task.
#include "device/world.h"

#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "device/noise.h"
#include "model/data.h"
#include "model/extension.h"
#include "model/layout.h"
#include "pipeline/advance.h"
#include "tables/fields.h"

enum { BLOCK_ALIGNMENT = 128, ARENA_LEAST = 1024 };


static size_t alignedBlock(size_t bytes) {
  return (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
}

// ---------------------------------------- memory

// the model with the parameters of this world: only pointers and numbers of the struct differ
static const mjModel* modelOfWorld(const cfDeviceJob* job, char* place, int world) {
  CF_ASSERT(job->nparameter > 0);
  mjModel* m = (mjModel*)(void*)place;
  *m = *job->model;
  for (int k = 0; k < job->nparameter; k++) {
    const cfDeviceParameter* p = job->parameter + k;
    char* value = p->value + p->bytes * (uint64_t)world;
    if (p->is_array) {
      memcpy(place + p->offset, &value, sizeof(value));
    } else {
      memcpy(place + p->offset, value, p->bytes);
    }
  }
  return m;
}


// mjData at the front of the block, its buffer and private block, then the arena; NULL: no room
static mjData* placeWorld(const mjModel* m, char* block, size_t bytes) {
  mjData* d = (mjData*)(void*)block;
  const char* name;
  mjtSize nbuffer;
  if (!cfi_bufferBytes(&cfi_dataFields, m, &nbuffer, &name)) {
    return NULL;
  }
  const size_t buffer = alignedBlock(sizeof(mjData));
  const size_t arena = buffer + alignedBlock(cfi_extendedBytes(nbuffer));
  if (arena + ARENA_LEAST > bytes) {
    return NULL;
  }
  memset(d, 0, sizeof(mjData));
  d->nbuffer = nbuffer;
  d->buffer = block + buffer;
  d->arena = block + arena;
  d->narena = (mjtSize)(bytes - arena);
  d->narena = d->narena > m->narena ? m->narena : d->narena;
  cfi_placeArrays(&cfi_dataFields, m, d, d->buffer);
  d->contact = d->arena;
  cfi_clearExtension(cfi_dataExtension(d));
  mj_resetData(m, d);
  return d;
}

// ---------------------------------------- records

static char* partOf(const cfDevicePart* part, mjData* d) {
  const cfFieldTable* table = part->is_array ? &cfi_dataFields : &cfi_dataScalars;
  CF_ASSERT_INDEX(part->field, table->count);
  char* place = (char*)d + table->field[part->field].offset;
  if (!part->is_array) {
    return place;
  }
  char* elements;
  memcpy(&elements, place, sizeof(elements));
  return elements;
}


static char* recordOf(const cfDeviceJob* job, int world) {
  return job->record + job->stride * (uint64_t)world;
}


// outputs too, as src/worlds/batch/records.c has it: what a step does not write stays as it was
static void takeWorld(const cfDeviceJob* job, mjData* d, int world) {
  for (int k = 0; k < job->npart; k++) {
    const cfDevicePart* part = job->part + k;
    if (part->bytes && part->is_taken) {
      memcpy(partOf(part, d), recordOf(job, world) + part->offset, part->bytes);
    }
  }
}


static void putWorld(const cfDeviceJob* job, mjData* d, int world) {
  for (int k = 0; k < job->npart; k++) {
    const cfDevicePart* part = job->part + k;
    const size_t used = sizeof(mjContact) * (size_t)d->ncon;
    const size_t bytes = part->is_contact && used < part->bytes ? used : part->bytes;
    if (bytes) {
      memcpy(recordOf(job, world) + part->offset, partOf(part, d), bytes);
    }
  }
}

// ---------------------------------------- order

// light loads last, so that heavy ones do not keep a device waiting at the end
static int loadOf(const mjData* d) {
  const int rows = d->nefc < 63 ? d->nefc : 63, contacts = d->ncon < 7 ? d->ncon : 7;
  const int more = d->solver_niter[0] - 1, iterations = more < 0 ? 0 : more < 3 ? more : 3;
  return CF_DEVICE_LOADS - 1 - ((rows * 8 + contacts) * 4 + iterations);
}


// where the loads of one of several shares of the list begin
static void beginLoads(const cfDeviceJob* job, int share) {
  enum { PART = CF_DEVICE_LOADS / CF_DEVICE_BEGINNERS };
  CF_ASSERT_INDEX(share, CF_DEVICE_BEGINNERS);
  int before = 0;
  for (int k = 0; k < share * PART; k++) {
    before += job->load_count[k];
  }
  for (int k = share * PART; k < (share + 1) * PART; k++) {
    job->load_begin[k] = before;
    before += job->load_count[k];
  }
}


static void orderWorlds(const cfDeviceJob* job, int index) {
  if (job->task == CF_DEVICE_BEGIN) {
    beginLoads(job, index);
    return;
  }
  if (job->task == CF_DEVICE_GATHER) {
    if (job->status[index].state == CF_WORLD_OPEN) {
      job->order[__atomic_fetch_add(job->open_count, 1, __ATOMIC_RELAXED)] = index;
    }
    return;
  }
  const int load = job->status[index].load;
  CF_ASSERT_INDEX(load, CF_DEVICE_LOADS);
  if (job->task == CF_DEVICE_COUNT) {
    __atomic_fetch_add(job->load_count + load, 1, __ATOMIC_RELAXED);
  } else {
    job->order[__atomic_fetch_add(job->load_begin + load, 1, __ATOMIC_RELAXED)] = index;
  }
}

// ---------------------------------------- tasks

// contacts or constraints were left out because the arena is small
static bool isShort(const cfDeviceJob* job, const mjData* d) {
  return !job->is_last &&
         (d->warning[mjWARN_CONTACTFULL].number || d->warning[mjWARN_CNSTRFULL].number);
}


static void reset(const cfDeviceJob* job, const mjModel* m, mjData* d) {
  const int key = job->task == CF_DEVICE_RESET ? job->key : -1;
  if (key >= 0) {
    mj_resetDataKeyframe(m, d, key);
  }
}


// steps until the numbers are bad or memory is short; how many were taken
static int advance(const cfDeviceJob* job, const mjModel* m, mjData* d, int world) {
  CF_ASSERT(job->nstep >= 0);
  const cfNoise noise = {job->noise_scale, job->noise_rate, job->seed};
  const int64_t start = job->status[world].nstep;
  int taken = 0;
  while (taken < job->nstep && !cfi_badNumbers(d) && !isShort(job, d)) {
    if (noise.scale > 0) {
      cfi_addNoise(&noise, m, d, world, start + taken);
    }
    cfi_stepReacting(m, d, job->reacts && taken == job->nstep - 1);
    taken++;
  }
  return taken;
}


static void finish(const cfDeviceJob* job, mjData* d, int world, int taken) {
  cfDeviceStatus* status = job->status + world;
  for (int k = 0; k < mjNWARNING; k++) {
    status->warning[k] += d->warning[k].number;
  }
  status->nstep += taken;
  status->nagain += job->is_again ? taken : 0;
  status->load = loadOf(d);
  if (cfi_badNumbers(d)) {
    status->state = CF_WORLD_LOST;
    return;
  }
  putWorld(job, d, world);
  status->nlost--;
  status->state = CF_WORLD_GOOD;
}


// does this launch have work with a world
static bool isAsked(const cfDeviceJob* job, int world) {
  const int state = job->status[world].state;
  switch (job->task) {
    case CF_DEVICE_RESET:
      return !job->mask || job->mask[world];
    case CF_DEVICE_RESTART:
      return state == CF_WORLD_LOST;
    default:
      return state == CF_WORLD_OPEN || (state == CF_WORLD_GOOD && !job->is_again);
  }
}


void cfi_runWorld(const cfDeviceJob* job, char* block, size_t bytes, int world) {
  if (job->task >= CF_DEVICE_COUNT) {
    orderWorlds(job, world);
    return;
  }
  if (!isAsked(job, world)) {
    return;
  }

  // until it ends well a task counts as not done, so that an error on the way needs no more
  cfDeviceStatus* status = job->status + world;
  const bool is_new = status->state == CF_WORLD_GOOD;
  const bool is_reset = job->task == CF_DEVICE_RESET || job->task == CF_DEVICE_RESTART;
  status->nlost += !is_reset && is_new;
  status->state = job->is_last || is_reset ? CF_WORLD_LOST : CF_WORLD_OPEN;

  const size_t front = job->nparameter ? alignedBlock(sizeof(mjModel)) : 0;
  const mjModel* m = front && front < bytes ? modelOfWorld(job, block, world) : job->model;
  mjData* d = front < bytes ? placeWorld(m, block + front, bytes - front) : NULL;
  if (!d) {
    cfi_deviceStop("the memory of a world is too small for its arrays");
  }
  if (is_reset) {
    reset(job, m, d);
    putWorld(job, d, world);
    status->state = CF_WORLD_GOOD;
    return;
  }
  takeWorld(job, d, world);
  int taken = 0;
  if (job->task == CF_DEVICE_STEP) {
    taken = advance(job, m, d, world);
  } else {
    mj_forward(m, d);
    if (job->reacts) {
      cfi_reactions(m, d);
    }
  }
  if (!isShort(job, d)) {
    finish(job, d, world, taken);
  }
}
