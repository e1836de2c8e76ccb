// cortenforge schema: the MJCF grammar that the reader uses.
#include <stdlib.h>

#include "cli.h"


static int runSchema(int argc, char** argv) {
  bool as_html = false;
  const cliOption options[] = {{"--html", NULL, &as_html}};
  if (cli_parse("schema", argc, argv, options, 1) != 0) {
    fprintf(stderr, "usage: cortenforge schema [--html]\n");
    return CLI_USAGE;
  }

  enum { SCHEMA_MAX = 1 << 20 };
  char* text = malloc(SCHEMA_MAX);
  if (!text) {
    return CLI_IO;
  }
  int length = mj_printSchema(NULL, text, SCHEMA_MAX, as_html, 0);
  if (length > 0) {
    fputs(text, stdout);
  }
  free(text);
  return length > 0 ? CLI_OK : CLI_IO;
}


const cliCommand cli_schema = {
    "schema", "[--html]", "print the MJCF grammar",
    "DESCRIPTION\n"
    "  Prints every element, how often it may occur, and its attributes.\n",
    runSchema};
