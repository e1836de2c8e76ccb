// Scenes that compare contact solvers with closed forms; bench/solvers.c prints them as a table,
// tests/unit/contactsolver runs the fast ones.
//
// Each scene takes a way of solving, runs, and returns its error in the unit that its row says,
// and the mean number of solver iterations in a step.  A simulation that is not finite any more has
// an infinite error.
#ifndef CF_BENCH_SOLVERSCENES_H
#define CF_BENCH_SOLVERSCENES_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cortenforge/contact.h>
#include <mujoco/mujoco.h>

// a way of solving: name of the contact solver and of a setting
typedef struct {
  const char* title;
  const char* solver;
  double value[CF_CONTACT_PARAMETERS];
  int nvalue;
} sceneSolver;

typedef struct {
  double error;       // in the unit of the scene
  double iterations;  // mean per step
  double cost;        // processor time per step, s
  double depth;       // largest penetration seen, m
  int nwarning;
} sceneResult;

// a running scene
typedef struct {
  mjModel* m;
  mjData* d;
  long nstep, niter;
  double depth, seconds;
  FILE* trace;  // pairs of time and value for a plot; NULL: none
} sceneRun;

// where scenes leave what a plot shows
static FILE* scene_trace;


static inline sceneRun openRun(mjModel* m, const sceneSolver* way) {
  sceneRun run = {.m = m, .d = m ? mj_makeData(m) : NULL, .trace = scene_trace};
  char error[500] = "cannot be loaded";
  if (!m || !cf_setContactSolver(m, way->solver, way->value, way->nvalue, error, sizeof(error))) {
    fprintf(stderr, "solvers: %s\n", error);
  }
  return run;
}


static inline sceneRun openText(const char* xml, const sceneSolver* way) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    fprintf(stderr, "solvers: %s\n", spec ? mjs_getError(spec) : error);
  }
  mj_deleteSpec(spec);
  return openRun(m, way);
}


static inline double processorTime(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}


static inline void traceValue(const sceneRun* run, double value) {
  if (run->trace && run->nstep % 25 == 0) {
    fprintf(run->trace, "%.4f %.4g\n", (double)run->nstep * run->m->opt.timestep, value);
  }
}


static inline void stepRun(sceneRun* run) {
  const double start = processorTime();
  mj_step(run->m, run->d);
  run->seconds += processorTime() - start;
  run->nstep++;
  for (int k = 0; k < mjNISLAND; k++) {
    run->niter += run->d->solver_niter[k];
  }
  for (int i = 0; i < run->d->ncon; i++) {
    run->depth = fmax(run->depth, -run->d->contact[i].dist);
  }
}


// steps left to do; a reset does not start again
static inline bool isBefore(const sceneRun* run, double seconds) {
  return (double)run->nstep * run->m->opt.timestep < seconds - 1e-9;
}


static inline sceneResult closeRun(sceneRun* run, double error) {
  const double n = run->nstep ? (double)run->nstep : 1;
  sceneResult result = {error, (double)run->niter / n, run->seconds / n, run->depth, 0};
  for (int k = 0; k < mjNWARNING; k++) {
    result.nwarning += run->d->warning[k].number;
  }
  for (int i = 0; i < run->m->nq; i++) {
    result.error = isfinite(run->d->qpos[i]) ? result.error : INFINITY;
  }
  mj_deleteData(run->d);
  mj_deleteModel(run->m);
  return result;
}


// ---------------------------------------- scenes

// box at rest on a plane: how far it is from where it was after the first second (m)
static inline sceneResult sceneRest(const sceneSolver* way, double seconds) {
  sceneRun run = openText(
      "<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "</worldbody></mujoco>",
      way);
  double start[3] = {0}, worst = 0;
  while (isBefore(&run, seconds)) {
    stepRun(&run);
    if (run.nstep == 500) {
      mju_copy3(start, run.d->qpos);
    }
    for (int k = 0; k < 3 && run.nstep > 500; k++) {
      worst = fmax(worst, fabs(run.d->qpos[k] - start[k]));
    }
  }
  return closeRun(&run, worst);
}


// ten boxes on each other, each a little smaller than the one below: corners that lie exactly on
// corners are a case of their own for collision
static inline sceneRun openStack(const sceneSolver* way) {
  char xml[4000];
  int used = snprintf(xml, sizeof(xml), "<mujoco><worldbody><geom type='plane' size='5 5 1'/>");
  for (int k = 0; k < 10; k++) {
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<body pos='0 0 %g'><freejoint/><geom type='box' size='%g %g .05'/></body>",
                     0.05 + 0.1 * k, 0.1 - 0.003 * k, 0.1 - 0.003 * k);
  }
  snprintf(xml + used, sizeof(xml) - (size_t)used, "</worldbody></mujoco>");
  return openText(xml, way);
}


// largest displacement of a box to the side
static inline double sideways(const mjData* d) {
  double worst = 0;
  for (int k = 0; k < 10; k++) {
    worst = fmax(worst, hypot(d->qpos[7 * k], d->qpos[7 * k + 1]));
  }
  return worst;
}


// the stack: largest displacement in any direction (m)
static inline sceneResult sceneStack(const sceneSolver* way, double seconds) {
  sceneRun run = openStack(way);
  while (isBefore(&run, seconds)) {
    stepRun(&run);
  }
  double worst = sideways(run.d);
  for (int k = 0; k < 10; k++) {
    worst = fmax(worst, fabs(run.d->qpos[7 * k + 2] - (0.05 + 0.1 * k)));
  }
  return closeRun(&run, worst);
}


// the same: displacement to the side alone (m)
static inline sceneResult sceneCreep(const sceneSolver* way, double seconds) {
  sceneRun run = openStack(way);
  while (isBefore(&run, seconds)) {
    stepRun(&run);
    traceValue(&run, sideways(run.d));
  }
  return closeRun(&run, sideways(run.d));
}


// coefficient of restitution of Hunt and Crossley's law with dissipation c at speed v: both sides
// of the impact have the same  u - log(1 + a*u)/a  with a = 3c/2, u = v and u = -e*v
static inline double huntCrossleyRestitution(double c, double v) {
  const double a = 1.5 * c, left = v - log(1 + a * v) / a;
  double low = 0, high = fmin(1, (1 - 1e-12) / (a * v));
  for (int k = 0; k < 100; k++) {
    const double e = 0.5 * (low + high), u = -e * v;
    if (u - log(1 + a * u) / a < left) {
      low = e;
    } else {
      high = e;
    }
  }
  return low;
}


// sphere dropped from 1 m: rebound speed against the wanted restitution (relative).  Newton gets it
// from the damping of solref, xpbd as its parameter, hunt_crossley from its dissipation
static inline sceneResult sceneBounce(const sceneSolver* way, double restitution) {
  const double fall = 1, speed = sqrt(2 * 9.81 * fall);
  const bool is_hunt = strcmp(way->solver, "hunt_crossley") == 0;
  const double log_e = log(restitution), damping = -log_e / sqrt(mjPI * mjPI + log_e * log_e);
  const double omega = 500, mass = 4.0 / 3 * mjPI * 1e-3 * 1000;
  char xml[1000];
  snprintf(xml, sizeof(xml),
           "<mujoco><option timestep='%g'/>"
           "<default><geom solref='%.12g %.12g' solimp='.9999 .9999'/></default><worldbody>"
           "<geom type='plane' size='5 5 1'/><body pos='0 0 1.1'><freejoint/>"
           "<geom size='.1' condim='1' mass='%.12g'/></body></worldbody></mujoco>",
           is_hunt ? 1e-5 : 2e-4, -omega * omega, -2 * damping * omega, mass);
  sceneRun run = openText(xml, way);
  char error[200];
  if (is_hunt) {
    cf_setContactParameter(run.m, "hunt_crossley", "stiffness", mjOBJ_MODEL, 0, 1e7, error, 200);
    cf_setContactParameter(run.m, "hunt_crossley", "dissipation", mjOBJ_MODEL, 0, 0.1, error, 200);
    restitution = huntCrossleyRestitution(0.1, speed);
  } else if (strcmp(way->solver, "xpbd") == 0) {
    cf_setContactParameter(run.m, "xpbd", "restitution", mjOBJ_MODEL, 0, restitution, error, 200);
  }
  bool has_hit = false;
  double top = 0;
  while (isBefore(&run, 1.4)) {
    stepRun(&run);
    has_hit = has_hit || run.d->ncon;
    top = has_hit && run.d->qvel[2] > 0 ? fmax(top, run.d->qpos[2] - 0.1) : top;
  }
  return closeRun(&run, fabs(sqrt(top / fall) / restitution - 1));
}


// block sliding at 2 m/s, friction 0.4: distance until it rests against v^2/(2 mu g) (relative)
static inline sceneResult sceneSlide(const sceneSolver* way) {
  const double mu = 0.4, speed = 2;
  sceneRun run = openText(
      "<mujoco><worldbody><geom type='plane' size='5 5 1' friction='.4'/>"
      "<body pos='0 0 .05'><freejoint/><geom type='box' size='.2 .2 .05' friction='.4'/></body>"
      "</worldbody></mujoco>",
      way);
  while (isBefore(&run, 0.5)) {
    stepRun(&run);
  }
  const double start = run.d->qpos[0];
  run.d->qvel[0] = speed;
  while (isBefore(&run, 2)) {
    stepRun(&run);
  }
  const double distance = run.d->qpos[0] - start, wanted = speed * speed / (2 * mu * 9.81);
  return closeRun(&run, fabs(distance / wanted - 1));
}


// block on a slope whose tangent is part of the friction coefficient 0.5: speed after two seconds
// (m/s) below, relative error of its acceleration above
static inline sceneResult sceneSlope(const sceneSolver* way, double part) {
  const double mu = 0.5, angle = atan(mu * part);
  char xml[1000];
  snprintf(xml, sizeof(xml),
           "<mujoco><option gravity='%.12g 0 %.12g'/><worldbody>"
           "<geom type='plane' size='5 5 1' friction='.5'/><body pos='0 0 .05'><freejoint/>"
           "<geom type='box' size='.2 .2 .05' friction='.5'/></body></worldbody></mujoco>",
           9.81 * sin(angle), -9.81 * cos(angle));
  sceneRun run = openText(xml, way);
  double from = 0;
  while (isBefore(&run, 2)) {
    stepRun(&run);
    from = run.nstep == 500 ? run.d->qvel[0] : from;
  }
  const double wanted = 9.81 * (sin(angle) - mu * cos(angle)), speed = run.d->qvel[0];
  return closeRun(&run, part < 1 ? fabs(speed) : fabs((speed - from) / wanted - 1));
}


// 30 links joined by equalities, the last 100 times as heavy: largest gap in a joint while the
// chain swings down from 45 degrees (m)
static inline sceneResult sceneChain(const sceneSolver* way, double seconds) {
  static char xml[12000];
  int used = snprintf(xml, sizeof(xml), "<mujoco><option timestep='.002'/><worldbody>");
  for (int k = 0; k < 30; k++) {
    const double s = sqrt(0.5) * 0.1 * k;
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<body name='b%d' pos='%g 0 %g' euler='0 45 0'><freejoint/>"
                     "<geom type='capsule' size='.02' fromto='0 0 0 .1 0 0' contype='0' "
                     "conaffinity='0' mass='%g'/></body>",
                     k, s, -s, k == 29 ? 10.0 : 0.1);
  }
  used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                   "</worldbody><equality><connect body1='b0' anchor='0 0 0'/>");
  for (int k = 1; k < 30; k++) {
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<connect body1='b%d' body2='b%d' anchor='0 0 0'/>", k, k - 1);
  }
  snprintf(xml + used, sizeof(xml) - (size_t)used, "</equality></mujoco>");
  sceneRun run = openText(xml, way);
  double worst = 0;
  while (isBefore(&run, seconds)) {
    stepRun(&run);
    double now = 0;
    for (int r = 0; r + 2 < run.d->ne; r += 3) {
      now = fmax(now, mju_norm3(run.d->efc_pos + r));
    }
    worst = fmax(worst, now);
    traceValue(&run, now);
  }
  return closeRun(&run, worst);
}


// box that starts 5 cm deep in the floor: what is left of the depth after one step (m)
static inline sceneResult sceneDeep(const sceneSolver* way) {
  sceneRun run = openText(
      "<mujoco><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "</worldbody></mujoco>",
      way);
  stepRun(&run);
  const double depth = fmax(0, 0.1 - run.d->qpos[2]);
  return closeRun(&run, depth);
}


// a model file for a number of steps, with the controls at random: resets by warnings
static inline sceneResult sceneFile(const sceneSolver* way, const char* path, long nstep) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    fprintf(stderr, "solvers: %s\n", error);
    return (sceneResult){.error = INFINITY};
  }
  sceneRun run = openRun(m, way);
  unsigned seed = 1;
  for (long k = 0; k < nstep; k++) {
    if (k % 2000 == 0) {
      const double z = run.m->jnt_type[0] == mjJNT_FREE ? 0.3 : 0;
      int number[mjNWARNING];
      for (int w = 0; w < mjNWARNING; w++) {
        number[w] = run.d->warning[w].number;
      }
      mj_resetData(run.m, run.d);
      for (int w = 0; w < mjNWARNING; w++) {
        run.d->warning[w].number = number[w];
      }
      run.d->qpos[run.m->jnt_type[0] == mjJNT_FREE ? 2 : 0] += z;
    }
    for (int i = 0; i < run.m->nu && k % 50 == 0; i++) {
      seed = seed * 1664525u + 1013904223u;
      run.d->ctrl[i] = (seed >> 8) / 8388608.0 - 1;
    }
    stepRun(&run);
  }
  int nbad = 0;
  for (int w = mjWARN_BADQPOS; w <= mjWARN_BADQACC; w++) {
    nbad += run.d->warning[w].number;
  }
  return closeRun(&run, nbad);
}

#endif  // CF_BENCH_SOLVERSCENES_H
