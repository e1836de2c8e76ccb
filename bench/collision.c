// Cost of the collision stage alone against the reference library, in one run.
//
//   build/bench/collision REFERENCE.so OURS.so [MODEL.xml ...]
//
// Both libraries are loaded beside each other.  The reference compiles the model and runs it with
// control noise; at several states both libraries get the same positions and mj_collision is timed,
// best of several rounds that alternate between them.  A ratio above 1 means ours is faster.
// Without models the scenes below are used:
//   humanoid      models/humanoid.xml (from the folder in which the program runs)
//   crowd         100 figures of 13 bodies in a heap
//   robots        20 arms with links made of meshes
//   boxes         1,000 free boxes
//   particles     1,000 balls
//   compounds     bodies of many long meshes, with and without the middle phase
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

enum { TEXT_MAX = 4000000, STATES = 5, STEPS_BETWEEN = 40, ROUNDS = 9 };

static char* text;
static int used;
static unsigned long long seed = 88172645463325252ull;

// what is needed of a library
typedef struct {
  __typeof__(mj_parseXMLString)* parse;
  __typeof__(mj_loadXML)* loadXML;
  __typeof__(mj_compile)* compile;
  __typeof__(mj_saveModel)* save;
  __typeof__(mj_loadModel)* load;
  __typeof__(mj_makeData)* makeData;
  __typeof__(mj_step)* step;
  __typeof__(mj_kinematics)* kinematics;
  __typeof__(mj_comPos)* comPos;
  __typeof__(mj_collision)* collision;
} engine;

typedef struct {
  double reference, ours;  // seconds per call, summed over states
  double contacts;
  int differing;
} timing;


static double uniform(double low, double high) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}


__attribute__((format(printf, 1, 2))) static void put(const char* format, ...) {
  va_list args;
  va_start(args, format);
  used += vsnprintf(text + used, (size_t)(TEXT_MAX - used), format, args);
  va_end(args);
}


static void openScene(const char* assets) {
  used = 0;
  put("<mujoco><size memory=\"200M\"/><option solver=\"CG\" iterations=\"3\"/>%s<worldbody><geom "
      "type=\"plane\" size=\"20 20 1\"/>",
      assets);
}


static void closeScene(void) {
  put("</worldbody></mujoco>");
}


// two limbs of two links each, on both sides of the body
static void putLimbs(double z, double length) {
  for (int side = -1; side <= 1; side += 2) {
    put("<body pos=\"0 %g %g\"><joint axis=\"0 1 0\" range=\"-90 90\" limited=\"true\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0 %g %g\" size=\".05\"/>"
        "<body pos=\"0 %g %g\"><joint axis=\"0 1 0\" range=\"-120 0\" limited=\"true\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0 0 %g\" size=\".04\"/>"
        "<body pos=\"0 0 %g\"><joint axis=\"1 0 0\" range=\"-40 40\" limited=\"true\"/>"
        "<geom size=\".05\"/><geom size=\".03\" pos=\".06 0 0\"/></body></body></body>",
        side * .12, z, side * .05, -length, side * .05, -length, -length, -length);
  }
}


static void crowd(void) {
  openScene("");
  for (int k = 0; k < 100; k++) {
    put("<body pos=\"%g %g %g\" euler=\"%g %g %g\"><freejoint/>"
        "<geom type=\"capsule\" fromto=\"0 -.1 0 0 .1 0\" size=\".1\"/><geom size=\".09\" pos=\"0 "
        "0 .3\"/>"
        "<geom type=\"capsule\" fromto=\"0 -.1 -.2 0 .1 -.2\" size=\".09\"/>",
        .5 * (k % 10), .5 * (k / 10), 1 + .3 * (k % 3), uniform(-40, 40), uniform(-40, 40),
        uniform(0, 360));
    putLimbs(.1, .25);
    putLimbs(-.25, .3);
    put("</body>");
  }
  closeScene();
}


// points of an ellipsoid, rough enough to need a hull
static void putMeshAsset(const char* name, double x, double y, double z, int points) {
  put("<mesh name=\"%s\" vertex=\"", name);
  for (int k = 0; k < points; k++) {
    const double c = 1 - 2 * (k + .5) / points, s = sqrt(1 - c * c), angle = 2.399963 * k;
    put("%.5f %.5f %.5f ", x * s * cos(angle), y * s * sin(angle), z * c);
  }
  put("\"/>");
}


static void robots(void) {
  used = 0;
  put("<mujoco><asset>");
  putMeshAsset("link", .05, .06, .15, 200);
  putMeshAsset("joint", .07, .06, .06, 120);
  put("</asset><worldbody><geom type=\"plane\" size=\"20 20 1\"/>");
  for (int k = 0; k < 20; k++) {
    put("<body pos=\"%g %g .1\">", .3 * (k % 5), .3 * (k / 5));
    for (int j = 0; j < 6; j++) {
      put("<body pos=\"0 0 %g\"><joint axis=\"%s\" damping=\".05\" range=\"-110 110\" "
          "limited=\"true\"/>"
          "<geom type=\"mesh\" mesh=\"joint\"/><geom type=\"mesh\" mesh=\"link\" pos=\"0 0 .15\"/>",
          j ? .3 : 0, j % 2 ? "1 0 0" : "0 1 0");
    }
    put("</body></body></body></body></body></body></body>");
  }
  closeScene();
}


static void grid(const char* geom) {
  openScene("");
  for (int k = 0; k < 1000; k++) {
    put("<body pos=\"%g %g %g\" euler=\"%g %g %g\"><freejoint/>%s</body>", .22 * (k % 10),
        .22 * (k / 10 % 10), .15 + .22 * (k / 100), uniform(-20, 20), uniform(-20, 20),
        uniform(-20, 20), geom);
  }
  closeScene();
}


static void boxes(void) {
  grid("<geom type=\"box\" size=\".1 .1 .1\"/>");
}


static void particles(void) {
  grid("<geom size=\".1\"/>");
}


// stars of long meshes that lie close beside each other
static void putCompounds(const char* midphase) {
  used = 0;
  put("<mujoco><option><flag midphase=\"%s\"/></option><asset>", midphase);
  putMeshAsset("rod", .02, .02, .4, 300);
  put("</asset><worldbody><geom type=\"plane\" size=\"20 20 1\"/>");
  for (int k = 0; k < 12; k++) {
    put("<body pos=\"%g %g %g\"><freejoint/>", .5 * (k % 3), .5 * (k / 3 % 2), .6 + .5 * (k / 6));
    for (int j = 0; j < 20; j++) {
      put("<geom type=\"mesh\" mesh=\"rod\" pos=\"%g %g 0\" euler=\"%d 0 %g\"/>", .1 * (j % 5),
          .1 * (j / 5), j % 2 ? 5 : -5, uniform(0, 180));
    }
    put("</body>");
  }
  closeScene();
}


static void compounds(void) {
  putCompounds("enable");
}


static void compoundsBrute(void) {
  putCompounds("disable");
}


static void* needSymbol(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (!symbol) {
    fprintf(stderr, "no %s\n", name);
    exit(1);
  }
  return symbol;
}


static engine openEngine(const char* path) {
  void* library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  engine e;
#define NEED(field, name) *(void**)&e.field = needSymbol(library, name)
  NEED(parse, "mj_parseXMLString");
  NEED(loadXML, "mj_loadXML");
  NEED(compile, "mj_compile");
  NEED(save, "mj_saveModel");
  NEED(load, "mj_loadModel");
  NEED(makeData, "mj_makeData");
  NEED(step, "mj_step");
  NEED(kinematics, "mj_kinematics");
  NEED(comPos, "mj_comPos");
  NEED(collision, "mj_collision");
#undef NEED
  return e;
}


static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


static double timeCalls(const engine* e, const mjModel* m, mjData* d, int calls) {
  const double start = now();
  for (int k = 0; k < calls; k++) {
    e->collision(m, d);
  }
  return (now() - start) / calls;
}


// both libraries at one state, rounds alternating
static void timeState(timing* t, const engine* ref, const mjModel* m, mjData* d, const engine* our,
                      const mjModel* mine, mjData* e) {
  memcpy(e->qpos, d->qpos, sizeof(mjtNum) * (size_t)m->nq);
  our->kinematics(mine, e);
  our->comPos(mine, e);
  ref->kinematics(m, d);
  ref->comPos(m, d);
  const double once = timeCalls(ref, m, d, 1);
  const int calls = once > 2e-3 ? 1 : (int)(2e-3 / once) + 1;
  double best[2] = {INFINITY, INFINITY};
  for (int round = 0; round < ROUNDS; round++) {
    best[0] = fmin(best[0], timeCalls(ref, m, d, calls));
    best[1] = fmin(best[1], timeCalls(our, mine, e, calls));
  }
  t->reference += best[0];
  t->ours += best[1];
  t->contacts += d->ncon;
  t->differing += d->ncon != e->ncon;
}


static void runScene(const char* name, const engine* ref, const engine* our, const char* file) {
  char error[500] = "", path[] = "/tmp/cf_bench_XXXXXX";
  mjSpec* spec = file ? NULL : ref->parse(text, NULL, error, sizeof(error));
  mjModel* m = file ? ref->loadXML(file, NULL, error, sizeof(error))
                    : (spec ? ref->compile(spec, NULL) : NULL);
  if (!m) {
    printf("%-40s cannot be compiled: %s\n", name, error);
    return;
  }
  close(mkstemp(path));
  ref->save(m, path, NULL, 0);
  mjModel* mine = our->load(path, NULL);
  unlink(path);
  mjData *d = ref->makeData(m), *e = our->makeData(mine);
  timing t = {0};
  for (int state = 0; state < STATES; state++) {
    for (int k = 0; k < STEPS_BETWEEN; k++) {
      for (int u = 0; u < m->nu; u++) {
        d->ctrl[u] = uniform(-1, 1);
      }
      ref->step(m, d);
    }
    timeState(&t, ref, m, d, our, mine, e);
  }
  printf("%-40s %6d %8.1f %10.2f %10.2f %7.2f%s\n", name, (int)m->ngeom, t.contacts / STATES,
         1e6 * t.reference / STATES, 1e6 * t.ours / STATES, t.reference / t.ours,
         t.differing ? "  CONTACTS DIFFER" : "");
}


// each scene in its own process: a library that was loaded twice cannot be unloaded cleanly
static void runForked(const char* name, char** library, const char* file, void (*write)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (!child) {
    const engine ref = openEngine(library[0]), our = openEngine(library[1]);
    if (write) {
      write();
    }
    runScene(name, &ref, &our, file);
    fflush(stdout);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) {
    printf("%-40s failed\n", name);
  }
}


int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*write)(void);
  } scene[] = {{"crowd", crowd},         {"robots", robots},
               {"boxes", boxes},         {"particles", particles},
               {"compounds", compounds}, {"compounds, no middle phase", compoundsBrute}};
  if (argc < 3) {
    fprintf(stderr, "usage: %s REFERENCE.so OURS.so [MODEL.xml ...]\n", argv[0]);
    return 2;
  }
  text = malloc(TEXT_MAX);
  printf("%-40s %6s %8s %10s %10s %7s\n", "mj_collision", "geoms", "contacts", "ref [us]",
         "ours [us]", "ratio");
  for (int k = 3; k < argc; k++) {
    runForked(argv[k], argv + 1, argv[k], NULL);
  }
  if (argc == 3) {
    runForked("humanoid", argv + 1, "models/humanoid.xml", NULL);
    for (size_t k = 0; k < sizeof(scene) / sizeof(scene[0]); k++) {
      runForked(scene[k].name, argv + 1, NULL, scene[k].write);
    }
  }
  free(text);
  return 0;
}
