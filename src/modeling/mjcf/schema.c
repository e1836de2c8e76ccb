// Checking a document against the grammar, and printing the grammar.
#include "base/platform.h"
#include "mjcf/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/nearest.h"
#include "base/sort.h"

// room for the names of all attributes of an element
enum { ATTRIBUTE_LIST = 2000 };

//---------------------------------- check ---------------------------------------------------------

// blank-separated tags that may stand below an element
static void allowedTags(cftTag parent, char* list, size_t size) {
  list[0] = 0;
  parent = cfi_childrenOf(parent);
  for (int id = 0; id < TAG_COUNT; id++) {
    if (cfi_tags[id].parent == parent) {
      const char* tag = id == TAG_BODY ? "worldbody" : cfi_tags[id].tag;
      const size_t used = strlen(list);
      snprintf(list + used, size - used, "%s ", tag);
    }
  }
  if (parent >= 0 && cfi_tags[parent].times == TIMES_NESTED) {
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s ", cfi_tags[parent].tag);
  }
}

// element that takes this one, for the hint; defaults only where nothing else does
static const char* homeOf(const char* tag) {
  const char* home = NULL;
  for (int id = 0; id < TAG_COUNT; id++) {
    const cftTag parent = cfi_tags[id].parent;
    if (strcmp(cfi_tags[id].tag, tag) == 0 && parent >= 0 && (!home || !strcmp(home, "default"))) {
      home = id == TAG_BODY ? "worldbody" : cfi_tags[parent].tag;
    }
  }
  return home;
}

// why a newer model is not read; empty if no later version is known to have it
static void laterHint(const char* element, const char* attribute, char* hint, size_t size) {
  static const struct {
    const char *element, *attribute, *version;
  } later[] = {
#define CF_LATER(element, attribute, version) {#element, attribute, version},
#include "tables/mjcf_later.def"
#undef CF_LATER
  };
  for (size_t k = 0; k < sizeof(later) / sizeof(later[0]); k++) {
    if (!strcmp(later[k].element, element) && !strcmp(later[k].attribute, attribute)) {
      snprintf(hint, size, "; MuJoCo %s introduced it, MJCF is read as in %s", later[k].version,
               mj_versionString());
    }
  }
}

static void reportTag(cfReport* report, const cfNode* node, cftTag parent) {
  char list[2000], nearest[CF_WORD_MAX], hint[200] = "";
  allowedTags(parent, list, sizeof(list));
  const char* home = homeOf(node->tag);
  const char* where = parent >= 0 ? node->parent->tag : "";
  laterHint(node->tag, "", hint, sizeof(hint));
  if (!hint[0] && home) {
    snprintf(hint, sizeof(hint), "; it belongs inside '%s'", home);
  } else if (!hint[0]) {
    cfi_suggestion(cfi_nearestWord(list, node->tag, nearest), hint);
  }
  if (node->is_lenient) {
    cfi_error(report, node, "unrecognized model element '%s' in '%s'%s", node->tag, where, hint);
  } else {
    cfi_error(report, node, "Schema violation: unrecognized element '%s' in '%s'%s", node->tag,
              where, hint);
  }
}

// attributes that are accepted beyond the grammar, with a warning
static bool isAlias(const cfNode* node, const char* attribute) {
  return (node->tag_id == TAG_OPTION_FLAG && strcmp(attribute, "passive") == 0) ||
         (node->tag_id == TAG_COMPILER && strcmp(attribute, "exactmeshinertia") == 0);
}

// give every attribute its row, report those that have none
static void checkAttributes(cfReport* report, cfNode* node) {
  for (int i = 0; i < node->nattribute; i++) {
    const char* name = node->attribute[i].name;
    node->attribute[i].row = cfi_findRow((cftTag)node->tag_id, name);
    if (node->attribute[i].row || isAlias(node, name)) {
      continue;
    }
    char allowed[ATTRIBUTE_LIST], nearest[CF_WORD_MAX], hint[100] = "";
    cfi_listAttributes((cftTag)node->tag_id, true, allowed, sizeof(allowed));
    laterHint(node->tag, name, hint, sizeof(hint));
    if (!hint[0]) {
      cfi_suggestion(cfi_nearestWord(allowed, name, nearest), hint);
    }
    if (node->is_lenient) {
      cfi_warn(report, node, "unrecognized attribute: '%s' is ignored%s", name, hint);
    } else {
      cfi_error(report, node, "Schema violation: unrecognized attribute: '%s'%s", name, hint);
    }
  }
}

// elements that may stand only once
static void checkTimes(cfReport* report, const cfNode* node) {
  for (const cfNode* child = node->first; child; child = child->next) {
    if (child->tag_id < 0 || cfi_tags[child->tag_id].times != TIMES_OPTIONAL) {
      continue;
    }
    int count = 0;
    bool is_first = true;
    for (const cfNode* other = node->first; other; other = other->next) {
      is_first = is_first && (count > 0 || other->tag_id != child->tag_id || other == child);
      count += other->tag_id == child->tag_id;
    }
    if (count > 1 && is_first && !node->is_lenient) {
      cfi_error(report, node, "Schema violation: unique element '%s' found %d times", child->tag,
                count);
    }
  }
}

// tag of a node from the tag of its parent; false: do not look below
static bool classify(cfReport* report, cfNode* node) {
  const cftTag parent = node->parent ? (cftTag)node->parent->tag_id : TAG_NONE;
  node->is_lenient = node->parent && (node->parent->is_lenient || parent == TAG_BODY_FRAME ||
                                      parent == TAG_BODY_REPLICATE);
  node->tag_id = cfi_findTag(parent, node->tag);
  if (node->tag_id < 0 && parent == TAG_MUJOCO && cfi_findTag(TAG_BODY, node->tag) >= 0 &&
      cfi_hasWord("body frame replicate", node->tag)) {
    // its content is checked as that of a body, as in MuJoCo
    cfi_warn(report, node, "'%s' is ignored outside 'worldbody'", node->tag);
    node->tag_id = TAG_BODY;
  }
  if (node->tag_id < 0) {
    reportTag(report, node, parent);
    return false;
  }
  return true;
}

// next node in document order; skips what is below where told so
static cfNode* nextNode(cfNode* node, bool descend) {
  if (descend && node->first) {
    return node->first;
  }
  while (node && !node->next) {
    node = node->parent;
  }
  return node ? node->next : NULL;
}

void cfi_checkSchema(cfReport* report, cfNode* root) {
  for (cfNode* node = root; node;) {
    const bool is_known = classify(report, node);
    if (is_known) {
      const bool is_loose = cfi_tags[node->tag_id].times == TIMES_LOOSE;
      node->is_lenient = node->is_lenient || is_loose;
      checkAttributes(report, node);
    }
    node = nextNode(node, is_known);
  }

  // tags are known now: count the children
  for (cfNode* node = root; node; node = nextNode(node, true)) {
    checkTimes(report, node);
  }
}

void cfi_bindRows(cfNode* node, cftTag tag) {
  node->tag_id = tag;
  for (int i = 0; i < node->nattribute; i++) {
    node->attribute[i].row = cfi_findRow(tag, node->attribute[i].name);
  }
  for (cfNode* child = node->first; child; child = child->next) {
    const cftTag inside = cfi_findTag(tag, child->tag);
    if (inside != TAG_NONE) {
      cfi_bindRows(child, inside);
    }
  }
}

//---------------------------------- print ---------------------------------------------------------

// growing text
typedef struct {
  char* text;
  size_t used, room;
} cfText;

static void putText(cfText* out, const char* text) {
  const size_t length = strlen(text);
  if (out->used + length + 1 > out->room) {
    const size_t room = 2 * (out->used + length + 1);
    char* grown = (char*)realloc(out->text, room);
    if (!grown) {
      mju_error("could not allocate memory for the schema");
      return;
    }
    out->text = grown;
    out->room = room;
  }
  memcpy(out->text + out->used, text, length + 1);
  out->used += length;
}

static void putTimes(cfText* out, const char* text, int times) {
  for (int i = 0; i < times; i++) {
    putText(out, text);
  }
}

typedef struct {
  char word[80][32];
  int count;
} cfWordList;

static int compareWords(const void* a, const void* b) {
  return strcmp((const char*)a, (const char*)b);
}

// attributes in alphabetical order
static void sortAttributes(int id, cfWordList* sorted) {
  char list[ATTRIBUTE_LIST];
  cfi_listAttributes((cftTag)id, false, list, sizeof(list));
  sorted->count = 0;
  for (const char* p = list + strspn(list, " "); *p; p += strspn(p, " ")) {
    size_t n = strcspn(p, " ");
    CF_ASSERT(sorted->count < 80 && n < 32);
    memcpy(sorted->word[sorted->count], p, n);
    sorted->word[sorted->count++][n] = 0;
    p += n;
  }
  cfi_sort(sorted->word, (size_t)sorted->count, sizeof(sorted->word[0]), compareWords);
}

static int levelOf(int id) {
  int level = 0;
  for (cftTag parent = cfi_tags[id].parent; parent >= 0; parent = cfi_tags[parent].parent) {
    level++;
  }
  return level;
}

static char timesSymbol(int id) {
  static const char symbol[] = {'!', '?', '*', 'R', 'L'};
  return symbol[cfi_tags[id].times];
}

static const char* shownTag(int id) {
  return id == TAG_BODY ? "(world)body" : cfi_tags[id].tag;
}

// name and type, then the attributes in lines of about 60 characters from column 30 on
static void printRow(cfText* out, int id) {
  enum { COLUMN = 30, WIDTH = 60 };
  char head[80], symbol[8];
  const int level = levelOf(id);
  snprintf(head, sizeof(head), "%s", shownTag(id));
  snprintf(symbol, sizeof(symbol), " (%c)", timesSymbol(id));
  int start = 3 * level + (int)strlen(head) + 4;
  putTimes(out, " ", 3 * level);
  putText(out, head);
  putText(out, symbol);
  putTimes(out, " ", COLUMN - start);
  start = start > COLUMN ? start : COLUMN;

  cfWordList sorted;
  sortAttributes(id, &sorted);
  int position = start;
  for (int i = 0; i < sorted.count; i++) {
    if (position > WIDTH) {
      putText(out, "\n");
      putTimes(out, " ", start);
      position = start;
    }
    putText(out, sorted.word[i]);
    putText(out, " ");
    position += (int)strlen(sorted.word[i]) + 1;
  }
  putText(out, "\n");
}

static void printRowHtml(cfText* out, int id, bool pad) {
  char cell[200];
  const int level = levelOf(id);
  if (pad) {
    snprintf(cell, sizeof(cell),
             "<tr>\n\t<td style=\"padding-left:%d\" bgcolor=\"#EEEEEE\" class=\"el\">%s</td>\n",
             5 + 15 * level, shownTag(id));
    putText(out, cell);
  } else {
    putText(out, "<tr>\n\t<td bgcolor=\"#EEEEEE\" class=\"el\">");
    putTimes(out, "&nbsp;", 4 * level);
    snprintf(cell, sizeof(cell), "%s</td>\n", shownTag(id));
    putText(out, cell);
  }
  snprintf(cell, sizeof(cell), "\t<td class=\"ty\">%c</td>\n\t<td class=\"at\">", timesSymbol(id));
  putText(out, cell);

  cfWordList sorted;
  sortAttributes(id, &sorted);
  for (int i = 0; i < sorted.count; i++) {
    putText(out, sorted.word[i]);
    putText(out, " ");
  }
  if (sorted.count == 0) {
    putText(out, "<span style=\"color:black\"><i>no attributes</i></span>");
  }
  putText(out, "</td>\n</tr>\n");
}

int mj_printSchema(const char* filename, char* buffer, int buffer_sz, int flg_html, int flg_pad) {
  cfText out = {NULL, 0, 0};
  putText(&out, flg_html ? "<table border=\"1\">\n" : "");
  for (int id = 0; id < TAG_COUNT; id++) {
    if (cfi_tags[id].times == TIMES_LOOSE) {
      continue;
    }
    if (flg_html) {
      printRowHtml(&out, id, flg_pad != 0);
    } else {
      printRow(&out, id);
    }
  }
  putText(&out, flg_html ? "</table>\n" : "");

  FILE* file = filename ? cfi_fileOpen(filename, "w") : NULL;
  if (file) {
    fwrite(out.text, 1, out.used, file);
    fclose(file);
  }
  if (buffer && buffer_sz > 0) {
    snprintf(buffer, (size_t)buffer_sz, "%s", out.text);
  }
  const int length = (int)out.used;
  free(out.text);
  return length;
}
