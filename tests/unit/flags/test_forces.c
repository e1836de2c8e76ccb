// Flags that act on forces, actuation and sensors.  ACn are the acceptance criteria of the flag
// specification; where it differs from MuJoCo 3.5.0 the test holds what MuJoCo does and says so.
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "cf_text.h"

typedef struct {
  mjModel* m;
  mjData* d;
} Scene;


static Scene openScene(const char* option, const char* rest) {
  char xml[4000];
  snprintf(xml, sizeof(xml), "<mujoco>%s%s</mujoco>", option, rest);
  mjModel* m = cf_compileText(xml);
  return (Scene){m, mj_makeData(m)};
}


static void closeScene(Scene s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}


static void stepScene(Scene s, int count) {
  for (int k = 0; k < count; k++) {
    mj_step(s.m, s.d);
  }
}

// a hinge that is out of its rest position and turns
static const char sprung[] =
    "<worldbody><body><joint axis='0 1 0' stiffness='100' damping='10'/>"
    "<geom size='0.1' pos='0.3 0 0'/></body></worldbody>";

// compensated arm in a wind
static const char floating[] =
    "<worldbody><body gravcomp='1'><joint name='j' axis='0 1 0' stiffness='2' damping='1'/>"
    "<geom type='box' size='0.1 0.2 0.05' pos='0.3 0 0'/></body></worldbody>";

// two motors in different groups, one of them with activation, and the sensor of a joint
static const char driven[] =
    "<worldbody><body><joint name='a' axis='0 1 0'/><geom size='0.1' pos='0.3 0 0'/></body>"
    "<body pos='0 1 0'><joint name='b' type='slide'/><geom size='0.1'/></body></worldbody>"
    "<actuator><motor joint='a' gear='3' ctrlrange='0 1' ctrllimited='true'/>"
    "<general joint='b' dyntype='integrator' gainprm='2' group='2'/>"
    "<general joint='b' dyntype='integrator' gainprm='5' group='31'/>"
    "<motor joint='b' group='5'/></actuator>"
    "<sensor><jointpos joint='a'/><jointvel joint='a'/></sensor>";


// forces of the sprung hinge at q = 0.5, qdot = 2
static Scene openSprung(const char* option) {
  Scene s = openScene(option, sprung);
  s.d->qpos[0] = 0.5;
  s.d->qvel[0] = 2;
  mj_forward(s.m, s.d);
  return s;
}


CF_TEST(AC2_gravity__disabled__springs_still_act_and_no_compensation) {
  Scene s = openScene("<option><flag gravity='disable' energy='enable'/></option>", floating);
  mj_forward(s.m, s.d);
  CF_NEAR(s.d->qacc[0], 0, 0);
  CF_NEAR(s.d->qfrc_gravcomp[0], 0, 0);
  CF_NEAR(s.d->energy[0], 0, 0);
  s.d->qpos[0] = 0.5;
  mj_forward(s.m, s.d);
  CF_NEAR(s.d->qfrc_passive[0], -1, 1e-15);
  CF_TRUE(s.d->qacc[0] < -1);

  // energy of the spring alone
  CF_NEAR(s.d->energy[0], 0.25, 1e-15);
  closeScene(s);
}


CF_TEST(AC5_spring_and_damper__one_disabled__the_other_acts) {
  Scene s = openSprung("<option><flag spring='disable' damper='enable'/></option>");
  CF_NEAR(s.d->qfrc_spring[0], 0, 0);
  CF_NEAR(s.d->qfrc_damper[0], -20, 1e-14);
  closeScene(s);

  s = openSprung("<option><flag spring='enable' damper='disable'/></option>");
  CF_NEAR(s.d->qfrc_spring[0], -50, 1e-14);
  CF_NEAR(s.d->qfrc_damper[0], 0, 0);
  closeScene(s);
}


CF_TEST(AC6_actuation__disabled__no_force_but_geometry) {
  Scene s = openScene("<option><flag actuation='disable'/></option>", driven);
  s.d->ctrl[0] = s.d->ctrl[1] = s.d->ctrl[3] = 1;
  s.d->qpos[0] = 0.25;
  s.d->act[0] = 0.5;
  mj_step(s.m, s.d);
  CF_NEAR(s.d->qfrc_actuator[0], 0, 0);
  CF_NEAR(s.d->qfrc_actuator[1], 0, 0);
  for (int i = 0; i < s.m->nu; i++) {
    CF_NEAR(s.d->actuator_force[i], 0, 0);
  }
  CF_NEAR(s.d->actuator_length[0], 0.75, 1e-15);

  // velocities of actuators are zero, whatever was there
  s.d->qvel[0] = 2;
  mju_fill(s.d->actuator_velocity, 77, (int)s.m->nu);
  mj_fwdVelocity(s.m, s.d);
  for (int i = 0; i < s.m->nu; i++) {
    CF_NEAR(s.d->actuator_velocity[i], 0, 0);
  }

  // activations stay as they are
  CF_NEAR(s.d->act[0], 0.5, 0);
  closeScene(s);
}


CF_TEST(AC7_sensor__disabled__values_of_the_last_enabled_step) {
  Scene s = openScene("", driven);
  s.d->qpos[0] = 0.25;
  s.d->qvel[0] = 3;
  mj_forward(s.m, s.d);
  CF_NEAR(s.d->sensordata[0], 0.25, 0);
  CF_NEAR(s.d->sensordata[1], 3, 0);
  s.m->opt.disableflags |= mjDSBL_SENSOR;
  s.d->qpos[0] = 0.5;
  stepScene(s, 3);
  CF_NEAR(s.d->sensordata[0], 0.25, 0);
  CF_NEAR(s.d->sensordata[1], 3, 0);
  closeScene(s);
}


// passive forces of the compensated arm with some flags disabled
static void passiveForces(const char* flags, mjtNum spring[1], mjtNum damper[1], mjtNum gravcomp[1],
                          mjtNum fluid[1]) {
  char option[300];
  snprintf(option, sizeof(option),
           "<option density='1.2' viscosity='0.1' wind='0 0 5'><flag %s/></option>", flags);
  Scene s = openScene(option, floating);
  s.d->qpos[0] = 0.5;
  s.d->qvel[0] = 2;

  // what a stage does not compute it must clear
  s.d->qfrc_spring[0] = s.d->qfrc_damper[0] = s.d->qfrc_gravcomp[0] = 77;
  s.d->qfrc_fluid[0] = s.d->qfrc_passive[0] = 77;
  mj_forward(s.m, s.d);
  *spring = s.d->qfrc_spring[0];
  *damper = s.d->qfrc_damper[0];
  *gravcomp = s.d->qfrc_gravcomp[0];
  *fluid = s.d->qfrc_fluid[0];
  CF_NEAR(s.d->qfrc_passive[0], *spring + *damper + *gravcomp + *fluid, 1e-13);
  closeScene(s);
}


CF_TEST(AC10_passive__springs_and_dampers_disabled__no_passive_force_at_all) {
  mjtNum spring, damper, gravcomp, fluid;
  passiveForces("spring='disable' damper='disable'", &spring, &damper, &gravcomp, &fluid);
  CF_NEAR(spring, 0, 0);
  CF_NEAR(damper, 0, 0);
  CF_NEAR(gravcomp, 0, 0);
  CF_NEAR(fluid, 0, 0);
}


CF_TEST(AC21_passive__one_of_spring_and_damper_disabled__compensation_and_fluid_act) {
  const char* const flags[] = {"spring='disable'", "damper='disable'"};
  for (int k = 0; k < 2; k++) {
    mjtNum spring, damper, gravcomp, fluid;
    passiveForces(flags[k], &spring, &damper, &gravcomp, &fluid);
    CF_TRUE(gravcomp < -1);
    CF_TRUE(fluid != 0);
  }
  mjtNum spring, damper, gravcomp, fluid;
  passiveForces("gravity='disable'", &spring, &damper, &gravcomp, &fluid);
  CF_NEAR(gravcomp, 0, 0);
}


CF_TEST(AC25_passive__spring_and_damper__kept_apart) {
  mjtNum spring, damper, gravcomp, fluid;
  passiveForces("", &spring, &damper, &gravcomp, &fluid);
  CF_NEAR(spring, -1, 1e-15);
  CF_NEAR(damper, -2, 1e-15);
  passiveForces("spring='disable'", &spring, &damper, &gravcomp, &fluid);
  CF_NEAR(spring, 0, 0);
  CF_NEAR(damper, -2, 1e-15);
  passiveForces("damper='disable'", &spring, &damper, &gravcomp, &fluid);
  CF_NEAR(spring, -1, 1e-15);
  CF_NEAR(damper, 0, 0);
}


CF_TEST(AC11_option__no_flag_element__all_bits_clear) {
  const char* const option[] = {"", "<option/>", "<option><flag/></option>"};
  for (int k = 0; k < 3; k++) {
    Scene s = openScene(option[k], sprung);
    CF_EQ_INT(s.m->opt.disableflags, 0);
    CF_EQ_INT(s.m->opt.enableflags, 0);
    CF_EQ_INT(s.m->opt.disableactuator, 0);
    closeScene(s);
  }
  mjOption option_default;
  mj_defaultOption(&option_default);
  CF_EQ_INT(option_default.disableflags, 0);
  CF_EQ_INT(option_default.enableflags, 0);
}


// MuJoCo rejects the attribute; here it is an alias with a warning of the reader
CF_TEST(AC12_passive_attribute__alias_of_spring_and_damper__explicit_attribute_wins) {
  cf_guardClear();
  Scene s = openScene("<option><flag passive='disable'/></option>", sprung);
  CF_EQ_INT(s.m->opt.disableflags, mjDSBL_SPRING | mjDSBL_DAMPER);
  closeScene(s);
  s = openScene("<option><flag passive='disable' spring='enable'/></option>", sprung);
  CF_EQ_INT(s.m->opt.disableflags, mjDSBL_DAMPER);
  closeScene(s);
  mju_user_warning = NULL;
}


CF_TEST(AC19_clampctrl__disabled__control_beyond_its_range_counts) {
  Scene s = openScene("", driven);
  s.d->ctrl[0] = 2;
  mj_forward(s.m, s.d);
  CF_NEAR(s.d->qfrc_actuator[0], 3, 1e-15);
  CF_NEAR(s.d->ctrl[0], 2, 0);
  closeScene(s);

  s = openScene("<option><flag clampctrl='disable'/></option>", driven);
  s.d->ctrl[0] = 2;
  mj_forward(s.m, s.d);
  CF_NEAR(s.d->qfrc_actuator[0], 6, 1e-15);
  closeScene(s);
}


CF_TEST(AC22_actuator_groups__two_disabled__others_unaffected) {
  Scene s = openScene("<option actuatorgroupdisable='2 5'/>", driven);
  CF_EQ_INT(s.m->opt.disableactuator, 1 << 2 | 1 << 5);
  for (int i = 0; i < 4; i++) {
    s.d->ctrl[i] = 1;
  }
  s.d->act[0] = s.d->act[1] = 0.5;
  mj_step(s.m, s.d);

  // group 0 acts, groups 2 and 5 do not, group 31 cannot be disabled
  CF_NEAR(s.d->actuator_force[0], 1, 1e-15);
  CF_NEAR(s.d->actuator_force[1], 0, 0);
  CF_NEAR(s.d->actuator_force[2], 2.5, 1e-15);
  CF_NEAR(s.d->actuator_force[3], 0, 0);

  // MuJoCo still computes act_dot of a disabled actuator, but does not integrate it
  CF_NEAR(s.d->act_dot[0], 1, 0);
  CF_NEAR(s.d->act[0], 0.5, 0);
  CF_NEAR(s.d->act[1], 0.5 + s.m->opt.timestep, 1e-15);

  // together with the flag for all actuators
  s.m->opt.disableflags |= mjDSBL_ACTUATION;
  mj_forward(s.m, s.d);
  CF_NEAR(s.d->actuator_force[0], 0, 0);
  CF_NEAR(s.d->actuator_force[2], 0, 0);
  closeScene(s);
}


static void expectZero(const mjtNum* output, int n) {
  for (int k = 0; k < n; k++) {
    CF_NEAR(output[k], 0, 0);
  }
}


// groups that have no bit: -1 and 31 act however many bits are set
CF_TEST(AC22_actuator_groups__outside_0_to_30__are_never_disabled) {
  Scene s = openScene("", driven);
  const int group[] = {-1, 31, 30, 0};
  memcpy(s.m->actuator_group, group, sizeof(group));
  s.m->opt.disableactuator = -1;
  s.d->ctrl[0] = s.d->ctrl[3] = 1;
  s.d->act[0] = s.d->act[1] = 0.5;
  mj_step(s.m, s.d);
  const mjtNum force[] = {1, 1, 0, 0};
  CF_NEAR_ARRAY(s.d->actuator_force, force, 4, 1e-15);

  // the integrator of group 31 goes on, that of group 30 is frozen
  s.d->ctrl[1] = s.d->ctrl[2] = 1;
  mj_step(s.m, s.d);
  CF_NEAR(s.d->act[0], 0.5 + s.m->opt.timestep, 1e-15);
  CF_NEAR(s.d->act[1], 0.5, 0);
  closeScene(s);
}


// a strip and a block that are bent and move: forces of edges, elements and vertices
static const char soft[] =
    "<worldbody>"
    "<flexcomp name='rope' type='grid' count='5 1 1' spacing='.1 .1 .1' dim='1' mass='.1'>"
    "<edge stiffness='30' damping='2'/><contact selfcollide='none'/></flexcomp>"
    "<flexcomp name='sheet' type='grid' count='4 4 1' spacing='.1 .1 .1' pos='0 1 0' dim='2' mass='.2'>"
    "<edge damping='.5'/>"
    "<elasticity young='1e4' poisson='.2' thickness='.02' damping='.05' elastic2d='%s'/>"
    "<contact selfcollide='none'/></flexcomp>"
    "<flexcomp name='block' type='grid' count='3 3 3' spacing='.1 .1 .1' pos='0 2 0' dim='3' mass='.5'>"
    "<elasticity young='1e4' poisson='.2' damping='.05'/><contact selfcollide='none' internal='false'/></flexcomp>"
    "</worldbody>";


// the soft bodies, bent and moving, with some flags disabled
static Scene openSoft(const char* elastic2d, int disabled) {
  char rest[3000];
  snprintf(rest, sizeof(rest), soft, elastic2d);
  Scene s = openScene("<option gravity='0 0 0'/>", rest);
  s.m->opt.disableflags = disabled;
  for (int i = 0; i < s.m->nq; i++) {
    s.d->qpos[i] += 0.01 * sin(7 * i);
    s.d->qvel[i] = 0.3 * cos(5 * i);
  }
  mj_forward(s.m, s.d);
  return s;
}


// dofs of a flex whose vertices have bodies of their own
static int firstDof(Scene s, int flex) {
  return s.m->body_dofadr[s.m->flex_vertbodyid[s.m->flex_vertadr[flex]]];
}


// S4.7b, in every kind of flex: spring stops the springs of edges and of bending, damper their
// damping, and the other half is what it was.  The elasticity of elements, damping included, is a
// force of its own that MuJoCo counts as a spring and stops with neither flag
CF_TEST(flexes__S4_7b_spring_or_damper_disabled__the_other_half_acts_alone) {
  enum { ROPE, SHEET, BLOCK };
  const char* const elastic2d[] = {"stretch", "bend", "both"};
  Scene stretched = openSoft("stretch", 0);
  for (int k = 0; k < 3; k++) {
    Scene all = openSoft(elastic2d[k], 0);
    Scene no_spring = openSoft(elastic2d[k], mjDSBL_SPRING),
          no_damper = openSoft(elastic2d[k], mjDSBL_DAMPER);
    for (int f = ROPE; f <= BLOCK; f++) {
      const int dof = firstDof(all, f), n = 3 * all.m->flex_vertnum[f];
      CF_TRUE(mju_norm(all.d->qfrc_spring + dof, n) > 0.1);
      CF_TRUE(f == BLOCK || mju_norm(all.d->qfrc_damper + dof, n) > 0.1);

      // what is left without springs is the elasticity of the elements
      if (f == BLOCK || (f == SHEET && k != 1)) {
        CF_NEAR_ARRAY(no_spring.d->qfrc_spring + dof, stretched.d->qfrc_spring + dof, n, 1e-12);
      } else {
        expectZero(no_spring.d->qfrc_spring + dof, n);
      }
      CF_NEAR_ARRAY(no_spring.d->qfrc_damper + dof, all.d->qfrc_damper + dof, n, 1e-12);
      CF_NEAR_ARRAY(no_damper.d->qfrc_spring + dof, all.d->qfrc_spring + dof, n, 1e-12);
      expectZero(no_damper.d->qfrc_damper + dof, n);
    }
    CF_NEAR_ARRAY(no_damper.d->qfrc_passive, no_damper.d->qfrc_spring, (int)all.m->nv, 1e-12);
    closeScene(all);
    closeScene(no_spring);
    closeScene(no_damper);
  }
  closeScene(stretched);
}


// an interpolated body: its grid of nodes has springs and dampers of its own
CF_TEST(flexes__S4_7b_grid_of_nodes__springs_and_dampers_apart) {
  const char grid[] =
      "<worldbody><flexcomp name='grid' type='grid' count='3 3 3' spacing='.1 .1 .1' dim='3' mass='.5' dof='trilinear'>"
      "<elasticity young='1e4' poisson='.2' damping='.05'/><contact selfcollide='none' internal='false'/></flexcomp>"
      "</worldbody>";
  Scene s = openScene("<option gravity='0 0 0'/>", grid);
  mjtNum spring[24], damper[24];
  CF_EQ_INT(s.m->nv, 24);
  for (int i = 0; i < 24; i++) {
    s.d->qpos[i] += 0.01 * sin(7 * i);
    s.d->qvel[i] = 0.3 * cos(5 * i);
  }
  mj_forward(s.m, s.d);
  mju_copy(spring, s.d->qfrc_spring, 24);
  mju_copy(damper, s.d->qfrc_damper, 24);
  CF_TRUE(mju_norm(spring, 24) > 0.1 && mju_norm(damper, 24) > 0.1);

  s.m->opt.disableflags = mjDSBL_SPRING;
  mj_forward(s.m, s.d);
  expectZero(s.d->qfrc_spring, 24);
  CF_NEAR_ARRAY(s.d->qfrc_damper, damper, 24, 0);
  s.m->opt.disableflags = mjDSBL_DAMPER;
  mj_forward(s.m, s.d);
  CF_NEAR_ARRAY(s.d->qfrc_spring, spring, 24, 0);
  expectZero(s.d->qfrc_damper, 24);
  closeScene(s);
}


// an output that held something before
static void poison(mjtNum* output, int n) {
  mju_fill(output, 77, n);
}


// each stage alone, with the flag that stops it: what it owns is cleared nevertheless
CF_TEST(AC23_passive__springs_and_dampers_disabled__all_its_forces_are_cleared) {
  Scene s = openScene("", driven);
  const int nv = (int)s.m->nv;
  mjtNum* const output[] = {s.d->qfrc_spring, s.d->qfrc_damper, s.d->qfrc_gravcomp, s.d->qfrc_fluid,
                            s.d->qfrc_passive};
  mj_forward(s.m, s.d);
  s.m->opt.disableflags = mjDSBL_SPRING | mjDSBL_DAMPER;
  for (int k = 0; k < 5; k++) {
    poison(output[k], nv);
  }
  mj_passive(s.m, s.d);
  for (int k = 0; k < 5; k++) {
    expectZero(output[k], nv);
  }
  closeScene(s);
}


CF_TEST(AC23_actuation__disabled__actuator_forces_are_cleared) {
  Scene s = openScene("", driven);
  mj_forward(s.m, s.d);
  CF_TRUE(s.m->nu > 0);
  s.m->opt.disableflags = mjDSBL_ACTUATION;
  poison(s.d->actuator_force, (int)s.m->nu);
  poison(s.d->qfrc_actuator, (int)s.m->nv);
  mj_fwdActuation(s.m, s.d);
  expectZero(s.d->actuator_force, (int)s.m->nu);
  expectZero(s.d->qfrc_actuator, (int)s.m->nv);
  closeScene(s);
}


// the collision stage drops contacts and all rows that rest on them before it looks at the flags
CF_TEST(AC23_collision__disabled_after_contacts__contacts_and_rows_are_gone) {
  const int flag[] = {mjDSBL_CONTACT, mjDSBL_CONSTRAINT};
  for (int k = 0; k < 2; k++) {
    Scene s = openScene("",
                        "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.09'>"
                        "<freejoint/><geom size='0.1'/></body></worldbody>");
    mj_forward(s.m, s.d);
    CF_EQ_INT(s.d->ncon, 1);
    CF_EQ_INT(s.d->nefc, 4);
    CF_TRUE(s.d->qfrc_constraint[2] > 1);
    s.m->opt.disableflags = flag[k];
    mj_collision(s.m, s.d);
    CF_EQ_INT(s.d->ncon, 0);
    CF_EQ_INT(s.d->nefc, 0);
    CF_EQ_INT(s.d->parena, 0);

    // the constraint stage clears its force before it sees that there is no row
    mj_fwdConstraint(s.m, s.d);
    expectZero(s.d->qfrc_constraint, 6);
    closeScene(s);
  }
}


// in MuJoCo a model without any actuator loses what is routed, so there is a motor
CF_TEST(AC24_gravcomp__actuatorgravcomp__routed_through_the_actuators) {
  for (int routed = 0; routed < 2; routed++) {
    char rest[600];
    snprintf(rest, sizeof(rest),
             "<worldbody><body gravcomp='1'><joint name='j' axis='0 1 0' actuatorgravcomp='%s'/>"
             "<geom size='0.1' pos='0.3 0 0'/></body></worldbody>"
             "<actuator><motor joint='j'/></actuator>",
             routed ? "true" : "false");
    Scene s = openScene("", rest);
    mj_forward(s.m, s.d);
    const mjtNum force = -s.m->body_mass[1] * 9.81 * 0.3;
    CF_NEAR(s.d->qfrc_gravcomp[0], force, 1e-12);
    CF_NEAR(s.d->qfrc_passive[0], routed ? 0 : force, 1e-12);
    CF_NEAR(s.d->qfrc_actuator[0], routed ? force : 0, 1e-12);
    CF_NEAR(s.d->qacc[0], 0, 1e-12);

    s.m->opt.disableflags |= mjDSBL_GRAVITY;
    mj_forward(s.m, s.d);
    CF_NEAR(s.d->qfrc_gravcomp[0], 0, 0);
    CF_NEAR(s.d->qfrc_passive[0], 0, 0);
    CF_NEAR(s.d->qfrc_actuator[0], 0, 0);
    closeScene(s);
  }
}

CF_TEST_MAIN("flags/forces")
