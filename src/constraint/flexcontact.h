// Contacts that involve flexes: more than one body may move one side.
#ifndef CF_CONSTRAINT_FLEXCONTACT_H
#define CF_CONSTRAINT_FLEXCONTACT_H

#include "constraint/rows.h"

// bodies that move a contact and how much each one counts
enum { CF_MAX_CONTACT_BODIES = 2 * 108 };
typedef struct {
  int count;
  int body[CF_MAX_CONTACT_BODIES];
  mjtNum weight[CF_MAX_CONTACT_BODIES];
} cfContactBodies;

// true where each side of a contact is moved by one body; returns the two bodies
bool cfi_contactBodies(const mjModel* m, const mjContact* con, int body[2]);

// bodies and weights of one side, weights adding up to one
void cfi_contactSide(const mjModel* m, const mjData* d, const mjContact* con, int side,
                     cfContactBodies* res);

// number of dofs that move a contact with a flex, listed in plan->dof
int cfi_flexContactDofs(cfRowPlan* plan, const mjContact* con);

// write the rows of a contact with a flex
void cfi_fillFlexContact(cfRowPlan* plan, cfRowBlock* block, const mjContact* con);

#endif  // CF_CONSTRAINT_FLEXCONTACT_H
