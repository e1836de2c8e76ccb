// Orientations that are not quaternions: what they mean, and the bits of the reference.
#include <math.h>
#include <stdlib.h>

#include "cf_reference.h"
#include "cf_test.h"
#include "spec/orientation.h"

static const mjsCompiler degrees = {.degree = 1, .eulerseq = {'x', 'y', 'z'}};


CF_TEST(resolveOrientation__quarter_turns__agree_between_alternatives) {
  const double half = sqrt(.5);
  mjsOrientation alt[4] = {{.type = mjORIENTATION_AXISANGLE, .axisangle = {0, 0, 3, 90}},
                           {.type = mjORIENTATION_EULER, .euler = {0, 0, 90}},
                           {.type = mjORIENTATION_XYAXES, .xyaxes = {0, 2, 0, -1, 1, 0}}};
  for (int k = 0; k < 3; k++) {
    double quat[4] = {1, 0, 0, 0};
    CF_TRUE(!cfi_resolveOrientation(quat, &alt[k], &degrees));
    CF_NEAR(quat[0], half, 1e-15);
    CF_NEAR(quat[3], half, 1e-15);
  }
}


CF_TEST(resolveOrientation__degenerate__says_why) {
  double quat[4] = {1, 0, 0, 0};
  mjsOrientation none = {.type = mjORIENTATION_ZAXIS};
  CF_EQ_STR(cfi_resolveOrientation(quat, &none, &degrees), "zaxis too small");
  mjsOrientation parallel = {.type = mjORIENTATION_XYAXES, .xyaxes = {1, 0, 0, 2, 0, 0}};
  CF_EQ_STR(cfi_resolveOrientation(quat, &parallel, &degrees), "yaxis too small");
  mjsCompiler wrong = {.eulerseq = {'x', 'q', 'z'}};
  mjsOrientation euler = {.type = mjORIENTATION_EULER, .euler = {1, 1, 1}};
  CF_HAS_STR(cfi_resolveOrientation(quat, &euler, &wrong), "euler sequence");
}


CF_TEST(resolveOrientation__upper_case_sequence__turns_about_fixed_axes) {
  mjsCompiler fixed = {.degree = 1, .eulerseq = {'Z', 'Y', 'X'}};
  mjsOrientation a = {.type = mjORIENTATION_EULER, .euler = {10, 20, 30}};
  mjsOrientation b = {.type = mjORIENTATION_EULER, .euler = {30, 20, 10}};
  double qa[4], qb[4];
  cfi_resolveOrientation(qa, &a, &fixed);
  cfi_resolveOrientation(qb, &b, &degrees);
  CF_NEAR_ARRAY(qa, qb, 4, 1e-15);
}


// in (-1, 1); every other one with few digits, as people type, zeros and units among them
static double someNumber(int round) {
  double x = 2 * drand48() - 1;
  return round % 2 ? x : nearbyint(4 * x) / 4;
}


static mjsOrientation someOrientation(int round, mjtByte degree) {
  mjsOrientation alt = {.type = mjORIENTATION_AXISANGLE + round / 2 % 4};
  for (int k = 0; k < 6; k++) {
    alt.xyaxes[k] = someNumber(round);
  }
  for (int k = 0; k < 3; k++) {
    alt.axisangle[k] = someNumber(round);
    alt.zaxis[k] = someNumber(round);
    alt.euler[k] = someNumber(round) * (degree ? 180 : mjPI);
  }
  alt.axisangle[3] = someNumber(round) * (degree ? 360 : 2 * mjPI);

  // axes that are nearly parallel leave a frame that is not quite orthogonal
  for (int k = 0; k < 3 && round % 3 == 0; k++) {
    alt.xyaxes[3 + k] = alt.xyaxes[k] + 0.02 * alt.xyaxes[3 + k];
  }
  return alt;
}


CF_TEST(resolveOrientation__random__numbers_and_complaints_of_the_reference) {
  CF_NEED_REFERENCE();
  typedef const char* (*resolve)(double*, mjtByte, const char*, const mjsOrientation*);
  resolve reference;
  *(void**)&reference = dlsym(cf_reference, "mjs_resolveOrientation");
  CF_TRUE(reference != NULL);
  srand48(1);
  for (int round = 0; round < 40000; round++) {
    const mjtByte degree = round / 8 % 2;
    const mjsOrientation alt = someOrientation(round, degree);
    char sequence[4] = "";
    for (int k = 0; k < 3; k++) {
      sequence[k] = "xyzXYZ"[lrand48() % 6];
    }
    double ours[4] = {1, 0, 0, 0}, theirs[4] = {1, 0, 0, 0};
    const char* our_trouble = mjs_resolveOrientation(ours, degree, sequence, &alt);
    const char* their_trouble = reference(theirs, degree, sequence, &alt);
    CF_EQ_STR(our_trouble ? our_trouble : "", their_trouble ? their_trouble : "");
    // the reference's sines are those of the C library, ours our own
    for (int k = 0; k < 4; k++) {
      CF_NEAR(ours[k], theirs[k], 1e-15);
    }
  }
}

CF_TEST_MAIN("spec/orientation")
