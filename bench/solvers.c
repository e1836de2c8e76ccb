// Contact solvers side by side on scenes with known answers; the table of docs/solvers.md.
//
//   solvers [--quick] [MODELS]       the table
//   solvers --plot FOLDER            the two plots of docs/solvers.md
//
// MODELS is the folder with humanoid.xml and robots/hand.xml (models).  --quick: a tenth of the
// time of the long scenes.  Runs are deterministic: the same errors on every machine of the same
// kind; the processor time is that of this one.
#include "solverplot.h"
#include "solverscenes.h"

static const sceneSolver ways[] = {
    {"Newton", "lcp", {0}, 0},
    {"xpbd 4x10", "xpbd", {4, 10}, 2},
    {"xpbd 4x10 rigid", "xpbd", {4, 10, 0}, 3},
    {"hunt_crossley", "hunt_crossley", {0}, 0},
};

enum { NWAY = sizeof(ways) / sizeof(ways[0]) };


static bool isKnown(const sceneSolver* way) {
  return cf_findContactSolver(way->solver) != NULL;
}


static void printRow(const char* title, const sceneResult* result) {
  printf("| %-44s |", title);
  for (int k = 0; k < NWAY; k++) {
    if (isKnown(ways + k)) {
      printf(" %8.2g (%5.1f us) |", result[k].error, 1e6 * result[k].cost);
    } else {
      printf(" - |");
    }
  }
  printf("\n");
  fflush(stdout);
}

// a row of the table: the scene with every solver
#define SCENE_ROW(title, call)                              \
  do {                                                      \
    sceneResult result[NWAY] = {{0}};                       \
    for (int k = 0; k < NWAY; k++) {                        \
      const sceneSolver* way = ways + k;                    \
      result[k] = isKnown(way) ? (call) : (sceneResult){0}; \
    }                                                       \
    printRow(title, result);                                \
  } while (0)


static void printHead(void) {
  printf("| %-44s |", "scene: error (processor time per step)");
  for (int k = 0; k < NWAY; k++) {
    printf(" %s |", ways[k].title);
  }
  printf("\n|---|");
  for (int k = 0; k < NWAY; k++) {
    printf("---|");
  }
  printf("\n");
}


// a scene with every solver as lines of a plot
static int plotScene(const char* folder, const char* name, const char* title,
                     sceneResult (*scene)(const sceneSolver*, double), double seconds, int lowest,
                     int highest) {
  char path[600];
  solverPlot plot;
  snprintf(path, sizeof(path), "%s/%s.svg", folder, name);
  if (!openPlot(&plot, path, title, seconds, lowest, highest)) {
    fprintf(stderr, "solvers: cannot write %s\n", path);
    return 1;
  }
  for (int k = 0; k < NWAY; k++) {
    scene_trace = tmpfile();
    if (scene_trace) {
      scene(ways + k, seconds);
      plotTrace(&plot, scene_trace, k, ways[k].title);
      fclose(scene_trace);
    }
    scene_trace = NULL;
  }
  closePlot(&plot);
  return 0;
}


int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--plot") == 0) {
    return plotScene(argv[2], "solver_stack", "ten boxes: largest displacement to the side (m)",
                     sceneCreep, 30, -8, -1) +
           plotScene(argv[2], "solver_chain", "chain of 30, masses 1:100: largest gap (m)",
                     sceneChain, 3, -6, 0);
  }
  const bool is_quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
  const char* models = argc > 1 + is_quick ? argv[1 + is_quick] : "models";
  const double part = is_quick ? 0.1 : 1;
  char humanoid[500], hand[500];
  snprintf(humanoid, sizeof(humanoid), "%s/humanoid.xml", models);
  snprintf(hand, sizeof(hand), "%s/robots/hand.xml", models);

  printHead();
  SCENE_ROW("box at rest, drift in 60 s (m)", sceneRest(way, 60 * part));
  SCENE_ROW("ten boxes, displacement in 30 s (m)", sceneStack(way, 30 * part));
  SCENE_ROW("ten boxes, to the side in 30 s (m)", sceneCreep(way, 30 * part));
  SCENE_ROW("bounce, restitution 0.8 (relative)", sceneBounce(way, 0.8));
  SCENE_ROW("bounce, restitution 0.5 (relative)", sceneBounce(way, 0.5));
  SCENE_ROW("sliding block, distance (relative)", sceneSlide(way));
  SCENE_ROW("slope at 98 % of friction, speed (m/s)", sceneSlope(way, 0.98));
  SCENE_ROW("slope at 120 %, acceleration (relative)", sceneSlope(way, 1.2));
  SCENE_ROW("chain of 30, masses 1:100, gap (m)", sceneChain(way, 3));
  SCENE_ROW("box 5 cm deep, left after a step (m)", sceneDeep(way));
  SCENE_ROW("humanoid, 100,000 steps, bad states", sceneFile(way, humanoid, (long)(100000 * part)));
  SCENE_ROW("hand, 100,000 steps, bad states", sceneFile(way, hand, (long)(100000 * part)));
  return 0;
}
