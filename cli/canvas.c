// Pictures of a simulation without a screen.
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 8192, GEOMS_AT_FIRST = 20000 };


bool cli_sizeFrom(const char* text, int* width, int* height) {
  char behind;
  if (sscanf(text, "%dx%d%c", width, height, &behind) != 2 || *width < 1 || *height < 1 ||
      *width > MOST_SIDE || *height > MOST_SIDE) {
    cli_error("--size %s: expected WIDTHxHEIGHT, each from 1 to %d", text, MOST_SIDE);
    return false;
  }
  return true;
}


// azimuth, elevation, distance and, if given, the point that is looked at
static bool aimCamera(mjvCamera* camera, const char* text) {
  double value[6];
  int n = 0;
  for (const char* p = text; n < 6; p++) {
    char* end;
    value[n] = strtod(p, &end);
    if (end == p || !isfinite(value[n])) {
      return false;
    }
    n++;
    p = end;
    if (*p != ',' || n == 6) {
      if (*p || (n != 3 && n != 6)) {
        return false;
      }
      break;
    }
  }
  if (!(value[2] > 0)) {
    return false;
  }
  camera->azimuth = value[0];
  camera->elevation = value[1];
  camera->distance = value[2];
  if (n == 6) {
    memcpy(camera->lookat, value + 3, sizeof(camera->lookat));
  }
  return true;
}


// a camera of the model by name or number
static int cameraId(const mjModel* m, const char* text) {
  int id = mj_name2id(m, mjOBJ_CAMERA, text);
  char behind;
  if (id < 0 && (sscanf(text, "%d%c", &id, &behind) != 1 || id < 0 || id >= m->ncam)) {
    id = -1;
  }
  return id;
}


bool cli_chooseCamera(const mjModel* m, mjData* d, const char* text, double aspect,
                      mjvCamera* camera) {
  if (!text) {
    cli_defaultCamera(m, d, aspect, camera);
    return true;
  }
  mjv_defaultFreeCamera(m, camera);
  if (strchr(text, ',') && aimCamera(camera, text)) {
    return true;
  }
  if (!strcmp(text, "free")) {
    cli_freeCamera(m, d, aspect, camera);
    return true;
  }
  camera->type = mjCAMERA_FIXED;
  camera->fixedcamid = cameraId(m, text);
  if (camera->fixedcamid >= 0) {
    return true;
  }
  char others[400];
  cli_error(
      "the model has no camera '%s'%s; 'free' and 'azimuth,elevation,distance[,x,y,z]' "
      "(finite numbers, a distance above 0) are always there",
      text, cli_otherNames(m, mjOBJ_CAMERA, text, others));
  return false;
}


cliExit cli_openCanvas(cliCanvas* c, const mjModel* m, mjData* d, const cliCanvasOptions* o) {
  const int width = o->width, height = o->height;
  char why[256];
  memset(c, 0, sizeof(*c));
  c->m = m;
  c->width = width;
  c->height = height;
  if (!cli_chooseCamera(m, d, o->camera, (double)width / height, &c->camera)) {
    return CLI_USAGE;
  }
  if (!cli_openOffscreen(&c->gl, 0, 0, why)) {
    cli_error("%s", why);
    return CLI_IO;
  }
  c->rgb = malloc((size_t)width * (size_t)height * 3);
  c->depth = malloc((size_t)width * (size_t)height * sizeof(float));
  if (!c->rgb || !c->depth) {
    cli_error("not enough memory for a picture of %dx%d", width, height);
    return CLI_IO;
  }
  mjv_defaultOption(&c->option);
  mjv_makeScene(m, &c->scn, GEOMS_AT_FIRST);
  cli_openStudio(&c->studio, m, &c->camera, o->is_plain);
  mjr_makeContext(cli_studioModel(&c->studio, m), &c->con, mjFONTSCALE_100);
  cli_studioContext(&c->studio, &c->con);
  mjr_resizeOffscreen(width, height, &c->con);
  mjr_setBuffer(mjFB_OFFSCREEN, &c->con);
  c->con.readDepthMap = mjDEPTH_ZEROFAR;
  return CLI_OK;
}


void cli_closeCanvas(cliCanvas* c) {
  if (c->con.glInitialized) {
    mjr_freeContext(&c->con);
  }
  mjv_freeScene(&c->scn);
  cli_closeStudio(&c->studio);
  cli_closeOffscreen(&c->gl);
  free(c->rgb);
  free(c->depth);
  memset(c, 0, sizeof(*c));
}


// OpenGL has the lowest row first
static void turnOver(void* pixels, size_t row, int rows) {
  unsigned char* first = pixels;
  unsigned char* last = first + row * (size_t)(rows - 1);
  for (; first < last; first += row, last -= row) {
    for (size_t k = 0; k < row; k++) {
      const unsigned char kept = first[k];
      first[k] = last[k];
      last[k] = kept;
    }
  }
}


void cli_draw(cliCanvas* c, mjData* d) {
  const mjrRect all = {0, 0, c->width, c->height};
  cli_updateScene(c->m, d, &c->option, NULL, &c->camera, &c->scn);
  cli_studioScene(&c->studio, c->m, &c->scn);
  mjr_render(all, &c->scn, &c->con);
  mjr_readPixels(c->rgb, c->depth, all, &c->con);
  turnOver(c->rgb, 3 * (size_t)c->width, c->height);
  turnOver(c->depth, sizeof(float) * (size_t)c->width, c->height);
}


double cli_distance(const cliCanvas* c, float depth) {
  const double near = c->scn.camera[0].frustum_near, far = c->scn.camera[0].frustum_far;
  if (c->scn.camera[0].orthographic) {
    return far - depth * (far - near);
  }
  return near * far / (near + depth * (far - near));
}
