// Domain randomisation: every episode has a simulation of its own.
//
//   randomize [--episodes N] [--seed N] [--time T] [--svg FILE]
//
// A cloth lies on a hook that an arm swings.  An episode draws the model of bending, stiffness of
// the cloth, friction, the mass of the arm and the model and gains of its actuator, builds a
// simulation and runs it.  What comes out is how far the lowest point of the cloth hangs and where
// the arm stands, as numbers, as a plot in the terminal, and as SVG.  The same seed gives the same
// bits: the last line is a hash over all episodes.
//
//   cc randomize.c -lcortenforge -lm
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/builder.h>
#include <cortenforge/cortenforge.h>
#include <mujoco/mujoco.h>

static const char scene[] =
    "<mujoco><option timestep='.002' solver='CG' iterations='20' tolerance='1e-5' integrator='implicitfast'/>"
    "<worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
    "<body name='arm' pos='0 0 .6'><joint name='shoulder' axis='0 0 1' damping='.05'/>"
    "<geom name='hook' type='capsule' fromto='-.15 0 0 .15 0 0' size='.03' mass='1'/></body>"
    "<flexcomp name='cloth' type='grid' count='6 6 1' spacing='.06 .06 .06' pos='0 0 .65' radius='.008' mass='.2' dim='2'>"
    "<edge damping='.5'/><elasticity young='5e3' poisson='.2' thickness='.008' damping='.002' elastic2d='both'/>"
    "<contact selfcollide='none' internal='false' solref='.01 1'/></flexcomp></worldbody>"
    "<actuator><general name='swing' joint='shoulder'/></actuator></mujoco>";

typedef struct {
  int bending;  // 0 cotangent, 1 bridson
  int gain;     // 0 servo by a spring in series, 1 motor
  double young, friction, mass, strength;
  double lowest, angle;  // results
} episode;


// splitmix64: a number in [0, 1)
static double draw(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}


static double between(uint64_t* state, double low, double high) {
  return low + (high - low) * draw(state);
}


static episode drawEpisode(uint64_t seed, int number) {
  uint64_t state = seed * 1000003u + (uint64_t)number;
  episode e = {.bending = draw(&state) < 0.5, .gain = draw(&state) < 0.5};
  e.young = 2e3 * pow(10, draw(&state));
  e.friction = between(&state, 0.2, 1.2);
  e.mass = between(&state, 0.5, 2);
  e.strength = between(&state, 0.5, 2);
  return e;
}


// the scene with the numbers of an episode, compiled when the simulation is built
static mjSpec* specify(const episode* e) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(scene, NULL, error, sizeof(error));
  if (!spec) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
  mjsFlex* cloth = mjs_asFlex(mjs_findElement(spec, mjOBJ_FLEX, "cloth"));
  mjsGeom* hook = mjs_asGeom(mjs_findElement(spec, mjOBJ_GEOM, "hook"));
  cloth->young = e->young;
  cloth->friction[0] = e->friction;
  hook->friction[0] = e->friction;
  hook->mass = e->mass;
  return spec;
}


static cfSim* buildEpisode(const episode* e) {
  const mjtNum spring[3] = {8 * e->strength, 0.5 * e->strength, 1};
  const mjtNum motor[6] = {1, 5e-4, 0.05 * e->strength, 0.05, 20, 1e-5};
  mjSpec* spec = specify(e);
  char error[2000] = "";
  cfSimBuilder* builder = cf_simBuilder();
  cf_withSpec(builder, spec);
  cf_withBending(builder, "cloth", e->bending ? "bridson" : "cotangent");
  cf_withGain(builder, "swing", e->gain ? "dc_motor" : "series_elastic", e->gain ? motor : spring,
              e->gain ? 6 : 3);
  cfSim* sim = cf_build(builder, error, sizeof(error));
  cf_freeSimBuilder(builder);
  mj_deleteSpec(spec);
  if (!sim) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
  return sim;
}


// run one episode; returns the hash of its last state
static uint64_t runEpisode(episode* e, double time) {
  cfSim* sim = buildEpisode(e);
  mjModel* m = cf_simModel(sim);
  mjData* d = cf_simData(sim);
  while (d->time < time) {
    d->ctrl[0] = e->gain ? 3 * sin(4 * d->time) : 0.6 * sin(4 * d->time);
    if (!cf_simStep(sim)) {
      fprintf(stderr, "the simulation became unstable\n");
      exit(4);
    }
  }
  e->lowest = INFINITY;
  for (int v = 0; v < m->nflexvert; v++) {
    e->lowest = fmin(e->lowest, d->flexvert_xpos[3 * v + 2]);
  }
  e->angle = d->qpos[m->jnt_qposadr[mj_name2id(m, mjOBJ_JOINT, "shoulder")]];
  const uint64_t hash = cf_stateHash(m, d);
  cf_freeSim(sim);
  return hash;
}


// ---------------------------------------- plots

enum { BINS = 20 };

static void plotText(const episode* list, int count, double low, double high) {
  printf("\nlowest point of the cloth, # cotangent, * bridson\n");
  for (int bin = 0; bin < BINS; bin++) {
    const double from = low + (high - low) * bin / BINS, to = low + (high - low) * (bin + 1) / BINS;
    printf("%6.3f m ", from);
    for (int bending = 0; bending < 2; bending++) {
      for (int k = 0; k < count; k++) {
        const int is_last = bin == BINS - 1 && list[k].lowest >= to;
        if (list[k].bending == bending && list[k].lowest >= from &&
            (list[k].lowest < to || is_last)) {
          putchar(bending ? '*' : '#');
        }
      }
    }
    putchar('\n');
  }
}


static int plotFile(const char* name, const episode* list, int count, double low, double high) {
  static const char* const colors[2] = {"#2060c0", "#c04020"};
  FILE* file = fopen(name, "w");
  if (!file) {
    fprintf(stderr, "cannot write %s\n", name);
    return 3;
  }
  fprintf(
      file,
      "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='360' font-family='sans-serif' font-size='12'>\n"
      "<rect width='640' height='360' fill='white'/>\n"
      "<text x='20' y='20'>lowest point of the cloth over Young's modulus: blue cotangent, red bridson</text>\n");
  for (int k = 0; k < count; k++) {
    const double x = 40 + 560 * log10(list[k].young / 2e3);
    const double y = 330 - 290 * (list[k].lowest - low) / fmax(1e-9, high - low);
    fprintf(file, "<circle cx='%.1f' cy='%.1f' r='%.1f' fill='%s' fill-opacity='.6'/>\n", x, y,
            2 + 2 * list[k].friction, colors[list[k].bending]);
  }
  fprintf(file, "<text x='20' y='350'>2 kPa</text><text x='580' y='350'>20 kPa</text></svg>\n");
  fclose(file);
  return 0;
}


int main(int argc, char** argv) {
  int episodes = 100, status = 0;
  uint64_t seed = 1, hash = 0;
  double time = 0.3, low = INFINITY, high = -INFINITY;
  const char* svg = NULL;
  for (int k = 1; k + 1 < argc; k += 2) {
    episodes = strcmp(argv[k], "--episodes") == 0 ? atoi(argv[k + 1]) : episodes;
    seed = strcmp(argv[k], "--seed") == 0 ? strtoull(argv[k + 1], NULL, 10) : seed;
    time = strcmp(argv[k], "--time") == 0 ? atof(argv[k + 1]) : time;
    svg = strcmp(argv[k], "--svg") == 0 ? argv[k + 1] : svg;
  }
  episode* list = calloc((size_t)(episodes > 0 ? episodes : 1), sizeof(episode));
  if (!list) {
    return 1;
  }
  printf(
      "episode bending    gain            young  friction  mass  strength    lowest     angle\n");
  for (int k = 0; k < episodes; k++) {
    list[k] = drawEpisode(seed, k);
    const uint64_t own = runEpisode(list + k, time);
    hash = (hash ^ own) * 0x100000001b3u;
    low = fmin(low, list[k].lowest);
    high = fmax(high, list[k].lowest);
    printf("%7d %-10s %-14s %6.0f %9.3f %5.2f %9.3f %9.4f %9.4f\n", k,
           list[k].bending ? "bridson" : "cotangent", list[k].gain ? "dc_motor" : "series_elastic",
           list[k].young, list[k].friction, list[k].mass, list[k].strength, list[k].lowest,
           list[k].angle);
  }
  if (episodes > 0) {
    plotText(list, episodes, low, high);
    status = svg ? plotFile(svg, list, episodes, low, high) : 0;
  }
  printf("%d episodes, seed %llu, hash %016llx\n", episodes, (unsigned long long)seed,
         (unsigned long long)hash);
  free(list);
  return status;
}
