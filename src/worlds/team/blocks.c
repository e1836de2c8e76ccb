// Blocks of constraint rows: how they are stored, their place, a row times a vector, impedance.
//
// Rows that share their dofs are a block.  A block stores its Jacobian over the dofs that it moves
// alone (its chain: a list of the plan), one line per axis: a contact has its normal and tangents,
// from which the edges of a pyramid are taken when they are needed, normal +- mu * tangent.  Lines
// are an odd number of numbers apart, so that threads that read one line each do not wait for one
// another.
#include "team/team.h"

#include "law/number_team.h"
#include "law/impedance.h"

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


CF_TEAM_FN bool isEquality(const teamBlock* block) {
  return CF_TEAM_RARE(block->kind == CF_BLOCK_EQUALITY);
}


CF_TEAM_FN bool isCone(const teamBlock* block) {
  return CF_TEAM_RARE(block->kind == CF_BLOCK_CONE);
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
    const cfReal mu = CF_OWN(t, pair_friction)[5 * block.id + axis - 1], edge = k & 1 ? -mu : mu;
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

// impedance at a violation
CF_TEAM_FN cfReal impedanceAt(const cfReal imp[5], cfReal violation) {
  cfReal slope;
  return lawImpedance(imp, violation, &slope);
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
