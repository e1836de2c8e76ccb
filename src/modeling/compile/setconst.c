// mj_setConst: recompute what follows from the other fields of a model, after they were set or
// edited.
#include "base/assert.h"
#include "compile/constants.h"

// modes of the model that must be plain while constants are computed
typedef struct {
  int *cam, *light;
  mjtByte* flex;
} savedModes;


// remember a mode array and set all of it to fixed
static int* fixModes(mjData* d, int* mode, int count) {
  CF_ASSERT(count >= 0);
  int* saved = mj_stackAllocInt(d, count);
  for (int i = 0; i < count; i++) {
    saved[i] = mode[i];
    mode[i] = mjCAMLIGHT_FIXED;
  }
  return saved;
}


// hold cameras and lights fixed to their bodies and every flex deformable
static savedModes setPlainModes(mjModel* m, mjData* d) {
  savedModes saved = {fixModes(d, m->cam_mode, m->ncam), fixModes(d, m->light_mode, m->nlight),
                      mj_stackAllocByte(d, m->nflex, 1)};
  for (int f = 0; f < m->nflex; f++) {
    saved.flex[f] = m->flex_rigid[f];
    m->flex_rigid[f] = 0;
  }
  return saved;
}


static void restoreModes(mjModel* m, const savedModes* saved) {
  for (int c = 0; c < m->ncam; c++) {
    m->cam_mode[c] = saved->cam[c];
  }
  for (int l = 0; l < m->nlight; l++) {
    m->light_mode[l] = saved->light[l];
  }
  for (int f = 0; f < m->nflex; f++) {
    m->flex_rigid[f] = saved->flex[f];
  }
}


// body poses and centers of mass in a given configuration
static void placeAtConfiguration(const mjModel* m, mjData* d, const mjtNum* qpos) {
  mju_copy(d->qpos, qpos, m->nq);
  mj_kinematics(m, d);
  mj_comPos(m, d);
}


// positions, inertia, Jacobians and transmission at the reference configuration.  writes dof_M0
static void computeReference(mjModel* m, mjData* d) {
  mj_markStack(d);
  savedModes saved = setPlainModes(m, d);
  placeAtConfiguration(m, d, m->qpos0);
  mj_camlight(m, d);
  cfi_setInertia0(m, d);
  mj_tendon(m, d);
  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_flex(m, d);
  mj_transmission(m, d);
  restoreModes(m, &saved);
  mj_freeStack(d);
}


// rest lengths that were left to the spring configuration.  writes tendon_lengthspring
static void setSpringLengths(mjModel* m, mjData* d) {
  placeAtConfiguration(m, d, m->qpos_spring);
  mj_tendon(m, d);
  mj_transmission(m, d);
  for (int t = 0; t < m->ntendon; t++) {
    mjtNum* rest = m->tendon_lengthspring + 2 * t;
    if (rest[0] == -1 && rest[1] == -1) {
      rest[0] = rest[1] = d->ten_length[t];
    }
  }
}


// reads every field that a user may set; writes what follows from them, length ranges excepted
void mj_setConst(mjModel* m, mjData* d) {
  // what does not depend on the configuration
  cfi_setMassSums(m);
  cfi_setTrees(m, d);
  cfi_setSleepPolicy(m, d);
  cfi_setFlexStructure(m, d);

  // what belongs to qpos0
  computeReference(m, d);
  mju_copy(m->flexedge_length0, d->flexedge_length, m->nflexedge);
  mju_copy(m->tendon_length0, d->ten_length, m->ntendon);
  mju_copy(m->actuator_length0, d->actuator_length, m->nu);
  cfi_setWeights0(m, d);
  cfi_setEqualityAnchors(m, d);
  cfi_setViewOffsets(m, d);
  cfi_setActuatorDamping(m, d);
  cfi_setStatistics(m, d);

  // what belongs to qpos_spring
  setSpringLengths(m, d);
}
