// Contacts in a scene: points, frames and forces.
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "vis/painter.h"


// name of one side of a contact: its geom, or flex with element or vertex
static void sideName(char* text, size_t size, const mjModel* m, const mjContact* con, int side) {
  CF_ASSERT(side == 0 || side == 1);
  const bool is_geom = con->geom[side] >= 0;
  const int id = is_geom ? con->geom[side] : con->flex[side];
  const char* name = mj_id2name(m, is_geom ? mjOBJ_GEOM : mjOBJ_FLEX, id);
  char number[20];
  snprintf(number, sizeof(number), "%c%d", is_geom ? 'g' : 'f', id);
  if (is_geom) {
    snprintf(text, size, "%s", name ? name : number);
  } else {
    const bool is_element = con->elem[side] >= 0;
    snprintf(text, size, "%s.%c%d", name ? name : number, is_element ? 'e' : 'v',
             is_element ? con->elem[side] : con->vert[side]);
  }
}


// a disk across the normal, at least as thick as the contact is deep
static void paintPoint(cfPainter* p, int id, const mjContact* con) {
  CF_ASSERT_INDEX(id, p->d->ncon);
  const mjModel* m = p->m;
  const mjData* d = p->d;
  const mjtNum height = cfi_max(m->vis.scale.contactheight * p->unit, -con->dist / 2);
  const mjtNum size[3] = {m->vis.scale.contactwidth * p->unit, height, 0}, *n = con->frame;
  const mjtNum mat[9] = {n[3], n[6], n[0], n[4], n[7], n[1], n[5], n[8], n[2]};
  mjvGeom* geom =
      cfi_paintShape(p, cfi_decor(mjOBJ_UNKNOWN, id), mjGEOM_CYLINDER, size, con->pos, mat,
                     con->efc_address >= 0 ? m->vis.rgba.contactpoint : m->vis.rgba.contactgap);
  if (!geom) {
    return;
  }
  if (cfi_wants(p, mjVIS_ISLAND) && con->efc_address >= 0) {
    const int dof = d->nisland > 0 ? d->island_dofadr[d->efc_island[con->efc_address]] : -1;
    cfi_islandColor(geom->rgba, dof, true);
  }
  if (p->opt->label == mjLABEL_CONTACTPOINT) {
    char side[2][48];
    sideName(side[0], sizeof(side[0]), m, con, 0);
    sideName(side[1], sizeof(side[1]), m, con, 1);
    snprintf(geom->label, sizeof(geom->label), "%s | %s", side[0], side[1]);
  }
}


// what a contact touches: bodies first, flexes after them
static int sideOrder(const mjModel* m, const mjContact* con, int side) {
  return con->geom[side] >= 0 ? m->geom_bodyid[con->geom[side]] : (int)m->nbody + con->flex[side];
}


// arrow toward the side with the higher number; two-headed where neither side is the world
static mjvGeom* paintForce(cfPainter* p, int id, const mjContact* con, const mjtNum local[3],
                           bool is_part, const float rgba[4]) {
  CF_ASSERT_INDEX(id, p->d->ncon);
  const mjModel* m = p->m;
  const int side[2] = {sideOrder(m, con, 0), sideOrder(m, con, 1)};
  mjtNum world[3], end[3], scale = m->vis.map.force / m->stat.meanmass;
  cfi_mulMatTVec3(world, con->frame, local);
  cfi_addScl3(end, con->pos, world, side[0] > side[1] ? -scale : scale);
  const bool is_mutual = side[0] > 0 && side[1] > 0 && !is_part;
  return cfi_paintLink(p, cfi_decor(mjOBJ_UNKNOWN, id), is_mutual ? mjGEOM_ARROW2 : mjGEOM_ARROW,
                       m->vis.scale.forcewidth * p->unit, con->pos, end, rgba);
}


// the force as a whole, or its normal and tangential parts
static void paintForces(cfPainter* p, int id, const mjContact* con) {
  CF_ASSERT_INDEX(id, p->d->ncon);
  const mjVisual* vis = &p->m->vis;
  mjtNum wrench[6], force[3] = {0, 0, 0};
  mj_contactForce(p->m, p->d, id, wrench);
  memcpy(force, wrench, (size_t)cfi_minInt(3, con->dim) * sizeof(mjtNum));
  const mjtNum size = cfi_norm3(force);
  if (size < mjMINVAL) {
    return;
  }
  const bool is_split = cfi_wants(p, mjVIS_CONTACTSPLIT) && con->dim > 1;
  const mjtNum normal[3] = {force[0], 0, 0}, friction[3] = {0, force[1], force[2]};
  mjvGeom* geom =
      paintForce(p, id, con, is_split ? normal : force, is_split, vis->rgba.contactforce);
  if (geom && p->opt->label == mjLABEL_CONTACTFORCE) {
    snprintf(geom->label, sizeof(geom->label), "%-.3g", size);
  }
  if (is_split) {
    paintForce(p, id, con, friction, true, vis->rgba.contactfriction);
  }
}


void cfi_paintContacts(cfPainter* p) {
  for (int i = 0; i < p->d->ncon; i++) {
    const mjContact* con = p->d->contact + i;
    if (cfi_wants(p, mjVIS_CONTACTPOINT)) {
      paintPoint(p, i, con);
    }
    if (p->opt->frame == mjFRAME_CONTACT) {
      mjtNum axes[9];
      cfi_transpose3(axes, con->frame);
      cfi_paintAxes(p, i, con->pos, axes, 0.5);
    }
    if (cfi_wants(p, mjVIS_CONTACTFORCE) && con->efc_address >= 0) {
      paintForces(p, i, con);
    }
  }
}
