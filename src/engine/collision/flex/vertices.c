// Contacts of single vertices: with planes, and with the faces of their own tetrahedra.
#include "collision/flex/flex.h"
#include "collision/narrow/pair.h"
#include "math/inline.h"


// append one contact; false if there is no room
static bool appendContact(const mjModel* m, mjData* d, mjContact* con, const cfContactIds* ids,
                          const cfContactParameters* p, mjtNum includemargin) {
  for (int side = 0; side < 2; side++) {
    con->geom[side] = ids->geom[side];
    con->flex[side] = ids->flex[side];
    con->elem[side] = ids->elem[side];
    con->vert[side] = ids->vert[side];
  }
  cfi_zero3(con->frame + 3);
  cfi_setContact(con, p, includemargin);
  return mj_addContact(m, d, con) == 0;
}


void cfi_collidePlaneFlex(const mjModel* m, mjData* d, int geom, int f) {
  const mjtNum radius = m->flex_radius[f], *origin = d->geom_xpos + 3 * geom;
  const mjtNum margin = cfi_overrideMargin(m, m->geom_margin[geom] + m->flex_margin[f]);
  const cfContactSide sides[2] = {cfi_geomSide(m, geom), cfi_flexSide(m, f)};
  mjtNum normal[3];
  cfContactParameters p;
  cfi_column3(normal, d->geom_xmat + 9 * geom, 2);
  cfi_mixParameters(&p, m, &sides[0], &sides[1]);
  for (int v = 0; v < m->flex_vertnum[f]; v++) {
    const mjtNum* x = d->flexvert_xpos + 3 * (m->flex_vertadr[f] + v);
    mjtNum offset[3];
    cfi_sub3(offset, x, origin);
    const mjtNum height = cfi_dot3(offset, normal);
    if (height > margin + radius) {
      continue;
    }
    mjContact con = {.dist = height - radius};
    const cfContactIds ids = {{geom, -1}, {-1, f}, {-1, -1}, {-1, v}};
    cfi_addScl3(con.pos, x, normal, -con.dist * 0.5 - radius);
    cfi_copy3(con.frame, normal);
    if (!appendContact(m, d, &con, &ids, &p, margin - p.gap)) {
      return;
    }
  }
}


// a vertex that comes too close to the face opposite to it, or goes through
static bool isInsideOut(mjContact* con, const mjtNum* xpos, mjtNum radius, const int face[3],
                        int v) {
  const mjtNum* origin = xpos + 3 * face[0];
  mjtNum side1[3], side2[3], offset[3], normal[3];
  cfi_sub3(side1, xpos + 3 * face[1], origin);
  cfi_sub3(side2, xpos + 3 * face[2], origin);
  cfi_sub3(offset, xpos + 3 * v, origin);
  cfi_cross(normal, side1, side2);
  cfi_normalize3(normal);
  const mjtNum height = cfi_dot3(offset, normal);
  if (height <= -2 * radius) {
    return false;
  }
  con->dist = -height - 2 * radius;
  cfi_scl3(con->frame, normal, -1);
  cfi_addScl3(con->pos, xpos + 3 * v, normal, -0.5 * height);
  return true;
}


void cfi_collideInsideOut(const mjModel* m, mjData* d, int f) {
  // three corners of a face, then the one opposite to it
  static const int part[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
  const mjtNum* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  const cfContactSide side = cfi_flexSide(m, f);
  cfContactParameters p;
  cfi_mixParameters(&p, m, &side, &side);
  p.dim = 1;
  for (int e = 0; e < m->flex_elemnum[f]; e++) {
    const int* corner = cfi_elemCorners(m, f, e);
    for (int k = 0; k < 4; k++) {
      const int face[3] = {corner[part[k][0]], corner[part[k][1]], corner[part[k][2]]};
      const int v = corner[part[k][3]];
      const cfContactIds ids = {{-1, -1}, {f, f}, {e, -1}, {-1, v}};
      mjContact con = {0};
      if (isInsideOut(&con, xpos, m->flex_radius[f], face, v) &&
          !appendContact(m, d, &con, &ids, &p, 0)) {
        return;
      }
    }
  }
}
