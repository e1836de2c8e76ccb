// A small machine with every kind of joint, contact, equality, activation and sensors, and a state
// of it.
#ifndef CF_FINITEDIFF_RIG_H
#define CF_FINITEDIFF_RIG_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

enum { NV = 11, NQ = 13, NU = 3, NA = 1 };

static const char rig_xml[] =
    "<mujoco><option timestep='0.004' density='20'/><worldbody><geom type='plane' size='3 3 .1'/>"
    "<body name='base' pos='0 0 .148'><freejoint/><geom type='box' size='.3 .2 .15'/><site name='imu' pos='.1 0 .1'/>"
    "<body pos='.3 0 .2'><joint name='ball' type='ball' damping='.2' stiffness='2'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.05'/>"
    "<body pos='.3 0 0'><joint name='hinge' axis='0 1 0' damping='.1' armature='.02'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 .1' size='.04'/><site name='tip' pos='.2 0 .1'/></body></body></body>"
    "<body pos='-1 0 1'><joint name='slide' type='slide' axis='0 0 1' stiffness='30' springref='.1'/>"
    "<geom size='.1'/></body></worldbody>"
    "<equality><joint joint1='hinge' joint2='slide' polycoef='0 .5' solref='.05 1'/></equality>"
    "<actuator><motor name='m' joint='hinge' gear='2' ctrllimited='true' ctrlrange='-1 1'/><position joint='slide' kp='10' kv='1'/>"
    "<general joint='hinge' dyntype='filter' dynprm='.1' gainprm='3'/></actuator>"
    "<sensor><framepos objtype='site' objname='tip'/><gyro site='imu'/><accelerometer site='tip'/>"
    "<actuatorfrc actuator='m'/></sensor></mujoco>";

typedef struct {
  mjModel* m;
  mjData* d;
} cfRig;


static inline cfRig openRig(void) {
  mjModel* m = cf_compileText(rig_xml);
  cfRig r = {m, mj_makeData(m)};
  CF_EQ_INT(m->nv, NV);
  CF_EQ_INT(m->nq, NQ);
  CF_EQ_INT(m->nu, NU);
  CF_EQ_INT(m->na, NA);
  mjtNum velocity[NV];
  for (int i = 0; i < NV; i++) {
    velocity[i] = 0.1 * ((5 * i) % 7) - 0.3;
    r.d->qvel[i] = 0.2 * ((3 * i) % 8) - 0.6;
  }
  mju_zero(velocity, 6);
  mj_integratePos(m, r.d->qpos, velocity, 1);
  mju_copy(r.d->ctrl, (mjtNum[NU]){0.4, -0.3, 0.7}, NU);
  r.d->act[0] = 0.25;
  return r;
}


static inline void closeRig(cfRig r) {
  mj_deleteData(r.d);
  mj_deleteModel(r.m);
}


// position moved along one dof
static inline void nudge(cfRig r, int dof, mjtNum eps) {
  mjtNum direction[NV] = {0};
  direction[dof] = 1;
  mj_integratePos(r.m, r.d->qpos, direction, eps);
}

#endif  // CF_FINITEDIFF_RIG_H
