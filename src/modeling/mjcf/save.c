// Saving specifications: public functions and the order of the sections.
#include "base/platform.h"
#include "mjcf/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"
#include "mjcf/last.h"
#include "mjcf/report.h"
#include "spec/keys.h"

const cfElement* cfi_pristine(cfWriter* w, mjtObj type) {
  cfElement** slot = &w->pristine[type == mjOBJ_FRAME ? mjNOBJECT : type];
  if (!*slot) {
    *slot = cfi_newElement(w->spec, type);
  }
  return *slot;
}

void cfi_writeModel(cfWriter* w) {
  cfOutput* out = &w->out;
  const mjSpec* s = &w->spec->pub;
  cfi_openTag(out, "mujoco");
  cfi_writeText(out, "model", cfi_text(s->modelname));
  const size_t behind_name = out->used;
  if (!cfi_isEmptyString(s->comment)) {
    cfi_writeComment(out, cfi_text(s->comment));
  }
  cfi_writeSettings(w);
  cfi_writeDefaults(w);
  cfi_writeExtension(w);
  cfi_writeCustom(w);
  cfi_writeAssets(w);
  cfi_writeWorld(w);
  cfi_writeContacts(w);
  cfi_writeDeformables(w);
  cfi_writeEqualities(w);
  cfi_writeTendons(w);
  cfi_writeActuators(w);
  cfi_writeSensors(w);
  cfi_writeKeyframes(w);
  cfi_closeTag(out, "mujoco");

  // readers of XML other than ours want prefixes declared
  if (out->has_prefix) {
    cfi_insertText(out, behind_name, "xmlns:cortenforge", "urn:cortenforge:mjcf");
  }
}

// text of a specification for a folder, that of the model where it is NULL; NULL with a message
static char* writeText(cfSpec* spec, const char* folder, size_t* length, char* error,
                       int error_sz) {
  cfWriter w = {.spec = spec, .folder = folder ? folder : cfi_text(&spec->modelfiledir)};
  cfi_writeModel(&w);
  for (int i = 0; i < CF_LISTS; i++) {
    if (w.pristine[i]) {
      cfi_freeElement(w.pristine[i]);
    }
  }
  if (w.trouble) {
    cfi_copyMessage(error, error_sz, w.trouble);
    free(w.out.text);
    return NULL;
  }
  *length = w.out.used;
  return w.out.text;
}

// elements that came since the last compilation have no final attributes: a copy gets them
static char* writeCompiled(const mjSpec* s, const char* folder, size_t* length, char* error,
                           int error_sz) {
  mjSpec* copy = mj_copySpec(s);
  mjModel* m = mj_compile(copy, NULL);
  char* text = NULL;
  if (m) {
    text = writeText(cfi_spec(copy), folder, length, error, error_sz);
  } else {
    cfi_copyMessage(error, error_sz, mjs_getError(copy));
  }
  mj_deleteModel(m);
  mj_deleteSpec(copy);
  return text;
}

// why a specification cannot be saved, NULL if it can
static const char* unsaved(const mjSpec* s) {
  if (!s) {
    return "Cannot write empty model";
  }
  if (!cfi_spec(s)->is_compiled) {
    return "XML Write error: Only compiled model can be written";
  }
  return cfi_countPendingKeys(cfi_spec(s))
             ? "Model has pending keyframes. It must be (re)compiled before writing XML."
             : NULL;
}

// text of a model; the caller frees it, NULL after a message
static char* modelText(const mjSpec* s, const char* folder, size_t* length, char* error,
                       int error_sz) {
  const char* trouble = unsaved(s);
  if (trouble) {
    cfi_copyMessage(error, error_sz, trouble);
    return NULL;
  }
  const cfSpec* spec = cfi_spec(s);
  return spec->nedit != spec->kept_edit ? writeCompiled(s, folder, length, error, error_sz)
                                        : writeText(cfi_spec(s), folder, length, error, error_sz);
}

int mj_saveXMLString(const mjSpec* s, char* xml, int xml_sz, char* error, int error_sz) {
  size_t length;
  char* text = modelText(s, NULL, &length, error, error_sz);
  if (!text) {
    return -1;
  }
  int result = 0;
  if (length >= (size_t)(xml_sz > 0 ? xml_sz : 0)) {
    char message[100];
    snprintf(message, sizeof(message), "Output string too short, should be at least %zu",
             length + 1);
    cfi_copyMessage(error, error_sz, message);
    result = (int)length;
  } else {
    memcpy(xml, text, length + 1);
  }
  free(text);
  return result;
}

// part of a path before its last separator
static char* folderOf(const char* path) {
  char* folder = strdup(path);
  if (folder) {
    folder[cfi_fileName(path) - path] = 0;
  }
  return folder;
}

// 0 on success
static int saveFile(const mjSpec* s, const char* filename, char* error, int error_sz) {
  size_t length;
  const bool to_stdout = !filename || !*filename;
  char* folder = to_stdout ? NULL : folderOf(filename);
  char* text = modelText(s, folder, &length, error, error_sz);
  free(folder);
  if (!text) {
    return -1;
  }
  FILE* file = to_stdout ? stdout : cfi_fileOpen(filename, "w");
  bool is_ok = file && fwrite(text, 1, length, file) == length;
  if (file && !to_stdout) {
    is_ok = fclose(file) == 0 && is_ok;
  }
  free(text);
  if (!is_ok) {
    cfi_copyMessage(error, error_sz, file ? "could not write the file" : "File not found");
  }
  return is_ok ? 0 : -1;
}

int mj_saveXML(const mjSpec* s, const char* filename, char* error, int error_sz) {
  return saveFile(s, filename ? filename : "", error, error_sz);
}

int mj_saveLastXML(const char* filename, const mjModel* m, char* error, int error_sz) {
  mjSpec* spec = cfi_lockLast();
  int result = -1;
  if (!spec) {
    cfi_copyMessage(error, error_sz, "No XML model loaded");
  } else if (m && !mj_copyBack(spec, m)) {
    cfi_copyMessage(error, error_sz, mjs_getError(spec));
  } else {
    result = saveFile(spec, filename, error, error_sz);
  }
  cfi_unlockLast();
  return result == 0;
}
