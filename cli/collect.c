// Models for `compare` and `race`: files, and folders with or without a list of their models.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "yardstick.h"

typedef struct {
  cliCases* cases;
  const char* only;
  int limit;
  const char* folder;  // names are relative to it
} collection;


static bool outOfMemory(void) {
  cli_error("out of memory");
  return false;
}


static char* joinPath(const char* folder, const char* name) {
  const size_t size = strlen(folder) + strlen(name) + 2;
  char* path = malloc(size);
  if (path) {
    snprintf(path, size, "%s/%s", folder, name);
  }
  return path;
}


// takes over path; noise may be NULL
static bool addCase(collection* c, char* path, const char* name, const double noise[2]) {
  cliCases* all = c->cases;
  if (!path || all->count >= c->limit || (c->only && !strstr(name, c->only))) {
    free(path);
    return path || outOfMemory();
  }
  if (all->count == all->capacity) {
    const int capacity = all->capacity ? 2 * all->capacity : 64;
    cliCase* grown = realloc(all->item, (size_t)capacity * sizeof(cliCase));
    if (!grown) {
      free(path);
      return outOfMemory();
    }
    all->item = grown;
    all->capacity = capacity;
  }
  cliCase* item = &all->item[all->count++];
  *item = (cliCase){.path = path, .name = strdup(name)};
  if (noise) {
    item->step_noise = noise[0];
    item->model_noise = noise[1];
  }
  return item->name || outOfMemory();
}


// ---- MANIFEST.csv: a header, then one line per model

// text of a column in a line without quotes, empty if there is none
static void columnText(const char* line, int column, char text[1000]) {
  for (; column > 0 && *line; line++) {
    column -= *line == ',';
  }
  snprintf(text, 1000, "%.*s", column == 0 ? (int)strcspn(line, ",\r\n") : 0, line);
}


static int findColumn(const char* header, const char* name) {
  char text[1000];
  int columns = 1;
  for (const char* p = header; *p; p++) {
    columns += *p == ',';
  }
  for (int k = 0; k < columns; k++) {
    columnText(header, k, text);
    if (!strcmp(text, name)) {
      return k;
    }
  }
  return -1;
}


static double columnNumber(const char* line, int column) {
  char text[1000] = "";
  if (column >= 0) {
    columnText(line, column, text);
  }
  return strtod(text, NULL);
}


// models that the list names; false if memory is out
static bool addListed(collection* c, FILE* list, char* line, size_t size, int path_column) {
  const int step = findColumn(line, "step_noise"), model = findColumn(line, "model_noise");
  bool good = true;
  while (good && fgets(line, (int)size, list)) {
    char name[1000];
    columnText(line, path_column, name);
    const double noise[2] = {columnNumber(line, step), columnNumber(line, model)};
    good = !name[0] || addCase(c, joinPath(c->folder, name), name, noise);
  }
  return good;
}


// does the folder list its models?  then take them
static bool tryManifest(collection* c, bool* found) {
  char* path = joinPath(c->folder, "MANIFEST.csv");
  FILE* list = path ? cfi_fileOpen(path, "r") : NULL;
  free(path);
  *found = false;
  if (!list) {
    return true;
  }
  char line[4000];
  const int column = fgets(line, sizeof(line), list) ? findColumn(line, "path") : -1;
  bool good = true;
  if (column >= 0) {
    *found = true;
    good = addListed(c, list, line, sizeof(line), column);
  }
  fclose(list);
  return good;
}


// ---- folders without a list

static bool endsWith(const char* text, const char* tail) {
  const size_t length = strlen(text), n = strlen(tail);
  return length > n && !strcmp(text + length - n, tail);
}


// first element of an XML text, behind declarations and comments
static const char* firstElement(const char* text) {
  for (const char* p = strchr(text, '<'); p; p = strchr(p + 1, '<')) {
    if (!strncmp(p, "<!--", 4)) {
      p = strstr(p, "-->");
      if (!p) {
        return "";
      }
    } else if (p[1] != '?' && p[1] != '!') {
      return p + 1;
    }
  }
  return "";
}


// a model of its own, not a part that others include
static bool isModel(const char* path) {
  if (!endsWith(path, ".xml") && !endsWith(path, ".urdf")) {
    return false;
  }
  char text[20001];
  FILE* f = cfi_fileOpen(path, "r");
  const size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
  if (f) {
    fclose(f);
  }
  text[n] = '\0';
  const char* root = firstElement(text);
  const size_t length = strcspn(root, " \t\r\n/>");
  return (length == 6 && !strncmp(root, "mujoco", 6)) ||
         (length == 5 && !strncmp(root, "robot", 5));
}


static bool addFolder(collection* c, const char* folder);


static bool addEntry(collection* c, const char* folder, const char* name) {
  char* path = joinPath(folder, name);
  cfFileInfo info;
  if (!path) {
    return outOfMemory();
  }
  bool good = true;
  if (name[0] != '.' && cfi_fileInfo(path, &info)) {
    if (info.is_folder) {
      good = addFolder(c, path);
    } else if (isModel(path)) {
      good = addCase(c, strdup(path), path + strlen(c->folder) + 1, NULL);
    }
  }
  free(path);
  return good;
}


// in alphabetical order, so that every run has the same
static bool addFolder(collection* c, const char* folder) {
  char** names;
  const int n = cfi_folderNames(folder, &names);
  if (n < 0) {
    cli_error("%s: %s", folder, strerror(errno));
    return false;
  }
  bool good = true;
  for (int k = 0; k < n; k++) {
    good = good && addEntry(c, folder, names[k]);
  }
  cfi_folderFree(names, n);
  return good;
}


static bool addArgument(collection* c, const char* path) {
  cfFileInfo info;
  if (cli_isStream(path)) {
    const char* copy = cli_streamFile(path);
    return copy && addCase(c, strdup(copy), path, NULL);
  }
  if (!cfi_fileInfo(path, &info)) {
    cli_error("%s: %s", path, strerror(errno));
    return false;
  }
  if (!info.is_folder) {
    return addCase(c, strdup(path), path, NULL);
  }
  bool is_listed;
  c->folder = path;
  return tryManifest(c, &is_listed) && (is_listed || addFolder(c, path));
}


bool cli_collect(cliCases* cases, int argc, char** argv, const char* only, int limit) {
  collection c = {cases, only, limit, ""};
  for (int k = 0; k < argc; k++) {
    if (!addArgument(&c, argv[k])) {
      return false;
    }
  }
  if (!cases->count) {
    cli_error("no model found there");
  }
  return cases->count > 0;
}


void cli_casesFree(cliCases* c) {
  for (int k = 0; k < c->count; k++) {
    free(c->item[k].path);
    free(c->item[k].name);
  }
  free(c->item);
}
