// Boxes around bodies and flexes in the frame that decorrelates the positions of geoms.
#include <stdbool.h>

#include "collision/broad/broad.h"
#include "math/inline.h"
#include "model/flags.h"

// can the mover collide at all, by the masks that the compiler collected
static bool moverCollides(const mjModel* m, int mover) {
  if (mover < m->nbody) {
    return m->body_contype[mover] || m->body_conaffinity[mover];
  }
  const int f = mover - m->nbody;
  return m->flex_contype[f] || m->flex_conaffinity[f];
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


// axes of the sweep: MuJoCo takes the rows of the eigenvector matrix of the covariance of all moving geom
// centers and flex vertices; false when there are none
static bool sweepFrame(const mjModel* m, const mjData* d, mjtNum frame[9]) {
  mjtNum mean[3] = {0, 0, 0}, s[6] = {0};
  const int count = sumPoints(mean, d->geom_xpos, m->geom_bodyid, m->ngeom) +
                    sumPoints(mean, d->flexvert_xpos, m->flex_vertbodyid, m->nflexvert);
  if (!count) {
    return false;
  }

  const mjtNum weight = 1.0 / count;
  cfi_scl3(mean, mean, weight);
  sumScatter(s, mean, d->geom_xpos, m->geom_bodyid, m->ngeom);
  sumScatter(s, mean, d->flexvert_xpos, m->flex_vertbodyid, m->nflexvert);
  for (int k = 0; k < 6; k++) {
    s[k] *= weight;
  }
  const mjtNum covariance[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
  mjtNum eigval[3], quat[4];
  mju_eig3(eigval, frame, quat, covariance);
  return true;
}


// union of a box with that of a ball
static inline void coverBall(mjtNum low[3], mjtNum high[3], const mjtNum frame[9],
                             const mjtNum center[3], mjtNum bound, mjtNum margin) {
  for (int k = 0; k < 3; k++) {
    const mjtNum x = cfi_dot3(center, frame + 3 * k);
    low[k] = cfi_min(low[k], x - bound - margin);
    high[k] = cfi_max(high[k], x + bound + margin);
  }
}


static void boundBody(cfBounds* b, int i, const mjModel* m, const mjData* d,
                      const mjtNum frame[9]) {
  const int start = m->body_geomadr[b->id[i]], end = start + m->body_geomnum[b->id[i]];
  const bool override = cfi_enabled(m, mjENBL_OVERRIDE);
  mjtNum low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  int contype = 0, conaffinity = 0;
  for (int g = start; g < end; g++) {
    const mjtNum margin = override ? 0.5 * m->opt.o_margin : m->geom_margin[g];
    coverBall(low, high, frame, d->geom_xpos + 3 * g, m->geom_rbound[g], margin);
    contype |= m->geom_contype[g];
    conaffinity |= m->geom_conaffinity[g];
  }
  for (int k = 0; k < 3; k++) {
    b->low[k][i] = low[k];
    b->high[k][i] = high[k];
  }
  b->contype[i] = contype;
  b->conaffinity[i] = conaffinity;
}


static void boundFlex(cfBounds* b, int i, const mjModel* m, const mjData* d,
                      const mjtNum frame[9]) {
  const int f = b->id[i] - m->nbody, start = m->flex_vertadr[f];
  const mjtNum margin =
      cfi_enabled(m, mjENBL_OVERRIDE) ? 0.5 * m->opt.o_margin : m->flex_margin[f];
  mjtNum low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = start; v < start + m->flex_vertnum[f]; v++) {
    coverBall(low, high, frame, d->flexvert_xpos + 3 * v, 0, 0);
  }
  for (int k = 0; k < 3; k++) {
    b->low[k][i] = low[k] - (m->flex_radius[f] + margin);
    b->high[k][i] = high[k] + (m->flex_radius[f] + margin);
  }
  b->contype[i] = m->flex_contype[f];
  b->conaffinity[i] = m->flex_conaffinity[f];
}


// list the movers that collide, reserve the rest of the table
static cfBounds listMovers(const mjModel* m, mjData* d) {
  const int nmover = m->nbody + m->nflex;
  cfBounds b = {.n = 0};
  b.id = mj_stackAllocInt(d, (size_t)nmover);
  for (int mover = 1; mover < nmover; mover++) {
    if (moverCollides(m, mover)) {
      b.id[b.n++] = mover;
    }
  }
  b.contype = mj_stackAllocInt(d, 2 * (size_t)b.n);
  b.conaffinity = b.contype + b.n;
  mjtNum* edge = mj_stackAllocNum(d, 6 * (size_t)b.n);
  for (int k = 0; k < 3; k++) {
    b.low[k] = edge + k * b.n;
    b.high[k] = edge + (3 + k) * b.n;
  }
  b.flow = (float*)mj_stackAllocByte(d, 2 * (size_t)b.n * sizeof(float), _Alignof(float));
  b.fhigh = b.flow + b.n;
  return b;
}


cfBounds cfi_boundMovers(const mjModel* m, mjData* d) {
  mjtNum frame[9];
  if (!sweepFrame(m, d, frame)) {
    return (cfBounds){.n = 0};
  }
  cfBounds b = listMovers(m, d);
  for (int i = 0; i < b.n; i++) {
    if (b.id[i] < m->nbody) {
      boundBody(&b, i, m, d, frame);
    } else {
      boundFlex(&b, i, m, d, frame);
    }
    b.flow[i] = (float)b.low[0][i];
    b.fhigh[i] = (float)b.high[0][i];
  }
  return b;
}
