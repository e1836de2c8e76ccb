// Laws of Hunt and Crossley's contacts and of the other rows, as functions of accelerations along
// the axes of a block.
#ifndef CF_CONTACTSOLVER_HUNTLAW_H
#define CF_CONTACTSOLVER_HUNTLAW_H

#include "contactsolver/blocks.h"

enum {
  HUNT_STIFFNESS,
  HUNT_DISSIPATION,
  HUNT_STATIC,
  HUNT_DYNAMIC,
  HUNT_STRIBECK,
  HUNT_STICTION,
  HUNT_MODULUS,
  HUNT_THICKNESS,
  HUNT_REFINEMENT,
  NHUNT
};

extern const cfContactParameter cfi_huntParameter[NHUNT];

// law of a contact
typedef struct {
  mjtNum stiffness, damping;  // k and 3c/2
  mjtNum depth;               // at the start of the step
  const mjtNum* patch;        // area, pressure, gradient of a point of a patch; NULL: none
  mjtNum mu[6];               // by axis; 0 for the normal
  mjtNum stiction;            // mu times the velocity of stiction
  mjtNum normal;              // force that friction scales with
  mjtNum start[6];            // velocities at the start of the step
} cfHuntLaw;

// law of a contact, with coefficients at the slip that the step starts with; with_patches: the
// contact may be a point of a patch
cfHuntLaw cfi_huntLaw(const cfContactProblem* p, const cfContactBlock* block, bool with_patches);

// Forces of a contact at y = J*a and, unless W is NULL, W = -dforce/dy (dim x dim), h: timestep.
void cfi_huntContact(const cfHuntLaw* law, int dim, mjtNum h, const mjtNum* y, mjtNum* force,
                     mjtNum* W);

// Force of a row that is not of a contact at y = J*a, and minus its slope: MuJoCo's law.
mjtNum cfi_huntRow(const mjData* d, const cfContactBlock* block, mjtNum y, mjtNum* slope);

#endif  // CF_CONTACTSOLVER_HUNTLAW_H
