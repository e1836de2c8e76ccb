// The table of movers: masks, welds and boxes in the frame that decorrelates the positions of
// geoms.
#include "collision/broad/broad.h"
#include "math/inline.h"
#include "model/flags.h"

cfMover cfi_describeBody(const mjModel* m, int body) {
  const int start = m->body_geomadr[body], end = start + m->body_geomnum[body];
  const int weld = m->body_weldid[body];
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
  t.mover =
      (cfMover*)mj_stackAllocByte(d, (size_t)(nbody + nflex) * sizeof(cfMover), _Alignof(cfMover));
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
  t.box = (cfSweepBox*)mj_stackAllocByte(d, (size_t)t.n * sizeof(cfSweepBox), 32);
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


// upper triangle of the same points' scatter about the mean: xx xy xz yy yz zz
static void sumScatter(mjtNum scatter[6], const mjtNum mean[3], const mjtNum* point,
                       const int* body, int n) {
  for (int i = 0; i < n; i++) {
    if (!body[i]) {
      continue;
    }
    const mjtNum x = point[3 * i] - mean[0], y = point[3 * i + 1] - mean[1],
                 z = point[3 * i + 2] - mean[2];
    scatter[0] += x * x;
    scatter[1] += x * y;
    scatter[2] += x * z;
    scatter[3] += y * y;
    scatter[4] += y * z;
    scatter[5] += z * z;
  }
}


// axes of the sweep: MuJoCo takes the rows of the eigenvector matrix of the covariance of all
// moving geom centers and flex vertices; false when there are none
static bool sweepFrame(const mjModel* m, const mjData* d, mjtNum frame[9]) {
  const int ngeom = (int)m->ngeom, nvert = (int)m->nflexvert;
  mjtNum mean[3] = {0, 0, 0}, s[6] = {0};
  const int count = sumPoints(mean, d->geom_xpos, m->geom_bodyid, ngeom) +
                    sumPoints(mean, d->flexvert_xpos, m->flex_vertbodyid, nvert);
  if (!count) {
    return false;
  }

  const mjtNum weight = 1.0 / count;
  cfi_scl3(mean, mean, weight);
  sumScatter(s, mean, d->geom_xpos, m->geom_bodyid, ngeom);
  sumScatter(s, mean, d->flexvert_xpos, m->flex_vertbodyid, nvert);
  for (int k = 0; k < 6; k++) {
    s[k] *= weight;
  }
  const mjtNum covariance[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
  mjtNum eigval[3], quat[4];
  mju_eig3(eigval, frame, quat, covariance);
  return true;
}


// the frame by columns, padded: one vector per world axis
typedef struct {
  mjtNum x[4], y[4], z[4];
} frameColumns;


// union of a box with that of a ball
static inline void coverBall(cfSweepBox* box, const frameColumns* f, const mjtNum center[3],
                             mjtNum bound, mjtNum margin) {
  for (int k = 0; k < 4; k++) {
    const mjtNum x = center[0] * f->x[k] + center[1] * f->y[k] + center[2] * f->z[k];
    const mjtNum low = x - bound - margin, high = x + bound + margin;
    box->low[k] = box->low[k] < low ? box->low[k] : low;
    box->high[k] = box->high[k] > high ? box->high[k] : high;
  }
}


static cfSweepBox emptyBox(void) {
  cfSweepBox box;
  for (int k = 0; k < 4; k++) {
    box.low[k] = INFINITY;
    box.high[k] = -INFINITY;
  }
  return box;
}


static cfSweepBox boundBody(const mjModel* m, const mjData* d, const frameColumns* f, int body) {
  const int start = m->body_geomadr[body], end = start + m->body_geomnum[body];
  const bool override = cfi_enabled(m, mjENBL_OVERRIDE);
  cfSweepBox box = emptyBox();
  for (int g = start; g < end; g++) {
    const mjtNum margin = override ? 0.5 * m->opt.o_margin : m->geom_margin[g];
    coverBall(&box, f, d->geom_xpos + 3 * g, m->geom_rbound[g], margin);
  }
  return box;
}


static cfSweepBox boundFlex(const mjModel* m, const mjData* d, const frameColumns* f, int flex) {
  const int start = m->flex_vertadr[flex];
  const mjtNum margin =
      cfi_enabled(m, mjENBL_OVERRIDE) ? 0.5 * m->opt.o_margin : m->flex_margin[flex];
  cfSweepBox box = emptyBox();
  for (int v = start; v < start + m->flex_vertnum[flex]; v++) {
    coverBall(&box, f, d->flexvert_xpos + 3 * v, 0, 0);
  }
  for (int k = 0; k < 4; k++) {
    box.low[k] -= m->flex_radius[flex] + margin;
    box.high[k] += m->flex_radius[flex] + margin;
  }
  return box;
}


bool cfi_boundMovers(cfMoverTable* t, const mjModel* m, const mjData* d) {
  mjtNum frame[9];
  if (!sweepFrame(m, d, frame)) {
    return false;
  }
  frameColumns f = {.x = {0}};
  for (int k = 0; k < 3; k++) {
    f.x[k] = frame[3 * k];
    f.y[k] = frame[3 * k + 1];
    f.z[k] = frame[3 * k + 2];
  }
  for (int i = 0; i < t->n; i++) {
    const int id = t->mover[i].id, nbody = (int)m->nbody;
    t->box[i] = id < nbody ? boundBody(m, d, &f, id) : boundFlex(m, d, &f, id - nbody);
  }
  return true;
}
