// CortenForge: what the library offers beyond the MuJoCo 3.5.0 C API of mujoco/mujoco.h.
//
// Names start with `cf_` (functions), `cf` (types) and `CF_` (values). The header compiles as C11
// and as C++.
#ifndef CORTENFORGE_CORTENFORGE_H_
#define CORTENFORGE_CORTENFORGE_H_

#include <stdint.h>

#include <mujoco/mujoco.h>

// one header per subject; each can be included alone
#include <cortenforge/actuator.h>
#include <cortenforge/batch.h>
#include <cortenforge/builder.h>
#include <cortenforge/compare.h>
#include <cortenforge/contact.h>
#include <cortenforge/derivative.h>
#include <cortenforge/flex.h>
#include <cortenforge/notes.h>
#include <cortenforge/rollout.h>
#include <cortenforge/schema.h>

/// Version of this header, as `major * 10000 + minor * 100 + patch`.
#define CF_VERSION_HEADER 100

#ifdef __cplusplus
extern "C" {
#endif

/// Return the version of the library as a number, in the form of `CF_VERSION_HEADER`.
///
/// A program may compare it with `CF_VERSION_HEADER` to find out whether it runs with the library
/// it was compiled for. The version of the MuJoCo API that the library follows is returned by
/// `mj_version`.
MJAPI int cf_version(void);

/// Return the version of the library as text, such as "0.1.0".
///
/// The text is static: it must not be freed. May be called from any thread.
MJAPI const char* cf_versionString(void);

/// Return a hash of the state of a simulation, to compare two runs bit by bit.
///
/// It covers `mjSTATE_FULLPHYSICS` (time, qpos, qvel, act, history, plugin state), qacc and
/// sensordata. Equal states have equal hashes; states that differ in one bit anywhere, also in the
/// sign of a zero, have different hashes but for a chance of about 2^-64. The value is the same on
/// all machines of the same byte order, and may change with the version of the library.
///
/// Reads only, allocates nothing. May be called from any thread while nobody writes `d`.
MJAPI uint64_t cf_stateHash(const mjModel* m, const mjData* d);

/// Return 1 if a standard feature is switched off.
///
/// @param flag   one bit of `mjtDisableBit`, or several: is any of them set?
MJAPI int cf_flagDisabled(const mjModel* m, int flag);

/// Return 1 if an optional feature is switched on.
///
/// @param flag   one bit of `mjtEnableBit`, or several: is any of them set?
MJAPI int cf_flagEnabled(const mjModel* m, int flag);

/// Return 1 if an actuator is switched off through its group (`opt.disableactuator`).
///
/// Groups outside 0 to 30 are never switched off.  0 for an index that no actuator has.
MJAPI int cf_actuatorDisabled(const mjModel* m, int actuator);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_CORTENFORGE_H_
