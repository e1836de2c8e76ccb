// Bodies that move contacts with flexes: more than one may move one side.
#ifndef CF_FLEX_CONTACTBODIES_H
#define CF_FLEX_CONTACTBODIES_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// bodies that move a contact and how much each one counts
enum { CF_MAX_CONTACT_BODIES = 2 * mjMAXFLEXNODES };
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

// bodies of both sides, the first side negative
void cfi_signedContactBodies(const mjModel* m, const mjData* d, const mjContact* con,
                             cfContactBodies* res);

#endif  // CF_FLEX_CONTACTBODIES_H
