// Contact parameters.
//
//   priority   the side with the higher one gives dim, friction, solref and solimp
//   equal      dim and friction: element-wise maximum; solimp: weighted by solmix;
//              solref: weighted when both are (timeconst, dampratio), else element-wise minimum
//   gap        sum
#include "collision/parameters.h"

#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/flags.h"

// weight of the first side; a weight of zero yields to the other
static mjtNum mixWeight(mjtNum solmix1, mjtNum solmix2) {
  if (solmix1 == solmix2) {
    return 0.5;
  }
  const bool counts1 = solmix1 >= mjMINVAL, counts2 = solmix2 >= mjMINVAL;
  if (counts1 && counts2) {
    return solmix1 / (solmix1 + solmix2);
  }
  return counts1 == counts2 ? 0.5 : counts1;
}


// the override options replace what was mixed; friction never falls below mjMINMU
static void overrideParameters(cfContactParameters* p, const mjModel* m) {
  const mjOption* opt = &m->opt;
  if (cfi_enabled(m, mjENBL_OVERRIDE)) {
    memcpy(p->friction, opt->o_friction, sizeof(p->friction));
    memcpy(p->solref, opt->o_solref, sizeof(p->solref));
    memcpy(p->solreffriction, opt->o_solref, sizeof(p->solreffriction));
    memcpy(p->solimp, opt->o_solimp, sizeof(p->solimp));
  }
  for (int k = 0; k < 5; k++) {
    p->friction[k] = cfi_max(mjMINMU, p->friction[k]);
  }
}


// slide, spin, roll to both tangents, spin, both rolls
static void unpackFriction(mjtNum friction[5], const mjtNum slide_spin_roll[3]) {
  static const int source[5] = {0, 0, 1, 2, 2};
  for (int k = 0; k < 5; k++) {
    friction[k] = slide_spin_roll[source[k]];
  }
}


static void takeSide(cfContactParameters* p, const cfContactSide* s) {
  p->dim = s->dim;
  memcpy(p->solref, s->solref, sizeof(p->solref));
  memcpy(p->solimp, s->solimp, sizeof(p->solimp));
  unpackFriction(p->friction, s->friction);
}


static void blendSides(cfContactParameters* p, const cfContactSide* a, const cfContactSide* b) {
  const mjtNum mix = mixWeight(a->solmix, b->solmix);
  const bool standard = a->solref[0] > 0 && b->solref[0] > 0;
  p->dim = cfi_maxInt(a->dim, b->dim);
  for (int k = 0; k < mjNREF; k++) {
    p->solref[k] = standard ? mix * a->solref[k] + (1 - mix) * b->solref[k]
                            : cfi_min(a->solref[k], b->solref[k]);
  }
  for (int k = 0; k < mjNIMP; k++) {
    p->solimp[k] = mix * a->solimp[k] + (1 - mix) * b->solimp[k];
  }
  mjtNum friction[3];
  for (int k = 0; k < 3; k++) {
    friction[k] = cfi_max(a->friction[k], b->friction[k]);
  }
  unpackFriction(p->friction, friction);
}


void cfi_mixParameters(cfContactParameters* p, const mjModel* m, const cfContactSide* a,
                       const cfContactSide* b) {
  if (a->priority == b->priority) {
    blendSides(p, a, b);
  } else {
    takeSide(p, a->priority > b->priority ? a : b);
  }
  p->gap = a->gap + b->gap;
  memset(p->solreffriction, 0, sizeof(p->solreffriction));
  overrideParameters(p, m);

  // geoms are checked when they are compiled or loaded, flexes bring what the file says
  if (p->dim != 1 && p->dim != 3 && p->dim != 4 && p->dim != 6) {
    mju_error("contact dimension %d is not one of 1, 3, 4, 6", p->dim);
    p->dim = 3;
  }
}


void cfi_pairParameters(cfContactParameters* p, const mjModel* m, int pair) {
  CF_ASSERT_INDEX(pair, m->npair);
  p->dim = m->pair_dim[pair];
  p->gap = m->pair_gap[pair];
  memcpy(p->friction, m->pair_friction + 5 * pair, sizeof(p->friction));
  memcpy(p->solref, m->pair_solref + mjNREF * pair, sizeof(p->solref));
  memcpy(p->solreffriction, m->pair_solreffriction + mjNREF * pair, sizeof(p->solreffriction));
  memcpy(p->solimp, m->pair_solimp + mjNIMP * pair, sizeof(p->solimp));
  overrideParameters(p, m);
}


void cfi_setFramedContact(mjContact* con, const cfContactParameters* p, mjtNum includemargin) {
  CF_ASSERT(!(p->friction[0] < mjMINMU || p->friction[4] < mjMINMU));
  con->dim = p->dim;
  con->includemargin = includemargin;
  memcpy(con->friction, p->friction, sizeof(con->friction));
  memcpy(con->solref, p->solref, sizeof(con->solref));
  memcpy(con->solreffriction, p->solreffriction, sizeof(con->solreffriction));
  memcpy(con->solimp, p->solimp, sizeof(con->solimp));

  // inside the gap a contact is reported but makes no force
  con->exclude = con->dist >= includemargin;

  // set by later stages
  con->efc_address = -1;
  con->mu = 0;
  for (int k = 0; k < 36; k += 4) {
    cfi_laneStore(con->H + k, cfi_laneSpread(0));
  }

  // old names
  con->geom1 = con->geom[0];
  con->geom2 = con->geom[1];
}


void cfi_setContact(mjContact* con, const cfContactParameters* p, mjtNum includemargin) {
  if (!cfi_makeFrame(con->frame)) {
    mju_error("contact of geoms %d and %d has no normal", con->geom[0], con->geom[1]);
  }
  cfi_setFramedContact(con, p, includemargin);
}
