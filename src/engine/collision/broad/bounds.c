// The table of movers: masks, welds and boxes in the frame that decorrelates the positions of
// geoms.
#include "base/assert.h"
#include "collision/broad/broad.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/flags.h"

cfMover cfi_describeBody(const mjModel* m, int body) {
  const int start = m->body_geomadr[body], end = start + m->body_geomnum[body];
  const int weld = m->body_weldid[body];
  CF_ASSERT(start <= end && end <= m->ngeom && weld >= 0 && weld <= body);
  cfMover mover = {.id = body,
                   .geom = end - start == 1 ? start : -1,
                   .weld = weld,
                   .weld_parent = m->body_weldid[m->body_parentid[weld]]};
  for (int g = start; g < end; g++) {
    mover.contype |= m->geom_contype[g];
    mover.conaffinity |= m->geom_conaffinity[g];
  }
  mover.has_new_bits =
      (mover.contype & ~m->body_contype[body]) || (mover.conaffinity & ~m->body_conaffinity[body]);
  return mover;
}


cfMoverTable cfi_listMovers(const mjModel* m, mjData* d) {
  const int nbody = (int)m->nbody, nflex = (int)m->nflex;
  cfMoverTable t = {.some_asleep = cfi_enabled(m, mjENBL_SLEEP) && d->nbody_awake < nbody};
  const size_t most = (size_t)(nbody + nflex);
  t.box = (cfSweepBox*)mj_stackAllocByte(d, most * (sizeof(cfSweepBox) + sizeof(cfMover)), 32);
  t.mover = (cfMover*)(t.box + most);
  for (int b = 1; b < nbody; b++) {
    if (m->body_contype[b] || m->body_conaffinity[b]) {
      t.mover[t.n] = cfi_describeBody(m, b);
      t.mover[t.n++].is_asleep = t.some_asleep && d->body_awake[b] == mjS_ASLEEP;
    }
  }
  for (int f = 0; f < nflex; f++) {
    if (m->flex_contype[f] || m->flex_conaffinity[f]) {
      t.mover[t.n++] = (cfMover){.id = nbody + f,
                                 .geom = -1,
                                 .weld = -1,
                                 .weld_parent = -1,
                                 .contype = m->flex_contype[f],
                                 .conaffinity = m->flex_conaffinity[f]};
    }
  }
  CF_ASSERT(t.n <= nbody + nflex);
  return t;
}


// sum of the points that hang on a body other than the world; returns their number
static int sumPoints(mjtNum sum[3], const mjtNum* point, const int* body, int n) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (body[i]) {
      cfi_addTo3(sum, point + 3 * i);
      count++;
    }
  }
  return count;
}


// the same points' scatter about the mean: its first two rows, and the last number of the third
typedef struct {
  cfLane x, y;
  mjtNum zz;
} pointScatter;

static pointScatter addScatter(pointScatter s, const mjtNum mean[3], const mjtNum* point,
                               const int* body, int n) {
  for (int i = 0; i < n; i++) {
    if (!body[i]) {
      continue;
    }
    const mjtNum x = point[3 * i] - mean[0], y = point[3 * i + 1] - mean[1],
                 z = point[3 * i + 2] - mean[2];
    const cfLane offset = cfi_laneSet(x, y, z, 0);
    s.x = cfi_laneAdd(s.x, cfi_laneMul(cfi_laneSpread(x), offset));
    s.y = cfi_laneAdd(s.y, cfi_laneMul(cfi_laneSpread(y), offset));
    s.zz += z * z;
  }
  return s;
}


// axes of the sweep: MuJoCo takes the rows of the eigenvector matrix of the covariance of all
// moving geom centers and flex vertices; false when there are none
static bool sweepFrame(const mjModel* m, const mjData* d, mjtNum frame[9]) {
  const int ngeom = (int)m->ngeom, nvert = (int)m->nflexvert;
  mjtNum mean[3] = {0, 0, 0};
  const int count = sumPoints(mean, d->geom_xpos, m->geom_bodyid, ngeom) +
                    sumPoints(mean, d->flexvert_xpos, m->flex_vertbodyid, nvert);
  if (!count) {
    return false;
  }

  const mjtNum weight = 1.0 / count;
  cfi_scl3(mean, mean, weight);
  pointScatter sum = {cfi_laneSpread(0), cfi_laneSpread(0), 0};
  sum = addScatter(sum, mean, d->geom_xpos, m->geom_bodyid, ngeom);
  sum = addScatter(sum, mean, d->flexvert_xpos, m->flex_vertbodyid, nvert);
  mjtNum x[4], y[4];
  cfi_laneStore(x, cfi_laneMul(sum.x, cfi_laneSpread(weight)));
  cfi_laneStore(y, cfi_laneMul(sum.y, cfi_laneSpread(weight)));
  const mjtNum covariance[9] = {x[0], x[1], x[2], x[1], y[1], y[2], x[2], y[2], sum.zz * weight};
  mjtNum eigval[3], quat[4];
  mju_eig3(eigval, frame, quat, covariance);
  return true;
}


// the frame by columns, padded: one vector per world axis
typedef struct {
  cfLane x, y, z;
} frameColumns;

// a box as it grows
typedef struct {
  cfLane low, high;
} growingBox;


static growingBox emptyBox(void) {
  return (growingBox){cfi_laneSpread(INFINITY), cfi_laneSpread(-INFINITY)};
}


// coordinates of a point along the axes of the sweep
static inline cfLane sweepCoordinates(const frameColumns* f, const mjtNum point[3]) {
  const cfLane x = cfi_laneMul(cfi_laneSpread(point[0]), f->x);
  const cfLane y = cfi_laneMul(cfi_laneSpread(point[1]), f->y);
  const cfLane z = cfi_laneMul(cfi_laneSpread(point[2]), f->z);
  return cfi_laneAdd(cfi_laneAdd(x, y), z);
}


// union of a box with that of a ball
static inline void coverBall(growingBox* box, cfLane center, mjtNum bound, mjtNum margin) {
  const cfLane r = cfi_laneSpread(bound), s = cfi_laneSpread(margin);
  box->low = cfi_laneMin(box->low, cfi_laneSub(cfi_laneSub(center, r), s));
  box->high = cfi_laneMax(box->high, cfi_laneAdd(cfi_laneAdd(center, r), s));
}


static growingBox boundBody(const mjModel* m, const mjData* d, const frameColumns* f, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  const int start = m->body_geomadr[body], end = start + m->body_geomnum[body];
  const bool override = cfi_enabled(m, mjENBL_OVERRIDE);
  growingBox box = emptyBox();
  for (int g = start; g < end; g++) {
    const mjtNum margin = override ? 0.5 * m->opt.o_margin : m->geom_margin[g];
    coverBall(&box, sweepCoordinates(f, d->geom_xpos + 3 * g), m->geom_rbound[g], margin);
  }
  return box;
}


static growingBox boundFlex(const mjModel* m, const mjData* d, const frameColumns* f, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const int start = m->flex_vertadr[flex];
  const mjtNum margin =
      cfi_enabled(m, mjENBL_OVERRIDE) ? 0.5 * m->opt.o_margin : m->flex_margin[flex];
  growingBox box = emptyBox();
  for (int v = start; v < start + m->flex_vertnum[flex]; v++) {
    coverBall(&box, sweepCoordinates(f, d->flexvert_xpos + 3 * v), 0, 0);
  }
  const cfLane bound = cfi_laneSpread(m->flex_radius[flex] + margin);
  return (growingBox){cfi_laneSub(box.low, bound), cfi_laneAdd(box.high, bound)};
}


bool cfi_boundMovers(cfMoverTable* t, const mjModel* m, const mjData* d) {
  mjtNum frame[9];
  if (!sweepFrame(m, d, frame)) {
    return false;
  }
  mjtNum column[3][4] = {{0}};
  for (int k = 0; k < 9; k++) {
    column[k % 3][k / 3] = frame[k];
  }
  const frameColumns f = {cfi_laneLoad(column[0]), cfi_laneLoad(column[1]),
                          cfi_laneLoad(column[2])};
  const int nbody = (int)m->nbody;
  for (int i = 0; i < t->n; i++) {
    const int id = t->mover[i].id;
    const growingBox box = id < nbody ? boundBody(m, d, &f, id) : boundFlex(m, d, &f, id - nbody);
    cfi_laneStore(t->box[i].low, box.low);
    cfi_laneStore(t->box[i].high, box.high);
  }
  return true;
}
