// Criteria of 003 sections 42, 42B and 42C: what the text asks of flexes, of models of bending and
// of models of elasticity.  42B criterion 3 is in test_implicit.c, 42C criterion 5 in
// test_models.c.
#include <stdio.h>
#include <string.h>

#ifdef __linux__
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_reference.h"
#include "cf_test.h"
#include "flex/models.h"
#include "model/layout.h"

static mjSpec* parseText(const char* text) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}


static mjModel* compileSpec(mjSpec* spec) {
  mjModel* m = mj_compile(spec, NULL);
  if (!m) {
    CF_FAIL("%s\n", mjs_getError(spec));
  }
  mj_deleteSpec(spec);
  return m;
}


static mjModel* compileText(const char* text) {
  return compileSpec(parseText(text));
}


static double uniform(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0 - 0.5;
}


static void scatter(const mjModel* m, mjData* d, double size) {
  unsigned seed = 5;
  for (int i = 0; i < m->nq; i++) {
    d->qpos[i] += 2 * size * uniform(&seed);
  }
}


static void forcesNow(const mjModel* m, mjData* d) {
  mj_fwdPosition(m, d);
  mj_fwdVelocity(m, d);
}


static mjtNum fastest(const mjModel* m, const mjData* d) {
  mjtNum most = 0;
  for (int i = 0; i < m->nv; i++) {
    most = isfinite(d->qvel[i]) ? mju_max(most, fabs(d->qvel[i])) : mjMAXVAL;
  }
  return most;
}


// steps of the reference and of ours from the same text, each from the reference's state
static void compareSteps(const char* text, int nstep, double disturbance) {
  char path[] = "/tmp/cf_flexXXXXXX.xml", error[500] = "";
  const int file = mkstemps(path, 4);
  CF_TRUE(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  mjModel *m = compileText(text), *ref_m = CF_REF(mj_loadXML)(path, NULL, error, sizeof(error));
  unlink(path);
  if (!ref_m) {
    CF_FAIL("reference: %s\n", error);
  }
  CF_EQ_INT(m->nv, ref_m->nv);
  mjData *d = mj_makeData(m), *ref_d = CF_REF(mj_makeData)(ref_m);
  scatter(m, ref_d, disturbance);
  for (int k = 0; k < nstep; k++) {
    mju_copy(d->qpos, ref_d->qpos, (int)m->nq);
    mju_copy(d->qvel, ref_d->qvel, (int)m->nv);
    mju_copy(d->qacc_warmstart, ref_d->qacc_warmstart, (int)m->nv);
    mj_step(m, d);
    CF_REF(mj_step)(ref_m, ref_d);
    for (int i = 0; i < m->nv; i++) {
      CF_NEAR(d->qfrc_spring[i], ref_d->qfrc_spring[i], 1e-8);
      CF_NEAR(d->qfrc_passive[i], ref_d->qfrc_passive[i], 1e-8);
      CF_NEAR(d->qpos[i], ref_d->qpos[i], 1e-8);
    }
  }
  CF_TRUE(fastest(m, d) > 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  CF_REF(mj_deleteData)(ref_d);
  CF_REF(mj_deleteModel)(ref_m);
}


// ---------------------------------------- 42: flex and flexcomp

static const char cloth_text[] =
    "<mujoco><option timestep='0.002'/><default><joint type='slide' damping='.05'/>"
    "<geom type='sphere' size='.01' mass='.02' contype='0' conaffinity='0'/></default><worldbody>"
    "<geom type='sphere' size='.12' pos='.15 .1 .7' contype='1' conaffinity='1'/>"
    "<body name='a' pos='0 0 1'><geom/></body><body name='b' pos='.1 0 1'>"
    "<joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/><geom/></body>"
    "<body name='c' pos='.3 0 1'><geom/></body><body name='e' pos='0 .2 1'>"
    "<joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/><geom/></body>"
    "<body name='f' pos='.1 .2 1'><joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/>"
    "<geom/></body><body name='g' pos='.3 .2 1'><joint axis='1 0 0'/><joint axis='0 1 0'/>"
    "<joint axis='0 0 1'/><geom/></body></worldbody><deformable>"
    "<flex name='cloth' dim='2' radius='.01' body='a b c e f g'"
    " element='0 1 4  0 4 3  1 2 5  1 5 4'><edge damping='.1'/>"
    "<elasticity young='1e4' poisson='.2' thickness='.01' damping='.01' elastic2d='stretch'/>"
    "<contact selfcollide='none' internal='false'/></flex></deformable></mujoco>";

// 1. A <flex dim="2"> cloth element loads and simulates correctly.
CF_TEST(C42_1_flex__cloth_between_two_fixed_corners__hangs_as_in_the_reference) {
  CF_NEED_REFERENCE();
  compareSteps(cloth_text, 150, 0);

  // and comes to rest below the corners that hold it
  mjModel* m = compileText(cloth_text);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 5000; k++) {
    mj_step(m, d);
  }
  CF_TRUE(fastest(m, d) < 0.05);
  CF_TRUE(d->flexvert_xpos[3 * 4 + 2] < 0.99);
  CF_NEAR(d->flexvert_xpos[2], 1, 0);
  CF_NEAR(d->flexvert_xpos[3 * 2 + 2], 1, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// 2. <flexcomp type="grid"> generates the expected deformable mesh.
CF_TEST(C42_2_flexcomp__grid_of_four_by_three__vertices_triangles_and_edges) {
  mjModel* m = compileText(
      "<mujoco><worldbody><flexcomp name='g' type='grid' dim='2' count='4 3 1'"
      " spacing='.1 .2 .1' pos='1 2 3' radius='.01' mass='1.2'>"
      "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>");
  CF_EQ_INT(m->nflex, 1);
  CF_EQ_INT(m->nflexvert, 12);
  CF_EQ_INT(m->nflexelem, 2 * 3 * 2);
  CF_EQ_INT(m->nflexedge, 12 + 12 - 1);  // Euler: vertices - edges + faces = 1
  CF_EQ_INT(m->nv, 3 * 12);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mjtNum mass = 0, area = 0;
  for (int v = 0; v < 12; v++) {
    CF_NEAR(d->flexvert_xpos[3 * v], 1 - .15 + .1 * (v / 3), 1e-12);
    CF_NEAR(d->flexvert_xpos[3 * v + 1], 2 - .2 + .2 * (v % 3), 1e-12);
    CF_NEAR(d->flexvert_xpos[3 * v + 2], 3, 1e-12);
    mass += m->body_mass[m->flex_vertbodyid[v]];
  }
  for (int e = 0; e < 12; e++) {
    const mjtNum* x[3];
    mjtNum side[2][3], normal[3];
    for (int k = 0; k < 3; k++) {
      x[k] = d->flexvert_xpos + 3 * m->flex_elem[3 * e + k];
    }
    mju_sub3(side[0], x[1], x[0]);
    mju_sub3(side[1], x[2], x[0]);
    mju_cross(normal, side[0], side[1]);
    CF_NEAR(mju_norm3(normal) / 2, .1 * .2 / 2, 1e-12);
    area += normal[2] / 2;
  }
  CF_NEAR(mass, 1.2, 1e-12);
  CF_NEAR(fabs(area), .3 * .4, 1e-12);  // all triangles are turned the same way
  mj_deleteData(d);
  mj_deleteModel(m);
}


// the cloth of above through mjs_ calls
static mjModel* programmedCloth(void) {
  mjSpec* spec = parseText(cloth_text);
  mjs_delete(spec, mjs_firstElement(spec, mjOBJ_FLEX));
  mjsFlex* flex = mjs_addFlex(spec);
  const int element[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
  mjs_setName(flex->element, "cloth");
  mjs_setStringVec(flex->vertbody, "a b c e f g");
  mjs_setInt(flex->elem, element, 12);
  flex->dim = 2;
  flex->radius = .01;
  flex->edgedamping = .1;
  flex->elastic2d = 2;
  flex->damping = .01;
  flex->young = 1e4;
  flex->poisson = .2;
  flex->thickness = .01;
  flex->selfcollide = mjFLEXSELF_NONE;
  flex->internal = 0;
  return compileSpec(spec);
}


// 3. The programmatic path is unchanged: a flex added by calls is the flex of the text.
CF_TEST(C42_3_addFlex__same_cloth_by_calls__same_model_byte_for_byte) {
  mjModel *m = compileText(cloth_text), *by_calls = programmedCloth();
  const int nbyte = (int)mj_sizeModel(m);
  CF_EQ_INT(mj_sizeModel(by_calls), nbyte);
  char *a = mju_malloc((size_t)nbyte), *b = mju_malloc((size_t)nbyte);
  mj_saveModel(m, NULL, a, nbyte);
  mj_saveModel(by_calls, NULL, b, nbyte);
  CF_EQ_BYTES(a, b, (size_t)nbyte);
  mju_free(a);
  mju_free(b);
  mj_deleteModel(m);
  mj_deleteModel(by_calls);
}


// ---------------------------------------- 42B: bending

#define SHELL(name, count, bending, elastic2d)                                                   \
  "<flexcomp name='" name "' type='grid' dim='2' count='" count                                  \
  "' spacing='.1 .1 .1' mass='0.9' radius='0.005' " bending                                      \
  "><elasticity young='1e4' poisson='0.3' thickness='0.01' damping='.003' elastic2d='" elastic2d \
  "'/><contact selfcollide='none' internal='false' contype='0' conaffinity='0'/></flexcomp>"
#define SCENE(content) \
  "<mujoco><option timestep='0.002'/><worldbody>" content "</worldbody></mujoco>"

// 1. Bending forces match MuJoCo for a 4x4 grid shell, young 1e4, poisson 0.3, thickness 0.01,
// density 1000 (9 dm^2 of it weigh 0.9 kg), after a step with gravity, to 1e-8; also when it is
// bent
CF_TEST(C42B_1_cotangent__grid_of_four_by_four__forces_of_the_reference) {
  CF_NEED_REFERENCE();
  compareSteps(SCENE(SHELL("s", "4 4 1", "", "bend")), 1, 0);
  compareSteps(SCENE(SHELL("s", "4 4 1", "", "bend")), 20, 0.01);
  compareSteps(SCENE(SHELL("s", "4 4 1", "", "both")), 20, 0.01);
}


// angle between the normals of two triangles that share the edge 0-1, by its cosine and the side on
// which the last vertex is
static double dihedral(const mjtNum* x, const int corner[4]) {
  mjtNum edge[3], flap[2][3], normal[2][3];
  mju_sub3(edge, x + 3 * corner[1], x + 3 * corner[0]);
  mju_sub3(flap[0], x + 3 * corner[2], x + 3 * corner[0]);
  mju_sub3(flap[1], x + 3 * corner[3], x + 3 * corner[0]);
  mju_cross(normal[0], edge, flap[0]);
  mju_cross(normal[1], flap[1], edge);
  mju_normalize3(normal[0]);
  mju_normalize3(normal[1]);
  mjtNum off[3], sum[3];
  mju_sub3(off, normal[0], normal[1]);
  mju_add3(sum, normal[0], normal[1]);
  const double angle = 2 * atan2(mju_norm3(off), mju_norm3(sum));
  return mju_dot3(normal[0], flap[1]) > 0 ? -angle : angle;
}


// 2. Bridson's hinges: -k*(angle - rest)*gradient, here with the gradient by differences, and k
// from the cotangent matrix: turning vertex 3 by an angle lifts it by height*angle
CF_TEST(C42B_2_bridson__bent_sheet__force_of_dihedral_springs) {
  mjModel* m = compileText(SCENE(SHELL("s", "4 4 1", "bending_model='bridson'", "bend")));
  m->opt.timestep = 1e-6;  // nothing is clamped
  mjData* d = mj_makeData(m);
  scatter(m, d, 0.01);
  forcesNow(m, d);
  mjtNum force[48] = {0}, x[48];
  int nhinge = 0;
  for (int e = 0; e < m->nflexedge; e++) {
    const int corner[4] = {m->flex_edge[2 * e], m->flex_edge[2 * e + 1], m->flex_edgeflap[2 * e],
                           m->flex_edgeflap[2 * e + 1]};
    if (corner[2] < 0 || corner[3] < 0) {
      continue;
    }
    nhinge++;

    // height of vertex 3 above the edge in the flat grid
    mjtNum rest[4][3], edge[3], across[3];
    for (int k = 0; k < 4; k++) {
      mju_copy3(rest[k], m->body_pos + 3 * m->flex_vertbodyid[corner[k]]);
    }
    mju_sub3(edge, rest[1], rest[0]);
    mju_sub3(across, rest[3], rest[0]);
    const double length = mju_normalize3(edge);
    CF_TRUE(length > 0.05);
    mju_addToScl3(across, edge, -mju_dot3(across, edge));
    const double height = mju_norm3(across), k = m->flex_bending[17 * e + 15] * height * height;
    mju_copy(x, d->flexvert_xpos, 48);
    const double angle = dihedral(x, corner);
    for (int i = 0; i < 12; i++) {
      mjtNum* at = x + 3 * corner[i / 3] + i % 3;
      const mjtNum was = *at;
      *at = was + 1e-6;
      const double up = dihedral(x, corner);
      *at = was - 1e-6;
      const double down = dihedral(x, corner);
      *at = was;
      force[3 * corner[i / 3] + i % 3] -= k * angle * (up - down) / 2e-6;
    }
  }
  CF_EQ_INT(nhinge, 33 - 12);
  const mjtNum size = mju_norm(force, 48);
  CF_TRUE(size > 1e-3);
  for (int i = 0; i < 48; i++) {
    CF_NEAR(d->qfrc_spring[m->body_dofadr[m->flex_vertbodyid[i / 3]] + i % 3] / size,
            force[i] / size, 1e-8);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


static const char curved_text[] =
    "<mujoco><option timestep='.001'/><worldbody><flexcomp name='s' type='direct' dim='2' mass='1'"
    " radius='0.005' point='0 0 0  0.1 0 0.03  0.2 0 0  0 0.1 0  0.1 0.1 0.04  0.2 0.1 0.01'"
    " element='0 1 4  0 4 3  1 2 5  1 5 4'>"
    "<elasticity young='1e6' poisson='0.3' thickness='0.01' elastic2d='bend'/>"
    "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>";

// 4. A rest shape that is not flat: the last of the 17 numbers takes part, as in MuJoCo, which is
// the truth about what is correct (its term does not make the rest shape free of forces)
CF_TEST(C42B_4_cotangent__curved_shell__forces_of_the_reference_by_its_curved_term) {
  CF_NEED_REFERENCE();
  mjModel* m = compileText(curved_text);
  mjData* d = mj_makeData(m);
  forcesNow(m, d);
  mjtNum scale = 0;
  int ncurved = 0;
  for (int e = 0; e < m->nflexedge; e++) {
    ncurved += m->flex_bending[17 * e + 16] != 0;
    scale = mju_max(scale, m->flex_bending[17 * e]);
  }
  CF_TRUE(ncurved >= 2);
  mjtNum with[18];
  CF_EQ_INT(m->nv, 18);
  mju_copy(with, d->qfrc_spring, 18);
  for (int e = 0; e < m->nflexedge; e++) {
    m->flex_bending[17 * e + 16] = 0;
  }
  forcesNow(m, d);
  mju_subFrom(with, d->qfrc_spring, 18);
  CF_TRUE(mju_norm(with, 18) / scale > 1e-3);
  mj_deleteData(d);
  mj_deleteModel(m);
  compareSteps(curved_text, 20, 0.002);
}


// 5. Edges with one triangle produce no bending force, whatever their numbers say
CF_TEST(C42B_5_bending__border_edges__no_force) {
  static const char* const models[2] = {"cotangent", "bridson"};
  for (int k = 0; k < 2; k++) {
    mjModel* m = compileText(SCENE(SHELL("s", "4 4 1", "", "bend")));
    CF_TRUE(cf_setFlexBending(m, 0, models[k], NULL, 0));
    mjData* d = mj_makeData(m);
    scatter(m, d, 0.01);
    mjtNum before[48];
    forcesNow(m, d);
    mju_copy(before, d->qfrc_spring, 48);
    int nborder = 0;
    for (int e = 0; e < m->nflexedge; e++) {
      if (m->flex_edgeflap[2 * e + 1] < 0) {
        nborder++;
        for (int i = 0; i < 17; i++) {
          CF_NEAR(m->flex_bending[17 * e + i], 0, 0);
          m->flex_bending[17 * e + i] = 1e6;
        }
      }
    }
    CF_EQ_INT(nborder, 12);
    CF_TRUE(cf_setFlexBending(m, 0, models[k], NULL, 0));
    forcesNow(m, d);
    CF_TRUE(mju_norm(before, 48) > 1e-3);
    CF_EQ_BYTES(d->qfrc_spring, before, sizeof(before));
    mj_deleteData(d);
    mj_deleteModel(m);
  }

  // a triangle has nothing but a border
  mjModel* m = compileText(
      SCENE("<flexcomp name='t' type='direct' dim='2' mass='1' radius='.01' element='0 1 2'"
            " point='0 0 0  .1 0 0  0 .1 0'><elasticity young='1e6' poisson='.3' thickness='.01'"
            " elastic2d='bend'/><contact selfcollide='none' internal='false'/></flexcomp>"));
  mjData* d = mj_makeData(m);
  scatter(m, d, 0.02);
  forcesNow(m, d);
  CF_NEAR(mju_norm(d->qfrc_spring, (int)m->nv), 0, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// 6. Another model changes the passive forces and nothing else that position and velocity stages
// write
CF_TEST(C42B_6_bending__model_swapped__passive_forces_alone_change) {
  mjModel* m =
      compileText(SCENE(SHELL("s", "4 4 1", "", "both") "<geom type='plane' size='1 1 1'/>"));
  mjData* d[2] = {mj_makeData(m), mj_makeData(m)};
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_setFlexBending(m, 0, k ? "bridson" : "cotangent", NULL, 0));
    scatter(m, d[k], 0.01);
    for (int i = 0; i < m->nv; i++) {
      d[k]->qvel[i] = sin(i);
    }
    forcesNow(m, d[k]);
  }
  int nchanged = 0;
  for (int i = 0; i < cfi_dataFields.count; i++) {
    const cfFieldInfo* field = cfi_dataFields.field + i;
    mjtSize nbyte = 0;
    const void *a = cfi_arrayOf(field, d[0]), *b = cfi_arrayOf(field, d[1]);
    CF_TRUE(cfi_arrayBytes(field, m, d[0], &nbyte));
    if (a && b && memcmp(a, b, (size_t)nbyte) != 0) {
      CF_TRUE(!strcmp(field->name, "qfrc_spring") || !strcmp(field->name, "qfrc_damper") ||
              !strcmp(field->name, "qfrc_passive"));
      nchanged++;
    }
  }
  CF_EQ_INT(nchanged, 3);
  mj_deleteData(d[0]);
  mj_deleteData(d[1]);
  mj_deleteModel(m);
}


// forces of two flexes with the models of `kinds`, bending or elasticity
static void forcesOfTwo(mjModel* m, const char* const kinds[2],
                        int (*choose)(mjModel*, int, const char*, char*, int), mjtNum* force) {
  mjData* d = mj_makeData(m);
  for (int f = 0; f < 2; f++) {
    CF_TRUE(choose(m, f, kinds[f], NULL, 0));
  }
  scatter(m, d, 0.01);
  forcesNow(m, d);
  mju_copy(force, d->qfrc_passive, (int)m->nv);
  mj_deleteData(d);
}


// two flexes with two models: each has the forces that it has where both use its model; then both
// move for a hundred steps
static void compareMixed(mjModel* m, const char* first, const char* second,
                         int (*choose)(mjModel*, int, const char*, char*, int)) {
  const char* const kinds[3][2] = {{first, first}, {second, second}, {first, second}};
  mjtNum force[3][200];
  CF_TRUE(m->nflex == 2 && m->nv <= 200);
  for (int k = 0; k < 3; k++) {
    forcesOfTwo(m, kinds[k], choose, force[k]);
  }
  for (int f = 0; f < 2; f++) {
    int ndifferent = 0;
    for (int v = m->flex_vertadr[f]; v < m->flex_vertadr[f] + m->flex_vertnum[f]; v++) {
      for (int k = 0; k < 3; k++) {
        const int dof = m->body_dofadr[m->flex_vertbodyid[v]] + k;
        CF_NEAR(force[2][dof], force[f][dof], 0);
        ndifferent += force[2][dof] != force[1 - f][dof];
      }
    }
    CF_TRUE(ndifferent > 10);
  }
  mjData* d = mj_makeData(m);
  cf_guardClear();
  scatter(m, d, 0.001);
  for (int k = 0; k < 100; k++) {
    mj_step(m, d);
    CF_TRUE(fastest(m, d) < 10);
  }
  CF_EQ_INT(cf_warning_count, 0);
  mj_deleteData(d);
}


// 7. Two flexes, one cotangent, one Bridson.
CF_TEST(C42B_7_bending__two_flexes_with_two_models__each_has_its_own_forces) {
  mjModel* m = compileText(SCENE(SHELL("a", "4 4 1", "", "both") SHELL("b", "4 3 1", "", "both")));
  compareMixed(m, "cotangent", "bridson", cf_setFlexBending);
  mj_deleteModel(m);
}


// ---------------------------------------- 42B.8: what choosing costs

// one by one, where a child can be traced and the code is not that of a sanitizer
#if defined(__linux__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define COUNTS
#endif

enum { COUNT_MAX = 300000 };

static int nacts, nforces;

static mjtByte countActs(const mjModel* m, int flex) {
  nacts++;
  return cfi_cotangentBending.acts(m, flex);
}

static void countForces(const cfFlexView* view, cfFlexForces forces) {
  nforces++;
  cfi_cotangentBending.addForces(view, forces);
}

static mjtNum countEnergy(const cfFlexView* view) {
  return cfi_cotangentBending.energy(view);
}


#ifdef COUNTS

static volatile const cfFlexModel* chosen_model;

// everything that the choice of models adds to a step: look up, ask, call through a pointer
static void chooseOnly(const mjModel* m, mjData* d) {
  (void)d;
  for (int f = 0; f < m->nflex; f++) {
    chosen_model = cfi_flexBending(m, f).model;
    chosen_model->acts(m, f);
    chosen_model = cfi_flexElasticity(m, f).model;
    chosen_model->acts(m, f);
  }
}


// machine instructions of a call, counted in a child; -1 where that is not possible or too many
static long countInstructions(void (*call)(const mjModel*, mjData*), const mjModel* m, mjData* d) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    call(m, d);
    raise(SIGSTOP);
    _exit(0);
  }
  long count = -1;
  int status = 0;
  if (child < 0) {
    return -1;
  }
  waitpid(child, &status, 0);
  while (WIFSTOPPED(status)) {
    count++;
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || waitpid(child, &status, 0) != child) {
      count = -1;
      break;
    }
    if (WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP) {
      break;
    }
    if (count > COUNT_MAX) {
      count = -1;
      break;
    }
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return count;
}

#endif


// 8. No measurable cost: the choice is made once per flex, and its instructions are less than one
// percent of those of the passive forces of a shell of 6 x 6 vertices.  tools/flex_overhead.py
// compares with a build that calls the default directly.
CF_TEST(C42B_8_bending__choice_of_a_model__less_than_one_percent_of_passive_forces) {
  static const cfFlexModel counted = {.name = "counted",
                                      .spread = CF_SPREAD_TRANSLATION,
                                      .acts = countActs,
                                      .addForces = countForces,
                                      .energy = countEnergy};
  CF_TRUE(cf_registerFlexBending(&counted));
  mjModel* m = compileText(SCENE(SHELL("s", "6 6 1", "", "both")));
  mjData* d = mj_makeData(m);
  CF_TRUE(cf_setFlexBending(m, 0, "counted", NULL, 0));
  mj_fwdPosition(m, d);
  nacts = nforces = 0;
  mj_fwdVelocity(m, d);
  CF_EQ_INT(nacts, 1);
  CF_EQ_INT(nforces, 1);
  CF_TRUE(cf_setFlexBending(m, 0, NULL, NULL, 0));
  scatter(m, d, 0.01);
  mj_fwdPosition(m, d);
#ifdef COUNTS
  const long choice = countInstructions(chooseOnly, m, d);
  const long all = countInstructions(mj_passive, m, d);
  print_message("%ld instructions to choose, %ld for passive forces\n", choice, all);
  CF_TRUE(choice < 0 || all < 0 || (choice > 10 && 100 * choice < all));
#endif
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- 42C: elasticity

#define EDGED                                                                           \
  "<mujoco><option timestep='0.002'/><worldbody><flexcomp name='s' type='grid' dim='2'" \
  " count='4 4 1' spacing='.1 .1 .1' mass='0.9' radius='0.005'>"                        \
  "<elasticity young='1e4' poisson='0.3' thickness='0.01' elastic2d='stretch'/>"        \
  "<contact selfcollide='none' internal='false'/></flexcomp></worldbody>"               \
  "<equality><flex flex='s'/></equality></mujoco>"

// 1. Through the class table the linear model gives the constraint rows of edges and the forces
// that it gives when it is called directly, bit for bit
CF_TEST(C42C_1_linear__through_the_table__same_rows_and_forces_bit_for_bit) {
  mjModel* m = compileText(EDGED);
  mjData *plain = mj_makeData(m), *d = mj_makeData(m);
  scatter(m, plain, 0.01);
  scatter(m, d, 0.01);
  forcesNow(m, plain);
  CF_TRUE(cf_setFlexElasticity(m, 0, "neo_hookean", NULL, 0));
  forcesNow(m, d);
  CF_TRUE(memcmp(d->qfrc_spring, plain->qfrc_spring, sizeof(mjtNum) * (size_t)m->nv) != 0);
  CF_TRUE(cf_setFlexElasticity(m, 0, "linear", NULL, 0));
  forcesNow(m, d);
  const size_t nefc = (size_t)d->nefc;
  CF_EQ_INT(d->nefc, m->nflexedge);
  CF_EQ_INT(d->nefc, plain->nefc);
  CF_EQ_BYTES(d->efc_J, plain->efc_J, sizeof(mjtNum) * (size_t)d->nJ);
  CF_EQ_BYTES(d->efc_pos, plain->efc_pos, sizeof(mjtNum) * nefc);
  CF_EQ_BYTES(d->efc_aref, plain->efc_aref, sizeof(mjtNum) * nefc);
  CF_EQ_BYTES(d->efc_D, plain->efc_D, sizeof(mjtNum) * nefc);
  CF_EQ_BYTES(d->qfrc_spring, plain->qfrc_spring, sizeof(mjtNum) * (size_t)m->nv);

  // the functions themselves
  mjtNum force[CF_POINT * 16] = {0};
  mj_markStack(d);
  const cfFlexView view = cfi_viewFlex(m, d, 0);
  cfi_linearElasticity.addForces(&view, (cfFlexForces){force, force, 1, 1});
  mj_freeStack(d);
  for (int v = 0; v < 16; v++) {
    const mjtNum* spring = d->qfrc_spring + m->body_dofadr[m->flex_vertbodyid[v]];
    CF_EQ_BYTES(force + CF_POINT * v, spring, 3 * sizeof(mjtNum));
  }
  mj_deleteData(plain);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// volume of all tetrahedra
static mjtNum volumeNow(const mjModel* m, const mjData* d) {
  mjtNum volume = 0;
  for (int e = 0; e < m->nflexelem; e++) {
    const mjtNum* x[4];
    mjtNum side[3][3], normal[3];
    for (int k = 0; k < 4; k++) {
      x[k] = d->flexvert_xpos + 3 * m->flex_elem[4 * e + k];
    }
    for (int k = 0; k < 3; k++) {
      mju_sub3(side[k], x[k + 1], x[0]);
    }
    mju_cross(normal, side[0], side[1]);
    volume += fabs(mju_dot3(normal, side[2])) / 6;
  }
  return volume;
}


// relative changes of height and volume of a cube that came to rest on the floor
static void settleCube(const char* poisson, mjtNum change[2]) {
  char text[1500];
  snprintf(text, sizeof(text),
           "<mujoco><option timestep='0.0005'/><worldbody><geom type='plane' size='1 1 .1'/>"
           "<flexcomp name='c' type='grid' dim='3' count='4 4 4' spacing='.1 .1 .1' pos='0 0 .161'"
           " mass='4' radius='.01' elasticity_model='neo_hookean'>"
           "<elasticity young='3e3' poisson='%s' damping='.01'/>"
           "<contact selfcollide='none' internal='false' condim='1'/></flexcomp>"
           "</worldbody></mujoco>",
           poisson);
  mjModel* m = compileText(text);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  cf_guardClear();
  const mjtNum volume = volumeNow(m, d);
  for (int k = 0; k < 3000; k++) {
    mj_step(m, d);
    CF_TRUE(fastest(m, d) < 3);
  }
  CF_EQ_INT(cf_warning_count, 0);
  CF_TRUE(fastest(m, d) < 0.02);
  mjtNum top = -1, bottom = 1;
  for (int v = 0; v < m->nflexvert; v++) {
    top = mju_max(top, d->flexvert_xpos[3 * v + 2]);
    bottom = mju_min(bottom, d->flexvert_xpos[3 * v + 2]);
  }
  change[0] = (top - bottom) / 0.3 - 1;
  change[1] = volumeNow(m, d) / volume - 1;
  mj_deleteData(d);
  mj_deleteModel(m);
}


// 2. A Neo-Hookean cube under gravity deforms, does not explode, and keeps its volume as poisson
// nears one half
CF_LONG_TEST(C42C_2_neoHookean__cube_under_gravity__sags_and_keeps_its_volume) {
  static const char* const poisson[3] = {"0.1", "0.3", "0.45"};
  mjtNum change[3][2];
  for (int k = 0; k < 3; k++) {
    settleCube(poisson[k], change[k]);
    print_message("poisson %s: height %+.4f volume %+.4f\n", poisson[k], change[k][0],
                  change[k][1]);
    CF_TRUE(change[k][0] < -0.02 && change[k][0] > -0.5);
    CF_TRUE(change[k][1] <= 0);
  }
  CF_TRUE(change[1][1] > 0.9 * change[0][1]);
  CF_TRUE(change[2][1] > 0.5 * change[1][1]);
  CF_NEAR(change[2][1], 0, 0.015);
}


// 3. A Neo-Hookean shell under gravity is stretched: held at one end it hangs longer, and forces of
// the membrane carry its weight
CF_TEST(C42C_3_neoHookean__hanging_shell__membrane_carries_the_weight) {
  mjModel* m = compileText(
      "<mujoco><option timestep='0.001'/><worldbody><flexcomp name='s' type='grid' dim='2'"
      " count='3 5 1' spacing='.1 .1 .1' euler='90 0 0' mass='0.3' radius='.005'"
      " elasticity_model='neo_hookean'><pin id='0 5 10'/>"
      "<elasticity young='1e5' poisson='.3' thickness='.02' damping='.004' elastic2d='stretch'/>"
      "<contact selfcollide='none' internal='false' contype='0' conaffinity='0'/></flexcomp>"
      "</worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  const mjtNum held = d->flexvert_xpos[2], hangs = d->flexvert_xpos[3 * 4 + 2] < held ? -1 : 1;
  m->opt.gravity[2] = 9.81 * hangs;
  CF_NEAR(fabs(d->flexvert_xpos[3 * 4 + 2] - held), 0.4, 1e-9);
  for (int k = 0; k < 4000; k++) {
    mj_step(m, d);
  }
  CF_TRUE(fastest(m, d) < 1e-3);
  forcesNow(m, d);
  const mjtNum longer = fabs(d->flexvert_xpos[3 * 4 + 2] - held) / 0.4 - 1;
  print_message("longer by %.4f\n", longer);
  CF_TRUE(longer > 0.01 && longer < 1);
  for (int v = 0; v < m->nflexvert; v++) {
    const int body = m->flex_vertbodyid[v], dof = m->body_dofadr[body];
    for (int k = 0; k < 3 && m->body_dofnum[body] == 3; k++) {
      const mjtNum weight = k == 2 ? m->opt.gravity[2] * m->body_mass[body] : 0;
      mjtNum world[3] = {0};
      for (int i = 0; i < 3; i++) {
        world[k] += d->cdof[6 * (dof + i) + 3 + k] * d->qfrc_spring[dof + i];
      }
      CF_NEAR(world[k] + weight, 0, 1e-3);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


// 4. One flex linear, one Neo-Hookean.
CF_TEST(C42C_4_elasticity__two_flexes_with_two_models__each_has_its_own_forces) {
  mjModel* m = compileText(SCENE(SHELL("a", "4 4 1", "", "both") SHELL("b", "4 3 1", "", "both")));
  compareMixed(m, "linear", "neo_hookean", cf_setFlexElasticity);
  mj_deleteModel(m);
}


CF_TEST_MAIN("flex/criteria42")
