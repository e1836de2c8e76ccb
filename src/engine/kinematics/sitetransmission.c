// Transmissions that act at sites (wrench, pair of sites, slider-crank) and adhesion of a body.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/chain.h"
#include "kinematics/frame.h"
#include "kinematics/transmission.h"

static void flushMoments(cfTransmission* t) {
  t->nnz = cfi_flushRow(t->row, t->moment, t->colind, /*keep_zeros=*/0);
}


// com-based force vector of a wrench (force, torque) at a site
static void wrenchAtSite(mjtNum force[6], const mjModel* m, const mjData* d, int site,
                         const mjtNum wrench[6]) {
  cfi_forceAtPoint(force, m, d, d->site_xpos + 3 * site, m->site_bodyid[site], wrench);
  cfi_addTo3(force, wrench + 3);
}


// gear of force and torque, given in the frame of a site
static void gearWrench(mjtNum wrench[6], const mjData* d, int site, const mjtNum gear[6]) {
  cfi_mulMatVec3(wrench, d->site_xmat + 9 * site, gear);
  cfi_mulMatVec3(wrench + 3, d->site_xmat + 9 * site, gear + 3);
}


// site against the world: no meaningful length
static mjtNum transmitWrench(const mjModel* m, mjData* d, cfTransmission* t) {
  const int site = t->id[0];
  mjtNum wrench[6], force[6];
  gearWrench(wrench, d, site, t->gear);
  wrenchAtSite(force, m, d, site, wrench);
  for (int i = cfi_lastDof(m, m->site_bodyid[site]); i >= 0; i = m->dof_parentid[i]) {
    cfi_addToRow(t->row, i, cfi_dot6(d->cdof + 6 * i, force));
  }
  flushMoments(t);
  return 0;
}


static inline bool isZero3(const mjtNum v[3]) {
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}


// orientation of a site as the product of its own and its body's quaternion, in this order
static void siteQuat(mjtNum quat[4], const mjModel* m, const mjData* d, int site) {
  cfi_mulQuat(quat, m->site_quat + 4 * site, d->xquat + 4 * m->site_bodyid[site]);
}


// pose of a site relative to another one, weighted by the gear
static mjtNum relativeLength(const mjModel* m, const mjData* d, const cfTransmission* t) {
  const int site = t->id[0], ref = t->id[1];
  mjtNum length = 0, delta[3], local[3], quat[4], refquat[4];
  if (!isZero3(t->gear)) {
    cfi_sub3(delta, d->site_xpos + 3 * site, d->site_xpos + 3 * ref);
    cfi_mulMatTVec3(local, d->site_xmat + 9 * ref, delta);
    length += cfi_dot3(local, t->gear);
  }
  if (!isZero3(t->gear + 3)) {
    siteQuat(quat, m, d, site);
    siteQuat(refquat, m, d, ref);
    cfi_subQuat(delta, quat, refquat);
    length += cfi_dot3(delta, t->gear + 3);
  }
  return length;
}


mjtNum cfi_transmitSite(const mjModel* m, mjData* d, cfTransmission* t) {
  const int site = t->id[0], ref = t->id[1];
  if (ref == -1) {
    return transmitWrench(m, d, t);
  }

  // the wrench acts on the site and against the reference site, in the frame of the latter
  mjtNum wrench[6];
  cfForcePair pair = {.body = {m->site_bodyid[ref], m->site_bodyid[site]}};
  gearWrench(wrench, d, ref, t->gear);
  wrenchAtSite(pair.force[0], m, d, ref, wrench);
  wrenchAtSite(pair.force[1], m, d, site, wrench);
  cfi_addForcePair(t->row, m, d, &pair);
  flushMoments(t);
  return relativeLength(m, d, t);
}


// position of the slider on its axis a for a crank end at v and a rod of length r:
//   s = a*v - sqrt((a*v)^2 + r^2 - v*v), or a*v where the rod is too short
// with the derivatives of s by v and by a
static mjtNum sliderPosition(mjtNum by_v[3], mjtNum by_a[3], const mjtNum v[3], const mjtNum a[3],
                             mjtNum rod) {
  const mjtNum av = cfi_dot3(v, a);
  const mjtNum det = av * av + rod * rod - cfi_dot3(v, v);
  const bool reaches = det > 0;
  const mjtNum root = sqrt(reaches ? det : 1);
  const mjtNum along = reaches ? 1 - av / root : 1, across = reaches ? 1 / root : 0;

  cfi_scl3(by_a, v, along);
  cfi_scl3(by_v, a, along);
  cfi_addToScl3(by_v, v, across);
  return reaches ? av - root : av;
}


mjtNum cfi_transmitSliderCrank(const mjModel* m, mjData* d, cfTransmission* t) {
  const int crank = t->id[0], slider = t->id[1];
  mjtNum axis[3], v[3], by_v[3], by_a[3], twist[3];
  cfi_column3(axis, d->site_xmat + 9 * slider, 2);
  cfi_sub3(v, d->site_xpos + 3 * crank, d->site_xpos + 3 * slider);
  const mjtNum position = sliderPosition(by_v, by_a, v, axis, t->rod);

  // crank end and slider origin move v; the slider's rotation moves the axis: by_a*(w x a) = w*(a x
  // by_a)
  cfi_scl3(by_v, by_v, t->gear[0]);
  cfi_scl3(by_a, by_a, t->gear[0]);
  cfi_cross(twist, axis, by_a);
  cfForcePair pair = {.body = {m->site_bodyid[slider], m->site_bodyid[crank]}};
  cfi_forceAtPoint(pair.force[0], m, d, d->site_xpos + 3 * slider, pair.body[0], by_v);
  cfi_forceAtPoint(pair.force[1], m, d, d->site_xpos + 3 * crank, pair.body[1], by_v);
  cfi_subFrom3(pair.force[0], twist);
  cfi_addForcePair(t->row, m, d, &pair);
  flushMoments(t);
  return position * t->gear[0];
}


// rows of the normal of a contact, with weights that add up to the normal direction
static void markNormal(mjtNum* weight, const mjModel* m, const mjContact* con) {
  CF_ASSERT(con->geom[0] >= 0 && con->geom[1] >= 0);
  if (con->dim == 1 || m->opt.cone == mjCONE_ELLIPTIC) {
    weight[con->efc_address] = 1;
    return;
  }
  const int nedge = 2 * (con->dim - 1);
  for (int k = 0; k < nedge; k++) {
    weight[con->efc_address + k] = 0.5 / (con->dim - 1);
  }
}


// contact that is inside the gap and therefore has no row
static void addGapContact(cfRowBuilder* row, const mjModel* m, const mjData* d,
                          const mjContact* con) {
  cfForcePair pair;
  for (int k = 0; k < 2; k++) {
    pair.body[k] = m->geom_bodyid[con->geom[k]];
    cfi_forceAtPoint(pair.force[k], m, d, con->pos, pair.body[k], con->frame);
  }
  cfi_addForcePair(row, m, d, &pair);
}


static bool contactTouches(const mjModel* m, const mjContact* con, int body) {
  return con->geom[0] >= 0 && con->geom[1] >= 0 &&
         (m->geom_bodyid[con->geom[0]] == body || m->geom_bodyid[con->geom[1]] == body);
}


// adhesion: minus the mean of the normals of all contacts of a body, without a meaningful length
mjtNum cfi_transmitBody(const mjModel* m, mjData* d, cfTransmission* t) {
  const int nv = (int)m->nv;
  int ncontact = 0;
  mj_markStack(d);
  mjtNum *weight = mj_stackAllocNum(d, d->nefc), *normal = mj_stackAllocNum(d, nv);
  for (int r = 0; r < d->nefc; r++) {
    weight[r] = 0;
  }
  for (int i = 0; i < nv; i++) {
    normal[i] = 0;
  }

  for (int c = 0; c < d->ncon; c++) {
    const mjContact* con = d->contact + c;
    if (con->exclude > 1 || !contactTouches(m, con, t->id[0])) {
      continue;
    }
    ncontact++;
    if (con->exclude) {
      addGapContact(t->row, m, d, con);
    } else {
      markNormal(weight, m, con);
    }
  }

  if (ncontact) {
    mj_mulJacTVec(m, d, normal, weight);
    for (int i = 0; i < nv; i++) {
      cfi_addToRow(t->row, i, normal[i]);
      t->row->value[i] *= -1.0 / ncontact;
    }
  }
  flushMoments(t);
  mj_freeStack(d);
  return 0;
}
