// Message table and its formatting.
#include "cf_test.h"

#include <ctype.h>

#include <mujoco/mujoco.h>

#include "tables/messages.h"

CF_TEST(messages__all__have_text_without_period) {
  for (int i = 0; i < CF_MSG_COUNT; i++) {
    const cfMessageInfo* message = cfi_message((cftMessage)i);
    size_t length = strlen(message->text);
    CF_TRUE(length > 0 && message->hint);
    CF_TRUE(message->text[length - 1] != '.');
    CF_TRUE(isupper((unsigned char)message->id[0]));
  }
}


CF_TEST(messages__all__ids_are_unique) {
  for (int i = 0; i < CF_MSG_COUNT; i++) {
    for (int j = 0; j < i; j++) {
      CF_TRUE(strcmp(cfi_message((cftMessage)i)->id, cfi_message((cftMessage)j)->id) != 0);
    }
  }
}


CF_TEST(writeMessage__with_hint__text_then_hint) {
  char buffer[200];
  int length = cfi_writeMessage(buffer, sizeof(buffer), CF_MSG_MJB_VERSION, 3004000, 3005000);
  CF_EQ_STR(buffer,
            "Model and executable use different MuJoCo version: found 3004000, expected 3005000 "
            "(compile the MJCF file again)");
  CF_EQ_INT(length, strlen(buffer));
  CF_EQ_INT(cfi_message(CF_MSG_MJB_VERSION)->severity, CF_SEVERITY_ERROR);
}


CF_TEST(writeMessage__without_hint__text_alone) {
  char buffer[100];
  cfi_writeMessage(buffer, sizeof(buffer), CF_MSG_MJB_TOO_LARGE, "nbody");
  CF_EQ_STR(buffer, "Invalid model: nbody too large");
}


CF_TEST(writeMessage__buffer_too_small__cut_and_terminated) {
  char whole[200], cut[20];
  int length = cfi_writeMessage(whole, sizeof(whole), CF_MSG_MJB_VERSION, 3004000, 3005000);
  CF_EQ_INT(cfi_writeMessage(cut, sizeof(cut), CF_MSG_MJB_VERSION, 3004000, 3005000), length);
  CF_EQ_INT(strlen(cut), sizeof(cut) - 1);
  CF_EQ_INT(strncmp(cut, whole, sizeof(cut) - 1), 0);
  CF_EQ_INT(cfi_writeMessage(NULL, 0, CF_MSG_MJB_VERSION, 3004000, 3005000), length);
}


CF_TEST(warnings__all__have_a_text_with_the_number) {
  for (int i = 0; i < mjNWARNING; i++) {
    CF_HAS_STR(mju_warningText(i, 37), i == mjWARN_CNSTRFULL ? "37" : " 37");
  }
  CF_HAS_STR(mju_warningText(mjWARN_CNSTRFULL, 1 << 20), "1M");
}

CF_TEST_MAIN("tables/messages")
