// Long runs with control noise: no bad number, no warning, no growth of memory.
//
//   soak MODEL STEPS [SEED]        exit code 0 if nothing was found, 1 otherwise
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cortenforge/cortenforge.h>

enum { REPORTS = 10 };


static double secondsNow(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


// resident memory of the process, KiB; 0 where the system does not say
static long residentMemory(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file) {
    return 0;
  }
  if (fscanf(file, "%*d %ld", &pages) != 1) {
    pages = 0;
  }
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}


static double uniformNoise(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (1 << 23) - 1;
}


// smoothed noise around the middle of each control's range
static void setControls(const mjModel* m, mjData* d, uint64_t* seed) {
  const mjtNum keep = 0.98, scale = 0.2;
  for (int i = 0; i < m->nu; i++) {
    const bool limited = m->actuator_ctrllimited[i];
    const mjtNum low = limited ? m->actuator_ctrlrange[2 * i] : -1;
    const mjtNum high = limited ? m->actuator_ctrlrange[2 * i + 1] : 1;
    const mjtNum middle = (low + high) / 2, noise = scale * (high - low) / 2 * uniformNoise(seed);
    d->ctrl[i] = fmin(fmax(middle + keep * (d->ctrl[i] - middle) + noise, low), high);
  }
}


static int countBad(const mjModel* m, const mjData* d) {
  int bad = 0;
  for (int i = 0; i < m->nv; i++) {
    bad += !isfinite(d->qvel[i]) || !isfinite(d->qacc[i]);
  }
  for (int k = 0; k < mjNWARNING; k++) {
    if (d->warning[k].number) {
      printf("warning: %s, %d times\n", mju_warningText(k, (size_t)d->warning[k].lastinfo),
             d->warning[k].number);
      bad++;
    }
  }
  return bad;
}


static int soakModel(const mjModel* m, long steps, uint64_t seed) {
  mjData* d = mj_makeData(m);
  const double start = secondsNow();
  const long every = steps / REPORTS > 0 ? steps / REPORTS : 1;
  long first_memory = 0, memory = 0, done = 0;
  int bad = 0;
  while (done < steps && !bad) {
    setControls(m, d, &seed);
    mj_step(m, d);
    done++;
    if (done % every == 0) {
      bad = countBad(m, d);
      memory = residentMemory();
      first_memory = first_memory ? first_memory : memory;
      printf("%9ld steps  %8.1f s  %6ld KiB resident  arena %" PRId64 " of %" PRId64
             "  hash %016" PRIx64 "\n",
             done, secondsNow() - start, memory, (int64_t)d->maxuse_arena, (int64_t)d->narena,
             cf_stateHash(m, d));
      fflush(stdout);
    }
  }
  printf("%ld steps, %d findings, memory grew by %ld KiB\n", done, bad, memory - first_memory);
  mj_deleteData(d);
  return bad || memory - first_memory > 1024;
}


int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: soak MODEL STEPS [SEED]\n");
    return 2;
  }
  char error[1000] = "";
  mjModel* m = mj_loadXML(argv[1], NULL, error, sizeof(error));
  if (!m) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  const int failed = soakModel(m, atol(argv[2]), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
  mj_deleteModel(m);
  return failed;
}
