// Derivatives of the smooth forces with respect to velocity, in the sparse pattern D of the model.
#ifndef CF_DERIVATIVE_VELOCITY_H
#define CF_DERIVATIVE_VELOCITY_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// qDeriv = d (qfrc_actuator + qfrc_passive - qfrc_bias) / d qvel; without bias its last term is
// left out. reads: position and velocity stage, actuator_force, act_dot.  writes: qDeriv.
void cfi_smoothVelocityDerivative(const mjModel* m, mjData* d, bool with_bias);

// the terms, each added to qDeriv
void cfi_addBiasVelocity(const mjModel* m, mjData* d);      // - d qfrc_bias / d qvel
void cfi_addActuatorVelocity(const mjModel* m, mjData* d);  // + d qfrc_actuator / d qvel
void cfi_addDamperVelocity(const mjModel* m, mjData* d);    // + d (all dampers) / d qvel
void cfi_addFluidVelocity(const mjModel* m, mjData* d);     // + d qfrc_fluid / d qvel

// J given by rows over the same increasing columns
typedef struct {
  int rows, count;
  const int* column;
  const mjtNum* value;  // rows x count
} cfSparseRows;

// qDeriv += scale*J'*J where the pattern has room, for J of one row
void cfi_addOuterProduct(const mjModel* m, mjData* d, cfSparseRows J, mjtNum scale);

// qDeriv += J'*B*J where the pattern has room; B is rows x rows
void cfi_addQuadraticForm(const mjModel* m, mjData* d, cfSparseRows J, const mjtNum* B);

#endif  // CF_DERIVATIVE_VELOCITY_H
