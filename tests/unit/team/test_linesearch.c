// Searches along lines in single precision: they end where numbers cannot tell more.
#define CF_TEAM_SINGLE
#define CF_TEAM_WATCH(neval) watchSearch(neval)

static void watchSearch(int neval);

#include "team/stages.h"

#include "team/plan.h"

#include "twin.h"

static const cfTeamTier single = CF_TEAM_TIER;

static int searches, points, long_ones;

static void watchSearch(int neval) {
  searches++;
  points += neval;
  long_ones += neval > 20;
}


// most searches of the hand went on until their points were used up, 50 of them
CF_TEST(line_search__single_precision__few_points) {
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/models/robots/hand.xml", NULL, error, sizeof(error));
  CF_EQ_STR(error, "");
  teamTwin twin = openTeamTwin(m, &single, 40, 160, NULL);
  mjData* d = mj_makeData(m);
  loadTwin(&twin, d);
  for (int k = 0; k < 400; k++) {
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = 0.7 + 0.5 * sin(0.02 * k * (u + 1));
    }
    setInTwin(&twin, "ctrl", d->ctrl);
    single.stage(twin.plan, twin.world, CF_TEAM_ALL);
  }
  printf("%d searches, %.1f points each, %d of more than 20\n", searches, (double)points / searches,
         long_ones);
  CF_TRUE(searches > 1000);
  CF_TRUE(points < 3 * searches);
  CF_TRUE(long_ones < searches / 50);
  mj_deleteData(d);
  closeTeamTwin(&twin);
  mj_deleteModel(m);
}


CF_TEST_MAIN("linesearch")
