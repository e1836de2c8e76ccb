// Dof chains: the joints that move a body, or that move two bodies against each other.
#ifndef CF_KINEMATICS_CHAIN_H
#define CF_KINEMATICS_CHAIN_H

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// which of two bodies a dof moves; bits, so that 3 means both
enum { CF_MOVES_FIRST = 1, CF_MOVES_SECOND = 2, CF_MOVES_BOTH = 3 };

// union of the chains of two bodies; dof and moves have room for nv
typedef struct {
  int* dof;    // indices, increasing
  int* moves;  // CF_MOVES_..., parallel to dof
  int count;
  int body[2];
} cfPairChain;

// last dof that moves a body, -1 for a body that is fixed to the world
static inline int cfi_lastDof(const mjModel* m, int body) {
  int weld = m->body_weldid[body];
  return weld == 0 ? -1 : m->body_dofadr[weld] + m->body_dofnum[weld] - 1;
}

// dofs that move a body, increasing; returns their number
int cfi_bodyChain(const mjModel* m, int body, int* dof);

// dofs that move either body; a chain that already belongs to these two is kept
void cfi_pairChain(const mjModel* m, int body1, int body2, cfPairChain* chain);

// number of dofs that move either body
int cfi_pairChainCount(const mjModel* m, int body1, int body2);

// an empty chain over caller's memory
static inline cfPairChain cfi_makePairChain(int* dof, int* moves) {
  return (cfPairChain){dof, moves, 0, {-1, -1}};
}

// velocity of a point per unit of one dof: linear part of cdof moved to the point
static inline void cfi_pointColumn(mjtNum res[3], const mjtNum cdof[6], const mjtNum offset[3]) {
  res[0] = cdof[3] + (cdof[1] * offset[2] - cdof[2] * offset[1]);
  res[1] = cdof[4] + (cdof[2] * offset[0] - cdof[0] * offset[2]);
  res[2] = cdof[5] + (cdof[0] * offset[1] - cdof[1] * offset[0]);
}

// point relative to the frame in which cdof of this body is expressed
static inline void cfi_pointOffset(mjtNum res[3], const mjModel* m, const mjData* d,
                                   const mjtNum point[3], int body) {
  const mjtNum* com = d->subtree_com + 3 * m->body_rootid[body];
  for (int k = 0; k < 3; k++) {
    res[k] = point[k] - com[k];
  }
}

// translation (3 x count) and, unless NULL, rotation Jacobian of point2 on body 2 minus point1 on
// body 1, one column per dof of the chain
void cfi_pairJacobian(const mjModel* m, const mjData* d, const cfPairChain* chain,
                      const mjtNum point1[3], const mjtNum point2[3], mjtNum* jacp, mjtNum* jacr);

#endif  // CF_KINEMATICS_CHAIN_H
