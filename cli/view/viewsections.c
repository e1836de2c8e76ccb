// Sections of the viewer's panels: what every model has, and what its own parts ask for.
#include <stdio.h>
#include <string.h>

#include "viewrows.h"


//---------------------------------- items ---------------------------------------------------------

static void addItem(mjUI* ui, const viewRow* row, void* base) {
  mjuiDef def[2] = {{.type = row->type, .state = row->state, .otherint = row->command},
                    {.type = mjITEM_END}};
  snprintf(def->name, sizeof(def->name), "%.*s", mjMAXUINAME - 2, row->name);
  snprintf(def->other, sizeof(def->other), "%s", row->other);
  def->pdata = row->offset == NO_DATA ? NULL : (char*)base + row->offset;

  // the number of a section would be a box in its title
  def->otherint = row->type == mjITEM_SECTION ? 0 : def->otherint;
  mjui_add(ui, def);
}


static void addTable(mjUI* ui, viewTable table, void* base) {
  for (int k = 0; k < table.count; k++) {
    addItem(ui, table.rows + k, base);
  }
}


static void addPlain(mjUI* ui, int type, const char* name, const char* other) {
  addItem(ui, &(viewRow){type, name, mjPRESERVE, NO_DATA, other, 0}, NULL);
}


// an item that is there because the model, or a list of flags, has something
static void addValue(mjUI* ui, int type, const char* name, void* value, const char* other,
                     int command) {
  addItem(ui, &(viewRow){type, name, 2, 0, other, command}, value);
}


static void addFlag(mjUI* ui, const char* const text[3], mjtByte* flag) {
  char key[8] = "";
  snprintf(key, sizeof(key), text[2][0] ? " %s" : "%s", text[2]);
  addValue(ui, mjITEM_CHECKBYTE, text[0], flag, key, 0);
}


//---------------------------------- sections ------------------------------------------------------

static void addPhysics(cliView* v) {
  mjUI* ui = &v->left;
  addTable(ui, cli_rowsPhysics, v->sim.m);
  addPlain(ui, mjITEM_SEPARATOR, "Disable Flags", "");
  for (int k = 0; k < mjNDISABLE; k++) {
    addValue(ui, mjITEM_CHECKINT, mjDISABLESTRING[k], v->disabled + k, "", DO_PHYSICS);
  }
  addPlain(ui, mjITEM_SEPARATOR, "Enable Flags", "");
  for (int k = 0; k < mjNENABLE; k++) {
    addValue(ui, mjITEM_CHECKINT, mjENABLESTRING[k], v->enabled + k, "", DO_PHYSICS);
  }
  addPlain(ui, mjITEM_SEPARATOR, "Actuator Group Enable", "");
  for (int k = 0; k < mjNGROUP; k++) {
    char name[mjMAXUINAME];
    snprintf(name, sizeof(name), "Act Group %d", k);
    addValue(ui, mjITEM_CHECKINT, name, v->groups + k, "", DO_PHYSICS);
  }
}


static void nameOr(const mjModel* m, int type, int id, const char* kind, char text[mjMAXUINAME]) {
  const char* name = mj_id2name(m, type, id);
  if (name && name[0]) {
    snprintf(text, mjMAXUINAME, "%.*s", mjMAXUINAME - 2, name);
  } else {
    snprintf(text, mjMAXUINAME, "%s %d", kind, id);
  }
}


// "Free", "Tracking" and the cameras of the model, as many as fit
static void cameraNames(const mjModel* m, char names[mjMAXUITEXT]) {
  int used = snprintf(names, mjMAXUITEXT, "Free\nTracking");
  for (int k = 0; k < m->ncam && k < mjMAXUIMULTI - 2; k++) {
    char name[mjMAXUINAME], line[mjMAXUINAME];
    nameOr(m, mjOBJ_CAMERA, k, "Camera", name);
    snprintf(line, sizeof(line), "\n%.*s", mjMAXUINAME - 3, name);
    if (used + (int)strlen(line) >= mjMAXUITEXT - 1) {
      return;
    }
    used += snprintf(names + used, (size_t)(mjMAXUITEXT - used), "%s", line);
  }
}


static void addRendering(cliView* v) {
  static const char labels[] =
      "None\nBody\nJoint\nGeom\nSite\nCamera\nLight\nTendon\nActuator\nConstraint\nFlex\nSkin\n"
      "Selection\nSel Pnt\nContact\nForce\nIsland";
  mjUI* ui = &v->left;
  char cameras[mjMAXUITEXT];
  cameraNames(v->sim.m, cameras);
  addPlain(ui, mjITEM_SECTION, "Rendering", "AR");
  addValue(ui, mjITEM_SELECT, "Camera", &v->camera, cameras, DO_CAMERA);
  addValue(ui, mjITEM_SELECT, "Label", &v->opt.label, labels, 0);
  addValue(ui, mjITEM_SELECT, "Frame", &v->opt.frame,
           "None\nBody\nGeom\nSite\nCamera\nLight\nContact\nWorld", 0);
  addItem(ui, &(viewRow){mjITEM_BUTTON, "Copy camera", 2, NO_DATA, "", DO_COPY_CAMERA}, NULL);
  addPlain(ui, mjITEM_SEPARATOR, "Model Elements", "");
  for (int k = 0; k < mjNVISFLAG; k++) {
    addFlag(ui, mjVISSTRING[k], v->opt.flags + k);
  }
  addValue(ui, mjITEM_SLIDERINT, "Tree depth", &v->opt.bvh_depth, "0 20", 0);
  addValue(ui, mjITEM_SLIDERINT, "Flex layer", &v->opt.flex_layer, "0 10", 0);
  addPlain(ui, mjITEM_SEPARATOR, "OpenGL Effects", "");
  for (int k = 0; k < mjNRNDFLAG; k++) {
    addFlag(ui, mjRNDSTRING[k], v->scn.flags + k);
  }
}


static void addGroups(cliView* v) {
  const struct {
    const char *name, *key;
    mjtByte* flags;
    int command;
  } kinds[] = {{"Geom", " %d", v->opt.geomgroup, 0},
               {"Site", "S%d", v->opt.sitegroup, 0},
               {"Joint", "", v->opt.jointgroup, DO_JOINT_GROUP},
               {"Tendon", "", v->opt.tendongroup, 0},
               {"Actuator", "", v->opt.actuatorgroup, DO_ACTUATOR_GROUP},
               {"Flex", "", v->opt.flexgroup, 0},
               {"Skin", "", v->opt.skingroup, 0}};
  addPlain(&v->left, mjITEM_SECTION, "Group enable", "AG");
  for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
    char name[mjMAXUINAME], key[8] = "";
    snprintf(name, sizeof(name), "%s groups", kinds[kind].name);
    addPlain(&v->left, mjITEM_SEPARATOR, name, "");
    for (int k = 0; k < mjNGROUP; k++) {
      snprintf(name, sizeof(name), "%s %d", kinds[kind].name, k);
      if (kinds[kind].key[0]) {
        snprintf(key, sizeof(key), "%c%d", kinds[kind].key[0], k);
      }
      addValue(&v->left, mjITEM_CHECKBYTE, name, kinds[kind].flags + k, key, kinds[kind].command);
    }
  }
}


static bool isShown(const mjtByte* groups, int group) {
  return groups[group < 0 ? 0 : (group < mjNGROUP ? group : mjNGROUP - 1)];
}


// sliders of hinges and slides, to be moved while the simulation is paused
static void addJoints(cliView* v) {
  const mjModel* m = v->sim.m;
  addPlain(&v->right, mjITEM_SECTION, "Joint", "AJ");
  for (int k = 0, n = 0; k < m->njnt && n < mjMAXUIITEM; k++) {
    const int type = m->jnt_type[k];
    const bool is_scalar = type == mjJNT_HINGE || type == mjJNT_SLIDE;
    char name[mjMAXUINAME], range[64] = "-1 1";
    if (!is_scalar || !isShown(v->opt.jointgroup, m->jnt_group[k])) {
      continue;
    }
    if (m->jnt_limited[k]) {
      snprintf(range, sizeof(range), "%.4g %.4g", m->jnt_range[2 * k], m->jnt_range[2 * k + 1]);
    } else if (type == mjJNT_HINGE) {
      snprintf(range, sizeof(range), "-3.1416 3.1416");
    }
    nameOr(m, mjOBJ_JOINT, k, "joint", name);
    addItem(&v->right, &(viewRow){mjITEM_SLIDERNUM, name, 4, 0, range, 0},
            v->sim.d->qpos + m->jnt_qposadr[k]);
    n++;
  }
}


// sliders of actuators; those of a group that is off cannot be moved
static void addControls(cliView* v) {
  const mjModel* m = v->sim.m;
  addPlain(&v->right, mjITEM_SECTION, "Control", "AC");
  addItem(&v->right, &(viewRow){mjITEM_BUTTON, "Clear all", 2, NO_DATA, "", DO_CLEAR}, NULL);
  for (int k = 0, n = 1; k < m->nu && n < mjMAXUIITEM; k++) {
    const int group = m->actuator_group[k];
    const bool is_off = group >= 0 && group <= 30 && (m->opt.disableactuator >> group & 1);
    char name[mjMAXUINAME], range[64] = "-1 1";
    if (!isShown(v->opt.actuatorgroup, group)) {
      continue;
    }
    if (m->actuator_ctrllimited[k]) {
      snprintf(range, sizeof(range), "%.4g %.4g", m->actuator_ctrlrange[2 * k],
               m->actuator_ctrlrange[2 * k + 1]);
    }
    nameOr(m, mjOBJ_ACTUATOR, k, "control", name);
    addItem(&v->right, &(viewRow){mjITEM_SLIDERNUM, name, is_off ? 0 : 2, 0, range, 0},
            v->sim.d->ctrl + k);
    n++;
  }
}


static void addEqualities(cliView* v) {
  const mjModel* m = v->sim.m;
  addPlain(&v->right, mjITEM_SECTION, "Equality", "AE");
  for (int k = 0; k < m->neq && k < mjMAXUIITEM; k++) {
    char name[mjMAXUINAME];
    nameOr(m, mjOBJ_EQUALITY, k, "equality", name);
    addValue(&v->right, mjITEM_CHECKBYTE, name, v->sim.d->eq_active + k, "", 0);
  }
}


//---------------------------------- whole panels --------------------------------------------------

void cli_sectionsFixed(cliView* v) {
  for (int k = 0; k < VIEW_FIXED; k++) {
    addTable(&v->left, cli_rowsFixed[k], v);
    v->left.sect[k].state = k < WATCH_SECTION ? mjSECT_OPEN : mjSECT_CLOSED;
  }
}


void cli_sectionsModel(cliView* v) {
  v->left.nsect = PHYSICS_SECTION;
  addPhysics(v);
  addRendering(v);
  addTable(&v->left, cli_rowsVisual, v->sim.m);
  addGroups(v);
}


void cli_sectionsRight(cliView* v) {
  v->right.nsect = 0;
  addJoints(v);
  addControls(v);
  addEqualities(v);
}
