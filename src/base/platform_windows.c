// Windows 10 and later. Names are UTF-8 outside and UTF-16 inside; long ones get the prefix \\?\.
#define WIN32_LEAN_AND_MEAN
#define PSAPI_VERSION 2
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <wchar.h>
#include <windows.h>

#include <psapi.h>

#include "base/assert.h"
#include "base/platform.h"
#include "base/sort.h"

enum { WIDE_MAX = 32767, SHORT_PATH = 240, THREAD_STACK = 8 << 20, MODULES = 1024 };

//---------------------------------- threads -------------------------------------------------------


void cfi_mutexInit(cfMutex* mutex) {
  mutex->lock = NULL;
}


void cfi_mutexDestroy(cfMutex* mutex) {
  (void)mutex;
}


void cfi_lock(cfMutex* mutex) {
  AcquireSRWLockExclusive((SRWLOCK*)mutex);
}


void cfi_unlock(cfMutex* mutex) {
  ReleaseSRWLockExclusive((SRWLOCK*)mutex);
}


void cfi_conditionInit(cfCondition* condition) {
  condition->variable = NULL;
}


void cfi_conditionDestroy(cfCondition* condition) {
  (void)condition;
}


void cfi_conditionWait(cfCondition* condition, cfMutex* mutex) {
  SleepConditionVariableSRW((CONDITION_VARIABLE*)condition, (SRWLOCK*)mutex, INFINITE, 0);
}


void cfi_conditionSignal(cfCondition* condition) {
  WakeConditionVariable((CONDITION_VARIABLE*)condition);
}


void cfi_conditionBroadcast(cfCondition* condition) {
  WakeAllConditionVariable((CONDITION_VARIABLE*)condition);
}


static BOOL CALLBACK callOnce(INIT_ONCE* once, void* argument, void** context) {
  (void)once;
  (void)context;
  (*(void (**)(void))argument)();
  return TRUE;
}


void cfi_once(cfOnce* once, void (*function)(void)) {
  InitOnceExecuteOnce((INIT_ONCE*)once, callOnce, (void*)&function, NULL);
}

typedef struct {
  void* (*function)(void*);
  void* argument;
} threadStart;


static DWORD WINAPI runThread(void* argument) {
  const threadStart start = *(threadStart*)argument;
  free(argument);
  start.function(start.argument);
  return 0;
}


bool cfi_threadStart(cfThread* thread, void* (*function)(void*), void* argument, void* stack,
                     size_t nstack) {
  threadStart* start = malloc(sizeof(threadStart));
  if (!start) {
    return false;
  }
  *start = (threadStart){function, argument};
  const size_t bytes = stack ? nstack : THREAD_STACK;
  *thread = CreateThread(NULL, bytes, runThread, start, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
  if (!*thread) {
    free(start);
  }
  return *thread != NULL;
}


void cfi_threadJoin(cfThread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}


void cfi_threadYield(void) {
  SwitchToThread();
}


int cfi_processors(void) {
  const DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  return count > 0 ? (int)count : 1;
}

//---------------------------------- names ---------------------------------------------------------

// errno for the last error of the system
static void setErrno(void) {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_MOD_NOT_FOUND:
      errno = ENOENT;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      errno = EACCES;
      break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      errno = ENOMEM;
      break;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_FILENAME_EXCED_RANGE:
      errno = ENAMETOOLONG;
      break;
    case ERROR_DIRECTORY:
      errno = ENOTDIR;
      break;
    default:
      errno = EIO;
  }
}


// A name in UTF-16 on the heap; NULL where it is not UTF-8 or memory is short.
static wchar_t* wideText(const char* text) {
  const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
  wchar_t* wide = length > 0 ? malloc((size_t)length * sizeof(wchar_t)) : NULL;
  if (!wide) {
    errno = length > 0 ? ENOMEM : EILSEQ;
    return NULL;
  }
  MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, length);
  return wide;
}


// The same for a file. Names that most functions would refuse become full ones with a prefix.
static wchar_t* widePath(const char* path) {
  wchar_t* wide = wideText(path);
  if (!wide || wcslen(wide) < SHORT_PATH || !wcsncmp(wide, L"\\\\?\\", 4)) {
    return wide;
  }
  wchar_t* full = malloc(WIDE_MAX * sizeof(wchar_t));
  if (full) {
    const bool is_share = !wcsncmp(wide, L"\\\\", 2);
    wcscpy(full, is_share ? L"\\\\?\\UNC" : L"\\\\?\\");
    const size_t used = wcslen(full) - (is_share ? 1 : 0);
    const wchar_t kept = full[used];
    const DWORD length = GetFullPathNameW(wide, (DWORD)(WIDE_MAX - used), full + used, NULL);
    full[used] = is_share ? kept : full[used];
    if (!length || length >= WIDE_MAX - used) {
      free(full);
      full = NULL;
      errno = ENAMETOOLONG;
    }
  }
  free(wide);
  return full;
}


// UTF-16 to UTF-8 with slashes; false where it does not fit
static bool narrowPath(const wchar_t* wide, char path[CF_PATH_MAX]) {
  if (!wcsncmp(wide, L"\\\\?\\", 4) && wcsncmp(wide, L"\\\\?\\UNC\\", 8) != 0) {
    wide += 4;
  }
  if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, CF_PATH_MAX, NULL, NULL)) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (char* c = path; *c; c++) {
    *c = *c == '\\' ? '/' : *c;
  }
  return true;
}

//---------------------------------- libraries -----------------------------------------------------


void* cfi_libraryOpen(const char* path, char* reason, size_t nreason) {
  wchar_t* wide = wideText(path);
  for (wchar_t* c = wide; c && *c; c++) {
    *c = *c == L'/' ? L'\\' : *c;
  }
  const DWORD old_mode = SetErrorMode(SEM_FAILCRITICALERRORS);
  HMODULE library = wide ? LoadLibraryExW(wide, NULL, LOAD_WITH_ALTERED_SEARCH_PATH) : NULL;
  const DWORD code = GetLastError();
  SetErrorMode(old_mode);
  free(wide);
  if (!library && reason && nreason) {
    wchar_t text[400] = L"";
    FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code, 0, text,
                   400, NULL);
    char narrow[1200] = "";
    WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, (int)sizeof(narrow), NULL, NULL);
    narrow[strcspn(narrow, "\r\n")] = 0;
    snprintf(reason, nreason, "%s: %s (error %lu)", path, narrow, code);
  }
  return (void*)library;
}


// libraries name the library that each of their functions is in
bool cfi_libraryShow(const char* path) {
  (void)path;
  return false;
}


void* cfi_libraryLoaded(const char* start) {
  HMODULE list[MODULES];
  DWORD bytes = 0;
  if (!EnumProcessModules(GetCurrentProcess(), list, sizeof(list), &bytes)) {
    return NULL;
  }
  for (size_t k = 0; k < bytes / sizeof(HMODULE) && k < MODULES; k++) {
    char name[MAX_PATH];
    if (GetModuleBaseNameA(GetCurrentProcess(), list[k], name, MAX_PATH) &&
        !_strnicmp(name, start, strlen(start))) {
      return (void*)list[k];
    }
  }
  return NULL;
}


static void* addressOf(FARPROC function) {
  void* address;
  memcpy(&address, &function, sizeof(address));
  return address;
}


void* cfi_librarySymbol(void* library, const char* name) {
  if (library) {
    return addressOf(GetProcAddress((HMODULE)library, name));
  }
  HMODULE list[MODULES];
  DWORD bytes = 0;
  void* found = NULL;
  if (EnumProcessModules(GetCurrentProcess(), list, sizeof(list), &bytes)) {
    for (size_t k = 0; !found && k < bytes / sizeof(HMODULE) && k < MODULES; k++) {
      found = addressOf(GetProcAddress(list[k], name));
    }
  }
  return found;
}


void cfi_libraryClose(void* library) {
  FreeLibrary((HMODULE)library);
}


bool cfi_libraryOf(const void* address, char path[CF_PATH_MAX]) {
  HMODULE module;
  wchar_t wide[CF_PATH_MAX];
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(flags, (LPCWSTR)address, &module)) {
    return false;
  }
  const DWORD length = GetModuleFileNameW(module, wide, CF_PATH_MAX);
  return length && length < CF_PATH_MAX && narrowPath(wide, path);
}

//---------------------------------- files ---------------------------------------------------------

// what the handle of a file says; times of Windows count 100 ns since 1601
static bool describeFile(HANDLE handle, cfFileInfo* info) {
  BY_HANDLE_FILE_INFORMATION found;
  const DWORD type = GetFileType(handle);
  *info = (cfFileInfo){.is_stream = type == FILE_TYPE_CHAR || type == FILE_TYPE_PIPE, .mode = 0666};
  if (info->is_stream) {
    return true;
  }
  if (!GetFileInformationByHandle(handle, &found)) {
    setErrno();
    return false;
  }
  const int64_t ticks = (int64_t)found.ftLastWriteTime.dwHighDateTime << 32 |
                        (int64_t)found.ftLastWriteTime.dwLowDateTime;
  const int64_t since_1970 = ticks - INT64_C(116444736000000000);
  info->is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  info->is_regular = !info->is_folder;
  info->size = (int64_t)found.nFileSizeHigh << 32 | (int64_t)found.nFileSizeLow;
  info->seconds = since_1970 / 10000000;
  info->nanoseconds = since_1970 % 10000000 * 100;
  return true;
}


static bool infoOf(const char* path, DWORD flags, cfFileInfo* info) {
  wchar_t* wide = widePath(path);
  HANDLE handle = INVALID_HANDLE_VALUE;
  if (wide) {
    handle = CreateFileW(wide, FILE_READ_ATTRIBUTES,
                         FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                         OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
      setErrno();
    }
  }
  free(wide);
  const bool is_good = handle != INVALID_HANDLE_VALUE && describeFile(handle, info);
  if (handle != INVALID_HANDLE_VALUE) {
    CloseHandle(handle);
  }
  return is_good;
}


bool cfi_fileInfo(const char* path, cfFileInfo* info) {
  return infoOf(path, 0, info);
}


bool cfi_linkInfo(const char* path, cfFileInfo* info) {
  return infoOf(path, FILE_FLAG_OPEN_REPARSE_POINT, info);
}


bool cfi_fileInfoOf(FILE* file, cfFileInfo* info) {
  return describeFile((HANDLE)_get_osfhandle(_fileno(file)), info);
}


FILE* cfi_fileOpen(const char* path, const char* mode) {
  wchar_t wide_mode[8];
  size_t n = 0;
  for (const char* c = mode; *c && n < 6; c++) {
    if (*c != 'b') {
      wide_mode[n++] = (wchar_t)*c;
    }
  }
  wide_mode[n++] = L'b';
  wide_mode[n] = 0;
  wchar_t* wide = widePath(path);
  FILE* file = wide ? _wfopen(wide, wide_mode) : NULL;
  free(wide);
  return file;
}


bool cfi_fileReplace(const char* from, const char* to) {
  wchar_t *wide_from = widePath(from), *wide_to = widePath(to);
  bool is_good = wide_from && wide_to;
  if (is_good && !MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING)) {
    setErrno();
    is_good = false;
  }
  free(wide_from);
  free(wide_to);
  return is_good;
}


bool cfi_fileRemove(const char* path) {
  wchar_t* wide = widePath(path);
  bool is_good = wide != NULL;
  if (is_good && !DeleteFileW(wide)) {
    setErrno();
    is_good = false;
  }
  free(wide);
  return is_good;
}


bool cfi_fileIsReadable(const char* path) {
  wchar_t* wide = widePath(path);
  const bool is_good = wide && !_waccess(wide, 4);
  free(wide);
  return is_good;
}


// permissions are not modes here
bool cfi_fileSetMode(FILE* file, unsigned mode) {
  (void)file;
  (void)mode;
  return true;
}


bool cfi_realPath(const char* path, char real[CF_PATH_MAX]) {
  wchar_t* wide = widePath(path);
  HANDLE handle = INVALID_HANDLE_VALUE;
  if (wide) {
    handle = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                         OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
  }
  free(wide);
  if (handle == INVALID_HANDLE_VALUE) {
    setErrno();
    return false;
  }
  wchar_t found[CF_PATH_MAX];
  const DWORD length = GetFinalPathNameByHandleW(handle, found, CF_PATH_MAX, FILE_NAME_NORMALIZED);
  CloseHandle(handle);
  if (!length || length >= CF_PATH_MAX) {
    setErrno();
    return false;
  }
  return narrowPath(found, real);
}


static int byFileName(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}


// append a copy of a name; false without memory
static bool keepFileName(char*** names, int* count, const wchar_t* wide) {
  char name[CF_PATH_MAX];
  char** grown = realloc(*names, ((size_t)*count + 1) * sizeof(char*));
  if (!grown) {
    return false;
  }
  *names = grown;
  if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, name, CF_PATH_MAX, NULL, NULL)) {
    return false;
  }
  grown[*count] = _strdup(name);
  return grown[*count] && ++*count;
}


int cfi_folderNames(const char* path, char*** names) {
  char pattern[CF_PATH_MAX + 4];
  int count = 0;
  *names = NULL;
  snprintf(pattern, sizeof(pattern), "%s/*", path);
  wchar_t* wide = widePath(pattern);
  WIN32_FIND_DATAW entry;
  HANDLE search = wide ? FindFirstFileW(wide, &entry) : INVALID_HANDLE_VALUE;
  free(wide);
  if (search == INVALID_HANDLE_VALUE) {
    setErrno();
    return -1;
  }
  bool is_good = true;
  do {
    const bool is_dots = !wcscmp(entry.cFileName, L".") || !wcscmp(entry.cFileName, L"..");
    is_good = is_dots || keepFileName(names, &count, entry.cFileName);
  } while (is_good && FindNextFileW(search, &entry));
  FindClose(search);
  if (!is_good) {
    cfi_folderFree(*names, count);
    *names = NULL;
    errno = ENOMEM;
    return -1;
  }
  cfi_sort(*names, (size_t)count, sizeof(char*), byFileName);
  return count;
}


// a file of the system's folder for such, gone when it is closed
bool cfi_textOpen(cfTextFile* text) {
  wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
  *text = (cfTextFile){NULL, NULL, 0};
  if (!GetTempPathW(MAX_PATH + 1, folder) || !GetTempFileNameW(folder, L"cf", 0, name)) {
    setErrno();
    return false;
  }
  text->file = _wfopen(name, L"w+bTD");
  return text->file != NULL;
}


char* cfi_textClose(cfTextFile* text) {
  const bool is_cut = fflush(text->file) || ferror(text->file);
  const long size = ftell(text->file);
  char* bytes = !is_cut && size >= 0 ? malloc((size_t)size + 1) : NULL;
  rewind(text->file);
  if (bytes && fread(bytes, 1, (size_t)size, text->file) != (size_t)size) {
    free(bytes);
    bytes = NULL;
  }
  fclose(text->file);
  if (bytes) {
    bytes[size] = 0;
    text->size = (size_t)size;
  }
  text->text = bytes;
  return bytes;
}

//---------------------------------- the rest ------------------------------------------------------


void* cfi_alignedAlloc(size_t alignment, size_t size) {
  return _aligned_malloc(size, alignment);
}


void cfi_alignedFree(void* block) {
  _aligned_free(block);
}


double cfi_clock(void) {
  LARGE_INTEGER count, frequency;
  QueryPerformanceFrequency(&frequency);
  QueryPerformanceCounter(&count);
  return (double)count.QuadPart / (double)frequency.QuadPart;
}


void cfi_dateText(char text[64]) {
  struct tm local;
  const time_t now = time(NULL);
  text[0] = 0;
  if (!localtime_s(&local, &now)) {
    strftime(text, 64, "%a %b %d %H:%M:%S %Y", &local);
  }
}


long cfi_processId(void) {
  return (long)GetCurrentProcessId();
}


const char* cfi_environment(const char* name) {
  static _Thread_local char value[CF_PATH_MAX];
  wchar_t* wide_name = wideText(name);
  const wchar_t* found = wide_name ? _wgetenv(wide_name) : NULL;
  free(wide_name);
  const bool fits =
      found && WideCharToMultiByte(CP_UTF8, 0, found, -1, value, CF_PATH_MAX, NULL, NULL);
  return fits ? value : NULL;
}

static _locale_t windows_locale;
static cfOnce windows_locale_once = CF_ONCE_INIT;

static void makeNumberLocale(void) {
  windows_locale = _create_locale(LC_ALL, "C");
}


double cfi_doubleFrom(const char* text, char** end) {
  cfi_once(&windows_locale_once, makeNumberLocale);
  return _strtod_l(text, end, windows_locale);
}


float cfi_floatFrom(const char* text, char** end) {
  cfi_once(&windows_locale_once, makeNumberLocale);
  return _strtof_l(text, end, windows_locale);
}
