// Why a file cannot be opened: what a user would look for in its folder.
#include "base/missing.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/nearest.h"
#include "base/path.h"
#include "base/platform.h"

static void appendReason(char* error, size_t nerror, const char* format, const char* text) {
  const size_t used = strlen(error);
  snprintf(error + used, nerror - used, format, text);
}


// the file of a folder whose name is most like the given one: other case first
static void nearestFile(char** names, int count, const char* name, cfNearest* nearest) {
  bool has_other_case = false;
  for (int k = 0; !has_other_case && k < count; k++) {
    const size_t length = strlen(names[k]);
    has_other_case = !strcasecmp(names[k], name) && length < CF_WORD_MAX;
    if (has_other_case) {
      memcpy(nearest->text, names[k], length + 1);
    } else if (names[k][0] != '.') {
      cfi_tryWord(nearest, name, names[k], length);
    }
  }
}


// there is no such file: say what its folder has instead
static void explainFolder(const char* path, char* error, size_t nerror) {
  char folder[CF_PATH_MAX], hint[CF_WORD_MAX + 20];
  const char* name = cfi_fileName(path);
  snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
  char** names;
  const int count = cfi_folderNames(folder[0] ? folder : ".", &names);
  cfNearest nearest = {"", 0};
  if (count >= 0) {
    nearestFile(names, count, name, &nearest);
    appendReason(error, nerror, "%s", cfi_suggestion(nearest.text, hint));
    cfi_folderFree(names, count);
  } else if (errno == ENOENT) {
    appendReason(error, nerror, "; there is no folder '%s'", folder);
  }
}


void cfi_explainMissing(const char* dir, const char* name, char* error, size_t nerror) {
  CF_ASSERT(name && error && nerror);
  char* path = cfi_joinPath(dir, name);
  cfFileInfo info;
  if (!path || strstr(path, "://") || strlen(path) >= CF_PATH_MAX) {
    mju_free(path);
    return;
  }
  if (strcmp(path, name)) {
    appendReason(error, nerror, "; looked for '%s'", path);
  }
  if (cfi_fileInfo(path, &info)) {
    appendReason(error, nerror, "; %s",
                 info.is_folder              ? "it is a folder"
                 : !cfi_fileIsReadable(path) ? strerror(errno)
                                             : "it cannot be read");
  } else if (errno == ENOENT) {
    explainFolder(path, error, nerror);
  }
  mju_free(path);
}
