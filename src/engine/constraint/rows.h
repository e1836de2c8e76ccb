// Constraint rows: a plan lists the active constraints, then memory is taken once and each is
// written.
#ifndef CF_CONSTRAINT_ROWS_H
#define CF_CONSTRAINT_ROWS_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "kinematics/tendon.h"
#include "kinematics/chain.h"

// one constraint: rows that share their dofs and, except for flexes, their impedance
typedef struct {
  int type;    // mjtConstraint
  int id;      // equality, dof, joint, tendon or contact
  int item;    // limit: side, -1 lower or +1 upper; flex equality: edge or vertex row
  int nrow;    // number of rows
  int nnz;     // stored numbers per row
  int row;     // first row in efc_, -1 while not written or when all its rows are zero
  int adr;     // where its numbers begin in efc_J, if it is placed
  int alike;   // if it is placed: has the next block the same columns; -1: not known
  mjtNum pos;  // limit: distance to it
} cfRowBlock;

// active constraints of this step and scratch for writing them
typedef struct {
  const mjModel* m;
  mjData* d;
  bool is_sparse;
  bool skip_asleep;   // some trees sleep
  bool is_placed;     // blocks know their rows before they are written
  cfRowBlock* block;  // room for all possible constraints
  int nblock;
  cfPairChain chain;  // dofs of two bodies
  int* dof;           // nv: merged index list
  mjtNum* jac;        // 6 x nv: rows over the dofs of a chain
} cfRowPlan;

// where the rows of one block are written: entry (r, k) is J[r*stride + (col ? col[k] : k)]
typedef struct {
  mjtNum* J;
  int stride;
  const int* col;
} cfRowSlots;

// list a constraint; sparse constraints without dofs are left out.  Returns its block or NULL
cfRowBlock* cfi_planRows(cfRowPlan* plan, int type, int id, int nrow, int nnz);

// Each lists the active constraints of one family.
void cfi_planEquality(cfRowPlan* plan);
void cfi_planFriction(cfRowPlan* plan);
void cfi_planLimits(cfRowPlan* plan);
void cfi_planContacts(cfRowPlan* plan);

// Each writes the rows of one block: efc_J, efc_pos, efc_margin, efc_frictionloss.
void cfi_fillEquality(cfRowPlan* plan, cfRowBlock* block);
void cfi_fillDofFriction(cfRowPlan* plan, cfRowBlock* block);
void cfi_fillTendonFriction(cfRowPlan* plan, cfRowBlock* block);
void cfi_fillJointLimit(cfRowPlan* plan, cfRowBlock* block);
void cfi_fillTendonLimit(cfRowPlan* plan, cfRowBlock* block);
void cfi_fillContact(cfRowPlan* plan, cfRowBlock* block);

// the first row of a block that is about to be written
static inline int cfi_nextRow(const cfRowPlan* plan, const cfRowBlock* block) {
  return plan->is_placed ? block->row : plan->d->nefc;
}

// The rows of a step but for contacts at another configuration: the same constraints, written to
// the same places.  First, where they were made, the list of their blocks, in scratch of
// cfi_planBytes; false where rows and lists do not agree any more (the state was changed).  Then,
// after positions have moved and kinematics are up to date, efc_J and efc_pos again.
size_t cfi_planBytes(const mjModel* m, const mjData* d);
bool cfi_listRows(cfRowPlan* plan, const mjModel* m, mjData* d, void* scratch);
void cfi_renewRows(cfRowPlan* plan);

// distance to a limit, now
mjtNum cfi_limitDistance(const cfRowPlan* plan, const cfRowBlock* block);

// Jacobian of a contact of two bodies along its axes, whatever its cone, over the dofs of
// plan->chain, which must be that of the bodies: entry (r, k) to J[r*stride + (col ? col[k] : k)].
void cfi_fillContactAxes(cfRowPlan* plan, const mjContact* con, const int body[2], mjtNum* J,
                         int stride, const int* col);

// write the rows of a block, whatever it is
void cfi_fillBlock(cfRowPlan* plan, cfRowBlock* block);

// write and weigh all blocks on the threads of a pool; false, and nothing done, where there is none
// or too little to do
bool cfi_shareRows(cfRowPlan* plan);

// has the row behind a block the same columns, both being written
bool cfi_nextIsAlike(const mjData* d, const cfRowBlock* block);

// count rows by family
void cfi_countRows(mjData* d, int type, int nrow);

// take the next rows of efc_: sets type, id and structure, clears pos, margin and frictionloss
cfRowSlots cfi_openRows(cfRowPlan* plan, cfRowBlock* block, const int* dof);

// write rows given over a list of dofs (NULL: all dofs in order), unless they are all empty
bool cfi_putRows(cfRowPlan* plan, cfRowBlock* block, const mjtNum* jac, const int* dof);

// remember the first row of a tendon
static inline void cfi_claimTendon(mjData* d, int tendon, int row) {
  if (d->tendon_efcadr[tendon] == -1) {
    d->tendon_efcadr[tendon] = row;
  }
}

// stage part: diagApprox, R, D, KBIP and contact mu of every written block, of one block
void cfi_setImpedance(const cfRowPlan* plan);
void cfi_weighBlock(const mjModel* m, mjData* d, const cfRowBlock* block);

// how rows of a constraint answer to a violation: parameters of the impedance, checked; stiffness
// and damping of the reference, damping of friction rows of an elliptic cone
typedef struct {
  mjtNum imp[mjNIMP], K, B, B_friction;
} cfRowLaw;

cfRowLaw cfi_rowLaw(const mjModel* m, const mjData* d, int type, int id);

// warn that the arena is full and leave mjData without rows
void cfi_outOfRows(mjData* d);

// take the memory of arrays that were laid out up to here; if it is not there, the same and false
bool cfi_takeLaid(mjData* d, size_t used);

#endif  // CF_CONSTRAINT_ROWS_H
