// Options of the subcommands: --name VALUE, --name=VALUE, --switch; everything else is positional.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
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


// put the text of an option, or that it is there, where it belongs
static void store(const cliOption* option, const char* text, void* values) {
  char* place = (char*)values + option->offset;
  if (option->value) {
    memcpy(place, &text, sizeof(text));
  } else {
    *(bool*)place = true;
  }
}


static void unknownOption(const cliCommand* command, const char* argument) {
  const size_t length = strcspn(argument, "=");
  char name[64], nearest[64] = "";
  snprintf(name, sizeof(name), "%.*s", (int)(length < 63 ? length : 63), argument);
  for (int i = 0; i < command->noption; i++) {
    cli_nearest(name, command->options[i].name, nearest);
  }
  if (nearest[0]) {
    cli_error("unknown option %s; did you mean %s?", name, nearest);
  } else {
    cli_error("unknown option %s; 'cortenforge help %s' lists them", name, command->name);
  }
}


// take one option at argv[k]; returns how many arguments it used, 0 with a message if it cannot be
// taken
static int takeOption(const cliCommand* command, int argc, char** argv, int k, void* values) {
  for (int i = 0; i < command->noption; i++) {
    const cliOption* option = command->options + i;
    const char* value;
    if (!namesOption(argv[k], option, &value)) {
      continue;
    }
    if (value && !option->value) {
      cli_error("%s takes no value", option->name);
      return 0;
    }
    if (value || !option->value) {
      store(option, value, values);
      return 1;
    }
    if (k + 1 < argc) {
      store(option, argv[k + 1], values);
      return 2;
    }
    cli_error("%s needs a value", option->name);
    return 0;
  }
  unknownOption(command, argv[k]);
  return 0;
}


int cli_parse(const cliCommand* command, int argc, char** argv, void* values) {
  int positional = 0;
  for (int k = 0; k < argc;) {
    if (argv[k][0] != '-' || argv[k][1] == '\0') {
      argv[positional++] = argv[k++];
      continue;
    }
    const int used = takeOption(command, argc, argv, k, values);
    if (!used) {
      return -1;
    }
    k += used;
  }
  return positional;
}


void cli_progress(bool done, const char* format, ...) {
  const bool is_terminal = cli_isTerminal(stderr);
  va_list values;
  va_start(values, format);
  fputs(is_terminal ? "\r" : "", stderr);
  vfprintf(stderr, format, values);
  va_end(values);
  fputs(is_terminal && !done ? "   " : "\n", stderr);
}


FILE* cli_openText(const char* path, cliExit* code) {
  static const char mark[] = {'\xEF', '\xBB', '\xBF'};
  cfFileInfo info;
  FILE* file = strcmp(path, "-") ? cfi_fileOpen(path, "r") : stdin;
  *code = CLI_OK;
  if (file && cfi_fileInfoOf(file, &info) && info.is_folder) {
    fclose(file);
    file = NULL;
    errno = EISDIR;
  }
  if (!file) {
    cli_error("%s: %s", path, strerror(errno));
    *code = CLI_IO;
    return NULL;
  }
  for (size_t k = 0; k < sizeof(mark); k++) {
    const int c = getc(file);
    if (c != (unsigned char)mark[k]) {
      ungetc(c, file);
      break;
    }
  }
  return file;
}


bool cli_namesFile(const char* option, const char* path) {
  if (path && !strcmp(path, "-")) {
    cli_error("%s -: expected the name of a file", option);
    return false;
  }
  return true;
}


bool cli_number(const char* option, const char* text, double* value) {
  char* end;
  errno = 0;
  *value = strtod(text, &end);
  if (end == text || *end) {
    cli_error("%s: '%s' is not a number", option, text);
    return false;
  }
  if (!isfinite(*value)) {
    cli_error("%s: '%s' is %s", option, text, errno ? "too large for a number" : "not finite");
    return false;
  }
  return true;
}
