// Names of the files of attached models, as seen from the place of the text that is written.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"
#include "base/platform.h"
#include "mjcf/writer.h"

// folder + subfolder + name, each as far as it is relative; to be freed with mju_free
static char* joinThree(const char* folder, const char* subfolder, const char* name) {
  char* inner = cfi_joinPath(subfolder, name);
  char* path = cfi_joinPath(folder, inner ? inner : name);
  mju_free(inner);
  return path;
}

// does a path lie below a folder, or is it the folder; both absolute, without links
static bool liesBelow(const char* path, const char* folder) {
  const size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 &&
         (path[length] == '/' || !path[length] || (length && folder[length - 1] == '/'));
}

// append the way from a folder to a file, both absolute and without links
static void relativePath(cfString* result, const char* folder, const char* file) {
  size_t common = 0;
  for (size_t i = 0; folder[i] == file[i] || (!folder[i] && file[i] == '/'); i++) {
    common = file[i] == '/' ? i + 1 : common;
    if (!folder[i]) {
      break;
    }
  }
  char text[CF_PATH_MAX] = "";
  size_t used = 0;
  const char* rest = strlen(folder) < common ? "" : folder + common;
  for (const char* c = rest; *c && used + 4 < sizeof(text); c++) {
    if (*c == '/' || !c[1]) {
      used += (size_t)snprintf(text + used, sizeof(text) - used, "../");
    }
  }
  snprintf(text + used, sizeof(text) - used, "%s", file + common);
  cfi_assignString(result, text);
}

// real folder in which the text's own assets are looked for
static bool findAssetFolder(const cfWriter* w, const char* subfolder, const char* home,
                            char result[CF_PATH_MAX]) {
  char* path = cfi_joinPath(w->folder, subfolder);
  const bool is_there = cfi_realPath(path && *path ? path : ".", result);
  mju_free(path);
  if (!is_there) {
    path = cfi_joinPath(home, subfolder);
    snprintf(result, CF_PATH_MAX, "%s", path ? path : home);
    mju_free(path);
  }
  return cfi_absolutePrefix(result) > 0;
}

// the name as it was given where that leads to the same file, else a relative path within the
// folder of the text, else the full path
static void nameFile(const cfWriter* w, const char* subfolder, const char* given, const char* path,
                     cfString* result) {
  CF_ASSERT(w->folder != NULL);
  char real[CF_PATH_MAX], real_own[CF_PATH_MAX], home[CF_PATH_MAX], assets[CF_PATH_MAX];
  char* own = joinThree(w->folder, subfolder, given);
  const bool is_real = cfi_realPath(path, real);
  const bool is_same = own && (is_real ? cfi_realPath(own, real_own) && strcmp(real, real_own) == 0
                                       : strcmp(path, own) == 0);
  mju_free(own);
  if (is_same) {
    cfi_assignString(result, given);
  } else if (is_real && cfi_realPath(*w->folder ? w->folder : ".", home) && liesBelow(real, home) &&
             findAssetFolder(w, subfolder, home, assets)) {
    relativePath(result, assets, real);
  } else {
    cfi_assignString(result, is_real ? real : path);
  }
}

const char* cfi_fileText(cfWriter* w, const cfElement* e, const char* file, bool is_texture,
                         cfString* scratch) {
  if (e->scope == &w->spec->scope || cfi_absolutePrefix(file) > 0) {
    return file;
  }
  const mjsCompiler *from = cfi_compilerOf(e), *to = &w->spec->pub.compiler;
  char* path =
      joinThree(cfi_modelDirOf(e), cfi_text(is_texture ? from->texturedir : from->meshdir), file);
  nameFile(w, cfi_text(is_texture ? to->texturedir : to->meshdir), file, path ? path : file,
           scratch);
  mju_free(path);
  return cfi_text(scratch);
}
