// Meshes in compiled models: inertia against analytic solids, hulls, polygons, trees, verdicts.
#include "asset_support.h"

#include "cf_reference.h"

#include "math/inline.h"

#define MODEL(mesh, geom)                                                   \
  "<mujoco><asset><mesh name='m' " mesh                                     \
  "/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m' " geom \
  "/></body></worldbody></mujoco>"
#define BOX_VERTEX "vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1' "
#define BOX_FACE "face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5' "


//---------------------------------- inertia -------------------------------------------------------

// a box of half sizes a, b, c, moved off the origin
static void expectBox(const char* inertia) {
  char xml[2000];
  snprintf(
      xml, sizeof(xml),
      MODEL(BOX_VERTEX BOX_FACE "scale='.3 .2 .1' refpos='5 6 7' inertia='%s'", "density='1000'"),
      inertia);
  mjModel* m = compileText(xml);
  const double a = 0.3, b = 0.2, c = 0.1, mass = 8000 * a * b * c;
  CF_NEAR(m->body_mass[1], mass, 1e-7 * mass);

  // moments of a solid box, largest first
  CF_NEAR(m->body_inertia[3], mass * (a * a + b * b) / 3, 1e-7 * mass);
  CF_NEAR(m->body_inertia[4], mass * (a * a + c * c) / 3, 1e-7 * mass);
  CF_NEAR(m->body_inertia[5], mass * (b * b + c * c) / 3, 1e-7 * mass);
  CF_NEAR(m->mesh_pos[0], -5 * a, 1e-7);
  CF_NEAR(m->mesh_pos[1], -6 * b, 1e-7);
  CF_NEAR(m->mesh_pos[2], -7 * c, 1e-7);
  mj_deleteModel(m);
}


CF_TEST(inertia__box__all_volume_methods_agree_with_the_formula) {
  expectBox("exact");
  expectBox("convex");
  expectBox("legacy");
}


CF_TEST(inertia__box_shell__area_and_moments_of_six_plates) {
  mjModel* m =
      compileText(MODEL(BOX_VERTEX BOX_FACE "scale='.5 .5 .5' inertia='shell'", "density='1'"));

  // cube of side 1: area 6, moment 5/18 * mass
  CF_NEAR(m->body_mass[1], 6, 1e-12);
  for (int k = 0; k < 3; k++) {
    CF_NEAR(m->body_inertia[3 + k], 6 * 5.0 / 18, 1e-12);
  }
  mj_deleteModel(m);
}


CF_TEST(inertia__sphere_by_subdivision__close_to_the_ball) {
  mjModel* m = compileText(MODEL("builtin='sphere' params='4' inertia='exact'", "density='1'"));
  const double mass = 4.0 / 3 * mjPI;
  CF_NEAR(m->body_mass[1], mass, 0.01 * mass);
  CF_NEAR(m->body_inertia[3], 0.4 * mass, 0.01 * mass);
  mj_deleteModel(m);
}


CF_TEST(inertia__notched_surface__legacy_counts_outside_volume_exact_does_not) {
  // an L-shaped prism: 3 unit cubes
  static const char prism[] = MODEL(
      "vertex='0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0 0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1' "
      "face='0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 "
      "8 3 4 10 3 10 9 "
      "4 5 11 4 11 10 5 0 6 5 6 11' inertia='%s'",
      "density='1'");
  double mass[3];
  static const char* const methods[3] = {"exact", "legacy", "convex"};
  for (int i = 0; i < 3; i++) {
    char xml[3000];
    snprintf(xml, sizeof(xml), prism, methods[i]);
    mjModel* m = compileText(xml);
    mass[i] = m->body_mass[1];
    mj_deleteModel(m);
  }
  CF_NEAR(mass[0], 3, 1e-12);
  CF_NEAR(mass[2], 3.5, 1e-12);
  CF_TRUE(mass[1] >= mass[0]);
}


//---------------------------------- hull and polygons ---------------------------------------------

// points on no grid, the same every time
static void randomPoints(char* text, size_t room, int count) {
  uint32_t state = 12345;
  size_t used = 0;
  for (int i = 0; i < 3 * count; i++) {
    state = state * 1664525u + 1013904223u;
    used += (size_t)snprintf(text + used, room - used, "%s%.5f", i ? " " : "",
                             (double)(state >> 8) / (1 << 23) - 1);
  }
}


static mjModel* randomHull(int count, int maxhullvert) {
  static char points[20000], xml[24000];
  randomPoints(points, sizeof(points), count);
  snprintf(xml, sizeof(xml), MODEL("vertex='%s' maxhullvert='%d' inertia='convex'", ""), points,
           maxhullvert);
  return compileText(xml);
}


CF_TEST(hull__random_points__closed_convex_and_oriented) {
  for (int count = 4; count <= 300; count = 2 * count + 3) {
    mjModel* m = randomHull(count, -1);
    int nvert = m->mesh_graph[0], nface = m->mesh_graph[1];
    const int *edgeadr = m->mesh_graph + 2, *id = edgeadr + nvert, *edge = id + nvert;
    const int* face = edge + nvert + 3 * nface;

    // Euler: V - E + F = 2 with 2E = 3F
    CF_EQ_INT(2 * nvert - nface, 4);
    CF_EQ_INT(m->nmeshgraph, 2 + 3 * nvert + 6 * nface);
    for (int i = 0; i < nface; i++) {
      double v[3][3], ab[3], ac[3], normal[3];
      for (int k = 0; k < 9; k++) {
        v[k / 3][k % 3] = m->mesh_vert[3 * face[3 * i + k / 3] + k % 3];
      }
      cfi_sub3(ab, v[1], v[0]);
      cfi_sub3(ac, v[2], v[0]);
      cfi_cross(normal, ab, ac);
      for (int j = 0; j < m->nmeshvert; j++) {
        double offset[3];
        for (int k = 0; k < 3; k++) {
          offset[k] = m->mesh_vert[3 * j + k] - v[0][k];
        }
        CF_TRUE(cfi_dot3(offset, normal) < 1e-6);
      }
    }

    // neighbors are mutual
    for (int i = 0; i < nvert; i++) {
      for (int a = edgeadr[i]; edge[a] >= 0; a++) {
        int b = edgeadr[edge[a]];
        while (edge[b] >= 0 && edge[b] != i) {
          b++;
        }
        CF_EQ_INT(edge[b], i);
      }
    }
    mj_deleteModel(m);
  }
}


CF_TEST(hull__maxhullvert__bounds_the_number_of_vertices) {
  mjModel* m = randomHull(200, 12);
  CF_EQ_INT(m->mesh_graph[0], 12);
  mj_deleteModel(m);
}


CF_TEST(polygons__cube__six_squares) {
  mjModel* m = compileText(MODEL(BOX_VERTEX BOX_FACE, ""));
  CF_EQ_INT(m->nmeshpoly, 6);
  for (int i = 0; i < 6; i++) {
    CF_EQ_INT(m->mesh_polyvertnum[i], 4);
    CF_NEAR(cfi_norm3(m->mesh_polynormal + 3 * i), 1, 1e-15);
  }
  for (int v = 0; v < 8; v++) {
    CF_EQ_INT(m->mesh_polymapnum[v], 3);
  }
  mj_deleteModel(m);
}


CF_TEST(polygons__random_hull__map_inverts_the_lists) {
  mjModel* m = randomHull(100, -1);
  for (int v = 0; v < m->nmeshvert; v++) {
    for (int k = 0; k < m->mesh_polymapnum[v]; k++) {
      int poly = m->mesh_polymap[m->mesh_polymapadr[v] + k], found = 0;
      for (int j = 0; j < m->mesh_polyvertnum[poly]; j++) {
        found += m->mesh_polyvert[m->mesh_polyvertadr[poly] + j] == v;
      }
      CF_EQ_INT(found, 1);
    }
  }
  mj_deleteModel(m);
}


CF_TEST(normals__sharp_or_smooth__face_or_mean_directions) {
  mjModel* m = compileText(MODEL(BOX_VERTEX BOX_FACE "smoothnormal='true'", ""));
  CF_EQ_INT(m->nmeshnormal, 8);
  for (int i = 0; i < 24; i++) {
    CF_NEAR(fabs(m->mesh_normal[i]), 1 / sqrt(3), 0.3);
  }
  mj_deleteModel(m);
}


CF_TEST(octree__cube__distance_at_the_corners_of_the_root) {
  mjModel* m = compileText("<mujoco><asset><mesh name='m' " BOX_VERTEX BOX_FACE
                           "/></asset><worldbody><geom type='sdf' mesh='m'/>"
                           "</worldbody></mujoco>");
  CF_TRUE(m->noct > 8);

  // the root is a tenth larger: its corners are 0.1*sqrt(3) from the cube's
  for (int k = 0; k < 8; k++) {
    CF_NEAR(m->oct_coeff[k], 0.1 * sqrt(3), 1e-7);
    CF_EQ_INT(m->oct_child[k], 1 + k);
  }
  double lowest = 0;
  for (int i = 0; i < 8 * m->noct; i++) {
    lowest = fmin(lowest, m->oct_coeff[i]);
  }
  CF_NEAR(lowest, -1, 1e-7);
  mj_deleteModel(m);
}


//---------------------------------- numbers of MuJoCo 3.5.0 ---------------------------------------

CF_TEST(prism__four_treatments__recorded_arrays) {
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/tests/data/mesh/prism.xml", NULL, error, sizeof(error));
  CF_EQ_STR(error, "");
  CF_EQ_INT(m->nmeshvert, 52);
  CF_EQ_INT(m->nmeshface, 80);
  CF_EQ_INT(m->nmeshpoly, 35);
  CF_TRUE(HASH(m->mesh_vert, 3 * m->nmeshvert) == 0xbfcb289c2b586af9u);
  CF_TRUE(HASH(m->mesh_face, 3 * m->nmeshface) == 0x0ef4bbd033a9f955u);
  CF_TRUE(HASH(m->mesh_graph, m->nmeshgraph) == 0xb95d80d340a3d9a8u);
  CF_TRUE(HASH(m->mesh_polyvert, m->nmeshpolyvert) == 0x20807ef419e395e7u);
  CF_TRUE(HASH(m->mesh_normal, 3 * m->nmeshnormal) == 0x819452d29c057bffu);
  CF_TRUE(HASH(m->mesh_facetexcoord, 3 * m->nmeshface) == 0xb08ae3b6725e2bc5u);
  CF_TRUE(HASH(m->bvh_nodeid, m->nbvh) == 0x20cc8a8ead0fe8c7u);
  const double mass[4] = {6988.33329518, 1206.35376187, 1116.49999079, 7937.62459197};
  for (int i = 0; i < 4; i++) {
    CF_NEAR(m->body_mass[1 + i], mass[i], 1e-8);
  }
  mj_deleteModel(m);
}


CF_TEST(slivers__triangles_without_center__recorded_tree) {
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/tests/data/mesh/slivers.xml", NULL, error, sizeof(error));
  CF_EQ_STR(error, "");
  CF_EQ_INT(m->nbvh, 668);
  CF_TRUE(HASH(m->bvh_nodeid, m->nbvh) == 0x1644619323643bf8u);
  mj_deleteModel(m);
}


CF_TEST(prism__second_load__same_bytes_as_the_first) {
  // the second model is made from what the first left in the cache
  char error[500] = "";
  mj_clearCache(mj_getCache());
  mjModel* m[2];
  for (int i = 0; i < 2; i++) {
    m[i] = mj_loadXML(CF_SOURCE_DIR "/tests/data/mesh/prism.xml", NULL, error, sizeof(error));
    CF_EQ_STR(error, "");
    CF_TRUE(mj_getCacheSize(mj_getCache()) > 0);
  }
  CF_EQ_INT(m[0]->nbuffer, m[1]->nbuffer);
#define SAME(array, count) CF_TRUE(HASH(m[0]->array, count) == HASH(m[1]->array, count))
  SAME(mesh_vert, 3 * m[0]->nmeshvert);
  SAME(mesh_normal, 3 * m[0]->nmeshnormal);
  SAME(mesh_texcoord, 2 * m[0]->nmeshtexcoord);
  SAME(mesh_face, 3 * m[0]->nmeshface);
  SAME(mesh_facenormal, 3 * m[0]->nmeshface);
  SAME(mesh_facetexcoord, 3 * m[0]->nmeshface);
  SAME(mesh_graph, m[0]->nmeshgraph);
  SAME(mesh_polynormal, 3 * m[0]->nmeshpoly);
  SAME(mesh_polyvert, m[0]->nmeshpolyvert);
  SAME(mesh_polymap, m[0]->nmeshpolymap);
  SAME(mesh_pos, 3 * m[0]->nmesh);
  SAME(mesh_quat, 4 * m[0]->nmesh);
  SAME(bvh_aabb, 6 * m[0]->nbvhstatic);
  SAME(body_inertia, 3 * m[0]->nbody);
#undef SAME
  mj_deleteModel(m[0]);
  mj_deleteModel(m[1]);
}


//---------------------------------- verdicts ------------------------------------------------------

static void expectError(const char* xml, const char* phrase) {
  char error[1000] = "";
  mjModel* m = compileWithFile(xml, NULL, NULL, 0, error, sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, phrase);
}


CF_TEST(verdicts__degenerate_meshes__message) {
  static const struct {
    const char *xml, *phrase;
  } cases[] = {
      {MODEL("vertex='0 0 0 1 0 0 0 1 0'", ""), "at least 4 vertices required"},
      {MODEL("vertex='0 0 0 1 0 0 0 1'", ""), "vertex data must be a multiple of 3"},
      {MODEL("vertex='0 0 0 1 0 0 0 1 0 1 1 0'", ""), "qhull error"},
      {MODEL("vertex='1 1 1 1 1 1 1 1 1 1 1 1'", ""), "qhull error"},
      {MODEL(BOX_VERTEX "face='0 1 8'", ""), "vertex index 8 does not exist"},
      {MODEL(BOX_VERTEX "face='0 1 -1'", ""), "vertex index -1 does not exist"},
      {MODEL(BOX_VERTEX "face='0 1'", ""), "face data must be a multiple of 3"},
      {MODEL(BOX_VERTEX BOX_FACE "texcoord='0 0'", ""), "texcoord must be 2*nv"},
      {MODEL(BOX_VERTEX BOX_FACE "normal='0 0'", ""), "normal data must be a multiple of 3"},
      {MODEL(BOX_VERTEX "face='0 1 2 1 3 2 4 6 5 5 6 7 0 4 1 1 4 5 2 3 6 3 7 6 0 2 4 2 6 4 1 5 3 3 "
                        "5 7' inertia='exact'",
             ""),
       "mesh volume is negative"},
      {MODEL(BOX_VERTEX "face='0 2 1 1 2 3 4 5 6 5 7 6 0 4 1 1 5 4' inertia='exact'", ""),
       "inconsistent orientation"},
      {MODEL(BOX_VERTEX "face='0 1 2 1 3 2' inertia='legacy'", "contype='0' conaffinity='0'"),
       "mesh volume is too small"},
      {MODEL(BOX_VERTEX BOX_FACE "scale='0 0 0'", ""), "mesh surface area is too small"},
      {MODEL("file='none.stl'", ""), "none.stl"},
      {MODEL("file='none.xyz'", ""), "none.xyz"},
      {MODEL("builtin='sphere' params='9'", ""), "cannot be greater than 4"},
      {MODEL("builtin='cone' params='-5 1'", ""), "edges"},
      {MODEL("builtin='supersphere' params='2 1 1'", ""), "greater than 2"},
      {MODEL("builtin='wedge' params='3 3 200 30 0'", ""), "fov[0]"},
      {MODEL("builtin='plate' params='3'", ""), "requires 2 parameters"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    expectError(cases[i].xml, cases[i].phrase);
  }
}


CF_TEST(verdicts__message__names_file_and_element) {
  char error[1000] = "";
  mjModel* m =
      compileWithFile(MODEL("file='bad.stl'", ""), "bad.stl", "solid", 5, error, sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, "bad.stl");
  CF_HAS_STR(error, "Element name 'm'");
}


CF_TEST(convex_inertia__mesh_used_by_no_geom__compiles) {
  mjModel* m = compileText("<mujoco><asset><mesh name='m' " BOX_VERTEX BOX_FACE
                           "inertia='convex'/></asset><worldbody/></mujoco>");
  CF_EQ_INT(m->nmesh, 1);
  CF_EQ_INT(m->mesh_graphadr[0], -1);
  mj_deleteModel(m);
}


CF_TEST(obj__negative_index_out_of_range__error_not_crash) {
  const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -9 2 3\n";
  char error[1000] = "";
  mjModel* m = compileWithFile(MODEL("file='a.obj'", ""), "a.obj", obj, sizeof(obj) - 1, error,
                               sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, "vertex index -5 does not exist");
}


// scaled beyond single precision
CF_TEST(vertices__too_far_away__rejected) {
  char error[1000] = "";
  mjModel* m =
      compileWithFile(MODEL(BOX_VERTEX BOX_FACE "scale='1e39 1 1'", "contype='0' conaffinity='0'"),
                      NULL, NULL, 0, error, sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, "too far away");
}


// a flat shell may have no proper inertia, depending on rounding; where nothing moves the model is
// good all the same
CF_TEST(flat_shell__static_body__saved_and_loaded) {
  mjModel* m = compileText(
      "<mujoco><asset><mesh name='m' refquat='0.3 0.5 0.7 0.11' inertia='shell' "
      "vertex='0 0 0 1 0 0 1 1.1 0 0 1 0' face='0 1 2 0 2 3'/></asset><worldbody><body><geom type='mesh' "
      "mesh='m' contype='0' conaffinity='0'/></body></worldbody></mujoco>");
  int bytes = (int)mj_sizeModel(m);
  void* buffer = mju_malloc((size_t)bytes);
  mj_saveModel(m, NULL, buffer, bytes);
  mjModel* again = mj_loadModelBuffer(buffer, bytes);
  CF_TRUE(again != NULL);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mju_free(buffer);
}

//---------------------------------- one file, several meshes --------------------------------------

// a tetrahedron used by meshes that differ in one attribute from the first, which stands at 1 2 3
static const char tetrahedron[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static mjModel* compileFour(int with_reference) {
  static const char xml[] =
      "<mujoco><asset><mesh name='first' file='t.obj' refpos='1 2 3'/>"
      "<mesh name='frame' file='t.obj' refpos='4 5 6' refquat='0 1 0 0' smoothnormal='true'/>"
      "<mesh name='scale' file='t.obj' refpos='4 5 6' scale='2 2 2'/>"
      "<mesh name='again' file='t.obj' scale='2 2 2'/></asset><worldbody>"
      "<geom type='mesh' mesh='first'/><geom type='mesh' mesh='frame'/>"
      "<geom type='mesh' mesh='scale'/><geom type='mesh' mesh='again'/></worldbody></mujoco>";
  char error[500] = "";
  mjVFS vfs;
  if (!with_reference) {
    return compileWithFile(xml, "t.obj", tetrahedron, sizeof(tetrahedron) - 1, error,
                           sizeof(error));
  }
  CF_REF(mj_defaultVFS)(&vfs);
  CF_REF(mj_addBufferVFS)(&vfs, "t.obj", tetrahedron, sizeof(tetrahedron) - 1);
  CF_REF(mj_addBufferVFS)(&vfs, "model.xml", xml, sizeof(xml) - 1);
  mjModel* m = CF_REF(mj_loadXML)("model.xml", &vfs, error, sizeof(error));
  CF_REF(mj_deleteVFS)(&vfs);
  return m;
}


// the center of mass lies at 1/4 in each direction; MuJoCo keeps what it made of the file first, so
// that the second mesh stands where the first does, and the others, of another scale, on their own
CF_TEST(mesh__one_file_used_again__what_was_made_of_it_first) {
  static const double expected[12] = {-.75, -1.75, -2.75, -.75, -1.75, -2.75,
                                      -7.5, -9.5,  -11.5, .5,   .5,    .5};
  mjModel* m = compileFour(0);
  CF_TRUE(m != NULL);
  CF_NEAR_ARRAY(m->mesh_pos, expected, 12, 1e-7);
  CF_TRUE(!memcmp(m->mesh_quat, m->mesh_quat + 4, 4 * sizeof(mjtNum)));
  mj_deleteModel(m);
}


CF_TEST(mesh__one_file_used_again__as_the_reference) {
  CF_NEED_REFERENCE();
  mjModel *m = compileFour(0), *reference = compileFour(1);
  CF_TRUE(m && reference);
  CF_NEAR_ARRAY(m->mesh_pos, reference->mesh_pos, 12, 1e-10);
  CF_NEAR_ARRAY(m->mesh_quat, reference->mesh_quat, 16, 1e-10);
  mj_deleteModel(m);
  CF_REF(mj_deleteModel)(reference);
}

CF_TEST_MAIN("compile/mesh")
