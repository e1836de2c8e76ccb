// Fuzz target: the reader of XML alone, on a document of its own.  Nothing may crash, leak or hang,
// every place lies inside the text, and the tree's links fit together.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mjcf/dom.h"
#include "mjcf/report.h"
#include "roll.h"

static void require(int condition) {
  if (!condition) {
    abort();
  }
}


// lines, columns and parents of a tree; returns the number of its nodes
static long checkTree(const cfNode* root, int nline) {
  long count = 0;
  const cfNode* node = root;
  while (node) {
    require(node->line >= 1 && node->line <= nline && node->column >= 1);
    for (int i = 0; i < node->nattribute; i++) {
      require(cfi_attribute(node, node->attribute[i].name) == node->attribute[i].value);
    }
    count++;
    const cfNode* next = node->first;
    require(!next || next->parent == node);
    while (!next && node && node != root) {
      next = node->next;
      node = node->parent;
    }
    node = next;
  }
  return count;
}


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cfDocument* doc = cfi_newDocument();
  int file = cfi_documentFile(doc, "fuzz.xml", "");
  int nline = 1;
  for (size_t i = 0; i < size; i++) {
    nline += data[i] == '\n';
  }
  // exactly as many bytes as there are: reading on is found
  char* text = (char*)malloc(size ? size : 1);
  memcpy(text, data, size);
  cfNode* root = cfi_parseText(doc, text, size, file);
  free(text);
  require(root || doc->error[0]);
  if (root) {
    require(checkTree(root, nline) <= doc->nnodes);
  }
  char notes[4000];
  cfi_describeNotes(doc, notes, sizeof(notes));
  cfi_freeDocument(doc);
  return 0;
}


// put or repeat pieces of markup, sometimes plain mutations
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  static const char* const pieces[] = {
      "<",         ">",   "/>",    "</",           "\"",       "'",      "=",    " ",   "\n",
      "\r\n",      "&",   "&amp;", "&#65;",        ";",        "--",     "<!--", "-->", "<?",
      "?>",        "<!",  "a",     "<a>",          "</a>",     "&#x41;", "/",    "#",   "b='c'",
      "<![CDATA[", "]]>", "&lt;",  "\xEF\xBB\xBF", "<a b='c'>"};
  if (seed % 4 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const char* piece = pieces[seed / 4 % (sizeof(pieces) / sizeof(pieces[0]))];
  const size_t n = strlen(piece), at = (seed * 2654435761u >> 7) % (size + 1);
  if (size + n > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  memmove(data + at + n, data + at, size - at);
  memcpy(data + at, piece, n);
  return size + n;
}
