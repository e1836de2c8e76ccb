// Scenes in which contact solvers show how well they keep what mechanics says: joints of
// equalities, friction laws, overlaps, stacks, limits, grips, momentum.  bench/solverlaws.c prints
// them as a table, tests/unit/contactsolver runs the fast ones.
#ifndef CF_BENCH_SOLVERLAWS_H
#define CF_BENCH_SOLVERLAWS_H

#include <stdlib.h>

#include "solverscenes.h"

// numbers of a scene; what they mean says the scene
typedef struct {
  double value[4];
  bool is_finite;
} lawResult;


static inline lawResult closeLaw(sceneRun* run, double a, double b, double c) {
  lawResult result = {{a, b, c, 0}, true};
  for (int i = 0; i < run->m->nq; i++) {
    result.is_finite = result.is_finite && isfinite(run->d->qpos[i]);
  }
  for (int w = mjWARN_BADQPOS; w <= mjWARN_BADQACC; w++) {
    result.is_finite = result.is_finite && run->d->warning[w].number == 0;
  }
  closeRun(run, 0);
  return result;
}


// numbers that look random, the same everywhere
static inline double lawRandom(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}


// energy now, on the positions and velocities of the end of the step
static inline double energyNow(const sceneRun* run) {
  mj_fwdPosition(run->m, run->d);
  mj_fwdVelocity(run->m, run->d);
  mj_energyPos(run->m, run->d);
  mj_energyVel(run->m, run->d);
  return run->d->energy[0] + run->d->energy[1];
}


// ---------------------------------------- chains

// ten links joined by equalities, the last one `ratio` times as heavy, swing down from the
// horizontal (connects) or stand out as a beam (welds).  Largest gap (m), largest growth of energy
// in parts of what the chain could lose
static inline lawResult lawChain(const sceneSolver* way, bool is_weld, double ratio,
                                 double seconds) {
  static char xml[8000];
  int used = snprintf(xml, sizeof(xml), "<mujoco><option timestep='.002'/><worldbody>");
  for (int k = 0; k < 10; k++) {
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<body name='b%d' pos='%g 0 0'><freejoint/><geom type='capsule' size='.02' "
                     "fromto='0 0 0 .1 0 0' contype='0' conaffinity='0' mass='%g'/></body>",
                     k, 0.1 * k, k == 9 ? 0.1 * ratio : 0.1);
  }
  used += snprintf(xml + used, sizeof(xml) - (size_t)used, "</worldbody><equality>");
  for (int k = 0; k < 10; k++) {
    used += snprintf(xml + used, sizeof(xml) - (size_t)used, "<%s body1='b%d'",
                     is_weld ? "weld" : "connect", k);
    if (k) {
      used += snprintf(xml + used, sizeof(xml) - (size_t)used, " body2='b%d'", k - 1);
    }
    used +=
        snprintf(xml + used, sizeof(xml) - (size_t)used, "%s/>", is_weld ? "" : " anchor='0 0 0'");
  }
  snprintf(xml + used, sizeof(xml) - (size_t)used, "</equality></mujoco>");
  sceneRun run = openText(xml, way);
  double scale = 0, gap = 0, growth = 0;
  for (int k = 0; k < 10; k++) {
    scale += run.m->body_mass[k + 1] * 9.81 * 0.1 * (k + 0.5);
  }
  const double start = energyNow(&run);
  while (isBefore(&run, seconds)) {
    stepRun(&run);
    growth = fmax(growth, (energyNow(&run) - start) / scale);
    for (int k = 0; k < 10; k++) {
      const mjtNum* mat = run.d->xmat + 9 * k;
      mjtNum end[3] = {0};
      for (int c = 0; k > 0 && c < 3; c++) {
        end[c] = run.d->xpos[3 * k + c] + 0.1 * mat[3 * c];
      }
      gap = fmax(gap, mju_dist3(end, run.d->xpos + 3 * (k + 1)));
    }
    if (!isfinite(growth) || !isfinite(gap)) {
      break;
    }
  }
  return closeLaw(&run, gap, growth, energyNow(&run));
}


// ---------------------------------------- friction

// mean acceleration over some steps of 0.1 ms, some time after a given velocity of all dofs was
// set, and the velocity in the middle of them
static inline void firstAcceleration(const char* xml, const sceneSolver* way, double* qvel,
                                     double* qacc) {
  enum { NSETTLE = 300, NSTEP = 50 };
  sceneRun run = openText(xml, way);
  for (int k = 0; k < 5000; k++) {
    stepRun(&run);
  }
  mjtNum before[12];
  mju_copy(before, qvel, (int)run.m->nv);
  mju_copy(run.d->qvel, before, (int)run.m->nv);
  for (int k = 0; k < NSETTLE; k++) {
    stepRun(&run);
  }
  mju_copy(before, run.d->qvel, (int)run.m->nv);
  for (int k = 0; k < NSTEP; k++) {
    stepRun(&run);
  }
  for (int i = 0; i < run.m->nv; i++) {
    qacc[i] = (run.d->qvel[i] - before[i]) / (NSTEP * run.m->opt.timestep);
    qvel[i] = 0.5 * (run.d->qvel[i] + before[i]);
  }
  closeRun(&run, 0);
}


// a block that cannot turn slides in a direction of the plane: relative error of the friction
// force (largest dissipation in an ellipse), and the angle by which it is off (rad)
static inline lawResult lawSlide(const sceneSolver* way, double mu1, double mu2, double angle) {
  char xml[1500];
  snprintf(xml, sizeof(xml),
           "<mujoco><option timestep='.0001' cone='elliptic'/><worldbody>"
           "<geom name='p' type='plane' size='5 5 1'/><body pos='0 0 .1'>"
           "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
           "<joint type='slide' axis='0 0 1'/><geom name='b' type='sphere' size='.1' mass='1'/>"
           "</body></worldbody><contact><pair geom1='p' geom2='b' condim='3' "
           "friction='%g %g .005 .0001 .0001'/></contact></mujoco>",
           mu1, mu2);
  double qvel[3] = {2 * cos(angle), 2 * sin(angle), 0};
  double qacc[3];
  firstAcceleration(xml, way, qvel, qacc);
  // axes of the contact frame of a plane: normal z, tangents y and -x
  const double mu[2] = {mu2, mu1}, size = hypot(mu[0] * qvel[0], mu[1] * qvel[1]);
  double wanted[2];
  for (int k = 0; k < 2; k++) {
    wanted[k] = -9.81 * mu[k] * mu[k] * qvel[k] / size;
  }
  const double force = hypot(qacc[0], qacc[1]) / hypot(wanted[0], wanted[1]) - 1;
  const double turn =
      atan2(wanted[0] * qacc[1] - wanted[1] * qacc[0], wanted[0] * qacc[0] + wanted[1] * qacc[1]);
  return (lawResult){{fabs(force), fabs(turn), 0, 0}, true};
}


// a ball spins on its point of contact (dim 4 or 6), or rolls (dim 6): relative error of the torque
static inline lawResult lawSpin(const sceneSolver* way, int dim, bool is_rolling, double mu) {
  char xml[1500];
  snprintf(xml, sizeof(xml),
           "<mujoco><option timestep='.0001' cone='elliptic'/><worldbody>"
           "<geom name='p' type='plane' size='50 50 1'/><body pos='0 0 .1'><freejoint/>"
           "<geom name='b' type='sphere' size='.1' mass='1'/></body></worldbody><contact>"
           "<pair geom1='p' geom2='b' condim='%d' friction='1 1 %g %g %g'/></contact></mujoco>",
           dim, mu, mu, mu);
  double spin[6] = {0, 0, 0, 0, 0, 10}, roll[6] = {1, 0, 0, 0, 10, 0};
  double qacc[6];
  firstAcceleration(xml, way, is_rolling ? roll : spin, qacc);
  const double inertia = 0.4 * 0.1 * 0.1;
  if (!is_rolling) {
    return (lawResult){{fabs(-qacc[5] * inertia / (mu * 9.81) - 1), 0, 0, 0}, true};
  }
  // the tangent takes its part of the ellipse: with a = -t/(r*7/5), f = a and t = mu*N*sqrt(1 -
  // (f/N)^2)
  double t = mu * 9.81;
  for (int k = 0; k < 20; k++) {
    const double part = t / (0.1 * 1.4) / 9.81;
    t = mu * 9.81 * sqrt(1 - part * part);
  }
  return (lawResult){{fabs(-qacc[0] * 0.1 * 1.4 / t - 1), 0, 0, 0}, true};
}


// ---------------------------------------- overlaps and stacks

// things that start in each other, without gravity: largest speed of any, speed after half a second
// (m/s), largest distance that one moved in a step divided by it (m/s)
static inline lawResult lawOverlap(const sceneSolver* way, int count, bool is_box, unsigned seed) {
  static char xml[12000];
  int used = snprintf(xml, sizeof(xml), "<mujoco><option gravity='0 0 0'/><worldbody>");
  for (int k = 0; k < count; k++) {
    const double x = 0.1 * lawRandom(&seed), y = 0.1 * lawRandom(&seed);
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<body pos='%g %g %g'><freejoint/><geom type='%s' size='.05 .05 .05'/></body>",
                     is_box ? 0.02 * k : x, is_box ? 0 : y, is_box ? 0 : 0.1 * lawRandom(&seed),
                     is_box ? "box" : "sphere");
  }
  snprintf(xml + used, sizeof(xml) - (size_t)used, "</worldbody></mujoco>");
  sceneRun run = openText(xml, way);
  double fastest = 0, last = 0, moved = 0;
  while (isBefore(&run, 0.5)) {
    mjtNum before[3 * 30];
    for (int k = 0; k < count; k++) {
      mju_copy3(before + 3 * k, run.d->qpos + 7 * k);
    }
    stepRun(&run);
    last = 0;
    for (int k = 0; k < count; k++) {
      last = fmax(last, mju_norm3(run.d->qvel + 6 * k));
      moved = fmax(moved, mju_dist3(before + 3 * k, run.d->qpos + 7 * k) / run.m->opt.timestep);
    }
    fastest = fmax(fastest, last);
  }
  return closeLaw(&run, fastest, last, moved);
}


// a stack of equal boxes, each a little beside and turned against the one below: how far the
// highest has sunk or slid in the time (m); a box that has fallen is 0.1 m lower
static inline lawResult lawStack(const sceneSolver* way, int count, double aside, unsigned seed,
                                 double seconds) {
  static char xml[12000];
  int used = snprintf(xml, sizeof(xml), "<mujoco><worldbody><geom type='plane' size='5 5 1'/>");
  for (int k = 0; k < count; k++) {
    const double x = aside * (2 * lawRandom(&seed) - 1), y = aside * (2 * lawRandom(&seed) - 1);
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<body pos='%g %g %g' euler='0 0 %g'><freejoint/>"
                     "<geom type='box' size='.05 .05 .05'/></body>",
                     x, y, 0.05 + 0.1 * k, aside > 0 ? 10 * lawRandom(&seed) : 0);
  }
  snprintf(xml + used, sizeof(xml) - (size_t)used, "</worldbody></mujoco>");
  sceneRun run = openText(xml, way);
  double worst = 0, fastest = 0;
  while (isBefore(&run, seconds)) {
    stepRun(&run);
    for (int k = 0; k < count; k++) {
      worst = fmax(worst, mju_dist3(run.d->qpos + 7 * k, run.m->qpos0 + 7 * k));
      fastest = fmax(fastest, mju_norm3(run.d->qvel + 6 * k));
    }
  }
  double left = 0;
  for (int k = 0; k < count; k++) {
    left = fmax(left, mju_norm3(run.d->qvel + 6 * k));
  }
  return closeLaw(&run, worst, fastest, left);
}


// ---------------------------------------- limits and grips

// a hinge that 10 N m press against its limit: largest difference of the limit's torque from that
// in the second half of a second (N m), and of its angle from the limit (rad)
static inline lawResult lawLimit(const sceneSolver* way) {
  sceneRun run = openText(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 1 0' "
      "range='-30 30'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' mass='1'/></body>"
      "</worldbody><actuator><motor joint='j'/></actuator></mujoco>",
      way);
  double worst = 0, off = 0;
  run.d->ctrl[0] = 10;
  while (isBefore(&run, 2)) {
    stepRun(&run);
    if (!isBefore(&run, 1)) {
      worst = fmax(worst, fabs(run.d->qfrc_constraint[0] + 10));
      off = fmax(off, fabs(run.d->qpos[0] - mjPI / 6));
    }
  }
  return closeLaw(&run, worst, off, 0);
}


// two fingers hold a box of 2 kg with 60 N each, friction 0.4, while the hand is shaken in all
// directions (up to 7 m/s^2): how far the box has slipped (m)
static inline lawResult lawGrip(const sceneSolver* way, double seconds) {
  sceneRun run = openText(
      "<mujoco><worldbody><body name='hand' pos='0 0 1'>"
      "<joint name='z' type='slide' axis='0 0 1'/><joint name='x' type='slide' axis='1 0 0'/>"
      "<geom type='box' size='.2 .05 .02' pos='0 0 .2' mass='20' contype='0' conaffinity='0'/>"
      "<body pos='-.07 0 0'><joint name='l' type='slide' axis='1 0 0'/>"
      "<geom type='box' size='.02 .03 .05' mass='.3' friction='.4'/></body>"
      "<body pos='.07 0 0'><joint name='r' type='slide' axis='-1 0 0'/>"
      "<geom type='box' size='.02 .03 .05' mass='.3' friction='.4'/></body></body>"
      "<body name='box' pos='0 0 1'><freejoint/>"
      "<geom type='box' size='.05 .05 .05' mass='2' friction='.4'/></body></worldbody>"
      "<actuator><position joint='z' kp='2e5' kv='4e3'/><position joint='x' kp='2e5' kv='4e3'/>"
      "<motor joint='l'/><motor joint='r'/></actuator></mujoco>",
      way);
  const double w = 2 * mjPI * 3;
  double worst = 0;
  mjtNum start[3] = {0};
  while (isBefore(&run, seconds)) {
    const double t = run.d->time, rise = fmin(1, t);
    run.d->ctrl[0] = rise * 0.02 * sin(w * t);
    run.d->ctrl[1] = rise * 0.02 * sin(0.7 * w * t);
    run.d->ctrl[2] = run.d->ctrl[3] = 60;
    stepRun(&run);
    mjtNum away[3];
    const mjtNum left = run.d->qpos[2], right = run.d->qpos[3];
    mju_sub3(away, run.d->qpos + 4, run.d->xpos + 3);
    away[0] = run.d->qpos[4] - run.d->qpos[1] - 0.5 * (left - right);
    away[2] = run.d->qpos[6] - run.d->qpos[0] - 1;
    if (run.nstep == 250) {
      mju_copy3(start, away);
    }
    worst = run.nstep > 250 ? fmax(worst, mju_dist3(away, start)) : worst;
  }
  return closeLaw(&run, worst, 0, 0);
}


// ---------------------------------------- momentum

static inline void momentum(const sceneRun* run, double linear[3], double angular[3]) {
  mju_zero3(linear);
  mju_zero3(angular);
  mj_fwdPosition(run->m, run->d);
  mj_fwdVelocity(run->m, run->d);
  for (int k = 1; k < run->m->nbody; k++) {
    mjtNum v[6], mat[9], local[3], spin[3], arm[3], com[3];
    mj_objectVelocity(run->m, run->d, mjOBJ_XBODY, k, v, 0);
    mju_sub3(arm, run->d->xipos + 3 * k, run->d->xpos + 3 * k);
    mju_cross(com, v, arm);
    mju_addTo3(com, v + 3);
    mju_copy(mat, run->d->ximat + 9 * k, 9);
    mju_mulMatTVec3(local, mat, v);
    for (int c = 0; c < 3; c++) {
      local[c] *= run->m->body_inertia[3 * k + c];
    }
    mju_mulMatVec3(spin, mat, local);
    mju_cross(arm, run->d->xipos + 3 * k, com);
    for (int c = 0; c < 3; c++) {
      linear[c] += run->m->body_mass[k] * com[c];
      angular[c] += run->m->body_mass[k] * arm[c] + spin[c];
    }
  }
}


// two bodies hit each other off center, without gravity: relative change of linear and angular
// momentum; kind 0: balls, 1: ball and box, 2: boxes
static inline lawResult lawHit(const sceneSolver* way, int kind, double mu) {
  char xml[1500];
  snprintf(xml, sizeof(xml),
           "<mujoco><option gravity='0 0 0'/><default><geom friction='%g'/></default><worldbody>"
           "<body pos='0 0 0'><freejoint/><geom type='%s' size='.1 .1 .1' mass='1'/></body>"
           "<body pos='.5 .07 .03' euler='10 20 30'><freejoint/>"
           "<geom type='%s' size='.08 .09 .1' mass='1.5'/></body></worldbody></mujoco>",
           mu, kind == 2 ? "box" : "sphere", kind ? "box" : "sphere");
  sceneRun run = openText(xml, way);
  run.d->qvel[0] = 2;
  run.d->qvel[6] = -1;
  run.d->qvel[8] = 0.1;
  double p[2][3], L[2][3];
  momentum(&run, p[0], L[0]);
  bool has_hit = false;
  while (isBefore(&run, 0.5)) {
    stepRun(&run);
    has_hit = has_hit || run.d->ncon;
  }
  momentum(&run, p[1], L[1]);
  return closeLaw(&run, has_hit ? mju_dist3(p[0], p[1]) / mju_norm3(p[0]) : 1,
                  has_hit ? mju_dist3(L[0], L[1]) / mju_norm3(L[0]) : 1, 0);
}


// five balls on rods side by side, the first one raised: energy left after some seconds, most
// energy in between, the larger difference from 1 (parts)
static inline lawResult lawCradle(const sceneSolver* way, double apart, double seconds) {
  char xml[3000];
  int used = snprintf(xml, sizeof(xml), "<mujoco><worldbody>");
  for (int k = 0; k < 5; k++) {
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<body pos='%g 0 1'><joint axis='0 1 0'/><geom size='.05' pos='0 0 -.5' "
                     "mass='1' friction='0' condim='1'/></body>",
                     k * (0.1 + apart));
  }
  snprintf(xml + used, sizeof(xml) - (size_t)used, "</worldbody></mujoco>");
  sceneRun run = openText(xml, way);
  char error[200];
  if (strcmp(way->solver, "xpbd") == 0) {
    cf_setContactParameter(run.m, "xpbd", "restitution", mjOBJ_MODEL, 0, 1, error, 200);
  }
  for (int g = 0; g < run.m->ngeom && strcmp(way->solver, "lcp") == 0; g++) {
    run.m->geom_solref[2 * g] = -1e5;
    run.m->geom_solref[2 * g + 1] = 0;
  }
  const double bottom = energyNow(&run);
  run.d->qpos[0] = 0.7;
  const double start = energyNow(&run) - bottom;
  double most = 0;
  while (isBefore(&run, seconds)) {
    stepRun(&run);
    most = fmax(most, (energyNow(&run) - bottom) / start);
  }
  const double left = (energyNow(&run) - bottom) / start;
  lawResult result = closeLaw(&run, left, most, 0);
  result.value[3] = fmax(fabs(1 - left), most - 1);
  return result;
}

#endif  // CF_BENCH_SOLVERLAWS_H
