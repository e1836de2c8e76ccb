// Growing lists of pairs on the scratch stack, and their order.
#include <string.h>

#include "base/assert.h"
#include "collision/broad/broad.h"

enum { FIRST_CAPACITY = 128, SHORT_LIST = 40 };


static uint64_t* allocKeys(mjData* d, int n) {
  return (uint64_t*)mj_stackAllocByte(d, (size_t)n * sizeof(uint64_t), _Alignof(uint64_t));
}


void cfi_growPairs(cfPairList* list) {
  CF_ASSERT(list->d && list->n <= list->capacity);
  const int capacity = list->capacity ? 2 * list->capacity : FIRST_CAPACITY;
  uint64_t* key = allocKeys(list->d, capacity);
  if (list->n) {
    memcpy(key, list->key, (size_t)list->n * sizeof(uint64_t));
  }
  list->key = key;
  list->capacity = capacity;
}


static void sortShort(uint64_t* key, int n) {
  CF_ASSERT(n >= 0);
  for (int i = 1; i < n; i++) {
    const uint64_t moving = key[i];
    int hole = i;
    for (; hole > 0 && key[hole - 1] > moving; hole--) {
      key[hole] = key[hole - 1];
    }
    key[hole] = moving;
  }
}


// stable distribution by the 32 bits from `shift` on, all below base; start has room for base + 1
// numbers
static inline void distribute(uint64_t* out, const uint64_t* in, int n, int* start, int shift,
                              int base) {
  memset(start, 0, (size_t)(base + 1) * sizeof(int));
  for (int i = 0; i < n; i++) {
    CF_ASSERT((uint32_t)(in[i] >> shift) < (uint32_t)base);
    start[(uint32_t)(in[i] >> shift) + 1]++;
  }
  for (int digit = 0; digit < base; digit++) {
    start[digit + 1] += start[digit];
  }
  for (int i = 0; i < n; i++) {
    out[start[(uint32_t)(in[i] >> shift)]++] = in[i];
  }
}


void cfi_sortHighWords(uint64_t* out, const uint64_t* key, int n, int* start, int base) {
  distribute(out, key, n, start, 32, base);
}


static bool arePairsSorted(const cfPairList* list) {
  for (int k = 1; k < list->n; k++) {
    if (list->key[k - 1] > list->key[k]) {
      return false;
    }
  }
  return true;
}


void cfi_sortPairs(cfPairList* list, int nid) {
  CF_ASSERT(list->n <= list->capacity);
  if (arePairsSorted(list)) {
    return;
  }
  if (list->n <= SHORT_LIST) {
    sortShort(list->key, list->n);
    return;
  }
  mjData* d = list->d;
  mj_markStack(d);
  uint64_t* buffer = allocKeys(d, list->n);
  int* start = mj_stackAllocInt(d, (size_t)nid + 1);
  distribute(buffer, list->key, list->n, start, 0, nid);
  distribute(list->key, buffer, list->n, start, 32, nid);
  mj_freeStack(d);
}
