// Custom fields: numbers, texts, tuples.
#include "base/assert.h"
#include "compile/phases.h"

static void compileNumeric(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_NUMERIC);
  cfNumericDraft* numeric = (cfNumericDraft*)part;
  const int given = cfi_countDoubles(numeric->attr.data);
  if (numeric->attr.size && numeric->attr.size < given) {
    cfi_fail(draft, part,
             "numeric '%s' (id = %d): specified size smaller than initialization array", part->name,
             part->id);
  }
  if (!numeric->attr.size) {
    numeric->attr.size = given;
  }
  if (numeric->attr.size <= 0) {
    cfi_fail(draft, part, "numeric '%s' (id = %d): size cannot be zero", part->name, part->id);
  }
}


// objects of a tuple, by type and name
static void compileTuple(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_TUPLE);
  cfTupleDraft* tuple = (cfTupleDraft*)part;
  const mjsTuple* attr = &tuple->attr;
  const int count = cfi_countInts(attr->objtype);
  if (!count) {
    cfi_fail(draft, part, "tuple '%s' (id = %d) is empty", part->name, part->id);
  }
  if (cfi_countStrings(attr->objname) != count || cfi_countDoubles(attr->objprm) != count) {
    cfi_fail(draft, part, "tuple '%s' (id = %d) has object arrays with different sizes", part->name,
             part->id);
  }
  tuple->obj = (const cfPart**)cfi_poolAlloc(&draft->pool, count, sizeof(cfPart*));
  for (int i = 0; i < count; i++) {
    const char* name = cfi_text(cfi_strings(attr->objname) + i);
    const mjtObj type = (mjtObj)cfi_ints(attr->objtype)[i];
    cfPart* obj = (int)type < mjNOBJECT ? cfi_findPart(draft, type, name) : NULL;
    if (!obj) {
      cfi_failUnknown(draft, part, type, name, "unrecognized object '%s' in tuple %d", name,
                      part->id);
    }
    if (type == mjOBJ_GEOM) {
      ((cfGeomDraft*)obj)->is_visual = false;
    }
    tuple->obj[i] = obj;
  }
}


static void compileText(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_TEXT);
  if (cfi_isEmptyString(((const cfTextDraft*)part)->attr.data)) {
    cfi_fail(draft, part, "text '%s' (id = %d): size cannot be zero", part->name, part->id);
  }
}


void cfi_compileCustom(cfDraft* draft) {
  cfi_guardList(draft, compileNumeric, mjOBJ_NUMERIC);
  cfi_guardList(draft, compileText, mjOBJ_TEXT);
  cfi_guardList(draft, compileTuple, mjOBJ_TUPLE);
}
