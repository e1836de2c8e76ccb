// Reader of XML text.
//
// Users' files are written for a forgiving reader: attributes touch, comments hold dashes,
// ampersands stand alone.  This reader takes them as MuJoCo 3.5.0 does and notes each liberty
// (xml.h); what that refuses (repeated attributes, text after the last tag, declarations behind
// other things) is an error here with line and column.
//
// The text is copied once, up to its first zero byte.  Values stay in the copy: the closing quote
// becomes their end, and entities are replaced in place.  Nesting is followed by pointers to
// parents, not by recursion.
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "mjcf/dom.h"

// a place in the text, found by walking on from an earlier one
typedef struct {
  const char* at;
  int line, column;
} xmlPlace;

typedef struct {
  cfDocument* doc;
  int file;
  char *copy, *at;        // the copy, and its next character; it ends with a zero
  const char* text;       // what was copied, for places: values change in the copy
  xmlPlace place;         // of the last tag
  const char* value_end;  // behind the last value
  cfNode *root, *open;
  int depth;
  bool has_other;     // something else than declarations was read
  bool is_over;       // a closing tag without an open element ends the document
  cfAttribute* list;  // attributes of the tag that is being read
  int nlist, list_room;
} xmlReader;

//---------------------------------- places, messages, notes ---------------------------------------

// columns count characters, so bytes inside a UTF-8 sequence are left out
static xmlPlace walkTo(xmlPlace from, const char* at) {
  CF_ASSERT(from.at && at);
  for (; from.at < at; from.at++) {
    if (*from.at == '\n') {
      from.line++;
      from.column = 1;
    } else {
      from.column += ((unsigned char)*from.at & 0xC0) != 0x80;
    }
  }
  return from;
}

// codes that MuJoCo puts into its messages
typedef enum {
  CODE_ELEMENT = 6,
  CODE_ATTRIBUTE,
  CODE_TEXT,
  CODE_CDATA,
  CODE_COMMENT,
  CODE_DECLARATION,
  CODE_UNKNOWN,
  CODE_EMPTY,
  CODE_MISMATCH,
  CODE_PARSING,
  CODE_DEPTH = 18
} xmlCode;

// stop with a message; the first one stays
static bool refuseXml(xmlReader* x, xmlCode code, const char* at, const char* reason,
                      const char* name) {
  if (!x->doc->error[0]) {
    xmlPlace place = walkTo(x->place, x->text + (at - x->copy));
    int used = snprintf(x->doc->error, sizeof(x->doc->error),
                        "%.500s:%d:%d: ", x->doc->files[x->file], place.line, place.column);
    // the reason has one place for a name
    char text[400];
    snprintf(text, sizeof(text), "%.100s", name ? name : "");
    const char* hole = strchr(reason, '@');
    snprintf(x->doc->error + used, sizeof(x->doc->error) - (size_t)used, "%.*s%s%s",
             hole ? (int)(hole - reason) : (int)strlen(reason), reason, hole ? text : "",
             hole ? hole + 1 : "");
    x->doc->error_code = code;
  }
  return false;
}

static void noteLiberty(xmlReader* x, cfXmlLiberty liberty, const char* at) {
  cfXmlNote* entry = x->doc->notes + liberty;
  if (entry->count++ == 0) {
    xmlPlace place = walkTo(x->place, x->text + (at - x->copy));
    *entry = (cfXmlNote){1, x->file, place.line, place.column};
  }
}

//---------------------------------- characters ----------------------------------------------------

static bool isXmlBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool startsName(char c) {
  return (unsigned char)c >= 128 || isalpha((unsigned char)c) || c == ':' || c == '_';
}

static bool isInName(char c) {
  return startsName(c) || isdigit((unsigned char)c) || c == '.' || c == '-';
}

static void skipXmlBlanks(xmlReader* x) {
  while (isXmlBlank(*x->at)) {
    x->at++;
  }
}

static bool beginsWith(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

// name at the reader's position, NULL if there is none
static const char* takeName(xmlReader* x) {
  const char* start = x->at;
  if (!startsName(*start)) {
    return NULL;
  }
  while (isInName(*x->at)) {
    x->at++;
  }
  return cfi_documentText(x->doc, start, (size_t)(x->at - start));
}

//---------------------------------- values --------------------------------------------------------

// bytes of a character in UTF-8
static int encodeUtf8(uint32_t code, char* out) {
  CF_ASSERT(code <= 0x10FFFF);
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  int n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = n - 1; i > 0; i--) {
    out[i] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  out[0] = (char)((0xF00 >> n & 0xFF) | code);
  return n;
}

// number of the character written at p, "#…;" or "#x…;"; *end is set behind the semicolon, NULL if
// it is none.  Digits are taken from the last one back to the nearest x or #; places above the
// largest number all weigh the same, so that leading zeros do no harm
static uint32_t characterNumber(const char* p, const char** end) {
  CF_ASSERT(*p == '#');
  enum { LARGEST = 0x10FFFF };
  const bool is_hex = p[1] == 'x';
  const char *first = p + (is_hex ? 2 : 1), *digit = *first ? strchr(first, ';') : NULL;
  uint32_t code = 0, weight = 1;
  *end = NULL;
  if (!digit) {
    return 0;
  }
  const char* behind = digit + 1;
  for (digit--; *digit != (is_hex ? 'x' : '#'); digit--) {
    bool is_digit = is_hex ? isxdigit((unsigned char)*digit) : isdigit((unsigned char)*digit);
    if (!is_digit) {
      return 0;
    }
    code += weight * (uint32_t)(*digit <= '9' ? *digit - '0' : (*digit | 0x20) - 'a' + 10);
    weight *= is_hex ? 16 : 10;
    weight = weight > LARGEST ? LARGEST : weight;
  }
  *end = code <= LARGEST ? behind : NULL;
  return code;
}

// replace the entity at `from`, an ampersand: bytes go to *to, the place behind it is returned.
// A bare ampersand keeps the byte that stands at *to: where an entity before it made the value
// shorter that is an old one, and MuJoCo's models have it in their names.  "&#" at the end loses
// its ampersand
static const char* takeEntity(xmlReader* x, const char* from, char** to) {
  static const struct {
    const char* name;
    char value;
  } known[] = {{"quot;", '"'}, {"amp;", '&'}, {"apos;", '\''}, {"lt;", '<'}, {"gt;", '>'}};
  if (from[1] == '#' && from[2]) {
    const char* end;
    uint32_t code = characterNumber(from + 1, &end);
    if (end) {
      *to += encodeUtf8(code, *to);
      return end;
    }
    noteLiberty(x, CF_XML_BARE_AMPERSAND, from);
    *(*to)++ = *from;
    return from + 1;
  }
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    if (beginsWith(from + 1, known[i].name)) {
      *(*to)++ = known[i].value;
      return from + 1 + strlen(known[i].name);
    }
  }
  noteLiberty(x, CF_XML_BARE_AMPERSAND, from);
  *to += from[1] != '#';
  return from + 1;
}

// entities and line ends of a value, in place
static void settleValue(xmlReader* x, char* value, const char* end) {
  CF_ASSERT(value <= end && *end == 0);
  char* to = value;
  for (const char* from = value; from < end;) {
    if (*from == '&') {
      from = takeEntity(x, from, &to);
    } else if (*from == '\r' || *from == '\n') {
      char other = *from == '\r' ? '\n' : '\r';
      from += from[1] == other ? 2 : 1;
      *to++ = '\n';
    } else {
      if (*from == '<') {
        noteLiberty(x, CF_XML_ANGLE_IN_VALUE, from);
      }
      *to++ = *from++;
    }
  }
  *to = 0;
}

//---------------------------------- tags ----------------------------------------------------------

static bool wasGiven(const xmlReader* x, const char* name) {
  for (int i = 0; i < x->nlist; i++) {
    if (strcmp(x->list[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static void keepAttribute(xmlReader* x, const char* name, const char* value) {
  if (x->nlist == x->list_room) {
    int room = x->list_room ? 2 * x->list_room : 32;
    cfAttribute* list = (cfAttribute*)realloc(x->list, (size_t)room * sizeof(cfAttribute));
    if (!list) {
      refuseXml(x, CODE_PARSING, x->at, "could not allocate memory for attributes", NULL);
      return;
    }
    x->list = list;
    x->list_room = room;
  }
  x->list[x->nlist++] = (cfAttribute){name, value, NULL};
}

// whether the attribute before this one seems to have taken in the start of a tag
static bool hasSwallowedTag(const xmlReader* x) {
  return x->nlist && strchr(x->list[x->nlist - 1].value, '<');
}

static bool readAttribute(xmlReader* x) {
  enum { MAX_ATTRIBUTES = 1000 };  // of one tag: each is compared with all before it
  const char* start = x->at;
  if (x->at == x->value_end) {
    noteLiberty(x, CF_XML_NO_SPACE, x->at);
  }
  const char* name = takeName(x);
  CF_ASSERT(name != NULL);
  skipXmlBlanks(x);
  if (*x->at != '=') {
    return refuseXml(x, CODE_ATTRIBUTE, start,
                     hasSwallowedTag(x)
                         ? "attribute '@' has no value; a quote may be missing before"
                         : "attribute '@' has no value",
                     name);
  }
  x->at++;
  skipXmlBlanks(x);
  char quote = *x->at;
  if (quote != '"' && quote != '\'') {
    return refuseXml(x, CODE_ATTRIBUTE, start, "value of attribute '@' is not in quotes", name);
  }
  char* value = x->at + 1;
  char* close = strchr(value, quote);
  if (!close) {
    return refuseXml(x, CODE_ATTRIBUTE, start, "value of attribute '@' has no closing quote", name);
  }
  if (x->nlist == MAX_ATTRIBUTES) {
    return refuseXml(x, CODE_ATTRIBUTE, start,
                     "attribute '@' is one more than the 1000 that a tag may have", name);
  }
  if (wasGiven(x, name)) {
    return refuseXml(x, CODE_ATTRIBUTE, start, "attribute '@' is repeated", name);
  }
  *close = 0;
  settleValue(x, value, close);
  keepAttribute(x, name, value);
  x->at = close + 1;
  x->value_end = x->at;
  return !x->doc->error[0];
}

// how a tag ends
typedef enum { TAG_BAD, TAG_OPEN, TAG_CLOSED } xmlTagEnd;

static xmlTagEnd readAttributes(xmlReader* x, const char* tag) {
  x->nlist = 0;
  for (;;) {
    skipXmlBlanks(x);
    if (startsName(*x->at)) {
      if (!readAttribute(x)) {
        return TAG_BAD;
      }
    } else if (*x->at == '>') {
      x->at++;
      return TAG_OPEN;
    } else if (beginsWith(x->at, "/>")) {
      x->at += 2;
      return TAG_CLOSED;
    } else {
      refuseXml(
          x, CODE_ELEMENT, x->at,
          !*x->at ? "tag of element '@' does not end"
          : hasSwallowedTag(x)
              ? "tag of element '@' has characters that belong to no attribute; a quote may be missing before"
              : "tag of element '@' has characters that belong to no attribute",
          tag);
      return TAG_BAD;
    }
  }
}

// a node in the tree, with the attributes that were read; elements after the root are not kept
static cfNode* insertNode(xmlReader* x, const char* tag) {
  cfNode* node = (cfNode*)cfi_documentAlloc(x->doc, sizeof(cfNode));
  *node = (cfNode){.tag = tag,
                   .tag_id = -1,
                   .file = x->file,
                   .line = x->place.line,
                   .column = x->place.column,
                   .nattribute = x->nlist};
  size_t bytes = (size_t)x->nlist * sizeof(cfAttribute);
  node->attribute = (cfAttribute*)cfi_documentAlloc(x->doc, bytes + 1);
  if (bytes) {
    memcpy(node->attribute, x->list, bytes);
  }
  if (x->open) {
    cfi_appendChild(x->open, node);
  } else if (!x->root) {
    x->root = node;
  }
  return node;
}

static bool openElement(xmlReader* x, const char* tag, xmlTagEnd end, const char* start) {
  if (!x->open && x->root) {
    noteLiberty(x, CF_XML_SECOND_ROOT, start);
  }
  if (++x->doc->nnodes > CF_XML_MAX_NODES) {
    return refuseXml(x, CODE_PARSING, start, "more than 20000000 elements", NULL);
  }
  cfNode* node = insertNode(x, tag);
  if (end == TAG_OPEN) {
    x->open = node;
    if (++x->depth >= CF_XML_MAX_DEPTH - 1) {
      return refuseXml(x, CODE_DEPTH, start, "elements are nested more than 500 deep", NULL);
    }
  }
  return true;
}

static bool closeElement(xmlReader* x, const char* tag, const char* start) {
  if (x->nlist) {
    noteLiberty(x, CF_XML_CLOSING_TAG, start);
  }
  if (!x->open) {
    noteLiberty(x, CF_XML_STRAY_CLOSING, start);
    x->is_over = true;
    return true;
  }
  if (strcmp(x->open->tag, tag) != 0) {
    char reason[200];
    snprintf(reason, sizeof(reason), "'@' closes nothing: element '%.60s' of line %d is open",
             x->open->tag, x->open->line);
    return refuseXml(x, CODE_MISMATCH, start, reason, tag);
  }
  x->open = x->open->parent;
  x->depth--;
  return true;
}

// opening, closing or empty tag
static bool readTag(xmlReader* x) {
  const char* start = x->at++;
  x->place = walkTo(x->place, x->text + (start - x->copy));
  if (isXmlBlank(*x->at)) {
    noteLiberty(x, CF_XML_SPACED_TAG, start);
  }
  skipXmlBlanks(x);
  bool is_closing = *x->at == '/';
  x->at += is_closing;
  const char* tag = takeName(x);
  if (!tag) {
    return refuseXml(x, CODE_PARSING, start, "a tag has no name", NULL);
  }
  xmlTagEnd end = readAttributes(x, tag);
  if (end == TAG_BAD) {
    return false;
  }
  if (is_closing && end == TAG_OPEN) {
    return closeElement(x, tag, start);
  }
  if (is_closing) {
    noteLiberty(x, CF_XML_CLOSING_TAG, start);
  }
  return openElement(x, tag, end, start);
}

//---------------------------------- everything else -----------------------------------------------

// go behind the head of a piece and then behind the next `mark`; false if there is none
static bool passMark(xmlReader* x, const char* head, const char* mark) {
  CF_ASSERT(beginsWith(x->at, head));
  char* found = strstr(x->at + strlen(head), mark);
  x->at = found ? found + strlen(mark) : x->at;
  return found != NULL;
}

static bool readComment(xmlReader* x) {
  const char *start = x->at, *text = x->at + 4;
  if (!passMark(x, "<!--", "-->")) {
    return refuseXml(x, CODE_COMMENT, start, "comment does not end", NULL);
  }
  size_t length = (size_t)(x->at - 3 - text);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '-' && text[i + 1] == '-') {
      noteLiberty(x, CF_XML_COMMENT_DASHES, text + i);
      i++;
    }
  }
  bool is_first = x->open && x->open == x->root && !x->root->has_content && x->file == 0;
  if (is_first && !x->doc->comment) {
    x->doc->comment = cfi_documentText(x->doc, text, length);
  }
  return true;
}

static bool readDeclaration(xmlReader* x, bool is_late) {
  const char* start = x->at;
  if (!passMark(x, "<?", "?>")) {
    return refuseXml(x, CODE_DECLARATION, start, "declaration does not end", NULL);
  }
  if (x->has_other) {
    return refuseXml(x, CODE_DECLARATION, start, "declarations must stand before everything else",
                     NULL);
  }
  if (is_late) {
    noteLiberty(x, CF_XML_LATE_DECLARATION, start);
  }
  return true;
}

static bool readText(xmlReader* x) {
  const char* start = x->at;
  if (!passMark(x, "", "<") || !*x->at) {
    return refuseXml(x, CODE_TEXT, start, "text is followed by no tag", NULL);
  }
  x->at--;
  if (!x->open) {
    noteLiberty(x, CF_XML_OUTER_TEXT, start);
  }
  return true;
}

// a tag, or one thing between two tags; declarations are late behind anything else
static bool readPiece(xmlReader* x, bool is_late) {
  if (beginsWith(x->at, "<?")) {
    return readDeclaration(x, is_late);
  }
  const char* start = x->at;
  bool is_tag = false, is_ok = true;
  if (beginsWith(start, "<!--")) {
    is_ok = readComment(x);
  } else if (beginsWith(start, "<![CDATA[")) {
    is_ok = passMark(x, "<![CDATA[", "]]>") ||
            refuseXml(x, CODE_CDATA, start, "CDATA section does not end", NULL);
  } else if (beginsWith(start, "<!")) {
    noteLiberty(x, CF_XML_DOCTYPE, start);
    is_ok = passMark(x, "<!", ">") ||
            refuseXml(x, CODE_UNKNOWN, start, "declaration does not end", NULL);
  } else if (*start == '<') {
    is_tag = true;
    is_ok = readTag(x);
  } else {
    is_ok = readText(x);
  }
  if (!is_tag && x->open) {
    x->open->has_content = true;
  }
  x->has_other = true;
  return is_ok;
}

static bool readPieces(xmlReader* x, bool is_late) {
  while (!x->is_over) {
    skipXmlBlanks(x);
    if (!*x->at) {
      break;
    }
    if (!readPiece(x, is_late)) {
      return false;
    }
    is_late = true;
  }
  if (x->open) {
    return refuseXml(x, CODE_MISMATCH, x->at, "element '@' is not closed", x->open->tag);
  }
  return true;
}

//---------------------------------- entry ---------------------------------------------------------

// length of the UTF-8 sequence at p, 0 if it is none
static size_t utf8Length(const unsigned char* p) {
  size_t n = *p < 0x80                 ? 1
             : *p >= 0xC2 && *p < 0xE0 ? 2
             : (*p & 0xF0) == 0xE0     ? 3
             : *p >= 0xF0 && *p < 0xF5 ? 4
                                       : 0;
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  return n;
}

// bytes that strict readers would stumble over, wherever they stand
static void noteBytes(xmlReader* x) {
  for (const unsigned char* p = (const unsigned char*)x->at; *p;) {
    size_t n = utf8Length(p);
    if (n == 0) {
      noteLiberty(x, CF_XML_NOT_UTF8, (const char*)p);
    } else if (*p < ' ' && *p != '\t' && *p != '\n' && *p != '\r') {
      noteLiberty(x, CF_XML_CONTROL, (const char*)p);
    }
    p += n ? n : 1;
  }
}

cfNode* cfi_parseText(cfDocument* doc, const char* text, size_t length, int file) {
  CF_ASSERT(doc && text && file >= 0);
  size_t used = strnlen(text, length);
  xmlReader x = {.doc = doc, .file = file, .text = text, .place = {text, 1, 1}};
  x.copy = (char*)cfi_documentAlloc(doc, used + 1);
  memcpy(x.copy, text, used);
  x.copy[used] = 0;
  x.at = x.copy;
  doc->error[0] = 0;
  doc->error_code = 0;

  noteBytes(&x);
  if (used < length && text[length - 1]) {
    noteLiberty(&x, CF_XML_ZERO, x.copy + used);
  }
  skipXmlBlanks(&x);
  const bool is_late = x.at > x.copy;
  if (beginsWith(x.at, "\xEF\xBB\xBF")) {
    x.at += 3;
  }
  // two bytes a letter, with a mark or without; `used` ends at the first zero
  const bool is_wide = beginsWith(x.at, "\xFF\xFE") || beginsWith(x.at, "\xFE\xFF") ||
                       (used < 2 && length > 3 && memchr(text, '<', 2));
  bool is_ok = false;
  if (is_wide) {
    refuseXml(&x, used ? CODE_TEXT : CODE_EMPTY, x.at, "the text is in UTF-16, expected UTF-8",
              NULL);
  } else if (!*x.at) {
    refuseXml(&x, CODE_EMPTY, x.at,
              length > used ? "the text begins with a zero byte" : "the text is empty", NULL);
  } else {
    is_ok = readPieces(&x, is_late);
  }
  free(x.list);
  if (is_ok && !x.root) {
    refuseXml(&x, 0, x.at, "XML root element not found", NULL);
  }
  return is_ok ? x.root : NULL;
}
