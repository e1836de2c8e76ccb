// What the options say about rows and solver.
#include <stdbool.h>

#include <mujoco/mujoco.h>

// models with this many dofs or more get a sparse Jacobian when the choice is automatic
enum { CF_SPARSE_FROM = 60 };


int mj_isPyramidal(const mjModel* m) {
  return m->opt.cone == mjCONE_PYRAMIDAL;
}


int mj_isSparse(const mjModel* m) {
  const bool automatic = m->opt.jacobian == mjJAC_AUTO;
  return automatic ? m->nv >= CF_SPARSE_FROM : m->opt.jacobian == mjJAC_SPARSE;
}


int mj_isDual(const mjModel* m) {
  return m->opt.noslip_iterations > 0 || m->opt.solver == mjSOL_PGS;
}
