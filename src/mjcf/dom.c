// Document tree on top of expat; see dom.h.
#include "mjcf/dom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>
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

static void appendChild(cfNode* parent, cfNode* child) {
  CF_ASSERT(parent && child && parent != child);
  child->parent = parent;
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

//---------------------------------- expat callbacks -----------------------------------------------

typedef struct {
  cfDocument* doc;
  XML_Parser parser;
  cfNode* root;
  cfNode* open;  // innermost open element
  int depth, file, line_offset;
  const char* text;  // all of it, or NULL where its bytes are not those of the values
  size_t length;
  bool is_done;  // the root was closed: what follows is not read
} cfBuilder;

static void fail(cfBuilder* b, const char* reason) {
  if (!b->doc->error[0]) {
    snprintf(b->doc->error, sizeof(b->doc->error), "%s", reason);
  }
  XML_StopParser(b->parser, XML_FALSE);
}

static int lineHere(const cfBuilder* b) {
  return (int)XML_GetCurrentLineNumber(b->parser) + b->line_offset;
}

static void copyAttributes(cfBuilder* b, cfNode* node, const char** atts) {
  while (atts[2 * node->nattribute]) {
    node->nattribute++;
  }
  node->attribute =
      (cfAttribute*)cfi_documentAlloc(b->doc, (size_t)(node->nattribute + 1) * sizeof(cfAttribute));
  for (int i = 0; i < node->nattribute; i++) {
    const char *name = atts[2 * i], *value = atts[2 * i + 1];
    node->attribute[i].name = cfi_documentText(b->doc, name, strlen(name));
    node->attribute[i].value = cfi_documentText(b->doc, value, strlen(value));
    node->attribute[i].row = NULL;
  }
}

// does white space in a value mean something
static bool keepsSpace(const cfNode* node, const cfAttribute* attribute) {
  return strcmp(attribute->name, "name") == 0 ||
         (strcmp(node->tag, "text") == 0 && strcmp(attribute->name, "data") == 0);
}

// put line ends and tabs back that the parser has turned into spaces; `raw` is the value as it was
// written
static void restoreSpace(char* value, const char* raw, size_t length) {
  CF_ASSERT(value && raw);
  for (size_t i = 0; i < length && *value; i++) {
    if (raw[i] == '\r' && i + 1 < length && raw[i + 1] == '\n') {
      continue;
    }
    if (raw[i] == '&') {
      // one character, of several bytes perhaps
      while (i + 1 < length && raw[i] != ';') {
        i++;
      }
      while (((unsigned char)value[1] & 0xC0) == 0x80) {
        value++;
      }
    } else if (raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
      *value = raw[i] == '\t' ? '\t' : '\n';
    }
    value++;
  }
}

// attributes in the text of a start tag, in the order in which the parser reports them
static void restoreAttributes(cfBuilder* b, cfNode* node) {
  const XML_Index start = XML_GetCurrentByteIndex(b->parser);
  const size_t count = (size_t)XML_GetCurrentByteCount(b->parser);
  if (!b->text || start < 0 || (size_t)start > b->length || count > b->length - (size_t)start) {
    return;
  }
  const char *at = b->text + start, *end = at + count;
  if (!memchr(at, '\n', count) && !memchr(at, '\t', count)) {
    return;
  }
  for (int i = 0; i < node->nattribute; i++) {
    while (at < end && *at != '"' && *at != '\'') {
      at++;
    }
    const char* raw = at < end ? at + 1 : end;
    const char* close = raw < end ? (const char*)memchr(raw, *at, (size_t)(end - raw)) : NULL;
    if (!close) {
      return;
    }
    if (keepsSpace(node, node->attribute + i)) {
      restoreSpace((char*)(size_t)node->attribute[i].value, raw, (size_t)(close - raw));
    }
    at = close + 1;
  }
}

static void startElement(void* user, const char* tag, const char** atts) {
  cfBuilder* b = (cfBuilder*)user;
  if (b->doc->error[0] || b->is_done) {
    return;
  }
  if (++b->depth > CF_XML_MAX_DEPTH) {
    fail(b, "elements are nested more than 500 deep");
    return;
  }
  if (++b->doc->nnodes > CF_XML_MAX_NODES) {
    fail(b, "more than 20000000 elements");
    return;
  }

  cfNode* node = (cfNode*)cfi_documentAlloc(b->doc, sizeof(cfNode));
  *node = (cfNode){.tag = cfi_documentText(b->doc, tag, strlen(tag)),
                   .tag_id = -1,
                   .file = b->file,
                   .line = lineHere(b),
                   .column = (int)XML_GetCurrentColumnNumber(b->parser) + 1};
  copyAttributes(b, node, atts);
  restoreAttributes(b, node);
  if (b->open) {
    appendChild(b->open, node);
  } else {
    b->root = node;
  }
  b->open = node;
}

static void endElement(void* user, const char* tag) {
  (void)tag;
  cfBuilder* b = (cfBuilder*)user;
  if (b->doc->error[0] || b->is_done) {
    return;
  }
  b->depth--;
  b->open = b->open->parent;
  if (!b->open) {
    b->is_done = true;
    XML_StopParser(b->parser, XML_FALSE);
  }
}

static void readComment(void* user, const char* text) {
  cfBuilder* b = (cfBuilder*)user;
  const bool is_first_child = b->open && b->open == b->root && !b->root->first && b->file == 0;
  if (is_first_child && !b->doc->comment) {
    b->doc->comment = cfi_documentText(b->doc, text, strlen(text));
  }
}

static void refuseDoctype(void* user, const char* name, const char* sysid, const char* pubid,
                          int has_internal) {
  (void)name;
  (void)sysid;
  (void)pubid;
  (void)has_internal;
  fail((cfBuilder*)user, "DOCTYPE declarations are not allowed");
}

//---------------------------------- parsing -------------------------------------------------------

// length of the UTF-8 sequence at p, 0 if it is none
static size_t utf8Length(const unsigned char* p, const unsigned char* end) {
  CF_ASSERT(p < end);
  const size_t n = *p < 0x80                 ? 1
                   : *p >= 0xC2 && *p < 0xE0 ? 2
                   : (*p & 0xF0) == 0xE0     ? 3
                   : *p >= 0xF0 && *p < 0xF5 ? 4
                                             : 0;
  if (n == 0 || (size_t)(end - p) < n) {
    return 0;
  }
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  return n;
}

// declared encodings are ignored: text is UTF-8, or Latin-1 where it cannot be UTF-8
static const char* guessEncoding(const char* text, size_t length) {
  const unsigned char *p = (const unsigned char*)text, *end = p + length;
  while (p < end) {
    const size_t n = utf8Length(p, end);
    if (n == 0) {
      return "ISO-8859-1";
    }
    p += n;
  }
  return "UTF-8";
}

static void describeError(cfBuilder* b) {
  cfDocument* doc = b->doc;
  const char* reason = doc->error[0] ? doc->error : XML_ErrorString(XML_GetErrorCode(b->parser));
  char message[600];
  snprintf(message, sizeof(message), "%.500s", reason);
  snprintf(doc->error, sizeof(doc->error), "%s:%d:%d: %s", doc->files[b->file], lineHere(b),
           (int)XML_GetCurrentColumnNumber(b->parser) + 1, message);
}

// feed in pieces: expat takes an int
static bool feed(cfBuilder* b, const char* text, size_t length) {
  enum { PIECE = 1 << 28 };
  while (!b->is_done) {
    size_t n = length < PIECE ? length : PIECE;
    const bool is_last = n == length;
    enum XML_Status status = XML_Parse(b->parser, text, (int)n, is_last);
    if (status != XML_STATUS_OK || is_last) {
      return b->is_done && !b->doc->error[0];
    }
    text += n;
    length -= n;
  }
  return true;
}

cfNode* cfi_parseText(cfDocument* doc, const char* text, size_t length, int file) {
  CF_ASSERT(doc && text && file >= 0);
  cfBuilder b = {.doc = doc, .file = file};
  doc->error[0] = 0;

  // blank lines may stand before the declaration
  while (length && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')) {
    b.line_offset += *text == '\n';
    text++;
    length--;
  }
  while (length && !text[length - 1]) {
    length--;
  }

  const char* encoding = guessEncoding(text, length);
  b.text = strcmp(encoding, "UTF-8") == 0 ? text : NULL;
  b.length = length;
  b.parser = XML_ParserCreate(encoding);
  if (!b.parser) {
    outOfMemory();
    return NULL;
  }
  XML_SetUserData(b.parser, &b);
  XML_SetElementHandler(b.parser, startElement, endElement);
  XML_SetCommentHandler(b.parser, readComment);
  XML_SetStartDoctypeDeclHandler(b.parser, refuseDoctype);
  bool is_ok = feed(&b, text, length);
  if (!is_ok) {
    describeError(&b);
  }
  XML_ParserFree(b.parser);
  return is_ok ? b.root : NULL;
}
