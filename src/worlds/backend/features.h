// What models need and what back ends of the step have: rows of tables/features.def.
//
// A back end has a feature only where its column of the table says so; a model that needs another
// one is refused with the reason of the row.
#ifndef CF_BACKEND_FEATURES_H
#define CF_BACKEND_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// stages that have a lane form (batch/lanes); a model may allow some of them
typedef enum {
  CF_LANE_NONE = 0,
  CF_LANE_FRAMES = 1,         // mj_kinematics, mj_comPos
  CF_LANE_CAMERAS = 2,        // mj_camlight
  CF_LANE_INERTIA = 4,        // mj_makeM, mj_factorM
  CF_LANE_MOTION = 8,         // mj_comVel, mj_rne
  CF_LANE_PASSIVE = 16,       // mj_passive
  CF_LANE_ACTUATION = 32,     // mj_transmission, actuator velocities, mj_fwdActuation
  CF_LANE_ACCELERATION = 64,  // mj_fwdAcceleration
  CF_LANE_INTEGRATION = 128,  // mj_Euler, mj_RungeKutta, mj_implicit (implicitfast alone)
  CF_LANE_NEAR = 256,         // bounding spheres of mj_collision
  CF_LANE_SOLVE = 512,        // mj_fwdConstraint
  CF_LANE_MOMENTUM = 1024,    // mj_subtreeVel, where sensors read it
  CF_LANE_REACTION = 2048,    // mj_rnePostConstraint, where sensors read it; after the solver
  CF_LANE_CONSTRAINT = 4096,  // mj_makeConstraint, mj_referenceConstraint; after collision
  CF_LANE_ALL = 8191,
} cftLaneStage;

// sizes up to which back ends have their stages
enum {
  CF_LANE_DOFS = 64,      // dofs of a problem that is solved in lanes
  CF_LANE_TENDONS = 256,  // tendons where rows are made in lanes
  CF_LANE_BODIES = 512,   // bodies whose pairs are listed
  CF_LANE_FOUND = 128,    // contacts that are found in lanes
  CF_TEAM_DOFS = 255,     // dofs of the fast tier, which keeps lengths of their lists in bytes
};

typedef enum { CF_SUPPORT_NO, CF_SUPPORT_YES, CF_SUPPORT_SILENT } cftSupport;

typedef struct {
  const char* id;
  bool (*isUsed)(const mjModel* m);
  unsigned lanes;     // stages that lanes still do
  cftSupport team;    // SILENT: yes, unless sensor readings are an output
  cftSupport device;  // base tier of a GPU
  const char* reason;
} cfFeature;

enum {
#define CF_FEATURE(id, used, lanes, team, device, reason) CF_HAS_##id,
#define CF_FEATURE_NOW(id, used, lanes, team, device, reason) CF_HAS_##id,
#include "tables/features.def"
  CF_NFEATURE
};

// bit k: feature k of the table
typedef uint64_t cfFeatureSet;

extern const cfFeature cfi_features[CF_NFEATURE];

// Features that a model has, and those of the process at the moment (callbacks).
cfFeatureSet cfi_featuresOf(const mjModel* m);
cfFeatureSet cfi_featuresNow(void);

// Stages that lanes still do with these features; what other stages depend on is not looked at.
unsigned cfi_laneSupport(cfFeatureSet features);

// Reason of the first of these features that the fast tier has no more than so (NO or SILENT), or
// NULL; the same for those that the base tier of a GPU does not have.
const char* cfi_teamRefusal(cfFeatureSet features, cftSupport support);
const char* cfi_deviceRefusal(cfFeatureSet features);

// Reason why the fast tier does not step a world with the plan of another model, or NULL.
const char* cfi_teamDifference(const mjModel* world, const mjModel* m);

// For tests: one more feature, beyond those of the table; NULL: none.
void cfi_addFeature(const cfFeature* feature);

// True if a lone world would have room for everything but rows, this many contacts included.
bool cfi_laneHasArena(const mjModel* m, int ncon);

// Tree of the joints whose positions a fixed tendon sums; -1: none, or several.
int cfi_treeOfTendon(const mjModel* m, int tendon);

#endif  // CF_BACKEND_FEATURES_H
