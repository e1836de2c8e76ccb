// Loading models for the subcommands, and names of their parts.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/notes.h>

#include "cli.h"

enum { ERROR_MAX = 4000 };


bool cli_hasSuffix(const char* path, const char* extension) {
  const size_t length = strlen(path), tail = strlen(extension);
  return length > tail && !strcmp(path + length - tail, extension);
}


// a model from its text, under a name for messages; files that it names are looked for from here
static mjModel* loadText(const char* name, const char* text, size_t size, char* error) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mjModel* m = NULL;
  if (!mj_addBufferVFS(&vfs, name, text, (int)size)) {
    m = mj_loadXML(name, &vfs, error, ERROR_MAX);
  }
  mj_deleteVFS(&vfs);
  return m;
}


// a binary from a file or from what was read; the library says by a warning what is wrong with it
static mjModel* loadBinary(const char* path, const cliStream* stream, char* error) {
  cli_catchWarnings(error, ERROR_MAX);
  mjModel* m =
      stream ? mj_loadModelBuffer(stream->bytes, (int)stream->size) : mj_loadModel(path, NULL);
  cli_releaseWarnings();
  return m;
}


// what the text of the model takes as a liberty
static void printNotes(const char* path) {
  char notes[ERROR_MAX];
  if (!cli_hasSuffix(path, ".mjb") && cf_xmlNotes(NULL, notes, sizeof(notes))) {
    for (char* line = strtok(notes, "\n"); line; line = strtok(NULL, "\n")) {
      fprintf(stderr, "cortenforge: note: %s\n", line);
    }
  }
}


mjModel* cli_open(const char* path, char* error, int size, cliExit* code) {
  char text[ERROR_MAX] = "";
  mjModel* m;
  *code = CLI_BAD_MODEL;
  error[0] = '\0';

  if (!path) {
    path = "embedded humanoid";
    m = loadText("humanoid.xml", cli_humanoid, strlen(cli_humanoid), text);
  } else if (cli_isStream(path)) {
    const cliStream* stream = cli_readStream(path, error, size);
    if (!stream) {
      *code = CLI_IO;
      return NULL;
    }
    path = strcmp(path, "-") ? path : "standard input";
    m = stream->is_binary ? loadBinary(path, stream, text)
                          : loadText("standard_input.xml", stream->bytes, stream->size, text);
  } else {
    if (!cli_isReadable(path, error, size)) {
      *code = CLI_IO;
      return NULL;
    }
    m = cli_hasSuffix(path, ".mjb") ? loadBinary(path, NULL, text)
                                    : mj_loadXML(path, NULL, text, ERROR_MAX);
  }
  if (!m) {
    snprintf(error, (size_t)size, "cannot load %s%s%s", path, text[0] ? ": " : "", text);
  } else if (text[0]) {
    snprintf(error, (size_t)size, "warning: %s: %s", path, text);
  }
  *code = m ? CLI_OK : CLI_BAD_MODEL;
  return m;
}


mjModel* cli_load(const char* path, cliExit* code) {
  char error[2 * ERROR_MAX];
  mjModel* m = cli_open(path, error, sizeof(error), code);
  if (error[0]) {
    cli_error("%s", error);
  }
  if (m) {
    printNotes(path ? path : "");
  }
  return m;
}


// one library; its name without a folder is a file here, not one of the system
static bool loadPlugin(const char* name) {
  char error[1000];
  if (!cli_isReadable(name, error, sizeof(error))) {
    cli_error("--plugin %s", error);
    return false;
  }
  char path[CF_PATH_MAX];
  const bool is_there = cfi_realPath(name, path);
  void* library = is_there ? cfi_libraryOpen(path, error, sizeof(error)) : NULL;
  if (!library) {
    cli_error("--plugin %s: %s", name, is_there ? error : strerror(errno));
  }
  return library;
}


bool cli_loadPlugins(const char* list) {
  char* copy = list ? strdup(list) : NULL;
  bool is_good = !list || copy;
  char* rest = NULL;
  for (char* name = copy ? strtok_r(copy, ",", &rest) : NULL; name && is_good;
       name = strtok_r(NULL, ",", &rest)) {
    is_good = loadPlugin(name);
  }
  if (copy && !list[strspn(list, ",")]) {
    cli_error("--plugin needs the name of a library");
    is_good = false;
  }
  free(copy);
  return is_good;
}


double cli_stepCount(const mjModel* m, double duration) {
  return m->opt.timestep > 0 ? fmax(0, ceil(duration / m->opt.timestep - 0.5)) : 0;
}


int cli_findKeyframe(const mjModel* m, const char* text) {
  int key = mj_name2id(m, mjOBJ_KEY, text);
  char behind;
  if (key < 0 && (sscanf(text, "%d%c", &key, &behind) != 1 || key < 0 || key >= m->nkey)) {
    char others[400];
    cli_error("the model has no keyframe '%s'%s", text, cli_otherNames(m, mjOBJ_KEY, text, others));
    return -1;
  }
  return key;
}


const char* cli_nameOf(const mjModel* m, int type, int id, char buffer[64]) {
  const char* name = mj_id2name(m, type, id);
  if (name && name[0]) {
    snprintf(buffer, 64, "%s", name);
  } else {
    const char* type_name = mju_type2Str(type);
    snprintf(buffer, 64, "%s %d", type_name ? type_name : "object", id);
  }
  return buffer;
}


static int countOf(const mjModel* m, int type) {
  switch (type) {
    case mjOBJ_BODY:
      return (int)m->nbody;
    case mjOBJ_JOINT:
      return (int)m->njnt;
    case mjOBJ_ACTUATOR:
      return (int)m->nu;
    case mjOBJ_SENSOR:
      return (int)m->nsensor;
    case mjOBJ_CAMERA:
      return (int)m->ncam;
    default:
      return type == mjOBJ_KEY ? (int)m->nkey : 0;
  }
}


const char* cli_otherNames(const mjModel* m, int type, const char* asked, char text[400]) {
  enum { ROOM = 400, NAME = 64 };
  const int count = countOf(m, type);
  char nearest[NAME] = "", name[NAME];
  for (int k = 0; k < count; k++) {
    const char* known = mj_id2name(m, type, k);
    cli_nearest(asked, known ? known : "", nearest);
  }
  if (nearest[0]) {
    snprintf(text, ROOM, "; did you mean '%s'?", nearest);
    return text;
  }
  int used = snprintf(text, ROOM, count ? "; it has" : "; it has none");
  for (int k = 0; k < count; k++) {
    if (used > ROOM - NAME - 30) {
      snprintf(text + used, (size_t)(ROOM - used), " and %d more", count - k);
      break;
    }
    used += snprintf(text + used, (size_t)(ROOM - used), " '%.50s'", cli_nameOf(m, type, k, name));
  }
  return text;
}


// ---- warnings that belong to what a caller is doing

static char* caught_text;
static int caught_size;
static void (*warning_before)(const char*);


static void keepWarning(const char* text) {
  if (!caught_text[0]) {
    snprintf(caught_text, (size_t)caught_size, "%s", text);
  }
}


void cli_catchWarnings(char* text, int size) {
  text[0] = '\0';
  caught_text = text;
  caught_size = size;
  warning_before = mju_user_warning;
  mju_user_warning = keepWarning;
}


void cli_releaseWarnings(void) {
  mju_user_warning = warning_before;
}
