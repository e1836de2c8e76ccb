// Elements of a hyperelastic material whose energy depends on two invariants of the deformation
// gradient F, dim = 2 or 3:
//
//   W = V * w(I, J),  I = tr(F'F),  J = volume ratio (area ratio of triangles)
//   P = dW/dF = V * (2*w_I*F + w_J*dJ/dF)
//
// The same loops serve every such material: a material is an inline function that gives w and its
// derivatives, and a class table.  Damping is Kelvin-Voigt in Green's strain, with the moduli of
// small strains times flex_damping; it slows what deforms and leaves rigid motion alone.
#ifndef CF_FLEX_HYPERELASTIC_H
#define CF_FLEX_HYPERELASTIC_H

#include <string.h>

#include "base/likely.h"
#include "flex/models.h"
#include "math/inline.h"

// numbers of an element in flex_stiffness
enum { CF_STIFFNESS_NUMBERS = 21 };

// constants of one element
typedef struct {
  mjtNum inverse[9];  // of the rest edges from corner 0, column by column; 4 numbers for triangles
  mjtNum volume;      // at rest; area for triangles, whose moduli hold the thickness
  mjtNum mu, la;      // moduli of small strains
  mjtNum former[CF_STIFFNESS_NUMBERS];  // flex_stiffness from which they were read
} cfElementRest;

enum { CF_REST_NUMBERS = sizeof(cfElementRest) / sizeof(mjtNum) };

// w(I, J) and its derivatives; no material mixes I and J
typedef struct {
  mjtNum energy, by_I, by_J, by_II, by_JJ;
} cfDensity;

typedef cfDensity cfMaterial(mjtNum I, mjtNum J, const cfElementRest* rest, int dim);

// precompute and acts of every hyperelastic class
mjtByte cfi_isHyperelastic(const mjModel* m, int f);
const char* cfi_hyperelasticObjection(const mjModel* m, int f);
mjtSize cfi_restNumbers(const mjModel* m, int f);
void cfi_restElements(const mjModel* m, int f, const mjtNum* rest, mjtNum* constant);

int cfi_countElements(const mjModel* m, int f);

// moduli of an element whose numbers in flex_stiffness have changed since the model was chosen
void cfi_readModuli(cfElementRest* rest, const mjtNum* K, int dim);


// an element with the moduli that flex_stiffness has now
static inline const cfElementRest* cfi_currentRest(const cfElementRest* rest, const mjtNum* K,
                                                   const int dim, cfElementRest* scratch) {
  const int count = dim == 2 ? 6 : CF_STIFFNESS_NUMBERS;
  if (CF_OFTEN(memcmp(rest->former, K, sizeof(mjtNum) * (size_t)count) == 0)) {
    return rest;
  }
  *scratch = *rest;
  cfi_readModuli(scratch, K, dim);
  return scratch;
}


// columns of F (3 x dim), and dJ/dF
typedef struct {
  mjtNum F[3][3], cofactor[3][3], J;
} cfDeformation;


// G = edges * inverse, for positions or velocities of the corners
static inline void cfi_elementGradient(mjtNum G[3][3], const mjtNum* x, const int* corner,
                                       const cfElementRest* rest, const int dim) {
  for (int k = 0; k < dim; k++) {
    cfi_zero3(G[k]);
  }
  for (int e = 0; e < dim; e++) {
    mjtNum edge[3];
    cfi_sub3(edge, x + CF_POINT * corner[e + 1], x + CF_POINT * corner[0]);
    for (int k = 0; k < dim; k++) {
      cfi_addToScl3(G[k], edge, rest->inverse[dim * k + e]);
    }
  }
}


// a triangle without area has no normal: its area is taken as constant
static inline cfDeformation cfi_deform(const mjtNum* x, const int* corner,
                                       const cfElementRest* rest, const int dim) {
  cfDeformation f;
  cfi_elementGradient(f.F, x, corner, rest, dim);
  if (dim == 3) {
    cfi_cross(f.cofactor[0], f.F[1], f.F[2]);
    cfi_cross(f.cofactor[1], f.F[2], f.F[0]);
    cfi_cross(f.cofactor[2], f.F[0], f.F[1]);
    f.J = cfi_dot3(f.F[0], f.cofactor[0]);
  } else {
    mjtNum normal[3];
    cfi_cross(normal, f.F[0], f.F[1]);
    f.J = sqrt(cfi_dot3(normal, normal));
    cfi_scl3(normal, normal, f.J > mjMINVAL ? 1 / f.J : 0);
    cfi_cross(f.cofactor[0], f.F[1], normal);
    cfi_cross(f.cofactor[1], normal, f.F[0]);
  }
  return f;
}


static inline mjtNum cfi_firstInvariant(const cfDeformation* f, const int dim) {
  mjtNum sum = 0;
  for (int k = 0; k < dim; k++) {
    sum += cfi_dot3(f->F[k], f->F[k]);
  }
  return sum;
}


// force -= P * inverse' at the corners; corner 0 takes what the others leave
static inline void cfi_subStress(mjtNum* force, const mjtNum P[3][3], const int* corner,
                                 const cfElementRest* rest, const int dim) {
  mjtNum* first = force + CF_POINT * corner[0];
  for (int e = 0; e < dim; e++) {
    mjtNum pull[3] = {0, 0, 0};
    for (int k = 0; k < dim; k++) {
      cfi_addToScl3(pull, P[k], rest->inverse[dim * k + e]);
    }
    cfi_subFrom3(force + CF_POINT * corner[e + 1], pull);
    cfi_addTo3(first, pull);
  }
}


// P = V*damping * F*(2*mu*E' + la*tr(E')*I),  E' = sym(F'*dF/dt)
static inline void cfi_subDamping(mjtNum* force, const cfFlexView* view, const cfDeformation* f,
                                  const int* corner, const cfElementRest* rest, mjtNum damping,
                                  const int dim) {
  mjtNum rate[3][3], S[3][3], P[3][3], trace = 0;
  cfi_elementGradient(rate, view->velocity, corner, rest, dim);
  for (int i = 0; i < dim; i++) {
    for (int j = 0; j < dim; j++) {
      S[i][j] = rest->mu * (cfi_dot3(f->F[i], rate[j]) + cfi_dot3(f->F[j], rate[i]));
    }
    trace += cfi_dot3(f->F[i], rate[i]);
  }
  for (int i = 0; i < dim; i++) {
    S[i][i] += rest->la * trace;
  }
  for (int k = 0; k < dim; k++) {
    cfi_zero3(P[k]);
    for (int i = 0; i < dim; i++) {
      cfi_addToScl3(P[k], f->F[i], rest->volume * damping * S[i][k]);
    }
  }
  cfi_subStress(force, (const mjtNum(*)[3])P, corner, rest, dim);
}


static inline void cfi_addElements(const cfFlexView* view, cfFlexForces forces,
                                   cfMaterial* material, const int dim) {
  const mjModel* m = view->m;
  const mjtNum damping = forces.has_damper ? m->flex_damping[view->flex] : 0;
  const cfElementRest* element = (const cfElementRest*)(const void*)view->constant;
  const int* corner = m->flex_elem + m->flex_elemdataadr[view->flex];
  const mjtNum* K = m->flex_stiffness + CF_STIFFNESS_NUMBERS * m->flex_elemadr[view->flex];
  for (int e = 0; e < m->flex_elemnum[view->flex]; e++, corner += dim + 1) {
    cfElementRest edited;
    const cfElementRest* rest =
        cfi_currentRest(element + e, K + CF_STIFFNESS_NUMBERS * e, dim, &edited);
    const cfDeformation f = cfi_deform(view->x, corner, rest, dim);
    const cfDensity w = material(cfi_firstInvariant(&f, dim), f.J, rest, dim);
    mjtNum P[3][3];
    for (int k = 0; k < dim; k++) {
      cfi_scl3(P[k], f.F[k], 2 * rest->volume * w.by_I);
      cfi_addToScl3(P[k], f.cofactor[k], rest->volume * w.by_J);
    }
    if (forces.has_spring) {
      cfi_subStress(forces.spring, (const mjtNum(*)[3])P, corner, rest, dim);
    }
    if (damping != 0) {
      cfi_subDamping(forces.damper, view, &f, corner, rest, damping, dim);
    }
  }
}


static inline mjtNum cfi_elementEnergy(const cfFlexView* view, cfMaterial* material,
                                       const int dim) {
  const mjModel* m = view->m;
  const cfElementRest* element = (const cfElementRest*)(const void*)view->constant;
  const int* corner = m->flex_elem + m->flex_elemdataadr[view->flex];
  const mjtNum* K = m->flex_stiffness + CF_STIFFNESS_NUMBERS * m->flex_elemadr[view->flex];
  mjtNum energy = 0;
  for (int e = 0; e < m->flex_elemnum[view->flex]; e++, corner += dim + 1) {
    cfElementRest edited;
    const cfElementRest* rest =
        cfi_currentRest(element + e, K + CF_STIFFNESS_NUMBERS * e, dim, &edited);
    const cfDeformation f = cfi_deform(view->x, corner, rest, dim);
    energy += rest->volume * material(cfi_firstInvariant(&f, dim), f.J, rest, dim).energy;
  }
  return energy;
}


// the dimension as a constant, so that loops over it are unrolled; once per flex
static inline void cfi_addHyperelastic(const cfFlexView* view, cfFlexForces forces,
                                       cfMaterial* material) {
  if (view->m->flex_dim[view->flex] == 2) {
    cfi_addElements(view, forces, material, 2);
  } else {
    cfi_addElements(view, forces, material, 3);
  }
}


static inline mjtNum cfi_hyperelasticEnergy(const cfFlexView* view, cfMaterial* material) {
  return view->m->flex_dim[view->flex] == 2 ? cfi_elementEnergy(view, material, 2)
                                            : cfi_elementEnergy(view, material, 3);
}

// second derivative of the energy of one element over its corners (hyperstiffness.c)
int cfi_elementStiffness(const cfFlexView* view, int element, int vertex[4], mjtNum* K,
                         cfMaterial* material);

// the model of a material: the loops with the material inlined, and their class table
#define CF_HYPERELASTIC(model, its_name, material)                                                \
  static void material##Forces(const cfFlexView* view, cfFlexForces forces) {                     \
    cfi_addHyperelastic(view, forces, material);                                                  \
  }                                                                                               \
  static mjtNum material##Energy(const cfFlexView* view) {                                        \
    return cfi_hyperelasticEnergy(view, material);                                                \
  }                                                                                               \
  static int material##Stiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K) { \
    return cfi_elementStiffness(view, stencil, vertex, K, material);                              \
  }                                                                                               \
  const cfFlexModel model = {.name = (its_name),                                                  \
                             .spread = CF_SPREAD_CHAIN,                                           \
                             .acts = cfi_isHyperelastic,                                          \
                             .objection = cfi_hyperelasticObjection,                              \
                             .numbers = cfi_restNumbers,                                          \
                             .precompute = cfi_restElements,                                      \
                             .addForces = material##Forces,                                       \
                             .energy = material##Energy,                                          \
                             .stencils = cfi_countElements,                                       \
                             .stiffness = material##Stiffness}

#endif  // CF_FLEX_HYPERELASTIC_H
