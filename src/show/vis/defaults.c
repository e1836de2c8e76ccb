// Default values of the structs that describe a view.
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

enum { SHOWN_GROUPS = 3, NAMED_COLORS = 8 };

static const mjvCamera default_camera = {
    .type = mjCAMERA_FREE,
    .fixedcamid = -1,
    .trackbodyid = -1,
    .distance = 2,
    .azimuth = 90,
    .elevation = -45,
};

static const mjvPerturb default_perturb = {
    .flexselect = -1,
    .skinselect = -1,
    .refquat = {1},
    .scale = 1,
};

// colors of the first lines of a figure
static const float line_color[NAMED_COLORS][3] = {
    {1.0f, 0.3f, 0.3f}, {0.1f, 1.0f, 0.1f}, {0.3f, 0.3f, 1.0f}, {0.1f, 1.0f, 1.0f},
    {1.0f, 0.2f, 1.0f}, {1.0f, 1.0f, 0.1f}, {1.0f, 0.6f, 0.2f}, {0.6f, 0.7f, 0.4f},
};


void mjv_defaultCamera(mjvCamera* cam) {
  *cam = default_camera;
}


// look at the whole model, in the direction it asks for
void mjv_defaultFreeCamera(const mjModel* m, mjvCamera* cam) {
  *cam = default_camera;
  mju_copy3(cam->lookat, m->stat.center);
  cam->distance = 1.5 * m->stat.extent;
  cam->azimuth = m->vis.global.azimuth;
  cam->elevation = m->vis.global.elevation;
  cam->orthographic = m->vis.global.orthographic;
}


void mjv_defaultPerturb(mjvPerturb* pert) {
  *pert = default_perturb;
}


void mjv_defaultScene(mjvScene* scn) {
  memset(scn, 0, sizeof(*scn));
}


// the first groups are shown, flags are as their table says
void mjv_defaultOption(mjvOption* opt) {
  memset(opt, 0, sizeof(*opt));
  mjtByte* const groups[] = {opt->geomgroup,     opt->sitegroup, opt->jointgroup, opt->tendongroup,
                             opt->actuatorgroup, opt->flexgroup, opt->skingroup};
  for (size_t k = 0; k < sizeof(groups) / sizeof(groups[0]); k++) {
    memset(groups[k], 1, SHOWN_GROUPS);
  }
  for (int i = 0; i < mjNVISFLAG; i++) {
    opt->flags[i] = mjVISSTRING[i][1][0] == '1';
  }
  opt->label = mjLABEL_NONE;
  opt->frame = mjFRAME_NONE;
  opt->bvh_depth = 1;
}


// lines beyond the named colors are spread over the color cube by a Halton sequence
static void colorLines(float color[][3], int count) {
  CF_ASSERT(count > 0);
  static const int base[3] = {2, 3, 5};
  memcpy(color, line_color, sizeof(line_color));
  for (int n = NAMED_COLORS; n < count; n++) {
    for (int k = 0; k < 3; k++) {
      color[n][k] = (float)(0.1f + 0.8f * mju_Halton(n, base[k]));
    }
  }
}


void mjv_defaultFigure(mjvFigure* fig) {
  memset(fig, 0, sizeof(*fig));
  fig->highlightid = -1;
  fig->flg_legend = fig->flg_extend = 1;
  fig->linewidth = 3;
  fig->gridwidth = 1;
  for (int axis = 0; axis < 2; axis++) {
    fig->flg_ticklabel[axis] = 1;
    fig->gridsize[axis] = 2;
    fig->range[axis][1] = 1;
  }

  // gray grid and white text on black, legend half transparent
  for (int k = 0; k < 3; k++) {
    fig->gridrgb[k] = 0.4f;
    fig->textrgb[k] = 1;
  }
  fig->figurergba[3] = fig->panergba[3] = 1;
  fig->legendrgba[3] = 0.3f;
  colorLines(fig->linergb, mjMAXLINE);

  snprintf(fig->xformat, sizeof(fig->xformat), "%%.0f");
  snprintf(fig->yformat, sizeof(fig->yformat), "%%.2g");
  snprintf(fig->minwidth, sizeof(fig->minwidth), "XXX");
}
