// Panels of the viewer: laid out and kept up to date.
#include <stdio.h>
#include <string.h>

#include <mujoco/mjxmacro.h>

#include "view.h"


// category of an item to whether it may be used
static int mayUse(int category, void* data) {
  const cliView* v = data;
  switch (category) {
    case 2:
      return v->sim.m != NULL;
    case 3:
      return v->sim.m && v->sim.m->nkey > 0;
    case 4:
      return v->sim.m && !v->sim.run;
    default:
      return 1;
  }
}


//---------------------------------- whole panels --------------------------------------------------

static void initPanel(cliView* v, mjUI* ui, int rect, int aux) {
  memset(ui, 0, sizeof(*ui));
  ui->spacing = mjui_themeSpacing(v->spacing);
  ui->color = mjui_themeColor(v->color);
  ui->predicate = mayUse;
  ui->userdata = v;
  ui->rectid = rect;
  ui->auxid = aux;
}


void cli_panelsInit(cliView* v) {
  initPanel(v, &v->left, LEFT_RECT, 0);
  initPanel(v, &v->right, RIGHT_RECT, 1);
  cli_sectionsFixed(v);
}


static mjuiItem* sliderOf(cliView* v, int command) {
  for (int n = 0; n < v->left.nsect; n++) {
    for (int k = 0; k < v->left.sect[n].nitem; k++) {
      mjuiItem* item = v->left.sect[n].item + k;
      if (item->userid == command && item->type == mjITEM_SLIDERINT) {
        return item;
      }
    }
  }
  return NULL;
}


static void setSlider(cliView* v, int command, int low, int high) {
  mjuiItem* item = sliderOf(v, command);
  if (item) {
    item->slider.range[0] = low;
    item->slider.range[1] = high;
    item->slider.divisions = high - low > 1 ? high - low : 1;
  }
}


void cli_panelsModel(cliView* v) {
  const int keys = (int)v->sim.m->nkey;
  setSlider(v, DO_LOAD_KEY, 0, keys > 1 ? keys - 1 : 0);
  setSlider(v, DO_SCRUB, 1 - v->sim.capacity, 0);
  cli_sectionsModel(v);
  cli_sectionsRight(v);

  // nothing is edited or held any more
  v->left.editsect = v->right.editsect = 0;
  v->left.mousesect = v->right.mousesect = 0;
}


void cli_panelsLayout(cliView* v) {
  mjrRect* r = v->ui.rect;
  const int left = v->show_left ? v->left.width : 0, right = v->show_right ? v->right.width : 0;
  const int width = r[0].width, height = r[0].height;
  const int scene = width - left - right > 0 ? width - left - right : 0;
  v->ui.nrect = RECTS;
  r[LEFT_RECT] = (mjrRect){0, 0, left, height};
  r[RIGHT_RECT] = (mjrRect){width > right ? width - right : 0, 0, right, height};
  r[SCENE_RECT] = (mjrRect){left, 0, scene, height};
}


// the buffer of a panel is as large as the panel with everything open
static void fitPanel(cliView* v, mjUI* ui) {
  const mjrContext* con = &v->con;
  const int k = ui->auxid;
  mjui_resize(ui, &v->con);
  if (!con->auxFBO[k] || con->auxWidth[k] != ui->width || con->auxHeight[k] != ui->maxheight ||
      con->auxSamples[k] != ui->spacing.samples) {
    mjr_addAux(k, ui->width, ui->maxheight, ui->spacing.samples, &v->con);
  }
}


void cli_panelsFit(cliView* v) {
  fitPanel(v, &v->left);
  fitPanel(v, &v->right);
  cli_panelsLayout(v);
  mjui_update(-1, -1, &v->left, &v->ui, &v->con);
  mjui_update(-1, -1, &v->right, &v->ui, &v->con);
}


//---------------------------------- values --------------------------------------------------------

void cli_watchField(const cliView* v, char text[mjMAXUINAME]) {
  const mjModel* m = v->sim.m;
  const mjData* d = v->sim.d;
  snprintf(text, mjMAXUINAME, "invalid field");
#define X(TYPE, NAME, NR, NC)                                                             \
  if (!strcmp(#NAME, v->field) && !strcmp(#TYPE, "mjtNum")) {                             \
    const bool is_there = v->index >= 0 && v->index < m->NR * (NC);                       \
    snprintf(text, mjMAXUINAME, "invalid index");                                         \
    if (is_there) {                                                                       \
      snprintf(text, mjMAXUINAME, "%g", ((const mjtNum*)(const void*)d->NAME)[v->index]); \
    }                                                                                     \
  }
  MJDATA_POINTERS_PREAMBLE(m)
  MJDATA_POINTERS
#undef X
}


// what the boxes of flags and the choice of cameras say follows the model and the camera
static bool followModel(cliView* v) {
  const mjOption* opt = &v->sim.m->opt;
  const int camera =
      v->cam.type == mjCAMERA_FIXED ? 2 + v->cam.fixedcamid : v->cam.type == mjCAMERA_TRACKING;
  bool is_changed = camera != v->camera;
  v->camera = camera;
  for (int k = 0; k < mjNDISABLE; k++) {
    const int bit = opt->disableflags >> k & 1;
    is_changed = is_changed || bit != v->disabled[k];
    v->disabled[k] = bit;
  }
  for (int k = 0; k < mjNENABLE; k++) {
    const int bit = opt->enableflags >> k & 1;
    is_changed = is_changed || bit != v->enabled[k];
    v->enabled[k] = bit;
  }
  for (int k = 0; k < mjNGROUP; k++) {
    const int bit = !(opt->disableactuator >> k & 1);
    is_changed = is_changed || bit != v->groups[k];
    v->groups[k] = bit;
  }
  return is_changed;
}


void cli_panelsSection(cliView* v, int section) {
  if (v->show_left && v->left.sect[section].state) {
    mjui_update(section, -1, &v->left, &v->ui, &v->con);
  }
}


void cli_panelsRefresh(cliView* v) {
  const bool is_moving = v->sim.run || v->sim.pert.active || v->is_stale;
  const bool is_changed = followModel(v) || v->is_stale;
  if (v->left.sect[WATCH_SECTION].state) {
    mjuiSection* section = v->left.sect + WATCH_SECTION;
    cli_watchField(v, section->item[section->nitem - 1].multi.name[0]);
    cli_panelsSection(v, WATCH_SECTION);
  }
  for (int k = 0; k < v->left.nsect && is_changed; k++) {
    cli_panelsSection(v, k);
  }
  for (int k = 0; k < v->right.nsect && is_moving && v->show_right; k++) {
    if (v->right.sect[k].state) {
      mjui_update(k, -1, &v->right, &v->ui, &v->con);
    }
  }
  v->is_stale = false;
}


const mjuiItem* cli_panelsItem(const cliView* v, int command) {
  const mjUI* const panels[2] = {&v->left, &v->right};
  for (int side = 0; side < 2; side++) {
    for (int n = 0; n < panels[side]->nsect; n++) {
      for (int k = 0; k < panels[side]->sect[n].nitem; k++) {
        if (panels[side]->sect[n].item[k].userid == command) {
          return panels[side]->sect[n].item + k;
        }
      }
    }
  }
  return NULL;
}
