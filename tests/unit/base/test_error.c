// Errors, warnings, handlers, counted warnings.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"

#include <time.h>
#include <unistd.h>

#include "base/error.h"

static char thread_text[200];


static void threadHandler(const char* text) {
  snprintf(thread_text, sizeof(thread_text), "%s", text);
}


CF_TEST(error__handlers__thread_before_global) {
  cf_guardClear();
  _mjPRIVATE__set_tls_error_fn(threadHandler);
  mju_user_error = cf_guardError;
  mju_error("number %d and %s", 3, "text");
  CF_EQ_STR(thread_text, "number 3 and text");
  CF_TRUE(_mjPRIVATE__get_tls_error_fn() == threadHandler);
  _mjPRIVATE__set_tls_error_fn(NULL);
  CF_RAISES(mju_error_i("i = %d", 5), "i = 5");
  CF_RAISES(mju_error_s("s = %s", "x"), "s = x");

  _mjPRIVATE__set_tls_warning_fn(threadHandler);
  mju_warning("careful");
  CF_EQ_STR(thread_text, "careful");
  CF_EQ_INT(cf_warning_count, 0);
  _mjPRIVATE__set_tls_warning_fn(NULL);
  mju_warning_i("i = %d", 7);
  CF_EQ_STR(cf_warning_text, "i = 7");
  mju_warning_s("s = %s", "y");
  CF_EQ_STR(cf_warning_text, "s = y");
  mju_clearHandlers();
  CF_TRUE(!mju_user_error && !mju_user_warning && !mju_user_malloc && !mju_user_free);
}


CF_TEST(error__long_message__cut) {
  char text[3000];
  memset(text, 'x', sizeof(text));
  text[2999] = 0;
  CF_RAISES(mju_error("%s", text), "xxx");
  CF_EQ_INT(strlen(cf_error_text), 1023);
}


CF_TEST(log__only_when_asked__named_file) {
  // in a folder of its own: the reference writes its log wherever a comparison runs
  char path[] = "/tmp/cf_logXXXXXX", folder[] = "/tmp/cf_dirXXXXXX", before[1000];
  close(mkstemp(path));
  CF_TRUE(getcwd(before, sizeof(before)) && mkdtemp(folder) && chdir(folder) == 0);
  setenv("CORTENFORGE_LOG", path, 1);
  mju_writeLog("NOTE", "to be remembered");
  unsetenv("CORTENFORGE_LOG");
  char text[500] = "";
  FILE* file = fopen(path, "r");
  size_t n = fread(text, 1, sizeof(text) - 1, file);
  text[n] = 0;
  fclose(file);
  unlink(path);
  CF_HAS_STR(text, "NOTE: to be remembered");
  char year[10];
  const time_t now = time(NULL);
  strftime(year, sizeof(year), "%Y", localtime(&now));
  CF_TRUE(strstr(text, year) && strstr(text, year) < strstr(text, "NOTE"));
  CF_TRUE(access("MUJOCO_LOG.TXT", F_OK) != 0);
  CF_TRUE(chdir(before) == 0 && rmdir(folder) == 0);
}


CF_TEST(warning__repeated__counted_and_printed_once) {
  mjModel* m = cf_loadTestModel("empty");
  mjData* d = mj_makeData(m);
  cf_guardClear();
  mj_warning(d, mjWARN_CONTACTFULL, 5);
  mj_warning(d, mjWARN_CONTACTFULL, 9);
  CF_EQ_INT(cf_warning_count, 1);
  CF_HAS_STR(cf_warning_text, "ncon = 5");
  CF_HAS_STR(cf_warning_text, "Time = 0.0000");
  CF_EQ_INT(d->warning[mjWARN_CONTACTFULL].number, 2);
  CF_EQ_INT(d->warning[mjWARN_CONTACTFULL].lastinfo, 9);
  CF_RAISES(mj_warning(d, mjNWARNING, 0), "invalid warning type");
  for (int k = 0; k < mjNWARNING; k++) {
    CF_TRUE(strlen(mju_warningText(k, 77)) > 20);
  }
  CF_HAS_STR(mju_warningText(-3, 0), "Unknown warning type -3");
  mj_deleteData(d);
  mj_deleteModel(m);
}

CF_TEST_MAIN("base/error")
