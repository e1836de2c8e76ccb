// Steps of many trees on the threads of a pool: every array has the bits of one thread.
#include "cf_test.h"
#include "cf_threads.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <cortenforge/contact.h>

#include "cf_text.h"

// sixteen falling chains: enough dofs and geoms for stages to be shared
static const char chains_xml[] =
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='5 5 1'/>"
    "<replicate count='16' offset='0.3 0.05 0' euler='0 0 10'><body pos='0 0 0.3'><freejoint/>"
    "<geom type='capsule' size='0.05' fromto='0 0 0 0.2 0 0'/><body pos='0.2 0 0'>"
    "<joint axis='0 1 0' damping='0.1'/><geom type='capsule' size='0.05' fromto='0 0 0 0.2 0 0'/>"
    "<body pos='0.2 0 0'><joint axis='0 0 1'/><geom type='sphere' size='0.06'/>"
    "<body pos='0 0 0.1'><joint axis='1 0 0'/><geom type='sphere' size='0.06'/>"
    "</body></body></body></body></replicate></worldbody></mujoco>";

static void leaveAlone(const mjModel* m, mjData* d) {
  (void)m, (void)d;
}


static void expectSharedStepsEqual(int integrator, mjfGeneric control) {
  mjModel* m = cf_compileText(chains_xml);
  mjData *alone = mj_makeData(m), *shared = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(2);
  mju_bindThreadPool(shared, pool);
  cf_keepThreads(shared);
  m->opt.integrator = integrator;
  mjcb_control = control;
  for (int k = 0; k < 60; k++) {
    mj_step(m, alone);
    mj_step(m, shared);
    CF_EQ_BYTES(alone->qpos, shared->qpos, sizeof(mjtNum) * m->nq);
    CF_EQ_BYTES(alone->cvel, shared->cvel, sizeof(mjtNum) * 6 * m->nbody);
    CF_EQ_BYTES(alone->qfrc_bias, shared->qfrc_bias, sizeof(mjtNum) * m->nv);
  }
  mjcb_control = NULL;
  CF_TRUE(m->nv >= 64 && m->ngeom >= 64 && alone->ncon > 16);
  mj_deleteData(shared);
  mj_deleteData(alone);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
}


CF_TEST(step__stages_beside_collision__same_bits) {
  expectSharedStepsEqual(mjINT_EULER, NULL);
  expectSharedStepsEqual(mjINT_EULER, leaveAlone);
  expectSharedStepsEqual(mjINT_RK4, NULL);
}


// forty chains with everything that has rows, some of which couples them; two kinds of cones
static const char crowd_xml[] =
    "<mujoco><option timestep='0.005'/><default><geom condim='3'/></default><worldbody>"
    "<geom type='plane' size='5 5 1'/><site name='floor' type='box' size='5 5 0.1'/>"
    "<body pos='0 0 0.05'><geom type='box' size='0.4 0.4 0.05'/></body>"
    "<replicate count='40' offset='0.12 0.03 0.005' euler='0 0 17'><body name='root' pos='0 0 0.11'>"
    "<freejoint/><geom type='capsule' size='0.05' fromto='0 0 0 0.2 0 0'/><body pos='0.2 0 0'>"
    "<joint name='bend' axis='0 1 0' damping='0.1' limited='true' range='-10 10' frictionloss='0.1'/>"
    "<geom type='box' size='0.1 0.03 0.03' pos='0.1 0 0'/>"
    "<site name='tip' pos='0.2 0 0' size='0.2'/>"
    "<body pos='0.2 0 0'><joint name='ball' type='ball' limited='true' range='0 20'/>"
    "<geom type='sphere' size='0.06'/></body></body></body></replicate></worldbody><tendon>"
    "<spatial limited='true' range='0 0.2' frictionloss='0.1'><site site='tip00'/><site site='tip09'/>"
    "</spatial></tendon><equality><connect body1='root03' body2='root04' anchor='0 0 0.1'/>"
    "</equality><actuator><motor joint='bend02' gear='2' ctrllimited='true' ctrlrange='-1 1'/>"
    "<position joint='bend02' kp='3' kv='0.1' forcelimited='true' forcerange='-0.2 0.2'/>"
    "<velocity joint='bend11' kv='0.1'/><motor name='pull' joint='bend20' gear='0.5'/>"
    "<position joint='bend31' kp='2'/><motor joint='bend39' group='1'/></actuator><sensor>"
    "<touch site='tip39'/><accelerometer site='tip04'/><touch site='tip04'/><force site='tip05'/>"
    "<touch site='floor'/><torque site='tip20' cutoff='0.1'/><touch site='tip20'/>"
    "<framelinacc objtype='body' objname='root03'/><touch site='tip21' delay='0.01' nsample='4'/>"
    "<accelerometer site='tip38'/><touch site='tip31'/><force site='floor'/><touch site='tip00'/>"
    "<touch site='tip01'/><touch site='tip02'/><actuatorfrc actuator='pull'/></sensor></mujoco>";


static void expectSameArrays(const mjModel* m, const mjData* a, const mjData* b) {
#define SAME(name, count) CF_EQ_BYTES(b->name, a->name, sizeof(*a->name) * (size_t)(count))
  CF_TRUE(b->ncon == a->ncon && b->nefc == a->nefc && b->nJ == a->nJ && b->nisland == a->nisland);
  CF_TRUE(b->ne == a->ne && b->nf == a->nf && b->nl == a->nl && b->nidof == a->nidof);
  CF_TRUE(b->time == a->time && b->nA == a->nA);
  SAME(qpos, m->nq);
  SAME(qvel, m->nv);
  SAME(qacc, m->nv);
  SAME(qacc_smooth, m->nv);
  SAME(xquat, 4 * m->nbody);
  SAME(xipos, 3 * m->nbody);
  SAME(ximat, 9 * m->nbody);
  SAME(geom_xmat, 9 * m->ngeom);
  SAME(site_xpos, 3 * m->nsite);
  SAME(xaxis, 3 * m->njnt);
  SAME(subtree_com, 3 * m->nbody);
  SAME(cinert, 10 * m->nbody);
  SAME(cdof, 6 * m->nv);
  SAME(crb, 10 * m->nbody);
  SAME(M, m->nC);
  SAME(qM, m->nM);
  SAME(qLD, m->nC);
  SAME(qLDiagInv, m->nv);
  SAME(cvel, 6 * m->nbody);
  SAME(cdof_dot, 6 * m->nv);
  SAME(qfrc_bias, m->nv);
  SAME(qfrc_spring, m->nv);
  SAME(qfrc_damper, m->nv);
  SAME(qfrc_gravcomp, m->nv);
  SAME(qfrc_fluid, m->nv);
  SAME(qfrc_passive, m->nv);
  SAME(qfrc_actuator, m->nv);
  SAME(qfrc_smooth, m->nv);
  SAME(qfrc_constraint, m->nv);
  SAME(qacc_warmstart, m->nv);
  SAME(ten_velocity, m->ntendon);
  SAME(actuator_length, m->nu);
  SAME(actuator_velocity, m->nu);
  SAME(actuator_force, m->nu);
  SAME(moment_rowadr, m->nu);
  SAME(moment_rownnz, m->nu);
  SAME(actuator_moment, m->nu);
  SAME(moment_colind, m->nu);
  SAME(act_dot, m->na);
  SAME(qH, m->nC);
  SAME(qHDiagInv, m->nv);
  SAME(bvh_active, m->nbvh);
  SAME(cacc, 6 * m->nbody);
  SAME(cfrc_ext, 6 * m->nbody);
  SAME(cfrc_int, 6 * m->nbody);
  SAME(sensordata, m->nsensordata);
  SAME(efc_type, a->nefc);
  SAME(efc_id, a->nefc);
  SAME(efc_J, a->nJ);
  SAME(efc_J_colind, a->nJ);
  SAME(efc_J_rowsuper, a->nefc);
  SAME(efc_pos, a->nefc);
  SAME(efc_margin, a->nefc);
  SAME(efc_frictionloss, a->nefc);
  SAME(efc_diagApprox, a->nefc);
  SAME(efc_KBIP, 4 * a->nefc);
  SAME(efc_D, a->nefc);
  SAME(efc_vel, a->nefc);
  SAME(efc_aref, a->nefc);
  SAME(efc_b, a->nefc);
  SAME(efc_force, a->nefc);
  SAME(efc_state, a->nefc);
  SAME(tendon_efcadr, m->ntendon);
  if (a->nisland) {
    SAME(map_iefc2efc, a->nefc);
    SAME(iefc_J, a->nJ);
    SAME(iefc_J_rowsuper, a->nefc);
    SAME(iM_colind, m->nC * (a->nidof == m->nv));
    SAME(iLD, m->nC * (a->nidof == m->nv));
  }
#undef SAME
  for (int k = 0; k < a->ncon; k++) {
    const mjContact *con = a->contact + k, *other = b->contact + k;
    CF_EQ_BYTES(other, con, offsetof(mjContact, H));
    CF_EQ_BYTES(&other->dim, &con->dim,
                offsetof(mjContact, efc_address) + sizeof(int) - offsetof(mjContact, dim));
  }
}


enum { CROWD_STEPS = CF_SANITIZED ? 15 : 40, CASE_STEPS = CF_SANITIZED ? 6 : 12 };


static void expectCrowdEqual(int cone, int nthread) {
  mjModel* m = cf_compileText(crowd_xml);
  mjData *alone = mj_makeData(m), *shared = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate((size_t)nthread);
  mju_bindThreadPool(shared, pool);
  cf_keepThreads(shared);
  m->opt.cone = cone;
  int nisland = 0, ncon = 0, work = 0;
  for (int k = 0; k < CROWD_STEPS; k++) {
    mj_step(m, alone);
    mj_step(m, shared);
    expectSameArrays(m, alone, shared);
    nisland = alone->nisland > nisland ? alone->nisland : nisland;
    ncon = alone->ncon > ncon ? alone->ncon : ncon;
    int rows = 0;
    for (int i = 0; i < alone->nisland; i++) {
      rows += alone->island_nefc[i] * alone->island_nv[i];
    }
    work = rows > work ? rows : work;
  }

  // enough of everything to be shared
  CF_TRUE(m->nv >= 64 && m->nbody >= 64 && alone->ne > 0 && alone->nf > 0);
  CF_TRUE(nisland > 2 && ncon > 64 && work > 4000);
  mj_deleteData(shared);
  mj_deleteData(alone);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
}


CF_TEST(step__crowd_on_1_2_3_8_threads__every_array_has_the_same_bits) {
  static const int threads[] = {1, 2, 3, 8};
  for (int k = 0; k < 4; k++) {
    expectCrowdEqual(mjCONE_PYRAMIDAL, threads[k]);
  }
  expectCrowdEqual(mjCONE_ELLIPTIC, 2);
}


// what may stand in the way of a tree that goes ahead of the others
typedef struct {
  const char* name;
  void (*change)(mjModel* m);
  void (*push)(const mjModel* m, mjData* d, int step);
} crowdCase;


static void stiffenJoints(mjModel* m) {
  for (int j = 0; j < m->njnt; j++) {
    m->jnt_stiffness[j] = 0.1 * j;
  }
  m->jnt_actfrclimited[2] = m->jnt_actfrclimited[7] = 1;
  m->jnt_actfrcrange[2 * 7 + 1] = 0.05;
}


static void stiffenTendon(mjModel* m) {
  m->tendon_stiffness[0] = 5;
  m->tendon_damping[0] = 0.3;
}


static void swapActuators(mjModel* m) {
  const int joint = m->actuator_trnid[0];
  m->actuator_trnid[0] = m->actuator_trnid[2 * 4];
  m->actuator_trnid[2 * 4] = joint;
}


static void silenceGroup(mjModel* m) {
  m->opt.disableactuator = 1 << 1;
}


static void disablePassive(mjModel* m) {
  m->opt.disableflags |= mjDSBL_SPRING | mjDSBL_DAMPER;
}


static void disableActuation(mjModel* m) {
  m->opt.disableflags |= mjDSBL_ACTUATION;
}


static void disableWarmstart(mjModel* m) {
  m->opt.disableflags |= mjDSBL_WARMSTART;
}


static void disableIslands(mjModel* m) {
  m->opt.disableflags |= mjDSBL_ISLAND;
}


static void thicken(mjModel* m) {
  m->opt.viscosity = 0.5;
}


static void chooseCG(mjModel* m) {
  m->opt.solver = mjSOL_CG;
}


static void choosePGS(mjModel* m) {
  m->opt.solver = mjSOL_PGS;
  m->opt.iterations = 5;
}


static void chooseNoslip(mjModel* m) {
  m->opt.noslip_iterations = 2;
}


static void chooseRungeKutta(mjModel* m) {
  m->opt.integrator = mjINT_RK4;
}


static void chooseImplicit(mjModel* m) {
  m->opt.integrator = mjINT_IMPLICITFAST;
}


static void chooseContactSolver(mjModel* m) {
  char error[300] = "";
  if (!cf_setContactSolver(m, "hunt_crossley", NULL, 0, error, sizeof(error))) {
    CF_FAIL("%s\n", error);
  }
}


static void pushBody(const mjModel* m, mjData* d, int step) {
  d->xfrc_applied[6 * (m->nbody / 2)] = step % 2 ? 3 : 0;
}


// equality constraints keep sensors on one thread
static void letGo(const mjModel* m, mjData* d, int step) {
  d->eq_active[0] = step % 4 == 3;
  pushBody(m, d, step);
}


static void spoilControl(const mjModel* m, mjData* d, int step) {
  d->ctrl[m->nu - 1] = step == 4 ? NAN : 0.1;
}


static const crowdCase crowd_cases[] = {
    {"springs", stiffenJoints, NULL},
    {"a tendon pulls", stiffenTendon, NULL},
    {"order of actuators", swapActuators, NULL},
    {"a group is off", silenceGroup, NULL},
    {"no passive forces", disablePassive, NULL},
    {"no actuation", disableActuation, NULL},
    {"no warm start", disableWarmstart, NULL},
    {"no islands", disableIslands, NULL},
    {"a medium", thicken, NULL},
    {"CG", chooseCG, NULL},
    {"PGS", choosePGS, NULL},
    {"noslip", chooseNoslip, NULL},
    {"Runge-Kutta", chooseRungeKutta, NULL},
    {"implicit", chooseImplicit, NULL},
    {"a body is pushed", NULL, pushBody},
    {"no equality", NULL, letGo},
    {"a bad control", NULL, spoilControl},
};


static void expectCaseEqual(const crowdCase* c, int steps) {
  mjModel* m = cf_compileText(crowd_xml);
  mjData *alone = mj_makeData(m), *shared = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(2);
  mju_bindThreadPool(shared, pool);
  cf_keepThreads(shared);
  if (c->change) {
    c->change(m);
  }
  for (int k = 0; k < steps; k++) {
    mjData* both[2] = {alone, shared};
    for (int i = 0; i < 2; i++) {
      for (int u = 0; u < m->nu; u++) {
        both[i]->ctrl[u] = 0.3 * (u + 1) - 0.1 * k;
      }
      if (c->push) {
        c->push(m, both[i], k);
      }
      mj_step(m, both[i]);
    }
    expectSameArrays(m, alone, shared);
  }
  CF_EQ_INT(shared->warning[mjWARN_BADCTRL].number, alone->warning[mjWARN_BADCTRL].number);
  CF_TRUE(shared->pstack == 0);
  mj_deleteData(shared);
  mj_deleteData(alone);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
}


CF_TEST(step__crowd_with_forces_of_all_kinds__every_array_has_the_same_bits) {
  for (size_t k = 0; k < sizeof(crowd_cases) / sizeof(*crowd_cases); k++) {
    expectCaseEqual(crowd_cases + k, CASE_STEPS);
  }
}


// a contact solver of our own: too long for the sanitizer of threads, which takes 15 s for a step
CF_TEST(step__crowd_with_a_contact_solver__every_array_has_the_same_bits) {
#ifndef __SANITIZE_THREAD__
  const crowdCase c = {"a contact solver", chooseContactSolver, NULL};
  expectCaseEqual(&c, CF_SANITIZED ? 2 : 12);
#else
  (void)chooseContactSolver;
  skip();
#endif
}


CF_TEST_MAIN("pipeline/crowd")
