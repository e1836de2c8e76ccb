// The fast tier: a team of threads steps one world, whose arrays lie close together.
//
// What is here is the same for both precisions and for host and device.  team.h is what the stages
// are written with; double.c and single.c compile all of it once per precision.
#ifndef CF_TEAM_TIER_H
#define CF_TEAM_TIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "device/job.h"
#include "model/jointkind.h"
#include "model/sensorkind.h"

// stages of a step in their order; LOAD comes before and STORE after them
typedef enum {
  CF_TEAM_LOAD,
  CF_TEAM_KINEMATICS,
  CF_TEAM_INERTIA,
  CF_TEAM_FORCES,
  CF_TEAM_COLLIDE,
  CF_TEAM_ROWS,
  CF_TEAM_SOLVE,
  CF_TEAM_SENSE,
  CF_TEAM_INTEGRATE,
  CF_TEAM_ALL,
} cftTeamStage;

// why a world cannot be finished here; a sum of flags
typedef enum {
  CF_TROUBLE_ROOM = 1,     // more contacts or rows than there is room for: the base tier steps it
  CF_TROUBLE_NUMBERS = 2,  // bad numbers
  CF_TROUBLE_CONTROL = 4,  // a bad control
} cftTeamTrouble;

// numbers that worlds may have of their own
enum {
#define CF_TEAM_VALUE(type, name, value, doc) CF_TEAM_VALUE_##name,
#include "tables/team_model.def"
  CF_TEAM_VALUES
};

// counts that are derived from a model, and the capacities of a world
typedef struct {
  int nlevel, nroot, chain, npair, is_damped, is_runge, has_spring;  // chain: of dofs
  int ndrive, ncouple, is_drawn;  // drives.c; drawn: tendons have springs or dampers
  int ncon_max, nefc_max;
  int nchain, chain_max, neq, nloss, nlimit;  // chain_max: dofs that a block of rows moves
  int has_many, has_convex, has_islands;
  int nhull, nhullvert, nhullgraph;  // meshes that collide, their vertices, numbers of their graphs
  int is_lean;                       // nothing of it is rare (CF_TEAM_RARE)
  int is_dense;                      // few dofs: matrices are lower triangles (dense.c)
  int ncand_max, nblk_max, nJ_max;
  int nsensor, nsensordata, sensor_needs;  // 0 if no sensors are requested; needs: FROM_ flags
} cfTeamShape;

// how the numbers of a sensor are limited by its cutoff
typedef enum { CF_CLAMP_NOT, CF_CLAMP_BOTH, CF_CLAMP_ABOVE } cftTeamClamp;

// a sensor (sensors.c).  Frames: body and place on it, and those of the reference (-1: none);
// subtrees: bodies from `body` to before `end`; tendons: place and length of their list of dofs;
// limits: which one; others: address in qpos, dof, or actuator
typedef struct {
  int type, adr, dim, clamp, body, end, refbody, object, shape;
  mjtNum pos[3], quat[4], refpos[3], refquat[4], size[3];
} cfTeamSensor;

// a field of the records of worlds that a world of the tier loads or stores
typedef struct {
  uint32_t offset;    // bytes in the record
  uint32_t place;     // bytes in the world's memory
  int32_t count;      // numbers
  int32_t is_int;     // otherwise double in the record and cfReal in the world
  int32_t is_byte;    // bytes in the record, int in the world
  int32_t is_loaded;  // a step reads it
  int32_t is_stored;  // a step changes it, or it is an output
} cfTeamPart;

// what is asked of the worlds of a launch; pointers are addresses of the device
typedef struct {
  char* record;
  uint64_t stride;
  const cfTeamPart* part;
  cfDeviceStatus* status;
  double timestep;
  double noise_keep, noise_scale;  // of one step; scale 0: none
  uint64_t seed;
  uint32_t time;  // bytes in the record
  int32_t npart, nstep;
  int32_t* open;       // worlds left open by the first launch and by the second, their list
  int32_t first, end;  // worlds, or places in the list
  int32_t is_again;    // the second launch: worlds of the list
  uint64_t own;        // from the parameters of the plan to those of the first world, in bytes
  uint64_t own_bytes;  // of a world; 0: all have those of the plan
  int32_t has_forms;   // shapes and frames are among them
  char* room;          // for GJK, CF_OVERLAP_BYTES a team; NULL: no pair needs it
} cfTeamJob;

// where the list of open worlds begins
enum { CF_TEAM_OPEN_LIST = 2 };

// rows of a matrix that is a lower triangle, at most, and room for one of them
enum { CF_TEAM_ROWS_MOST = 32, CF_TEAM_LINE = CF_TEAM_ROWS_MOST + 4 };

// one precision: how the host plans it, and how a CPU runs it
typedef struct {
  int real_bytes;
  size_t model_bytes;
  // fill the plan and its arrays; block NULL: only count. Arrays are told to lie at `address`.
  // Returns the bytes of the block; 0: there was no memory to make its lists
  size_t (*plan)(const mjModel* m, const cfTeamShape* shape, const char* outputs, void* plan,
                 char* block, uint64_t address);
  size_t (*worldBytes)(const void* plan);
  // what a world has of its own where its parameters are those of a model: written to `to`
  // unless it is NULL, for a plan of a model of the same shape.  Returns its bytes; 0: no memory
  size_t (*own)(const mjModel* m, const cfTeamShape* shape, char* to);
  // place, count and type of an array of a world by its name; false: there is none
  bool (*find)(const mjModel* m, const cfTeamShape* shape, const void* plan, const char* name,
               cfTeamPart* part);
  // CF_TEAM_ALL: a whole step
  void (*stage)(const void* plan, char* world, cftTeamStage stage);
  // the job for one world, or for a place in the list of open ones, with memory of worldBytes,
  // aligned to 16 bytes
  void (*run)(const void* plan, char* memory, const cfTeamJob* job, int place);
} cfTeamTier;

extern const cfTeamTier cfi_teamDouble, cfi_teamSingle;

// True if the tier steps this model; a reason if not.
bool cfi_teamAccepts(const mjModel* m, char* reason, size_t nreason);

// counts of a model; capacities are as given.  npair -1: there is no memory to find out
cfTeamShape cfi_teamShape(const mjModel* m, int ncon_max, int nefc_max);

// the shape for worlds with parameters of their own: dampers may appear in any of them, and springs
// where stiffness is a parameter
cfTeamShape cfi_teamOwnShape(const mjModel* m, int ncon_max, int nefc_max, bool has_springs);

// Reason why a world with the parameters of one model is not stepped by the plan of another, or
// NULL.
const char* cfi_teamForeignWorld(const mjModel* world, const mjModel* m);

// bodies on the way from the world to a body, itself included
int cfi_teamDepth(const mjModel* m, int body);

// colliders; those from CF_PAIR_MANY on may have more contacts than two, or are long
typedef enum {
  CF_PAIR_NONE,
  CF_PAIR_PLANE_SPHERE,
  CF_PAIR_PLANE_CAPSULE,
  CF_PAIR_SPHERE_SPHERE,
  CF_PAIR_SPHERE_CAPSULE,
  CF_PAIR_SPHERE_CYLINDER,
  CF_PAIR_SPHERE_BOX,
  CF_PAIR_CAPSULE_CAPSULE,
  CF_PAIR_PLANE_ELLIPSOID,
  CF_PAIR_CONVEX,  // by GJK and EPA (overlap.c)
  CF_PAIR_PLANE_MESH,
  CF_PAIR_MANY,
  CF_PAIR_PLANE_BOX = CF_PAIR_MANY,
  CF_PAIR_PLANE_CYLINDER,
  CF_PAIR_CAPSULE_BOX,
  CF_PAIR_BOX_BOX,
} cftTeamPair;

// pairs of geoms that may touch (pairs.c)
typedef struct {
  int first, second, kind, dim;
  int body[2], chain, num;  // place and length of the list of dofs that move them apart
  mjtNum margin, includemargin, friction[5];
  mjtNum gain[3], imp[mjNIMP], weight;  // stiffness, damping, damping of friction; inverse inertia
} cfTeamPair;

// write up to `most` pairs; returns how many there are, -1 and a reason where the tier has no
// collider for one of them
int cfi_teamPairs(const mjModel* m, cfTeamPair* pair, int most, char* reason, size_t nreason);

// meshes that collide (hulls.c): is a mesh one of them; their counts
bool cfi_isTeamHull(const mjModel* m, const cfTeamPair* pair, int npair, int mesh);
void cfi_teamHullShape(const mjModel* m, const cfTeamPair* pair, cfTeamShape* shape);

// numbers of the graph of a mesh that are needed here; 0: it has none
int cfi_teamGraphLength(const mjModel* m, int mesh);

// stiffness and damping of a reference, and the impedance, as the engine checks them
void cfi_teamGains(const mjModel* m, const mjtNum solref[mjNREF], const mjtNum solimp[mjNIMP],
                   mjtNum gain[2], mjtNum imp[mjNIMP]);

// kinds of blocks of rows
typedef enum {
  CF_BLOCK_EQUALITY,
  CF_BLOCK_LOSS,
  CF_BLOCK_LIMIT,
  CF_BLOCK_NORMAL,   // contact without friction
  CF_BLOCK_PYRAMID,  // contact with a pyramidal cone
  CF_BLOCK_CONE,     // with an elliptic one
} cftTeamBlock;

typedef enum { CF_LIMIT_SCALAR, CF_LIMIT_BALL, CF_LIMIT_TENDON } cftTeamLimit;

// a joint or tendon that is limited (lists.c)
typedef struct {
  int kind, qpos, chain, num;
  mjtNum range[2], margin, gain[2], imp[mjNIMP], weight;
} cfTeamLimit;

// an equality constraint: bodies of connect and weld, dofs of coupled joints (-1: none)
typedef struct {
  int id, kind, object[2], chain, num;
  mjtNum gain[2], imp[mjNIMP], weight[2];
} cfTeamEqual;

// a dof with friction loss
typedef struct {
  int dof;
  mjtNum force, D, B;
} cfTeamLoss;

// reason why a model is refused where sensor readings are an output, or NULL; counts; one sensor
const char* cfi_teamForeignSensor(const mjModel* m);
void cfi_teamSenseShape(const mjModel* m, cfTeamShape* shape);
cfTeamSensor cfi_teamSensor(const mjModel* m, int i);

// coefficient of a tendon for a dof; false: the tendon does not have it
bool cfi_teamTendonCoef(const mjModel* m, int tendon, int dof, mjtNum* coef);

// have some tendons springs or dampers; the tendon of an actuator, -1: it drives a joint
bool cfi_teamIsDrawn(const mjModel* m);
int cfi_teamActuatorTendon(const mjModel* m, int u);

// actuators of each dof with their coefficients, unless adr is NULL; returns their number
int cfi_teamDrives(const mjModel* m, int* adr, int* act, mjtNum* coef);

// what couples the dofs of each element of M where velocities are implicit: an actuator of a tendon
// (its diagonal is among the drives), or the damper of a tendon, -1 - tendon.  Returns their number
int cfi_teamCouples(const mjModel* m, bool is_drawn, int* adr, int* source, mjtNum* coef);

// the list of dofs of a tendon; the limit of a joint or tendon, -1 without one
int cfi_teamTendonChain(const mjModel* m, int tendon, int* length);
int cfi_teamLimitOf(const mjModel* m, bool is_tendon, int id);

// each writes its list unless it is NULL and returns its length
int cfi_teamEquals(const mjModel* m, cfTeamEqual* equal);
int cfi_teamLosses(const mjModel* m, cfTeamLoss* loss);
int cfi_teamLimits(const mjModel* m, cfTeamLimit* limit);

// lists of dofs: all of them in order, those of tendons and equalities, and for each pair those
// that move one of its bodies alone; the pairs are told where theirs is.  Returns their length
int cfi_teamChains(const mjModel* m, cfTeamPair* pair, int npair, int* dof, mjtNum* coef);

// counts that concern contacts and rows
void cfi_teamRowShape(const mjModel* m, cfTeamShape* shape);

#endif  // CF_TEAM_TIER_H
