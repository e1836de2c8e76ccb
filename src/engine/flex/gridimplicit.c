// Implicit step of interpolated flexes.
//
// The stiffness of a grid couples all its nodes, which the sparse system M - h*D has no room for.
// So the dofs of nodes are solved once more as a dense system of their own:
//   (M - h*D + (h^2 + h*damping)*J'KJ) * a = f - h*J'KJ*v - (coupling to other dofs)*(their a),
// J being the Jacobian of the nodes.  flex_stiffness holds -K.
#include "flex/grid.h"

#include "base/assert.h"
#include "flex/interpolation.h"
#include "kinematics/chain.h"
#include "math/inline.h"

// Jacobian of a grid's nodes, sparse: three rows per node over the dofs that move it
typedef struct {
  int nnode;
  int *count, *adr;  // per node
  int* dof;
  mjtNum* value;  // rows of a node one after another, count each
  mjtNum* K;      // 3n x 3n, -(h^2 + h*damping)*K in the world
} gridMotion;


// ---------------------------------------- dofs

static int countNodeDofs(const mjModel* m) {
  int count = 0;
  for (int f = 0; f < m->nflex; f++) {
    for (int i = 0; m->flex_interp[f] && i < m->flex_nodenum[f]; i++) {
      count += m->body_dofnum[m->flex_nodebodyid[m->flex_nodeadr[f] + i]];
    }
  }
  return count;
}


// dofs in the order of nodes, and where each is; place is -1 for all others
static void listNodeDofs(const mjModel* m, int* dof, int* place) {
  int count = 0;
  for (int i = 0; i < m->nv; i++) {
    place[i] = -1;
  }
  for (int f = 0; f < m->nflex; f++) {
    for (int i = 0; m->flex_interp[f] && i < m->flex_nodenum[f]; i++) {
      const int body = m->flex_nodebodyid[m->flex_nodeadr[f] + i];
      for (int k = 0; k < m->body_dofnum[body]; k++) {
        dof[count] = m->body_dofadr[body] + k;
        place[dof[count]] = count;
        count++;
      }
    }
  }
}


// ---------------------------------------- stiffness of one grid

// K = scale * R' * (block of flex_stiffness) * R for all pairs of nodes
static void turnStiffness(mjtNum* K, const mjtNum* packed, int nnode, const mjtNum quat[4],
                          mjtNum scale) {
  const int n = 3 * nnode;
  mjtNum R[9];
  cfi_quat2Mat(R, quat);
  for (int row = 0; row < n; row += 3) {
    for (int column = 0; column < n; column += 3) {
      mjtNum block[9], right[9], turned[9];
      for (int r = 0; r < 3; r++) {
        cfi_copy3(block + 3 * r, packed + (row + r) * n + column);
      }
      cfi_mulMatMat3(right, block, R);
      cfi_mulMatTMat3(turned, R, right);
      for (int r = 0; r < 3; r++) {
        cfi_scl3(K + (row + r) * n + column, turned + 3 * r, scale);
      }
    }
  }
}


// columns of the Jacobian of one node at the turned point, as MuJoCo takes it
static void nodeJacobian(gridMotion* g, int node, const mjModel* m, const mjData* d,
                         const mjtNum point[3], int body) {
  const int adr = node ? g->adr[node - 1] + g->count[node - 1] : 0;
  const int count = cfi_bodyChain(m, body, g->dof + adr);
  mjtNum offset[3];
  cfi_pointOffset(offset, m, d, point, body);
  g->adr[node] = adr;
  g->count[node] = count;
  for (int j = 0; j < count; j++) {
    mjtNum column[3];
    cfi_pointColumn(column, d->cdof + 6 * g->dof[adr + j], offset);
    for (int r = 0; r < 3; r++) {
      g->value[3 * adr + r * count + j] = column[r];
    }
  }
}


// on the stack of d
static gridMotion moveGrid(const mjModel* m, mjData* d, int f) {
  const mjtNum h = m->opt.timestep;
  const int n = m->flex_nodenum[f];
  const int* body = m->flex_nodebodyid + m->flex_nodeadr[f];
  int room = 0;
  for (int i = 0; i < n; i++) {
    room += cfi_pairChainCount(m, body[i], body[i]);
  }
  gridMotion g = {.nnode = n};
  g.count = mj_stackAllocInt(d, 2 * (size_t)n);
  g.adr = g.count + n;
  g.dof = mj_stackAllocInt(d, (size_t)room + 1);
  g.value = mj_stackAllocNum(d, 3 * (size_t)room + 1);
  g.K = mj_stackAllocNum(d, 9 * (size_t)n * (size_t)n);

  mjtNum x[3 * mjMAXFLEXNODES], quat[4];
  cfi_turnToRest(quat, x, NULL, m, d, f);
  turnStiffness(g.K, m->flex_stiffness + PACKED_GRID * m->flex_elemadr[f], n, quat,
                h * h + h * m->flex_damping[f]);
  for (int i = 0; i < n; i++) {
    nodeJacobian(&g, i, m, d, x + 3 * i, body[i]);
  }
  CF_ASSERT(n == 0 || g.adr[n - 1] + g.count[n - 1] == room);
  return g;
}


static bool isStiff(const mjModel* m, int f) {
  const mjtNum h = m->opt.timestep;
  return m->flex_interp[f] && !m->flex_rigid[f] && m->flex_elemnum[f] > 0 &&
         m->flex_stiffness[PACKED_GRID * m->flex_elemadr[f]] != 0 &&
         h * h + h * m->flex_damping[f] != 0;
}


// block of J'KJ for two nodes: H -= Ji' * K * Jj
static void subBlock(mjtNum* H, int ndof, const int* place, const gridMotion* g, int i, int j) {
  const int ni = g->count[i], nj = g->count[j], n = 3 * g->nnode;
  const mjtNum *Ji = g->value + 3 * g->adr[i], *Jj = g->value + 3 * g->adr[j];
  const mjtNum* K = g->K + 3 * i * n + 3 * j;
  for (int b = 0; b < nj; b++) {
    const int column = place[g->dof[g->adr[j] + b]];
    mjtNum KJ[3];
    for (int r = 0; r < 3; r++) {
      KJ[r] = K[r * n] * Jj[b] + K[r * n + 1] * Jj[nj + b] + K[r * n + 2] * Jj[2 * nj + b];
    }
    for (int a = 0; a < ni && column >= 0; a++) {
      const int row = place[g->dof[g->adr[i] + a]];
      if (row >= 0) {
        H[row * ndof + column] -= Ji[a] * KJ[0] + Ji[ni + a] * KJ[1] + Ji[2 * ni + a] * KJ[2];
      }
    }
  }
}


static void addStiffness(mjtNum* H, int ndof, const int* place, const mjModel* m, mjData* d) {
  for (int f = 0; f < m->nflex; f++) {
    if (!isStiff(m, f)) {
      continue;
    }
    mj_markStack(d);
    const gridMotion g = moveGrid(m, d, f);
    for (int i = 0; i < g.nnode; i++) {
      for (int j = 0; j < g.nnode; j++) {
        subBlock(H, ndof, place, &g, i, j);
      }
    }
    mj_freeStack(d);
  }
}


// res += -(h^2 + h*damping) * J'KJ * qvel for one grid
static void addStiffnessTimesVelocity(mjtNum* res, const mjModel* m, mjData* d, int f) {
  mjtNum velocity[3 * mjMAXFLEXNODES], force[3 * mjMAXFLEXNODES];
  mj_markStack(d);
  const gridMotion g = moveGrid(m, d, f);
  for (int i = 0; i < g.nnode; i++) {
    const int count = g.count[i];
    for (int r = 0; r < 3; r++) {
      velocity[3 * i + r] = 0;
      for (int j = 0; j < count; j++) {
        velocity[3 * i + r] += g.value[3 * g.adr[i] + r * count + j] * d->qvel[g.dof[g.adr[i] + j]];
      }
    }
  }
  mju_mulMatVec(force, g.K, velocity, 3 * g.nnode, 3 * g.nnode);
  for (int i = 0; i < g.nnode; i++) {
    const int count = g.count[i];
    for (int r = 0; r < 3; r++) {
      for (int j = 0; j < count; j++) {
        res[g.dof[g.adr[i] + j]] += g.value[3 * g.adr[i] + r * count + j] * force[3 * i + r];
      }
    }
  }
  mj_freeStack(d);
}


// ---------------------------------------- system

// copy the rows of node dofs: among themselves into H, with others into the coupling
static void gatherRows(cfGridSystem* grid, const int* place, const mjtNum* system,
                       const int* rownnz, const int* rowadr, const int* colind) {
  for (int i = 0; i < grid->ndof; i++) {
    const int start = rowadr[grid->dof[i]], end = start + rownnz[grid->dof[i]];
    for (int k = start; k < end; k++) {
      const int at = place[colind[k]];
      if (at >= 0) {
        grid->H[i * grid->ndof + at] = system[k];
      } else {
        grid->row[grid->ncoupling] = i;
        grid->column[grid->ncoupling] = colind[k];
        grid->coupling[grid->ncoupling++] = system[k];
      }
    }
  }
}


cfGridSystem cfi_gridSystem(const mjModel* m, mjData* d, const mjtNum* system, const int* rownnz,
                            const int* rowadr, const int* colind) {
  const int n = countNodeDofs(m);
  cfGridSystem grid = {.ndof = n};
  if (!n) {
    return grid;
  }
  int room = 0;
  grid.dof = mj_stackAllocInt(d, (size_t)n);
  int* place = mj_stackAllocInt(d, (size_t)m->nv);
  listNodeDofs(m, grid.dof, place);
  for (int i = 0; i < n; i++) {
    room += rownnz[grid.dof[i]];
  }
  grid.H = mj_stackAllocNum(d, (size_t)n * (size_t)n);
  grid.row = mj_stackAllocInt(d, 2 * (size_t)room + 1);
  grid.column = grid.row + room;
  grid.coupling = mj_stackAllocNum(d, (size_t)room + 1);
  mju_zero(grid.H, n * n);
  gatherRows(&grid, place, system, rownnz, rowadr, colind);
  addStiffness(grid.H, n, place, m, d);
  mju_cholFactor(grid.H, n, mjMINVAL);
  return grid;
}


// the damping of the first flex turns (h^2 + h*damping)*K into h*K for all of them, as in MuJoCo
void cfi_solveGrid(const mjModel* m, mjData* d, const cfGridSystem* grid, mjtNum* qacc,
                   const mjtNum* qfrc) {
  CF_ASSERT(grid->ndof > 0 && m->nflex > 0);
  const mjtNum h = m->opt.timestep, scale = h * h + h * m->flex_damping[0];
  const mjtNum factor = scale > mjMINVAL ? h / scale : 0;
  mj_markStack(d);
  mjtNum* drag = mj_stackAllocNum(d, (size_t)m->nv);
  mjtNum* x = mj_stackAllocNum(d, (size_t)grid->ndof);
  mju_zero(drag, (int)m->nv);
  for (int f = 0; f < m->nflex; f++) {
    if (isStiff(m, f)) {
      addStiffnessTimesVelocity(drag, m, d, f);
    }
  }
  for (int i = 0; i < grid->ndof; i++) {
    x[i] = qfrc[grid->dof[i]] + drag[grid->dof[i]] * factor;
  }
  for (int k = 0; k < grid->ncoupling; k++) {
    x[grid->row[k]] -= grid->coupling[k] * qacc[grid->column[k]];
  }
  mju_cholSolve(x, grid->H, x, grid->ndof);
  for (int i = 0; i < grid->ndof; i++) {
    qacc[grid->dof[i]] = x[i];
  }
  mj_freeStack(d);
}


// ---------------------------------------- as part of a larger matrix

// dofs of the nodes of one grid in increasing order, and where each is; returns their number
static int orderNodeDofs(const mjModel* m, int f, int* dof, int* place) {
  int count = 0;
  for (int i = 0; i < m->nv; i++) {
    place[i] = -1;
  }
  for (int i = 0; i < m->flex_nodenum[f]; i++) {
    const int body = m->flex_nodebodyid[m->flex_nodeadr[f] + i];
    for (int k = 0; k < m->body_dofnum[body]; k++) {
      place[m->body_dofadr[body] + k] = 0;
    }
  }
  for (int i = 0; i < m->nv; i++) {
    if (place[i] == 0) {
      dof[count] = i;
      place[i] = count++;
    }
  }
  return count;
}


bool cfi_gridIsStiff(const mjModel* m, int f) {
  return isStiff(m, f);
}


cfClique cfi_gridClique(const mjModel* m, mjData* d, int f) {
  CF_ASSERT(isStiff(m, f));
  int* dof = mj_stackAllocInt(d, (size_t)m->nv + 1);
  int* place = mj_stackAllocInt(d, (size_t)m->nv + 1);
  const int n = orderNodeDofs(m, f, dof, place);
  mjtNum* H = mj_stackAllocNum(d, (size_t)n * (size_t)n + 1);
  mju_zero(H, n * n);
  mj_markStack(d);
  const gridMotion g = moveGrid(m, d, f);
  for (int i = 0; i < g.nnode; i++) {
    for (int j = 0; j < g.nnode; j++) {
      subBlock(H, n, place, &g, i, j);
    }
  }
  mj_freeStack(d);
  return (cfClique){n, dof, H};
}


void cfi_subGridVelocity(mjtNum* res, const mjModel* m, mjData* d, int f) {
  const mjtNum h = m->opt.timestep, scale = h * h + h * m->flex_damping[0];
  mj_markStack(d);
  mjtNum* drag = mj_stackAllocNum(d, (size_t)m->nv);
  mju_zero(drag, (int)m->nv);
  addStiffnessTimesVelocity(drag, m, d, f);
  mju_addToScl(res, drag, scale > mjMINVAL ? h / scale : 0, (int)m->nv);
  mj_freeStack(d);
}
