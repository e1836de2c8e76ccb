// Sensors as the fast tier computes them: where each sits, what it reads, which it does not have.
#include "backend/features.h"
#include "base/assert.h"
#include "math/inline.h"
#include "model/flags.h"
#include "team/tier.h"

// object of a sensor: a body and a place on it
typedef struct {
  int body;
  const mjtNum *pos, *quat;  // NULL: the body's own frame
} sensorPlace;


static sensorPlace placeOfObject(const mjModel* m, int objtype, int id) {
  CF_ASSERT(id >= 0);
  switch (objtype) {
    case mjOBJ_BODY:
      return (sensorPlace){id, m->body_ipos + 3 * id, m->body_iquat + 4 * id};
    case mjOBJ_GEOM:
      return (sensorPlace){m->geom_bodyid[id], m->geom_pos + 3 * id, m->geom_quat + 4 * id};
    case mjOBJ_SITE:
      return (sensorPlace){m->site_bodyid[id], m->site_pos + 3 * id, m->site_quat + 4 * id};
    default:
      return (sensorPlace){id, NULL, NULL};
  }
}


// write a place; the frame of a body is that of no displacement
static int writePlace(const sensorPlace* place, mjtNum pos[3], mjtNum quat[4]) {
  const mjtNum none[3] = {0, 0, 0}, straight[4] = {1, 0, 0, 0};
  cfi_copy3(pos, place->pos ? place->pos : none);
  cfi_copy4(quat, place->quat ? place->quat : straight);
  return place->body;
}


static bool isFrameSensor(int type) {
  return (cfi_typeReads(type) & FROM_FRAMES) != 0;
}


const char* cfi_teamForeignSensor(const mjModel* m) {
  return cfi_teamRefusal(cfi_featuresOf(m), CF_SUPPORT_SILENT);
}


// forces between bodies follow from those of contacts and from accelerations, these from velocities
static int needsOfSensor(int type) {
  int needs = cfi_typeReads(type);
  needs |= needs & FROM_FORCES ? FROM_CONTACTS | FROM_ACCELERATION : 0;
  needs |= needs & FROM_ACCELERATION ? FROM_VELOCITY : 0;
  return needs;
}


void cfi_teamSenseShape(const mjModel* m, cfTeamShape* shape) {
  shape->nsensor = (int)m->nsensor;
  shape->nsensordata = (int)m->nsensordata;
  for (int i = 0; i < m->nsensor; i++) {
    shape->sensor_needs |= needsOfSensor(m->sensor_type[i]);
  }
}


// One past the last body of a subtree.
static int endOfSubtree(const mjModel* m, int root) {
  int end = root + 1;
  for (int i = root + 1; i < m->nbody; i++) {
    int body = i;
    while (body > root) {
      body = m->body_parentid[body];
    }
    end = body == root ? i + 1 : end;
  }
  return end;
}


// which limit of the list is that of a joint or a tendon; -1: it has none
static int limitOfSensor(const mjModel* m, int i) {
  const int type = m->sensor_type[i], id = m->sensor_objid[i];
  const bool is_tendon = type >= mjSENS_TENDONLIMITPOS;
  return cfi_teamLimitOf(m, is_tendon, id);
}


// joints, tendons and actuators by the numbers that the stages know them by
static void describeObject(const mjModel* m, int i, cfTeamSensor* s) {
  const int id = m->sensor_objid[i];
  switch (s->type) {
    case mjSENS_JOINTPOS:
    case mjSENS_BALLQUAT:
      s->object = m->jnt_qposadr[id];
      break;
    case mjSENS_JOINTVEL:
    case mjSENS_BALLANGVEL:
    case mjSENS_JOINTACTFRC:
      s->object = m->jnt_dofadr[id];
      break;
    case mjSENS_TENDONPOS:
    case mjSENS_TENDONVEL:
      s->object = cfi_teamTendonChain(m, id, &s->end);
      break;
    case mjSENS_SUBTREECOM:
    case mjSENS_SUBTREELINVEL:
    case mjSENS_SUBTREEANGMOM:
      s->body = id;
      s->end = endOfSubtree(m, id);
      break;
    default:
      s->object = cfi_typeReads(s->type) & FROM_LIMITS ? limitOfSensor(m, i) : id;
  }
}


// the clamping of real and of positive data
static int clampOfSensor(const mjModel* m, int i) {
  const int data = m->sensor_datatype[i];
  return data == mjDATATYPE_REAL       ? CF_CLAMP_BOTH
         : data == mjDATATYPE_POSITIVE ? CF_CLAMP_ABOVE
                                       : CF_CLAMP_NOT;
}


cfTeamSensor cfi_teamSensor(const mjModel* m, int i) {
  CF_ASSERT_INDEX(i, m->nsensor);
  const int id = m->sensor_objid[i];
  cfTeamSensor s = {.type = m->sensor_type[i],
                    .adr = m->sensor_adr[i],
                    .dim = m->sensor_dim[i],
                    .clamp = clampOfSensor(m, i),
                    .refbody = -1,
                    .quat = {1, 0, 0, 0},
                    .refquat = {1, 0, 0, 0}};
  if (isFrameSensor(s.type)) {
    const sensorPlace place = placeOfObject(m, m->sensor_objtype[i], id);
    s.body = writePlace(&place, s.pos, s.quat);
    if (m->sensor_refid[i] >= 0) {
      const sensorPlace ref = placeOfObject(m, m->sensor_reftype[i], m->sensor_refid[i]);
      s.refbody = writePlace(&ref, s.refpos, s.refquat);
    }
  } else {
    describeObject(m, i, &s);
  }
  if (s.type == mjSENS_TOUCH) {
    s.shape = m->site_type[id];
    cfi_copy3(s.size, m->site_size + 3 * id);
  }
  return s;
}
