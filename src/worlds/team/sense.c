// Sensors: each is computed by one thread from what the stages have left.
//
// Sensors of frames know their body and where they sit on it, so that bodies, geoms and sites are
// one kind of object.  Accelerations and forces of bodies are computed where a sensor needs them.
#include "team/team.h"

// pose of what a sensor is attached to
typedef struct {
  cfReal pos[3], quat[4];
  int body;
} CF_TEAM_NAME(teamFrame);
#define teamFrame CF_TEAM_NAME(teamFrame)


CF_TEAM_FN teamFrame frameAt(const cfTeam* t, int body, const cfReal* pos, const cfReal* quat) {
  teamFrame f = {.body = body};
  cfReal local[3], turn[4];
  numCopy3(local, pos);
  numCopy(turn, quat, 4);
  teamPointAt(t, f.pos, body, local);
  numMulQuat(f.quat, CF_WORLD(t, xquat) + 4 * body, turn);
  return f;
}


CF_TEAM_FN teamFrame frameOfSensor(const cfTeam* t, int i) {
  const cfTeamModel* m = t->m;
  return frameAt(t, m->sensor_body[i], CF_FORM(t, sensor_pos) + 3 * i,
                 CF_FORM(t, sensor_quat) + 4 * i);
}


CF_TEAM_FN teamFrame frameOfReference(const cfTeam* t, int i) {
  const cfTeamModel* m = t->m;
  return frameAt(t, m->sensor_refbody[i], CF_FORM(t, sensor_refpos) + 3 * i,
                 CF_FORM(t, sensor_refquat) + 4 * i);
}


// a vector of the world in the axes of a frame
CF_TEAM_FN void intoFrame(cfReal res[3], const cfReal v[3], const cfReal quat[4]) {
  const cfReal back[4] = {quat[0], -quat[1], -quat[2], -quat[3]};
  numTurn(res, v, back);
}


// a vector in the axes of the reference, where there is one
CF_TEAM_FN void intoReference(const cfTeam* t, int i, cfReal v[3]) {
  if (t->m->sensor_refbody[i] >= 0) {
    const teamFrame ref = frameOfReference(t, i);
    intoFrame(v, v, ref.quat);
  }
}


// velocity or acceleration of a frame from that of bodies about the centers of their trees
CF_TEAM_FN void motionOfFrame(const cfTeam* t, cfReal res[6], const cfReal* motion,
                              const teamFrame* f) {
  const int root = t->m->body_rootid[f->body];
  cfReal arm[3], carried[3];
  numCopy(res, motion + 6 * f->body, 6);
  numSub3(arm, f->pos, CF_WORLD(t, subtree_com) + 3 * root);
  numCross(carried, res, arm);
  numAdd3(res + 3, res + 3, carried);
  if (t->m->body_weldid[f->body] == 0) {
    numSet3(res, 0, 0, 0);
    numSet3(res + 3, 0, 0, 0);
  }
}


// acceleration of a frame, that of gravity taken off
CF_TEAM_FN void accelerationOfFrame(const cfTeam* t, cfReal res[6], const teamFrame* f) {
  cfReal velocity[6], turning[3];
  motionOfFrame(t, res, CF_WORLD(t, cacc), f);
  if (t->m->body_weldid[f->body] == 0) {
    return;
  }
  motionOfFrame(t, velocity, CF_WORLD(t, cvel), f);
  numCross(turning, velocity, velocity + 3);
  numAdd3(res + 3, res + 3, turning);
  res[3] -= CF_VALUE(t, gravity_x);
  res[4] -= CF_VALUE(t, gravity_y);
  res[5] -= CF_VALUE(t, gravity_z);
}

// ---------------------------------------- forces of contacts

// rows of a contact; -1: it does not push
CF_TEAM_FN int rowsOfContact(const cfTeam* t, int contact, int* kind, int* dim) {
  const int b = CF_WORLD(t, con_block)[contact];
  if (b < 0) {
    return -1;
  }
  const unsigned int head = (unsigned int)CF_WORLD(t, blk_head)[b];
  *kind = (int)(head & 0xf);
  *dim = (int)(head >> 4 & 0xf);
  return (int)((unsigned int)CF_WORLD(t, blk_row)[b] & 0xffff);
}


// force and torque of a contact in its frame; false: it does not push
CF_TEAM_FN bool forceOfContact(const cfTeam* t, int contact, cfReal res[6]) {
  int kind = 0, dim = 0;
  const int row = rowsOfContact(t, contact, &kind, &dim);
  const cfReal* f = CF_WORLD(t, efc_force) + row;
  const cfReal* mu = CF_OWN(t, pair_friction) + 5 * CF_WORLD(t, con_pair)[contact];
  if (row < 0) {
    return false;
  }
  cfReal normal = kind == CF_BLOCK_PYRAMID ? 0 : f[0];
  for (int k = 0; kind == CF_BLOCK_PYRAMID && k < 2 * (dim - 1); k++) {
    normal += f[k];
  }
  res[0] = normal;
  CF_TEAM_UNROLL
  for (int k = 1; k < 6; k++) {
    res[k] = k >= dim                   ? 0
             : kind != CF_BLOCK_PYRAMID ? f[k]
                                        : mu[k - 1] * (f[2 * k - 2] - f[2 * k - 1]);
  }
  return true;
}


// += sign * a force and a torque at a point, about the center of a body's tree
CF_TEAM_FN void addWrench(const cfTeam* t, cfReal res[6], int body, const cfReal force[3],
                          const cfReal torque[3], const cfReal point[3], cfReal sign) {
  cfReal arm[3], moment[3];
  numSub3(arm, point, CF_WORLD(t, subtree_com) + 3 * t->m->body_rootid[body]);
  numCross(moment, arm, force);
  numAddScaled3(res, res, moment, sign);
  numAddScaled3(res, res, torque, sign);
  numAddScaled3(res + 3, res + 3, force, sign);
}


CF_TEAM_FN void addContactForces(const cfTeam* t, cfReal res[6], int body) {
  const cfTeamModel* m = t->m;
  const int ncon = CF_WORLD(t, ncon)[0];
  for (int c = 0; c < ncon; c++) {
    const int pair = CF_WORLD(t, con_pair)[c];
    const int one = m->geom_bodyid[m->pair_first[pair]];
    const int two = m->geom_bodyid[m->pair_second[pair]];
    cfReal local[6], force[3], torque[3];
    if ((one != body && two != body) || !forceOfContact(t, c, local)) {
      continue;
    }
    numMulMatTVec3(force, CF_WORLD(t, con_frame) + 9 * c, local);
    numMulMatTVec3(torque, CF_WORLD(t, con_frame) + 9 * c, local + 3);
    addWrench(t, res, body, force, torque, CF_WORLD(t, con_pos) + 3 * c, two == body ? 1 : -1);
  }
}


// forces of connects and welds
CF_TEAM_FN void addAnchorForces(const cfTeam* t, cfReal res[6], int body) {
  const cfTeamModel* m = t->m;
  for (int e = 0; CF_TEAM_RARE(e < m->neq); e++) {
    const bool is_weld = m->equal_kind[e] == mjEQ_WELD;
    const int b = CF_WORLD(t, eq_block)[e];
    if (b < 0 || (!is_weld && m->equal_kind[e] != mjEQ_CONNECT)) {
      continue;
    }
    const cfReal* f = CF_WORLD(t, efc_force) + ((unsigned int)CF_WORLD(t, blk_row)[b] & 0xffff);
    for (int side = 0; side < 2; side++) {
      if ((side ? m->equal_object2[e] : m->equal_object1[e]) != body) {
        continue;
      }
      cfReal local[3], point[3], force[3], torque[3] = {0, 0, 0};
      numCopy3(local, CF_OWN(t, equal_data) + mjNEQDATA * e + 3 * (is_weld ? !side : side));
      anchorOf(t, body, local, point);
      numCopy3(force, f);
      if (is_weld) {
        numCopy3(torque, f + 3);
      }
      addWrench(t, res, body, force, torque, point, side ? -1 : 1);
    }
  }
}


// force that moves a body and comes through its joints: cfrc
CF_TEAM_FN void bodyInteraction(const cfTeam* t, int body) {
  const cfReal *inert = CF_WORLD(t, cinert) + 10 * body, *velocity = CF_WORLD(t, cvel) + 6 * body;
  const cfReal* pushed = CF_WORLD(t, xfrc_applied) + 6 * body;
  cfReal momentum[6], turning[6], acceleration[6], outer[6] = {0, 0, 0, 0, 0, 0};
  cfReal force[3], torque[3], *res = CF_WORLD(t, cfrc) + 6 * body;
  numCopy(acceleration, CF_WORLD(t, cacc) + 6 * body, 6);
  acceleration[3] -= CF_VALUE(t, gravity_x);
  acceleration[4] -= CF_VALUE(t, gravity_y);
  acceleration[5] -= CF_VALUE(t, gravity_z);
  numMulInertia(momentum, inert, velocity);
  numCrossForce(turning, velocity, momentum);
  numMulInertia(momentum, inert, acceleration);
  numCopy3(force, pushed);
  numCopy3(torque, pushed + 3);
  addWrench(t, outer, body, force, torque, CF_WORLD(t, xipos) + 3 * body, 1);
  addContactForces(t, outer, body);
  addAnchorForces(t, outer, body);
  CF_TEAM_UNROLL
  for (int k = 0; k < 6; k++) {
    res[k] = momentum[k] + turning[k] - outer[k];
  }
}


// accelerations of bodies, and the forces between them
CF_TEAM_FN void afterSolve(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const cfReal *cdof = CF_WORLD(t, cdof), *rate = CF_WORLD(t, cdof_dot);
  cfReal* cacc = CF_WORLD(t, cacc);
  for (int k = t->thread; k < 6 * m->nbody; k += CF_TEAM_WIDTH) {
    const int i = k / 6, part = k - 6 * i, first = m->body_dofadr[i];
    cfReal sum = 0;
    for (int dof = first; dof < first + (i ? m->body_dofnum[i] : 0); dof++) {
      sum += rate[6 * dof + part] + cdof[6 * dof + part] * CF_WORLD(t, qacc)[dof];
    }
    cacc[k] = sum;
  }
  teamSync(t);
  sumAncestors(t, cacc);
  if (!(m->sensor_needs & FROM_FORCES)) {
    return;
  }
  for (int i = 1 + t->thread; i < m->nbody; i += CF_TEAM_WIDTH) {
    bodyInteraction(t, i);
  }
  teamSync(t);
  sumSubtrees(t, CF_WORLD(t, cfrc), 6);
}

#include "team/sensekinds.h"


// the sensor's numbers, at most four
CF_TEAM_FN void senseOne(const cfTeam* t, int i, cfReal out[4]) {
  const int type = t->m->sensor_type[i];
  if (type >= mjSENS_FRAMEPOS && type <= mjSENS_FRAMEANGACC) {
    senseFrame(t, i, type, out);
  } else if (type == mjSENS_TOUCH) {
    out[0] = senseTouch(t, i);
  } else if (type >= mjSENS_SUBTREECOM && type <= mjSENS_SUBTREEANGMOM) {
    senseSubtree(t, i, type, out);
  } else if (type >= mjSENS_JOINTLIMITPOS && type <= mjSENS_TENDONLIMITFRC) {
    out[0] = senseLimit(t, i, type);
  } else if (type >= mjSENS_ACCELEROMETER && type <= mjSENS_MAGNETOMETER) {
    senseSite(t, i, type, out);
  } else {
    senseScalar(t, i, type, out);
  }
}


// stage SENSE.  reads: everything of the stages before.  writes: sensordata, cacc, cfrc
CF_TEAM_FN void cfi_teamSense(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  if (m->sensor_needs & (FROM_ACCELERATION | FROM_FORCES)) {
    afterSolve(t);
  }
  for (int i = t->thread; i < m->nsensor; i += CF_TEAM_WIDTH) {
    cfReal value[4] = {0, 0, 0, 0}, cutoff = CF_OWN(t, sensor_cutoff)[i];
    const int clamp = cutoff > 0 ? m->sensor_clamp[i] : CF_CLAMP_NOT;
    senseOne(t, i, value);
    CF_TEAM_UNROLL
    for (int k = 0; k < 4; k++) {
      const cfReal low = clamp == CF_CLAMP_BOTH ? teamLarger(-cutoff, value[k]) : value[k];
      if (k < m->sensor_dim[i]) {
        CF_WORLD(t, sensordata)
        [m->sensor_adr[i] + k] = clamp == CF_CLAMP_NOT ? low : teamSmaller(cutoff, low);
      }
    }
  }
  teamSync(t);
}
