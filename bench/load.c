// Time to load and free a model against the reference library, in one run.
//
//   load [-p PAIRS] [-m MILLISECONDS] [-w] REFERENCE.so OURS.so MODEL.xml...
//
// Both libraries are loaded beside each other and take turns (ABBA).  Each turn loads and deletes
// the model as often as fits into the given time (5 ms).  The shortest turn of each library over
// the pairs (15) counts; ratio is reference / ours, above 1 means ours is faster.  The asset cache
// is emptied before every load; with -w it stays warm. Closing lines: median over the models, then
// the five with the lowest ratio and the five that take longest. Exit code 1 if the median or one
// of these ratios is below 1.
//
//   cc -O2 -Iinclude bench/load.c -o build/bench_load -ldl -lm
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

enum { LISTED = 5 };

// what is needed of a library
typedef struct {
  __typeof__(mj_loadXML)* load;
  __typeof__(mj_deleteModel)* free;
  __typeof__(mj_getCache)* cache;
  __typeof__(mj_clearCache)* clear;
} library;

// how to measure
typedef struct {
  int pairs;
  double seconds;  // per turn
  bool warm;       // keep the asset cache
} plan;

typedef struct {
  const char* model;
  double ratio, reference, ours;  // shortest seconds per load
} timing;


static double secondsNow(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


static void* symbol(void* handle, const char* name) {
  void* found = dlsym(handle, name);
  if (!found) {
    fprintf(stderr, "load: %s\n", dlerror());
    _exit(3);
  }
  return found;
}


static library openLibrary(const char* path) {
  // not dlmopen: glibc cannot start threads, as the reference does, in a second namespace
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "load: %s\n", dlerror());
    _exit(3);
  }
  library lib;
  *(void**)&lib.load = symbol(handle, "mj_loadXML");
  *(void**)&lib.free = symbol(handle, "mj_deleteModel");
  *(void**)&lib.cache = symbol(handle, "mj_getCache");
  *(void**)&lib.clear = symbol(handle, "mj_clearCache");
  return lib;
}


// seconds per load and delete over `count` loads; negative if the model is refused
static double timeLoads(const library* lib, const char* model, int count, bool warm) {
  double total = 0;
  for (int i = 0; i < count; i++) {
    char error[1000] = "";
    if (!warm) {
      lib->clear(lib->cache());
    }
    const double start = secondsNow();
    mjModel* m = lib->load(model, NULL, error, sizeof(error));
    if (!m) {
      return -1;
    }
    lib->free(m);
    total += secondsNow() - start;
  }
  return total / count;
}


static int compareNumbers(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}


// measure one model; ratio 0 if either library refuses it
static timing timeModel(const library* reference, const library* ours, const char* model, plan p) {
  timing t = {model, 0, timeLoads(reference, model, 1, p.warm), timeLoads(ours, model, 1, p.warm)};
  if (t.reference < 0 || t.ours < 0) {
    return t;
  }

  const double longer = t.reference > t.ours ? t.reference : t.ours;
  const int count = longer < p.seconds ? (int)(p.seconds / longer) : 1;
  for (int i = 0; i < 2 * p.pairs; i++) {
    const bool is_ours = i % 4 == 1 || i % 4 == 2;
    const double seconds = timeLoads(is_ours ? ours : reference, model, count, p.warm);
    double* shortest = is_ours ? &t.ours : &t.reference;
    *shortest = seconds < *shortest ? seconds : *shortest;
  }
  t.ratio = t.reference / t.ours;
  return t;
}


// measure in a process of its own, so that one model does not shape the heap of the next
static timing timeApart(const char* const paths[2], const char* model, plan p) {
  timing t = {model, 0, 0, 0};
  int channel[2];
  if (pipe(channel)) {
    return t;
  }
  const pid_t child = fork();
  if (child == 0) {
    const library reference = openLibrary(paths[0]), ours = openLibrary(paths[1]);
    t = timeModel(&reference, &ours, model, p);
    _exit(write(channel[1], &t, sizeof(t)) == sizeof(t) ? 0 : 3);
  }
  close(channel[1]);
  if (read(channel[0], &t, sizeof(t)) != sizeof(t)) {
    t.ratio = 0;
  }
  close(channel[0]);
  waitpid(child, NULL, 0);
  return t;
}


static int byRatio(const void* a, const void* b) {
  return compareNumbers(&((const timing*)a)->ratio, &((const timing*)b)->ratio);
}


static int byTime(const void* a, const void* b) {
  return compareNumbers(&((const timing*)b)->reference, &((const timing*)a)->reference);
}


// print the first few of a list; their lowest ratio
static double printFirst(const char* title, const timing* list, int count) {
  double lowest = list[0].ratio;
  printf("%s\n", title);
  for (int i = 0; i < count && i < LISTED; i++) {
    printf("  %7.3f  %10.3f ms -> %10.3f ms  %s\n", list[i].ratio, 1e3 * list[i].reference,
           1e3 * list[i].ours, list[i].model);
    lowest = list[i].ratio < lowest ? list[i].ratio : lowest;
  }
  return lowest;
}


// closing lines; exit code
static int summarize(timing* list, int count) {
  if (count == 0) {
    printf("no model was loaded by both libraries\n");
    return 1;
  }
  qsort(list, (size_t)count, sizeof(timing), byRatio);
  const double median =
      count % 2 ? list[count / 2].ratio : (list[count / 2 - 1].ratio + list[count / 2].ratio) / 2;
  const double lowest = printFirst("lowest ratios:", list, count);
  qsort(list, (size_t)count, sizeof(timing), byTime);
  const double longest = printFirst("longest to load:", list, count);
  printf("median ratio %.3f over %d models; lowest %.3f; lowest of the five longest %.3f\n", median,
         count, lowest, longest);
  return median >= 1 && lowest >= 1 ? 0 : 1;
}


int main(int argc, char** argv) {
  plan p = {15, 0.005, false};
  for (int option; (option = getopt(argc, argv, "p:m:w")) != -1;) {
    switch (option) {
      case 'p':
        p.pairs = atoi(optarg);
        break;
      case 'm':
        p.seconds = 1e-3 * atof(optarg);
        break;
      case 'w':
        p.warm = true;
        break;
      default:
        return 2;
    }
  }
  if (argc - optind < 3 || p.pairs < 1) {
    fprintf(stderr,
            "usage: load [-p PAIRS] [-m MILLISECONDS] [-w] REFERENCE.so OURS.so MODEL.xml...\n");
    return 2;
  }

  const char* const paths[2] = {argv[optind], argv[optind + 1]};
  timing* list = calloc((size_t)argc, sizeof(timing));
  int count = 0;
  for (int i = optind + 2; i < argc; i++) {
    const timing t = timeApart(paths, argv[i], p);
    if (t.ratio > 0) {
      list[count++] = t;
      printf("%7.3f  %10.3f ms -> %10.3f ms  %s\n", t.ratio, 1e3 * t.reference, 1e3 * t.ours,
             t.model);
    } else {
      printf("      -  not loaded by both  %s\n", t.model);
    }
    fflush(stdout);
  }
  const int code = summarize(list, count);
  free(list);
  return code;
}
