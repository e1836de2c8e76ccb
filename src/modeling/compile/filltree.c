// Bodies, joints, geoms, sites, cameras and lights into mjModel.
#include "compile/phases.h"

#include <string.h>

#include "compile/fill.h"
#include "compile/placement.h"

//---------------------------------- bodies --------------------------------------------------------

// first id of a list, -1 when it is empty
static int firstId(const cfPartList* list) {
  return list->count ? list->item[0]->id : -1;
}


static void fillBvh(mjModel* m, const cfBodyDraft* body, int* next) {
  const cfBvh* bvh = &body->bvh;
  const int i = body->part.id, adr = *next;
  m->body_bvhnum[i] = bvh->count;
  m->body_bvhadr[i] = bvh->count ? adr : -1;
  if (bvh->count) {
    memcpy(m->bvh_aabb + 6 * adr, bvh->aabb, 6 * bvh->count * sizeof(mjtNum));
    memcpy(m->bvh_child + 2 * adr, bvh->child, 2 * bvh->count * sizeof(int));
    memcpy(m->bvh_depth + adr, bvh->depth, bvh->count * sizeof(int));
  }
  for (int k = 0; k < bvh->count; k++) {
    m->bvh_nodeid[adr + k] = body->node_geom[k] ? body->node_geom[k]->id : -1;
  }
  *next += bvh->count;
}


static void fillBody(mjModel* m, const cfBodyDraft* p) {
  const int i = p->part.id;
  cfi_fillElement(m, FIELDS_BODY, p, i);
  cfi_fillElement(m, FIELDS_INERTIAL, p, i);
  m->body_parentid[i] = p->parent ? p->parent->part.id : 0;
  m->body_jntadr[i] = firstId(&p->joints);
  m->body_geomadr[i] = firstId(&p->geoms);
  m->body_dofadr[i] = p->dofnum ? ((const cfJointDraft*)p->joints.item[0])->dofadr : -1;

  // a body's own frame has no inertia to compare with but its own
  mjtSameFrame relation =
      cfi_frameRelation(p->attr.ipos, p->attr.iquat, p->attr.ipos, p->attr.iquat);
  m->body_sameframe[i] =
      relation == mjSAMEFRAME_BODY || relation == mjSAMEFRAME_BODYROT ? relation : mjSAMEFRAME_NONE;
}


//---------------------------------- joints --------------------------------------------------------

// reference and spring coordinates
static void fillReference(mjModel* m, const cfJointDraft* joint) {
  mjtNum *q0 = m->qpos0 + joint->qposadr, *spring = m->qpos_spring + joint->qposadr;
  const mjsBody* body = &joint->body->attr;
  switch (joint->attr.type) {
    case mjJNT_FREE:
      mju_copy3(q0, body->pos);
      mju_copy4(q0 + 3, body->quat);
      mju_copy(spring, q0, 7);
      break;
    case mjJNT_BALL:
      q0[0] = spring[0] = 1;
      break;
    default:
      q0[0] = joint->attr.ref;
      spring[0] = joint->attr.springref;
  }
}


static void fillDofs(mjModel* m, const cfJointDraft* p, int* last_dof) {
  for (int k = 0; k < cfi_jointDofs(p->attr.type); k++) {
    const int i = p->dofadr + k;
    cfi_fillDof(m, FIELDS_JOINT, p, i);
    m->dof_bodyid[i] = p->body->part.id;
    m->dof_jntid[i] = p->part.id;
    m->dof_parentid[i] = *last_dof;
    *last_dof = i;
  }
}


static void fillJoint(mjModel* m, const cfJointDraft* p, int* last_dof) {
  const int i = p->part.id;
  cfi_fillElement(m, FIELDS_JOINT, p, i);
  m->jnt_bodyid[i] = p->body->part.id;
  fillReference(m, p);
  fillDofs(m, p, last_dof);
}


//---------------------------------- what hangs on bodies ------------------------------------------

static void fillGeom(mjModel* m, const cfGeomDraft* p) {
  const int i = p->part.id;
  cfi_fillElement(m, FIELDS_GEOM, p, i);
  m->geom_bodyid[i] = p->body->part.id;
  m->geom_dataid[i] = p->source ? p->source->part.id : (p->hfield ? p->hfield->part.id : -1);
  m->geom_sameframe[i] =
      cfi_frameRelation(p->attr.pos, p->attr.quat, p->body->attr.ipos, p->body->attr.iquat);
}


static void fillSite(mjModel* m, const cfSiteDraft* p) {
  const int i = p->part.id;
  cfi_fillElement(m, FIELDS_SITE, p, i);
  m->site_bodyid[i] = p->body->part.id;
  m->site_sameframe[i] =
      cfi_frameRelation(p->attr.pos, p->attr.quat, p->body->attr.ipos, p->body->attr.iquat);
}


static void fillCamera(mjModel* m, const cfCameraDraft* camera) {
  cfi_fillElement(m, FIELDS_CAMERA, camera, camera->part.id);
  m->cam_bodyid[camera->part.id] = camera->body->part.id;
}


static void fillLight(mjModel* m, const cfLightDraft* light) {
  cfi_fillElement(m, FIELDS_LIGHT, light, light->part.id);
  m->light_bodyid[light->part.id] = light->body->part.id;
}


//---------------------------------- dofs and trees ------------------------------------------------

// trees, addresses in the inertia matrix, runs of simple dofs
static void fillDofStructure(mjModel* m) {
  int tree = -1, entries = 0;
  for (int i = 0; i < m->nv; i++) {
    tree += m->dof_parentid[i] < 0;
    m->dof_treeid[i] = tree;
    m->dof_Madr[i] = entries;
    for (int j = i; j >= 0; j = m->dof_parentid[j]) {
      entries++;
    }
  }
  int run = 0;
  for (int i = (int)m->nv - 1; i >= 0; i--) {
    run = m->body_simple[m->dof_bodyid[i]] ? run + 1 : 0;
    m->dof_simplenum[i] = run;
  }
}


// only the first body of a moving tree may choose how the tree sleeps
static void fillSleepPolicy(cfDraft* draft) {
  mjModel* m = draft->model;
  for (int i = 0; i < m->nbody; i++) {
    const int weld = m->body_weldid[i];
    m->body_treeid[i] = m->body_dofnum[weld] ? m->dof_treeid[m->body_dofadr[weld]] : -1;
  }
  for (int t = 0; t < m->ntree; t++) {
    m->tree_sleep_policy[t] = mjSLEEP_AUTO;
  }
  for (int i = 1; i < m->nbody; i++) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    const int tree = m->body_treeid[i];
    if (body->attr.sleep == mjSLEEP_AUTO) {
      continue;
    }
    if (tree < 0 || tree == m->body_treeid[i - 1]) {
      cfi_fail(draft, &body->part, "sleep policy only allowed for movable root bodies");
    }
    m->tree_sleep_policy[tree] = body->attr.sleep;
  }
}


void cfi_fillTree(cfDraft* draft) {
  mjModel* m = draft->model;
  int next_bvh = 0;
  int* last_dof = (int*)cfi_poolAlloc(&draft->pool, m->nbody, sizeof(int));
  for (int i = 0; i < m->nbody; i++) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    fillBody(m, body);
    fillBvh(m, body, &next_bvh);
    last_dof[i] = i ? last_dof[body->parent->part.id] : -1;
    for (int k = 0; k < body->joints.count; k++) {
      fillJoint(m, (const cfJointDraft*)body->joints.item[k], last_dof + i);
    }
  }
  for (int i = 0; i < m->ngeom; i++) {
    fillGeom(m, (const cfGeomDraft*)cfi_parts(draft, mjOBJ_GEOM)->item[i]);
  }
  for (int i = 0; i < m->nsite; i++) {
    fillSite(m, (const cfSiteDraft*)cfi_parts(draft, mjOBJ_SITE)->item[i]);
  }
  for (int i = 0; i < m->ncam; i++) {
    fillCamera(m, (const cfCameraDraft*)cfi_parts(draft, mjOBJ_CAMERA)->item[i]);
  }
  for (int i = 0; i < m->nlight; i++) {
    fillLight(m, (const cfLightDraft*)cfi_parts(draft, mjOBJ_LIGHT)->item[i]);
  }
  fillDofStructure(m);
  fillSleepPolicy(draft);
}
