// The lane stages for one width.  A file defines CF_LANES (worlds per number), CF_LANE_TABLE (the
// name of the table) and, for worlds with model parameters of their own, CF_LANE_HAS_OWN, and
// includes this once.
#include "base/assert.h"
#include "lanes/lanes.h"
#include "collision/collider.h"
#include "collision/convex/ccd.h"
#include "collision/convex/startfaces.h"
#include "constraint/rows.h"
#include "kinematics/chain.h"
#include "math/inline.h"
#include "model/flags.h"
#include "model/jointkind.h"
#include "solver/stats.h"

#include "lanes/vector.h"

#include "lanes/functions.h"

// a field of the group as numbers of all its worlds
#define CF_AT(name) ((cfVec*)g->name)

// a number of the model: of each world where CF_LANE_HAS_OWN is set, else the one that they share
#ifdef CF_LANE_HAS_OWN
#define CF_OF_GROUP(g, name, k) (((const cfVec*)(g)->own_##name)[k])
#define CF_STEP_OF_GROUP(g) (((const cfVec*)(g)->own_timestep)[0])
#define CF_GRAVITY(k) (((const cfVec*)g->own_gravity)[k])
#define CF_IMPRATIO (((const cfVec*)g->own_impratio)[0])
#define CF_SIZES(name, k) ((const cfVec*)g->own_##name + (k))
typedef cfVec laneSize;
#else
#define CF_OF_GROUP(g, name, k) laneOf((g)->m->name[k])
#define CF_STEP_OF_GROUP(g) laneOf((g)->m->opt.timestep)
#define CF_GRAVITY(k) laneOf(g->m->opt.gravity[k])
#define CF_IMPRATIO laneOf(g->m->opt.impratio)
#define CF_SIZES(name, k) (g->m->name + (k))
typedef mjtNum laneSize;
#endif

#define CF_OF(name, k) CF_OF_GROUP(g, name, k)
#define CF_TIMESTEP CF_STEP_OF_GROUP(g)

// a size, of each world or shared, as one of each world
#define laneWide(size) ((size) - (cfVec){0})

// n numbers from k on
#define CF_COPY_OF(res, name, k, n)    \
  for (int i_ = 0; i_ < (n); i_++) {   \
    (res)[i_] = CF_OF(name, (k) + i_); \
  }

#include "law/number_lanes.h"

#include "law/vec.h"

#include "law/actuator.h"
#include "law/cones.h"
#include "law/impedance.h"
#include "law/joints.h"
#include "law/search.h"
#include "law/springs.h"
#include "law/tracking.h"

#include "lanes/frames.h"

#include "lanes/cameras.h"
#include "lanes/inertia.h"
#include "lanes/meet.h"
#include "lanes/motion.h"

#include "lanes/momentum.h"
#include "lanes/reaction.h"

#include "lanes/forces.h"

#include "lanes/integration.h"

#include "lanes/exchange.h"

#include "lanes/uniform.h"

#include "lanes/shapes.h"

#include "lanes/walk.h"

#include "lanes/polytope.h"

#include "lanes/touch.h"

#include "lanes/narrow.h"

#include "lanes/rows.h"

#include "lanes/blocks.h"

#include "lanes/contactrows.h"

#include "lanes/make.h"

#include "lanes/cones.h"

#include "lanes/external.h"

#include "lanes/ldl.h"

#include "lanes/newton.h"

#include "lanes/parts.h"


// stages in the order of a step; returns those that were done
static unsigned laneSmooth(cfLaneGroup* g, unsigned stages) {
  unsigned done = stages;
  if (stages & CF_LANE_FRAMES) {
    laneFrames(g);
  }
  if (stages & CF_LANE_NEAR) {
    laneMeet(g);
    laneNarrow(g);
  }
  if (stages & CF_LANE_CAMERAS) {
    laneCameras(g);
  }
  if (stages & CF_LANE_INERTIA) {
    laneInertia(g);
  }
  if (g->qM_is_wanted) {
    laneReverseM(g);
  }
  if (stages & CF_LANE_MOTION) {
    laneMotion(g);
  }
  if (stages & CF_LANE_MOMENTUM) {
    laneMomentum(g);
  }
  if (stages & CF_LANE_PASSIVE) {
    lanePassive(g);
  }
  if ((stages & CF_LANE_ACTUATION) && !laneActuation(g)) {
    done &= ~(unsigned)(CF_LANE_ACTUATION | CF_LANE_ACCELERATION | CF_LANE_INTEGRATION);
  }
  if (done & CF_LANE_ACCELERATION) {
    laneAcceleration(g);
  }
  if ((done & CF_LANE_INTEGRATION) && g->is_damped) {
    laneFactorDamped(g);
  }
  return done;
}


// Worlds of these bits have no rows: nothing changes their smooth acceleration.
static void laneBare(cfLaneGroup* g, unsigned lanes) {
  CF_ASSERT(lanes && lanes < 1u << CF_LANES);
  for (int i = 0; i < g->m->nv; i++) {
    CF_AT(qacc)[i] = laneMix(lanes, CF_AT(qacc_smooth)[i], CF_AT(qacc)[i]);
    CF_AT(qfrc_constraint)[i] = laneMix(lanes, laneOf(0), CF_AT(qfrc_constraint)[i]);
  }
}


const cfLaneKernels CF_LANE_TABLE = {
    .width = CF_LANES,
    .smooth = laneSmooth,
    .rows = laneMakeRows,
    .newton = laneNewton,
    .bare = laneBare,
    .external = laneExternal,
    .reaction = laneReaction,
    .integrate = laneIntegrate,
    .isGood = laneIsGood,
    .rungeKutta = laneRungeKutta,
    .gatherNumbers = laneGatherNumbers,
    .gatherInputs = laneGatherInputs,
    .gatherResults = laneGatherResults,
    .scatter = laneScatterStages,
    .scatterLate = laneScatterLate,
    .scatterGeoms = laneScatterGeoms,
    .scatterState = laneScatterState,
    .scatterResults = laneScatterResults,
};
