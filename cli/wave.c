// A controller for the embedded humanoid: it stands by its ankles and waves a hand.
//
// Every motor is a servo around the upright pose, with gains by the part of the body; the ankles
// also push the center of mass back over the feet (Hof, Gazendam & Sinke 2005: what has to stay
// over the feet is its position plus velocity over sqrt(g/l)).
#include <math.h>
#include <string.h>

#include "cli.h"

enum { SIDES = 2 };

// gains of the joints whose names begin so [Nm/rad]; damping is a part of each [Nms/rad]
static const struct {
  const char* name;
  double stiffness;
} servos[] = {{"hip", 300},   {"knee", 300},    {"ankle", 60},
              {"waist", 200}, {"shoulder", 30}, {"elbow", 30}};
static const double damping = 0.06;

// the center of mass off the middle of the feet: forward and sideways [Nm/m], and the same by
// velocity [Nms/m]
static const double push[2] = {600, 200}, brake[2] = {150, 50};

// the raised arm [rad], how the elbow waves around it [rad, 1/s], and when: rise, and time to get
// there [s]
static const struct {
  const char* joint;
  double angle;
} raised[] = {{"shoulder_1_right", -1.3}, {"shoulder_2_right", -0.1}, {"elbow_right", -1.1}};
static const double wave_angle = 0.45, wave_rate = 1.2, wave_start = 0.7, wave_rise = 0.8;

static const char* const feet[SIDES] = {"foot_right", "foot_left"};


static bool isNamed(const mjModel* m, int joint, const char* name) {
  const char* found = mj_id2name(m, mjOBJ_JOINT, joint);
  return found && !strncmp(found, name, strlen(name));
}


static double stiffnessOf(const mjModel* m, int joint) {
  for (size_t k = 0; k < sizeof(servos) / sizeof(servos[0]); k++) {
    if (isNamed(m, joint, servos[k].name)) {
      return servos[k].stiffness;
    }
  }
  return 0;
}


bool cli_canWave(const mjModel* m) {
  bool can = m->nu > 0;
  for (int k = 0; k < SIDES; k++) {
    const int foot = mj_name2id(m, mjOBJ_BODY, feet[k]);
    can &= foot > 0 && m->body_geomnum[foot] > 0;
  }
  for (size_t k = 0; k < sizeof(raised) / sizeof(raised[0]); k++) {
    can &= mj_name2id(m, mjOBJ_JOINT, raised[k].joint) >= 0;
  }
  for (int u = 0; u < m->nu && can; u++) {
    can = m->actuator_trntype[u] == mjTRN_JOINT && m->actuator_gear[6 * u] != 0 &&
          m->jnt_type[m->actuator_trnid[2 * u]] == mjJNT_HINGE;
  }
  return can;
}


// where a joint should be at a time
static double targetOf(const mjModel* m, int joint, double time) {
  const double share = fmin(fmax((time - wave_start) / wave_rise, 0), 1);
  const double risen = share * share * (3 - 2 * share);
  for (size_t k = 0; k < sizeof(raised) / sizeof(raised[0]); k++) {
    if (isNamed(m, joint, raised[k].joint)) {
      const bool waves = isNamed(m, joint, "elbow");
      return risen *
             (raised[k].angle + (waves ? wave_angle * sin(2 * mjPI * wave_rate * time) : 0));
    }
  }
  return 0;
}


// how far the center of mass is in front of the middle of the feet and left of it, and its velocity
static void lean(const mjModel* m, mjData* d, double offset[2], double velocity[2]) {
  const int root = m->body_rootid[mj_name2id(m, mjOBJ_BODY, feet[0])];
  mj_subtreeVel(m, d);
  for (int i = 0; i < 2; i++) {
    offset[i] = d->subtree_com[3 * root + i];
    velocity[i] = d->subtree_linvel[3 * root + i];
    for (int k = 0; k < SIDES; k++) {
      offset[i] -=
          d->geom_xpos[3 * m->body_geomadr[mj_name2id(m, mjOBJ_BODY, feet[k])] + i] / SIDES;
    }
  }
}


void cli_wave(const mjModel* m, mjData* d) {
  double offset[2], velocity[2];
  lean(m, d, offset, velocity);
  for (int u = 0; u < m->nu; u++) {
    const int joint = m->actuator_trnid[2 * u];
    const double gain = stiffnessOf(m, joint), angle = d->qpos[m->jnt_qposadr[joint]];
    double torque =
        gain * (targetOf(m, joint, d->time) - angle - damping * d->qvel[m->jnt_dofadr[joint]]);
    if (isNamed(m, joint, "ankle_y")) {
      torque += push[0] * offset[0] + brake[0] * velocity[0];
    } else if (isNamed(m, joint, "ankle_x")) {
      const double side = isNamed(m, joint, "ankle_x_right") ? 1 : -1;
      torque -= side * (push[1] * offset[1] + brake[1] * velocity[1]);
    }
    d->ctrl[u] = fmin(fmax(torque / m->actuator_gear[6 * u], -1), 1);
  }
}
