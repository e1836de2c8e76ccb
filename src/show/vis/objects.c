// Objects of the model in a scene: flexes, skins, geoms, sites.
#include "base/assert.h"
#include "vis/painter.h"

#include "math/inline.h"
#include "model/flags.h"
#include "model/sleep.h"


// what is selected lights up
static void glow(const cfPainter* p, mjvGeom* geom, bool is_selected) {
  if (is_selected) {
    geom->emission += p->m->vis.global.glow;
  }
}


void cfi_paintFlexes(cfPainter* p) {
  const mjModel* m = p->m;
  const bool is_shown = cfi_wants(p, mjVIS_FLEXVERT) || cfi_wants(p, mjVIS_FLEXEDGE) ||
                        cfi_wants(p, mjVIS_FLEXFACE) || cfi_wants(p, mjVIS_FLEXSKIN);
  for (int f = 0; is_shown && (p->mask & mjCAT_DYNAMIC) && f < m->nflex; f++) {
    if (!cfi_wantsGroup(p->opt->flexgroup, m->flex_group[f])) {
      continue;
    }

    // the geom sits at the first vertex; the surface is in the scene's flex arrays
    mjvGeom* geom = cfi_paintShape(p, (cfPaintTag){mjCAT_DYNAMIC, mjOBJ_FLEX, f}, mjGEOM_FLEX, NULL,
                                   p->d->flexvert_xpos + 3 * m->flex_vertadr[f], NULL, NULL);
    if (!geom) {
      return;
    }
    geom->size[0] = (float)m->flex_radius[f];
    cfi_setMaterial(p, geom, m->flex_matid[f], m->flex_rgba + 4 * f);
    geom->texcoord = m->flex_texcoordadr[f] >= 0;
    geom->matid = geom->texcoord ? geom->matid : -1;
    glow(p, geom, p->pert->flexselect == f);
    cfi_labelGeom(p, geom, mjLABEL_FLEX, mjOBJ_FLEX, f);
    if (geom->rgba[3] == 0) {
      cfi_discardGeom(p);
    }
  }
}


void cfi_paintSkins(cfPainter* p) {
  const mjModel* m = p->m;
  for (int s = 0; cfi_wants(p, mjVIS_SKIN) && (p->mask & mjCAT_DYNAMIC) && s < m->nskin; s++) {
    if (!cfi_wantsGroup(p->opt->skingroup, m->skin_group[s])) {
      continue;
    }

    // the geom sits at the first bone
    const int bone = m->skin_bonebodyid[m->skin_boneadr[s]];
    mjvGeom* geom = cfi_paintShape(p, (cfPaintTag){mjCAT_DYNAMIC, mjOBJ_SKIN, s}, mjGEOM_SKIN, NULL,
                                   p->d->xpos + 3 * bone, NULL, NULL);
    if (!geom) {
      return;
    }
    cfi_setMaterial(p, geom, m->skin_matid[s], m->skin_rgba + 4 * s);
    geom->texcoord = m->skin_texcoordadr[s] >= 0;
    glow(p, geom, p->pert->skinselect == s);
    cfi_labelGeom(p, geom, mjLABEL_SKIN, mjOBJ_SKIN, s);
    if (geom->rgba[3] == 0) {
      cfi_discardGeom(p);
    }
  }
}


//---------------------------------- geoms ---------------------------------------------------------

// geoms that move are colored by island, or by sleeping tree
static void colorByIsland(const cfPainter* p, mjvGeom* geom, int body) {
  CF_ASSERT_INDEX(body, p->m->nbody);
  const mjModel* m = p->m;
  const mjData* d = p->d;
  const int weld = m->body_weldid[body];
  if (!m->body_dofnum[weld]) {
    return;
  }
  const int dof = m->body_dofadr[weld], island = d->nisland ? d->dof_island[dof] : -1;
  int name = island >= 0 ? d->island_dofadr[island] : -1;
  const bool is_awake = d->body_awake[body];
  if (name == -1 && cfi_enabled(m, mjENBL_SLEEP)) {
    const int tree = m->dof_treeid[dof];
    name = m->tree_dofadr[is_awake ? tree : cfi_sleepCycle(d->tree_asleep, (int)m->ntree, tree)];
  }
  geom->matid = -1;
  cfi_islandColor(geom->rgba, name, is_awake);
}


// an infinite plane follows the camera in whole cells of its grid
static void centerPlane(const cfPainter* p, mjvGeom* geom, int id) {
  const mjModel* m = p->m;
  const mjtNum *size = m->geom_size + 3 * id, *origin = p->d->geom_xpos + 3 * id;
  mjtNum pos[3], offset[3];
  cfi_copy3(pos, origin);
  for (int k = 0; k < 3; k++) {
    offset[k] = 0.5 * (p->scn->camera[0].pos[k] + p->scn->camera[1].pos[k]) - origin[k];
  }
  for (int k = 0; k < 2; k++) {
    if (size[k] > 0) {
      continue;
    }
    const int material = m->geom_matid[id];
    const float repeat = material >= 0 ? m->mat_texrepeat[2 * material + k] : 0;
    const mjtNum zfar = m->vis.map.zfar * m->stat.extent;
    const mjtNum cell = repeat > 0 ? 2 / repeat : 2.1 * zfar / (mjMAXPLANEGRID - 2);
    mjtNum axis[3];
    cfi_column3(axis, p->d->geom_xmat + 9 * id, k);
    cfi_addToScl3(pos, axis, 2 * cell * mju_round(0.5 * cfi_dot3(offset, axis) / cell));
  }
  mju_n2f(geom->pos, pos, 3);
}


// data of a mesh: twice its id, one more for the hull of a geom that collides
static int meshData(const cfPainter* p, int id) {
  CF_ASSERT_INDEX(id, p->m->ngeom);
  const mjModel* m = p->m;
  const int mesh = m->geom_dataid[id];
  const bool has_hull =
      m->mesh_graphadr[mesh] >= 0 && (m->geom_contype[id] || m->geom_conaffinity[id]);
  return 2 * mesh + (has_hull && cfi_wants(p, mjVIS_CONVEXHULL));
}


// one geom; `plane` counts planes
static bool paintGeom(cfPainter* p, int id, int category, int plane) {
  CF_ASSERT_INDEX(id, p->m->ngeom);
  const mjModel* m = p->m;
  const int body = m->geom_bodyid[id], type = m->geom_type[id], data = m->geom_dataid[id];
  const bool is_mesh = type == mjGEOM_MESH || type == mjGEOM_SDF;
  mjvGeom* geom =
      cfi_paintShape(p, (cfPaintTag){category, mjOBJ_GEOM, id}, type, m->geom_size + 3 * id,
                     p->d->geom_xpos + 3 * id, p->d->geom_xmat + 9 * id, NULL);
  if (!geom) {
    return false;
  }
  geom->dataid = is_mesh ? meshData(p, id) : type == mjGEOM_PLANE ? plane : data;
  geom->modelrbound = (float)m->geom_rbound[id];
  cfi_setMaterial(p, geom, m->geom_matid[id], m->geom_rgba + 4 * id);
  if (cfi_wants(p, mjVIS_ISLAND)) {
    colorByIsland(p, geom, body);
  }
  geom->texcoord = is_mesh && data >= 0 && m->mesh_texcoordadr[data] >= 0;
  glow(p, geom, p->pert->select > 0 && p->pert->select == body);
  cfi_labelGeom(p, geom, mjLABEL_GEOM, mjOBJ_GEOM, id);
  if (type == mjGEOM_PLANE) {
    centerPlane(p, geom, id);
  }
  if (geom->rgba[3] == 0) {
    cfi_discardGeom(p);
  }
  return true;
}


void cfi_paintGeoms(cfPainter* p) {
  const mjModel* m = p->m;
  int plane = -1;
  for (int g = 0; g < m->ngeom; g++) {
    const int category = cfi_bodyCategory(m, m->geom_bodyid[g]);
    plane += m->geom_type[g] == mjGEOM_PLANE;
    const bool is_shown =
        (category & p->mask) && cfi_wantsGroup(p->opt->geomgroup, m->geom_group[g]);
    if (is_shown && !paintGeom(p, g, category, plane)) {
      return;
    }
  }
}


void cfi_paintSites(cfPainter* p) {
  const mjModel* m = p->m;
  for (int s = 0; s < m->nsite; s++) {
    const int body = m->site_bodyid[s], category = cfi_bodyCategory(m, body);
    if (!(category & p->mask) || !cfi_wantsGroup(p->opt->sitegroup, m->site_group[s])) {
      continue;
    }
    mjvGeom* geom = cfi_paintShape(p, (cfPaintTag){category, mjOBJ_SITE, s}, m->site_type[s],
                                   m->site_size + 3 * s, p->d->site_xpos + 3 * s,
                                   p->d->site_xmat + 9 * s, NULL);
    if (!geom) {
      return;
    }
    cfi_setMaterial(p, geom, m->site_matid[s], m->site_rgba + 4 * s);
    glow(p, geom, p->pert->select > 0 && p->pert->select == body);
    cfi_labelGeom(p, geom, mjLABEL_SITE, mjOBJ_SITE, s);
    if (geom->rgba[3] == 0) {
      cfi_discardGeom(p);
    }
  }
}
