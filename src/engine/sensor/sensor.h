// One sensor as its function sees it.  Every type has one function in a table (sensor.c).
#ifndef CF_SENSOR_SENSOR_H
#define CF_SENSOR_SENSOR_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "constraint/bodycontacts.h"
#include "model/sensorkind.h"

// the last nearest pair that was searched for: distance, normal and segment of the same objects
// share it
typedef struct {
  int objtype, objid, reftype, refid;  // objid -1: nothing yet
  mjtNum cutoff, dist, segment[6];
} cfNearestMemo;

typedef struct {
  const mjModel* m;
  mjData* d;  // lazily computed quantities (subtree velocities, accelerations, energies) may be
              // filled in
  int id, type;
  int objtype, objid;
  int reftype, refid;  // refid -1: none
  cfNearestMemo* memo;
  const cfBodyContacts* contacts;  // NULL: not listed
} cfSensor;

typedef void (*cfSensorFunction)(const cfSensor* s, mjtNum* out);

// value of one sensor now, ignoring delay and interval, cutoff applied
void cfi_computeSensor(const mjModel* m, mjData* d, int sensor, mjtNum* res);

// the same of a stage, which has a memo and may have listed contacts by body
void cfi_senseOne(const mjModel* m, mjData* d, int sensor, cfNearestMemo* memo,
                  const cfBodyContacts* contacts, mjtNum* res);

// does it depend on the tree of its body alone, after the solver
bool cfi_isSensorOfTree(const mjModel* m, int sensor);

// mj_rnePostConstraint and the sensors of trees on the threads of a pool; false, and nothing done,
// where there is none, too little to do, or an equality constraint.  The caller has marked the
// stack
bool cfi_shareSensors(const mjModel* m, mjData* d, const cfBodyContacts* contacts);

// ray through the center of a camera's pixel; row 0 is the top of the image
void cfi_pixelRay(const mjModel* m, mjData* d, int camera, int col, int row, mjtNum origin[3],
                  mjtNum direction[3]);

// origin and axes of a body, geom, site or camera
typedef struct {
  const mjtNum *pos, *mat;
} cfSensorFrame;
cfSensorFrame cfi_objectFrame(const cfSensor* s, int objtype, int objid);

// scalars.c
void cfi_senseJointPos(const cfSensor* s, mjtNum* out);
void cfi_senseBallQuat(const cfSensor* s, mjtNum* out);
void cfi_senseJointVel(const cfSensor* s, mjtNum* out);
void cfi_senseBallAngvel(const cfSensor* s, mjtNum* out);
void cfi_senseTendonPos(const cfSensor* s, mjtNum* out);
void cfi_senseTendonVel(const cfSensor* s, mjtNum* out);
void cfi_senseActuatorPos(const cfSensor* s, mjtNum* out);
void cfi_senseActuatorVel(const cfSensor* s, mjtNum* out);
void cfi_senseActuatorForce(const cfSensor* s, mjtNum* out);
void cfi_senseJointActuatorForce(const cfSensor* s, mjtNum* out);
void cfi_senseTendonActuatorForce(const cfSensor* s, mjtNum* out);
void cfi_senseLimitPos(const cfSensor* s, mjtNum* out);
void cfi_senseLimitVel(const cfSensor* s, mjtNum* out);
void cfi_senseLimitForce(const cfSensor* s, mjtNum* out);
void cfi_sensePotential(const cfSensor* s, mjtNum* out);
void cfi_senseKinetic(const cfSensor* s, mjtNum* out);
void cfi_senseClock(const cfSensor* s, mjtNum* out);

// frames.c
void cfi_senseMagnetometer(const cfSensor* s, mjtNum* out);
void cfi_senseFramePos(const cfSensor* s, mjtNum* out);
void cfi_senseFrameAxis(const cfSensor* s, mjtNum* out);
void cfi_senseFrameQuat(const cfSensor* s, mjtNum* out);
void cfi_senseFrameVel(const cfSensor* s, mjtNum* out);
void cfi_senseFrameAcc(const cfSensor* s, mjtNum* out);
void cfi_senseVelocimeter(const cfSensor* s, mjtNum* out);
void cfi_senseGyro(const cfSensor* s, mjtNum* out);
void cfi_senseAccelerometer(const cfSensor* s, mjtNum* out);
void cfi_senseInteraction(const cfSensor* s, mjtNum* out);
void cfi_senseSubtreeCom(const cfSensor* s, mjtNum* out);
void cfi_senseSubtreeLinvel(const cfSensor* s, mjtNum* out);
void cfi_senseSubtreeAngmom(const cfSensor* s, mjtNum* out);

// geometry.c
void cfi_senseInsideSite(const cfSensor* s, mjtNum* out);
void cfi_senseGeomDistance(const cfSensor* s, mjtNum* out);

// camera.c
void cfi_senseCamProjection(const cfSensor* s, mjtNum* out);
void cfi_senseRangefinder(const cfSensor* s, mjtNum* out);

// contacts.c, tactile.c
void cfi_senseTouch(const cfSensor* s, mjtNum* out);
void cfi_senseContact(const cfSensor* s, mjtNum* out);
void cfi_senseTactile(const cfSensor* s, mjtNum* out);

#endif  // CF_SENSOR_SENSOR_H
