// Transmissions: length of an actuator and its moment arms, one function per type.
#ifndef CF_KINEMATICS_TRANSMISSION_H
#define CF_KINEMATICS_TRANSMISSION_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "kinematics/rowbuilder.h"

// one actuator: what it is attached to, and the row of actuator_moment that it fills
typedef struct {
  int id[2];           // objects, as in actuator_trnid
  const mjtNum* gear;  // 6 numbers
  mjtNum rod;          // cranklength
  mjtNum* moment;      // values and columns of the row
  int* colind;
  int nnz;
  cfRowBuilder* row;  // for rows that are not known to be in order
} cfTransmission;

// each fills moment, colind and nnz and returns the length
mjtNum cfi_transmitJoint(const mjModel* m, mjData* d, cfTransmission* t);
mjtNum cfi_transmitJointInParent(const mjModel* m, mjData* d, cfTransmission* t);
mjtNum cfi_transmitSliderCrank(const mjModel* m, mjData* d, cfTransmission* t);
mjtNum cfi_transmitTendon(const mjModel* m, mjData* d, cfTransmission* t);
mjtNum cfi_transmitSite(const mjModel* m, mjData* d, cfTransmission* t);
mjtNum cfi_transmitBody(const mjModel* m, mjData* d, cfTransmission* t);

#endif  // CF_KINEMATICS_TRANSMISSION_H
