// Least point of the convex cost of Hunt and Crossley's contacts within one component.
#ifndef CF_CONTACTSOLVER_HUNTNEWTON_H
#define CF_CONTACTSOLVER_HUNTNEWTON_H

#include "contactsolver/components.h"
#include "contactsolver/huntlaw.h"
#include "math/sparse.h"

// a block within a component
typedef struct {
  const cfContactBlock* block;
  int* dof;           // places of its dofs within the component
  cfHuntLaw* law;     // of a contact, NULL for other rows
  mjtNum *y, *z, *f;  // by axis: J*a, J*search, force
  mjtNum *W, *used;   // dim x dim: minus slope of the force now, and in the present factor
} cfHuntBlock;

// S and cliques with their places, and the factor of H = S + cliques + J'WJ; dense or sparse
typedef struct {
  int stride;        // of dense rows; 0: sparse; -1: there is no room, conjugate gradients
  mjtNum *base, *H;  // without and with contacts
  mjtNum* diag_inv;  // dense
  mjtNum* L;         // sparse
  cfSparseChol chol;
  cfPattern pattern;  // lower triangle, of base, H and L
  bool has_factor;
} cfHuntHessian;

typedef struct {
  const cfContactProblem* p;
  const cfEffective* e;
  int n;              // dofs
  const int* global;  // n: their numbers
  const int* local;   // nv: places in this list
  int nclique;
  const int* clique;    // numbers of cliques
  int nblock, nlinear;  // blocks; the first of them are equalities
  cfHuntBlock* block;
  mjtNum *a, *Sa, *force;      // n: accelerations, (S + cliques)*a, b
  mjtNum *grad, *search, *Ss;  // n; search has cfi_treeStride(n) numbers
  cfHuntHessian hessian;
  bool has_mass_only;  // S was not positive definite: M stands for it
} cfHuntPart;

// structure and constant part of the Hessian, on the stack of d
void cfi_openHessian(cfHuntPart* part);

// res = (S + cliques)*vec within a component
void cfi_mulHunt(const cfHuntPart* part, mjtNum* res, const mjtNum* vec);

// forces of all blocks and the gradient at part->a
void cfi_evaluateHunt(cfHuntPart* part);

// Minimize the cost, b and the normal forces that friction scales with being held, until the
// gradient is no longer than the tolerance; returns the number of iterations.
int cfi_minimizeHunt(cfHuntPart* part, int most, mjtNum tolerance);

// search = -H^-1 grad
void cfi_huntDirection(cfHuntPart* part);

#endif  // CF_CONTACTSOLVER_HUNTNEWTON_H
