// Small document tree: elements with attributes and their place in the text.
//
// Included files are spliced in place of their include element, so that readers see one tree; every
// node still knows its own file, line and column.  Everything lives in one arena.
#ifndef CF_MJCF_DOM_H
#define CF_MJCF_DOM_H

#include <stdbool.h>
#include <stddef.h>

#include "mjcf/xml.h"

typedef struct {
  const char* name;
  const char* value;
  const struct cfRow* row;  // set by the grammar; NULL: unknown
} cfAttribute;

typedef struct cfNode {
  const char* tag;
  cfAttribute* attribute;
  int nattribute;
  int tag_id;        // set by the grammar; -1: unknown
  bool has_content;  // children, text or comments
  bool is_lenient;   // unknown attributes below a frame are only warned about
  struct cfNode *parent, *first, *last, *next;
  int file;  // index into cfDocument.files
  int line, column;
} cfNode;

typedef struct cfBlock cfBlock;

typedef struct {
  cfBlock* blocks;  // arena
  cfNode* root;
  const char* comment;   // first child of the root where that is a comment, else NULL
  const char** files;    // names as given
  const char** folders;  // folder of each file, as an include element remembers it
  int nfiles, files_room;
  long nnodes;
  char error[1024];  // syntax error, empty when there is none
  int error_code;    // MuJoCo's number of it
  cfXmlNote notes[CF_XML_NNOTE];
} cfDocument;

enum { CF_XML_MAX_DEPTH = 500, CF_XML_MAX_NODES = 20000000 };

cfDocument* cfi_newDocument(void);
void cfi_freeDocument(cfDocument* doc);

// arena
void* cfi_documentAlloc(cfDocument* doc, size_t bytes);
const char* cfi_documentText(cfDocument* doc, const char* text, size_t length);

// register a file, return its index
int cfi_documentFile(cfDocument* doc, const char* name, const char* folder);

// parse one file; returns its root or NULL with doc->error set
cfNode* cfi_parseText(cfDocument* doc, const char* text, size_t length, int file);

// put a node behind the other children
void cfi_appendChild(cfNode* parent, cfNode* child);

// value of an attribute, NULL when absent
const char* cfi_attribute(const cfNode* node, const char* name);

// next sibling or first child with a tag; NULL tag: any
cfNode* cfi_firstChild(const cfNode* node, const char* tag);
cfNode* cfi_nextSibling(const cfNode* node, const char* tag);

// put the children of `from` in place of `node` among its siblings
void cfi_spliceChildren(cfNode* node, cfNode* from);

#endif  // CF_MJCF_DOM_H
