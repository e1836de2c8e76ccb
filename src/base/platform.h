// What the library needs of the operating system: threads, libraries, files, memory, clocks and
// numbers in text.
//
// The only header that knows systems. platform_posix.c is for Linux, macOS and other POSIX systems,
// platform_windows.c for Windows, platform_none.c for WebAssembly without threads and libraries.
// tests/layers/check_platform.py keeps the headers of systems out of all other files. Names of
// files are UTF-8 everywhere; what fails sets errno.
#ifndef CF_BASE_PLATFORM_H
#define CF_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(CF_DEVICE) || defined(__wasi__)
#define CF_NO_THREADS
#elif !defined(_WIN32)
#include <pthread.h>
#endif

// longest name of a file, terminator included
enum { CF_PATH_MAX = 4096 };

// Seconds since some moment, never going back; 0 on devices, where no threads wait for each other.
double cfi_clock(void);

//---------------------------------- threads -------------------------------------------------------

#if defined(CF_NO_THREADS)
typedef int cfMutex;
typedef int cfCondition;
typedef int cfOnce;
typedef int cfThread;
#define CF_MUTEX_INIT 0
#define CF_ONCE_INIT 0
#elif defined(_WIN32)
typedef struct {
  void* lock;  // SRWLOCK
} cfMutex;
typedef struct {
  void* variable;  // CONDITION_VARIABLE
} cfCondition;
typedef struct {
  void* state;  // INIT_ONCE
} cfOnce;
typedef void* cfThread;
#define CF_MUTEX_INIT \
  { NULL }
#define CF_ONCE_INIT \
  { NULL }
#else
typedef pthread_mutex_t cfMutex;
typedef pthread_cond_t cfCondition;
typedef pthread_once_t cfOnce;
typedef pthread_t cfThread;
#define CF_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
#define CF_ONCE_INIT PTHREAD_ONCE_INIT
#endif

// a mutex that its owner may lock again; the owner is named by the address of a variable of its own
typedef struct {
  cfMutex mutex;
  const void* owner;
  int depth;
} cfRecursiveMutex;

#define CF_RECURSIVE_MUTEX_INIT \
  { CF_MUTEX_INIT, NULL, 0 }

#if defined(CF_DEVICE)
// one thread per world, and nothing that worlds share changes
#define cfi_lock(mutex) ((void)(mutex))
#define cfi_unlock(mutex) ((void)(mutex))
#define cfi_lockAgain(mutex) ((void)(mutex))
#define cfi_unlockAgain(mutex) ((void)(mutex))
#else
void cfi_mutexInit(cfMutex* mutex);
void cfi_mutexDestroy(cfMutex* mutex);
void cfi_lock(cfMutex* mutex);
void cfi_unlock(cfMutex* mutex);
void cfi_lockAgain(cfRecursiveMutex* mutex);
void cfi_unlockAgain(cfRecursiveMutex* mutex);

void cfi_conditionInit(cfCondition* condition);
void cfi_conditionDestroy(cfCondition* condition);
void cfi_conditionWait(cfCondition* condition, cfMutex* mutex);
void cfi_conditionSignal(cfCondition* condition);
void cfi_conditionBroadcast(cfCondition* condition);

// Call a function once in the life of the process.
void cfi_once(cfOnce* once, void (*function)(void));

// Start a thread, on a stack of the caller's unless that is NULL (systems that choose stacks
// themselves ignore it). False where the system has no room for one, or no threads.
bool cfi_threadStart(cfThread* thread, void* (*function)(void*), void* argument, void* stack,
                     size_t nstack);
void cfi_threadJoin(cfThread thread);
void cfi_threadYield(void);

// Processors of the machine, at least 1.
int cfi_processors(void);

//---------------------------------- libraries -----------------------------------------------------

// ending of the names of libraries
#if defined(_WIN32)
#define CF_LIBRARY_END ".dll"
#elif defined(__APPLE__)
#define CF_LIBRARY_END ".dylib"
#else
#define CF_LIBRARY_END ".so"
#endif

// Load a library for the caller alone; NULL where it cannot be had, with the reason.
void* cfi_libraryOpen(const char* path, char* reason, size_t nreason);

// Let libraries that are loaded later find the functions of one that is loaded already. False where
// the system has no such thing.
bool cfi_libraryShow(const char* path);

// A library of this process whose file name begins like that, or NULL.
void* cfi_libraryLoaded(const char* start);

// Address of a symbol in a library, among those that all libraries see if that is NULL; or NULL.
void* cfi_librarySymbol(void* library, const char* name);

void cfi_libraryClose(void* library);

// File that holds an address of code or data; false where it is not known.
bool cfi_libraryOf(const void* address, char path[CF_PATH_MAX]);

//---------------------------------- files ---------------------------------------------------------

typedef struct {
  bool is_folder, is_regular,
      is_stream;  // none of them: a device, a socket; stream: pipe, terminal
  int64_t size;
  int64_t seconds, nanoseconds;  // of the last change, since 1970
  unsigned mode;                 // permissions
} cfFileInfo;

bool cfi_fileInfo(const char* path, cfFileInfo* info);
bool cfi_fileInfoOf(FILE* file, cfFileInfo* info);

// The same of a link itself instead of its target.
bool cfi_linkInfo(const char* path, cfFileInfo* info);

// fopen; bytes are never changed on their way (line ends of Windows).
FILE* cfi_fileOpen(const char* path, const char* mode);

// Move a file onto another one, which is there as a whole, the old or the new, at any time.
bool cfi_fileReplace(const char* from, const char* to);
bool cfi_fileRemove(const char* path);
bool cfi_fileIsReadable(const char* path);
bool cfi_fileSetMode(FILE* file, unsigned mode);

// Full name without links and dots; false where there is no such file. Separators are slashes.
bool cfi_realPath(const char* path, char real[CF_PATH_MAX]);

// Names in a folder in the order of strcmp; their number, -1 where it cannot be read. To be freed
// by cfi_folderFree.
int cfi_folderNames(const char* path, char*** names);
void cfi_folderFree(char** names, int count);

// A file in memory: write to `file`; closing gives a text of the heap (free), or NULL.
typedef struct {
  FILE* file;
  char* text;
  size_t size;
} cfTextFile;

bool cfi_textOpen(cfTextFile* text);
char* cfi_textClose(cfTextFile* text);

//---------------------------------- the rest ------------------------------------------------------

void* cfi_alignedAlloc(size_t alignment, size_t size);
void cfi_alignedFree(void* block);

// Local date and time, as "Sun Nov  1 12:00:00 2026".
void cfi_dateText(char text[64]);

long cfi_processId(void);

// Value of a variable of the environment, or NULL; valid until the thread asks again.
const char* cfi_environment(const char* name);

// strtod and strtof with a decimal point whatever the locale.
double cfi_doubleFrom(const char* text, char** end);
float cfi_floatFrom(const char* text, char** end);
#endif  // CF_DEVICE

#endif  // CF_BASE_PLATFORM_H
