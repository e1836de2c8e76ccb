// Convex hulls of points that lie almost in one plane: what is a vertex, what is one face.
#include "cf_test.h"
#include "cf_text.h"

// a cube of half size 1 with one more point above the middle of its top
static mjModel* cubeWithApex(mjtNum height) {
  char xml[1000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><asset><mesh name='m' vertex='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1 "
      "0 0 %.10g' inertia='convex'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
      1 + height);
  return cf_compileText(xml);
}


// as recorded with MuJoCo 3.5.0: an apex of a millionth is a vertex, one of a billionth is
// rounding; slopes of less than 0.8e-3 join the top's polygons, all triangles stay in the graph
CF_TEST(hull__apex_on_a_cube__recorded_vertices_faces_and_polygons) {
  static const struct {
    mjtNum height;
    int nvert, nface, npoly;
  } cases[12] = {
      {2e-3, 9, 14, 9}, {1.2e-3, 9, 14, 9}, {1e-3, 9, 14, 7}, {9e-4, 9, 14, 7},
      {8e-4, 9, 14, 7}, {7e-4, 9, 14, 6},   {5e-4, 9, 14, 6}, {1e-4, 9, 14, 6},
      {1e-6, 9, 14, 6}, {1e-9, 8, 12, 6},   {0, 8, 12, 6},    {-1e-4, 8, 12, 6},
  };
  for (int k = 0; k < 12; k++) {
    mjModel* m = cubeWithApex(cases[k].height);
    CF_EQ_INT(m->mesh_graph[0], cases[k].nvert);
    CF_EQ_INT(m->mesh_graph[1], cases[k].nface);
    CF_EQ_INT(m->mesh_polynum[0], cases[k].npoly);
    mj_deleteModel(m);
  }
}


// the apex has the four corners of the top as neighbors, and they have it
CF_TEST(hull__low_apex__is_joined_to_the_four_corners) {
  mjModel* m = cubeWithApex(5e-4);
  const int nvert = m->mesh_graph[0];
  const int *edgeadr = m->mesh_graph + 2, *id = edgeadr + nvert, *edge = id + nvert;
  int apex = 0;
  while (apex < nvert && id[apex] != 8) {
    apex++;
  }
  CF_TRUE(apex < nvert);
  int neighbors = 0;
  for (const int* e = edge + edgeadr[apex]; *e >= 0; e++, neighbors++) {
    CF_TRUE(id[*e] >= 4 && id[*e] < 8);
  }
  CF_EQ_INT(neighbors, 4);
  mj_deleteModel(m);
}


// volume of the cube and of a pyramid of that height on it
CF_TEST(hull__apex__counts_in_the_volume) {
  mjModel* m = cubeWithApex(1e-3);
  CF_NEAR(m->body_mass[0], 0, 0);
  CF_NEAR(m->mesh_pos[2], 4.0 / 3 * 1e-3 * (1 + 1e-3 / 4) / (8 + 4.0 / 3 * 1e-3), 3e-8);
  mj_deleteModel(m);
}


CF_TEST_MAIN("compile/hull")
