// Fusing static bodies into their parents.
//
// A body without joints moves with its parent, so it may disappear: its mass, geoms, sites,
// cameras, lights and children go to the parent.  It stays when something refers to it by name,
// when it is a mocap body, or when a force or torque sensor measures between it and its parent.
//
// Two habits of MuJoCo 3.5.0 show in the model and are kept.  While bodies disappear, names still
// lead to the places that elements had before: where such a place of a referenced body is behind
// the end of the list, nothing is fused.  And at the end only the names of bodies are looked up
// afresh: a name of a joint, geom or site stands for whatever has its old place now.
#include "base/assert.h"
#include "compile/phases.h"

#include <string.h>

#include "compile/bodyinertia.h"
#include "compile/placement.h"
#include "math/inline.h"

//---------------------------------- which bodies stay ---------------------------------------------

static void keepNamed(cfDraft* draft, bool* is_kept, const char* name) {
  CF_ASSERT(is_kept && name);
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
    const bool is_spatial = attr->type == mjEQ_CONNECT || attr->type == mjEQ_WELD;
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
  }
  const cfPartList* tuples = cfi_parts(draft, mjOBJ_TUPLE);
  for (int i = 0; i < tuples->count; i++) {
    const mjsTuple* attr = &((cfTupleDraft*)tuples->item[i])->attr;
    const int count = cfi_countInts(attr->objtype) < cfi_countStrings(attr->objname)
                          ? cfi_countInts(attr->objtype)
                          : cfi_countStrings(attr->objname);
    for (int k = 0; k < count; k++) {
      if (cfi_ints(attr->objtype)[k] == mjOBJ_BODY) {
        keepNamed(draft, is_kept, cfi_text(cfi_strings(attr->objname) + k));
      }
    }
  }
}


// sites at which force or torque is measured, by the places they had at the beginning
typedef struct {
  int* site;
  int count;
} forceSites;


static forceSites findForceSites(cfDraft* draft) {
  const cfPartList* sensors = cfi_parts(draft, mjOBJ_SENSOR);
  forceSites f = {(int*)cfi_poolAlloc(&draft->pool, (size_t)sensors->count + 1, sizeof(int)), 0};
  for (int i = 0; i < sensors->count; i++) {
    const mjsSensor* attr = &((cfSensorDraft*)sensors->item[i])->attr;
    const bool is_force = attr->type == mjSENS_FORCE || attr->type == mjSENS_TORQUE;
    const cfPart* site = attr->objtype == mjOBJ_SITE && is_force
                             ? cfi_findPart(draft, mjOBJ_SITE, cfi_text(attr->objname))
                             : NULL;
    if (site) {
      f.site[f.count++] = site->id;
    }
  }
  return f;
}


// the force inside a fused body could not be told any more
static bool hasForceSite(cfDraft* draft, const forceSites* f, const cfBodyDraft* body) {
  const cfPartList* sites = cfi_parts(draft, mjOBJ_SITE);
  for (int i = 0; i < f->count; i++) {
    if (((const cfSiteDraft*)sites->item[f->site[i]])->body == body) {
      return true;
    }
  }
  return false;
}


//---------------------------------- moving everything to the parent -------------------------------

const char* cfi_fuseMass(mjsBody* into, const mjsBody* child, double full[6]) {
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

  memset(full, 0, 6 * sizeof(double));
  into->mass = part[0].mass + part[1].mass;
  if (into->mass < mjMINVAL) {
    into->mass = 0;
    cfi_set3(into->inertia, 0, 0, 0);
    cfi_set3(into->ipos, 0, 0, 0);
    cfi_unitQuat(into->iquat);
    return NULL;
  }
  for (int k = 0; k < 3; k++) {
    into->ipos[k] = (part[0].mass * part[0].pos[k] + part[1].mass * part[1].pos[k]) / into->mass;
  }
  cfi_addInertiaAbout(full, part, into->ipos);
  cfi_addInertiaAbout(full, part + 1, into->ipos);
  return cfi_diagonalizeInertia(into->iquat, into->inertia, full);
}


// put a body's children in its place in the parent's list
static void adoptBodies(cfDraft* draft, cfBodyDraft* parent, cfBodyDraft* body) {
  CF_ASSERT(parent && body && parent != body);
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
  CF_ASSERT(parent && body && parent != body);
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
  CF_ASSERT(body && body->part.id > 0);
  cfBodyDraft* parent = body->parent;

  // MuJoCo counts the growth of the tree twice; the nodes beyond are zero
  draft->nbvhspare -= parent->bvh.count + body->bvh.count;
  if (parent->part.id && body->attr.mass >= mjMINVAL) {
    double full[6];
    const char* trouble = cfi_fuseMass(&parent->attr, &body->attr, full);
    if (trouble) {
      cfi_fail(draft, NULL, "error '%s' in fusing static body inertias", trouble);
    }
  }
  adoptBodies(draft, parent, body);
  adoptElements(draft, parent, body);
  body->geoms.count = body->sites.count = 0;
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


// which bodies something refers to; the last of them
typedef struct {
  bool* is_named;
  int last;
} bodyReferences;


static bodyReferences findReferences(cfDraft* draft) {
  const int count = cfi_parts(draft, mjOBJ_BODY)->count;
  bodyReferences r = {(bool*)cfi_poolAlloc(&draft->pool, (size_t)count, sizeof(bool)), 0};
  keepTargets(draft, r.is_named);
  keepConstrained(draft, r.is_named);
  keepMeasured(draft, r.is_named);
  for (int i = 0; i < count; i++) {
    r.last = r.is_named[i] ? i : r.last;
  }
  return r;
}


// fuse what can be fused; parents come first, so a body goes into what is left of its ancestors
static void fuseBodies(cfDraft* draft) {
  cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  const bodyReferences references = findReferences(draft);
  const forceSites measured = findForceSites(draft);
  const cfPartList all = *bodies;
  cfPartList left = {0};
  int size = all.count;
  cfi_pushPart(draft, &left, all.item[0]);
  for (int i = 1; i < all.count; i++) {
    cfBodyDraft* body = (cfBodyDraft*)all.item[i];
    const bool is_lost = references.last > i && references.last >= size;
    const bool is_needed = body->part.name[0] && (references.is_named[i] || is_lost ||
                                                  hasForceSite(draft, &measured, body));
    if (is_needed || body->joints.count || body->attr.mocap) {
      cfi_pushPart(draft, &left, &body->part);
      continue;
    }
    fuseBody(draft, body);
    size--;
    if (measured.count) {
      relist(draft, mjOBJ_SITE, offsetof(cfBodyDraft, sites));
    }
  }
  draft->spec->is_fused = size < all.count;
  *bodies = left;
}


// names of joints, geoms and sites keep leading to the places these have now
static void notePlacesOfNames(cfDraft* draft) {
  static const mjtObj kinds[] = {mjOBJ_JOINT, mjOBJ_GEOM, mjOBJ_SITE};
  for (int k = 0; k < 3; k++) {
    const cfPartList* list = cfi_parts(draft, kinds[k]);
    for (int i = 0; i < list->count; i++) {
      list->item[i]->named_place = i;
    }
  }
  draft->has_named_places = true;
}


void cfi_fuseStatic(cfDraft* draft) {
  cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  notePlacesOfNames(draft);
  fuseBodies(draft);
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
