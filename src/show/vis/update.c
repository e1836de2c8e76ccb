// A scene from the current state: the order in which its parts are painted.
#include "vis/painter.h"
#include "vis/skin.h"

// objects of the model
static void (*const objects[])(cfPainter*) = {
    cfi_paintFlexes, cfi_paintSkins,   cfi_paintGeoms,
    cfi_paintSites,  cfi_paintTendons, cfi_paintSliderCranks,
};

// decoration
static void (*const decoration[])(cfPainter*) = {
    cfi_paintGeomFrames,    cfi_paintSiteFrames, cfi_paintBodyVolumes,   cfi_paintFlexVolumes,
    cfi_paintMeshVolumes,   cfi_paintOctrees,    cfi_paintTactile,       cfi_paintInertia,
    cfi_paintPerturb,       cfi_paintBodyFrames, cfi_paintSelectedPoint, cfi_paintBodyLabels,
    cfi_paintJoints,        cfi_paintActuators,  cfi_paintIslandLabels,  cfi_paintCameras,
    cfi_paintLights,        cfi_paintCenters,    cfi_paintSkeleton,      cfi_paintRays,
    cfi_paintAppliedForces, cfi_paintEqualities, cfi_paintContacts,
};


void mjv_addGeoms(const mjModel* m, mjData* d, const mjvOption* opt, const mjvPerturb* pert,
                  int catmask, mjvScene* scn) {
  mjvPerturb nothing;
  mjv_defaultPerturb(&nothing);
  const int mask = opt->flags[mjVIS_STATIC] ? catmask : catmask & ~mjCAT_STATIC;
  cfPainter painter = {m, d, opt, pert ? pert : &nothing, scn, mask, m->stat.meansize};
  for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
    objects[i](&painter);
  }
  for (size_t i = 0; (mask & mjCAT_DECOR) && i < sizeof(decoration) / sizeof(decoration[0]); i++) {
    decoration[i](&painter);
  }
}


// plugins may add geoms of their own
static void paintPlugins(const mjModel* m, mjData* d, const mjvOption* opt, mjvScene* scn) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("invalid plugin slot: %d", m->plugin[i]);
      return;
    }
    if (plugin->visualize) {
      plugin->visualize(m, d, opt, scn, i);
    }
  }
}


// any of the ways to show a flex
static bool wantsFlexes(const mjvOption* opt) {
  return opt->flags[mjVIS_FLEXVERT] + opt->flags[mjVIS_FLEXEDGE] + opt->flags[mjVIS_FLEXFACE] +
         opt->flags[mjVIS_FLEXSKIN];
}


void mjv_updateScene(const mjModel* m, mjData* d, const mjvOption* opt, const mjvPerturb* pert,
                     mjvCamera* cam, int catmask, mjvScene* scn) {
  // infinite planes follow the camera of the scene before
  scn->ngeom = scn->status = 0;
  paintPlugins(m, d, opt, scn);
  mjv_addGeoms(m, d, opt, pert, catmask, scn);

  // surfaces that deform
  if (wantsFlexes(opt)) {
    cfi_updateFlexes(m, d, scn, opt);
  }
  if (opt->flags[mjVIS_SKIN]) {
    cfi_updateSkins(m, d, scn, opt);
  }

  // the headlight goes with the camera
  mjv_updateCamera(m, d, cam, scn);
  mjv_makeLights(m, d, scn);
  if (scn->status) {
    mj_warning(d, mjWARN_VGEOMFULL, scn->maxgeom);
  }
}
