#include "kinematics/tendonpath.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/wrap.h"
#include "math/inline.h"

cfTendonWalk cfi_startTendon(const mjModel* m, int tendon) {
  const int first = m->tendon_adr[tendon];
  return (cfTendonWalk){first, first + m->tendon_num[tendon], 1};
}


static inline bool isWrapGeom(int type) {
  return type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER;
}


// The coordinates are stored as they are read soon after, two and one: gcc would join those of two
// points to vectors that reach from one into the other.
static void setPoint(cfStretch* s, int k, const mjtNum point[3], int body) {
  cfi_halfStore(s->point[k], cfi_halfLoad(point));
  s->point[k][2] = point[2];
  s->body[k] = body;
}


// the geom of a path item as an object to wrap around
static cfWrapObject wrapObject(const mjModel* m, const mjData* d, int item) {
  CF_ASSERT_INDEX(item, m->nwrap);
  const int geom = m->wrap_objid[item], side = mju_round(m->wrap_prm[item]);
  if (side < -1 || side >= m->nsite) {
    mju_error("invalid side site %d of a tendon", side);
  }
  return (cfWrapObject){d->geom_xpos + 3 * geom, d->geom_xmat + 9 * geom, m->geom_size[3 * geom],
                        m->wrap_type[item], side >= 0 ? d->site_xpos + 3 * side : NULL};
}


// stretch from the site at item to the site after it or after the geom between them
static void buildStretch(cfStretch* s, const mjModel* m, const mjData* d, int item) {
  CF_ASSERT_INDEX(item, m->nwrap);
  const bool has_geom = isWrapGeom(m->wrap_type[item + 1]);
  const int from = m->wrap_objid[item], to = m->wrap_objid[item + 1 + has_geom];
  const mjtNum *start = d->site_xpos + 3 * from, *stop = d->site_xpos + 3 * to;
  mjtNum arc = -1;

  s->geom = has_geom ? m->wrap_objid[item + 1] : -1;
  if (has_geom) {
    const cfWrapObject object = wrapObject(m, d, item + 1);
    arc = cfi_wrap(s->point + 1, start, stop, &object);
  }

  const bool touches = arc >= 0;
  s->npoint = touches ? 4 : 2;
  s->arc = touches ? arc : 0;
  setPoint(s, 0, start, m->site_bodyid[from]);
  if (touches) {
    s->body[1] = s->body[2] = m->geom_bodyid[s->geom];
  }
  setPoint(s, s->npoint - 1, stop, m->site_bodyid[to]);
}


int cfi_walkTendon(cfTendonWalk* walk, cfStretch* stretch, const mjModel* m, const mjData* d) {
  // a site before a pulley ends its branch: nothing starts there
  if (walk->item < walk->end - 1 && m->wrap_type[walk->item] != mjWRAP_PULLEY &&
      m->wrap_type[walk->item + 1] == mjWRAP_PULLEY) {
    walk->item++;
  }
  if (walk->item >= walk->end - 1) {
    return CF_PATH_END;
  }

  if (m->wrap_type[walk->item] == mjWRAP_PULLEY) {
    walk->divisor = m->wrap_prm[walk->item++];
    return CF_PATH_PULLEY;
  }

  buildStretch(stretch, m, d, walk->item);
  walk->item += stretch->geom >= 0 ? 2 : 1;
  stretch->divisor = walk->divisor;
  stretch->is_last = walk->item == walk->end - 1 || m->wrap_type[walk->item + 1] == mjWRAP_PULLEY;
  return CF_PATH_STRETCH;
}
