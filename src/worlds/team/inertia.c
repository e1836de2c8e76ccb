// The inertia matrix, its factors and solves with them.
#include "team/team.h"


// sums over subtrees of `width` numbers per body, leaves first; bodies on the world keep their own
CF_TEAM_FN void sumSubtrees(const cfTeam* t, cfReal* value, int width) {
  const cfTeamModel* m = t->m;
  CF_ASSERT(width > 0);
  for (int level = m->nlevel - 2; level >= 0; level--) {
    const int first = m->level_adr[level], count = m->level_adr[level + 1] - first;
    for (int k = t->thread; k < count * width; k += CF_TEAM_WIDTH) {
      const int place = k / width, part = k - width * place, i = m->level_body[first + place];
      cfReal sum = value[width * i + part];
      for (int c = m->child_adr[i]; c < m->child_adr[i + 1]; c++) {
        sum += value[width * m->child_body[c] + part];
      }
      value[width * i + part] = sum;
    }
    teamSync(t);
  }
}


// L'DL in place, rows over ancestors as mjModel's M_rowadr has them; leaves first
CF_TEAM_FN void teamFactor(const cfTeam* t, cfReal* mat, cfReal* inverse) {
  const cfTeamModel* m = t->m;
  CF_ASSERT(mat && inverse);
  for (int k = m->nv - 1; k >= 0; k--) {
    const int adr = m->M_rowadr[k], above = m->M_rownnz[k] - 1;
    const int *up = m->M_uprow + adr, count = above * (above + 1) / 2;
    cfReal* row = mat + adr;
    const cfReal scale = 1 / row[above];
    for (int e = t->thread; e < count; e += CF_TEAM_WIDTH) {
      const int a = m->triangle[e] >> 16, b = m->triangle[e] & 0xffff;
      mat[up[a] + b] -= row[a] * scale * row[b];
    }
    teamSync(t);
    for (int a = t->thread; a < above; a += CF_TEAM_WIDTH) {
      row[a] *= scale;
    }
    if (t->thread == 0) {
      inverse[k] = scale;
    }
  }
  teamSync(t);
}


// x <- inv(L'DL)*x
CF_TEAM_FN void teamSolveFactored(const cfTeam* t, cfReal* x, const cfReal* mat,
                                  const cfReal* inverse) {
  const cfTeamModel* m = t->m;
  CF_ASSERT(x != mat && x != inverse);
  for (int k = m->nv - 1; k > 0; k--) {
    const int adr = m->M_rowadr[k], above = m->M_rownnz[k] - 1;
    const cfReal share = x[k];
    for (int a = t->thread; a < above; a += CF_TEAM_WIDTH) {
      x[m->M_colind[adr + a]] -= mat[adr + a] * share;
    }
    teamSync(t);
  }
  for (int k = t->thread; k < m->nv; k += CF_TEAM_WIDTH) {
    x[k] *= inverse[k];
  }
  teamSync(t);
  for (int k = 0; k < m->nv - 1; k++) {
    const int depth = m->M_rownnz[k] - 1, end = m->dof_end[k];
    const cfReal share = x[k];
    for (int i = k + 1 + t->thread; i < end; i += CF_TEAM_WIDTH) {
      x[i] -= mat[m->M_rowadr[i] + depth] * share;
    }
    teamSync(t);
  }
}


// M by composite bodies
CF_TEAM_FN void makeInertia(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  cfReal *crb = CF_WORLD(t, crb), *momentum = CF_WORLD(t, momentum), *M = CF_WORLD(t, M);
  const cfReal *cdof = CF_WORLD(t, cdof), *cinert = CF_WORLD(t, cinert);
  for (int k = 10 + t->thread; k < 10 * m->nbody; k += CF_TEAM_WIDTH) {
    crb[k] = cinert[k];
  }
  teamSync(t);
  sumSubtrees(t, crb, 10);
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    numMulInertia(momentum + 6 * i, crb + 10 * m->dof_bodyid[i], cdof + 6 * i);
  }
  teamSync(t);
  for (int e = t->thread; e < m->nC; e += CF_TEAM_WIDTH) {
    const int row = m->M_rowind[e], col = m->M_colind[e];
    M[e] = numDot6(momentum + 6 * row, cdof + 6 * col) +
           (row == col ? CF_OWN(t, dof_armature)[row] : 0);
  }
  teamSync(t);
}


// A = M as a lower triangle by rows
CF_TEAM_FN void spreadInertia(const cfTeam* t, cfReal* A) {
  const cfTeamModel* m = t->m;
  const cfReal* M = CF_WORLD(t, M);
  const int size = m->nv * (m->nv + 1) / 2;
  for (int k = t->thread; k < size; k += CF_TEAM_WIDTH) {
    A[k] = 0;
  }
  teamSync(t);
  for (int k = t->thread; k < m->nC; k += CF_TEAM_WIDTH) {
    const int i = m->M_rowind[k];
    A[i * (i + 1) / 2 + m->M_colind[k]] = M[k];
  }
  teamSync(t);
}


// stage INERTIA.  reads: cinert, cdof.  writes: M; qLD, qLDiagInv where dofs are many.
CF_TEAM_FN void cfi_teamInertia(const cfTeam* t) {
  makeInertia(t);
  if (!CF_TEAM_DENSE(t)) {
    const cfReal* M = CF_WORLD(t, M);
    cfReal* qLD = CF_WORLD(t, qLD);
    for (int e = t->thread; e < t->m->nC; e += CF_TEAM_WIDTH) {
      qLD[e] = M[e];
    }
    teamSync(t);
    teamFactor(t, qLD, CF_WORLD(t, qLDiagInv));
  }
}
