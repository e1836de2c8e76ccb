// Joints: limits, axes and references in final units and frames.
#include "base/assert.h"
#include "compile/phases.h"

#include "compile/placement.h"
#include "math/inline.h"

// free and ball joints rotate in all directions
static bool isSpatial(int type) {
  return type == mjJNT_FREE || type == mjJNT_BALL;
}


// range in radians, checked
static void resolveRange(cfDraft* draft, cfJointDraft* joint) {
  mjsJoint* attr = &joint->attr;
  if (attr->type == mjJNT_FREE) {
    attr->limited = mjLIMITED_FALSE;
  } else {
    cfi_checkLimited(draft, &joint->part, "joint", "", attr->limited, attr->range);
  }
  joint->is_limited = cfi_isLimited(attr->limited, attr->range);
  if (!joint->is_limited) {
    return;
  }
  if (attr->type == mjJNT_BALL ? attr->range[0] != 0 : attr->range[0] >= attr->range[1]) {
    cfi_fail(draft, &joint->part,
             attr->type == mjJNT_BALL ? "range[0] should be 0 in ball joint"
                                      : "range[0] should be smaller than range[1] in joint");
  }
  if (cfi_settings(&joint->part)->degree && attr->type != mjJNT_SLIDE) {
    attr->range[0] *= mjPI / 180.0;
    attr->range[1] *= mjPI / 180.0;
  }
}


// range of the total actuator force, for scalar joints only
static void resolveForceRange(cfDraft* draft, cfJointDraft* joint) {
  mjsJoint* attr = &joint->attr;
  if (isSpatial(attr->type)) {
    attr->actfrclimited = mjLIMITED_FALSE;
  } else {
    cfi_checkLimited(draft, &joint->part, "joint", "", attr->actfrclimited, attr->actfrcrange);
  }
  joint->is_frclimited = cfi_isLimited(attr->actfrclimited, attr->actfrcrange);
  if (joint->is_frclimited && attr->actfrcrange[0] >= attr->actfrcrange[1]) {
    cfi_fail(draft, &joint->part, "actfrcrange[0] should be smaller than actfrcrange[1] in joint");
  }
}


// axis and anchor in the body's frame
static void resolvePlace(cfDraft* draft, cfJointDraft* joint) {
  mjsJoint* attr = &joint->attr;
  const cfFrameDraft* frame = cfi_frameOf(draft, &joint->part);
  if (isSpatial(attr->type)) {
    cfi_set3(attr->axis, 0, 0, 1);
  } else if (frame) {
    cfi_rotVecQuat(attr->axis, attr->axis, frame->attr.quat);
  }
  if (cfi_unit(attr->axis, 3) < CF_EPS) {
    cfi_fail(draft, &joint->part, "axis too small in joint");
  }
  if (attr->type == mjJNT_FREE) {
    cfi_set3(attr->pos, 0, 0, 0);
  } else if (frame) {
    double unused[4] = {1, 0, 0, 0};
    cfi_intoParent(attr->pos, unused, frame->attr.pos, frame->attr.quat);
  }
}


void cfi_compileJoint(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_JOINT);
  cfJointDraft* joint = (cfJointDraft*)part;
  mjsJoint* attr = &joint->attr;
  cfi_checkUser(draft, &joint->part, attr->userdata, "joint");
  if (attr->type < mjJNT_FREE || attr->type > mjJNT_HINGE) {
    cfi_fail(draft, &joint->part, "unknown joint type");
  }
  const double* auto_spring = attr->springdamper;
  if ((auto_spring[0] != 0 || auto_spring[1] != 0) &&
      (auto_spring[0] <= 0 || auto_spring[1] <= 0)) {
    cfi_fail(draft, &joint->part, "when defined, springdamper values must be positive in joint");
  }
  resolveRange(draft, joint);
  resolveForceRange(draft, joint);
  resolvePlace(draft, joint);
  if (attr->type == mjJNT_HINGE && cfi_settings(&joint->part)->degree) {
    attr->ref *= mjPI / 180.0;
    attr->springref *= mjPI / 180.0;
  }
}


//---------------------------------- checks on the finished tree -----------------------------------

// free joints stand alone, on bodies whose parent is the world
static void checkFreeJoint(cfDraft* draft, const cfBodyDraft* body) {
  for (int i = 0; i < body->joints.count; i++) {
    if (((const cfJointDraft*)body->joints.item[i])->attr.type != mjJNT_FREE) {
      continue;
    }
    if (body->joints.count > 1) {
      cfi_fail(draft, &body->part, "free joint can only appear by itself");
    }
    if (body->parent->part.id) {
      cfi_fail(draft, &body->part,
               "free joint can only be used on top level; move the body into worldbody");
    }
  }
}


// mass and all moments of a body, above what the engine can divide by
static bool isHeavy(const mjsBody* attr) {
  return attr->mass >= mjMINVAL && attr->inertia[0] >= mjMINVAL && attr->inertia[1] >= mjMINVAL &&
         attr->inertia[2] >= mjMINVAL;
}


void cfi_checkMovingBodies(cfDraft* draft) {
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  bool* is_heavy = (bool*)cfi_poolAlloc(&draft->pool, bodies->count, sizeof(bool));

  // children come later in the list: a static child lends its mass to its parent
  for (int i = bodies->count - 1; i > 0; i--) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    is_heavy[i] |= isHeavy(&body->attr);
    if (!body->joints.count && is_heavy[i]) {
      is_heavy[body->parent->part.id] = true;
    }
  }
  for (int i = 1; i < bodies->count; i++) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    if (body->joints.count && !is_heavy[i]) {
      cfi_fail(draft, &body->part,
               "mass and inertia of moving bodies must be larger than mjMINVAL; give the body "
               "a geom with mass, or an inertial element");
    }
  }
  for (int i = 1; i < bodies->count; i++) {
    checkFreeJoint(draft, cfi_bodyAt(draft, i));
  }
}
