// Reading XML as MuJoCo 3.5.0 does: what it accepts is accepted with the same values, what it
// refuses is refused, and notes say what was tolerated.
#include "cf_test.h"

#include <limits.h>
#include <stdbool.h>

#include <cortenforge/notes.h>
#include <mujoco/mujoco.h>

#include "cf_reference.h"

enum { MAX_TEXT = 4000 };

// one text, the name that its only text element has in the model (NULL: refused), and its note
static const struct {
  const char *xml, *name, *note;
} cases[] = {
#define TEXT(name) "<mujoco><custom><text name=" name " data='d'/></custom></mujoco>"
    {TEXT("'a'"), "a", NULL},
    {"<mujoco><custom><text name='a'data='d'/></custom></mujoco>", "a", "1:31: no white space"},
    {"<mujoco><!-- a -- b --->" TEXT("'a'"), NULL, NULL},
    {"<!-- a -- b -->\n<!-- --- -->" TEXT("'a'"), "a", "1:8: \"--\" inside a comment (2 times)"},
    {TEXT("'a&b'"), "a&b", "1:30: \"&\""},
    {TEXT("'a&b;'"), "a&b;", "1:30: \"&\""},
    {TEXT("'&amp;&lt;&gt;&quot;&apos;'"), "&<>\"'", NULL},
    {TEXT("'&amp;x&y'"), "&xmy", "\"&\""},
    {TEXT("'&#65;&#x42;&#x000000043;'"), "ABC", NULL},
    {TEXT("'&#xe9;&#x20ac;&#x1F600;'"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", NULL},
    {TEXT("'a&#;b'"), "a", NULL},
    {TEXT("'a&#x110000;'"), "a&#x110000;", "\"&\""},
    {TEXT("'a&#x1000000;'"), "a\xF4\x8F\xBF\xBF", NULL},
    {TEXT("'a&#1#65;'"), "aA", NULL},
    {TEXT("'a&#zz;'"), "a&#zz;", "\"&\""},
    {TEXT("'a&#'"), "a#", "\"&\""},
    {TEXT("'a<b'"), "a<b", "1:30: \"<\""},
    {TEXT("'a\r\nb\rc\n\rd\te'"), "a\nb\nc\nd\te", NULL},
    {TEXT("'a'") "<mujoco/>", "a", "elements behind the root"},
    {TEXT("'a'") "<b>", NULL, NULL},
    {TEXT("'a'") "text", NULL, NULL},
    {TEXT("'a'") " text <!-- -->", "a", "text outside the root"},
    {"text" TEXT("'a'"), "a", "1:1: text outside the root"},
    {TEXT("'a'") "</b> <c d='e' d='f'", "a", "what follows is ignored"},
    {TEXT("'a\xFF\xE9z'"), "a\xFF\xE9z",
     "1:30: bytes that are not UTF-8 are taken as they stand (2 times)"},
    {TEXT("'a\x01'"), "a\x01", "1:30: control"},
    {"\n\n  <?xml version='1.0'?>" TEXT("'a'"), "a", "3:3: the declaration"},
    {"<?xml?><?more?>" TEXT("'a'"), "a", "1:8: the declaration"},
    {"<!-- --><?xml?>" TEXT("'a'"), NULL, NULL},
    {TEXT("'a'") "<?xml?>", NULL, NULL},
    {"<!DOCTYPE m [<!ENTITY x 'y'>]>" TEXT("'a&x;'"), "a&x;", "1:1: <!...> is ignored"},
    {"\xEF\xBB\xBF" TEXT("'a'"), "a", NULL},
    {"  \xEF\xBB\xBF<?xml?>" TEXT("'a'"), "a", "declaration"},
    {"< mujoco><custom><text name='a' data='d'/></custom>< /mujoco>", "a", "1:1: white space"},
    {"<mujoco><custom><text name='a' data='d'/></custom></ mujoco>", NULL, NULL},
    {"<mujoco><custom><text name='a' data='d'></text x='y'></custom></mujoco>", "a", "closing tag"},
    {"<mujoco><custom><text name='a' data='d'/></custom></asset/></mujoco>", "a", "closing tag"},
    {"<mujoco><custom><text name='a' name='b' data='d'/></custom></mujoco>", NULL, NULL},
    {"<mujoco><custom><text name=a data='d'/></custom></mujoco>", NULL, NULL},
    {"<mujoco><custom><text name data='d'/></custom></mujoco>", NULL, NULL},
    {"<mujoco><custom><text name = \n 'a' data='d' / ></custom></mujoco>", NULL, NULL},
    {"<mujoco><custom><text name = \n 'a' data='d' /></custom></mujoco>", "a", NULL},
    {"<mujoco>in<custom><![CDATA[<]]><text name='a' data='d'/></custom>side</mujoco>", "a", NULL},
    {"<mujoco><custom><text name='a' data='d'/></mujoco></custom>", NULL, NULL},
    {"<mujoco><custom><text name='a' data='d'/></custom>", NULL, NULL},
    {"<mujoco><custom><text name='a' data='d'/></custom></Mujoco>", NULL, NULL},
    {"", NULL, NULL},
    {"  ", NULL, NULL},
    {"<!-- -->", NULL, NULL},
    {"\xEF\xBB\xBF ", NULL, NULL},
#undef TEXT
};
enum { NCASE = sizeof(cases) / sizeof(cases[0]) };

// functions of one library
typedef struct {
  mjSpec* (*parse)(const char*, const mjVFS*, char*, int);
  mjModel* (*compile)(mjSpec*, const mjVFS*);
  void (*deleteSpec)(mjSpec*);
  void (*deleteModel)(mjModel*);
} library;

static const library ours = {mj_parseXMLString, mj_compile, mj_deleteSpec, mj_deleteModel};

static library theirs(void) {
  return (library){CF_REF(mj_parseXMLString), CF_REF(mj_compile), CF_REF(mj_deleteSpec),
                   CF_REF(mj_deleteModel)};
}


// all names and texts of a model, zero bytes as bars; false if it is refused
static bool readNames(library lib, const char* xml, char names[MAX_TEXT], char error[1000]) {
  mjSpec* spec = lib.parse(xml, NULL, error, 1000);
  mjModel* m = spec ? lib.compile(spec, NULL) : NULL;
  names[0] = 0;
  if (m) {
    int n = 0;
    for (int i = 0; i < m->nnames && n < MAX_TEXT / 2; i++) {
      names[n++] = m->names[i] ? m->names[i] : '|';
    }
    for (int i = 0; i < m->ntextdata && n < MAX_TEXT - 2; i++) {
      names[n++] = m->text_data[i] ? m->text_data[i] : '|';
    }
    names[n] = 0;
  }
  lib.deleteModel(m);
  lib.deleteSpec(spec);
  return m != NULL;
}


CF_TEST(readXML__liberties__names_as_in_the_reference_and_notes) {
  for (int i = 0; i < NCASE; i++) {
    char names[MAX_TEXT], error[1000] = "", wanted[200], notes[1000];
    bool is_read = readNames(ours, cases[i].xml, names, error);
    if (is_read != (cases[i].name != NULL)) {
      CF_FAIL("case %d: %s\n%s\n%s\n", i, is_read ? "accepted" : "refused", cases[i].xml, error);
    }
    if (!is_read) {
      CF_HAS_STR(error, "XML");
      continue;
    }
    snprintf(wanted, sizeof(wanted), "|world|%s|d|", cases[i].name);
    CF_HAS_STR(names, wanted);
    mjSpec* spec = mj_parseXMLString(cases[i].xml, NULL, NULL, 0);
    int count = cf_xmlNotes(spec, notes, sizeof(notes));
    mj_deleteSpec(spec);
    CF_EQ_INT(count > 0, cases[i].note != NULL);
    if (cases[i].note) {
      CF_HAS_STR(notes, cases[i].note);
    }
  }
}


// however little room there is, the number of lines comes back and nothing is written beyond it
CF_TEST(xmlNotes__little_room__cut_or_nothing) {
  mjSpec* spec = mj_parseXMLString("<mujoco model='a'><!-- a -- b --></mujoco>", NULL, NULL, 0);
  char notes[20];
  CF_TRUE(spec != NULL);
  CF_EQ_INT(cf_xmlNotes(spec, NULL, 0), 1);
  CF_EQ_INT(cf_xmlNotes(spec, NULL, 100), 1);
  for (int size = -3; size < 10; size++) {
    memset(notes, '#', sizeof(notes));
    CF_EQ_INT(cf_xmlNotes(spec, notes, size), 1);
    const int room = size > 0 ? size : 0;
    for (int i = room; i < (int)sizeof(notes); i++) {
      CF_EQ_INT(notes[i], '#');
    }
    CF_TRUE(room == 0 || strlen(notes) == (size_t)room - 1);
  }
  CF_EQ_INT(cf_xmlNotes(spec, notes, INT_MIN), 1);
  mj_deleteSpec(spec);
}


CF_TEST(readXML__broken__line_column_and_reason) {
  static const struct {
    const char *xml, *message;
  } broken[] = {
      {"<mujoco>\n  <a b='1' b='2'/></mujoco>",
       "XML parse error 7:\n:2:12: attribute 'b' is repeated"},
      {"<mujoco>\n<a>\n</b></a></mujoco>",
       "XML parse error 14:\n:3:1: 'b' closes nothing: element 'a' of line 2"},
      {"<mujoco>\n<a b=1/>", ":2:4: value of attribute 'b' is not in quotes"},
      {"<mujoco>\n<a ,/>", "XML parse error 6:\n:2:4: tag of element 'a' has characters"},
      {"<mujoco>\n<a b='\xC3\xA9' c='", ":2:10: value of attribute 'c' has no closing quote"},
      {"<mujoco>\n<a", ":2:3: tag of element 'a' does not end"},
      {"<mujoco/>\ntext", "XML parse error 8:\n:2:1: text is followed by no tag"},
      {"<mujoco><!-- ", "XML parse error 10:"},
      {"<mujoco>\r\n<a b='x\r\ny'/>\r\n<c", ":4:3: tag of element 'c'"},
      {"", "XML parse error 13:"},
  };
  for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
    char error[1000] = "";
    CF_TRUE(!mj_parseXMLString(broken[i].xml, NULL, error, sizeof(error)));
    CF_HAS_STR(error, broken[i].message);
  }
}


CF_TEST(readXML__not_utf8__says_so) {
  static const struct {
    const char* text;
    int size;
    const char* message;
  } broken[] = {
      {"\xFF\xFE<\0m\0u\0/\0>\0", 12, ":1:1: the text is in UTF-16, expected UTF-8"},
      {"\xFE\xFF\0<\0m\0u\0/\0>", 12, ":1:1: the text is in UTF-16, expected UTF-8"},
      {"<\0m\0u\0/\0>\0", 10, ":1:1: the text is in UTF-16, expected UTF-8"},
      {"\0<\0m\0u\0/\0>", 10, ":1:1: the text is in UTF-16, expected UTF-8"},
      {"\0\1\2garbage", 10, ":1:1: the text begins with a zero byte"},
  };
  for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
    char error[1000] = "";
    mjVFS vfs;
    mj_defaultVFS(&vfs);
    CF_EQ_INT(mj_addBufferVFS(&vfs, "model.xml", broken[i].text, broken[i].size), 0);
    CF_TRUE(!mj_loadXML("model.xml", &vfs, error, sizeof(error)));
    CF_HAS_STR(error, broken[i].message);
    mj_deleteVFS(&vfs);
  }
}


// n elements inside each other
static char* nested(int n) {
  char* xml = (char*)malloc((size_t)n * 32 + 100);
  char* p = xml + sprintf(xml, "<mujoco><worldbody>");
  for (int i = 0; i < n; i++) {
    p += sprintf(p, "<frame>");
  }
  for (int i = 0; i < n; i++) {
    p += sprintf(p, "</frame>");
  }
  sprintf(p, "</worldbody></mujoco>");
  return xml;
}


CF_TEST(readXML__nesting__refused_where_the_reference_refuses) {
  for (int n = 490; n < 500; n++) {
    char* xml = nested(n);
    char error[1000] = "";
    mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
    CF_EQ_INT(spec != NULL, n <= 496);
    mj_deleteSpec(spec);
    if (cf_referenceOpen()) {
      mjSpec* other = CF_REF(mj_parseXMLString)(xml, NULL, error, sizeof(error));
      CF_EQ_INT(other != NULL, n <= 496);
      CF_REF(mj_deleteSpec)(other);
    }
    free(xml);
  }
}


CF_TEST(readXML__cases__agree_with_the_reference) {
  CF_NEED_REFERENCE();
  for (int i = 0; i < NCASE; i++) {
    char names[2][MAX_TEXT], error[1000] = "";
    bool is_read = readNames(ours, cases[i].xml, names[0], error);
    bool is_read_there = readNames(theirs(), cases[i].xml, names[1], error);
    if (is_read != is_read_there || strcmp(names[0], names[1])) {
      CF_FAIL("case %d: %s\nours  %d %s\ntheir %d %s\n%s\n", i, cases[i].xml, is_read, names[0],
              is_read_there, names[1], error);
    }
  }
}


static uint64_t random_state = 88172645463325252u;

static unsigned roll(unsigned n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)(random_state >> 33) % n;
}


// put, take or repeat small pieces anywhere
static void mutate(char text[MAX_TEXT]) {
  static const char* const pieces[] = {
      "<",         ">",        "/>",   "</",        "\"",    "'",      "=",           " ",
      "\n",        "\r\n",     "&",    "&amp;",     "&#65;", "&#x4g;", "&#x41;",      ";",
      "--",        "<!--",     "-->",  "<![CDATA[", "]]>",   "<?",     "?>",          "<!",
      "a",         "\xC3\xA9", "\xFF", "\x0B",      "-",     "/",      "</text>",     "</custom>",
      "</mujoco>", "<mujoco>", "#",    "x",         "&lt;",  "0",      "\xEF\xBB\xBF"};
  const size_t length = strlen(text), at = roll((unsigned)length + 1);
  const char* piece = pieces[roll(sizeof(pieces) / sizeof(pieces[0]))];
  size_t n = strlen(piece), cut = roll(3) ? 0 : 1 + roll(4);
  if (length + n + 1 >= MAX_TEXT / 2) {
    return;
  }
  cut = cut > length - at ? length - at : cut;
  n = roll(4) || cut == 0 ? n : 0;
  memmove(text + at + n, text + at + cut, length - at - cut + 1);
  memcpy(text + at, piece, n);
}


CF_TEST(readXML__mutated_texts__agree_with_the_reference) {
  CF_NEED_REFERENCE();
  static const char* const seeds[] = {
      "<?xml version=\"1.0\"?>\n<!-- c -->\n<mujoco model='m'>\n <!-- d -->\n <custom>\n  <text name='a' data=\"b\"/>\n"
      "  <text name=\"c\" data='d'></text>\n </custom>\n</mujoco>\n<!-- e -->",
      "<mujoco><custom><text name='&amp;&#66;' data='x&y'/></custom></mujoco>"};
  const char* count = getenv("CF_XML_TEXTS");
  const int ntext = count ? atoi(count) : 20000;
  const library reference = theirs();
  int accepted = 0;
  for (int i = 0; i < ntext; i++) {
    char text[MAX_TEXT], names[2][MAX_TEXT], error[2][1000] = {"", ""};
    snprintf(text, sizeof(text), "%s", seeds[i % 2]);
    for (unsigned k = roll(3) + 1; k > 0; k--) {
      mutate(text);
    }
    bool is_read = readNames(ours, text, names[0], error[0]);
    bool is_read_there = readNames(reference, text, names[1], error[1]);
    accepted += is_read;
    if (is_read != is_read_there || strcmp(names[0], names[1])) {
      CF_FAIL("text %d:\n%s\nours  %d %s %s\ntheir %d %s %s\n", i, text, is_read, names[0],
              error[0], is_read_there, names[1], error[1]);
    }
  }
  print_message("%d texts, %d of them accepted by both\n", ntext, accepted);
}


CF_TEST_MAIN("mjcf/xml")
