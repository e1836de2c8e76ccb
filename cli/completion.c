// cortenforge completion: what a shell needs to complete commands and options.
#include <string.h>

#include "cli.h"

static const char bash_start[] =
    "_cortenforge() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
    "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
    "    words='%s help'\n"
    "  else\n"
    "    case ${COMP_WORDS[1]} in\n";
static const char bash_end[] =
    "    esac\n"
    "  fi\n"
    "  case $word in\n"
    "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
    "    *) if [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); fi ;;\n"
    "  esac\n"
    "}\n"
    "complete -o default -o bashdefault -F _cortenforge cortenforge\n";


// a choice ("cpu|cuda") in words with blanks between them
static void printChoice(const char* choice) {
  for (const char* p = choice; *p; p++) {
    putchar(*p == '|' ? ' ' : *p);
  }
}


static void printNames(void) {
  for (int k = 0; cli_command(k); k++) {
    printf("%s%s", k ? " " : "", cli_command(k)->name);
  }
}


static void printBash(void) {
  const char* names = strstr(bash_start, "%s");
  fwrite(bash_start, 1, (size_t)(names - bash_start), stdout);
  printNames();
  fputs(names + 2, stdout);
  printf("      help) words='");
  printNames();
  printf("'; COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); return ;;\n");
  for (int k = 0; cli_command(k); k++) {
    const cliCommand* c = cli_command(k);
    printf("      %s)\n        case $before in\n", c->name);
    for (int i = 0; i < c->noption; i++) {
      const char* value = c->options[i].value;
      if (value && strchr(value, '|')) {
        printf("          %s) COMPREPLY=($(compgen -W '", c->options[i].name);
        printChoice(value);
        printf("' -- \"$word\")); return ;;\n");
      }
    }
    printf("        esac\n        words='--help");
    for (int i = 0; i < c->noption; i++) {
      printf(" %s", c->options[i].name);
    }
    printf("' ;;\n");
  }
  fputs(bash_end, stdout);
}


// a text inside single quotes of zsh
static void printQuoted(const char* text) {
  for (const char* p = text; *p; p++) {
    printf(*p == '\'' ? "'\\''" : *p == ':' ? "\\:" : "%c", *p);
  }
}


// an option as _arguments of zsh takes it: files are completed where its value is one
static void printZshOption(const cliOption* option) {
  const char* value = option->value;
  printf(" \\\n        '%s%s", option->name, value ? "=:" : "");
  if (value && strchr(value, '|')) {
    printf("value:(");
    printChoice(value);
    putchar(')');
  } else if (value) {
    printf("%s:%s", value, !strcmp(value, "FILE") ? "_files" : " ");
  }
  putchar('\'');
}


static void printZsh(void) {
  printf(
      "#compdef cortenforge\n"
      "_cortenforge() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=(\n");
  for (int k = 0; cli_command(k); k++) {
    printf("      '%s:", cli_command(k)->name);
    printQuoted(cli_command(k)->summary);
    printf("'\n");
  }
  printf(
      "      'help:manual of a command'\n"
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=${words[2]}\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n"
      "    help) _values command");
  for (int k = 0; cli_command(k); k++) {
    printf(" %s", cli_command(k)->name);
  }
  printf(" ;;\n");
  for (int k = 0; cli_command(k); k++) {
    const cliCommand* c = cli_command(k);
    printf("    %s)\n      _arguments '--help'", c->name);
    for (int i = 0; i < c->noption; i++) {
      printZshOption(c->options + i);
    }
    if (c == &cli_completion) {
      printf(" ':shell:(bash zsh fish)'");
    }
    printf(" '*:file:_files' ;;\n");
  }
  // read by . <(...) the function is defined; as a file of zsh's path it is called at once
  printf(
      "  esac\n"
      "}\n"
      "if [ \"${funcstack[1]}\" = _cortenforge ]; then\n"
      "  _cortenforge \"$@\"\n"
      "else\n"
      "  compdef _cortenforge cortenforge\n"
      "fi\n");
}


static void printFish(void) {
  for (int k = 0; cli_command(k); k++) {
    const cliCommand* c = cli_command(k);
    printf("complete -c cortenforge -n __fish_use_subcommand -a %s -d \"%s\"\n", c->name,
           c->summary);
    for (int i = 0; i < c->noption; i++) {
      const char* value = c->options[i].value;
      printf("complete -c cortenforge -n '__fish_seen_subcommand_from %s' -l %s", c->name,
             c->options[i].name + 2);
      if (value && strchr(value, '|')) {
        printf(" -x -a '");
        printChoice(value);
        putchar('\'');
      } else if (value) {
        printf(" -r");
      }
      putchar('\n');
    }
  }
}


static int runCompletion(int argc, char** argv) {
  const int n = cli_parse(&cli_completion, argc, argv, NULL);
  if (n < 0) {
    return CLI_USAGE;
  }
  if (n == 1 && !strcmp(argv[0], "bash")) {
    printBash();
  } else if (n == 1 && !strcmp(argv[0], "zsh")) {
    printZsh();
  } else if (n == 1 && !strcmp(argv[0], "fish")) {
    printFish();
  } else {
    cli_usage(&cli_completion);
    return CLI_USAGE;
  }
  return CLI_OK;
}


const cliCommand cli_completion = {
    "completion",
    "bash|zsh|fish",
    "completion of commands and options for a shell",
    "DESCRIPTION\n"
    "  Prints what the shell has to read: . <(cortenforge completion bash) in ~/.bashrc, the same with zsh in ~/.zshrc,\n"
    "  cortenforge completion fish >~/.config/fish/completions/cortenforge.fish.  An installed CortenForge has them\n"
    "  already.\n",
    runCompletion,
    NULL,
    0};
