// Models that come from standard input or a pipe: they can be read once and are kept.
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { STREAMS_MAX = 16, MJB_MAGIC = 54321 };

// those that were read, by the name that they had
static struct {
  char* path;
  cliStream stream;
  char* copy;  // a file with the same bytes, once somebody has asked for it
} streams[STREAMS_MAX];
static int stream_count;
static pid_t owner;


bool cli_isStream(const char* path) {
  struct stat info;
  if (!strcmp(path, "-") || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/self/fd/", 14)) {
    return true;
  }
  return !stat(path, &info) && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode));
}


// a file beside a missing one whose name is similar, as a part of a message
static void nearestFile(const char* path, char hint[100]) {
  const char* slash = strrchr(path, '/');
  char* folder = strndup(slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
  DIR* opened = folder ? opendir(folder) : NULL;
  char nearest[64] = "";
  for (const struct dirent* entry; opened && (entry = readdir(opened));) {
    if (entry->d_name[0] != '.') {
      cli_nearest(slash ? slash + 1 : path, entry->d_name, nearest);
    }
  }
  if (opened) {
    closedir(opened);
  }
  free(folder);
  if (nearest[0]) {
    snprintf(hint, 100, "; did you mean '%s'?", nearest);
  }
}


bool cli_isReadable(const char* path, char* error, int size) {
  struct stat info;
  if (!path[0]) {
    snprintf(error, (size_t)size, "the name of the file is empty");
    return false;
  }
  FILE* f = fopen(path, "rb");
  const int status = f ? fstat(fileno(f), &info) : 0;
  if (f) {
    fclose(f);
  }
  if (!f || status) {
    const int trouble = errno;
    char hint[100] = "";
    if (trouble == ENOENT) {
      nearestFile(path, hint);
    }
    snprintf(error, (size_t)size, "%s: %s%s", path, strerror(trouble), hint);
  } else if (S_ISDIR(info.st_mode)) {
    snprintf(error, (size_t)size, "%s: %s; expected a model (.xml, .urdf or .mjb)", path,
             strerror(EISDIR));
    return false;
  }
  return f && !status;
}


// all bytes of a file, with a zero behind them; NULL with errno set
static char* readAll(FILE* in, size_t* size) {
  size_t room = 1 << 16;
  char* bytes = malloc(room);
  *size = 0;
  while (bytes) {
    *size += fread(bytes + *size, 1, room - 1 - *size, in);
    if (*size < room - 1 || *size > INT_MAX / 2) {
      break;
    }
    room *= 2;
    char* grown = realloc(bytes, room);
    if (!grown) {
      free(bytes);
    }
    bytes = grown;
  }
  if (bytes && (ferror(in) || !feof(in))) {
    errno = ferror(in) ? errno : EFBIG;
    free(bytes);
    return NULL;
  }
  if (bytes) {
    bytes[*size] = '\0';
  }
  return bytes;
}


static int findStream(const char* path) {
  for (int k = 0; k < stream_count; k++) {
    if (!strcmp(streams[k].path, path)) {
      return k;
    }
  }
  return -1;
}


const cliStream* cli_readStream(const char* path, char* error, int size) {
  const int known = findStream(path);
  if (known >= 0) {
    return &streams[known].stream;
  }
  errno = 0;
  FILE* in = strcmp(path, "-") ? fopen(path, "rb") : stdin;
  size_t count = 0;
  char* bytes = in ? readAll(in, &count) : NULL;
  if (in && in != stdin) {
    fclose(in);
  }
  if (!bytes || stream_count == STREAMS_MAX) {
    snprintf(error, (size_t)size, "%s: %s", path,
             bytes ? "too many models that can be read only once" : strerror(errno));
    free(bytes);
    return NULL;
  }
  int magic = 0;
  memcpy(&magic, bytes, count < sizeof(magic) ? count : sizeof(magic));
  streams[stream_count].path = strdup(path);
  streams[stream_count].stream = (cliStream){bytes, count, magic == MJB_MAGIC};
  return &streams[stream_count++].stream;
}


// ---- for libraries that want a file

static void removeCopies(void) {
  for (int k = 0; k < stream_count && getpid() == owner; k++) {
    if (streams[k].copy) {
      unlink(streams[k].copy);
    }
  }
}


const char* cli_streamFile(const char* path) {
  char error[1000];
  const cliStream* stream = cli_readStream(path, error, sizeof(error));
  if (!stream) {
    cli_error("%s", error);
    return NULL;
  }
  const int k = findStream(path);
  if (streams[k].copy) {
    return streams[k].copy;
  }
  const char* folder = getenv("TMPDIR");
  char* name = NULL;
  if (asprintf(&name, "%s/cortenforge_XXXXXX.%s", folder ? folder : "/tmp",
               stream->is_binary ? "mjb" : "xml") < 0) {
    return NULL;
  }
  const int file = mkstemps(name, 4);
  const bool is_good =
      file >= 0 && write(file, stream->bytes, stream->size) == (ssize_t)stream->size;
  if (file >= 0) {
    close(file);
  }
  if (!owner) {
    owner = getpid();
    atexit(removeCopies);
  }
  streams[k].copy = name;
  if (!is_good) {
    cli_error("%s: %s", name, strerror(errno));
    return NULL;
  }
  return name;
}
