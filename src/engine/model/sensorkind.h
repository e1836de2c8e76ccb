// What is fixed about each type of sensor, from the table of sensors.
#ifndef CF_MODEL_SENSORKIND_H
#define CF_MODEL_SENSORKIND_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// sets of object types that a sensor may be attached to, or measured from
enum {
  AT_UNUSED = 0,  // there is no such object
  AT_SITE = 1 << 0,
  AT_BODY = 1 << 1,
  AT_XBODY = 1 << 2,
  AT_GEOM = 1 << 3,
  AT_CAMERA = 1 << 4,
  AT_JOINT = 1 << 5,
  AT_TENDON = 1 << 6,
  AT_ACTUATOR = 1 << 7,
  AT_MESH = 1 << 8,
  AT_NOTHING = 1 << 9,    // it may be left out
  AT_ANYTHING = 1 << 10,  // any type, or none
  AT_BODIES = AT_BODY | AT_XBODY,
  AT_FRAME = AT_BODIES | AT_GEOM | AT_SITE | AT_CAMERA,
};

// sizes that are not a constant of the type
enum { DIM_RAYS = -1, DIM_CONTACTS = -2, DIM_TACTILE = -3, DIM_GIVEN = -4 };

// what the cutoff does
typedef enum { CUTOFF_CLAMP, CUTOFF_REACH, CUTOFF_UNUSED } cftCutoff;

// what of a step sensors read; a sum of flags
typedef enum {
  FROM_NOTHING = 0,       // state and time, joints and tendons
  FROM_FRAMES = 1,        // of its object and reference
  FROM_VELOCITY = 2,      // of bodies
  FROM_ACCELERATION = 4,  // of bodies
  FROM_FORCES = 8,        // between bodies
  FROM_CONTACTS = 16,
  FROM_LIMITS = 32,     // rows of limits
  FROM_CENTERS = 64,    // of mass of subtrees: motions of bodies are given at them
  FROM_MOMENTUM = 128,  // of subtrees
  FROM_ACTUATION = 256,
  FROM_ENERGY = 512,
  FROM_TURNS = 1024,  // quaternions of bodies
  FROM_WORLD = 2048,  // anything that every step computes
  FROM_MOTION = FROM_FRAMES | FROM_VELOCITY | FROM_CENTERS,
  FROM_WRENCH = FROM_FRAMES | FROM_FORCES | FROM_CENTERS,
} cftReads;

typedef struct {
  const char* tag;
  int objects;            // attributes that name its objects, BY_ in tables/attributes.h
  int object, reference;  // sets of AT_ flags
  int dim;
  mjtStage stage;
  mjtDataType datatype;
  cftCutoff cutoff;
  int reads;     // sum of FROM_ flags
  bool in_team;  // the fast tier has it
} cfSensorKind;

extern const cfSensorKind cfi_sensorKinds[mjSENS_USER + 1];

// bit of an object type in such sets, 0 for a type that no sensor is attached to
int cfi_attachment(mjtObj type);

// What a type of sensor reads; types out of range read nothing.
static inline int cfi_typeReads(int type) {
  return type >= 0 && type <= mjSENS_USER ? cfi_sensorKinds[type].reads : FROM_NOTHING;
}

// What the sensors of a model read, all together.
int cfi_sensorReads(const mjModel* m);

// numbers of each field that contact sensors and rangefinders can report, by the bit that asks for
// it
extern const int cfi_contactDataSizes[mjNCONDATA], cfi_rayDataSizes[mjNRAYDATA];

// numbers per contact of a contact sensor, per ray of a rangefinder, for a set of field bits
int cfi_contactDataSize(int fields);
int cfi_rayDataSize(int fields);

#endif  // CF_MODEL_SENSORKIND_H
