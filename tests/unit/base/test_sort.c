// The stable sort: order, ties, sizes of elements, and no memory to sort with.
#include "cf_test.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

// key to sort by, place before sorting, and bytes that make elements of odd sizes
typedef struct {
  unsigned char key, place[3], tail[9];
} item;

static uint64_t random_state = 88172645463325252ULL;

static unsigned draw(unsigned below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)(random_state % below);
}


static int compareKeys(const void* a, const void* b) {
  return (int)((const item*)a)->key - (int)((const item*)b)->key;
}


static int placeOf(const item* x) {
  return x->place[0] | x->place[1] << 8 | x->place[2] << 16;
}


// count elements with that many distinct keys; pattern 0 random, 1 rising, 2 falling, 3 two runs
static void fill(item* x, int count, unsigned keys, int pattern) {
  for (int i = 0; i < count; i++) {
    const unsigned rising = (unsigned)((long)i * keys / count);
    const unsigned key[4] = {draw(keys), rising, keys - 1 - rising, (2 * rising) % keys};
    x[i] = (item){(unsigned char)key[pattern],
                  {(unsigned char)i, (unsigned char)(i >> 8), (unsigned char)(i >> 16)},
                  {0}};
    memset(x[i].tail, i * 7, sizeof(x[i].tail));
  }
}


// index of the first element that is out of order or damaged, -1 if all are right
static int firstWrong(const item* x, int count) {
  bool* seen = calloc((size_t)count + 1, sizeof(bool));
  int wrong = -1;
  for (int i = 0; i < count && wrong < 0; i++) {
    const int place = placeOf(x + i);
    const bool is_next = i == 0 || x[i - 1].key < x[i].key ||
                         (x[i - 1].key == x[i].key && placeOf(x + i - 1) < place);
    const bool is_whole =
        place < count && !seen[place] && x[i].tail[8] == (unsigned char)(place * 7);
    wrong = is_next && is_whole ? -1 : i;
    if (place < count) {
      seen[place] = true;
    }
  }
  free(seen);
  return wrong;
}


CF_TEST(sort__random_and_ordered_keys_with_ties__stable) {
  static const int counts[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 100, 1000, 4097};
  static const unsigned keys[] = {1, 2, 5, 250};
  int cases = 0;
  for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
    item* x = malloc(((size_t)counts[c] + 1) * sizeof(item));
    for (int k = 0; k < 16; k++) {
      fill(x, counts[c], keys[k % 4], k / 4);
      cfi_sort(x, (size_t)counts[c], sizeof(item), compareKeys);
      CF_EQ_INT(firstWrong(x, counts[c]), -1);
      cases++;
    }
    free(x);
  }
  CF_EQ_INT(cases, 208);
}


// more bytes than are kept on the stack
typedef struct {
  item item;
  char rest[500];
} largeItem;

static int compareLarge(const void* a, const void* b) {
  return compareKeys(&((const largeItem*)a)->item, &((const largeItem*)b)->item);
}


CF_TEST(sort__large_elements__stable_and_whole) {
  enum { COUNT = 70 };
  item list[COUNT];
  static largeItem large[COUNT];
  for (int pattern = 0; pattern < 4; pattern++) {
    fill(list, COUNT, 5, pattern);
    for (int i = 0; i < COUNT; i++) {
      large[i].item = list[i];
      memset(large[i].rest, i, sizeof(large[i].rest));
    }
    cfi_sort(large, COUNT, sizeof(largeItem), compareLarge);
    for (int i = 0; i < COUNT; i++) {
      list[i] = large[i].item;
      CF_EQ_INT(large[i].rest[0], placeOf(list + i));
      CF_EQ_INT(large[i].rest[499], placeOf(list + i));
    }
    CF_EQ_INT(firstWrong(list, COUNT), -1);
  }
}


static int compareByTable(const void* a, const void* b, void* context) {
  const int* rank = context;
  return rank[*(const int*)a] - rank[*(const int*)b];
}


CF_TEST(sort__with_a_context__passed_to_the_comparison) {
  int rank[50], index[50];
  for (int i = 0; i < 50; i++) {
    rank[i] = (i * 37) % 10;
    index[i] = i;
  }
  cfi_sortWith(index, 50, sizeof(int), compareByTable, rank);
  for (int i = 1; i < 50; i++) {
    CF_TRUE(rank[index[i - 1]] < rank[index[i]] ||
            (rank[index[i - 1]] == rank[index[i]] && index[i - 1] < index[i]));
  }
}


static int compareAndCount(const void* a, const void* b, void* context) {
  ++*(long*)context;
  return compareKeys(a, b);
}


CF_TEST(sort__without_memory__same_order_in_place) {
  enum { COUNT = 3000 };
  item* with = malloc(COUNT * sizeof(item));
  item* without = malloc(COUNT * sizeof(item));
  for (int pattern = 0; pattern < 4; pattern++) {
    fill(with, COUNT, 40, pattern);
    memcpy(without, with, COUNT * sizeof(item));
    long calls = 0;
    cfi_sortWith(with, COUNT, sizeof(item), compareAndCount, &calls);
    cfi_sortInPlace(without, COUNT, sizeof(item), compareAndCount, &calls);
    CF_EQ_INT(firstWrong(without, COUNT), -1);
    CF_EQ_INT(memcmp(with, without, COUNT * sizeof(item)), 0);
    CF_TRUE(calls < 400000);  // n log n, not n squared
  }
  free(with);
  free(without);
}


CF_TEST_MAIN("base/sort")
