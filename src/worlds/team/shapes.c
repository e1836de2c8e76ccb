// Colliders of pairs of geoms, each by one thread.
#include "team/team.h"

// one contact as a collider finds it; hint: tangent, or zero
typedef struct {
  cfReal dist, pos[3], normal[3], hint[3];
} CF_TEAM_NAME(teamHit);
#define teamHit CF_TEAM_NAME(teamHit)

// a geom as a collider sees it
typedef struct {
  const cfReal *pos, *mat, *size;
} CF_TEAM_NAME(teamShape);
#define teamShape CF_TEAM_NAME(teamShape)


CF_TEAM_FN teamShape teamGeom(const cfTeam* t, int g) {
  return (teamShape){CF_WORLD(t, geom_xpos) + 3 * g, CF_WORLD(t, geom_xmat) + 9 * g,
                     CF_FORM(t, geom_size) + 3 * g};
}


CF_TEAM_FN void teamColumn3(cfReal res[3], const cfReal R[9], int k) {
  teamSet3(res, R[k], R[k + 3], R[k + 6]);
}

// a contact as it was found: the frame holds the normal and the hint
CF_TEAM_FN void putHit(const cfTeam* t, int at, int pair, const teamHit* hit) {
  if (at >= t->m->ncon_max) {
    return;
  }
  cfReal* frame = CF_WORLD(t, con_frame) + 9 * at;
  teamCopy3(frame, hit->normal);
  teamCopy3(frame + 3, hit->hint);
  CF_WORLD(t, con_pair)[at] = pair;
  CF_WORLD(t, con_dist)[at] = hit->dist;
  teamCopy3(CF_WORLD(t, con_pos) + 3 * at, hit->pos);
}


// where a collider of many contacts writes them: place -1: nowhere, they are only counted
typedef struct {
  const cfTeam* t;
  int pair, at;
} CF_TEAM_NAME(teamSink);
#define teamSink CF_TEAM_NAME(teamSink)

// ---------------------------------------- planes

// height of a point above a plane
CF_TEAM_FN cfReal planeHeight(teamShape plane, const cfReal normal[3], const cfReal point[3]) {
  cfReal offset[3];
  teamSub3(offset, point, plane.pos);
  return teamDot3(offset, normal);
}


// a ball over a plane
CF_TEAM_FN int hitPlaneBall(teamHit* hit, teamShape plane, const cfReal center[3], cfReal radius,
                            cfReal margin) {
  teamColumn3(hit->normal, plane.mat, 2);
  teamSet3(hit->hint, 0, 0, 0);
  const cfReal height = planeHeight(plane, hit->normal, center);
  hit->dist = height - radius;
  teamAddScaled3(hit->pos, center, hit->normal, -(hit->dist / 2 + radius));
  return !(height > margin + radius);
}


CF_TEAM_FN int hitPlaneCapsule(teamHit* one, teamHit* two, teamShape plane, teamShape capsule,
                               cfReal margin) {
  cfReal axis[3], end[3];
  teamColumn3(axis, capsule.mat, 2);
  teamAddScaled3(end, capsule.pos, axis, capsule.size[1]);
  const int first = hitPlaneBall(one, plane, end, capsule.size[0], margin);
  teamAddScaled3(end, capsule.pos, axis, -capsule.size[1]);
  const int second = hitPlaneBall(two, plane, end, capsule.size[0], margin);
  teamCopy3(one->hint, axis);
  teamCopy3(two->hint, axis);
  if (!first) {
    *one = *two;
  }
  return first + second;
}


// the lowest point of an ellipsoid
CF_TEAM_FN int hitPlaneEllipsoid(teamHit* hit, teamShape plane, teamShape ellipsoid,
                                 cfReal margin) {
  cfReal down[3], local[3], point[3];
  teamColumn3(hit->normal, plane.mat, 2);
  teamScale3(down, hit->normal, -1);
  teamMulMatTVec3(local, ellipsoid.mat, down);
  teamSet3(local, local[0] * ellipsoid.size[0], local[1] * ellipsoid.size[1],
           local[2] * ellipsoid.size[2]);
  const cfReal scale = 1 / teamSqrt(teamDot3(local, local));
  teamSet3(local, local[0] * ellipsoid.size[0] * scale, local[1] * ellipsoid.size[1] * scale,
           local[2] * ellipsoid.size[2] * scale);
  teamMulMatVec3(point, ellipsoid.mat, local);
  teamAdd3(point, point, ellipsoid.pos);
  hit->dist = planeHeight(plane, hit->normal, point);
  teamAddScaled3(hit->pos, point, hit->normal, -hit->dist / 2);
  teamSet3(hit->hint, 0, 0, 0);
  return !(hit->dist > margin);
}


// a point of a shape that is `height` above a plane: the contact lies midway.  Returns 1
CF_TEAM_FN int hitPlanePoint(teamSink sink, int n, const cfReal normal[3], const cfReal point[3],
                             cfReal height) {
  if (sink.at >= 0) {
    teamHit hit = {.dist = height, .hint = {0, 0, 0}};
    teamCopy3(hit.normal, normal);
    teamAddScaled3(hit.pos, point, normal, -height / 2);
    putHit(sink.t, sink.at + n, sink.pair, &hit);
  }
  return 1;
}


// corners below the center and within reach, x fastest, four at most
CF_TEAM_FN int hitPlaneBox(teamSink sink, teamShape plane, teamShape box, cfReal margin) {
  cfReal normal[3];
  teamColumn3(normal, plane.mat, 2);
  const cfReal center = planeHeight(plane, normal, box.pos);
  int n = 0;
  for (int k = 0; k < 8 && n < 4; k++) {
    const cfReal local[3] = {k & 1 ? box.size[0] : -box.size[0], k & 2 ? box.size[1] : -box.size[1],
                             k & 4 ? box.size[2] : -box.size[2]};
    cfReal corner[3];
    teamMulMatVec3(corner, box.mat, local);
    const cfReal below = teamDot3(normal, corner);
    if (below <= 0 && center + below <= margin) {
      teamAdd3(corner, corner, box.pos);
      n += hitPlanePoint(sink, n, normal, corner, center + below);
    }
  }
  return n;
}


// the lowest points of both rims, then two more of the lower one that make a triangle with it
CF_TEAM_FN int hitPlaneCylinder(teamSink sink, teamShape plane, teamShape cylinder, cfReal margin) {
  cfReal normal[3], down[3], rim[3], point[3], across[3];
  teamColumn3(normal, plane.mat, 2);
  teamColumn3(down, cylinder.mat, 2);
  const cfReal height = planeHeight(plane, normal, cylinder.pos);
  cfReal slope = teamDot3(normal, down);
  teamScale3(down, down, slope > 0 ? -1 : 1);
  slope = slope > 0 ? -slope : slope;
  teamScale3(rim, down, slope);
  teamSub3(rim, rim, normal);
  const cfReal square = teamDot3(rim, rim), radius = cylinder.size[0];
  const bool is_flat = square < CF_TEAM_TINY * CF_TEAM_TINY;
  if (is_flat) {
    teamColumn3(rim, cylinder.mat, 0);
  }
  teamScale3(rim, rim, is_flat ? radius : radius / teamSqrt(square));
  const cfReal rim_height = teamDot3(rim, normal), down_height = slope * cylinder.size[1];
  teamScale3(down, down, cylinder.size[1]);
  if (height + down_height + rim_height > margin) {
    return 0;
  }

  int n = 0;
  teamAdd3(point, cylinder.pos, rim);
  teamAdd3(across, point, down);
  n += hitPlanePoint(sink, n, normal, across, height + down_height + rim_height);
  if (height - down_height + rim_height <= margin) {
    teamSub3(across, point, down);
    n += hitPlanePoint(sink, n, normal, across, height - down_height + rim_height);
  }
  const cfReal side_height = height + down_height - rim_height / 2;
  if (side_height <= margin) {
    teamCross(across, rim, down);
    teamNormalize3(across);
    teamAdd3(down, down, cylinder.pos);
    teamAddScaled3(down, down, rim, CF_R(-0.5));
    const cfReal reach = radius * teamSqrt(CF_R(3.0)) / 2;
    teamAddScaled3(point, down, across, reach);
    n += hitPlanePoint(sink, n, normal, point, side_height);
    teamAddScaled3(point, down, across, -reach);
    n += hitPlanePoint(sink, n, normal, point, side_height);
  }
  return n;
}

// ---------------------------------------- balls

// two balls; where their centers meet they part along `aside`
CF_TEAM_FN int hitBalls(teamHit* hit, const cfReal a[3], cfReal ra, const cfReal b[3], cfReal rb,
                        const cfReal mat_a[9], const cfReal mat_b[9], cfReal margin) {
  const cfReal reach = margin + ra + rb;
  teamSub3(hit->normal, b, a);
  const bool is_far = teamDot3(hit->normal, hit->normal) > reach * reach;
  const cfReal distance = teamNormalize3(hit->normal);
  if (distance < CF_TEAM_TINY) {
    cfReal za[3], zb[3];
    teamColumn3(za, mat_a, 2);
    teamColumn3(zb, mat_b, 2);
    teamCross(hit->normal, za, zb);
    teamNormalize3(hit->normal);
  }
  hit->dist = distance - ra - rb;
  teamAddScaled3(hit->pos, a, hit->normal, ra + hit->dist / 2);
  teamSet3(hit->hint, 0, 0, 0);
  return !is_far;
}


CF_TEAM_FN int hitSphereCapsule(teamHit* hit, teamShape sphere, teamShape capsule, cfReal margin) {
  const cfReal half = capsule.size[1];
  cfReal axis[3], offset[3], nearest[3];
  teamColumn3(axis, capsule.mat, 2);
  teamSub3(offset, sphere.pos, capsule.pos);
  teamAddScaled3(nearest, capsule.pos, axis, teamClip(teamDot3(axis, offset), -half, half));
  return hitBalls(hit, sphere.pos, sphere.size[0], nearest, capsule.size[0], sphere.mat,
                  capsule.mat, margin);
}


// beside the mantle, over a cap, or beyond the rim; inside, the nearer surface counts
CF_TEAM_FN int hitSphereCylinder(teamHit* hit, teamShape sphere, teamShape cylinder,
                                 cfReal margin) {
  const cfReal radius = cylinder.size[0], half = cylinder.size[1], ball = sphere.size[0];
  cfReal axis[3], offset[3], radial[3], point[3];
  teamColumn3(axis, cylinder.mat, 2);
  teamSub3(offset, sphere.pos, cylinder.pos);
  const cfReal along = teamDot3(axis, offset), end = along > 0 ? 1 : -1;
  teamAddScaled3(radial, offset, axis, -along);
  const cfReal square = teamDot3(radial, radial);
  bool beside = teamAbs(along) < half, over = square < radius * radius;
  if (beside && over) {
    over = half - teamAbs(along) < radius - teamSqrt(square);
    beside = !over;
  }
  if (over) {
    teamAddScaled3(point, cylinder.pos, axis, end * half);
    teamSub3(offset, sphere.pos, point);
    teamScale3(axis, axis, end);
    const cfReal height = teamDot3(offset, axis);
    hit->dist = height - ball;
    teamAddScaled3(hit->pos, sphere.pos, axis, -hit->dist / 2 - ball);
    teamScale3(hit->normal, axis, -1);
    teamSet3(hit->hint, 0, 0, 0);
    return !(height > margin + ball);
  }
  if (beside) {
    teamAddScaled3(point, cylinder.pos, axis, along);
  } else {
    teamAddScaled3(point, cylinder.pos, axis, end * half);
    teamAddScaled3(point, point, radial, square > 0 ? radius / teamSqrt(square) : 0);
  }
  return hitBalls(hit, sphere.pos, ball, point, beside ? radius : 0, sphere.mat, cylinder.mat,
                  margin);
}


// the nearest face of a box to leave through, -x +x -y ...; returns the depth below it
CF_TEAM_FN cfReal nearestFace(cfReal normal[3], const cfReal center[3], const cfReal size[3]) {
  cfReal depth = 2 * (size[0] + size[1] + size[2]);
  teamSet3(normal, 0, 0, 0);
  CF_TEAM_UNROLL
  for (int axis = 0; axis < 3; axis++) {
    CF_TEAM_UNROLL
    for (int side = -1; side <= 1; side += 2) {
      const cfReal gap = teamAbs(side * size[axis] - center[axis]);
      if (gap < depth) {
        depth = gap;
        teamSet3(normal, axis == 0 ? -side : 0, axis == 1 ? -side : 0, axis == 2 ? -side : 0);
      }
    }
  }
  return depth;
}


// a ball against a box
CF_TEAM_FN int hitBallBox(teamHit* hit, const cfReal ball[3], cfReal radius, teamShape box,
                          cfReal margin) {
  cfReal offset[3], center[3], nearest[3], normal[3], point[3];
  teamSub3(offset, ball, box.pos);
  teamMulMatTVec3(center, box.mat, offset);
  CF_TEAM_UNROLL
  for (int k = 0; k < 3; k++) {
    const cfReal limit = box.size[k];
    nearest[k] = limit > 0 ? teamClip(center[k], -limit, limit) : center[k];
  }
  teamSub3(normal, nearest, center);
  cfReal distance = teamNormalize3(normal);
  const bool is_far = distance - radius > margin;
  if (distance <= CF_TEAM_TINY) {
    distance = -nearestFace(normal, center, box.size);
    teamAddScaled3(point, center, normal, (radius + distance) / 2);
  } else {
    teamAddScaled3(point, center, normal, radius);
    teamAdd3(point, point, nearest);
    teamScale3(point, point, CF_R(0.5));
  }
  hit->dist = distance - radius;
  teamMulMatVec3(hit->normal, box.mat, normal);
  teamSet3(hit->hint, 0, 0, 0);
  teamMulMatVec3(offset, box.mat, point);
  teamAdd3(hit->pos, offset, box.pos);
  return !is_far;
}

#include "team/boxes.h"

// ---------------------------------------- two capsules

// two segments center + x*axis, |x| <= 1: normal equations of their squared distance
typedef struct {
  teamShape a, b;
  cfReal axis_a[3], axis_b[3], aa, ab, bb, ua, ub, margin;
} CF_TEAM_NAME(teamSegments);
#define teamSegments CF_TEAM_NAME(teamSegments)


CF_TEAM_FN cfReal nearestOnA(const teamSegments* s, cfReal xb) {
  return s->aa > 0 ? (s->ua - s->ab * xb) / s->aa : 0;
}


CF_TEAM_FN cfReal nearestOnB(const teamSegments* s, cfReal xa) {
  return s->bb > 0 ? (s->ub - s->ab * xa) / s->bb : 0;
}


CF_TEAM_FN int hitSegments(teamHit* hit, const teamSegments* s, cfReal xa, cfReal xb) {
  cfReal pa[3], pb[3];
  teamAddScaled3(pa, s->a.pos, s->axis_a, xa);
  teamAddScaled3(pb, s->b.pos, s->axis_b, xb);
  return hitBalls(hit, pa, s->a.size[0], pb, s->b.size[0], s->a.mat, s->b.mat, s->margin);
}


// parallel segments: the ends of a, then those of b, until two contacts are found
CF_TEAM_FN int hitParallel(teamHit* one, teamHit* two, const teamSegments* s) {
  int n = 0;
  for (int k = 0; k < 4 && n < 2; k++) {
    const cfReal end = k & 1 ? -1 : 1;
    const cfReal xa = k < 2 ? end : teamClip(nearestOnA(s, end), -1, 1);
    const cfReal xb = k < 2 ? teamClip(nearestOnB(s, end), -1, 1) : end;
    teamHit hit;
    if (hitSegments(&hit, s, xa, xb)) {
      if (n) {
        *two = hit;
      } else {
        *one = hit;
      }
      n++;
    }
  }
  return n;
}


CF_TEAM_FN int hitCapsules(teamHit* one, teamHit* two, teamShape a, teamShape b, cfReal margin) {
  teamSegments s = {.a = a, .b = b, .margin = margin};
  cfReal offset[3];
  teamColumn3(s.axis_a, a.mat, 2);
  teamColumn3(s.axis_b, b.mat, 2);
  teamScale3(s.axis_a, s.axis_a, a.size[1]);
  teamScale3(s.axis_b, s.axis_b, b.size[1]);
  teamSub3(offset, a.pos, b.pos);
  s.aa = teamDot3(s.axis_a, s.axis_a);
  s.ab = -teamDot3(s.axis_a, s.axis_b);
  s.bb = teamDot3(s.axis_b, s.axis_b);
  s.ua = -teamDot3(s.axis_a, offset);
  s.ub = teamDot3(s.axis_b, offset);

  const cfReal det = s.aa * s.bb - s.ab * s.ab;
  if (teamAbs(det) < CF_TEAM_PARALLEL(s.aa * s.bb)) {
    return hitParallel(one, two, &s);
  }
  cfReal xa = (s.bb * s.ua - s.ab * s.ub) / det, xb = (s.aa * s.ub - s.ab * s.ua) / det;
  if (teamAbs(xa) > 1) {
    xa = xa > 0 ? 1 : -1;
    xb = nearestOnB(&s, xa);
  }
  if (teamAbs(xb) > 1) {
    xb = xb > 0 ? 1 : -1;
    xa = teamClip(nearestOnA(&s, xb), -1, 1);
  }
  return hitSegments(one, &s, xa, xb);
}
