// Files that a model needs: itself, what it includes, and its assets.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/path.h"
#include "mjcf/dom.h"
#include "spec/vector.h"

// folders that the compiler element gives; NULL: not given
typedef struct {
  const char *asset, *mesh, *texture;
} cfFolders;

static bool isKnownFile(const cfVec* files, const char* name) {
  for (int i = 0; i < cfi_countStrings(files); i++) {
    if (strcmp(cfi_text(cfi_strings(files) + i), name) == 0) {
      return true;
    }
  }
  return false;
}

// the files of a model, and those of them that are read for more: the model, its includes and the
// models that it attaches, whatever their names end in
typedef struct {
  cfVec *all, models;
} cfListing;

// add a file, unless it stands there already
static void addFile(cfVec* files, const char* path) {
  if (!isKnownFile(files, path)) {
    cfi_pushString(files, path, strlen(path));
  }
}

// model folder + asset folder + name
static void listFile(cfListing* listing, const char* model_folder, const char* folder,
                     const char* name, bool is_model) {
  char* inner = cfi_joinPath(folder, name);
  char* path = cfi_joinPath(model_folder, inner ? inner : name);
  if (path) {
    addFile(listing->all, path);
  }
  if (path && is_model) {
    addFile(&listing->models, path);
  }
  mju_free(inner);
  mju_free(path);
}

static const cfNode* nextInDocument(const cfNode* node) {
  const cfNode* next = node->first;
  while (!next && node) {
    next = node->next;
    node = node->parent;
  }
  return next;
}

static cfFolders findFolders(const cfNode* root) {
  cfFolders folders = {NULL, NULL, NULL};
  for (const cfNode* node = root; node; node = nextInDocument(node)) {
    if (strcmp(node->tag, "compiler") == 0) {
      const char* asset = cfi_attribute(node, "assetdir");
      const char* mesh = cfi_attribute(node, "meshdir");
      const char* texture = cfi_attribute(node, "texturedir");
      folders.asset = asset ? asset : folders.asset;
      folders.mesh = mesh ? mesh : folders.mesh;
      folders.texture = texture ? texture : folders.texture;
    }
  }
  return folders;
}

// files one element names
static void listElement(cfListing* listing, const cfNode* node, const char* model_folder,
                        const cfFolders* folders) {
  static const char* const attributes[] = {"file",     "fileright", "fileleft", "fileup",
                                           "filedown", "filefront", "fileback"};
  const char* tag = node->tag;
  const bool is_model = strcmp(tag, "include") == 0 || strcmp(tag, "model") == 0;
  const bool is_texture = strcmp(tag, "texture") == 0;
  bool is_mesh =
      strcmp(tag, "mesh") == 0 || strcmp(tag, "flexcomp") == 0 || strcmp(tag, "skin") == 0;
  if (!is_model && !is_texture && !is_mesh && strcmp(tag, "hfield") != 0) {
    return;
  }
  const char* folder = is_texture ? folders->texture : is_mesh ? folders->mesh : NULL;
  folder = is_model ? NULL : folder ? folder : folders->asset;
  for (int i = 0; i < (is_texture ? 7 : 1); i++) {
    const char* name = cfi_attribute(node, attributes[i]);
    if (name) {
      listFile(listing, model_folder, folder, name, is_model);
    }
  }
}

static void listElements(cfListing* listing, const cfNode* root, mjResource* resource) {
  const char* folder = NULL;
  int nfolder = 0;
  char folder_text[1024];
  mju_getResourceDir(resource, &folder, &nfolder);
  snprintf(folder_text, sizeof(folder_text), "%.*s", nfolder, folder ? folder : "");
  const cfFolders folders = findFolders(root);
  for (const cfNode* node = root; node; node = nextInDocument(node)) {
    listElement(listing, node, folder_text, &folders);
  }
}

// everything one file names; false with a reason if it is no XML file that can be read
static bool listFilesOf(cfListing* listing, const char* filename, char* reason, size_t nreason) {
  mjResource* resource = mju_openResource("", filename, NULL, reason, nreason);
  if (!resource) {
    return false;
  }
  const void* text = NULL;
  const int length = mju_readResource(resource, &text);
  cfDocument* doc = cfi_newDocument();
  cfi_documentFile(doc, filename, "");
  cfNode* root = length > 0 ? cfi_parseText(doc, (const char*)text, (size_t)length, 0) : NULL;
  if (root) {
    listElements(listing, root, resource);
  } else {
    snprintf(reason, nreason, "%s", length > 0 ? doc->error : "it is empty or cannot be read");
  }
  cfi_freeDocument(doc);
  mju_closeResource(resource);
  return root != NULL;
}

// files are read in the order in which they were found, each once
void mju_getXMLDependencies(const char* filename, mjStringVec* dependencies) {
  cfListing listing = {(cfVec*)dependencies, {0}};
  char failed[1024] = "", reason[1024] = "";
  cfi_clearStrings(listing.all);
  addFile(listing.all, filename);
  addFile(&listing.models, filename);
  for (int i = 0; i < cfi_countStrings(&listing.models) && !failed[0]; i++) {
    char* name = cfi_joinPath("", cfi_text(cfi_strings(&listing.models) + i));
    if (name && !listFilesOf(&listing, name, reason, sizeof(reason))) {
      snprintf(failed, sizeof(failed), "%s", name);
    }
    mju_free(name);
  }
  cfi_freeMember(&listing.models, CF_MEMBER_STRINGVEC);
  if (failed[0]) {
    mju_error("Problem reading XML file '%s': %s", failed, reason);
  }
}
