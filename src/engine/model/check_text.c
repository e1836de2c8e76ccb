// Checks of names, paths and texts: every string ends inside its array.
#include "model/checker.h"
#include "model/names.h"


// an array of strings, whose last character ends the last of them
static bool checkTextEnd(const cfChecker* c, const char* name, const char* text, mjtSize count) {
  return count == 0 || text[count - 1] == 0 ||
         cfi_complain(c, "%s does not end with a zero byte", name);
}


// hash tables hold ids of their type; one slot in two is empty, so that a search ends
static bool checkNameMap(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int k = 0; k < CF_NNAMETYPE; k++) {
    const mjtSize count = cfi_nameCount(m, k);
    if (!cfi_checkIndices(c, "names_map", m->names_map, cfi_nameMapStart(m, k), CF_NAMELOAD * count,
                          -1, count)) {
      return false;
    }
  }
  return true;
}


bool cfi_checkText(const cfChecker* c) {
  const mjModel* m = c->m;
  if (m->nnames < 1) {
    return cfi_complain(c, "nnames is 0, but the model's own name takes a byte");
  }
  if (!checkTextEnd(c, "names", m->names, m->nnames) ||
      !checkTextEnd(c, "paths", m->paths, m->npaths) ||
      !checkTextEnd(c, "plugin_attr", m->plugin_attr, m->npluginattr)) {
    return false;
  }
  for (int k = 0; k < m->ntext; k++) {
    if (!checkTextEnd(c, "text_data", m->text_data + m->text_adr[k], m->text_size[k])) {
      return false;
    }
  }
  return checkNameMap(c);
}
