// Overlap of oriented boxes in lanes against the same test written out axis by axis.
#include <math.h>

#include "cf_test.h"

#include "collision/mid/obb.h"

static unsigned long long seed = 88172645463325252ull;


static mjtNum uniform(mjtNum low, mjtNum high) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return low + (high - low) * (mjtNum)(seed >> 11) / 9007199254740992.0;
}


typedef struct {
  mjtNum pos[3], mat[9];
} Frame;

static Frame randomFrame(void) {
  Frame f;
  mjtNum quat[4];
  for (int k = 0; k < 4; k++) {
    quat[k] = uniform(-1, 1);
  }
  for (int k = 0; k < 3; k++) {
    f.pos[k] = uniform(-1, 1);
  }
  mju_normalize4(quat);
  mju_quat2Mat(f.mat, quat);
  return f;
}


// a seventh number that no test may look at
static void randomBox(mjtNum box[7]) {
  for (int k = 0; k < 3; k++) {
    box[k] = uniform(-0.5, 0.5);
    box[3 + k] = uniform(0, 0.7);
  }
  box[6] = NAN;
}


// do the shadows of two boxes on an axis come closer than the margin
static bool shadowsMeet(const mjtNum axis[3], const Frame* f0, const mjtNum* box0, const Frame* f1,
                        const mjtNum* box1, mjtNum margin) {
  const Frame* frame[2] = {f0, f1};
  const mjtNum* box[2] = {box0, box1};
  mjtNum middle[2], reach = 0;
  for (int i = 0; i < 2; i++) {
    middle[i] = mju_dot3(frame[i]->pos, axis);
    for (int k = 0; k < 3; k++) {
      const mjtNum* R = frame[i]->mat;
      const mjtNum cosine = R[k] * axis[0] + R[3 + k] * axis[1] + R[6 + k] * axis[2];
      middle[i] += box[i][k] * cosine;
      reach += box[i][3 + k] * fabs(cosine);
    }
  }
  return fabs(middle[1] - middle[0]) <= reach + margin;
}


static bool overlapByAxes(const Frame* f0, const mjtNum* box0, const Frame* f1, const mjtNum* box1,
                          mjtNum margin) {
  for (int k = 0; k < 6; k++) {
    const mjtNum* R = k < 3 ? f0->mat : f1->mat;
    const mjtNum axis[3] = {R[k % 3], R[3 + k % 3], R[6 + k % 3]};
    if (!shadowsMeet(axis, f0, box0, f1, box1, margin)) {
      return false;
    }
  }
  return true;
}


CF_TEST(boundedOverlap__random_boxes__as_axis_by_axis) {
  int count[2] = {0, 0};
  for (int repeat = 0; repeat < 2000; repeat++) {
    const Frame f0 = randomFrame(), f1 = randomFrame();
    const mjtNum margin = repeat % 2 ? 0 : 0.1;
    cfFramePair f;
    cfi_relateFrames(&f, f0.pos, f0.mat, f1.pos, f1.mat);
    for (int k = 0; k < 5; k++) {
      mjtNum box0[7], box1[7];
      randomBox(box0);
      randomBox(box1);
      const bool meets = cfi_boundedOverlap(&f, box0, box1, margin);
      CF_EQ_INT(meets, overlapByAxes(&f0, box0, &f1, box1, margin));
      count[meets]++;
    }
  }
  CF_TRUE(count[0] > 1000 && count[1] > 1000);
}


// each face of either box separates alone
CF_TEST(boundedOverlap__apart_along_one_axis__seen_on_either_side) {
  const mjtNum unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, box[7] = {0, 0, 0, 1, 1, 1, NAN};
  for (int k = 0; k < 6; k++) {
    mjtNum pos0[3] = {0, 0, 0}, pos1[3] = {0, 0, 0};
    const mjtNum sign = k < 3 ? 1 : -1;
    for (int wide = 0; wide < 2; wide++) {
      pos1[k % 3] = sign * (wide ? 2.01 : 1.99);
      cfFramePair f;
      cfi_relateFrames(&f, pos0, unit, pos1, unit);
      CF_EQ_INT(cfi_boundedOverlap(&f, box, box, 0), !wide);
      CF_TRUE(cfi_boundedOverlap(&f, box, box, 0.02));
    }
  }
}

CF_TEST_MAIN("collision/obb")
