// Words of the laws (number_one.h says what they mean) for a thread of the fast tier.  Included
// after team/team.h, once per precision.
#ifndef CF_LAW_NUMBER_TEAM_H
#define CF_LAW_NUMBER_TEAM_H

#include "law/alone.h"

typedef cfReal cfNum;
typedef bool cfIs;
typedef const cfTeam* cfLaw;

#define CF_LAW CF_TEAM_FN
#define CF_LAW_LEAF CF_TEAM_FN
#define CF_LAW_RARE CF_TEAM_RARE
#define CF_LAW_UNROLL CF_TEAM_UNROLL
#define CF_LAW_EXACT CF_TEAM_EXACT
#define CF_KIND(c, name, k) ((c)->m->name[k])
#define CF_NUM(c, name, k) (CF_OWN(c, name)[k])
#define CF_NOW(c, name, k) (CF_WORLD(c, name)[k])
#define CF_STEP(c) ((c)->m->timestep)

#define realAbs teamAbs
#define numOf(x) ((cfReal)(x))
#define numMax teamLarger
#define numClip teamClip
#define numAbs teamAbs
#define numSqrt teamSqrt
#define numExp teamExp
#define numAtan2 teamAtan2
#define numSinCos(x, sine, cosine) (*(sine) = teamSin(x), *(cosine) = teamCos(x))
#define numPower realPower
#define numMin teamSmaller


#define CF_LAW_SOONER(is) false

typedef cfReal cfSize;
#define CF_LAW_TINY CF_TEAM_TINY
#define CF_LAW_PARALLEL(x) CF_TEAM_PARALLEL(x)


// powers that are usual cost no logarithm
CF_TEAM_FN cfReal realPower(cfReal base, cfReal exponent) {
  return exponent == 1 ? base : exponent == 2 ? base * base : teamPow(base, exponent);
}

#endif  // CF_LAW_NUMBER_TEAM_H
