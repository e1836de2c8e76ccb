// Catching errors and warnings of the library in tests.
//
//   CF_RAISES(mj_stackAllocNum(d, 1 << 30), "stack overflow");     the call raises mju_error with
//   the phrase cf_guardClear(); ...; CF_EQ_INT(cf_warning_count, 1);          warnings are counted
//   and the last is kept
#ifndef CF_GUARD_H
#define CF_GUARD_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"

static jmp_buf cf_guard_jump;
static char cf_error_text[1024], cf_warning_text[1024];
static int cf_warning_count;

static void cf_guardError(const char* text) {
  snprintf(cf_error_text, sizeof(cf_error_text), "%s", text);
  longjmp(cf_guard_jump, 1);
}

static void cf_guardWarning(const char* text) {
  snprintf(cf_warning_text, sizeof(cf_warning_text), "%s", text);
  cf_warning_count++;
}

// collect warnings from here on
static inline void cf_guardClear(void) {
  mju_user_warning = cf_guardWarning;
  cf_error_text[0] = cf_warning_text[0] = 0;
  cf_warning_count = 0;
}

// run a statement with errors caught; 1 when it raised one
#define CF_TRY_STATEMENT(statement) \
  __extension__({                   \
    volatile int cf_raised = 1;     \
    mju_user_error = cf_guardError; \
    if (!setjmp(cf_guard_jump)) {   \
      statement;                    \
      cf_raised = 0;                \
    }                               \
    mju_user_error = NULL;          \
    cf_raised;                      \
  })

// call a function with errors caught; 1 when it raised one
__attribute__((noinline, unused)) static int cf_tryCall(void (*call)(void*), void* argument) {
  volatile int raised = 1;
  mju_user_error = cf_guardError;
  if (!setjmp(cf_guard_jump)) {
    call(argument);
    raised = 0;
  }
  mju_user_error = NULL;
  return raised;
}

#define CF_RAISES(statement, phrase)               \
  do {                                             \
    cf_error_text[0] = 0;                          \
    if (!CF_TRY_STATEMENT(statement)) {            \
      CF_FAIL("%s raised no error\n", #statement); \
    }                                              \
    CF_HAS_STR(cf_error_text, phrase);             \
  } while (0)

#endif  // CF_GUARD_H
