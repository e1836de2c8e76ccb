// What happens in a window becomes the state of mouse and keyboard that panels understand.
#include "view.h"

// two presses within this time are a double click [s]
static const double double_click = 0.25;


// with alt, the left and the right button change places
static int buttonOf(const viewEvent* e) {
  if (e->alt && e->button == mjBUTTON_LEFT) {
    return mjBUTTON_RIGHT;
  }
  if (e->alt && e->button == mjBUTTON_RIGHT) {
    return mjBUTTON_LEFT;
  }
  return e->button;
}


// pointer and keys that are held; y counts from below here
static void follow(mjuiState* s, const viewEvent* e) {
  const double y = s->rect[0].height - e->y;
  s->left = e->alt ? e->right : e->left;
  s->right = e->alt ? e->left : e->right;
  s->middle = e->middle;
  s->control = e->control;
  s->shift = e->shift;
  s->alt = e->alt;
  s->dx = e->x - s->x;
  s->dy = y - s->y;
  s->x = e->x;
  s->y = y;
  s->mouserect = mjr_findRect(mju_round(s->x), mju_round(s->y), s->nrect - 1, s->rect + 1) + 1;
}


static void press(mjuiState* s, const viewEvent* e) {
  const int button = buttonOf(e);
  s->type = mjEVENT_PRESS;
  s->doubleclick = button == s->button && e->time - s->buttontime < double_click;
  s->button = button;
  s->buttontime = e->time;
  if (s->mouserect) {
    s->dragbutton = button;
    s->dragrect = s->mouserect;
  }
}


static void resize(cliView* v, const viewEvent* e) {
  v->ui.rect[0] = (mjrRect){0, 0, e->width, e->height};
  v->ui.type = mjEVENT_RESIZE;
  v->ui.dragbutton = v->ui.dragrect = 0;
  cli_panelsLayout(v);
}


// a move without a button tells panels nothing
static bool isIdle(const viewEvent* e) {
  return e->kind == VIEW_MOVE && !e->left && !e->right && !e->middle;
}


void cli_viewEvent(cliView* v, const viewEvent* e) {
  mjuiState* s = &v->ui;
  if (e->kind == VIEW_RESIZE) {
    resize(v, e);
    cli_viewAct(v);
    return;
  }
  if (e->kind == VIEW_DROP) {
    cli_viewLoad(v, e->path);
    return;
  }
  follow(s, e);
  if (isIdle(e)) {
    return;
  }
  switch (e->kind) {
    case VIEW_KEY:
      s->type = mjEVENT_KEY;
      s->key = e->key;
      s->keytime = e->time;
      break;
    case VIEW_PRESS:
      press(s, e);
      break;
    case VIEW_RELEASE:
      s->type = mjEVENT_RELEASE;
      break;
    case VIEW_SCROLL:
      s->type = mjEVENT_SCROLL;
      s->sx = e->scroll_x;
      s->sy = e->scroll_y;
      break;
    default:
      s->type = mjEVENT_MOVE;
  }
  cli_viewAct(v);
  if (s->type == mjEVENT_RELEASE) {
    s->dragrect = s->dragbutton = 0;
  }
}
