// Small vectors, quaternions and spatial vectors of the fast tier, by one thread.

CF_TEAM_FN void teamSet3(cfReal res[3], cfReal x, cfReal y, cfReal z) {
  res[0] = x, res[1] = y, res[2] = z;
}


// n: a constant
CF_TEAM_FN void teamCopy(cfReal* res, const cfReal* a, int n) {
  CF_TEAM_UNROLL
  for (int k = 0; k < n; k++) {
    res[k] = a[k];
  }
}


CF_TEAM_FN void teamCopy3(cfReal res[3], const cfReal a[3]) {
  teamSet3(res, a[0], a[1], a[2]);
}


CF_TEAM_FN cfReal teamDot3(const cfReal a[3], const cfReal b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}


CF_TEAM_FN void teamCross(cfReal res[3], const cfReal a[3], const cfReal b[3]) {
  teamSet3(res, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}


CF_TEAM_FN void teamSub3(cfReal res[3], const cfReal a[3], const cfReal b[3]) {
  teamSet3(res, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}


CF_TEAM_FN void teamAdd3(cfReal res[3], const cfReal a[3], const cfReal b[3]) {
  teamSet3(res, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}


// res = a + s*b
CF_TEAM_FN void teamAddScaled3(cfReal res[3], const cfReal a[3], const cfReal b[3], cfReal s) {
  teamSet3(res, a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]);
}


CF_TEAM_FN void teamScale3(cfReal res[3], const cfReal a[3], cfReal s) {
  teamSet3(res, s * a[0], s * a[1], s * a[2]);
}


// unit length, (1,0,0) when too short; returns the length before
CF_TEAM_FN cfReal teamNormalize3(cfReal a[3]) {
  const cfReal length = teamSqrt(teamDot3(a, a));
  if (length < CF_TEAM_MIN) {
    teamSet3(a, 1, 0, 0);
  } else {
    teamScale3(a, a, 1 / length);
  }
  return length;
}


// R*v, R by rows
CF_TEAM_FN void teamMulMatVec3(cfReal res[3], const cfReal R[9], const cfReal v[3]) {
  teamSet3(res, teamDot3(R, v), teamDot3(R + 3, v), teamDot3(R + 6, v));
}


// R'*v
CF_TEAM_FN void teamMulMatTVec3(cfReal res[3], const cfReal R[9], const cfReal v[3]) {
  teamSet3(res, R[0] * v[0] + R[3] * v[1] + R[6] * v[2], R[1] * v[0] + R[4] * v[1] + R[7] * v[2],
           R[2] * v[0] + R[5] * v[1] + R[8] * v[2]);
}

// ---------------------------------------- quaternions

// Unit length.  Where contacts by GJK follow, free bodies have the engine's bits: such contacts
// may depend on the last one
CF_TEAM_FN void teamUnitize4(cfReal q[4]) {
  CF_TEAM_EXACT
  const cfReal length = teamSqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const bool is_zero = length < CF_TEAM_MIN;
  const bool is_unit = CF_TEAM_GJK(!(teamAbs(length - 1) > CF_TEAM_MIN));
  const cfReal scale = is_zero ? 0 : is_unit ? 1 : 1 / length;
  q[0] = is_zero ? 1 : q[0] * scale;
  q[1] *= scale;
  q[2] *= scale;
  q[3] *= scale;
}


// res may be a
CF_TEAM_FN void teamMulQuat(cfReal res[4], const cfReal a[4], const cfReal b[4]) {
  const cfReal w = a[0], x = a[1], y = a[2], z = a[3];
  const cfReal s = b[0], i = b[1], j = b[2], k = b[3];
  res[0] = w * s - x * i - y * j - z * k;
  res[1] = w * i + x * s + y * k - z * j;
  res[2] = w * j - x * k + y * s + z * i;
  res[3] = w * k + x * j - y * i + z * s;
}


// rotate a vector
CF_TEAM_FN void teamTurn(cfReal res[3], const cfReal v[3], const cfReal q[4]) {
  const cfReal w = q[0], x = q[1], y = q[2], z = q[3];
  const cfReal side[3] = {w * v[0] + y * v[2] - z * v[1], w * v[1] + z * v[0] - x * v[2],
                          w * v[2] + x * v[1] - y * v[0]};
  cfReal swing[3];
  teamCross(swing, q + 1, side);
  teamSet3(res, v[0] + 2 * swing[0], v[1] + 2 * swing[1], v[2] + 2 * swing[2]);
}


// rotation matrix by rows
CF_TEAM_FN void teamTurnMat(cfReal R[9], const cfReal q[4]) {
  CF_TEAM_EXACT
  const cfReal w = q[0], x = q[1], y = q[2], z = q[3];
  const cfReal ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  R[0] = ww + xx - yy - zz;
  R[4] = ww - xx + yy - zz;
  R[8] = ww - xx - yy + zz;
  R[1] = 2 * (x * y - w * z), R[3] = 2 * (x * y + w * z);
  R[2] = 2 * (x * z + w * y), R[6] = 2 * (x * z - w * y);
  R[5] = 2 * (y * z - w * x), R[7] = 2 * (y * z + w * x);
}

// ---------------------------------------- spatial vectors: rotation first

CF_TEAM_FN cfReal teamDot6(const cfReal a[6], const cfReal b[6]) {
  return teamDot3(a, b) + teamDot3(a + 3, b + 3);
}


// velocity x motion
CF_TEAM_FN void teamCrossMotion(cfReal res[6], const cfReal vel[6], const cfReal motion[6]) {
  cfReal carried[3], coupled[3];
  teamCross(carried, vel, motion + 3);
  teamCross(coupled, vel + 3, motion);
  teamCross(res, vel, motion);
  teamAdd3(res + 3, carried, coupled);
}


// velocity x* force
CF_TEAM_FN void teamCrossForce(cfReal res[6], const cfReal vel[6], const cfReal force[6]) {
  cfReal carried[3], coupled[3];
  teamCross(carried, vel, force);
  teamCross(coupled, vel + 3, force + 3);
  teamCross(res + 3, vel, force + 3);
  teamAdd3(res, carried, coupled);
}


// inertia: xx yy zz xy xz yz, first moments, mass
CF_TEAM_FN void teamMulInertia(cfReal res[6], const cfReal inert[10], const cfReal vec[6]) {
  cfReal turned[3], moved[3];
  teamSet3(turned, inert[0] * vec[0] + inert[3] * vec[1] + inert[4] * vec[2],
           inert[3] * vec[0] + inert[1] * vec[1] + inert[5] * vec[2],
           inert[4] * vec[0] + inert[5] * vec[1] + inert[2] * vec[2]);
  teamCross(moved, inert + 6, vec + 3);
  teamAdd3(res, turned, moved);
  teamCross(moved, vec, inert + 6);
  teamAddScaled3(res + 3, moved, vec + 3, inert[9]);
}
