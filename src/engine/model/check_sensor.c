// Checks of sensors: attached to objects of the right type, as long as their type says, with room
// for their history.
#include "model/checker.h"
#include "model/jointkind.h"
#include "model/sensorkind.h"

// bodies of both kinds will do where one does
static int attachedTo(int type) {
  const int bit = cfi_attachment((mjtObj)type);
  return bit & AT_BODIES ? AT_BODIES : bit;
}


// object or reference of a sensor: of an allowed type, with an id of that type
static bool checkSensorEnd(const cfChecker* c, const char* name, int sensor, int allowed, int type,
                           int id) {
  if (!allowed) {
    return true;
  }
  const mjtSize count = cfi_objectCount(c->m, type);
  if (count == -2 || (!(allowed & AT_ANYTHING) && !(attachedTo(type) & allowed))) {
    return cfi_complain(c, "sensor %d of type %d: %s type %d does not fit", sensor,
                        c->m->sensor_type[sensor], name, type);
  }

  // a frame that is measured from is looked up by its id
  if (count == -1 && allowed == (AT_FRAME | AT_NOTHING) && id >= 0) {
    return cfi_complain(c, "%s[%d] is %d, but its type %d has no objects", name, sensor, id, type);
  }
  return count == -1 || cfi_checkValue(c, name, sensor, id, allowed & AT_ANYTHING ? -1 : 0, count);
}


// is it a set of at least one of the first fields
static bool isDataSpec(int spec, int nfield) {
  return spec > 0 && spec < 1 << nfield;
}


// how many numbers a sensor gives; -1 when that cannot be said
static mjtSize sensorSize(const mjModel* m, int s) {
  const int* spec = m->sensor_intprm + (mjtSize)s * mjNSENS;
  const int dim = cfi_sensorKinds[m->sensor_type[s]].dim, id = m->sensor_objid[s];
  mjtSize size, count = 1;
  switch (dim) {
    case DIM_RAYS:
      size = isDataSpec(spec[0], mjNRAYDATA) ? cfi_rayDataSize(spec[0]) : 0;
      if (m->sensor_objtype[s] == mjOBJ_CAMERA) {
        const int* resolution = m->cam_resolution + 2 * (mjtSize)id;
        count = resolution[0] > 0 && resolution[1] > 0 ? (mjtSize)resolution[0] * resolution[1] : 0;
      }
      return size && count && count <= m->nsensordata ? size * count : -1;
    case DIM_CONTACTS:
      size = isDataSpec(spec[0], mjNCONDATA) ? cfi_contactDataSize(spec[0]) : 0;
      return size && spec[2] > 0 && spec[1] >= 0 && spec[1] <= 3 ? size * spec[2] : -1;
    case DIM_TACTILE:
      return 3 * (mjtSize)m->mesh_vertnum[id];
    case DIM_GIVEN:
      return m->sensor_dim[s];
    default:
      return dim;
  }
}


// types of joints that a joint sensor can measure
static bool checkSensorJoint(const cfChecker* c, int s) {
  const mjModel* m = c->m;
  if (cfi_sensorKinds[m->sensor_type[s]].object != AT_JOINT) {
    return true;
  }
  const int type = m->jnt_type[m->sensor_objid[s]], sensor = m->sensor_type[s];
  const bool needs_ball = sensor == mjSENS_BALLQUAT || sensor == mjSENS_BALLANGVEL;
  bool needs_scalar =
      sensor == mjSENS_JOINTPOS || sensor == mjSENS_JOINTVEL || sensor == mjSENS_JOINTACTFRC;
  const bool is_scalar = cfi_isScalarJoint(type);
  return ((!needs_ball || type == mjJNT_BALL) && (!needs_scalar || is_scalar)) ||
         cfi_complain(c, "sensor %d of type %d measures joint %d of type %d", s, sensor,
                      m->sensor_objid[s], type);
}


// ring buffer {user slot, cursor, n times, n*dim values}; fewer than no samples are none
static bool checkHistoryRing(const cfChecker* c, const char* name, int k, const int history[2],
                             int adr, mjtSize dim) {
  enum { SAMPLES_MAX = 1 << 24 };
  const mjtSize n = history[0];
  if (n <= 0) {
    return true;
  }
  if (n > SAMPLES_MAX || history[1] < 0 || history[1] > 2) {
    return cfi_complain(c, "%s[%d] is {%d, %d}, expected up to %d samples and interpolation 0 to 2",
                        name, k, history[0], history[1], SAMPLES_MAX);
  }
  const mjtSize end = (mjtSize)adr + 2 + n + n * dim;
  return (adr >= 0 && end <= c->m->nhistory) ||
         cfi_complain(c, "%sadr[%d] out of bounds: %d to %lld are not in 0 to %lld", name, k, adr,
                      (long long)end - 1, (long long)c->m->nhistory - 1);
}


static bool checkSensor(const cfChecker* c, int s) {
  const mjModel* m = c->m;
  const cfSensorKind* rule = &cfi_sensorKinds[m->sensor_type[s]];
  if (!checkSensorEnd(c, "sensor_objid", s, rule->object, m->sensor_objtype[s],
                      m->sensor_objid[s]) ||
      !checkSensorEnd(c, "sensor_refid", s, rule->reference, m->sensor_reftype[s],
                      m->sensor_refid[s]) ||
      !checkSensorJoint(c, s)) {
    return false;
  }
  const mjtSize size = sensorSize(m, s);
  if (size < 0) {
    return cfi_complain(c, "sensor_intprm of sensor %d holds no valid data specification", s);
  }
  if (m->sensor_type[s] == mjSENS_PLUGIN &&
      !cfi_checkValue(c, "sensor_plugin", s, m->sensor_plugin[s], 0, m->nplugin)) {
    return false;
  }
  return cfi_checkEqual(c, "sensor_dim", s, m->sensor_dim[s], size) &&
         checkHistoryRing(c, "sensor_history", s, m->sensor_history + 2 * s,
                          m->sensor_historyadr[s], size);
}


bool cfi_checkSensors(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int s = 0; s < m->nsensor; s++) {
    if (!checkSensor(c, s)) {
      return false;
    }
  }
  for (int u = 0; u < m->nu; u++) {
    if (!checkHistoryRing(c, "actuator_history", u, m->actuator_history + 2 * u,
                          m->actuator_historyadr[u], 1)) {
      return false;
    }
  }
  return true;
}
