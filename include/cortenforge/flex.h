// Soft bodies beyond MuJoCo: exchangeable models of bending and elasticity, chosen per flex.
//
// MuJoCo's models are `cotangent` (bending) and `linear` (elasticity); every flex has them unless
// something else is chosen in MJCF (`bending_model`, `elasticity_model`) or by the functions below.
// Also built in: `bridson` and `cubic_shell` (bending), `neo_hookean` and `stable_neo_hookean`
// (elasticity).  A
// program adds its own by registering a table of functions.
#ifndef CORTENFORGE_FLEX_H_
#define CORTENFORGE_FLEX_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Numbers per point in the positions, velocities and forces that models see; the fourth is zero.
#define CF_POINT 4

/// A flex as its models see it.
typedef struct cfFlexView_ {
  const mjModel* m;
  mjData* d;               // to be read, and for scratch between mj_markStack and mj_freeStack
  int flex;                // id of the flex
  const mjtNum* x;         // positions of its vertices in the world, CF_POINT numbers each
  const mjtNum* velocity;  // velocities of its vertices, CF_POINT numbers each
  const mjtNum* constant;  // what the model's `precompute` wrote, NULL if it has none
} cfFlexView;

/// Forces on the vertices of a flex, CF_POINT numbers each; models add to what is there.
typedef struct cfFlexForces_ {
  mjtNum* spring;
  mjtNum* damper;
  mjtByte has_spring, has_damper;  // kinds that are not disabled in the model's options
} cfFlexForces;

/// How forces on vertices become forces on dofs.
typedef enum cftFlexSpread_ {
  CF_SPREAD_TRANSLATION =
      0,                // to the first dofs of the vertex's body, as they are (MuJoCo's bending)
  CF_SPREAD_CHAIN = 1,  // by the Jacobian of the vertex, to all dofs that move it
} cftFlexSpread;

/// A model of bending or of elasticity: a constant table of functions.
///
/// A model does not write anything but its forces, does not call the heap, and works for every
/// flex for which `acts` answers 1.  A table that is registered must stay where it is.  A number
/// that is not finite counts as zero and as a warning (mjWARN_BADQACC); a stencil with such a
/// stiffness has none.
typedef struct cfFlexModel_ {
  const char* name;
  cftFlexSpread spread;

  /// Does the model have anything to do for this flex?  Called once per flex and step.
  mjtByte (*acts)(const mjModel* m, int flex);

  /// Why the model cannot serve this flex, a sentence without subject; NULL if it can.  Asked when
  /// the model is chosen, which is refused then.  NULL: it serves every flex.
  const char* (*objection)(const mjModel* m, int flex);

  /// Numbers that `precompute` writes for this flex.  NULL: none.
  mjtSize (*numbers)(const mjModel* m, int flex);

  /// Constants from the rest shape: positions of the vertices in qpos0, CF_POINT numbers each.
  /// Called when the model is chosen.  NULL if `numbers` is.
  void (*precompute)(const mjModel* m, int flex, const mjtNum* rest, mjtNum* constant);

  /// Add the forces to those of the vertices: minus the gradient of the energy, and damping.
  void (*addForces)(const cfFlexView* view, cfFlexForces forces);

  /// Energy that is stored in the flex.
  mjtNum (*energy)(const cfFlexView* view);

  /// For flexes with implicit stiffness, NULL for a model that cannot serve them: how many stencils
  /// the flex has, sets of at most four vertices whose energies add up to that of the flex.
  int (*stencils)(const mjModel* m, int flex);

  /// Stiffness of one stencil: the second derivative of its energy, or something near to it.
  /// Writes the vertices of the stencil (ids within the flex) and the symmetric matrix over their
  /// coordinates, 3n x 3n numbers row by row; returns n, 0 for a stencil without stiffness.
  /// Negative eigenvalues are taken out of the matrix afterwards.
  int (*stiffness)(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K);
} cfFlexModel;

/// Add a model of bending or elasticity to those that can be chosen by name.
///
/// @return 1; 0 with a warning if a model of that name exists or a function is missing
/// @note Call it before models are loaded that name it.  Safe to call from several threads.
MJAPI int cf_registerFlexBending(const cfFlexModel* model);
MJAPI int cf_registerFlexElasticity(const cfFlexModel* model);

/// Choose the model of bending or elasticity of one flex, starting with the next step.
///
/// @param m      its rest shape is that of qpos0
/// @param flex   id of the flex
/// @param name   of a model; NULL or MuJoCo's own name restores the default
/// @param error  receives a message when the result is 0; may be NULL
/// @return 1, or 0 and `m` as it was: unknown name, flex out of range, a flex that the model cannot
///         serve (of another dimension, without elasticity, compiled without hinges, rigid,
///         interpolated by a grid of nodes), no memory
/// @note The built-in models follow `flex_bending` and `flex_stiffness` as they are in each step.
/// @note Not to be called while another thread steps with the same `m`.
MJAPI int cf_setFlexBending(mjModel* m, int flex, const char* name, char* error, int nerror);
MJAPI int cf_setFlexElasticity(mjModel* m, int flex, const char* name, char* error, int nerror);

/// Return the name of the model that a flex uses; NULL for a flex out of range.
MJAPI const char* cf_flexBending(const mjModel* m, int flex);
MJAPI const char* cf_flexElasticity(const mjModel* m, int flex);

/// Treat the stiffness of one flex implicitly, or explicitly as MuJoCo does (the default).
///
/// MuJoCo's forces of bending, elasticity and springs along edges are those at the start of a step:
/// a stiff flex needs a timestep below the period of its fastest oscillation, or it explodes.
/// Implicit forces are those at the end of the step, to first order: with K the stiffness (positive
/// semidefinite) and D = flex_damping*K,
///
///   M*a + h*D*a + h*K*(v + h*a) = forces at the start of the step + constraint forces,
///
/// solved for a together with the constraints by a conjugate gradient method.  Any timestep is then
/// stable; fast oscillations are damped, equilibria are the same.  mj_forward changes qfrc_smooth
/// and qacc_smooth accordingly, every solver and every integrator but RK4 (which ignores the
/// choice) works as before; mj_inverse knows explicit forces only.  The MJCF attribute is
/// `implicit_stiffness` of flex and flexcomp.
///
/// @param error  receives a message when the result is 0; may be NULL
/// @return 1, or 0 and `m` as it was: flex out of range, a flex that is interpolated by a grid of
///         nodes (integrators implicit and implicitfast treat those), a model without `stiffness`
MJAPI int cf_setFlexImplicit(mjModel* m, int flex, int is_implicit, char* error, int nerror);

/// Return 1 if the stiffness of a flex is treated implicitly.
MJAPI int cf_flexImplicit(const mjModel* m, int flex);

/// Choose the models of a flex in a specification, by name, and whether its stiffness is implicit.
///
/// The same as the attributes `bending_model`, `elasticity_model` and `implicit_stiffness`: names
/// are looked up when the specification is compiled; copying, attaching and saving keep them.
///
/// @param name  NULL or "" for MuJoCo's model
MJAPI void cf_setSpecFlexBending(mjsFlex* flex, const char* name);
MJAPI void cf_setSpecFlexElasticity(mjsFlex* flex, const char* name);
MJAPI void cf_setSpecFlexImplicit(mjsFlex* flex, int is_implicit);

/// What `young` and `poisson` of a flex mean.
typedef enum cftFlexModuli_ {
  CF_MODULI_MUJOCO = 0,    // MuJoCo's: see docs/softbodies.md
  CF_MODULI_TEXTBOOK = 1,  // what a testing machine measures: E and nu of solids, sheets and plates
} cftFlexModuli;

/// Say what `young` and `poisson` of a flex in a specification mean: the attribute `moduli` of
/// <elasticity>.  Compiling turns them into flex_stiffness and flex_bending, for every model of
/// elasticity and bending.
MJAPI void cf_setSpecFlexModuli(mjsFlex* flex, int moduli);
MJAPI int cf_specFlexModuli(const mjsFlex* flex);

/// Return what a flex in a specification chose; "" for MuJoCo's model.
MJAPI const char* cf_specFlexBending(const mjsFlex* flex);
MJAPI const char* cf_specFlexElasticity(const mjsFlex* flex);
MJAPI int cf_specFlexImplicit(const mjsFlex* flex);

/// Return the energy stored in bending and elasticity of one flex at the vertices of `d`.
///
/// Springs along edges are not part of it.  Reads flexvert_xpos, flexedge_length and qvel; uses the
/// stack of `d`.
MJAPI mjtNum cf_flexEnergy(const mjModel* m, mjData* d, int flex);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_FLEX_H_
