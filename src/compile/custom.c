// Custom fields: numbers, texts, tuples.
#include "compile/phases.h"

static void compileNumeric(cfDraft* draft, cfNumericDraft* numeric) {
  const cfPart* part = &numeric->part;
  int given = cfi_countDoubles(numeric->attr.data);
  if (numeric->attr.size && numeric->attr.size < given) {
    cfi_fail(draft, part, "numeric '%s' (id = %d): specified size smaller than initialization array", part->name,
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
static void compileTuple(cfDraft* draft, cfTupleDraft* tuple) {
  const mjsTuple* attr = &tuple->attr;
  const cfPart* part = &tuple->part;
  int count = cfi_countInts(attr->objtype);
  if (!count) {
    cfi_fail(draft, part, "tuple '%s' (id = %d) is empty", part->name, part->id);
  }
  if (cfi_countStrings(attr->objname) != count || cfi_countDoubles(attr->objprm) != count) {
    cfi_fail(draft, part, "tuple '%s' (id = %d) has object arrays with different sizes", part->name, part->id);
  }
  tuple->obj = (const cfPart**)cfi_poolAlloc(&draft->pool, count, sizeof(cfPart*));
  for (int i = 0; i < count; i++) {
    const char* name = cfi_text(cfi_strings(attr->objname) + i);
    mjtObj type = (mjtObj)cfi_ints(attr->objtype)[i];
    cfPart* obj = (int)type < mjNOBJECT ? cfi_findPart(draft, type, name) : NULL;
    if (!obj) {
      cfi_fail(draft, part, "unrecognized object '%s' in tuple %d", name, part->id);
    }
    if (type == mjOBJ_GEOM) {
      ((cfGeomDraft*)obj)->is_visual = false;
    }
    tuple->obj[i] = obj;
  }
}


void cfi_compileCustom(cfDraft* draft) {
  const cfPartList* numerics = cfi_parts(draft, mjOBJ_NUMERIC);
  for (int i = 0; i < numerics->count; i++) {
    compileNumeric(draft, (cfNumericDraft*)numerics->item[i]);
  }
  const cfPartList* texts = cfi_parts(draft, mjOBJ_TEXT);
  for (int i = 0; i < texts->count; i++) {
    const cfPart* part = texts->item[i];
    if (cfi_isEmptyString(((const cfTextDraft*)part)->attr.data)) {
      cfi_fail(draft, part, "text '%s' (id = %d): size cannot be zero", part->name, part->id);
    }
  }
  const cfPartList* tuples = cfi_parts(draft, mjOBJ_TUPLE);
  for (int i = 0; i < tuples->count; i++) {
    compileTuple(draft, (cfTupleDraft*)tuples->item[i]);
  }
}
