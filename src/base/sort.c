#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// runs up to this length are sorted by insertion: fewer copies than merging
enum { SHORT_RUN = 8 };

typedef struct {
  char* room;  // scratch for half of the elements, or NULL
  size_t size;
  int (*compare)(const void*, const void*, void*);
  void* context;
} sorter;


// Reverse the order of n bytes.
static void reverseBytes(char* a, size_t n) {
  for (size_t i = 0, j = n; i + 1 < j; i++) {
    j--;
    const char byte = a[i];
    a[i] = a[j];
    a[j] = byte;
  }
}


// Move n bytes to the place before the m bytes that precede them, without scratch.
static void rotateBytes(char* a, size_t m, size_t n) {
  reverseBytes(a, m);
  reverseBytes(a + m, n);
  reverseBytes(a, m + n);
}


// First of n sorted elements that comes after the key; equal elements do too if is_after.
static size_t bound(const sorter* s, const char* a, size_t n, const char* key, int is_after) {
  size_t begin = 0, end = n;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    const int order = s->compare(a + middle * s->size, key, s->context);
    if (order < 0 || (order == 0 && !is_after)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}


static void insertionSort(const sorter* s, char* a, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const size_t place = bound(s, a, i, a + i * s->size, 0);
    if (place < i) {
      rotateBytes(a + place * s->size, (i - place) * s->size, s->size);
    }
  }
}


// Merge two sorted neighbors in place, by rotations (Dudzinski and Dydek, 1981).
static void mergeInPlace(const sorter* s, char* a, size_t nleft, size_t nright) {
  if (nleft == 0 || nright == 0) {
    return;
  }
  if (nleft + nright == 2) {
    if (s->compare(a, a + s->size, s->context) > 0) {
      rotateBytes(a, s->size, s->size);
    }
    return;
  }

  // split the longer side in the middle and the other one where that element belongs
  size_t left, right;
  if (nleft > nright) {
    left = nleft / 2;
    right = bound(s, a + nleft * s->size, nright, a + left * s->size, 1);
  } else {
    right = nright / 2;
    left = bound(s, a, nleft, a + (nleft + right) * s->size, 0);
  }
  rotateBytes(a + left * s->size, (nleft - left) * s->size, right * s->size);
  mergeInPlace(s, a, left, right);
  mergeInPlace(s, a + (left + right) * s->size, nleft - left, nright - right);
}


// Merge two sorted neighbors through scratch that holds the left one.
static void merge(const sorter* s, char* a, size_t nleft, size_t nright) {
  char *out = a, *left = s->room, *right = a + nleft * s->size;
  const char *const left_end = left + nleft * s->size, *const right_end = right + nright * s->size;
  memcpy(left, a, nleft * s->size);
  while (left < left_end && right < right_end) {
    char** const from = s->compare(left, right, s->context) <= 0 ? &left : &right;
    memcpy(out, *from, s->size);
    *from += s->size;
    out += s->size;
  }

  // what is left of the right side is in its place already
  memcpy(out, left, (size_t)(left_end - left));
}


static void mergeSort(const sorter* s, char* a, size_t n) {
  if (n <= SHORT_RUN) {
    insertionSort(s, a, n);
    return;
  }
  const size_t nleft = n / 2, nright = n - nleft;
  char* right = a + nleft * s->size;
  mergeSort(s, a, nleft);
  mergeSort(s, right, nright);
  if (s->compare(right - s->size, right, s->context) <= 0) {
    return;  // in order already
  }
  if (s->room) {
    merge(s, a, nleft, nright);
  } else {
    mergeInPlace(s, a, nleft, nright);
  }
}


void cfi_sortWith(void* base, size_t count, size_t size,
                  int (*compare)(const void*, const void*, void*), void* context) {
  if (count < 2 || size == 0) {
    return;
  }
  CF_ASSERT(base && compare && count <= SIZE_MAX / size);
  char* room = count > SHORT_RUN ? malloc(count / 2 * size) : NULL;
  mergeSort(&(sorter){room, size, compare, context}, base, count);
  free(room);
}


void cfi_sortInPlace(void* base, size_t count, size_t size,
                     int (*compare)(const void*, const void*, void*), void* context) {
  if (count > 1) {
    mergeSort(&(sorter){NULL, size, compare, context}, base, count);
  }
}


// a comparison without context, as qsort takes it
typedef struct {
  int (*compare)(const void*, const void*);
} plainOrder;

static int comparePlain(const void* a, const void* b, void* context) {
  return ((const plainOrder*)context)->compare(a, b);
}


void cfi_sort(void* base, size_t count, size_t size, int (*compare)(const void*, const void*)) {
  cfi_sortWith(base, count, size, comparePlain, &(plainOrder){compare});
}
