// Work for which other systems start a process per piece. Windows cannot fork: all of it is done in
// this process, and a crash or a hang of one piece is that of all.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "yardstick.h"


void* cli_shared(size_t bytes) {
  void* memory = calloc(1, bytes);
  if (!memory) {
    cli_error("no memory: %s", strerror(errno));
  }
  return memory;
}


bool cli_runApart(const cliApart* a) {
  for (int k = 0; k < a->count; k++) {
    a->work(a->user, k);
    a->report(a->user, k, 0);
  }
  return true;
}
