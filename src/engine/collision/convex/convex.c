// Colliders for pairs of convex geoms, and the distance between them.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/collider.h"
#include "collision/convex/ccd.h"
#include "collision/convex/mpr.h"
#include "collision/convex/planehull.h"
#include "math/inline.h"
#include "model/apartmemo.h"
#include "model/flags.h"


// the stack inside mjData is scratch, even where the data are constant
static mjData* scratchOf(const mjData* d) {
  return (mjData*)(uintptr_t)d;
}


static cfCcd query(const mjModel* m, int max_contacts, mjtNum cutoff) {
  CF_ASSERT(max_contacts >= 0);
  cfCcd q;
  q.max_iterations = m->opt.ccd_iterations;
  q.tolerance = m->opt.ccd_tolerance;
  q.max_contacts = max_contacts;
  q.cutoff = cutoff;
  q.is_apart = false;
  return q;
}


// does the plane that kept two geoms apart last time still do so, by more than rounding and the
// search for hull vertices can miss, and by more than what GJK takes for touching?
static bool staysApart(cfApart* memo, cfConvex* a, cfConvex* b) {
  const mjtNum size = mjMINVAL + a->m->geom_rbound[a->geom] + b->m->geom_rbound[b->geom];
  const mjtNum sure = 1e-6 * size + 2 * fabs(a->m->opt.ccd_tolerance);
  const int started[2][2] = {{a->vertex, a->hull_vertex}, {b->vertex, b->hull_vertex}};
  mjtNum axis[3], back[3];
  cfMinkowski nearest;
  cfi_mulMatVec3(axis, a->mat, memo->axis);
  cfi_scl3(back, axis, -1);

  // programs may give a geom another mesh
  a->hull_vertex = memo->vertex[0] < a->nhull ? memo->vertex[0] : -1;
  b->hull_vertex = memo->vertex[1] < b->nhull ? memo->vertex[1] : -1;
  cfi_supportPair(&nearest, a, b, back, axis);
  memo->vertex[0] = a->hull_vertex, memo->vertex[1] = b->hull_vertex;
  if (cfi_dot3(axis, nearest.p) > sure) {
    return true;
  }

  // what follows starts as if nothing had been tried
  a->vertex = started[0][0], a->hull_vertex = started[0][1];
  b->vertex = started[1][0], b->hull_vertex = started[1][1];
  return false;
}


static void keepApart(cfApart* memo, uint64_t pair, const cfCcd* q, const cfConvex* a,
                      const cfConvex* b) {
  *memo = (cfApart){.pair = pair, .vertex = {a->hull_vertex, b->hull_vertex}};
  cfi_mulMatTVec3(memo->axis, a->mat, q->apart);
}


// GJK unless the last separating plane answers; true if the shapes overlap
static bool overlapNow(cfCcd* q, const mjData* d, cfConvex* a, cfConvex* b) {
  const uint64_t pair = cfi_apartPair(a->geom, b->geom);
  cfApart* memo = cfi_apartPlace(d, pair);
  if (memo && memo->pair == pair && staysApart(memo, a, b)) {
    return false;
  }
  const bool overlaps = cfi_ccd(q, a, b, scratchOf(d)) < 0;
  if (memo && !overlaps && q->is_apart) {
    keepApart(memo, pair, q, a, b);
  }
  return overlaps;
}


// contacts of two shapes
static int findContacts(const mjModel* m, const mjData* d, cfConvex* a, cfConvex* b, mjContact* con,
                        int max_contacts, mjtNum margin) {
  CF_ASSERT(max_contacts > 0);
  if (cfi_disabled(m, mjDSBL_NATIVECCD)) {
    return cfi_mprContact(m, a, b, con, margin);
  }
  cfCcd q = query(m, max_contacts, 0);
  if (!overlapNow(&q, d, a, b)) {
    return 0;
  }
  for (int k = 0; k < q.count; k++) {
    const mjtNum *x1 = q.x1 + 3 * k, *x2 = q.x2 + 3 * k;
    con[k].dist = margin + q.dist;
    cfi_sub3(con[k].frame, x1, x2);
    cfi_normalize3(con[k].frame);
    cfi_set3(con[k].pos, 0.5 * (x1[0] + x2[0]), 0.5 * (x1[1] + x2[1]), 0.5 * (x1[2] + x2[2]));
    cfi_zero3(con[k].frame + 3);
  }
  return q.count;
}


// how many contacts one run can give: eight between boxes, four between polyhedra if multiccd is on
static int contactsPerRun(const mjModel* m, const cfConvex* a, const cfConvex* b) {
  const bool is_box[2] = {a->type == mjGEOM_BOX, b->type == mjGEOM_BOX};
  const bool is_poly[2] = {is_box[0] || a->type == mjGEOM_MESH,
                           is_box[1] || b->type == mjGEOM_MESH};
  if (a->margin > 0 || b->margin > 0 || !is_poly[0] || !is_poly[1]) {
    return 1;
  }
  if (is_box[0] && is_box[1]) {
    return 8;
  }
  return cfi_enabled(m, mjENBL_MULTICCD) ? 4 : 1;
}


static bool isCurved(const cfConvex* s) {
  return s->type == mjGEOM_ELLIPSOID || s->type == mjGEOM_SPHERE;
}


static bool isDistinct(const mjContact* con, int count, const mjContact* added, mjtNum tolerance) {
  CF_ASSERT(count >= 0);
  for (int k = 0; k < count; k++) {
    if (cfi_dist3(con[k].pos, added->pos) <= tolerance) {
      return false;
    }
  }
  return true;
}


// tilt both shapes a little about the contact point, four ways, and see where they touch then
static int perturbedContacts(const mjModel* m, const mjData* d, cfConvex* a, cfConvex* b,
                             mjContact* con, mjtNum margin) {
  const mjtNum angle = 1e-3, relative_tolerance = 1e-3;
  const mjtNum tolerance =
      relative_tolerance * cfi_min(m->geom_rbound[a->geom], m->geom_rbound[b->geom]);
  mjtNum frame[9];
  cfi_copy9(frame, con[0].frame);
  cfi_makeFrame(frame);
  int count = 1;
  for (int k = 0; k < 4; k++) {
    mjtNum quat[4], turn[9], back[9];
    cfi_axisAngle2Quat(quat, frame + 3 * (1 + k / 2), k % 2 ? angle : -angle);
    cfi_quat2Mat(turn, quat);
    cfi_transpose3(back, turn);
    cfMovedPose pose_a, pose_b;
    cfConvex turned_a = cfi_rotateConvex(&pose_a, a, con[0].pos, turn);
    cfConvex turned_b = cfi_rotateConvex(&pose_b, b, con[0].pos, back);
    const int found = findContacts(m, d, &turned_a, &turned_b, con + count, 1, margin);

    // the search for support vertices goes on from where it was
    a->vertex = turned_a.vertex, a->hull_vertex = turned_a.hull_vertex;
    b->vertex = turned_b.vertex, b->hull_vertex = turned_b.hull_vertex;
    if (found && isDistinct(con, count, con + count, tolerance)) {
      con[count++].dist = con[0].dist;
    }
  }
  return count;
}


int cfi_collideConvex(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                      mjtNum margin) {
  CF_ASSERT(g1 >= 0 && g1 < m->ngeom && g2 >= 0 && g2 < m->ngeom);
  if (!cfi_disabled(m, mjDSBL_NATIVECCD) && cfi_clearlyApart(m, d, g1, g2, margin)) {
    return 0;
  }
  cfConvex a = cfi_convexGeom(m, d, g1, margin), b = cfi_convexGeom(m, d, g2, margin);
  const int wanted = contactsPerRun(m, &a, &b);
  const int count = findContacts(m, d, &a, &b, con, wanted, margin);
  const bool is_complete = wanted > 1 && !cfi_disabled(m, mjDSBL_NATIVECCD);
  if (count != 1 || is_complete || !cfi_enabled(m, mjENBL_MULTICCD) || isCurved(&a) ||
      isCurved(&b)) {
    return count;
  }
  return perturbedContacts(m, d, &a, &b, con, margin);
}


mjtNum cfi_convexDistance(const mjModel* m, const mjData* d, int g1, int g2, mjtNum distmax,
                          mjtNum fromto[6]) {
  CF_ASSERT(g1 >= 0 && g1 < m->ngeom && g2 >= 0 && g2 < m->ngeom);
  cfConvex a = cfi_convexGeom(m, d, g1, 0), b = cfi_convexGeom(m, d, g2, 0);
  cfCcd q = query(m, 1, distmax);
  const mjtNum dist = cfi_ccd(&q, &a, &b, scratchOf(d));
  if (fromto && q.count > 0) {
    cfi_copy3(fromto, q.x1);
    cfi_copy3(fromto + 3, q.x2);
  }
  return dist < distmax ? dist : distmax;
}


// ---------------------------------------- plane

// a contact as a plane and a point of the other geom give it
static void setPlaneContact(mjContact* con, const mjtNum pos[3], mjtNum dist,
                            const mjtNum normal[3]) {
  con->dist = dist;
  cfi_copy3(con->pos, pos);
  cfi_copy3(con->frame, normal);
  cfi_zero3(con->frame + 3);
}


// the deepest point of a smooth geom; of meshes up to three vertices
int cfi_collidePlaneConvex(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                           mjtNum margin) {
  CF_ASSERT(m->geom_type[g1] == mjGEOM_PLANE);
  const mjtNum *origin = d->geom_xpos + 3 * g1, *mat = d->geom_xmat + 9 * g1;
  const mjtNum normal[3] = {mat[2], mat[5], mat[8]};
  cfConvex s = cfi_convexGeom(m, d, g2, 0);
  if (s.vert) {
    cfPlaneTouch touch[CF_PLANE_TOUCHES];
    const int count = cfi_planeHull(touch, &s, origin, normal, margin);
    for (int k = 0; k < count; k++) {
      setPlaneContact(con + k, touch[k].pos, touch[k].dist, normal);
    }
    return count;
  }
  mjtNum down[3], point[3], offset[3];
  cfi_scl3(down, normal, -1);
  cfi_mprSupport(&s, down, point);
  cfi_sub3(offset, point, origin);
  const mjtNum dist = cfi_dot3(normal, offset);
  cfi_addScl3(point, point, normal, -0.5 * dist);
  setPlaneContact(con, point, dist, normal);
  return !(dist > margin);
}
