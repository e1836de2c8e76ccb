// Impedance and reference of constraint rows.
//
// The formulas are laws (law/impedance.h, law/reference.h); friction rows of contacts derive their
// regularizer from the normal row.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/flexcontact.h"
#include "constraint/rows.h"
#include "law/number_one.h"
#include "law/impedance.h"
#include "law/reference.h"
#include "math/inline.h"
#include "model/flags.h"

// parameters of one constraint, checked
typedef struct {
  mjtNum ref[mjNREF];
  mjtNum ref_friction[mjNREF];  // zero: same as ref
  mjtNum imp[mjNIMP];
} cfSolParam;

// impedance at a violation, its slope, and the gains of the reference
typedef struct {
  mjtNum K, B, I, P;
} cfGains;


// raw parameters from the object that a row belongs to
static void findParam(const mjModel* m, const mjData* d, int type, int id, const mjtNum** ref,
                      const mjtNum** imp) {
  CF_ASSERT(ref && imp && id >= 0);
  switch (type) {
    case mjCNSTR_EQUALITY:
      *ref = m->eq_solref + mjNREF * id;
      *imp = m->eq_solimp + mjNIMP * id;
      break;
    case mjCNSTR_FRICTION_DOF:
      *ref = m->dof_solref + mjNREF * id;
      *imp = m->dof_solimp + mjNIMP * id;
      break;
    case mjCNSTR_FRICTION_TENDON:
      *ref = m->tendon_solref_fri + mjNREF * id;
      *imp = m->tendon_solimp_fri + mjNIMP * id;
      break;
    case mjCNSTR_LIMIT_JOINT:
      *ref = m->jnt_solref + mjNREF * id;
      *imp = m->jnt_solimp + mjNIMP * id;
      break;
    case mjCNSTR_LIMIT_TENDON:
      *ref = m->tendon_solref_lim + mjNREF * id;
      *imp = m->tendon_solimp_lim + mjNIMP * id;
      break;
    default:
      *ref = d->contact[id].solref;
      *imp = d->contact[id].solimp;
  }
}


// (time constant, damping ratio) both positive, or (-stiffness, -damping) both not; a mixture is
// replaced.  Time constants shorter than two steps are raised unless refsafe is off.
static void checkRef(const mjModel* m, mjtNum ref[mjNREF], const mjtNum fallback[mjNREF],
                     const char* name) {
  if (lawIsMixed(ref)) {
    mju_warning("mixed %s format, replacing with default", name);
    ref[0] = fallback[0];
    ref[1] = fallback[1];
  }
  if (ref[0] > 0 && !cfi_disabled(m, mjDSBL_REFSAFE)) {
    ref[0] = cfi_max(ref[0], 2 * m->opt.timestep);
  }
}


static cfSolParam loadParam(const mjModel* m, const mjData* d, const cfRowBlock* block) {
  static const mjtNum default_ref[mjNREF] = {0.02, 1}, none[mjNREF] = {0, 0};
  const mjtNum *ref, *imp;
  findParam(m, d, block->type, block->id, &ref, &imp);

  cfSolParam param = {{ref[0], ref[1]}, {0, 0}, {0}};
  checkRef(m, param.ref, default_ref, "solref");
  if (block->type >= mjCNSTR_CONTACT_FRICTIONLESS) {
    const mjtNum* friction = d->contact[block->id].solreffriction;
    param.ref_friction[0] = friction[0];
    param.ref_friction[1] = friction[1];
    checkRef(m, param.ref_friction, none, "solreffriction");
  }

  lawBoundImpedance(param.imp, imp);
  return param;
}


// impedance at a violation and its derivative
static inline void evalImpedance(const mjtNum imp[mjNIMP], mjtNum violation, cfGains* gains) {
  gains->I = lawImpedance(imp, violation, &gains->P);
}


static inline void evalReference(const mjtNum ref[mjNREF], mjtNum dmax, cfGains* gains) {
  lawGains(ref, dmax, &gains->K, &gains->B);
}


cfRowLaw cfi_rowLaw(const mjModel* m, const mjData* d, int type, int id) {
  const cfRowBlock block = {.type = type, .id = id};
  const cfSolParam param = loadParam(m, d, &block);
  cfGains normal, friction;
  evalReference(param.ref, param.imp[1], &normal);
  friction = normal;
  if (param.ref_friction[0] != 0 || param.ref_friction[1] != 0) {
    evalReference(param.ref_friction, param.imp[1], &friction);
  }
  cfRowLaw law = {.K = normal.K, .B = normal.B, .B_friction = friction.B};
  for (int k = 0; k < mjNIMP; k++) {
    law.imp[k] = param.imp[k];
  }
  return law;
}


// sum over two bodies of their inverse weights at rest, translation (0) or rotation (1)
static mjtNum pairWeight(const mjModel* m, const int body[2], int rotation) {
  return m->body_invweight0[2 * body[0] + rotation] + m->body_invweight0[2 * body[1] + rotation];
}


// inverse inertia of an equality row
static mjtNum equalityWeight(const mjModel* m, const cfRowBlock* block, int r) {
  CF_ASSERT(r >= 0);
  int eq = block->id, id[2] = {m->eq_obj1id[eq], m->eq_obj2id[eq]};
  switch (m->eq_type[eq]) {
    case mjEQ_JOINT:
      return m->dof_invweight0[m->jnt_dofadr[id[0]]] +
             (id[1] < 0 ? 0 : m->dof_invweight0[m->jnt_dofadr[id[1]]]);
    case mjEQ_TENDON:
      return m->tendon_invweight0[id[0]] + (id[1] < 0 ? 0 : m->tendon_invweight0[id[1]]);
    case mjEQ_FLEX:
      return m->flexedge_invweight0[block->item];
    case mjEQ_FLEXVERT:
      return m->body_invweight0[2 * m->flex_vertbodyid[block->item / 2]];
    default:
      if (m->eq_objtype[eq] == mjOBJ_SITE) {
        id[0] = m->site_bodyid[id[0]];
        id[1] = m->site_bodyid[id[1]];
      }
      return pairWeight(m, id, r > 2);
  }
}


// inverse inertia of a contact, translation and rotation
static void contactWeight(const mjModel* m, const mjData* d, const mjContact* con,
                          mjtNum weight[2]) {
  CF_ASSERT(con->dim >= 1 && con->dim <= 6);
  int body[2];
  if (cfi_contactBodies(m, con, body)) {
    weight[0] = pairWeight(m, body, 0);
    weight[1] = pairWeight(m, body, 1);
    return;
  }

  cfContactBodies bodies;
  weight[0] = weight[1] = 0;
  for (int side = 0; side < 2; side++) {
    cfi_contactSide(m, d, con, side, &bodies);
    for (int k = 0; k < bodies.count; k++) {
      weight[0] += m->body_invweight0[2 * bodies.body[k]] * bodies.weight[k];
      weight[1] += m->body_invweight0[2 * bodies.body[k] + 1] * bodies.weight[k];
    }
  }
}


// inverse inertia of one row of anything but a contact
static mjtNum rowWeight(const mjModel* m, const cfRowBlock* block, int r) {
  switch (block->type) {
    case mjCNSTR_EQUALITY:
      return equalityWeight(m, block, r);
    case mjCNSTR_FRICTION_DOF:
      return m->dof_invweight0[block->id];
    case mjCNSTR_LIMIT_JOINT:
      return m->dof_invweight0[m->jnt_dofadr[block->id]];
    default:
      return m->tendon_invweight0[block->id];
  }
}

// write gains and R of rows that share them; D and diagApprox follow from them
static void setRows(mjData* d, int row, int nrow, const cfGains* gains, mjtNum R) {
  CF_ASSERT(row >= 0 && row + nrow <= d->nefc && !(gains->I <= 0 || gains->I >= 1));
  const mjtNum D = 1 / R, approx = R * gains->I / (1 - gains->I);
  for (int r = row; r < row + nrow; r++) {
    mjtNum* KBIP = d->efc_KBIP + 4 * r;
    KBIP[0] = gains->K;
    KBIP[1] = gains->B;
    KBIP[2] = gains->I;
    KBIP[3] = gains->P;
    d->efc_R[r] = R;
    d->efc_D[r] = D;
    d->efc_diagApprox[r] = approx;
  }
}


// mu of the regularized cone, and the R that all friction rows derive from the normal row
static mjtNum setContactMu(const mjModel* m, mjContact* con, mjtNum R0) {
  // the usual ratio is one: a number over itself is one, and so is its root
  if (m->opt.impratio == 1) {
    con->mu = con->friction[0];
    return R0;
  }
  const mjtNum R1 = R0 / cfi_max(mjMINVAL, m->opt.impratio);
  con->mu = con->friction[0] * sqrt(R1 / R0);
  return R1;
}


// all edges of a pyramid share the R that matches the friction impedance of the elliptic cone
static void setPyramid(const mjModel* m, mjData* d, const cfRowBlock* block, const cfGains* gains,
                       const mjtNum weight[2]) {
  mjContact* con = d->contact + block->id;
  const mjtNum edge = weight[0] + con->friction[0] * con->friction[0] * weight[0];
  const mjtNum R0 = lawRegularizer(gains->I, edge);
  setContactMu(m, con, R0);
  const mjtNum R = 2 * con->mu * con->mu * R0;
  setRows(d, block->row, block->nrow, gains, R);
}


// normal row as any other; friction rows have no stiffness and R mu^2 is equal among them
static void setEllipse(const mjModel* m, mjData* d, const cfRowBlock* block, const cfGains* normal,
                       const cfSolParam* param, const mjtNum weight[2]) {
  mjContact* con = d->contact + block->id;
  const mjtNum R0 = lawRegularizer(normal->I, weight[0]);
  const mjtNum R1 = setContactMu(m, con, R0);
  setRows(d, block->row, 1, normal, R0);

  cfGains friction = *normal;
  if (param->ref_friction[0] != 0 || param->ref_friction[1] != 0) {
    evalReference(param->ref_friction, param->imp[1], &friction);
  }
  friction.K = 0;
  const mjtNum* mu = con->friction;
  for (int k = 1; k < con->dim; k++) {
    const mjtNum R = k == 1 ? R1 : R1 * mu[0] * mu[0] / (mu[k - 1] * mu[k - 1]);
    setRows(d, block->row + k, 1, &friction, R);
  }
}


// violation that the impedance depends on; connect and weld use the length of their error
static mjtNum violationOf(const mjModel* m, const mjData* d, const cfRowBlock* block) {
  const mjtNum* pos = d->efc_pos + block->row;
  const bool is_vector = block->type == mjCNSTR_EQUALITY && m->eq_type[block->id] <= mjEQ_WELD;
  return (is_vector ? mju_norm(pos, block->nrow) : pos[0]) - d->efc_margin[block->row];
}


// parameters and reference of the last contact: most contacts of a model have the same
typedef struct {
  const mjContact* con;  // NULL: none yet
  cfSolParam param;
  mjtNum K, B;
} knownLaw;

static bool isMixed(const mjtNum ref[mjNREF]) {
  return (ref[0] > 0) != (ref[1] > 0);
}


static bool sameParameters(const mjContact* a, const mjContact* b) {
  bool is_same = true;
  for (int k = 0; k < mjNREF; k++) {
    is_same &= a->solref[k] == b->solref[k];
    is_same &= a->solreffriction[k] == b->solreffriction[k];
  }
  for (int k = 0; k < mjNIMP; k++) {
    is_same &= a->solimp[k] == b->solimp[k];
  }
  return is_same;
}


// parameters of a block, and its reference; those of a contact like the last one are not computed
// again, unless each of them is worth a warning
static void findLaw(knownLaw* law, const mjModel* m, const mjData* d, const cfRowBlock* block) {
  const bool is_contact = block->type >= mjCNSTR_CONTACT_FRICTIONLESS;
  const mjContact* con = is_contact ? d->contact + block->id : NULL;
  if (is_contact && law->con && sameParameters(con, law->con)) {
    return;
  }
  cfGains gains;
  law->param = loadParam(m, d, block);
  evalReference(law->param.ref, law->param.imp[1], &gains);
  law->K = gains.K;
  law->B = gains.B;
  law->con = is_contact && !isMixed(con->solref) && !isMixed(con->solreffriction) ? con : NULL;
}


static inline void weighBy(knownLaw* law, const mjModel* m, mjData* d, const cfRowBlock* block) {
  CF_ASSERT(block->row >= 0);
  findLaw(law, m, d, block);
  cfGains gains = {.K = law->K, .B = law->B};
  evalImpedance(law->param.imp, violationOf(m, d, block), &gains);

  mjtNum weight[2];
  switch (block->type) {
    case mjCNSTR_CONTACT_PYRAMIDAL:
      contactWeight(m, d, d->contact + block->id, weight);
      setPyramid(m, d, block, &gains, weight);
      return;
    case mjCNSTR_CONTACT_ELLIPTIC:
      contactWeight(m, d, d->contact + block->id, weight);
      setEllipse(m, d, block, &gains, &law->param, weight);
      return;
    case mjCNSTR_CONTACT_FRICTIONLESS:
      contactWeight(m, d, d->contact + block->id, weight);
      setRows(d, block->row, 1, &gains, lawRegularizer(gains.I, weight[0]));
      return;
    case mjCNSTR_FRICTION_DOF:
    case mjCNSTR_FRICTION_TENDON:
      gains.K = 0;
      break;
    default:
      break;
  }
  for (int r = 0; r < block->nrow; r++) {
    setRows(d, block->row + r, 1, &gains, lawRegularizer(gains.I, rowWeight(m, block, r)));
  }
}


void cfi_weighBlock(const mjModel* m, mjData* d, const cfRowBlock* block) {
  knownLaw law;
  law.con = NULL;
  weighBy(&law, m, d, block);
}


void cfi_setImpedance(const cfRowPlan* plan) {
  knownLaw law;
  law.con = NULL;
  for (int k = 0; k < plan->nblock; k++) {
    if (plan->block[k].row >= 0) {
      weighBy(&law, plan->m, plan->d, plan->block + k);
    }
  }
}
