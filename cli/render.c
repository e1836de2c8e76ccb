// cortenforge render: one picture of a model.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"

// a pixel of a depth picture that nothing was drawn to, and the unit of the others [m]
enum { NOTHING = 65535 };
static const double millimeter = 1e-3;

typedef struct {
  const char *model_path, *camera, *size, *out, *time, *keyframe, *ctrl;
  const char* plugin;
  bool has_depth, has_segments, is_plain, quiet;
} renderOptions;


// the state that is drawn
static cliExit prepareState(const mjModel* m, mjData* d, const renderOptions* o) {
  double time = 0;
  if (o->keyframe) {
    const int key = cli_findKeyframe(m, o->keyframe);
    if (key < 0) {
      return CLI_USAGE;
    }
    mj_resetDataKeyframe(m, d, key);
  }
  if (o->time && !cli_number("--time", o->time, &time)) {
    return CLI_USAGE;
  }
  if (time < 0 || (time > 0 && !(m->opt.timestep > 0 && isfinite(m->opt.timestep)))) {
    cli_error("--time %s: cannot be simulated", o->time);
    return CLI_USAGE;
  }
  cliControl control;
  cliExit code;
  if (!cli_controlFrom(&control, m, o->ctrl, 0, &code)) {
    return code;
  }
  const double count = cli_stepCount(m, time);
  mj_forward(m, d);
  for (double k = 0; k < count; k++) {
    cli_applyControl(&control, m, d, (int)fmod(k, INT_MAX));
    mj_step(m, d);
  }
  cli_controlFree(&control);
  mj_forward(m, d);
  return CLI_OK;
}


//---------------------------------- what is written -----------------------------------------------

static bool writeDepth(const cliCanvas* c, const char* path) {
  const int count = c->width * c->height;
  uint16_t* gray = malloc((size_t)count * sizeof(uint16_t));
  if (!gray) {
    return false;
  }
  for (int k = 0; k < count; k++) {
    const double units = cli_distance(c, c->depth[k]) / millimeter;
    gray[k] = c->depth[k] == 0 || units >= NOTHING ? NOTHING : (uint16_t)lround(units);
  }
  const bool is_written = cli_writeGrayPng(path, gray, c->width, c->height);
  free(gray);
  return is_written;
}


// how many pixels show each geom of the scene, from a picture of ids
static void countIds(const cliCanvas* c, int* count) {
  memset(count, 0, (size_t)c->scn.maxgeom * sizeof(int));
  for (int k = 0; k < c->width * c->height; k++) {
    const unsigned char* p = c->rgb + 3 * k;
    const int id = (p[0] | p[1] << 8 | p[2] << 16) - 1;
    if (id >= 0 && id < c->scn.maxgeom) {
      count[id]++;
    }
  }
}


// a picture with one color for each object, and a table of the objects that are seen
static bool writeSegments(cliCanvas* c, mjData* d, const renderOptions* o) {
  c->scn.flags[mjRND_SEGMENT] = c->scn.flags[mjRND_IDCOLOR] = 1;
  cli_draw(c, d);
  int* count = malloc((size_t)c->scn.maxgeom * sizeof(int));
  if (!count) {
    cli_error("not enough memory");
    return false;
  }
  countIds(c, count);
  for (int k = 0; k < c->scn.ngeom && !o->quiet; k++) {
    const mjvGeom* geom = c->scn.geoms + k;
    if (geom->segid >= 0 && geom->segid < c->scn.maxgeom && count[geom->segid]) {
      char name[64];
      const char* type = mju_type2Str(geom->objtype);
      printf("%7d pixels  %-8s %s\n", count[geom->segid], type ? type : "decor",
             cli_nameOf(c->m, geom->objtype, geom->objid, name));
    }
  }
  free(count);
  c->scn.flags[mjRND_IDCOLOR] = 0;
  cli_draw(c, d);
  return cli_writePng(o->out, c->rgb, c->width, c->height);
}


static cliExit drawAndWrite(cliCanvas* c, mjData* d, const renderOptions* o) {
  bool is_written;
  if (o->has_segments) {
    is_written = writeSegments(c, d, o);
  } else {
    cli_draw(c, d);
    is_written =
        o->has_depth ? writeDepth(c, o->out) : cli_writePng(o->out, c->rgb, c->width, c->height);
  }
  const int error = mjr_getError();
  if (error) {
    cli_error("OpenGL error 0x%x", (unsigned int)error);
    return CLI_IO;
  }
  if (is_written && !o->quiet) {
    printf("picture           %s, %d x %d, t = %g s\n", o->out, c->width, c->height, d->time);
  }
  return is_written ? CLI_OK : CLI_IO;
}


static cliExit renderModel(const mjModel* m, const renderOptions* o, int width, int height) {
  mjData* d = mj_makeData(m);
  cliExit code = d ? prepareState(m, d, o) : CLI_BAD_MODEL;
  if (code == CLI_OK) {
    cliCanvas canvas;
    const cliCanvasOptions look = {o->camera, width, height, o->is_plain};
    code = cli_openCanvas(&canvas, m, d, &look);
    if (code == CLI_OK) {
      code = drawAndWrite(&canvas, d, o);
    }
    cli_closeCanvas(&canvas);
  }
  mj_deleteData(d);
  return code;
}


static const cliOption option_table[] = {
    {"--camera", "C", offsetof(renderOptions, camera)},
    {"--ctrl", "C", offsetof(renderOptions, ctrl)},
    {"--size", "WxH", offsetof(renderOptions, size)},
    {"--out", "FILE", offsetof(renderOptions, out)},
    {"--time", "T", offsetof(renderOptions, time)},
    {"--keyframe", "K", offsetof(renderOptions, keyframe)},
    {"--depth", NULL, offsetof(renderOptions, has_depth)},
    {"--plain", NULL, offsetof(renderOptions, is_plain)},
    {"--plugin", "FILE", offsetof(renderOptions, plugin)},
    {"--quiet", NULL, offsetof(renderOptions, quiet)},
    {"--segmentation", NULL, offsetof(renderOptions, has_segments)},
};


static int runRender(int argc, char** argv) {
  renderOptions o = {.out = "picture.png"};
  int width = 640, height = 480;
  const int n = cli_parse(&cli_render, argc, argv, &o);
  if (n > 1) {
    cli_error("one model at a time");
  }
  if (n < 0 || n > 1 || (o.size && !cli_sizeFrom(o.size, &width, &height))) {
    return CLI_USAGE;
  }
  if (o.has_depth && o.has_segments) {
    cli_error("--depth or --segmentation, not both");
    return CLI_USAGE;
  }
  if (!cli_hasSuffix(o.out, ".png")) {
    cli_error("--out %s: pictures are PNG files; expected a name that ends in .png", o.out);
    return CLI_USAGE;
  }
  if (!cli_loadPlugins(o.plugin)) {
    return CLI_IO;
  }
  cliExit code;
  mjModel* m = cli_load(n == 1 ? argv[0] : NULL, &code);
  if (m) {
    code = renderModel(m, &o, width, height);
    mj_deleteModel(m);
  }
  return code;
}


const cliCommand cli_render = {
    "render",
    "[MODEL] [--camera C] [--size WxH] [--out FILE] [--keyframe K] [--time T] [--ctrl C] [--plugin FILE] [--plain] [--depth | --segmentation] [--quiet]",
    "draw a picture of a model, without a screen",
    "DESCRIPTION\n"
    "  Draws MODEL (MJCF, URDF or MJB; - is standard input, without one the embedded humanoid) into a PNG file.  OpenGL is used by EGL,\n"
    "  else by OSMesa, both found at run time; MUJOCO_GL=egl or osmesa allows one of them alone.\n\n"
    "OPTIONS\n"
    "  --camera C        name or number of a camera, 'free', or azimuth,elevation,distance[,x,y,z] (the model's <global\n                    cameraid>, else 'free': aimed at what moves unless <statistic> says where to look)\n"
    "  --size WxH        of the picture in pixels (640x480)\n"
    "  --out FILE        where it goes, a name that ends in .png (picture.png)\n"
    "  --keyframe K      start from this keyframe, name or number\n"
    "  --time T          simulate so many seconds first (0)\n"
    "  --ctrl C          controls meanwhile, as `cortenforge run` takes them: none, noise[:SCALE], keyframe[:NAME], csv:FILE, wave\n"
    "  --depth           write depth instead: 16 bits gray, millimeters from the camera's plane, 65535 for nothing\n"
    "  --segmentation    write one color for each object instead, and list the objects that are seen\n"
    "  --plain           MuJoCo's picture: models without lights are dark instead of standing in a studio\n"
    "  --plugin FILE     load plugins and extensions first, files with commas between them\n"
    "  --quiet           no messages\n\n"
    "EXIT STATUS\n"
    "  3 if there is no OpenGL, or the file cannot be written\n",
    runRender,
    CLI_OPTIONS(option_table)};
