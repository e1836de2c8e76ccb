// Life of mjData: make, copy, delete.
#include "model/data.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/sanitize.h"
#include "model/apartmemo.h"
#include "model/awake.h"
#include "model/hullstart.h"
#include "model/layout.h"

enum { DATA_MESSAGE_MAX = 400 };

//---------------------------------- memory --------------------------------------------------------

// destroy plugin instances, free buffer and arena
static void releaseBlocks(mjData* d) {
  for (int k = 0; k < d->nplugin; k++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(d->plugin[k]);
    if (plugin && plugin->destroy) {
      plugin->destroy(d, k);
    }
  }
  if (d->buffer) {
    cfi_freeExtension(cfi_dataExtension(d));
  }
  if (d->arena) {
    CF_UNPOISON(d->arena, (size_t)d->narena);
  }
  mju_free(d->buffer);
  mju_free(d->arena);
  d->buffer = d->arena = NULL;
  d->nplugin = 0;
}


// give an empty d its buffer and arena; false with a message when that fails
static bool allocateBlocks(const mjModel* m, mjData* d, char* message) {
  const char* name;
  memset(d, 0, sizeof(mjData));
  if (!cfi_bufferBytes(&cfi_dataFields, m, &d->nbuffer, &name)) {
    snprintf(message, DATA_MESSAGE_MAX, "mj_makeData: %s is too large", name);
    return false;
  }
  d->narena = m->narena;
  const size_t bytes = cfi_extendedBytes(d->nbuffer);
  d->buffer = bytes ? cfi_tryMalloc(bytes) : NULL;
  if (d->buffer) {
    cfi_clearExtension(cfi_dataExtension(d));
    // addresses may have fewer bits than sizes
    const bool has_place = d->narena >= 0 && d->narena <= PTRDIFF_MAX;
    d->arena = has_place ? cfi_tryMalloc((size_t)d->narena) : NULL;
  }
  if (!d->arena) {
    releaseBlocks(d);
    snprintf(message, DATA_MESSAGE_MAX,
             "mj_makeData: could not allocate mjData with %lld bytes of buffer and %lld of arena",
             (long long)d->nbuffer, (long long)m->narena);
    return false;
  }
  return true;
}


// point the arrays of d into its own blocks; arena arrays are NULL afterwards
static void placeData(const mjModel* m, mjData* d) {
  CF_ASSERT(d->buffer && d->arena);
  cfi_placeArrays(&cfi_dataFields, m, d, d->buffer);
  d->contact = d->arena;
}


// empty arena, no plugins, all awake
static bool buildRaw(const mjModel* m, mjData* d, char* message) {
  if (!allocateBlocks(m, d, message)) {
    return false;
  }
  placeData(m, d);
  cfi_arenaReset(d);
  d->ntree_awake = (int)m->ntree;
  d->nbody_awake = d->nparent_awake = (int)m->nbody;
  d->nv_awake = (int)m->nv;
  return true;
}


// one instance after the other; those made before a failure are destroyed with d
static bool initPlugins(const mjModel* m, mjData* d, char* message) {
  for (int k = 0; k < m->nplugin; k++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[k]);
    d->plugin[k] = m->plugin[k];
    d->plugin_data[k] = 0;
    if (!plugin || (plugin->init && plugin->init(m, d, k) < 0)) {
      snprintf(message, DATA_MESSAGE_MAX, "mj_makeData: %s for plugin id %d",
               plugin ? "plugin->init failed" : "no plugin is registered", k);
      return false;
    }
    d->nplugin = k + 1;
  }
  return true;
}


// data ready for plugin callbacks: inputs are those of a reset and all trees are awake, since an
// `init` may compute frames; its other arrays are still undefined
static bool buildWithPlugins(const mjModel* m, mjData* d, char* message) {
  if (!buildRaw(m, d, message)) {
    return false;
  }
  if (m->npluginstate) {
    memset(d->plugin_state, 0, sizeof(mjtNum) * (size_t)m->npluginstate);
  }
  if (m->nplugin) {
    cfi_initInputs(m, d);
    cfi_updateAwake(m, d, /*static_awake=*/true);
  }
  if (!initPlugins(m, d, message)) {
    releaseBlocks(d);
    return false;
  }
  return true;
}


static bool buildData(const mjModel* m, mjData* d, bool with_plugins, char* message) {
  if (!(with_plugins ? buildWithPlugins : buildRaw)(m, d, message)) {
    return false;
  }
  if (!cfi_resetData(m, d, 0, message, DATA_MESSAGE_MAX)) {
    releaseBlocks(d);
    return false;
  }
  cfi_prepareHullStarts(m, d);
  cfi_prepareApartMemo(m, d);
  return true;
}


bool cfi_makeDataInto(const mjModel* m, bool with_plugins, mjData** made) {
  char message[DATA_MESSAGE_MAX] = "mj_makeData: could not allocate mjData";
  const char* name;
  mjtSize nbuffer;
  *made = NULL;

  // sizes that no model can have are a warning, as in MuJoCo: programs that load models go on
  if (!cfi_bufferBytes(&cfi_dataFields, m, &nbuffer, &name)) {
    mju_warning("Invalid data: %s too large.", name);
    return false;
  }
  mjData* d = cfi_tryMalloc(sizeof(mjData));
  if (d) {
    memset(d, 0, sizeof(mjData));
    *made = d;
  }
  if (!d || !buildData(m, d, with_plugins, message)) {
    *made = NULL;
    mju_free(d);
    mju_error("%s", message);
    return false;
  }
  return true;
}


mjData* mj_makeData(const mjModel* m) {
  mjData* d;
  return cfi_makeDataInto(m, true, &d) ? d : NULL;
}


void mj_deleteData(mjData* d) {
  if (d) {
    releaseBlocks(d);
    mju_free(d);
  }
}


void cfi_clearEfc(mjData* d) {
// every step comes here: plain stores, no walk over the table
#define CF_CLEAR_BUFFER(name)
#define CF_CLEAR_BULK(name)
#define CF_CLEAR_ARENA(name) d->name = NULL;
#define CF_CLEAR_ARENA_BULK(name) d->name = NULL;
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) CF_CLEAR_##home(name)
#include "tables/data_fields.def"
#undef CF_FIELD
#undef CF_CLEAR_BUFFER
#undef CF_CLEAR_BULK
#undef CF_CLEAR_ARENA
#undef CF_CLEAR_ARENA_BULK
  d->nefc = d->nisland = 0;
  d->contact = d->arena;
  for (int k = 0; k < d->ncon; k++) {
    d->contact[k].efc_address = -1;
  }
}


void cfi_clearArenaArrays(mjData* d, int keep_contacts) {
  CF_ASSERT((mjtSize)d->parena <= d->narena);
  d->ncon = keep_contacts ? d->ncon : 0;
  d->parena = (size_t)d->ncon * sizeof(mjContact);
  d->ne = d->nf = d->nl = d->nJ = d->nA = d->nidof = 0;
  cfi_dataExtension(d)->drift_end = 0;
  cfi_clearEfc(d);
}

//---------------------------------- copy ----------------------------------------------------------


static bool isCopied(const cfFieldInfo* field, bool with_bulk) {
  return with_bulk || (field->home != CF_HOME_BULK && field->home != CF_HOME_ARENA_BULK);
}


// arrays of the buffer; instances keep their own plugin data
static void copyBuffer(const mjModel* m, mjData* dest, const mjData* src, bool with_bulk) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    const bool is_own = field->offset == offsetof(mjData, plugin_data);
    mjtSize bytes = 0;
    if (!cfi_fieldInArena(field) && isCopied(field, with_bulk) && !is_own &&
        cfi_arrayBytes(field, m, NULL, &bytes) && bytes) {
      memcpy(cfi_arrayOf(field, dest), cfi_arrayOf(field, src), (size_t)bytes);
    }
  }
}


// arrays of the arena go to the same place in the other arena
static void copyArena(const mjModel* m, mjData* dest, const mjData* src, bool with_bulk) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    const char* from = cfi_fieldInArena(field) ? cfi_arrayOf(field, src) : NULL;
    if (!from || !isCopied(field, with_bulk)) {
      continue;
    }
    mjtSize bytes = 0;
    cfi_arrayBytes(field, m, src, &bytes);
    CF_ASSERT(from >= (const char*)src->arena &&
              from + bytes <= (const char*)src->arena + src->narena);
    char* to = (char*)dest->arena + (from - (const char*)src->arena);
    cfi_setArray(field, dest, to);
    if (bytes) {
      CF_UNPOISON(to, (size_t)bytes);
      memcpy(to, from, (size_t)bytes);
    }
  }
  dest->contact = dest->arena;
}


// what a contact solver left behind the arrays of the arena, see cfi_contactDrift
static void copyDrift(const mjModel* m, const mjData* dest, const mjData* src) {
  const size_t end = cfi_dataExtension(src)->drift_end, bytes = 2 * sizeof(mjtNum) * (size_t)m->nv;
  if (bytes && end >= bytes && end <= src->parena) {
    char* to = (char*)dest->arena + end - bytes;
    CF_UNPOISON(to, bytes);
    memcpy(to, (const char*)src->arena + end - bytes, bytes);
  }
}


// everything held by value; dest keeps its blocks
static void copyScalars(const mjModel* m, mjData* dest, const mjData* src) {
  CF_ASSERT(dest != src && dest->nbuffer == src->nbuffer && dest->narena == src->narena);
  void *buffer = dest->buffer, *arena = dest->arena;
  *dest = *src;
  dest->buffer = buffer;
  dest->arena = arena;
  dest->nplugin = (int)m->nplugin;
  placeData(m, dest);
  CF_POISON(arena, (size_t)dest->narena);
  if (dest->threadpool) {
    cfi_shardStack(dest);
  }
}


static void copyPlugins(const mjModel* m, mjData* dest, const mjData* src) {
  for (int k = 0; k < m->nplugin; k++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[k]);
    if (plugin && plugin->copy) {
      plugin->copy(dest, m, src, k);
    }
  }
}


// why src cannot be copied to dest, or NULL
static const char* copyObstacle(const mjData* dest, const mjData* src) {
  if (dest->nbuffer != src->nbuffer) {
    return "dest and src data buffers have different size";
  }
  if (dest->narena != src->narena) {
    return "dest and src stacks have different size";
  }
  return src->pstack ? "attempting to copy mjData while stack is in use" : NULL;
}


static mjData* copyData(mjData* dest, const mjModel* m, const mjData* src, bool with_bulk) {
  CF_ASSERT(src != NULL);
  char message[DATA_MESSAGE_MAX] = "mj_copyData: could not allocate mjData";
  mjData* fresh = NULL;
  if (!dest) {
    dest = fresh = cfi_tryMalloc(sizeof(mjData));
    if (!dest || !buildWithPlugins(m, dest, message)) {
      mju_free(dest);
      mju_error("%s", message);
      return NULL;
    }
  }
  const char* obstacle = copyObstacle(dest, src);
  if (obstacle) {
    mj_deleteData(fresh);
    mju_error("mj_copyData: %s", obstacle);
    return NULL;
  }
  if (dest == src) {
    return dest;
  }
  copyScalars(m, dest, src);
  copyBuffer(m, dest, src, with_bulk);
  copyArena(m, dest, src, with_bulk);
  copyDrift(m, dest, src);
  copyPlugins(m, dest, src);
  cfi_freeExtension(cfi_dataExtension(dest));
  cfi_copyExtension(cfi_dataExtension(dest), cfi_dataExtension(src));
  cfi_noteMarks(cfi_dataExtension(dest), (int)m->nbvh);
  return dest;
}


mjData* mj_copyData(mjData* dest, const mjModel* m, const mjData* src) {
  return copyData(dest, m, src, /*with_bulk=*/true);
}


mjData* mjv_copyData(mjData* dest, const mjModel* m, const mjData* src) {
  return copyData(dest, m, src, /*with_bulk=*/false);
}
