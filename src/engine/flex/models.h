// Exchangeable models of what happens inside flexes: bending and elasticity.
//
// A model is one file with one class table, of the form that programs register too.  The stage asks
// which model a flex has, once per flex, hands it the flex as a view and spreads the forces it gets
// back over the dofs: no branch on the kind of model is left in the loops over edges and elements.
#ifndef CF_FLEX_MODELS_H
#define CF_FLEX_MODELS_H

#include <stdbool.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "model/extension.h"

extern const cfFlexModel cfi_cotangentBending;   // MuJoCo's: quadratic, 17 numbers an edge
extern const cfFlexModel cfi_bridsonBending;     // angles between triangles
extern const cfFlexModel cfi_cubicShellBending;  // any rest shape
extern const cfFlexModel cfi_linearElasticity;   // MuJoCo's: Saint Venant-Kirchhoff by edges
extern const cfFlexModel cfi_neoHookean;
extern const cfFlexModel cfi_stableNeoHookean;

// numbers of an edge in flex_bending
enum { CF_BENDING_NUMBERS = 17 };

// a model with what it has precomputed for a flex
typedef struct {
  const cfFlexModel* model;
  mjtNum* constant;
  mjtSize nconstant;
} cfFlexUse;

// the four vertices of an edge and its two triangles; false at the border
static inline bool cfi_edgeCorners(int corner[4], const mjModel* m, int edge) {
  corner[0] = m->flex_edge[2 * edge];
  corner[1] = m->flex_edge[2 * edge + 1];
  corner[2] = m->flex_edgeflap[2 * edge];
  corner[3] = m->flex_edgeflap[2 * edge + 1];
  return corner[2] >= 0 && corner[3] >= 0;
}


// content of the slot CF_EXTENSION_FLEX: which models flexes use
extern const cfExtensionClass cfi_flexChoiceClass;

// models of a flex
cfFlexUse cfi_flexBending(const mjModel* m, int f);
cfFlexUse cfi_flexElasticity(const mjModel* m, int f);

// is the stiffness of a flex, of any flex treated implicitly?
bool cfi_flexIsImplicit(const mjModel* m, int f);
bool cfi_hasImplicitFlexes(const mjModel* m);

// rigidity of the plate that a surface is, as it was compiled; 0 where that is not known
mjtNum cfi_flexRigidity(const mjModel* m, int f);
bool cfi_setFlexRigidity(mjModel* m, int f, mjtNum rigidity);

// a flex without constants, on the stack of d
cfFlexView cfi_viewFlex(const mjModel* m, mjData* d, int f);

// energy stored in bending and elasticity of one flex; edge springs are not part of it
mjtNum cfi_flexEnergy(const mjModel* m, mjData* d, int f);

// numbers that a model returned, unless it is MuJoCo's: what is not finite becomes zero, and is
// counted once (mjWARN_BADQACC); true if there was such a number
bool cfi_dropBadFlex(const mjModel* m, mjData* d, int flex, const cfFlexModel* model,
                     const char* what, mjtNum* x, int n);

// qfrc_spring and qfrc_damper += forces of all flexes.
// reads: flexvert_xpos, flexedge_length, flexedge_velocity, flexedge_J, qvel, cvel, xpos.
void cfi_flexForces(const mjModel* m, mjData* d, bool has_spring, bool has_damper);

// models that can be chosen, from 0 on; NULL behind the last
const cfFlexModel* cfi_flexBendingAt(int k);
const cfFlexModel* cfi_flexElasticityAt(int k);

#endif  // CF_FLEX_MODELS_H
