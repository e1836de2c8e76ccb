// mujoco.sensor.touch_grid: contact forces on a body as a picture, seen from a site.
//
// The site looks along its negative z axis. A contact is seen at an azimuth (towards x) and an
// elevation (towards y); both are cut into cells, equal ones or finer in the middle (gamma).
// Channels are the force along z, x, y and the torque about z, x, y, each summed over the contacts
// of a cell.
#include <math.h>

#include "../config.h"
#include "../libm.h"

enum { MAX_CHANNELS = 6 };

// configuration of an instance and the mean distance of what it sees in each cell
typedef struct {
  int channels;
  int size[2];  // cells in azimuth and elevation
  mjtNum fov[2], gamma;
  mjtNum* edge[2];  // bounds of the cells, size + 1 angles
  mjtNum* distance;
  int* hits;  // contacts per cell
} touchGrid;

// what a site looks at
typedef struct {
  int sensor, site;
  int body;  // first body of those welded to the site's
} touchView;


//---------------------------------- configuration -------------------------------------------------

// numbers between single spaces; how many there are, at most `room` of them kept
static int splitNumbers(const char* text, double* number, int room) {
  int count = 0;
  while (*text) {
    if (count < room) {
      char item[64];
      const size_t length = strcspn(text, " ");
      const size_t kept = length < sizeof(item) - 1 ? length : sizeof(item) - 1;
      memcpy(item, text, kept);
      item[kept] = 0;
      number[count] = strtod(item, NULL);
    }
    count++;
    text += strcspn(text, " ");
    text += *text == ' ';
  }
  return count;
}


static int channelCount(const mjModel* m, int instance) {
  const int count = (int)strtod(configText(m, instance, "nchannel"), NULL);
  return count ? count : 1;
}


// read into g; what is wrong with it, or NULL
static const char* readGrid(const mjModel* m, int instance, touchGrid* g) {
  double size[2], fov[2];
  if (!isNumber(configText(m, instance, "gamma")) ||
      !isNumber(configText(m, instance, "nchannel"))) {
    return "Invalid or missing parameters in touch_grid sensor plugin";
  }
  g->channels = channelCount(m, instance);
  if (g->channels < 1 || g->channels > MAX_CHANNELS) {
    return "nchannel must be between 1 and 6";
  }
  if (splitNumbers(configText(m, instance, "size"), size, 2) != 2) {
    return "Both horizontal and vertical resolutions must be specified";
  }
  if (!(size[0] >= 1 && size[1] >= 1)) {
    return "Horizontal and vertical resolutions must be positive";
  }
  if (!(size[0] * size[1] < 1e8)) {
    return "Horizontal and vertical resolutions are too large";
  }
  if (splitNumbers(configText(m, instance, "fov"), fov, 2) != 2) {
    return "Both horizontal and vertical fields of view must be specified";
  }
  if (!(fov[0] > 0 && fov[0] <= 180)) {
    return "`fov[0]` must be a float between (0, 180] degrees";
  }
  if (!(fov[1] > 0 && fov[1] <= 90)) {
    return "`fov[1]` must be a float between (0, 90] degrees";
  }
  configNumber(m, instance, "gamma", &g->gamma);
  for (int k = 0; k < 2; k++) {
    g->size[k] = (int)size[k];
    g->fov[k] = fov[k];
  }
  return g->gamma >= 0 && g->gamma <= 1 ? NULL
                                        : "`gamma` must be a nonnegative float between [0, 1]";
}


// bounds of the cells over [-1, 1], denser in the middle by a quintic, then over the field of view
static void setEdges(touchGrid* g, int axis) {
  const int cells = g->size[axis];
  const mjtNum step = 2.0 / cells, scale = g->fov[axis] * mjPI / 180;
  mjtNum at = -1;
  for (int i = 0; i <= cells; i++) {
    const mjtNum curved = g->gamma != 0 ? g->gamma * cfi_pow(at, 5) + (1 - g->gamma) * at : at;
    g->edge[axis][i] = curved * scale;
    at += step;
  }
}


//---------------------------------- reading -------------------------------------------------------

// the first sensor of an instance; false where it has none
static bool findView(const mjModel* m, int instance, touchView* view) {
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_type[i] == mjSENS_PLUGIN && m->sensor_plugin[i] == instance) {
      view->sensor = i;
      view->site = m->sensor_objid[i];
      view->body = m->body_weldid[m->site_bodyid[view->site]];
      return true;
    }
  }
  return false;
}


// cell with low < angle <= high, -1 outside
static int cellOf(const mjtNum* edge, int cells, mjtNum angle) {
  if (!(angle > edge[0]) || angle > edge[cells]) {
    return -1;
  }
  int low = 0, high = cells;  // edge[low] < angle <= edge[high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (angle > edge[middle]) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}


// force and torque of a contact on the body, in the site's frame, z first
static void forceOnSite(const mjModel* m, const mjData* d, int contact, const touchView* view,
                        mjtNum channel[MAX_CHANNELS]) {
  const mjContact* con = d->contact + contact;
  const mjtNum* frame = d->site_xmat + 9 * view->site;
  const int b1 = m->geom_bodyid[con->geom[0]], b2 = m->geom_bodyid[con->geom[1]];
  mjtNum force[6];
  mj_contactForce(m, d, contact, force);

  // forces point from the body with the smaller id to the other one
  const mjtNum sign = view->body < (b1 > b2 ? b1 : b2) ? -1 : 1;
  for (int half = 0; half < 2; half++) {
    mjtNum world[3], local[3];
    mju_mulMatTVec3(world, con->frame, force + 3 * half);
    mju_mulMatTVec3(local, frame, world);
    for (int k = 0; k < 3; k++) {
      channel[3 * half + k] = sign * local[(k + 2) % 3];
    }
  }
}


// where a contact is seen: cell, -1 outside the field of view, and distance
static int placeOnGrid(const mjData* d, const touchGrid* g, const touchView* view,
                       const mjContact* con, mjtNum* distance) {
  mjtNum offset[3], p[3];
  mju_sub3(offset, con->pos, d->site_xpos + 3 * view->site);
  mju_mulMatTVec3(p, d->site_xmat + 9 * view->site, offset);
  const mjtNum flat = p[0] * p[0] + p[2] * p[2];
  const int column = cellOf(g->edge[0], g->size[0], cfi_atan2(p[0], -p[2]));
  const int row = cellOf(g->edge[1], g->size[1], cfi_atan2(p[1], mju_sqrt(flat)));
  *distance = mju_sqrt(flat + p[1] * p[1]);
  return column < 0 || row < 0 ? -1 : row * g->size[0] + column;
}


static void senseTouch(const mjModel* m, mjData* d, int instance, int capability) {
  (void)capability;
  touchGrid* g = (touchGrid*)d->plugin_data[instance];
  touchView view;
  if (!findView(m, instance, &view)) {
    return;
  }
  const int cells = g->size[0] * g->size[1];
  mjtNum* reading = d->sensordata + m->sensor_adr[view.sensor];
  mju_zero(reading, m->sensor_dim[view.sensor]);
  mju_zero(g->distance, cells);
  memset(g->hits, 0, (size_t)cells * sizeof(int));
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    mjtNum channel[MAX_CHANNELS], distance;
    if (con->geom[0] < 0 || con->geom[1] < 0 ||
        (m->body_weldid[m->geom_bodyid[con->geom[0]]] != view.body &&
         m->body_weldid[m->geom_bodyid[con->geom[1]]] != view.body)) {
      continue;
    }
    const int cell = placeOnGrid(d, g, &view, con, &distance);
    if (cell < 0) {
      continue;
    }
    forceOnSite(m, d, i, &view, channel);
    for (int k = 0; k < g->channels; k++) {
      reading[k * cells + cell] += channel[k];
    }
    g->distance[cell] += distance;
    g->hits[cell]++;
  }
  for (int i = 0; i < cells; i++) {
    g->distance[i] = g->hits[i] ? g->distance[i] / g->hits[i] : 0;
  }
}


//---------------------------------- looks ---------------------------------------------------------

// a box in the middle of a cell, as far away as what is seen there
static void showCell(const mjData* d, const touchGrid* g, const touchView* view, int column,
                     int row, const float rgba[4], mjvGeom* geom) {
  static const mjtNum thickness = 0.02;  // relative to the distance
  const mjtNum distance = g->distance[row * g->size[0] + column], away = distance * (1 - thickness);
  const mjtNum *x = g->edge[0] + column, *y = g->edge[1] + row;
  const mjtNum azimuth = 0.5 * (x[1] + x[0]), elevation = 0.5 * (y[1] + y[0]);
  const mjtNum* frame = d->site_xmat + 9 * view->site;
  const mjtNum half[3] = {distance * 0.5 * (x[1] - x[0]), distance * 0.5 * (y[1] - y[0]),
                          distance * thickness};
  const mjtNum seen[3] = {away * cfi_cos(elevation) * cfi_sin(azimuth), away * cfi_sin(elevation),
                          -away * cfi_cos(elevation) * cfi_cos(azimuth)};
  const mjtNum right[3] = {frame[0], frame[3], frame[6]},
               down[3] = {-frame[1], -frame[4], -frame[7]};
  mjtNum pos[3], site[4], turn_x[4], turn_y[4], quat[4], mat[9];
  mju_mulMatVec3(pos, frame, seen);
  mju_addTo3(pos, d->site_xpos + 3 * view->site);
  mju_mat2Quat(site, frame);
  mju_axisAngle2Quat(turn_y, down, azimuth);
  mju_axisAngle2Quat(turn_x, right, elevation);
  mju_mulQuat(quat, turn_x, site);
  mju_mulQuat(quat, turn_y, quat);
  mju_quat2Mat(mat, quat);
  mjv_initGeom(geom, mjGEOM_BOX, half, pos, mat, rgba);
  geom->objtype = mjOBJ_UNKNOWN;
  geom->objid = view->sensor;
  geom->category = mjCAT_DECOR;
}


static void showTouch(const mjModel* m, mjData* d, const mjvOption* opt, mjvScene* scn,
                      int instance) {
  (void)opt;
  const touchGrid* g = (const touchGrid*)d->plugin_data[instance];
  const int cells = g->size[0] * g->size[1];
  touchView view;
  mjtNum largest = 0;
  if (!findView(m, instance, &view)) {
    return;
  }
  const mjtNum* reading = d->sensordata + m->sensor_adr[view.sensor];
  for (int i = 0; i < cells; i++) {
    largest = mju_max(largest, mju_abs(reading[i]));
  }
  for (int k = 0; k < cells && largest > 0; k++) {
    const int column = k / g->size[1], row = k % g->size[1], cell = row * g->size[0] + column;
    float rgba[4] = {1, 1, 1, 1};
    if (g->distance[cell] == 0) {
      continue;
    }
    if (scn->ngeom >= scn->maxgeom) {
      mj_warning(d, mjWARN_VGEOMFULL, scn->maxgeom);
      return;
    }
    for (int c = 0; c < 3 && c < g->channels; c++) {
      rgba[c] = (float)(mju_abs(reading[c * cells + cell]) / largest);
    }
    showCell(d, g, &view, column, row, rgba, scn->geoms + scn->ngeom);
    scn->geoms[scn->ngeom].segid = scn->ngeom;
    scn->ngeom++;
  }
}


//---------------------------------- callbacks -----------------------------------------------------

static int noState(const mjModel* m, int instance) {
  (void)m;
  (void)instance;
  return 0;
}


// channels times cells; 0 where the configuration is no good, which init then says
static int touchNumbers(const mjModel* m, int instance, int sensor) {
  touchGrid g;
  (void)sensor;
  memset(&g, 0, sizeof(g));
  return readGrid(m, instance, &g) ? 0 : g.channels * g.size[0] * g.size[1];
}


// does every sensor of the instance sit on a site
static bool hasSites(const mjModel* m, int instance) {
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_type[i] == mjSENS_PLUGIN && m->sensor_plugin[i] == instance &&
        m->sensor_objtype[i] != mjOBJ_SITE) {
      return false;
    }
  }
  return true;
}


// one block: the grid, its edges, distances and hits
static touchGrid* newGrid(const touchGrid* from) {
  const size_t columns = (size_t)from->size[0], rows = (size_t)from->size[1];
  const size_t numbers = columns + 1 + rows + 1 + columns * rows;
  touchGrid* g =
      (touchGrid*)malloc(sizeof(*g) + numbers * sizeof(mjtNum) + columns * rows * sizeof(int));
  if (g) {
    *g = *from;
    g->edge[0] = (mjtNum*)(void*)(g + 1);
    g->edge[1] = g->edge[0] + columns + 1;
    g->distance = g->edge[1] + rows + 1;
    g->hits = (int*)(void*)(g->distance + columns * rows);
    mju_zero(g->distance, (int)(columns * rows));
    setEdges(g, 0);
    setEdges(g, 1);
  }
  return g;
}


static int initTouch(const mjModel* m, mjData* d, int instance) {
  touchGrid g;
  memset(&g, 0, sizeof(g));
  const char* trouble = readGrid(m, instance, &g);
  if (!trouble && !hasSites(m, instance)) {
    trouble = "Touch Grid sensor must be attached to a site";
  }
  d->plugin_data[instance] = 0;
  if (trouble) {
    mju_warning("%s", trouble);
    return -1;
  }
  touchGrid* kept = newGrid(&g);
  d->plugin_data[instance] = (uintptr_t)kept;
  return kept ? 0 : -1;
}


static void destroyTouch(mjData* d, int instance) {
  free((void*)d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}


mjPLUGIN_LIB_INIT {
  static const char* const keys[] = {"nchannel", "size", "fov", "gamma"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "mujoco.sensor.touch_grid";
  plugin.attributes = keys;
  plugin.nattribute = (int)(sizeof(keys) / sizeof(keys[0]));
  plugin.capabilityflags = mjPLUGIN_SENSOR;
  plugin.needstage = mjSTAGE_ACC;
  plugin.nstate = noState;
  plugin.nsensordata = touchNumbers;
  plugin.init = initTouch;
  plugin.destroy = destroyTouch;
  plugin.compute = senseTouch;
  plugin.visualize = showTouch;
  mjp_registerPlugin(&plugin);
}
