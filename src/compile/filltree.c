// Bodies, joints, geoms, sites, cameras and lights into mjModel.
#include "compile/phases.h"

#include <string.h>

#include "compile/fill.h"
#include "compile/placement.h"

//---------------------------------- plain fields --------------------------------------------------

// clang-format off
#define BODY_FIELDS(ONE, ALL)                                                                       \
  ONE(body_weldid, weldid) ONE(body_mocapid, mocapid) ONE(body_dofnum, dofnum)                      \
  ONE(body_jntnum, joints.count) ONE(body_geomnum, geoms.count) ONE(body_simple, simple)            \
  ONE(body_rootid, rootid) ONE(body_mass, attr.mass) ONE(body_gravcomp, attr.gravcomp)              \
  ONE(body_contype, contype) ONE(body_conaffinity, conaffinity) ONE(body_margin, margin)            \
  ALL(body_pos, attr.pos) ALL(body_quat, attr.quat) ALL(body_ipos, attr.ipos)                       \
  ALL(body_iquat, attr.iquat) ALL(body_inertia, attr.inertia)

#define JOINT_FIELDS(ONE, ALL)                                                                      \
  ONE(jnt_type, attr.type) ONE(jnt_group, attr.group) ONE(jnt_limited, is_limited)                  \
  ONE(jnt_actfrclimited, is_frclimited) ONE(jnt_actgravcomp, attr.actgravcomp)                      \
  ONE(jnt_qposadr, qposadr) ONE(jnt_dofadr, dofadr) ONE(jnt_bodyid, body->part.id)                  \
  ONE(jnt_stiffness, attr.stiffness) ONE(jnt_margin, attr.margin) ALL(jnt_pos, attr.pos)            \
  ALL(jnt_axis, attr.axis) ALL(jnt_range, attr.range) ALL(jnt_actfrcrange, attr.actfrcrange)        \
  ALL(jnt_solref, attr.solref_limit) ALL(jnt_solimp, attr.solimp_limit)

#define GEOM_FIELDS(ONE, ALL)                                                                       \
  ONE(geom_type, attr.type) ONE(geom_contype, attr.contype) ONE(geom_conaffinity, attr.conaffinity) \
  ONE(geom_condim, attr.condim) ONE(geom_bodyid, body->part.id) ONE(geom_matid, matid)              \
  ONE(geom_group, attr.group) ONE(geom_priority, attr.priority) ONE(geom_solmix, attr.solmix)       \
  ONE(geom_margin, attr.margin) ONE(geom_gap, attr.gap) ONE(geom_rbound, rbound)                    \
  ALL(geom_size, attr.size) ALL(geom_aabb, aabb) ALL(geom_pos, attr.pos) ALL(geom_quat, attr.quat)  \
  ALL(geom_friction, attr.friction) ALL(geom_solref, attr.solref) ALL(geom_solimp, attr.solimp)     \
  ALL(geom_fluid, fluid) ALL(geom_rgba, attr.rgba)

#define SITE_FIELDS(ONE, ALL)                                                                       \
  ONE(site_type, attr.type) ONE(site_bodyid, body->part.id) ONE(site_matid, matid)                  \
  ONE(site_group, attr.group) ALL(site_size, attr.size) ALL(site_pos, attr.pos)                     \
  ALL(site_quat, attr.quat) ALL(site_rgba, attr.rgba)

#define CAMERA_FIELDS(ONE, ALL)                                                                     \
  ONE(cam_bodyid, body->part.id) ONE(cam_mode, attr.mode) ONE(cam_targetbodyid, targetid)           \
  ONE(cam_projection, attr.proj) ONE(cam_fovy, attr.fovy) ONE(cam_ipd, attr.ipd)                    \
  ONE(cam_output, attr.output) ALL(cam_pos, attr.pos) ALL(cam_quat, attr.quat)                      \
  ALL(cam_resolution, attr.resolution) ALL(cam_sensorsize, attr.sensor_size)                        \
  ALL(cam_intrinsic, attr.intrinsic)

#define LIGHT_FIELDS(ONE, ALL)                                                                      \
  ONE(light_bodyid, body->part.id) ONE(light_mode, attr.mode) ONE(light_targetbodyid, targetid)     \
  ONE(light_type, attr.type) ONE(light_texid, texid) ONE(light_castshadow, attr.castshadow)         \
  ONE(light_active, attr.active) ONE(light_bulbradius, attr.bulbradius)                             \
  ONE(light_intensity, attr.intensity) ONE(light_range, attr.range) ONE(light_cutoff, attr.cutoff)  \
  ONE(light_exponent, attr.exponent) ALL(light_pos, attr.pos) ALL(light_dir, attr.dir)              \
  ALL(light_attenuation, attr.attenuation) ALL(light_ambient, attr.ambient)                         \
  ALL(light_diffuse, attr.diffuse) ALL(light_specular, attr.specular)
// clang-format on


//---------------------------------- bodies --------------------------------------------------------

// first id of a list, -1 when it is empty
static int firstId(const cfPartList* list) {
  return list->count ? list->item[0]->id : -1;
}


static void fillBvh(mjModel* m, const cfBodyDraft* body, int* next) {
  const cfBvh* bvh = &body->bvh;
  int i = body->part.id, adr = *next;
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
  int i = p->part.id;
  BODY_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  m->body_parentid[i] = p->parent ? p->parent->part.id : 0;
  m->body_jntadr[i] = firstId(&p->joints);
  m->body_geomadr[i] = firstId(&p->geoms);
  m->body_dofadr[i] = p->dofnum ? ((const cfJointDraft*)p->joints.item[0])->dofadr : -1;
  m->body_plugin[i] = -1;
  cfi_fillUser(m->body_user, (int)m->nuser_body, i, p->attr.userdata);

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


// clang-format off
#define DOF_FIELDS(ONE, ALL)                                                                \
  ONE(dof_frictionloss, attr.frictionloss) ONE(dof_armature, attr.armature)                 \
  ONE(dof_damping, attr.damping) ONE(dof_bodyid, body->part.id) ONE(dof_jntid, part.id)     \
  ALL(dof_solref, attr.solref_friction) ALL(dof_solimp, attr.solimp_friction)
// clang-format on

static void fillDofs(mjModel* m, const cfJointDraft* p, int* last_dof) {
  for (int k = 0; k < cfi_jointDofs(p->attr.type); k++) {
    int i = p->dofadr + k;
    DOF_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
    m->dof_parentid[i] = *last_dof;
    *last_dof = i;
  }
}


static void fillJoint(mjModel* m, const cfJointDraft* p, int* last_dof) {
  int i = p->part.id;
  JOINT_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  cfi_fillUser(m->jnt_user, (int)m->nuser_jnt, i, p->attr.userdata);
  fillReference(m, p);
  fillDofs(m, p, last_dof);
}


//---------------------------------- what hangs on bodies ------------------------------------------

static void fillGeom(mjModel* m, const cfGeomDraft* p) {
  int i = p->part.id;
  GEOM_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  m->geom_dataid[i] = p->source ? p->source->part.id : (p->hfield ? p->hfield->part.id : -1);
  m->geom_plugin[i] = -1;
  m->geom_sameframe[i] =
      cfi_frameRelation(p->attr.pos, p->attr.quat, p->body->attr.ipos, p->body->attr.iquat);
  cfi_fillUser(m->geom_user, (int)m->nuser_geom, i, p->attr.userdata);
}


static void fillSite(mjModel* m, const cfSiteDraft* p) {
  int i = p->part.id;
  SITE_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  m->site_sameframe[i] =
      cfi_frameRelation(p->attr.pos, p->attr.quat, p->body->attr.ipos, p->body->attr.iquat);
  cfi_fillUser(m->site_user, (int)m->nuser_site, i, p->attr.userdata);
}


static void fillCamera(mjModel* m, const cfCameraDraft* p) {
  int i = p->part.id;
  CAMERA_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  cfi_fillUser(m->cam_user, (int)m->nuser_cam, i, p->attr.userdata);
}


static void fillLight(mjModel* m, const cfLightDraft* p) {
  int i = p->part.id;
  LIGHT_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
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
    int weld = m->body_weldid[i];
    m->body_treeid[i] = m->body_dofnum[weld] ? m->dof_treeid[m->body_dofadr[weld]] : -1;
  }
  for (int t = 0; t < m->ntree; t++) {
    m->tree_sleep_policy[t] = mjSLEEP_AUTO;
  }
  for (int i = 1; i < m->nbody; i++) {
    const cfBodyDraft* body = cfi_bodyAt(draft, i);
    int tree = m->body_treeid[i];
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
