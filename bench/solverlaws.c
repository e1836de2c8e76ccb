// Laws of mechanics and how well contact solvers keep them; the second table of docs/solvers.md.
//
//   solverlaws              each row the worst of its scenes
//   solverlaws --substeps   gaps of rigid chains with 1 to 64 substeps
#include "solverlaws.h"

static const sceneSolver law_ways[] = {
    {"Newton", "lcp", {0}, 0},
    {"xpbd 4x10", "xpbd", {4, 10}, 2},
    {"xpbd 4x10 rigid", "xpbd", {4, 10, 0}, 3},
};

enum { NLAWWAY = sizeof(law_ways) / sizeof(law_ways[0]) };

// one row: number k of a scene for every solver, the worst for i = 0 ... count - 1
#define LAW_ROW(title, count, k, call)             \
  do {                                             \
    printf("| %s |", title);                       \
    for (int w = 0; w < NLAWWAY; w++) {            \
      const sceneSolver* way = law_ways + w;       \
      double worst = -INFINITY;                    \
      bool is_finite = true;                       \
      for (int i = 0; i < (count); i++) {          \
        const lawResult result = (call);           \
        worst = fmax(worst, result.value[k]);      \
        is_finite = is_finite && result.is_finite; \
      }                                            \
      if (is_finite) {                             \
        printf(" %.2g |", worst);                  \
      } else {                                     \
        printf(" unstable |");                     \
      }                                            \
      fflush(stdout);                              \
    }                                              \
    printf("\n");                                  \
  } while (0)


// gaps of chains of rigid connects or welds, one row for each mass ratio
static void printSubsteps(bool is_weld) {
  for (int ratio = 1; ratio <= 1000; ratio *= 10) {
    printf("| %s, 1:%d |", is_weld ? "welds" : "connects", ratio);
    for (int n = 1; n <= 64; n *= 4) {
      const sceneSolver way = {"xpbd", "xpbd", {n, 10, 0}, 3};
      printf(" %.1e |", lawChain(&way, is_weld, ratio, 2).value[0]);
      fflush(stdout);
    }
    printf("\n");
  }
}


int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--substeps") == 0) {
    printf("| links, last mass | 1 | 4 | 16 | 64 substeps |\n|---|---|---|---|---|\n");
    printSubsteps(false);
    printSubsteps(true);
    return 0;
  }
  printf("| scene and law | Newton | xpbd 4x10 | xpbd 4x10 rigid |\n|---|---|---|---|\n");
  LAW_ROW("chain of 10 connects, masses 1:100, gap (m)", 1, 0, lawChain(way, false, 100, 1));
  LAW_ROW("chain of 10 connects, masses 1:1000, gap (m)", 1, 0, lawChain(way, false, 1000, 1));
  LAW_ROW("chains of connects 1:1 to 1:1000, energy gained (part)", 4, 1,
          lawChain(way, false, pow(10, i), 1));
  LAW_ROW("beam of 10 welds, masses 1:100, gap (m)", 1, 0, lawChain(way, true, 100, 1));
  LAW_ROW("sliding, friction 1 and 0.2, force (relative)", 3, 0,
          lawSlide(way, 1, 0.2, 0.3 + 0.5 * i));
  LAW_ROW("sliding, friction 1 and 0.2, direction (rad)", 3, 1,
          lawSlide(way, 1, 0.2, 0.3 + 0.5 * i));
  LAW_ROW("spinning ball, torque (relative)", 2, 0, lawSpin(way, i ? 6 : 4, false, 0.005));
  LAW_ROW("rolling ball, torque (relative)", 3, 0, lawSpin(way, 6, true, pow(10, -2 - i)));
  LAW_ROW("20 spheres in each other, fastest (m/s)", 3, 0,
          lawOverlap(way, 20, false, (unsigned)i + 1));
  LAW_ROW("5 boxes in each other, fastest (m/s)", 1, 0, lawOverlap(way, 5, true, 1));
  LAW_ROW("16 random stacks of 8 equal boxes, moved in 3 s (m)", 16, 0,
          lawStack(way, 8, 0.01, (unsigned)i + 1, 3));
  LAW_ROW("10 equal boxes exactly above each other, moved in 5 s (m)", 1, 0,
          lawStack(way, 10, 0, 1, 5));
  LAW_ROW("20 equal boxes exactly above each other, moved in 5 s (m)", 1, 0,
          lawStack(way, 20, 0, 1, 5));
  LAW_ROW("limit under 10 N m, unsteadiness (N m)", 1, 0, lawLimit(way));
  LAW_ROW("box in a shaken grip, slipped in 5 s (m)", 1, 0, lawGrip(way, 5));
  LAW_ROW("hits off center, angular momentum (relative)", 6, 1,
          lawHit(way, i / 2, i % 2 ? 0.5 : 1e-4));
  LAW_ROW("Newton's cradle, 10 s, energy that differs (part)", 2, 3,
          lawCradle(way, i ? 1e-3 : 0, 10));
  return 0;
}
