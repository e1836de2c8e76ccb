// Sensors of distance and containment.
#include <mujoco/mujoco.h>

#include "math/inline.h"
#include "math/shape.h"
#include "sensor/sensor.h"


void cfi_senseInsideSite(const cfSensor* s, mjtNum* out) {
  const mjtNum* point = cfi_objectFrame(s, s->objtype, s->objid).pos;
  out[0] = cfi_insideGeom(s->d->site_xpos + 3 * s->refid, s->d->site_xmat + 9 * s->refid,
                          s->m->site_size + 3 * s->refid, s->m->site_type[s->refid], point);
}


// geoms [first, first + count) of a body, or the one geom
typedef struct {
  int first, count;
} geomRange;

static geomRange geomsOf(const mjModel* m, int objtype, int objid) {
  if (objtype == mjOBJ_BODY) {
    return (geomRange){m->body_geomadr[objid], m->body_geomnum[objid]};
  }
  return (geomRange){objid, 1};
}


// smallest distance over all pairs below the cutoff, with the segment that realizes it
static mjtNum nearestPair(const cfSensor* s, mjtNum segment[6]) {
  const geomRange a = geomsOf(s->m, s->objtype, s->objid), b = geomsOf(s->m, s->reftype, s->refid);
  const mjtNum cutoff = s->m->sensor_cutoff[s->id];
  mjtNum nearest = cutoff;
  mju_zero(segment, 6);
  for (int k = 0; k < a.count * b.count; k++) {
    mjtNum candidate[6] = {0};
    const mjtNum dist = mj_geomDistance(s->m, s->d, a.first + k / b.count, b.first + k % b.count, cutoff, candidate);
    if (dist < nearest) {
      nearest = dist;
      cfi_copy6(segment, candidate);
    }
  }
  return nearest;
}


void cfi_senseGeomDistance(const cfSensor* s, mjtNum* out) {
  mjtNum segment[6];
  const mjtNum dist = nearestPair(s, segment);
  if (s->type == mjSENS_GEOMDIST) {
    out[0] = dist;
  } else if (s->type == mjSENS_GEOMFROMTO) {
    cfi_copy6(out, segment);
  } else {
    cfi_sub3(out, segment + 3, segment);
    if (out[0] != 0 || out[1] != 0 || out[2] != 0) {
      cfi_normalize3(out);
    }
  }
}
