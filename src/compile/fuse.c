// Fusing static bodies into their parents.
//
// A body without joints moves with its parent, so it may disappear: its mass, geoms, sites,
// cameras, lights and children go to the parent.  It stays when something refers to it by name,
// when it is a mocap body, or when a force or torque sensor measures between it and its parent.
#include "compile/phases.h"

#include <string.h>

#include "compile/bodyinertia.h"
#include "compile/placement.h"
#include "math/inline.h"

//---------------------------------- which bodies stay ---------------------------------------------

static void keepNamed(cfDraft* draft, bool* is_kept, const char* name) {
  const cfPart* body = cfi_findPart(draft, mjOBJ_BODY, name);
  if (body) {
    is_kept[body->id] = true;
  }
}


static void keepTargets(cfDraft* draft, bool* is_kept) {
  const cfPartList* cameras = cfi_parts(draft, mjOBJ_CAMERA);
  for (int i = 0; i < cameras->count; i++) {
    keepNamed(draft, is_kept, cfi_text(((cfCameraDraft*)cameras->item[i])->attr.targetbody));
  }
  const cfPartList* lights = cfi_parts(draft, mjOBJ_LIGHT);
  for (int i = 0; i < lights->count; i++) {
    keepNamed(draft, is_kept, cfi_text(((cfLightDraft*)lights->item[i])->attr.targetbody));
  }
  const cfPartList* skins = cfi_parts(draft, mjOBJ_SKIN);
  for (int i = 0; i < skins->count; i++) {
    const void* names = ((cfSkinDraft*)skins->item[i])->attr.bodyname;
    for (int k = 0; k < cfi_countStrings(names); k++) {
      keepNamed(draft, is_kept, cfi_text(cfi_strings(names) + k));
    }
  }
}


static void keepConstrained(cfDraft* draft, bool* is_kept) {
  const cfPartList* excludes = cfi_parts(draft, mjOBJ_EXCLUDE);
  for (int i = 0; i < excludes->count; i++) {
    const mjsExclude* attr = &((cfExcludeDraft*)excludes->item[i])->attr;
    keepNamed(draft, is_kept, cfi_text(attr->bodyname1));
    keepNamed(draft, is_kept, cfi_text(attr->bodyname2));
  }
  const cfPartList* equalities = cfi_parts(draft, mjOBJ_EQUALITY);
  for (int i = 0; i < equalities->count; i++) {
    const mjsEquality* attr = &((cfEqualityDraft*)equalities->item[i])->attr;
    bool is_spatial = attr->type == mjEQ_CONNECT || attr->type == mjEQ_WELD;
    if (is_spatial && attr->objtype == mjOBJ_BODY) {
      keepNamed(draft, is_kept, cfi_text(attr->name1));
      keepNamed(draft, is_kept, cfi_text(attr->name2));
    }
  }
  const cfPartList* actuators = cfi_parts(draft, mjOBJ_ACTUATOR);
  for (int i = 0; i < actuators->count; i++) {
    const mjsActuator* attr = &((cfActuatorDraft*)actuators->item[i])->attr;
    if (attr->trntype == mjTRN_BODY) {
      keepNamed(draft, is_kept, cfi_text(attr->target));
    }
  }
}


static void keepMeasured(cfDraft* draft, bool* is_kept) {
  const cfPartList* sensors = cfi_parts(draft, mjOBJ_SENSOR);
  for (int i = 0; i < sensors->count; i++) {
    const mjsSensor* attr = &((cfSensorDraft*)sensors->item[i])->attr;
    if (attr->objtype == mjOBJ_BODY) {
      keepNamed(draft, is_kept, cfi_text(attr->objname));
    }
    if (attr->reftype == mjOBJ_BODY) {
      keepNamed(draft, is_kept, cfi_text(attr->refname));
    }

    // the force inside a fused body could not be told any more; unnamed bodies are fused all the
    // same
    if (attr->objtype == mjOBJ_SITE &&
        (attr->type == mjSENS_FORCE || attr->type == mjSENS_TORQUE)) {
      const cfSiteDraft* site =
          (const cfSiteDraft*)cfi_findPart(draft, mjOBJ_SITE, cfi_text(attr->objname));
      if (site && site->body->part.name[0]) {
        is_kept[site->body->part.id] = true;
      }
    }
  }
  const cfPartList* tuples = cfi_parts(draft, mjOBJ_TUPLE);
  for (int i = 0; i < tuples->count; i++) {
    const mjsTuple* attr = &((cfTupleDraft*)tuples->item[i])->attr;
    int count = cfi_countInts(attr->objtype) < cfi_countStrings(attr->objname)
                    ? cfi_countInts(attr->objtype)
                    : cfi_countStrings(attr->objname);
    for (int k = 0; k < count; k++) {
      if (cfi_ints(attr->objtype)[k] == mjOBJ_BODY) {
        keepNamed(draft, is_kept, cfi_text(cfi_strings(attr->objname) + k));
      }
    }
  }
}


//---------------------------------- moving everything to the parent -------------------------------

// add a child's mass to its parent's inertia
static void fuseMass(cfDraft* draft, mjsBody* into, const mjsBody* child) {
  cfMassPart part[2] = {{.mass = into->mass}, {.mass = child->mass}};
  cfi_copy3(part[0].pos, into->ipos);
  cfi_copy4(part[0].quat, into->iquat);
  cfi_copy3(part[0].inertia, into->inertia);

  // MuJoCo chains inertial frame and body frame in this order and keeps the child's own orientation
  double turned[4];
  cfi_copy3(part[1].pos, child->ipos);
  cfi_copy4(turned, child->iquat);
  cfi_appendPose(part[1].pos, turned, child->pos, child->quat);
  cfi_copy4(part[1].quat, child->iquat);
  cfi_copy3(part[1].inertia, child->inertia);

  double full[6] = {0, 0, 0, 0, 0, 0};
  into->mass = part[0].mass + part[1].mass;
  if (into->mass < mjMINVAL) {
    into->mass = 0;
    cfi_set3(into->inertia, 0, 0, 0);
    cfi_set3(into->ipos, 0, 0, 0);
    cfi_unitQuat(into->iquat);
    return;
  }
  for (int k = 0; k < 3; k++) {
    into->ipos[k] = (part[0].mass * part[0].pos[k] + part[1].mass * part[1].pos[k]) / into->mass;
  }
  cfi_addInertiaAbout(full, part, into->ipos);
  cfi_addInertiaAbout(full, part + 1, into->ipos);
  const char* trouble = cfi_diagonalizeInertia(into->iquat, into->inertia, full);
  if (trouble) {
    cfi_fail(draft, NULL, "error '%s' in fusing static body inertias", trouble);
  }
}


// put a body's children in its place in the parent's list
static void adoptBodies(cfDraft* draft, cfBodyDraft* parent, cfBodyDraft* body) {
  cfPartList merged = {0};
  for (int i = 0; i < parent->bodies.count; i++) {
    if (parent->bodies.item[i] != &body->part) {
      cfi_pushPart(draft, &merged, parent->bodies.item[i]);
      continue;
    }
    for (int k = 0; k < body->bodies.count; k++) {
      cfBodyDraft* child = (cfBodyDraft*)body->bodies.item[k];
      child->parent = parent;
      cfi_intoParent(child->attr.pos, child->attr.quat, body->attr.pos, body->attr.quat);
      cfi_pushPart(draft, &merged, &child->part);
    }
  }
  parent->bodies = merged;
}


// geoms and sites change their frame; cameras and lights are placed again afterwards, seen from
// where they stand
static void adoptElements(cfDraft* draft, cfBodyDraft* parent, const cfBodyDraft* body) {
  const mjsBody* at = &body->attr;
  for (int i = 0; i < body->geoms.count; i++) {
    cfGeomDraft* geom = (cfGeomDraft*)body->geoms.item[i];
    cfi_intoParent(geom->attr.pos, geom->attr.quat, at->pos, at->quat);
    geom->body = parent;
    cfi_pushPart(draft, &parent->geoms, &geom->part);
  }
  for (int i = 0; i < body->sites.count; i++) {
    cfSiteDraft* site = (cfSiteDraft*)body->sites.item[i];
    cfi_intoParent(site->attr.pos, site->attr.quat, at->pos, at->quat);
    site->body = parent;
    cfi_pushPart(draft, &parent->sites, &site->part);
  }
  for (int i = 0; i < body->cameras.count; i++) {
    cfCameraDraft* camera = (cfCameraDraft*)body->cameras.item[i];
    cfi_intoParent(camera->attr.pos, camera->attr.quat, at->pos, at->quat);
    camera->body = parent;
    cfi_pushPart(draft, &parent->cameras, &camera->part);
  }
  for (int i = 0; i < body->lights.count; i++) {
    cfLightDraft* light = (cfLightDraft*)body->lights.item[i];
    double unused[4] = {1, 0, 0, 0};
    cfi_intoParent(light->attr.pos, unused, at->pos, at->quat);
    cfi_rotVecQuat(light->attr.dir, light->attr.dir, at->quat);
    light->body = parent;
    cfi_pushPart(draft, &parent->lights, &light->part);
  }
}


static void fuseBody(cfDraft* draft, cfBodyDraft* body) {
  cfBodyDraft* parent = body->parent;

  // MuJoCo counts the growth of the tree twice; the nodes beyond are zero
  draft->nbvhspare -= parent->bvh.count + body->bvh.count;
  if (parent->part.id && body->attr.mass >= mjMINVAL) {
    fuseMass(draft, &parent->attr, &body->attr);
  }
  adoptBodies(draft, parent, body);
  adoptElements(draft, parent, body);
  cfi_collectContact(parent);
  cfi_buildBodyBvh(draft, parent);
  draft->nbvhspare += parent->bvh.count;
}


//---------------------------------- new lists -----------------------------------------------------

// list the elements of all bodies again, in body order
static void relist(cfDraft* draft, mjtObj type, size_t children) {
  cfPartList all = {0};
  cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 0; i < bodies->count; i++) {
    const cfPartList* own =
        (const cfPartList*)(const void*)((const char*)bodies->item[i] + children);
    for (int k = 0; k < own->count; k++) {
      cfi_pushPart(draft, &all, own->item[k]);
    }
  }
  cfi_renumber(&all);
  *cfi_parts(draft, type) = all;
}


// cameras and lights look at bodies by id, and ids have changed.  Those whose own body stayed are
// compiled again from the specification, as in MuJoCo: what free-joint alignment did to them is
// lost.
static void retarget(cfDraft* draft) {
  const cfPartList* cameras = cfi_parts(draft, mjOBJ_CAMERA);
  for (int i = 0; i < cameras->count; i++) {
    cfCameraDraft* camera = (cfCameraDraft*)cameras->item[i];
    const cfElement* origin = camera->part.origin;
    if (origin->body == camera->body->part.origin) {
      camera->attr = *(const mjsCamera*)origin->attr;
      cfi_compileCamera(draft, &camera->part);
    }
    const cfPart* target = cfi_findPart(draft, mjOBJ_BODY, cfi_text(camera->attr.targetbody));
    camera->targetid = target ? target->id : -1;
  }
  const cfPartList* lights = cfi_parts(draft, mjOBJ_LIGHT);
  for (int i = 0; i < lights->count; i++) {
    cfLightDraft* light = (cfLightDraft*)lights->item[i];
    const cfElement* origin = light->part.origin;
    if (origin->body == light->body->part.origin) {
      light->attr = *(const mjsLight*)origin->attr;
      cfi_compileLight(draft, &light->part);
    }
    const cfPart* target = cfi_findPart(draft, mjOBJ_BODY, cfi_text(light->attr.targetbody));
    light->targetid = target ? target->id : -1;
  }
}


void cfi_fuseStatic(cfDraft* draft) {
  cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  bool* is_kept = (bool*)cfi_poolAlloc(&draft->pool, bodies->count, sizeof(bool));
  keepTargets(draft, is_kept);
  keepConstrained(draft, is_kept);
  keepMeasured(draft, is_kept);

  // parents come first, so a body is fused into what is left of its ancestors
  cfPartList left = {0};
  cfi_pushPart(draft, &left, bodies->item[0]);
  for (int i = 1; i < bodies->count; i++) {
    cfBodyDraft* body = cfi_bodyAt(draft, i);
    if (is_kept[i] || body->joints.count || body->attr.mocap) {
      cfi_pushPart(draft, &left, &body->part);
    } else {
      fuseBody(draft, body);
    }
  }

  draft->spec->is_fused = left.count < bodies->count;
  *bodies = left;
  cfi_renumber(bodies);
  for (int i = 1; i < bodies->count; i++) {
    cfBodyDraft* body = cfi_bodyAt(draft, i);
    body->weldid = body->joints.count ? i : body->parent->weldid;
  }
  relist(draft, mjOBJ_JOINT, offsetof(cfBodyDraft, joints));
  relist(draft, mjOBJ_GEOM, offsetof(cfBodyDraft, geoms));
  relist(draft, mjOBJ_SITE, offsetof(cfBodyDraft, sites));
  relist(draft, mjOBJ_CAMERA, offsetof(cfBodyDraft, cameras));
  relist(draft, mjOBJ_LIGHT, offsetof(cfBodyDraft, lights));
  cfi_indexParts(draft);
  retarget(draft);
}
