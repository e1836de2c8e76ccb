// Position-based dynamics: what its files share.  xpbd.c says how a step goes.
#ifndef CF_CONTACTSOLVER_XPBD_H
#define CF_CONTACTSOLVER_XPBD_H

#include <stdbool.h>

#include <cortenforge/contact.h>

#include "constraint/rows.h"
#include "contactsolver/components.h"

enum {
  XPBD_SUBSTEPS,
  XPBD_ITERATIONS,
  XPBD_COMPLIANCE,
  XPBD_DAMPING,
  XPBD_RESTITUTION,
  XPBD_DEPTH,
  XPBD_SPEED,
  XPBD_TOLERANCE,
  NXPBD
};

// One axis of a block.  What a pass wants of it: J*u + bias + give*lambda = 0, where u are
// displacements and lambda forces times h^2, or velocities and impulses
typedef struct {
  mjtNum lambda;
  mjtNum bias, give;
  mjtNum C;             // what the constraint is off by, at the start of the substep
  mjtNum soft, spring;  // compliant: 1/(s + r) and s/(s + r)
  mjtNum damper;        // r
  mjtNum weight;        // diagonal of A
  mjtNum impulse;       // of the step so far
} xpbdAxis;

// law of a block
typedef struct {
  xpbdAxis* axis;  // dim of them
  mjtNum* A;       // dim x dim: J M^-1 J'; of an equality the inverse of that with give
  bool is_rigid;
  bool is_active;  // in this pass
  bool bounces;    // in this pass
  bool is_overdamped;
  mjtNum bound;  // friction loss: largest lambda, else 0
  mjtNum restitution;
  mjtNum depth;  // rigid contacts and limits: what is left of an overlap
  mjtNum push;   // contacts: largest displacement by which a substep moves bodies apart
  mjtNum cap;    // the same in this pass
  mjtNum speed;  // of the normal before the substep
  mjtNum free;   // of the normal in the substep if nothing acted
  mjtNum part;   // of the impulses of displacements: with these velocities begin
  mjtNum most;   // rigid contacts and limits: largest give*lambda
  mjtNum inverse, soft_inverse;  // 1/A[0] and 1/(A[0] + soft) of contacts and limits
  const mjtNum* mu;              // of a contact
  mjtNum tangent[3];  // of two tangents: xx, xy, yy of the inverse of their A; zeros: singular
  int nsix;           // trees of six dofs each that are all the block acts on, else 0
} xpbdLaw;

// where a contact is on the bodies that touch
typedef struct {
  mjtNum point[2][3];  // in the frame of each body: center of the curvature there
  mjtNum radius[2];    // of the curvature; the contact lies that far along the normal
  mjtNum share;        // where it lies between the two when they have slid apart: 0 first, 1 second
  int body[2];         // -1: more bodies than two
  mjtNum dist;         // now
} xpbdWitness;

// an actuator whose slope every integrator takes implicitly: its force is
// wanted - slope*moment*(v - start), within limits
typedef struct {
  int actuator;
  mjtNum slope, wanted, applied, low, high;
  mjtNum held;  // force in this substep where it is at a limit
  bool is_held;
} xpbdMotor;

// Equalities of a group that are solved together.  Row i of L has the numbers from first[i] to i,
// at L + adr[i] + first[i].
typedef struct {
  int nblock, nrow;  // the first blocks of the group, 0: none; their rows
  int size;          // of L
  int *first, *adr;
  mjtNum *L, *inverse;  // of LDL' and its diagonal
  mjtNum* r;            // right-hand side
} xpbdChain;

// trees that touch
typedef struct {
  xpbdChain chain;
  bool can_rest;       // has contacts, limits and dry friction alone
  bool is_moving;      // its rows are made anew in this substep
  bool has_converged;  // passes over displacements ended by the tolerance
  bool is_disturbed;   // there is a pass over velocities
  bool is_steady;      // the rest of the step is like the last substep
  bool has_gained;     // its equalities have put energy in: its velocities are to be solved again
  mjtNum energy;       // of motion without its equalities
} xpbdGroup;

typedef struct {
  const cfContactProblem* p;
  int nsubstep;
  mjtNum h;  // substep
  cfContactBlocks blocks;
  cfComponents parts;      // groups of blocks and dofs that do not touch each other
  xpbdLaw* law;            // by block
  xpbdAxis* axis;          // by axis
  xpbdWitness* witness;    // by contact
  mjtNum *dx, *v;          // nv: displacement in the substep, velocity
  mjtNum *start, *before;  // nv: velocity at the start of the step, of the substep
  mjtNum* held;            // nv: forces that stay the same in the step
  mjtNum* scratch;         // nv
  mjtNum *damping, *LD;    // nC: what velocity takes from forces; factor of the inertia with slopes
  mjtNum *free_damping, *free_held;  // nC, nv: damping and held without motors
  mjtNum *spring, *moved;            // nv: stiffness in the inertia; displacement in the step
  mjtNum* spring_force;              // nv: of springs, at the start of the step
  xpbdMotor* motor;                  // nmotor of them
  int nmotor;
  bool has_springs, has_servos;  // there are forces that change with the displacement
  mjtNum* diaginv;               // nv
  mjtNum* pending;               // nv: displacement since the dof was last moved in d
  mjtNum* acc;                   // nv: by smooth forces, of the last substep that changed them
  mjtNum* free_v;                // nv: velocity without equalities
  bool has_equalities;           // that are rigid
  mjtNum* wide;                  // nv + 4: part of a vector that a block with many dofs sees
  mjtByte* is_moving;            // nv: the rows of its group follow it in this substep
  mjtByte* was_moved;            // nv: d has been moved in this step
  mjtByte* is_steady;            // nv: the velocity stays for the rest of the step
  xpbdGroup* group;              // by group
  int* moving;                   // nmoving dofs, increasing
  int nmoving;
  bool can_rest;  // no smooth force changes unless something moves
  mjtNum* stiff;  // nv: inertia added against forces that turn with bodies, see cfi_xpbdStiffen
  bool has_damping, is_stiff;
  bool is_moved;   // d is not what it was at the start of the step
  bool can_move;   // the rows of the step may be written at other configurations
  cfRowPlan plan;  // they
  mjtNum* search;  // 2 nv + 2 nefc: scratch of passes
  char* saved;
} xpbdWork;


// ---------------------------------------- motion (xpbdmotion.c)

// what the motion within a step needs: inertia with damping, witnesses, list of the rows
void cfi_xpbdBeginMotion(xpbdWork* work, void* scratch);

// scratch for the list of rows, bytes of `saved`
size_t cfi_xpbdMotionBytes(const cfContactProblem* p);
size_t cfi_xpbdSavedBytes(const cfContactProblem* p);

// dx = h*(v + h*a) by smooth forces at the present configuration
void cfi_xpbdPredict(xpbdWork* work);

// Forces of joints turn with the bodies they act on, which is a stiffness: a light link between
// heavy ones swings faster than long substeps can follow, and the chain bursts.  Dofs that would do
// so get more inertia, everywhere else nothing changes.  true: some did
bool cfi_xpbdStiffen(xpbdWork* work);

// back to the start of a substep whose inertia or held forces have changed
void cfi_xpbdRepeat(xpbdWork* work);

// move by dx; with_rows: everything that the next pass reads is made anew
void cfi_xpbdMove(xpbdWork* work, bool with_rows);

// drift of the step; d becomes what it was
void cfi_xpbdEndMotion(xpbdWork* work, mjtNum* drift);


// ---------------------------------------- slopes of held forces (xpbdslope.c)

// damping, spring and motors, at the start of a step
void cfi_xpbdFindSlopes(xpbdWork* work);

// force -= damping*change of velocity + spring*displacement of the substep
void cfi_xpbdSubtractSlopes(const xpbdWork* work, mjtNum* force, const mjtNum* change);

// force += what springs and servos have changed by as bodies moved; writes qfrc_spring
void cfi_xpbdAddMoved(const xpbdWork* work, mjtNum* force);

// a substep begins: no motor is known to be at a limit
void cfi_xpbdFreeMotors(xpbdWork* work);

// motors that dx takes beyond their limits are held there; true: there are more of them
bool cfi_xpbdLimitMotors(xpbdWork* work);


// ---------------------------------------- contacts (xpbdwitness.c)

// where a contact is on its bodies at the start of a step, and where that is now: pos
void cfi_xpbdWitness(const cfContactProblem* p, const mjContact* con, xpbdWitness* witness);
void cfi_xpbdMoveContact(const mjData* d, mjContact* con, xpbdWitness* witness);


// ---------------------------------------- rows (xpbdrows.c)

// J and B of all blocks of the groups that move, or of all groups
void cfi_xpbdRenewBlocks(xpbdWork* work, bool is_all);

// B alone, of all groups
void cfi_xpbdRenewResponses(xpbdWork* work);

// the groups that can rest
void cfi_xpbdListGroups(xpbdWork* work);

// Groups and dofs that move, now that a substep has moved all by dx.  Rows of the others go on
// with the Jacobians that they have.
void cfi_xpbdFindMoving(xpbdWork* work);

// groups at rest on which no net force acts: their velocities and impulses stay in this step
void cfi_xpbdFindSteady(xpbdWork* work);


// ---------------------------------------- laws (xpbdlaw.c)

// what stays the same in a step; A and its inverses at the present configuration
void cfi_xpbdLaws(xpbdWork* work);
void cfi_xpbdMatrices(xpbdWork* work, bool is_all);

// a pass over displacements or velocities begins: bias, give, which blocks take part
void cfi_xpbdBeginPositions(xpbdWork* work, bool is_first);
// how many bounce, -1: no block takes part in the pass over velocities
int cfi_xpbdBeginVelocities(xpbdWork* work);

// take out of velocities what moved bodies out of each other
void cfi_xpbdDropPushes(xpbdWork* work);

// impulses of the substep are added to those of the step
void cfi_xpbdEndSubstep(xpbdWork* work);


// ---------------------------------------- equalities together (xpbdchain.c)

// memory, and which groups have what
size_t cfi_xpbdChainBytes(const cfContactProblem* p);
void cfi_xpbdListChains(xpbdWork* work, void* memory);

// factor by the present J and B
void cfi_xpbdFactorChain(xpbdWork* work, int group);

// bring all to their laws; returns how far they were off
mjtNum cfi_xpbdVisitChain(xpbdWork* work, int group, mjtNum* u);


// ---------------------------------------- a bound on the work of equalities (xpbdenergy.c)

// before a substep moves: velocities without equalities
void cfi_xpbdKeepFree(xpbdWork* work);

// After the pass over velocities: groups with more energy than that begin again with those; true:
// there are such groups
bool cfi_xpbdDropGains(xpbdWork* work);


// ---------------------------------------- passes (xpbdpass.c)

// one visit of every block of a group in the order of the rows or against it
// returns the largest change of what constraints see of u
mjtNum cfi_xpbdSweep(xpbdWork* work, int group, mjtNum* u, bool forward);

// friction within the cone that a normal force allows: b + A*friction is what slips, A is n x n in
// rows of stride, friction the old value and the new one
void cfi_xpbdFriction(mjtNum* friction, const mjtNum* slip, const mjtNum* A, int stride,
                      const mjtNum* mu, mjtNum normal, int n);

// xx, xy and yy of the inverse of two rows of A; zeros where that is singular
void cfi_xpbdInvertTangents(mjtNum inverse[3], const mjtNum* A, int stride);

// friction of a contact with two tangents, given what slips now
static inline void cfi_xpbdTwoTangents(mjtNum friction[2], const mjtNum slip[2], const xpbdLaw* law,
                                       mjtNum normal) {
  const mjtNum *inverse = law->tangent, *mu = law->mu;
  const mjtNum x = friction[0] - (inverse[0] * slip[0] + inverse[1] * slip[1]);
  const mjtNum y = friction[1] - (inverse[1] * slip[0] + inverse[2] * slip[1]);
  const mjtNum a = x * mu[1], b = y * mu[0], most = normal * mu[0] * mu[1];
  if (normal > 0 && inverse[0] > 0 && a * a + b * b <= most * most) {
    friction[0] = x;
    friction[1] = y;
  } else {
    cfi_xpbdFriction(friction, slip, law->A + 4, 3, mu, normal, 2);
  }
}


#endif  // CF_CONTACTSOLVER_XPBD_H
