// Delay buffers: order of samples, insertion, interpolation.
#include "cf_test.h"
#include "cf_text.h"

#include "dynamics/history.h"

enum { N = 5, DIM = 2 };


// samples k at times k with values (k*k, -k); a fresh buffer has its oldest sample in slot 0
static void fillBuffer(mjtNum* buf) {
  mjtNum times[N], values[N * DIM];
  for (int k = 0; k < N; k++) {
    times[k] = k;
    values[DIM * k] = k * k;
    values[DIM * k + 1] = -k;
  }
  cfi_historyInit(buf, N, DIM, times, values, 0.5);
}


static mjtNum valueAt(const mjtNum* buf, mjtNum t, int interp) {
  mjtNum res[DIM];
  const mjtNum* sample = cfi_historyRead(buf, N, DIM, res, t, interp);
  return sample ? sample[0] : res[0];
}


CF_TEST(history__read__holds_outside_and_hits_samples) {
  mjtNum buf[2 + N + N * DIM];
  fillBuffer(buf);
  CF_NEAR(buf[0], 0.5, 0);
  for (int interp = 0; interp <= 2; interp++) {
    CF_NEAR(valueAt(buf, -3, interp), 0, 0);
    CF_NEAR(valueAt(buf, 9, interp), 16, 0);
    CF_NEAR(valueAt(buf, 3, interp), 9, 0);
  }
}


CF_TEST(history__read_between_samples__holds_interpolates_and_splines) {
  mjtNum buf[2 + N + N * DIM];
  fillBuffer(buf);
  CF_NEAR(valueAt(buf, 2.25, 0), 4, 0);
  CF_NEAR(valueAt(buf, 2.25, 1), 5.25, 1e-15);

  // central differences of a parabola are exact, so is the cubic through them
  CF_NEAR(valueAt(buf, 2.25, 2), 2.25 * 2.25, 1e-14);

  // flat at the first sample
  CF_NEAR(valueAt(buf, 0.5, 2), 0.5 - 0.125 * 2, 1e-15);
}


CF_TEST(history__insert_newest__drops_the_oldest) {
  mjtNum buf[2 + N + N * DIM];
  fillBuffer(buf);
  for (int k = N; k < 3 * N; k++) {
    mjtNum* slot = cfi_historyInsert(buf, N, DIM, k);
    slot[0] = k * k;
    slot[1] = -k;
    CF_NEAR(valueAt(buf, k, 0), k * k, 0);
    CF_NEAR(valueAt(buf, 0, 0), (k - N + 1) * (k - N + 1), 0);
    CF_NEAR(valueAt(buf, k - 1.75, 1), 0.75 * (k - 2) * (k - 2) + 0.25 * (k - 1) * (k - 1), 1e-12);
  }
}


CF_TEST(history__insert_in_the_past__keeps_order) {
  mjtNum buf[2 + N + N * DIM];
  fillBuffer(buf);
  *cfi_historyInsert(buf, N, DIM, N) = 25;
  *cfi_historyInsert(buf, N, DIM, 2.5) = 100;

  // samples are now 2, 2.5, 3, 4, 5
  CF_NEAR(valueAt(buf, 0, 0), 4, 0);
  CF_NEAR(valueAt(buf, 2.5, 0), 100, 0);
  CF_NEAR(valueAt(buf, 2.75, 1), 0.5 * (100 + 9), 1e-14);
  CF_NEAR(valueAt(buf, 9, 0), 25, 0);

  // older than everything: replaces the oldest
  *cfi_historyInsert(buf, N, DIM, 1) = 7;
  CF_NEAR(valueAt(buf, 0, 0), 7, 0);
  CF_NEAR(valueAt(buf, 1.75, 1), 7 + 0.5 * (100 - 7), 1e-13);
}


CF_TEST(history__insert_at_a_sample__overwrites_it) {
  mjtNum buf[2 + N + N * DIM], before[2 + N];
  fillBuffer(buf);
  memcpy(before, buf, sizeof(before));
  *cfi_historyInsert(buf, N, DIM, 3) = -1;
  CF_NEAR_ARRAY(buf, before, 2 + N, 0);
  CF_NEAR(valueAt(buf, 3, 0), -1, 0);
}


// beside a buffer that is there, fewer than no samples are no buffer
CF_TEST(history__negative_samples__no_buffer) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>"
      "<motor joint='j' nsample='-2'/><motor joint='j' nsample='3' delay='.002'/></actuator>"
      "<sensor><clock nsample='-1'/><clock nsample='4' interval='.004'/></sensor></mujoco>");
  mjtNum value = 0;
  CF_TRUE(m->nhistory > 0 && m->actuator_historyadr[0] == -1 && m->sensor_historyadr[0] == -1);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 5; k++) {
    d->ctrl[0] = k;
    mj_step(m, d);
  }
  CF_NEAR(mj_readCtrl(m, d, 0, d->time, 0), 4, 0);
  CF_TRUE(mj_readSensor(m, d, 0, d->time, &value, 0) == d->sensordata);

  int bytes = (int)mj_sizeModel(m);
  void* buffer = mju_malloc((size_t)bytes);
  mj_saveModel(m, NULL, buffer, bytes);
  mjModel* again = mj_loadModelBuffer(buffer, bytes);
  CF_TRUE(again != NULL);
  mju_free(buffer);
  mj_deleteModel(again);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("dynamics/history")
