// Growing lists of pairs on the scratch stack, and their order.
#include <string.h>

#include "collision/broad/broad.h"

enum { FIRST_CAPACITY = 64, SHORT_LIST = 48, RUN = 16 };


static uint64_t* allocKeys(mjData* d, int n) {
  return (uint64_t*)mj_stackAllocByte(d, (size_t)n * sizeof(uint64_t), _Alignof(uint64_t));
}


void cfi_growPairs(cfPairList* list) {
  const int capacity = list->capacity ? 2 * list->capacity : FIRST_CAPACITY;
  uint64_t* key = allocKeys(list->d, capacity);
  if (list->n) {
    memcpy(key, list->key, (size_t)list->n * sizeof(uint64_t));
  }
  list->key = key;
  list->capacity = capacity;
}


static void sortShort(uint64_t* key, int n) {
  for (int i = 1; i < n; i++) {
    const uint64_t moving = key[i];
    int hole = i;
    for (; hole > 0 && key[hole - 1] > moving; hole--) {
      key[hole] = key[hole - 1];
    }
    key[hole] = moving;
  }
}


// merge two sorted neighbors, the first of `width` keys, both together of n
static void mergeNeighbors(uint64_t* out, const uint64_t* in, int n, int width) {
  const uint64_t *left = in, *middle = in + (width < n ? width : n), *end = in + n;
  const uint64_t* right = middle;
  while (left < middle && right < end) {
    *out++ = *right < *left ? *right++ : *left++;
  }
  memcpy(out, left, (size_t)(middle - left) * sizeof(uint64_t));
  memcpy(out + (middle - left), right, (size_t)(end - right) * sizeof(uint64_t));
}


void cfi_sortKeys(mjData* d, uint64_t* key, int n) {
  if (n <= SHORT_LIST) {
    sortShort(key, n);
    return;
  }

  // bottom-up merge sort over short sorted runs
  mj_markStack(d);
  uint64_t *from = key, *to = allocKeys(d, n);
  for (int i = 0; i < n; i += RUN) {
    sortShort(key + i, n - i < RUN ? n - i : RUN);
  }
  for (int width = RUN; width < n; width *= 2) {
    for (int i = 0; i < n; i += 2 * width) {
      mergeNeighbors(to + i, from + i, n - i < 2 * width ? n - i : 2 * width, width);
    }
    uint64_t* swap = from;
    from = to;
    to = swap;
  }
  if (from != key) {
    memcpy(key, from, (size_t)n * sizeof(uint64_t));
  }
  mj_freeStack(d);
}


// stable distribution by the 32 bits from `shift` on, all below nid; start has room for nid + 1 numbers
static void distribute(uint64_t* out, const uint64_t* in, int n, int* start, int nid, int shift) {
  memset(start, 0, (size_t)(nid + 1) * sizeof(int));
  for (int i = 0; i < n; i++) {
    start[(uint32_t)(in[i] >> shift) + 1]++;
  }
  for (int id = 0; id < nid; id++) {
    start[id + 1] += start[id];
  }
  for (int i = 0; i < n; i++) {
    out[start[(uint32_t)(in[i] >> shift)]++] = in[i];
  }
}


void cfi_sortPairs(cfPairList* list, int nid) {
  if (list->n <= SHORT_LIST) {
    sortShort(list->key, list->n);
    return;
  }
  mjData* d = list->d;
  mj_markStack(d);
  uint64_t* buffer = allocKeys(d, list->n);
  int* start = mj_stackAllocInt(d, (size_t)nid + 1);
  distribute(buffer, list->key, list->n, start, nid, 0);
  distribute(list->key, buffer, list->n, start, nid, 32);
  mj_freeStack(d);
}
