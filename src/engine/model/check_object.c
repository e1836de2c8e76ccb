// Checks of objects that refer to others by type and id.
#include <math.h>

#include "base/assert.h"
#include "base/plugin.h"
#include "model/checker.h"
#include "model/jointkind.h"
#include "model/names.h"


mjtSize cfi_objectCount(const mjModel* m, int objtype) {
  switch (objtype) {
    case mjOBJ_UNKNOWN:
    case mjOBJ_DEFAULT:
    case mjOBJ_FRAME:
    case mjOBJ_MODEL:
      return -1;
    case mjOBJ_DOF:
      return m->nv;
    default: {
      const int k = cfi_nameTypeIndex(objtype);
      return k < 0 ? -2 : cfi_nameCount(m, k);
    }
  }
}


static bool hasScalarJoint(const mjModel* m, int joint) {
  return cfi_isScalarJoint(m->jnt_type[joint]);
}


//---------------------------------- contacts ------------------------------------------------------

// a signature holds two body ids
static bool checkSignature(const cfChecker* c, const char* name, int k, int signature) {
  const int first = signature & 0xFFFF, second = signature >> 16;
  return (second >= 0 && first < c->m->nbody && second < c->m->nbody) ||
         cfi_complain(c, "%s[%d] out of bounds: it holds bodies %d and %d, there are %lld", name, k,
                      first, second, (long long)c->m->nbody);
}


static bool checkContactPairs(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int k = 0; k < m->npair; k++) {
    const int dim = m->pair_dim[k];
    if (dim != 1 && dim != 3 && dim != 4 && dim != 6) {
      return cfi_complain(c, "pair_dim[%d] is %d, expected 1, 3, 4 or 6", k, dim);
    }
    if (!checkSignature(c, "pair_signature", k, m->pair_signature[k])) {
      return false;
    }
  }
  for (int k = 0; k < m->nexclude; k++) {
    if (!checkSignature(c, "exclude_signature", k, m->exclude_signature[k])) {
      return false;
    }
  }
  return true;
}

//---------------------------------- equalities ----------------------------------------------------


// number of objects an equality may refer to, and whether the second one may be missing
static mjtSize equalityTargets(const mjModel* m, int k, bool* may_miss) {
  *may_miss = true;
  switch (m->eq_type[k]) {
    case mjEQ_JOINT:
      return m->njnt;
    case mjEQ_TENDON:
      return m->ntendon;
    case mjEQ_FLEX:
    case mjEQ_FLEXVERT:
      return m->nflex;
    default:
      *may_miss = false;
      return m->eq_objtype[k] == mjOBJ_BODY   ? m->nbody
             : m->eq_objtype[k] == mjOBJ_SITE ? m->nsite
                                              : -1;
  }
}


static bool checkEquality(const cfChecker* c, int k) {
  CF_ASSERT_INDEX(k, c->m->neq);
  const mjModel* m = c->m;
  bool may_miss;
  const mjtSize bound = equalityTargets(m, k, &may_miss);
  if (bound < 0) {
    return cfi_complain(c, "eq_objtype[%d] is %d, expected body or site", k, m->eq_objtype[k]);
  }
  const int first = m->eq_obj1id[k], second = m->eq_obj2id[k];
  if (!cfi_checkValue(c, "eq_obj1id", k, first, 0, bound) ||
      !cfi_checkValue(c, "eq_obj2id", k, second, may_miss ? -1 : 0, bound)) {
    return false;
  }
  if (m->eq_type[k] == mjEQ_JOINT &&
      (!hasScalarJoint(m, first) || (second >= 0 && !hasScalarJoint(m, second)))) {
    return cfi_complain(c, "equality %d couples joints that are not slide or hinge", k);
  }
  return true;
}

//---------------------------------- tendons -------------------------------------------------------


// path of a spatial tendon: a wrapping geom lies between two sites
static bool checkWrapGeom(const cfChecker* c, int tendon, int k) {
  const mjModel* m = c->m;
  const int* type = m->wrap_type + m->tendon_adr[tendon];
  const int at = m->tendon_adr[tendon] + k;
  if (k == 0 || k + 1 >= m->tendon_num[tendon] || type[k - 1] != mjWRAP_SITE ||
      type[k + 1] != mjWRAP_SITE) {
    return cfi_complain(c, "wrap_type[%d] is a geom that is not between two sites", at);
  }
  const mjtNum side = m->wrap_prm[at];
  return (side > -1.5 && side < (mjtNum)m->nsite - 0.5) ||
         cfi_complain(c, "wrap_prm[%d] is %g, expected the id of a side site or -1", at, side);
}


static bool checkWrap(const cfChecker* c, int tendon, int k) {
  CF_ASSERT(tendon >= 0 && tendon < c->m->ntendon && k >= 0 && k < c->m->nwrap);
  const mjModel* m = c->m;
  const int at = m->tendon_adr[tendon] + k, type = m->wrap_type[at], id = m->wrap_objid[at];
  const bool is_fixed = m->wrap_type[m->tendon_adr[tendon]] == mjWRAP_JOINT;
  if (is_fixed != (type == mjWRAP_JOINT) || type == mjWRAP_NONE) {
    return cfi_complain(c, "wrap_type[%d] is %d, which does not belong in a %s tendon", at, type,
                        is_fixed ? "fixed" : "spatial");
  }
  switch (type) {
    case mjWRAP_JOINT:
      // any joint: of a ball or free joint the first coordinate counts, as in MuJoCo
      return cfi_checkValue(c, "wrap_objid", at, id, 0, m->njnt);
    case mjWRAP_SITE:
      return cfi_checkValue(c, "wrap_objid", at, id, 0, m->nsite);
    case mjWRAP_PULLEY:
      return true;
    default:
      return cfi_checkValue(c, "wrap_objid", at, id, 0, m->ngeom) && checkWrapGeom(c, tendon, k);
  }
}


static bool checkTendonPath(const cfChecker* c, int t) {
  const mjModel* m = c->m;
  for (int k = 0; k < m->tendon_num[t]; k++) {
    if (!checkWrap(c, t, k)) {
      return false;
    }
  }

  // a tendon has at least one element; the trees it counts are named as far as there is room for
  // two
  if (m->tendon_num[t] < 1 || m->tendon_treenum[t] < 0) {
    return cfi_complain(c, "tendon %d has %d elements in %d trees", t, m->tendon_num[t],
                        m->tendon_treenum[t]);
  }
  const int named = m->tendon_treenum[t] < 2 ? m->tendon_treenum[t] : 2;
  return cfi_checkIndices(c, "tendon_treeid", m->tendon_treeid, 2 * (mjtSize)t, named, 0, m->ntree);
}

//---------------------------------- actuators -----------------------------------------------------


static bool checkTransmission(const cfChecker* c, int u) {
  CF_ASSERT_INDEX(u, c->m->nu);
  const mjModel* m = c->m;
  const mjtSize bound[] = {
      [mjTRN_JOINT] = m->njnt,     [mjTRN_JOINTINPARENT] = m->njnt, [mjTRN_SLIDERCRANK] = m->nsite,
      [mjTRN_TENDON] = m->ntendon, [mjTRN_SITE] = m->nsite,         [mjTRN_BODY] = m->nbody};
  const int type = m->actuator_trntype[u];
  const int* id = m->actuator_trnid + 2 * u;
  if (!cfi_checkValue(c, "actuator_trnid", 2 * u, id[0], 0, bound[type])) {
    return false;
  }

  // sites may have a reference site, a crank needs its slider
  const bool needs_second = type == mjTRN_SLIDERCRANK;
  return (!needs_second && type != mjTRN_SITE) ||
         cfi_checkValue(c, "actuator_trnid", 2 * u + 1, id[1], needs_second ? 0 : -1, m->nsite);
}


// entries of the sparse moment matrix that a transmission may need
static mjtSize momentSize(const mjModel* m, int u) {
  static const int joint_nv[4] = {6, 3, 1, 1};
  const int type = m->actuator_trntype[u];
  const bool is_joint = type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT;
  return is_joint ? joint_nv[m->jnt_type[m->actuator_trnid[2 * u]]] : m->nv;
}


static bool checkActuators(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize moments = 0;
  for (int u = 0; u < m->nu; u++) {
    if (!checkTransmission(c, u)) {
      return false;
    }
    const bool has_state = m->actuator_dyntype[u] != mjDYN_NONE;
    if (has_state && m->actuator_actnum[u] < 1) {
      return cfi_complain(c, "actuator_actnum[%d] is %d, but the actuator has dynamics", u,
                          m->actuator_actnum[u]);
    }
    if (m->actuator_actnum[u] == 0 &&
        !cfi_checkEqual(c, "actuator_actadr", u, m->actuator_actadr[u], -1)) {
      return false;
    }
    moments += momentSize(m, u);
  }
  return cfi_checkEqual(c, "nJmom", 0, m->nJmom, moments);
}

//---------------------------------- tuples and plugins --------------------------------------------


static bool checkTuples(const cfChecker* c) {
  const mjModel* m = c->m;
  for (mjtSize k = 0; k < m->ntupledata; k++) {
    const mjtSize count = cfi_objectCount(m, m->tuple_objtype[k]);
    if (count == -2) {
      return cfi_complain(c, "tuple_objtype[%lld] is %d, no object type", (long long)k,
                          m->tuple_objtype[k]);
    }
    if (count >= 0 && !cfi_checkValue(c, "tuple_objid", k, m->tuple_objid[k], 0, count)) {
      return false;
    }
  }
  return true;
}


// instances name a plugin by its slot, which has to be the same in this process; libraries beside
// ours are loaded where a slot is empty
static bool checkPlugins(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int k = 0; k < m->nplugin; k++) {
    if (!mjp_getPluginAtSlot(m->plugin[k])) {
      cfi_wantPlugin("", NULL);
    }
    if (!mjp_getPluginAtSlot(m->plugin[k])) {
      return cfi_complain(c,
                          "plugin[%d] is slot %d, but only %d plugins are registered; load the "
                          "plugin libraries before the model",
                          k, m->plugin[k], mjp_pluginCount());
    }
  }
  return true;
}


bool cfi_checkObjects(const cfChecker* c) {
  for (int k = 0; k < c->m->neq; k++) {
    if (!checkEquality(c, k)) {
      return false;
    }
  }
  for (int t = 0; t < c->m->ntendon; t++) {
    if (!checkTendonPath(c, t)) {
      return false;
    }
  }
  return checkContactPairs(c) && checkActuators(c) && checkTuples(c) && checkPlugins(c);
}
