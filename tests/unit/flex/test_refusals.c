// What a flex cannot have is refused, where it is written down: models that would do nothing,
// numbers that are none.
#include <stdio.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

#define ELASTIC(elastic2d) "<elasticity young='1e4' poisson='.3' thickness='.01' " elastic2d "/>"


// a grid of a dimension, with attributes of flexcomp and children
static void flexText(char text[1500], int dim, const char* attributes, const char* children) {
  static const char* const count[4] = {"", "4 1 1", "3 3 1", "3 3 3"};
  snprintf(text, 1500,
           "<mujoco>\n<worldbody>\n<body name='b'>\n<flexcomp name='soft' type='grid' dim='%d' "
           "count='%s' spacing='.1 .1 .1' mass='1' radius='.01' %s>%s<contact selfcollide='none' "
           "internal='false'/></flexcomp></body></worldbody></mujoco>",
           dim, count[dim], attributes, children);
}


static void expectRefused(int dim, const char* attributes, const char* children,
                          const char* phrase) {
  char text[1500], error[1000] = "";
  flexText(text, dim, attributes, children);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "soft.xml", text, (int)strlen(text)), 0);
  CF_TRUE(mj_loadXML("soft.xml", &vfs, error, sizeof(error)) == NULL);
  mj_deleteVFS(&vfs);
  CF_HAS_STR(error, phrase);
  CF_HAS_STR(error, "soft");
  CF_HAS_STR(error, "line 4");
}


static mjModel* accept(int dim, const char* attributes, const char* children) {
  char text[1500];
  flexText(text, dim, attributes, children);
  return cf_compileText(text);
}


// RK4 would leave the stiffness explicit, without a word
CF_TEST(implicitStiffness__with_RK4__refused_with_its_line) {
  char text[1500], whole[1700], error[1000] = "";
  flexText(text, 3, "implicit_stiffness='true'", "<elasticity young='1e4'/>");
  snprintf(whole, sizeof(whole), "<mujoco><option integrator='%s'/>%s", "RK4",
           text + strlen("<mujoco>"));
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "soft.xml", whole, (int)strlen(whole)), 0);
  CF_TRUE(mj_loadXML("soft.xml", &vfs, error, sizeof(error)) == NULL);
  mj_deleteVFS(&vfs);
  CF_HAS_STR(error, "implicit stiffness, which integrator RK4 does not know");
  CF_HAS_STR(error, "line 4");
  snprintf(whole, sizeof(whole), "<mujoco><option integrator='%s'/>%s", "implicit",
           text + strlen("<mujoco>"));
  mj_deleteModel(cf_compileText(whole));
}


// a flex without any spring has no stiffness to be implicit
CF_TEST(implicitStiffness__nothing_stiff__refused_with_its_line) {
  for (int dim = 1; dim <= 3; dim++) {
    expectRefused(dim, "implicit_stiffness='true'", "", "implicit_stiffness, but nothing is stiff");
  }
  mj_deleteModel(accept(1, "implicit_stiffness='true'", "<edge stiffness='9' damping='0'/>"));
  mj_deleteModel(accept(1, "implicit_stiffness='true'", "<edge damping='1'/>"));
  mj_deleteModel(accept(3, "implicit_stiffness='true'", "<elasticity young='1e3'/>"));
}


CF_TEST(flexModels__flex_of_another_dimension__refused_with_its_line) {
  static const char* const bending[2] = {"bending_model='bridson'", "bending_model='cubic_shell'"};
  static const char* const elasticity[2] = {"elasticity_model='neo_hookean'",
                                            "elasticity_model='stable_neo_hookean'"};
  for (int k = 0; k < 2; k++) {
    expectRefused(3, bending[k], ELASTIC(""), "bends surfaces, flexes of dim 2");
    expectRefused(1, bending[k], "", "bends surfaces, flexes of dim 2");
    expectRefused(1, elasticity[k], "", "needs triangles or tetrahedra");
    expectRefused(3, elasticity[k], "", "needs <elasticity> with young");
    expectRefused(2, elasticity[k], ELASTIC("elastic2d='bend'"),
                  "elastic2d \"stretch\" or \"both\"");
    expectRefused(2, elasticity[k], ELASTIC(""), "elastic2d \"stretch\" or \"both\"");
    expectRefused(2, elasticity[k], "", "needs <elasticity>");
    expectRefused(2, bending[k], "", "needs <elasticity> with young and thickness");
    expectRefused(2, bending[k], "<elasticity young='1e4'/>", "thickness must be positive");
    mj_deleteModel(accept(3, elasticity[k], ELASTIC("")));
    mj_deleteModel(accept(2, elasticity[k], ELASTIC("elastic2d='stretch'")));
  }
}


CF_TEST(textbook__flex_without_moduli__refused) {
  const char* phrase = "moduli=\"textbook\" needs young, and for a surface thickness and elastic2d";
  expectRefused(3, "", "<elasticity moduli='textbook' poisson='.3'/>", phrase);
  expectRefused(1, "", "<elasticity moduli='textbook' young='1e4'/>", phrase);
  expectRefused(2, "", "<elasticity moduli='textbook' young='1e4' thickness='.01'/>", phrase);
  expectRefused(2, "", "<elasticity moduli='textbook' young='1e4' elastic2d='stretch'/>", phrase);
  mj_deleteModel(accept(2, "bending_model='bridson'",
                        "<elasticity moduli='textbook' young='1e4' thickness='.01'/>"));
}


CF_TEST(flexModels__rigid_flex__refused) {
  expectRefused(2, "rigid='true' bending_model='bridson'", ELASTIC("elastic2d='bend'"), "rigid");
  expectRefused(3, "rigid='true' elasticity_model='neo_hookean'", ELASTIC(""), "rigid");
}


CF_TEST(flexModels__numbers_that_are_none__refused) {
  static const char* const names[4] = {"young", "poisson", "thickness", "damping"};
  for (int k = 0; k < 4; k++) {
    char child[300], phrase[100];
    snprintf(child, sizeof(child),
             "<elasticity young='%s' poisson='%s' thickness='%s' damping='%s' elastic2d='both'/>",
             k == 0 ? "nan" : "1e4", k == 1 ? "nan" : ".3", k == 2 ? "nan" : ".01",
             k == 3 ? "nan" : ".1");
    snprintf(phrase, sizeof(phrase), "%s is not finite", names[k]);
    expectRefused(2, "bending_model='bridson'", child, phrase);
    expectRefused(2, "elasticity_model='neo_hookean'", child, phrase);
    expectRefused(2, "implicit_stiffness='true'", child, phrase);
    char textbook[350];
    snprintf(textbook, sizeof(textbook), "<elasticity moduli='textbook' %s", child + 12);
    expectRefused(2, "", textbook, phrase);
  }
}


// a model of bending brings its hinges, whatever elastic2d says
CF_TEST(bendingModel__without_elastic2d__bends) {
  static const char* const elastic2d[4] = {"", "elastic2d='none'", "elastic2d='stretch'",
                                           "elastic2d='both'"};
  static const char* const models[3] = {"bridson", "cubic_shell", "cotangent"};
  for (int k = 0; k < 12; k++) {
    char attributes[100];
    snprintf(attributes, sizeof(attributes), "bending_model='%s'", models[k / 4]);
    char child[200];
    snprintf(child, sizeof(child), "<elasticity young='1e4' poisson='.3' thickness='.01' %s/>",
             elastic2d[k % 4]);
    mjModel* m = accept(2, attributes, child);
    mjData* d = mj_makeData(m);
    int nflap = 0;
    for (int e = 0; e < m->nflexedge; e++) {
      nflap += m->flex_edgeflap[2 * e + 1] >= 0;
    }
    CF_EQ_INT(nflap, 16 - 8);

    // a corner lifted
    d->qpos[2] = 0.02;
    mj_forward(m, d);
    m->opt.timestep = 1e-6;
    mj_forward(m, d);
    CF_TRUE(cf_flexEnergy(m, d, 0) > 1e-7);
    CF_TRUE(d->qfrc_spring[2] < -1e-6);
    mj_deleteData(d);
    mj_deleteModel(m);
  }

  // nothing was chosen, nothing bends: MuJoCo's model
  mjModel* m = accept(2, "", ELASTIC(""));
  CF_EQ_INT(m->flex_edgeflap[0], -1);
  char error[300] = "";
  CF_TRUE(!cf_setFlexBending(m, 0, "bridson", error, sizeof(error)));
  CF_HAS_STR(error, "needs a flex that was compiled with a model of bending");
  CF_TRUE(!cf_setFlexElasticity(m, 0, "neo_hookean", error, sizeof(error)));
  CF_EQ_STR(cf_flexBending(m, 0), "cotangent");
  CF_EQ_STR(cf_flexElasticity(m, 0), "linear");
  mj_deleteModel(m);
}


// vertices that are pinned may bend with models that push vertices wherever they are
CF_TEST(bendingModel__pinned_sheet__bends_with_ours_and_not_with_mujocos) {
  const char* pinned = "<pin id='0 1 2'/>" ELASTIC("elastic2d='both'");
  expectRefused(2, "", pinned, "pins are not supported for bending");
  expectRefused(2, "bending_model='cotangent'", pinned, "pins are not supported for bending");
  mjModel* m = accept(2, "bending_model='cubic_shell'", pinned);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  CF_NEAR(cf_flexEnergy(m, d, 0), 0, 1e-20);
  for (int k = 0; k < 300; k++) {
    mj_step(m, d);
  }
  CF_TRUE(cf_flexEnergy(m, d, 0) > 1e-6);
  CF_TRUE(d->flexvert_xpos[3 * 8 + 2] < -1e-3);
  CF_NEAR(d->flexvert_xpos[2], 0, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("flex/refusals")
