// Forward kinematics: joint positions to the world frames of bodies, geoms and sites.
#ifndef CF_KINEMATICS_KINEMATICS_H
#define CF_KINEMATICS_KINEMATICS_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// bodies and joints.  reads: qpos, mocap_pos, mocap_quat, body_awake.  writes: xpos, xquat, xmat,
// xanchor, xaxis; and tree_awake of trees that sleep but have been moved by the user.
void cfi_placeBodies(const mjModel* m, mjData* d);

// what is attached to bodies.  reads: xpos, xquat, xmat, the awake lists.  writes: xipos, ximat,
// geom_xpos, geom_xmat, site_xpos, site_xmat of awake bodies.
void cfi_placeAttached(const mjModel* m, mjData* d);

#endif  // CF_KINEMATICS_KINEMATICS_H
