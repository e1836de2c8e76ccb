// The stages of a step that run world by world, around those that were done in lanes.
#include "base/assert.h"
#include "lanes/lanes.h"
#include "dynamics/energy.h"
#include "dynamics/inertia.h"
#include "kinematics/tendon.h"


mjtNum cfi_laneReach(int evaluation) {
  static const mjtNum reach[CF_LANE_EVALUATIONS] = {0, 0.5, 0.5, 1};
  CF_ASSERT_INDEX(evaluation, CF_LANE_EVALUATIONS);
  return reach[evaluation];
}


cfNearPairs cfi_laneNear(const cfLaneCandidates* near, int lane) {
  return (cfNearPairs){.candidate = near->candidate,
                       .hit = near->hit,
                       .n = near->nhit,
                       .meets = near->meets,
                       .is_sure = near->is_sure,
                       .bit = (unsigned char)(1u << lane),
                       .first_geoms = near->first,
                       .geoms = near->geoms,
                       .geoms_meet = near->geoms_meet,
                       .known = near->known,
                       .parameters = near->has_own_parameters ? NULL : near->parameters,
                       .found_count = near->found_count + lane,
                       .found_at = near->found_at + lane,
                       .found = near->found + CF_BARE_CONTACT * lane,
                       .nworld = CF_LANES_MAX,
                       .is_all_known = near->is_all_known};
}


static void collideLane(const cfLaneGroup* g, int lane, const mjModel* m, unsigned done) {
  CF_ASSERT_INDEX(lane, g->width);
  if (!(done & CF_LANE_NEAR)) {
    mj_collision(m, g->data[lane]);
    return;
  }
  const cfLaneCandidates* near = &g->near;
  const cfNearPairs pairs = cfi_laneNear(near, lane);
  mjData* d = g->data[lane];
  const mjWarningStat before = d->warning[mjWARN_CONTACTFULL];
  cfi_collideNear(m, d, &pairs);
  if (!cfi_laneHasArena(m, d->ncon)) {
    CF_ASSERT(!near->is_all_known);  // those have room
    d->warning[mjWARN_CONTACTFULL] = before;
    mj_collision(m, d);
  }
}


// cameras count as done where nobody reads them
static void restOfPosition(const cfLaneGroup* g, int lane, const mjModel* m, unsigned done) {
  mjData* d = g->data[lane];
  CF_ASSERT(done & CF_LANE_FRAMES);
  d->flg_energypos = 0;
  if (!(done & CF_LANE_CAMERAS)) {
    mj_camlight(m, d);
  }
  mj_tendon(m, d);
  if (!(done & CF_LANE_INERTIA)) {
    mj_makeM(m, d);
    mj_factorM(m, d);
  }
  collideLane(g, lane, m, done);
  if (!(done & CF_LANE_CONSTRAINT)) {
    mj_makeConstraint(m, d);
    cfi_laneIslands(m, d, done);
  }
  if (!(done & CF_LANE_ACTUATION)) {
    mj_transmission(m, d);
  }
  if (!(done & CF_LANE_CONSTRAINT)) {
    mj_projectConstraint(m, d);
  }
}


static void restOfVelocity(const mjModel* m, mjData* d, unsigned done, bool with_sensors) {
  CF_ASSERT(done & CF_LANE_MOTION);
  d->flg_subtreevel = with_sensors && (done & CF_LANE_MOMENTUM);
  d->flg_energyvel = 0;
  if (!(done & CF_LANE_ACTUATION)) {
    cfi_lengthVelocities(m, d);
  } else {
    for (int t = 0; t < m->ntendon; t++) {
      d->ten_velocity[t] = cfi_dotTendon(m, d, t, d->qvel);
    }
  }
  if (!(done & CF_LANE_PASSIVE)) {
    mj_passive(m, d);
  }
  if (!(done & CF_LANE_CONSTRAINT)) {
    mj_referenceConstraint(m, d);
  }
  cfi_tendonBias(m, d, d->qfrc_bias);
}


void cfi_laneOwnRows(const mjModel* m, mjData* d, unsigned done) {
  mj_makeConstraint(m, d);
  cfi_laneIslands(m, d, done);
  mj_referenceConstraint(m, d);
}


// the order is that of pipeline/forward.c; what lanes have done depends on nothing that comes later
void cfi_laneRest(const cfLaneGroup* g, int lane, const mjModel* m, unsigned done,
                  bool with_sensors) {
  mjData* d = g->data[lane];
  restOfPosition(g, lane, m, done);
  if (with_sensors) {
    mj_sensorPos(m, d);
  }
  cfi_updateEnergyPos(m, d);
  restOfVelocity(m, d, done, with_sensors);
  if (with_sensors) {
    mj_sensorVel(m, d);
  }
  cfi_updateEnergyVel(m, d);
  if (!(done & CF_LANE_ACTUATION)) {
    mj_fwdActuation(m, d);
  }
  if (!(done & CF_LANE_ACCELERATION)) {
    mj_fwdAcceleration(m, d);
  }
}


// forces from outside and accelerations are known in lanes, or in the worlds
void cfi_laneReact(cfLaneGroup* g, const cfLaneKernels* kernels, bool is_known) {
  mjtNum *external[CF_LANES_MAX], *qacc[CF_LANES_MAX];
  for (int w = 0; w < g->width; w++) {
    external[w] = g->data[w]->cfrc_ext;
    qacc[w] = g->data[w]->qacc;
  }
  if (!is_known) {
    kernels->gatherNumbers(g->external, external, 6 * (int)g->m->nbody);
    kernels->gatherNumbers(g->qacc, qacc, (int)g->m->nv);
  }
  kernels->reaction(g);
  kernels->scatter(g, CF_LANE_REACTION, false);
}


void cfi_laneAfterSolve(const mjModel* m, mjData* d, bool has_reactions) {
  d->flg_rnepost = has_reactions;
  mj_sensorAcc(m, d);
}
