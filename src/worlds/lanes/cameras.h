// Cameras and lights in every tracking mode, in the order of kinematics/camlight.c.

static void laneCameras(cfLaneGroup* g) {
  for (int i = 0; i < g->m->ncam; i++) {
    lawPlaceCamera(g, i, CF_AT(cam_xpos) + 3 * i, CF_AT(cam_xmat) + 9 * i);
  }
  for (int i = 0; i < g->m->nlight; i++) {
    lawPlaceLight(g, i, CF_AT(light_xpos) + 3 * i, CF_AT(light_xdir) + 3 * i);
  }
}
