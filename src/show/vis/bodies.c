// Bodies in a scene: inertia, frames, labels, centers of mass, skeleton, applied forces, selection.
#include <math.h>
#include <stdio.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"
#include "vis/painter.h"


//---------------------------------- frames --------------------------------------------------------

// objects that cannot be seen have no frame either
static bool isDrawn(const mjModel* m, int material, const float rgba[4]) {
  return (material >= 0 ? m->mat_rgba + 4 * material : rgba)[3] != 0;
}


// what frames of geoms and of sites are drawn from
typedef struct {
  mjtSize count;
  const int *body, *group, *material;
  const float* rgba;
  const mjtNum *pos, *mat;
} framedObjects;


static void paintFrames(cfPainter* p, const framedObjects* o, bool is_asked, const mjtByte* shown) {
  for (int k = 0; is_asked && k < o->count; k++) {
    if (cfi_wantsBody(p, o->body[k]) && cfi_wantsGroup(shown, o->group[k]) &&
        isDrawn(p->m, o->material[k], o->rgba + 4 * k)) {
      cfi_paintAxes(p, k, o->pos + 3 * k, o->mat + 9 * k, 1);
    }
  }
}


void cfi_paintGeomFrames(cfPainter* p) {
  const mjModel* m = p->m;
  const framedObjects geoms = {m->ngeom,     m->geom_bodyid,  m->geom_group,  m->geom_matid,
                               m->geom_rgba, p->d->geom_xpos, p->d->geom_xmat};
  paintFrames(p, &geoms, p->opt->frame == mjFRAME_GEOM, p->opt->geomgroup);
}


void cfi_paintSiteFrames(cfPainter* p) {
  const mjModel* m = p->m;
  const framedObjects sites = {m->nsite,     m->site_bodyid,  m->site_group,  m->site_matid,
                               m->site_rgba, p->d->site_xpos, p->d->site_xmat};
  paintFrames(p, &sites, p->opt->frame == mjFRAME_SITE, p->opt->sitegroup);
}


// the frame of a body, or its inertial frame while inertia is shown
static void paintBodyFrame(cfPainter* p, int body, mjtNum scale) {
  CF_ASSERT_INDEX(body, p->m->nbody);
  const mjData* d = p->d;
  const bool is_inertial = cfi_wants(p, mjVIS_INERTIA);
  cfi_paintAxes(p, body, (is_inertial ? d->xipos : d->xpos) + 3 * body,
                (is_inertial ? d->ximat : d->xmat) + 9 * body, scale);
}


void cfi_paintBodyFrames(cfPainter* p) {
  if (p->opt->frame == mjFRAME_WORLD) {
    paintBodyFrame(p, 0, 2);
  }
  for (int b = 1; p->opt->frame == mjFRAME_BODY && b < p->m->nbody; b++) {
    if (cfi_wantsBody(p, b)) {
      paintBodyFrame(p, b, 1);
    }
  }
}


//---------------------------------- inertia and mass ----------------------------------------------

// half sizes of a uniform box or ellipsoid with the mass and inertia of a body; scaled, if wanted,
// to the size it would have at the density of water
static void inertiaSize(mjtNum size[3], const cfPainter* p, int body, bool is_ellipsoid) {
  CF_ASSERT_INDEX(body, p->m->nbody);
  const mjtNum *I = p->m->body_inertia + 3 * body, mass = p->m->body_mass[body];
  const mjtNum sum = I[0] + I[1] + I[2], factor = sqrt(is_ellipsoid ? 5 : 3);
  for (int k = 0; k < 3; k++) {
    size[k] = sqrt((sum - 2 * I[k]) / (2 * mass)) * factor;
  }
  if (cfi_wants(p, mjVIS_SCLINERTIA)) {
    const mjtNum volume = (is_ellipsoid ? 4.0 / 3.0 * mjPI : 8.0) * size[0] * size[1] * size[2];
    const mjtNum density = mass / cfi_max(mjMINVAL, volume);
    cfi_scl3(size, size, cfi_pow(density * 0.001, 1.0 / 3.0));
  }
}


void cfi_paintInertia(cfPainter* p) {
  const mjModel* m = p->m;
  const bool is_ellipsoid = m->vis.global.ellipsoidinertia == 1;
  for (int b = 1; cfi_wants(p, mjVIS_INERTIA) && b < m->nbody; b++) {
    if (m->body_mass[b] <= mjMINVAL || !cfi_wantsBody(p, b)) {
      continue;
    }
    mjtNum size[3];
    inertiaSize(size, p, b, is_ellipsoid);
    mjvGeom* geom =
        cfi_paintShape(p, cfi_decor(mjOBJ_BODY, b), is_ellipsoid ? mjGEOM_ELLIPSOID : mjGEOM_BOX,
                       size, p->d->xipos + 3 * b, p->d->ximat + 9 * b, m->vis.rgba.inertia);
    if (!geom) {
      return;
    }
    cfi_labelGeom(p, geom, mjLABEL_BODY, mjOBJ_BODY, b);
    if (p->pert->select == b) {
      geom->emission += m->vis.global.glow;
      cfi_labelGeom(p, geom, mjLABEL_SELECTION, mjOBJ_BODY, b);
    }
  }
}


void cfi_paintCenters(cfPainter* p) {
  const mjtNum radius = p->unit * p->m->vis.scale.com;
  const mjtNum size[3] = {radius, radius, radius};
  for (int b = 1; cfi_wants(p, mjVIS_COM) && b < p->m->nbody; b++) {
    if (p->m->body_rootid[b] == b) {
      cfi_paintShape(p, cfi_decor(mjOBJ_UNKNOWN, b), mjGEOM_SPHERE, size, p->d->subtree_com + 3 * b,
                     NULL, p->m->vis.rgba.com);
    }
  }
}


// from the center of mass through the joints, last one first, to the center of mass of the parent
void cfi_paintSkeleton(cfPainter* p) {
  const mjModel* m = p->m;
  const mjtNum width = p->unit * m->vis.scale.connect;
  for (int b = 1; cfi_wants(p, mjVIS_AUTOCONNECT) && b < m->nbody; b++) {
    const mjtNum* here = p->d->xipos + 3 * b;
    const int parent = m->body_parentid[b];
    for (int k = m->body_jntnum[b]; parent && k >= 0; k--) {
      const mjtNum* next =
          k ? p->d->xanchor + 3 * (m->body_jntadr[b] + k - 1) : p->d->xipos + 3 * parent;
      cfi_paintLink(p, cfi_decor(mjOBJ_UNKNOWN, b), mjGEOM_CAPSULE, width, here, next,
                    m->vis.rgba.connect);
      here = next;
    }
  }
}


//---------------------------------- labels --------------------------------------------------------

static mjvGeom* paintLabel(cfPainter* p, int body, const mjtNum* pos, const mjtNum* mat) {
  return cfi_paintShape(p, cfi_decor(mjOBJ_UNKNOWN, body), mjGEOM_LABEL, NULL, pos + 3 * body,
                        mat + 9 * body, NULL);
}


// labels of bodies stand alone unless inertia is shown
void cfi_paintBodyLabels(cfPainter* p) {
  const int mode = p->opt->label;
  if (cfi_wants(p, mjVIS_INERTIA) || (mode != mjLABEL_BODY && mode != mjLABEL_SELECTION)) {
    return;
  }
  for (int b = 1; b < p->m->nbody; b++) {
    if ((mode == mjLABEL_BODY || p->pert->select == b) && cfi_wantsBody(p, b)) {
      cfi_labelGeom(p, paintLabel(p, b, p->d->xpos, p->d->xmat), mode, mjOBJ_BODY, b);
    }
  }
}


void cfi_paintIslandLabels(cfPainter* p) {
  const mjModel* m = p->m;
  if (p->opt->label != mjLABEL_ISLAND || !p->d->nisland) {
    return;
  }
  for (int b = 1; b < m->nbody; b++) {
    const int weld = m->body_weldid[b];
    const int island = m->body_dofnum[weld] ? p->d->dof_island[m->body_dofadr[weld]] : -1;
    mjvGeom* geom = island >= 0 ? paintLabel(p, b, p->d->xipos, p->d->ximat) : NULL;
    if (geom) {
      snprintf(geom->label, sizeof(geom->label), "%d", island);
    }
  }
}


//---------------------------------- forces and selection ------------------------------------------

void cfi_paintAppliedForces(cfPainter* p) {
  const mjModel* m = p->m;
  for (int b = 1; cfi_wants(p, mjVIS_PERTFORCE) && b < m->nbody; b++) {
    const mjtNum *force = p->d->xfrc_applied + 6 * b, *from = p->d->xipos + 3 * b;
    if (cfi_norm3(force) > mjMINVAL) {
      mjtNum to[3];
      cfi_addScl3(to, from, force, m->vis.map.force / m->stat.meanmass);
      cfi_paintLink(p, cfi_decor(mjOBJ_UNKNOWN, b), mjGEOM_ARROW, m->vis.scale.forcewidth * p->unit,
                    from, to, m->vis.rgba.force);
    }
  }
}


// color of the first pointer, of the second (red and green swapped), or of both
static void pointerColor(float rgba[4], const float color[4], bool is_first, bool is_second) {
  for (int k = 0; k < 2; k++) {
    const float first = is_first ? color[k] : 0, second = is_second ? color[1 - k] : 0;
    rgba[k] = first > second ? first : second;
  }
  rgba[2] = color[2];
  rgba[3] = color[3];
}


static void selectedPoint(mjtNum point[3], const cfPainter* p) {
  cfi_mulMatVec3(point, p->d->xmat + 9 * p->pert->select, p->pert->localpos);
  cfi_addTo3(point, p->d->xpos + 3 * p->pert->select);
}


// the spring that pulls, with a ball at its end
static void paintPull(cfPainter* p, const mjtNum mat[9]) {
  const mjvPerturb* pert = p->pert;
  mjtNum point[3], width = p->unit * p->m->vis.scale.constraint;
  const mjtNum size[3] = {2 * width, 2 * width, 2 * width};
  float rgba[4];
  selectedPoint(point, p);
  pointerColor(rgba, p->m->vis.rgba.constraint, pert->active & mjPERT_TRANSLATE,
               pert->active2 & mjPERT_TRANSLATE);
  const cfPaintTag tag = cfi_decor(mjOBJ_UNKNOWN, pert->select);
  cfi_paintLink(p, tag, mjGEOM_CAPSULE, width, point, pert->refselpos, rgba);
  cfi_paintShape(p, tag, mjGEOM_SPHERE, size, pert->refselpos, mat, rgba);
}


// the box of the body's volumes, turned to the target
static void paintTurn(cfPainter* p, const mjtNum mat[9]) {
  const mjModel* m = p->m;
  int body = p->pert->select;
  mjtNum size[3] = {p->unit, p->unit, p->unit}, pos[3] = {0, 0, 0};
  if (m->body_bvhnum[body]) {
    const mjtNum* box = m->bvh_aabb + 6 * m->body_bvhadr[body];
    cfi_copy3(size, box + 3);
    cfi_mulMatVec3(pos, p->d->ximat + 9 * body, box);
  }
  cfi_addTo3(pos, p->d->xipos + 3 * body);
  float rgba[4];
  pointerColor(rgba, m->vis.rgba.inertia, p->pert->active & mjPERT_ROTATE,
               p->pert->active2 & mjPERT_ROTATE);
  cfi_paintShape(p, cfi_decor(mjOBJ_UNKNOWN, body), mjGEOM_BOX, size, pos, mat, rgba);
}


void cfi_paintPerturb(cfPainter* p) {
  const int active = p->pert->active | p->pert->active2;
  if (!cfi_wants(p, mjVIS_PERTOBJ) || p->pert->select <= 0) {
    return;
  }
  mjtNum mat[9];
  cfi_quat2Mat(mat, p->pert->refquat);
  if (active & mjPERT_TRANSLATE) {
    paintPull(p, mat);
  }
  if (active & mjPERT_ROTATE) {
    paintTurn(p, mat);
  }
}


void cfi_paintSelectedPoint(cfPainter* p) {
  if (!cfi_wants(p, mjVIS_SELECT) || p->pert->select <= 0) {
    return;
  }
  mjtNum point[3], radius = p->unit * p->m->vis.scale.selectpoint;
  const mjtNum size[3] = {radius, radius, radius}, *local = p->pert->localpos;
  selectedPoint(point, p);
  mjvGeom* geom = cfi_paintShape(p, cfi_decor(mjOBJ_UNKNOWN, p->pert->select), mjGEOM_SPHERE, size,
                                 point, NULL, p->m->vis.rgba.selectpoint);
  if (geom && p->opt->label == mjLABEL_SELPNT) {
    snprintf(geom->label, sizeof(geom->label), "%.3f %.3f %.3f (local %.3f %.3f %.3f)", point[0],
             point[1], point[2], local[0], local[1], local[2]);
  }
}
