// Joints, actuators and equality constraints in a scene.
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "model/flags.h"
#include "vis/painter.h"


// a joint: box for free, ball for ball, arrow along the axis for slide and hinge joints
static mjvGeom* paintJoint(cfPainter* p, cfPaintTag tag, int joint, mjtNum length, mjtNum width,
                           mjtNum radius) {
  CF_ASSERT_INDEX(joint, p->m->njnt);
  const mjModel* m = p->m;
  const mjtNum* anchor = p->d->xanchor + 3 * joint;
  const int type = m->jnt_type[joint];
  if (type == mjJNT_FREE || type == mjJNT_BALL) {
    const mjtNum size[3] = {radius, radius, radius};
    return cfi_paintShape(p, tag, type == mjJNT_FREE ? mjGEOM_BOX : mjGEOM_SPHERE, size, anchor,
                          p->d->xmat + 9 * m->jnt_bodyid[joint], NULL);
  }
  mjtNum end[3];
  cfi_addScl3(end, anchor, p->d->xaxis + 3 * joint, length);
  return cfi_paintLink(p, tag, type == mjJNT_SLIDE ? mjGEOM_ARROW : mjGEOM_ARROW1, width, anchor,
                       end, NULL);
}


void cfi_paintJoints(cfPainter* p) {
  const mjModel* m = p->m;
  const mjtNum length = m->vis.scale.jointlength * p->unit,
               width = m->vis.scale.jointwidth * p->unit;
  for (int j = 0; cfi_wants(p, mjVIS_JOINT) && j < m->njnt; j++) {
    if (!cfi_wantsGroup(p->opt->jointgroup, m->jnt_group[j])) {
      continue;
    }
    mjvGeom* geom = paintJoint(p, cfi_decor(mjOBJ_JOINT, j), j, length, width, 0.3 * length);
    if (!geom) {
      return;
    }
    cfi_mixConstraint(p, geom->rgba, m->vis.rgba.joint,
                      cfi_limitImpedance(p->d, mjCNSTR_LIMIT_JOINT, j));
    geom->rgba[3] = 1;
    cfi_labelGeom(p, geom, mjLABEL_JOINT, mjOBJ_JOINT, j);
  }
}


//---------------------------------- actuators -----------------------------------------------------

// lowest, neutral and highest value of an actuator
static void actuatorRange(mjtNum range[3], const cfPainter* p, int id) {
  CF_ASSERT_INDEX(id, p->m->nu);
  const mjModel* m = p->m;
  mjtNum low = -1, high = 1;
  if (m->actuator_ctrllimited[id]) {
    low = m->actuator_ctrlrange[2 * id];
    high = m->actuator_ctrlrange[2 * id + 1];
  } else if (cfi_wants(p, mjVIS_ACTIVATION) && m->actuator_actlimited[id]) {
    low = m->actuator_actrange[2 * id];
    high = m->actuator_actrange[2 * id + 1];
  }
  cfi_set3(range, low, 0, high);
  if (low >= 0) {
    cfi_set3(range, -1, low, high);
  } else if (high <= 0) {
    cfi_set3(range, low, high, 1);
  }
  range[0] = cfi_min(range[0], range[1] - mjMINVAL);
  range[2] = cfi_max(range[2], range[1] + mjMINVAL);
}


// color between those of the lowest, neutral and highest value
static void actuatorColor(float rgba[4], const cfPainter* p, int id) {
  CF_ASSERT_INDEX(id, p->m->nu);
  const mjModel* m = p->m;
  mjtNum range[3], value = p->d->ctrl[id];
  actuatorRange(range, p, id);
  if (cfi_wants(p, mjVIS_ACTIVATION) && m->actuator_dyntype[id]) {
    value = p->d->act[m->actuator_actadr[id] + m->actuator_actnum[id] - 1];
  }
  value = cfi_clip(value, range[0], range[2]);

  const bool is_low = value <= range[1];
  const float* extreme = is_low ? m->vis.rgba.actuatornegative : m->vis.rgba.actuatorpositive;
  const mjtNum span = is_low ? range[1] - range[0] : range[2] - range[1];
  const float share =
      (float)((is_low ? range[1] - value : value - range[1]) / cfi_max(mjMINVAL, span));
  for (int k = 0; k < 4; k++) {
    rgba[k] = share * extreme[k] + (1 - share) * m->vis.rgba.actuator[k];
  }
}


// a shape of the model, a little larger than itself
static mjvGeom* paintInflated(cfPainter* p, int id, int type, const mjtNum size[3],
                              const mjtNum pos[3], const mjtNum mat[9], const float rgba[4]) {
  mjtNum larger[3];
  cfi_scl3(larger, size, 1.05);
  return cfi_paintShape(p, cfi_decor(mjOBJ_ACTUATOR, id), type, larger, pos, mat, rgba);
}


static void paintBodyActuator(cfPainter* p, int id, int body, const float rgba[4]) {
  CF_ASSERT_INDEX(body, p->m->nbody);
  const mjModel* m = p->m;
  for (int k = 0; k < m->body_geomnum[body]; k++) {
    const int geom = m->body_geomadr[body] + k, type = m->geom_type[geom];
    if (type != mjGEOM_PLANE && type != mjGEOM_HFIELD && type != mjGEOM_MESH &&
        type != mjGEOM_SDF) {
      paintInflated(p, id, type, m->geom_size + 3 * geom, p->d->geom_xpos + 3 * geom,
                    p->d->geom_xmat + 9 * geom, rgba);
    }
  }
}


// the tendon with another width
static void paintTendonActuator(cfPainter* p, int id, int tendon, const float rgba[4]) {
  CF_ASSERT_INDEX(tendon, p->m->ntendon);
  const mjData* d = p->d;
  const int first = d->ten_wrapadr[tendon], last = first + d->ten_wrapnum[tendon] - 1;
  for (int i = first; i < last; i++) {
    const int* obj = d->wrap_obj + i;
    if (obj[0] == -2 || obj[1] == -2) {
      continue;
    }
    const mjtNum width = p->m->tendon_width[tendon] * (obj[0] >= 0 && obj[1] >= 0 ? 0.5 : 1);
    mjvGeom* geom = cfi_paintLink(p, cfi_decor(mjOBJ_ACTUATOR, id), mjGEOM_CAPSULE,
                                  width * p->m->vis.map.actuatortendon, d->wrap_xpos + 3 * i,
                                  d->wrap_xpos + 3 * i + 3, NULL);
    if (!geom) {
      return;
    }
    cfi_setMaterial(p, geom, p->m->tendon_matid[tendon], p->m->tendon_rgba + 4 * tendon);
    memcpy(geom->rgba, rgba, sizeof(geom->rgba));
    if (i == first) {
      cfi_labelGeom(p, geom, mjLABEL_ACTUATOR, mjOBJ_ACTUATOR, id);
    }
  }
}


static void paintJointActuator(cfPainter* p, int id, int joint, const float rgba[4]) {
  CF_ASSERT_INDEX(joint, p->m->njnt);
  const mjVisual* vis = &p->m->vis;
  mjvGeom* geom =
      paintJoint(p, cfi_decor(mjOBJ_ACTUATOR, id), joint, vis->scale.actuatorlength * p->unit,
                 vis->scale.actuatorwidth * p->unit, vis->scale.jointlength * p->unit * 0.33);
  if (geom) {
    memcpy(geom->rgba, rgba, sizeof(geom->rgba));
    cfi_labelGeom(p, geom, mjLABEL_ACTUATOR, mjOBJ_ACTUATOR, id);
  }
}


static void paintActuator(cfPainter* p, int id) {
  CF_ASSERT_INDEX(id, p->m->nu);
  const mjModel* m = p->m;
  const int target = m->actuator_trnid[2 * id];
  float rgba[4];
  actuatorColor(rgba, p, id);
  switch ((mjtTrn)m->actuator_trntype[id]) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT:
      paintJointActuator(p, id, target, rgba);
      break;
    case mjTRN_SITE:
      cfi_labelGeom(p,
                    paintInflated(p, id, m->site_type[target], m->site_size + 3 * target,
                                  p->d->site_xpos + 3 * target, p->d->site_xmat + 9 * target, rgba),
                    mjLABEL_ACTUATOR, mjOBJ_ACTUATOR, id);
      break;
    case mjTRN_BODY:
      paintBodyActuator(p, id, target, rgba);
      break;
    case mjTRN_TENDON:
      paintTendonActuator(p, id, target, rgba);
      break;
    default:
      break;
  }
}


void cfi_paintActuators(cfPainter* p) {
  for (int i = 0; cfi_wants(p, mjVIS_ACTUATOR) && i < p->m->nu; i++) {
    if (cfi_wantsGroup(p->opt->actuatorgroup, p->m->actuator_group[i]) &&
        !cfi_actuatorDisabled(p->m, i)) {
      paintActuator(p, i);
    }
  }
}


//---------------------------------- equality constraints ------------------------------------------

// one end of a connect or weld constraint: a site, or a point of a body
static void paintEnd(cfPainter* p, int eq, int object, const mjtNum local[3], const float rgba[4]) {
  CF_ASSERT_INDEX(eq, p->m->neq);
  const mjModel* m = p->m;
  const bool is_site = m->eq_objtype[eq] == mjOBJ_SITE;
  const mjtNum* mat = (is_site ? p->d->site_xmat : p->d->xmat) + 9 * object;
  mjtNum pos[3], radius = p->unit * m->vis.scale.constraint;
  const mjtNum size[3] = {radius, radius, radius};
  cfi_copy3(pos, (is_site ? p->d->site_xpos : p->d->xpos) + 3 * object);
  if (!is_site) {
    mjtNum offset[3];
    cfi_mulMatVec3(offset, mat, local);
    cfi_addTo3(pos, offset);
  }
  mjvGeom* geom =
      cfi_paintShape(p, cfi_decor(mjOBJ_EQUALITY, eq), mjGEOM_SPHERE, size, pos, mat, rgba);
  cfi_labelGeom(p, geom, mjLABEL_CONSTRAINT, mjOBJ_EQUALITY, eq);
}


// anchors of the two bodies come in this order for connect, in the other for weld constraints
void cfi_paintEqualities(cfPainter* p) {
  const mjModel* m = p->m;
  for (int i = 0; cfi_wants(p, mjVIS_CONSTRAINT) && i < m->neq; i++) {
    const bool is_weld = m->eq_type[i] == mjEQ_WELD;
    if (p->d->eq_active[i] && (is_weld || m->eq_type[i] == mjEQ_CONNECT)) {
      const mjtNum* anchor = m->eq_data + mjNEQDATA * i;
      paintEnd(p, i, m->eq_obj1id[i], is_weld ? anchor + 3 : anchor, m->vis.rgba.connect);
      paintEnd(p, i, m->eq_obj2id[i], is_weld ? anchor : anchor + 3, m->vis.rgba.constraint);
    }
  }
}
