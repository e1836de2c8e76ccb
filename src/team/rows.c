// Constraint rows: equality, friction loss, limits, contacts.
//
// Rows that share their dofs are a block.  A block stores its Jacobian over the dofs that it moves
// alone (its chain: a list of the plan), one line per axis: a contact has its normal and tangents,
// from which the edges of a pyramid are taken when they are needed, normal +- mu * tangent.  Lines
// are an odd number of numbers apart, so that threads that read one line each do not wait for one
// another.
#include "team/team.h"

// a block as it is stored: four integers
typedef struct {
  int kind, dim, num, id;  // cftTeamBlock; lines; dofs; loss, limit or pair
  int row, island;         // first row; number of its island
  int J, chain, stride;    // first number of the Jacobian, first place of the chain, line length
} CF_TEAM_NAME(teamBlock);
#define teamBlock CF_TEAM_NAME(teamBlock)


CF_TEAM_FN teamBlock readBlock(const cfTeam* t, int b) {
  const unsigned int head = (unsigned int)CF_WORLD(t, blk_head)[b];
  const unsigned int row = (unsigned int)CF_WORLD(t, blk_row)[b];
  const int num = (int)(head >> 8 & 0xff);
  return (teamBlock){.kind = (int)(head & 0xf),
                     .dim = (int)(head >> 4 & 0xf),
                     .num = num,
                     .id = (int)(head >> 16),
                     .row = (int)(row & 0xffff),
                     .island = (int)(row >> 16),
                     .J = CF_WORLD(t, blk_J)[b],
                     .chain = CF_WORLD(t, blk_chain)[b],
                     .stride = num | 1};
}


CF_TEAM_FN void writeBlock(const cfTeam* t, int b, const teamBlock* block) {
  CF_WORLD(t, blk_head)
  [b] = (int)((unsigned int)block->kind | (unsigned int)block->dim << 4 |
              (unsigned int)block->num << 8 | (unsigned int)block->id << 16);
  CF_WORLD(t, blk_row)[b] = block->row;
  CF_WORLD(t, blk_J)[b] = block->J;
  CF_WORLD(t, blk_chain)[b] = block->chain;
}


// rows of a block
CF_TEAM_FN int blockRows(int kind, int dim) {
  return kind == CF_BLOCK_PYRAMID ? 2 * (dim - 1) : dim;
}


// a row: its block and its number in it
CF_TEAM_FN void nameRow(const cfTeam* t, int row, int b, int k) {
  CF_WORLD(t, efc_block)[row] = b | k << 16;
}


// row times a vector of dofs
CF_TEAM_FN cfReal mulRow(const cfTeam* t, int row, const cfReal* vec) {
  const int name = CF_WORLD(t, efc_block)[row], k = name >> 16;
  const teamBlock block = readBlock(t, name & 0xffff);
  const int* dof = t->m->chain_dof + block.chain;
  const cfReal* J = CF_WORLD(t, J) + block.J;
  cfReal sum = 0;
  if (block.kind == CF_BLOCK_PYRAMID) {
    const int axis = 1 + k / 2;
    const cfReal mu = t->m->pair_friction[5 * block.id + axis - 1], edge = k & 1 ? -mu : mu;
    const cfReal* tangent = J + axis * block.stride;
    for (int j = 0; j < block.num; j++) {
      sum += (J[j] + edge * tangent[j]) * vec[dof[j]];
    }
    return sum;
  }
  J += k * block.stride;
  for (int j = 0; j < block.num; j++) {
    sum += J[j] * vec[dof[j]];
  }
  return sum;
}

// ---------------------------------------- impedance

// impedance at a violation; imp: dmin, dmax, width, midpoint, power
CF_TEAM_FN cfReal impedanceAt(const cfReal imp[5], cfReal violation) {
  const cfReal low = imp[0], high = imp[1], width = imp[2], middle = imp[3], power = imp[4];
  if (low == high || width <= CF_TEAM_MIN) {
    return (low + high) / 2;
  }
  const cfReal x = teamAbs(violation / width);
  if (x >= 1 || x <= 0) {
    return x >= 1 ? high : low;
  }
  if (power == 1) {
    return low + x * (high - low);
  }
  const bool is_lower = x <= middle;
  const cfReal u = is_lower ? x : 1 - x, mid = is_lower ? middle : 1 - middle;
  const cfReal y = power == 2 ? u * u / mid : teamPow(u, power) / teamPow(mid, power - 1);
  return low + (is_lower ? y : 1 - y) * (high - low);
}


// 1/R, the regularizer from an inverse inertia
CF_TEAM_FN cfReal weightRow(cfReal impedance, cfReal weight) {
  return teamLarger(CF_TEAM_MIN, (1 - impedance) * weight / impedance);
}

// where the blocks of a stage end: blocks, rows, numbers of the Jacobian
typedef struct {
  int blocks, rows, numbers;
} CF_TEAM_NAME(teamEnds);
#define teamEnds CF_TEAM_NAME(teamEnds)


CF_TEAM_FN bool haveRoom(const cfTeam* t, teamEnds end) {
  return end.blocks <= t->m->nblk_max && end.rows <= t->m->nefc_max && end.numbers <= t->m->nJ_max;
}


// blocks of the team, one per thread (lines 0: none), behind those that are there.  Returns the
// number of this thread's block, -1 without one; where there is no room, nothing is written
CF_TEAM_FN int placeBlocks(const cfTeam* t, teamBlock* block, teamEnds* end) {
  const int nrow = block->dim ? blockRows(block->kind, block->dim) : 0;
  const int size = block->dim * (block->num | 1), counts = (block->dim > 0) | nrow << 16;
  const int sum = teamScan(t, counts), numbers = teamScan(t, size);
  const int total = teamFromInt(t, sum, CF_TEAM_WIDTH - 1);
  const int b = end->blocks + (sum & 0xffff) - 1;
  block->row = end->rows + (sum >> 16) - nrow;
  block->J = end->numbers + numbers - size;
  *end = (teamEnds){end->blocks + (total & 0xffff), end->rows + (total >> 16),
                    end->numbers + teamFromInt(t, numbers, CF_TEAM_WIDTH - 1)};
  if (block->dim == 0 || !haveRoom(t, *end)) {
    return -1;
  }
  writeBlock(t, b, block);
  for (int k = 0; k < nrow; k++) {
    nameRow(t, block->row + k, b, k);
  }
  return b;
}

// ---------------------------------------- equality

// coupled joints: y = y0 + polynomial(x); returns the error
CF_TEAM_FN cfReal fillCoupling(const cfTeam* t, int e, const teamBlock* block) {
  const cfTeamModel* m = t->m;
  const cfReal* a = m->equal_data + mjNEQDATA * e;
  const int one = m->equal_object1[e], two = m->equal_object2[e];
  const int q1 = m->jnt_qposadr[m->dof_jntid[one]];
  cfReal error = CF_WORLD(t, qpos)[q1] - m->qpos0[q1] - a[0], slope = 0;
  cfReal* J = CF_WORLD(t, J) + block->J;
  if (two >= 0) {
    const int q2 = m->jnt_qposadr[m->dof_jntid[two]];
    const cfReal x = CF_WORLD(t, qpos)[q2] - m->qpos0[q2];
    error -= x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
    slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
    J[two > one] = -slope;
  }
  J[two >= 0 && two < one] = 1;
  return error;
}


// blocks of the active equalities; coupled joints are filled
CF_TEAM_FN teamEnds makeEqualities(const cfTeam* t, teamEnds end) {
  const cfTeamModel* m = t->m;
  for (int first = 0; first < m->neq && haveRoom(t, end); first += CF_TEAM_WIDTH) {
    const int e = first + t->lane;
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
      const cfReal error = fillCoupling(t, e, &block);
      const cfReal impedance = impedanceAt(m->equal_imp + 5 * e, error);
      CF_WORLD(t, efc_D)[block.row] = 1 / weightRow(impedance, m->equal_weight[2 * e]);
      CF_WORLD(t, efc_aref)[block.row] = -m->equal_gain[2 * e] * impedance * error;
    }
  }
  return end;
}


// an anchor in the world
CF_TEAM_FN void anchorOf(const cfTeam* t, int body, const cfReal local[3], cfReal res[3]) {
  teamTurn(res, local, CF_WORLD(t, xquat) + 4 * body);
  teamAdd3(res, res, CF_WORLD(t, xpos) + 3 * body);
}


// a weld's orientations: q0 with the relative pose, inverse of q1
CF_TEAM_FN void weldTurns(const cfTeam* t, int e, cfReal q0[4], cfReal q1[4]) {
  const cfTeamModel* m = t->m;
  const cfReal* other = CF_WORLD(t, xquat) + 4 * m->equal_object2[e];
  cfReal pose[4];
  teamCopy(pose, m->equal_data + mjNEQDATA * e + 6, 4);
  teamMulQuat(q0, CF_WORLD(t, xquat) + 4 * m->equal_object1[e], pose);
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
  teamSub3(lever, point[0], com + 3 * m->body_rootid[m->equal_object1[e]]);
  teamCross(one, cdof, lever);
  teamAdd3(one, one, cdof + 3);
  teamScale3(one, one, side >= 0);
  teamSub3(lever, point[1], com + 3 * m->body_rootid[m->equal_object2[e]]);
  teamCross(two, cdof, lever);
  teamAdd3(two, two, cdof + 3);
  teamScale3(two, two, side <= 0);
  CF_TEAM_UNROLL
  for (int k = 0; k < 3; k++) {
    J[k * block->stride] = one[k] - two[k];
  }
  if (block->dim == 6) {
    const cfReal scale = m->equal_data[mjNEQDATA * e + 10] / 2;
    cfReal turn[4] = {0, side * cdof[0], side * cdof[1], side * cdof[2]};
    teamMulQuat(turn, q1, turn);
    teamMulQuat(turn, turn, q0);
    CF_TEAM_UNROLL
    for (int k = 0; k < 3; k++) {
      J[(3 + k) * block->stride] = scale * turn[k + 1];
    }
  }
}


// rows of a connect or a weld
CF_TEAM_FN void fillAnchored(const cfTeam* t, int e, const teamBlock* block) {
  const cfTeamModel* m = t->m;
  const cfReal* data = m->equal_data + mjNEQDATA * e;
  const bool is_weld = block->dim == 6;
  cfReal local[2][3], point[2][3], error[6] = {0}, q0[4] = {0}, q1[4] = {0}, between[4];
  teamCopy3(local[0], data + (is_weld ? 3 : 0));
  teamCopy3(local[1], data + (is_weld ? 0 : 3));
  anchorOf(t, m->equal_object1[e], local[0], point[0]);
  anchorOf(t, m->equal_object2[e], local[1], point[1]);
  teamSub3(error, point[0], point[1]);
  cfReal square = teamDot3(error, error);
  if (is_weld) {
    weldTurns(t, e, q0, q1);
    teamMulQuat(between, q1, q0);
    teamScale3(error + 3, between + 1, data[10]);
    square += teamDot3(error + 3, error + 3);
  }
  for (int j = t->lane; j < block->num; j += CF_TEAM_WIDTH) {
    fillAnchorColumn(t, e, block, j, (const cfReal(*)[3])point, q0, q1);
  }
  if (t->lane == 0) {
    const cfReal impedance = impedanceAt(m->equal_imp + 5 * e, teamSqrt(square));
    CF_TEAM_UNROLL
    for (int k = 0; k < 6; k++) {
      if (k < block->dim) {
        CF_WORLD(t, efc_D)
        [block->row + k] = 1 / weightRow(impedance, m->equal_weight[2 * e + (k > 2)]);
        CF_WORLD(t, efc_aref)[block->row + k] = -m->equal_gain[2 * e] * impedance * error[k];
      }
    }
  }
}

// ---------------------------------------- friction loss and limits

// all of them are there in every step
CF_TEAM_FN teamEnds makeLosses(const cfTeam* t, teamEnds end) {
  const cfTeamModel* m = t->m;
  const teamEnds next = {end.blocks + m->nloss, end.rows + m->nloss, end.numbers + m->nloss};
  for (int i = t->lane; haveRoom(t, next) && i < m->nloss; i += CF_TEAM_WIDTH) {
    const teamBlock block = {.kind = CF_BLOCK_LOSS,
                             .dim = 1,
                             .num = 1,
                             .id = i,
                             .row = end.rows + i,
                             .J = end.numbers + i,
                             .chain = m->loss_dof[i]};
    writeBlock(t, end.blocks + i, &block);
    nameRow(t, block.row, end.blocks + i, 0);
    CF_WORLD(t, J)[block.J] = 1;
    CF_WORLD(t, efc_D)[block.row] = m->loss_D[i];
    CF_WORLD(t, efc_aref)[block.row] = 0;
  }
  return next;
}


// value of a joint or a tendon that is limited
CF_TEAM_FN cfReal limitedValue(const cfTeam* t, int limit) {
  const cfTeamModel* m = t->m;
  const cfReal* qpos = CF_WORLD(t, qpos);
  const int first = m->limit_chain[limit];
  if (m->limit_kind[limit] != CF_LIMIT_TENDON) {
    return qpos[m->limit_qpos[limit]];
  }
  cfReal length = 0;
  for (int k = first; k < first + m->limit_num[limit]; k++) {
    length += m->chain_coef[k] * qpos[m->jnt_qposadr[m->dof_jntid[m->chain_dof[k]]]];
  }
  return length;
}


// angle of a ball joint, its axis
CF_TEAM_FN cfReal ballTurn(const cfTeam* t, int limit, cfReal axis[3]) {
  cfReal q[4];
  teamCopy(q, CF_WORLD(t, qpos) + t->m->limit_qpos[limit], 4);
  teamUnitize4(q);
  teamCopy3(axis, q + 1);
  const cfReal sine = teamNormalize3(axis);
  cfReal angle = 2 * teamAtan2(sine, q[0]);
  angle -= angle > CF_R(3.141592653589793) ? CF_R(6.283185307179586) : 0;
  if (angle < 0) {
    teamScale3(axis, axis, -1);
    angle = -angle;
  }
  return angle;
}


// one side of a limit: block, row, Jacobian; side: -1 lower, +1 upper, 0 ball
CF_TEAM_FN void writeLimit(const cfTeam* t, int limit, int b, int row, int J, int side,
                           cfReal distance, const cfReal axis[3]) {
  const cfTeamModel* m = t->m;
  const teamBlock block = {.kind = CF_BLOCK_LIMIT,
                           .dim = 1,
                           .num = m->limit_num[limit],
                           .id = limit,
                           .row = row,
                           .J = J,
                           .chain = m->limit_chain[limit]};
  writeBlock(t, b, &block);
  nameRow(t, row, b, 0);
  cfReal* entry = CF_WORLD(t, J) + J;
  if (side == 0) {
    teamScale3(entry, axis, -1);
  } else {
    for (int k = 0; k < block.num; k++) {
      entry[k] = -side * m->chain_coef[block.chain + k];
    }
  }
  const cfReal violation = distance - m->limit_margin[limit];
  const cfReal impedance = impedanceAt(m->limit_imp + 5 * limit, violation);
  CF_WORLD(t, efc_D)[row] = 1 / weightRow(impedance, m->limit_weight[limit]);
  CF_WORLD(t, efc_aref)[row] = -m->limit_gain[2 * limit] * impedance * violation;
}


CF_TEAM_FN teamEnds makeLimits(const cfTeam* t, teamEnds end) {
  const cfTeamModel* m = t->m;
  for (int first = 0; first < m->nlimit && haveRoom(t, end); first += CF_TEAM_WIDTH) {
    const int limit = first + t->lane;
    cfReal low = 1, high = 1, axis[3] = {1, 0, 0};
    bool has_low = false, has_high = false, is_ball = false;
    if (limit < m->nlimit) {
      is_ball = m->limit_kind[limit] == CF_LIMIT_BALL;
      const cfReal value = is_ball ? ballTurn(t, limit, axis) : limitedValue(t, limit);
      const cfReal* range = m->limit_range + 2 * limit;
      low = value - range[0];
      high = (is_ball ? teamLarger(range[0], range[1]) : range[1]) - value;
      has_low = !is_ball && low < m->limit_margin[limit];
      has_high = high < m->limit_margin[limit];
    }
    const int n = has_low + has_high, size = n ? m->limit_num[limit] | 1 : 0;
    const int sum = teamScan(t, n | n * size << 16);
    const int total = teamFromInt(t, sum, CF_TEAM_WIDTH - 1);
    const teamEnds next = {end.blocks + (total & 0xffff), end.rows + (total & 0xffff),
                           end.numbers + (total >> 16)};
    if (!haveRoom(t, next)) {
      return next;
    }
    const int before = (sum & 0xffff) - n, J = end.numbers + (sum >> 16) - n * size;
    if (has_low) {
      writeLimit(t, limit, end.blocks + before, end.rows + before, J, -1, low, axis);
    }
    if (has_high) {
      writeLimit(t, limit, end.blocks + before + has_low, end.rows + before + has_low,
                 J + has_low * size, is_ball ? 0 : 1, high, axis);
    }
    end = next;
  }
  return end;
}

// ---------------------------------------- contacts

CF_TEAM_FN int contactKind(const cfTeam* t, int dim) {
  return dim == 1 ? CF_BLOCK_NORMAL : t->m->is_elliptic ? CF_BLOCK_CONE : CF_BLOCK_PYRAMID;
}


// D and the constant part of aref of the rows of a contact
CF_TEAM_FN void weighContact(const cfTeam* t, int contact, const teamBlock* block) {
  const cfTeamModel* m = t->m;
  const int pair = block->id, row = block->row;
  cfReal *D = CF_WORLD(t, efc_D), *aref = CF_WORLD(t, efc_aref);
  const cfReal* friction = m->pair_friction + 5 * pair;
  const cfReal violation = CF_WORLD(t, con_dist)[contact] - m->pair_includemargin[pair];
  const cfReal impedance = impedanceAt(m->pair_imp + 5 * pair, violation);
  const cfReal push = -m->pair_gain[3 * pair] * impedance * violation;
  const cfReal weight = m->pair_weight[pair], mu = friction[0] * m->mu_scale;
  if (block->kind == CF_BLOCK_PYRAMID) {
    const cfReal R = weightRow(impedance, weight + friction[0] * friction[0] * weight);
    for (int k = 0; k < 2 * (block->dim - 1); k++) {
      D[row + k] = 1 / (2 * mu * mu * R);
      aref[row + k] = push;
    }
    return;
  }
  const cfReal R = weightRow(impedance, weight), side = R * m->mu_scale * m->mu_scale;
  D[row] = 1 / R;
  aref[row] = push;
  for (int k = 1; k < block->dim; k++) {
    const cfReal ratio = friction[k - 1] / friction[0];
    D[row + k] = ratio * ratio / side;
    aref[row + k] = 0;
  }
}


// blocks of the contacts that push
CF_TEAM_FN teamEnds makeContacts(const cfTeam* t, teamEnds end) {
  const cfTeamModel* m = t->m;
  const int ncon = CF_WORLD(t, ncon)[0];
  for (int first = 0; first < ncon && haveRoom(t, end); first += CF_TEAM_WIDTH) {
    const int contact = first + t->lane;
    teamBlock block = {.dim = 0};
    if (contact < ncon) {
      const int pair = CF_WORLD(t, con_pair)[contact], num = m->pair_num[pair];
      const bool pushes = CF_WORLD(t, con_dist)[contact] < m->pair_includemargin[pair];
      block = (teamBlock){.dim = pushes && num ? m->pair_dim[pair] : 0,
                          .num = num,
                          .id = pair,
                          .chain = m->pair_chain[pair]};
      block.kind = contactKind(t, block.dim);
    }
    const int b = placeBlocks(t, &block, &end);
    if (contact < ncon) {
      CF_WORLD(t, con_block)[contact] = b;
    }
    if (b >= 0) {
      weighContact(t, contact, &block);
    }
  }
  return end;
}


// Jacobian of a contact, shared over the dofs of its chain
CF_TEAM_FN void fillContactRows(const cfTeam* t, int contact, const teamBlock* block) {
  const cfTeamModel* m = t->m;
  const cfReal* pos = CF_WORLD(t, con_pos) + 3 * contact;
  const cfReal* frame = CF_WORLD(t, con_frame) + 9 * contact;
  const cfReal* com = CF_WORLD(t, subtree_com);
  for (int j = t->lane; j < block->num; j += CF_TEAM_WIDTH) {
    const cfReal sign = m->chain_coef[block->chain + j];
    const cfReal* cdof = CF_WORLD(t, cdof) + 6 * m->chain_dof[block->chain + j];
    const int root = sign < 0 ? m->pair_root1[block->id] : m->pair_root2[block->id];
    cfReal lever[3], motion[3], turn[3];
    teamSub3(lever, pos, com + 3 * root);
    teamCross(motion, cdof, lever);
    teamAdd3(motion, motion, cdof + 3);
    teamScale3(motion, motion, sign);
    teamScale3(turn, cdof, sign);
    cfReal* entry = CF_WORLD(t, J) + block->J + j;
    for (int k = 0; k < block->dim; k++, entry += block->stride) {
      *entry = k < 3 ? teamDot3(frame + 3 * k, motion) : teamDot3(frame + 3 * (k - 3), turn);
    }
  }
}

// ---------------------------------------- the stage

// damping of a row's reference
CF_TEAM_FN cfReal rowDamping(const cfTeam* t, const teamBlock* block, int k) {
  const cfTeamModel* m = t->m;
  if (block->kind == CF_BLOCK_EQUALITY) {
    return m->equal_gain[2 * block->id + 1];
  }
  if (block->kind == CF_BLOCK_LOSS) {
    return m->loss_B[block->id];
  }
  if (block->kind == CF_BLOCK_LIMIT) {
    return m->limit_gain[2 * block->id + 1];
  }
  return m->pair_gain[3 * block->id + (block->kind == CF_BLOCK_CONE && k > 0 ? 2 : 1)];
}


// Jacobians that the threads share, block by block
CF_TEAM_FN void fillShared(const cfTeam* t) {
  const int ncon = CF_WORLD(t, ncon)[0];
  for (int e = 0; e < t->m->neq; e++) {
    const int b = CF_WORLD(t, eq_block)[e];
    if (b >= 0 && t->m->equal_kind[e] != mjEQ_JOINT) {
      const teamBlock block = readBlock(t, b);
      fillAnchored(t, e, &block);
    }
  }
  for (int contact = 0; contact < ncon; contact++) {
    const int b = CF_WORLD(t, con_block)[contact];
    if (b >= 0) {
      const teamBlock block = readBlock(t, b);
      fillContactRows(t, contact, &block);
    }
  }
}


// stage ROWS.  reads: qpos, qvel, contacts, xpos, xquat, cdof, subtree_com, eq_active.  writes:
// nefc, nblk, nf, blk_ arrays, J, efc_block, efc_D, efc_aref
CF_TEAM_FN void cfi_teamRows(const cfTeam* t) {
  teamEnds end = {0, 0, 0};
  end = makeEqualities(t, end);
  end = makeLosses(t, end);
  end = makeLimits(t, end);
  end = makeContacts(t, end);
  const bool fits = haveRoom(t, end);
  if (t->lane == 0) {
    CF_WORLD(t, nefc)[0] = fits ? end.rows : 0;
    CF_WORLD(t, nblk)[0] = fits ? end.blocks : 0;
    CF_WORLD(t, nf)[0] = t->m->nloss;
    CF_WORLD(t, trouble)[0] |= fits ? 0 : CF_TROUBLE_ROOM;
  }
  teamSync(t);
  if (!fits) {
    return;
  }
  fillShared(t);
  teamSync(t);
  for (int r = t->lane; r < end.rows; r += CF_TEAM_WIDTH) {
    const int name = CF_WORLD(t, efc_block)[r];
    const teamBlock block = readBlock(t, name & 0xffff);
    CF_WORLD(t, efc_aref)[r] -= rowDamping(t, &block, name >> 16) * mulRow(t, r, CF_WORLD(t, qvel));
  }
  teamSync(t);
}
