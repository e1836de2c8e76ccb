// Constraint rows: those of contacts, and the stage that makes all of them (blocks.c, equality.c,
// limits.c).
#include "team/team.h"

// ---------------------------------------- contacts

CF_TEAM_FN int contactKind(const cfTeam* t, int dim) {
  return dim == 1                          ? CF_BLOCK_NORMAL
         : CF_TEAM_RARE(t->m->is_elliptic) ? CF_BLOCK_CONE
                                           : CF_BLOCK_PYRAMID;
}


// D and the constant part of aref of the rows of a contact
CF_TEAM_FN void weighContact(const cfTeam* t, int contact, const teamBlock* block) {
  const int pair = block->id, row = block->row;
  cfReal *D = CF_WORLD(t, efc_D), *aref = CF_WORLD(t, efc_aref);
  const cfReal* friction = CF_OWN(t, pair_friction) + 5 * pair;
  const cfReal violation = CF_WORLD(t, con_dist)[contact] - CF_FORM(t, pair_includemargin)[pair];
  const cfReal impedance = impedanceAt(CF_OWN(t, pair_imp) + 5 * pair, violation);
  const cfReal push = -CF_OWN(t, pair_gain)[3 * pair] * impedance * violation;
  const cfReal weight = CF_OWN(t, pair_weight)[pair], mu = friction[0] * CF_VALUE(t, mu_scale);
  if (block->kind == CF_BLOCK_PYRAMID) {
    const cfReal R = lawRegularizer(impedance, weight + friction[0] * friction[0] * weight);
    for (int k = 0; k < 2 * (block->dim - 1); k++) {
      D[row + k] = 1 / (2 * mu * mu * R);
      aref[row + k] = push;
    }
    return;
  }
  const cfReal R = lawRegularizer(impedance, weight),
               side = R * CF_VALUE(t, mu_scale) * CF_VALUE(t, mu_scale);
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
    const int contact = first + t->thread;
    teamBlock block = {.dim = 0};
    if (contact < ncon) {
      const int pair = CF_WORLD(t, con_pair)[contact], num = m->pair_num[pair];
      const bool pushes = CF_WORLD(t, con_dist)[contact] < CF_FORM(t, pair_includemargin)[pair];
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
  for (int j = t->thread; j < block->num; j += CF_TEAM_WIDTH) {
    const cfReal sign = m->chain_coef[block->chain + j];
    const cfReal* cdof = CF_WORLD(t, cdof) + 6 * m->chain_dof[block->chain + j];
    const int root = sign < 0 ? m->pair_root1[block->id] : m->pair_root2[block->id];
    cfReal lever[3], motion[3], turn[3];
    numSub3(lever, pos, com + 3 * root);
    numCross(motion, cdof, lever);
    numAdd3(motion, motion, cdof + 3);
    numScale3(motion, motion, sign);
    numScale3(turn, cdof, sign);
    cfReal* entry = CF_WORLD(t, J) + block->J + j;
    for (int k = 0; k < block->dim; k++, entry += block->stride) {
      *entry = k < 3 ? numDot3(frame + 3 * k, motion) : numDot3(frame + 3 * (k - 3), turn);
    }
  }
}

// ---------------------------------------- the stage

// damping of a row's reference
CF_TEAM_FN cfReal rowDamping(const cfTeam* t, const teamBlock* block, int k) {
  if (isEquality(block)) {
    return CF_OWN(t, equal_gain)[2 * block->id + 1];
  }
  if (block->kind == CF_BLOCK_LOSS) {
    return CF_OWN(t, loss_B)[block->id];
  }
  if (block->kind == CF_BLOCK_LIMIT) {
    return CF_OWN(t, limit_gain)[2 * block->id + 1];
  }
  return CF_OWN(t, pair_gain)[3 * block->id + (isCone(block) && k > 0 ? 2 : 1)];
}


// Jacobians that the threads share, block by block
CF_TEAM_FN void fillShared(const cfTeam* t) {
  const int ncon = CF_WORLD(t, ncon)[0];
  for (int e = 0; CF_TEAM_RARE(e < t->m->neq); e++) {
    const int b = CF_WORLD(t, eq_block)[e];
    if (b >= 0 && t->m->equal_kind[e] <= mjEQ_WELD) {
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
  if (t->thread == 0) {
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
  for (int r = t->thread; r < end.rows; r += CF_TEAM_WIDTH) {
    const int name = CF_WORLD(t, efc_block)[r];
    const teamBlock block = readBlock(t, name & 0xffff);
    CF_WORLD(t, efc_aref)[r] -= rowDamping(t, &block, name >> 16) * mulRow(t, r, CF_WORLD(t, qvel));
  }
  teamSync(t);
}
