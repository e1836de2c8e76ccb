// Stiffness of flexes that are treated implicitly: a matrix that is applied, never assembled.
//
//   K = J' * (sum over stencils of their own positive semidefinite matrices) * J
//
// J is the Jacobian of the vertices, over all dofs that move them.  Springs along edges add
// stiffness * j*j' with j a row of flexedge_J.
#ifndef CF_FLEX_STIFFNESS_H
#define CF_FLEX_STIFFNESS_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "flex/models.h"

enum { CF_STENCIL_MAX = 4, CF_STENCIL_NUMBERS = 9 * CF_STENCIL_MAX * CF_STENCIL_MAX };

// stiffness of vertices that belong together
typedef struct {
  int flex, count;
  bool has_trial;  // of a model that is known at displaced vertices, too (trial.h)
  int vertex[CF_STENCIL_MAX];
  mjtNum K[CF_STENCIL_NUMBERS];
} cfStencil;

// what products take of the stiffness
typedef enum {
  CF_STIFFNESS_ALL = 0,      // everything
  CF_STIFFNESS_REST = 1,     // all but elasticity of models that are known at displaced vertices
                             // and damping that is (trial.h); diagonals have the latter
  CF_STIFFNESS_ELASTIC = 2,  // that elasticity alone
} cfStiffnessPart;

typedef struct {
  cfStiffnessPart part;
  int nstencil;
  cfStencil* stencil;
  int *adr, *count, *dof;  // of vertices: dofs that move them
  mjtNum *column, *moved;  // 3 numbers per dof of a vertex; 3 numbers per vertex for products
} cfFlexStiffness;

// at the present positions, on the stack of d
cfFlexStiffness cfi_flexStiffness(const mjModel* m, mjData* d);

// append the stencils of one model of a flex, at the vertices of the view
void cfi_addStencils(cfFlexStiffness* stiffness, cfFlexView view, cfFlexUse use);

// res += K*vec with every flex weighted: by h if that is the change of force in a timestep at
// velocity vec, by h^2 + h*damping if it is that at acceleration vec
void cfi_addFlexStiffness(mjtNum* res, const cfFlexStiffness* stiffness, const mjModel* m,
                          const mjData* d, const mjtNum* vec, bool is_velocity);

// What multiplies the stiffness of a flex: h for the change of force in a timestep at a velocity,
// h^2 + h*damping for that at an acceleration; the same for springs along its edges, whose
// stiffness is a factor of theirs.
mjtNum cfi_flexWeight(const mjModel* m, int f, bool is_velocity);
mjtNum cfi_edgeWeight(const mjModel* m, int f, bool is_velocity);

// A dense symmetric part of a matrix over dofs: n x n numbers at the given dofs, which increase.
typedef struct {
  int n;
  const int* dof;
  const mjtNum* value;
} cfClique;

// The matrix that cfi_addFlexStiffness multiplies accelerations with, as cliques (cliques.c).  They
// lie on the stack of d; NULL and 0 if there are none.
cfClique* cfi_flexCliques(int* count, const cfFlexStiffness* stiffness, const mjModel* m,
                          mjData* d);

// add the diagonal of K, as of an acceleration: 3x3 blocks at the dofs of bodies that slide, diag
// elsewhere.  block: 9 numbers per dof, used at the first dof of such a body
void cfi_addFlexDiagonal(mjtNum* diag, mjtNum* block, const cfFlexStiffness* stiffness,
                         const mjModel* m, mjData* d);

// does the body slide along the axes of the world with three dofs, and nothing else?
bool cfi_isSlidingPoint(const mjModel* m, int body);

// nearest positive semidefinite matrix: negative eigenvalues become zero.  n <= 12
void cfi_makePositive(mjtNum* K, int n);

#endif  // CF_FLEX_STIFFNESS_H
