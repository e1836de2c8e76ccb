#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// runs up to this length are sorted by insertion: fewer copies than merging; elements and scratch
// of few bytes are kept on the stack
enum { SHORT_RUN = 8, SHORT_ELEMENT = 128, SHORT_SCRATCH = 1024 };

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


// Move the last of n elements to the front.
static void moveToFront(char* a, size_t n, size_t size) {
  char element[SHORT_ELEMENT];
  const size_t before = (n - 1) * size;
  if (size > SHORT_ELEMENT) {
    rotateBytes(a, before, size);
    return;
  }
  memcpy(element, a + before, size);
  memmove(a + size, a, before);
  memcpy(a, element, size);
}


static void insertionSort(const sorter* s, char* a, size_t n) {
  for (size_t i = 1; i < n; i++) {
    char* last = a + i * s->size;
    if (s->compare(last - s->size, last, s->context) > 0) {
      const size_t place = bound(s, a, i - 1, last, 0);
      moveToFront(a + place * s->size, i + 1 - place, s->size);
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
  // the left side of a merge, which is the shorter one, is copied to scratch
  const size_t nroom = count > SHORT_RUN ? count / 2 * size : 0;
  char stack_room[SHORT_SCRATCH];
  char* heap_room = nroom > SHORT_SCRATCH ? malloc(nroom) : NULL;
  char* room = nroom > SHORT_SCRATCH ? heap_room : stack_room;
  mergeSort(&(sorter){room, size, compare, context}, base, count);
  free(heap_room);
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
