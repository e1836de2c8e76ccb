// Geoms, colors and labels of a scene.
#include "vis/painter.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"


int cfi_bodyCategory(const mjModel* m, int body) {
  const bool is_mocap = m->body_mocapid[m->body_rootid[body]] != -1;
  return m->body_weldid[body] == 0 && !is_mocap ? mjCAT_STATIC : mjCAT_DYNAMIC;
}


// a cleared geom at the end of the list
static mjvGeom* appendGeom(cfPainter* p, cfPaintTag tag) {
  CF_ASSERT(p->scn->ngeom <= p->scn->maxgeom);
  mjvScene* scn = p->scn;
  if (scn->ngeom >= scn->maxgeom) {
    scn->status = 1;
    return NULL;
  }
  mjvGeom* geom = scn->geoms + scn->ngeom;
  memset(geom, 0, sizeof(*geom));
  mjv_initGeom(geom, mjGEOM_NONE, NULL, NULL, NULL, NULL);
  geom->category = tag.category;
  geom->objtype = tag.type;
  geom->objid = tag.id;
  geom->segid = scn->ngeom++;
  return geom;
}


void cfi_discardGeom(cfPainter* p) {
  p->scn->ngeom--;
}


mjvGeom* cfi_paintShape(cfPainter* p, cfPaintTag tag, int shape, const mjtNum size[3],
                        const mjtNum pos[3], const mjtNum mat[9], const float rgba[4]) {
  mjvGeom* geom = appendGeom(p, tag);
  if (geom) {
    mjv_initGeom(geom, shape, size, pos, mat, rgba);
  }
  return geom;
}


mjvGeom* cfi_paintLink(cfPainter* p, cfPaintTag tag, int shape, mjtNum width, const mjtNum from[3],
                       const mjtNum to[3], const float rgba[4]) {
  mjvGeom* geom = appendGeom(p, tag);
  if (geom) {
    mjv_connector(geom, shape, width, from, to);
    if (rgba) {
      memcpy(geom->rgba, rgba, sizeof(geom->rgba));
    }
  }
  return geom;
}


// sizes are the lengths of two edges and twice the area, axes the edges and the normal
void cfi_paintTriangle(cfPainter* p, cfPaintTag tag, const mjtNum corner[3][3],
                       const float rgba[4]) {
  mjtNum axis[3][3], size[3], mat[9];
  cfi_sub3(axis[0], corner[1], corner[0]);
  cfi_sub3(axis[1], corner[2], corner[0]);
  cfi_cross(axis[2], axis[0], axis[1]);
  for (int k = 0; k < 3; k++) {
    size[k] = cfi_normalize3(axis[k]);
    for (int row = 0; row < 3; row++) {
      mat[3 * row + k] = axis[k][row];
    }
  }
  cfi_paintShape(p, tag, mjGEOM_TRIANGLE, size, corner[0], mat, rgba);
}


void cfi_paintAxes(cfPainter* p, int id, const mjtNum pos[3], const mjtNum mat[9], mjtNum scale) {
  const mjtNum length = scale * p->m->vis.scale.framelength * p->unit;
  const mjtNum width = scale * p->m->vis.scale.framewidth * p->unit;
  for (int k = 0; k < 3; k++) {
    const float color[4] = {k == 0 ? 0.9f : 0, k == 1 ? 0.9f : 0, k == 2 ? 0.9f : 0, 1};
    mjtNum axis[3], end[3];
    cfi_column3(axis, mat, k);
    cfi_addScl3(end, pos, axis, length);
    cfi_paintLink(p, cfi_decor(mjOBJ_UNKNOWN, id), mjGEOM_CYLINDER, width, pos, end, color);
  }
}


void cfi_setMaterial(const cfPainter* p, mjvGeom* geom, int material, const float rgba[4]) {
  CF_ASSERT(material >= -1 && material < p->m->nmat);
  const mjModel* m = p->m;
  static const float preset[4] = {0.5f, 0.5f, 0.5f, 1};
  const bool is_preset = !memcmp(rgba, preset, sizeof(preset));
  if (material >= 0) {
    memcpy(geom->rgba, m->mat_rgba + 4 * material, sizeof(geom->rgba));
    geom->emission = m->mat_emission[material];
    geom->specular = m->mat_specular[material];
    geom->shininess = m->mat_shininess[material];
    geom->reflectance = m->mat_reflectance[material];
    geom->matid = cfi_wants(p, mjVIS_TEXTURE) ? material : geom->matid;
  }
  if (material < 0 || !is_preset) {
    memcpy(geom->rgba, rgba, sizeof(geom->rgba));
  }
  if (cfi_wants(p, mjVIS_TRANSPARENT) && geom->category == mjCAT_DYNAMIC) {
    geom->rgba[3] *= m->vis.map.alpha;
  }
}


// hue, saturation and value, each from 0 to 1: a channel falls from the value as the hue moves away
static void hueToColor(float rgb[3], float hue, float saturation, float value) {
  static const int phase[3] = {5, 3, 1};
  for (int k = 0; k < 3; k++) {
    float position = phase[k] + 6 * hue;
    position -= position >= 6 ? 6 : 0;
    const float distance = position < 4 - position ? position : 4 - position;
    const float fall = distance < 0 ? 0 : distance > 1 ? 1 : distance;
    rgb[k] = value * (1 - saturation * fall);
  }
}


void cfi_islandColor(float rgba[4], int dof, bool is_awake) {
  float hue = 0, saturation = 0, value = 0.7f;
  if (dof >= 0) {
    hue = (float)mju_Halton(dof + 1, 7);
    saturation = (float)(0.5 + 0.5 * mju_Halton(dof + 1, 3));
    value = (float)(0.6 + 0.4 * mju_Halton(dof + 1, 5));
  }
  if (!is_awake) {
    value *= 0.6f;
    saturation *= 0.7f;
  }
  hueToColor(rgba, hue, saturation, value);
  rgba[3] = 1;
}


void cfi_mixConstraint(const cfPainter* p, float rgba[4], const float color[4], mjtNum share) {
  for (int k = 0; k < 3; k++) {
    rgba[k] = (float)((1 - share) * color[k] + share * p->m->vis.rgba.constraint[k]);
  }
  rgba[3] = color[3];
}


mjtNum cfi_limitImpedance(const mjData* d, int row_type, int id) {
  CF_ASSERT(id >= 0);
  mjtNum impedance = 0;
  const int first = d->ne + d->nf;
  for (int row = first; row < first + d->nl; row++) {
    if (d->efc_type[row] == row_type && d->efc_id[row] == id) {
      impedance = d->efc_KBIP[4 * row + 2];
    }
  }
  return impedance;
}


void cfi_labelGeom(const cfPainter* p, mjvGeom* geom, int mode, int type, int id) {
  if (!geom || p->opt->label != mode) {
    return;
  }
  const char *name = mj_id2name(p->m, type, id), *kind = mju_type2Str(type);
  if (name) {
    snprintf(geom->label, sizeof(geom->label), "%s", name);
  } else if (kind) {
    snprintf(geom->label, sizeof(geom->label), "%s %d", kind, id);
  } else {
    snprintf(geom->label, sizeof(geom->label), "%d", id);
  }
}
