// Exchangeable models of what happens inside flexes: bending and elasticity.
//
// A model is one file with one class table.  The stage asks which model a flex has, once per flex,
// hands it the flex as a view and spreads the forces it gets back over the dofs: no branch on the
// kind of model is left in the loops over edges and elements.
#ifndef CF_FLEX_MODELS_H
#define CF_FLEX_MODELS_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// numbers per point in positions, velocities and forces; the fourth is zero, so that a point is
// one lane
enum { CF_POINT = 4 };

// a flex as its models see it
typedef struct {
  const mjModel* m;
  mjData* d;  // to be read, and for scratch
  int flex;
  const mjtNum* x;         // vertices in the world, CF_POINT each
  const mjtNum* velocity;  // of the vertices, CF_POINT each
} cfFlexView;

// forces on the vertices, CF_POINT each, added to what is there
typedef struct {
  mjtNum* spring;
  mjtNum* damper;
  bool has_spring, has_damper;  // kinds that are not disabled
} cfFlexForces;

// how forces on vertices become forces on dofs
typedef enum {
  CF_SPREAD_TRANSLATION,  // components go to the first dofs of the vertex's body, as they are
  CF_SPREAD_CHAIN,        // by the Jacobian of the vertex, for all dofs that move it
} cfFlexSpread;

// one model of bending: forces across the edges of surfaces
typedef struct {
  const char* name;
  cfFlexSpread spread;
  bool (*acts)(const mjModel* m, int flex);
  void (*addForces)(const cfFlexView* view, cfFlexForces forces);
  mjtNum (*energy)(const cfFlexView* view);
} cfFlexBending;

// one model of elasticity: forces within elements
typedef struct {
  const char* name;
  cfFlexSpread spread;
  bool (*acts)(const mjModel* m, int flex);
  void (*addForces)(const cfFlexView* view, cfFlexForces forces);
  mjtNum (*energy)(const cfFlexView* view);
} cfFlexElasticity;

extern const cfFlexBending cfi_cotangentBending;     // MuJoCo's: quadratic, 17 numbers an edge
extern const cfFlexElasticity cfi_linearElasticity;  // MuJoCo's: Saint Venant-Kirchhoff by edges

// models of a flex
const cfFlexBending* cfi_flexBending(const mjModel* m, int f);
const cfFlexElasticity* cfi_flexElasticity(const mjModel* m, int f);

// energy stored in bending and elasticity of one flex; edge springs are not part of it
mjtNum cfi_flexEnergy(const mjModel* m, mjData* d, int f);

// qfrc_spring and qfrc_damper += forces of all flexes.
// reads: flexvert_xpos, flexedge_length, flexedge_velocity, flexedge_J, qvel, cvel, xpos.
void cfi_flexForces(const mjModel* m, mjData* d, bool has_spring, bool has_damper);

#endif  // CF_FLEX_MODELS_H
