// What the library needs of the operating system, on whichever this is.
#include "cf_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"

enum { THREADS = 4, ROUNDS = 2000 };


// a name in the working directory that no other process has
static void ownName(char path[200], const char* name) {
  snprintf(path, 200, "platform_%ld_%s", cfi_processId(), name);
}


static void writeText(const char* path, const char* text) {
  FILE* file = cfi_fileOpen(path, "w");
  CF_TRUE(file != NULL);
  CF_EQ_INT(fwrite(text, 1, strlen(text), file), strlen(text));
  CF_EQ_INT(fclose(file), 0);
}


// bytes of a file as a text
static void readText(const char* path, char text[100]) {
  FILE* file = cfi_fileOpen(path, "r");
  CF_TRUE(file != NULL);
  text[fread(text, 1, 99, file)] = 0;
  fclose(file);
}

//---------------------------------- threads -------------------------------------------------------

static cfMutex plain = CF_MUTEX_INIT;
static cfRecursiveMutex again = CF_RECURSIVE_MUTEX_INIT;
static cfOnce once = CF_ONCE_INIT;
static int plain_count, again_count, once_count;


static void countOnce(void) {
  once_count++;
}


static void countDeep(int depth) {
  cfi_lockAgain(&again);
  again_count++;
  if (depth > 0) {
    countDeep(depth - 1);
  }
  cfi_unlockAgain(&again);
}


static void* countAll(void* argument) {
  for (int k = 0; k < ROUNDS; k++) {
    cfi_lock(&plain);
    plain_count++;
    cfi_unlock(&plain);
    countDeep(2);
    cfi_once(&once, countOnce);
  }
  *(int*)argument = 1;
  return NULL;
}


CF_TEST(threads__mutexes_and_once__every_count_arrives) {
  cfThread thread[THREADS];
  int done[THREADS] = {0};
  for (int k = 0; k < THREADS; k++) {
    CF_TRUE(cfi_threadStart(thread + k, countAll, done + k, NULL, 0));
  }
  for (int k = 0; k < THREADS; k++) {
    cfi_threadJoin(thread[k]);
    CF_EQ_INT(done[k], 1);
  }
  CF_EQ_INT(plain_count, THREADS * ROUNDS);
  CF_EQ_INT(again_count, 3 * THREADS * ROUNDS);
  CF_EQ_INT(once_count, 1);
  CF_TRUE(cfi_processors() >= 1);
}

// two threads that take turns
static cfMutex turn_mutex;
static cfCondition turn_changed;
static int turn;


static void* takeTurns(void* argument) {
  const int own = *(int*)argument;
  for (int k = 0; k < 200; k++) {
    cfi_lock(&turn_mutex);
    while (turn % 2 != own) {
      cfi_conditionWait(&turn_changed, &turn_mutex);
    }
    turn++;
    cfi_conditionBroadcast(&turn_changed);
    cfi_unlock(&turn_mutex);
  }
  return NULL;
}


CF_TEST(threads__conditions__turns_alternate) {
  cfThread thread[2];
  int number[2] = {0, 1};
  cfi_mutexInit(&turn_mutex);
  cfi_conditionInit(&turn_changed);
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cfi_threadStart(thread + k, takeTurns, number + k, NULL, 0));
  }
  cfi_threadJoin(thread[0]);
  cfi_threadJoin(thread[1]);
  cfi_conditionDestroy(&turn_changed);
  cfi_mutexDestroy(&turn_mutex);
  CF_EQ_INT(turn, 400);
}


// more stack than some systems give to threads
static void* useStack(void* argument) {
  volatile char block[1 << 20];
  for (size_t k = 0; k < sizeof(block); k += 512) {
    block[k] = (char)k;
  }
  *(int*)argument = block[1024];
  return NULL;
}


CF_TEST(threads__a_megabyte_on_the_stack__fits) {
  cfThread thread;
  int found = -1;
  CF_TRUE(cfi_threadStart(&thread, useStack, &found, NULL, 0));
  cfi_threadJoin(thread);
  CF_EQ_INT(found, 0);
}

//---------------------------------- files ---------------------------------------------------------


CF_TEST(files__utf8_name__written_described_replaced_removed) {
  char path[200], other[200], real[CF_PATH_MAX], text[100];
  cfFileInfo info, later;
  ownName(path,
          "gr\xC3\xB6\xC3\x9F"
          "e \xE6\xA8\xA1.xml");
  ownName(other, "other.xml");
  writeText(path, "one\r\ntwo\n");
  CF_TRUE(cfi_fileInfo(path, &info));
  CF_TRUE(info.is_regular && !info.is_folder && !info.is_stream);
  CF_EQ_INT(info.size, 9);
  CF_TRUE(info.seconds > 1700000000 && info.nanoseconds >= 0 && info.nanoseconds < 1000000000);
  readText(path, text);
  CF_EQ_STR(text, "one\r\ntwo\n");

  // a full name has slashes and leads to the same file
  CF_TRUE(cfi_realPath(path, real));
  CF_TRUE(strstr(real, path) && strchr(real, '/') && !strchr(real, '\\'));
  CF_TRUE(cfi_fileInfo(real, &later) && later.size == info.size);

  writeText(other, "new");
  CF_TRUE(cfi_fileReplace(other, path));
  CF_TRUE(!cfi_fileInfo(other, &later));
  CF_EQ_INT(errno, ENOENT);
  readText(path, text);
  CF_EQ_STR(text, "new");
  CF_TRUE(cfi_fileIsReadable(path));
  CF_TRUE(cfi_fileRemove(path));
  CF_TRUE(!cfi_fileIsReadable(path));
  CF_TRUE(!cfi_realPath(path, real));
  CF_TRUE(!cfi_fileOpen(path, "r"));
  CF_EQ_INT(errno, ENOENT);
}


CF_TEST(files__folder__names_in_order) {
  char **names, path[3][200];
  cfFileInfo info;
  const char* name[] = {"c.txt", "a.txt", "b.txt"};
  for (int k = 0; k < 3; k++) {
    ownName(path[k], name[k]);
    writeText(path[k], "");
  }
  const int count = cfi_folderNames(".", &names);
  int found = 0;
  CF_TRUE(count >= 3);
  for (int k = 0; k < count; k++) {
    CF_TRUE(!k || strcmp(names[k - 1], names[k]) < 0);
    CF_TRUE(strcmp(names[k], ".") && strcmp(names[k], ".."));
    for (int p = 0; p < 3; p++) {
      found += !strcmp(names[k], path[p]);
    }
  }
  CF_EQ_INT(found, 3);
  cfi_folderFree(names, count);
  for (int k = 0; k < 3; k++) {
    CF_TRUE(cfi_fileRemove(path[k]));
  }
  CF_TRUE(cfi_fileInfo(".", &info) && info.is_folder && !info.is_regular);
  CF_EQ_INT(cfi_folderNames("no such folder", &names), -1);
  CF_TRUE(names == NULL);
}


CF_TEST(files__in_memory__text_comes_back) {
  cfTextFile file;
  CF_TRUE(cfi_textOpen(&file));
  for (int k = 0; k < 3000; k++) {
    fprintf(file.file, "%d\n", k % 10);
  }
  char* text = cfi_textClose(&file);
  CF_TRUE(text != NULL);
  CF_EQ_INT(strlen(text), 6000);
  CF_TRUE(!strncmp(text, "0\n1\n2\n", 6) && !strcmp(text + 5996, "8\n9\n"));
  free(text);
}

//---------------------------------- libraries -----------------------------------------------------


CF_TEST(libraries__missing_one__reason) {
  char reason[300] = "";
  CF_TRUE(!cfi_libraryOpen("./no_such_library" CF_LIBRARY_END, reason, sizeof(reason)));
  CF_TRUE(strlen(reason) > 5);
}


CF_TEST(libraries__own_address__file_that_holds_it) {
  char path[CF_PATH_MAX];
  cfFileInfo info;
  CF_TRUE(cfi_libraryOf((const void*)(uintptr_t)countOnce, path));
  CF_TRUE(cfi_fileInfo(path, &info) && info.is_regular);
}

//---------------------------------- the rest ------------------------------------------------------


CF_TEST(memory__aligned__as_asked) {
  for (size_t alignment = 16; alignment <= 4096; alignment *= 4) {
    char* block = cfi_alignedAlloc(alignment, 3 * alignment);
    CF_EQ_INT((uintptr_t)block % alignment, 0);
    memset(block, 7, 3 * alignment);
    cfi_alignedFree(block);
  }
}


CF_TEST(numbers__hard_cases__nearest_double) {
  static const struct {
    const char* text;
    uint64_t bits;
  } hard[] = {{"0.1", 0x3FB999999999999AU},
              {"2.2250738585072011e-308", 0x000FFFFFFFFFFFFFU},
              {"9007199254740993", 0x4340000000000000U},
              {"1.00000000000000011102230246251565404236316680908203126", 0x3FF0000000000001U},
              {"179769313486231570000e288", 0x7FEFFFFFFFFFFFFFU},
              {"4.9406564584124654e-324", 1}};
  for (size_t k = 0; k < sizeof(hard) / sizeof(hard[0]); k++) {
    char* end;
    uint64_t bits;
    const double value = cfi_doubleFrom(hard[k].text, &end);
    memcpy(&bits, &value, sizeof(bits));
    CF_TRUE(bits == hard[k].bits);
    CF_EQ_INT(*end, 0);
  }
  char* end;
  CF_NEAR(cfi_floatFrom("0.1,5", &end), 0.1F, 0);
  CF_EQ_STR(end, ",5");
}


CF_TEST(clock__asked_twice__never_goes_back) {
  double last = cfi_clock();
  for (int k = 0; k < 1000; k++) {
    const double now = cfi_clock();
    CF_TRUE(now >= last);
    last = now;
  }
  char date[64];
  cfi_dateText(date);
  CF_TRUE(strlen(date) >= 24);
  CF_TRUE(cfi_environment("CF_NO_SUCH_VARIABLE") == NULL);
}


CF_TEST_MAIN("base/platform")
