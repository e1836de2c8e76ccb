// A system of which only the C library is used: WebAssembly (WASI) without threads and libraries.
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/platform.h"

//---------------------------------- threads -------------------------------------------------------


void cfi_mutexInit(cfMutex* mutex) {
  *mutex = CF_MUTEX_INIT;
}


void cfi_mutexDestroy(cfMutex* mutex) {
  (void)mutex;
}


void cfi_lock(cfMutex* mutex) {
  (void)mutex;
}


void cfi_unlock(cfMutex* mutex) {
  (void)mutex;
}


void cfi_conditionInit(cfCondition* condition) {
  *condition = 0;
}


void cfi_conditionDestroy(cfCondition* condition) {
  (void)condition;
}


void cfi_conditionWait(cfCondition* condition, cfMutex* mutex) {
  (void)condition;
  (void)mutex;
}


void cfi_conditionSignal(cfCondition* condition) {
  (void)condition;
}


void cfi_conditionBroadcast(cfCondition* condition) {
  (void)condition;
}


void cfi_once(cfOnce* once, void (*function)(void)) {
  if (!*once) {
    *once = 1;
    function();
  }
}


bool cfi_threadStart(cfThread* thread, void* (*function)(void*), void* argument, void* stack,
                     size_t nstack) {
  (void)thread;
  (void)function;
  (void)argument;
  (void)stack;
  (void)nstack;
  return false;
}


void cfi_threadJoin(cfThread thread) {
  (void)thread;
}


void cfi_threadYield(void) {
}


int cfi_processors(void) {
  return 1;
}

//---------------------------------- libraries -----------------------------------------------------


void* cfi_libraryOpen(const char* path, char* reason, size_t nreason) {
  if (reason) {
    snprintf(reason, nreason, "%s: this system has no libraries to load", path);
  }
  return NULL;
}


bool cfi_libraryShow(const char* path) {
  (void)path;
  return false;
}


void* cfi_libraryLoaded(const char* start) {
  (void)start;
  return NULL;
}


void* cfi_librarySymbol(void* library, const char* name) {
  (void)library;
  (void)name;
  return NULL;
}


void cfi_libraryClose(void* library) {
  (void)library;
}


bool cfi_libraryOf(const void* address, char path[CF_PATH_MAX]) {
  (void)address;
  path[0] = 0;
  return false;
}

//---------------------------------- files ---------------------------------------------------------


bool cfi_fileInfoOf(FILE* file, cfFileInfo* info) {
  const long at = ftell(file);
  *info = (cfFileInfo){.is_regular = true};
  if (at < 0 || fseek(file, 0, SEEK_END)) {
    return false;
  }
  info->size = ftell(file);
  return info->size >= 0 && !fseek(file, at, SEEK_SET);
}


bool cfi_fileInfo(const char* path, cfFileInfo* info) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    return false;
  }
  const bool is_good = cfi_fileInfoOf(file, info);
  fclose(file);
  return is_good;
}


bool cfi_linkInfo(const char* path, cfFileInfo* info) {
  return cfi_fileInfo(path, info);
}


FILE* cfi_fileOpen(const char* path, const char* mode) {
  return fopen(path, mode);
}


bool cfi_fileReplace(const char* from, const char* to) {
  return !rename(from, to);
}


bool cfi_fileRemove(const char* path) {
  return !remove(path);
}


bool cfi_fileIsReadable(const char* path) {
  cfFileInfo info;
  return cfi_fileInfo(path, &info);
}


bool cfi_fileSetMode(FILE* file, unsigned mode) {
  (void)file;
  (void)mode;
  return true;
}


bool cfi_realPath(const char* path, char real[CF_PATH_MAX]) {
  (void)path;
  real[0] = 0;
  errno = ENOENT;
  return false;
}


int cfi_folderNames(const char* path, char*** names) {
  (void)path;
  *names = NULL;
  errno = ENOSYS;
  return -1;
}


bool cfi_textOpen(cfTextFile* text) {
  *text = (cfTextFile){NULL, NULL, 0};
  text->file = open_memstream(&text->text, &text->size);
  return text->file != NULL;
}


char* cfi_textClose(cfTextFile* text) {
  fclose(text->file);
  return text->text;
}

//---------------------------------- the rest ------------------------------------------------------


void* cfi_alignedAlloc(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}


void cfi_alignedFree(void* block) {
  free(block);
}


double cfi_clock(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}


void cfi_dateText(char text[64]) {
  const time_t now = time(NULL);
  const struct tm* local = localtime(&now);
  text[0] = 0;
  if (local) {
    strftime(text, 64, "%a %b %d %H:%M:%S %Y", local);
  }
}


long cfi_processId(void) {
  return 1;
}


const char* cfi_environment(const char* name) {
  return getenv(name);
}


// the only locale is that of C
double cfi_doubleFrom(const char* text, char** end) {
  return strtod(text, end);
}


float cfi_floatFrom(const char* text, char** end) {
  return strtof(text, end);
}
