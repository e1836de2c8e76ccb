// What went wrong when a simulation becomes unstable: where, when, and the likely cause.
#include <math.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mjxmacro.h>

#include "cli.h"


int cli_countWarnings(const mjData* d) {
  int n = 0;
  for (int k = 0; k < mjNWARNING; k++) {
    n += d->warning[k].number;
  }
  return n;
}


// joint that owns a degree of freedom
static void describeDof(FILE* out, const mjModel* m, int dof) {
  char joint[64], body[64];
  cli_nameOf(m, mjOBJ_JOINT, m->dof_jntid[dof], joint);
  cli_nameOf(m, mjOBJ_BODY, m->dof_bodyid[dof], body);
  fprintf(out, "  joint '%s' of body '%s'", joint, body);
}


static int largestEntry(const mjtNum* v, int n) {
  int worst = 0;
  for (int k = 0; k < n; k++) {
    if (!isfinite(v[k])) {
      return k;
    }
    if (fabs(v[k]) > fabs(v[worst])) {
      worst = k;
    }
  }
  return worst;
}


static int deepestContact(const mjData* d) {
  int worst = -1;
  for (int k = 0; k < d->ncon; k++) {
    if (worst < 0 || d->contact[k].dist < d->contact[worst].dist) {
      worst = k;
    }
  }
  return worst;
}


static void describeContact(FILE* out, const mjModel* m, const mjData* d) {
  const int k = deepestContact(d);
  if (k < 0 || d->contact[k].dist > -0.01) {
    return;
  }
  const mjContact* contact = d->contact + k;
  char name[2][64];
  bool is_geom[2];
  for (int side = 0; side < 2; side++) {
    is_geom[side] = contact->geom[side] >= 0;
    cli_nameOf(m, is_geom[side] ? mjOBJ_GEOM : mjOBJ_FLEX,
               is_geom[side] ? contact->geom[side] : contact->flex[side], name[side]);
  }
  if (is_geom[0] && is_geom[1]) {
    fprintf(out, "  deepest contact: geoms '%s' and '%s' overlap by %.4g m\n", name[0], name[1],
            -contact->dist);
  } else {
    fprintf(out, "  deepest contact: %s '%s' and flex '%s' overlap by %.4g m\n",
            is_geom[0] ? "geom" : "flex", name[0], name[1], -contact->dist);
  }
}


static void describeActuator(FILE* out, const mjModel* m, const mjData* d) {
  const int u = m->nu ? largestEntry(d->actuator_force, (int)m->nu) : 0;
  if (m->nu && fabs(d->actuator_force[u]) > 0) {
    char name[64];
    cli_nameOf(m, mjOBJ_ACTUATOR, u, name);
    fprintf(out, "  strongest actuator: '%s', force %.4g\n", name, d->actuator_force[u]);
  }
}


// what the rows of an array are: body_mass belongs to bodies
static int typeOfArray(const char* array) {
  static const struct {
    const char* prefix;
    int type;
  } prefixes[] = {{"jnt_", mjOBJ_JOINT},         {"geom_", mjOBJ_GEOM},
                  {"site_", mjOBJ_SITE},         {"tendon_", mjOBJ_TENDON},
                  {"actuator_", mjOBJ_ACTUATOR}, {"eq_", mjOBJ_EQUALITY}};
  for (size_t k = 0; k < sizeof(prefixes) / sizeof(prefixes[0]); k++) {
    if (!strncmp(array, prefixes[k].prefix, strlen(prefixes[k].prefix))) {
      return prefixes[k].type;
    }
  }
  return mjOBJ_BODY;
}


// the first real number of the model that is none, among those that forces follow from: its array
// and its place; NULL if all are numbers
static const char* badNumber(const mjModel* m, mjtSize* row, char name[64]) {
  const struct {
    const char* array;
    const void* data;
    mjtSize rows, columns;
    bool is_real;
  } arrays[] = {
#define X(type, field, n, k) {#field, m->field, m->n, k, !strcmp(#type, "mjtNum")},
#define XNV X
#undef MJ_M
#define MJ_M(n) m->n
#define ROWS(part) MJMODEL_POINTERS_##part
      // those whose rows have names
      // clang-format off
      ROWS(BODY) ROWS(JOINT) ROWS(GEOM) ROWS(SITE) ROWS(TENDON) ROWS(ACTUATOR) ROWS(EQUALITY)
  // clang-format on
#undef ROWS
#undef XNV
#undef MJ_M
#define MJ_M(n) n
#undef X
  };
  for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++) {
    const mjtNum* x = arrays[a].is_real ? arrays[a].data : NULL;
    for (mjtSize k = 0; x && k < arrays[a].rows * arrays[a].columns; k++) {
      if (isnan(x[k])) {
        const int type = typeOfArray(arrays[a].array);
        *row = k / arrays[a].columns;
        cli_nameOf(m, type, (int)*row, name);
        return arrays[a].array;
      }
    }
  }
  return NULL;
}


// numbers that are none, in the model, the options, or what a program or a keyframe has given
static const char* badInput(const mjModel* m, const mjData* d, bool is_start, char text[300]) {
  mjtSize row;
  char name[64];
  const char* array = badNumber(m, &row, name);
  if (array) {
    snprintf(text, 300, "the model has a NaN: %s of '%s'", array, name);
    return text;
  }
  const struct {
    const char* what;
    const mjtNum* x;
    mjtSize n;
  } inputs[] = {
      {"an option of the model (gravity, wind, magnetic) is NaN", m->opt.gravity, 9},
      {"a control is not a number", d->ctrl, m->nu},
      {"a force that was applied (qfrc_applied) is not a number", d->qfrc_applied, m->nv},
      {"a force that was applied (xfrc_applied) is not a number", d->xfrc_applied, 6 * m->nbody},
      {"the state at the start, from a keyframe or the model, is not a number", d->qpos,
       is_start ? m->nq : 0},
      {"a velocity at the start, from a keyframe, is not a number", d->qvel, is_start ? m->nv : 0},
      {"an activation at the start, from a keyframe, is not a number", d->act,
       is_start ? m->na : 0}};
  for (size_t k = 0; k < sizeof(inputs) / sizeof(inputs[0]); k++) {
    for (mjtSize i = 0; i < inputs[k].n; i++) {
      if (!isfinite(inputs[k].x[i])) {
        return inputs[k].what;
      }
    }
  }
  return NULL;
}


// rules of thumb, most specific first
static const char* likelyCause(const mjModel* m, const mjData* d, bool is_start,
                               const cliElement* soft, char text[300]) {
  const char* input = badInput(m, d, is_start, text);
  if (input) {
    return input;
  }
  const int contact = deepestContact(d);
  if (contact >= 0 && d->contact[contact].dist < -0.05) {
    return "bodies overlap deeply; check the initial pose, or the time step for fast bodies";
  }
  if (soft) {
    return cf_flexImplicit(m, soft->flex)
               ? "a soft body is too stiff for the time step, or its damping is too large for it; try a smaller step, "
                 "less stiffness or more mass"
               : "a soft body is too stiff for the time step, or its damping is too large for it; try "
                 "implicit_stiffness=\"true\" on its flex, a smaller step, less stiffness or more mass";
  }
  for (int k = 0; k < m->nv; k++) {
    if (m->dof_M0[k] < 1e-6) {
      return "a degree of freedom has almost no inertia; add armature or mass";
    }
  }
  if (m->opt.timestep > 0.01) {
    return "the time step is large; try a smaller one or the implicitfast integrator";
  }
  return "forces or gains are too stiff for the time step; reduce either, or try the implicitfast integrator";
}


static void describeBad(FILE* out, const mjModel* m, const mjData* before, const mjData* after,
                        int* bad_dof) {
  static const struct {
    int id;
    const char* what;
  } kinds[] = {{mjWARN_BADQPOS, "a position"},
               {mjWARN_BADQVEL, "a velocity"},
               {mjWARN_BADQACC, "an acceleration"}};
  for (int k = 0; k < 3; k++) {
    if (after->warning[kinds[k].id].number) {
      fprintf(out, "unstable: %s became NaN, infinite or huge at t = %.6g s\n", kinds[k].what,
              before->time);
      if (kinds[k].id != mjWARN_BADQPOS && m->nv) {
        *bad_dof =
            (int)mju_min((double)m->nv - 1, mju_max(0, after->warning[kinds[k].id].lastinfo));
        describeDof(out, m, *bad_dof);
        fputc('\n', out);
      }
    }
  }
}


// the element at the dof that failed, or else at the fastest one
static bool describeSoft(FILE* out, const mjModel* m, mjData* before, const cliSoft* soft,
                         int bad_dof, int fastest, cliElement* element) {
  if (!m->nflex || !m->nv) {
    return false;
  }
  mj_kinematics(m, before);
  mj_comPos(m, before);
  mj_flex(m, before);
  if (!(bad_dof >= 0 && cli_softWorst(soft, m, before, m->dof_bodyid[bad_dof], element)) &&
      !cli_softWorst(soft, m, before, m->dof_bodyid[fastest], element)) {
    return false;
  }
  cli_softDescribe(out, m, element);
  return true;
}


void cli_explainUnstable(FILE* out, const mjModel* m, mjData* before, const mjData* after,
                         bool is_start, const cliSoft* soft) {
  int bad_dof = -1, fastest = 0;
  describeBad(out, m, before, after, &bad_dof);
  if (m->nv) {
    fastest = largestEntry(before->qvel, (int)m->nv);
    fprintf(out, "  fastest just before:");
    describeDof(out, m, fastest);
    fprintf(out, ", %.4g\n", before->qvel[fastest]);
  }
  describeContact(out, m, before);
  describeActuator(out, m, before);
  cliElement element;
  char text[300];
  const bool is_soft = describeSoft(out, m, before, soft, bad_dof, fastest, &element);
  fprintf(out, "  likely cause: %s\n",
          likelyCause(m, before, is_start, is_soft ? &element : NULL, text));
}
