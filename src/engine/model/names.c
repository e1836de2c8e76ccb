// Names of model objects: one hash table per object type, all of them in names_map.
#include "model/names.h"

#include <string.h>

#include "base/assert.h"

#define NAMED(type, count, adr) \
  { type, offsetof(mjModel, count), offsetof(mjModel, adr) }
const cfNameType cfi_nameTypes[CF_NNAMETYPE] = {
    NAMED(mjOBJ_BODY, nbody, name_bodyadr),
    NAMED(mjOBJ_JOINT, njnt, name_jntadr),
    NAMED(mjOBJ_GEOM, ngeom, name_geomadr),
    NAMED(mjOBJ_SITE, nsite, name_siteadr),
    NAMED(mjOBJ_CAMERA, ncam, name_camadr),
    NAMED(mjOBJ_LIGHT, nlight, name_lightadr),
    NAMED(mjOBJ_FLEX, nflex, name_flexadr),
    NAMED(mjOBJ_MESH, nmesh, name_meshadr),
    NAMED(mjOBJ_SKIN, nskin, name_skinadr),
    NAMED(mjOBJ_HFIELD, nhfield, name_hfieldadr),
    NAMED(mjOBJ_TEXTURE, ntex, name_texadr),
    NAMED(mjOBJ_MATERIAL, nmat, name_matadr),
    NAMED(mjOBJ_PAIR, npair, name_pairadr),
    NAMED(mjOBJ_EXCLUDE, nexclude, name_excludeadr),
    NAMED(mjOBJ_EQUALITY, neq, name_eqadr),
    NAMED(mjOBJ_TENDON, ntendon, name_tendonadr),
    NAMED(mjOBJ_ACTUATOR, nu, name_actuatoradr),
    NAMED(mjOBJ_SENSOR, nsensor, name_sensoradr),
    NAMED(mjOBJ_NUMERIC, nnumeric, name_numericadr),
    NAMED(mjOBJ_TEXT, ntext, name_textadr),
    NAMED(mjOBJ_TUPLE, ntuple, name_tupleadr),
    NAMED(mjOBJ_KEY, nkey, name_keyadr),
    NAMED(mjOBJ_PLUGIN, nplugin, name_pluginadr),
};
#undef NAMED


int cfi_nameTypeIndex(int type) {
  // the two frames of a body share its name
  if (type == mjOBJ_XBODY) {
    type = mjOBJ_BODY;
  }
  for (int k = 0; k < CF_NNAMETYPE; k++) {
    if ((int)cfi_nameTypes[k].type == type) {
      return k;
    }
  }
  return -1;
}


mjtSize cfi_nameCount(const mjModel* m, int k) {
  CF_ASSERT(k >= 0 && k < CF_NNAMETYPE);
  mjtSize count;
  memcpy(&count, (const char*)m + cfi_nameTypes[k].count_offset, sizeof(count));
  return count;
}


const int* cfi_nameAddresses(const mjModel* m, int k) {
  CF_ASSERT(k >= 0 && k < CF_NNAMETYPE);
  const int* addresses;
  memcpy(&addresses, (const char*)m + cfi_nameTypes[k].adr_offset, sizeof(addresses));
  return addresses;
}


mjtSize cfi_nameMapStart(const mjModel* m, int k) {
  CF_ASSERT(k >= 0);
  mjtSize start = 0;
  for (int before = 0; before < k; before++) {
    start += CF_NAMELOAD * cfi_nameCount(m, before);
  }
  return start;
}


// Bernstein's xor hash, characters taken as signed
uint64_t cfi_hashName(const char* name, uint64_t nslot) {
  CF_ASSERT(name && nslot > 0);
  uint64_t hash = 5381;
  for (const char* c = name; *c; c++) {
    hash = (33 * hash) ^ (uint64_t)(int64_t)(signed char)*c;
  }
  return hash % nslot;
}


void cfi_fillNameMap(mjModel* m) {
  memset(m->names_map, 0xFF, sizeof(int) * (size_t)m->nnames_map);
  for (int k = 0; k < CF_NNAMETYPE; k++) {
    const int* addresses = cfi_nameAddresses(m, k);
    int* table = m->names_map + cfi_nameMapStart(m, k);
    const uint64_t nslot = (uint64_t)(CF_NAMELOAD * cfi_nameCount(m, k));
    for (int id = 0; id < cfi_nameCount(m, k); id++) {
      CF_ASSERT(addresses[id] >= 0 && addresses[id] < m->nnames);
      const char* name = m->names + addresses[id];
      if (!*name) {
        continue;
      }
      uint64_t slot = cfi_hashName(name, nslot);
      while (table[slot] >= 0) {
        slot = slot + 1 == nslot ? 0 : slot + 1;
      }
      table[slot] = id;
    }
  }
}


int mj_name2id(const mjModel* m, int type, const char* name) {
  const int k = cfi_nameTypeIndex(type);
  const uint64_t nslot = k < 0 ? 0 : (uint64_t)(CF_NAMELOAD * cfi_nameCount(m, k));
  if (!nslot || !name) {
    return -1;
  }

  const int* addresses = cfi_nameAddresses(m, k);
  const int* table = m->names_map + cfi_nameMapStart(m, k);
  uint64_t slot = cfi_hashName(name, nslot);
  for (uint64_t tries = 0; tries < nslot; tries++) {
    const int id = table[slot];
    CF_ASSERT(id < cfi_nameCount(m, k));
    if (id < 0) {
      return -1;
    }
    if (!strcmp(name, m->names + addresses[id])) {
      return id;
    }
    slot = slot + 1 == nslot ? 0 : slot + 1;
  }
  return -1;
}


const char* mj_id2name(const mjModel* m, int type, int id) {
  const int k = cfi_nameTypeIndex(type);
  if (k < 0 || id < 0 || id >= cfi_nameCount(m, k)) {
    return NULL;
  }
  const char* name = m->names + cfi_nameAddresses(m, k)[id];
  return *name ? name : NULL;
}
