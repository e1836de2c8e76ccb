// The camera of models that bring none: aimed so that what moves fills the picture.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { GEOMS_AT_FIRST = 1000, CORNERS = 8, AIMING_STEPS = 12, MOST_ROOMS = 5 };

// angles of MuJoCo's free camera, and those that are taken in their place [deg]
static const double plain_angles[2] = {90, -45}, studio_angles[2] = {122, -20};

// how much of the picture's height and width the subject takes
static const double filled = 0.78;

// poles, tables and obstacles near the subject are shown with it, up to so many times its radius;
// walls and grounds are not
static const double most_radii = 1.7;

// points that shall be seen, and the box around them
typedef struct {
  double (*point)[3];
  int count;
  double low[3], high[3];
} cloud;


//---------------------------------- what is to be seen --------------------------------------------

static void addPoint(cloud* c, const double point[3]) {
  for (int k = 0; k < 3; k++) {
    c->low[k] = c->count ? fmin(c->low[k], point[k]) : point[k];
    c->high[k] = c->count ? fmax(c->high[k], point[k]) : point[k];
  }
  memcpy(c->point[c->count++], point, sizeof(c->point[0]));
}


// corners of the box around an object of a scene
static void corners(const mjModel* m, const mjvGeom* geom, double corner[CORNERS][3]) {
  double center[3] = {0, 0, 0}, half[3];
  for (int k = 0; k < 3; k++) {
    half[k] = geom->size[k];
  }
  if (geom->objtype == mjOBJ_GEOM) {
    for (int k = 0; k < 3; k++) {
      center[k] = m->geom_aabb[6 * geom->objid + k];
      half[k] = m->geom_aabb[6 * geom->objid + 3 + k];
    }
  } else if (geom->type == mjGEOM_CAPSULE) {
    half[2] += geom->size[0];
  }
  for (int n = 0; n < CORNERS; n++) {
    double local[3];
    for (int k = 0; k < 3; k++) {
      local[k] = center[k] + (n >> k & 1 ? half[k] : -half[k]);
    }
    for (int k = 0; k < 3; k++) {
      const float* row = geom->mat + 3 * k;
      corner[n][k] = geom->pos[k] + row[0] * local[0] + row[1] * local[1] + row[2] * local[2];
    }
  }
}


static void addVertices(cloud* c, const mjvScene* scn, const mjvGeom* geom) {
  const bool is_flex = geom->type == mjGEOM_FLEX;
  const int first = (is_flex ? scn->flexvertadr : scn->skinvertadr)[geom->objid];
  const int count = (is_flex ? scn->flexvertnum : scn->skinvertnum)[geom->objid];
  const float* vertices = (is_flex ? scn->flexvert : scn->skinvert) + 3 * first;
  for (int n = 0; n < count; n++) {
    addPoint(c, (const double[3]){vertices[3 * n], vertices[3 * n + 1], vertices[3 * n + 2]});
  }
}


static bool isDrawn(const mjvGeom* geom) {
  return geom->type != mjGEOM_PLANE && geom->category != mjCAT_DECOR && geom->rgba[3] > 0;
}


static void addObjects(cloud* c, const mjModel* m, const mjvScene* scn, int category) {
  for (int n = 0; n < scn->ngeom; n++) {
    const mjvGeom* geom = scn->geoms + n;
    if (!isDrawn(geom) || geom->category != category) {
      continue;
    }
    if (geom->type == mjGEOM_FLEX || geom->type == mjGEOM_SKIN) {
      addVertices(c, scn, geom);
      continue;
    }
    double corner[CORNERS][3];
    corners(m, geom, corner);
    for (int k = 0; k < CORNERS; k++) {
      addPoint(c, corner[k]);
    }
  }
}


// the box around an object
static void boxAround(double corner[CORNERS][3], double low[3], double high[3]) {
  for (int k = 0; k < 3; k++) {
    low[k] = high[k] = corner[0][k];
    for (int n = 1; n < CORNERS; n++) {
      low[k] = fmin(low[k], corner[n][k]);
      high[k] = fmax(high[k], corner[n][k]);
    }
  }
}


// half the diagonal of a cloud's box together with another
static double jointRadius(const cloud* c, const double low[3], const double high[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double side = fmax(c->high[k], high[k]) - fmin(c->low[k], low[k]);
    sum += side * side / 4;
  }
  return sqrt(sum);
}


static bool isInside(const double point[3], const double low[3], const double high[3]) {
  bool is_inside = true;
  for (int k = 0; k < 3; k++) {
    is_inside &= low[k] <= point[k] && point[k] <= high[k];
  }
  return is_inside;
}


// objects that do not move: those that leave the subject large enough, or, with a point, those
// around it.  False if there is none
static bool addSurroundings(cloud* c, const mjModel* m, const mjvScene* scn, double most,
                            const double* eye) {
  bool is_any = false;
  for (int n = 0; n < scn->ngeom; n++) {
    const mjvGeom* geom = scn->geoms + n;
    double corner[CORNERS][3], low[3], high[3];
    if (!isDrawn(geom) || geom->category != mjCAT_STATIC || geom->type == mjGEOM_SKIN ||
        geom->type == mjGEOM_FLEX || geom->type == mjGEOM_HFIELD) {
      continue;
    }
    corners(m, geom, corner);
    boxAround(corner, low, high);
    const bool is_taken = eye ? isInside(eye, low, high) &&
                                    jointRadius(c, low, high) > jointRadius(c, c->low, c->high)
                              : jointRadius(c, low, high) <= most;
    for (int k = 0; k < CORNERS && is_taken; k++) {
      addPoint(c, corner[k]);
    }
    is_any |= is_taken;
  }
  return is_any;
}


// most points that a scene can give
static size_t pointRoom(const mjvScene* scn) {
  size_t room = CORNERS * (size_t)scn->ngeom;
  for (int k = 0; k < scn->nflex; k++) {
    room += (size_t)scn->flexvertnum[k];
  }
  for (int k = 0; k < scn->nskin; k++) {
    room += (size_t)scn->skinvertnum[k];
  }
  return room;
}


//---------------------------------- how it is seen ------------------------------------------------

// the camera's axes: right, up, backward
typedef struct {
  double axis[3][3], slope[2];  // slopes of the picture's edges
} view;


// a point in the camera's axes, from the point that is looked at
static void seenFrom(const view* v, const double lookat[3], const double point[3], double seen[3]) {
  for (int k = 0; k < 3; k++) {
    seen[k] = 0;
    for (int i = 0; i < 3; i++) {
      seen[k] += v->axis[k][i] * (point[i] - lookat[i]);
    }
  }
}


// smallest distance from which all points are inside the picture, and how far off its middle they
// are: right and up [m]
static double fit(const cloud* c, const view* v, const double lookat[3], double offset[2]) {
  double distance = 0, seen[3];
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int n = 0; n < c->count; n++) {
    seenFrom(v, lookat, c->point[n], seen);
    for (int k = 0; k < 2; k++) {
      distance = fmax(distance, fabs(seen[k]) / v->slope[k] + seen[2]);
    }
  }
  for (int n = 0; n < c->count; n++) {
    seenFrom(v, lookat, c->point[n], seen);
    for (int k = 0; k < 2; k++) {
      const double share = seen[k] / fmax(distance - seen[2], mjMINVAL);
      low[k] = fmin(low[k], share);
      high[k] = fmax(high[k], share);
    }
  }
  for (int k = 0; k < 2; k++) {
    offset[k] = distance * (low[k] + high[k]) / 2;
  }
  return distance;
}


static void aim(const mjModel* m, const cloud* c, double aspect, mjvCamera* cam) {
  const double a = cam->azimuth * mjPI / 180, e = cam->elevation * mjPI / 180;
  const double half = filled * tan(m->vis.global.fovy * mjPI / 360);
  const view v = {{{sin(a), -cos(a), 0},
                   {-sin(e) * cos(a), -sin(e) * sin(a), cos(e)},
                   {-cos(e) * cos(a), -cos(e) * sin(a), -sin(e)}},
                  {half * aspect, half}};
  for (int k = 0; k < 3; k++) {
    cam->lookat[k] = (c->low[k] + c->high[k]) / 2;
  }
  for (int step = 0; step < AIMING_STEPS; step++) {
    double offset[2];
    cam->distance = fit(c, &v, cam->lookat, offset);
    for (int k = 0; k < 3; k++) {
      cam->lookat[k] += offset[0] * v.axis[0][k] + offset[1] * v.axis[1][k];
    }
  }
  // nothing may be nearer than the near plane
  cam->distance = fmax(cam->distance, 3 * m->vis.map.znear * m->stat.extent);
}


// a camera inside an object would see that alone: such objects are shown, too
static void aimFromOutside(const mjModel* m, const mjvScene* scn, cloud* c, double aspect,
                           mjvCamera* cam) {
  bool is_inside = c->count > 0;
  for (int n = 0; n < MOST_ROOMS && is_inside; n++) {
    double eye[3], ahead[3];
    aim(m, c, aspect, cam);
    mjv_cameraFrame(eye, ahead, NULL, NULL, NULL, cam);
    is_inside = addSurroundings(c, m, scn, 0, eye);
  }
}


// true if center and extent are those that the compiler finds: the author has chosen no view
static bool hasFoundView(const mjModel* m) {
  mjModel* copy = mj_copyModel(NULL, m);
  mjData* d = copy ? mj_makeData(copy) : NULL;
  bool is_found = false;
  if (d) {
    mj_setConst(copy, d);
    is_found = fabs(copy->stat.extent - m->stat.extent) <= 1e-6 * m->stat.extent;
    for (int k = 0; k < 3; k++) {
      is_found &= fabs(copy->stat.center[k] - m->stat.center[k]) <= 1e-6 * m->stat.extent;
    }
  }
  mj_deleteData(d);
  mj_deleteModel(copy);
  return is_found;
}


void cli_freeCamera(const mjModel* m, mjData* d, double aspect, mjvCamera* cam) {
  mjv_defaultFreeCamera(m, cam);
  if (m->vis.global.orthographic || !hasFoundView(m)) {
    return;
  }
  if (cam->azimuth == plain_angles[0] && cam->elevation == plain_angles[1]) {
    cam->azimuth = studio_angles[0];
    cam->elevation = studio_angles[1];
  }
  mjvOption option;
  mjvScene scn;
  mjv_defaultOption(&option);
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, GEOMS_AT_FIRST);
  cli_updateScene(m, d, &option, NULL, cam, &scn);
  cloud c = {.point = malloc((1 + MOST_ROOMS) * (pointRoom(&scn) + 1) * sizeof(*c.point))};
  if (c.point) {
    addObjects(&c, m, &scn, mjCAT_DYNAMIC);
    if (c.count) {
      addSurroundings(&c, m, &scn, most_radii * jointRadius(&c, c.low, c.high), NULL);
    } else {
      addObjects(&c, m, &scn, mjCAT_STATIC);
    }
    aimFromOutside(m, &scn, &c, aspect, cam);
  }
  free(c.point);
  mjv_freeScene(&scn);
}


void cli_defaultCamera(const mjModel* m, mjData* d, double aspect, mjvCamera* cam) {
  cli_freeCamera(m, d, aspect, cam);
  if (m->vis.global.cameraid >= 0 && m->vis.global.cameraid < m->ncam) {
    cam->type = mjCAMERA_FIXED;
    cam->fixedcamid = m->vis.global.cameraid;
  }
}
