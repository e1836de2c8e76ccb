// What is remembered of pairs that were apart: it saves work and never changes the contacts.
#include "collidetest.h"
#include "model/apartmemo.h"

// six convex bodies of all iterated types, small enough to pass each other
static const char scene[] =
    "<mujoco><asset><mesh name=\"rock\" vertex=\"0.1 0 0 -0.1 0 0 0 0.12 0 0 -0.12 0 0 0 0.08 0 0 "
    "-0.08 0.06 0.06 0.04 -0.05 0.06 -0.05\"/></asset><worldbody>"
    "<body><freejoint/><geom type=\"mesh\" mesh=\"rock\"/></body>"
    "<body><freejoint/><geom type=\"mesh\" mesh=\"rock\" margin=\"0.01\"/></body>"
    "<body><freejoint/><geom type=\"cylinder\" size=\"0.08 0.1\"/></body>"
    "<body><freejoint/><geom type=\"ellipsoid\" size=\"0.05 0.1 0.12\"/></body>"
    "<body><freejoint/><geom type=\"capsule\" size=\"0.04 0.1\"/></body>"
    "<body><freejoint/><geom type=\"box\" size=\"0.05 0.1 0.08\"/></body>"
    "</worldbody></mujoco>";


// bodies on closed ways about the origin, at changing angles
static void placeAt(const mjModel* m, mjData* d, double t) {
  for (int b = 0; b < m->njnt; b++) {
    mjtNum* q = d->qpos + m->jnt_qposadr[b];
    const double phase = t * (1 + 0.13 * b) + b;
    q[0] = 0.2 * sin(phase), q[1] = 0.2 * cos(1.3 * phase), q[2] = 0.1 * sin(0.7 * phase + b);
    q[3] = cos(phase), q[4] = sin(phase) * 0.6, q[5] = sin(phase) * 0.8, q[6] = 0;
  }
}


static void compareContacts(const mjData* d, const mjData* fresh) {
  CF_EQ_INT(d->ncon, fresh->ncon);
  for (int k = 0; k < d->ncon; k++) {
    const mjContact *a = d->contact + k, *b = fresh->contact + k;
    CF_EQ_INT(a->geom[0], b->geom[0]);
    CF_EQ_INT(a->geom[1], b->geom[1]);
    CF_NEAR(a->dist, b->dist, 0);
    for (int i = 0; i < 3; i++) {
      CF_NEAR(a->pos[i], b->pos[i], 0);
      CF_NEAR(a->frame[i], b->frame[i], 0);
    }
  }
}


static int countKept(const mjModel* m, const mjData* d) {
  int kept = 0;
  for (int g1 = 0; g1 < m->ngeom; g1++) {
    for (int g2 = 0; g2 < m->ngeom; g2++) {
      const uint64_t pair = cfi_apartPair(g1, g2);
      kept += cfi_apartPlace(d, pair)->pair == pair;
    }
  }
  return kept;
}


CF_TEST(apartMemo__bodies_pass_and_touch__contacts_of_a_data_without_memory) {
  mjModel* m = cf_modelFromText(scene);
  mjData* d = mj_makeData(m);
  int touching = 0, most_kept = 0;
  for (int k = 0; k < (CF_SANITIZED ? 500 : 1500); k++) {
    placeAt(m, d, 0.004 * k);
    mj_fwdPosition(m, d);
    mjData* fresh = mj_makeData(m);
    placeAt(m, fresh, 0.004 * k);
    mj_fwdPosition(m, fresh);
    compareContacts(d, fresh);
    mj_deleteData(fresh);
    touching += d->ncon;
    most_kept = countKept(m, d) > most_kept ? countKept(m, d) : most_kept;
  }

  // the scene has both: pairs that touch and pairs that the memory answers
  CF_TRUE(touching > (CF_SANITIZED ? 150 : 500));
  CF_TRUE(most_kept >= 5);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// two ellipsoids on a plane with a gap between them, the direction across it in the memory of d
static int touchAtGap(const mjModel* m, mjData* d, int pose, mjtNum wanted) {
  const mjtNum start[6] = {
      0, 0, 0.37 * pose, 0.06 * cos(1.7 * pose), 0.06 * sin(1.7 * pose), 0.71 * pose};
  mju_copy(d->qpos, start, 6);
  mj_fwdPosition(m, d);
  mjtNum ends[6], way[3];
  const mjtNum gap = mj_geomDistance(m, d, 0, 1, 1, ends);
  mju_sub3(way, ends, ends + 3);
  mju_normalize3(way);
  mju_addToScl(d->qpos + 3, way, gap - wanted, 2);
  mjData* fresh = mj_makeData(m);
  mju_copy(fresh->qpos, d->qpos, 6);
  mj_fwdPosition(m, fresh);

  const uint64_t pair = cfi_apartPair(0, 1);
  cfApart* memo = cfi_apartPlace(d, pair);
  *memo = (cfApart){.pair = pair, .vertex = {-1, -1}};
  mju_mulMatTVec3(memo->axis, fresh->geom_xmat, way);
  mj_fwdPosition(m, d);
  compareContacts(d, fresh);
  const int touching = fresh->ncon;
  mj_deleteData(fresh);
  return touching;
}


// GJK may call what is nearer than its tolerance touching, and small geoms come that near without
// the plane between them being lost in rounding
CF_TEST(apartMemo__gap_below_the_tolerance_of_gjk__contacts_of_a_data_without_memory) {
#define FLAT                                                                           \
  "<body><joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 1 0\"/>" \
  "<joint axis=\"0 0 1\"/><geom type=\"ellipsoid\" size=\"0.025 0.02 0.015\"/></body>"
  mjModel* m = cf_modelFromText("<mujoco><worldbody>" FLAT FLAT "</worldbody></mujoco>");
#undef FLAT
  mjData* d = mj_makeData(m);
  int touching = 0;
  for (int k = 0; k < (CF_SANITIZED ? 300 : 1000); k++) {
    touching += touchAtGap(m, d, k, 3e-8 * (1 + k % 10));
  }
  CF_TRUE(touching > (CF_SANITIZED ? 3 : 10));
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(apartMemo__smaller_hull_in_the_same_place__vertices_stay_in_range) {
  mjModel* m = cf_modelFromText(
      "<mujoco><asset><mesh name=\"a\" builtin=\"sphere\" params=\"4\"/>"
      "<mesh name=\"b\" vertex=\"1 0 0 -1 0 0 0 1 0 0 0 1\"/></asset><worldbody>"
      "<body pos=\"0 0 1.8\"><freejoint/><geom type=\"mesh\" mesh=\"a\"/></body>"
      "<body><freejoint/><geom type=\"mesh\" mesh=\"a\"/></body>"
      "<geom type=\"mesh\" mesh=\"b\" contype=\"0\" conaffinity=\"0\"/></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  d->qpos[0] = 0.9;
  mj_fwdPosition(m, d);
  CF_EQ_INT(d->ncon, 0);
  m->geom_dataid[0] = m->geom_dataid[1] = m->geom_dataid[2];
  for (int g1 = 0; g1 < 2; g1++) {
    cfApart* memo = cfi_apartPlace(d, cfi_apartPair(g1, 1 + g1));
    memo->vertex[0] = memo->vertex[1] = 1000000;
  }
  mj_fwdPosition(m, d);
  CF_EQ_INT(d->ncon, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(apartMemo__copied_data__has_a_table_of_its_own) {
  mjModel* m = cf_modelFromText(scene);
  mjData *d = mj_makeData(m), *copy = mj_copyData(NULL, m, d);
  const uint64_t pair = cfi_apartPair(0, 1);
  CF_TRUE(cfi_apartPlace(d, pair) && cfi_apartPlace(copy, pair));
  CF_TRUE(cfi_apartPlace(d, pair) != cfi_apartPlace(copy, pair));
  mj_deleteData(copy);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(apartMemo__no_iterated_geom__no_table) {
  mjModel* m =
      cf_modelFromText("<mujoco><worldbody><body><geom size=\"1\"/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  CF_TRUE(cfi_apartPlace(d, cfi_apartPair(0, 0)) == NULL);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("collision/apart")
