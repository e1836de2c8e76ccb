// Accelerations and forces of bodies after the constraint solver: cacc, cfrc_ext, cfrc_int.
#include "constraint/rnepost.h"

#include <stdbool.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/spatialforce.h"
#include "kinematics/frame.h"
#include "math/scan.h"

// cfrc_ext of a body += sign * force vector (torque, force) at a point; the world feels nothing
static void addExternal(const mjModel* m, mjData* d, int body, const mjtNum wrench[6],
                        const mjtNum point[3], mjtNum sign) {
  CF_ASSERT_INDEX(body, m->nbody);
  if (body == 0) {
    return;
  }
  mjtNum moved[6];
  cfi_transformSpatial(moved, wrench, 1, d->subtree_com + 3 * m->body_rootid[body], point, NULL);
  cfi_addToScl6(d->cfrc_ext + 6 * body, moved, sign);
}


static void addPerturbation(const mjModel* m, mjData* d, int body) {
  const mjtNum* applied = d->xfrc_applied + 6 * (size_t)body;
  if (!cfi_anyNonzero(applied, 6)) {
    return;
  }
  mjtNum wrench[6];
  cfi_copy3(wrench, applied + 3);
  cfi_copy3(wrench + 3, applied);
  addExternal(m, d, body, wrench, d->xipos + 3 * body, 1);
}


// torque and force of a contact in global axes; false if it has none, or has to do with a flex
static inline bool contactWrench(const mjModel* m, const mjData* d, int c, mjtNum wrench[6]) {
  const mjContact* con = d->contact + c;
  if (con->efc_address < 0 || con->geom[0] < 0 || con->geom[1] < 0) {
    return false;
  }
  mjtNum local[6];
  mj_contactForce(m, d, c, local);
  cfi_mulMatTVec3(wrench, con->frame, local + 3);
  cfi_mulMatTVec3(wrench + 3, con->frame, local);
  return true;
}


// contact forces act on the body of the second geom and against that of the first
static void addContacts(const mjModel* m, mjData* d) {
  for (int c = 0; c < d->ncon; c++) {
    const mjContact* con = d->contact + c;
    mjtNum wrench[6];
    if (contactWrench(m, d, c, wrench)) {
      addExternal(m, d, m->geom_bodyid[con->geom[0]], wrench, con->pos, -1);
      addExternal(m, d, m->geom_bodyid[con->geom[1]], wrench, con->pos, 1);
    }
  }
}


// those of one body, in the same order
static void addContactsOf(const mjModel* m, mjData* d, int body, const cfBodyContacts* contacts) {
  for (int side = contacts->first[body]; side >= 0; side = contacts->next[side]) {
    mjtNum wrench[6];
    if (contactWrench(m, d, side >> 1, wrench)) {
      addExternal(m, d, body, wrench, d->contact[side >> 1].pos, side & 1 ? 1 : -1);
    }
  }
}


// anchor of a connect or weld on one of its two bodies; sites are their own anchors, and the data
// of a weld lists its anchor points in the reverse order
static void addAnchored(const mjModel* m, mjData* d, int eq, int side, const mjtNum wrench[6]) {
  CF_ASSERT(eq >= 0 && eq < m->neq && (side == 0 || side == 1));
  const int object = side ? m->eq_obj2id[eq] : m->eq_obj1id[eq];
  const bool is_weld = m->eq_type[eq] == mjEQ_WELD;
  const mjtNum* data = m->eq_data + mjNEQDATA * eq;
  int body = object;
  const mjtNum* anchor = data + 3 * (is_weld ? !side : side);
  if (m->eq_objtype[eq] == mjOBJ_SITE) {
    body = m->site_bodyid[object];
    anchor = m->site_pos + 3 * object;
  }

  mjtNum point[3];
  cfi_bodyPoint(point, d, body, anchor);
  addExternal(m, d, body, wrench, point, side ? -1 : 1);
}


// number of rows of the equality constraint that starts at this row
static int equalityRows(const mjModel* m, int eq) {
  CF_ASSERT_INDEX(eq, m->neq);
  const int flex = m->eq_obj1id[eq];
  int count = 0;
  switch ((mjtEq)m->eq_type[eq]) {
    case mjEQ_CONNECT:
      return 3;
    case mjEQ_WELD:
      return 6;
    case mjEQ_JOINT:
    case mjEQ_TENDON:
      return 1;
    case mjEQ_FLEX:
      for (int e = m->flex_edgeadr[flex]; e < m->flex_edgeadr[flex] + m->flex_edgenum[flex]; e++) {
        count += !m->flexedge_rigid[e];
      }
      return count;
    case mjEQ_FLEXVERT:
      return 2 * m->flex_vertnum[flex];
    default:
      mju_error("unknown equality type %d", m->eq_type[eq]);
      return 1;
  }
}


static void addEqualities(const mjModel* m, mjData* d) {
  for (int row = 0; row < d->ne;) {
    const int eq = d->efc_id[row], nrow = equalityRows(m, eq);
    const int type = m->eq_type[eq];
    if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
      mjtNum wrench[6] = {0, 0, 0, 0, 0, 0};
      cfi_copy3(wrench + 3, d->efc_force + row);
      if (type == mjEQ_WELD) {
        cfi_copy3(wrench, d->efc_force + row + 3);
      }
      addAnchored(m, d, eq, 0, wrench);
      addAnchored(m, d, eq, 1, wrench);
    }
    row += nrow;
  }
}


void cfi_externalForces(const mjModel* m, mjData* d) {
  memset(d->cfrc_ext, 0, sizeof(mjtNum) * 6 * (size_t)m->nbody);
  for (int i = 1; i < m->nbody; i++) {
    addPerturbation(m, d, i);
  }
  addContacts(m, d);
  addEqualities(m, d);
}


static void postWorld(const mjModel* m, mjData* d) {
  cfi_worldAcceleration(d->cacc, m);
  cfi_zero6(d->cfrc_int);
}


// acceleration of a body; what moves it and does not come from outside comes through its joints
static inline void postBody(const mjModel* m, mjData* d, int i) {
  mjtNum* cacc = d->cacc + 6 * i;
  cfi_bodyAcceleration(cacc, d->cacc + 6 * m->body_parentid[i], m, d, i, d->qacc);
  cfi_bodyForce(d->cfrc_int + 6 * i, d, i, cacc);
  cfi_subFrom6(d->cfrc_int + 6 * i, d->cfrc_ext + 6 * i);
}


void cfi_beginPostRuns(const mjModel* m, mjData* d) {
  CF_ASSERT(d->ne == 0);
  d->flg_rnepost = 1;  // for who reads what a run has just got
  cfi_zero6(d->cfrc_ext);
  postWorld(m, d);
}


void cfi_postRun(const mjModel* m, mjData* d, cfIndexSet bodies, const cfBodyContacts* contacts) {
  const int first = bodies.first, end = first + bodies.count;
  CF_ASSERT(first > 0 && end <= m->nbody && !bodies.index);
  for (int i = first; i < end; i++) {
    cfi_zero6(d->cfrc_ext + 6 * i);
    addPerturbation(m, d, i);
    addContactsOf(m, d, i, contacts);
    postBody(m, d, i);
  }
  for (int i = end - 1; i >= first; i--) {
    const int parent = m->body_parentid[i];
    if (parent) {
      cfi_addTo6(d->cfrc_int + 6 * parent, d->cfrc_int + 6 * i);
    }
  }
}


void cfi_endPostRuns(const mjModel* m, mjData* d) {
  for (int i = (int)m->nbody - 1; i > 0; i--) {
    if (m->body_parentid[i] == 0) {
      cfi_addTo6(d->cfrc_int, d->cfrc_int + 6 * i);
    }
  }
}


// stage RNEPOST.  reads: xfrc_applied, contacts, efc_force, qvel, qacc, cinert, cvel, cdof,
// cdof_dot. writes: cacc, cfrc_ext, cfrc_int.
void mj_rnePostConstraint(const mjModel* m, mjData* d) {
  const int nbody = (int)m->nbody;
  cfi_externalForces(m, d);
  postWorld(m, d);
  for (int i = 1; i < nbody; i++) {
    postBody(m, d, i);
  }
  for (int i = nbody - 1; i > 0; i--) {
    cfi_addTo6(d->cfrc_int + 6 * m->body_parentid[i], d->cfrc_int + 6 * i);
  }
  d->flg_rnepost = 1;
}
