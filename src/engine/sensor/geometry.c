// Sensors of distance and containment.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/collider.h"
#include "math/inline.h"
#include "math/shape.h"
#include "sensor/sensor.h"


void cfi_senseInsideSite(const cfSensor* s, mjtNum* out) {
  CF_ASSERT_INDEX(s->refid, s->m->nsite);
  const mjtNum* point = cfi_objectFrame(s, s->objtype, s->objid).pos;
  out[0] = cfi_insideGeom(s->d->site_xpos + 3 * s->refid, s->d->site_xmat + 9 * s->refid,
                          s->m->site_size + 3 * s->refid, s->m->site_type[s->refid], point);
}


// geoms [first, first + count) of a body, or the one geom
typedef struct {
  int first, count;
} geomRange;

static geomRange geomsOf(const mjModel* m, int objtype, int objid) {
  CF_ASSERT(objtype == mjOBJ_BODY || objtype == mjOBJ_GEOM);
  if (objtype == mjOBJ_BODY) {
    return (geomRange){m->body_geomadr[objid], m->body_geomnum[objid]};
  }
  return (geomRange){objid, 1};
}


// smallest distance over all pairs below the cutoff, with the segment that realizes it
static mjtNum searchPairs(const cfSensor* s, mjtNum segment[6]) {
  const geomRange a = geomsOf(s->m, s->objtype, s->objid), b = geomsOf(s->m, s->reftype, s->refid);
  const mjtNum cutoff = s->m->sensor_cutoff[s->id];
  mjtNum nearest = cutoff;
  mju_zero(segment, 6);
  for (int k = 0; k < a.count * b.count; k++) {
    mjtNum candidate[6] = {0};
    const int g1 = a.first + k / b.count, g2 = b.first + k % b.count;
    CF_ASSERT(g1 < s->m->ngeom && g2 < s->m->ngeom);
    const mjtNum dist = cfi_distanceBelow(s->m, s->d, g1, g2, cutoff, nearest, candidate);
    if (dist < nearest) {
      nearest = dist;
      cfi_copy6(segment, candidate);
    }
  }
  return nearest;
}


// the same, from memory where the sensor before has asked for it
static const cfNearestMemo* nearestPair(const cfSensor* s) {
  CF_ASSERT(s->memo && s->objid >= 0 && s->refid >= 0);
  cfNearestMemo* memo = s->memo;
  const mjtNum cutoff = s->m->sensor_cutoff[s->id];
  const bool is_known = memo->objid == s->objid && memo->refid == s->refid &&
                        memo->objtype == s->objtype && memo->reftype == s->reftype &&
                        memo->cutoff == cutoff;
  if (!is_known) {
    memo->objtype = s->objtype;
    memo->objid = s->objid;
    memo->reftype = s->reftype;
    memo->refid = s->refid;
    memo->cutoff = cutoff;
    memo->dist = searchPairs(s, memo->segment);
  }
  return memo;
}


void cfi_senseGeomDistance(const cfSensor* s, mjtNum* out) {
  const cfNearestMemo* found = nearestPair(s);
  const mjtNum* segment = found->segment;
  if (s->type == mjSENS_GEOMDIST) {
    out[0] = found->dist;
  } else if (s->type == mjSENS_GEOMFROMTO) {
    cfi_copy6(out, segment);
  } else {
    cfi_sub3(out, segment + 3, segment);
    if (out[0] != 0 || out[1] != 0 || out[2] != 0) {
      cfi_normalize3(out);
    }
  }
}
