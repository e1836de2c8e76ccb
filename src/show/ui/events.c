// mjui_event: what the mouse and the keyboard do to the interface.
#include <string.h>

#include "base/assert.h"
#include "ui/interface.h"

// an event that is being dealt with
typedef struct {
  mjUI* ui;
  mjuiState* state;
  const mjrContext* con;
  cfUiPlace at;      // under the mouse
  mjuiItem* item;    // the item there, or NULL
  cfUiPlace held;    // where the mouse went down
  mjuiItem* grip;    // the item there, or NULL
  mjuiItem* edited;  // the item that is edited, or NULL
} uiEvent;


static void redraw(const uiEvent* e, int sect, int item) {
  mjui_update(sect, item, e->ui, e->state, e->con);
}


static void redrawItem(const uiEvent* e, const mjuiItem* item) {
  redraw(e, item->sectionid, item->itemid);
}


// places have changed
static void redrawAll(const uiEvent* e, bool resize) {
  if (resize) {
    mjui_resize(e->ui, e->con);
  }
  redraw(e, -1, -1);
}


// item of a place; sections are counted from 1
static mjuiItem* itemOf(mjUI* ui, cfUiPlace place) {
  if (place.sect < 1 || place.sect > ui->nsect || place.item < 0 || place.item >= mjMAXUIITEM) {
    return NULL;
  }
  return ui->sect[place.sect - 1].item + place.item;
}


// as far as there is something to see
static void clampScroll(const uiEvent* e) {
  const int most = e->ui->height - e->state->rect[e->ui->rectid].height;
  e->ui->scroll = e->ui->scroll < most ? e->ui->scroll : most;
  e->ui->scroll = e->ui->scroll > 0 ? e->ui->scroll : 0;
}


// value of a slider under the mouse, rounded to its steps
static void slideTo(const uiEvent* e, mjuiItem* item) {
  CF_ASSERT(cfi_isSlider(item->type));
  const double steps = item->slider.divisions, *range = item->slider.range;
  double part[2];
  cfi_uiMouseIn(item->rect, e->ui, e->state, part);
  double x = mju_clip(part[0], 0, 1);
  x = mju_clip(mju_round(x * steps) / mju_max(1, steps), 0, 1);
  const mjtNum value = range[0] * (1 - x) + range[1] * x;
  if (item->type == mjITEM_SLIDERINT) {
    *(int*)item->pdata = mju_round(value);
  } else {
    *(mjtNum*)item->pdata = value;
  }
}


static void toggle(const mjuiItem* item) {
  if (item->type == mjITEM_CHECKINT) {
    *(int*)item->pdata = 1 - *(int*)item->pdata;
  } else if (item->type == mjITEM_CHECKBYTE) {
    *(mjtByte*)item->pdata = (mjtByte)(1 - *(mjtByte*)item->pdata);
  }
}


//---------------------------------- mouse ---------------------------------------------------------

static mjuiItem* onMove(const uiEvent* e) {
  if (e->held.sect == CF_MOUSE_THUMB) {
    const double height = e->state->rect[e->ui->rectid].height;
    e->ui->scroll -= mju_round(e->state->dy * e->ui->height / height);
    clampScroll(e);
    return NULL;
  }
  if (!e->grip) {
    return NULL;
  }
  const bool is_slider = cfi_isSlider(e->grip->type);
  if (is_slider) {
    slideTo(e, e->grip);
  } else if (cfi_isEdit(e->grip->type)) {
    cfi_uiSetCursor(e->ui, e->grip, e->state, e->con);
  }
  redrawItem(e, e->grip);
  return is_slider ? e->grip : NULL;
}


// a click on a title folds its section, a double click makes all sections like it; boxes are left
// to the program, as sections may depend on each other
static void pressTitle(const uiEvent* e) {
  mjuiSection* s = e->ui->sect + e->at.sect - 1;
  const bool is_box = e->at.item == CF_MOUSE_BOX && s->checkbox > 0;
  e->ui->mousesectcheck = is_box ? e->at.sect : 0;
  if (is_box) {
    return;
  }
  if (e->state->doubleclick) {
    for (int n = 0; n < e->ui->nsect; n++) {
      if (e->ui->sect[n].state != mjSECT_FIXED && s->state != mjSECT_FIXED) {
        e->ui->sect[n].state = s->state;
      }
    }
  } else if (s->state != mjSECT_FIXED) {
    s->state = s->state == mjSECT_OPEN ? mjSECT_CLOSED : mjSECT_OPEN;
  }
  redrawAll(e, true);
}


static void pressSeparator(const uiEvent* e) {
  const int state = e->item->state;
  if (state == mjSEPCLOSED || state == mjSEPCLOSED + 1) {
    e->item->state = state == mjSEPCLOSED ? mjSEPCLOSED + 1 : mjSEPCLOSED;
    redrawAll(e, true);
  }
}


// the mouse stays with the item until the button is released
static void holdItem(const uiEvent* e) {
  e->ui->mousesect = e->at.sect;
  e->ui->mouseitem = e->at.item;
}


static void startEdit(const uiEvent* e) {
  cfi_uiPrint(e->ui->edittext, e->item);
  e->ui->editscroll = 0;
  cfi_uiSetCursor(e->ui, e->item, e->state, e->con);
  e->ui->editsect = e->at.sect;
  e->ui->edititem = e->at.item;
}


// returns whether the value has changed, or a button was pressed
static bool pressItem(const uiEvent* e) {
  const int type = e->item->type;
  if (type == mjITEM_BUTTON || type == mjITEM_SELECT || cfi_isSlider(type) || cfi_isEdit(type)) {
    holdItem(e);
  }
  if (cfi_isSlider(type)) {
    slideTo(e, e->item);
  } else if (cfi_isEdit(type)) {
    startEdit(e);
  } else if (type == mjITEM_RADIO || type == mjITEM_RADIOLINE) {
    const int choice = cfi_uiPointedChoice(e->item, e->ui, e->state, e->con);
    if (choice >= 0) {
      *(int*)e->item->pdata = choice;
    }
    return choice >= 0;
  } else {
    toggle(e->item);
  }
  return cfi_isPair(type) || cfi_isSlider(type);
}


// a click elsewhere takes over what was edited; a text that cannot become a value is dropped
static void endEdit(const uiEvent* e) {
  if (cfi_uiStore(e->ui->edittext, e->edited)) {
    e->ui->editchanged = e->edited;
  }
  e->ui->editsect = 0;
  redrawItem(e, e->edited);
}


static mjuiItem* onPress(const uiEvent* e) {
  mjUI* ui = e->ui;
  if (e->edited && e->item == e->edited) {
    cfi_uiSetCursor(ui, e->edited, e->state, e->con);
    redrawItem(e, e->edited);
    return NULL;
  }
  if (e->edited) {
    endEdit(e);
  }
  ui->mousesect = 0;
  if (e->at.sect == CF_MOUSE_THUMB) {
    ui->mousesect = CF_MOUSE_THUMB;
    ui->mouseitem = 0;
  } else if (e->at.sect == CF_MOUSE_BELOW) {
    ui->scroll = ui->height - e->state->rect[ui->rectid].height;
  } else if (e->at.sect == CF_MOUSE_ABOVE) {
    ui->scroll = 0;
  } else if (e->at.sect > 0 && e->at.item < 0) {
    const bool is_box = e->at.item == CF_MOUSE_BOX;
    pressTitle(e);
    return is_box && ui->mousesectcheck ? NULL : ui->editchanged;
  } else if (e->item && cfi_uiEnabled(ui, e->item)) {
    if (e->item->type == mjITEM_SEPARATOR) {
      pressSeparator(e);
      return ui->editchanged;
    }
    const bool has_changed = pressItem(e);
    redraw(e, e->at.sect - 1, e->at.item);
    return has_changed ? e->item : ui->editchanged;
  }
  return ui->editchanged;
}


// a menu takes its choice when the button goes up
static mjuiItem* onRelease(const uiEvent* e) {
  int choice = -1;
  if (e->grip && e->grip->type == mjITEM_SELECT) {
    choice = cfi_uiPointedChoice(e->grip, e->ui, e->state, e->con);
    if (choice >= 0) {
      *(int*)e->grip->pdata = choice;
    }
    e->ui->mousesect = 0;
    redrawAll(e, false);
  } else if (e->grip && e->grip->type == mjITEM_BUTTON) {
    e->ui->mousesect = 0;
    redrawItem(e, e->grip);
  }
  e->ui->mousesect = 0;
  return choice >= 0 ? e->grip : NULL;
}


// the right button shows shortcuts while it is down
static void onOtherButton(const uiEvent* e) {
  const bool is_press = e->state->type == mjEVENT_PRESS;
  if (e->state->button == mjBUTTON_RIGHT && e->state->type != mjEVENT_MOVE) {
    e->ui->mousehelp = is_press;
    redrawAll(e, false);
  }
}


//---------------------------------- keyboard ------------------------------------------------------

// a key while a field is edited
static mjuiItem* editKey(const uiEvent* e) {
  const int key = e->state->key;
  mjUI* ui = e->ui;
  e->state->key = 0;
  if (key == mjKEY_ENTER) {
    if (cfi_uiStore(ui->edittext, e->edited)) {
      ui->editsect = 0;
      redrawItem(e, e->edited);
      ui->editchanged = e->edited;
      return e->edited;
    }
  } else if (key == mjKEY_ESCAPE) {
    ui->editsect = 0;
  } else {
    cfi_uiEditKey(ui, e->edited, key, e->state);
  }
  if (ui->editsect > 0) {
    cfi_uiShowCursor(ui, e->edited, e->con);
  }
  redrawItem(e, e->edited);
  return NULL;
}


static bool isShortcut(const mjuiState* state, int modifier, int key) {
  const int pressed = (state->control ? 1 : 0) | (state->shift ? 2 : 0) | (state->alt ? 4 : 0);
  return key && state->key == key && pressed == modifier;
}


// the shortcut of a section opens it and folds the others; true if there was one
static bool sectionKey(const uiEvent* e) {
  mjUI* ui = e->ui;
  for (int n = 0; n < ui->nsect; n++) {
    if (!isShortcut(e->state, ui->sect[n].modifier, ui->sect[n].shortcut)) {
      continue;
    }
    for (int k = 0; k < ui->nsect; k++) {
      if (ui->sect[k].state != mjSECT_FIXED) {
        ui->sect[k].state = k == n ? mjSECT_OPEN : mjSECT_CLOSED;
      }
    }
    redrawAll(e, true);
    e->state->key = 0;
    return true;
  }
  return false;
}


// the shortcut of a button or a check box does what a click does
static mjuiItem* itemKey(const uiEvent* e) {
  mjUI* ui = e->ui;
  for (int n = 0; n < ui->nsect; n++) {
    for (int k = 0; k < ui->sect[n].nitem; k++) {
      mjuiItem* item = ui->sect[n].item + k;
      if (!cfi_isPair(item->type) ||
          !isShortcut(e->state, item->single.modifier, item->single.shortcut)) {
        continue;
      }
      e->state->key = 0;
      if (!cfi_uiEnabled(ui, item)) {
        return NULL;
      }
      if (item->type != mjITEM_BUTTON) {
        toggle(item);
        redraw(e, n, k);
      }
      return item;
    }
  }
  return NULL;
}


static mjuiItem* onKey(const uiEvent* e) {
  if (e->edited) {
    return editKey(e);
  }
  return sectionKey(e) ? NULL : itemKey(e);
}


//---------------------------------- all -----------------------------------------------------------

static mjuiItem* dispatch(const uiEvent* e) {
  switch (e->state->type) {
    case mjEVENT_MOVE:
      return onMove(e);
    case mjEVENT_PRESS:
      return onPress(e);
    case mjEVENT_RELEASE:
      return onRelease(e);
    case mjEVENT_KEY:
      return onKey(e);
    case mjEVENT_SCROLL:
      e->ui->scroll -= mju_round(e->state->sy * cfi_uiScale(e->ui->spacing.linescroll, e->con));
      clampScroll(e);
      return NULL;
    case mjEVENT_RESIZE:
      clampScroll(e);
      return NULL;
    default:
      return NULL;
  }
}


mjuiItem* mjui_event(mjUI* ui, mjuiState* state, const mjrContext* con) {
  uiEvent e = {.ui = ui, .state = state, .con = con};
  const bool is_press = state->type == mjEVENT_PRESS;
  const bool is_mouse = is_press || state->type == mjEVENT_MOVE || state->type == mjEVENT_RELEASE;
  CF_ASSERT(ui->nsect <= mjMAXUISECT);
  ui->editchanged = NULL;
  ui->mouseclicks += is_press;
  if (is_mouse && state->button != mjBUTTON_LEFT) {
    onOtherButton(&e);
    return NULL;
  }
  e.at = cfi_uiFindMouse(ui, state, con);
  e.item = itemOf(ui, e.at);
  e.held = (cfUiPlace){ui->mousesect, ui->mouseitem};
  e.grip = itemOf(ui, e.held);
  e.edited = itemOf(ui, (cfUiPlace){ui->editsect, ui->edititem});
  if (e.at.sect > 0 && is_press) {
    ui->sect[e.at.sect - 1].lastclick = ui->mouseclicks;
  }
  return dispatch(&e);
}
