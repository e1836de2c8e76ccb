// Random poses of every pair of geom types: contacts of the reference against ours.
//
//   conformance_pairs [POSES [TYPE [DISABLE [ENABLE]]]]
//
// default: 300 poses of every pair; TYPE: only pairs with that geom type; then bits of the option
// flags. Pairs with a signed distance field take a hundred times as long: a tenth of the poses,
// unless TYPE asks for them
//
// A model has two free bodies with one geom each.  Sizes, margins and poses are drawn at random, a
// third of the poses degenerate (aligned axes, quarter turns, touching, concentric).  Where
// perturbing the reference's input by 1e-13 changes its own answer, the pose is left out; otherwise
// what the stage writes must agree to 1e-8, or to ten times what the perturbation does. Without
// MUJOCO_REFERENCE_LIB the program says so and is skipped (77).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_twins.h"

typedef struct {
  mjModel* m;
  mjData* d;
  void (*collide)(const mjModel*, mjData*);
  mjtNum (*distance)(const mjModel*, const mjData*, int, int, mjtNum, mjtNum*);
} engine;

typedef struct {
  int poses, compared, contacts, distances, shaky, apart, failed;
  double worst;
} tally;

typedef struct {
  double pos[2][3], mat[2][9];
} pose;

static const char* const type_name[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                        "cylinder", "box",    "mesh",   "sdf"};

static unsigned long long seed = 88172645463325252ull;


static double uniform(double low, double high) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}


static int pick(int n) {
  return (int)uniform(0, n) % n;
}


static void geomText(char* text, size_t bytes, int type) {
  const char* detail = type >= mjGEOM_MESH     ? " mesh=\"rock\""
                       : type == mjGEOM_HFIELD ? " hfield=\"hills\""
                       : type == mjGEOM_PLANE  ? " size=\"5 5 1\""
                                               : " size=\"0.1 0.2 0.3\"";
  snprintf(text, bytes, "<geom type=\"%s\"%s/>", type_name[type], detail);
}


// reference model of two geoms; planes and height fields must not move
static mjModel* makeModel(int type1, int type2) {
  char first[200], second[200], xml[4000];
  geomText(first, sizeof(first), type1);
  geomText(second, sizeof(second), type2);
  snprintf(
      xml, sizeof(xml),
      "<mujoco><asset><mesh name=\"rock\" vertex=\"0.2 0 0  -0.15 0.1 0.02  0.01 0.25 0.05  0 -0.2 "
      "0.03 "
      "0.02 0.03 0.3  -0.04 -0.05 -0.2  0.15 0.15 0.1  0.1 -0.1 0.15  -0.1 -0.12 0.1  -0.05 0.12 "
      "-0.15  "
      "0.12 -0.08 -0.1  0.1 0.1 -0.12\"/>"
      "<hfield name=\"hills\" nrow=\"6\" ncol=\"7\" size=\"0.8 0.7 0.3 0.1\" elevation=\"0 1 2 1 0 "
      "1 2 "
      "2 3 1 0 1 2 3 1 1 1 4 2 0 1 0 2 5 3 1 1 0 1 1 2 2 0 3 1 0 0 1 1 2 0 1\"/></asset><worldbody>"
      "<body>%s%s</body><body><freejoint/>%s</body></worldbody></mujoco>",
      type1 == mjGEOM_PLANE || type1 == mjGEOM_HFIELD ? "" : "<freejoint/>", first, second);

  mjModel* m = cf_compileReference(xml);
  if (!m) {
    exit(1);
  }
  return m;
}


// new sizes of a primitive and its bounding sphere
static void drawSize(mjModel* m, int g) {
  mjtNum* s = m->geom_size + 3 * g;
  const int type = m->geom_type[g];
  if (type == mjGEOM_PLANE || type == mjGEOM_HFIELD || type >= mjGEOM_MESH) {
    return;
  }
  for (int k = 0; k < 3; k++) {
    s[k] = pick(4) ? uniform(0.05, 0.4) : 0.1 * (1 + pick(3));
  }
  switch (type) {
    case mjGEOM_SPHERE:
      m->geom_rbound[g] = s[0];
      break;
    case mjGEOM_CAPSULE:
      m->geom_rbound[g] = s[0] + s[1];
      break;
    case mjGEOM_CYLINDER:
      m->geom_rbound[g] = sqrt(s[0] * s[0] + s[1] * s[1]);
      break;
    case mjGEOM_ELLIPSOID:
      m->geom_rbound[g] = fmax(s[0], fmax(s[1], s[2]));
      break;
    default:
      m->geom_rbound[g] = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  }
}


// uniform rotation, or one of the quarter turns
static void drawRotation(double mat[9], int degenerate) {
  mjtNum quat[4];
  double norm = 0;
  for (int k = 0; k < 4; k++) {
    quat[k] = degenerate ? pick(3) - 1 : uniform(-1, 1);
    norm += quat[k] * quat[k];
  }
  if (norm < 1e-3) {
    quat[0] = norm = 1;
  }
  for (int k = 0; k < 4; k++) {
    quat[k] /= sqrt(norm);
  }
  mju_quat2Mat(mat, quat);
}


static void drawPose(pose* p, const mjModel* m) {
  const int kind = pick(9);  // 0..2 degenerate
  const double reach = (m->geom_rbound[0] > 0 ? m->geom_rbound[0] : 0.3) + m->geom_rbound[1];
  for (int g = 0; g < 2; g++) {
    drawRotation(p->mat[g], kind < 3);
    for (int k = 0; k < 3; k++) {
      p->pos[g][k] = g ? p->pos[0][k] : uniform(-1, 1);
    }
  }
  if (kind == 0) {
    memcpy(p->mat[1], p->mat[0], sizeof(p->mat[0]));
  }
  double direction[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  if (kind < 3) {
    for (int k = 0; k < 3; k++) {
      direction[k] = pick(3) - 1;
    }
  }
  const double length = sqrt(mju_dot3(direction, direction)), distance = uniform(0, 1.05) * reach;
  for (int k = 0; k < 3 && length > 1e-3; k++) {
    p->pos[1][k] += direction[k] / length * distance;
  }
}


static void place(const engine* e, const pose* p, double noise) {
  for (int g = 0; g < 2; g++) {
    const int body = e->m->geom_bodyid[g];
    for (int k = 0; k < 3; k++) {
      e->d->geom_xpos[3 * g + k] = p->pos[g][k] * (1 + noise * uniform(-1, 1));
    }
    for (int k = 0; k < 9; k++) {
      e->d->geom_xmat[9 * g + k] = p->mat[g][k] * (1 + noise * uniform(-1, 1));
    }
    memcpy(e->d->xipos + 3 * body, e->d->geom_xpos + 3 * g, 3 * sizeof(mjtNum));
    memcpy(e->d->ximat + 9 * body, e->d->geom_xmat + 9 * g, 9 * sizeof(mjtNum));
  }
  e->collide(e->m, e->d);
}


// largest difference in what the collision stage writes
static double differ(const engine* e, const mjData* reference) {
  return cf_worstWritten(e->m, e->d, reference, CF_WRITTEN_BY(COLLISION)).error;
}


static void report(const engine* ref, const engine* our, const pose* p, double error) {
  printf("  differs by %g, %d contacts / %d; sizes %g %g %g, %g %g %g, margin %g\n", error,
         ref->d->ncon, our->d->ncon, ref->m->geom_size[0], ref->m->geom_size[1],
         ref->m->geom_size[2], ref->m->geom_size[3], ref->m->geom_size[4], ref->m->geom_size[5],
         ref->m->geom_margin[0]);
  for (int g = 0; g < 2; g++) {
    printf("    pos %.17g %.17g %.17g mat", p->pos[g][0], p->pos[g][1], p->pos[g][2]);
    for (int k = 0; k < 9; k++) {
      printf(" %.17g", p->mat[g][k]);
    }
    printf("\n");
  }
  const int most = ref->d->ncon > our->d->ncon ? ref->d->ncon : our->d->ncon;
  for (int i = 0; i < most; i++) {
    const mjContact* side[2] = {i < ref->d->ncon ? ref->d->contact + i : NULL,
                                i < our->d->ncon ? our->d->contact + i : NULL};
    for (int k = 0; k < 2; k++) {
      const mjContact* c = side[k];
      printf("    %s ", k ? "  ours" : "reference");
      if (c) {
        printf("%.12g  pos %.9g %.9g %.9g  normal %.9g %.9g %.9g", c->dist, c->pos[0], c->pos[1],
               c->pos[2], c->frame[0], c->frame[1], c->frame[2]);
      }
      printf("%s", k ? "\n" : " |");
    }
  }
}


// distance and nearest points between the geoms, in the order that the pose asks for
static void measure(mjtNum result[7], const engine* e, int swap, mjtNum distmax) {
  result[0] = e->distance(e->m, e->d, swap, 1 - swap, distmax, result + 1);
}


// largest difference of distance and nearest points
static double differMeasure(const mjtNum a[7], const mjtNum b[7]) {
  double worst = 0;
  for (int k = 0; k < 7; k++) {
    const double far = fabs(a[k] - b[k]);
    worst = far <= worst ? worst : far;
  }
  return worst;
}


// mj_geomDistance at a pose.  Noise is infinite where the reference's nearest points do not fit its
// distance: rarely its polytope expansion gives up and leaves zero for separated geoms
static double differDistance(double* noise, const pose* p, const engine* ref, const engine* again,
                             const engine* our) {
  mjtNum a[7], b[7], c[7];
  const int swap = pick(2);
  const mjtNum distmax = uniform(0, 1);
  measure(a, ref, swap, distmax);
  measure(c, our, swap, distmax);
  *noise = a[0] < distmax && fabs(mju_dist3(a + 1, a + 4) - fabs(a[0])) > 1e-6 ? INFINITY : 0;
  for (int k = 0; k < 6; k++) {
    place(again, p, k < 3 ? 1e-13 : 1e-11);
    measure(b, again, swap, distmax);
    *noise = fmax(*noise, differMeasure(a, b));
  }
  return differMeasure(a, c);
}


static void tryPose(tally* t, const engine* ref, const engine* again, const engine* our) {
  pose p;
  for (int g = 0; g < 2; g++) {
    const mjtNum margin = pick(2) ? 0 : uniform(0, 0.1);
    drawSize(ref->m, g);
    ref->m->geom_margin[g] = our->m->geom_margin[g] = margin;
    memcpy(our->m->geom_size + 3 * g, ref->m->geom_size + 3 * g, 3 * sizeof(mjtNum));
    our->m->geom_rbound[g] = ref->m->geom_rbound[g];
  }
  drawPose(&p, ref->m);
  place(ref, &p, 0);
  place(our, &p, 0);
  double noise = 0;
  for (int k = 0; k < 2; k++) {
    place(again, &p, 1e-13);
    noise = fmax(noise, differ(again, ref->d));
  }
  t->poses++;
  t->contacts += ref->d->ncon;
  double distance_noise;
  const double distance_error = differDistance(&distance_noise, &p, ref, again, our);
  if (distance_noise <= 1e-7) {
    t->distances++;
    if (!(distance_error <= fmax(1e-8, 10 * distance_noise)) && t->failed++ < 3) {
      printf("  mj_geomDistance differs by %g (noise %g)\n", distance_error, distance_noise);
      report(ref, our, &p, 0);
    }
  }

  const double error = differ(our, ref->d);
  if (noise > 1e-6) {
    t->shaky++;
    t->apart += !(error <= 1e-8);
    return;
  }
  t->compared++;
  t->worst = fmax(t->worst, error);
  if (!(error <= fmax(1e-8, 10 * noise)) && t->failed++ < 3) {
    report(ref, our, &p, error);
  }
}


// 0 good, 1 failed
static int tryPair(int type1, int type2, int poses, int disable, int enable) {
  mjModel* m = makeModel(type1, type2);
  m->opt.disableflags |= disable;
  m->opt.enableflags |= enable;
  engine ref = {m, CF_REF(mj_makeData)(m), CF_REF(mj_collision), CF_REF(mj_geomDistance)};
  engine again = {m, CF_REF(mj_makeData)(m), CF_REF(mj_collision), CF_REF(mj_geomDistance)};
  mjModel* mine = cf_handOver(m);
  engine our = {mine, mj_makeData(mine), mj_collision, mj_geomDistance};
  static tally t;
  t = (tally){0};
  if (setjmp(cf_twinsError)) {
    printf("%-9s : %-9s  %s\n", type_name[type1], type_name[type2], cf_twinsMessage);
    return 1;
  }
  for (int k = 0; k < poses; k++) {
    tryPose(&t, &ref, &again, &our);
  }
  printf(
      "%-9s : %-9s  %d poses, %d contacts, %d compared, %d distances, %d shaky (%d apart), %d "
      "failed, worst "
      "%.2g\n",
      type_name[type1], type_name[type2], t.poses, t.contacts, t.compared, t.distances, t.shaky,
      t.apart, t.failed, t.worst);
  CF_REF(mj_deleteData)(ref.d);
  CF_REF(mj_deleteData)(again.d);
  CF_REF(mj_deleteModel)(m);
  mj_deleteData(our.d);
  mj_deleteModel(mine);
  return t.failed > 0;
}


int main(int argc, char** argv) {
  if (!cf_referenceOpen()) {
    return cf_skipCode();
  }
  const int poses = argc > 1 ? atoi(argv[1]) : 300;
  const char* only = argc > 2 ? argv[2] : "";
  const int disable = argc > 3 ? (int)strtol(argv[3], NULL, 0) : 0;
  const int enable = argc > 4 ? (int)strtol(argv[4], NULL, 0) : 0;
  cf_catchErrors();

  int failed = 0;
  for (int type1 = mjGEOM_PLANE; type1 <= mjGEOM_SDF; type1++) {
    for (int type2 = type1 > mjGEOM_SPHERE ? type1 : mjGEOM_SPHERE; type2 <= mjGEOM_SDF; type2++) {
      if (strstr(type_name[type1], only) || strstr(type_name[type2], only)) {
        const int fewer = type2 == mjGEOM_SDF && !*only ? 10 : 1;
        failed += tryPair(type1, type2, poses / fewer, disable, enable);
      }
    }
  }
  printf("%d pairs failed\n", failed);
  return failed > 0;
}
