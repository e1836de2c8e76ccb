// Edges of flexes and rigid parts: the acceptance criteria 42A-i to 42A-iii of document 003, as far
// as MuJoCo 3.5.0 has what they ask for; where it has not, it decides and the test says so.
#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

// four vertices on bodies with two hinges, three, a free joint and a ball, away from the origins
// of their bodies, and one on the world
#define CHAINS                                                                                    \
  "<worldbody><body name='a'><joint axis='1 0 0'/><joint axis='0 1 0'/><geom size='.03'/>"        \
  "<body name='b' pos='.2 0 0'><joint axis='0 1 1'/><geom size='.03'/></body></body>"             \
  "<body name='c' pos='0 .2 0'><freejoint/><geom type='box' size='.03 .04 .05'/></body>"          \
  "<body name='e' pos='.2 .2 0'><joint type='ball'/><geom type='capsule' size='.03 .05'/></body>" \
  "</worldbody>"
#define NET                                                                                   \
  "<flex name='net' dim='2' radius='.02' body='a b c e world' vertex='.05 0 0  .02 .01 .03  " \
  "0 0 .05  .03 .02 .01  .1 .1 .1' element='0 1 4  1 3 4  3 2 4  2 0 4'>"
#define NO_CONTACT "<contact selfcollide='none' internal='false' contype='0' conaffinity='0'/>"
#define OPTION "<option gravity='0 0 0'><flag contact='disable'/></option>"
#define GRID(size, inner)                                                                   \
  "<flexcomp name='g' type='grid' " size " spacing='.1 .1 .1' radius='.01' mass='1'>" inner \
  "</flexcomp>"

typedef struct {
  mjModel* m;
  mjData* d;
} edgeCase;


// springs on edges of surfaces and solids are not for MJCF, but a step has them
static edgeCase openEdges(const char* xml, mjtNum stiffness) {
  edgeCase c = {.m = cf_compileText(xml)};
  for (int f = 0; f < c.m->nflex; f++) {
    c.m->flex_edgestiffness[f] = stiffness;
  }
  c.d = mj_makeData(c.m);
  return c;
}


static void closeEdges(edgeCase c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


// every dof moved and in motion; position and velocity stages done
static void stir(edgeCase c) {
  mjtNum* move = malloc(sizeof(mjtNum) * (size_t)c.m->nv);
  for (int i = 0; i < c.m->nv; i++) {
    c.d->qvel[i] = sin(3.0 * i + 1);
    move[i] = 0.05 * cos(2.0 * i);
  }
  mj_integratePos(c.m, c.d->qpos, move, 1);
  free(move);
  mj_fwdPosition(c.m, c.d);
  mj_fwdVelocity(c.m, c.d);
}


// force += J'*tension of all edges
static void addPulled(edgeCase c, mjtNum* force, const mjtNum* tension) {
  for (int e = 0; e < c.m->nflexedge; e++) {
    for (int j = 0; j < c.m->flexedge_J_rownnz[e]; j++) {
      const int at = c.m->flexedge_J_rowadr[e] + j;
      force[c.m->flexedge_J_colind[at]] += c.d->flexedge_J[at] * tension[e];
    }
  }
}


// ---------------------------------------- 42A-i: the sparse Jacobian

static const char chains_xml[] = "<mujoco>" OPTION CHAINS "<deformable>" NET
                                 "<edge damping='.5'/>" NO_CONTACT "</flex></deformable></mujoco>";


// the document asks for two rows per edge, one for each end; MuJoCo has one, their difference
CF_TEST(C42A_i_1_edgeJacobian__position_stage__filled_by_flex_alone) {
  edgeCase c = openEdges(chains_xml, 70);
  CF_EQ_INT(c.m->nflexedge, 8);
  for (int j = 0; j < c.m->nJfe; j++) {
    c.d->flexedge_J[j] = NAN;
  }
  mj_kinematics(c.m, c.d);
  mj_comPos(c.m, c.d);
  CF_TRUE(isnan(c.d->flexedge_J[0]));
  mj_flex(c.m, c.d);
  for (int e = 0, at = 0; e < c.m->nflexedge; e++) {
    const int n = c.m->flexedge_J_rownnz[e];
    CF_EQ_INT(c.m->flexedge_J_rowadr[e], at);
    CF_TRUE(n > 0 && mju_norm(c.d->flexedge_J + at, n) > 1e-3);
    for (int j = 1; j < n; j++) {
      CF_TRUE(c.m->flexedge_J_colind[at + j - 1] < c.m->flexedge_J_colind[at + j]);
    }
    at += n;
  }
  CF_EQ_INT(c.m->flexedge_J_rowadr[7] + c.m->flexedge_J_rownnz[7], c.m->nJfe);
  closeEdges(c);
}


static void springsAndDampers(void) {
  edgeCase c = openEdges(chains_xml, 70);
  stir(c);
  mjtNum* force = calloc(2 * (size_t)c.m->nv, sizeof(mjtNum));
  mjtNum spring[8], damper[8];
  for (int e = 0; e < 8; e++) {
    spring[e] = 70 * (c.m->flexedge_length0[e] - c.d->flexedge_length[e]);
    damper[e] = -0.5 * c.d->flexedge_velocity[e];
  }
  addPulled(c, force, spring);
  addPulled(c, force + c.m->nv, damper);
  CF_TRUE(mju_norm(force, (int)c.m->nv) > 0.1);
  CF_NEAR_ARRAY(c.d->qfrc_spring, force, c.m->nv, 1e-14);
  CF_NEAR_ARRAY(c.d->qfrc_damper, force + c.m->nv, c.m->nv, 1e-14);
  free(force);
  closeEdges(c);
}


// the document's penalty is a constraint in MuJoCo: its rows are those of the Jacobian
static void constraintRows(void) {
  edgeCase c = openEdges("<mujoco><option jacobian='dense'/>" CHAINS "<deformable>" NET NO_CONTACT
                         "</flex></deformable><equality><flex flex='net'/></equality></mujoco>",
                         0);
  stir(c);
  CF_EQ_INT(c.d->ne, 8);
  for (int e = 0; e < 8; e++) {
    mjtNum* row = calloc((size_t)c.m->nv, sizeof(mjtNum));
    mjtNum one[8] = {0};
    one[e] = 1;
    addPulled(c, row, one);
    CF_NEAR_ARRAY(c.d->efc_J + e * c.m->nv, row, c.m->nv, 0);
    CF_NEAR(c.d->efc_pos[e], c.d->flexedge_length[e] - c.m->flexedge_length0[e], 0);
    free(row);
  }
  closeEdges(c);
}


#define SLIDES "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
#define FOUR_BODIES(third)                                                                \
  "<mujoco>" OPTION "<worldbody><body name='a'>" SLIDES third                             \
  "<geom size='.03'/></body>"                                                             \
  "<body name='b' pos='.2 0 0'>" SLIDES third                                             \
  "<geom size='.03'/></body>"                                                             \
  "<body name='c' pos='0 .2 0'>" SLIDES third                                             \
  "<geom size='.03'/></body>"                                                             \
  "<body name='e' pos='.2 .2 0'>" SLIDES third                                            \
  "<geom size='.03'/></body></worldbody>"                                                 \
  "<deformable><flex name='f' dim='2' radius='.01' body='a b c e' element='0 1 2 1 3 2'>" \
  "<elasticity young='1e5' thickness='.02' elastic2d='bend'/>" NO_CONTACT                 \
  "</flex></deformable></mujoco>"

// MuJoCo bends only what has three joints per vertex, and puts the force on these as it is: on
// slides along the axes of the world, whose Jacobian is the unit matrix
static void bendingForces(void) {
  char error[300] = "";
  edgeCase c = openEdges(FOUR_BODIES("<joint type='slide' axis='0 0 1'/>"), 0);
  mj_fwdPosition(c.m, c.d);
  c.d->qpos[2] = 0.05;
  mj_forward(c.m, c.d);
  mjtNum sum[3] = {0}, torque[3] = {0};
  for (int v = 0; v < 4; v++) {
    mjtNum turn[3];
    mju_cross(turn, c.d->flexvert_xpos + 3 * v, c.d->qfrc_spring + 3 * v);
    mju_addTo3(sum, c.d->qfrc_spring + 3 * v);
    mju_addTo3(torque, turn);
  }
  CF_TRUE(c.d->qfrc_spring[2] < -1e-3);
  CF_NEAR(mju_norm3(sum), 0, 1e-12);
  CF_NEAR(torque[2], 0, 1e-12);
  closeEdges(c);

  mjSpec* spec = mj_parseXMLString(FOUR_BODIES(""), NULL, error, sizeof(error));
  CF_TRUE(spec && !mj_compile(spec, NULL));
  CF_HAS_STR(mjs_getError(spec), "pins are not supported for bending");
  mj_deleteSpec(spec);
}


CF_TEST(C42A_i_2_forces__springs_constraints_and_bending__go_through_jacobians) {
  springsAndDampers();
  constraintRows();
  bendingForces();
}


// what the source document calls the inline code: plus and minus the direction on three slides
CF_TEST(C42A_i_3_edgeJacobian__free_vertices__same_bits_as_directions) {
  edgeCase c = openEdges(
      "<mujoco>" OPTION "<worldbody>" GRID(
          "count='4 3 1' dim='2'", "<edge damping='.3'/>" NO_CONTACT) "</worldbody></mujoco>",
      50);
  stir(c);
  mjtNum* force = calloc((size_t)c.m->nv, sizeof(mjtNum));
  for (int e = 0; e < c.m->nflexedge; e++) {
    mjtNum dir[3];
    const int *end = c.m->flex_edge + 2 * e, adr = c.m->flexedge_J_rowadr[e];
    mju_sub3(dir, c.d->flexvert_xpos + 3 * end[1], c.d->flexvert_xpos + 3 * end[0]);
    const mjtNum length = mju_normalize3(dir), pull = 50 * (c.m->flexedge_length0[e] - length);
    CF_EQ_INT(c.m->flexedge_J_rownnz[e], 6);
    CF_NEAR(c.d->flexedge_length[e], length, 0);
    for (int k = 0; k < 6; k++) {
      const int dof =
          c.m->body_dofadr[c.m->flex_vertbodyid[end[end[0] < end[1] ? k / 3 : 1 - k / 3]]];
      const bool is_end = (end[0] < end[1]) == (k >= 3);
      const mjtNum entry = is_end ? dir[k % 3] : -dir[k % 3];
      CF_EQ_INT(c.m->flexedge_J_colind[adr + k], dof + k % 3);
      CF_NEAR(c.d->flexedge_J[adr + k], entry, 0);
      force[dof + k % 3] += entry * pull;
    }
  }
  CF_NEAR_ARRAY(c.d->qfrc_spring, force, c.m->nv, 0);
  free(force);
  closeEdges(c);
}


static mjtNum springEnergy(edgeCase c, const mjtNum* qpos, int dof, mjtNum distance) {
  mjtNum energy = 0, *move = calloc((size_t)c.m->nv, sizeof(mjtNum));
  move[dof] = distance;
  mju_copy(c.d->qpos, qpos, (int)c.m->nq);
  mj_integratePos(c.m, c.d->qpos, move, 1);
  free(move);
  mj_fwdPosition(c.m, c.d);
  for (int e = 0; e < c.m->nflexedge; e++) {
    const mjtNum longer = c.d->flexedge_length[e] - c.m->flexedge_length0[e];
    energy += 35 * longer * longer;
  }
  return energy;
}


CF_TEST(C42A_i_4_edgeForces__vertices_on_bodies__equal_differences_of_the_energy) {
  const mjtNum eps = 1e-7;
  edgeCase c = openEdges(chains_xml, 70);
  stir(c);
  mjtNum* force = malloc(sizeof(mjtNum) * (size_t)c.m->nv);
  mjtNum* qpos = malloc(sizeof(mjtNum) * (size_t)c.m->nq);
  mju_copy(force, c.d->qfrc_spring, (int)c.m->nv);
  mju_copy(qpos, c.d->qpos, (int)c.m->nq);
  CF_EQ_INT(c.m->nv, 12);
  int nonzero = 0;
  for (int dof = 0; dof < c.m->nv; dof++) {
    const mjtNum slope =
        (springEnergy(c, qpos, dof, eps) - springEnergy(c, qpos, dof, -eps)) / (2 * eps);
    nonzero += fabs(force[dof]) > 1e-3;
    CF_NEAR(force[dof], -slope, 1e-5);
  }
  CF_TRUE(nonzero >= 9);
  free(qpos);
  free(force);
  closeEdges(c);
}


// no clock: rows are computed once in a step, those who multiply by them take what is there, and
// free vertices have no more entries than the directions have numbers.  What a step costs is
// compared with MuJoCo by `cortenforge race`
CF_TEST(C42A_i_6_edgeJacobian__after_the_position_stage__read_and_not_computed_again) {
  edgeCase c = openEdges(
      "<mujoco>" OPTION
      "<worldbody>" GRID("count='3 3 1' dim='2'",
                         "<edge damping='.3' equality='true'/>" NO_CONTACT) "</worldbody></mujoco>",
      50);
  stir(c);
  CF_EQ_INT(c.m->nJfe, 6 * c.m->nflexedge);
  const int nv = (int)c.m->nv, nedge = (int)c.m->nflexedge;
  mjtNum* before = malloc(sizeof(mjtNum) * (size_t)(2 * nv + nedge));
  mju_copy(before, c.d->qfrc_spring, nv);
  mju_copy(before + nv, c.d->qfrc_damper, nv);
  mju_copy(before + 2 * nv, c.d->flexedge_velocity, nedge);
  mju_scl(c.d->flexedge_J, c.d->flexedge_J, 2, (int)c.m->nJfe);
  mj_fwdVelocity(c.m, c.d);
  for (int e = 0; e < nedge; e++) {
    CF_NEAR(c.d->flexedge_velocity[e], 2 * before[2 * nv + e], 0);
  }
  for (int i = 0; i < nv; i++) {
    CF_NEAR(c.d->qfrc_spring[i], 2 * before[i], 0);
    CF_NEAR(c.d->qfrc_damper[i], 4 * before[nv + i], 1e-15);
  }
  c.m->opt.jacobian = mjJAC_DENSE;
  mj_makeConstraint(c.m, c.d);
  CF_EQ_INT(c.d->nefc, nedge);
  CF_NEAR(mju_norm(c.d->efc_J, nv), 2 * sqrt(2), 1e-12);
  free(before);
  closeEdges(c);
}


// ---------------------------------------- 42A-ii: rigid flexes and edges

// a net of which one side hangs on the world and another on one body, and a whole flex on a body
static const char rigid_xml[] =
    "<mujoco>" OPTION
    "<worldbody><body name='p'><freejoint/><geom size='.02'/>"
    "<body name='q' pos='.1 0 0'><geom size='.02'/></body></body>"
    "<body name='s' pos='0 .1 0'><joint type='slide' axis='1 1 0'/><geom size='.02'/></body></worldbody>"
    "<deformable><flex name='soft' dim='1' radius='.01' body='p q s world world' "
    "vertex='0 0 0 0 0 0 0 0 0 .2 .1 0 .3 .1 0' element='0 1 1 2 2 3 3 4'>"
    "<edge damping='.1'/>" NO_CONTACT
    "</flex>"
    "<flex name='stiff' dim='2' radius='.01' body='p' vertex='0 0 0 .1 0 0 0 .1 0' element='0 1 2'>"
    "<edge damping='.1'/>" NO_CONTACT "</flex></deformable></mujoco>";


// the document says invmass of both ends zero; MuJoCo says ends on bodies that are welded together,
// the world being one of them, and a flex is rigid if all its vertices are on one body
CF_TEST(C42A_ii_1_rigidFlags__welded_vertices__marked) {
  edgeCase c = openEdges(rigid_xml, 100);
  static const int edges[7] = {1, 0, 0, 1, 1, 1, 1};
  CF_EQ_INT(c.m->flex_rigid[0], 0);
  CF_EQ_INT(c.m->flex_rigid[1], 1);
  CF_EQ_INT(c.m->nflexedge, 7);
  for (int e = 0; e < 7; e++) {
    CF_EQ_INT(c.m->flexedge_rigid[e], edges[e]);
  }
  closeEdges(c);
}


CF_TEST(C42A_ii_2_rigidFlags__flex_and_edge__skipped_by_the_flag_alone) {
  edgeCase c = openEdges(rigid_xml, 100);
  // rest lengths that would pull
  for (int e = 0; e < 7; e++) {
    c.m->flexedge_length0[e] *= 1.5;
  }
  c.d->flexedge_length[5] = -7;
  c.m->flexedge_rigid[2] = 1;
  mj_fwdPosition(c.m, c.d);
  mj_fwdVelocity(c.m, c.d);
  CF_NEAR(c.d->flexedge_length[5], -7, 0);
  mjtNum* force = calloc((size_t)c.m->nv, sizeof(mjtNum));
  mjtNum pull[7] = {0};
  pull[1] = 100 * (c.m->flexedge_length0[1] - c.d->flexedge_length[1]);
  CF_TRUE(fabs(pull[1]) > 1);
  addPulled(c, force, pull);
  CF_TRUE(mju_norm(force, (int)c.m->nv) > 1);
  CF_NEAR_ARRAY(c.d->qfrc_spring, force, c.m->nv, 0);

  // the whole flex
  c.m->flex_rigid[0] = 1;
  mj_fwdVelocity(c.m, c.d);
  CF_NEAR(mju_norm(c.d->qfrc_spring, (int)c.m->nv), 0, 0);
  free(force);
  closeEdges(c);
}


CF_TEST(C42A_ii_3_rigidFlags__cleared__same_bits_after_steps) {
  edgeCase marked = openEdges(rigid_xml, 100), cleared = openEdges(rigid_xml, 100);
  for (int e = 0; e < 7; e++) {
    cleared.m->flexedge_rigid[e] = 0;
  }
  cleared.m->flex_rigid[1] = 0;
  stir(marked);
  stir(cleared);
  for (int k = 0; k < 50; k++) {
    mj_step(marked.m, marked.d);
    mj_step(cleared.m, cleared.d);
  }
  CF_TRUE(mju_norm(marked.d->qfrc_spring, (int)marked.m->nv) > 0.01);
  CF_NEAR_ARRAY(cleared.d->qpos, marked.d->qpos, marked.m->nq, 0);
  CF_NEAR_ARRAY(cleared.d->qvel, marked.d->qvel, marked.m->nv, 0);
  closeEdges(marked);
  closeEdges(cleared);
}


// ---------------------------------------- 42A-iii: lengths and velocities

CF_TEST(C42A_iii_1_edgeLengths__positions_and_velocities__as_between_two_moments) {
  edgeCase c = openEdges(chains_xml, 70);
  stir(c);
  mjtNum length[8], velocity[8];
  mju_copy(length, c.d->flexedge_length, 8);
  mju_copy(velocity, c.d->flexedge_velocity, 8);
  for (int e = 0; e < 8; e++) {
    CF_NEAR(length[e],
            mju_dist3(c.d->flexvert_xpos + 3 * c.m->flex_edge[2 * e],
                      c.d->flexvert_xpos + 3 * c.m->flex_edge[2 * e + 1]),
            1e-15);
  }
  mj_integratePos(c.m, c.d->qpos, c.d->qvel, 1e-6);
  mj_fwdPosition(c.m, c.d);
  for (int e = 0; e < 8; e++) {
    CF_TRUE(fabs(velocity[e]) > 1e-3);
    CF_NEAR((c.d->flexedge_length[e] - length[e]) / 1e-6, velocity[e], 1e-5);
  }
  closeEdges(c);
}


CF_TEST(C42A_iii_2_edgeLengths__changed_after_their_stage__seen_by_every_reader) {
  edgeCase c = openEdges(
      "<mujoco>" OPTION
      "<worldbody>" GRID("count='3 1 1' dim='1'",
                         "<edge damping='.3' equality='true'/>" NO_CONTACT) "</worldbody></mujoco>",
      50);
  mj_fwdPosition(c.m, c.d);
  CF_NEAR(c.d->efc_pos[0], 0, 1e-15);
  c.d->flexedge_length[0] += 0.01;
  mj_makeConstraint(c.m, c.d);
  CF_NEAR(c.d->efc_pos[0], 0.01, 1e-15);
  mj_fwdVelocity(c.m, c.d);
  CF_NEAR(mju_norm(c.d->qfrc_spring, (int)c.m->nv), 50 * 0.01 * sqrt(2), 1e-12);

  // the damper takes the velocity that is there
  c.d->flexedge_velocity[1] = 2;
  mj_passive(c.m, c.d);
  CF_NEAR(mju_norm(c.d->qfrc_damper, (int)c.m->nv), 0.3 * 2 * sqrt(2), 1e-12);
  closeEdges(c);
}


// MuJoCo's velocity is the row times qvel: the differences of velocities along the edge, up to the
// rounding of the sum
CF_TEST(C42A_iii_3_edgeLengths__free_vertices__what_inline_code_computes) {
  edgeCase c = openEdges(
      "<mujoco>" OPTION "<worldbody>" GRID(
          "count='3 3 3' dim='3'", "<edge damping='.3'/>" NO_CONTACT) "</worldbody></mujoco>",
      50);
  stir(c);
  for (int e = 0; e < c.m->nflexedge; e++) {
    mjtNum dir[3], speed[3];
    const int* end = c.m->flex_edge + 2 * e;
    const int dof0 = c.m->body_dofadr[c.m->flex_vertbodyid[end[0]]];
    const int dof1 = c.m->body_dofadr[c.m->flex_vertbodyid[end[1]]];
    mju_sub3(dir, c.d->flexvert_xpos + 3 * end[1], c.d->flexvert_xpos + 3 * end[0]);
    CF_NEAR(c.d->flexedge_length[e], mju_normalize3(dir), 0);
    mju_sub3(speed, c.d->qvel + dof1, c.d->qvel + dof0);
    CF_NEAR(c.d->flexedge_velocity[e], mju_dot3(speed, dir), 1e-14);
  }
  closeEdges(c);
}


// ---------------------------------------- regression

// every kind of flex over twenty steps of a model, recorded with MuJoCo 3.5.0
CF_TEST(C42A_i_5_C42A_ii_4_C42A_iii_4_flexes__twenty_steps__as_recorded) {
  static const struct {
    const char* file;
    double qpos, qvel, length;
    int ncon, nefc;
  } recorded[] = {
      {"mjb/cloth", 0.20826282592742656, 6.571329243628601, 1.3941845891248628, 0, 33},
      {"mjb/strip", 0.09553320357116103, 2.034693665164355, 0.3687896156950051, 2, 17},
      {"flex/cube", 0.030600190428589184, 1.4301209552282401, 1.2239627468259446, 0, 0},
      {"flex/sheet", 0.0706415942197041, 3.1617311004815876, 0.7546529464440739, 0, 0},
      {"flex/strain", 0.1775575853004542, 4.759155452673559, 0.9112898400884791, 7, 110},
  };
  for (size_t k = 0; k < sizeof(recorded) / sizeof(recorded[0]); k++) {
    char path[500];
    snprintf(path, sizeof(path), "%s/tests/data/%s.mjb", CF_SOURCE_DIR, recorded[k].file);
    edgeCase c = {.m = mj_loadModel(path, NULL)};
    CF_TRUE(c.m != NULL);
    c.m->opt.solver = mjSOL_NEWTON;
    c.d = mj_makeData(c.m);
    for (int i = 0; i < c.m->nv; i++) {
      c.d->qvel[i] = sin(3.0 * i);
    }
    for (int step = 0; step < 20; step++) {
      mj_step(c.m, c.d);
    }
    CF_NEAR(mju_norm(c.d->qpos, (int)c.m->nq), recorded[k].qpos, 1e-9);
    CF_NEAR(mju_norm(c.d->qvel, (int)c.m->nv), recorded[k].qvel, 1e-8);
    CF_NEAR(mju_norm(c.d->flexedge_length, (int)c.m->nflexedge), recorded[k].length, 1e-9);
    CF_EQ_INT(c.d->ncon, recorded[k].ncon);
    CF_EQ_INT(c.d->nefc, recorded[k].nefc);
    closeEdges(c);
  }
}


CF_TEST_MAIN("flex/edges")
