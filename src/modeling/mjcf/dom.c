// Document tree; see dom.h.
#include "mjcf/dom.h"

#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

//---------------------------------- arena ---------------------------------------------------------

struct cfBlock {
  cfBlock* next;
  size_t used, size;
};

enum { NODE_BLOCK_BYTES = 1 << 16, BLOCK_HEAD = (sizeof(cfBlock) + 15) / 16 * 16 };

static void outOfMemory(void) {
  mju_error("could not allocate memory for an XML document");
  abort();
}

void* cfi_documentAlloc(cfDocument* doc, size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  if (!doc->blocks || doc->blocks->size - doc->blocks->used < bytes) {
    const size_t size =
        bytes + BLOCK_HEAD > NODE_BLOCK_BYTES ? bytes + BLOCK_HEAD : NODE_BLOCK_BYTES;
    cfBlock* block = (cfBlock*)malloc(size);
    if (!block) {
      outOfMemory();
      return NULL;
    }
    *block = (cfBlock){doc->blocks, BLOCK_HEAD, size};
    doc->blocks = block;
  }
  void* result = (char*)doc->blocks + doc->blocks->used;
  doc->blocks->used += bytes;
  return result;
}

const char* cfi_documentText(cfDocument* doc, const char* text, size_t length) {
  CF_ASSERT(doc && text);
  char* copy = (char*)cfi_documentAlloc(doc, length + 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

cfDocument* cfi_newDocument(void) {
  cfDocument* doc = (cfDocument*)calloc(1, sizeof(cfDocument));
  if (!doc) {
    outOfMemory();
  }
  return doc;
}

void cfi_freeDocument(cfDocument* doc) {
  while (doc && doc->blocks) {
    cfBlock* block = doc->blocks;
    doc->blocks = block->next;
    free(block);
  }
  free(doc);
}

int cfi_documentFile(cfDocument* doc, const char* name, const char* folder) {
  if (doc->nfiles == doc->files_room) {
    const int room = doc->files_room ? 2 * doc->files_room : 8;
    const char** files = (const char**)cfi_documentAlloc(doc, (size_t)room * sizeof(char*));
    const char** folders = (const char**)cfi_documentAlloc(doc, (size_t)room * sizeof(char*));
    if (doc->nfiles) {
      memcpy(files, doc->files, (size_t)doc->nfiles * sizeof(char*));
      memcpy(folders, doc->folders, (size_t)doc->nfiles * sizeof(char*));
    }
    doc->files = files;
    doc->folders = folders;
    doc->files_room = room;
  }
  doc->files[doc->nfiles] = cfi_documentText(doc, name, strlen(name));
  doc->folders[doc->nfiles] = cfi_documentText(doc, folder, strlen(folder));
  return doc->nfiles++;
}

//---------------------------------- tree ----------------------------------------------------------

const char* cfi_attribute(const cfNode* node, const char* name) {
  CF_ASSERT(node && name);
  for (int i = 0; i < node->nattribute; i++) {
    if (strcmp(node->attribute[i].name, name) == 0) {
      return node->attribute[i].value;
    }
  }
  return NULL;
}

static cfNode* firstWithTag(cfNode* node, const char* tag) {
  while (node && tag && strcmp(node->tag, tag) != 0) {
    node = node->next;
  }
  return node;
}

cfNode* cfi_firstChild(const cfNode* node, const char* tag) {
  return firstWithTag(node->first, tag);
}

cfNode* cfi_nextSibling(const cfNode* node, const char* tag) {
  return firstWithTag(node->next, tag);
}

void cfi_appendChild(cfNode* parent, cfNode* child) {
  CF_ASSERT(parent && child && parent != child);
  child->parent = parent;
  parent->has_content = true;
  if (parent->last) {
    parent->last->next = child;
  } else {
    parent->first = child;
  }
  parent->last = child;
}

void cfi_spliceChildren(cfNode* node, cfNode* from) {
  cfNode* parent = node->parent;
  CF_ASSERT(parent && from->first);
  for (cfNode* child = from->first; child; child = child->next) {
    child->parent = parent;
  }
  cfNode** link = &parent->first;
  while (*link != node) {
    link = &(*link)->next;
  }
  *link = from->first;
  from->last->next = node->next;
  if (parent->last == node) {
    parent->last = from->last;
  }
}
