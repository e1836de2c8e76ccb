// Default values of options, visual settings and statistics.
#include <string.h>

#include <mujoco/mujoco.h>

#include "model/model.h"

// SI units throughout; angles of the visual settings in degrees
static const mjOption default_option = {
    .timestep = 0.002,
    .impratio = 1,
    .tolerance = 1e-8,
    .ls_tolerance = 0.01,
    .noslip_tolerance = 1e-6,
    .ccd_tolerance = 1e-6,
    .sleep_tolerance = 1e-4,
    .gravity = {0, 0, -9.81},
    .magnetic = {0, -0.5, 0},
    .o_solref = {0.02, 1},
    .o_solimp = {0.9, 0.95, 0.001, 0.5, 2},
    .o_friction = {1, 1, 0.005, 0.0001, 0.0001},
    .integrator = mjINT_EULER,
    .cone = mjCONE_PYRAMIDAL,
    .jacobian = mjJAC_AUTO,
    .solver = mjSOL_NEWTON,
    .iterations = 100,
    .ls_iterations = 50,
    .ccd_iterations = 35,
    .sdf_initpoints = 40,
    .sdf_iterations = 10,
};

static const mjVisual default_visual = {
    .global = {.cameraid = -1,
               .fovy = 45,
               .ipd = 0.068f,
               .azimuth = 90,
               .elevation = -45,
               .linewidth = 1,
               .glow = 0.3f,
               .realtime = 1,
               .offwidth = 640,
               .offheight = 480,
               .bvactive = 1},
    .quality =
        {.shadowsize = 4096, .offsamples = 4, .numslices = 28, .numstacks = 16, .numquads = 4},
    .headlight = {.ambient = {0.1f, 0.1f, 0.1f},
                  .diffuse = {0.4f, 0.4f, 0.4f},
                  .specular = {0.5f, 0.5f, 0.5f},
                  .active = 1},
    .map = {.stiffness = 100,
            .stiffnessrot = 500,
            .force = 0.005f,
            .torque = 0.1f,
            .alpha = 0.3f,
            .fogstart = 3,
            .fogend = 10,
            .znear = 0.01f,
            .zfar = 50,
            .haze = 0.3f,
            .shadowclip = 1,
            .shadowscale = 0.6f,
            .actuatortendon = 2},
    .scale = {.forcewidth = 0.1f,
              .contactwidth = 0.3f,
              .contactheight = 0.1f,
              .connect = 0.2f,
              .com = 0.4f,
              .camera = 0.3f,
              .light = 0.3f,
              .selectpoint = 0.2f,
              .jointlength = 1,
              .jointwidth = 0.1f,
              .actuatorlength = 0.7f,
              .actuatorwidth = 0.2f,
              .framelength = 1,
              .framewidth = 0.1f,
              .constraint = 0.1f,
              .slidercrank = 0.2f,
              .frustum = 10},
    .rgba = {.fog = {0, 0, 0, 1},
             .haze = {1, 1, 1, 1},
             .force = {1, 0.5f, 0.5f, 1},
             .inertia = {0.8f, 0.2f, 0.2f, 0.6f},
             .joint = {0.2f, 0.6f, 0.8f, 1},
             .actuator = {0.2f, 0.25f, 0.2f, 1},
             .actuatornegative = {0.2f, 0.6f, 0.9f, 1},
             .actuatorpositive = {0.9f, 0.4f, 0.2f, 1},
             .com = {0.9f, 0.9f, 0.9f, 1},
             .camera = {0.6f, 0.9f, 0.6f, 1},
             .light = {0.6f, 0.6f, 0.9f, 1},
             .selectpoint = {0.9f, 0.9f, 0.1f, 1},
             .connect = {0.2f, 0.2f, 0.8f, 1},
             .contactpoint = {0.9f, 0.6f, 0.2f, 1},
             .contactforce = {0.7f, 0.9f, 0.9f, 1},
             .contactfriction = {0.9f, 0.8f, 0.4f, 1},
             .contacttorque = {0.9f, 0.7f, 0.9f, 1},
             .contactgap = {0.5f, 0.8f, 0.9f, 1},
             .rangefinder = {1, 1, 0.1f, 1},
             .constraint = {0.9f, 0, 0, 1},
             .slidercrank = {0.5f, 0.3f, 0.8f, 1},
             .crankbroken = {0.9f, 0, 0, 1},
             .frustum = {1, 1, 0, 0.2f},
             .bv = {0, 1, 0, 0.5f},
             .bvactive = {1, 0, 0, 0.5f}},
};

static const mjLROpt default_lengthrange = {
    .mode = mjLRMODE_MUSCLE,
    .useexisting = 1,
    .accel = 20,
    .timeconst = 1,
    .timestep = 0.01,
    .inttotal = 10,
    .interval = 2,
    .tolrange = 0.05,
};


void mj_defaultSolRefImp(mjtNum* solref, mjtNum* solimp) {
  if (solref) {
    memcpy(solref, default_option.o_solref, sizeof(default_option.o_solref));
  }
  if (solimp) {
    memcpy(solimp, default_option.o_solimp, sizeof(default_option.o_solimp));
  }
}


// copies whole structs, so that padding bytes are zero in saved models
void mj_defaultOption(mjOption* opt) {
  memcpy(opt, &default_option, sizeof(*opt));
}


void mj_defaultVisual(mjVisual* vis) {
  memcpy(vis, &default_visual, sizeof(*vis));
}


void mj_defaultLROpt(mjLROpt* opt) {
  memcpy(opt, &default_lengthrange, sizeof(*opt));
}


void cfi_defaultStatistic(mjStatistic* stat) {
  *stat = (mjStatistic){.meaninertia = 1, .meanmass = 1, .meansize = 0.2, .extent = 2};
}
