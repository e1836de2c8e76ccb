// GMSH files, versions 2.2 and 4.1, as text or binary: the sections Nodes and Elements.  A file
// holds lines, triangles or tetrahedra in one block; its dimension is the one of the flex.
//
//   4.1 text    nblock nnode mintag maxtag, dim tag parametric nnode; tags; coordinates
//               nblock nelem mintag maxtag, dim tag type nelem; tag and nodes of each element
//       binary  the same in 8 byte integers and doubles, the three numbers of the block in 4 bytes
//   2.2 text    nnode; tag x y z each.  nelem; tag type ntag, two tags if ntag > 0, nodes each
//       binary  counts as text; 4 byte integers and doubles.  Elements as GMSH writes them, each
//               with a header (type, 1, ntag, tag, two tags), or as fTetWild does, with one header
//               (type, count, 0) for all
#include "mjcf/flexcomp.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "mjcf/number.h"

// what is between the begin and the end of a section
typedef struct {
  const char *at, *end;
} gmshSection;

typedef struct {
  cfFlexcomp* f;
  gmshSection nodes, elements;
  bool is_binary;
  uint64_t first_tag;  // of nodes, 4.1
  uint64_t nnode;
} gmshFile;

static const char blanks[] = " \t\n\r\v\f";

//---------------------------------- text ----------------------------------------------------------

// next word as a text of its own; false at the end of the section, also where the word touches it
static bool takeWord(gmshSection* s, char word[64]) {
  size_t length = 0;
  while (s->at < s->end && memchr(blanks, *s->at, 6)) {
    s->at++;
  }
  while (s->at < s->end && !memchr(blanks, *s->at, 6) && length < 63) {
    word[length++] = *s->at++;
  }
  word[length] = 0;
  return length > 0 && length < 63 && s->at < s->end;
}

static bool takeCount(gmshSection* s, uint64_t* value) {
  char word[64];
  *value = 0;
  if (!takeWord(s, word)) {
    return false;
  }
  for (const char* c = word; *c; c++) {
    if (*c < '0' || *c > '9' || *value > (UINT64_MAX - 9) / 10) {
      return false;
    }
    *value = 10 * *value + (uint64_t)(*c - '0');
  }
  return true;
}

static bool takeReal(gmshSection* s, double* value) {
  char word[64];
  const char* cursor = word;
  return takeWord(s, word) && cfi_nextDouble(&cursor, value) == CF_NUMBER_OK;
}

static bool takeCounts(gmshSection* s, uint64_t* value, int count) {
  for (int i = 0; i < count; i++) {
    if (!takeCount(s, value + i)) {
      return false;
    }
  }
  return true;
}

//---------------------------------- binary --------------------------------------------------------

static bool takeBytes(gmshSection* s, void* to, size_t size) {
  if ((size_t)(s->end - s->at) < size) {
    return false;
  }
  memcpy(to, s->at, size);
  s->at += size;
  return true;
}

// integers of 8 or 4 bytes
static bool takeWide(gmshSection* s, uint64_t* value, int count) {
  return takeBytes(s, value, (size_t)count * sizeof(uint64_t));
}

static bool takeNarrow(gmshSection* s, uint64_t* value, int count) {
  for (int i = 0; i < count; i++) {
    int32_t narrow;
    if (!takeBytes(s, &narrow, sizeof(narrow))) {
      return false;
    }
    value[i] = (uint64_t)(int64_t)narrow;
  }
  return true;
}

//---------------------------------- version 4.1 ---------------------------------------------------

// first eight numbers of a section: blocks, items, least and greatest tag; then of the only block
// dimension, tag, kind, items
enum { BLOCKS, ITEMS, MIN_TAG, MAX_TAG, DIM, BLOCK_TAG, KIND, BLOCK_ITEMS, HEADER };

static bool takeHeader(const gmshFile* g, gmshSection* s, uint64_t header[HEADER]) {
  if (!g->is_binary) {
    return takeCounts(s, header, HEADER);
  }
  return takeWide(s, header, 4) && takeNarrow(s, header + DIM, 3) &&
         takeWide(s, header + BLOCK_ITEMS, 1);
}

static bool takeInteger(const gmshFile* g, gmshSection* s, uint64_t* value) {
  return g->is_binary ? takeWide(s, value, 1) : takeCount(s, value);
}

// one block, whose items fit into the section
static bool checkGmshBlock(gmshFile* g, const gmshSection* s, const uint64_t header[HEADER],
                           const char* what) {
  if (header[BLOCKS] != 1 || header[ITEMS] != header[BLOCK_ITEMS]) {
    return cfi_badFlexcomp(g->f, "All %s must be in single block", what);
  }
  if (header[ITEMS] > CF_FLEXCOMP_MAX_POINTS * 10 || header[ITEMS] > (uint64_t)(s->end - s->at)) {
    return cfi_badFlexcomp(g->f, "Invalid number of %s", what);
  }
  return true;
}

static bool readTags41(gmshFile* g) {
  for (uint64_t i = 0; i < g->nnode; i++) {
    uint64_t tag;
    if (!takeInteger(g, &g->nodes, &tag)) {
      return cfi_badFlexcomp(g->f, "Error reading node tags");
    }
    if (tag != i + g->first_tag) {
      return cfi_badFlexcomp(g->f, "Node tags must be sequential");
    }
  }
  return true;
}

static bool readCoordinates(gmshFile* g, size_t count) {
  double* p = (double*)cfi_growVec(&g->f->point, count, sizeof(double));
  for (size_t i = 0; i < count; i++) {
    if (!(g->is_binary ? takeBytes(&g->nodes, p + i, sizeof(double))
                       : takeReal(&g->nodes, p + i))) {
      return cfi_badFlexcomp(g->f, "Error reading node coordinates");
    }
  }
  return true;
}

static bool readNodes41(gmshFile* g) {
  uint64_t header[HEADER];
  if (!takeHeader(g, &g->nodes, header)) {
    return cfi_badFlexcomp(g->f, "Error reading Nodes header");
  }
  if (!checkGmshBlock(g, &g->nodes, header, "nodes")) {
    return false;
  }
  if (!g->is_binary && header[MAX_TAG] != header[BLOCK_ITEMS]) {
    return cfi_badFlexcomp(g->f,
                           "Maximum number of nodes must be equal to number of nodes in a block");
  }
  if (header[DIM] < 1 || header[DIM] > 3) {
    return cfi_badFlexcomp(g->f, "Entity must be 1D, 2D or 3D");
  }
  g->f->flex->dim = (int)header[DIM];
  g->first_tag = header[MIN_TAG];
  g->nnode = header[ITEMS];
  return readTags41(g) && readCoordinates(g, 3 * (size_t)g->nnode);
}

static bool readElements41(gmshFile* g) {
  static const uint64_t kinds[4] = {0, 1, 2, 4};
  uint64_t header[HEADER];
  if (!takeHeader(g, &g->elements, header)) {
    return cfi_badFlexcomp(g->f, "Error reading Elements header");
  }
  if (!checkGmshBlock(g, &g->elements, header, "elements")) {
    return false;
  }
  if (header[DIM] != (uint64_t)g->f->flex->dim) {
    return cfi_badFlexcomp(g->f, "Inconsistent dimensionality in Elements");
  }
  if (header[KIND] != kinds[header[DIM]]) {
    return cfi_badFlexcomp(g->f, "Element type inconsistent with dimensionality");
  }
  for (uint64_t i = 0; i < header[ITEMS]; i++) {
    uint64_t tag;
    int* element = (int*)cfi_growVec(&g->f->element, (size_t)header[DIM] + 1, sizeof(int));
    bool is_good = takeInteger(g, &g->elements, &tag);
    for (uint64_t k = 0; k <= header[DIM] && is_good; k++) {
      is_good = takeInteger(g, &g->elements, &tag);
      // a tag that is no node's is found when elements are checked
      tag -= g->first_tag;
      element[k] = tag < g->nnode ? (int)tag : INT_MAX;
    }
    if (!is_good) {
      return cfi_badFlexcomp(g->f, "Error reading Elements");
    }
  }
  return true;
}

//---------------------------------- version 2.2 ---------------------------------------------------

// the count stands in a line of its own, in binary files too
static bool takeCountLine(gmshFile* g, gmshSection* s, uint64_t* count, const char* what) {
  const char* line_end = (const char*)memchr(s->at, '\n', (size_t)(s->end - s->at));
  gmshSection line = {s->at, line_end ? line_end + 1 : s->end};
  char more[64];
  if (!line_end || !takeCount(&line, count) || takeWord(&line, more)) {
    return cfi_badFlexcomp(g->f, "Error reading %s header", what);
  }
  s->at = line_end + 1;
  if (*count > CF_FLEXCOMP_MAX_POINTS * 10 || *count > (uint64_t)(s->end - s->at)) {
    return cfi_badFlexcomp(g->f, "Invalid number of %s", what);
  }
  return true;
}

static bool readNodes22(gmshFile* g) {
  if (!takeCountLine(g, &g->nodes, &g->nnode, "nodes")) {
    return false;
  }
  g->first_tag = 1;
  for (uint64_t i = 0; i < g->nnode; i++) {
    uint64_t tag;
    if (!(g->is_binary ? takeNarrow(&g->nodes, &tag, 1) : takeCount(&g->nodes, &tag))) {
      return cfi_badFlexcomp(g->f, "Error reading node tags");
    }
    if (!readCoordinates(g, 3)) {
      return false;
    }
  }
  return true;
}

// nodes of one element
static bool readCorners22(gmshFile* g) {
  const int ncorner = g->f->flex->dim + 1;
  int* element = (int*)cfi_growVec(&g->f->element, (size_t)ncorner, sizeof(int));
  for (int k = 0; k < ncorner; k++) {
    uint64_t tag;
    if (!(g->is_binary ? takeNarrow(&g->elements, &tag, 1) : takeCount(&g->elements, &tag))) {
      return cfi_badFlexcomp(g->f, "Error reading Elements");
    }
    if (tag < 1 || tag > g->nnode) {
      return cfi_badFlexcomp(g->f, "Invalid node tag");
    }
    element[k] = (int)tag - 1;
  }
  return true;
}

// triangles or tetrahedra, as the first element is
static bool setKind22(gmshFile* g, uint64_t kind) {
  if (kind != 2 && kind != 4) {
    return cfi_badFlexcomp(g->f, "Invalid number of node tags");
  }
  g->f->flex->dim = kind == 2 ? 2 : 3;
  return true;
}

// one header for all elements where they have no tags in a binary file, else one for each
static bool readElementList22(gmshFile* g, uint64_t count) {
  const char* trouble =
      g->is_binary ? "Insufficient byte size of Elements" : "Error reading Elements";
  bool (*take)(gmshSection*, uint64_t*, int) = g->is_binary ? takeNarrow : takeCounts;
  const int type = g->is_binary ? 0 : 1, ntag = 2;  // places in the header
  uint64_t head[3] = {0, 0, 0}, tag, tags[2];
  for (uint64_t i = 0; i < count; i++) {
    const bool has_head = !g->is_binary || i == 0 || head[ntag] > 0;
    if ((has_head && !take(&g->elements, head, 3)) ||
        (g->is_binary && !take(&g->elements, &tag, 1))) {
      return cfi_badFlexcomp(g->f, "%s", trouble);
    }
    if (i == 0 && !setKind22(g, head[type])) {
      return false;
    }
    if (head[ntag] > 0 && !take(&g->elements, tags, 2)) {
      return cfi_badFlexcomp(g->f, "%s", trouble);
    }
    if (!readCorners22(g)) {
      return false;
    }
  }
  return true;
}

static bool readElements22(gmshFile* g) {
  uint64_t count;
  return takeCountLine(g, &g->elements, &count, "elements") && readElementList22(g, count);
}

//---------------------------------- file ----------------------------------------------------------

// first place of a text, NULL if there is none
static const char* findText(const char* data, size_t size, const char* text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length < size; i++) {
    if (memcmp(data + i, text, length) == 0) {
      return data + i;
    }
  }
  return NULL;
}

static bool findSection(gmshFile* g, const char* data, size_t size, const char* name,
                        gmshSection* section) {
  char begin[32], end[32];
  snprintf(begin, sizeof(begin), "$%s", name);
  snprintf(end, sizeof(end), "$End%s", name);
  const char* at = findText(data, size, begin);
  if (!at) {
    return cfi_badFlexcomp(g->f, "GMSH file missing $%s", name);
  }

  // one character ends the line, more of them are blanks
  section->at = at + strlen(begin) + 1;
  section->end = findText(data, size, end);
  if (!section->end || section->end < section->at) {
    return cfi_badFlexcomp(g->f, "GMSH file missing $End%s after $%s", name, name);
  }
  return true;
}

bool cfi_readGmsh(cfFlexcomp* f, const void* data, size_t size) {
  static const char magic[] = "$MeshFormat";
  const char* text = (const char*)data;
  const size_t length = sizeof(magic) - 1;
  gmshFile g = {.f = f};
  if (size < length || memcmp(text, magic, length) != 0) {
    return cfi_badFlexcomp(f, "GMSH file must begin with $MeshFormat");
  }
  gmshSection head = {text + length, text + size};
  double version;
  uint64_t binary;
  if (!takeReal(&head, &version) || !takeCount(&head, &binary)) {
    return cfi_badFlexcomp(f, "Could not read GMSH file header");
  }
  const bool is_old = fabs(version - 2.2) < 0.005;
  if (!is_old && fabs(version - 4.1) >= 0.005) {
    return cfi_badFlexcomp(f, "Only GMSH file format versions 4.1 and 2.2 are supported");
  }
  g.is_binary = binary != 0;
  if (!findSection(&g, text, size, "Nodes", &g.nodes) ||
      !findSection(&g, text, size, "Elements", &g.elements)) {
    return false;
  }
  return is_old ? readNodes22(&g) && readElements22(&g) : readNodes41(&g) && readElements41(&g);
}

bool cfi_loadFlexGmsh(cfFlexcomp* f) {
  mjResource* resource = cfi_openFlexFile(f);
  if (!resource) {
    return false;
  }
  const void* bytes = NULL;
  const int size = mju_readResource(resource, &bytes);
  const bool is_read = size < 0    ? cfi_badFlexcomp(f, "Could not read GMSH file")
                       : size == 0 ? cfi_badFlexcomp(f, "Empty GMSH file")
                                   : cfi_readGmsh(f, bytes, (size_t)size);
  mju_closeResource(resource);
  if (!is_read) {
    // MuJoCo's messages about these files begin so
    char reason[sizeof(f->problem)];
    snprintf(reason, sizeof(reason), "%s", f->problem);
    return cfi_badFlexcomp(f, "Error: %s", reason);
  }
  return true;
}
