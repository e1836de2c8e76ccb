// The linearization in work, and the columns of A and B that its parts fill.
#ifndef CF_FINITEDIFF_LINEARIZATION_H
#define CF_FINITEDIFF_LINEARIZATION_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "finitediff/response.h"
#include "finitediff/treegroups.h"

// memory is on the stack of d
typedef struct {
  const mjModel* m;
  mjData* d;
  mjtNum eps;
  bool is_centered;
  int nv, na, nu, nx;
  mjtNum *A, *B;
  mjtByte* column;  // nx + nu: how each came about
  mjtByte* known;   // nx + nu: is it there
  cfStepResponse response;
  cfTreeGroups groups;
  mjtNum* saved;
  int saved_bits;
  cfStepForces center, plus, minus, change;
  mjtNum *dv, *dq;  // nv
} cfLinearization;

// s->dq of s->dv: h * d(integration)/dv * dv+, joint by joint
void cfi_integrateColumn(const cfLinearization* s);

// s->dq += change of the position after the step by a change of the position itself along a dof
void cfi_addOwnMotion(const cfLinearization* s, int dof);

// column of A or B (which has width columns) from s->dv and s->dq; activations become 0
void cfi_putColumn(const cfLinearization* s, mjtNum* matrix, int width, int column);

// a column is there, and how it came about (cftColumn)
static inline void cfi_markColumn(cfLinearization* s, int column, int kind) {
  s->column[column] = (mjtByte)kind;
  s->known[column] = 1;
}

// columns of positions or velocities by differences of the stages that compute forces, and of
// positions under which rows change by steps that go on from there; d is as the response left it
typedef enum { CF_DIFFER_POSITION, CF_DIFFER_VELOCITY } cftDifferInput;
void cfi_differColumns(cfLinearization* s, cftDifferInput input);

// True if a small motion along a dof carries a whole tree along and changes no force: gravity and
// media are the same everywhere, contacts are with planes that it runs along.  reads: contacts of d
bool cfi_isFreeTranslation(const mjModel* m, const mjData* d, int dof);

#endif  // CF_FINITEDIFF_LINEARIZATION_H
