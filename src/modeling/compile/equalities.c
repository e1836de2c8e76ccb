// Equality constraints: which objects they join.
#include "base/assert.h"
#include "compile/flexdata.h"
#include "compile/phases.h"

// type of the objects that a constraint joins
static mjtObj objectType(cfDraft* draft, const cfEqualityDraft* eq) {
  const mjsEquality* attr = &eq->attr;
  switch (attr->type) {
    case mjEQ_CONNECT:
    case mjEQ_WELD:
      if (attr->objtype != mjOBJ_SITE && attr->objtype != mjOBJ_BODY) {
        cfi_fail(draft, &eq->part, "%s constraint supports only sites and bodies",
                 attr->type == mjEQ_WELD ? "weld" : "connect");
      }
      return attr->objtype;
    case mjEQ_JOINT:
      return mjOBJ_JOINT;
    case mjEQ_TENDON:
      return mjOBJ_TENDON;
    case mjEQ_FLEX:
    case mjEQ_FLEXVERT:
      return mjOBJ_FLEX;
    default:
      cfi_fail(draft, &eq->part, "invalid type in equality constraint");
  }
}


static const cfPart* findObject(cfDraft* draft, const cfEqualityDraft* eq, mjtObj type,
                                const void* name) {
  CF_ASSERT(name != NULL);
  const cfPart* part = cfi_findPart(draft, type, cfi_text(name));
  if (!part) {
    cfi_failUnknown(draft, &eq->part, type, cfi_text(name),
                    "unknown element '%s' in equality constraint %d", cfi_text(name), eq->part.id);
  }
  return part;
}


// only one-dimensional joints can be tied by a polynomial
static void requireScalar(cfDraft* draft, const cfEqualityDraft* eq, const cfPart* part) {
  const int type = part ? (int)((const cfJointDraft*)part)->attr.type : mjJNT_HINGE;
  if (!cfi_isScalarJoint(type)) {
    cfi_fail(draft, &eq->part, "only HINGE and SLIDE joint allowed in constraint");
  }
}


static void compileEquality(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_EQUALITY);
  cfEqualityDraft* eq = (cfEqualityDraft*)part;
  const mjtObj type = objectType(draft, eq);
  const cfPart* first = findObject(draft, eq, type, eq->attr.name1);
  const cfPart* second =
      cfi_isEmptyString(eq->attr.name2) ? NULL : findObject(draft, eq, type, eq->attr.name2);
  eq->obj1id = first->id;

  // a missing body is the world, anything else missing is nothing
  eq->obj2id = second ? second->id : (type == mjOBJ_BODY ? 0 : -1);
  if (eq->obj1id == eq->obj2id) {
    cfi_fail(draft, &eq->part, "element '%s' is repeated in equality constraint %d", first->name,
             eq->part.id);
  }
  if (type == mjOBJ_JOINT) {
    requireScalar(draft, eq, first);
    requireScalar(draft, eq, second);
  }
  if (type == mjOBJ_FLEX && ((const cfFlexDraft*)first)->data->is_rigid) {
    cfi_fail(draft, &eq->part, "rigid flex '%s' in equality constraint %d", first->name,
             eq->part.id);
  }
}


void cfi_compileEqualities(cfDraft* draft) {
  cfi_guardList(draft, compileEquality, mjOBJ_EQUALITY);
}
