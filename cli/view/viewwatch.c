// Files of a model that are watched: when one of them changes, the model is loaded again.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

// folders of assets that the files of a model name, as they are written
typedef struct {
  char** name;
  int count;
} folderList;

static const char* const folder_attributes[] = {"meshdir", "texturedir", "assetdir"};


static viewStamp stampOf(const char* path) {
  cfFileInfo info;
  if (!cfi_fileInfo(path, &info) || info.is_folder) {
    return (viewStamp){0, 0, -1};
  }
  return (viewStamp){info.seconds, info.nanoseconds, info.size};
}


static bool isSame(viewStamp a, viewStamp b) {
  return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds && a.size == b.size;
}


// a file that is there; without memory it is not watched
static void addFile(viewWatch* w, const char* path) {
  const viewStamp stamp = stampOf(path);
  for (int k = 0; k < w->count; k++) {
    if (!strcmp(w->file[k].path, path)) {
      return;
    }
  }
  if (stamp.size < 0) {
    return;
  }
  if (w->count == w->room) {
    const int room = w->room ? 2 * w->room : 32;
    viewFile* grown = realloc(w->file, (size_t)room * sizeof(viewFile));
    if (!grown) {
      return;
    }
    w->file = grown;
    w->room = room;
  }
  char* copy = strdup(path);
  if (copy) {
    w->file[w->count++] = (viewFile){copy, stamp, stamp};
  }
}


void cli_watchFree(viewWatch* w) {
  for (int k = 0; k < w->count; k++) {
    free(w->file[k].path);
  }
  free(w->file);
  *w = (viewWatch){NULL, 0, 0};
}


//---------------------------------- what a text names ---------------------------------------------

// the characters that XML writes as names, in place
static void decodeText(char* text) {
  static const char* const names[] = {"&lt;", "&gt;", "&quot;", "&apos;", "&amp;"};
  static const char letters[] = "<>\"'&";
  char* to = text;
  for (const char* from = text; *from; to++) {
    size_t length = 1;
    *to = *from;
    for (int k = 0; k < 5; k++) {
      if (!strncmp(from, names[k], strlen(names[k]))) {
        *to = letters[k];
        length = strlen(names[k]);
      }
    }
    from += length;
  }
  *to = '\0';
}


// the value of the next attribute whose name begins with `name`, from *at on, for the caller to
// free; NULL at the end.  Blanks may stand around the equals sign.
static char* nextValue(const char** at, const char* name) {
  const char* begin = *at;
  for (const char* found; (found = strstr(*at, name)) != NULL;) {
    const char* p = found + strlen(name);
    *at = p;
    if (found > begin && (isalnum((unsigned char)found[-1]) || strchr("_-:.", found[-1]))) {
      continue;
    }
    p += strspn(p, "abcdefghijklmnopqrstuvwxyz");
    p += strspn(p, " \t\r\n");
    if (*p != '=') {
      continue;
    }
    p++;
    p += strspn(p, " \t\r\n");
    const char* end = *p == '"' || *p == '\'' ? strchr(p + 1, *p) : NULL;
    if (end) {
      char* value = cli_copyPart(p + 1, (size_t)(end - p - 1));
      *at = end;
      if (value) {
        decodeText(value);
      }
      return value;
    }
  }
  return NULL;
}


static void addFolders(folderList* folders, const char* text) {
  for (size_t k = 0; k < sizeof(folder_attributes) / sizeof(folder_attributes[0]); k++) {
    const char* at = text;
    for (char* value; (value = nextValue(&at, folder_attributes[k])) != NULL;) {
      char** grown = realloc(folders->name, (size_t)(folders->count + 1) * sizeof(char*));
      if (!grown) {
        free(value);
        return;
      }
      folders->name = grown;
      folders->name[folders->count++] = value;
    }
  }
}


// a place where a file may be: a folder that ends with a slash or is empty, one below it, a name
static void tryPlace(viewWatch* w, const char* folder, const char* below, const char* name) {
  char* path = NULL;
  if (asprintf(&path, "%s%s%s%s", below[0] == '/' ? "" : folder, below, below[0] ? "/" : "",
               name) >= 0) {
    addFile(w, path);
    free(path);
  }
}


// every file, fileright, ... of a text: beside the model, beside the text, in folders of assets
static void addNamed(viewWatch* w, const char* const beside[2], const folderList* folders,
                     const char* text) {
  const char* at = text;
  for (char* value; (value = nextValue(&at, "file")) != NULL; free(value)) {
    if (value[0] == '/') {
      addFile(w, value);
      continue;
    }
    for (int side = 0; side < 2; side++) {
      tryPlace(w, beside[side], "", value);
      for (int k = 0; k < folders->count; k++) {
        tryPlace(w, beside[side], folders->name[k], value);
      }
    }
  }
}


//---------------------------------- all files of a model ------------------------------------------

// the whole of a file that may name others, NULL for any other
static char* textOf(const char* path) {
  char start[2] = "";
  const viewStamp stamp = stampOf(path);
  FILE* in = stamp.size >= 0 ? cfi_fileOpen(path, "rb") : NULL;
  const char* dot = strrchr(path, '.');
  const bool is_text = dot && (!strcmp(dot, ".xml") || !strcmp(dot, ".urdf"));

  // files that are included may have any name, but they begin as XML does
  while (in && !is_text && fread(start, 1, 1, in) && isspace((unsigned char)start[0])) {
  }
  char* text = in && (is_text || start[0] == '<') ? calloc((size_t)stamp.size + 1, 1) : NULL;
  if (text) {
    rewind(in);
    text[fread(text, 1, (size_t)stamp.size, in)] = '\0';
  }
  if (in) {
    fclose(in);
  }
  return text;
}


static char* folderOf(const char* path) {
  const char* slash = strrchr(path, '/');
  return cli_copyPart(path, slash ? (size_t)(slash - path) + 1 : 0);
}


// look through one file
static void lookThrough(viewWatch* w, int k, const char* folder, folderList* folders,
                        bool is_first) {
  char* text = textOf(w->file[k].path);
  char* own = text ? folderOf(w->file[k].path) : NULL;
  if (own) {
    if (is_first) {
      addFolders(folders, text);
    }
    addNamed(w, (const char* const[2]){folder, own}, folders, text);
  }
  free(own);
  free(text);
}


void cli_watchModel(viewWatch* w, const char* path) {
  char* folder = folderOf(path);
  folderList folders = {NULL, 0};
  cli_watchFree(w);
  addFile(w, path);

  // included files may name more, and folders in which files are that others name: twice
  for (int pass = 0; pass < 2 && folder; pass++) {
    for (int k = 0; k < w->count; k++) {
      lookThrough(w, k, folder, &folders, pass == 0);
    }
  }
  for (int k = 0; k < folders.count; k++) {
    free(folders.name[k]);
  }
  free(folders.name);
  free(folder);
}


bool cli_watchChanged(viewWatch* w) {
  bool is_changed = false;
  for (int k = 0; k < w->count; k++) {
    viewFile* f = w->file + k;
    const viewStamp now = stampOf(f->path);
    const bool rests = isSame(now, f->seen);
    f->seen = now;
    if (!rests) {
      return false;  // somebody is writing
    }
    is_changed = is_changed || (now.size >= 0 && !isSame(now, f->loaded));
  }
  for (int k = 0; k < w->count && is_changed; k++) {
    w->file[k].loaded = w->file[k].seen;
  }
  return is_changed;
}
