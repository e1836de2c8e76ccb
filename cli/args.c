// Options of the subcommands: --name VALUE, --name=VALUE, --switch; everything else is positional.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"


// does the argument name this option, alone or with "=value"?
static bool namesOption(const char* argument, const cliOption* option, const char** value) {
  const size_t length = strlen(option->name);
  if (strncmp(argument, option->name, length) != 0) {
    return false;
  }
  *value = argument[length] == '=' ? argument + length + 1 : NULL;
  return argument[length] == '\0' || argument[length] == '=';
}


// take one option at argv[k]; returns how many arguments it used, 0 with a message if it cannot be
// taken
static int takeOption(const char* command, int argc, char** argv, int k, const cliOption* options,
                      int count) {
  for (int i = 0; i < count; i++) {
    const char* value;
    if (!namesOption(argv[k], &options[i], &value)) {
      continue;
    }
    if (options[i].is_set) {
      *options[i].is_set = true;
    }
    if (!options[i].text) {
      return 1;
    }
    if (value) {
      *options[i].text = value;
      return 1;
    }
    if (k + 1 < argc) {
      *options[i].text = argv[k + 1];
      return 2;
    }
    fprintf(stderr, "cortenforge %s: %s needs a value\n", command, options[i].name);
    return 0;
  }
  fprintf(stderr, "cortenforge %s: unknown option %s; see 'cortenforge help %s'\n", command,
          argv[k], command);
  return 0;
}


int cli_parse(const char* command, int argc, char** argv, const cliOption* options, int count) {
  int positional = 0;
  for (int k = 0; k < argc;) {
    if (argv[k][0] != '-' || argv[k][1] == '\0') {
      argv[positional++] = argv[k++];
      continue;
    }
    const int used = takeOption(command, argc, argv, k, options, count);
    if (!used) {
      return -1;
    }
    k += used;
  }
  return positional;
}


bool cli_number(const char* option, const char* text, double* value) {
  char* end;
  errno = 0;
  *value = strtod(text, &end);
  if (end == text || *end || errno || !isfinite(*value)) {
    fprintf(stderr, "cortenforge: %s: '%s' is not a number\n", option, text);
    return false;
  }
  return true;
}
