// Collisions of flexes: closed forms of triangles by hand, self-collision the same whichever way
// pairs are found, contact counts as recorded with MuJoCo 3.5.0.
#include "cf_models.h"
#include "cf_test.h"

#include "collision/flex/flex.h"

static const mjtNum corner[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const cfTriangle unit_triangle = {{corner[0], corner[1], corner[2]}, 0.1};
static const mjtNum upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};


CF_TEST(sphereTriangle__above_the_face__normal_down) {
  const mjtNum center[3] = {0.2, 0.3, 0.25};
  mjContact con;
  CF_EQ_INT(cfi_sphereTriangle(&con, center, 0.2, &unit_triangle, 0), 1);
  CF_NEAR(con.dist, -0.05, 1e-15);
  CF_NEAR(con.frame[2], -1, 1e-15);
  CF_NEAR(con.pos[2], 0.075, 1e-15);
  CF_EQ_INT(cfi_sphereTriangle(&con, center, 0.1, &unit_triangle, 0.04), 0);
  CF_EQ_INT(cfi_sphereTriangle(&con, center, 0.1, &unit_triangle, 0.06), 1);
}


CF_TEST(sphereTriangle__beside_edge_and_corner__nearest_point_of_the_border) {
  const mjtNum beside[3] = {0.4, -0.2, 0}, beyond[3] = {1.3, -0.4, 0};
  mjContact con;
  CF_EQ_INT(cfi_sphereTriangle(&con, beside, 0.2, &unit_triangle, 0), 1);
  CF_NEAR(con.dist, -0.1, 1e-15);
  CF_NEAR(con.frame[1], 1, 1e-15);
  CF_EQ_INT(cfi_sphereTriangle(&con, beyond, 0.45, &unit_triangle, 0), 1);
  CF_NEAR(con.dist, -0.05, 1e-15);
  CF_NEAR(con.frame[0], -0.6, 1e-15);
  CF_NEAR(con.frame[1], 0.8, 1e-15);
}


CF_TEST(boxTriangle__corner_in_a_face_and_box_corner_on_the_triangle__both_found) {
  // the first corner of the triangle lies on top of the box, its other corners far away
  const mjtNum pos[3] = {-0.05, -0.05, -0.55}, size[3] = {0.3, 0.3, 0.5};
  const cfGeomView box = {pos, upright, size};
  mjContact con[CF_MAXCON_BOXTRIANGLE];
  const int n = cfi_boxTriangle(con, box, &unit_triangle, 0);
  CF_TRUE(n >= 2);
  CF_NEAR(con[0].dist, -0.05, 1e-15);
  CF_NEAR(con[0].frame[2], 1, 1e-15);
  CF_NEAR(con[1].pos[0], 0.25, 1e-15);
  CF_NEAR(con[1].dist, -0.05, 1e-15);
}


CF_TEST(capsuleTriangle__lying_across__ends_and_corner) {
  const mjtNum along_x[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
  const mjtNum pos[3] = {0, 0.05, 0.15}, size[2] = {0.1, 0.2};
  const cfGeomView capsule = {pos, along_x, size};
  mjContact con[CF_MAXCON_CAPSULETRIANGLE];
  CF_EQ_INT(cfi_capsuleTriangle(con, capsule, &unit_triangle, 0), 2);
  CF_NEAR(con[0].dist, -0.05, 1e-15);
  CF_NEAR(con[0].pos[0], 0.2, 1e-15);

  // the corner at the origin is nearest to the inside of the axis
  CF_NEAR(con[1].dist, hypot(0.05, 0.15) - 0.2, 1e-15);
}


static int compareDistances(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}


CF_TEST(selfCollision__crumpled_flexes__same_contacts_in_every_mode) {
  mjModel* m = cf_loadTestModel("cloth");
  mjData* d = mj_makeData(m);
  double first[200] = {0};
  for (int mode = mjFLEXSELF_NARROW; mode <= mjFLEXSELF_AUTO; mode++) {
    for (int f = 0; f < m->nflex; f++) {
      m->flex_selfcollide[f] = m->flex_interp[f] ? mjFLEXSELF_NONE : mode;
      m->flex_internal[f] = 0;
    }
    mj_resetData(m, d);
    for (int i = 0; i < m->nq; i++) {
      d->qpos[i] = 0.07 * sin(5.0 * i);
    }
    mj_forward(m, d);

    // recorded: 39 contacts, 189 rows, sum of distances
    CF_EQ_INT(d->ncon, 39);
    CF_EQ_INT(d->nefc, 189);
    double dist[200], sum = 0;
    for (int k = 0; k < d->ncon; k++) {
      sum += dist[k] = d->contact[k].dist;
      CF_TRUE(d->contact[k].geom[0] == -1 && d->contact[k].flex[0] == d->contact[k].flex[1]);
      CF_TRUE(d->contact[k].elem[0] >= 0 && d->contact[k].vert[0] == -1);
    }
    CF_NEAR(sum, mode == mjFLEXSELF_SAP ? -0.5405116482303587 : -0.5405131016348858, 1e-8);
    qsort(dist, (size_t)d->ncon, sizeof(double), compareDistances);
    for (int k = 0; k < d->ncon && mode > mjFLEXSELF_NARROW; k++) {
      // the order of the two elements decides where the search starts
      CF_NEAR(dist[k], first[k], 1e-5);
    }
    memcpy(first, dist, sizeof(first));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


// nobody wants to see which boxes were met: there is no array for it then
CF_TEST(flexTrees__boxes_not_marked__same_contacts) {
  mjModel* m = cf_loadTestModel("cloth");
  mjData* d = mj_makeData(m);
  for (int f = 0; f < m->nflex; f++) {
    m->flex_selfcollide[f] = m->flex_interp[f] ? mjFLEXSELF_NONE : mjFLEXSELF_BVH;
    m->flex_internal[f] = 0;
  }
  for (int marks = 0; marks <= 1; marks++) {
    m->vis.global.bvactive = marks;
    mj_resetData(m, d);
    for (int i = 0; i < m->nq; i++) {
      d->qpos[i] = 0.07 * sin(5.0 * i);
    }
    mj_forward(m, d);
    CF_EQ_INT(d->ncon, 39);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(arena__too_small_for_flex_contacts__warning_and_consistent_data) {
  // the plane above every vertex
  mjModel* m = cf_loadTestModel("cloth");
  m->narena = 30000;
  m->geom_pos[2] = 3;
  for (int f = 0; f < m->nflex; f++) {
    m->flex_internal[f] = 0;
    m->flex_selfcollide[f] = mjFLEXSELF_NONE;
  }
  mjData* d = mj_makeData(m);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_flex(m, d);
  mj_collision(m, d);
  CF_TRUE(0 < d->ncon && d->ncon < m->nflexvert);
  CF_TRUE(d->warning[mjWARN_CONTACTFULL].number > 0);
  CF_EQ_INT(d->contact[d->ncon - 1].geom[0], 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("collision/flex")
