// A simulation put together in one place: model, exchangeable parts, integrator.
//
//   cfSimBuilder* builder = cf_simBuilder();
//   cf_withModelFile(builder, "cloth.xml");
//   cf_withBending(builder, NULL, "bridson");
//   cf_withIntegrator(builder, mjINT_IMPLICITFAST);
//   cfSim* sim = cf_build(builder, error, sizeof(error));
//   while (cf_simStep(sim)) { ... }
//
// Everything is resolved when the simulation is built: a step of it is mj_step on its model and its
// data, which are MuJoCo's structs and may be used as such.  A builder that was given nothing but a
// model builds what mj_loadXML and mj_makeData give, to the bit.
#ifndef CORTENFORGE_BUILDER_H_
#define CORTENFORGE_BUILDER_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cfSimBuilder_ cfSimBuilder;
typedef struct cfSim_ cfSim;

/// Make an empty builder; NULL without memory.  Free it with `cf_freeSimBuilder`.
MJAPI cfSimBuilder* cf_simBuilder(void);
MJAPI void cf_freeSimBuilder(cfSimBuilder* builder);

/// Start from a preset; what is said besides wins over it, but contradicts `mujoco`.
///
/// `mujoco`     MuJoCo's own models everywhere, whatever the file says
/// `animation`  bending by angles (`bridson`), contacts by position (`xpbd`): large deformations
/// `softbody`   elasticity `neo_hookean`: biomechanics and soft robots
///
/// Bending and elasticity of a preset go to the flexes that can have them.
MJAPI cfSimBuilder* cf_withPreset(cfSimBuilder* builder, const char* name);

/// Say where the model comes from, once: a file (MJCF, URDF, MJB), MJCF text, a specification or a
/// model.  Files are read by `cf_build`; the others are copied at once.
MJAPI cfSimBuilder* cf_withModelFile(cfSimBuilder* builder, const char* filename);
MJAPI cfSimBuilder* cf_withModelText(cfSimBuilder* builder, const char* xml);
MJAPI cfSimBuilder* cf_withSpec(cfSimBuilder* builder, const mjSpec* spec);
MJAPI cfSimBuilder* cf_withModel(cfSimBuilder* builder, const mjModel* m);

/// Choose the model of bending or elasticity (cortenforge/flex.h) of one flex, or with NULL of all
/// flexes that are not named and can have it, which must be one at least.
MJAPI cfSimBuilder* cf_withBending(cfSimBuilder* builder, const char* flex, const char* model);
MJAPI cfSimBuilder* cf_withElasticity(cfSimBuilder* builder, const char* flex, const char* model);

/// Choose the model of one actuator (cortenforge/actuator.h), or with NULL of all that are not
/// named.
///
/// @param param  its parameters, NULL for the usual ones; `nparam` must be their number
MJAPI cfSimBuilder* cf_withGain(cfSimBuilder* builder, const char* actuator, const char* model,
                                const mjtNum* param, int nparam);

/// Choose the contact solver (cortenforge/contact.h).
///
/// @param param  its first `nparam` parameters, NULL for those of the model
MJAPI cfSimBuilder* cf_withContactSolver(cfSimBuilder* builder, const char* name,
                                         const mjtNum* param, int nparam);

/// Choose the integrator (mjtIntegrator or cftIntegrator) and the timestep in seconds.
MJAPI cfSimBuilder* cf_withIntegrator(cfSimBuilder* builder, int integrator);
MJAPI cfSimBuilder* cf_withTimestep(cfSimBuilder* builder, mjtNum timestep);

/// Build the simulation.  The builder stays as it is and may build another.
///
/// @param error  receives every complaint, one a line, when the result is NULL; may be NULL
/// @return NULL, and nothing is built, if something is missing, unknown, said twice in different
///         ways or does not go together (contacts by position with RK4, for example)
/// @note The functions above return their builder, also after a mistake: it is remembered and
///       explained here.  A builder is for one thread at a time.
MJAPI cfSim* cf_build(const cfSimBuilder* builder, char* error, int nerror);

/// Free a simulation with its model and data.
MJAPI void cf_freeSim(cfSim* sim);

/// Make one step: mj_step.
///
/// @return 1; 0 if mj_step has found a number that is bad (a warning is counted, and the data reset
///         unless autoreset is disabled)
MJAPI int cf_simStep(cfSim* sim);

/// Return the model and the data, which belong to the simulation.
MJAPI mjModel* cf_simModel(cfSim* sim);
MJAPI mjData* cf_simData(cfSim* sim);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_BUILDER_H_
