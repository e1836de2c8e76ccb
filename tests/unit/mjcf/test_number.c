// Numbers in attributes read as strtod and strtof would read them, whatever the locale.
#include "mjcf/number.h"

#include <locale.h>

#include "cf_test.h"

CF_TEST(nextDouble__many_texts__same_as_strtod) {
  static const char* const texts[] = {"0",
                                      "-0",
                                      "1",
                                      "0.1",
                                      "-2.5e-3",
                                      "1e22",
                                      "1e23",
                                      "123456789012345678901234567890",
                                      "4.9e-324",
                                      "0.30000000000000004",
                                      "9007199254740993",
                                      "1.",
                                      ".5",
                                      "+3",
                                      "1e-22",
                                      "179769313486231570000000000000000000000.0e270",
                                      "0x10",
                                      "inf",
                                      "-Infinity",
                                      "2.2250738585072011e-308"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    const char* cursor = texts[i];
    double value = 0;
    cftNumber status = cfi_nextDouble(&cursor, &value);
    double expected = strtod(texts[i], NULL);
    CF_TRUE(status == CF_NUMBER_OK || status == CF_NUMBER_TOO_LARGE);
    CF_EQ_BYTES(&value, &expected, sizeof(value));
  }
}

CF_TEST(nextDouble__random_decimals__same_as_strtod) {
  unsigned state = 12345;
  for (int i = 0; i < 200000; i++) {
    char text[40];
    state = state * 1664525u + 1013904223u;
    unsigned a = state >> 4;
    state = state * 1664525u + 1013904223u;
    snprintf(text, sizeof(text), "%s%u.%ue%d", state & 1 ? "-" : "", a % 100000, state >> 8,
             (int)(state % 50) - 25);
    const char* cursor = text;
    double value, expected = strtod(text, NULL);
    CF_EQ_INT(cfi_nextDouble(&cursor, &value), CF_NUMBER_OK);
    CF_EQ_BYTES(&value, &expected, sizeof(value));
    const char* again = text;
    float single, expected_single = strtof(text, NULL);
    cftNumber status = cfi_nextFloat(&again, &single);
    CF_TRUE(status == CF_NUMBER_OK || status == CF_NUMBER_TOO_LARGE);
    CF_EQ_BYTES(&single, &expected_single, sizeof(single));
  }
}

CF_TEST(nextDouble__comma_locale__point_stays_the_point) {
  const char* old = setlocale(LC_NUMERIC, NULL);
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    print_message("no German locale here\n");
  }
  const char* cursor = " 0.123456789012345678 ";
  double value = 0;
  CF_EQ_INT(cfi_nextDouble(&cursor, &value), CF_NUMBER_OK);
  CF_NEAR(value, 0.123456789012345678, 0);
  CF_EQ_INT(cfi_nextDouble(&cursor, &value), CF_NUMBER_END);
  setlocale(LC_NUMERIC, old);
}

CF_TEST(nextInt__limits_and_garbage__told_apart) {
  const struct {
    const char* text;
    cftNumber status;
    int value;
  } cases[] = {{"12", CF_NUMBER_OK, 12},
               {"-2147483648", CF_NUMBER_OK, -2147483647 - 1},
               {"2147483648", CF_NUMBER_TOO_LARGE, 0},
               {"1.5", CF_NUMBER_BAD, 0},
               {"", CF_NUMBER_END, 0},
               {"x", CF_NUMBER_BAD, 0},
               {"99999999999999999999", CF_NUMBER_TOO_LARGE, 0},
               {"+7", CF_NUMBER_OK, 7}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char* cursor = cases[i].text;
    int value = 0;
    CF_EQ_INT(cfi_nextInt(&cursor, &value), cases[i].status);
    CF_EQ_INT(value, cases[i].value);
  }
}

CF_TEST_MAIN("mjcf/number")
