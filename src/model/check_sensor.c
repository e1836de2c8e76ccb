// Checks of sensors: attached to objects of the right type, as long as their type says, with room
// for their history.
#include "model/checker.h"

// what a sensor may be attached to
enum {
  ON_SITE = 1 << 0,
  ON_BODY = 1 << 1,  // body or xbody
  ON_GEOM = 1 << 2,
  ON_CAMERA = 1 << 3,
  ON_JOINT = 1 << 4,
  ON_TENDON = 1 << 5,
  ON_ACTUATOR = 1 << 6,
  ON_MESH = 1 << 7,
  ON_NOTHING = 1 << 8,
  ON_ANYTHING = 1 << 9,
  ON_FRAME = ON_BODY | ON_GEOM | ON_SITE | ON_CAMERA,
};

// sizes that are not a constant of the type
enum { DIM_RAYS = -1, DIM_CONTACTS = -2, DIM_TACTILE = -3, DIM_FREE = -4 };

typedef struct {
  int object, reference;  // sets of ON_ flags; 0 for a reference that is not used
  int dim;
} SensorRule;

static const SensorRule rules[mjSENS_USER + 1] = {
    [mjSENS_TOUCH] = {ON_SITE, 0, 1},
    [mjSENS_ACCELEROMETER] = {ON_SITE, 0, 3},
    [mjSENS_VELOCIMETER] = {ON_SITE, 0, 3},
    [mjSENS_GYRO] = {ON_SITE, 0, 3},
    [mjSENS_FORCE] = {ON_SITE, 0, 3},
    [mjSENS_TORQUE] = {ON_SITE, 0, 3},
    [mjSENS_MAGNETOMETER] = {ON_SITE, 0, 3},
    [mjSENS_RANGEFINDER] = {ON_SITE | ON_CAMERA, 0, DIM_RAYS},
    [mjSENS_CAMPROJECTION] = {ON_SITE, ON_CAMERA, 2},
    [mjSENS_JOINTPOS] = {ON_JOINT, 0, 1},
    [mjSENS_JOINTVEL] = {ON_JOINT, 0, 1},
    [mjSENS_TENDONPOS] = {ON_TENDON, 0, 1},
    [mjSENS_TENDONVEL] = {ON_TENDON, 0, 1},
    [mjSENS_ACTUATORPOS] = {ON_ACTUATOR, 0, 1},
    [mjSENS_ACTUATORVEL] = {ON_ACTUATOR, 0, 1},
    [mjSENS_ACTUATORFRC] = {ON_ACTUATOR, 0, 1},
    [mjSENS_JOINTACTFRC] = {ON_JOINT, 0, 1},
    [mjSENS_TENDONACTFRC] = {ON_TENDON, 0, 1},
    [mjSENS_BALLQUAT] = {ON_JOINT, 0, 4},
    [mjSENS_BALLANGVEL] = {ON_JOINT, 0, 3},
    [mjSENS_JOINTLIMITPOS] = {ON_JOINT, 0, 1},
    [mjSENS_JOINTLIMITVEL] = {ON_JOINT, 0, 1},
    [mjSENS_JOINTLIMITFRC] = {ON_JOINT, 0, 1},
    [mjSENS_TENDONLIMITPOS] = {ON_TENDON, 0, 1},
    [mjSENS_TENDONLIMITVEL] = {ON_TENDON, 0, 1},
    [mjSENS_TENDONLIMITFRC] = {ON_TENDON, 0, 1},
    [mjSENS_FRAMEPOS] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_FRAMEQUAT] = {ON_FRAME, ON_FRAME | ON_NOTHING, 4},
    [mjSENS_FRAMEXAXIS] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_FRAMEYAXIS] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_FRAMEZAXIS] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_FRAMELINVEL] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_FRAMEANGVEL] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_FRAMELINACC] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_FRAMEANGACC] = {ON_FRAME, ON_FRAME | ON_NOTHING, 3},
    [mjSENS_SUBTREECOM] = {ON_BODY, 0, 3},
    [mjSENS_SUBTREELINVEL] = {ON_BODY, 0, 3},
    [mjSENS_SUBTREEANGMOM] = {ON_BODY, 0, 3},
    [mjSENS_INSIDESITE] = {ON_FRAME, ON_SITE, 1},
    [mjSENS_GEOMDIST] = {ON_BODY | ON_GEOM, ON_BODY | ON_GEOM, 1},
    [mjSENS_GEOMNORMAL] = {ON_BODY | ON_GEOM, ON_BODY | ON_GEOM, 3},
    [mjSENS_GEOMFROMTO] = {ON_BODY | ON_GEOM, ON_BODY | ON_GEOM, 6},
    [mjSENS_CONTACT] = {ON_BODY | ON_GEOM | ON_SITE | ON_NOTHING, ON_BODY | ON_GEOM | ON_NOTHING,
                        DIM_CONTACTS},
    [mjSENS_E_POTENTIAL] = {ON_NOTHING, 0, 1},
    [mjSENS_E_KINETIC] = {ON_NOTHING, 0, 1},
    [mjSENS_CLOCK] = {ON_NOTHING, 0, 1},
    [mjSENS_TACTILE] = {ON_MESH, ON_GEOM, DIM_TACTILE},
    [mjSENS_PLUGIN] = {ON_ANYTHING, ON_ANYTHING, DIM_FREE},
    [mjSENS_USER] = {ON_ANYTHING, ON_ANYTHING, DIM_FREE},
};


static int attachment(int objtype) {
  switch (objtype) {
    case mjOBJ_UNKNOWN:
      return ON_NOTHING;
    case mjOBJ_BODY:
    case mjOBJ_XBODY:
      return ON_BODY;
    case mjOBJ_SITE:
      return ON_SITE;
    case mjOBJ_GEOM:
      return ON_GEOM;
    case mjOBJ_CAMERA:
      return ON_CAMERA;
    case mjOBJ_JOINT:
      return ON_JOINT;
    case mjOBJ_TENDON:
      return ON_TENDON;
    case mjOBJ_ACTUATOR:
      return ON_ACTUATOR;
    case mjOBJ_MESH:
      return ON_MESH;
    default:
      return 0;
  }
}


// object or reference of a sensor: of an allowed type, with an id of that type
static bool checkEnd(const cfChecker* c, const char* name, int sensor, int allowed, int type,
                     int id) {
  if (!allowed) {
    return true;
  }
  mjtSize count = cfi_objectCount(c->m, type);
  if (count == -2 || (!(allowed & ON_ANYTHING) && !(attachment(type) & allowed))) {
    return cfi_complain(c, "sensor %d of type %d: %s type %d does not fit", sensor,
                        c->m->sensor_type[sensor], name, type);
  }
  return count == -1 || cfi_checkValue(c, name, sensor, id, allowed & ON_ANYTHING ? -1 : 0, count);
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
static bool checkJoint(const cfChecker* c, int s) {
  const mjModel* m = c->m;
  if (rules[m->sensor_type[s]].object != ON_JOINT) {
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


// ring buffer {user slot, cursor, n times, n*dim values}
static bool checkHistory(const cfChecker* c, const char* name, int k, const int history[2], int adr,
                         mjtSize dim) {
  enum { SAMPLES_MAX = 1 << 24 };
  mjtSize n = history[0];
  if (n == 0) {
    return true;
  }
  if (n < 0 || n > SAMPLES_MAX || history[1] < 0 || history[1] > 2) {
    return cfi_complain(c, "%s[%d] is {%d, %d}, expected 0 to %d samples and interpolation 0 to 2",
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
  if (!checkEnd(c, "sensor_objid", s, rule->object, m->sensor_objtype[s], m->sensor_objid[s]) ||
      !checkEnd(c, "sensor_refid", s, rule->reference, m->sensor_reftype[s], m->sensor_refid[s]) ||
      !checkJoint(c, s)) {
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
         checkHistory(c, "sensor_history", s, m->sensor_history + 2 * s, m->sensor_historyadr[s],
                      size);
}


bool cfi_checkSensors(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int s = 0; s < m->nsensor; s++) {
    if (!checkSensor(c, s)) {
      return false;
    }
  }
  for (int u = 0; u < m->nu; u++) {
    if (!checkHistory(c, "actuator_history", u, m->actuator_history + 2 * u,
                      m->actuator_historyadr[u], 1)) {
      return false;
    }
  }
  return true;
}
