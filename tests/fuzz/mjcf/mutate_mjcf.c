// Mutations of MJCF text that follow the grammar: attributes and elements come, go, change and
// move.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mjcf/grammar.h"
#include "roll.h"
#include "text.h"

enum { TEXT_MAX = 1 << 15, ELEMENTS_MAX = 400, DEPTH_MAX = 60, PIECE_MAX = 2000 };

// an element in the text: <tag attributes> ... </tag> or <tag attributes/>
typedef struct {
  cftTag id;
  size_t start, attributes, head_end,
      end;       // of the tag, behind its name, behind its '>', behind the element
  bool is_open;  // has a closing tag
} xmlElement;

typedef struct {
  cfDice dice;
  char text[TEXT_MAX + 1];
  size_t size;
  xmlElement element[ELEMENTS_MAX];
  size_t count;
} mjcfText;

// a piece of text that is written bit by bit
typedef struct {
  char text[PIECE_MAX];
  size_t size;
} piece;


//---------------------------------- scanning ------------------------------------------------------

static size_t nameLength(const char* p) {
  return strcspn(p, " \t\r\n/><=\"'");
}


// the '>' that ends a tag, quoted ones passed over
static size_t tagEnd(const mjcfText* x, size_t at) {
  char quote = 0;
  for (; at < x->size; at++) {
    char c = x->text[at];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at;
    }
  }
  return x->size;
}


// list the elements; one whose end is missing ends with the text
static void scanElements(mjcfText* x) {
  size_t open[DEPTH_MAX], depth = 0;
  x->count = 0;
  for (size_t at = 0; at < x->size && x->count < ELEMENTS_MAX; at++) {
    if (x->text[at] != '<' || x->text[at + 1] == '!' || x->text[at + 1] == '?') {
      continue;
    }
    size_t end = tagEnd(x, at);
    if (x->text[at + 1] == '/') {
      if (depth) {
        x->element[open[--depth]].end = end < x->size ? end + 1 : x->size;
      }
    } else if (end < x->size) {
      char tag[40] = "";
      size_t n = nameLength(x->text + at + 1);
      memcpy(tag, x->text + at + 1, n < sizeof(tag) ? n : 0);
      xmlElement* e = x->element + x->count++;
      *e = (xmlElement){TAG_NONE, at, at + 1 + n, end + 1, end + 1, x->text[end - 1] != '/'};
      cftTag parent = depth ? x->element[open[depth - 1]].id : TAG_NONE;
      e->id = depth && parent == TAG_NONE ? TAG_NONE : cfi_findTag(parent, tag);
      if (e->is_open && depth < DEPTH_MAX) {
        e->end = x->size;
        open[depth++] = x->count - 1;
      }
    }
    at = end;
  }
}


static xmlElement* someElement(mjcfText* x) {
  return x->element + cf_roll(&x->dice, x->count);
}


// an attribute of an element: name, then value without its quotes; false when there is none
typedef struct {
  size_t start, name_end, value, value_end;
} xmlAttribute;

static bool someAttribute(mjcfText* x, const xmlElement* e, xmlAttribute* pick) {
  size_t seen = 0;
  for (size_t at = e->attributes; at < e->head_end;) {
    size_t start = at + strspn(x->text + at, " \t\r\n");
    size_t n = nameLength(x->text + start), equal = start + n;
    if (!n || start >= e->head_end || x->text[equal] != '=' || !strchr("\"'", x->text[equal + 1])) {
      break;
    }
    const char* close = strchr(x->text + equal + 2, x->text[equal + 1]);
    if (!x->text[equal + 1] || !close) {
      break;
    }
    at = (size_t)(close - x->text) + 1;
    if (!cf_roll(&x->dice, ++seen)) {
      *pick = (xmlAttribute){start, equal, equal + 2, at - 1};
    }
  }
  return seen > 0;
}


//---------------------------------- writing -------------------------------------------------------

static void put(piece* p, const char* text) {
  size_t n = strlen(text);
  if (p->size + n < PIECE_MAX) {
    memcpy(p->text + p->size, text, n + 1);
    p->size += n;
  }
}


static void putOneOf(mjcfText* x, piece* p, const char* const* words, size_t count) {
  put(p, words[cf_roll(&x->dice, count)]);
}


static void putName(mjcfText* x, piece* p) {
  static const char* const names[] = {"a", "b", "c", "d", "e", "f", "world", "main", "g h", ""};
  size_t common = 6, all = sizeof(names) / sizeof(names[0]);
  putOneOf(x, p, names, cf_roll(&x->dice, 8) ? common : all);
}


static void putNumber(mjcfText* x, piece* p, bool is_integer) {
  static const char* const plain[] = {"0", "1", "2", "3", "-1", "10", "5", "4"};
  static const char* const real[] = {".1", "0.5", "-.5",   "1e-3", "0.01",
                                     "90", "1.5", "-1e-8", "100",  "0.7071"};
  static const char* const odd[] = {
      "nan",    "inf",        "-inf",        "1e300",      "-1e300", "1e10",
      "1e-300", "2147483647", "-2147483648", "2147483648", "1e",     "x",
      "--1",    "0x10",       "65536",       "1000",       "-0",     "9999999999999999999",
      "1,2"};
  unsigned kind = cf_roll(&x->dice, 24);
  if (kind == 0) {
    putOneOf(x, p, odd, sizeof(odd) / sizeof(odd[0]));
  } else if (kind < 12 || is_integer) {
    putOneOf(x, p, plain, sizeof(plain) / sizeof(plain[0]));
  } else {
    putOneOf(x, p, real, sizeof(real) / sizeof(real[0]));
  }
}


static void putNumbers(mjcfText* x, piece* p, size_t count, bool is_integer) {
  count = cf_roll(&x->dice, 16) ? count : cf_roll(&x->dice, count + 2);
  for (size_t k = 0; k < count; k++) {
    put(p, k ? " " : "");
    putNumber(x, p, is_integer);
  }
}


static void putKeyword(mjcfText* x, piece* p, cftWords set) {
  int count;
  const cfKeyword* words =
      cfi_keywords(cf_roll(&x->dice, 32) ? set : (cftWords)cf_roll(&x->dice, WORDS_COUNT), &count);
  put(p, count ? words[cf_roll(&x->dice, (size_t)count)].word : "true");
}


// any value, whatever the attribute wants: a name, a few numbers, or a keyword
static void putFree(mjcfText* x, piece* p, const char* attribute) {
  static const char* const texts[] = {
      "name",     "class", "joint",   "body",       "site",   "geom",    "tendon",  "objname",
      "material", "mesh",  "texture", "childclass", "target", "reftype", "objtype", "sidesite"};
  for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
    if (!strncmp(attribute, texts[k], strlen(texts[k])) && cf_roll(&x->dice, 16)) {
      putName(x, p);
      return;
    }
  }
  switch (cf_roll(&x->dice, 4)) {
    case 0:
      putName(x, p);
      break;
    case 1:
      putKeyword(x, p, (cftWords)(1 + cf_roll(&x->dice, WORDS_COUNT - 1)));
      break;
    default:
      putNumbers(x, p, 1 + cf_roll(&x->dice, 6), false);
      break;
  }
}


// how many numbers the form of a row asks for; those without bound get a few
static size_t countNumbers(mjcfText* x, const cfRow* row) {
  static const size_t bytes[] = {[TYPE_DOUBLE] = 8, [TYPE_FLOAT] = 4, [TYPE_INT] = 4,
                                 [TYPE_BYTE] = 1,   [TYPE_SIZE] = 8,  [TYPE_OTHER] = 8};
  switch (row->how) {
    case HOW_EXACT:
    case HOW_UPTO:
    case HOW_QUAT:
      return row->size / bytes[row->type];
    case HOW_REALS:
    case HOW_UPTO_REALS:
    case HOW_INTEGERS:
    case HOW_UPTO_INTEGERS:
      return (size_t)row->value;
    case HOW_ORIENT:
      return 3 + cf_roll(&x->dice, 4);
    default:
      return cf_roll(&x->dice, 13);
  }
}


static void putValue(mjcfText* x, piece* p, const cfRow* row) {
  const bool is_whole = row->type == TYPE_INT || row->type == TYPE_BYTE || row->how == HOW_INTS ||
                        row->how == HOW_INTEGERS || row->how == HOW_UPTO_INTEGERS ||
                        row->how == HOW_ANY_INTEGERS;
  if (!cf_roll(&x->dice, 32)) {
    putFree(x, p, row->name);
  } else if (row->words != WORDS_NONE) {
    putKeyword(x, p, row->words);
  } else if (row->how == HOW_TEXT || row->how == HOW_WORDS) {
    putName(x, p);
  } else {
    putNumbers(x, p, countNumbers(x, row), is_whole);
  }
}


static void putAttribute(mjcfText* x, piece* p, cftTag id) {
  int count;
  const cfRow *row = cfi_rows(cfi_tags[id].fields, &count), *chosen = NULL;
  size_t seen = 0;
  for (int k = 0; k < count; k++) {
    if (cfi_allows(row + k, id) && !cf_roll(&x->dice, ++seen)) {
      chosen = row + k;
    }
  }
  if (chosen) {
    put(p, " ");
    put(p, chosen->name);
    put(p, "=\"");
    putValue(x, p, chosen);
    put(p, "\"");
  }
}


//---------------------------------- changes -------------------------------------------------------

static void replaceText(mjcfText* x, size_t from, size_t to, const char* text, size_t length) {
  if (to >= from && to <= x->size && x->size - (to - from) + length <= TEXT_MAX) {
    memmove(x->text + from + length, x->text + to, x->size - to);
    memcpy(x->text + from, text, length);
    x->size += length - (to - from);
    x->text[x->size] = 0;
  }
}


static void addAttribute(mjcfText* x) {
  const xmlElement* e = someElement(x);
  piece p = {"", 0};
  if (e->id != TAG_NONE) {
    putAttribute(x, &p, e->id);
    replaceText(x, e->attributes, e->attributes, p.text, p.size);
  }
}


static void dropAttribute(mjcfText* x) {
  const xmlElement* e = someElement(x);
  xmlAttribute a;
  if (someAttribute(x, e, &a)) {
    replaceText(x, a.start, a.value_end + 1, "", 0);
  }
}


static void changeValue(mjcfText* x) {
  const xmlElement* e = someElement(x);
  xmlAttribute a;
  char name[40] = "";
  piece p = {"", 0};
  if (!someAttribute(x, e, &a) || e->id == TAG_NONE || a.name_end - a.start >= sizeof(name)) {
    return;
  }
  memcpy(name, x->text + a.start, a.name_end - a.start);
  const cfRow* row = cfi_findRow(e->id, name);
  if (row) {
    putValue(x, &p, row);
  } else {
    putFree(x, &p, name);
  }
  replaceText(x, a.value, a.value_end, p.text, p.size);
}


// one word of a value
static void changeNumber(mjcfText* x) {
  xmlAttribute a;
  piece p = {"", 0};
  if (someAttribute(x, someElement(x), &a) && a.value < a.value_end) {
    size_t from = a.value + cf_roll(&x->dice, a.value_end - a.value), to = from;
    while (from > a.value && x->text[from - 1] != ' ') {
      from--;
    }
    while (to < a.value_end && x->text[to] != ' ') {
      to++;
    }
    putNumber(x, &p, false);
    replaceText(x, from, to, p.text, p.size);
  }
}


// put text inside an element, which gets a closing tag where it has none
static void putInside(mjcfText* x, const xmlElement* e, const char* text, size_t length) {
  if (e->is_open) {
    replaceText(x, e->head_end, e->head_end, text, length);
    return;
  }
  piece p = {"", 0};
  char tag[40] = "";
  size_t n = e->attributes - e->start - 1;
  if (n >= sizeof(tag) || length + n + 8 > PIECE_MAX) {
    return;
  }
  memcpy(tag, x->text + e->start + 1, n);
  put(&p, ">");
  memcpy(p.text + p.size, text, length);
  p.size += length;
  put(&p, "</");
  put(&p, tag);
  put(&p, ">");
  replaceText(x, e->head_end - 2, e->head_end, p.text, p.size);
}


// a child that the grammar allows, with a few attributes
static void addElement(mjcfText* x) {
  const xmlElement* e = someElement(x);
  cftTag pick = TAG_NONE;
  size_t seen = 0;
  for (int id = 0; id < TAG_COUNT && e->id != TAG_NONE; id++) {
    if (cfi_tags[id].parent == cfi_childrenOf(e->id) && !cf_roll(&x->dice, ++seen)) {
      pick = (cftTag)id;
    }
  }
  if (pick == TAG_NONE) {
    return;
  }
  piece p = {"", 0};
  put(&p, "<");
  put(&p, pick == TAG_BODY && e->id == TAG_MUJOCO ? "worldbody" : cfi_tags[pick].tag);
  for (unsigned k = cf_roll(&x->dice, 5); k > 0; k--) {
    putAttribute(x, &p, pick);
  }
  put(&p, "/>");
  putInside(x, e, p.text, p.size);
}


static void dropElement(mjcfText* x) {
  const xmlElement* e = someElement(x);
  if (e->start > 0 || !cf_roll(&x->dice, 64)) {
    replaceText(x, e->start, e->end, "", 0);
  }
}


static void copyElement(mjcfText* x) {
  const xmlElement *from = someElement(x), *to = someElement(x);
  char copy[PIECE_MAX];
  size_t length = from->end - from->start;
  if (length < PIECE_MAX) {
    memcpy(copy, x->text + from->start, length);
    putInside(x, to, copy, length);
  }
}


size_t cf_mutateMjcf(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(mjcfText*) = {
      addAttribute, addAttribute, addAttribute, dropAttribute, changeValue, changeValue,
      changeNumber, addElement,   addElement,   dropElement,   copyElement};
  static mjcfText x;
  if (size > TEXT_MAX || memchr(data, 0, size)) {
    return 0;
  }
  x.dice = cf_newDice(seed);
  memcpy(x.text, data, size);
  x.text[size] = 0;
  x.size = size;
  for (unsigned k = 1 + cf_roll(&x.dice, 4); k > 0; k--) {
    scanElements(&x);
    if (!x.count) {
      return 0;
    }
    changes[cf_roll(&x.dice, sizeof(changes) / sizeof(changes[0]))](&x);
  }
  size_t length = x.size < max ? x.size : max;
  memcpy(data, x.text, length);
  return length;
}
