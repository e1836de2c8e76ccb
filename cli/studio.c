// A studio for models that bring no lights.
#include "studio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SKY_SIDE = 128,
  GRID_SIDE = 256,
  GRID_CELLS = 2,
  GRID_LINE = 3,
  FACES = 6,
  SKY = 0,
  GRID = 1
};

// what the headlight gives in a studio
static const float studio_ambient = 0.42f, studio_headlight = 0.16f;

// where lamps shine to, and how bright.  The first throws shadows: its direction has no x, since
// OpenGL lifts surfaces against stripes by their steeper side alone, and this light sees floors
// steep along one side of the map
static const double lamp_directions[2][3] = {{0, 0.6, -0.8}, {-0.75, 0.25, -0.6}};
static const float lamp_colors[2][3] = {{0.56f, 0.54f, 0.5f}, {0.12f, 0.14f, 0.18f}};

// half the width of the shadow map, in radii.  Texels of the map lie up to one beside where they
// are read, most at its rim: floors are free of stripes in the middle half, which is what the
// picture shows
static const double shadow_reach = 3.2;

// colors of the sky at its top, over and under the horizon, and at the bottom
static const double sky_colors[4][3] = {
    {0.36, 0.53, 0.75}, {0.87, 0.91, 0.95}, {0.80, 0.82, 0.84}, {0.70, 0.73, 0.77}};
static const double floor_colors[3][3] = {
    {0.74, 0.76, 0.79}, {0.68, 0.70, 0.74}, {0.86, 0.88, 0.90}};

// the color that geoms have when the model names none, and what bodies get in its place
static const float no_color[4] = {0.5f, 0.5f, 0.5f, 1};
static const float body_colors[][3] = {
    {0.90f, 0.55f, 0.25f}, {0.25f, 0.55f, 0.80f}, {0.45f, 0.70f, 0.35f}, {0.80f, 0.35f, 0.35f},
    {0.55f, 0.45f, 0.75f}, {0.90f, 0.75f, 0.30f}, {0.25f, 0.68f, 0.66f}, {0.85f, 0.50f, 0.65f}};
static const float odd_shade = 0.78f;
static const float world_color[3] = {0.66f, 0.66f, 0.68f};


//---------------------------------- textures ------------------------------------------------------

// color of the sky in a direction, z from -1 at the bottom to 1 at the top
static void skyColor(double z, mjtByte rgb[3]) {
  const double* from = z < 0 ? sky_colors[2] : sky_colors[1];
  const double* to = z < 0 ? sky_colors[3] : sky_colors[0];
  const double share = pow(fabs(z), 0.6);
  for (int k = 0; k < 3; k++) {
    rgb[k] = (mjtByte)(255 * ((1 - share) * from[k] + share * to[k]) + 0.5);
  }
}


// six faces of a cube: four sides, top and bottom third and fourth
static void paintSky(mjtByte* pixels) {
  for (int n = 0; n < FACES * SKY_SIDE * SKY_SIDE; n++) {
    const int face = n / (SKY_SIDE * SKY_SIDE), row = n / SKY_SIDE % SKY_SIDE, col = n % SKY_SIDE;
    const double x = 2 * (col + 0.5) / SKY_SIDE - 1, y = 1 - 2 * (row + 0.5) / SKY_SIDE;
    const double z = face == 2 ? 1 : (face == 3 ? -1 : y);
    skyColor(z / sqrt(1 + x * x + y * y), pixels + 3 * n);
  }
}


// squares in two tones with lines between them
static void paintGrid(mjtByte* pixels) {
  const int cell = GRID_SIDE / GRID_CELLS;
  for (int n = 0; n < GRID_SIDE * GRID_SIDE; n++) {
    const int row = n / GRID_SIDE, col = n % GRID_SIDE;
    const bool is_line = row % cell < GRID_LINE || col % cell < GRID_LINE;
    const double* color = floor_colors[is_line ? 2 : (row / cell + col / cell) % 2];
    for (int k = 0; k < 3; k++) {
      pixels[3 * n + k] = (mjtByte)(255 * color[k] + 0.5);
    }
  }
}


// room for an array that has more entries than the model's; NULL when memory is out
static void* extended(const void* array, size_t count, size_t more, size_t size) {
  char* copy = calloc(count + more, size);
  if (copy && count) {
    memcpy(copy, array, count * size);
  }
  return copy;
}


static void describeTexture(mjModel* m, int id, int type, int width, int height, size_t address) {
  m->tex_type[id] = type;
  m->tex_width[id] = width;
  m->tex_height[id] = height;
  m->tex_nchannel[id] = 3;
  m->tex_adr[id] = (mjtSize)address;
}


// the model with two textures and a material more; it shares all its other arrays
static bool addLook(mjModel* s, const mjModel* m) {
  const size_t ntex = (size_t)m->ntex, nmat = (size_t)m->nmat, bytes = (size_t)m->ntexdata;
  const size_t sky = 3 * FACES * SKY_SIDE * SKY_SIDE, grid = 3 * GRID_SIDE * GRID_SIDE;
  s->tex_type = extended(m->tex_type, ntex, 2, sizeof(int));
  s->tex_colorspace = extended(m->tex_colorspace, ntex, 2, sizeof(int));
  s->tex_height = extended(m->tex_height, ntex, 2, sizeof(int));
  s->tex_width = extended(m->tex_width, ntex, 2, sizeof(int));
  s->tex_nchannel = extended(m->tex_nchannel, ntex, 2, sizeof(int));
  s->tex_adr = extended(m->tex_adr, ntex, 2, sizeof(mjtSize));
  s->tex_data = extended(m->tex_data, bytes, sky + grid, 1);
  s->mat_texid = extended(m->mat_texid, mjNTEXROLE * nmat, mjNTEXROLE, sizeof(int));
  s->mat_texrepeat = extended(m->mat_texrepeat, 2 * nmat, 2, sizeof(float));
  s->mat_texuniform = extended(m->mat_texuniform, nmat, 1, 1);
  if (!s->tex_type || !s->tex_colorspace || !s->tex_height || !s->tex_width || !s->tex_nchannel ||
      !s->tex_adr || !s->tex_data || !s->mat_texid || !s->mat_texrepeat || !s->mat_texuniform) {
    return false;
  }
  s->ntex += 2;
  s->nmat += 1;
  s->ntexdata += (mjtSize)(sky + grid);
  describeTexture(s, (int)ntex + SKY, mjTEXTURE_SKYBOX, SKY_SIDE, FACES * SKY_SIDE, bytes);
  describeTexture(s, (int)ntex + GRID, mjTEXTURE_2D, GRID_SIDE, GRID_SIDE, bytes + sky);
  paintSky(s->tex_data + bytes);
  paintGrid(s->tex_data + bytes + sky);
  for (int k = 0; k < mjNTEXROLE; k++) {
    s->mat_texid[mjNTEXROLE * nmat + (size_t)k] = k == mjTEXROLE_RGB ? (int)ntex + GRID : -1;
  }
  s->mat_texuniform[nmat] = 1;
  return true;
}


//---------------------------------- life ----------------------------------------------------------

// length of the sides of the grid's squares: 1, 2 or 5 times a power of ten, some six in the
// picture
static double cellSize(double radius) {
  const double wanted = radius / 3, power = pow(10, floor(log10(wanted)));
  const double part = wanted / power;
  return power * (part < 2 ? 1 : (part < 5 ? 2 : 5));
}


void cli_openStudio(cliStudio* s, const mjModel* m, const mjvCamera* cam, bool is_plain) {
  memset(s, 0, sizeof(*s));
  s->grid = -1;
  if (is_plain || m->nlight > 0 || m->ntex > mjMAXTEXTURE - 2 || m->nmat > mjMAXMATERIAL - 4) {
    return;
  }
  const bool is_free = cam->type == mjCAMERA_FREE && cam->distance > 0;
  memcpy(s->center, is_free ? cam->lookat : m->stat.center, sizeof(s->center));
  s->radius = is_free ? cam->distance * 0.6 : m->stat.extent;
  s->model = *m;
  s->is_on = addLook(&s->model, m);
  if (!s->is_on) {
    cli_closeStudio(s);
    return;
  }
  s->grid = (int)m->nmat;
  const double repeat = 1 / (GRID_CELLS * cellSize(s->radius));
  s->model.mat_texrepeat[2 * s->grid] = s->model.mat_texrepeat[2 * s->grid + 1] = (float)repeat;
  for (int k = 0; k < 3; k++) {
    s->model.vis.rgba.haze[k] = (float)sky_colors[1][k];
  }
}


void cli_closeStudio(cliStudio* s) {
  mjModel* m = &s->model;
  void* const arrays[] = {m->tex_type,      m->tex_colorspace, m->tex_height, m->tex_width,
                          m->tex_nchannel,  m->tex_adr,        m->tex_data,   m->mat_texid,
                          m->mat_texrepeat, m->mat_texuniform};
  for (size_t k = 0; k < sizeof(arrays) / sizeof(arrays[0]) && m->buffer; k++) {
    free(arrays[k]);
  }
  memset(s, 0, sizeof(*s));
  s->grid = -1;
}


const mjModel* cli_studioModel(const cliStudio* s, const mjModel* m) {
  return s->is_on ? &s->model : m;
}


void cli_studioContext(const cliStudio* s, mjrContext* con) {
  if (s->is_on) {
    con->shadowClip = (float)(shadow_reach * s->radius);
  }
}


//---------------------------------- scenes --------------------------------------------------------

static void addLamp(const cliStudio* s, mjvScene* scn, int lamp) {
  if (scn->nlight >= mjMAXLIGHT) {
    return;
  }
  mjvLight* light = scn->lights + scn->nlight++;
  memset(light, 0, sizeof(*light));
  light->type = mjLIGHT_DIRECTIONAL;
  light->texid = -1;
  light->castshadow = lamp == 0;
  light->attenuation[0] = 1;
  for (int k = 0; k < 3; k++) {
    light->dir[k] = (float)lamp_directions[lamp][k];
    light->pos[k] = (float)(s->center[k] - 3 * s->radius * lamp_directions[lamp][k]);
    light->diffuse[k] = lamp_colors[lamp][k];
    light->specular[k] = lamp == 0 ? 0.35f : 0;
  }
}


static void dim(mjvScene* scn) {
  for (int k = 0; k < scn->nlight; k++) {
    mjvLight* light = scn->lights + k;
    for (int i = 0; i < 3 && light->headlight; i++) {
      light->ambient[i] = studio_ambient;
      light->diffuse[i] = studio_headlight;
      light->specular[i] = 0.1f;
    }
  }
}


// body of an object, -1 for none
static int bodyOf(const mjModel* m, const mjvGeom* geom) {
  if (geom->objtype == mjOBJ_GEOM) {
    return m->geom_bodyid[geom->objid];
  }
  return geom->objtype == mjOBJ_FLEX || geom->objtype == mjOBJ_SKIN ? m->nbody + geom->objid : -1;
}


// number of the tree of bodies, or of the flex or skin, that has a color of its own
static int treeOf(const mjModel* m, int body) {
  if (body >= m->nbody) {
    return m->ntree + body - m->nbody;
  }
  const int tree = m->body_treeid[body];
  return tree >= 0 ? tree : body;
}


// bodies of a tree are lighter and darker in turns from its root on
static bool isOdd(const mjModel* m, int body) {
  bool is_odd = false;
  for (; body < m->nbody && body > 0 && m->body_weldid[body] != 0; body = m->body_parentid[body]) {
    is_odd ^= m->body_weldid[body] == body;
  }
  return !is_odd;
}


static void color(const mjModel* m, mjvGeom* geom) {
  const int body = bodyOf(m, geom), count = (int)(sizeof(body_colors) / sizeof(body_colors[0]));
  if (body < 0 || geom->matid >= 0 || memcmp(geom->rgba, no_color, sizeof(no_color))) {
    return;
  }
  if (body < m->nbody && m->body_weldid[body] == 0) {
    memcpy(geom->rgba, world_color, sizeof(world_color));
    return;
  }
  const float* hue = body_colors[treeOf(m, body) % count];
  for (int k = 0; k < 3; k++) {
    geom->rgba[k] = hue[k] * (isOdd(m, body) ? odd_shade : 1);
  }
}


void cli_studioScene(const cliStudio* s, const mjModel* m, mjvScene* scn) {
  if (!s->is_on) {
    return;
  }
  dim(scn);
  addLamp(s, scn, 0);
  addLamp(s, scn, 1);
  for (int k = 0; k < scn->ngeom; k++) {
    mjvGeom* geom = scn->geoms + k;
    const bool has_color = memcmp(geom->rgba, no_color, sizeof(no_color));
    if (geom->type == mjGEOM_PLANE && geom->matid < 0 && !has_color &&
        geom->objtype == mjOBJ_GEOM) {
      geom->matid = s->grid;
      geom->specular = geom->reflectance = 0;
      geom->rgba[0] = geom->rgba[1] = geom->rgba[2] = 1;
    } else {
      color(m, geom);
    }
  }
}
