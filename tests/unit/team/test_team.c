// The fast tier on the CPU against the engine.
#include "twin.h"


CF_TEST(plan__humanoid__arrays_have_places) {
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/models/humanoid.xml", NULL, error, sizeof(error));
  CF_TRUE(m);
  char reason[200] = "";
  CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
  const cfTeamTier* const tiers[] = {&cfi_teamDouble, &cfi_teamSingle};
  for (int k = 0; k < 2; k++) {
    teamTwin twin = openTeamTwin(m, tiers[k], 20, 60, NULL);
    mjData* d = mj_makeData(m);
    loadTwin(&twin, d);
    runTwin(&twin, CF_TEAM_LOAD);
    CF_TRUE(differenceInTwin(&twin, "qpos", d->qpos, (int)m->nq) < 1e-6);
    CF_EQ_INT(partOfTwin(&twin, "cdof").count, 6 * (int)m->nv);
    mj_deleteData(d);
    closeTeamTwin(&twin);
  }
  mj_deleteModel(m);
}


CF_TEST_MAIN("team")
