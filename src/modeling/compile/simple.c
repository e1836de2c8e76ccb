// Simple bodies: those whose rows of the inertia matrix are diagonal.
//
// A body is simple when its inertial frame is its own frame, it hangs on static ground, nothing
// hangs on it, and its joints act along its axes through its center; 2 when it also cannot rotate.
// Tendons with inertia couple the bodies they touch.
#include "compile/phases.h"

#include <math.h>

#include "compile/placement.h"

static const double ORIGIN[3] = {0, 0, 0}, UNIT[4] = {1, 0, 0, 0};


// can the joints of a body keep its inertia diagonal
static bool hasSimpleJoints(const cfBodyDraft* body) {
  bool has_rotation = false;
  for (int i = 0; i < body->joints.count; i++) {
    const mjsJoint* joint = &((const cfJointDraft*)body->joints.item[i])->attr;
    int components = 0;
    for (int k = 0; k < 3; k++) {
      components += fabs(joint->axis[k]) > CF_EPS;
    }
    const bool is_scalar = cfi_isScalarJoint((int)joint->type);
    if (has_rotation || !cfi_samePose(joint->pos, ORIGIN, NULL, NULL) ||
        (is_scalar && components != 1)) {
      return false;
    }
    has_rotation = joint->type == mjJNT_BALL || joint->type == mjJNT_HINGE;
  }
  return true;
}


static bool onlySlides(const cfBodyDraft* body) {
  for (int i = 0; i < body->joints.count; i++) {
    if (((const cfJointDraft*)body->joints.item[i])->attr.type != mjJNT_SLIDE) {
      return false;
    }
  }
  return body->dofnum > 0;
}


// 0, 1 or 2, without regard to tendons
static int simplicity(const cfBodyDraft* body) {
  const cfBodyDraft* parent = body->parent;
  bool on_ground =
      !parent || parent->part.id == 0 || (parent->parent->part.id == 0 && parent->dofnum == 0);
  const bool is_leaf = body->part.id == 0 || body->bodies.count == 0;
  if (!on_ground || !is_leaf || !cfi_samePose(body->attr.ipos, ORIGIN, body->attr.iquat, UNIT) ||
      !hasSimpleJoints(body)) {
    return 0;
  }
  return onlySlides(body) ? 2 : 1;
}


// bodies that a tendon with inertia touches
static void coupleByTendon(const cfTendonDraft* tendon) {
  for (int k = 0; k < tendon->nwrap; k++) {
    const cfWrapDraft* wrap = tendon->wrap + k;
    if (wrap->type == mjWRAP_SITE) {
      ((const cfSiteDraft*)wrap->obj)->body->simple = 0;
    } else if (wrap->type == mjWRAP_SPHERE || wrap->type == mjWRAP_CYLINDER) {
      ((const cfGeomDraft*)wrap->obj)->body->simple = 0;
    }
  }
}


mjtSize cfi_countReducedInertia(cfDraft* draft) {
  const cfPartList *bodies = cfi_parts(draft, mjOBJ_BODY),
                   *tendons = cfi_parts(draft, mjOBJ_TENDON);
  int* above =
      (int*)cfi_poolAlloc(&draft->pool, bodies->count, sizeof(int));  // dofs of all ancestors
  for (int i = 0; i < bodies->count; i++) {
    cfBodyDraft* body = cfi_bodyAt(draft, i);
    body->rootid = i && body->parent->part.id ? body->parent->rootid : i;
    body->simple = simplicity(body);
  }
  for (int i = 0; i < tendons->count; i++) {
    const cfTendonDraft* tendon = (const cfTendonDraft*)tendons->item[i];
    if (tendon->attr.armature != 0) {
      coupleByTendon(tendon);
    }
  }

  // a row holds its diagonal and, unless simple, all ancestors
  mjtSize entries = draft->sizes.nv;
  for (int i = 1; i < bodies->count; i++) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    above[i] = above[body->parent->part.id] + body->parent->dofnum;
    for (int k = 0; k < body->dofnum && !body->simple; k++) {
      entries += above[i] + k;
    }
  }
  return entries;
}
