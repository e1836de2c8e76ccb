// The kinds of sensors.  Included by sense.c.

// velocity of a frame as its reference sees it
CF_TEAM_FN void relativeVelocity(const cfTeam* t, int i, const teamFrame* f, cfReal vel[6]) {
  motionOfFrame(t, vel, CF_WORLD(t, cvel), f);
  if (t->m->sensor_refbody[i] < 0) {
    return;
  }
  const teamFrame ref = frameOfReference(t, i);
  cfReal carrier[6], arm[3], carried[3];
  motionOfFrame(t, carrier, CF_WORLD(t, cvel), &ref);
  numSub3(arm, f->pos, ref.pos);
  numCross(carried, arm, carrier);
  numSub3(vel, vel, carrier);
  numSub3(vel + 3, vel + 3, carrier + 3);
  numAdd3(vel + 3, vel + 3, carried);
}


// position, orientation or an axis
CF_TEAM_FN void senseFramePose(const cfTeam* t, int i, int type, const teamFrame* f,
                               cfReal out[4]) {
  const bool has_ref = t->m->sensor_refbody[i] >= 0;
  if (type == mjSENS_FRAMEQUAT) {
    numCopy(out, f->quat, 4);
    if (has_ref) {
      const teamFrame ref = frameOfReference(t, i);
      const cfReal back[4] = {ref.quat[0], -ref.quat[1], -ref.quat[2], -ref.quat[3]};
      numMulQuat(out, back, f->quat);
    }
    return;
  }
  numCopy3(out, f->pos);
  if (type != mjSENS_FRAMEPOS) {
    const cfReal axis[3] = {type == mjSENS_FRAMEXAXIS, type == mjSENS_FRAMEYAXIS,
                            type == mjSENS_FRAMEZAXIS};
    numTurn(out, axis, f->quat);
  } else if (has_ref) {
    const teamFrame ref = frameOfReference(t, i);
    numSub3(out, out, ref.pos);
  }
  intoReference(t, i, out);
}


CF_TEAM_FN void senseFrame(const cfTeam* t, int i, int type, cfReal out[4]) {
  const teamFrame f = frameOfSensor(t, i);
  cfReal motion[6];
  if (type == mjSENS_FRAMELINVEL || type == mjSENS_FRAMEANGVEL) {
    relativeVelocity(t, i, &f, motion);
    numCopy3(out, type == mjSENS_FRAMELINVEL ? motion + 3 : motion);
    intoReference(t, i, out);
  } else if (type == mjSENS_FRAMELINACC || type == mjSENS_FRAMEANGACC) {
    accelerationOfFrame(t, motion, &f);
    numCopy3(out, type == mjSENS_FRAMELINACC ? motion + 3 : motion);
  } else {
    senseFramePose(t, i, type, &f, out);
  }
}


// in the axes of a site: its motion, the force through its body, the magnetic field
CF_TEAM_FN void senseSite(const cfTeam* t, int i, int type, cfReal out[4]) {
  const teamFrame f = frameOfSensor(t, i);
  cfReal v[6];
  if (type == mjSENS_MAGNETOMETER) {
    numSet3(v, CF_VALUE(t, magnetic_x), CF_VALUE(t, magnetic_y), CF_VALUE(t, magnetic_z));
  } else if (type == mjSENS_FORCE || type == mjSENS_TORQUE) {
    const cfReal* wrench = CF_WORLD(t, cfrc) + 6 * f.body;
    cfReal arm[3], moment[3];
    numSub3(arm, f.pos, CF_WORLD(t, subtree_com) + 3 * t->m->body_rootid[f.body]);
    numCross(moment, arm, wrench + 3);
    numSub3(v, wrench, moment);
    numCopy3(v + 3, wrench + 3);
  } else if (type == mjSENS_ACCELEROMETER) {
    accelerationOfFrame(t, v, &f);
  } else {
    motionOfFrame(t, v, CF_WORLD(t, cvel), &f);
  }
  const bool is_linear =
      type == mjSENS_FORCE || type == mjSENS_ACCELEROMETER || type == mjSENS_VELOCIMETER;
  intoFrame(out, is_linear ? v + 3 : v, f.quat);
}

// ---------------------------------------- touch

// does a ray from a point meet a quadric |A*p|^2 = 1 with p between -height and height along z;
// A: inverse radii, 0: it is a cylinder along that axis
CF_TEAM_FN bool meetsQuadric(const cfReal p[3], const cfReal v[3], const cfReal A[3], cfReal shift,
                             cfReal height) {
  const cfReal o[3] = {p[0] * A[0], p[1] * A[1], (p[2] - shift) * A[2]};
  const cfReal w[3] = {v[0] * A[0], v[1] * A[1], v[2] * A[2]};
  const cfReal a = numDot3(w, w), b = numDot3(o, w), c = numDot3(o, o) - 1;
  const cfReal root = b * b - a * c;
  if (root < 0 || a < CF_TEAM_MIN) {
    return false;
  }
  bool meets = false;
  for (int k = -1; k <= 1; k += 2) {
    const cfReal x = (-b + (cfReal)k * teamSqrt(root)) / a, z = p[2] + x * v[2];
    // the part of a sphere beyond the end of a capsule, or all of the surface between its ends
    const bool is_there = shift != 0 ? z * shift >= shift * shift : teamAbs(z) <= height;
    meets = meets || (x >= 0 && is_there);
  }
  return meets;
}


// the same for a box, or for the flat ends of a cylinder
CF_TEAM_FN bool meetsFaces(const cfReal p[3], const cfReal v[3], const cfReal size[3], int first) {
  bool meets = false;
  for (int axis = first; axis < 3; axis++) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (int k = -1; k <= 1; k += 2) {
      const cfReal x = ((cfReal)k * size[axis] - p[axis]) / v[axis];
      const cfReal y = p[b] + x * v[b], z = p[c] + x * v[c];
      const bool is_inside = first == 2 ? y * y + z * z <= size[0] * size[0]
                                        : teamAbs(y) <= size[b] && teamAbs(z) <= size[c];
      meets = meets || (teamAbs(v[axis]) > CF_TEAM_MIN && x >= 0 && is_inside);
    }
  }
  return meets;
}


// does a ray in the frame of a zone meet its surface
CF_TEAM_FN bool meetsZone(const cfReal p[3], const cfReal v[3], int shape, const cfReal size[3]) {
  const cfReal far = CF_R(1e30), r = 1 / size[0];
  const cfReal round[3] = {r, r, r}, along[3] = {r, r, 0};
  if (shape == mjGEOM_SPHERE) {
    return meetsQuadric(p, v, round, 0, far);
  }
  if (shape == mjGEOM_ELLIPSOID) {
    const cfReal inverse[3] = {r, 1 / size[1], 1 / size[2]};
    return meetsQuadric(p, v, inverse, 0, far);
  }
  if (shape == mjGEOM_BOX) {
    return meetsFaces(p, v, size, 0);
  }
  if (meetsQuadric(p, v, along, 0, size[1])) {
    return true;
  }
  if (shape == mjGEOM_CAPSULE) {
    return meetsQuadric(p, v, round, size[1], 0) || meetsQuadric(p, v, round, -size[1], 0);
  }
  const cfReal ends[3] = {size[0], size[0], size[1]};
  return meetsFaces(p, v, ends, 2);
}


// sum of the normal forces of contacts whose ray away from the body meets the zone
CF_TEAM_FN cfReal senseTouch(const cfTeam* t, int i) {
  const cfTeamModel* m = t->m;
  const teamFrame f = frameOfSensor(t, i);
  const int ncon = CF_WORLD(t, ncon)[0];
  cfReal size[3], sum = 0;
  numCopy3(size, CF_FORM(t, sensor_size) + 3 * i);
  for (int c = 0; c < ncon; c++) {
    const int pair = CF_WORLD(t, con_pair)[c];
    const int one = m->geom_bodyid[m->pair_first[pair]];
    const int two = m->geom_bodyid[m->pair_second[pair]];
    cfReal force[6], ray[3], from[3];
    if ((one != f.body && two != f.body) || !forceOfContact(t, c, force) || force[0] <= 0) {
      continue;
    }
    numScale3(ray, CF_WORLD(t, con_frame) + 9 * c, two == f.body ? -1 : 1);
    intoFrame(ray, ray, f.quat);
    numSub3(from, CF_WORLD(t, con_pos) + 3 * c, f.pos);
    intoFrame(from, from, f.quat);
    sum += meetsZone(from, ray, m->sensor_shape[i], size) ? force[0] : 0;
  }
  return sum;
}

// ---------------------------------------- subtrees

// mass of the bodies of a subtree, their center and its velocity
CF_TEAM_FN cfReal centerSubtree(const cfTeam* t, int i, cfReal center[3], cfReal velocity[3]) {
  const cfTeamModel* m = t->m;
  const int first = m->sensor_body[i];
  cfReal total = 0;
  numSet3(center, 0, 0, 0);
  numSet3(velocity, 0, 0, 0);
  for (int b = first; b < m->sensor_end[i]; b++) {
    const cfReal mass = CF_OWN(t, body_mass)[b];
    teamFrame f = {.body = b};
    cfReal motion[6];
    numCopy3(f.pos, CF_WORLD(t, xipos) + 3 * b);
    motionOfFrame(t, motion, CF_WORLD(t, cvel), &f);
    numAddScaled3(center, center, f.pos, mass);
    numAddScaled3(velocity, velocity, motion + 3, mass);
    total += mass;
  }
  if (total < CF_TEAM_MIN) {
    numCopy3(center, CF_WORLD(t, xipos) + 3 * first);
  } else {
    numScale3(center, center, 1 / total);
  }
  numScale3(velocity, velocity, 1 / teamLarger(CF_TEAM_MIN, total));
  return total;
}


// angular momentum of a body about its own center: in the axes of its inertia and back
CF_TEAM_FN void spinOfBody(const cfTeam* t, int body, const cfReal turning[3], cfReal res[3]) {
  const cfReal* moment = CF_OWN(t, body_inertia) + 3 * body;
  cfReal quat[4], local[3];
  numCopy(quat, CF_FORM(t, body_iquat) + 4 * body, 4);
  numMulQuat(quat, CF_WORLD(t, xquat) + 4 * body, quat);
  intoFrame(local, turning, quat);
  numSet3(local, local[0] * moment[0], local[1] * moment[1], local[2] * moment[2]);
  numTurn(res, local, quat);
}


CF_TEAM_FN void senseSubtree(const cfTeam* t, int i, int type, cfReal out[4]) {
  const cfTeamModel* m = t->m;
  cfReal center[3], velocity[3];
  centerSubtree(t, i, center, velocity);
  if (type != mjSENS_SUBTREEANGMOM) {
    numCopy3(out, type == mjSENS_SUBTREECOM ? center : velocity);
    return;
  }
  for (int b = m->sensor_body[i]; b < m->sensor_end[i]; b++) {
    teamFrame f = {.body = b};
    cfReal motion[6], arm[3], speed[3], spin[3], orbit[3];
    numCopy3(f.pos, CF_WORLD(t, xipos) + 3 * b);
    motionOfFrame(t, motion, CF_WORLD(t, cvel), &f);
    numSub3(arm, f.pos, center);
    numSub3(speed, motion + 3, velocity);
    numCross(orbit, arm, speed);
    spinOfBody(t, b, motion, spin);
    numAddScaled3(out, out, orbit, CF_OWN(t, body_mass)[b]);
    numAdd3(out, out, spin);
  }
}

// ---------------------------------------- numbers

// the first row of a limit; -1: it is not reached
CF_TEAM_FN int rowOfLimit(const cfTeam* t, int limit) {
  const int nblk = CF_WORLD(t, nblk)[0];
  for (int b = 0; b < nblk; b++) {
    const unsigned int head = (unsigned int)CF_WORLD(t, blk_head)[b];
    if ((head & 0xf) == CF_BLOCK_LIMIT && (int)(head >> 16) == limit) {
      return (int)((unsigned int)CF_WORLD(t, blk_row)[b] & 0xffff);
    }
  }
  return -1;
}


CF_TEAM_FN cfReal senseLimit(const cfTeam* t, int i, int type) {
  const int limit = t->m->sensor_object[i], row = limit < 0 ? -1 : rowOfLimit(t, limit);
  if (row < 0) {
    return 0;
  }
  if (type == mjSENS_JOINTLIMITFRC || type == mjSENS_TENDONLIMITFRC) {
    return CF_WORLD(t, efc_force)[row];
  }
  if (type == mjSENS_JOINTLIMITVEL || type == mjSENS_TENDONLIMITVEL) {
    return mulRow(t, row, CF_WORLD(t, qvel));
  }
  const cfReal *range = CF_OWN(t, limit_range) + 2 * limit, margin = CF_OWN(t, limit_margin)[limit];
  cfReal axis[3];
  if (CF_TEAM_RARE(t->m->limit_kind[limit] == CF_LIMIT_BALL)) {
    return teamLarger(range[0], range[1]) - ballTurn(t, limit, axis) - margin;
  }
  const cfReal value = limitedValue(t, limit), low = value - range[0];
  return (low < margin ? low : range[1] - value) - margin;
}


// length of a tendon or its velocity
CF_TEAM_FN cfReal senseTendon(const cfTeam* t, int i, bool is_velocity) {
  const int first = t->m->sensor_object[i], num = t->m->sensor_end[i];
  return is_velocity ? chainVelocity(t, first, num) : chainLength(t, first, num);
}


// sum of the forces of a tendon's actuators
CF_TEAM_FN cfReal senseTendonForce(const cfTeam* t, int tendon) {
  const cfTeamModel* m = t->m;
  cfReal sum = 0;
  for (int u = 0; CF_TEAM_RARE(u < m->nu); u++) {
    sum += m->actuator_tendon[u] == tendon ? CF_WORLD(t, actuator_force)[u] : 0;
  }
  return sum;
}


// joints, tendons, actuators, time.  object: address in qpos or of a dof, number of an actuator
CF_TEAM_FN void senseScalar(const cfTeam* t, int i, int type, cfReal out[4]) {
  const cfTeamModel* m = t->m;
  const int object = m->sensor_object[i];
  if (type == mjSENS_JOINTPOS) {
    out[0] = CF_WORLD(t, qpos)[object];
  } else if (type == mjSENS_JOINTVEL) {
    out[0] = CF_WORLD(t, qvel)[object];
  } else if (type == mjSENS_BALLQUAT) {
    numCopy(out, CF_WORLD(t, qpos) + object, 4);
    numUnitize4(out);
  } else if (type == mjSENS_BALLANGVEL) {
    numCopy3(out, CF_WORLD(t, qvel) + object);
  } else if (type == mjSENS_TENDONPOS || type == mjSENS_TENDONVEL) {
    out[0] = senseTendon(t, i, type == mjSENS_TENDONVEL);
  } else if (type == mjSENS_ACTUATORPOS) {
    out[0] = actuatorLength(t, object);
  } else if (type == mjSENS_ACTUATORVEL) {
    out[0] = actuatorVelocity(t, object);
  } else if (type == mjSENS_TENDONACTFRC && m->has_actuation) {
    out[0] = senseTendonForce(t, object);
  } else if (type == mjSENS_ACTUATORFRC && m->has_actuation) {
    out[0] = CF_WORLD(t, actuator_force)[object];
  } else if (type == mjSENS_JOINTACTFRC && m->has_actuation) {
    out[0] = jointForce(t, object);
  } else if (type == mjSENS_CLOCK) {
    out[0] = CF_WORLD(t, clock)[0];
  }
}
