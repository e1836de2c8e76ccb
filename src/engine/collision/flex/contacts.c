// Pairs that involve a flex: which collider, and the contacts it finds.
#include "base/assert.h"
#include "collision/flex/flex.h"
#include "collision/narrow/pair.h"
#include "collision/narrow/room.h"
#include "math/inline.h"
#include "model/flags.h"

// ---------------------------------------- the list of contacts

mjContact* cfi_openContacts(mjData* d) {
  CF_ASSERT(d->parena == (size_t)d->ncon * sizeof(mjContact));
  mjContact* con = cfi_reserveContacts(d);
  if (!con) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
  }
  return con;
}


void cfi_closeContacts(mjData* d, mjContact* con, int n, const cfContactIds* ids,
                       const cfContactParameters* p, mjtNum includemargin) {
  CF_ASSERT(con == d->contact + d->ncon && 0 <= n && n <= mjMAXCONPAIR);
  for (int i = 0; i < n; i++) {
    for (int side = 0; side < 2; side++) {
      con[i].geom[side] = ids->geom[side];
      con[i].flex[side] = ids->flex[side];
      con[i].elem[side] = ids->elem[side];
      con[i].vert[side] = ids->vert[side];
    }
    cfi_setContact(con + i, p, includemargin);
  }
  d->ncon += n;
  cfi_trimContacts(d);
}


// ---------------------------------------- lines as capsules

typedef struct {
  mjtNum pos[3], mat[9], size[2];
} capsuleLine;

static capsuleLine lineCapsule(const mjModel* m, const mjData* d, int f, int e) {
  const int* corner = cfi_elemCorners(m, f, e);
  const mjtNum* first = d->flexvert_xpos + 3 * (m->flex_vertadr[f] + corner[0]);
  const mjtNum* second = d->flexvert_xpos + 3 * (m->flex_vertadr[f] + corner[1]);
  capsuleLine c;
  mjtNum axis[3], quat[4];
  cfi_sub3(axis, first, second);
  c.size[0] = m->flex_radius[f];
  c.size[1] = 0.5 * cfi_normalize3(axis);
  for (int k = 0; k < 3; k++) {
    c.pos[k] = 0.5 * (first[k] + second[k]);
  }
  mju_quatZ2Vec(quat, axis);
  cfi_quat2Mat(c.mat, quat);
  return c;
}


static cfGeomView viewLine(const capsuleLine* c) {
  return (cfGeomView){c->pos, c->mat, c->size};
}


static cfTriangle elemTriangle(const mjModel* m, const mjData* d, int f, int e) {
  const int* corner = cfi_elemCorners(m, f, e);
  const mjtNum* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  return (cfTriangle){{xpos + 3 * corner[0], xpos + 3 * corner[1], xpos + 3 * corner[2]},
                      m->flex_radius[f]};
}


// ---------------------------------------- geom and element

// true if a closed form is known, with the number of its contacts
static bool geomLine(int* n, mjContact* con, const mjModel* m, const mjData* d, int geom, int f,
                     int e, mjtNum margin) {
  const int type = m->geom_type[geom];
  const cfGeomView view = cfi_viewGeom(m, d, geom);
  if (type != mjGEOM_SPHERE && type != mjGEOM_CAPSULE && type != mjGEOM_BOX) {
    return false;
  }
  const capsuleLine line = lineCapsule(m, d, f, e);
  if (type == mjGEOM_SPHERE) {
    *n = cfi_sphereCapsule(con, view, viewLine(&line), margin);
  } else if (type == mjGEOM_CAPSULE) {
    *n = cfi_capsuleCapsule(con, view, viewLine(&line), margin);
  } else {
    // the normal goes from the geom to the flex
    *n = cfi_capsuleBox(con, viewLine(&line), view, margin);
    for (int i = 0; i < *n; i++) {
      cfi_scl3(con[i].frame, con[i].frame, -1);
    }
  }
  return true;
}


static bool geomTriangle(int* n, mjContact* con, const mjModel* m, const mjData* d, int geom, int f,
                         int e, mjtNum margin) {
  const cfTriangle t = elemTriangle(m, d, f, e);
  const cfGeomView view = cfi_viewGeom(m, d, geom);
  switch (m->geom_type[geom]) {
    case mjGEOM_SPHERE:
      *n = cfi_sphereTriangle(con, view.pos, view.size[0], &t, margin);
      return true;
    case mjGEOM_BOX:
      *n = cfi_boxTriangle(con, view, &t, margin);
      return true;
    case mjGEOM_CAPSULE:
      *n = cfi_capsuleTriangle(con, view, &t, margin);
      return true;
    default:
      return false;
  }
}


static int findGeomElem(mjContact* con, const mjModel* m, mjData* d, int geom, int f, int e,
                        mjtNum margin) {
  const int dim = m->flex_dim[f];
  int n = 0;
  if (m->geom_type[geom] == mjGEOM_HFIELD) {
    return cfi_collideHfieldSoft(m, d, con, geom, cfi_softElem(m, d, f, e, margin), margin);
  }
  if ((dim == 1 && geomLine(&n, con, m, d, geom, f, e, margin)) ||
      (dim == 2 && geomTriangle(&n, con, m, d, geom, f, e, margin))) {
    return n;
  }
  cfSoftShape s = cfi_softElem(m, d, f, e, margin);
  cfConvex a = cfi_convexGeom(m, d, geom, margin), b = cfi_convexSoft(m, &s);
  return cfi_collideSoft(m, d, con, &a, &b, margin, dim == 2);
}


// one corner moves with the body
static bool isElemOnBody(const mjModel* m, int f, int e, int body) {
  const int *corner = cfi_elemCorners(m, f, e), *on = m->flex_vertbodyid + m->flex_vertadr[f];
  for (int k = 0; k <= m->flex_dim[f]; k++) {
    if (on[corner[k]] == body) {
      return true;
    }
  }
  return false;
}


void cfi_collideGeomElem(const mjModel* m, mjData* d, int geom, int f, int e) {
  const mjtNum margin = cfi_overrideMargin(m, m->geom_margin[geom] + m->flex_margin[f]);
  const mjtNum* box = d->flexelem_aabb + 6 * (m->flex_elemadr[f] + e);

  // trees have compared boxes
  if (cfi_disabled(m, mjDSBL_MIDPHASE) &&
      cfi_cubeApart(d->geom_xpos + 3 * geom, m->geom_rbound[geom] + margin, box)) {
    return;
  }
  if (isElemOnBody(m, f, e, m->geom_bodyid[geom])) {
    return;
  }
  mjContact* con = cfi_openContacts(d);
  if (!con) {
    return;
  }
  const int n = findGeomElem(con, m, d, geom, f, e, margin);
  if (!n) {
    cfi_trimContacts(d);
    return;
  }
  const cfContactSide sides[2] = {cfi_geomSide(m, geom), cfi_flexSide(m, f)};
  const cfContactIds ids = {{geom, -1}, {-1, f}, {-1, e}, {-1, -1}};
  cfContactParameters p;
  cfi_mixParameters(&p, m, &sides[0], &sides[1]);
  cfi_closeContacts(d, con, n, &ids, &p, margin - p.gap);
}


// ---------------------------------------- element and element

static bool shareBody(const mjModel* m, int f1, int e1, int f2, int e2) {
  const int* corner = cfi_elemCorners(m, f1, e1);
  for (int k = 0; k <= m->flex_dim[f1]; k++) {
    const int body = m->flex_vertbodyid[m->flex_vertadr[f1] + corner[k]];
    if (body >= 0 && isElemOnBody(m, f2, e2, body)) {
      return true;
    }
  }
  return false;
}


// lowest and highest corner of an element along a direction
static void elemShadow(mjtNum range[2], const mjModel* m, const mjData* d, int f, int e,
                       const mjtNum dir[3]) {
  const int* corner = cfi_elemCorners(m, f, e);
  const mjtNum* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  range[0] = range[1] = cfi_dot3(xpos + 3 * corner[0], dir);
  for (int k = 1; k <= m->flex_dim[f]; k++) {
    const mjtNum along = cfi_dot3(xpos + 3 * corner[k], dir);
    range[0] = cfi_min(range[0], along);
    range[1] = cfi_max(range[1], along);
  }
}


// separated along the line between their centers, by more than radius, margin and tolerances
static bool elemsApart(const mjModel* m, const mjData* d, int f1, int e1, int f2, int e2,
                       mjtNum margin) {
  mjtNum dir[3], range1[2], range2[2];
  cfi_sub3(dir, d->flexelem_aabb + 6 * (m->flex_elemadr[f2] + e2),
           d->flexelem_aabb + 6 * (m->flex_elemadr[f1] + e1));
  elemShadow(range1, m, d, f1, e1, dir);
  elemShadow(range2, m, d, f2, e2, dir);
  const mjtNum gap = range2[0] - range1[1];
  const mjtNum reach =
      m->flex_radius[f1] + m->flex_radius[f2] + fabs(margin) + 2 * fabs(m->opt.ccd_tolerance);
  return gap > 0 && gap * gap > 1.0001 * reach * reach * cfi_dot3(dir, dir);
}


static int findElems(mjContact* con, const mjModel* m, mjData* d, int f1, int e1, int f2, int e2,
                     mjtNum margin) {
  const int dim1 = m->flex_dim[f1], dim2 = m->flex_dim[f2];
  if (dim1 == 1 && dim2 == 1) {
    const capsuleLine a = lineCapsule(m, d, f1, e1), b = lineCapsule(m, d, f2, e2);
    return cfi_capsuleCapsule(con, viewLine(&a), viewLine(&b), margin);
  }
  cfSoftShape s1 = cfi_softElem(m, d, f1, e1, margin), s2 = cfi_softElem(m, d, f2, e2, margin);
  cfConvex a = cfi_convexSoft(m, &s1), b = cfi_convexSoft(m, &s2);
  return cfi_collideSoft(m, d, con, &a, &b, margin, false);
}


// within one flex margin and gap do not count: neighbors would touch all the time
void cfi_collideElems(const mjModel* m, mjData* d, int f1, int e1, int f2, int e2) {
  const mjtNum margin =
      f1 == f2 ? 0 : cfi_overrideMargin(m, m->flex_margin[f1] + m->flex_margin[f2]);
  if (cfi_aabbsApart(d->flexelem_aabb + 6 * (m->flex_elemadr[f1] + e1),
                     d->flexelem_aabb + 6 * (m->flex_elemadr[f2] + e2), margin) ||
      shareBody(m, f1, e1, f2, e2)) {
    return;
  }
  if (!cfi_disabled(m, mjDSBL_NATIVECCD) && elemsApart(m, d, f1, e1, f2, e2, margin)) {
    return;
  }
  mjContact* con = cfi_openContacts(d);
  if (!con) {
    return;
  }
  const int n = findElems(con, m, d, f1, e1, f2, e2, margin);
  if (!n) {
    cfi_trimContacts(d);
    return;
  }
  const cfContactSide sides[2] = {cfi_flexSide(m, f1), cfi_flexSide(m, f2)};
  const cfContactIds ids = {{-1, -1}, {f1, f2}, {e1, e2}, {-1, -1}};
  cfContactParameters p;
  cfi_mixParameters(&p, m, &sides[0], &sides[1]);
  cfi_closeContacts(d, con, n, &ids, &p, f1 == f2 ? 0 : margin - p.gap);
}


// ---------------------------------------- element and vertex of the same flex

static int findElemVert(mjContact* con, const mjModel* m, mjData* d, int f, int e, int v) {
  const mjtNum *point = d->flexvert_xpos + 3 * (m->flex_vertadr[f] + v),
               *radius = m->flex_radius + f;
  if (m->flex_dim[f] == 1) {
    static const mjtNum unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const capsuleLine line = lineCapsule(m, d, f, e);
    return cfi_sphereCapsule(con, (cfGeomView){point, unit, radius}, viewLine(&line), 0);
  }
  if (m->flex_dim[f] == 2) {
    const cfTriangle t = elemTriangle(m, d, f, e);
    return cfi_sphereTriangle(con, point, *radius, &t, 0);
  }
  cfSoftShape s1 = cfi_softVert(m, d, f, v, 0), s2 = cfi_softElem(m, d, f, e, 0);
  cfConvex a = cfi_convexSoft(m, &s1), b = cfi_convexSoft(m, &s2);
  return cfi_collideSoft(m, d, con, &a, &b, 0, false);
}


void cfi_collideElemVert(const mjModel* m, mjData* d, int f, int e, int v) {
  const mjtNum bound = m->flex_radius[f] + cfi_overrideMargin(m, m->flex_margin[f]);
  if (cfi_cubeApart(d->flexvert_xpos + 3 * (m->flex_vertadr[f] + v), bound,
                    d->flexelem_aabb + 6 * (m->flex_elemadr[f] + e))) {
    return;
  }
  mjContact* con = cfi_openContacts(d);
  if (!con) {
    return;
  }
  const int n = findElemVert(con, m, d, f, e, v);
  if (!n) {
    cfi_trimContacts(d);
    return;
  }
  const cfContactSide side = cfi_flexSide(m, f);
  const cfContactIds ids = {{-1, -1}, {f, f}, {-1, e}, {v, -1}};
  cfContactParameters p;
  cfi_mixParameters(&p, m, &side, &side);
  cfi_closeContacts(d, con, n, &ids, &p, 0);
}
