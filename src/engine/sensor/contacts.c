// Sensors of contacts: touch (normal force inside a zone) and contact (fields of matching
// contacts).
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/shape.h"
#include "sensor/sensor.h"


// how several matching contacts become the slots of the sensor
enum { REDUCE_NONE, REDUCE_MINDIST, REDUCE_MAXFORCE, REDUCE_NETFORCE };


// body of one side of a contact, -1 for a flex
static int contactBody(const mjModel* m, const mjContact* con, int side) {
  CF_ASSERT(side == 0 || side == 1);
  return con->geom[side] >= 0 ? m->geom_bodyid[con->geom[side]] : -1;
}


// ---------------------------------------- touch

// normal force of one contact if it presses on the zone from the sensor's body
static mjtNum pressureOn(const cfSensor* s, int id, int body) {
  CF_ASSERT_INDEX(id, s->d->ncon);
  const mjContact* con = s->d->contact + id;
  const int other = contactBody(s->m, con, 1);
  if (con->efc_address < 0 || (body != contactBody(s->m, con, 0) && body != other)) {
    return 0;
  }
  mjtNum force[6], ray[3];
  mj_contactForce(s->m, s->d, id, force);
  if (force[0] <= 0) {
    return 0;
  }

  // the ray leaves the sensor's body; from a point inside the zone it always meets the surface
  cfi_scl3(ray, con->frame, force[0]);
  cfi_normalize3(ray);
  cfi_scl3(ray, ray, body == other ? -1 : 1);
  const mjtNum dist =
      mju_rayGeom(s->d->site_xpos + 3 * s->objid, s->d->site_xmat + 9 * s->objid,
                  s->m->site_size + 3 * s->objid, con->pos, ray, s->m->site_type[s->objid], NULL);
  return dist >= 0 ? force[0] : 0;
}


void cfi_senseTouch(const cfSensor* s, mjtNum* out) {
  const int body = s->m->site_bodyid[s->objid];
  out[0] = 0;
  if (s->contacts) {
    for (int side = s->contacts->first[body]; side >= 0; side = s->contacts->next[side]) {
      out[0] += pressureOn(s, side >> 1, body);
    }
    return;
  }
  for (int k = 0; k < s->d->ncon; k++) {
    out[0] += pressureOn(s, k, body);
  }
}


// ---------------------------------------- which contacts match

typedef struct {
  mjtNum key;  // sort key of the reduction
  int id;      // of the contact
  bool flips;  // the sensor's first object is the contact's second
} contactMatch;


// does one side of the contact belong to what the sensor names?
static bool sideMatches(const cfSensor* s, const mjContact* con, int side, int objtype, int objid) {
  int body = contactBody(s->m, con, side);
  switch (objtype) {
    case mjOBJ_UNKNOWN:
    case mjOBJ_SITE:
      return true;
    case mjOBJ_GEOM:
      return con->geom[side] == objid;
    case mjOBJ_BODY:
      return body == objid;
    case mjOBJ_XBODY:
      // subtree: parents have smaller ids
      while (body > objid) {
        body = s->m->body_parentid[body];
      }
      return body == objid;
    default:
      return false;
  }
}


// 0: no match, 1: match, -1: match with the sides exchanged
static int matchDirection(const cfSensor* s, const mjContact* con) {
  const bool names1 = s->objtype != mjOBJ_UNKNOWN, names2 = s->reftype != mjOBJ_UNKNOWN;
  if (s->objtype == mjOBJ_SITE &&
      !cfi_insideGeom(s->d->site_xpos + 3 * s->objid, s->d->site_xmat + 9 * s->objid,
                      s->m->site_size + 3 * s->objid, s->m->site_type[s->objid], con->pos)) {
    return 0;
  }
  bool obj[2], ref[2];
  for (int side = 0; side < 2; side++) {
    obj[side] = sideMatches(s, con, side, s->objtype, s->objid);
    ref[side] = sideMatches(s, con, side, s->reftype, s->refid);
  }
  if (!(obj[0] || obj[1]) || !(ref[0] || ref[1])) {
    return 0;
  }
  if (names1 && names2) {
    return obj[0] && ref[1] ? 1 : (obj[1] && ref[0] ? -1 : 0);
  }
  if (names1) {
    return obj[0] ? 1 : -1;
  }
  return !names2 || ref[1] ? 1 : -1;
}


static mjtNum sortKey(const cfSensor* s, int id, int reduce) {
  CF_ASSERT_INDEX(id, s->d->ncon);
  if (reduce == REDUCE_MINDIST) {
    return s->d->contact[id].dist;
  }
  if (reduce == REDUCE_MAXFORCE) {
    mjtNum force[6];
    mj_contactForce(s->m, s->d, id, force);
    return -cfi_dot3(force, force);
  }
  return 0;
}


static int collectMatches(const cfSensor* s, contactMatch* match, int reduce) {
  int n = 0;
  for (int k = 0; k < s->d->ncon; k++) {
    const int direction = matchDirection(s, s->d->contact + k);
    if (direction) {
      match[n++] = (contactMatch){sortKey(s, k, reduce), k, direction < 0};
    }
  }
  return n;
}


// bring the smallest keys to the front, equal keys in the order of the contacts
static void selectSmallest(contactMatch* match, int n, int wanted) {
  CF_ASSERT(wanted >= 0 && wanted <= n);
  for (int k = 0; k < wanted; k++) {
    int best = k;
    for (int j = k + 1; j < n; j++) {
      if (match[j].key < match[best].key ||
          (match[j].key == match[best].key && match[j].id < match[best].id)) {
        best = j;
      }
    }
    const contactMatch chosen = match[best];
    match[best] = match[k];
    match[k] = chosen;
  }
}


// ---------------------------------------- what is written

// one slot, field by field
typedef struct {
  mjtNum found, dist;
  mjtNum force[3], torque[3], pos[3], normal[3], tangent[3];
} contactSlot;


static void writeSlot(mjtNum* out, const contactSlot* slot, int fields) {
  const mjtNum* source[mjNCONDATA] = {&slot->found, slot->force,  slot->torque, &slot->dist,
                                      slot->pos,    slot->normal, slot->tangent};
  for (int k = 0; k < mjNCONDATA; k++) {
    if (fields & (1 << k)) {
      mju_copy(out, source[k], cfi_contactDataSizes[k]);
      out += cfi_contactDataSizes[k];
    }
  }
}


// flipped: the frame turns by half a turn about its third axis, forces become their reaction
static contactSlot slotOf(const cfSensor* s, const contactMatch* match, int found) {
  CF_ASSERT_INDEX(match->id, s->d->ncon);
  const mjContact* con = s->d->contact + match->id;
  contactSlot slot = {.found = found, .dist = con->dist};
  const mjtNum sign = match->flips ? -1 : 1;
  mjtNum force[6];
  mj_contactForce(s->m, s->d, match->id, force);
  cfi_set3(slot.force, force[0], force[1], sign * force[2]);
  cfi_set3(slot.torque, force[3], force[4], sign * force[5]);
  cfi_copy3(slot.pos, con->pos);
  cfi_scl3(slot.normal, con->frame, sign);
  cfi_scl3(slot.tangent, con->frame + 3, sign);
  return slot;
}


// total wrench in global axes about the mean of the contact points, weighted by force
static contactSlot netSlot(const cfSensor* s, const contactMatch* match, int n) {
  CF_ASSERT(n >= 0 && n <= s->d->ncon);
  contactSlot slot = {.found = n, .normal = {1, 0, 0}, .tangent = {0, 1, 0}};
  mjtNum total = 0, force[6];
  for (int k = 0; k < n; k++) {
    mj_contactForce(s->m, s->d, match[k].id, force);
    const mjtNum weight = cfi_norm3(force);
    cfi_addToScl3(slot.pos, s->d->contact[match[k].id].pos, weight);
    total += weight;
  }
  cfi_scl3(slot.pos, slot.pos, 1 / cfi_max(total, mjMINVAL));
  for (int k = 0; k < n; k++) {
    const mjContact* con = s->d->contact + match[k].id;
    mjtNum push[3], twist[3], arm[3], moment[3];
    mj_contactForce(s->m, s->d, match[k].id, force);
    cfi_scl6(force, force, match[k].flips ? -1 : 1);
    cfi_mulMatTVec3(push, con->frame, force);
    cfi_mulMatTVec3(twist, con->frame, force + 3);
    cfi_sub3(arm, con->pos, slot.pos);
    cfi_cross(moment, arm, push);
    cfi_addTo3(slot.force, push);
    cfi_addTo3(slot.torque, twist);
    cfi_addTo3(slot.torque, moment);
  }
  return slot;
}


void cfi_senseContact(const cfSensor* s, mjtNum* out) {
  const int* prm = s->m->sensor_intprm + s->id * mjNSENS;
  const int fields = prm[0], reduce = prm[1];
  const int size = cfi_contactDataSize(fields), dim = s->m->sensor_dim[s->id];
  CF_ASSERT(fields >= 0 && fields < 1 << mjNCONDATA && reduce >= REDUCE_NONE &&
            reduce <= REDUCE_NETFORCE);
  mju_zero(out, dim);
  if (!size) {
    return;
  }
  mj_markStack(s->d);
  contactMatch* match = mj_stackAllocByte(s->d, sizeof(contactMatch) * (size_t)(s->d->ncon + 1),
                                          _Alignof(contactMatch));
  const int found = collectMatches(s, match, reduce);
  if (reduce == REDUCE_NETFORCE) {
    const contactSlot slot = netSlot(s, match, found);
    writeSlot(out, &slot, fields);
  } else {
    const int slots = cfi_minInt(dim / size, found);
    if (reduce != REDUCE_NONE) {
      selectSmallest(match, found, slots);
    }
    for (int k = 0; k < slots; k++) {
      const contactSlot slot = slotOf(s, match + k, found);
      writeSlot(out + k * size, &slot, fields);
    }
  }
  mj_freeStack(s->d);
}
