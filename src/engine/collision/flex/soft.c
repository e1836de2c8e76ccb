// Elements and vertices of flexes as convex shapes.
#include <string.h>

#include "base/assert.h"
#include "collision/convex/ccd.h"
#include "collision/convex/mpr.h"
#include "collision/flex/flex.h"
#include "math/inline.h"
#include "model/flags.h"


cfSoftShape cfi_softElem(const mjModel* m, const mjData* d, int f, int e, mjtNum margin) {
  const int* corner = cfi_elemCorners(m, f, e);
  cfSoftShape s = {.reach = m->flex_radius[f] + 0.5 * margin, .n = m->flex_dim[f] + 1};
  for (int k = 0; k < s.n; k++) {
    cfi_copy3(s.corner[k], d->flexvert_xpos + 3 * (m->flex_vertadr[f] + corner[k]));
  }
  cfi_copy3(s.center, d->flexelem_aabb + 6 * (m->flex_elemadr[f] + e));
  return s;
}


cfSoftShape cfi_softVert(const mjModel* m, const mjData* d, int f, int v, mjtNum margin) {
  cfSoftShape s = {.reach = m->flex_radius[f] + 0.5 * margin, .n = 1};
  cfi_copy3(s.corner[0], d->flexvert_xpos + 3 * (m->flex_vertadr[f] + v));
  cfi_copy3(s.center, s.corner[0]);
  return s;
}


// the farthest corner, the first of equals, moved on by the reach
static void supportSoft(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  int best = 0;
  mjtNum along = cfi_dot3(s->corner[0], dir);
  for (int k = 1; k < s->nvert; k++) {
    const mjtNum next = cfi_dot3(s->corner[k], dir);
    if (next > along) {
      along = next;
      best = k;
    }
  }
  cfi_addScl3(res, s->corner[best], dir, *s->size);
}


cfConvex cfi_convexSoft(const mjModel* m, cfSoftShape* s) {
  static const mjtNum unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  CF_ASSERT(1 <= s->n && s->n <= 4);
  return (cfConvex){.m = m,
                    .geom = -1,
                    .type = mjGEOM_FLEX,
                    .pos = s->center,
                    .mat = unit,
                    .size = &s->reach,
                    .support = supportSoft,
                    .vertex = -1,
                    .hull_vertex = -1,
                    .nvert = s->n,
                    .corner = s->corner};
}


int cfi_collideSoft(const mjModel* m, mjData* d, mjContact* con, cfConvex* a, cfConvex* b,
                    mjtNum margin, bool is_thin) {
  if (cfi_disabled(m, mjDSBL_NATIVECCD)) {
    return cfi_mprContact(m, a, b, con, margin);
  }
  cfCcd q;
  memset(&q, 0, offsetof(cfCcd, x1));
  q.max_iterations = m->opt.ccd_iterations;
  q.tolerance = m->opt.ccd_tolerance;
  q.max_contacts = 1;
  q.is_apart = false;
  if (!(cfi_ccd(&q, a, b, d) < 0) || !q.count) {
    return 0;
  }
  con->dist = margin + q.dist;
  cfi_sub3(con->frame, q.x1, q.x2);
  cfi_normalize3(con->frame);
  cfi_zero3(con->frame + 3);
  for (int k = 0; k < 3; k++) {
    con->pos[k] = 0.5 * (q.x1[k] + q.x2[k]);
  }
  if (is_thin && a->geom >= 0) {
    cfi_fixNormal(con, a, b);
  }
  return 1;
}
