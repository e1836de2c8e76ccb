// Awake index lists and sleep states of objects.
//
// A tree is the unit of sleep: tree_asleep holds a countdown (negative) while it is awake and the
// next tree of its sleeping cycle (non-negative) while it sleeps.  Everything here is derived from
// it.
#include "model/awake.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"

// state of a body given the states of the trees
static mjtSleepState stateOfBody(const mjModel* m, const mjData* d, int body, bool static_awake) {
  CF_ASSERT_INDEX(body, m->nbody);
  const int tree = m->body_treeid[body];
  if (tree >= 0) {
    return d->tree_awake[tree] ? mjS_AWAKE : mjS_ASLEEP;
  }

  // no tree: mocap bodies move at the user's will, the rest is fixed to the world
  const bool is_mocap = m->body_mocapid[m->body_rootid[body]] >= 0;
  return is_mocap || static_awake ? mjS_AWAKE : mjS_STATIC;
}


// tree_awake, ntree_awake
static void updateTrees(const mjModel* m, mjData* d) {
  int count = 0;
  for (int tree = 0; tree < m->ntree; tree++) {
    d->tree_awake[tree] = d->tree_asleep[tree] < 0;
    count += d->tree_awake[tree];
  }
  d->ntree_awake = count;
}


// body_awake, body_awake_ind (not asleep), parent_awake_ind (parent not asleep)
static void updateBodies(const mjModel* m, mjData* d, bool static_awake) {
  int nbody = 0, nparent = 0;
  for (int body = 0; body < m->nbody; body++) {
    d->body_awake[body] = stateOfBody(m, d, body, static_awake);
    if (d->body_awake[body] != mjS_ASLEEP) {
      d->body_awake_ind[nbody++] = body;
    }
    if (body > 0 && d->body_awake[m->body_parentid[body]] != mjS_ASLEEP) {
      d->parent_awake_ind[nparent++] = body;
    }
  }
  d->nbody_awake = nbody;
  d->nparent_awake = nparent;
}


// dof_awake_ind: dofs of awake trees, tree by tree
static void updateDofs(const mjModel* m, mjData* d) {
  int count = 0;
  for (int dof = 0; dof < m->nv; dof++) {
    if (d->tree_awake[m->dof_treeid[dof]]) {
      d->dof_awake_ind[count++] = dof;
    }
  }
  d->nv_awake = count;
}


void cfi_updateAwake(const mjModel* m, mjData* d, bool static_awake) {
  updateTrees(m, d);
  updateBodies(m, d, static_awake);
  updateDofs(m, d);
}


// a tendon is as awake as the most awake of its trees; more than two trees never sleep
static mjtSleepState stateOfTendon(const mjModel* m, const mjData* d, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  const int ntree = m->tendon_treenum[tendon];
  if (ntree == 0) {
    return mjS_STATIC;
  }
  bool is_awake = ntree > 2;
  for (int k = 0; k < ntree && k < 2; k++) {
    is_awake |= d->tree_awake[m->tendon_treeid[2 * tendon + k]] != 0;
  }
  return is_awake ? mjS_AWAKE : mjS_ASLEEP;
}


// asleep unless one of two states is awake
static mjtSleepState eitherAwake(mjtSleepState a, mjtSleepState b) {
  return a == mjS_AWAKE || b == mjS_AWAKE ? mjS_AWAKE : mjS_ASLEEP;
}


// object type that an actuator's transmission acts on, mjOBJ_UNKNOWN if none
static mjtObj transmissionObject(int trntype) {
  switch (trntype) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT:
      return mjOBJ_JOINT;
    case mjTRN_TENDON:
      return mjOBJ_TENDON;
    case mjTRN_SITE:
    case mjTRN_SLIDERCRANK:
      return mjOBJ_SITE;
    case mjTRN_BODY:
      return mjOBJ_BODY;
    default:
      return mjOBJ_UNKNOWN;
  }
}


static mjtSleepState stateOfActuator(const mjModel* m, const mjData* d, int actuator) {
  CF_ASSERT_INDEX(actuator, m->nu);
  const int* target = m->actuator_trnid + 2 * actuator;
  const mjtObj type = transmissionObject(m->actuator_trntype[actuator]);
  mjtSleepState state = cfi_sleepState(m, d, type, target[0]);

  // a slider-crank spans two sites
  if (m->actuator_trntype[actuator] == mjTRN_SLIDERCRANK) {
    state = eitherAwake(state, cfi_sleepState(m, d, type, target[1]));
  }
  return state;
}


// an equality sleeps unless one of its two objects is awake; a missing second object counts as
// static
static mjtSleepState stateOfEquality(const mjModel* m, const mjData* d, int eq) {
  CF_ASSERT_INDEX(eq, m->neq);
  if (m->eq_type[eq] > mjEQ_TENDON) {
    return mjS_AWAKE;
  }
  const mjtObj type = cfi_equalityObject(m->eq_type[eq], (mjtObj)m->eq_objtype[eq]);
  const int first = m->eq_obj1id[eq], second = m->eq_obj2id[eq];
  return eitherAwake(first < 0 ? mjS_STATIC : cfi_sleepState(m, d, type, first),
                     second < 0 ? mjS_STATIC : cfi_sleepState(m, d, type, second));
}


// sensors that look beyond their own object, or whose meaning is the user's, never sleep
static bool sensorAlwaysAwake(const mjModel* m, int sensor) {
  CF_ASSERT_INDEX(sensor, m->nsensor);
  switch (m->sensor_type[sensor]) {
    case mjSENS_USER:
    case mjSENS_PLUGIN:
    case mjSENS_RANGEFINDER:
      return true;
    case mjSENS_CONTACT:
      return m->sensor_objtype[sensor] == mjOBJ_SITE || m->sensor_reftype[sensor] == mjOBJ_SITE;
    default:
      return false;
  }
}


// never static: with one object it sleeps when that sleeps, with two unless one is awake
static mjtSleepState stateOfSensor(const mjModel* m, const mjData* d, int sensor) {
  CF_ASSERT_INDEX(sensor, m->nsensor);
  if (sensorAlwaysAwake(m, sensor)) {
    return mjS_AWAKE;
  }

  const mjtObj type = (mjtObj)m->sensor_objtype[sensor], ref = (mjtObj)m->sensor_reftype[sensor];
  const mjtSleepState of_object = cfi_sleepState(m, d, type, m->sensor_objid[sensor]);
  const mjtSleepState of_reference = cfi_sleepState(m, d, ref, m->sensor_refid[sensor]);
  if (type != mjOBJ_UNKNOWN && ref != mjOBJ_UNKNOWN) {
    return eitherAwake(of_object, of_reference);
  }
  const mjtSleepState known = type == mjOBJ_UNKNOWN ? of_reference : of_object;
  return known == mjS_ASLEEP ? mjS_ASLEEP : mjS_AWAKE;
}


// body that carries an object, -1 for types that are not attached to one body
static int carrierBody(const mjModel* m, mjtObj type, int id) {
  switch (type) {
    case mjOBJ_BODY:
    case mjOBJ_XBODY:
      return id;
    case mjOBJ_JOINT:
      return m->jnt_bodyid[id];
    case mjOBJ_DOF:
      return m->dof_bodyid[id];
    case mjOBJ_GEOM:
      return m->geom_bodyid[id];
    case mjOBJ_SITE:
      return m->site_bodyid[id];
    case mjOBJ_CAMERA:
      return m->cam_bodyid[id];
    case mjOBJ_LIGHT:
      return m->light_bodyid[id];
    default:
      return -1;
  }
}


mjtSleepState cfi_sleepState(const mjModel* m, const mjData* d, mjtObj type, int id) {
  const int body = carrierBody(m, type, id);
  if (body >= 0) {
    CF_ASSERT(body < m->nbody);
    return (mjtSleepState)d->body_awake[body];
  }

  switch (type) {
    case mjOBJ_TENDON:
      return stateOfTendon(m, d, id);
    case mjOBJ_ACTUATOR:
      return stateOfActuator(m, d, id);
    case mjOBJ_EQUALITY:
      return stateOfEquality(m, d, id);
    case mjOBJ_SENSOR:
      return stateOfSensor(m, d, id);
    case mjOBJ_FLEX:
    case mjOBJ_UNKNOWN:
      return mjS_AWAKE;
    default:
      mju_error("sleep state of objects of type %d is not defined", type);
      return mjS_AWAKE;
  }
}
