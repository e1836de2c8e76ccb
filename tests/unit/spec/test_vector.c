// Strings and arrays behind the handles of mjspec.h.
#include "spec/vector.h"

#include "cf_test.h"

CF_TEST(string__all_lengths__kept_and_terminated) {
  cfString s;
  char text[200];
  cfi_initString(&s);
  for (int n = 0; n < 200; n++) {
    memset(text, 'a' + n % 26, sizeof(text));
    cfi_assignText(&s, text, (size_t)n);
    CF_EQ_INT(cfi_length(&s), n);
    CF_EQ_INT(strlen(cfi_text(&s)), n);
    CF_EQ_BYTES(cfi_text(&s), text, (size_t)n);
  }
  cfi_assignString(&s, "x");
  cfi_prefixSuffix(&s, "before-", "-after");
  CF_EQ_STR(cfi_text(&s), "before-x-after");
  cfi_freeString(&s);
}

CF_TEST(string__layout__as_libcxx_has_it) {
  cfString s;
  cfi_initString(&s);
  CF_EQ_INT(sizeof(s), 24);
  cfi_assignString(&s, "abc");
  CF_EQ_INT(((unsigned char*)&s)[0], 6);
  CF_EQ_BYTES((char*)&s + 1, "abc", 4);
  cfi_assignString(&s, "a text that is longer than twenty-two characters");
  size_t word[3];
  memcpy(word, &s, sizeof(word));
  CF_EQ_INT(word[0] & 1, 1);
  CF_EQ_INT(word[1], 48);
  CF_EQ_STR((const char*)word[2], cfi_text(&s));
  cfi_freeString(&s);
}

CF_TEST(strings__many__moved_when_the_array_grows) {
  cfVec v = {NULL, NULL, NULL};
  for (int i = 0; i < 100; i++) {
    char text[60];
    snprintf(text, sizeof(text), i % 2 ? "%d" : "a rather long string with the number %d", i);
    cfi_pushString(&v, text, strlen(text));
  }
  CF_EQ_INT(cfi_countStrings(&v), 100);
  CF_EQ_STR(cfi_text(cfi_strings(&v) + 7), "7");
  CF_EQ_STR(cfi_text(cfi_strings(&v) + 8), "a rather long string with the number 8");
  cfVec copy = {NULL, NULL, NULL};
  cfi_copyMember(&copy, &v, CF_MEMBER_STRINGVEC);
  CF_EQ_STR(cfi_text(cfi_strings(&copy) + 98), "a rather long string with the number 98");
  cfi_splitText(&copy, "  one\ttwo \n three ");
  CF_EQ_INT(cfi_countStrings(&copy), 3);
  CF_EQ_STR(cfi_text(cfi_strings(&copy) + 2), "three");
  cfi_freeMember(&v, CF_MEMBER_STRINGVEC);
  cfi_freeMember(&copy, CF_MEMBER_STRINGVEC);
}

CF_TEST(arrays__assign_grow_copy__values_kept) {
  cfVec v = {NULL, NULL, NULL}, nested = {NULL, NULL, NULL}, copy = {NULL, NULL, NULL};
  const int data[3] = {1, 2, 3};
  cfi_assignVec(&v, data, 3, sizeof(int));
  *(int*)cfi_growVec(&v, 1, sizeof(int)) = 4;
  CF_EQ_INT(cfi_countInts(&v), 4);
  CF_EQ_INT(cfi_ints(&v)[3], 4);
  cfi_pushVec(&nested, data, 2, sizeof(int));
  cfi_pushVec(&nested, data, 3, sizeof(int));
  cfi_copyMember(&copy, &nested, CF_MEMBER_INTVECVEC);
  CF_EQ_INT(cfi_countVecs(&copy), 2);
  CF_EQ_INT(cfi_ints(cfi_vecs(&copy) + 1)[2], 3);
  cfi_freeMember(&v, CF_MEMBER_INTVEC);
  cfi_freeMember(&nested, CF_MEMBER_INTVECVEC);
  cfi_freeMember(&copy, CF_MEMBER_INTVECVEC);
}

CF_TEST_MAIN("spec/vector")
