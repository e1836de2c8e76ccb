// Messages of the commands: one prefix, kept for a summary that programs read.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KEPT_MAX = 20 };

static const char* command_name = "";
static char* kept[KEPT_MAX];
static int kept_count;


void cli_setCommand(const char* name) {
  command_name = name;
}


static void print(const char* kind, const char* text) {
  fprintf(stderr, "cortenforge%s%s: %s%s\n", command_name[0] ? " " : "", command_name, kind, text);
}


void cli_error(const char* format, ...) {
  char* text = NULL;
  va_list values;
  va_start(values, format);
  const int n = vasprintf(&text, format, values);
  va_end(values);
  if (n < 0) {
    print("", "out of memory");
    return;
  }
  print("", text);
  if (kept_count < KEPT_MAX) {
    kept[kept_count++] = text;
  } else {
    free(text);
  }
}


void cli_warning(const char* format, ...) {
  char text[4000];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  print("warning: ", text);
}


void cli_usage(const cliCommand* command) {
  cli_error("expected: cortenforge %s %s", command->name, command->synopsis);
}


const char* cli_firstErrors(int k) {
  return k < kept_count ? kept[k] : NULL;
}


// ---- words that were meant

enum { WORD_MAX = 63 };


static int least(int a, int b) {
  return a < b ? a : b;
}


// how many letters have to be changed, left out, added or swapped with the next
static int editDistance(const char* a, const char* b) {
  const int n = (int)strlen(a), m = (int)strlen(b);
  int cost[WORD_MAX + 1][WORD_MAX + 1];
  for (int i = 0; i <= n; i++) {
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const int change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = least(change, 1 + least(cost[i - 1][j], cost[i][j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[n][m];
}


void cli_nearest(const char* name, const char* word, char nearest[64]) {
  if (strlen(name) > WORD_MAX || strlen(word) > WORD_MAX) {
    return;
  }
  const int limit = 1 + (int)strlen(name) / 3;
  const int best = nearest[0] ? editDistance(name, nearest) : limit + 1;
  if (editDistance(name, word) < best) {
    snprintf(nearest, 64, "%s", word);
  }
}
