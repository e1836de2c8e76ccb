// Contacts by body: who looks for the contacts of one body need not look at those of all others.
#ifndef CF_CONSTRAINT_BODYCONTACTS_H
#define CF_CONSTRAINT_BODYCONTACTS_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// Sides of contacts, each a number: twice the contact, and one more for its second geom.  Those of
// a body follow each other from first[body] on through next, in the order of contacts, -1 at the
// end; vertices of flexes are of no body
typedef struct {
  int *first, *next;
} cfBodyContacts;

// on the stack, which the caller has marked; false, and nothing listed, where it does not fit
bool cfi_listBodyContacts(cfBodyContacts* list, const mjModel* m, mjData* d);

#endif  // CF_CONSTRAINT_BODYCONTACTS_H
