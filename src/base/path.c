// File names: join, reduce, split. Both slashes separate, as in MuJoCo.
#include "base/path.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/memory.h"


static bool isSeparator(char c) {
  return c == '/' || c == '\\';
}


size_t cfi_absolutePrefix(const char* path) {
  const mjpResourceProvider* provider = mjp_getResourceProvider(path);
  if (provider) {
    return strlen(provider->prefix) + 1;
  }
  if (isSeparator(path[0])) {
    return 1;
  }
  const char* drive = strstr(path, ":/");
  drive = drive ? drive : strstr(path, ":\\");
  return drive ? (size_t)(drive - path) + 2 : 0;
}


// is the segment of that length equal to text
static bool isSegment(const char* segment, size_t length, const char* text) {
  return strlen(text) == length && !memcmp(segment, text, length);
}


// start of the last segment already written to [start, end)
static char* lastSegment(char* start, char* end) {
  CF_ASSERT(start <= end);
  while (end > start && end[-1] != '/') {
    end--;
  }
  return end;
}


// rewrite in place: segments joined by "/", "." left out, ".." takes back the segment before it
static void reduceSegments(char* path) {
  char* end = path;  // of what is written
  bool has_segment = false;
  for (const char* read = path;;) {
    const size_t length = strcspn(read, "/\\");
    const bool is_last = !read[length];
    char* last = lastSegment(path, end);
    const bool can_pop = has_segment && !isSegment(last, (size_t)(end - last), "..");
    if (!is_last && isSegment(read, length, "..") && can_pop) {
      CF_ASSERT(last >= path && last <= end);
      has_segment = last > path;
      end = has_segment ? last - 1 : path;
    } else if (is_last || !isSegment(read, length, ".")) {
      if (has_segment) {
        *end++ = '/';
      }
      CF_ASSERT(end <= read);
      memmove(end, read, length);
      end += length;
      has_segment = true;
    }
    if (is_last) {
      break;
    }
    read += length + 1;
  }
  *end = 0;
}


char* cfi_joinPath(const char* directory, const char* name) {
  CF_ASSERT(name != NULL);
  size_t ndirectory = directory && !cfi_absolutePrefix(name) ? strlen(directory) : 0;
  const size_t nname = strlen(name);
  char* path = cfi_tryMalloc(ndirectory + nname + 2);
  if (!path) {
    return NULL;
  }
  if (ndirectory) {
    memcpy(path, directory, ndirectory);
    if (!isSeparator(path[ndirectory - 1])) {
      path[ndirectory++] = '/';
    }
  }
  memcpy(path + ndirectory, name, nname + 1);
  reduceSegments(path + cfi_absolutePrefix(path));
  return path;
}


const char* cfi_fileName(const char* path) {
  CF_ASSERT(path != NULL);
  const char* name = path;
  for (const char* c = path; *c; c++) {
    if (isSeparator(*c)) {
      name = c + 1;
    }
  }
  return name;
}


const char* cfi_fileExtension(const char* path) {
  const char* dot = strrchr(path, '.');
  return dot ? dot : path + strlen(path);
}
