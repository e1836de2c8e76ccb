// Bodies of the kinematic tree: frames, inertia, free-joint alignment, contact summary.
#include "base/assert.h"
#include "compile/phases.h"

#include <math.h>
#include <string.h>

#include "compile/bodyinertia.h"
#include "compile/placement.h"
#include "compile/plugins.h"
#include "math/inline.h"
#include "math/libm.h"

//---------------------------------- frames --------------------------------------------------------

const cfFrameDraft* cfi_frameOf(const cfDraft* draft, const cfPart* part) {
  const cfElement* frame = part->origin->frame;
  return frame ? (const cfFrameDraft*)draft->frames.item[frame->id] : NULL;
}


void cfi_poseInFrame(cfDraft* draft, const cfPart* part, const char* what, const char* trouble,
                     double pos[3], double quat[4]) {
  if (trouble) {
    cfi_fail(draft, part, "orientation specification error '%s' in %s %d", trouble, what, part->id);
  }
  const cfFrameDraft* frame = cfi_frameOf(draft, part);
  if (frame) {
    cfi_intoParent(pos, quat, frame->attr.pos, frame->attr.quat);
  }
  cfi_unit(quat, 4);
}


// own orientation, then everything around it; the enclosing frame is final already
static void resolveFrame(cfDraft* draft, cfFrameDraft* frame) {
  mjsFrame* attr = &frame->attr;
  const char* trouble = cfi_resolveOrientation(attr->quat, &attr->alt, cfi_settings(&frame->part));
  cfi_poseInFrame(draft, &frame->part, "frame", trouble, attr->pos, attr->quat);
}


void cfi_compileFrames(cfDraft* draft) {
  int count = draft->frames.count;
  bool* is_done = (bool*)cfi_poolAlloc(&draft->pool, count + 1, sizeof(bool));
  int* stack = (int*)cfi_poolAlloc(&draft->pool, count + 1, sizeof(int));
  for (int i = 0; i < count; i++) {
    // climb to the outermost open frame, then come back down
    int height = 0;
    for (const cfElement* e = draft->frames.item[i]->origin; e && !is_done[e->id]; e = e->frame) {
      is_done[e->id] = true;
      stack[height++] = e->id;
    }
    while (height) {
      resolveFrame(draft, (cfFrameDraft*)draft->frames.item[stack[--height]]);
    }
  }
}


//---------------------------------- inertia -------------------------------------------------------

// does a geom count for its body's inertia
static bool countsForInertia(const cfBodyDraft* body, const cfGeomDraft* geom) {
  const int* range = cfi_settings(&body->part)->inertiagrouprange;
  return geom->attr.group >= range[0] && geom->attr.group <= range[1] && geom->mass > CF_EPS;
}


static cfMassPart massOfGeom(const cfGeomDraft* geom) {
  cfMassPart part = {.mass = geom->mass};
  cfi_copy3(part.pos, geom->attr.pos);
  cfi_copy4(part.quat, geom->attr.quat);
  cfi_copy3(part.inertia, geom->inertia);
  return part;
}


void cfi_bodyFromGeoms(cfDraft* draft, cfBodyDraft* body) {
  CF_ASSERT(body && draft);
  mjsBody* attr = &body->attr;
  cfMassPart* part =
      (cfMassPart*)cfi_poolAlloc(&draft->pool, body->geoms.count + 1, sizeof(cfMassPart));
  int count = 0;
  for (int i = 0; i < body->geoms.count; i++) {
    const cfGeomDraft* geom = (const cfGeomDraft*)body->geoms.item[i];
    if (countsForInertia(body, geom)) {
      part[count++] = massOfGeom(geom);
    }
  }
  if (!count) {
    return;
  }
  if (count == 1) {
    attr->mass = part[0].mass;
    cfi_copy3(attr->ipos, part[0].pos);
    cfi_copy4(attr->iquat, part[0].quat);
    cfi_copy3(attr->inertia, part[0].inertia);
    return;
  }

  // mass and center of mass
  double moment[3] = {0, 0, 0}, full[6] = {0, 0, 0, 0, 0, 0};
  attr->mass = 0;
  for (int i = 0; i < count; i++) {
    attr->mass += part[i].mass;
    cfi_addToScl3(moment, part[i].pos, part[i].mass);
  }
  if (attr->mass < CF_EPS) {
    cfi_fail(draft, &body->part, "body mass is too small, cannot compute center of mass");
  }
  for (int k = 0; k < 3; k++) {
    attr->ipos[k] = moment[k] / attr->mass;
  }

  // inertia about the center, principal axes
  for (int i = 0; i < count; i++) {
    cfi_addInertiaAbout(full, part + i, attr->ipos);
  }
  const char* trouble = cfi_diagonalizeInertia(attr->iquat, attr->inertia, full);
  if (trouble) {
    cfi_fail(draft, &body->part, "error '%s' in alternative for principal axes", trouble);
  }
}


// inertial frame as the user gave it: full matrix or orientation alternative
static void resolveInertial(cfDraft* draft, cfBodyDraft* body) {
  mjsBody* attr = &body->attr;
  const bool has_alternative = attr->ialt.type != mjORIENTATION_QUAT;
  if (cfi_isGiven(attr->fullinertia[0])) {
    if (has_alternative) {
      cfi_fail(draft, &body->part, "fullinertia and inertial orientation cannot both be specified");
    }
    if (attr->inertia[0] != 0 || attr->inertia[1] != 0 || attr->inertia[2] != 0) {
      cfi_fail(draft, &body->part, "fullinertia and diagonal inertia cannot both be specified");
    }
    const char* trouble = cfi_diagonalizeInertia(attr->iquat, attr->inertia, attr->fullinertia);
    if (trouble) {
      cfi_fail(draft, &body->part, "error '%s' in fullinertia", trouble);
    }
  }
  const char* trouble = cfi_resolveOrientation(attr->iquat, &attr->ialt, cfi_settings(&body->part));
  if (trouble) {
    cfi_fail(draft, &body->part, "error '%s' in inertia alternative", trouble);
  }
}


// lower bound; what is not a number stays so
static double atLeast(double value, double bound) {
  return value < bound ? bound : value;
}


// lower bounds, signs, and the triangle inequality of principal moments
static void checkInertia(cfDraft* draft, cfBodyDraft* body) {
  const mjsCompiler* compiler = cfi_settings(&body->part);
  mjsBody* attr = &body->attr;
  double sum = 0, least = attr->mass = atLeast(attr->mass, compiler->boundmass);
  for (int k = 0; k < 3; k++) {
    attr->inertia[k] = atLeast(attr->inertia[k], compiler->boundinertia);
    least = cfi_fmin(least, attr->inertia[k]);
    sum += attr->inertia[k];
  }
  if (least < 0) {
    cfi_fail(draft, &body->part, "mass and inertia cannot be negative");
  }
  const double* I = attr->inertia;
  if (I[0] + I[1] < I[2] || I[0] + I[2] < I[1] || I[1] + I[2] < I[0]) {
    if (!compiler->balanceinertia) {
      cfi_fail(draft, &body->part, "inertia must satisfy A + B >= C; use 'balanceinertia' to fix");
    }
    cfi_set3(attr->inertia, sum / 3.0, sum / 3.0, sum / 3.0);
  }
}


// inertial frame and inertia of a body whose geoms are final
static void setInertia(cfDraft* draft, cfBodyDraft* body) {
  mjsBody* attr = &body->attr;
  const int mode = cfi_settings(&body->part)->inertiafromgeom;
  const bool is_missing = !cfi_isGiven(attr->ipos[0]);
  const bool infers =
      mode == mjINERTIAFROMGEOM_TRUE || (mode == mjINERTIAFROMGEOM_AUTO && is_missing);
  if (body->part.id > 0 && infers) {
    cfi_bodyFromGeoms(draft, body);
  }

  // nothing known: the body's own pose stands in
  if (!cfi_isGiven(attr->ipos[0])) {
    cfi_copy3(attr->ipos, attr->pos);
    cfi_copy4(attr->iquat, attr->quat);
  }
  if (body->part.id > 0) {
    checkInertia(draft, body);
  }
}


//---------------------------------- contact summary -----------------------------------------------

void cfi_collectContact(cfBodyDraft* body) {
  body->contype = body->conaffinity = 0;
  body->margin = 0;
  for (int i = 0; i < body->geoms.count; i++) {
    const mjsGeom* geom = &((const cfGeomDraft*)body->geoms.item[i])->attr;
    body->contype |= geom->contype;
    body->conaffinity |= geom->conaffinity;
    body->margin = cfi_fmax(body->margin, geom->margin);
  }
}


// geoms of the tree's leaves.  As in MuJoCo, inner nodes keep what stood in their place before a
// rebuild
static void noteLeaves(cfDraft* draft, cfBodyDraft* body) {
  const cfBvh* bvh = &body->bvh;
  if (bvh->count > body->node_room) {
    cfPart** larger = (cfPart**)cfi_poolAlloc(&draft->pool, bvh->count, sizeof(cfPart*));
    for (int i = 0; i < body->node_room; i++) {
      larger[i] = body->node_geom[i];
    }
    body->node_geom = larger;
    body->node_room = bvh->count;
  }
  for (int i = 0; i < bvh->count; i++) {
    if (bvh->nodeid[i] >= 0) {
      body->node_geom[i] = body->geoms.item[bvh->nodeid[i]];
    }
  }
}


void cfi_buildBodyBvh(cfDraft* draft, cfBodyDraft* body) {
  cfBvhItem* item =
      (cfBvhItem*)cfi_poolAlloc(&draft->pool, body->geoms.count + 1, sizeof(cfBvhItem));
  int count = 0;
  for (int i = 0; i < body->geoms.count; i++) {
    const cfGeomDraft* geom = (const cfGeomDraft*)body->geoms.item[i];
    if (geom->attr.contype || geom->attr.conaffinity) {
      item[count++] = (cfBvhItem){geom->aabb, geom->attr.pos, geom->attr.quat, i};
    }
  }
  body->bvh = cfi_buildBvh(&draft->pool, item, count, body->attr.ipos, body->attr.iquat);
  noteLeaves(draft, body);
}


//---------------------------------- free-joint alignment ------------------------------------------

// a free body without children may have its frame moved to its inertial frame
static bool alignsFree(const cfBodyDraft* body) {
  if (body->joints.count != 1 || body->bodies.count) {
    return false;
  }
  const mjsJoint* joint = &((const cfJointDraft*)body->joints.item[0])->attr;
  const bool wants = joint->align == mjALIGNFREE_TRUE ||
                     (joint->align == mjALIGNFREE_AUTO && cfi_settings(&body->part)->alignfree);
  return joint->type == mjJNT_FREE && wants;
}


// move the body frame to the inertial frame, geoms stay where they are
static void alignBody(cfBodyDraft* body, double inv_pos[3], double inv_quat[4]) {
  CF_ASSERT(inv_pos && inv_quat);
  mjsBody* attr = &body->attr;
  cfi_appendPose(attr->pos, attr->quat, attr->ipos, attr->iquat);
  cfi_invertPose(inv_pos, inv_quat, attr->ipos, attr->iquat);
  cfi_set3(attr->ipos, 0, 0, 0);
  cfi_unitQuat(attr->iquat);
  for (int i = 0; i < body->geoms.count; i++) {
    mjsGeom* geom = &((cfGeomDraft*)body->geoms.item[i])->attr;
    cfi_intoParent(geom->pos, geom->quat, inv_pos, inv_quat);
  }
}


// the same for what is on the body besides geoms
static void alignRest(cfBodyDraft* body, const double inv_pos[3], const double inv_quat[4]) {
  for (int i = 0; i < body->sites.count; i++) {
    mjsSite* site = &((cfSiteDraft*)body->sites.item[i])->attr;
    cfi_intoParent(site->pos, site->quat, inv_pos, inv_quat);
  }
  for (int i = 0; i < body->cameras.count; i++) {
    mjsCamera* camera = &((cfCameraDraft*)body->cameras.item[i])->attr;
    cfi_intoParent(camera->pos, camera->quat, inv_pos, inv_quat);
  }
  for (int i = 0; i < body->lights.count; i++) {
    mjsLight* light = &((cfLightDraft*)body->lights.item[i])->attr;
    double unused[4] = {1, 0, 0, 0};
    cfi_intoParent(light->pos, unused, inv_pos, inv_quat);
    cfi_rotVecQuat(light->dir, light->dir, inv_quat);
  }
}


//---------------------------------- bodies --------------------------------------------------------

// own pose and inertial frame
static void resolveBody(cfDraft* draft, cfBodyDraft* body) {
  mjsBody* attr = &body->attr;
  cfi_checkUser(draft, &body->part, attr->userdata, "body");
  cfi_unit(attr->quat, 4);
  cfi_unit(attr->iquat, 4);
  const char* trouble = cfi_resolveOrientation(attr->quat, &attr->alt, cfi_settings(&body->part));
  if (trouble) {
    cfi_fail(draft, &body->part, "error '%s' in frame alternative", trouble);
  }
  resolveInertial(draft, body);
}


static void compileGeoms(cfDraft* draft, cfBodyDraft* body) {
  const mjsCompiler* compiler = cfi_settings(&body->part);
  const bool infers = body->part.id > 0 && (!body->attr.explicitinertial ||
                                            compiler->inertiafromgeom == mjINERTIAFROMGEOM_TRUE);
  const int* range = compiler->inertiagrouprange;
  for (int i = 0; i < body->geoms.count; i++) {
    cfGeomDraft* geom = (cfGeomDraft*)body->geoms.item[i];
    geom->infers_inertia = infers && geom->attr.group >= range[0] && geom->attr.group <= range[1];
    cfi_guard(draft, cfi_compileGeom, &geom->part);
  }
}


// joints, and what may stand together on one body
static void compileJoints(cfDraft* draft, cfBodyDraft* body) {
  bool has_ball = false;
  body->dofnum = 0;
  for (int i = 0; i < body->joints.count; i++) {
    cfJointDraft* joint = (cfJointDraft*)body->joints.item[i];
    cfi_guard(draft, cfi_compileJoint, &joint->part);
    body->dofnum += cfi_jointDofs(joint->attr.type);
  }
  if (body->dofnum > 6) {
    cfi_fail(draft, &body->part, "more than 6 dofs in body '%s'", body->part.name);
  }
  for (int i = 0; i < body->joints.count; i++) {
    const int type = ((cfJointDraft*)body->joints.item[i])->attr.type;
    if (has_ball && (type == mjJNT_BALL || type == mjJNT_HINGE)) {
      cfi_fail(draft, &body->part, "ball followed by rotation in body '%s'", body->part.name);
    }
    has_ball |= type == mjJNT_BALL;
  }
  if (body->attr.mocap && (body->dofnum || (body->parent && body->parent->part.id))) {
    cfi_fail(draft, &body->part, "mocap body '%s' is not a fixed child of world", body->part.name);
  }
}


static void compileBody(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_BODY);
  cfBodyDraft* body = (cfBodyDraft*)part;
  resolveBody(draft, body);
  compileGeoms(draft, body);
  setInertia(draft, body);
  const cfFrameDraft* frame = cfi_frameOf(draft, &body->part);
  if (frame) {
    cfi_intoParent(body->attr.pos, body->attr.quat, frame->attr.pos, frame->attr.quat);
  }
  cfi_collectContact(body);

  double inv_pos[3], inv_quat[4];
  const bool is_aligned = alignsFree(body);
  if (is_aligned) {
    alignBody(body, inv_pos, inv_quat);
  }
  cfi_buildBodyBvh(draft, body);
  compileJoints(draft, body);
  for (int i = 0; i < body->sites.count; i++) {
    cfi_guard(draft, cfi_compileSite, body->sites.item[i]);
  }
  for (int i = 0; i < body->cameras.count; i++) {
    cfi_guard(draft, cfi_compileCamera, body->cameras.item[i]);
  }
  for (int i = 0; i < body->lights.count; i++) {
    cfi_guard(draft, cfi_compileLight, body->lights.item[i]);
  }
  if (is_aligned) {
    alignRest(body, inv_pos, inv_quat);
  }
  if (body->attr.plugin.active) {
    body->plugin = cfi_usePlugin(draft, part, &body->attr.plugin);
  }
}


void cfi_compileTree(cfDraft* draft) {
  cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  if (cfi_bodyAt(draft, 0)->joints.count) {
    cfi_fail(draft, NULL, "joint found in world body");
  }
  for (int i = 1; i < bodies->count; i++) {
    cfBodyDraft* body = cfi_bodyAt(draft, i);
    body->weldid = body->joints.count ? i : body->parent->weldid;
  }
  cfi_compileFrames(draft);
  for (int i = 0; i < bodies->count; i++) {
    cfi_guard(draft, compileBody, bodies->item[i]);
  }
  cfi_stopIfFailed(draft);
}
