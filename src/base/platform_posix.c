// Linux, macOS and other POSIX systems.
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE  // for dladdr and RTLD_DEFAULT
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#include <xlocale.h>
#else
#include <link.h>
#endif

#include "base/assert.h"
#include "base/platform.h"

// threads get at least this much, as on Linux with glibc: musl gives 128 KB and macOS 512 KB
enum { THREAD_STACK = 8 << 20 };

//---------------------------------- threads -------------------------------------------------------


void cfi_mutexInit(cfMutex* mutex) {
  pthread_mutex_init(mutex, NULL);
}


void cfi_mutexDestroy(cfMutex* mutex) {
  pthread_mutex_destroy(mutex);
}


void cfi_lock(cfMutex* mutex) {
  pthread_mutex_lock(mutex);
}


void cfi_unlock(cfMutex* mutex) {
  pthread_mutex_unlock(mutex);
}


void cfi_conditionInit(cfCondition* condition) {
  pthread_cond_init(condition, NULL);
}


void cfi_conditionDestroy(cfCondition* condition) {
  pthread_cond_destroy(condition);
}


void cfi_conditionWait(cfCondition* condition, cfMutex* mutex) {
  pthread_cond_wait(condition, mutex);
}


void cfi_conditionSignal(cfCondition* condition) {
  pthread_cond_signal(condition);
}


void cfi_conditionBroadcast(cfCondition* condition) {
  pthread_cond_broadcast(condition);
}


void cfi_once(cfOnce* once, void (*function)(void)) {
  pthread_once(once, function);
}


bool cfi_threadStart(cfThread* thread, void* (*function)(void*), void* argument, void* stack,
                     size_t nstack) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) {
    return false;
  }
  size_t usual = 0;
  pthread_attr_getstacksize(&attributes, &usual);
  bool is_good = true;
  if (stack) {
    is_good = !pthread_attr_setstack(&attributes, stack, nstack);
#if !defined(__GLIBC__)
  } else if (usual < THREAD_STACK) {
    is_good = !pthread_attr_setstacksize(&attributes, THREAD_STACK);
#endif
  }
  is_good = is_good && !pthread_create(thread, &attributes, function, argument);
  pthread_attr_destroy(&attributes);
  return is_good;
}


void cfi_threadJoin(cfThread thread) {
  pthread_join(thread, NULL);
}


void cfi_threadYield(void) {
  sched_yield();
}


int cfi_processors(void) {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
}

//---------------------------------- libraries -----------------------------------------------------


void* cfi_libraryOpen(const char* path, char* reason, size_t nreason) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library && reason) {
    const char* fault = dlerror();
    snprintf(reason, nreason, "%s", fault ? fault : "unknown reason");
  }
  return library;
}


bool cfi_libraryShow(const char* path) {
  return dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) != NULL;
}


static const char* lastPart(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}


#if defined(__APPLE__)
void* cfi_libraryLoaded(const char* start) {
  for (uint32_t k = 0; k < _dyld_image_count(); k++) {
    const char* path = _dyld_get_image_name(k);
    if (path && !strncmp(lastPart(path), start, strlen(start))) {
      return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
  }
  return NULL;
}
#else
// where to look: the start of a file name in, the path of a library in this process out
typedef struct {
  const char *start, *path;
} loadedLibrary;


static int matchLoaded(struct dl_phdr_info* info, size_t size, void* argument) {
  (void)size;
  loadedLibrary* wanted = argument;
  if (strncmp(lastPart(info->dlpi_name), wanted->start, strlen(wanted->start)) != 0) {
    return 0;
  }
  wanted->path = info->dlpi_name;
  return 1;
}


void* cfi_libraryLoaded(const char* start) {
  loadedLibrary wanted = {start, NULL};
  const bool is_there = dl_iterate_phdr(matchLoaded, &wanted) && wanted.path;
  return is_there ? dlopen(wanted.path, RTLD_NOW | RTLD_LOCAL) : NULL;
}
#endif


void* cfi_librarySymbol(void* library, const char* name) {
  return dlsym(library ? library : RTLD_DEFAULT, name);
}


void cfi_libraryClose(void* library) {
  dlclose(library);
}


bool cfi_libraryOf(const void* address, char path[CF_PATH_MAX]) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) {
    return false;
  }
  return snprintf(path, CF_PATH_MAX, "%s", info.dli_fname) < CF_PATH_MAX;
}

//---------------------------------- files ---------------------------------------------------------


static bool describeFile(bool is_there, const struct stat* from, cfFileInfo* info) {
  if (!is_there) {
    return false;
  }
#if defined(__APPLE__)
  const struct timespec changed = from->st_mtimespec;
#else
  const struct timespec changed = from->st_mtim;
#endif
  *info = (cfFileInfo){.is_folder = S_ISDIR(from->st_mode),
                       .is_regular = S_ISREG(from->st_mode),
                       .is_stream = S_ISFIFO(from->st_mode) || S_ISCHR(from->st_mode),
                       .size = (int64_t)from->st_size,
                       .seconds = (int64_t)changed.tv_sec,
                       .nanoseconds = (int64_t)changed.tv_nsec,
                       .mode = (unsigned)from->st_mode & 0777};
  return true;
}


bool cfi_fileInfo(const char* path, cfFileInfo* info) {
  struct stat found;
  return describeFile(!stat(path, &found), &found, info);
}


bool cfi_fileInfoOf(FILE* file, cfFileInfo* info) {
  struct stat found;
  return describeFile(!fstat(fileno(file), &found), &found, info);
}


bool cfi_linkInfo(const char* path, cfFileInfo* info) {
  struct stat found;
  return describeFile(!lstat(path, &found), &found, info);
}


FILE* cfi_fileOpen(const char* path, const char* mode) {
  return fopen(path, mode);
}


bool cfi_fileReplace(const char* from, const char* to) {
  return !rename(from, to);
}


bool cfi_fileRemove(const char* path) {
  return !unlink(path);
}


bool cfi_fileIsReadable(const char* path) {
  return !access(path, R_OK);
}


bool cfi_fileSetMode(FILE* file, unsigned mode) {
  return !fchmod(fileno(file), (mode_t)mode);
}


bool cfi_realPath(const char* path, char real[CF_PATH_MAX]) {
  char* found = realpath(path, NULL);
  const bool fits = found && snprintf(real, CF_PATH_MAX, "%s", found) < CF_PATH_MAX;
  free(found);
  return fits;
}


static int byFileName(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}


// append a copy of a name; false without memory
static bool keepFileName(char*** names, int* count, const char* name) {
  char** grown = realloc(*names, ((size_t)*count + 1) * sizeof(char*));
  if (!grown) {
    return false;
  }
  *names = grown;
  grown[*count] = strdup(name);
  return grown[*count] && ++*count;
}


int cfi_folderNames(const char* path, char*** names) {
  *names = NULL;
  int count = 0;
  DIR* folder = opendir(path);
  if (!folder) {
    return -1;
  }
  bool is_good = true;
  for (const struct dirent* entry; is_good && (entry = readdir(folder));) {
    const bool is_dots = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    is_good = is_dots || keepFileName(names, &count, entry->d_name);
  }
  closedir(folder);
  if (!is_good) {
    cfi_folderFree(*names, count);
    *names = NULL;
    errno = ENOMEM;
    return -1;
  }
  if (count) {
    qsort(*names, (size_t)count, sizeof(char*), byFileName);
  }
  return count;
}


bool cfi_textOpen(cfTextFile* text) {
  *text = (cfTextFile){NULL, NULL, 0};
  text->file = open_memstream(&text->text, &text->size);
  return text->file != NULL;
}


char* cfi_textClose(cfTextFile* text) {
  const bool is_cut = ferror(text->file);
  if (fclose(text->file) || is_cut) {
    free(text->text);
    text->text = NULL;
  }
  return text->text;
}

//---------------------------------- the rest ------------------------------------------------------


void* cfi_alignedAlloc(size_t alignment, size_t size) {
  CF_ASSERT(size % alignment == 0);
  return aligned_alloc(alignment, size);
}


void cfi_alignedFree(void* block) {
  free(block);
}


double cfi_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}


void cfi_dateText(char text[64]) {
  struct tm local;
  const time_t now = time(NULL);
  text[0] = 0;
  if (localtime_r(&now, &local)) {
    strftime(text, 64, "%a %b %d %H:%M:%S %Y", &local);
  }
}


long cfi_processId(void) {
  return (long)getpid();
}


const char* cfi_environment(const char* name) {
  return getenv(name);
}

static locale_t posix_locale;
static cfOnce posix_locale_once = CF_ONCE_INIT;

static void makeNumberLocale(void) {
  posix_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}


double cfi_doubleFrom(const char* text, char** end) {
  cfi_once(&posix_locale_once, makeNumberLocale);
  return strtod_l(text, end, posix_locale);
}


float cfi_floatFrom(const char* text, char** end) {
  cfi_once(&posix_locale_once, makeNumberLocale);
  return strtof_l(text, end, posix_locale);
}
