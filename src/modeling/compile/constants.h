// Constants of a model: everything in mjModel that follows from its other fields.
//
// mj_setConst is the table of contents (setconst.c); each group below lives in its own file. Groups
// that need positions run after the kinematics at qpos0 that mj_setConst performs.
#ifndef CF_COMPILE_CONSTANTS_H
#define CF_COMPILE_CONSTANTS_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// subtree masses, number of gravity-compensated bodies.  reads body_mass, body_gravcomp
void cfi_setMassSums(mjModel* m);

// bodies, dofs and tendons of every kinematic tree.  reads weldid, dof_treeid, tendon paths
void cfi_setTrees(mjModel* m, mjData* d);

// turn the automatic sleep policy of every tree into a decision.  reads tendon_treenum, actuators,
// flexes
void cfi_setSleepPolicy(mjModel* m, mjData* d);

// diagonal of the joint-space inertia from composite bodies.  reads cinert, cdof; writes dof_M0,
// crb
void cfi_setInertia0(mjModel* m, mjData* d);

// inverse weights of bodies, dofs, tendons, flex edges; actuator acceleration.  reads qLD,
// Jacobians at qpos0
void cfi_setWeights0(mjModel* m, mjData* d);

// damping of position-like actuators from their damping ratio.  reads dof_M0, actuator_moment
void cfi_setActuatorDamping(mjModel* m, const mjData* d);

// anchors and relative poses of connect and weld.  reads body poses at qpos0
void cfi_setEqualityAnchors(mjModel* m, const mjData* d);

// camera and light poses relative to their bodies.  reads cam_xpos, light_xpos, subtree_com
void cfi_setViewOffsets(mjModel* m, const mjData* d);

// extent, center, mean mass, size and inertia, dof lengths.  reads all positions at qpos0
void cfi_setStatistics(mjModel* m, mjData* d);

// sparsity of flex edge and vertex Jacobians, planar alignment.  reads flex topology
void cfi_setFlexStructure(mjModel* m, mjData* d);

// what the compiler derives from sizes, poses and margins of geoms and from poses of inertial
// frames and sites: bounding spheres and boxes, boxes of the trees of bodies, relations of frames,
// margins of bodies.  `made`: the model before they were edited; what belongs to geoms, sites and
// bodies that are still the same is copied from it.  The shape of trees stays, and so do masses and
// inertias.  Not part of mj_setConst, which MuJoCo's users call after edits of other kinds
void cfi_refitGeoms(mjModel* m, const mjModel* made, mjData* d);

// does the length range of an actuator take a simulation
bool cfi_simulatesRange(const mjModel* m, int index, const mjLROpt* opt);

#endif  // CF_COMPILE_CONSTANTS_H
