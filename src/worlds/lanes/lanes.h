// Lanes: W worlds per number.
//
// A group holds the fields of W worlds number by number, the W values of a number side by side, so
// that one vector instruction works on all of them.  Each lane does the operations of the scalar
// stages in their order: its bits are those of a lone world.  Stages that branch on the model alone
// have a lane form (kernels.h, compiled once per width); the rest of the step (collision, rows,
// solver, sensors, what a model needs beyond) runs world by world on an mjData of each lane:
//
//   mjData of W worlds -> gather -> lane stages -> scatter -> collision and rows, per world
//                      -> gather -> lane solver -> scatter -> sensors, per world
//                      -> gather -> lane integrator -> scatter
#ifndef CF_BATCH_LANES_LANES_H
#define CF_BATCH_LANES_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "backend/features.h"
#include "collision/broad/near.h"
#include "collision/parameters.h"
#include "pipeline/advance.h"

struct cfBatch_;

enum { CF_LANES_MAX = 8, CF_LANE_EVALUATIONS = 4 };

// problems that are solved in lanes: rows at most; changes of rows up to which the factor
// of the Hessian is changed, as in solver/hessiandense.c
enum { CF_LANE_MOST_ROWS = 256, CF_LANE_CHANGES = 6 };

// both sides of the ranges of joints, then of tendons
enum { CF_LANE_LIMITS = 2 * (CF_LANE_DOFS + CF_LANE_TENDONS) };

// fields of tables/lanes_own.def
enum {
  CF_LANE_OWN_FIELDS = 0
#define CF_LANE_OWN(name) +1
#define CF_LANE_OWN_OPTION(name) +1
#include "tables/lanes_own.def"
};

// numbers that the line search keeps of an elliptic contact
enum { CF_LANE_CONE_LINE = 11 };

// narrow phase: contacts of two geoms and of all of them at most; vertices and faces of the
// polytopes between convex shapes
enum { CF_LANE_PAIR_CONTACTS = 16, CF_LANE_VERTICES = 72, CF_LANE_FACES = 256 };

// a field of the group and of its worlds
typedef struct {
  mjtNum* lanes;
  size_t offset;   // of its pointer in mjData
  int count;       // numbers per world
  unsigned stage;  // that writes it; 0: an input or a result
  bool is_input, is_result;
  bool is_late;  // worlds read it only where they do stages of their own
} cfLaneField;

// bounding spheres of two geoms, or of one geom and a plane; boxes around them
typedef struct {
  enum { CF_NEAR_ALWAYS, CF_NEAR_SPHERES, CF_NEAR_PLANE } kind;  // of a plane: the first geom
  mjtNum bound;  // distance from which on they are apart, margins included
  mjtNum margin;
  mjtNum slack;  // how far apart geoms may be that a collider takes for touching
  mjtNum doubt;  // how deep a contact may be that the boxes of trees miss; 0: there are no trees
} cfLaneSpheres;

// how the contacts of two geoms are found in lanes
typedef enum {
  CF_NARROW_NONE,  // they are not
  CF_NARROW_PLANE_SPHERE,
  CF_NARROW_PLANE_CAPSULE,
  CF_NARROW_PLANE_BOX,
  CF_NARROW_SPHERES,
  CF_NARROW_SPHERE_CAPSULE,
  CF_NARROW_CAPSULES,
  CF_NARROW_BOXES,
  CF_NARROW_CONVEX,
} cftNarrow;

// pairs of bodies that may touch, the same in all worlds
typedef struct {
  cfCandidate* candidate;
  int ncandidate;
  cfNearGeoms* geoms;      // of the candidates, one after the other
  cfLaneSpheres* spheres;  // of the same
  int* first;              // ncandidate + 1: where those of a candidate begin
  int* hit;                // candidates that meet in some world, ascending
  int nhit;
  // bits of lanes, as cfNearPairs has them: per candidate, and per two geoms
  unsigned char *meets, *is_sure, *geoms_meet;
  unsigned char* has_box;  // per geom: the box around it is known in this step
  // per two geoms: how contacts are found; what was found, as cfNearPairs has it, of nfound places
  unsigned char *kind, *known, *found_count;
  int* found_at;
  mjtNum* found;
  int nfound;
  bool is_all_known;                // no world needs a collider
  cfContactParameters* parameters;  // per two geoms
  bool has_own_parameters;          // worlds mix their own
} cfLaneCandidates;

// where the rows of a constraint stand: first rows, each with the bits of the worlds that have it
// there; every world at most once
typedef struct {
  int n, row[CF_LANES_MAX];
  unsigned lanes[CF_LANES_MAX];
} cfLanePlaces;

// a constraint that was made in lanes, in the worlds that have it
typedef struct {
  unsigned lanes;  // bits of these worlds
  int nrow, island;
  bool pushes;                     // a limit or a contact
  bool is_cone;                    // an elliptic contact
  cfLanePlaces at, part_at;        // among all rows, and among those of the island
  uint64_t columns, part_columns;  // dofs; the same within the island
  // of a cone: slope, weight in the middle zone, friction
  mjtNum mu[CF_LANES_MAX], Dm[CF_LANES_MAX], friction[5][CF_LANES_MAX];
} cfLaneBlock;

// constraint rows of the worlds and Newton's method on them
typedef struct {
  // worlds that are solved together: bits of lanes; rows of equalities and friction, the same in
  // all of them
  unsigned lanes;
  int ne, nf;
  bool by_island;            // an island, or one that holds everything, else no islands at all
  bool is_made;              // the rows were made in lanes: worlds have none
  bool is_alike;             // their contacts are between the same geoms, none of a named pair
  int source[CF_LANES_MAX];  // the lane itself, or one that takes part in place of one that does
                             // not
  int nefc[CF_LANES_MAX], niter[CF_LANES_MAX];
  int next[CF_LANES_MAX];  // rows that were made so far
  cfLanePlaces opened;     // of the constraint that was opened last

  // several islands, the same in all worlds; 0: all rows at once.  Island of a tree, -1 for none;
  // rows of each island
  int nisland, tree_island[CF_LANE_DOFS];
  int part_ne[CF_LANE_DOFS], part_nf[CF_LANE_DOFS], part_nefc[CF_LANE_DOFS][CF_LANES_MAX];

  // constraints in order, kept where there are several islands or elliptic cones
  bool keeps_blocks;
  cfLaneBlock* block;
  int nblock;
  mjtNum tolerance[CF_LANES_MAX], ls_tolerance[CF_LANES_MAX];
  mjtNum scale[CF_LANES_MAX];  // without islands

  // rows: Jacobian, stiffness, its inverse, friction loss, reference; residuals at the iterate, at
  // qacc_smooth and along the direction; three numbers of the line search each; forces
  mjtNum *J, *D, *R, *loss, *aref, *jar, *start, *Jv, *line, *force;
  // dofs: M*acc, gradient, direction, M*direction
  mjtNum *Ma, *grad, *search, *Mv;
  // lower triangles: Hessian, its factor and the inverse of its diagonal, scratch
  mjtNum *H, *L, *inverse, *spare;
  uint64_t* column;  // per four rows: columns that are not zero in all worlds
  uint64_t* filled;  // per row of L
  // per row: bits of lanes where it is quadratic, or at the lower bound of friction; the same
  // before the last step; those that are in H
  unsigned char *quad, *low, *old_quad, *old_low, *built;
  unsigned char *middle, *old_middle;  // in the middle zone of an elliptic cone
  mjtNum* cone_line;                   // elliptic contacts along the line
  int ncone, nplain;                   // cones; other constraints that push, beside cones
  mjtNum* zeros;                       // one row
} cfLaneNewton;

// one of several islands: its rows, its dofs, and inertia at them
typedef struct {
  cfLaneNewton newton;
  mjtNum *acc, *acc_smooth, *frc_smooth, *frc_constraint;
  // dofs of all islands, one after the other, and the first of each; place of a dof of the model
  // within its island; inertia at these dofs.  They hold for the islands of these trees
  int dof[CF_LANE_DOFS], first[CF_LANE_DOFS + 1], index[CF_LANE_DOFS];
  int rowadr[CF_LANE_DOFS], rownnz[CF_LANE_DOFS], *colind;
  int tree_island[CF_LANE_DOFS], nisland;
} cfLanePart;

// rows of a world: equality, friction, limits, all
typedef struct {
  int ne, nf, nl, nefc;
} cfLaneRowCount;

typedef struct cfLaneGroup_ {
  const mjModel* m;
  mjData* data[CF_LANES_MAX];  // of each lane
  // model of each lane: the shared one, or one that reads the parameters of its world where they
  // are
  const mjModel* model[CF_LANES_MAX];
  mjModel* own_model;
  int width;
  unsigned stages;  // that this model allows, and that somebody reads
  bool is_damped;   // the integrator solves with factors of its own
  bool is_fast;     // implicitfast
  unsigned lifted;  // bits of lanes whose worlds compensate gravity
  bool qM_is_wanted, cameras_are_wanted, reactions_are_wanted, external_is_wanted;
  bool has_last_reactions;   // of the last evaluation of Runge-Kutta
  cfReacts inner_reactions;  // those that Runge-Kutta computes where worlds are integrated alone
  bool records_are_wanted;   // of the solver's iterations
  void* memory;

#define CF_LANE_INPUT(name) mjtNum* name;
#define CF_LANE_OUTPUT(name, stage) mjtNum* name;
#define CF_LANE_LATE(name, stage) mjtNum* name;
#define CF_LANE_SPARE(name, stage) mjtNum* name;
#define CF_LANE_RESULT(name) mjtNum* name;
#include "tables/lanes.def"

  // scratch: sine and cosine of half the angle of joints; accelerations and forces of bodies;
  // controls and accelerations; derivative of forces by the velocity of the same dof
  mjtNum *half, *body_acc, *body_force, *control, *damped, *slope;

  // forces on bodies from outside, of each world; boxes around geoms; vertices and planes of the
  // polytope between two convex shapes
  mjtNum *external, *geom_box, *polytope;

  // Runge-Kutta: state at the beginning of the step, weighted means of its derivatives
  mjtNum *start_qpos, *start_qvel, *start_act, *mean_qvel, *mean_qacc, *mean_act;

  // Jacobians of fixed tendons, ntendon x nv, the same in all worlds
  mjtNum* tendon_row;

  // bits of lanes for each dof, then for each tendon: it has dry friction; how many rows that makes
  unsigned char* friction;
  int nf[CF_LANES_MAX];

  // parameters of each world, where worlds have some of their own; the number of parameters of the
  // batch for which it was looked up where each of them lies
  int nlooked, own_place[CF_LANE_OWN_FIELDS];
  bool has_own_frames;  // of inertias, geoms or sites in those of their bodies
#define CF_LANE_OWN(name) mjtNum* own_##name;
#define CF_LANE_OWN_OPTION(name) mjtNum* own_##name;
#include "tables/lanes_own.def"

  cfLaneField* field;
  int nfield;
  cfLaneCandidates near;
  cfLaneNewton newton;
  cfLanePart part;
} cfLaneGroup;

// the stages for one width
typedef struct cfLaneKernels_ {
  int width;
  // the given stages in order; returns those that were done: bad controls are left to the worlds
  unsigned (*smooth)(cfLaneGroup* g, unsigned stages);
  // rows of worlds, given as bits of lanes, in g->newton; bits of those that are to make their own
  unsigned (*rows)(cfLaneGroup* g, unsigned live);
  // the rows of the worlds in g->newton; bits of lanes that were solved: qacc and qfrc_constraint
  // in the group, forces and statistics in the worlds
  unsigned (*newton)(cfLaneGroup* g);
  // worlds of these bits have no rows: their acceleration is the smooth one
  void (*bare)(cfLaneGroup* g, unsigned lanes);
  // forces of contacts on bodies, in the worlds of these bits, whose rows were made and solved
  void (*external)(cfLaneGroup* g, unsigned lanes);
  // accelerations of bodies and forces between them, from qacc and the forces from outside
  void (*reaction)(cfLaneGroup* g);
  // after the constraint stage: qpos, qvel and act one step later
  void (*integrate)(cfLaneGroup* g);
  // positions and velocities are numbers of the usual size, as mj_checkPos and mj_checkVel ask
  bool (*isGood)(const cfLaneGroup* g);
  // Runge-Kutta after the constraint stage of evaluation 0..3: where the next one is, or the step
  // ends
  void (*rungeKutta)(cfLaneGroup* g, int evaluation);
  // n numbers of each world
  void (*gatherNumbers)(mjtNum* lanes, mjtNum* const* world, int n);
  // from mjData: inputs; results of the solver where asked for, and of the forces that are not
  // among `done`
  void (*gatherInputs)(cfLaneGroup* g);
  void (*gatherResults)(cfLaneGroup* g, unsigned done, bool with_solution);
  // to mjData: what stages wrote, with or without late fields; late fields alone; qpos, qvel and
  // act; what the solver found
  void (*scatter)(cfLaneGroup* g, unsigned stages, bool with_late);
  void (*scatterLate)(cfLaneGroup* g, unsigned stages);
  void (*scatterGeoms)(cfLaneGroup* g);  // late fields that colliders read
  void (*scatterState)(cfLaneGroup* g);
  void (*scatterResults)(cfLaneGroup* g);
} cfLaneKernels;

extern const cfLaneKernels cfi_lanes1, cfi_lanes4, cfi_lanes8, cfi_lanes4Own, cfi_lanes8Own;

// the kernels of a width: 1, 4 or 8; NULL: this processor has none
const cfLaneKernels* cfi_laneKernels(int width);

// the same for worlds with model parameters of their own; NULL: one world alone
const cfLaneKernels* cfi_ownLaneKernels(const cfLaneKernels* kernels);

// parameters of the worlds of a group, and the stages that they allow; worlds are -1 where a lane
// has none
unsigned cfi_gatherOwn(cfLaneGroup* g, const struct cfBatch_* batch, const int* world);

// worlds whose joints sit elsewhere on their bodies have no lanes
bool cfi_laneKnowsJoints(const struct cfBatch_* batch);

// does Euler solve with factors of its own, which it writes then
bool cfi_laneEulerIsDamped(const mjModel* m);

// which worlds compensate gravity, as dynamics/passive.c decides it
void cfi_laneLifts(cfLaneGroup* g);

// which dofs and tendons have dry friction in which world
void cfi_laneFriction(cfLaneGroup* g);

// Smooth stages that have a lane form for this model; 0: it is stepped world by world.
unsigned cfi_laneStages(const mjModel* m);

// Those of these stages that do not depend on a missing one.
unsigned cfi_laneStagesLeft(unsigned stages, bool is_lifted, bool is_fast);

// a group without data; NULL: no memory.  Spare fields are kept where the rest of a step reads them
// or the batch has them as output; all of them without a batch
cfLaneGroup* cfi_makeLanes(const mjModel* m, const cfLaneKernels* kernels,
                           const struct cfBatch_* batch);
void cfi_freeLanes(cfLaneGroup* g);

// time of an evaluation of Runge-Kutta, in timesteps after the beginning of the step
mjtNum cfi_laneReach(int evaluation);

// what mj_forward does before mj_fwdConstraint besides the stages that were done in lanes, and
// after it; `m` is the model of the lane
void cfi_laneRest(const cfLaneGroup* g, int lane, const mjModel* m, unsigned done,
                  bool with_sensors);
void cfi_laneReact(cfLaneGroup* g, const cfLaneKernels* kernels, bool is_known);
void cfi_laneAfterSolve(const mjModel* m, mjData* d, bool has_reactions);

// mj_fwdConstraint in lanes: which models have it; mj_island before it; a world offers its rows;
// bits of lanes that were solved; one world that was not
bool cfi_hasLaneSolver(const mjModel* m);
void cfi_laneIslands(const mjModel* m, mjData* d, unsigned done);
void cfi_laneOffer(cfLaneGroup* g, int lane, const mjModel* m);
unsigned cfi_laneSolve(cfLaneGroup* g, const cfLaneKernels* kernels, unsigned done);
void cfi_laneSolveAlone(const mjModel* m, mjData* d, unsigned done);

// mj_makeConstraint in lanes: which models have it; which worlds of those with these rows take
// part, and what they keep of their rows: returns bits of those that are to make their own
// (`limit`: bits of worlds that are at each side of each joint's range, then of each tendon's); one
// that does, up to mj_referenceConstraint
bool cfi_hasLaneRows(const mjModel* m);
unsigned cfi_laneTakeRows(cfLaneGroup* g, unsigned live, const cfLaneRowCount* count,
                          const unsigned char* limit);
void cfi_laneOwnRows(const mjModel* m, mjData* d, unsigned done);

// pairs of bodies that the filters of a model let through.  False: there are too many of them for
// lanes, or something else looks at the trees of bodies
bool cfi_listCandidates(cfLaneCandidates* near, const mjModel* m, const struct cfBatch_* batch);

// how contacts of two geoms are found in lanes, the one with the lower type first
cftNarrow cfi_laneNarrowKind(const mjModel* m, int geom1, int geom2);
void cfi_freeCandidates(cfLaneCandidates* near);

// what is known about them in one world
cfNearPairs cfi_laneNear(const cfLaneCandidates* near, int lane);

#endif  // CF_BATCH_LANES_LANES_H
