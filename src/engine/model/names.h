// Names of model objects: one hash table per object type, all of them in names_map.
//
// The tables follow each other in the order of cfi_nameTypes; each has CF_NAMELOAD slots per
// object, holds object ids, -1 where empty, and is searched linearly from the slot of the hash. The
// compiler fills them with the same functions.
#ifndef CF_MODEL_NAMES_H
#define CF_MODEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

enum {
  CF_NAMELOAD = 2,    // slots per object
  CF_NNAMETYPE = 23,  // object types that have names
};

// one object type that has names
typedef struct {
  mjtObj type;
  size_t count_offset;  // of its number of objects in mjModel
  size_t adr_offset;    // of its array of addresses in names
} cfNameType;

extern const cfNameType cfi_nameTypes[CF_NNAMETYPE];

// position of an object type in cfi_nameTypes, -1 when its objects have no names
int cfi_nameTypeIndex(int type);

// number of objects, and addresses of their names, of the k-th type of cfi_nameTypes
mjtSize cfi_nameCount(const mjModel* m, int k);
const int* cfi_nameAddresses(const mjModel* m, int k);

// first slot in names_map of the k-th type
mjtSize cfi_nameMapStart(const mjModel* m, int k);

// slot of a name in a table of nslot slots
uint64_t cfi_hashName(const char* name, uint64_t nslot);

// write the tables of all types into names_map, from names and the name_*adr arrays
void cfi_fillNameMap(mjModel* m);

#endif  // CF_MODEL_NAMES_H
