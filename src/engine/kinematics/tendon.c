// Tendon lengths and Jacobians.
//
// The length of a straight piece between points on two bodies changes with d/dt|p1 - p0| =
// dir*(v1 - v0).  Only dofs that move one of the bodies and not the other contribute; common
// ancestors move both rigidly, so the two chains are followed from their ends until they meet.
#include "kinematics/tendon.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/rowbuilder.h"
#include "kinematics/tendonpath.h"
#include "math/inline.h"
#include "model/awake.h"

// what the tendons of one call share
typedef struct {
  bool is_sparse;
  int nwrap;         // path points recorded so far
  cfRowBuilder row;  // Jacobian row under construction
} cfTendonStage;


// add d(dir*(p1 - p0))/dq of one straight piece; p and body are those of its two ends
static void addPiece(cfTendonStage* stage, const mjModel* m, const mjData* d, mjtNum p[2][3],
                     const int body[2], const mjtNum dir[3]) {
  CF_ASSERT(body[0] >= 0 && body[0] < m->nbody && body[1] >= 0 && body[1] < m->nbody);
  cfForcePair pull;
  for (int k = 0; k < 2; k++) {
    pull.body[k] = body[k];
    cfi_forceAtPoint(pull.force[k], m, d, p[k], body[k], dir);
  }
  const int common = cfi_addForcePair(&stage->row, m, d, &pull);

  // common ancestors belong to the pattern of a sparse row; where one is in it, so are its own
  if (stage->is_sparse) {
    for (int i = common; i >= 0 && !cfi_rowHas(&stage->row, i); i = m->dof_parentid[i]) {
      cfi_addToRow(&stage->row, i, 0);
    }
  }
}


// moments of all pieces of a stretch that join different bodies
static void addStretch(cfTendonStage* stage, const mjModel* m, const mjData* d, cfStretch* s) {
  for (int k = 0; k < s->npoint - 1; k++) {
    if (s->body[k] != s->body[k + 1]) {
      mjtNum dir[3];
      cfi_sub3(dir, s->point[k + 1], s->point[k]);
      cfi_normalize3(dir);
      cfi_scl3(dir, dir, 1 / s->divisor);
      addPiece(stage, m, d, s->point + k, s->body + k, dir);
    }
  }
}


static mjtNum stretchLength(const cfStretch* s) {
  mjtNum length = cfi_dist3(s->point[0], s->point[1]);
  if (s->npoint == 4) {
    length = length + s->arc + cfi_dist3(s->point[2], s->point[3]);
  }
  return length / s->divisor;
}


// one point of the path; object is a geom, -1 for a site, -2 for a pulley
static void recordPoint(cfTendonStage* stage, mjData* d, const mjtNum point[3], int object) {
  cfi_copy3(d->wrap_xpos + 3 * stage->nwrap, point);
  d->wrap_obj[stage->nwrap++] = object;
}


// a stretch records all points but its last, which begins the next one
static void recordStretch(cfTendonStage* stage, mjData* d, const cfStretch* s) {
  for (int k = 0; k < s->npoint - 1; k++) {
    recordPoint(stage, d, s->point[k], k == 0 ? -1 : s->geom);
  }
  if (s->is_last) {
    recordPoint(stage, d, s->point[s->npoint - 1], -1);
  }
}


static mjtNum spatialTendon(cfTendonStage* stage, const mjModel* m, mjData* d, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  static const mjtNum origin[3] = {0, 0, 0};
  cfTendonWalk walk = cfi_startTendon(m, tendon);
  cfStretch stretch;
  mjtNum length = 0;
  int what;

  while ((what = cfi_walkTendon(&walk, &stretch, m, d)) != CF_PATH_END) {
    if (what == CF_PATH_PULLEY) {
      recordPoint(stage, d, origin, -2);
    } else {
      length += stretchLength(&stretch);
      addStretch(stage, m, d, &stretch);
      recordStretch(stage, d, &stretch);
    }
  }
  return length;
}


// sum of coefficient * joint position; a joint listed twice counts twice in a sparse row and once,
// with its last coefficient, in a dense one
static mjtNum fixedTendon(cfTendonStage* stage, const mjModel* m, const mjData* d, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  mjtNum length = 0;
  for (int w = m->tendon_adr[tendon]; w < m->tendon_adr[tendon] + m->tendon_num[tendon]; w++) {
    const int joint = m->wrap_objid[w], dof = m->jnt_dofadr[joint];
    const mjtNum coefficient = m->wrap_prm[w];
    length += coefficient * d->qpos[m->jnt_qposadr[joint]];
    if (stage->is_sparse) {
      cfi_addToRow(&stage->row, dof, coefficient);
    } else {
      stage->row.value[dof] = coefficient;
    }
  }
  return length;
}


// address of the next sparse row: behind the row before it and behind everything written already;
// rows of sleeping tendons keep their old address and are empty
static int sparseRowAddress(const mjData* d, int tendon, int written) {
  CF_ASSERT(tendon >= 0 && written >= 0);
  if (tendon == 0) {
    return 0;
  }
  const int behind = d->ten_J_rowadr[tendon - 1] + d->ten_J_rownnz[tendon - 1];
  return behind > written ? behind : written;
}


// stage TENDON.  reads: qpos, site_xpos, geom_xpos, geom_xmat, cdof, subtree_com.
// writes: ten_length, ten_J and its row structure, ten_wrapadr, ten_wrapnum, wrap_obj, wrap_xpos.
void mj_tendon(const mjModel* m, mjData* d) {
  const int nv = (int)m->nv, ntendon = (int)m->ntendon;
  if (ntendon == 0) {
    return;
  }

  const bool some_rest = cfi_someAsleep(m, d);
  mj_markStack(d);
  cfTendonStage stage = {mj_isSparse(m), 0, cfi_makeRowBuilder(d, nv)};
  memset(d->ten_length, 0, sizeof(mjtNum) * ntendon);
  if (stage.is_sparse) {
    memset(d->ten_J_rownnz, 0, sizeof(int) * ntendon);
  } else {
    memset(d->ten_J, 0, sizeof(mjtNum) * ntendon * nv);
  }

  for (int i = 0, written = 0; i < ntendon; i++) {
    if (some_rest && cfi_sleepState(m, d, mjOBJ_TENDON, i) == mjS_ASLEEP) {
      continue;
    }

    // dense rows are built in place
    if (!stage.is_sparse) {
      stage.row.value = d->ten_J + (size_t)i * nv;
    }
    d->ten_wrapadr[i] = stage.nwrap;
    d->ten_length[i] =
        cfi_isFixedTendon(m, i) ? fixedTendon(&stage, m, d, i) : spatialTendon(&stage, m, d, i);
    d->ten_wrapnum[i] = stage.nwrap - d->ten_wrapadr[i];

    if (stage.is_sparse) {
      const int adr = d->ten_J_rowadr[i] = sparseRowAddress(d, i, written);
      d->ten_J_rownnz[i] = cfi_flushRow(&stage.row, d->ten_J + adr, d->ten_J_colind + adr, 1);
      written = adr + d->ten_J_rownnz[i];
    }
  }
  mj_freeStack(d);
}


mjtNum cfi_dotTendon(const mjModel* m, const mjData* d, int tendon, const mjtNum* vec) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  const cfDofRow row = cfi_tendonRow(m, d, tendon, mj_isSparse(m));
  mjtNum sum = 0;
  if (row.dof) {
    for (int k = 0; k < row.nnz; k++) {
      sum += row.J[k] * vec[row.dof[k]];
    }
  } else {
    for (int k = 0; k < row.nnz; k++) {
      sum += row.J[k] * vec[k];
    }
  }
  return sum;
}


void cfi_addTendon(const mjModel* m, const mjData* d, int tendon, mjtNum* res, mjtNum scale) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  const cfDofRow row = cfi_tendonRow(m, d, tendon, mj_isSparse(m));
  if (row.dof) {
    int k = 0;
    for (; k + 1 < row.nnz; k += 2) {
      // dofs of a row are different
      const int i = row.dof[k], j = row.dof[k + 1];
      const mjtNum one = res[i] + scale * row.J[k], two = res[j] + scale * row.J[k + 1];
      res[i] = one;
      res[j] = two;
    }
    if (k < row.nnz) {
      res[row.dof[k]] += scale * row.J[k];
    }
  } else {
    for (int k = 0; k < row.nnz; k++) {
      res[k] += scale * row.J[k];
    }
  }
}
