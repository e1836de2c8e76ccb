// State and force of constraints at given residuals, and the cost they add.
#ifndef CF_CONSTRAINT_ROWUPDATE_H
#define CF_CONSTRAINT_ROWUPDATE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// the rows of all constraints or of one island: equalities, then friction loss, then the rest
typedef struct {
  int ne, nf, nefc;
  const mjtNum *D, *R, *frictionloss, *aref;
  const int *type, *id;
  mjContact* contact;
  bool may_have_cones;  // elliptic contacts
} cfRowSet;

// all rows of mjData
cfRowSet cfi_allRows(const mjModel* m, const mjData* d);

// state and force of every row at residual jar = J*qacc - aref; returns the cost.
// with_hessian also writes contact.H of contacts in the middle zone of an elliptic cone
mjtNum cfi_updateRows(const cfRowSet* rows, const mjtNum* jar, int* state, mjtNum* force,
                      int with_hessian);

#endif  // CF_CONSTRAINT_ROWUPDATE_H
