// mj_rnePostConstraint in pieces, for who does some of them for many worlds or on many threads.
#ifndef CF_CONSTRAINT_RNEPOST_H
#define CF_CONSTRAINT_RNEPOST_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "constraint/bodycontacts.h"
#include "model/indexset.h"

// cfrc_ext: forces of the user, of contacts and of equality constraints on each body.
// reads: xfrc_applied, contacts, efc_force
void cfi_externalForces(const mjModel* m, mjData* d);

// The whole by runs of bodies that hang together at the world alone (model/deal.h), where no
// equality constraint is active: the world before, each run, and what the world feels of them after
void cfi_beginPostRuns(const mjModel* m, mjData* d);
void cfi_postRun(const mjModel* m, mjData* d, cfIndexSet bodies, const cfBodyContacts* contacts);
void cfi_endPostRuns(const mjModel* m, mjData* d);

#endif  // CF_CONSTRAINT_RNEPOST_H
