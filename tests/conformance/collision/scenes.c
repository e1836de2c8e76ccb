// Random scenes: the whole collision stage of the reference against ours.
//
//   conformance_scenes [SCENES [FIRST]]      default 150 scenes from seed 1
//
// A scene has nested bodies with several geoms each, static bodies, planes, masks, margins, gaps,
// priorities, predefined and excluded pairs, and options that change filters and parameters.
// Whatever the stage writes must be equal, the contacts in the same order.
// Where perturbing the reference's input by 1e-13 changes its own contacts, the pose is left out.
// Without MUJOCO_REFERENCE_LIB the program says so and is skipped (77).
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_twins.h"

enum { TEXT_MAX = 200000, POSES = 4 };

static char xml[TEXT_MAX];
static int used;
static unsigned long long seed;

typedef struct {
  int nbody, ngeom;
  int body_of_geom[400];
} sceneNames;

typedef struct {
  int poses, contacts, shaky, failed, refused;
} tally;


static double uniform(double low, double high) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}


static int pick(int n) {
  return (int)uniform(0, n) % n;
}


__attribute__((format(printf, 1, 2))) static void put(const char* format, ...) {
  va_list args;
  va_start(args, format);
  used += vsnprintf(xml + used, (size_t)(TEXT_MAX - used), format, args);
  va_end(args);
}


static void putGeom(sceneNames* s, int body, int types) {
  static const char* const name[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid"};
  put("<geom name=\"g%d\" type=\"%s\" size=\"%g %g %g\" pos=\"%g %g %g\" euler=\"%g %g %g\"",
      s->ngeom, name[pick(types)], uniform(.05, .2), uniform(.05, .3), uniform(.05, .3),
      uniform(-.3, .3), uniform(-.3, .3), uniform(-.3, .3), uniform(0, 180), uniform(0, 180),
      uniform(0, 180));
  if (!pick(3)) {
    put(" margin=\"%g\" gap=\"%g\"", uniform(0, .1), uniform(0, .05));
  }
  if (!pick(3)) {
    put(" contype=\"%d\" conaffinity=\"%d\"", pick(4), pick(4));
  }
  if (!pick(4)) {
    put(" priority=\"%d\" solmix=\"%g\" condim=\"%s\"", pick(3), pick(3) * uniform(0, 2),
        pick(2) ? "4" : "6");
  }
  if (!pick(4)) {
    put(" friction=\"%g %g %g\" solref=\"%g %g\" solimp=\"%g %g .01\"", uniform(0, 2),
        uniform(0, .1), uniform(0, .01), pick(2) ? .03 : -300.0, pick(2) ? 1.0 : -30.0,
        uniform(.5, .9), uniform(.9, .99));
  }
  put("/>");
  s->body_of_geom[s->ngeom++] = body;
}


static void putBody(sceneNames* s, int depth, int types) {
  const int body = s->nbody++;
  put("<body name=\"b%d\" pos=\"%g %g %g\">", body, uniform(-.6, .6), uniform(-.6, .6),
      uniform(0, .6));
  const int joint = pick(5);
  if (depth == 0 && joint < 3) {
    put("<freejoint/>");
  } else if (joint < 4) {
    put("<joint type=\"%s\" axis=\"%g %g 1\"/>", joint == 3 ? "slide" : "hinge", uniform(-1, 1),
        uniform(-1, 1));
  }
  const int ngeom = pick(4) ? 1 + pick(3) : 0;
  for (int k = 0; k < ngeom; k++) {
    putGeom(s, body, types);
  }
  if (!ngeom) {
    put("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>");
  }
  if (depth < 3 && s->nbody < 30 && pick(2)) {
    putBody(s, depth + 1, types);
  }
  put("</body>");
}


static void putPairs(const sceneNames* s) {
  put("<contact>");
  for (int k = pick(6); k > 0 && s->ngeom > 1; k--) {
    const int a = pick(s->ngeom), b = pick(s->ngeom);
    if (s->body_of_geom[a] != s->body_of_geom[b]) {
      put("<pair geom1=\"g%d\" geom2=\"g%d\" condim=\"%d\" margin=\"%g\" gap=\"%g\"%s/>", a, b,
          pick(2) ? 1 : 3, uniform(0, .1), uniform(0, .05),
          pick(2) ? " solreffriction=\"0.02 1\" friction=\"0 1 .1 .1 .1\"" : "");
    }
  }
  for (int k = pick(4); k > 0 && s->nbody > 1; k--) {
    const int a = pick(s->nbody), b = pick(s->nbody);
    if (a != b) {
      put("<exclude body1=\"b%d\" body2=\"b%d\"/>", a, b);
    }
  }
  put("</contact>");
}


// text of scene number n in xml
static void writeScene(int n) {
  seed = 88172645463325252ull + 7919ull * (unsigned long long)n;
  for (int k = 0; k < 20; k++) {
    uniform(0, 1);
  }
  used = 0;
  sceneNames s = {0};
  const int types = pick(4) ? 3 : 5;
  put("<mujoco><option o_margin=\"%g\" o_friction=\"0 .5 .1 .1 .1\" o_solref=\"0.05 2\"><flag",
      uniform(0, .1));
  put("%s%s%s/></option><worldbody>", pick(5) ? "" : " override=\"enable\"",
      pick(5) ? "" : " midphase=\"disable\"", pick(5) ? "" : " filterparent=\"disable\"");
  if (pick(4)) {
    put("<geom type=\"plane\" size=\"5 5 1\" euler=\"%g 0 0\"/>", pick(2) ? 0 : uniform(-10, 10));
  }
  for (int k = pick(4); k > 0; k--) {
    putGeom(&s, -1, types);
  }
  for (int k = 1 + pick(pick(4) ? 6 : 25); k > 0 && s.nbody < 90; k--) {
    putBody(&s, 0, types);
  }
  if (!pick(4)) {
    put("<body name=\"tilted\" pos=\"0 0 %g\" euler=\"%g %g 0\"><geom type=\"plane\" size=\"1 1 "
        "1\"/>"
        "<geom type=\"sphere\" size=\".2\"/></body>",
        uniform(-.5, .2), uniform(-30, 30), uniform(-30, 30));
  }
  put("</worldbody>");
  putPairs(&s);
  put("</mujoco>");
}


static void perturbGeoms(const mjModel* m, mjData* d) {
  for (int k = 0; k < 3 * m->ngeom; k++) {
    d->geom_xpos[k] *= 1 + 1e-13 * uniform(-1, 1);
  }
  for (int k = 0; k < 9 * m->ngeom; k++) {
    d->geom_xmat[k] *= 1 + 1e-13 * uniform(-1, 1);
  }
}


static void copyPoses(const mjModel* m, mjData* to, const mjData* from) {
  memcpy(to->geom_xpos, from->geom_xpos, sizeof(mjtNum) * 3 * (size_t)m->ngeom);
  memcpy(to->geom_xmat, from->geom_xmat, sizeof(mjtNum) * 9 * (size_t)m->ngeom);
  memcpy(to->xipos, from->xipos, sizeof(mjtNum) * 3 * (size_t)m->nbody);
  memcpy(to->ximat, from->ximat, sizeof(mjtNum) * 9 * (size_t)m->nbody);
}


static void randomPose(const mjModel* m, mjData* d) {
  for (int j = 0; j < m->njnt; j++) {
    mjtNum* q = d->qpos + m->jnt_qposadr[j];
    const int free_joint = m->jnt_type[j] == mjJNT_FREE;
    for (int k = 0; k < (free_joint ? 7 : 1); k++) {
      q[k] = uniform(-1, 1) * (k < 2 ? .8 : 1);
    }
    if (free_joint) {
      mju_normalize4(q + 3);
    }
  }
}


static int checkPose(tally* t, const mjModel* m, mjData* ref, mjData* again, const mjModel* mine,
                     mjData* our) {
  randomPose(m, ref);
  CF_REF(mj_kinematics)(m, ref);
  copyPoses(m, our, ref);
  copyPoses(m, again, ref);
  perturbGeoms(m, again);
  CF_REF(mj_collision)(m, ref);
  CF_REF(mj_collision)(m, again);
  mj_collision(mine, our);
  t->poses++;
  t->contacts += ref->ncon;
  const double noise = cf_worstWritten(m, again, ref, CF_WRITTEN_BY(COLLISION)).error;
  const cfDifference worst = cf_worstWritten(mine, our, ref, CF_WRITTEN_BY(COLLISION));
  if (noise > 1e-6) {
    t->shaky++;
    return 0;
  }
  if (!(worst.error <= fmax(CF_TOLERANCE_STEP, 10 * noise))) {
    printf("  %s differs by %g: %d / %d contacts\n", worst.field, worst.error, ref->ncon,
           our->ncon);
    return 1;
  }
  return 0;
}


static void checkScene(tally* t, int n) {
  writeScene(n);
  mjModel* m = cf_compileReference(xml);
  if (!m) {
    printf("scene %d is not a model\n", n);
    t->refused++;
    return;
  }
  mjModel* mine = cf_handOver(m);
  mjData *ref = CF_REF(mj_makeData)(m), *again = CF_REF(mj_makeData)(m), *our = mj_makeData(mine);
  if (setjmp(cf_twinsError)) {
    // the reference runs out of room for pairs that it lists twice
    const int is_theirs = strstr(cf_twinsMessage, "add_pair: broadphase buffer full") != NULL;
    t->refused += is_theirs;
    t->failed += !is_theirs;
    printf("scene %d: %s\n", n, cf_twinsMessage);
    return;
  }
  int failed = 0;
  for (int k = 0; k < POSES && !failed; k++) {
    failed = checkPose(t, m, ref, again, mine, our);
  }
  if (failed) {
    printf("scene %d failed (%d bodies, %d geoms)\n", n, (int)m->nbody, (int)m->ngeom);
    t->failed++;
  }
  CF_REF(mj_deleteData)(ref);
  CF_REF(mj_deleteData)(again);
  CF_REF(mj_deleteModel)(m);
  mj_deleteData(our);
  mj_deleteModel(mine);
}


int main(int argc, char** argv) {
  if (!cf_referenceOpen()) {
    return cf_skipCode();
  }
  cf_catchErrors();

  const int scenes = argc > 1 ? atoi(argv[1]) : 150, first = argc > 2 ? atoi(argv[2]) : 1;
  static tally t;
  for (int n = first; n < first + scenes; n++) {
    checkScene(&t, n);
  }
  printf(
      "%d scenes, %d refused by the reference, %d poses, %d contacts, %d shaky poses, %d scenes failed\n",
      scenes, t.refused, t.poses, t.contacts, t.shaky, t.failed);
  return t.failed > 0;
}
