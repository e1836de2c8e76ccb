// Every model of tests/data/broken.txt is refused with a message that says what is wrong and where.
#include <mujoco/mujoco.h>

#include "cf_test.h"

enum { LINE = 4000 };

// document around a snippet
static void wrap(char place, const char* xml, char* text, size_t size) {
  static const char body[] =
      "<body name=\"b\"><joint name=\"j\"/><geom name=\"g\" size=\"1\"/><site "
      "name=\"s\"/>%s</body>";
  char inner[LINE];
  switch (place) {
    case 'R':
      snprintf(text, size, "%s", xml);
      return;
    case 'W':
      snprintf(text, size, "<mujoco>\n<worldbody>%s</worldbody></mujoco>", xml);
      return;
    case 'A':
      snprintf(text, size, "<mujoco>\n<asset>%s</asset></mujoco>", xml);
      return;
    case 'D':
      snprintf(text, size, "<mujoco>\n<default>%s</default></mujoco>", xml);
      return;
    case 'B':
      snprintf(inner, sizeof(inner), body, xml);
      snprintf(text, size, "<mujoco>\n<worldbody>%s</worldbody></mujoco>", inner);
      return;
    default:
      snprintf(inner, sizeof(inner), body, "");
      snprintf(text, size, "<mujoco>\n%s<worldbody>%s</worldbody></mujoco>", xml, inner);
      return;
  }
}

// phrases are separated by bars; returns the first one that is missing
static const char* missingPhrase(const char* message, char* phrases) {
  for (char* phrase = strtok(phrases, "|"); phrase; phrase = strtok(NULL, "|")) {
    if (!strstr(message, phrase)) {
      return phrase;
    }
  }
  return NULL;
}

static int checkLine(int number, char* line) {
  char *first = strstr(line, " ;; "), *second = first ? strstr(first + 4, " ;; ") : NULL;
  char text[2 * LINE], error[LINE] = "";
  if (!second) {
    print_error("line %d: malformed\n", number);
    return 1;
  }
  *first = *second = 0;
  char phrases[LINE];
  snprintf(phrases, sizeof(phrases), "%s", first + 4);
  wrap(line[0], second + 4, text, sizeof(text));
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  if (spec) {
    print_error("line %d: accepted: %s\n", number, text);
    mj_deleteSpec(spec);
    return 1;
  }
  const char* missing = missingPhrase(error, phrases);
  if (missing) {
    print_error("line %d: \"%s\" lacks \"%s\"\n", number, error, missing);
    return 1;
  }
  return 0;
}

CF_TEST(broken__every_model__message_says_what_and_where) {
  FILE* file = fopen(CF_SOURCE_DIR "/tests/data/broken.txt", "r");
  static char line[LINE];
  int number = 0, checked = 0, failed = 0;
  CF_TRUE(file != NULL);
  while (fgets(line, sizeof(line), file)) {
    number++;
    line[strcspn(line, "\n")] = 0;
    if (line[0] != '#' && line[0]) {
      checked++;
      failed += checkLine(number, line);
    }
  }
  fclose(file);
  print_message("%d broken models\n", checked);
  CF_TRUE(checked >= 300);
  CF_EQ_INT(failed, 0);
}

CF_TEST(broken__error_in_included_file__file_line_column) {
  const char main_text[] = "<mujoco>\n  <include file=\"part.xml\"/>\n</mujoco>";
  const char part_text[] =
      "<mujoco>\n  <worldbody>\n    <geom name=\"ball\" sise=\"1\"/>\n"
      "  </worldbody>\n</mujoco>";
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "main.xml", main_text, (int)strlen(main_text)), 0);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "part.xml", part_text, (int)strlen(part_text)), 0);
  CF_TRUE(mj_parseXML("main.xml", &vfs, error, sizeof(error)) == NULL);
  mj_deleteVFS(&vfs);
  CF_HAS_STR(error, "part.xml:3:5");
  CF_HAS_STR(error, "Element 'geom', line 3");
  CF_HAS_STR(error, "name 'ball'");
}

CF_TEST(broken__include_cycle__refused) {
  const char text[] = "<mujoco><include file=\"a.xml\"/><worldbody/></mujoco>";
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "a.xml", text, (int)strlen(text)), 0);
  CF_TRUE(mj_parseXML("a.xml", &vfs, error, sizeof(error)) == NULL);
  mj_deleteVFS(&vfs);
  CF_HAS_STR(error, "already included");
}

CF_TEST(broken__nested_too_deep__refused) {
  enum { DEPTH = 600 };
  char* text = (char*)calloc(1, 40 + DEPTH * 20);
  char error[1000] = "";
  strcat(text, "<mujoco><worldbody>");
  for (int i = 0; i < DEPTH; i++) {
    strcat(text, "<body>");
  }
  for (int i = 0; i < DEPTH; i++) {
    strcat(text, "</body>");
  }
  strcat(text, "</worldbody></mujoco>");
  CF_TRUE(mj_parseXMLString(text, NULL, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, "nested more than 500 deep");
  free(text);
}

// the deep branch of an included file is neither its first element nor on the way to the last
CF_TEST(broken__nested_too_deep_by_an_include__refused) {
  enum { DEPTH = 300 };
  char *text = (char*)calloc(1, 100 + DEPTH * 20), *part = (char*)calloc(1, 100 + DEPTH * 20);
  char error[1000] = "";
  strcat(text, "<mujoco><worldbody>");
  strcat(part, "<mujocoinclude><body><body/></body>");
  for (int i = 0; i < DEPTH; i++) {
    strcat(text, "<body>");
    strcat(part, "<body>");
  }
  strcat(text, "<include file=\"part.xml\"/>");
  for (int i = 0; i < DEPTH; i++) {
    strcat(text, "</body>");
    strcat(part, "</body>");
  }
  strcat(text, "</worldbody></mujoco>");
  strcat(part, "<body/></mujocoinclude>");
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "part.xml", part, (int)strlen(part)), 0);
  CF_TRUE(mj_parseXMLString(text, &vfs, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, "nested more than 500 deep");
  mj_deleteVFS(&vfs);
  free(text);
  free(part);
}

CF_TEST_MAIN("mjcf/broken")
