// The mouse in the picture of the scene: camera, selection, pulling and turning of bodies.
#include "view.h"

static const double wheel = 0.02;  // zoom of one turn, as a part of the height


// what a drag with these buttons does
static mjtMouse dragOf(const mjuiState* s) {
  if (s->right) {
    return s->shift ? mjMOUSE_MOVE_H : mjMOUSE_MOVE_V;
  }
  if (s->left) {
    return s->shift ? mjMOUSE_ROTATE_H : mjMOUSE_ROTATE_V;
  }
  return mjMOUSE_ZOOM;
}


static void drag(cliView* v) {
  viewSim* s = &v->sim;
  const double height = v->ui.rect[SCENE_RECT].height > 0 ? v->ui.rect[SCENE_RECT].height : 1;
  const double x = v->ui.dx / height, y = -v->ui.dy / height;
  if (s->pert.active) {
    mjv_movePerturb(s->m, s->d, dragOf(&v->ui), x, y, &v->scn, &s->pert);
  } else {
    mjv_moveCamera(s->m, dragOf(&v->ui), x, y, &v->scn, &v->cam);
  }
}


// the body that was clicked at is selected, at that point
static void selectBody(viewSim* s, int body, const mjtNum point[3], int flex, int skin) {
  mjtNum arm[3];
  s->pert.select = body > 0 ? body : 0;
  s->pert.flexselect = body >= 0 ? flex : -1;
  s->pert.skinselect = body >= 0 ? skin : -1;
  if (body >= 0) {
    mju_sub3(arm, point, s->d->xpos + 3 * body);
    mju_mulMatTVec(s->pert.localpos, s->d->xmat + 9 * body, arm, 3, 3);
  }
}


// left selects; right looks at the point, and with control goes along with the body
static void doubleClick(cliView* v) {
  viewSim* s = &v->sim;
  const mjrRect r = v->ui.rect[SCENE_RECT];
  mjtNum point[3];
  int geom, flex, skin;
  if (r.width < 1 || r.height < 1) {
    return;
  }
  const int body =
      mjv_select(s->m, s->d, &v->opt, (double)r.width / r.height, (v->ui.x - r.left) / r.width,
                 (v->ui.y - r.bottom) / r.height, &v->scn, point, &geom, &flex, &skin);
  s->pert.active = 0;
  if (v->ui.button == mjBUTTON_LEFT) {
    selectBody(s, body, point, flex, skin);
    return;
  }
  if (body >= 0) {
    mju_copy3(v->cam.lookat, point);
  }
  if (v->ui.control && body > 0) {
    v->cam.type = mjCAMERA_TRACKING;
    v->cam.trackbodyid = body;
    v->cam.fixedcamid = -1;
  }
}


static void grip(cliView* v) {
  viewSim* s = &v->sim;
  const int kind = v->ui.right ? mjPERT_TRANSLATE : (v->ui.left ? mjPERT_ROTATE : 0);
  if (v->ui.control && s->pert.select > 0 && kind && !s->pert.active) {
    mjv_initPerturb(s->m, s->d, &v->scn, &s->pert);
    s->pert.active = kind;
  }
}


void cli_viewMouse(cliView* v) {
  const mjuiState* s = &v->ui;
  if (s->type == mjEVENT_SCROLL && s->mouserect == SCENE_RECT) {
    mjv_moveCamera(v->sim.m, mjMOUSE_ZOOM, 0, -wheel * s->sy, &v->scn, &v->cam);
  } else if (s->type == mjEVENT_PRESS && s->mouserect == SCENE_RECT && s->doubleclick) {
    doubleClick(v);
  } else if (s->type == mjEVENT_PRESS && s->mouserect == SCENE_RECT) {
    grip(v);
  } else if (s->type == mjEVENT_RELEASE && s->dragrect == SCENE_RECT) {
    v->sim.pert.active = 0;
  } else if (s->type == mjEVENT_MOVE && s->dragrect == SCENE_RECT) {
    drag(v);
  }
}
