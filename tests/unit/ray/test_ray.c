// Rays against geoms: implicit surfaces, other algorithms, filters, and numbers of MuJoCo 3.5.0.
#include "collidetest.h"

static const char objects[] =
    "<mujoco><asset><mesh name='m' builtin='supersphere' params='12 .6 1.3' scale='.4 .5 .6'/>"
    "<hfield name='h' nrow='4' ncol='5' size='.5 .4 .3 .1'"
    " elevation='0 .2 .5 .1 .3  .9 .4 .2 .7 .6  .1 .8 1 .3 .2  .4 .5 .6 .2 0'/></asset>"
    "<worldbody><geom type='plane' size='2 3 1' pos='0 0 -2' euler='5 10 0'/>"
    "<body pos='.1 .2 .3' euler='10 20 30'><freejoint/>"
    "<geom type='sphere' size='.4' pos='-2 0 0'/><geom type='capsule' size='.2 .3' pos='2 0 0' euler='40 0 0'/>"
    "<geom type='ellipsoid' size='.2 .3 .5' pos='0 2 0'/><geom type='cylinder' size='.3 .4' pos='0 -2 0' euler='0 70 0'/>"
    "<geom type='box' size='.2 .3 .4' pos='0 0 2' euler='20 0 50'/></body>"
    "<body pos='2 2 1' euler='20 0 10'><geom type='mesh' mesh='m' mass='1'/></body>"
    "<geom type='hfield' hfield='h' pos='-2 -2 0' euler='0 10 40'/></worldbody></mujoco>";


static cfScene objectScene(void) {
  cfScene s = cf_sceneFromText(objects);
  mj_forward(s.m, s.d);
  return s;
}


// a ray from somewhere outside to somewhere near a geom
static void randomRay(const mjData* d, int geom, mjtNum pnt[3], mjtNum vec[3]) {
  for (int k = 0; k < 3; k++) {
    pnt[k] = cf_uniform(-4, 4);
    vec[k] = d->geom_xpos[3 * geom + k] + cf_uniform(-.5, .5) - pnt[k];
  }
}


// how far a point is outside of a geom, in some measure that is zero on its surface
static mjtNum outside(const mjModel* m, const mjData* d, int geom, const mjtNum point[3]) {
  const mjtNum *size = m->geom_size + 3 * geom, *mat = d->geom_xmat + 9 * geom;
  mjtNum offset[3], p[3];
  mju_sub3(offset, point, d->geom_xpos + 3 * geom);
  mju_mulMatTVec3(p, mat, offset);
  const mjtNum radial = sqrt(p[0] * p[0] + p[1] * p[1]);
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE:
      return p[2];
    case mjGEOM_SPHERE:
      return mju_norm3(p) - size[0];
    case mjGEOM_CAPSULE:
      return hypot(radial, fmax(0, fabs(p[2]) - size[1])) - size[0];
    case mjGEOM_ELLIPSOID:
      return sqrt(pow(p[0] / size[0], 2) + pow(p[1] / size[1], 2) + pow(p[2] / size[2], 2)) - 1;
    case mjGEOM_CYLINDER:
      return fmax(radial - size[0], fabs(p[2]) - size[1]);
    default:
      return fmax(fmax(fabs(p[0]) - size[0], fabs(p[1]) - size[1]), fabs(p[2]) - size[2]);
  }
}


CF_TEST(rayGeom__implicit_surfaces__first_point_of_the_surface) {
  cfScene s = objectScene();
  int hits = 0;
  for (int trial = 0; trial < 6000; trial++) {
    const int g = trial % 6 ? 1 + trial % 6 : 0;  // all but height field and mesh
    mjtNum pnt[3], vec[3], point[3], normal[3];
    randomRay(s.d, g, pnt, vec);
    const mjtNum x = mju_rayGeom(s.d->geom_xpos + 3 * g, s.d->geom_xmat + 9 * g,
                                 s.m->geom_size + 3 * g, pnt, vec, s.m->geom_type[g], normal);
    if (outside(s.m, s.d, g, pnt) < 1e-3) {
      continue;
    }

    // nothing is hit before the surface, and with no hit nothing lies on the ray
    const mjtNum last = x < 0 ? 3 : x;
    for (int k = 0; k < 40 && s.m->geom_type[g] != mjGEOM_PLANE; k++) {
      mju_addScl3(point, pnt, vec, last * k / 40.0);
      CF_TRUE(outside(s.m, s.d, g, point) > -1e-9);
    }
    if (x >= 0) {
      hits++;
      mju_addScl3(point, pnt, vec, x);
      CF_NEAR(outside(s.m, s.d, g, point), 0, 1e-9);
      CF_NEAR(mju_norm3(normal), 1, 1e-9);
      CF_TRUE(mju_dot3(normal, vec) <= 1e-9);
    }
  }
  CF_TRUE(hits > 1500);
  cf_freeScene(s);
}


// Moeller and Trumbore: parameter of the hit, -1 without one
static mjtNum hitTriangle(const mjtNum o[3], const mjtNum dir[3], mjtNum v[3][3]) {
  mjtNum e1[3], e2[3], p[3], t[3], q[3];
  mju_sub3(e1, v[1], v[0]);
  mju_sub3(e2, v[2], v[0]);
  mju_cross(p, dir, e2);
  const mjtNum det = mju_dot3(e1, p);
  mju_sub3(t, o, v[0]);
  mju_cross(q, t, e1);
  const mjtNum a = mju_dot3(t, p) / det, b = mju_dot3(dir, q) / det, x = mju_dot3(e2, q) / det;
  return fabs(det) > 1e-12 && a >= 0 && b >= 0 && a + b <= 1 && x >= 0 ? x : -1;
}


CF_TEST(rayMesh__walk_over_the_tree__same_as_all_triangles) {
  cfScene s = objectScene();
  const int g = 7;
  CF_EQ_INT(s.m->geom_type[g], mjGEOM_MESH);
  int hits = 0;
  for (int trial = 0; trial < 300; trial++) {
    mjtNum pnt[3], vec[3], offset[3], o[3], dir[3], best = -1;
    randomRay(s.d, g, pnt, vec);
    mju_sub3(offset, pnt, s.d->geom_xpos + 3 * g);
    mju_mulMatTVec3(o, s.d->geom_xmat + 9 * g, offset);
    mju_mulMatTVec3(dir, s.d->geom_xmat + 9 * g, vec);
    for (int f = 0; f < s.m->nmeshface; f++) {
      mjtNum v[3][3];
      for (int k = 0; k < 9; k++) {
        v[k / 3][k % 3] = s.m->mesh_vert[3 * s.m->mesh_face[3 * f + k / 3] + k % 3];
      }
      const mjtNum x = hitTriangle(o, dir, v);
      best = x >= 0 && (best < 0 || x < best) ? x : best;
    }
    CF_NEAR(mj_rayMesh(s.m, s.d, g, pnt, vec, NULL), best, 1e-9);
    hits += best >= 0;
  }
  CF_TRUE(hits > 100);
  cf_freeScene(s);
}


// a point inside one of the two triangles of a random cell, and on the way in from above it
static void terrainPoint(const mjModel* m, mjtNum point[3]) {
  const int nrow = m->hfield_nrow[0], ncol = m->hfield_ncol[0];
  const int r = (int)cf_uniform(0, nrow - 1.001), c = (int)cf_uniform(0, ncol - 1.001);
  const mjtNum* size = m->hfield_size;
  const mjtNum a = cf_uniform(0.01, 0.98), b = cf_uniform(0.005, 1) * (0.99 - a);
  const int is_upper = cf_uniform(0, 1) > 0.5,
            corner[3][2] = {{0, 0}, {1, 1}, {is_upper, !is_upper}};
  const mjtNum weight[3] = {1 - a - b, a, b};
  mju_zero3(point);
  for (int k = 0; k < 3; k++) {
    const int row = r + corner[k][0], column = c + corner[k][1];
    const mjtNum p[3] = {2 * size[0] * column / (ncol - 1) - size[0],
                         2 * size[1] * row / (nrow - 1) - size[1],
                         size[2] * m->hfield_data[row * ncol + column]};
    mju_addToScl3(point, p, weight[k]);
  }
}


CF_TEST(rayHfield__aimed_at_a_point_of_the_terrain__stops_there_or_before) {
  cfScene s = objectScene();
  int geom = 0, there = 0;
  while (s.m->geom_type[geom] != mjGEOM_HFIELD) {
    geom++;
  }
  for (int k = 0; k < 4000; k++) {
    mjtNum target[3], from[3], pnt[3], vec[3], dist;
    terrainPoint(s.m, target);
    const mjtNum offset[3] = {cf_uniform(-2, 2), cf_uniform(-2, 2), cf_uniform(0.02, 1.5)};
    mju_add3(from, target, offset);
    mju_mulMatVec3(pnt, s.d->geom_xmat + 9 * geom, from);
    mju_addTo3(pnt, s.d->geom_xpos + 3 * geom);
    mju_mulMatVec3(vec, s.d->geom_xmat + 9 * geom, offset);
    mju_scl3(vec, vec, -1);
    dist = mj_rayHfield(s.m, s.d, geom, pnt, vec, NULL);
    CF_TRUE(dist >= 0 && dist <= 1 + 1e-9);
    there += dist > 1 - 1e-9;
  }
  CF_TRUE(there > 1000);
  cf_freeScene(s);
}


CF_TEST(multiRay__many_directions__same_as_single_rays) {
  enum { N = 200 };
  cfScene s = objectScene();
  mjtNum vec[3 * N], dist[N], normal[3 * N];
  const mjtNum pnt[3] = {.3, -.2, .4};
  int geom[N];
  for (int k = 0; k < 3 * N; k++) {
    vec[k] = cf_uniform(-1, 1);
  }
  for (int exclude = -1; exclude < 2; exclude++) {
    mj_multiRay(s.m, s.d, pnt, vec, NULL, 1, exclude, geom, dist, normal, N, 100);
    for (int k = 0; k < N; k++) {
      int id;
      mjtNum single[3];
      CF_NEAR(mj_ray(s.m, s.d, pnt, vec + 3 * k, NULL, 1, exclude, &id, single), dist[k], 1e-12);
      CF_EQ_INT(geom[k], id);
      if (id >= 0) {
        CF_NEAR_ARRAY(normal + 3 * k, single, 3, 1e-12);
      }
    }
  }
  cf_freeScene(s);
}


CF_TEST(ray__group_static_and_body_filters__leave_geoms_out) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><geom size='.1' pos='1 0 0'/><body pos='2 0 0'><freejoint/><geom size='.1' group='2'/></body>"
      "<body pos='3 0 0'><freejoint/><geom size='.1' group='3'/></body></worldbody></mujoco>");
  const mjtNum pnt[3] = {0, 0, 0}, vec[3] = {1, 0, 0};
  const mjtByte third[mjNGROUP] = {0, 0, 0, 1};
  int geom;
  CF_NEAR(mj_ray(s.m, s.d, pnt, vec, NULL, 1, -1, &geom, NULL), 0.9, 1e-14);
  CF_EQ_INT(geom, 0);
  CF_NEAR(mj_ray(s.m, s.d, pnt, vec, NULL, 0, -1, &geom, NULL), 1.9, 1e-14);
  CF_EQ_INT(geom, 1);
  CF_NEAR(mj_ray(s.m, s.d, pnt, vec, NULL, 0, 1, &geom, NULL), 2.9, 1e-14);
  CF_NEAR(mj_ray(s.m, s.d, pnt, vec, third, 1, -1, &geom, NULL), 2.9, 1e-14);
  CF_NEAR(mj_ray(s.m, s.d, pnt, vec, third, 1, 2, &geom, NULL), -1, 0);
  CF_EQ_INT(geom, -1);
  cf_freeScene(s);
}


static int countMarks(const mjModel* m, const mjData* d) {
  int n = 0;
  for (int i = 0; i < m->nbvh; i++) {
    n += d->bvh_active[i] != 0;
  }
  return n;
}


CF_TEST(rayMesh__marked_nodes__cleared_by_the_next_collision) {
  cfScene s = cf_sceneFromText(
      "<mujoco><asset><mesh name='m' builtin='sphere' params='3'/></asset><worldbody>"
      "<geom type='mesh' mesh='m'/></worldbody></mujoco>");
  const mjtNum pnt[3] = {-3, .1, .2}, vec[3] = {1, 0, 0};
  mj_collision(s.m, s.d);
  CF_EQ_INT(countMarks(s.m, s.d), 0);
  CF_TRUE(mj_ray(s.m, s.d, pnt, vec, NULL, 1, -1, NULL, NULL) > 0);
  CF_TRUE(countMarks(s.m, s.d) > 3);

  // a copy has the marks and clears them as well
  mjData* copy = mj_copyData(NULL, s.m, s.d);
  CF_EQ_INT(countMarks(s.m, copy), countMarks(s.m, s.d));
  mj_collision(s.m, copy);
  CF_EQ_INT(countMarks(s.m, copy), 0);
  mj_collision(s.m, s.d);
  CF_EQ_INT(countMarks(s.m, s.d), 0);
  mj_resetDataDebug(s.m, s.d, 7);
  mj_collision(s.m, s.d);
  CF_EQ_INT(countMarks(s.m, s.d), 0);
  mj_deleteData(copy);
  cf_freeScene(s);
}


CF_TEST(ray__all_geom_types__recorded_distances) {
  cfScene s = objectScene();
  const mjtNum pnt[3] = {.5, .6, 3.2};
  const mjtNum distance[8] = {1.0016930859346387, 0.9474967186668044, 0.8946962134088162,
                              0.9312508345878631, 0.852830119085529,  0.2540656859323612,
                              0.7972088068721473, 0.8349211406688085};
  const int hit[8] = {0, 1, 2, 3, 4, 6, 6, 7};  // the box hides the cylinder
  for (int g = 0; g < s.m->ngeom; g++) {
    mjtNum vec[3];
    mju_sub3(vec, s.d->geom_xpos + 3 * g, pnt);
    vec[0] += .05;
    int id;
    CF_NEAR(mj_ray(s.m, s.d, pnt, vec, NULL, 1, -1, &id, NULL), distance[g], 1e-12);
    CF_EQ_INT(id, hit[g]);
  }
  cf_freeScene(s);
}


CF_TEST_MAIN("ray")
