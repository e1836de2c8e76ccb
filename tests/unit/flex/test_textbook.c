// moduli="textbook": young and poisson are what a testing machine measures, of solids, sheets and
// plates, with every model.
#include <stdio.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

static const double young = 2e5, thickness = 0.004;

// what a machine finds: stress over strain, and how much of it the free sides shrink
typedef struct {
  double young, poisson;
} measured;

// forces on the sides at high x and y of a body strained by e along its axes
typedef struct {
  double along, across, area[2];
} sideForces;


static mjModel* openBody(int dim, double poisson, const char* dof, const char* model,
                         const char* moduli) {
  char text[1500];
  snprintf(text, sizeof(text),
           "<mujoco><option gravity='0 0 0'/><worldbody><flexcomp name='s' type='grid' dim='%d' "
           "count='%s' spacing='.1 .07 .05' mass='1' radius='.001' %s %s><elasticity young='%g' "
           "poisson='%g' thickness='%g' elastic2d='%s' %s/><contact selfcollide='none' "
           "internal='false'/></flexcomp></worldbody></mujoco>",
           dim, dim == 3 ? (strstr(dof, "quad") ? "5 5 5" : "4 4 4") : "4 4 1", dof, model, young,
           poisson, thickness, dim == 3 ? "none" : "stretch", moduli);
  return cf_compileText(text);
}


// every point of bodies that slide in the world is moved by its place times the strain
static sideForces strain(const mjModel* m, mjData* d, const double e[3]) {
  sideForces f = {0};
  mjtNum low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
  mj_forward(m, d);
  for (int b = 1; b < m->nbody; b++) {
    for (int k = 0; k < 3; k++) {
      low[k] = mju_min(low[k], m->body_pos[3 * b + k]);
      high[k] = mju_max(high[k], m->body_pos[3 * b + k]);
      d->qpos[m->jnt_qposadr[m->body_jntadr[b]] + k] = e[k] * m->body_pos[3 * b + k];
    }
  }
  mj_fwdPosition(m, d);
  mj_fwdVelocity(m, d);
  for (int b = 1; b < m->nbody; b++) {
    const mjtNum* force = d->qfrc_passive + m->body_dofadr[b];
    f.along -= m->body_pos[3 * b] > high[0] - 1e-9 ? force[0] : 0;
    f.across -= m->body_pos[3 * b + 1] > high[1] - 1e-9 ? force[1] : 0;
  }
  const double depth = m->flex_dim[0] == 3 ? high[2] - low[2] : thickness;
  f.area[0] = (high[1] - low[1]) * depth;
  f.area[1] = (high[0] - low[0]) * depth;
  return f;
}


// forces are linear in small strains: what is measured when no force acts across
static measured test(mjModel* m) {
  const double e = 1e-6;
  mjData* d = mj_makeData(m);
  const double pulled[3] = {e, 0, 0}, shrunk[3] = {0, e, m->flex_dim[0] == 3 ? e : 0};
  const sideForces one = strain(m, d, pulled), two = strain(m, d, shrunk);
  const double nu = one.across / two.across;
  const double force = one.along - nu * two.along;
  const measured result = {force / one.area[0] / e, nu};
  mj_deleteData(d);
  mj_deleteModel(m);
  return result;
}


CF_TEST(textbook__uniaxial_stretch__young_and_poisson_as_given) {
  static const char* const models[3] = {"linear", "neo_hookean", "stable_neo_hookean"};
  static const double poissons[4] = {0, 0.2, 0.33, 0.45};
  for (int dim = 2; dim <= 3; dim++) {
    for (int k = 0; k < 12; k++) {
      char model[60];
      snprintf(model, sizeof(model), "elasticity_model='%s'", models[k % 3]);
      const measured found = test(openBody(dim, poissons[k / 3], "", model, "moduli='textbook'"));
      CF_NEAR(found.young / young, 1, 1e-4);
      CF_NEAR(found.poisson, poissons[k / 3], 1e-4);
    }
  }
}


CF_TEST(textbook__interpolated_solid__young_and_poisson_as_given) {
  static const char* const dofs[2] = {"dof='trilinear'", "dof='quadratic'"};
  for (int k = 0; k < 4; k++) {
    const double nu = k / 2 ? 0.3 : 0;
    const measured found = test(openBody(3, nu, dofs[k % 2], "", "moduli='textbook'"));
    CF_NEAR(found.young / young, 1, 1e-4);
    CF_NEAR(found.poisson, nu, 1e-4);
  }
}


// what MuJoCo means stays as it is
CF_TEST(mujocosModuli__uniaxial_stretch__those_of_its_conventions) {
  const double nu = 0.3, mu = young / 2.6, la = 2 * young * nu / (1.3 * 0.4);
  static const char* const said[2] = {"", "moduli='mujoco'"};
  for (int k = 0; k < 2; k++) {
    const measured solid = test(openBody(3, nu, "", "", said[k]));
    CF_NEAR(solid.poisson, la / (2 * (la + mu)), 1e-4);
    CF_NEAR(solid.young / (mu * (3 * la + 2 * mu) / (la + mu)), 1, 1e-4);
    const measured sheet = test(openBody(2, nu, "", "", said[k]));
    CF_NEAR(sheet.poisson, la / (la + 2 * mu), 1e-4);
    CF_NEAR(sheet.young / (mu * (la + mu) / (la + 2 * mu)), 1, 1e-4);
  }
}


// D = E*t^3 / (12*(1 - nu^2)): turning the flap of two triangles costs D*length^2/area
CF_TEST(textbook__plate__rigidity_of_kirchhoff) {
  for (int k = 0; k < 3; k++) {
    const double nu = 0.2 * k, D = young * pow(thickness, 3) / (12 * (1 - nu * nu));
    char text[1000];
    snprintf(text, sizeof(text),
             "<mujoco><worldbody><flexcomp name='s' type='direct' dim='2' mass='1' radius='.001' "
             "point='0 0 0  0 .1 0  -.08 .06 0  .09 .03 0' element='0 1 2  1 0 3'><elasticity "
             "young='%g' poisson='%g' thickness='%g' elastic2d='bend' moduli='textbook'/>"
             "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>",
             young, nu, thickness);
    mjModel* m = cf_compileText(text);
    const double area = 0.5 * 0.1 * 0.17, height = 0.09;
    for (int e = 0; e < m->nflexedge; e++) {
      if (m->flex_edgeflap[2 * e + 1] >= 0) {
        CF_NEAR(m->flex_bending[17 * e + 15] * height * height / (D * 0.01 / area), 1, 1e-12);
      }
    }
    mj_deleteModel(m);
  }
}


CF_TEST(textbook__saved_copied_and_set_by_a_program__the_same_model) {
  static const char text[] =
      "<mujoco><worldbody><flexcomp name='s' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' "
      "mass='1' radius='.01'><elasticity young='1e4' poisson='.3' moduli='textbook'/>"
      "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>";
  char saved[30000], error[500] = "";
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  mjsFlex* flex = mjs_asFlex(mjs_firstElement(spec, mjOBJ_FLEX));
  CF_EQ_INT(cf_specFlexModuli(flex), CF_MODULI_TEXTBOOK);
  mjSpec* copy = mj_copySpec(spec);
  mjModel *m = mj_compile(spec, NULL), *copied = mj_compile(copy, NULL);
  CF_EQ_INT(mj_saveXMLString(copy, saved, sizeof(saved), error, sizeof(error)), 0);
  CF_HAS_STR(saved, "moduli=\"textbook\"");
  mjModel* again = cf_compileText(saved);
  cf_setSpecFlexModuli(flex, CF_MODULI_MUJOCO);
  mjModel* plain = mj_compile(spec, NULL);
  const size_t nbyte = sizeof(mjtNum) * 21 * (size_t)m->nflexelem;
  CF_EQ_BYTES(copied->flex_stiffness, m->flex_stiffness, nbyte);
  for (int k = 0; k < 21 * m->nflexelem; k++) {
    CF_NEAR(again->flex_stiffness[k], m->flex_stiffness[k], 1e-6);
  }
  CF_TRUE(memcmp(plain->flex_stiffness, m->flex_stiffness, nbyte) != 0);
  cf_setSpecFlexModuli(flex, 9);
  CF_TRUE(mj_compile(spec, NULL) == NULL);
  CF_HAS_STR(mjs_getError(spec), "there are no moduli 9");
  CF_TRUE(mj_parseXMLString("<mujoco><worldbody><flexcomp name='s' type='grid' dim='3' "
                            "count='3 3 3'><elasticity moduli='book'/></flexcomp></worldbody>"
                            "</mujoco>",
                            NULL, error, sizeof(error)) == NULL);
  CF_HAS_STR(error, "moduli");
  mj_deleteModel(m);
  mj_deleteModel(copied);
  mj_deleteModel(again);
  mj_deleteModel(plain);
  mj_deleteSpec(copy);
  mj_deleteSpec(spec);
}


CF_TEST_MAIN("flex/textbook")
