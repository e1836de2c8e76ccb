// Windows 10 and later.
#define WIN32_LEAN_AND_MEAN
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <shellapi.h>

enum { COMMAND_MAX = 32000, PIPE_BYTES = 1 << 20 };


bool cli_isTerminal(FILE* file) {
  return _isatty(_fileno(file));
}


void cli_onStop(void (*handler)(int)) {
  signal(SIGINT, handler);
  signal(SIGTERM, handler);
}


// there is no such signal
void cli_keepBrokenPipes(void) {
}


static char* narrow(const wchar_t* wide) {
  const int n = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
  char* text = n > 0 ? malloc((size_t)n) : NULL;
  if (text) {
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, n, NULL, NULL);
  }
  return text;
}


void cli_systemStart(int* argc, char*** argv) {
  int count = 0;
  wchar_t** wide = CommandLineToArgvW(GetCommandLineW(), &count);
  char** list = wide ? calloc((size_t)count + 1, sizeof(char*)) : NULL;
  bool is_good = list != NULL;
  for (int k = 0; is_good && k < count; k++) {
    list[k] = narrow(wide[k]);
    is_good = list[k] != NULL;
  }
  if (is_good) {
    *argc = count;
    *argv = list;
  }
  LocalFree(wide);
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
  _setmode(_fileno(stderr), _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
}


bool cli_ownProgram(char path[CF_PATH_MAX]) {
  void (*const here)(int*, char***) = cli_systemStart;
  const void* address;
  memcpy(&address, &here, sizeof(address));
  return cfi_libraryOf(address, path);
}

//---------------------------------- programs ------------------------------------------------------

// a word in quotes as programs take their command line apart; the place after it
static size_t quote(wchar_t* to, size_t used, const char* word) {
  wchar_t wide[CF_PATH_MAX];
  if (!MultiByteToWideChar(CP_UTF8, 0, word, -1, wide, CF_PATH_MAX) ||
      used + 2 * wcslen(wide) + 4 > COMMAND_MAX) {
    return COMMAND_MAX;
  }
  to[used++] = L'"';
  size_t slashes = 0;
  for (const wchar_t* c = wide; *c; c++) {
    if (*c == L'"') {
      for (size_t k = 0; k <= slashes; k++) {
        to[used++] = L'\\';
      }
    }
    slashes = *c == L'\\' ? slashes + 1 : 0;
    to[used++] = *c;
  }
  for (size_t k = 0; k < slashes; k++) {
    to[used++] = L'\\';
  }
  to[used++] = L'"';
  to[used++] = L' ';
  return used;
}


// start a program with these ends of pipes, NULL: ours; its handle or NULL
static HANDLE start(const char* const* words, HANDLE input, HANDLE output) {
  wchar_t* command = malloc((COMMAND_MAX + 4) * sizeof(wchar_t));
  size_t used = 0;
  for (int k = 0; command && words[k] && used < COMMAND_MAX; k++) {
    used = quote(command, used, words[k]);
  }
  if (!command || used >= COMMAND_MAX) {
    free(command);
    return NULL;
  }
  command[used] = 0;
  STARTUPINFOW how = {.cb = sizeof(how), .dwFlags = STARTF_USESTDHANDLES};
  how.hStdInput = input ? input : GetStdHandle(STD_INPUT_HANDLE);
  how.hStdOutput = output ? output : GetStdHandle(STD_OUTPUT_HANDLE);
  how.hStdError = output ? output : GetStdHandle(STD_ERROR_HANDLE);
  PROCESS_INFORMATION process;
  const BOOL is_good =
      CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &how, &process);
  free(command);
  if (!is_good) {
    return NULL;
  }
  CloseHandle(process.hThread);
  return process.hProcess;
}


// both ends of a pipe, of which children inherit one
static bool openPipe(HANDLE* reader, HANDLE* writer, bool inherits_reader) {
  SECURITY_ATTRIBUTES inherit = {sizeof(inherit), NULL, TRUE};
  if (!CreatePipe(reader, writer, &inherit, PIPE_BYTES)) {
    return false;
  }
  SetHandleInformation(inherits_reader ? *writer : *reader, HANDLE_FLAG_INHERIT, 0);
  return true;
}


static int statusOf(HANDLE process) {
  DWORD status = (DWORD)-1;
  WaitForSingleObject(process, INFINITE);
  GetExitCodeProcess(process, &status);
  CloseHandle(process);
  return (int)status;
}


int cli_runProgram(const char* const* words, char* output, size_t noutput) {
  HANDLE reader, writer;
  size_t used = 0;
  output[0] = 0;
  fflush(NULL);
  if (!openPipe(&reader, &writer, false)) {
    return -1;
  }
  HANDLE process = start(words, NULL, writer);
  CloseHandle(writer);
  DWORD n = 0;
  while (process && ReadFile(reader, output + used, (DWORD)(noutput - 1 - used), &n, NULL) && n) {
    used += n;
    if (used == noutput - 1) {
      memmove(output, output + used / 2, used - used / 2);
      used -= used / 2;
    }
  }
  output[used] = 0;
  CloseHandle(reader);
  return process ? statusOf(process) : 127;
}


int cli_becomeProgram(const char* const* words) {
  fflush(NULL);
  HANDLE process = start(words, NULL, NULL);
  if (!process) {
    errno = ENOENT;
  }
  return process ? statusOf(process) : -1;
}


bool cli_feedOpen(cliFeed* feed, const char* const* words) {
  HANDLE reader, writer;
  *feed = (cliFeed){NULL, -1, -1};
  if (!openPipe(&reader, &writer, true)) {
    return false;
  }
  feed->process = start(words, reader, NULL);
  CloseHandle(reader);
  feed->pipe = feed->process ? _open_osfhandle((intptr_t)writer, _O_BINARY) : -1;
  if (!feed->process) {
    CloseHandle(writer);
  }
  return feed->pipe >= 0;
}


bool cli_feedWrite(const cliFeed* feed, const unsigned char* bytes, size_t count) {
  while (count > 0) {
    const int n = _write(feed->pipe, bytes, count < PIPE_BYTES ? (unsigned)count : PIPE_BYTES);
    if (n <= 0) {
      return false;
    }
    bytes += n;
    count -= (size_t)n;
  }
  return true;
}


bool cli_feedClose(cliFeed* feed) {
  _close(feed->pipe);
  feed->pipe = -1;
  return !statusOf(feed->process);
}

//---------------------------------- the rest ------------------------------------------------------


char* cli_temporaryFile(const char* ending, const char* bytes, size_t count) {
  wchar_t folder[MAX_PATH + 1];
  if (!GetTempPathW(MAX_PATH + 1, folder)) {
    errno = ENOENT;
    return NULL;
  }
  char* start_of_name = narrow(folder);
  const size_t size = start_of_name ? strlen(start_of_name) + strlen(ending) + 64 : 0;
  char* name = size ? malloc(size) : NULL;
  FILE* file = NULL;
  if (name) {
    snprintf(name, size, "%scortenforge_%ld_%llu.%s", start_of_name, cfi_processId(),
             (unsigned long long)GetTickCount64(), ending);
    file = cfi_fileOpen(name, "wx");
  }
  free(start_of_name);
  bool is_good = file && fwrite(bytes, 1, count, file) == count;
  if (file) {
    is_good = !fclose(file) && is_good;
  }
  if (!is_good) {
    free(name);
    return NULL;
  }
  return name;
}


void* cli_libraryApart(const char* path, char* reason, size_t nreason) {
  return cfi_libraryOpen(path, reason, nreason);
}


char* cli_copyPart(const char* text, size_t count) {
  char* copy = malloc(count + 1);
  if (copy) {
    memcpy(copy, text, count);
    copy[count] = 0;
  }
  return copy;
}


long cli_readLine(char** line, size_t* size, FILE* file) {
  size_t used = 0;
  for (int c; (c = getc(file)) != EOF;) {
    if (used + 2 > *size) {
      const size_t larger = *size ? 2 * *size : 256;
      char* grown = realloc(*line, larger);
      if (!grown) {
        return -1;
      }
      *line = grown;
      *size = larger;
    }
    (*line)[used++] = (char)c;
    if (c == '\n') {
      break;
    }
  }
  if (!used) {
    return -1;
  }
  (*line)[used] = 0;
  return (long)used;
}
