// Tendons and slider-cranks in a scene.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "model/flags.h"
#include "vis/painter.h"

enum { ROPE_POINTS = 100 };


static bool isActuated(const mjModel* m, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  for (int i = 0; i < m->nu; i++) {
    if (m->actuator_trntype[i] == mjTRN_TENDON && m->actuator_trnid[2 * i] == tendon) {
      return true;
    }
  }
  return false;
}


// length of a tendon that is a slack rope under gravity; negative if it is something else
static mjtNum ropeLength(const cfPainter* p, int tendon) {
  CF_ASSERT_INDEX(tendon, p->m->ntendon);
  const mjModel* m = p->m;
  const mjtNum *rest = m->tendon_lengthspring + 2 * tendon, *range = m->tendon_range + 2 * tendon;
  const bool has_spring = m->tendon_stiffness[tendon] > 0 && rest[0] == 0 && rest[1] > 0;
  const bool has_limit = m->tendon_stiffness[tendon] == 0 && m->tendon_limited[tendon] == 1 &&
                         range[0] == 0 && p->d->ten_length[tendon] < range[1];
  const bool is_hanging = !cfi_disabled(m, mjDSBL_GRAVITY) && cfi_norm3(m->opt.gravity) > mjMINVAL;
  const bool is_free = m->tendon_num[tendon] == 2 && m->tendon_damping[tendon] == 0 &&
                       m->tendon_frictionloss[tendon] == 0;
  if (!is_hanging || !is_free || has_spring == has_limit || isActuated(m, tendon)) {
    return -1;
  }
  return has_limit ? range[1] : rest[1];
}


static bool paintRope(cfPainter* p, int tendon, mjtNum length) {
  CF_ASSERT_INDEX(tendon, p->m->ntendon);
  const mjModel* m = p->m;
  const mjtNum* end = p->d->wrap_xpos + 3 * p->d->ten_wrapadr[tendon];
  mjtNum point[3 * ROPE_POINTS];
  const int wanted = cfi_minInt(m->vis.quality.numslices + 1, ROPE_POINTS);
  const int n = cfi_hangingRope(point, wanted, end, end + 3, m->opt.gravity, length);
  for (int i = 0; i + 1 < n; i++) {
    mjvGeom* geom =
        cfi_paintLink(p, (cfPaintTag){mjCAT_DYNAMIC, mjOBJ_TENDON, tendon}, mjGEOM_CAPSULE,
                      m->tendon_width[tendon], point + 3 * i, point + 3 * i + 3, NULL);
    if (!geom) {
      return false;
    }
    cfi_setMaterial(p, geom, m->tendon_matid[tendon], m->tendon_rgba + 4 * tendon);
    cfi_labelGeom(p, geom, mjLABEL_TENDON, mjOBJ_TENDON, tendon);
  }
  return true;
}


// color of a tendon: material or own color; a gray one shows how strongly its limit acts
static void colorTendon(const cfPainter* p, mjvGeom* geom, int tendon) {
  const mjModel* m = p->m;
  static const float gray[4] = {0.5f, 0.5f, 0.5f, 1};
  float rgba[4];
  memcpy(rgba, m->tendon_rgba + 4 * tendon, sizeof(rgba));
  if (m->tendon_matid[tendon] == -1 && !memcmp(rgba, gray, sizeof(gray))) {
    cfi_mixConstraint(p, rgba, gray, cfi_limitImpedance(p->d, mjCNSTR_LIMIT_TENDON, tendon));
  }
  cfi_setMaterial(p, geom, m->tendon_matid[tendon], rgba);

  if (cfi_wants(p, mjVIS_ISLAND)) {
    const int row = p->d->nisland ? p->d->tendon_efcadr[tendon] : -1;
    geom->matid = -1;
    cfi_islandColor(geom->rgba, row >= 0 ? p->d->island_dofadr[p->d->efc_island[row]] : -1, true);
  }
}


// width of the part of a path that starts at a point, 0 next to a pulley; parts on the surface of a
// wrapping geom are thinner
static mjtNum partWidth(const mjModel* m, const mjData* d, int tendon, int point) {
  CF_ASSERT(tendon >= 0 && tendon < m->ntendon && point >= 0);
  const int* obj = d->wrap_obj + point;
  if (obj[0] == -2 || obj[1] == -2) {
    return 0;
  }
  return m->tendon_width[tendon] * (obj[0] >= 0 && obj[1] >= 0 ? 0.5 : 1);
}


static bool paintPath(cfPainter* p, int tendon) {
  CF_ASSERT_INDEX(tendon, p->m->ntendon);
  const mjData* d = p->d;
  const int first = d->ten_wrapadr[tendon], last = first + d->ten_wrapnum[tendon] - 1;
  for (int i = first; i < last; i++) {
    const mjtNum width = partWidth(p->m, d, tendon, i);
    if (d->wrap_obj[i] == -2 || d->wrap_obj[i + 1] == -2) {
      continue;
    }
    mjvGeom* geom =
        cfi_paintLink(p, (cfPaintTag){mjCAT_DYNAMIC, mjOBJ_TENDON, tendon}, mjGEOM_CAPSULE, width,
                      d->wrap_xpos + 3 * i, d->wrap_xpos + 3 * i + 3, NULL);
    if (!geom) {
      return false;
    }
    colorTendon(p, geom, tendon);
    if (i == first) {
      cfi_labelGeom(p, geom, mjLABEL_TENDON, mjOBJ_TENDON, tendon);
    }
  }
  return true;
}


void cfi_paintTendons(cfPainter* p) {
  const mjModel* m = p->m;
  for (int t = 0; cfi_wants(p, mjVIS_TENDON) && (p->mask & mjCAT_DYNAMIC) && t < m->ntendon; t++) {
    if (!cfi_wantsGroup(p->opt->tendongroup, m->tendon_group[t])) {
      continue;
    }
    const mjtNum length = ropeLength(p, t);
    const bool is_done = length >= 0 ? paintRope(p, t, length) : paintPath(p, t);
    if (!is_done) {
      return;
    }
  }
}


// a slider and its rod; the rod has another color where it is too short
static void paintSliderCrank(cfPainter* p, int actuator) {
  CF_ASSERT_INDEX(actuator, p->m->nu);
  const mjModel* m = p->m;
  const int crank = m->actuator_trnid[2 * actuator], slider = m->actuator_trnid[2 * actuator + 1];
  const mjtNum *tip = p->d->site_xpos + 3 * crank, *base = p->d->site_xpos + 3 * slider;
  mjtNum axis[3], offset[3], joint[3], rod = m->actuator_cranklength[actuator];
  cfi_column3(axis, p->d->site_xmat + 9 * slider, 2);
  cfi_sub3(offset, tip, base);
  const mjtNum along = cfi_dot3(offset, axis);
  const mjtNum room = along * along + rod * rod - cfi_dot3(offset, offset);
  cfi_addScl3(joint, base, axis, along - sqrt(cfi_max(0, room)));

  const mjtNum width = p->unit * m->vis.scale.slidercrank;
  const cfPaintTag tag = {mjCAT_DYNAMIC, mjOBJ_ACTUATOR, actuator};
  mjvGeom* geom =
      cfi_paintLink(p, tag, mjGEOM_CYLINDER, width, base, joint, m->vis.rgba.slidercrank);
  cfi_labelGeom(p, geom, mjLABEL_ACTUATOR, mjOBJ_ACTUATOR, actuator);
  cfi_paintLink(p, tag, mjGEOM_CAPSULE, width / 2, joint, tip,
                room < 0 ? m->vis.rgba.crankbroken : m->vis.rgba.slidercrank);
}


void cfi_paintSliderCranks(cfPainter* p) {
  for (int i = 0; (p->mask & mjCAT_DYNAMIC) && i < p->m->nu; i++) {
    if (p->m->actuator_trntype[i] == mjTRN_SLIDERCRANK) {
      paintSliderCrank(p, i);
    }
  }
}
