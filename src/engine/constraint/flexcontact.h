// Contacts that involve flexes: more than one body may move one side.
#ifndef CF_CONSTRAINT_FLEXCONTACT_H
#define CF_CONSTRAINT_FLEXCONTACT_H

#include "constraint/rows.h"
#include "flex/contactbodies.h"

// number of dofs that move a contact with a flex, listed in plan->dof
int cfi_flexContactDofs(cfRowPlan* plan, const mjContact* con);

// write the rows of a contact with a flex
void cfi_fillFlexContact(cfRowPlan* plan, cfRowBlock* block, const mjContact* con);

#endif  // CF_CONSTRAINT_FLEXCONTACT_H
