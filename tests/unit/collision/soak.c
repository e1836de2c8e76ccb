// Random pairs of every two geom types, ordinary and broken ones: what the colliders must never do.
//
//   collision_soak [TRIALS [TYPE1 [TYPE2 [SEED]]]]      default: 500 trials of every pair
//
// Three quarters of the trials are broken on purpose: scales of 1e-6 and 1e6, sizes of zero, meshes
// squashed to a plate, repeated vertices, centers that coincide, exact touching, quarter turns,
// places a million sizes away, libccd, multiple contacts.  They must end, with at most mjMAXCONPAIR
// contacts, finite numbers and unit normals. The others are ordinary; for them hold, besides:
//
//   swap     the distance does not depend on the order of the geoms, nearest points change sides
//   motion   the distance does not change when both geoms are moved as one
//   witness  nearest points are as far apart as the distance says
//   support  convex shapes: no direction separates them farther than the distance, or shows less
//            overlap than the depth; the direction of the nearest points shows exactly as much
//
// Swap and motion do not hold for distance fields. With 35 iterations EPA stops too early in deep
// overlaps of curved shapes; ordinary pairs have 300, and the room for faces still ends it in up to
// two of a hundred overlaps of ellipsoids (counted as not converged).
//
// A million trials of every pair, about an hour:  nice -n 19 build/tests/collision_soak 1000000
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collidetest.h"

enum { MESHES = 5, DIRECTIONS = 13, PATIENCE = 60 };

static const char* const type_name[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                        "cylinder", "box",    "mesh",   "sdf"};

typedef struct {
  mjModel* m;
  mjData* d;
  int type[2];
  float* mesh_vert;  // as compiled, before scaling
  mjtNum hfield_size[4];
} pairScene;

typedef struct {
  long trials, contacts, ordinary, loose, wrong;
} soakTally;

static long current_trial;


static int pick(int n) {
  return (int)cf_uniform(0, n) % n;
}


// ---------------------------------------- model

// a ball of many vertices, a rock, a wedge without graph search, a needle, a rock with every vertex
// twice
static int meshAssets(char* text, size_t room, char prefix) {
  static const char rock[] =
      ".2 0 0 -.15 .1 .02 .01 .25 .05 0 -.2 .03 .02 .03 .3 -.04 -.05 -.2 .15 .15 .1 .1 -.1 .15 -.1 "
      "-.12 .1 -.05 .12 -.15 "
      ".12 -.08 -.1 .1 .1 -.12 ";
  int at =
      snprintf(text, room,
               "<mesh name=\"%c0\" builtin=\"sphere\" params=\"2\" scale=\".2 .2 .2\"/>", prefix);
  at += snprintf(text + at, room - (size_t)at, "<mesh name=\"%c1\" vertex=\"%s\"/>", prefix, rock);
  at += snprintf(text + at, room - (size_t)at,
                 "<mesh name=\"%c2\" vertex=\"0 0 0 .2 0 0 0 .3 0 0 0 .1 .2 .2 .2\"/>", prefix);
  at += snprintf(text + at, room - (size_t)at,
                 "<mesh name=\"%c3\" vertex=\"%s\" scale=\".02 .02 2\"/>", prefix, rock);
  at += snprintf(text + at, room - (size_t)at, "<mesh name=\"%c4\" vertex=\"%s%s\"/>", prefix, rock,
                 rock);
  return at;
}


static int geomText(char* text, size_t room, int type, char prefix) {
  switch (type) {
    case mjGEOM_MESH:
    case mjGEOM_SDF:
      return snprintf(text, room, "<geom type=\"%s\" mesh=\"%c1\"/>", type_name[type], prefix);
    case mjGEOM_HFIELD:
      return snprintf(text, room, "<geom type=\"hfield\" hfield=\"hills\"/>");
    default:
      return snprintf(text, room, "<geom type=\"%s\" size=\".1 .2 .3\"/>", type_name[type]);
  }
}


static pairScene makeScene(int type1, int type2) {
  static char text[20000];
  int at =
      snprintf(text, sizeof(text),
               "<mujoco><asset><hfield name=\"hills\" nrow=\"4\" ncol=\"5\" size=\".8 .7 .3 .1\" "
               "elevation=\"0 1 2 1 0 1 2 2 3 1 0 1 2 3 1 1 1 4 2 0\"/>");
  at += meshAssets(text + at, sizeof(text) - (size_t)at, 'a');
  at += meshAssets(text + at, sizeof(text) - (size_t)at, 'b');
  at += snprintf(text + at, sizeof(text) - (size_t)at, "</asset><worldbody><body>");
  at += geomText(text + at, sizeof(text) - (size_t)at, type1, 'a');
  at += snprintf(text + at, sizeof(text) - (size_t)at, "</body><body>");
  at += geomText(text + at, sizeof(text) - (size_t)at, type2, 'b');
  snprintf(text + at, sizeof(text) - (size_t)at, "</body></worldbody></mujoco>");
  pairScene s = {.m = cf_modelFromText(text), .type = {type1, type2}};
  s.d = mj_makeData(s.m);
  mj_forward(s.m, s.d);
  const size_t bytes = 3 * sizeof(float) * (size_t)s.m->nmeshvert;
  s.mesh_vert = malloc(bytes);
  memcpy(s.mesh_vert, s.m->mesh_vert, bytes);
  memcpy(s.hfield_size, s.m->hfield_size, sizeof(s.hfield_size));
  return s;
}


static void freeScene(pairScene* s) {
  free(s->mesh_vert);
  mj_deleteData(s->d);
  mj_deleteModel(s->m);
}


// ---------------------------------------- shapes

// choose one of the meshes and scale it along its axes
static mjtNum drawMesh(pairScene* s, int g, const double scale[3]) {
  const int mesh = MESHES * g + pick(MESHES), first = s->m->mesh_vertadr[mesh];
  mjtNum radius = 0;
  s->m->geom_dataid[g] = mesh;
  for (int k = 3 * first; k < 3 * (first + s->m->mesh_vertnum[mesh]); k += 3) {
    mjtNum v[3];
    for (int i = 0; i < 3; i++) {
      s->m->mesh_vert[k + i] = (float)(s->mesh_vert[k + i] * scale[i]);
      v[i] = s->m->mesh_vert[k + i];
    }
    radius = mju_max(radius, mju_norm3(v));
  }
  return radius;
}


static mjtNum boundOf(int type, const mjtNum s[3]) {
  switch (type) {
    case mjGEOM_SPHERE:
      return s[0];
    case mjGEOM_CAPSULE:
      return s[0] + s[1];
    case mjGEOM_CYLINDER:
      return hypot(s[0], s[1]);
    case mjGEOM_ELLIPSOID:
      return mju_max(s[0], mju_max(s[1], s[2]));
    default:
      return mju_norm3(s);
  }
}


// sizes of a geom in units; flat: some of them are next to nothing
static void drawShape(pairScene* s, int g, double unit, bool flat) {
  static const double thin[4] = {0, 1e-9, 1e-6, 1e-3};
  double scale[3];
  for (int k = 0; k < 3; k++) {
    scale[k] = unit * (flat && pick(2) ? thin[pick(4)] : 1);
  }
  const int type = s->type[g];
  if (type == mjGEOM_MESH) {
    s->m->geom_rbound[g] = drawMesh(s, g, scale);
  } else if (type == mjGEOM_HFIELD) {
    for (int k = 0; k < 4; k++) {
      s->m->hfield_size[k] = s->hfield_size[k] * unit;
    }
  } else if (type != mjGEOM_PLANE && type != mjGEOM_SDF) {
    mjtNum* size = s->m->geom_size + 3 * g;
    for (int k = 0; k < 3; k++) {
      size[k] = scale[k] * (pick(4) ? cf_uniform(0.05, 0.4) : 0.1 * (1 + pick(3)));
    }
    s->m->geom_rbound[g] = boundOf(type, size);
  }
}


// ---------------------------------------- poses

static void drawRotation(mjtNum mat[9], bool quarter) {
  mjtNum quat[4];
  for (int k = 0; k < 4; k++) {
    quat[k] = quarter ? pick(3) - 1 : cf_uniform(-1, 1);
  }
  mju_normalize4(quat);
  mju_quat2Mat(mat, quat);
}


// how far the second geom goes from the first
static double drawDistance(double reach, bool broken) {
  switch (broken ? pick(5) : 5) {
    case 0:
      return 0;
    case 1:
      return 1e-12 * reach;
    case 2:
      return reach;
    case 3:
      return 1e-3 * reach;
    default:
      return cf_uniform(0, 1.2) * reach;
  }
}


static void drawPoses(pairScene* s, bool broken) {
  const bool square = broken && pick(2);
  const mjtNum bound1 =
      s->type[0] > mjGEOM_HFIELD ? s->m->geom_rbound[0] : 0.5 * s->m->geom_rbound[1];
  const double distance = drawDistance(bound1 + s->m->geom_rbound[1], broken);
  mjtNum *p1 = s->d->geom_xpos, *p2 = p1 + 3, dir[3];
  const double far = broken && !pick(4) ? 1e6 : 1;
  for (int k = 0; k < 3; k++) {
    p1[k] = far * cf_uniform(-1, 1);
    dir[k] = square ? pick(3) - 1 : cf_uniform(-1, 1);
  }
  mju_normalize3(dir);
  mju_addScl3(p2, p1, dir, distance);
  drawRotation(s->d->geom_xmat, square);
  drawRotation(s->d->geom_xmat + 9, square);
  if (square && pick(2)) {
    mju_copy(s->d->geom_xmat + 9, s->d->geom_xmat, 9);
  }
}


// ---------------------------------------- what must hold

static bool complain(const pairScene* s, const char* what, double value, double bound) {
  printf("  %s : %s, trial %ld: %s %g, bound %g\n", type_name[s->type[0]], type_name[s->type[1]],
         current_trial, what, value, bound);
  for (int g = 0; g < 2; g++) {
    const mjtNum *x = s->d->geom_xpos + 3 * g, *z = s->m->geom_size + 3 * g;
    printf("    geom %d at %.17g %.17g %.17g, size %.17g %.17g %.17g, data %d\n", g, x[0], x[1],
           x[2], z[0], z[1], z[2], s->m->geom_dataid[g]);
  }
  return false;
}


static bool areContactsSane(const pairScene* s, const mjContact* con, int n) {
  if (n < 0 || n > mjMAXCONPAIR) {
    return complain(s, "contacts", n, mjMAXCONPAIR);
  }
  for (int k = 0; k < n; k++) {
    if (!cf_contactIsFinite(con + k)) {
      return complain(s, "contact that is no number", k, n);
    }
    const mjtNum length = mju_norm3(con[k].frame);
    if (fabs(length - 1) > 1e-6) {
      return complain(s, "length of a normal", length, 1);
    }
  }
  return true;
}


static bool isDistanceSane(const pairScene* s, mjtNum dist, mjtNum distmax,
                           const mjtNum fromto[6]) {
  bool finite = isfinite(dist) && dist <= distmax;
  for (int k = 0; k < 6; k++) {
    finite = finite && isfinite(fromto[k]);
  }
  return finite || complain(s, "distance", dist, distmax);
}


// any pose: contacts and distance are numbers
static bool checkSanity(pairScene* s, soakTally* t, double margin, double distmax) {
  mjContact con[mjMAXCONPAIR];
  const mjfCollision collider = mjCOLLISIONFUNC[s->type[0]][s->type[1]];
  const int n = collider(s->m, s->d, con, 0, 1, margin);
  mjtNum fromto[6];
  const mjtNum dist = mj_geomDistance(s->m, s->d, 0, 1, distmax, fromto);
  t->contacts += n;
  return areContactsSane(s, con, n) && isDistanceSane(s, dist, distmax, fromto);
}


// how far a convex geom reaches along a unit direction in the world
static mjtNum reachOf(const pairScene* s, int g, const mjtNum dir[3]) {
  const mjtNum *size = s->m->geom_size + 3 * g, *pos = s->d->geom_xpos + 3 * g;
  mjtNum x[3], reach = -INFINITY;
  mju_mulMatTVec3(x, s->d->geom_xmat + 9 * g, dir);
  if (s->type[g] == mjGEOM_MESH) {
    const int mesh = s->m->geom_dataid[g], first = s->m->mesh_vertadr[mesh];
    for (int k = first; k < first + s->m->mesh_vertnum[mesh]; k++) {
      const float* v = s->m->mesh_vert + 3 * k;
      reach = mju_max(reach, x[0] * v[0] + x[1] * v[1] + x[2] * v[2]);
    }
  } else if (s->type[g] == mjGEOM_SPHERE) {
    reach = size[0];
  } else if (s->type[g] == mjGEOM_CAPSULE) {
    reach = size[0] + size[1] * fabs(x[2]);
  } else if (s->type[g] == mjGEOM_ELLIPSOID) {
    reach = sqrt(x[0] * x[0] * size[0] * size[0] + x[1] * x[1] * size[1] * size[1] +
                 x[2] * x[2] * size[2] * size[2]);
  } else if (s->type[g] == mjGEOM_CYLINDER) {
    reach = size[0] * hypot(x[0], x[1]) + size[1] * fabs(x[2]);
  } else {
    reach = size[0] * fabs(x[0]) + size[1] * fabs(x[1]) + size[2] * fabs(x[2]);
  }
  return reach + mju_dot3(dir, pos);
}


// signed gap between the geoms along a direction from the first to the second: negative where they
// overlap
static mjtNum gapAlong(const pairScene* s, const mjtNum dir[3]) {
  mjtNum back[3];
  mju_scl3(back, dir, -1);
  return -reachOf(s, 1, back) - reachOf(s, 0, dir);
}


static void drawDirection(mjtNum dir[3]) {
  for (int k = 0; k < 3; k++) {
    dir[k] = cf_uniform(-1, 1);
  }
  mju_normalize3(dir);
}


// the true distance is the largest gap over all directions.  False: another direction shows a
// larger one; *slack: what is missing along the direction of the nearest points
static bool isLargestGap(const pairScene* s, mjtNum dist, const mjtNum fromto[6], double tolerance,
                         double distmax, double* slack) {
  mjtNum dir[3];
  mju_sub3(dir, fromto + 3, fromto);
  if (dist < 0) {
    mju_scl3(dir, dir, -1);
  }
  *slack = mju_normalize3(dir) > 1e-9 ? fabs(gapAlong(s, dir) - dist) : 0;
  for (int k = 0; k < DIRECTIONS; k++) {
    drawDirection(dir);
    const mjtNum gap = gapAlong(s, dir);
    if (gap > dist + tolerance && dist < distmax) {
      return complain(s, "gap along a direction", gap, dist);
    }
  }
  return true;
}


// both geoms moved as one
static void moveBoth(pairScene* s) {
  mjtNum R[9], shift[3] = {cf_uniform(-2, 2), cf_uniform(-2, 2), cf_uniform(-2, 2)};
  drawRotation(R, false);
  for (int g = 0; g < 2; g++) {
    mjtNum pos[3], mat[9];
    mju_mulMatVec3(pos, R, s->d->geom_xpos + 3 * g);
    mju_add3(s->d->geom_xpos + 3 * g, pos, shift);
    mju_mulMatMat(mat, R, s->d->geom_xmat + 9 * g, 3, 3, 3);
    mju_copy(s->d->geom_xmat + 9 * g, mat, 9);
  }
}


static bool isConvex(int type) {
  return type >= mjGEOM_SPHERE && type <= mjGEOM_MESH;
}


// geoms of this pair are measured by GJK; contacts of closed forms are no shortest way out of an
// overlap
static bool isMeasured(const pairScene* s) {
  return isConvex(s->type[0]) && isConvex(s->type[1]) && !cf_closedForm(s->type[0], s->type[1]);
}


// an ordinary pose: swapping, moving, nearest points, support
static bool checkProperties(pairScene* s, soakTally* t) {
  const double tolerance = 2e-5, distmax = 1;
  mjtNum forward[6], backward[6], moved[6];
  const mjtNum dist = mj_geomDistance(s->m, s->d, 0, 1, distmax, forward);
  double off = 0, slack = 0;
  if (dist < distmax && dist != 0) {
    off = fabs(mju_dist3(forward, forward + 3) - fabs(dist));
  }
  const bool convex = isConvex(s->type[0]) && isConvex(s->type[1]);
  if (convex && (dist > 0 || isMeasured(s)) &&
      !isLargestGap(s, dist, forward, tolerance, distmax, &slack)) {
    return false;
  }
  off = fmax(off, dist < distmax ? slack : 0);

  // descent on distance fields depends on the frame in which it starts
  if (s->type[1] != mjGEOM_SDF) {
    off = fmax(off, fabs(dist - mj_geomDistance(s->m, s->d, 1, 0, distmax, backward)));
    off = fmax(off, 0 < dist && dist < distmax ? 1e-2 * mju_dist3(forward, backward + 3) : 0);
    moveBoth(s);
    off = fmax(off, fabs(dist - mj_geomDistance(s->m, s->d, 0, 1, distmax, moved)));
  }
  t->ordinary++;
  t->loose += off > tolerance;
  return true;
}


static bool tryPair(pairScene* s, soakTally* t) {
  static const double units[5] = {1e-6, 1e-3, 1, 1e3, 1e6};
  const bool broken = pick(4) > 0;
  const double unit = broken ? units[pick(5)] : 1,
               other = broken && !pick(3) ? units[pick(5)] : unit;
  drawShape(s, 0, unit, broken && pick(2));
  drawShape(s, 1, other, broken && pick(2));
  drawPoses(s, broken);
  s->m->opt.ccd_iterations = broken ? 35 : 300;
  s->m->opt.sdf_initpoints = 1 + pick(8);
  s->m->opt.disableflags = broken && !pick(4) ? mjDSBL_NATIVECCD : 0;
  s->m->opt.enableflags = broken && !pick(4) ? mjENBL_MULTICCD : 0;
  const double margin = pick(2) ? 0 : unit * cf_uniform(0, 0.1);
  return checkSanity(s, t, margin, unit * cf_uniform(0, 1)) && (broken || checkProperties(s, t));
}


// ---------------------------------------- all pairs

static bool soakPair(int type1, int type2, long trials) {
  pairScene s = makeScene(type1, type2);
  soakTally t = {0};
  for (current_trial = 0; current_trial < trials && t.wrong < 5; current_trial++) {
    if (current_trial % 1000 == 0) {
      alarm(PATIENCE);
    }
    t.trials++;
    t.wrong += !tryPair(&s, &t);
  }
  alarm(0);
  const bool holds = t.wrong == 0 && t.loose * 50 <= t.ordinary;
  printf("%-9s : %-9s  %ld pairs, %ld contacts, %ld ordinary, %ld not converged, %ld wrong%s\n",
         type_name[type1], type_name[type2], t.trials, t.contacts, t.ordinary, t.loose, t.wrong,
         holds ? "" : "  FAILED");
  fflush(stdout);
  freeScene(&s);
  return holds;
}


static int typeOf(const char* name) {
  for (int k = 0; k <= mjGEOM_SDF; k++) {
    if (!strcmp(type_name[k], name)) {
      return k;
    }
  }
  printf("no geom type '%s'\n", name);
  exit(2);
}


static void dropWarning(const char* text) {
  (void)text;
}


int main(int argc, char** argv) {
  const long trials = argc > 1 ? atol(argv[1]) : 500;
  const int only1 = argc > 2 ? typeOf(argv[2]) : -1, only2 = argc > 3 ? typeOf(argv[3]) : -1;
  int pairs = 0, failed = 0;
  cf_seed += argc > 4 ? 0x9e3779b97f4a7c15ull * strtoull(argv[4], NULL, 10) : 0;
  mju_user_warning = dropWarning;
  for (int i = 0; i <= mjGEOM_SDF; i++) {
    for (int j = i; j <= mjGEOM_SDF; j++) {
      const bool wanted = (only1 < 0 || only1 == i) && (only2 < 0 || only2 == j);
      if (wanted && mjCOLLISIONFUNC[i][j]) {
        pairs++;
        failed += !soakPair(i, j, trials);
      }
    }
  }
  printf("%d pairs of types, %d failed\n", pairs, failed);
  return failed > 0;
}
