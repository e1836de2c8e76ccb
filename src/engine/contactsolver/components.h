// Independent problems within a step: trees that contacts, other rows or stiffness connect.
//
// Unlike islands they know the stiffness of flexes, which couples trees that share no row.
#ifndef CF_CONTACTSOLVER_COMPONENTS_H
#define CF_CONTACTSOLVER_COMPONENTS_H

#include "contactsolver/blocks.h"
#include "contactsolver/effective.h"

// lists by component: numbers adr[c] to adr[c + 1] of the list are those of component c
typedef struct {
  int *adr, *list;
} cfPartition;

typedef struct {
  int count;
  cfPartition dofs, blocks, cliques;  // global numbers, increasing
  int* local;                         // nv: place of a dof within its component, -1: in none
} cfComponents;

// components of a step, on the stack of d
cfComponents cfi_components(const cfEffective* effective, const cfContactBlocks* blocks);

#endif  // CF_CONTACTSOLVER_COMPONENTS_H
