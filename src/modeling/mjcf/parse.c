// Public entry points: text or file to specification, and on to a model.
#include "base/platform.h"
#include "mjcf/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"
#include "cortenforge/notes.h"
#include "mjcf/last.h"

//---------------------------------- text to specification -----------------------------------------

// names of source files stay with the specification, for messages of the compiler
static void keepFileNames(cfSpec* spec, const cfDocument* doc) {
  for (int i = 0; i < doc->nfiles; i++) {
    cfi_pushString(&spec->files, doc->files[i], strlen(doc->files[i]));
  }
}

static void readRoot(cfReader* r, cfNode* root) {
  if (strcasecmp(root->tag, "mujoco") == 0) {
    root->tag = "mujoco";
    cfi_expandIncludes(r, root);
    cfi_readModel(r, root);
  } else if (strcasecmp(root->tag, "robot") == 0) {
    r->spec->strippath = 1;
    r->spec->compiler.fusestatic = 1;
    r->spec->compiler.discardvisual = 1;
    cfi_readRobot(r, root);
  } else {
    cfi_error(r->report, root, "Unrecognized XML model type: '%s'", root->tag);
  }
}

// how many messages did not fit
static void closeReport(cfReport* report) {
  const size_t used = strlen(report->errors);
  if (report->nerror > CF_REPORT_MAX) {
    snprintf(report->errors + used, sizeof(report->errors) - used, "and %d more errors\n",
             report->nerror - CF_REPORT_MAX);
  }
}

static mjSpec* finish(cfReader* r, char* error, int error_sz) {
  cfSpec* spec = cfi_spec(r->spec);
  closeReport(r->report);
  if (r->report->nerror) {
    cfi_copyMessage(error, error_sz, r->report->errors);
    mj_deleteSpec(r->spec);
    return NULL;
  }
  if (r->report->nwarning) {
    cfi_setError(spec, true, "%s", r->report->warnings);
    cfi_copyMessage(error, error_sz, r->report->warnings);
  }
  keepFileNames(spec, r->doc);
  char notes[4000];
  cfi_describeNotes(r->doc, notes, sizeof(notes));
  cfi_assignString(&spec->notes, notes);
  return r->spec;
}

static mjSpec* parseText(const char* text, size_t length, const char* folder, const char* filename,
                         const mjVFS* vfs, char* error, int error_sz) {
  cfDocument* doc = cfi_newDocument();
  cfReport* report = (cfReport*)calloc(1, sizeof(cfReport));
  mjSpec* spec = NULL;
  cfi_copyMessage(error, error_sz, "");
  if (doc && report) {
    report->doc = doc;
    cfi_documentFile(doc, filename, "");
    cfNode* root = cfi_parseText(doc, text, length, 0);
    if (!root) {
      snprintf(report->errors, sizeof(report->errors), "XML parse error %d:\n%s\n", doc->error_code,
               doc->error);
      cfi_copyMessage(error, error_sz, report->errors);
    } else {
      spec = mj_makeSpec();
      mjs_setString(spec->modelfiledir, folder);
      cfReader r = {.doc = doc,
                    .report = report,
                    .spec = spec,
                    .vfs = vfs,
                    .modeldir = folder,
                    .assetdir = "",
                    .meshdir = "",
                    .texturedir = ""};
      // models that a file attaches are copied
      mjs_setDeepCopy(spec, 1);
      readRoot(&r, root);
      mjs_setDeepCopy(spec, 0);
      spec = finish(&r, error, error_sz);
    }
  }
  free(report);
  cfi_freeDocument(doc);
  return spec;
}

mjSpec* mj_parseXMLString(const char* xml, const mjVFS* vfs, char* error, int error_sz) {
  return parseText(xml, strlen(xml), "", "", vfs, error, error_sz);
}

mjSpec* mj_parseXML(const char* filename, const mjVFS* vfs, char* error, int error_sz) {
  char problem[1024] = "", folder_text[1024], message[1200];
  if (!filename) {
    cfi_copyMessage(error, error_sz, "ParseXML: filename argument required\n");
    return NULL;
  }
  mjResource* resource = mju_openResource("", filename, vfs, problem, sizeof(problem));
  if (!resource) {
    snprintf(message, sizeof(message), "ParseXML: %s", problem);
    cfi_copyMessage(error, error_sz, message);
    return NULL;
  }

  const void* text = NULL;
  const char* folder = NULL;
  int nfolder = 0;
  const int length = mju_readResource(resource, &text);
  mjSpec* spec = NULL;
  if (length <= 0) {
    snprintf(message, sizeof(message), "ParseXML: %s file '%.1000s'",
             length < 0 ? "error reading" : "empty", filename);
    cfi_copyMessage(error, error_sz, message);
  } else {
    mju_getResourceDir(resource, &folder, &nfolder);
    snprintf(folder_text, sizeof(folder_text), "%.*s", nfolder, folder ? folder : "");
    spec =
        parseText((const char*)text, (size_t)length, folder_text, filename, vfs, error, error_sz);
  }
  mju_closeResource(resource);
  return spec;
}

// other formats go through decoders
static mjSpec* parseOther(const char* filename, const char* content_type, const mjVFS* vfs,
                          char* error, int error_sz) {
  mjResource* resource = mju_openResource("", filename, vfs, error, error_sz);
  mjResource nameless;
  memset(&nameless, 0, sizeof(nameless));
  char name[1024];
  snprintf(name, sizeof(name), "%s", filename);
  nameless.name = name;
  mjSpec* spec = mju_decodeResource(resource ? resource : &nameless, content_type, vfs);
  if (!spec) {
    cfi_copyMessage(error, error_sz, "could not decode content");
  }
  mju_closeResource(resource);
  return spec;
}

mjSpec* mj_parse(const char* filename, const char* content_type, const mjVFS* vfs, char* error,
                 int error_sz) {
  const char* extension = cfi_fileExtension(filename);
  const bool is_xml = strcmp(extension, ".xml") == 0 || strcmp(extension, ".urdf") == 0 ||
                      (content_type && strcmp(content_type, "text/xml") == 0);
  return is_xml ? mj_parseXML(filename, vfs, error, error_sz)
                : parseOther(filename, content_type, vfs, error, error_sz);
}

//---------------------------------- text to model -------------------------------------------------

// specification of the last loaded model, for mj_saveLastXML
static mjSpec* last_spec;
static cfMutex last_lock = CF_MUTEX_INIT;

static void setLast(mjSpec* spec) {
  cfi_lock(&last_lock);
  mjSpec* old = last_spec;
  last_spec = spec;
  cfi_unlock(&last_lock);
  mj_deleteSpec(old);
}

mjSpec* cfi_lockLast(void) {
  cfi_lock(&last_lock);
  return last_spec;
}

void cfi_unlockLast(void) {
  cfi_unlock(&last_lock);
}

int cf_xmlNotes(const mjSpec* spec, char* notes, int notes_sz) {
  mjSpec* last = spec ? NULL : cfi_lockLast();
  const mjSpec* asked = spec ? spec : last;
  const char* text = asked ? cfi_text(&cfi_spec(asked)->notes) : "";
  int count = 0;
  for (const char* p = text; (p = strchr(p, '\n')); p++) {
    count++;
  }
  cfi_copyMessage(notes, notes_sz, text);
  if (!spec) {
    cfi_unlockLast();
  }
  return count;
}

void mj_freeLastXML(void) {
  setLast(NULL);
}

mjModel* mj_loadXML(const char* filename, const mjVFS* vfs, char* error, int error_sz) {
  mjSpec* spec = mj_parseXML(filename, vfs, error, error_sz);
  if (!spec) {
    return NULL;
  }
  cfString warning;
  cfi_initString(&warning);
  cfi_assignString(&warning, mjs_isWarning(spec) ? mjs_getError(spec) : "");
  mjModel* m = mj_compile(spec, vfs);
  if (!m || mjs_isWarning(spec)) {
    cfi_copyMessage(error, error_sz, mjs_getError(spec));
  } else {
    cfi_copyMessage(error, error_sz, cfi_text(&warning));
  }
  cfi_freeString(&warning);
  if (m) {
    setLast(spec);
  } else {
    mj_deleteSpec(spec);
  }
  return m;
}
