// Sensors: what they measure, how large the result is and when it is computed.
#include "compile/phases.h"

#include <stdint.h>

#include "compile/asset.h"
#include "compile/plugins.h"
#include "model/sensorkind.h"

// words for a set of object types, as they appear in messages
static const char* objectWords(int set) {
  switch (set) {
    case AT_SITE:
      return "site";
    case AT_SITE | AT_CAMERA:
      return "site or camera";
    case AT_JOINT:
      return "joint";
    case AT_TENDON:
      return "tendon";
    case AT_ACTUATOR:
      return "actuator";
    case AT_BODY:
      return "body";
    case AT_BODY | AT_GEOM:
      return "body or geom";
    default:
      return "(x)body, geom, site or camera";
  }
}


//---------------------------------- references ----------------------------------------------------

// an object that is measured is more than decoration
static void markUsed(cfPart* part, mjtObj type) {
  if (type == mjOBJ_GEOM) {
    ((cfGeomDraft*)part)->is_visual = false;
  } else if (type == mjOBJ_MESH) {
    ((cfMeshDraft*)part)->is_visual = false;
  }
}


// can the sensor do without an object
static bool isFreeStanding(int type) {
  return (cfi_sensorKinds[type].object & (AT_NOTHING | AT_ANYTHING)) != 0;
}


// the part of that type and name; `missing` and `unknown` are what it is called in messages
static cfPart* namedPart(cfDraft* draft, const cfSensorDraft* sensor, mjtObj type, const char* name,
                         const char* missing, const char* unknown) {
  if (!name[0]) {
    cfi_fail(draft, &sensor->part, "missing name of %s in sensor", missing);
  }
  cfPart* found = cfi_findPart(draft, type, name);
  if (!found) {
    cfi_failUnknown(draft, &sensor->part, type, name, "unrecognized name '%s' of %s", name,
                    unknown);
  }
  return found;
}


static void resolveReferences(cfDraft* draft, cfSensorDraft* sensor) {
  const mjsSensor* attr = &sensor->attr;
  const cfPart* part = &sensor->part;
  const char *objname = cfi_text(attr->objname), *refname = cfi_text(attr->refname);
  if (attr->objtype != mjOBJ_UNKNOWN) {
    cfPart* obj =
        namedPart(draft, sensor, attr->objtype, objname, "sensorized object", "sensorized object");
    markUsed(obj, attr->objtype);
    sensor->obj = obj;
  } else if (!isFreeStanding(attr->type)) {
    cfi_fail(draft, part, "invalid type in sensor");
  }
  if (attr->reftype != mjOBJ_UNKNOWN) {
    cfPart* ref =
        namedPart(draft, sensor, attr->reftype, refname, "reference frame object", "object");
    if (!(cfi_attachment(attr->reftype) & AT_FRAME)) {
      cfi_fail(draft, part,
               "reference frame object must be (x)body, geom, site or camera in sensor");
    }
    markUsed(ref, attr->reftype);
    sensor->ref = ref;
  }
}


//---------------------------------- rules of single kinds -----------------------------------------

static void checkJoint(cfDraft* draft, const cfSensorDraft* sensor) {
  const cfJointDraft* joint = (const cfJointDraft*)sensor->obj;
  const int type = joint->attr.type;
  switch (sensor->attr.type) {
    case mjSENS_JOINTPOS:
    case mjSENS_JOINTVEL:
    case mjSENS_JOINTACTFRC:
      if (!cfi_isScalarJoint(type)) {
        cfi_fail(draft, &sensor->part, "joint must be slide or hinge in sensor");
      }
      return;
    case mjSENS_BALLQUAT:
    case mjSENS_BALLANGVEL:
      if (type != mjJNT_BALL) {
        cfi_fail(draft, &sensor->part, "joint must be ball in sensor");
      }
      return;
    default:
      if (!joint->is_limited) {
        cfi_fail(draft, &sensor->part, "joint must be limited in sensor");
      }
  }
}


static void checkTendon(cfDraft* draft, const cfSensorDraft* sensor) {
  const int type = sensor->attr.type;
  const bool measures_limit = type == mjSENS_TENDONLIMITPOS || type == mjSENS_TENDONLIMITVEL ||
                              type == mjSENS_TENDONLIMITFRC;
  if (measures_limit && !((const cfTendonDraft*)sensor->obj)->is_limited) {
    cfi_fail(draft, &sensor->part, "tendon must be limited in sensor");
  }
}


static bool isHField(mjtObj type, const cfPart* part) {
  return type == mjOBJ_GEOM && ((const cfGeomDraft*)part)->attr.type == mjGEOM_HFIELD;
}


static void checkDistance(cfDraft* draft, const cfSensorDraft* sensor) {
  const mjsSensor* attr = &sensor->attr;
  if (attr->reftype != mjOBJ_BODY && attr->reftype != mjOBJ_GEOM) {
    cfi_fail(draft, &sensor->part, "sensor must be attached to body or geom");
  }
  if (attr->objtype == attr->reftype && sensor->obj == sensor->ref) {
    cfi_fail(draft, &sensor->part, "1st body/geom must be different from 2nd body/geom");
  }
  if (isHField(attr->objtype, sensor->obj) || isHField(attr->reftype, sensor->ref)) {
    cfi_fail(draft, &sensor->part, "height fields are not supported in geom distance sensors");
  }
}


// bit field of requested data
static void checkDataSpec(cfDraft* draft, const cfSensorDraft* sensor, int nfield,
                          const char* what) {
  const int spec = sensor->attr.intprm[0], mask = (1 << nfield) - 1;
  if (spec <= 0) {
    cfi_fail(draft, &sensor->part, "data spec (intprm[0]) must be positive, got %d", spec);
  }
  if (!(spec & mask)) {
    cfi_fail(draft, &sensor->part,
             "data spec intprm[0]=%d must have at least one bit set of the first %s bits", spec,
             what);
  }
  if (spec & ~mask) {
    cfi_fail(draft, &sensor->part, "data spec intprm[0]=%d has bits set beyond the first %s bits",
             spec, what);
  }
}


static void checkContact(cfDraft* draft, const cfSensorDraft* sensor) {
  const mjsSensor* attr = &sensor->attr;
  const cfSensorKind* kind = &cfi_sensorKinds[mjSENS_CONTACT];
  if (attr->objtype != mjOBJ_UNKNOWN && !(cfi_attachment(attr->objtype) & kind->object)) {
    cfi_fail(draft, &sensor->part,
             "first matching criterion: if set, must be (x)body, geom or site");
  }
  if (attr->reftype != mjOBJ_UNKNOWN && !(cfi_attachment(attr->reftype) & kind->reference)) {
    cfi_fail(draft, &sensor->part, "second matching criterion: if set, must be (x)body or geom");
  }
  checkDataSpec(draft, sensor, mjNCONDATA, "mjNCONDATA");
  if (attr->intprm[1] < 0 || attr->intprm[1] > 3) {
    cfi_fail(draft, &sensor->part,
             "unknown reduction criterion. got %d, expected one of {0, 1, 2, 3}", attr->intprm[1]);
  }
  if (attr->intprm[2] <= 0) {
    cfi_fail(draft, &sensor->part, "num (intprm[2]) must be positive in sensor, got %d",
             attr->intprm[2]);
  }
}


static void checkUserSensor(cfDraft* draft, const cfSensorDraft* sensor) {
  const mjsSensor* attr = &sensor->attr;
  if (attr->dim < 0) {
    cfi_fail(draft, &sensor->part, "sensor dim must be non-negative in sensor");
  }
  if (attr->datatype == mjDATATYPE_AXIS && attr->dim != 3) {
    cfi_fail(draft, &sensor->part, "datatype AXIS requires dim=3 in sensor");
  }
  if (attr->datatype == mjDATATYPE_QUATERNION && attr->dim != 4) {
    cfi_fail(draft, &sensor->part, "datatype QUATERNION requires dim=4 in sensor");
  }
}


static void checkCameraProjection(cfDraft* draft, const cfSensorDraft* sensor) {
  const cfCameraDraft* camera = (const cfCameraDraft*)sensor->ref;
  if (sensor->attr.reftype != mjOBJ_CAMERA || !camera->attr.resolution[0] ||
      !camera->attr.resolution[1]) {
    cfi_fail(draft, &sensor->part, "camera projection sensor requires camera resolution");
  }
}


static void checkInsideSite(cfDraft* draft, const cfSensorDraft* sensor) {
  if (sensor->attr.reftype != mjOBJ_SITE) {
    cfi_fail(draft, &sensor->part, "sensor must be associated with a site");
  }
}


static void checkRangefinder(cfDraft* draft, const cfSensorDraft* sensor) {
  checkDataSpec(draft, sensor, mjNRAYDATA, "mjNRAYDATA");
}


// rules of single types
static void (*const own_rules[])(cfDraft*, const cfSensorDraft*) = {
    [mjSENS_CAMPROJECTION] = checkCameraProjection,
    [mjSENS_INSIDESITE] = checkInsideSite,
    [mjSENS_RANGEFINDER] = checkRangefinder,
    [mjSENS_CONTACT] = checkContact,
    [mjSENS_USER] = checkUserSensor};


// rules beyond the type of the object
static void checkKind(cfDraft* draft, const cfSensorDraft* sensor) {
  const mjsSensor* attr = &sensor->attr;
  const cfPart* part = &sensor->part;
  const int attached = isFreeStanding(attr->type) ? AT_UNUSED : cfi_sensorKinds[attr->type].object;
  if (attr->type == mjSENS_TACTILE &&
      (attr->objtype != mjOBJ_MESH || attr->reftype != mjOBJ_GEOM)) {
    cfi_fail(draft, part, "sensor must be associated with a %s",
             attr->objtype != mjOBJ_MESH ? "mesh" : "geom");
  }
  if (attached && !(attached & cfi_attachment(attr->objtype))) {
    cfi_fail(draft, part, "sensor must be attached to %s", objectWords(attached));
  }
  if (attached == AT_JOINT) {
    checkJoint(draft, sensor);
  } else if (attached == AT_TENDON) {
    checkTendon(draft, sensor);
  } else if (attached == (AT_BODY | AT_GEOM)) {
    checkDistance(draft, sensor);
  }
  const size_t type = (size_t)attr->type;
  if (type < sizeof(own_rules) / sizeof(own_rules[0]) && own_rules[type]) {
    own_rules[type](draft, sensor);
  }
}


// numbers that every sensor has
static void checkOutput(cfDraft* draft, const cfSensorDraft* sensor) {
  const mjsSensor* attr = &sensor->attr;
  const cfPart* part = &sensor->part;
  const double* interval = attr->interval;
  if (attr->noise < 0) {
    cfi_fail(draft, part, "negative noise in sensor");
  }
  if (attr->cutoff < 0) {
    cfi_fail(draft, part, "negative cutoff in sensor");
  }
  if (interval[0] < 0) {
    cfi_fail(draft, part, "negative interval in sensor");
  }
  if (interval[1] > 0) {
    cfi_fail(draft, part, "positive phase in sensor");
  }
  if (interval[0] > 0 && interval[1] <= -interval[0]) {
    cfi_fail(draft, part, "phase must be greater than -period in sensor");
  }
  if (attr->delay > 0 && attr->nsample <= 0) {
    cfi_fail(draft, part, "setting delay > 0 without a history buffer");
  }
  if (attr->nsample > 1 << 24) {
    cfi_fail(draft, part, "at most 2^24 samples in sensor history buffer, got %d", attr->nsample);
  }
}


//---------------------------------- size of the result --------------------------------------------

// records of a sensor, each with some numbers; too many are refused
static int recordedDim(cfDraft* draft, const cfSensorDraft* sensor, int64_t records, int size) {
  enum { VALUES_MAX = 1 << 28 };
  if (records < 0 || records > VALUES_MAX / (size ? size : 1)) {
    cfi_fail(draft, &sensor->part, "too many values in sensor '%s' (id = %d)", sensor->part.name,
             sensor->part.id);
  }
  return (int)records * size;
}


static int sensorDim(cfDraft* draft, const cfSensorDraft* sensor) {
  const mjsSensor* attr = &sensor->attr;
  switch (cfi_sensorKinds[attr->type].dim) {
    case DIM_CONTACTS:
      return recordedDim(draft, sensor, attr->intprm[2], cfi_contactDataSize(attr->intprm[0]));
    case DIM_RAYS: {
      int64_t rays = 1;
      if (attr->objtype == mjOBJ_CAMERA) {
        const int* pixels = ((const cfCameraDraft*)sensor->obj)->attr.resolution;
        rays = (int64_t)pixels[0] * pixels[1];
      }
      return recordedDim(draft, sensor, rays, cfi_rayDataSize(attr->intprm[0]));
    }
    case DIM_TACTILE:
      return 3 * ((const cfMeshDraft*)sensor->obj)->data->nvert;
    case DIM_GIVEN:
      return recordedDim(draft, sensor, attr->dim, 1);
    default:
      return cfi_sensorKinds[attr->type].dim;
  }
}


static void compileSensor(cfDraft* draft, cfPart* part) {
  cfSensorDraft* sensor = (cfSensorDraft*)part;
  mjsSensor* attr = &sensor->attr;
  cfi_checkUser(draft, &sensor->part, attr->userdata, "sensor");
  if ((int)attr->type < 0 || attr->type > mjSENS_USER) {
    cfi_fail(draft, &sensor->part, "invalid type in sensor '%s' (id = %d)", sensor->part.name,
             sensor->part.id);
  }
  checkOutput(draft, sensor);
  resolveReferences(draft, sensor);
  checkKind(draft, sensor);
  if (attr->type != mjSENS_USER) {
    attr->datatype = cfi_sensorKinds[attr->type].datatype;
    attr->needstage = cfi_sensorKinds[attr->type].stage;
  }
  if (attr->type == mjSENS_PLUGIN) {
    sensor->plugin = cfi_usePlugin(draft, &sensor->part, &attr->plugin);
    attr->needstage = (mjtStage)mjp_getPluginAtSlot(sensor->plugin->slot)->needstage;
    attr->dim = 0;
  }
  attr->dim = sensorDim(draft, sensor);
  bool is_direction =
      attr->datatype == mjDATATYPE_AXIS && cfi_sensorKinds[attr->type].cutoff == CUTOFF_CLAMP;
  if (attr->cutoff > 0 && (attr->datatype == mjDATATYPE_QUATERNION || is_direction)) {
    cfi_fail(draft, &sensor->part, "cutoff applied to axis or quaternion datatype in sensor");
  }
}


void cfi_compileSensors(cfDraft* draft) {
  cfi_guardList(draft, compileSensor, mjOBJ_SENSOR);
}
