// Loading models for the subcommands, and names of their parts.
#include <errno.h>
#include <math.h>
#include <string.h>

#include <cortenforge/notes.h>

#include "cli.h"

enum { ERROR_MAX = 4000 };


static bool hasExtension(const char* path, const char* extension) {
  const size_t length = strlen(path), tail = strlen(extension);
  return length > tail && !strcmp(path + length - tail, extension);
}


static mjModel* loadEmbedded(char* error) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mjModel* m = NULL;
  if (!mj_addBufferVFS(&vfs, "humanoid.xml", cli_humanoid, (int)strlen(cli_humanoid))) {
    m = mj_loadXML("humanoid.xml", &vfs, error, ERROR_MAX);
  }
  mj_deleteVFS(&vfs);
  return m;
}


// what the text of the model takes as a liberty
static void printNotes(const char* path) {
  char notes[ERROR_MAX];
  if (!hasExtension(path, ".mjb") && cf_xmlNotes(NULL, notes, sizeof(notes))) {
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

  if (!path || !strcmp(path, "-")) {
    path = "embedded humanoid";
    m = loadEmbedded(text);
  } else {
    FILE* f = fopen(path, "rb");
    if (!f) {
      snprintf(error, (size_t)size, "%s: %s", path, strerror(errno));
      *code = CLI_IO;
      return NULL;
    }
    fclose(f);
    m = hasExtension(path, ".mjb") ? mj_loadModel(path, NULL)
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
    fprintf(stderr, "cortenforge: %s\n", error);
  }
  if (m) {
    printNotes(path ? path : "");
  }
  return m;
}


double cli_stepCount(const mjModel* m, double duration) {
  return m->opt.timestep > 0 ? fmax(0, ceil(duration / m->opt.timestep - 0.5)) : 0;
}


int cli_findKeyframe(const char* command, const mjModel* m, const char* text) {
  int key = mj_name2id(m, mjOBJ_KEY, text);
  char behind;
  if (key < 0 && (sscanf(text, "%d%c", &key, &behind) != 1 || key < 0 || key >= m->nkey)) {
    fprintf(stderr, "cortenforge %s: the model has no keyframe '%s'\n", command, text);
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
