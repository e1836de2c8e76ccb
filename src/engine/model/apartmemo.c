// Table of what kept convex geoms apart.
#include "model/apartmemo.h"

#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/extension.h"

// entries for every geom, a power of two of them in all
enum { APART_PER_GEOM = 8, APART_BITS_MAX = 13 };

typedef struct {
  int bits;  // log2 of the number of entries
  cfApart entry[];
} apartTable;


static size_t tableBytes(int bits) {
  return sizeof(apartTable) + (sizeof(cfApart) << bits);
}


static void* copyTable(const void* content) {
  return cfi_tryCopy(content, tableBytes(((const apartTable*)content)->bits));
}


static const cfExtensionClass table_class = {
    .name = "apart memo", .copy = copyTable, .free = mju_free};


// geoms that GJK compares with others
static bool isIterated(int type) {
  return type == mjGEOM_MESH || type == mjGEOM_ELLIPSOID || type == mjGEOM_CYLINDER;
}


void cfi_prepareApartMemo(const mjModel* m, mjData* d) {
  cfExtensionSlot* slot = cfi_dataExtension(d)->slot + CF_EXTENSION_APART;
  CF_ASSERT(!slot->content);
  int count = 0;
  for (int g = 0; g < m->ngeom; g++) {
    count += isIterated(m->geom_type[g]);
  }
  if (!count) {
    return;
  }
  int bits = 4;
  while (bits < APART_BITS_MAX && 1 << bits < APART_PER_GEOM * (mjtSize)count) {
    bits++;
  }
  apartTable* table = cfi_tryMalloc(tableBytes(bits));
  if (table) {
    memset(table, 0, tableBytes(bits));
    table->bits = bits;
    *slot = (cfExtensionSlot){&table_class, table};
  }
}


cfApart* cfi_apartPlace(const mjData* d, uint64_t pair) {
  apartTable* table = cfi_dataExtension(d)->slot[CF_EXTENSION_APART].content;
  return table ? table->entry + (pair * 0x9E3779B97F4A7C15u >> (64 - table->bits)) : NULL;
}
