// Rows of equality constraints: coupled joints and tendons, connects, welds.
#include "team/team.h"

// tendons: one minus slope times the other, over the dofs of both
CF_TEAM_FN void fillTendon(const cfTeam* t, const teamBlock* block, int tendon, cfReal scale) {
  const cfTeamModel* m = t->m;
  cfReal* J = CF_WORLD(t, J) + block->J;
  const int first = m->tendon_chain[tendon], end = first + m->tendon_chainnum[tendon];
  for (int k = first, j = 0; k < end; k++) {
    while (m->chain_dof[block->chain + j] < m->chain_dof[k]) {
      j++;
    }
    J[j] += scale * m->chain_coef[k];
  }
}


// how far a tendon is from its length in the reference pose
CF_TEAM_FN cfReal tendonStretch(const cfTeam* t, int tendon) {
  const cfTeamModel* m = t->m;
  return chainLength(t, m->tendon_chain[tendon], m->tendon_chainnum[tendon]) -
         CF_OWN(t, tendon_length0)[tendon];
}


// coupled tendons: the same polynomial as of joints
CF_TEAM_FN cfReal fillTendons(const cfTeam* t, int e, const teamBlock* block) {
  const cfTeamModel* m = t->m;
  const cfReal* a = CF_OWN(t, equal_data) + mjNEQDATA * e;
  const int one = m->equal_object1[e], two = m->equal_object2[e];
  cfReal error = tendonStretch(t, one) - a[0];
  for (int j = 0; j < block->num; j++) {
    CF_WORLD(t, J)[block->J + j] = 0;
  }
  fillTendon(t, block, one, 1);
  if (two >= 0) {
    const cfReal x = tendonStretch(t, two);
    cfReal slope;
    error -= lawCoupling(a, x, &slope);
    fillTendon(t, block, two, -slope);
  }
  return error;
}


// coupled joints: y = y0 + polynomial(x); returns the error
CF_TEAM_FN cfReal fillCoupling(const cfTeam* t, int e, const teamBlock* block) {
  const cfTeamModel* m = t->m;
  const cfReal* a = CF_OWN(t, equal_data) + mjNEQDATA * e;
  const int one = m->equal_object1[e], two = m->equal_object2[e];
  const int q1 = m->jnt_qposadr[m->dof_jntid[one]];
  cfReal error = CF_WORLD(t, qpos)[q1] - CF_OWN(t, qpos0)[q1] - a[0], slope = 0;
  cfReal* J = CF_WORLD(t, J) + block->J;
  if (two >= 0) {
    const int q2 = m->jnt_qposadr[m->dof_jntid[two]];
    const cfReal x = CF_WORLD(t, qpos)[q2] - CF_OWN(t, qpos0)[q2];
    error -= lawCoupling(a, x, &slope);
    J[two > one] = -slope;
  }
  J[two >= 0 && two < one] = 1;
  return error;
}


// blocks of the active equalities; coupled joints are filled
CF_TEAM_FN teamEnds makeEqualities(const cfTeam* t, teamEnds end) {
  const cfTeamModel* m = t->m;
  for (int first = 0; CF_TEAM_RARE(first < m->neq && haveRoom(t, end)); first += CF_TEAM_WIDTH) {
    const int e = first + t->thread;
    teamBlock block = {.dim = 0};
    if (e < m->neq && CF_WORLD(t, eq_active)[m->equal_id[e]]) {
      const int kind = m->equal_kind[e];
      block = (teamBlock){.kind = CF_BLOCK_EQUALITY,
                          .dim = kind == mjEQ_WELD      ? 6
                                 : kind == mjEQ_CONNECT ? 3
                                                        : 1,
                          .num = m->equal_num[e],
                          .id = e,
                          .chain = m->equal_chain[e]};
    }
    const int b = placeBlocks(t, &block, &end);
    if (e < m->neq) {
      CF_WORLD(t, eq_block)[e] = b;
    }
    if (b >= 0 && block.dim == 1) {
      const cfReal error =
          m->equal_kind[e] == mjEQ_TENDON ? fillTendons(t, e, &block) : fillCoupling(t, e, &block);
      const cfReal impedance = impedanceAt(CF_OWN(t, equal_imp) + 5 * e, error);
      CF_WORLD(t, efc_D)[block.row] = 1 / lawRegularizer(impedance, CF_OWN(t, equal_weight)[2 * e]);
      CF_WORLD(t, efc_aref)[block.row] = -CF_OWN(t, equal_gain)[2 * e] * impedance * error;
    }
  }
  return end;
}


// an anchor in the world
CF_TEAM_FN void anchorOf(const cfTeam* t, int body, const cfReal local[3], cfReal res[3]) {
  numTurn(res, local, CF_WORLD(t, xquat) + 4 * body);
  numAdd3(res, res, CF_WORLD(t, xpos) + 3 * body);
}


// a weld's orientations: q0 with the relative pose, inverse of q1
CF_TEAM_FN void weldTurns(const cfTeam* t, int e, cfReal q0[4], cfReal q1[4]) {
  const cfTeamModel* m = t->m;
  const cfReal* other = CF_WORLD(t, xquat) + 4 * m->equal_object2[e];
  cfReal pose[4];
  numCopy(pose, CF_OWN(t, equal_data) + mjNEQDATA * e + 6, 4);
  numMulQuat(q0, CF_WORLD(t, xquat) + 4 * m->equal_object1[e], pose);
  q1[0] = other[0], q1[1] = -other[1], q1[2] = -other[2], q1[3] = -other[3];
}


// column of a connect or weld for place j of its chain: motion of the first body's anchor minus
// that of the second's, and half the vector part of q1^-1 w q0
CF_TEAM_FN void fillAnchorColumn(const cfTeam* t, int e, const teamBlock* block, int j,
                                 const cfReal point[2][3], const cfReal q0[4], const cfReal q1[4]) {
  const cfTeamModel* m = t->m;
  const cfReal side = m->chain_coef[block->chain + j];
  const cfReal* cdof = CF_WORLD(t, cdof) + 6 * m->chain_dof[block->chain + j];
  const cfReal* com = CF_WORLD(t, subtree_com);
  cfReal lever[3], one[3], two[3], *J = CF_WORLD(t, J) + block->J + j;
  numSub3(lever, point[0], com + 3 * m->body_rootid[m->equal_object1[e]]);
  numCross(one, cdof, lever);
  numAdd3(one, one, cdof + 3);
  numScale3(one, one, side >= 0);
  numSub3(lever, point[1], com + 3 * m->body_rootid[m->equal_object2[e]]);
  numCross(two, cdof, lever);
  numAdd3(two, two, cdof + 3);
  numScale3(two, two, side <= 0);
  CF_TEAM_UNROLL
  for (int k = 0; k < 3; k++) {
    J[k * block->stride] = one[k] - two[k];
  }
  if (block->dim == 6) {
    const cfReal scale = CF_OWN(t, equal_data)[mjNEQDATA * e + 10] / 2;
    cfReal turn[4] = {0, side * cdof[0], side * cdof[1], side * cdof[2]};
    numMulQuat(turn, q1, turn);
    numMulQuat(turn, turn, q0);
    CF_TEAM_UNROLL
    for (int k = 0; k < 3; k++) {
      J[(3 + k) * block->stride] = scale * turn[k + 1];
    }
  }
}


// rows of a connect or a weld
CF_TEAM_FN void fillAnchored(const cfTeam* t, int e, const teamBlock* block) {
  const cfTeamModel* m = t->m;
  const cfReal* data = CF_OWN(t, equal_data) + mjNEQDATA * e;
  const bool is_weld = block->dim == 6;
  cfReal local[2][3], point[2][3], error[6] = {0}, q0[4] = {0}, q1[4] = {0}, between[4];
  numCopy3(local[0], data + (is_weld ? 3 : 0));
  numCopy3(local[1], data + (is_weld ? 0 : 3));
  anchorOf(t, m->equal_object1[e], local[0], point[0]);
  anchorOf(t, m->equal_object2[e], local[1], point[1]);
  numSub3(error, point[0], point[1]);
  cfReal square = numDot3(error, error);
  if (is_weld) {
    weldTurns(t, e, q0, q1);
    numMulQuat(between, q1, q0);
    numScale3(error + 3, between + 1, data[10]);
    square += numDot3(error + 3, error + 3);
  }
  for (int j = t->thread; j < block->num; j += CF_TEAM_WIDTH) {
    fillAnchorColumn(t, e, block, j, (const cfReal(*)[3])point, q0, q1);
  }
  if (t->thread == 0) {
    const cfReal impedance = impedanceAt(CF_OWN(t, equal_imp) + 5 * e, teamSqrt(square));
    CF_TEAM_UNROLL
    for (int k = 0; k < 6; k++) {
      if (k < block->dim) {
        CF_WORLD(t, efc_D)
        [block->row + k] = 1 / lawRegularizer(impedance, CF_OWN(t, equal_weight)[2 * e + (k > 2)]);
        CF_WORLD(t, efc_aref)
        [block->row + k] = -CF_OWN(t, equal_gain)[2 * e] * impedance * error[k];
      }
    }
  }
}
