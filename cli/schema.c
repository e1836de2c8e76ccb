// cortenforge schema: the MJCF grammar that the reader uses.
#include <stdlib.h>
#include <string.h>

#include <cortenforge/schema.h>

#include "cli.h"

// how many values, as text: "3", "1-5", "any"
static void countText(const cfSchemaAttribute* a, char text[32]) {
  if (a->most < 0) {
    snprintf(text, 32, "any");
  } else if (a->least == a->most) {
    snprintf(text, 32, "%d", a->most);
  } else {
    snprintf(text, 32, "%d-%d", a->least, a->most);
  }
}


static void printAttribute(const cfSchemaAttribute* a) {
  char count[32];
  countText(a, count);
  printf("   %-22s %s", a->name, a->type);
  if (a->words[0]) {
    printf(" {%s}", a->words);
  } else if (strcmp(count, "1") != 0) {
    printf(" (%s)", count);
  }
  if (a->initial[0]) {
    printf(" = %s", a->initial);
  }
  printf("  [%s] %s%s\n", a->unit, a->meaning, a->is_extension ? " (extension)" : "");
}


// does the path of an element ("body/geom") end with what was asked for ("geom")
static bool isElement(const char* element, const char* asked) {
  const size_t n = strlen(element), k = strlen(asked);
  return n >= k && !strcmp(element + n - k, asked) && (n == k || element[n - k - 1] == '/');
}


static bool hasElement(const char* asked) {
  cfSchemaAttribute a;
  for (int i = 0; cf_schemaAttribute(i, &a); i++) {
    if (isElement(a.element, asked)) {
      return true;
    }
  }
  return false;
}


// all elements, or those that are asked for
static void printAttributes(const char* asked) {
  cfSchemaAttribute a;
  char element[sizeof(a.element)] = "";
  for (int i = 0; cf_schemaAttribute(i, &a); i++) {
    if (asked && !isElement(a.element, asked)) {
      continue;
    }
    if (strcmp(element, a.element) != 0) {
      printf("%s\n", a.element);
      memcpy(element, a.element, sizeof(element));
    }
    printAttribute(&a);
  }
}


static void unknownElement(const char* asked) {
  cfSchemaAttribute a;
  char nearest[64] = "";
  for (int i = 0; cf_schemaAttribute(i, &a); i++) {
    const char* slash = strrchr(a.element, '/');
    cli_nearest(asked, slash ? slash + 1 : a.element, nearest);
  }
  if (nearest[0]) {
    cli_error("there is no element '%s'; did you mean '%s'?", asked, nearest);
  } else {
    cli_error("there is no element '%s'; 'cortenforge schema' lists them", asked);
  }
}


static void printJson(const char* asked) {
  cfSchemaAttribute a;
  cliJson j = {.out = stdout};
  cli_jsonOpen(&j, NULL, '[');
  for (int i = 0; cf_schemaAttribute(i, &a); i++) {
    if (asked && !isElement(a.element, asked)) {
      continue;
    }
    cli_jsonOpen(&j, NULL, '{');
    cli_jsonText(&j, "element", a.element);
    cli_jsonText(&j, "name", a.name);
    cli_jsonText(&j, "type", a.type);
    cli_jsonInt(&j, "least", a.least);
    cli_jsonInt(&j, "most", a.most);
    cli_jsonText(&j, "words", a.words);
    cli_jsonText(&j, "default", a.initial);
    cli_jsonText(&j, "unit", a.unit);
    cli_jsonText(&j, "meaning", a.meaning);
    cli_jsonInt(&j, "extension", a.is_extension);
    cli_jsonClose(&j, '}');
  }
  cli_jsonClose(&j, ']');
  printf("\n");
}


static int printGrammar(bool as_html) {
  enum { SCHEMA_MAX = 1 << 20 };
  char* text = malloc(SCHEMA_MAX);
  if (!text) {
    return CLI_IO;
  }
  const int length = mj_printSchema(NULL, text, SCHEMA_MAX, as_html, 0);
  if (length > 0) {
    fputs(text, stdout);
  }
  free(text);
  return length > 0 ? CLI_OK : CLI_IO;
}


typedef struct {
  bool as_html, as_json, with_attributes;
} schemaRequest;

static const cliOption option_table[] = {
    {"--html", NULL, offsetof(schemaRequest, as_html)},
    {"--attributes", NULL, offsetof(schemaRequest, with_attributes)},
    {"--json", NULL, offsetof(schemaRequest, as_json)}};


static int runSchema(int argc, char** argv) {
  schemaRequest request = {false, false, false};
  const int n = cli_parse(&cli_schema, argc, argv, &request);
  if (n < 0 || n > 1) {
    if (n > 1) {
      cli_error("one element at a time");
    }
    return CLI_USAGE;
  }
  const char* asked = n ? argv[0] : NULL;
  if (!asked && !request.as_json && !request.with_attributes) {
    return printGrammar(request.as_html);
  }
  if (asked && !hasElement(asked)) {
    unknownElement(asked);
    return CLI_USAGE;
  }
  if (request.as_json) {
    printJson(asked);
  } else {
    printAttributes(asked);
  }
  return CLI_OK;
}


const cliCommand cli_schema = {
    "schema",
    "[ELEMENT] [--html | --attributes | --json]",
    "print the MJCF grammar",
    "DESCRIPTION\n"
    "  Prints every element, how often it may occur, and its attributes; with an ELEMENT (geom, default/geom, ...)\n"
    "  its attributes with type, words, default, unit and meaning.\n"
    "\n"
    "OPTIONS\n"
    "  --html        as a table\n"
    "  --attributes  every attribute with type, words, default, unit and meaning\n"
    "  --json        the same as JSON\n",
    runSchema,
    CLI_OPTIONS(option_table)};
