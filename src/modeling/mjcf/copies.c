// How much a replicate asks for, counted before anything is copied: copies within copies multiply.
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "mjcf/reader.h"

// elements that all copies of a model may have together, the characters of their attributes, and
// the bodies of any model
static const double most_elements = 1e6, most_characters = 2e8, most_bodies = 65534;

typedef struct {
  double elements, characters, bodies;
} copyCount;


// product of the whole numbers of an attribute, 1 where there is none
static double countAttribute(const cfNode* node, const char* name) {
  const char* text = cfi_attribute(node, name);
  double product = 1;
  while (text && *text) {
    char* end;
    const double value = strtod(text, &end);
    if (end == text) {
      break;
    }
    product *= value > 0 ? value : 1;
    text = end;
  }
  return product;
}


static double countCharacters(const cfNode* node) {
  double count = 0;
  for (int i = 0; i < node->nattribute; i++) {
    count += (double)strlen(node->attribute[i].value);
  }
  return count;
}


// what one node and its children make, times the copies around it
static copyCount countCopies(const cfNode* top) {
  double times[CF_XML_MAX_DEPTH + 1];
  int depth = 0;
  copyCount count = {0, 0, 0};
  times[0] = 1;
  for (const cfNode* node = top; node;) {
    CF_ASSERT(depth < CF_XML_MAX_DEPTH);
    const bool is_cable = !strcmp(node->tag, "composite");
    const bool has_grid = is_cable || !strcmp(node->tag, "flexcomp");
    const bool repeats = has_grid || !strcmp(node->tag, "replicate");
    times[depth + 1] = times[depth] * (repeats ? countAttribute(node, "count") : 1);
    count.elements += times[depth + 1];
    count.characters += times[depth + 1] * countCharacters(node);
    count.bodies += is_cable ? times[depth + 1] : strcmp(node->tag, "body") ? 0 : times[depth];
    if (node->first && !has_grid) {
      node = node->first;
      depth++;
      continue;
    }
    while (node != top && !node->next) {
      node = node->parent;
      depth--;
    }
    node = node == top ? NULL : node->next;
  }
  return count;
}


bool cfi_checkCopies(cfReader* r, const cfNode* node) {
  for (const cfNode* around = node->parent; around; around = around->parent) {
    if (!strcmp(around->tag, "replicate")) {
      return true;  // counted with it
    }
  }
  const copyCount count = countCopies(node);
  if (count.bodies >= most_bodies) {
    cfi_error(r->report, node,
              "replicate makes %.0f bodies: number of bodies plus flexes must be less than %.0f",
              count.bodies, most_bodies);
    return false;
  }
  if (count.elements > most_elements) {
    cfi_error(r->report, node,
              "replicate count is too large: it makes %.0f elements, at most %.0f are allowed",
              count.elements, most_elements);
    return false;
  }
  if (count.characters > most_characters) {
    cfi_error(
        r->report, node,
        "replicate count is too large: it makes %.0f characters of names and other attributes, at most %.0f are allowed",
        count.characters, most_characters);
    return false;
  }
  return true;
}
