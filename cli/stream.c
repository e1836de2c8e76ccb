// Models that come from standard input or a pipe: they can be read once and are kept.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { STREAMS_MAX = 16, MJB_MAGIC = 54321 };

// those that were read, by the name that they had
static struct {
  char* path;
  cliStream stream;
  char* copy;  // a file with the same bytes, once somebody has asked for it
} streams[STREAMS_MAX];
static int stream_count;
static long owner;


bool cli_isStream(const char* path) {
  cfFileInfo info;
  if (!strcmp(path, "-") || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/self/fd/", 14)) {
    return true;
  }
  return cfi_fileInfo(path, &info) && info.is_stream;
}


// a file beside a missing one whose name is similar, as a part of a message
static void nearestFile(const char* path, char hint[100]) {
  const char* slash = strrchr(path, '/');
  char folder[CF_PATH_MAX], nearest[64] = "", **names;
  snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  const int count = cfi_folderNames(folder, &names);
  for (int k = 0; k < count; k++) {
    if (names[k][0] != '.') {
      cli_nearest(slash ? slash + 1 : path, names[k], nearest);
    }
  }
  cfi_folderFree(names, count);
  if (nearest[0]) {
    snprintf(hint, 100, "; did you mean '%s'?", nearest);
  }
}


bool cli_isReadable(const char* path, char* error, int size) {
  cfFileInfo info;
  if (!path[0]) {
    snprintf(error, (size_t)size, "the name of the file is empty");
    return false;
  }
  FILE* f = cfi_fileOpen(path, "rb");
  const bool is_known = f ? cfi_fileInfoOf(f, &info) : cfi_fileInfo(path, &info);
  if (f) {
    fclose(f);
  }
  const bool is_folder = is_known && info.is_folder;
  if ((!f || !is_known) && !is_folder) {
    const int trouble = errno;
    char hint[100] = "";
    if (trouble == ENOENT) {
      nearestFile(path, hint);
    }
    snprintf(error, (size_t)size, "%s: %s%s", path, strerror(trouble), hint);
  } else if (is_folder) {
    snprintf(error, (size_t)size, "%s: %s; expected a model (.xml, .urdf or .mjb)", path,
             strerror(EISDIR));
    return false;
  }
  return f && is_known;
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
  FILE* in = strcmp(path, "-") ? cfi_fileOpen(path, "rb") : stdin;
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
  for (int k = 0; k < stream_count && cfi_processId() == owner; k++) {
    if (streams[k].copy) {
      cfi_fileRemove(streams[k].copy);
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
  streams[k].copy =
      cli_temporaryFile(stream->is_binary ? "mjb" : "xml", stream->bytes, stream->size);
  if (!streams[k].copy) {
    cli_error("a temporary file: %s", strerror(errno));
    return NULL;
  }
  if (!owner) {
    owner = cfi_processId();
    atexit(removeCopies);
  }
  return streams[k].copy;
}
