// Test macros on top of cmocka.  A test registers itself; the program's main is CF_TEST_MAIN.
//
//   CF_TEST(subject__condition__expectation) { CF_NEAR(sin(0), 0, 1e-16); }
//   CF_TEST_MAIN("math/vector")
#ifndef CF_TEST_H
#define CF_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CF_TEST_MAX = 1000 };
__attribute__((unused)) static struct CMUnitTest cf_test_list[CF_TEST_MAX];
__attribute__((unused)) static int cf_test_count;

// define a test and add it to the program's list
#define CF_TEST(name)                                                                         \
  static void name(void);                                                                     \
  static void name##_run(void** state) {                                                      \
    (void)state;                                                                              \
    name();                                                                                   \
  }                                                                                           \
  __attribute__((constructor)) static void name##_add(void) {                                 \
    if (cf_test_count >= CF_TEST_MAX) {                                                       \
      abort();                                                                                \
    }                                                                                         \
    cf_test_list[cf_test_count++] = (struct CMUnitTest){#name, name##_run, NULL, NULL, NULL}; \
  }                                                                                           \
  static void name(void)

// sanitizers make steps ten times as slow: there, fewer models of a kind, and no long runs
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CF_SANITIZED = 1 };
#else
enum { CF_SANITIZED = 0 };
#endif

// a test that is about numbers after many steps; sanitizers see the same code in shorter ones
#define CF_LONG_TEST(name)                                 \
  static void name##_long(void);                           \
  CF_TEST(name) {                                          \
    if (CF_SANITIZED) {                                    \
      print_message("a long run: not under sanitizers\n"); \
      skip();                                              \
    }                                                      \
    name##_long();                                         \
  }                                                        \
  static void name##_long(void)

#define CF_TEST_MAIN(group)                                                                      \
  int main(void) {                                                                               \
    return _cmocka_run_group_tests(group, cf_test_list, (size_t)cf_test_count, NULL, NULL) != 0; \
  }

#define CF_FAIL(...)           \
  do {                         \
    print_error(__VA_ARGS__);  \
    _fail(__FILE__, __LINE__); \
  } while (0)

#define CF_TRUE(condition)                   \
  do {                                       \
    if (!(condition)) {                      \
      CF_FAIL("not true: %s\n", #condition); \
    }                                        \
  } while (0)

#define CF_EQ_INT(actual, expected)                                     \
  do {                                                                  \
    long long cf_a = (long long)(actual), cf_e = (long long)(expected); \
    if (cf_a != cf_e) {                                                 \
      CF_FAIL("%s is %lld, expected %lld\n", #actual, cf_a, cf_e);      \
    }                                                                   \
  } while (0)

#define CF_EQ_STR(actual, expected)                                               \
  do {                                                                            \
    const char *cf_a = (actual), *cf_e = (expected);                              \
    if (!cf_a || !cf_e || strcmp(cf_a, cf_e) != 0) {                              \
      CF_FAIL("%s is \"%s\", expected \"%s\"\n", #actual, cf_a ? cf_a : "(null)", \
              cf_e ? cf_e : "(null)");                                            \
    }                                                                             \
  } while (0)

// the text contains the phrase
#define CF_HAS_STR(actual, phrase)                                                        \
  do {                                                                                    \
    const char* cf_a = (actual);                                                          \
    if (!cf_a || !strstr(cf_a, (phrase))) {                                               \
      CF_FAIL("%s is \"%s\", lacks \"%s\"\n", #actual, cf_a ? cf_a : "(null)", (phrase)); \
    }                                                                                     \
  } while (0)

// |actual - expected| <= tolerance; NaN never passes
#define CF_NEAR(actual, expected, tolerance)                                                   \
  do {                                                                                         \
    double cf_a = (actual), cf_e = (expected), cf_t = (tolerance);                             \
    if (!(fabs(cf_a - cf_e) <= cf_t)) {                                                        \
      CF_FAIL("%s is %.17g, expected %.17g within %g, off by %g\n", #actual, cf_a, cf_e, cf_t, \
              fabs(cf_a - cf_e));                                                              \
    }                                                                                          \
  } while (0)

// arrays, element by element
#define CF_NEAR_ARRAY(actual, expected, count, tolerance)                                  \
  do {                                                                                     \
    for (long cf_i = 0; cf_i < (long)(count); cf_i++) {                                    \
      double cf_a = (actual)[cf_i], cf_e = (expected)[cf_i];                               \
      if (!(fabs(cf_a - cf_e) <= (tolerance))) {                                           \
        CF_FAIL("%s[%ld] is %.17g, expected %.17g within %g\n", #actual, cf_i, cf_a, cf_e, \
                (double)(tolerance));                                                      \
      }                                                                                    \
    }                                                                                      \
  } while (0)

// bit for bit
#define CF_EQ_BYTES(actual, expected, bytes)                            \
  do {                                                                  \
    if (memcmp((actual), (expected), (bytes)) != 0) {                   \
      CF_FAIL("%s and %s differ in their bytes\n", #actual, #expected); \
    }                                                                   \
  } while (0)

#endif  // CF_TEST_H
