// Selection of bodies, and forces on them by a pointer.
#include "web.h"

// Select the body in the picture at (x, y), from the lower left corner in units of its size; the
// result is the body, 0 for the world, -1 for nothing.
int EXPORT(cfw_pick)(double aspect, double x, double y) {
  mjtNum point[3];
  int geom, flex, skin;
  const int body =
      mjv_select(web.m, web.d, &web.option, aspect, x, y, &web.scene, point, &geom, &flex, &skin);
  web.perturb.active = 0;
  web.perturb.select = body > 0 ? body : 0;
  web.perturb.flexselect = body >= 0 ? flex : -1;
  web.perturb.skinselect = body >= 0 ? skin : -1;
  if (body >= 0) {
    mjtNum arm[3];
    mju_sub3(arm, point, web.d->xpos + 3 * body);
    mju_mulMatTVec(web.perturb.localpos, web.d->xmat + 9 * body, arm, 3, 3);
  }
  return body;
}


// Begin to move or turn the selected body (mjtPertBit), or let it go (0).
void EXPORT(cfw_grip)(int kind) {
  const bool can = web.perturb.select > 0;
  if (kind && can) {
    mjv_initPerturb(web.m, web.d, &web.scene, &web.perturb);
  }
  web.perturb.active = can ? kind : 0;
  if (!kind) {
    mju_zero(web.d->xfrc_applied, 6 * (int)web.m->nbody);
  }
}


// Move the grip: action is one of mjtMouse, the distance is in heights of the picture.
void EXPORT(cfw_drag)(int action, double dx, double dy) {
  mjv_movePerturb(web.m, web.d, action, dx, dy, &web.scene, &web.perturb);
}


// Push a body by a velocity, in the world frame, at its center of mass.
void EXPORT(cfw_push)(int body, double x, double y, double z) {
  if (body <= 0 || body >= web.m->nbody || web.m->body_mass[body] <= 0) {
    return;
  }
  const mjtNum step = web.m->opt.timestep, mass = web.m->body_mass[body];
  const mjtNum force[3] = {x * mass / step, y * mass / step, z * mass / step}, none[3] = {0, 0, 0};
  mju_zero(web.d->qfrc_applied, (int)web.m->nv);
  mj_applyFT(web.m, web.d, force, none, web.d->xipos + 3 * body, body, web.d->qfrc_applied);
  mj_step(web.m, web.d);
  mju_zero(web.d->qfrc_applied, (int)web.m->nv);
}
