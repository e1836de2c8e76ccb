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

// add model folder + asset folder + name, unless it stands there already
static void listFile(cfVec* files, const char* model_folder, const char* folder, const char* name) {
  char* inner = cfi_joinPath(folder, name);
  char* path = cfi_joinPath(model_folder, inner ? inner : name);
  if (path && !isKnownFile(files, path)) {
    cfi_pushString(files, path, strlen(path));
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
static void listElement(cfVec* files, const cfNode* node, const char* model_folder,
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
      listFile(files, model_folder, folder, name);
    }
  }
}

// everything one XML file names; false if it cannot be read
static bool listFilesOf(cfVec* files, const char* filename) {
  char error[1024] = "";
  mjResource* resource = mju_openResource("", filename, NULL, error, sizeof(error));
  const void* text = NULL;
  const int length = resource ? mju_readResource(resource, &text) : -1;
  cfDocument* doc = cfi_newDocument();
  cfi_documentFile(doc, filename, "");
  cfNode* root = length > 0 ? cfi_parseText(doc, (const char*)text, (size_t)length, 0) : NULL;
  if (root) {
    const char* folder = NULL;
    int nfolder = 0;
    char folder_text[1024];
    mju_getResourceDir(resource, &folder, &nfolder);
    snprintf(folder_text, sizeof(folder_text), "%.*s", nfolder, folder ? folder : "");
    const cfFolders folders = findFolders(root);
    for (const cfNode* node = root; node; node = nextInDocument(node)) {
      listElement(files, node, folder_text, &folders);
    }
  }
  cfi_freeDocument(doc);
  mju_closeResource(resource);
  return root != NULL;
}

static bool isXml(const char* name) {
  const char* extension = cfi_fileExtension(name);
  return strcmp(extension, ".xml") == 0 || strcmp(extension, ".urdf") == 0;
}

// files are read in the order in which they were found, each once
void mju_getXMLDependencies(const char* filename, mjStringVec* dependencies) {
  cfVec* files = (cfVec*)dependencies;
  cfi_clearStrings(files);
  cfi_pushString(files, filename, strlen(filename));
  for (int i = 0; i < cfi_countStrings(files); i++) {
    char* name = cfi_joinPath("", cfi_text(cfi_strings(files) + i));
    const bool is_read = !name || !isXml(name) || listFilesOf(files, name);
    mju_free(name);
    if (!is_read && i == 0) {
      mju_error("Problem reading XML file '%s'", filename);
      return;
    }
  }
}
