// The grammar has the elements and attributes of MuJoCo 3.5.0.
#include "mjcf/grammar.h"

#include <dlfcn.h>

#include "cf_test.h"

static int countWords(const char* list) {
  int count = 0;
  for (const char* p = list + strspn(list, " "); *p; p += strspn(p, " ")) {
    count++;
    p += strcspn(p, " ");
  }
  return count;
}

CF_TEST(grammar__size__171_elements_and_1707_attributes) {
  int elements = 0, attributes = 0;
  for (int id = 0; id < TAG_COUNT; id++) {
    if (cfi_tags[id].times != TIMES_LOOSE) {
      elements++;
      attributes += countWords(cfi_tags[id].attributes);
    }
  }
  CF_EQ_INT(elements, 171);
  CF_EQ_INT(attributes, 1707);
}

CF_TEST(bindings__every_row__belongs_to_an_attribute_of_some_element) {
  for (int fields = FIELDS_NONE + 1; fields < FIELDS_COUNT; fields++) {
    int count;
    const cfBinding* row = cfi_bindings((cftFields)fields, &count);
    CF_TRUE(count > 0);
    for (int i = 0; i < count; i++) {
      bool is_used = false;
      for (int id = 0; id < TAG_COUNT; id++) {
        bool is_actuator = fields == FIELDS_GENERAL && cfi_tags[id].fields == FIELDS_ACTUATOR;
        is_used = is_used || ((cfi_tags[id].fields == (cftFields)fields || is_actuator) &&
                              cfi_hasWord(cfi_tags[id].attributes, row[i].attribute));
      }
      if (!is_used) {
        print_error("attribute %s\n", row[i].attribute);
      }
      CF_TRUE(is_used);
      CF_TRUE((row[i].how == HOW_KEY) == (row[i].words != WORDS_NONE));
    }
  }
}

CF_TEST(printSchema__text_and_html__same_as_reference) {
  const char* name = getenv("MUJOCO_REFERENCE_LIB");
  void* library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    print_message("skipped: MUJOCO_REFERENCE_LIB names no library\n");
    return;
  }
  int (*print)(const char*, char*, int, int, int) = NULL;
  *(void**)&print = dlsym(library, "mj_printSchema");
  enum { SIZE = 1 << 18 };
  static char ours[SIZE], theirs[SIZE];
  for (int kind = 0; kind < 3; kind++) {
    CF_EQ_INT(mj_printSchema(NULL, ours, SIZE, kind > 0, kind > 1),
              print(NULL, theirs, SIZE, kind > 0, kind > 1));
    CF_EQ_STR(ours, theirs);
  }
}

CF_TEST_MAIN("mjcf/schema")
