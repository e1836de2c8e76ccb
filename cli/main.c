// cortenforge: the command line.  Finds the subcommand, prints help, maps trouble to exit codes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cliCommand* const commands[] = {&cli_run,     &cli_view,    &cli_render, &cli_info,
                                             &cli_compile, &cli_compare, &cli_race,   &cli_bench,
                                             &cli_batch,   &cli_schema,  &cli_doctor, &cli_adopt};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };


// library errors end a command line program with a message
static void onError(const char* text) {
  fprintf(stderr, "cortenforge: error: %s\n", text);
  exit(CLI_BAD_MODEL);
}


static void onWarning(const char* text) {
  fprintf(stderr, "cortenforge: warning: %s\n", text);
}


static void printUsage(FILE* out) {
  fprintf(out,
          "NAME\n"
          "  cortenforge - simulate MJCF models, look into them, compare with MuJoCo\n\n"
          "SYNOPSIS\n"
          "  cortenforge COMMAND [ARGUMENTS]\n"
          "  cortenforge help COMMAND\n"
          "  cortenforge help --json\n"
          "  cortenforge --version\n\n"
          "COMMANDS\n");
  for (int k = 0; k < COMMAND_COUNT; k++) {
    fprintf(out, "  %-9s %s\n", commands[k]->name, commands[k]->summary);
  }
  fprintf(out,
          "\nEXIT STATUS\n"
          "  0 success; 1 bad model; 2 usage; 3 input or output; 4 unstable simulation\n");
}


static void printHelp(const cliCommand* c) {
  printf("NAME\n  cortenforge %s - %s\n\nSYNOPSIS\n  cortenforge %s %s\n\n%s", c->name, c->summary,
         c->name, c->synopsis, c->help);
}


// commands and options for programs: completion of shells, the test of all options
static void printTable(void) {
  cliJson j = {.out = stdout};
  cli_jsonOpen(&j, NULL, '[');
  for (int k = 0; k < COMMAND_COUNT; k++) {
    const cliCommand* c = commands[k];
    cli_jsonOpen(&j, NULL, '{');
    cli_jsonText(&j, "command", c->name);
    cli_jsonText(&j, "synopsis", c->synopsis);
    cli_jsonText(&j, "summary", c->summary);
    cli_jsonOpen(&j, "options", '[');
    for (int i = 0; i < c->noption; i++) {
      cli_jsonOpen(&j, NULL, '{');
      cli_jsonText(&j, "name", c->options[i].name);
      cli_jsonText(&j, "value", c->options[i].value ? c->options[i].value : "");
      cli_jsonClose(&j, '}');
    }
    cli_jsonClose(&j, ']');
    cli_jsonClose(&j, '}');
  }
  cli_jsonClose(&j, ']');
}


static const cliCommand* findCommand(const char* name) {
  for (int k = 0; k < COMMAND_COUNT; k++) {
    if (!strcmp(commands[k]->name, name)) {
      return commands[k];
    }
  }
  return NULL;
}


// what was printed has to arrive: a full disk is no success
static int finish(int code) {
  const bool is_cut = ferror(stdout);
  if (fflush(stdout) || is_cut) {
    fprintf(stderr, "cortenforge: standard output could not be written: %s\n", strerror(errno));
    return code == CLI_OK ? CLI_IO : code;
  }
  return code;
}


int main(int argc, char** argv) {
  mju_user_error = onError;
  mju_user_warning = onWarning;

  if (argc < 2) {
    printUsage(stderr);
    return CLI_USAGE;
  }
  if (!strcmp(argv[1], "--version")) {
    printf("cortenforge %s (MuJoCo API %s)\n", CF_VERSION, mj_versionString());
    return finish(CLI_OK);
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
      (!strcmp(argv[1], "help") && argc < 3)) {
    printUsage(stdout);
    return finish(CLI_OK);
  }

  if (!strcmp(argv[1], "help") && !strcmp(argv[2], "--json")) {
    printTable();
    return finish(CLI_OK);
  }

  const bool wants_help = !strcmp(argv[1], "help");
  const char* name = argv[wants_help ? 2 : 1];
  const cliCommand* command = findCommand(name);
  if (!command) {
    fprintf(stderr, "cortenforge: unknown command '%s'; 'cortenforge help' lists them\n", name);
    return CLI_USAGE;
  }
  if (wants_help || (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))) {
    printHelp(command);
    return finish(CLI_OK);
  }
  return finish(command->run(argc - 2, argv + 2));
}
