// Table of sensor elements, shared by reading and writing.
#ifndef CF_MJCF_SENSORKIND_H
#define CF_MJCF_SENSORKIND_H

#include <mujoco/mujoco.h>

// how the objects of a sensor are given
typedef enum {
  BY_NAME,   // the attribute names an object of a fixed type
  BY_FRAME,  // objtype and objname; reftype and refname where the grammar has them
  BY_OTHER,  // a function of its own
  BY_NOTHING,
} cftBy;

typedef struct {
  const char* tag;
  mjtSensor type;
  cftBy by;
  const char* attribute;
  mjtObj object;
} cfSensorKind;

enum { CF_SENSOR_KINDS = 49 };
extern const cfSensorKind cfi_sensorKinds[CF_SENSOR_KINDS];

#endif  // CF_MJCF_SENSORKIND_H
