// The list of pairs that may touch, as the filters of the engine leave it.
#include "modeltext.h"
#include "team/tier.h"

static mjModel* loadFiltered(void) {
  static const char xml[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<body name='a'><freejoint/><geom name='ga' size='.1'/>"
      "<body name='hand'><joint/><geom size='.1'/></body></body>"
      "<body name='empty'/>"
      "<body name='c'><freejoint/><geom size='.1'/></body>"
      "<body name='d'><freejoint/><geom name='gd' size='.1'/></body></worldbody>"
      "<contact><exclude body1='a' body2='c'/><pair geom1='ga' geom2='gd' margin='.3'/></contact>"
      "</mujoco>";
  return compileText(xml);
}


static void expectPairs(const mjModel* m, int (*expected)[2], int count) {
  cfTeamPair pair[20];
  char reason[100] = "";
  CF_EQ_INT(cfi_teamPairs(m, NULL, 0, reason, sizeof(reason)), count);
  CF_EQ_INT(cfi_teamPairs(m, pair, 20, reason, sizeof(reason)), count);
  for (int i = 0; i < count; i++) {
    CF_EQ_INT(pair[i].first, expected[i][0]);
    CF_EQ_INT(pair[i].second, expected[i][1]);
    const bool is_predefined = pair[i].first == 1 && pair[i].second == 4;
    CF_NEAR(pair[i].margin, is_predefined ? .3 : 0, 0);
  }
}


CF_TEST(pairs__excluded_predefined_and_of_a_parent__in_the_order_of_the_engine) {
  mjModel* m = loadFiltered();
  expectPairs(m, (int[][2]){{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}, 8);
  m->opt.disableflags = mjDSBL_FILTERPARENT;
  expectPairs(m, (int[][2]){{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}},
              9);
  m->opt.disableflags = mjDSBL_CONTACT;
  expectPairs(m, NULL, 0);
  mj_deleteModel(m);
}


CF_TEST(pairs__of_types_that_the_tier_has_no_collider_for__say_which) {
  mjModel* m = loadFiltered();
  char reason[100] = "";
  m->geom_type[3] = mjGEOM_SDF;
  CF_EQ_INT(cfi_teamPairs(m, NULL, 0, reason, sizeof(reason)), -1);
  CF_HAS_STR(reason, "SDF");
  m->geom_type[3] = mjGEOM_HFIELD;
  CF_EQ_INT(cfi_teamPairs(m, NULL, 0, reason, sizeof(reason)), -1);
  CF_HAS_STR(reason, "height field");
  mj_deleteModel(m);
}


CF_TEST_MAIN("team_pairs")
