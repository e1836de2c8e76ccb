// Gradient and Hessian of the cost, and the direction that follows from them, for the solver
// (solve.c).
#include "team/team.h"

// force of a block along its lines; g has room for 6
CF_TEAM_FN void lineForces(const cfTeam* t, const teamBlock* block, const cfReal* force,
                           cfReal g[6]) {
  const cfReal *f = force + block->row, *mu = CF_OWN(t, pair_friction) + 5 * block->id;
  const bool is_pyramid = block->kind == CF_BLOCK_PYRAMID;
  cfReal normal = 0;
  CF_TEAM_UNROLL
  for (int k = 1; k < 6; k++) {
    g[k] = 0;
    if (k < block->dim) {
      const cfReal plus = is_pyramid ? f[2 * k - 2] : 0, minus = is_pyramid ? f[2 * k - 1] : 0;
      normal += plus + minus;
      g[k] = is_pyramid ? mu[k - 1] * (plus - minus) : f[k];
    }
  }
  g[0] = is_pyramid ? normal : f[0];
}


// curvature of the first line of a block that is not a contact with friction; the others are rows
// of an equality
CF_TEAM_FN cfReal curveOf(const cfTeam* t, const teamBlock* block) {
  const cfReal x = CF_WORLD(t, efc_jar)[block->row], D = CF_WORLD(t, efc_D)[block->row];
  if (block->kind == CF_BLOCK_LOSS) {
    return teamAbs(x) < CF_OWN(t, loss_force)[block->id] / D ? D : 0;
  }
  return x >= 0 && !isEquality(block) ? 0 : D;
}

// ---------------------------------------- blocks of one number

// dry friction, or the limit of a slide or hinge joint
CF_TEAM_FN bool isSingle(const cfTeam* t, int kind, int id) {
  return kind == CF_BLOCK_LOSS ||
         (kind == CF_BLOCK_LIMIT && t->m->limit_kind[id] == CF_LIMIT_SCALAR);
}


CF_TEAM_FN bool isSingleBlock(const cfTeam* t, int b) {
  const int head = CF_WORLD(t, blk_head)[b];
  return isSingle(t, head & 0xf, (int)((unsigned int)head >> 16));
}


// is a block a limit of the joint that the one before it is a limit of
CF_TEAM_FN bool isSecondLimit(const cfTeam* t, int b, int nblk) {
  const int* head = CF_WORLD(t, blk_head);
  return b > 0 && b < nblk && head[b] == head[b - 1] && (head[b] & 0xf) == CF_BLOCK_LIMIT;
}


// what a block adds to its dof: its force, or its curvature
CF_TEAM_FN cfReal singleShare(const cfTeam* t, const teamBlock* block, bool is_curvature) {
  const cfReal J = CF_WORLD(t, J)[block->J];
  return is_curvature ? J * curveOf(t, block) * J : J * CF_WORLD(t, efc_force)[block->row];
}


// forces to qfrc_constraint or curvatures to the diagonal of H, a thread per block.  Those of one
// kind belong to different dofs, but for both limits of a joint, which one thread adds up
CF_TEAM_FN void addSingles(const cfTeam* t, const teamProblem* p, bool is_curvature) {
  for (int kind = t->m->nloss ? CF_BLOCK_LOSS : CF_BLOCK_LIMIT; kind <= CF_BLOCK_LIMIT; kind++) {
    teamSync(t);
    for (int b = t->thread; b < p->nblk; b += CF_TEAM_WIDTH) {
      const teamBlock block = readBlock(t, b);
      if (block.kind != kind || !isSingle(t, kind, block.id) || !hasBlock(p, &block) ||
          isSecondLimit(t, b, p->nblk)) {
        continue;
      }
      const int dof = t->m->chain_dof[block.chain], i = placeOfDof(t, p, dof);
      cfReal share = singleShare(t, &block, is_curvature);
      if (isSecondLimit(t, b + 1, p->nblk)) {
        const teamBlock other = readBlock(t, b + 1);
        share += singleShare(t, &other, is_curvature);
      }
      cfReal* to =
          is_curvature ? CF_WORLD(t, H) + teamTriangle(i, i) : CF_WORLD(t, qfrc_constraint) + dof;
      *to += share;
    }
  }
}

// ---------------------------------------- gradient

// qfrc_constraint = J'*force of an island
CF_TEAM_FN void sumForces(const cfTeam* t, const teamProblem* p) {
  cfReal* qfrc = CF_WORLD(t, qfrc_constraint);
  for (int i = t->thread; i < p->n; i += CF_TEAM_WIDTH) {
    qfrc[dofAtPlace(t, p, i)] = 0;
  }
  addSingles(t, p, false);
  for (int b = 0; b < p->nblk; b++) {
    if (isSingleBlock(t, b)) {
      continue;
    }
    const teamBlock block = readBlock(t, b);
    if (!hasBlock(p, &block)) {
      continue;
    }
    teamSync(t);
    cfReal g[6];
    lineForces(t, &block, CF_WORLD(t, efc_force), g);
    for (int j = t->thread; j < block.num; j += CF_TEAM_WIDTH) {
      const cfReal* J = CF_WORLD(t, J) + block.J + j;
      cfReal sum = 0;
      CF_TEAM_UNROLL
      for (int k = 0; k < 6; k++) {
        sum += k < block.dim ? g[k] * J[k * block.stride] : 0;
      }
      qfrc[t->m->chain_dof[block.chain + j]] += sum;
    }
  }
  teamSync(t);
}


// gradient, and the cost of moving away from the smooth acceleration; returns |gradient|^2
CF_TEAM_FN cfReal setGradient(const cfTeam* t, teamProblem* p) {
  sumForces(t, p);
  const cfReal *Ma = CF_WORLD(t, Ma), *smooth = CF_WORLD(t, qfrc_smooth);
  const cfReal *qacc = CF_WORLD(t, qacc), *qacc_smooth = CF_WORLD(t, qacc_smooth);
  cfReal square = 0, gauss = 0;
  for (int k = t->thread; k < p->n; k += CF_TEAM_WIDTH) {
    const int i = dofAtPlace(t, p, k);
    const cfReal away = Ma[i] - smooth[i], grad = away - CF_WORLD(t, qfrc_constraint)[i];
    CF_WORLD(t, grad)[k] = grad;
    gauss += away * (qacc[i] - qacc_smooth[i]) / 2;
    square += grad * grad;
  }
  p->gauss = teamSum(t, gauss);
  return teamSum(t, square);
}


// ---------------------------------------- Hessian

// one column of s''*J for a block: w_k = sum over l of s''_kl J_lj
CF_TEAM_FN void curveCone(const cfTeam* t, const teamBlock* block, const cfReal* J, cfReal* w) {
  const cfReal *x = CF_WORLD(t, efc_jar), *D = CF_WORLD(t, efc_D);
  const cfReal* friction = CF_OWN(t, pair_friction) + 5 * block->id;
  const lawCone c = coneOf(t, block, x);
  bool is_top, is_low;
  lawConeZone(&c, &is_top, &is_low);
  if (is_top || is_low) {
    for (int k = 0; k < block->dim; k++) {
      w[k * block->stride] = is_low ? D[block->row + k] * J[k * block->stride] : 0;
    }
    return;
  }
  const cfReal normal = c.mu * J[0];
  cfReal along = 0;  // tangents: residual times column, both scaled
  for (int k = 1; k < block->dim; k++) {
    const cfReal scale = friction[k - 1];
    along += x[block->row + k] * scale * scale * J[k * block->stride];
  }
  const cfReal ratio = c.mu / c.T, across = c.mu * c.mu - ratio * c.N;
  const cfReal tilt = ratio * c.N / (c.T * c.T) * along - ratio * normal;
  w[0] = c.Dm * c.mu * (normal - ratio * along);
  for (int k = 1; k < block->dim; k++) {
    const cfReal scale = friction[k - 1];
    w[k * block->stride] =
        c.Dm * scale * scale * (tilt * x[block->row + k] + across * J[k * block->stride]);
  }
}


CF_TEAM_FN void curvePyramid(const cfTeam* t, const teamBlock* block, const cfReal* J, cfReal* w) {
  const cfReal *x = CF_WORLD(t, efc_jar) + block->row, D = CF_WORLD(t, efc_D)[block->row];
  const cfReal* friction = CF_OWN(t, pair_friction) + 5 * block->id;
  cfReal normal = 0;
  for (int k = 1; k < block->dim; k++) {
    const cfReal mu = friction[k - 1], slope = mu * J[k * block->stride];
    const cfReal plus = x[2 * k - 2] >= 0 ? 0 : J[0] + slope;
    const cfReal minus = x[2 * k - 1] >= 0 ? 0 : J[0] - slope;
    normal += plus + minus;
    w[k * block->stride] = D * mu * (plus - minus);
  }
  w[0] = D * normal;
}


// W = s''*J, lines as those of J
CF_TEAM_FN void curveBlock(const cfTeam* t, const teamBlock* block) {
  for (int j = t->thread; j < block->num; j += CF_TEAM_WIDTH) {
    const cfReal* J = CF_WORLD(t, J) + block->J + j;
    cfReal* w = CF_WORLD(t, W) + j;
    if (isCone(block)) {
      curveCone(t, block, J, w);
    } else if (block->kind == CF_BLOCK_PYRAMID) {
      curvePyramid(t, block, J, w);
    } else {
      w[0] = curveOf(t, block) * J[0];
      for (int k = 1; k < block->dim; k++) {
        w[k * block->stride] = CF_WORLD(t, efc_D)[block->row + k] * J[k * block->stride];
      }
    }
  }
}


// threads of the team as a rectangle: rows and columns of a matrix
enum {
  CF_TEAM_COLUMNS = CF_TEAM_WIDTH >= 16  ? 4
                    : CF_TEAM_WIDTH >= 4 ? 2
                                         : 1,
  CF_TEAM_LINES = CF_TEAM_WIDTH / CF_TEAM_COLUMNS
};


// H += J'*W
CF_TEAM_FN void addBlock(const cfTeam* t, const teamProblem* p, const teamBlock* block) {
  const int* dof = t->m->chain_dof + block->chain;
  const cfReal *J = CF_WORLD(t, J) + block->J, *W = CF_WORLD(t, W);
  for (int i = t->thread / CF_TEAM_COLUMNS; i < block->num; i += CF_TEAM_LINES) {
    cfReal* H = CF_WORLD(t, H) + teamTriangle(placeOfDof(t, p, dof[i]), 0);
    for (int j = t->thread % CF_TEAM_COLUMNS; j <= i; j += CF_TEAM_COLUMNS) {
      cfReal sum = 0;
      for (int k = 0; k < block->dim; k++) {
        sum += J[k * block->stride + i] * W[k * block->stride + j];
      }
      H[placeOfDof(t, p, dof[j])] += sum;
    }
  }
}


// H = M + J' s'' J, lower triangle
CF_TEAM_FN void buildHessian(const cfTeam* t, const teamProblem* p) {
  const cfTeamModel* m = t->m;
  cfReal *H = CF_WORLD(t, H), *M = CF_WORLD(t, M);
  const int size = p->n * (p->n + 1) / 2;
  const bool is_copied = CF_TEAM_DENSE(t) && p->is_alone;
  for (int k = t->thread; k < size; k += CF_TEAM_WIDTH) {
    H[k] = is_copied ? CF_WORLD(t, dense_M)[k] : 0;
  }
  teamSync(t);
  for (int k = t->thread; !is_copied && k < m->nC; k += CF_TEAM_WIDTH) {
    const int i = placeOfDof(t, p, m->M_rowind[k]);
    if (i >= 0) {
      const int from = teamTriangle(m->M_rowind[k], m->M_colind[k]);
      H[teamTriangle(i, placeOfDof(t, p, m->M_colind[k]))] =
          CF_TEAM_DENSE(t) ? CF_WORLD(t, dense_M)[from] : M[k];
    }
  }
  addSingles(t, p, true);
  for (int b = 0; b < p->nblk; b++) {
    if (isSingleBlock(t, b)) {
      continue;
    }
    const teamBlock block = readBlock(t, b);
    if (hasBlock(p, &block)) {
      teamSync(t);
      curveBlock(t, &block);
      teamSync(t);
      addBlock(t, p, &block);
    }
  }
  teamSync(t);
}


// H = L'DL from the last row up, with L'^-1 applied to `vec` on the way.  Rows of L are left
// multiplied by their pivot; H_inv gets the inverse pivots
CF_TEAM_FN void factorHessian(const cfTeam* t, const teamProblem* p, cfReal* vec) {
  cfReal *H = CF_WORLD(t, H), *inverse = CF_WORLD(t, H_inv);
  for (int k = p->n - 1; k >= 0; k--) {
    const cfReal *row = H + teamTriangle(k, 0), pivot = row[k];
    const cfReal inv = 1 / (pivot < CF_TEAM_MIN ? CF_TEAM_MIN : pivot), last = vec[k];
    if (t->thread == 0) {
      inverse[k] = inv;
    }
    for (int i = t->thread / CF_TEAM_COLUMNS; i < k; i += CF_TEAM_LINES) {
      const cfReal factor = row[i] * inv;
      if (factor == 0) {
        continue;
      }
      cfReal* other = H + teamTriangle(i, 0);
      for (int j = t->thread % CF_TEAM_COLUMNS; j <= i; j += CF_TEAM_COLUMNS) {
        other[j] -= factor * row[j];
      }
      if (t->thread % CF_TEAM_COLUMNS == 0) {
        vec[i] -= factor * last;
      }
    }
    teamSync(t);
  }
}


// vec = L^-1 D^-1 vec
CF_TEAM_FN void solveFactor(const cfTeam* t, const teamProblem* p, cfReal* vec) {
  const cfReal *H = CF_WORLD(t, H), *inverse = CF_WORLD(t, H_inv);
  for (int i = t->thread; i < p->n; i += CF_TEAM_WIDTH) {
    vec[i] *= inverse[i];
  }
  teamSync(t);
  for (int k = 0; k < p->n; k++) {
    const cfReal known = vec[k];
    for (int i = k + 1 + t->thread; i < p->n; i += CF_TEAM_WIDTH) {
      vec[i] -= H[teamTriangle(i, k)] * inverse[i] * known;
    }
    teamSync(t);
  }
}


// search = -H^-1 grad; returns |search|^2
CF_TEAM_FN cfReal findDirection(const cfTeam* t, const teamProblem* p) {
  cfReal *grad = CF_WORLD(t, grad), *search = CF_WORLD(t, search);
  buildHessian(t, p);
  if (CF_TEAM_DENSE(t)) {
    CF_SOLVE_DENSE(t, H, grad, p->n);
  } else {
    factorHessian(t, p, grad);
    solveFactor(t, p, grad);
  }
  cfReal square = 0;
  for (int i = t->thread; i < p->n; i += CF_TEAM_WIDTH) {
    search[dofAtPlace(t, p, i)] = -grad[i];
    square += grad[i] * grad[i];
  }
  teamSync(t);
  return teamSum(t, square);
}
