// Implicit stiffness of flexes: second derivatives, stability, what equilibria and small timesteps
// leave the same.
#include <stdio.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "flex/models.h"
#include "flex/stiffness.h"

static double uniform(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0 - 0.5;
}


static mjModel* compileText(const char* text) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    CF_FAIL("%s %s\n", error, spec ? mjs_getError(spec) : "");
  }
  mj_deleteSpec(spec);
  return m;
}


static mjModel* loadSoft(const char* name) {
  char path[500];
  snprintf(path, sizeof(path), "%s/tests/data/flex/%s.mjb", CF_SOURCE_DIR, name);
  mjModel* m = mj_loadModel(path, NULL);
  CF_TRUE(m != NULL);
  return m;
}


// ---------------------------------------- positive matrices

CF_TEST(makePositive__symmetric_matrix__negative_part_taken_out) {
  unsigned seed = 3;
  for (int n = 3; n <= 12; n += 3) {
    mjtNum K[144], P[144], vec[12], product[12];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        K[n * i + j] = K[n * j + i] = uniform(&seed);
      }
    }
    memcpy(P, K, sizeof(K));
    cfi_makePositive(P, n);

    // P and P - K are positive, and P*(P - K) = 0: the negative part and nothing else is gone
    for (int trial = 0; trial < 20; trial++) {
      mjtNum removed = 0;
      for (int i = 0; i < n; i++) {
        vec[i] = uniform(&seed);
      }
      mju_mulMatVec(product, P, vec, n, n);
      CF_TRUE(mju_dot(vec, product, n) >= -1e-14);
      for (int i = 0; i < n * n; i++) {
        removed += vec[i / n] * (P[i] - K[i]) * vec[i % n];
      }
      CF_TRUE(removed >= -1e-14);
    }
    for (int i = 0; i < n * n; i++) {
      mjtNum sum = 0;
      for (int k = 0; k < n; k++) {
        sum += P[i / n * n + k] * (P[k * n + i % n] - K[k * n + i % n]);
      }
      CF_NEAR(sum, 0, 1e-13);
    }

    // what is positive stays as it is, bit for bit
    mjtNum A[144];
    mju_mulMatMatT(A, K, K, n, n, n);
    memcpy(P, A, sizeof(A));
    cfi_makePositive(P, n);
    CF_EQ_BYTES(P, A, sizeof(mjtNum) * (size_t)(n * n));
  }
}


// ---------------------------------------- second derivatives

typedef struct {
  const char *file, *bending, *elasticity;
  double size;
} stiffCase;

// Bridson's model leaves out what grows with the angle: at rest there is none
static const stiffCase stiff_cases[] = {
    {"sheet", NULL, "linear", 0.01},
    {"cube", NULL, "linear", 0.01},
    {"sheet", NULL, "neo_hookean", 0.01},
    {"cube", NULL, "neo_hookean", 0.01},
    {"sheet", NULL, "stable_neo_hookean", 0.01},
    {"cube", NULL, "stable_neo_hookean", 0.05},
    {"sheet", "bridson", "linear", 0},
    {"sheet", "cubic_shell", "linear", 0.02},
};


static void forcesAt(const mjModel* m, mjData* d, const mjtNum* qpos, mjtNum* force) {
  mju_copy(d->qpos, qpos, (int)m->nq);
  mj_fwdPosition(m, d);
  mj_fwdVelocity(m, d);
  mju_copy(force, d->qfrc_spring, (int)m->nv);
}


// K*vec of the stencils of both models, as they are, for vertices on slides
static void mulStencils(const mjModel* m, mjData* d, const mjtNum* vec, mjtNum* res) {
  const cfFlexUse use[2] = {cfi_flexBending(m, 0), cfi_flexElasticity(m, 0)};
  mju_zero(res, (int)m->nv);
  mj_markStack(d);
  cfFlexView view = cfi_viewFlex(m, d, 0);
  for (int u = 0; u < 2; u++) {
    view.constant = use[u].constant;
    for (int k = 0; use[u].model->acts(m, 0) && k < use[u].model->stencils(m, 0); k++) {
      int vertex[4];
      mjtNum K[CF_STENCIL_NUMBERS];
      const int n = 3 * use[u].model->stiffness(&view, k, vertex, K);
      for (int i = 0; i < n * n; i++) {
        const int row = i / n, column = i % n;
        res[m->body_dofadr[m->flex_vertbodyid[vertex[row / 3]]] + row % 3] +=
            K[i] * vec[m->body_dofadr[m->flex_vertbodyid[vertex[column / 3]]] + column % 3];
      }
    }
  }
  mj_freeStack(d);
}


static void compareStiffness(mjModel* m, double size) {
  m->opt.timestep = 1e-6;  // no hinge is scaled down
  m->flex_damping[0] = 0;
  mjData* d = mj_makeData(m);
  const int nv = (int)m->nv;
  mjtNum* all = mju_malloc(sizeof(mjtNum) * 6 * (size_t)nv);
  mjtNum *q = all, *vec = q + nv, *moved = vec + nv, *up = moved + nv, *down = up + nv,
         *Kv = down + nv;
  unsigned seed = 11;
  for (int trial = 0; trial < 4; trial++) {
    for (int i = 0; i < nv; i++) {
      q[i] = m->qpos0[i] + 2 * size * uniform(&seed);
      vec[i] = uniform(&seed);
    }
    const double eps = 1e-6;
    mju_addScl(moved, q, vec, eps, nv);
    forcesAt(m, d, moved, up);
    mju_addScl(moved, q, vec, -eps, nv);
    forcesAt(m, d, moved, down);
    forcesAt(m, d, q, moved);
    mulStencils(m, d, vec, Kv);
    const mjtNum scale = mju_norm(Kv, nv);
    CF_TRUE(scale > 1);
    for (int i = 0; i < nv; i++) {
      CF_NEAR((down[i] - up[i]) / (2 * eps) / scale, Kv[i] / scale, 2e-7);
    }
  }
  mju_free(all);
  mj_deleteData(d);
}


CF_TEST(stiffness__every_model__minus_derivative_of_the_force) {
  for (size_t k = 0; k < sizeof(stiff_cases) / sizeof(stiff_cases[0]); k++) {
    mjModel* m = loadSoft(stiff_cases[k].file);
    CF_TRUE(cf_setFlexBending(m, 0, stiff_cases[k].bending, NULL, 0));
    CF_TRUE(cf_setFlexElasticity(m, 0, stiff_cases[k].elasticity, NULL, 0));
    compareStiffness(m, stiff_cases[k].size);
    mj_deleteModel(m);
  }
}


static const char curved_shell[] =
    "<mujoco><worldbody><flexcomp name='s' type='direct' dim='2' mass='1' radius='0.005'"
    " point='0 0 0  0.1 0 0.03  0.2 0 0  0 0.1 0  0.1 0.1 0.04  0.2 0.1 0.01'"
    " element='0 1 4  0 4 3  1 2 5  1 5 4'>"
    "<elasticity young='1e6' poisson='0.3' thickness='0.01' elastic2d='both'/>"
    "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>";

CF_TEST(stiffness__curved_shell__minus_derivative_of_the_force) {
  mjModel* m = compileText(curved_shell);
  int ncurved = 0;
  for (int e = 0; e < m->nflexedge; e++) {
    ncurved += m->flex_bending[17 * e + 16] != 0;
  }
  CF_TRUE(ncurved > 0);
  compareStiffness(m, 0.01);
  mj_deleteModel(m);
}


// ---------------------------------------- stability

// 003 42B criterion 3: a shell of 4 x 4 vertices, thickness 0.01, density 1000
static const char stiff_shell[] =
    "<mujoco><option timestep='0.01'/><worldbody>%s"
    "<flexcomp name='s' type='grid' dim='2' count='4 4 1' spacing='.1 .1 .1' pos='0 0 1'"
    " mass='0.9' radius='0.005'><elasticity young='1e12' poisson='0.3' thickness='0.01'"
    " elastic2d='%s'/><contact selfcollide='none' internal='false'/></flexcomp>"
    "</worldbody></mujoco>";


static mjModel* stiffShell(const char* others, const char* elastic2d) {
  char text[2000];
  snprintf(text, sizeof(text), stiff_shell, others, elastic2d);
  return compileText(text);
}


static void disturb(const mjModel* m, mjData* d, double size) {
  unsigned seed = 5;
  for (int i = 0; i < m->nq; i++) {
    d->qpos[i] += size * uniform(&seed);
  }
}


static mjtNum fastest(const mjModel* m, const mjData* d) {
  mjtNum most = 0;
  for (int i = 0; i < m->nv; i++) {
    most = isfinite(d->qvel[i]) ? mju_max(most, fabs(d->qvel[i])) : mjMAXVAL;
  }
  return most;
}


// as MuJoCo computes it the shell explodes within three steps; with implicit stiffness it falls as
// one piece for 500, with bending alone (Euler) and with elasticity (every integrator)
CF_TEST(C42B_3_cotangent__young_1e12_timestep_001__stable_for_500_steps_without_clamp) {
  static const char* const elastic2d[2] = {"bend", "both"};
  for (int k = 0; k < 2; k++) {
    mjModel* m = stiffShell("", elastic2d[k]);
    m->opt.disableflags |= mjDSBL_AUTORESET;
    CF_EQ_STR(cf_flexBending(m, 0), "cotangent");
    for (int integrator = 0; integrator <= mjINT_IMPLICITFAST; integrator++) {
      if (integrator == mjINT_RK4 || (k == 0 && integrator != mjINT_EULER)) {
        continue;
      }
      m->opt.integrator = integrator;
      for (int is_implicit = 0; is_implicit < 2; is_implicit++) {
        CF_TRUE(cf_setFlexImplicit(m, 0, is_implicit, NULL, 0));
        mjData* d = mj_makeData(m);
        disturb(m, d, 1e-6);
        cf_guardClear();
        int steps = 0;
        while (steps < 500 && fastest(m, d) < 1e5) {
          mj_step(m, d);
          steps++;
        }
        if (is_implicit) {
          CF_EQ_INT(steps, 500);
          CF_EQ_INT(cf_warning_count, 0);

          // free fall of every vertex, and the shape of the start
          for (int i = 0; i < m->nv; i++) {
            CF_NEAR(d->qvel[i], i % 3 == 2 ? -9.81 * 5 : 0, 1e-4);
            CF_NEAR(d->qpos[i] - d->qpos[i % 3], 0, 1e-3);
          }
        } else {
          CF_TRUE(steps <= 4);
        }
        mj_deleteData(d);
      }
    }
    mj_deleteModel(m);
  }
}


// the same shell lands on a ball and on the floor: contacts and elasticity are solved together
CF_TEST(implicitFlex__stiff_shell_dropped_on_a_ball__comes_to_rest_and_contacts_carry_it) {
  mjModel* m = stiffShell(
      "<geom type='plane' size='1 1 .1'/><geom type='sphere' size='.2' pos='0 0 .75'/>", "both");
  CF_TRUE(cf_setFlexImplicit(m, 0, 1, NULL, 0));
  mjData* d = mj_makeData(m);
  cf_guardClear();
  mjtNum worst = 0;
  for (int k = 0; k < 500; k++) {
    mj_step(m, d);
    worst = mju_max(worst, fastest(m, d));
  }
  CF_EQ_INT(cf_warning_count, 0);

  // no vertex was ever faster than by falling
  CF_TRUE(worst < 6);
  mjtNum lift = 0, weight = 0, stretch = 0;
  for (int v = 0; v < m->nflexvert; v++) {
    const int body = m->flex_vertbodyid[v];
    lift += d->qfrc_constraint[m->body_dofadr[body] + 2];
    weight += 9.81 * m->body_mass[body];
  }
  for (int e = 0; e < m->nflexedge; e++) {
    stretch = mju_max(stretch, fabs(d->flexedge_length[e] / m->flexedge_length0[e] - 1));
  }
  CF_NEAR(lift / weight, 1, 1e-6);
  CF_TRUE(fastest(m, d) < 1e-6);
  CF_TRUE(stretch < 1e-5);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// whichever solver and cone: they all find the acceleration that was found here
CF_TEST(implicitFlex__every_solver_and_cone__same_acceleration) {
  mjModel* m = stiffShell("<geom type='plane' size='1 1 .1' pos='0 0 .995'/>", "both");
  CF_TRUE(cf_setFlexImplicit(m, 0, 1, NULL, 0));
  m->opt.tolerance = 0;
  m->opt.iterations = 2000;
  for (int cone = 0; cone < 2; cone++) {
    mjtNum* first = mju_malloc(sizeof(mjtNum) * (size_t)m->nv);
    for (int solver = 2; solver >= 0; solver--) {
      m->opt.solver = solver;
      m->opt.cone = cone;
      mjData* d = mj_makeData(m);
      disturb(m, d, 1e-4);
      for (int i = 0; i < m->nv; i++) {
        d->qvel[i] = 0.01 * sin(i);
      }
      mj_forward(m, d);
      CF_TRUE(d->nefc > 16);
      mjtNum size = mju_norm(d->qacc, (int)m->nv);
      CF_NEAR(mju_norm(d->qacc_warmstart, (int)m->nv) / size, 1, 1e-6);
      for (int i = 0; i < m->nv; i++) {
        CF_NEAR(d->qacc[i] / size, d->qacc_warmstart[i] / size, solver ? 1e-6 : 1e-3);
        CF_NEAR(d->qacc_warmstart[i] / size, solver == 2 ? d->qacc_warmstart[i] / size : first[i],
                1e-7);
        first[i] = solver == 2 ? d->qacc_warmstart[i] / size : first[i];
      }
      mj_deleteData(d);
    }
    mju_free(first);
  }
  mj_deleteModel(m);
}


// distance between explicit and implicit trajectories after four milliseconds
static mjtNum distanceAfter(const char* file, mjtNum timestep) {
  mjModel* m = loadSoft(file);
  m->opt.timestep = timestep;
  mjData* d[2] = {mj_makeData(m), mj_makeData(m)};
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_setFlexImplicit(m, 0, k, NULL, 0));
    disturb(m, d[k], 2e-3);
    for (int i = 0; i < (int)round(0.004 / timestep); i++) {
      mj_step(m, d[k]);
    }
  }
  mju_subFrom(d[0]->qpos, d[1]->qpos, (int)m->nq);
  const mjtNum distance = mju_norm(d[0]->qpos, (int)m->nq);
  mj_deleteData(d[0]);
  mj_deleteData(d[1]);
  mj_deleteModel(m);
  return distance;
}


CF_TEST(implicitFlex__smaller_timestep__explicit_motion_to_first_order) {
  static const char* const files[2] = {"sheet", "cube"};
  for (int k = 0; k < 2; k++) {
    const mjtNum coarse = distanceAfter(files[k], 4e-5), fine = distanceAfter(files[k], 2e-5);
    CF_TRUE(fine > 0);
    CF_NEAR(coarse / fine, 2, 0.1);
  }
}


// a cube of jelly that rests on the floor: the same shape, whichever way it came to rest
CF_TEST(implicitFlex__equilibrium__that_of_explicit_forces) {
  const char* text =
      "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='1 1 .1'/>"
      "<flexcomp name='j' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' pos='0 0 .11'"
      " mass='1' radius='0.01'><elasticity young='2e3' poisson='0.3' damping='0.02'/>"
      "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>";
  mjModel* m = compileText(text);
  mjData* d[2] = {mj_makeData(m), mj_makeData(m)};
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_setFlexImplicit(m, 0, k, NULL, 0));
    m->opt.timestep = k ? 0.005 : 0.001;
    for (int i = 0; i < (k ? 400 : 2000); i++) {
      mj_step(m, d[k]);
    }
    CF_TRUE(fastest(m, d[k]) < 1e-4);
    CF_TRUE(d[k]->ncon > 4);
    mj_forward(m, d[k]);
  }
  CF_TRUE(cf_flexEnergy(m, d[0], 0) > 1e-3);
  CF_NEAR(cf_flexEnergy(m, d[1], 0) / cf_flexEnergy(m, d[0], 0), 1, 1e-3);
  for (int i = 0; i < m->nq; i++) {
    CF_NEAR(d[0]->qpos[i], d[1]->qpos[i], 1e-4);
  }
  mj_deleteData(d[0]);
  mj_deleteData(d[1]);
  mj_deleteModel(m);
}


// ---------------------------------------- vertices that move in other ways

// K*vec as it is applied, against differences of the generalized force at rest, where no stiffness
// is taken out and none comes from the change of the Jacobian
static void compareProduct(const char* text) {
  mjModel* m = compileText(text);
  m->opt.timestep = 0.01;
  m->opt.gravity[2] = 0;
  for (int f = 0; f < m->nflex; f++) {
    m->flex_damping[f] = 0;
    CF_TRUE(cf_setFlexImplicit(m, f, 1, NULL, 0));
  }
  mjData* d = mj_makeData(m);
  const int nv = (int)m->nv;
  mjtNum* all = mju_malloc(sizeof(mjtNum) * 4 * (size_t)nv);
  mjtNum *vec = all, *up = vec + nv, *down = up + nv, *Kv = down + nv;
  unsigned seed = 2;
  for (int trial = 0; trial < 3; trial++) {
    for (int i = 0; i < nv; i++) {
      vec[i] = uniform(&seed);
    }
    const double eps = 1e-6;
    for (int k = 0; k < 2; k++) {
      mj_resetData(m, d);
      mj_integratePos(m, d->qpos, vec, k ? -eps : eps);
      mj_fwdPosition(m, d);
      mj_fwdVelocity(m, d);
      mju_copy(k ? down : up, d->qfrc_spring, nv);
    }
    mj_resetData(m, d);
    mj_fwdPosition(m, d);
    mj_fwdVelocity(m, d);
    mju_zero(Kv, nv);
    mj_markStack(d);
    const cfFlexStiffness K = cfi_flexStiffness(m, d);
    cfi_addFlexStiffness(Kv, &K, m, d, vec, true);
    mju_scl(Kv, Kv, 1 / m->opt.timestep, nv);
    mj_freeStack(d);
    const mjtNum scale = mju_norm(Kv, nv);
    CF_TRUE(scale > 1);
    for (int i = 0; i < nv; i++) {
      CF_NEAR((down[i] - up[i]) / (2 * eps) / scale, Kv[i] / scale, 1e-6);
    }
  }
  mju_free(all);
  mj_deleteData(d);
  mj_deleteModel(m);
}


static const char mixed_bodies[] =
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<body name='a' pos='0 0 .5'><freejoint/><geom size='.02' mass='.1'/></body>"
    "<body name='b' pos='.2 0 .5'><joint axis='0 1 0' pos='0 .1 .2'/><geom size='.02' mass='.1'/>"
    "<body name='c' pos='0 .2 0'><joint axis='1 0 0' pos='0 -.1 0'/><geom size='.02' mass='.1'/>"
    "</body></body>"
    "<body name='e' pos='0 .2 .5'><joint type='slide' axis='1 0 1'/>"
    "<joint type='slide' axis='0 1 0'/><geom size='.02' mass='.1'/></body>"
    "<body name='p' pos='.1 .1 .7'><geom size='.02' mass='.1'/></body></worldbody>"
    "<deformable><flex name='%s' dim='%s' radius='.01' body='a b c e p' element='%s'>"
    "<elasticity young='%s' poisson='0.3'/><edge stiffness='%s' damping='0'/>"
    "<contact selfcollide='none' internal='false'/></flex></deformable></mujoco>";


CF_TEST(flexStiffness__free_hinged_and_fixed_bodies__derivative_of_generalized_forces) {
  char text[3000];
  snprintf(text, sizeof(text), mixed_bodies, "solid", "3", "0 1 2 4  0 2 3 4", "1e5", "0");
  compareProduct(text);
  snprintf(text, sizeof(text), mixed_bodies, "net", "1", "0 1  1 2  2 3  3 0  0 4  1 4  2 4", "0",
           "1e4");
  compareProduct(text);
}


// a stiff solid and a stiff net on such bodies, twenty times too stiff for the timestep
CF_TEST(implicitFlex__free_hinged_and_fixed_bodies__stable) {
  for (int k = 0; k < 2; k++) {
    char text[3000];
    snprintf(text, sizeof(text), mixed_bodies, "f", k ? "1" : "3",
             k ? "0 1  1 2  2 3  3 0  0 4  1 4  2 4" : "0 1 2 4  0 2 3 4", k ? "0" : "1e8",
             k ? "1e7" : "0");
    mjModel* m = compileText(text);
    CF_TRUE(cf_setFlexImplicit(m, 0, 1, NULL, 0));
    mjData* d = mj_makeData(m);
    cf_guardClear();
    for (int i = 0; i < 500; i++) {
      mj_step(m, d);
      CF_TRUE(fastest(m, d) < 20);
    }
    CF_EQ_INT(cf_warning_count, 0);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// without springs there is no stiffness: a bent sheet and a net fly on as they do with explicit
// forces
CF_TEST(implicitFlex__springs_disabled__no_stiffness) {
  char text[3000];
  snprintf(text, sizeof(text), mixed_bodies, "net", "1", "0 1  1 2  2 3  3 0  0 4  1 4  2 4", "0",
           "1e7");
  mjModel* models[2] = {stiffShell("", "bend"), compileText(text)};
  for (int k = 0; k < 2; k++) {
    mjModel* m = models[k];
    m->opt.disableflags |= mjDSBL_SPRING;
    mjData* d[2] = {mj_makeData(m), mj_makeData(m)};
    for (int i = 0; i < 2; i++) {
      CF_TRUE(cf_setFlexImplicit(m, 0, i, NULL, 0));
      disturb(m, d[i], 1e-3);
      mj_normalizeQuat(m, d[i]->qpos);
      mj_forward(m, d[i]);
    }
    for (int i = 0; i < m->nv; i++) {
      CF_NEAR(d[1]->qacc[i], d[0]->qacc[i], 1e-6);
    }
    mj_deleteData(d[0]);
    mj_deleteData(d[1]);
    mj_deleteModel(m);
  }
}


static int nheap;

static void* countHeap(size_t nbyte) {
  nheap++;
  return aligned_alloc(64, (nbyte + 63) / 64 * 64);
}


// contacts, conjugate gradients and all: from the stack of mjData
CF_TEST(implicitFlex__steps_with_contacts__no_heap) {
  mjModel* m = stiffShell("<geom type='plane' size='1 1 .1' pos='0 0 .99'/>", "both");
  CF_TRUE(cf_setFlexImplicit(m, 0, 1, NULL, 0));
  mjData* d = mj_makeData(m);
  nheap = 0;
  mju_user_malloc = countHeap;
  for (int k = 0; k < 5; k++) {
    mj_step(m, d);
  }
  mju_user_malloc = NULL;
  CF_TRUE(d->ncon > 0);
  CF_EQ_INT(nheap, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- choosing

CF_TEST(setFlexImplicit__files_copies_and_default__kept_and_same_bits) {
  mjModel *plain = loadSoft("cube"), *m = loadSoft("cube");
  CF_EQ_INT(cf_flexImplicit(m, 0), 0);
  CF_TRUE(cf_setFlexImplicit(m, 0, 1, NULL, 0));
  CF_EQ_INT(cf_flexImplicit(m, 0), 1);
  const int nbyte = (int)mj_sizeModel(m);
  CF_TRUE(nbyte > mj_sizeModel(plain));
  char* bytes = mju_malloc((size_t)nbyte);
  mj_saveModel(m, NULL, bytes, nbyte);
  mjModel *loaded = mj_loadModelBuffer(bytes, nbyte), *copy = mj_copyModel(NULL, m);
  CF_EQ_INT(cf_flexImplicit(loaded, 0), 1);
  CF_EQ_INT(cf_flexImplicit(copy, 0), 1);

  // switched off again it is MuJoCo's step, bit for bit
  CF_TRUE(cf_setFlexImplicit(m, 0, 0, NULL, 0));
  CF_EQ_INT(mj_sizeModel(m), mj_sizeModel(plain));
  mjData *a = mj_makeData(plain), *b = mj_makeData(m), *c = mj_makeData(loaded);
  for (int k = 0; k < 10; k++) {
    mj_step(plain, a);
    mj_step(m, b);
    mj_step(loaded, c);
  }
  CF_EQ_BYTES(a->qpos, b->qpos, sizeof(mjtNum) * (size_t)m->nq);
  CF_TRUE(memcmp(a->qpos, c->qpos, sizeof(mjtNum) * (size_t)m->nq) != 0);
  mj_deleteData(a);
  mj_deleteData(b);
  mj_deleteData(c);
  mju_free(bytes);
  mj_deleteModel(loaded);
  mj_deleteModel(copy);
  mj_deleteModel(plain);
  mj_deleteModel(m);
}


static mjtByte actsNever(const mjModel* m, int flex) {
  (void)m;
  (void)flex;
  return 0;
}

static void addNothing(const cfFlexView* view, cfFlexForces forces) {
  (void)view;
  (void)forces;
}

static mjtNum noEnergy(const cfFlexView* view) {
  (void)view;
  return 0;
}


CF_TEST(setFlexImplicit__bad_arguments__message_and_no_change) {
  static const cfFlexModel limp = {
      .name = "limp", .acts = actsNever, .addForces = addNothing, .energy = noEnergy};
  CF_TRUE(cf_registerFlexBending(&limp));
  mjModel* m = loadSoft("sheet");
  char error[300] = "";
  CF_TRUE(!cf_setFlexImplicit(m, 1, 1, error, sizeof(error)));
  CF_EQ_STR(error, "there is no such flex");
  CF_TRUE(!cf_setFlexImplicit(m, -1, 1, NULL, 0));
  CF_EQ_INT(cf_flexImplicit(m, 7), 0);
  CF_TRUE(cf_setFlexBending(m, 0, "limp", NULL, 0));
  CF_TRUE(!cf_setFlexImplicit(m, 0, 1, error, sizeof(error)));
  CF_HAS_STR(error, "model 'limp' has no stiffness");
  CF_EQ_INT(cf_flexImplicit(m, 0), 0);
  CF_TRUE(cf_setFlexBending(m, 0, NULL, NULL, 0));
  CF_TRUE(cf_setFlexImplicit(m, 0, 1, NULL, 0));
  CF_TRUE(!cf_setFlexBending(m, 0, "limp", error, sizeof(error)));
  CF_HAS_STR(error, "model 'limp' has no stiffness");
  CF_EQ_STR(cf_flexBending(m, 0), "cotangent");
  mj_deleteModel(m);
}


CF_TEST_MAIN("flex/implicit")
