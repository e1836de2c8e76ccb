// Loading models for the subcommands, and names of their parts.
#include <errno.h>
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


mjModel* cli_load(const char* path, cliExit* code) {
  char error[ERROR_MAX] = "";
  mjModel* m;
  *code = CLI_BAD_MODEL;

  if (!path || !strcmp(path, "-")) {
    path = "embedded humanoid";
    m = loadEmbedded(error);
  } else {
    FILE* f = fopen(path, "rb");
    if (!f) {
      fprintf(stderr, "cortenforge: %s: %s\n", path, strerror(errno));
      *code = CLI_IO;
      return NULL;
    }
    fclose(f);
    m = hasExtension(path, ".mjb") ? mj_loadModel(path, NULL)
                                   : mj_loadXML(path, NULL, error, ERROR_MAX);
  }

  if (!m) {
    fprintf(stderr, "cortenforge: cannot load %s%s%s\n", path, error[0] ? ": " : "", error);
    return NULL;
  }
  if (error[0]) {
    fprintf(stderr, "cortenforge: warning: %s: %s\n", path, error);
  }
  printNotes(path);
  *code = CLI_OK;
  return m;
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
