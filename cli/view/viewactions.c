// What the viewer does on an event: panels first, then keys, then the mouse in the scene.
#include "view.h"


//---------------------------------- commands of items ---------------------------------------------

// flags of boxes into the model; sliders of actuators that are off are shown so
static void applyFlags(cliView* v) {
  mjOption* opt = &v->sim.m->opt;
  opt->disableflags = opt->enableflags = 0;
  for (int k = 0; k < mjNDISABLE; k++) {
    opt->disableflags |= v->disabled[k] ? 1 << k : 0;
  }
  for (int k = 0; k < mjNENABLE; k++) {
    opt->enableflags |= v->enabled[k] ? 1 << k : 0;
  }
  int groups = opt->disableactuator;
  for (int k = 0; k < mjNGROUP; k++) {
    groups = v->groups[k] ? groups & ~(1 << k) : groups | 1 << k;
  }
  if (groups != opt->disableactuator) {
    opt->disableactuator = groups;
    cli_sectionsRight(v);
    cli_panelsFit(v);
  }
}


static void applyTheme(cliView* v) {
  v->left.spacing = v->right.spacing = mjui_themeSpacing(v->spacing);
  v->left.color = v->right.color = mjui_themeColor(v->color);
  mjr_changeFont(50 * (v->font + 1), &v->con);
  cli_panelsFit(v);
}


void cli_viewCamera(cliView* v, int k) {
  const mjModel* m = v->sim.m;
  if (k >= 2 && k - 2 < m->ncam) {
    v->cam.type = mjCAMERA_FIXED;
    v->cam.fixedcamid = k - 2;
  } else if (k == 1 && v->sim.pert.select > 0) {
    v->cam.type = mjCAMERA_TRACKING;
    v->cam.trackbodyid = v->sim.pert.select;
    v->cam.fixedcamid = -1;
  } else {
    v->cam.type = mjCAMERA_FREE;
  }
  v->is_stale = true;
}


// commands that change the simulation or the picture; false if it is not one of them
static bool doScene(cliView* v, int command) {
  viewSim* s = &v->sim;
  switch (command) {
    case DO_RUN:
      cli_simPlay(s, s->run);
      return true;
    case DO_RESET:
      cli_simReset(s);
      v->message[0] = '\0';
      return true;
    case DO_LOAD_KEY:
      cli_simLoadKey(s);
      return true;
    case DO_SAVE_KEY:
      mj_setKeyframe(s->m, s->d, s->key);
      return true;
    case DO_SCRUB:
      cli_simScrub(s, s->scrub);
      return true;
    case DO_CLEAR:
      mju_zero(s->d->ctrl, (int)s->m->nu);
      return true;
    case DO_PHYSICS:
      applyFlags(v);
      return true;
    case DO_ALIGN:
      cli_viewAlign(v);
      return true;
    case DO_CAMERA:
      cli_viewCamera(v, v->camera);
      return true;
    default:
      return false;
  }
}


void cli_viewDo(cliView* v, int command) {
  if (doScene(v, command)) {
    v->is_stale = true;
    return;
  }
  switch (command) {
    case DO_QUIT:
      v->wish.quit = true;
      break;
    case DO_SCREENSHOT:
      v->wants_picture = true;
      break;
    case DO_FULLSCREEN:
      v->wish.fullscreen = true;
      break;
    case DO_VSYNC:
      v->wish.vsync = true;
      break;
    case DO_THEME:
      applyTheme(v);
      break;
    case DO_RELOAD:
      cli_viewReload(v);
      break;
    case DO_JOINT_GROUP:
    case DO_ACTUATOR_GROUP:
      cli_sectionsRight(v);
      cli_panelsFit(v);
      break;
    default:
      cli_viewSave(v, command);
  }
}


//---------------------------------- keys ----------------------------------------------------------

// the camera of the model that comes next, round and round
static void cycleCamera(cliView* v, int step) {
  const int n = (int)v->sim.m->ncam;
  if (n) {
    const int now = v->cam.type == mjCAMERA_FIXED ? v->cam.fixedcamid : (step > 0 ? n - 1 : 0);
    cli_viewCamera(v, 2 + (now + step + n) % n);
  }
}


static void selectParent(mjvPerturb* pert, const mjModel* m) {
  if (pert->select > 0) {
    pert->select = m->body_parentid[pert->select];
    pert->flexselect = pert->skinselect = -1;
    pert->active = pert->select > 0 ? pert->active : 0;
  }
}


static void togglePanel(cliView* v) {
  int* shown = v->ui.shift ? &v->show_right : &v->show_left;
  *shown = !*shown;
  cli_panelsFit(v);
}


static void timeKey(cliView* v, int key) {
  viewSim* s = &v->sim;
  s->pert.active = key == ' ' ? 0 : s->pert.active;
  if (key == ' ') {
    cli_simPlay(s, !s->run);
  } else if (key == mjKEY_RIGHT && !s->run) {
    cli_simForward(s);
  } else if (key == mjKEY_LEFT) {
    cli_simBack(s);
  }
  v->is_stale = true;
}


// keys that no item of a panel has
static void onKey(cliView* v, int key) {
  switch (key) {
    case ' ':
    case mjKEY_RIGHT:
    case mjKEY_LEFT:
      timeKey(v, key);
      break;
    case '-':
    case '=':
      cli_simFaster(&v->sim, v->ui.shift && key == '-' ? 0 : (key == '=' ? 1 : -1));
      break;
    case mjKEY_PAGE_UP:
      selectParent(&v->sim.pert, v->sim.m);
      break;
    case ']':
      cycleCamera(v, 1);
      break;
    case '[':
      cycleCamera(v, -1);
      break;
    case mjKEY_ESCAPE:
      cli_viewCamera(v, 0);
      break;
    case mjKEY_F6:
      v->opt.frame = (v->opt.frame + 1) % mjNFRAME;
      v->is_stale = true;
      break;
    case mjKEY_F7:
      v->opt.label = (v->opt.label + 1) % mjNLABEL;
      v->is_stale = true;
      break;
    case mjKEY_TAB:
      togglePanel(v);
      break;
    default:
      break;
  }
}


//---------------------------------- all -----------------------------------------------------------

// give a panel what is meant for it; true if nothing is left to do
static bool askPanel(cliView* v, mjUI* panel) {
  mjuiState* s = &v->ui;
  const bool is_key = s->type == mjEVENT_KEY;
  const bool is_here =
      s->dragrect == panel->rectid || (!s->dragrect && s->mouserect == panel->rectid);
  if (!is_key && !is_here && s->type != mjEVENT_RESIZE) {
    return false;
  }
  const mjuiItem* item = mjui_event(panel, s, &v->con);
  const int command = item ? item->userid : DO_NOTHING;
  if (item && command) {
    cli_viewDo(v, command);
  }
  return item || (is_key && !s->key);
}


void cli_viewAct(cliView* v) {
  if (askPanel(v, &v->left) || askPanel(v, &v->right) || !v->sim.m) {
    return;
  }
  if (v->ui.type == mjEVENT_KEY) {
    onKey(v, v->ui.key);
  } else {
    cli_viewMouse(v);
  }
}
