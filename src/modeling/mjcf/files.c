// File names inside a model, and include elements.
#include "base/platform.h"
#include "mjcf/reader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"

//---------------------------------- names ---------------------------------------------------------

const char* cfi_documentPath(cfDocument* doc, const char* folder, const char* name) {
  char* path = cfi_joinPath(folder, name);
  const char* copy = cfi_documentText(doc, path ? path : name, strlen(path ? path : name));
  mju_free(path);
  return copy;
}

const char* cfi_assetFolder(cfReader* r) {
  return cfi_documentPath(r->doc, r->modeldir, r->assetdir);
}

const char* cfi_meshFolder(cfReader* r) {
  return *r->meshdir ? cfi_documentPath(r->doc, r->modeldir, r->meshdir) : cfi_assetFolder(r);
}

const char* cfi_textureFolder(cfReader* r) {
  return *r->texturedir ? cfi_documentPath(r->doc, r->modeldir, r->texturedir) : cfi_assetFolder(r);
}

static bool exists(cfReader* r, const char* path) {
  mjResource* resource = mju_openResource("", path, r->vfs, NULL, 0);
  mju_closeResource(resource);
  return resource != NULL;
}

// a name that is not found from the model's folder belongs to the folder of the included file
const char* cfi_resolveFile(cfReader* r, const cfNode* node, const char* name, const char* folder) {
  if (cfi_absolutePrefix(name) > 0) {
    return name;
  }
  const char* reduced = cfi_documentPath(r->doc, "", name);
  const char* include_folder = r->doc->folders[node->file];
  if (node->file == 0 || exists(r, cfi_documentPath(r->doc, folder, name))) {
    return reduced;
  }
  return cfi_documentPath(r->doc, include_folder, name);
}

bool cfi_readFileName(cfReader* r, const cfNode* node, mjString* file, const char* folder) {
  const char* name = cfi_attribute(node, "file");
  if (name) {
    mjs_setString(file, cfi_resolveFile(r, node, name, folder));
  }
  return name != NULL;
}

//---------------------------------- includes ------------------------------------------------------

// folders given anywhere in the file count for all assets
static void noteFolders(cfReader* r, const cfNode* node) {
  const char* assetdir = cfi_attribute(node, "assetdir");
  const char* meshdir = cfi_attribute(node, "meshdir");
  const char* texturedir = cfi_attribute(node, "texturedir");
  r->assetdir = assetdir ? assetdir : r->assetdir;
  r->meshdir = meshdir ? meshdir : r->meshdir;
  r->texturedir = texturedir ? texturedir : r->texturedir;
}

// open from the model's folder, else from the folder of the file that includes it
static mjResource* openInclude(cfReader* r, const cfNode* node, const char* name, char* error,
                               int nerror) {
  mjResource* resource = mju_openResource(r->modeldir, name, r->vfs, error, nerror);
  if (!resource && cfi_absolutePrefix(name) == 0) {
    const char* inner = cfi_documentPath(r->doc, r->doc->folders[node->file], name);
    resource = mju_openResource(r->modeldir, inner, r->vfs, error, nerror);
  }
  return resource;
}

// Folder of an included file, as files that it names are looked for.  Names are joined to the
// folder of the model, so where that is relative to the working directory, this one has to be
// absolute.
static void noteFolder(const cfReader* r, mjResource* resource, char text[CF_PATH_MAX]) {
  const char* folder = NULL;
  int length = 0;
  mju_getResourceDir(resource, &folder, &length);
  snprintf(text, CF_PATH_MAX, "%.*s", length, folder ? folder : "");
  char full[CF_PATH_MAX];
  if (r->modeldir[0] && cfi_absolutePrefix(r->modeldir) == 0 && cfi_absolutePrefix(text) == 0 &&
      text[0] && cfi_realPath(text, full)) {
    snprintf(text, CF_PATH_MAX, "%.*s/", CF_PATH_MAX - 2, full);
  }
}

static bool wasIncluded(const cfReader* r, const char* name) {
  CF_ASSERT(name != NULL);
  for (int i = 0; i < r->doc->nfiles; i++) {
    if (strcmp(r->doc->files[i], name) == 0) {
      return true;
    }
  }
  return false;
}

// parse the contents of an opened file
static cfNode* parseResource(cfReader* r, const cfNode* node, mjResource* resource,
                             const char* name) {
  CF_ASSERT(resource && name);
  const void* text = NULL;
  const int length = mju_readResource(resource, &text);
  char folder_text[CF_PATH_MAX];
  if (length < 0) {
    cfi_error(r->report, node, "Error reading file '%s'", name);
    return NULL;
  }
  if (length == 0) {
    cfi_error(r->report, node, "Empty file '%s'", name);
    return NULL;
  }
  noteFolder(r, resource, folder_text);
  const int file = cfi_documentFile(r->doc, name, folder_text);
  cfNode* root = cfi_parseText(r->doc, (const char*)text, (size_t)length, file);
  if (!root) {
    cfi_error(r->report, node, "Include error: '%s'", r->doc->error);
  } else if (!root->first) {
    cfi_error(r->report, node, "Empty include file '%s'", name);
    root = NULL;
  }
  return root;
}

// content of an include element, NULL after a report
static cfNode* readInclude(cfReader* r, const cfNode* node) {
  char error[1024] = "";
  if (node->has_content) {
    cfi_error(r->report, node, "Include element cannot have children");
    return NULL;
  }
  const char* given = cfi_readText(r, node, "file", true);
  if (!given) {
    return NULL;
  }
  const char* name = cfi_resolveFile(r, node, given, r->modeldir);
  if (wasIncluded(r, name)) {
    cfi_error(r->report, node, "File '%s' already included", name);
    return NULL;
  }
  mjResource* resource = openInclude(r, node, name, error, sizeof(error));
  if (!resource) {
    if (node->file > 0 && error[0]) {
      // the place that was tried last is named already
      const size_t used = strlen(error);
      snprintf(error + used, sizeof(error) - used, " ('%s%s' does not open either)", r->modeldir,
               given);
    }
    cfi_error(r->report, node, "%s", error[0] ? error : "could not open include file");
    return NULL;
  }
  cfNode* root = parseResource(r, node, resource, name);
  mju_closeResource(resource);
  return root;
}

// take a node out of its parent's list
static void unlinkNode(cfNode* node) {
  CF_ASSERT(node && node->parent);
  cfNode *parent = node->parent, *before = NULL;
  for (cfNode* child = parent->first; child != node; child = child->next) {
    before = child;
  }
  if (before) {
    before->next = node->next;
  } else {
    parent->first = node->next;
  }
  if (parent->last == node) {
    parent->last = before;
  }
}

static int depthOf(const cfNode* node) {
  int depth = 0;
  for (; node; node = node->parent) {
    depth++;
  }
  return depth;
}

// deepest level below a node, the node itself counting 0
static int heightOf(const cfNode* root) {
  int depth = 0, deepest = 0;
  const cfNode* node = root;
  while (node) {
    if (node->first) {
      node = node->first;
      depth++;
      deepest = depth > deepest ? depth : deepest;
      continue;
    }
    while (node != root && !node->next) {
      node = node->parent;
      depth--;
    }
    node = node == root ? NULL : node->next;
  }
  return deepest;
}

// document order; what was spliced in is visited next
void cfi_expandIncludes(cfReader* r, cfNode* root) {
  enum { MAX_FILES = 10000 };
  cfNode* node = root;
  while (node) {
    cfNode* next = NULL;
    if (strcasecmp(node->tag, "compiler") == 0) {
      noteFolders(r, node);
    }
    if (strcasecmp(node->tag, "include") == 0 && node->parent) {
      cfNode* content = r->doc->nfiles < MAX_FILES ? readInclude(r, node) : NULL;
      if (content && depthOf(node) + heightOf(content) > CF_XML_MAX_DEPTH) {
        cfi_error(r->report, node, "elements are nested more than 500 deep");
        content = NULL;
      }
      if (content) {
        next = content->first;
        cfi_spliceChildren(node, content);
      } else {
        next = node->next;
        cfNode* parent = node->parent;
        unlinkNode(node);
        while (!next && parent) {
          next = parent->next;
          parent = parent->parent;
        }
      }
      node = next;
      continue;
    }
    next = node->first;
    while (!next && node) {
      next = node->next;
      node = node->parent;
    }
    node = next;
  }
}
