// What is fixed about each type of sensor.
#include "model/sensorkind.h"

#include "tables/attributes.h"

enum { CF_SENSOR_NO, CF_SENSOR_YES };

const cfSensorKind cfi_sensorKinds[mjSENS_USER + 1] = {
#define CF_SENSOR(id, type, tag, objects, object, reference, dim, stage, datatype, cutoff, \
                  function, reads, team, doc)                                              \
  [type] = {tag,                                                                           \
            BY_##objects,                                                                  \
            object,                                                                        \
            reference,                                                                     \
            dim,                                                                           \
            mjSTAGE_##stage,                                                               \
            mjDATATYPE_##datatype,                                                         \
            CUTOFF_##cutoff,                                                               \
            reads,                                                                         \
            CF_SENSOR_##team},
#include "tables/sensors.def"
#undef CF_SENSOR
};

int cfi_sensorReads(const mjModel* m) {
  int reads = FROM_NOTHING;
  for (int i = 0; i < m->nsensor; i++) {
    reads |= cfi_typeReads(m->sensor_type[i]);
  }
  return reads;
}


const int cfi_contactDataSizes[mjNCONDATA] = {
#define CF_CONTACTDATA(word, value, size) [value] = size,
#define CF_RAYDATA(word, value, size)
#include "tables/sensordata.def"
#undef CF_CONTACTDATA
#undef CF_RAYDATA
};

const int cfi_rayDataSizes[mjNRAYDATA] = {
#define CF_CONTACTDATA(word, value, size)
#define CF_RAYDATA(word, value, size) [value] = size,
#include "tables/sensordata.def"
#undef CF_CONTACTDATA
#undef CF_RAYDATA
};


int cfi_attachment(mjtObj type) {
  switch ((int)type) {
    case mjOBJ_UNKNOWN:
      return AT_NOTHING;
    case mjOBJ_BODY:
      return AT_BODY;
    case mjOBJ_XBODY:
      return AT_XBODY;
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


static int sumOfFields(int fields, const int* size, int count) {
  int sum = 0;
  for (int k = 0; k < count; k++) {
    sum += fields & (1 << k) ? size[k] : 0;
  }
  return sum;
}


int cfi_contactDataSize(int fields) {
  return sumOfFields(fields, cfi_contactDataSizes, mjNCONDATA);
}


int cfi_rayDataSize(int fields) {
  return sumOfFields(fields, cfi_rayDataSizes, mjNRAYDATA);
}
