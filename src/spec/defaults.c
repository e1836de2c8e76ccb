// Initial attributes of every struct of mjspec.h.
#include <math.h>

#include <mujoco/mujoco.h>

// solver parameters that most elements start with
#define SOLREF \
  { 0.02, 1 }
#define SOLIMP \
  { 0.9, 0.95, 0.001, 0.5, 2 }
#define GRAY \
  { 0.5f, 0.5f, 0.5f, 1 }

void mjs_defaultSpec(mjSpec* spec) {
  *spec = (mjSpec){
      .compiler = {.autolimits = 1,
                   .settotalmass = -1,
                   .degree = 1,
                   .eulerseq = {'x', 'y', 'z'},
                   .usethread = 1,
                   .inertiafromgeom = mjINERTIAFROMGEOM_AUTO,
                   .inertiagrouprange = {0, mjNGROUP - 1}},
      .stat =
          {.meaninertia = NAN, .meanmass = NAN, .meansize = NAN, .extent = NAN, .center = {NAN}},
      .memory = -1,
      .nuser_body = -1,
      .nuser_jnt = -1,
      .nuser_geom = -1,
      .nuser_site = -1,
      .nuser_cam = -1,
      .nuser_tendon = -1,
      .nuser_actuator = -1,
      .nuser_sensor = -1,
      .njmax = -1,
      .nconmax = -1,
      .nstack = -1,
  };
  mj_defaultLROpt(&spec->compiler.LRopt);
  mj_defaultOption(&spec->option);
  mj_defaultVisual(&spec->visual);
}

void mjs_defaultOrientation(mjsOrientation* orient) {
  *orient = (mjsOrientation){.type = mjORIENTATION_QUAT};
}

void mjs_defaultBody(mjsBody* body) {
  *body = (mjsBody){.quat = {1}, .ipos = {NAN}, .iquat = {1}, .fullinertia = {NAN}};
}

void mjs_defaultFrame(mjsFrame* frame) {
  *frame = (mjsFrame){.quat = {1}};
}

void mjs_defaultJoint(mjsJoint* joint) {
  *joint = (mjsJoint){
      .type = mjJNT_HINGE,
      .axis = {0, 0, 1},
      .align = mjALIGNFREE_AUTO,
      .limited = mjLIMITED_AUTO,
      .solref_limit = SOLREF,
      .solimp_limit = SOLIMP,
      .actfrclimited = mjLIMITED_AUTO,
      .solref_friction = SOLREF,
      .solimp_friction = SOLIMP,
  };
}

void mjs_defaultGeom(mjsGeom* geom) {
  *geom = (mjsGeom){
      .type = mjGEOM_SPHERE,
      .quat = {1},
      .fromto = {NAN},
      .contype = 1,
      .conaffinity = 1,
      .condim = 3,
      .friction = {1, 0.005, 0.0001},
      .solmix = 1,
      .solref = SOLREF,
      .solimp = SOLIMP,
      .mass = NAN,
      .density = 1000,
      .typeinertia = mjINERTIA_VOLUME,

      // blunt drag, slender drag, angular drag, Kutta lift, Magnus lift
      .fluid_coefs = {0.5, 0.25, 1.5, 1, 1},
      .rgba = GRAY,
      .fitscale = 1,
  };
}

void mjs_defaultSite(mjsSite* site) {
  *site = (mjsSite){
      .quat = {1},
      .fromto = {NAN},
      .size = {0.005, 0.005, 0.005},
      .type = mjGEOM_SPHERE,
      .rgba = GRAY,
  };
}

void mjs_defaultCamera(mjsCamera* camera) {
  *camera = (mjsCamera){
      .quat = {1},
      .mode = mjCAMLIGHT_FIXED,
      .resolution = {1, 1},
      .output = mjCAMOUT_RGB,
      .fovy = 45,
      .ipd = 0.068,
  };
}

void mjs_defaultLight(mjsLight* light) {
  *light = (mjsLight){
      .dir = {0, 0, -1},
      .mode = mjCAMLIGHT_FIXED,
      .active = 1,
      .castshadow = 1,
      .bulbradius = 0.02f,
      .range = 10,
      .attenuation = {1},
      .cutoff = 45,
      .exponent = 10,
      .diffuse = {0.7f, 0.7f, 0.7f},
      .specular = {0.3f, 0.3f, 0.3f},
  };
}

void mjs_defaultFlex(mjsFlex* flex) {
  *flex = (mjsFlex){
      .contype = 1,
      .conaffinity = 1,
      .condim = 3,
      .friction = {1, 0.005, 0.0001},
      .solmix = 1,
      .solref = SOLREF,
      .solimp = SOLIMP,
      .dim = 2,
      .radius = 0.005,
      .selfcollide = mjFLEXSELF_AUTO,
      .activelayers = 1,
      .rgba = GRAY,
      .thickness = -1,
  };
}

void mjs_defaultMesh(mjsMesh* mesh) {
  *mesh = (mjsMesh){
      .refquat = {1},
      .scale = {1, 1, 1},
      .inertia = mjMESH_INERTIA_LEGACY,
      .maxhullvert = -1,
  };
}

void mjs_defaultHField(mjsHField* hfield) {
  *hfield = (mjsHField){.element = NULL};
}

void mjs_defaultSkin(mjsSkin* skin) {
  *skin = (mjsSkin){.rgba = GRAY};
}

void mjs_defaultTexture(mjsTexture* texture) {
  *texture = (mjsTexture){
      .type = mjTEXTURE_CUBE,
      .colorspace = mjCOLORSPACE_AUTO,
      .rgb1 = {0.8, 0.8, 0.8},
      .rgb2 = {0.5, 0.5, 0.5},
      .random = 0.01,
      .nchannel = 3,
      .gridsize = {1, 1},
  };
  for (int i = 0; i < (int)sizeof(texture->gridlayout); i++) {
    texture->gridlayout[i] = '.';
  }
}

void mjs_defaultMaterial(mjsMaterial* material) {
  *material = (mjsMaterial){
      .texrepeat = {1, 1},
      .specular = 0.5f,
      .shininess = 0.5f,
      .metallic = -1,
      .roughness = -1,
      .rgba = {1, 1, 1, 1},
  };
}

void mjs_defaultPair(mjsPair* pair) {
  *pair = (mjsPair){
      .condim = 3,
      .solref = SOLREF,
      .solimp = SOLIMP,
      .friction = {1, 1, 0.005, 0.0001, 0.0001},
  };
}

void mjs_defaultEquality(mjsEquality* equality) {
  // data: unit slope of a polynomial, unit ratio of torque to force
  *equality = (mjsEquality){
      .type = mjEQ_CONNECT,
      .data = {[1] = 1, [10] = 1},
      .active = 1,
      .solref = SOLREF,
      .solimp = SOLIMP,
  };
}

void mjs_defaultTendon(mjsTendon* tendon) {
  *tendon = (mjsTendon){
      .springlength = {-1, -1},
      .solref_friction = SOLREF,
      .solimp_friction = SOLIMP,
      .limited = mjLIMITED_AUTO,
      .solref_limit = SOLREF,
      .solimp_limit = SOLIMP,
      .width = 0.003,
      .rgba = GRAY,
  };
}

void mjs_defaultActuator(mjsActuator* actuator) {
  *actuator = (mjsActuator){
      .gaintype = mjGAIN_FIXED,
      .gainprm = {1},
      .biastype = mjBIAS_NONE,
      .dyntype = mjDYN_NONE,
      .dynprm = {1},
      .actdim = -1,
      .trntype = mjTRN_UNDEFINED,
      .gear = {1},
      .ctrllimited = mjLIMITED_AUTO,
      .forcelimited = mjLIMITED_AUTO,
      .actlimited = mjLIMITED_AUTO,
  };
}

void mjs_defaultSensor(mjsSensor* sensor) {
  *sensor = (mjsSensor){
      .type = mjSENS_TOUCH,
      .datatype = mjDATATYPE_REAL,
      .needstage = mjSTAGE_ACC,
  };
}

void mjs_defaultNumeric(mjsNumeric* numeric) {
  *numeric = (mjsNumeric){.element = NULL};
}

void mjs_defaultText(mjsText* text) {
  *text = (mjsText){.element = NULL};
}

void mjs_defaultTuple(mjsTuple* tuple) {
  *tuple = (mjsTuple){.element = NULL};
}

void mjs_defaultKey(mjsKey* key) {
  *key = (mjsKey){.element = NULL};
}

void mjs_defaultPlugin(mjsPlugin* plugin) {
  *plugin = (mjsPlugin){.element = NULL};
}
