// Pairs of geoms that may touch, with the parameters of their contacts already mixed.
#include "team/tier.h"


int cfi_teamPairs(const mjModel* m, cfTeamPair* pair, int most, char* reason, size_t nreason) {
  (void)m, (void)pair, (void)most, (void)reason, (void)nreason;
  return 0;
}
