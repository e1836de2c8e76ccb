// Arena and stack of mjData.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

#include "base/arena.h"
#include "base/sanitize.h"


CF_TEST(stack__mark_and_free__restores_the_top) {
  mjModel* m = cf_loadTestModel("empty");
  mjData* d = mj_makeData(m);
  CF_EQ_INT(d->pstack, 0);
  mj_markStack(d);
  size_t outer = d->pstack;
  double* numbers = mj_stackAllocNum(d, 10);
  int* ints = mj_stackAllocInt(d, 3);
  char* bytes = mj_stackAllocByte(d, 5, 64);
  CF_TRUE(numbers && ints && bytes);
  CF_EQ_INT((uintptr_t)numbers % sizeof(double), 0);
  CF_EQ_INT((uintptr_t)ints % sizeof(int), 0);
  CF_EQ_INT((uintptr_t)bytes % 64, 0);
  CF_TRUE((char*)numbers > (char*)ints && (char*)ints > bytes);
  mj_markStack(d);
  CF_TRUE(mj_stackAllocByte(d, 100, 1) != NULL);
  mj_freeStack(d);
  CF_TRUE(d->pstack > outer);
  mj_freeStack(d);
  CF_EQ_INT(d->pstack, 0);
  CF_EQ_INT(d->pbase, 0);
  CF_TRUE(d->maxuse_stack > 200);

  // nothing marked: nothing to free
  mj_freeStack(d);
  CF_EQ_INT(d->pstack, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(stack__empty_request__address_that_takes_nothing) {
  mjModel* m = cf_loadTestModel("empty");
  mjData* d = mj_makeData(m);
  const double* nothing = mj_stackAllocNum(d, 0);
  CF_TRUE(nothing != NULL && (uintptr_t)nothing % sizeof(double) == 0);
  CF_EQ_INT(d->pstack, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(stack__overflow__error_with_sizes) {
  mjModel* m = cf_loadTestModel("empty");
  mjData* d = mj_makeData(m);
  CF_RAISES(mj_stackAllocByte(d, (size_t)d->narena + 1, 8), "stack overflow");
  CF_RAISES(mj_stackAllocByte(d, SIZE_MAX - 8, 8), "stack overflow");
  CF_RAISES(mj_stackAllocNum(d, SIZE_MAX / 8), "too large");
  CF_RAISES(mj_stackAllocInt(d, SIZE_MAX), "too large");
  CF_EQ_INT(d->pstack, 0);

  // the last bytes can be had
  size_t room = cfi_stackAvailable(d);
  CF_TRUE(mj_stackAllocByte(d, room - 2 * CF_RED_ZONE, 1) != NULL);
  CF_EQ_INT(cfi_stackAvailable(d), 0);
  d->pstack = 0;
  mj_deleteData(d);
  mj_deleteModel(m);
}


static int returned_errors;

static void comeBack(const char* text) {
  CF_HAS_STR(text, "stack overflow");
  returned_errors++;
}


// scratch that does not fit and a handler that returns: memory of the heap until the frame is freed
CF_TEST(stack__overflow_and_handler_returns__usable_until_freed) {
  mjModel* m = cf_loadTestModel("empty");
  mjData* d = mj_makeData(m);
  const size_t much = (size_t)d->narena;
  mju_user_error = comeBack;
  returned_errors = 0;
  mj_markStack(d);
  const size_t outer = d->pstack;
  char* first = mj_stackAllocByte(d, much, 64);
  CF_EQ_INT((uintptr_t)first % 64, 0);
  memset(first, 1, much);
  mj_markStack(d);
  char *inner = mj_stackAllocByte(d, much, 1), *small = mj_stackAllocByte(d, 10, 1);
  memset(inner, 2, much);
  memset(small, 3, 10);
  mj_freeStack(d);
  CF_EQ_INT(d->pstack, outer);
  CF_EQ_INT(first[0] + first[much - 1], 2);

  // a mark that does not fit is one all the same
  CF_TRUE(mj_stackAllocByte(d, cfi_stackAvailable(d) - 2 * CF_RED_ZONE, 1) != NULL);
  const size_t full = d->pstack;
  mj_markStack(d);
  memset(mj_stackAllocByte(d, 100, 8), 4, 100);
  mj_freeStack(d);
  CF_EQ_INT(d->pstack, full);
  CF_EQ_INT(first[0] + first[much - 1], 2);
  mj_freeStack(d);
  CF_EQ_INT(d->pstack, 0);
  CF_EQ_INT(d->pbase, 0);
  CF_EQ_INT(returned_errors, 4);

  // the first mark of all
  d->narena = 8;
  mj_markStack(d);
  memset(mj_stackAllocNum(d, 5), 5, 40);
  mj_freeStack(d);
  CF_EQ_INT(d->pstack, 0);
  CF_EQ_INT(d->pbase, 0);

  // without a frame nobody would give memory back
  CF_TRUE(mj_stackAllocNum(d, 5) == NULL);
  mju_user_error = NULL;
  mj_deleteData(d);
  mj_deleteModel(m);
}


// every size of arena down to nothing: either both ends fit or one is refused, never an overlap
CF_TEST(arena__shrinking__full_or_disjoint) {
  mjModel* m = cf_loadTestModel("empty");
  for (mjtSize narena = 4096; narena > 0; narena -= 37) {
    m->narena = narena;
    mjData* d = mj_makeData(m);
    char* front = cfi_arenaAlloc(d, 1000, 8);
    if (front) {
      memset(front, 1, 1000);
    } else {
      CF_TRUE(narena < 1000);
      CF_EQ_INT(d->parena, 0);
    }
    char* volatile back = NULL;
    int raised = CF_TRY_STATEMENT(back = mj_stackAllocByte(d, 500, 8));
    if (!raised) {
      memset(back, 2, 500);
      CF_TRUE(!front || front + 1000 <= back);
      CF_TRUE(!front || front[999] == 1);
    }
    CF_TRUE(d->parena + d->pstack <= (size_t)narena);
    d->pstack = 0;
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}


CF_TEST(arena__alignment__padding_counts) {
  mjModel* m = cf_loadTestModel("empty");
  mjData* d = mj_makeData(m);
  CF_TRUE(cfi_arenaAlloc(d, 3, 1) == d->arena);
  char* block = cfi_arenaAlloc(d, 8, 64);
  CF_EQ_INT(block - (char*)d->arena, 64);
  CF_EQ_INT(d->parena, 72);
  CF_TRUE(cfi_arenaAlloc(d, (size_t)d->narena, 1) == NULL);
  CF_TRUE(cfi_arenaAlloc(d, SIZE_MAX, 1) == NULL);
  CF_EQ_INT(d->parena, 72);
  CF_TRUE(cfi_arenaAlloc(d, (size_t)d->narena - 72, 1) != NULL);
  mj_deleteData(d);
  mj_deleteModel(m);
}

#if CF_ASAN
CF_TEST(arena__sanitizer__free_memory_is_unreadable) {
  mjModel* m = cf_loadTestModel("empty");
  mjData* d = mj_makeData(m);
  CF_TRUE(__asan_address_is_poisoned(d->arena));
  mj_markStack(d);
  char* block = mj_stackAllocByte(d, 16, 8);
  CF_TRUE(!__asan_address_is_poisoned(block));
  CF_TRUE(__asan_address_is_poisoned(block + 16));
  CF_TRUE(__asan_address_is_poisoned(block - 1));
  mj_freeStack(d);
  CF_TRUE(__asan_address_is_poisoned(block));
  mj_deleteData(d);
  mj_deleteModel(m);
}
#endif

CF_TEST_MAIN("base/arena")
