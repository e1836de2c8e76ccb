// Files of a model that are watched: when one of them changes, the model is loaded again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "view.h"

enum { MOST_TEXT = 4000000 };  // bytes of a model that are looked through


static viewStamp stampOf(const char* path) {
  struct stat info;
  if (stat(path, &info)) {
    return (viewStamp){0, 0, -1};
  }
  return (viewStamp){info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size};
}


static bool isSame(viewStamp a, viewStamp b) {
  return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds && a.size == b.size;
}


static void addFile(viewWatch* w, const char* path) {
  const viewStamp stamp = stampOf(path);
  if (w->count >= VIEW_FILES || stamp.size < 0) {
    return;
  }
  for (int k = 0; k < w->count; k++) {
    if (!strcmp(w->path[k], path)) {
      return;
    }
  }
  snprintf(w->path[w->count], VIEW_TEXT, "%s", path);
  w->loaded[w->count] = w->seen[w->count] = stamp;
  w->count++;
}


// the value of the next attribute `name` from *at on; false at the end
static bool nextValue(const char** at, const char* name, char value[VIEW_TEXT]) {
  const size_t length = strlen(name);
  for (const char* found; (found = strstr(*at, name)) != NULL;) {
    const char* start = found + length;
    *at = start;
    if (start[0] != '=' || (start[1] != '"' && start[1] != '\'')) {
      continue;
    }
    const char* end = strchr(start + 2, start[1]);
    if (end && end - start - 2 < VIEW_TEXT) {
      snprintf(value, VIEW_TEXT, "%.*s", (int)(end - start - 2), start + 2);
      *at = end;
      return true;
    }
  }
  return false;
}


// every file="..." of the text, beside the model and in its folders of assets
static void addNamed(viewWatch* w, const char* folder, const char* text) {
  static const char* const places[] = {"meshdir", "texturedir", "assetdir"};
  char value[VIEW_TEXT], below[3][VIEW_TEXT] = {"", "", ""};
  for (int k = 0; k < 3; k++) {
    const char* at = text;
    nextValue(&at, places[k], below[k]);
  }
  for (const char* at = text; nextValue(&at, "file", value);) {
    char path[5 * VIEW_TEXT];
    snprintf(path, sizeof(path), "%s%s", folder, value);
    addFile(w, value[0] == '/' ? value : path);
    for (int k = 0; k < 3 && value[0] != '/'; k++) {
      snprintf(path, sizeof(path), "%s%s/%s", below[k][0] == '/' ? "" : folder, below[k], value);
      if (below[k][0] && strlen(path) < VIEW_TEXT) {
        addFile(w, path);
      }
    }
  }
}


static char* textOf(const char* path) {
  FILE* in = fopen(path, "rb");
  char* text = in ? calloc(MOST_TEXT + 1, 1) : NULL;
  if (text && !fread(text, 1, MOST_TEXT, in)) {
    text[0] = '\0';
  }
  if (in) {
    fclose(in);
  }
  return text;
}


void cli_watchModel(viewWatch* w, const char* path) {
  const char* slash = strrchr(path, '/');
  char folder[VIEW_TEXT];
  snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
  w->count = 0;
  addFile(w, path);

  // included files may name more; those that are added are looked through, too
  for (int k = 0; k < w->count; k++) {
    const char* dot = strrchr(w->path[k], '.');
    char* text = dot && (!strcmp(dot, ".xml") || !strcmp(dot, ".urdf")) ? textOf(w->path[k]) : NULL;
    if (text) {
      addNamed(w, folder, text);
      free(text);
    }
  }
}


bool cli_watchChanged(viewWatch* w) {
  bool is_changed = false;
  for (int k = 0; k < w->count; k++) {
    const viewStamp now = stampOf(w->path[k]);
    const bool rests = isSame(now, w->seen[k]);
    w->seen[k] = now;
    if (!rests) {
      return false;  // somebody is writing
    }
    is_changed = is_changed || (now.size >= 0 && !isSame(now, w->loaded[k]));
  }
  for (int k = 0; k < w->count && is_changed; k++) {
    w->loaded[k] = w->seen[k];
  }
  return is_changed;
}
