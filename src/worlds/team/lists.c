// Lists that the rows of the fast tier are made from: friction loss, limits, chains of dofs.
#include <math.h>

#include "base/assert.h"
#include "base/memory.h"
#include "math/inline.h"
#include "model/flags.h"
#include "team/tier.h"

// regularizer of a row that has no violation
static mjtNum restRegularizer(const mjtNum imp[mjNIMP], mjtNum weight) {
  const bool is_flat = imp[0] == imp[1] || imp[2] <= mjMINVAL;
  const mjtNum impedance = is_flat ? 0.5 * (imp[0] + imp[1]) : imp[0];
  return cfi_max(mjMINVAL, (1 - impedance) * weight / impedance);
}


int cfi_teamLosses(const mjModel* m, cfTeamLoss* loss) {
  int count = 0;
  const bool is_off = cfi_disabled(m, mjDSBL_FRICTIONLOSS) || cfi_disabled(m, mjDSBL_CONSTRAINT);
  for (int i = 0; !is_off && i < m->nv; i++) {
    if (m->dof_frictionloss[i] == 0) {
      continue;
    }
    if (loss) {
      mjtNum gain[2], imp[mjNIMP];
      cfi_teamGains(m, m->dof_solref + mjNREF * i, m->dof_solimp + mjNIMP * i, gain, imp);
      loss[count] = (cfTeamLoss){.dof = i,
                                 .force = m->dof_frictionloss[i],
                                 .D = 1 / restRegularizer(imp, m->dof_invweight0[i]),
                                 .B = gain[1]};
    }
    count++;
  }
  return count;
}


bool cfi_teamTendonCoef(const mjModel* m, int tendon, int dof, mjtNum* coef) {
  bool has_dof = false;
  *coef = 0;
  const int adr = m->tendon_adr[tendon];
  for (int k = adr; k < adr + m->tendon_num[tendon]; k++) {
    if (m->jnt_dofadr[m->wrap_objid[k]] == dof) {
      *coef += m->wrap_prm[k];
      has_dof = true;
    }
  }
  return has_dof;
}


// dofs of a tendon; dof may be NULL.  Returns how many
static int tendonChain(const mjModel* m, int tendon, int* dof, mjtNum* coef) {
  int count = 0;
  for (int i = 0; i < m->nv; i++) {
    mjtNum value;
    if (cfi_teamTendonCoef(m, tendon, i, &value)) {
      if (dof) {
        dof[count] = i;
        coef[count] = value;
      }
      count++;
    }
  }
  return count;
}


static cfTeamLimit limitOfJoint(const mjModel* m, int j) {
  const int dof = m->jnt_dofadr[j];
  const bool is_ball = m->jnt_type[j] == mjJNT_BALL;
  cfTeamLimit limit = {.kind = is_ball ? CF_LIMIT_BALL : CF_LIMIT_SCALAR,
                       .qpos = m->jnt_qposadr[j],
                       .chain = dof,
                       .num = is_ball ? 3 : 1,
                       .range = {m->jnt_range[2 * j], m->jnt_range[2 * j + 1]},
                       .margin = m->jnt_margin[j],
                       .weight = m->dof_invweight0[dof]};
  cfi_teamGains(m, m->jnt_solref + mjNREF * j, m->jnt_solimp + mjNIMP * j, limit.gain, limit.imp);
  return limit;
}


static cfTeamLimit limitOfTendon(const mjModel* m, int i, int chain) {
  cfTeamLimit limit = {.kind = CF_LIMIT_TENDON,
                       .chain = chain,
                       .num = tendonChain(m, i, NULL, NULL),
                       .range = {m->tendon_range[2 * i], m->tendon_range[2 * i + 1]},
                       .margin = m->tendon_margin[i],
                       .weight = m->tendon_invweight0[i]};
  cfi_teamGains(m, m->tendon_solref_lim + mjNREF * i, m->tendon_solimp_lim + mjNIMP * i, limit.gain,
                limit.imp);
  return limit;
}


int cfi_teamTendonChain(const mjModel* m, int tendon, int* length) {
  int chain = (int)m->nv;
  for (int i = 0; i < tendon; i++) {
    chain += tendonChain(m, i, NULL, NULL);
  }
  *length = tendonChain(m, tendon, NULL, NULL);
  return chain;
}


int cfi_teamLimitOf(const mjModel* m, bool is_tendon, int id) {
  int count = 0;
  if (cfi_disabled(m, mjDSBL_LIMIT) || cfi_disabled(m, mjDSBL_CONSTRAINT)) {
    return -1;
  }
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_limited[j] && m->jnt_type[j] != mjJNT_FREE) {
      if (!is_tendon && j == id) {
        return count;
      }
      count++;
    }
  }
  for (int i = 0; is_tendon && i < m->ntendon; i++) {
    if (m->tendon_limited[i] && tendonChain(m, i, NULL, NULL)) {
      if (i == id) {
        return count;
      }
      count++;
    }
  }
  return -1;
}


int cfi_teamLimits(const mjModel* m, cfTeamLimit* limit) {
  int count = 0, chain = (int)m->nv;
  const bool is_off = cfi_disabled(m, mjDSBL_LIMIT) || cfi_disabled(m, mjDSBL_CONSTRAINT);
  for (int j = 0; !is_off && j < m->njnt; j++) {
    if (m->jnt_limited[j] && m->jnt_type[j] != mjJNT_FREE) {
      if (limit) {
        limit[count] = limitOfJoint(m, j);
      }
      count++;
    }
  }
  for (int i = 0; i < m->ntendon; i++) {
    const int length = tendonChain(m, i, NULL, NULL);
    if (!is_off && m->tendon_limited[i] && length) {
      if (limit) {
        limit[count] = limitOfTendon(m, i, chain);
      }
      count++;
    }
    chain += length;
  }
  return count;
}


static int lastDofOf(const mjModel* m, int body) {
  for (; body > 0 && m->body_dofnum[body] == 0; body = m->body_parentid[body]) {
  }
  return body > 0 ? m->body_dofadr[body] + m->body_dofnum[body] - 1 : -1;
}


// dofs that move one of two bodies and, unless with_common, not the other, increasing; dof may be
// NULL.  Coefficients: -1 the first, 1 the second, 0 both
static int chainOfBodies(const mjModel* m, const int body[2], bool with_common, int* dof,
                         mjtNum* coef) {
  int count = 0;
  for (int i = 0; i < m->nv; i++) {
    bool moves[2];
    for (int side = 0; side < 2; side++) {
      int at = lastDofOf(m, body[side]);
      while (at > i) {
        at = m->dof_parentid[at];
      }
      moves[side] = at == i;
    }
    if (moves[0] != moves[1] || (with_common && moves[0])) {
      if (dof) {
        dof[count] = i;
        coef[count] = moves[1] - moves[0];
      }
      count++;
    }
  }
  return count;
}


// dofs of two tendons, of which the second may be none
static int chainOfTendons(const mjModel* m, const int tendon[2], int* dof, mjtNum* coef) {
  int count = 0;
  for (int i = 0; i < m->nv; i++) {
    mjtNum value;
    if (cfi_teamTendonCoef(m, tendon[0], i, &value) ||
        (tendon[1] >= 0 && cfi_teamTendonCoef(m, tendon[1], i, &value))) {
      if (dof) {
        dof[count] = i;
        coef[count] = 1;
      }
      count++;
    }
  }
  return count;
}


// dofs of an equality constraint; of bodies the second is the one whose anchor counts positive
static int chainOfEquality(const mjModel* m, int i, int* dof, mjtNum* coef) {
  if (m->eq_type[i] == mjEQ_TENDON) {
    const int tendon[2] = {m->eq_obj1id[i], m->eq_obj2id[i]};
    return chainOfTendons(m, tendon, dof, coef);
  }
  if (m->eq_type[i] != mjEQ_JOINT) {
    const int body[2] = {m->eq_obj2id[i], m->eq_obj1id[i]};
    return chainOfBodies(m, body, true, dof, coef);
  }
  const int one = m->jnt_dofadr[m->eq_obj1id[i]];
  const int two = m->eq_obj2id[i] < 0 ? one : m->jnt_dofadr[m->eq_obj2id[i]];
  if (dof) {
    dof[0] = cfi_minInt(one, two);
    coef[0] = 1;
  }
  if (dof && one != two) {
    dof[1] = cfi_maxInt(one, two);
    coef[1] = 1;
  }
  return one == two ? 1 : 2;
}


static bool isEqualityOff(const mjModel* m) {
  return cfi_disabled(m, mjDSBL_EQUALITY) || cfi_disabled(m, mjDSBL_CONSTRAINT);
}


// dofs of all tendons: their lists come behind that of all dofs
static int lengthOfTendons(const mjModel* m) {
  int length = 0;
  for (int i = 0; i < m->ntendon; i++) {
    length += tendonChain(m, i, NULL, NULL);
  }
  return length;
}


static cfTeamEqual describeEqual(const mjModel* m, int i, int chain, int num) {
  cfTeamEqual e = {.id = i,
                   .kind = m->eq_type[i],
                   .object = {m->eq_obj1id[i], m->eq_obj2id[i]},
                   .chain = chain,
                   .num = num};
  for (int side = 0; side < 2; side++) {
    const int id = e.object[side];
    if (e.kind == mjEQ_JOINT) {
      e.object[side] = id < 0 ? -1 : m->jnt_dofadr[id];
      e.weight[0] += id < 0 ? 0 : m->dof_invweight0[m->jnt_dofadr[id]];
    } else if (e.kind == mjEQ_TENDON) {
      e.weight[0] += id < 0 ? 0 : m->tendon_invweight0[id];
    } else {
      e.weight[0] += m->body_invweight0[2 * id];
      e.weight[1] += m->body_invweight0[2 * id + 1];
    }
  }
  cfi_teamGains(m, m->eq_solref + mjNREF * i, m->eq_solimp + mjNIMP * i, e.gain, e.imp);
  return e;
}


int cfi_teamEquals(const mjModel* m, cfTeamEqual* equal) {
  int count = 0, chain = (int)m->nv + lengthOfTendons(m);
  for (int i = 0; i < m->neq && !isEqualityOff(m); i++) {
    const int num = chainOfEquality(m, i, NULL, NULL);
    if (num == 0) {
      continue;
    }
    if (equal) {
      equal[count] = describeEqual(m, i, chain, num);
    }
    count++;
    chain += num;
  }
  return count;
}


int cfi_teamChains(const mjModel* m, cfTeamPair* pair, int npair, int* dof, mjtNum* coef) {
  int place = 0;
  for (; place < m->nv; place++) {
    if (dof) {
      dof[place] = place;
      coef[place] = 1;
    }
  }
  for (int i = 0; i < m->ntendon; i++) {
    place += tendonChain(m, i, dof ? dof + place : NULL, dof ? coef + place : NULL);
  }
  for (int i = 0; i < m->neq && !isEqualityOff(m); i++) {
    place += chainOfEquality(m, i, dof ? dof + place : NULL, dof ? coef + place : NULL);
  }
  for (int k = 0; k < npair; k++) {
    cfTeamPair* p = pair + k;
    int same = 0;
    while (same < k && (pair[same].body[0] != p->body[0] || pair[same].body[1] != p->body[1])) {
      same++;
    }
    p->chain = same < k ? pair[same].chain : place;
    p->num = same < k ? pair[same].num
                      : chainOfBodies(m, p->body, false, dof ? dof + place : NULL,
                                      dof ? coef + place : NULL);
    place += same < k ? 0 : p->num;
  }
  return place;
}


// colliders that CF_TEAM_RARE leaves out
static bool isRarePair(int kind) {
  return kind >= CF_PAIR_MANY || kind == CF_PAIR_SPHERE_CYLINDER || kind == CF_PAIR_SPHERE_BOX ||
         kind == CF_PAIR_PLANE_ELLIPSOID || kind == CF_PAIR_CONVEX || kind == CF_PAIR_PLANE_MESH;
}


// longest list of dofs that a block has, and whether some pairs have many contacts
static void lookAtPairs(const mjModel* m, cfTeamShape* shape, int* dim) {
  char reason[200];
  const int npair = cfi_teamPairs(m, NULL, 0, reason, sizeof(reason));
  shape->npair = npair > 0 ? npair : 0;
  cfTeamPair* pair = cfi_tryMalloc(sizeof(cfTeamPair) * (size_t)(shape->npair + 1));
  if (!pair) {
    shape->npair = -1;
    return;
  }
  cfi_teamPairs(m, pair, shape->npair, reason, sizeof(reason));
  shape->nchain = cfi_teamChains(m, pair, shape->npair, NULL, NULL);
  cfi_teamHullShape(m, pair, shape);
  for (int k = 0; k < shape->npair; k++) {
    shape->chain_max = cfi_maxInt(shape->chain_max, pair[k].num);
    shape->has_many |= pair[k].kind >= CF_PAIR_MANY;
    shape->has_convex |= pair[k].kind == CF_PAIR_CONVEX || pair[k].kind == CF_PAIR_PLANE_MESH;
    shape->is_lean &= !isRarePair(pair[k].kind);
    *dim = cfi_maxInt(*dim, pair[k].dim);
  }
  mju_free(pair);
}


// is there nothing that CF_TEAM_RARE leaves out, but for pairs
static int isLeanModel(const mjModel* m) {
  int is_lean = !cfi_teamIsDrawn(m) && m->nv <= CF_TEAM_ROWS_MOST && m->na == 0 &&
                m->opt.cone == mjCONE_PYRAMIDAL && cfi_teamEquals(m, NULL) == 0 &&
                (m->ntree <= 1 || cfi_disabled(m, mjDSBL_ISLAND));
  for (int j = 0; j < m->njnt; j++) {
    const bool turns = cfi_hasQuat(m->jnt_type[j]);
    is_lean &= !turns || (!m->jnt_limited[j] && m->jnt_stiffness[j] == 0);
  }
  for (int u = 0; u < m->nu; u++) {
    is_lean &= cfi_teamActuatorTendon(m, u) < 0;
  }
  return is_lean;
}


void cfi_teamRowShape(const mjModel* m, cfTeamShape* shape) {
  int dim = 1, others = 1;
  shape->is_lean = isLeanModel(m);
  shape->is_dense = m->nv <= CF_TEAM_ROWS_MOST;
  shape->chain_max = 3;
  lookAtPairs(m, shape, &dim);
  const int contact = dim * (shape->chain_max | 1);
  for (int i = 0; i < m->ntendon; i++) {
    const int length = tendonChain(m, i, NULL, NULL);
    shape->chain_max = cfi_maxInt(shape->chain_max, length);
    others = cfi_maxInt(others, length | 1);
  }
  int equal_numbers = 0;
  for (int i = 0; i < m->neq && !isEqualityOff(m); i++) {
    const int num = chainOfEquality(m, i, NULL, NULL);
    const int lines = m->eq_type[i] == mjEQ_WELD ? 6 : m->eq_type[i] == mjEQ_CONNECT ? 3 : 1;
    shape->chain_max = cfi_maxInt(shape->chain_max, num);
    equal_numbers += lines * (num | 1);
  }
  shape->is_drawn = cfi_teamIsDrawn(m);
  shape->ndrive = cfi_teamDrives(m, NULL, NULL, NULL);
  shape->ncouple = cfi_teamCouples(m, shape->is_drawn, NULL, NULL, NULL);
  shape->neq = cfi_teamEquals(m, NULL);
  shape->nloss = cfi_teamLosses(m, NULL);
  shape->nlimit = cfi_teamLimits(m, NULL);
  shape->has_islands = m->ntree > 1 && !cfi_disabled(m, mjDSBL_ISLAND);
  shape->ncand_max = cfi_minInt(shape->npair, 32 + 4 * shape->ncon_max);

  // half of the limits at a time, or all of a few
  const int limits = cfi_minInt(2 * shape->nlimit, 8 + shape->nlimit / 2);
  shape->nblk_max =
      cfi_minInt(shape->nefc_max, shape->ncon_max + shape->neq + shape->nloss + limits);
  shape->nJ_max = shape->ncon_max * contact + equal_numbers + shape->nloss + 3 * limits + others;
}
