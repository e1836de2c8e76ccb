// Random awkward scenes for position-based constraints: mass ratios, overlaps, large rotations,
// joints of all kinds, springs, limits, friction of every dimension, tendons, equalities.  No scene
// may leave finite numbers, gain energy, or sink deeper; equalities close as substeps get shorter.
#include "cf_test.h"

#include <stdarg.h>

#include <cortenforge/cortenforge.h>

#include "../../../bench/solverlaws.h"

// a scene as text, and the numbers that it is made of
typedef struct {
  char xml[20000];
  size_t used;
  unsigned seed;
  int nbody;
} randomScene;


__attribute__((format(printf, 2, 3))) static void put(randomScene* s, const char* format, ...) {
  va_list list;
  va_start(list, format);
  s->used += (size_t)vsnprintf(s->xml + s->used, sizeof(s->xml) - s->used, format, list);
  va_end(list);
}


static double between(randomScene* s, double low, double high) {
  return low + (high - low) * lawRandom(&s->seed);
}


static int oneOf(randomScene* s, int count) {
  return (int)(count * lawRandom(&s->seed));
}


static double randomMass(randomScene* s) {
  return 0.05 * pow(1000, lawRandom(&s->seed));
}


static bool isLong(void) {
  return getenv("CF_LONG") != NULL;
}


// ---------------------------------------- mechanisms without contacts

static void putJoint(randomScene* s, int k, int kind) {
  const double range = between(s, 20, 120), stiffness = oneOf(s, 3) ? 0 : between(s, 0.5, 5);
  const char* axis = oneOf(s, 2) ? "0 1 0" : "0.3 0.2 1";
  switch (kind) {
    case 0:
      put(s, "<joint name='j%d' axis='%s' stiffness='%g' damping='%g'", k, axis, stiffness,
          oneOf(s, 2) ? 0.01 : 0);
      put(s, " limited='%s' range='-%g %g'/>", oneOf(s, 3) ? "false" : "true", range, range);
      break;
    case 1:
      put(s, "<joint name='j%d' type='ball' damping='%g'/>", k, oneOf(s, 2) ? 0.01 : 0);
      break;
    default:
      put(s, "<joint name='j%d' type='slide' axis='%s' stiffness='%g' frictionloss='%g'/>", k,
          oneOf(s, 2) ? "1 0 0" : "0 0 1", 50 + 10 * stiffness, oneOf(s, 2) ? 0.1 : 0);
      break;
  }
}


// trees of one to four links and free links, all turned; a slide first would fall for ever, so
// those have springs
static void putTrees(randomScene* s) {
  const int ntree = 2 + oneOf(s, 3);
  for (int t = 0; t < ntree; t++) {
    const int depth = 1 + oneOf(s, 4);
    for (int k = 0; k < depth; k++) {
      put(s, "<body name='b%d' pos='%g %g %g' euler='%g %g %g'>", s->nbody,
          k ? 0.2 : between(s, -0.5, 0.5), k ? 0 : between(s, -0.5, 0.5), k ? 0 : 0.5 * t,
          between(s, -180, 180), between(s, -180, 180), between(s, -180, 180));
      if (k == 0 && oneOf(s, 2)) {
        put(s, "<freejoint/>");
      } else {
        putJoint(s, s->nbody, oneOf(s, 3));
      }
      put(s, "<geom type='capsule' size='.03' fromto='0 0 0 .2 0 0' mass='%g'/>", randomMass(s));
      put(s, "<site name='s%d' pos='.2 0 0'/>", s->nbody++);
    }
    for (int k = 0; k < depth; k++) {
      put(s, "</body>");
    }
  }
}


static void putTendons(randomScene* s) {
  put(s, "<tendon>");
  for (int k = 0; k + 1 < s->nbody && oneOf(s, 2); k++) {
    put(s, "<spatial name='t%d' stiffness='%g' damping='%g'", k, between(s, 0, 20),
        between(s, 0, 0.2));
    put(s, "%s%s>", oneOf(s, 2) ? " limited='true' range='0 2'" : "",
        oneOf(s, 2) ? " frictionloss='.1'" : "");
    put(s, "<site site='s%d'/><site site='s%d'/></spatial>", k, k + 1);
  }
  put(s, "</tendon>");
}


// equalities between bodies that follow each other, closing loops within trees, too; they hold at
// the start
static void putEqualities(randomScene* s) {
  put(s, "<equality>");
  for (int k = 0; k + 1 < s->nbody; k++) {
    const int kind = oneOf(s, 4);
    if (kind == 0) {
      put(s, "<weld body1='b%d' body2='b%d'/>", k, k + 1);
    } else if (kind <= 2) {
      put(s, "<connect body1='b%d' body2='b%d' anchor='.2 0 0'/>", k + 1, k);
    }
  }
  put(s, "</equality>");
}


static void makeMechanism(randomScene* s, unsigned seed) {
  static const char* integrator[] = {"Euler", "implicit", "implicitfast"};
  *s = (randomScene){.seed = seed * 7919u + 13u};
  lawRandom(&s->seed);
  put(s, "<mujoco><option timestep='%g' integrator='%s' jacobian='%s'/>", 0.001 * (1 + oneOf(s, 3)),
      integrator[oneOf(s, 3)], oneOf(s, 2) ? "dense" : "sparse");
  put(s, "<default><geom contype='0' conaffinity='0'/></default><worldbody>");
  putTrees(s);
  put(s, "</worldbody>");
  putTendons(s);
  putEqualities(s);
  put(s, "</mujoco>");
}


// energy that all bodies can gain by falling as far as they can in the time
static double energyScale(const mjModel* m, double seconds) {
  double mass = 0;
  for (int k = 1; k < m->nbody; k++) {
    mass += m->body_mass[k];
  }
  return mass * 9.81 * fmin(1, 0.5 * 9.81 * seconds * seconds);
}


// how far equalities are off in all
static double equalityGap(const mjData* d) {
  double sum = 0;
  for (int r = 0; r < d->ne; r++) {
    sum += d->efc_pos[r] * d->efc_pos[r];
  }
  return sqrt(sum);
}


typedef struct {
  double growth, gap;
  bool is_finite;
} mechanismResult;

static mechanismResult runMechanism(const randomScene* s, const sceneSolver* way, double seconds) {
  sceneRun run = openText(s->xml, way);
  mechanismResult result = {0, 0, true};
  const double start = energyNow(&run), scale = energyScale(run.m, seconds);
  while (isBefore(&run, seconds) && result.is_finite) {
    stepRun(&run);
    result.growth = fmax(result.growth, (energyNow(&run) - start) / scale);
    mj_makeConstraint(run.m, run.d);
    result.gap = fmax(result.gap, equalityGap(run.d));
    result.is_finite = isfinite(result.growth) && isfinite(result.gap);
  }
  result.is_finite = closeLaw(&run, 0, 0, 0).is_finite && result.is_finite;
  return result;
}


// Energy gained with 1, 4 and 16 substeps: less than 1 %, or an error of a step that is too coarse,
// which goes with shorter substeps.  is_coarse: the latter
static bool isGrowthGood(const double growth[3], bool* is_coarse) {
  const double most = 0.01;
  *is_coarse = growth[0] > most || growth[1] > most;
  return growth[2] < most && (growth[1] < most || growth[1] > 2 * growth[2]) &&
         (growth[0] < most || growth[0] > 2 * growth[1]);
}


// true if a mechanism keeps its laws with 1, 4 and 16 substeps
static bool isGoodMechanism(const randomScene* s, unsigned seed, bool is_soft, bool* is_coarse) {
  double growth[3], gap[3];
  bool is_good = true;
  for (int k = 0; k < 3; k++) {
    const sceneSolver way = {"xpbd", "xpbd", {1 << 2 * k, 10, is_soft ? -1 : 0}, 3};
    const mechanismResult result = runMechanism(s, &way, 0.4);
    growth[k] = result.growth;
    gap[k] = result.gap;
    is_good = is_good && result.is_finite;
    is_good = is_good && (is_soft || k == 0 || gap[k] < 0.5 * gap[0] + 1e-6);
  }
  is_good = isGrowthGood(growth, is_coarse) && is_good;
  if (!is_good || *is_coarse) {
    print_message("seed %u, %s: growth %g %g %g, gaps %g %g %g\n", seed, is_soft ? "soft" : "rigid",
                  growth[0], growth[1], growth[2], gap[0], gap[1], gap[2]);
  }
  return is_good;
}


CF_TEST(xpbdMechanism__random__finite_without_energy_gained_and_gaps_shrink) {
  static randomScene scene;
  const int count = isLong() ? 1000 : 40;
  int bad = 0, coarse = 0;
  for (int k = 0; k < 2 * count; k++) {
    bool is_coarse;
    makeMechanism(&scene, (unsigned)(k / 2 + 1));
    bad += !isGoodMechanism(&scene, (unsigned)(k / 2 + 1), k % 2, &is_coarse);
    coarse += is_coarse;
  }
  CF_EQ_INT(bad, 0);
  CF_TRUE(coarse <= count / 50);
}


// ---------------------------------------- heaps

// bodies of all shapes and masses, some of them deep in each other or in the floor
static void makeHeap(randomScene* s, unsigned seed) {
  static const char* shape[] = {"sphere", "box", "capsule", "ellipsoid", "cylinder"};
  static const int condim[] = {1, 3, 4, 6};
  *s = (randomScene){.seed = seed * 104729u + 7u};
  lawRandom(&s->seed);
  put(s, "<mujoco><option timestep='%g' cone='%s'/><worldbody><geom type='plane' size='5 5 1'/>",
      0.001 * (1 + oneOf(s, 3)), oneOf(s, 2) ? "elliptic" : "pyramidal");
  const int count = 3 + oneOf(s, 6);
  const double room = between(s, 0.1, 0.4);
  for (int k = 0; k < count; k++) {
    put(s, "<body pos='%g %g %g' euler='%g %g %g'><freejoint/>", between(s, -room, room),
        between(s, -room, room), between(s, 0, 2 * room) + 0.05, between(s, -180, 180),
        between(s, -180, 180), between(s, -180, 180));
    put(s, "<geom type='%s' size='%g %g %g' mass='%g' condim='%d' friction='%g %g %g'/></body>",
        shape[oneOf(s, 5)], between(s, 0.04, 0.1), between(s, 0.04, 0.1), between(s, 0.04, 0.1),
        randomMass(s), condim[oneOf(s, 4)], between(s, 0, 1.5), between(s, 0, 0.01),
        between(s, 0, 0.01));
  }
  put(s, "</worldbody></mujoco>");
}


static double deepest(const mjData* d) {
  double least = 0;
  for (int i = 0; i < d->ncon; i++) {
    least = fmin(least, d->contact[i].dist);
  }
  return -least;
}


typedef struct {
  double fastest, depth;
  bool is_finite;
} heapResult;

static heapResult runHeap(const randomScene* s, const sceneSolver* way) {
  sceneRun run = openText(s->xml, way);
  heapResult result = {0, 0, true};
  while (isBefore(&run, 0.6)) {
    stepRun(&run);
    result.depth = fmax(result.depth, deepest(run.d));
    for (int k = 1; k < run.m->nbody; k++) {
      result.fastest = fmax(result.fastest, mju_norm3(run.d->qvel + 6 * (k - 1)));
    }
  }
  result.is_finite = closeLaw(&run, 0, 0, 0).is_finite;
  return result;
}


// no faster than falls and pushes allow, no deeper than at the start or than Newton's method lets
// things sink, and the way of a step
static bool isGoodHeap(const randomScene* s, unsigned seed, const heapResult* newton, int nsubstep,
                       bool is_soft) {
  const sceneSolver way = {"xpbd", "xpbd", {nsubstep, 10, is_soft ? -1 : 0}, 3};
  const heapResult result = runHeap(s, &way);
  const double fastest = 3 + sqrt(2 * 9.81 * 1.2), deepest_allowed = 1.2 * newton->depth + 0.01;
  if (result.is_finite && result.fastest < fastest && result.depth < deepest_allowed) {
    return true;
  }
  print_message("seed %u, %d substeps, %s: fastest %g (Newton %g), depth %g (Newton %g)\n", seed,
                nsubstep, is_soft ? "soft" : "rigid", result.fastest, newton->fastest, result.depth,
                newton->depth);
  return false;
}


CF_TEST(xpbdHeap__random__finite_slow_and_never_deeper) {
  static const sceneSolver newton_way = {"Newton", "lcp", {0}, 0};
  static randomScene scene;
  const unsigned count = isLong() ? 1000 : 30;
  int bad = 0;
  for (unsigned k = 1; k <= count; k++) {
    makeHeap(&scene, k);
    const heapResult newton = runHeap(&scene, &newton_way);
    for (int n = 1; n <= 16; n *= 4) {
      bad += !isGoodHeap(&scene, k, &newton, n, false);
      bad += !isGoodHeap(&scene, k, &newton, n, true);
    }
  }
  CF_EQ_INT(bad, 0);
}


CF_TEST_MAIN("contactsolver/xpbdscenes")
