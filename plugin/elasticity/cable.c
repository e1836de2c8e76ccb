// mujoco.elasticity.cable: a chain of bodies that resists bending and twisting.
//
// Neighbors are joined by links. A link has the rotation of its second body relative to the first;
// its rotation vector, minus the one at rest, is the curvature times the length. Stiffness against
// twist is shear modulus times torsion constant, against bending Young's modulus times second
// moment of the cross section; the torque of a link acts on the second body and, turned back, on
// the first.
#include <math.h>

#include "../config.h"

// one body with the link to the body before it; the first body has none
typedef struct {
  mjtNum stiffness[3];  // about the axes of the body
  mjtNum length;        // of the link
  mjtNum rest[3];       // rotation vector of the link at rest
  mjtNum torque[3];     // of the link, for those who look at it
} cableBody;

typedef struct {
  int first, count;  // bodies, one behind the other
  mjtNum vmax;       // torque that is shown red; 0: colors stay
  cableBody body[];
} cableChain;


//---------------------------------- links ---------------------------------------------------------

// quaternion of a body's ball joint, or of the ball in its free joint; unit where there is neither
static const mjtNum* jointQuat(const mjModel* m, const mjtNum* qpos, int body) {
  static const mjtNum unit[4] = {1, 0, 0, 0};
  const int joint = m->body_jntadr[body] + m->body_jntnum[body] - 1;
  const int type = m->body_jntnum[body] ? m->jnt_type[joint] : mjJNT_HINGE;
  if (type != mjJNT_BALL && type != mjJNT_FREE) {
    return unit;
  }
  return qpos + m->jnt_qposadr[joint] + (type == mjJNT_FREE ? 3 : 0);
}


// torque of the link that leads to a body: in the frame of the body before, and in its own frame
static void linkTorque(const mjModel* m, const mjData* d, const cableChain* chain, int k,
                       mjtNum before[3], mjtNum own[3]) {
  const cableBody* b = chain->body + k;
  const int i = chain->first + k;
  mjtNum turn[4], back[4], bend[3];
  mju_mulQuat(turn, m->body_quat + 4 * i, jointQuat(m, d->qpos, i));
  mju_quat2Vel(bend, turn, 1);
  for (int axis = 0; axis < 3; axis++) {
    before[axis] = -b->stiffness[axis] * (bend[axis] - b->rest[axis]) / b->length;
  }
  mju_negQuat(back, turn);
  mju_rotVecQuat(own, before, back);
}


static bool isStiff(const cableBody* b) {
  return b->stiffness[0] != 0 || b->stiffness[1] != 0 || b->stiffness[2] != 0;
}


static void cableForces(const mjModel* m, mjData* d, int instance, int capability) {
  (void)capability;
  cableChain* chain = (cableChain*)d->plugin_data[instance];
  mjtNum from_before[3] = {0, 0, 0};  // torque of the link before, in the frame of this body
  for (int k = 0; k < chain->count; k++) {
    const int i = chain->first + k;
    cableBody* b = chain->body + k;
    const bool is_last = k + 1 == chain->count;
    mjtNum to_next[3] = {0, 0, 0}, of_next[3] = {0, 0, 0};
    if (!is_last) {
      linkTorque(m, d, chain, k + 1, to_next, of_next);
    }
    if (isStiff(b)) {
      mjtNum torque[3], world[3];
      if (k) {
        mju_copy3(b->torque, from_before);
      }
      if (!is_last) {
        mju_copy3(b[1].torque, to_next);
      }
      mju_sub3(torque, from_before, to_next);
      mju_rotVecQuat(world, torque, d->xquat + 4 * i);
      mj_applyFT(m, d, NULL, world, d->xpos + 3 * i, i, d->qfrc_passive);
    }
    mju_copy3(from_before, of_next);
  }
}


//---------------------------------- making --------------------------------------------------------

static mjtNum cube(mjtNum x) {
  return x * x * x;
}


// torsion constant and second moments of area of a body's first geom
static void crossSection(const mjModel* m, int geom, mjtNum area[3]) {
  const int type = geom < 0 ? mjGEOM_NONE : m->geom_type[geom];
  const mjtNum* size = m->geom_size + 3 * (geom < 0 ? 0 : geom);
  mju_zero3(area);
  if (type == mjGEOM_CYLINDER || type == mjGEOM_CAPSULE) {
    const mjtNum fourth = mjPI * cube(size[0]) * size[0];
    area[0] = fourth / 2;
    area[1] = area[2] = fourth / 4;
  } else if (type == mjGEOM_BOX) {
    const mjtNum height = size[1], width = size[2], wide = height > width ? height : width,
                 slim = height > width ? width : height;
    const mjtNum corner = 1 - cube(slim) * slim / (cube(wide) * wide) / 12;
    area[0] = wide * cube(slim) * (16. / 3. - 3.36 * slim / wide * corner);
    area[1] = cube(2 * width) * 2 * height / 12;
    area[2] = cube(2 * height) * 2 * width / 12;
  }
}


// stiffness and rest shape of one body; frames are those of the reference configuration
static void measureBody(const mjModel* m, const mjData* d, int instance, cableChain* chain, int k) {
  mjtNum shear = 0, young = 0, area[3];
  const int i = chain->first + k;
  cableBody* b = chain->body + k;
  configNumber(m, instance, "twist", &shear);
  configNumber(m, instance, "bend", &young);
  crossSection(m, m->body_geomadr[i], area);
  b->stiffness[0] = area[0] * shear;
  b->stiffness[1] = area[1] * young;
  b->stiffness[2] = area[2] * young;
  if (k) {
    b->length = mju_dist3(d->xpos + 3 * i, d->xpos + 3 * (i - 1));
    if (strcmp(configText(m, instance, "flat"), "true")) {
      mju_subQuat(b->rest, m->body_quat + 4 * i, jointQuat(m, d->qpos, i));
    }
  }
}


// bodies of the instance follow each other; their number, or -1 where they do not
static int findBodies(const mjModel* m, int instance, int* first) {
  int count = 0;
  *first = 0;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_plugin[i] != instance) {
      continue;
    }
    *first = count ? *first : i;
    if (i != *first + count++) {
      return -1;
    }
  }
  return count;
}


static int noState(const mjModel* m, int instance) {
  (void)m;
  (void)instance;
  return 0;
}


static int initCable(const mjModel* m, mjData* d, int instance) {
  int first;
  const int count = findBodies(m, instance, &first);
  d->plugin_data[instance] = 0;
  if (!isNumber(configText(m, instance, "twist")) || !isNumber(configText(m, instance, "bend"))) {
    mju_warning("Invalid parameter specification in cable plugin");
    return -1;
  }
  if (count < 0) {
    mju_warning("This body does not have the requested plugin instance");
    return -1;
  }
  const size_t bytes = sizeof(cableChain) + (size_t)count * sizeof(cableBody);
  cableChain* chain = (cableChain*)malloc(bytes);
  if (!chain) {
    return -1;
  }
  memset(chain, 0, bytes);
  chain->first = first;
  chain->count = count;
  configNumber(m, instance, "vmax", &chain->vmax);

  // data is still being made: frames of the reference configuration
  mju_zero(d->mocap_quat, 4 * (int)m->nmocap);
  mju_copy(d->qpos, m->qpos0, (int)m->nq);
  mj_kinematics(m, d);
  for (int k = 0; k < count; k++) {
    measureBody(m, d, instance, chain, k);
  }
  d->plugin_data[instance] = (uintptr_t)chain;
  return 0;
}


static void destroyCable(mjData* d, int instance) {
  free((void*)d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}


//---------------------------------- looks ---------------------------------------------------------

// blue over cyan, green and yellow to red as a share grows from 0 to 1
static void jetColor(float rgb[3], mjtNum share) {
  const mjtNum s = share < 0 ? 0 : share > 1 ? 1 : share;
  rgb[0] = (float)mju_clip(4 * s - 2, 0, 1);
  rgb[1] = (float)(s < 0.25 ? 4 * s : s < 0.75 ? 1 : 4 - 4 * s);
  rgb[2] = (float)mju_clip(2 - 4 * s, 0, 1);
}


// color of each body by the mean torque of its links
static void showCable(const mjModel* m, mjData* d, const mjvOption* opt, mjvScene* scn,
                      int instance) {
  (void)opt;
  (void)scn;
  const cableChain* chain = (const cableChain*)d->plugin_data[instance];
  for (int k = 0; chain->vmax != 0 && k < chain->count; k++) {
    const cableBody* b = chain->body + k;
    const cableBody *left = k || chain->count == 1 ? b : b + 1,
                    *right = k + 1 < chain->count ? b + 1 : b;
    const int geom = m->body_geomadr[chain->first + k];
    mjtNum mean[3];
    mju_add3(mean, left->torque, right->torque);
    mju_scl3(mean, mean, 0.5);
    if (geom >= 0) {
      jetColor(m->geom_rgba + 4 * geom, mju_norm3(mean) / chain->vmax);
    }
  }
}


mjPLUGIN_LIB_INIT {
  static const char* const keys[] = {"twist", "bend", "flat", "vmax"};
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "mujoco.elasticity.cable";
  plugin.attributes = keys;
  plugin.nattribute = (int)(sizeof(keys) / sizeof(keys[0]));
  plugin.capabilityflags = mjPLUGIN_PASSIVE;
  plugin.nstate = noState;
  plugin.init = initCable;
  plugin.destroy = destroyCable;
  plugin.compute = cableForces;
  plugin.visualize = showCable;
  mjp_registerPlugin(&plugin);
}
