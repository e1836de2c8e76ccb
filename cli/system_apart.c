// A process per piece of work: what goes wrong in one does not end the others.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "yardstick.h"

// a piece of work and what became of it
typedef struct {
  pid_t pid;
  bool is_done;
  int signal;
} piece;


void* cli_shared(size_t bytes) {
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    cli_error("no memory: %s", strerror(errno));
    return NULL;
  }
  return memory;
}


static bool startPiece(const cliApart* a, piece* p, int k) {
  fflush(stdout);
  fflush(stderr);
  p->pid = fork();
  if (p->pid == 0) {
    alarm((unsigned)a->timeout);
    a->work(a->user, k);
    fflush(stdout);
    _exit(0);
  }
  if (p->pid < 0) {
    cli_error("no process: %s", strerror(errno));
  }
  return p->pid > 0;
}


// wait for one child of ours and remember how it ended
static bool finishPiece(piece* all, int started) {
  int status;
  pid_t pid = wait(&status);
  for (int k = 0; k < started; k++) {
    if (all[k].pid == pid && !all[k].is_done) {
      all[k].is_done = true;
      const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      all[k].signal = number == SIGALRM ? CLI_TIMEOUT : number;
      return true;
    }
  }
  return pid > 0 || errno == EINTR;
}


bool cli_runApart(const cliApart* a) {
  piece* all = calloc((size_t)a->count + 1, sizeof(piece));
  if (!all) {
    return false;
  }
  bool good = true;
  int started = 0, finished = 0, reported = 0;
  while (good && reported < a->count) {
    if (started < a->count && started - finished < a->jobs) {
      good = startPiece(a, &all[started], started);
      started++;
      continue;
    }
    good = finishPiece(all, started);
    finished++;
    for (; reported < started && all[reported].is_done; reported++) {
      a->report(a->user, reported, all[reported].signal);
    }
  }
  free(all);
  return good;
}
