// Why a file cannot be opened: what a user would look for in its folder.
#include "base/missing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/nearest.h"
#include "base/path.h"

static void appendReason(char* error, size_t nerror, const char* format, const char* text) {
  const size_t used = strlen(error);
  snprintf(error + used, nerror - used, format, text);
}


// the file of a folder whose name is most like the given one: other case first
static void nearestFile(DIR* folder, const char* name, cfNearest* nearest) {
  bool has_other_case = false;
  for (const struct dirent* entry; !has_other_case && (entry = readdir(folder));) {
    const size_t length = strlen(entry->d_name);
    has_other_case = !strcasecmp(entry->d_name, name) && length < CF_WORD_MAX;
    if (has_other_case) {
      memcpy(nearest->text, entry->d_name, length + 1);
    } else if (entry->d_name[0] != '.') {
      cfi_tryWord(nearest, name, entry->d_name, length);
    }
  }
}


// there is no such file: say what its folder has instead
static void explainFolder(const char* path, char* error, size_t nerror) {
  char folder[PATH_MAX], hint[CF_WORD_MAX + 20];
  const char* name = cfi_fileName(path);
  snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
  DIR* opened = opendir(folder[0] ? folder : ".");
  cfNearest nearest = {"", 0};
  if (opened) {
    nearestFile(opened, name, &nearest);
    appendReason(error, nerror, "%s", cfi_suggestion(nearest.text, hint));
    closedir(opened);
  } else if (errno == ENOENT) {
    appendReason(error, nerror, "; there is no folder '%s'", folder);
  }
}


void cfi_explainMissing(const char* dir, const char* name, char* error, size_t nerror) {
  CF_ASSERT(name && error && nerror);
  char* path = cfi_joinPath(dir, name);
  struct stat info;
  if (!path || strstr(path, "://") || strlen(path) >= PATH_MAX) {
    mju_free(path);
    return;
  }
  if (strcmp(path, name)) {
    appendReason(error, nerror, "; looked for '%s'", path);
  }
  if (!stat(path, &info)) {
    appendReason(error, nerror, "; %s",
                 S_ISDIR(info.st_mode) ? "it is a folder"
                 : access(path, R_OK)  ? strerror(errno)
                                       : "it cannot be read");
  } else if (errno == ENOENT) {
    explainFolder(path, error, nerror);
  }
  mju_free(path);
}
