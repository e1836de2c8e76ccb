// Motions of whole trees that no force depends on.
//
// A slide or a free joint whose body hangs on the world moves its tree without turning it. Inertia,
// bias and the forces inside the tree are the same wherever the tree is; what may depend on the
// place are contacts with other things, equalities, tendons and transmissions that reach beyond the
// tree, and the joint's own spring, limit and actuators.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "finitediff/linearization.h"
#include "math/inline.h"

// a motion of a tree along a world axis
typedef struct {
  const mjModel* m;
  const mjData* d;
  int joint, tree;
  mjtNum axis[3];
} treeMotion;


// does the joint move its whole tree along an axis, and nothing before it in the body turns?
static bool movesWholeTree(const mjModel* m, int joint) {
  const int body = m->jnt_bodyid[joint];
  if (m->body_weldid[m->body_parentid[body]] != 0) {
    return false;
  }
  for (int j = m->body_jntadr[body]; j < joint; j++) {
    if (m->jnt_type[j] != mjJNT_SLIDE) {
      return false;
    }
  }
  return m->jnt_type[joint] == mjJNT_FREE || m->jnt_type[joint] == mjJNT_SLIDE;
}


static inline bool isOfTranslation(const treeMotion* t, int body) {
  return t->m->body_treeid[body] == t->tree;
}


// does one of the bodies move and the other stay?
static inline bool isBetween(const treeMotion* t, int body1, int body2) {
  return isOfTranslation(t, body1) != isOfTranslation(t, body2);
}


static bool hasSlipperyContacts(const treeMotion* t) {
  const mjModel* m = t->m;
  for (int k = 0; k < t->d->ncon; k++) {
    const mjContact* con = t->d->contact + k;
    CF_ASSERT(con->geom[0] >= 0 && con->geom[1] >= 0);
    const int body[2] = {m->geom_bodyid[con->geom[0]], m->geom_bodyid[con->geom[1]]};
    if (!isBetween(t, body[0], body[1])) {
      continue;
    }
    const int other = isOfTranslation(t, body[0]) ? 1 : 0;
    if (m->geom_type[con->geom[other]] != mjGEOM_PLANE || m->body_weldid[body[other]] != 0 ||
        fabs(cfi_dot3(con->frame, t->axis)) > mjMINVAL) {
      return false;
    }
  }
  return true;
}


// body of an end of an equality; -1: not known
static int equalityBody(const mjModel* m, int equality, int id) {
  if (m->eq_type[equality] != mjEQ_CONNECT && m->eq_type[equality] != mjEQ_WELD) {
    return -1;
  }
  return m->eq_objtype[equality] == mjOBJ_SITE ? m->site_bodyid[id] : id;
}


static bool isFreeOfEqualities(const treeMotion* t) {
  const mjModel* m = t->m;
  for (int e = 0; e < m->neq; e++) {
    const int one = m->eq_obj1id[e], two = m->eq_obj2id[e];
    if (m->eq_type[e] == mjEQ_JOINT) {
      if (one == t->joint || two == t->joint) {
        return false;
      }
    } else if (m->eq_type[e] != mjEQ_TENDON) {
      const int body = equalityBody(m, e, one);
      if (body < 0 || isBetween(t, body, equalityBody(m, e, two))) {
        return false;
      }
    }
  }
  return true;
}


static bool isFreeOfTendons(const treeMotion* t) {
  const mjModel* m = t->m;
  for (int i = 0; i < m->ntendon; i++) {
    int inside = 0, outside = 0;
    for (int w = m->tendon_adr[i]; w < m->tendon_adr[i] + m->tendon_num[i]; w++) {
      const int type = m->wrap_type[w], id = m->wrap_objid[w];
      if (type == mjWRAP_JOINT && id == t->joint) {
        return false;
      }
      if (type == mjWRAP_SITE || type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER) {
        const int body = type == mjWRAP_SITE ? m->site_bodyid[id] : m->geom_bodyid[id];
        inside += isOfTranslation(t, body);
        outside += !isOfTranslation(t, body);
      }
    }
    if (inside && outside) {
      return false;
    }
  }
  return true;
}


// lengths and moments of joint transmissions depend on slides, those with two sites on both
static bool isFreeOfActuators(const treeMotion* t) {
  const mjModel* m = t->m;
  for (int u = 0; u < m->nu; u++) {
    const int type = m->actuator_trntype[u], *id = m->actuator_trnid + 2 * u;
    const bool is_joint = type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT;
    if (is_joint && id[0] == t->joint && m->jnt_type[t->joint] == mjJNT_SLIDE) {
      return false;
    }
    if ((type == mjTRN_SITE || type == mjTRN_SLIDERCRANK) && id[1] >= 0 &&
        isBetween(t, m->site_bodyid[id[0]], m->site_bodyid[id[1]])) {
      return false;
    }
  }
  return true;
}


bool cfi_isFreeTranslation(const mjModel* m, const mjData* d, int dof) {
  CF_ASSERT_INDEX(dof, m->nv);
  const int joint = m->dof_jntid[dof], place = dof - m->jnt_dofadr[joint];
  if (m->nflex || place > 2 || m->jnt_stiffness[joint] != 0 || m->jnt_limited[joint] ||
      !movesWholeTree(m, joint)) {
    return false;
  }
  treeMotion t = {m, d, joint, m->dof_treeid[dof], {0, 0, 0}};
  if (m->jnt_type[joint] == mjJNT_FREE) {
    t.axis[place] = 1;
  } else {
    cfi_copy3(t.axis, d->xaxis + 3 * joint);
  }
  return hasSlipperyContacts(&t) && isFreeOfEqualities(&t) && isFreeOfTendons(&t) &&
         isFreeOfActuators(&t);
}
