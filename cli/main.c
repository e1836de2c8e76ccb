// cortenforge: the command line.  Finds the subcommand, prints help, maps trouble to exit codes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cliCommand* const commands[] = {
    &cli_run,        &cli_view,   &cli_render, &cli_info,  &cli_compile,
    &cli_compare,    &cli_race,   &cli_bench,  &cli_batch, &cli_schema,
    &cli_completion, &cli_doctor, &cli_adopt,  &cli_train, &cli_replay};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };


const cliCommand* cli_command(int k) {
  return k < COMMAND_COUNT ? commands[k] : NULL;
}


static bool wants_json;  // the command was called with --json


// what went wrong, for a program that waits for JSON
static void printFailure(int code) {
  static const char* const names[] = {"success", "bad model", "usage", "input or output",
                                      "unstable simulation"};
  cliJson j = {.out = stdout};
  cli_jsonOpen(&j, NULL, '{');
  cli_jsonOpen(&j, "error", '{');
  cli_jsonInt(&j, "status", code);
  cli_jsonText(&j, "kind", code >= 0 && code <= CLI_UNSTABLE ? names[code] : "signal");
  cli_jsonOpen(&j, "messages", '[');
  for (int k = 0; cli_firstErrors(k); k++) {
    cli_jsonText(&j, NULL, cli_firstErrors(k));
  }
  cli_jsonClose(&j, ']');
  cli_jsonClose(&j, '}');
  cli_jsonClose(&j, '}');
}


// what was printed has to arrive: a full disk is no success
static int finish(int code) {
  if (wants_json && code != CLI_OK && !cli_hasJson()) {
    printFailure(code);
  }
  const bool is_cut = ferror(stdout);
  if (fflush(stdout) || is_cut) {
    cli_error("standard output could not be written: %s", strerror(errno));
    return code == CLI_OK ? CLI_IO : code;
  }
  return code;
}


// library errors end a command line program with a message
static void onError(const char* text) {
  cli_error("%s", text);
  exit(finish(CLI_BAD_MODEL));
}


static void onWarning(const char* text) {
  cli_warning("%s", text);
}


static void printUsage(FILE* out) {
  fprintf(out,
          "NAME\n"
          "  cortenforge - simulate MJCF models, look into them, compare with MuJoCo\n\n"
          "SYNOPSIS\n"
          "  cortenforge COMMAND [ARGUMENTS]\n"
          "  cortenforge help COMMAND\n"
          "  cortenforge help --json | --man [COMMAND]\n"
          "  cortenforge --version\n\n"
          "COMMANDS\n");
  for (int k = 0; k < COMMAND_COUNT; k++) {
    fprintf(out, "  %-10s %s\n", commands[k]->name, commands[k]->summary);
  }
  fprintf(out,
          "\nEXIT STATUS\n"
          "  0 success; 1 bad model; 2 usage; 3 input or output; 4 unstable simulation\n");
}


static void printHelp(const cliCommand* c) {
  printf("NAME\n  cortenforge %s - %s\n\nSYNOPSIS\n  cortenforge %s %s\n\n%s", c->name, c->summary,
         c->name, c->synopsis, c->help);
  if (c == &cli_run) {
    cli_listParts(stdout);
  }
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


// a text of the help as a page of the manual: titles stand at the start of a line
static void printRoff(const char* text) {
  bool is_open = false;
  for (const char* p = text; *p;) {
    const size_t n = strcspn(p, "\n");
    if (n && *p != ' ') {
      printf("%s.SH %.*s\n.nf\n", is_open ? ".fi\n" : "", (int)n, p);
      is_open = true;
    } else if (n) {
      fputs("\\&", stdout);
      for (size_t k = n > 2 ? 2 : 0; k < n; k++) {
        printf(p[k] == '\\' ? "\\e" : p[k] == '-' ? "\\-" : "%c", p[k]);
      }
      putchar('\n');
    } else {
      putchar('\n');
    }
    p += n + (p[n] == '\n');
  }
  printf("%s", is_open ? ".fi\n" : "");
}


static void printManual(const cliCommand* c) {
  if (!c) {
    printf(".TH CORTENFORGE 1 \"\" \"CortenForge %s\"\n", CF_VERSION);
    printf(
        ".SH NAME\ncortenforge \\- simulate MJCF models, look into them, compare with MuJoCo\n"
        ".SH SYNOPSIS\n.B cortenforge\nCOMMAND [ARGUMENTS]\n.SH COMMANDS\n");
    for (int k = 0; k < COMMAND_COUNT; k++) {
      printf(".TP\n.BR cortenforge\\-%s (1)\n%s\n", commands[k]->name, commands[k]->summary);
    }
    printf(
        ".SH EXIT STATUS\n0 success; 1 bad model; 2 usage; 3 input or output; 4 unstable simulation\n");
    return;
  }
  printf(
      ".TH CORTENFORGE-%s 1 \"\" \"CortenForge %s\"\n.SH NAME\ncortenforge\\-%s \\- %s\n.SH SYNOPSIS\n"
      ".B cortenforge %s\n%s\n",
      c->name, CF_VERSION, c->name, c->summary, c->name, c->synopsis);
  printRoff(c->help);
}


static const cliCommand* findCommand(const char* name) {
  for (int k = 0; k < COMMAND_COUNT; k++) {
    if (!strcmp(commands[k]->name, name)) {
      return commands[k];
    }
  }
  return NULL;
}


static void unknownCommand(const char* name) {
  char nearest[64] = "";
  for (int k = 0; k < COMMAND_COUNT; k++) {
    cli_nearest(name, commands[k]->name, nearest);
  }
  if (nearest[0]) {
    cli_error("unknown command '%s'; did you mean '%s'?", name, nearest);
  } else {
    cli_error("unknown command '%s'; 'cortenforge help' lists them", name);
  }
}


int main(int argc, char** argv) {
  cli_systemStart(&argc, &argv);
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

  if (!strcmp(argv[1], "help") && !strcmp(argv[2], "--man")) {
    const cliCommand* page = argc > 3 ? findCommand(argv[3]) : NULL;
    if (argc > 3 && !page) {
      cli_error("unknown command '%s'", argv[3]);
      return CLI_USAGE;
    }
    printManual(page);
    return finish(CLI_OK);
  }

  bool asks_help = !strcmp(argv[1], "help");
  const char* name = argv[asks_help ? 2 : 1];
  const cliCommand* command = findCommand(name);
  if (!command) {
    unknownCommand(name);
    return CLI_USAGE;
  }
  for (int k = 2; k < argc; k++) {
    asks_help |= !strcmp(argv[k], "--help") || !strcmp(argv[k], "-h");
  }
  if (asks_help) {
    printHelp(command);
    return finish(CLI_OK);
  }
  for (int k = 2; k < argc; k++) {
    wants_json |= !strcmp(argv[k], "--json");
  }
  cli_setCommand(command->name);
  return finish(command->run(argc - 2, argv + 2));
}
