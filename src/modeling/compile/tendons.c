// Tendons: path objects, their order, limits.
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "compile/phases.h"

//---------------------------------- objects on the path -------------------------------------------

static const cfPart* findWrapped(cfDraft* draft, const cfTendonDraft* tendon, const cfElement* e,
                                 mjtObj type, int position) {
  CF_ASSERT(position >= 0);
  const char* name = cfi_text(&e->name);
  const cfPart* part = cfi_findPart(draft, type, name);
  if (!part) {
    // MuJoCo words it in two ways
    if (type == mjOBJ_SITE) {
      cfi_failUnknown(draft, &tendon->part, type, name,
                      "site '%s' not found in wrap %d of tendon %d", name, position,
                      tendon->part.id);
    }
    cfi_failUnknown(draft, &tendon->part, type, name, "%s '%s' not found in tendon %d, wrap %d",
                    mju_type2Str(type), name, tendon->part.id, position);
  }
  return part;
}


// geom to wrap around: sphere or cylinder, perhaps with a side
static void resolveWrapGeom(cfDraft* draft, const cfTendonDraft* tendon, const cfElement* e,
                            int position, cfWrapDraft* wrap) {
  wrap->obj = findWrapped(draft, tendon, e, mjOBJ_GEOM, position);
  const int type = ((const cfGeomDraft*)wrap->obj)->attr.type;
  if (type != mjGEOM_CYLINDER && type != mjGEOM_SPHERE) {
    cfi_fail(draft, &tendon->part, "geom '%s' in tendon %d, wrap %d is not sphere or cylinder",
             wrap->obj->name, tendon->part.id, position);
  }
  wrap->type = type == mjGEOM_CYLINDER ? mjWRAP_CYLINDER : mjWRAP_SPHERE;
  const char* side = cfi_text(&e->part.wrap.sidesite);
  if (side[0]) {
    const cfPart* site = cfi_findPart(draft, mjOBJ_SITE, side);
    if (!site) {
      cfi_failUnknown(draft, &tendon->part, mjOBJ_SITE, side,
                      "side site '%s' not found in tendon %d, wrap %d", side, tendon->part.id,
                      position);
    }
    wrap->sideid = site->id;
  }
}


static cfWrapDraft resolveWrapDraft(cfDraft* draft, const cfTendonDraft* tendon, const cfElement* e,
                                    int position) {
  cfWrapDraft wrap = {((const mjsWrap*)e->attr)->type, NULL, -1, e->part.wrap.prm};
  switch (wrap.type) {
    case mjWRAP_JOINT:
      wrap.obj = findWrapped(draft, tendon, e, mjOBJ_JOINT, position);
      break;
    case mjWRAP_SITE:
      wrap.obj = findWrapped(draft, tendon, e, mjOBJ_SITE, position);
      break;
    case mjWRAP_SPHERE:
    case mjWRAP_CYLINDER:
      resolveWrapGeom(draft, tendon, e, position, &wrap);
      break;
    case mjWRAP_PULLEY:
      if (wrap.prm < 0) {
        cfi_fail(draft, &tendon->part, "pulley has negative divisor in tendon %d, wrap %d",
                 tendon->part.id, position);
      }
      break;
    default:
      cfi_fail(draft, &tendon->part, "unknown wrap type in tendon %d, wrap %d", tendon->part.id,
               position);
  }
  return wrap;
}


//---------------------------------- order of the path ---------------------------------------------

// wrap type at a position, mjWRAP_NONE outside the path
static int wrapType(const cfTendonDraft* tendon, int i) {
  return i < 0 || i >= tendon->nwrap ? mjWRAP_NONE : tendon->wrap[i].type;
}


// what is wrong with an object of a spatial path, # standing for its place; NULL when nothing is
static const char* spatialTrouble(const cfTendonDraft* tendon, int i) {
  CF_ASSERT(i >= 0);
  const cfWrapDraft* wrap = tendon->wrap + i;
  const int before = wrapType(tendon, i - 1), after = wrapType(tendon, i + 1);
  switch (wrap->type) {
    case mjWRAP_PULLEY:
      if (before == mjWRAP_PULLEY) {
        return "consecutive pulleys (pos #)";
      }
      return after == mjWRAP_NONE ? "path ends with pulley" : NULL;
    case mjWRAP_SITE:
      if ((before == mjWRAP_NONE || before == mjWRAP_PULLEY) &&
          (after == mjWRAP_NONE || after == mjWRAP_PULLEY)) {
        return "site # needs a neighbor that is not a pulley";
      }
      return after == mjWRAP_SITE && wrap[1].obj == wrap->obj ? "site # is repeated" : NULL;
    case mjWRAP_SPHERE:
    case mjWRAP_CYLINDER:
      if (before != mjWRAP_SITE || after != mjWRAP_SITE) {
        return "geom at pos # not bracketed by sites";
      }
      return tendon->attr.armature > 0 ? "geom wrapping not supported by tendon armature" : NULL;
    case mjWRAP_JOINT:
      return "joint wrap found in spatial path at pos #";
    default:
      return "invalid wrap object at pos #";
  }
}


static void checkPath(cfDraft* draft, const cfTendonDraft* tendon) {
  const cfPart* part = &tendon->part;
  const bool is_spatial = tendon->wrap[0].type != mjWRAP_JOINT;
  if (is_spatial && tendon->attr.armature < 0) {
    cfi_fail(draft, part, "tendon '%s' (id = %d): tendon armature cannot be negative", part->name,
             part->id);
  }
  for (int i = 0; i < tendon->nwrap; i++) {
    const char* trouble = is_spatial ? spatialTrouble(tendon, i) : NULL;
    if (!is_spatial && tendon->wrap[i].type != mjWRAP_JOINT) {
      trouble = "spatial object found in fixed path at pos #";
    }
    if (trouble) {
      const int length = (int)strcspn(trouble, "#");
      char position[12] = "";
      if (trouble[length]) {
        snprintf(position, sizeof(position), "%d", i);
      }
      cfi_fail(draft, part, "tendon '%s' (id = %d): %.*s%s%s", part->name, part->id, length,
               trouble, position, trouble[length] ? trouble + length + 1 : "");
    }
  }
}


static void resolvePath(cfDraft* draft, cfTendonDraft* tendon) {
  const cfPart* part = &tendon->part;
  const cfList* path = &part->origin->part.tendon.path;
  tendon->nwrap = path->count;
  if (!path->count) {
    cfi_fail(draft, part, "tendon '%s' (id = %d): path cannot be empty", part->name, part->id);
  }
  const bool is_spatial = ((const mjsWrap*)path->item[0]->attr)->type != mjWRAP_JOINT;
  if (is_spatial && path->count < 2) {
    cfi_fail(draft, part, "tendon '%s' (id = %d): spatial path must contain at least two objects",
             part->name, part->id);
  }
  if (is_spatial && tendon->attr.width <= 0) {
    cfi_fail(draft, part, "tendon '%s' (id = %d) must have positive width", part->name, part->id);
  }
  tendon->wrap = (cfWrapDraft*)cfi_poolAlloc(&draft->pool, path->count, sizeof(cfWrapDraft));
  for (int i = 0; i < path->count; i++) {
    tendon->wrap[i] = resolveWrapDraft(draft, tendon, path->item[i], i);
  }
  checkPath(draft, tendon);

  // geoms that guide a tendon are more than decoration
  for (int i = 0; is_spatial && i < tendon->nwrap; i++) {
    if (tendon->wrap[i].type == mjWRAP_SPHERE || tendon->wrap[i].type == mjWRAP_CYLINDER) {
      ((cfGeomDraft*)cfi_parts(draft, mjOBJ_GEOM)->item[tendon->wrap[i].obj->id])->is_visual =
          false;
    }
  }
}


//---------------------------------- limits --------------------------------------------------------

static void resolveLimits(cfDraft* draft, cfTendonDraft* tendon) {
  mjsTendon* attr = &tendon->attr;
  const cfPart* part = &tendon->part;
  cfi_checkLimited(draft, part, "tendon", "", attr->limited, attr->range);
  tendon->is_limited = cfi_isLimited(attr->limited, attr->range);
  if (tendon->is_limited && attr->range[0] >= attr->range[1]) {
    cfi_fail(draft, part,
             "invalid limits in tendon; the first number must be less than the second");
  }
  cfi_checkLimited(draft, part, "tendon", "", attr->actfrclimited, attr->actfrcrange);
  tendon->is_frclimited = cfi_isLimited(attr->actfrclimited, attr->actfrcrange);
  const double* force = attr->actfrcrange;
  if (tendon->is_frclimited && (force[0] >= force[1] || force[0] > 0 || force[1] < 0)) {
    cfi_fail(draft, part, "invalid actuatorfrcrange in tendon; it must increase and contain 0");
  }
  if (attr->springlength[0] > attr->springlength[1]) {
    cfi_fail(
        draft, part,
        "invalid springlength in tendon; the first number must not be greater than the second");
  }
}


static void compileTendon(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_TENDON);
  cfTendonDraft* tendon = (cfTendonDraft*)part;
  cfi_checkUser(draft, part, tendon->attr.userdata, "tendon");
  resolvePath(draft, tendon);
  resolveLimits(draft, tendon);
}


void cfi_compileTendons(cfDraft* draft) {
  cfi_guardList(draft, compileTendon, mjOBJ_TENDON);
}
