// Checks of sensors: attached to objects of the right type, as long as their type says, with room
// for their history.
#include "model/checker.h"

// what a sensor may be attached to
enum {
  AT_SITE = 1 << 0,
  AT_BODY = 1 << 1,  // body or xbody
  AT_GEOM = 1 << 2,
  AT_CAMERA = 1 << 3,
  AT_JOINT = 1 << 4,
  AT_TENDON = 1 << 5,
  AT_ACTUATOR = 1 << 6,
  AT_MESH = 1 << 7,
  AT_NOTHING = 1 << 8,
  AT_ANYTHING = 1 << 9,
  AT_FRAME = AT_BODY | AT_GEOM | AT_SITE | AT_CAMERA,
};

// sizes that are not a constant of the type
enum { DIM_RAYS = -1, DIM_CONTACTS = -2, DIM_TACTILE = -3, DIM_FREE = -4 };

typedef struct {
  int object, reference;  // sets of AT_ flags; 0 for a reference that is not used
  int dim;
} SensorRule;

static const SensorRule rules[mjSENS_USER + 1] = {
    [mjSENS_TOUCH] = {AT_SITE, 0, 1},
    [mjSENS_ACCELEROMETER] = {AT_SITE, 0, 3},
    [mjSENS_VELOCIMETER] = {AT_SITE, 0, 3},
    [mjSENS_GYRO] = {AT_SITE, 0, 3},
    [mjSENS_FORCE] = {AT_SITE, 0, 3},
    [mjSENS_TORQUE] = {AT_SITE, 0, 3},
    [mjSENS_MAGNETOMETER] = {AT_SITE, 0, 3},
    [mjSENS_RANGEFINDER] = {AT_SITE | AT_CAMERA, 0, DIM_RAYS},
    [mjSENS_CAMPROJECTION] = {AT_SITE, AT_CAMERA, 2},
    [mjSENS_JOINTPOS] = {AT_JOINT, 0, 1},
    [mjSENS_JOINTVEL] = {AT_JOINT, 0, 1},
    [mjSENS_TENDONPOS] = {AT_TENDON, 0, 1},
    [mjSENS_TENDONVEL] = {AT_TENDON, 0, 1},
    [mjSENS_ACTUATORPOS] = {AT_ACTUATOR, 0, 1},
    [mjSENS_ACTUATORVEL] = {AT_ACTUATOR, 0, 1},
    [mjSENS_ACTUATORFRC] = {AT_ACTUATOR, 0, 1},
    [mjSENS_JOINTACTFRC] = {AT_JOINT, 0, 1},
    [mjSENS_TENDONACTFRC] = {AT_TENDON, 0, 1},
    [mjSENS_BALLQUAT] = {AT_JOINT, 0, 4},
    [mjSENS_BALLANGVEL] = {AT_JOINT, 0, 3},
    [mjSENS_JOINTLIMITPOS] = {AT_JOINT, 0, 1},
    [mjSENS_JOINTLIMITVEL] = {AT_JOINT, 0, 1},
    [mjSENS_JOINTLIMITFRC] = {AT_JOINT, 0, 1},
    [mjSENS_TENDONLIMITPOS] = {AT_TENDON, 0, 1},
    [mjSENS_TENDONLIMITVEL] = {AT_TENDON, 0, 1},
    [mjSENS_TENDONLIMITFRC] = {AT_TENDON, 0, 1},
    [mjSENS_FRAMEPOS] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_FRAMEQUAT] = {AT_FRAME, AT_FRAME | AT_NOTHING, 4},
    [mjSENS_FRAMEXAXIS] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_FRAMEYAXIS] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_FRAMEZAXIS] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_FRAMELINVEL] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_FRAMEANGVEL] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_FRAMELINACC] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_FRAMEANGACC] = {AT_FRAME, AT_FRAME | AT_NOTHING, 3},
    [mjSENS_SUBTREECOM] = {AT_BODY, 0, 3},
    [mjSENS_SUBTREELINVEL] = {AT_BODY, 0, 3},
    [mjSENS_SUBTREEANGMOM] = {AT_BODY, 0, 3},
    [mjSENS_INSIDESITE] = {AT_FRAME, AT_SITE, 1},
    [mjSENS_GEOMDIST] = {AT_BODY | AT_GEOM, AT_BODY | AT_GEOM, 1},
    [mjSENS_GEOMNORMAL] = {AT_BODY | AT_GEOM, AT_BODY | AT_GEOM, 3},
    [mjSENS_GEOMFROMTO] = {AT_BODY | AT_GEOM, AT_BODY | AT_GEOM, 6},
    [mjSENS_CONTACT] = {AT_BODY | AT_GEOM | AT_SITE | AT_NOTHING, AT_BODY | AT_GEOM | AT_NOTHING,
                        DIM_CONTACTS},
    [mjSENS_E_POTENTIAL] = {AT_NOTHING, 0, 1},
    [mjSENS_E_KINETIC] = {AT_NOTHING, 0, 1},
    [mjSENS_CLOCK] = {AT_NOTHING, 0, 1},
    [mjSENS_TACTILE] = {AT_MESH, AT_GEOM, DIM_TACTILE},
    [mjSENS_PLUGIN] = {AT_ANYTHING, AT_ANYTHING, DIM_FREE},
    [mjSENS_USER] = {AT_ANYTHING, AT_ANYTHING, DIM_FREE},
};


static int attachment(int objtype) {
  switch (objtype) {
    case mjOBJ_UNKNOWN:
      return AT_NOTHING;
    case mjOBJ_BODY:
    case mjOBJ_XBODY:
      return AT_BODY;
    case mjOBJ_SITE:
      return AT_SITE;
    case mjOBJ_GEOM:
      return AT_GEOM;
    case mjOBJ_CAMERA:
      return AT_CAMERA;
    case mjOBJ_JOINT:
      return AT_JOINT;
    case mjOBJ_TENDON:
      return AT_TENDON;
    case mjOBJ_ACTUATOR:
      return AT_ACTUATOR;
    case mjOBJ_MESH:
      return AT_MESH;
    default:
      return 0;
  }
}


// object or reference of a sensor: of an allowed type, with an id of that type
static bool checkSensorEnd(const cfChecker* c, const char* name, int sensor, int allowed, int type,
                           int id) {
  if (!allowed) {
    return true;
  }
  mjtSize count = cfi_objectCount(c->m, type);
  if (count == -2 || (!(allowed & AT_ANYTHING) && !(attachment(type) & allowed))) {
    return cfi_complain(c, "sensor %d of type %d: %s type %d does not fit", sensor,
                        c->m->sensor_type[sensor], name, type);
  }
  return count == -1 || cfi_checkValue(c, name, sensor, id, allowed & AT_ANYTHING ? -1 : 0, count);
}


// numbers that the bits of a data specification stand for; 0 for a bad one
static int specSize(int spec, const int* sizes, int count) {
  int size = 0;
  if (spec <= 0 || spec >= 1 << count) {
    return 0;
  }
  for (int k = 0; k < count; k++) {
    size += spec >> k & 1 ? sizes[k] : 0;
  }
  return size;
}


// how many numbers a sensor gives; -1 when that cannot be said
static mjtSize sensorSize(const mjModel* m, int s) {
  static const int ray_sizes[mjNRAYDATA] = {1, 3, 3, 3, 3, 1};
  static const int contact_sizes[mjNCONDATA] = {1, 3, 3, 1, 3, 3, 3};
  const int* spec = m->sensor_intprm + (mjtSize)s * mjNSENS;
  int dim = rules[m->sensor_type[s]].dim, id = m->sensor_objid[s];
  mjtSize size, count = 1;
  switch (dim) {
    case DIM_RAYS:
      size = specSize(spec[0], ray_sizes, mjNRAYDATA);
      if (m->sensor_objtype[s] == mjOBJ_CAMERA) {
        const int* resolution = m->cam_resolution + 2 * (mjtSize)id;
        count = resolution[0] > 0 && resolution[1] > 0 ? (mjtSize)resolution[0] * resolution[1] : 0;
      }
      return size && count && count <= m->nsensordata ? size * count : -1;
    case DIM_CONTACTS:
      size = specSize(spec[0], contact_sizes, mjNCONDATA);
      return size && spec[2] > 0 && spec[1] >= 0 && spec[1] <= 3 ? size * spec[2] : -1;
    case DIM_TACTILE:
      return 3 * (mjtSize)m->mesh_vertnum[id];
    case DIM_FREE:
      return m->sensor_dim[s];
    default:
      return dim;
  }
}


// types of joints that a joint sensor can measure
static bool checkSensorJoint(const cfChecker* c, int s) {
  const mjModel* m = c->m;
  if (rules[m->sensor_type[s]].object != AT_JOINT) {
    return true;
  }
  int type = m->jnt_type[m->sensor_objid[s]], sensor = m->sensor_type[s];
  bool needs_ball = sensor == mjSENS_BALLQUAT || sensor == mjSENS_BALLANGVEL;
  bool needs_scalar =
      sensor == mjSENS_JOINTPOS || sensor == mjSENS_JOINTVEL || sensor == mjSENS_JOINTACTFRC;
  bool is_scalar = type == mjJNT_SLIDE || type == mjJNT_HINGE;
  return ((!needs_ball || type == mjJNT_BALL) && (!needs_scalar || is_scalar)) ||
         cfi_complain(c, "sensor %d of type %d measures joint %d of type %d", s, sensor,
                      m->sensor_objid[s], type);
}


// ring buffer {user slot, cursor, n times, n*dim values}; fewer than no samples are none
static bool checkHistoryRing(const cfChecker* c, const char* name, int k, const int history[2],
                             int adr, mjtSize dim) {
  enum { SAMPLES_MAX = 1 << 24 };
  mjtSize n = history[0];
  if (n <= 0) {
    return true;
  }
  if (n > SAMPLES_MAX || history[1] < 0 || history[1] > 2) {
    return cfi_complain(c, "%s[%d] is {%d, %d}, expected up to %d samples and interpolation 0 to 2",
                        name, k, history[0], history[1], SAMPLES_MAX);
  }
  mjtSize end = (mjtSize)adr + 2 + n + n * dim;
  return (adr >= 0 && end <= c->m->nhistory) ||
         cfi_complain(c, "%sadr[%d] out of bounds: %d to %lld are not in 0 to %lld", name, k, adr,
                      (long long)end - 1, (long long)c->m->nhistory - 1);
}


static bool checkSensor(const cfChecker* c, int s) {
  const mjModel* m = c->m;
  const SensorRule* rule = rules + m->sensor_type[s];
  if (!checkSensorEnd(c, "sensor_objid", s, rule->object, m->sensor_objtype[s],
                      m->sensor_objid[s]) ||
      !checkSensorEnd(c, "sensor_refid", s, rule->reference, m->sensor_reftype[s],
                      m->sensor_refid[s]) ||
      !checkSensorJoint(c, s)) {
    return false;
  }
  mjtSize size = sensorSize(m, s);
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
