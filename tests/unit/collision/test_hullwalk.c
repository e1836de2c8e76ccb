// Walks over the hull of a mesh: hints and shortcuts change the way, never the vertex.
#include "collidetest.h"
#include "collision/convex/support.h"
#include "model/hullstart.h"

// MJCF of a mesh geom whose vertices are given by a function of their number
typedef void (*vertexMaker)(int k, int n, double v[3]);

static char* meshText(vertexMaker make, int n) {
  const size_t room = 400 + 80 * (size_t)n;
  char* text = malloc(room);
  size_t at = (size_t)snprintf(text, room, "<mujoco><asset><mesh name=\"m\" vertex=\"");
  for (int k = 0; k < n; k++) {
    double v[3];
    make(k, n, v);
    at += (size_t)snprintf(text + at, room - at, "%.9g %.9g %.9g ", v[0], v[1], v[2]);
  }
  snprintf(text + at, room - at,
           "\"/></asset><worldbody><body><freejoint/><geom type=\"mesh\" "
           "mesh=\"m\"/></body></worldbody></mujoco>");
  return text;
}


// points on an ellipsoid
static void onEllipsoid(int k, int n, double v[3]) {
  const double z = 1 - 2 * (k + 0.5) / n, angle = 2.399963229728653 * k, r = sqrt(1 - z * z);
  v[0] = 0.3 * r * cos(angle), v[1] = 0.1 * r * sin(angle), v[2] = 0.2 * z;
}


// a prism with many sides: flat ends, whose corners are equally high along its axis
static void onPrism(int k, int n, double v[3]) {
  const double angle = 6.283185307179586 * (k / 2) / (n / 2);
  v[0] = 0.2 * cos(angle), v[1] = 0.2 * sin(angle), v[2] = k % 2 ? 0.05 : -0.05;
}


static void onBox(int k, int n, double v[3]) {
  (void)n;
  v[0] = k & 1 ? 0.1 : -0.1, v[1] = k & 2 ? 0.2 : -0.2, v[2] = k & 4 ? 0.3 : -0.3;
}


// cube with bevelled edges: faces, edges and corners that lie square
static void onBevel(int k, int n, double v[3]) {
  (void)n;
  const int axis = k / 8, sign[3] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
  for (int i = 0; i < 3; i++) {
    v[i] = (i == axis ? 0.1 : 0.08) * sign[i];
  }
}


// random, or along one of the directions in which vertices stand level
static void testDirection(mjtNum dir[3], int trial) {
  for (int k = 0; k < 3; k++) {
    dir[k] = cf_uniform(-1, 1);
    if (trial % 3 == 1) {
      dir[k] = (int)cf_uniform(0, 3) - 1;
    } else if (trial % 3 == 2 && cf_uniform(0, 1) < 0.5) {
      dir[k] = cf_uniform(-1, 1) * 1e-12;
    }
  }
  mju_normalize3(dir);
}


// the walk without any shortcut: always leave the start for its best neighbor, then on while it
// goes up
static int plainWalk(const cfConvex* s, const mjtNum dir[3], int at) {
  mjtNum most = -3.40282347e+38, local[3];
  mju_mulMatTVec3(local, s->mat, dir);
  for (int before = -1; before != at;) {
    before = at;
    for (const int* e = s->edge + s->edge_adr[before]; *e >= 0; e++) {
      const float* v = s->vert + 3 * s->global_id[*e];
      const mjtNum value =
          local[0] * (mjtNum)v[0] + local[1] * (mjtNum)v[1] + local[2] * (mjtNum)v[2];
      if (value > most) {
        most = value;
        at = *e;
      }
    }
  }
  return at;
}


static void checkWalks(vertexMaker make, int n) {
  char* text = meshText(make, n);
  cfScene scene = cf_sceneFromText(text);
  for (int trial = 0; trial < 20000; trial++) {
    cfConvex s = cfi_convexGeom(scene.m, scene.d, 0, 0);
    CF_TRUE(s.start != NULL && s.walks_hull == (n > CF_FEW_VERTICES));
    int expected = 0;
    for (int k = 0; k < 3; k++) {
      mjtNum dir[3], point[3];
      testDirection(dir, trial);
      expected = plainWalk(&s, dir, expected);
      s.support(&s, dir, point);
      CF_EQ_INT(s.vertex, s.global_id[expected]);
    }
  }
  cf_freeScene(scene);
  free(text);
}


CF_TEST(hull_walk__hints_and_shortcuts__vertex_of_the_plain_walk) {
  checkWalks(onEllipsoid, 13);
  checkWalks(onEllipsoid, 30);
  checkWalks(onEllipsoid, 32);
  checkWalks(onEllipsoid, 33);
  checkWalks(onEllipsoid, 600);
  checkWalks(onPrism, 80);
  checkWalks(onBevel, 24);
}


// the first best of all vertices, unless the last choice is as good
static int plainSearch(const cfConvex* s, const mjtNum dir[3]) {
  mjtNum most = -3.40282347e+38, local[3];
  mju_mulMatTVec3(local, s->mat, dir);
  int best = 0;
  for (int k = -1; k < s->nvert; k++) {
    const int vertex = k < 0 ? s->vertex : k;
    if (vertex < 0) {
      continue;
    }
    const float* v = s->vert + 3 * vertex;
    const mjtNum value =
        local[0] * (mjtNum)v[0] + local[1] * (mjtNum)v[1] + local[2] * (mjtNum)v[2];
    if (value > most) {
      most = value;
      best = vertex;
    }
  }
  return best;
}


static void checkSearches(vertexMaker make, int n) {
  char* text = meshText(make, n);
  cfScene scene = cf_sceneFromText(text);
  for (int trial = 0; trial < 3000; trial++) {
    cfConvex s = cfi_convexGeom(scene.m, scene.d, 0, 0);
    for (int k = 0; k < 3; k++) {
      mjtNum dir[3], point[3];
      testDirection(dir, trial);
      const int expected = plainSearch(&s, dir);
      cfi_supportMesh(&s, dir, point);
      CF_EQ_INT(s.vertex, expected);
    }
  }
  const mjtNum none[3] = {NAN, 0, 0};
  mjtNum point[3];
  cfConvex s = cfi_convexGeom(scene.m, scene.d, 0, 0);
  cfi_supportMesh(&s, none, point);
  CF_EQ_INT(s.vertex, 0);
  cf_freeScene(scene);
  free(text);
}


CF_TEST(mesh_search__few_and_many_vertices__first_best_unless_the_last_is_as_good) {
  checkSearches(onBox, 8);
  checkSearches(onPrism, 10);
  checkSearches(onEllipsoid, 4);
  checkSearches(onEllipsoid, 9);
  checkSearches(onBevel, 24);
  checkSearches(onEllipsoid, 32);
  checkSearches(onPrism, 38);
}


CF_TEST(hull_walk__data_of_a_smaller_hull__hint_out_of_range_is_ignored) {
  char *large = meshText(onEllipsoid, 300), *small = meshText(onEllipsoid, 40);
  cfScene a = cf_sceneFromText(large), b = cf_sceneFromText(small);

  // the hints of the large hull with the model of the small one
  for (int trial = 0; trial < 1000; trial++) {
    cfConvex s = cfi_convexGeom(b.m, a.d, 0, 0);
    mjtNum dir[3], point[3];
    testDirection(dir, trial);
    const int expected = plainWalk(&s, dir, 0);
    s.support(&s, dir, point);
    CF_EQ_INT(s.hull_vertex, expected);
  }
  cf_freeScene(a);
  cf_freeScene(b);
  free(large);
  free(small);
}


// a hull with a flaw: 3 is the highest of four vertices, but 2 is higher than its only neighbor 1
static cfConvex flawedHull(const mjModel* m, float height_of_2) {
  static const mjtNum pos[3] = {0, 0, 0}, mat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int id[4] = {0, 1, 2, 3}, adr[4] = {0, 3, 6, 8}, start[27] = {[14] = 2};
  static const int edge[] = {1, 3, -1, 0, 2, -1, 1, -1, 0, -1};
  static float vert[12];
  const float height[4] = {-1, 0, height_of_2, 1e-3f};
  for (int k = 0; k < 4; k++) {
    vert[3 * k] = (float)(k % 2), vert[3 * k + 1] = (float)(k / 2), vert[3 * k + 2] = height[k];
  }
  return (cfConvex){.m = m,
                    .radius = m->geom_rbound[0],
                    .pos = pos,
                    .mat = mat,
                    .vert = vert,
                    .nvert = 4,
                    .nhull = 4,
                    .global_id = id,
                    .edge_adr = adr,
                    .edge = edge,
                    .start = start,
                    .vertex = -1,
                    .hull_vertex = -1};
}


// flaws of hulls are some 1e-7 of their size: only what stands out by ten times that is a peak
CF_TEST(hull_walk__hint_at_a_vertex_that_hardly_stands_out__walk_from_the_first_vertex) {
  const mjtNum up[3] = {0, 0, 1};
  char* text = meshText(onBevel, 24);
  cfScene scene = cf_sceneFromText(text);
  const double size = scene.m->geom_rbound[0];
  static const struct {
    double drop;
    int peak, reached;
  } cases[] = {{5e-7, -1, 3}, {1e-7, -1, 3}, {2e-6, 2, 2}, {1e-4, 2, 2}};
  CF_EQ_INT(cfi_hullDirection(0, 0, 1), 14);
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    mjtNum point[3];
    cfConvex s = flawedHull(scene.m, (float)(cases[k].drop * size));
    CF_EQ_INT(cfi_findPeak(&s, up), cases[k].peak);
    cfi_supportHull(&s, up, point);
    CF_EQ_INT(s.hull_vertex, cases[k].reached);
  }
  cf_freeScene(scene);
  free(text);
}


CF_TEST_MAIN("collision/hullwalk")
