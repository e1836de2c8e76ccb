// Allocator: user hooks, and every allocation failing once.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

#include "base/cache.h"

static int live_blocks, calls, fail_at;


static void* countingMalloc(size_t size) {
  if (++calls == fail_at) {
    return NULL;
  }
  live_blocks++;
  return aligned_alloc(64, (size + 63) / 64 * 64 + 64);
}


static void countingFree(void* block) {
  live_blocks--;
  free(block);
}


static void hookAllocator(int fail) {
  mju_user_malloc = countingMalloc;
  mju_user_free = countingFree;
  live_blocks = calls = 0;
  fail_at = fail;
}


static void unhookAllocator(void) {
  mju_user_malloc = NULL;
  mju_user_free = NULL;
}


CF_TEST(malloc__default__aligned_and_never_null) {
  for (size_t size = 0; size < 300; size += 13) {
    void* block = mju_malloc(size);
    CF_TRUE(block != NULL);
    CF_EQ_INT((uintptr_t)block % 64, 0);
    mju_free(block);
  }
  mju_free(NULL);
  CF_RAISES(mju_malloc(SIZE_MAX), "Could not allocate memory");
}


CF_TEST(malloc__user_hooks__used_for_everything) {
  hookAllocator(0);
  mjModel* m = cf_loadTestModel("rig");
  mjModel* copy = mj_copyModel(NULL, m);
  mjData* d = mj_makeData(m);
  CF_TRUE(live_blocks >= 7);
  mj_deleteData(d);
  mj_deleteModel(copy);
  mj_deleteModel(m);

  // what remains belongs to the VFS that callers without one share; it was made under the hooks
  CF_TRUE(live_blocks <= 1);
  unhookAllocator();
}


typedef struct {
  const char* bytes;
  int nbyte;
  mjModel *m, *copy;
  mjData *d, *twin;
} Life;


// one life of a model and a data, from a buffer; stops where an allocation fails
static void live(void* argument) {
  Life* life = argument;
  life->m = mj_loadModelBuffer(life->bytes, life->nbyte);
  life->copy = life->m ? mj_copyModel(NULL, life->m) : NULL;
  life->d = life->copy ? mj_makeData(life->m) : NULL;
  life->twin = life->d ? mj_copyData(NULL, life->m, life->d) : NULL;
}


// allocation number `fail` fails; 1 when the life came to its end all the same
static int liveWithFailure(const char* name, const char* bytes, size_t nbyte, int fail) {
  Life life = {bytes, (int)nbyte, NULL, NULL, NULL, NULL};
  hookAllocator(fail);
  cf_guardClear();
  int complete = !cf_tryCall(live, &life) && life.twin;
  mj_deleteData(life.twin);
  mj_deleteData(life.d);
  mj_deleteModel(life.copy);
  mj_deleteModel(life.m);
  unhookAllocator();
  if (live_blocks) {
    CF_FAIL("%s: %d blocks leak when allocation %d fails\n", name, live_blocks, fail);
  }
  return complete;
}


CF_TEST(malloc__failing_at_every_call__no_crash_no_leak) {
  const char* names[] = {"empty", "rig", "shapes", "cloth"};
  for (int k = 0; k < 4; k++) {
    size_t nbyte;
    char* bytes = cf_readTestFile(names[k], &nbyte);
    int fail = 1;
    while (fail < 1000 && !liveWithFailure(names[k], bytes, nbyte, fail)) {
      fail++;
    }
    CF_TRUE(fail > 8 && fail < 1000);
    free(bytes);
  }
}


static void useVfs(void* argument) {
  mjVFS* vfs = argument;
  mj_defaultVFS(vfs);
  mj_addBufferVFS(vfs, "a/b.txt", "text", 4);
  mju_closeResource(mju_openResource("a", "b.txt", vfs, NULL, 0));
  mj_deleteFileVFS(vfs, "a/b.txt");
}


CF_TEST(vfs__failing_at_every_call__no_crash_no_leak) {
  for (int fail = 1; fail < 12; fail++) {
    mjVFS vfs = {0};
    hookAllocator(fail);
    cf_tryCall(useVfs, &vfs);
    mj_deleteVFS(&vfs);
    CF_EQ_INT(live_blocks, 0);
    unhookAllocator();
  }
}

static int released;


static void releaseEntry(void* data) {
  (void)data;
  released++;
}


static bool useEntry(const void* data, size_t nbyte, void* argument) {
  *(const void**)argument = data;
  return nbyte == 100;
}


CF_TEST(cache__capacity__least_recently_used_goes_first) {
  mjCache* cache = mj_getCache();
  size_t capacity = mj_getCacheCapacity(cache);
  CF_TRUE(capacity > 0);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "x", "x", 1);
  mjResource* r = mju_openResource(NULL, "x", &vfs, NULL, 0);
  CF_EQ_INT(mj_setCacheCapacity(cache, 250), 250);
  int a, b, c;
  const void* found = NULL;
  CF_TRUE(cfi_cacheStore("a", r, &a, 100, releaseEntry));
  CF_TRUE(cfi_cacheStore("b", r, &b, 100, releaseEntry));
  CF_TRUE(cfi_cacheFetch("a", r, useEntry, &found) && found == &a);
  CF_TRUE(cfi_cacheStore("c", r, &c, 100, releaseEntry));
  CF_EQ_INT(released, 1);
  CF_TRUE(!cfi_cacheFetch("b", r, useEntry, &found));
  CF_EQ_INT(mj_getCacheSize(cache), 200);
  CF_TRUE(!cfi_cacheStore("big", r, &c, 1000, releaseEntry));

  // another content is another timestamp
  mj_addBufferVFS(&vfs, "y", "y", 1);
  mjResource* other = mju_openResource(NULL, "y", &vfs, NULL, 0);
  CF_TRUE(!cfi_cacheFetch("a", other, useEntry, &found));
  mju_closeResource(other);
  mju_closeResource(r);
  mj_clearCache(cache);
  CF_EQ_INT(mj_getCacheSize(cache), 0);
  CF_EQ_INT(released, 3);
  mj_setCacheCapacity(cache, capacity);
  mj_deleteVFS(&vfs);
}

CF_TEST(cache__none_or_a_foreign_one__has_no_size_and_takes_none) {
  mjCache foreign = {NULL};
  mjCache* const other[2] = {NULL, &foreign};
  const size_t capacity = mj_getCacheCapacity(mj_getCache());
  for (int k = 0; k < 2; k++) {
    CF_EQ_INT(mj_getCacheSize(other[k]), 0);
    CF_EQ_INT(mj_getCacheCapacity(other[k]), 0);
    CF_EQ_INT(mj_setCacheCapacity(other[k], 10), 0);
    mj_clearCache(other[k]);
  }
  CF_EQ_INT(mj_getCacheCapacity(mj_getCache()), capacity);
}


CF_TEST_MAIN("base/memory")
