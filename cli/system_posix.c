// Linux, macOS and other POSIX systems.
#include "system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif


extern char** environ;


bool cli_isTerminal(FILE* file) {
  return isatty(fileno(file));
}


void cli_onStop(void (*handler)(int)) {
  signal(SIGINT, handler);
  signal(SIGTERM, handler);
}


void cli_keepBrokenPipes(void) {
  signal(SIGPIPE, SIG_IGN);
}


void cli_systemStart(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
}


bool cli_ownProgram(char path[CF_PATH_MAX]) {
#if defined(__APPLE__)
  uint32_t size = CF_PATH_MAX;
  return !_NSGetExecutablePath(path, &size);
#else
  const ssize_t n = readlink("/proc/self/exe", path, CF_PATH_MAX - 1);
  path[n > 0 ? n : 0] = '\0';
  return n > 0;
#endif
}

//---------------------------------- programs ------------------------------------------------------


// start a program with these ends of pipes, -1: as they are
static pid_t start(const char* const* words, int input, int output) {
  char** list = NULL;
  pid_t child = -1;
  posix_spawn_file_actions_t actions;
  memcpy(&list, &words, sizeof(list));
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) {
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  }
  if (output >= 0) {
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  }
  if (posix_spawnp(&child, words[0], &actions, NULL, list, environ)) {
    child = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  return child;
}


// a pipe that no child inherits by chance
static bool openPipe(int ends[2]) {
  if (pipe(ends)) {
    return false;
  }
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
}


int cli_runProgram(const char* const* words, char* output, size_t noutput) {
  int ends[2], status = -1;
  size_t used = 0;
  output[0] = 0;
  fflush(NULL);
  if (!openPipe(ends)) {
    return -1;
  }
  const pid_t child = start(words, -1, ends[1]);
  close(ends[1]);
  for (ssize_t n; (n = read(ends[0], output + used, noutput - 1 - used)) > 0;) {
    used += (size_t)n;
    if (used == noutput - 1) {
      memmove(output, output + used / 2, used - used / 2);
      used -= used / 2;
    }
  }
  output[used] = 0;
  close(ends[0]);
  if (child < 0) {
    return 127;
  }
  if (waitpid(child, &status, 0) < 0) {
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}


int cli_becomeProgram(const char* const* words) {
  char** list = NULL;
  memcpy(&list, &words, sizeof(list));
  fflush(NULL);
  execvp(words[0], list);
  return -1;
}


bool cli_feedOpen(cliFeed* feed, const char* const* words) {
  int ends[2];
  *feed = (cliFeed){NULL, -1, -1};
  if (!openPipe(ends)) {
    return false;
  }
  feed->pid = (int)start(words, ends[0], -1);
  close(ends[0]);
  if (feed->pid < 0) {
    close(ends[1]);
    return false;
  }
  feed->pipe = ends[1];
  return true;
}


// all bytes, also where a pipe takes them in parts
bool cli_feedWrite(const cliFeed* feed, const unsigned char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t n = write(feed->pipe, bytes, count);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    bytes += n > 0 ? n : 0;
    count -= n > 0 ? (size_t)n : 0;
  }
  return true;
}


bool cli_feedClose(cliFeed* feed) {
  int status = 0;
  close(feed->pipe);
  feed->pipe = -1;
  return waitpid((pid_t)feed->pid, &status, 0) >= 0 && !status;
}

//---------------------------------- the rest ------------------------------------------------------


char* cli_temporaryFile(const char* ending, const char* bytes, size_t count) {
  const char* folder = getenv("TMPDIR");
  folder = folder ? folder : "/tmp";
  const size_t size = strlen(folder) + strlen(ending) + 32;
  char* name = malloc(size);
  if (!name) {
    return NULL;
  }
  snprintf(name, size, "%s/cortenforge_XXXXXX.%s", folder, ending);
  const int file = mkstemps(name, (int)strlen(ending) + 1);
  const bool is_good = file >= 0 && write(file, bytes, count) == (ssize_t)count;
  if (file >= 0) {
    const int trouble = errno;
    close(file);
    errno = trouble;
    if (!is_good) {
      unlink(name);
    }
  }
  if (!is_good) {
    free(name);
    return NULL;
  }
  return name;
}


void* cli_libraryApart(const char* path, char* reason, size_t nreason) {
#if defined(__GLIBC__)
  void* library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
  const char* fault = library ? NULL : dlerror();
  snprintf(reason, nreason, "%s", fault ? fault : "");
  return library;
#else
  return cfi_libraryOpen(path, reason, nreason);
#endif
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
  return (long)getline(line, size, file);
}
