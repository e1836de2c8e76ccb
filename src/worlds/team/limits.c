// Rows of friction loss and of limits.
#include "team/team.h"

// all of them are there in every step
CF_TEAM_FN teamEnds makeLosses(const cfTeam* t, teamEnds end) {
  const cfTeamModel* m = t->m;
  const teamEnds next = {end.blocks + m->nloss, end.rows + m->nloss, end.numbers + m->nloss};
  for (int i = t->thread; haveRoom(t, next) && i < m->nloss; i += CF_TEAM_WIDTH) {
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
    CF_WORLD(t, efc_D)[block.row] = CF_OWN(t, loss_D)[i];
    CF_WORLD(t, efc_aref)[block.row] = 0;
  }
  return next;
}


// value of a joint or a tendon that is limited
CF_TEAM_FN cfReal limitedValue(const cfTeam* t, int limit) {
  const cfTeamModel* m = t->m;
  return m->limit_kind[limit] != CF_LIMIT_TENDON
             ? CF_WORLD(t, qpos)[m->limit_qpos[limit]]
             : chainLength(t, m->limit_chain[limit], m->limit_num[limit]);
}


// angle of a ball joint, its axis
CF_TEAM_FN cfReal ballTurn(const cfTeam* t, int limit, cfReal axis[3]) {
  cfReal q[4];
  numCopy(q, CF_WORLD(t, qpos) + t->m->limit_qpos[limit], 4);
  numUnitize4(q);
  cfReal angle = lawTurnAngle(q);
  numCopy3(axis, q + 1);
  if (angle < 0) {
    numScale3(axis, axis, -1);
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
  if (CF_TEAM_RARE(side == 0)) {
    numScale3(entry, axis, -1);
  } else {
    for (int k = 0; k < block.num; k++) {
      entry[k] = -side * m->chain_coef[block.chain + k];
    }
  }
  const cfReal violation = distance - CF_OWN(t, limit_margin)[limit];
  const cfReal impedance = impedanceAt(CF_OWN(t, limit_imp) + 5 * limit, violation);
  CF_WORLD(t, efc_D)[row] = 1 / lawRegularizer(impedance, CF_OWN(t, limit_weight)[limit]);
  CF_WORLD(t, efc_aref)[row] = -CF_OWN(t, limit_gain)[2 * limit] * impedance * violation;
}


CF_TEAM_FN teamEnds makeLimits(const cfTeam* t, teamEnds end) {
  const cfTeamModel* m = t->m;
  for (int first = 0; first < m->nlimit && haveRoom(t, end); first += CF_TEAM_WIDTH) {
    const int limit = first + t->thread;
    cfReal low = 1, high = 1, axis[3] = {1, 0, 0};
    bool has_low = false, has_high = false, is_ball = false;
    if (limit < m->nlimit) {
      is_ball = CF_TEAM_RARE(m->limit_kind[limit] == CF_LIMIT_BALL);
      const cfReal value = is_ball ? ballTurn(t, limit, axis) : limitedValue(t, limit);
      const cfReal* range = CF_OWN(t, limit_range) + 2 * limit;
      low = value - range[0];
      high = (is_ball ? teamLarger(range[0], range[1]) : range[1]) - value;
      has_low = !is_ball && low < CF_OWN(t, limit_margin)[limit];
      has_high = high < CF_OWN(t, limit_margin)[limit];
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
