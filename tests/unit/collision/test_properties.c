// What holds for every pose: rigid motion moves contacts along, swapping equal types mirrors them,
// distances agree with sampling, contacts touch both surfaces, degenerate input stays finite.
#include "collidetest.h"

static const int types[5] = {mjGEOM_PLANE, mjGEOM_SPHERE, mjGEOM_CAPSULE, mjGEOM_CYLINDER,
                             mjGEOM_BOX};

typedef void (*pairCheck)(cfCollider collider, int type1, int type2);


static void forClosedForms(pairCheck check) {
  for (int i = 0; i < 5; i++) {
    for (int j = i; j < 5; j++) {
      const cfCollider collider = cf_closedForm(types[i], types[j]);
      if (collider) {
        check(collider, types[i], types[j]);
      }
    }
  }
}


static int collide(cfCollider collider, mjContact* con, const cfSolid* a, const cfSolid* b,
                   mjtNum margin) {
  return collider(con, cf_view(a), cf_view(b), margin);
}


// the same solid after a rigid motion
static cfSolid moved(const cfSolid* s, const mjtNum rotation[9], const mjtNum shift[3]) {
  cfSolid t = *s;
  mju_mulMatVec3(t.pos, rotation, s->pos);
  mju_addTo3(t.pos, shift);
  mju_mulMatMat(t.mat, rotation, s->mat, 3, 3, 3);
  return t;
}


static void checkMotion(cfCollider collider, int type1, int type2) {
  int differing = 0, contacts = 0;
  for (int trial = 0; trial < 3000; trial++) {
    const cfSolid a = cf_randomSolid(type1, 0.3), b = cf_randomSolid(type2, 0.3);
    mjtNum rotation[9], shift[3] = {cf_uniform(-2, 2), cf_uniform(-2, 2), cf_uniform(-2, 2)}, p[3];
    cf_randomRotation(rotation);
    const cfSolid c = moved(&a, rotation, shift), d = moved(&b, rotation, shift);
    mjContact con[mjMAXCONPAIR], con2[mjMAXCONPAIR];
    const int n = collide(collider, con, &a, &b, 0.05), n2 = collide(collider, con2, &c, &d, 0.05);

    // rounding decides a pose in a thousand another way
    if (n != n2) {
      differing++;
      continue;
    }
    for (int k = 0; k < n; k++, contacts++) {
      int same = fabs(con[k].dist - con2[k].dist) < 1e-9;
      mju_mulMatVec3(p, rotation, con[k].pos);
      mju_addTo3(p, shift);
      same = same && mju_dist3(p, con2[k].pos) < 1e-8;
      mju_mulMatVec3(p, rotation, con[k].frame);
      same = same && mju_dist3(p, con2[k].frame) < 1e-8;
      differing += !same;
    }
  }
  CF_TRUE(contacts > 500);
  CF_TRUE(differing <= 3);
}


CF_TEST(closed_forms__rigid_motion__contacts_move_along) {
  forClosedForms(checkMotion);
}


static void checkSwap(cfCollider collider, int type1, int type2) {
  for (int trial = 0; type1 == type2 && trial < 3000; trial++) {
    const cfSolid a = cf_randomSolid(type1, 0.3), b = cf_randomSolid(type2, 0.3);
    mjContact con[mjMAXCONPAIR], con2[mjMAXCONPAIR];
    const int n = collide(collider, con, &a, &b, 0), n2 = collide(collider, con2, &b, &a, 0);
    CF_EQ_INT(n > 0, n2 > 0);
    if (type1 == mjGEOM_BOX || n == 0) {
      continue;
    }
    CF_EQ_INT(n, n2);
    CF_NEAR(con->dist, con2->dist, 1e-12);
    for (int k = 0; k < 3; k++) {
      CF_NEAR(con->pos[k], con2->pos[k], 1e-10);
      CF_NEAR(con->frame[k], -con2->frame[k], 1e-10);
    }
  }
}


CF_TEST(closed_forms__geoms_swapped__mirrored_contacts) {
  forClosedForms(checkSwap);
}


// signed distance of a point from a solid (exact outside, and inside for these shapes)
static mjtNum solidDistance(const cfSolid* s, const mjtNum point[3]) {
  mjtNum offset[3], x[3];
  mju_sub3(offset, point, s->pos);
  mju_mulMatTVec3(x, s->mat, offset);
  switch (s->type) {
    case mjGEOM_PLANE:
      return x[2];
    case mjGEOM_SPHERE:
      return mju_norm3(x) - s->size[0];
    case mjGEOM_CAPSULE:
      x[2] -= mju_clip(x[2], -s->size[1], s->size[1]);
      return mju_norm3(x) - s->size[0];
    case mjGEOM_CYLINDER: {
      const mjtNum r = hypot(x[0], x[1]) - s->size[0], h = fabs(x[2]) - s->size[1];
      return mju_min(mju_max(r, h), 0) + hypot(mju_max(r, 0), mju_max(h, 0));
    }
    default: {
      mjtNum outside = 0, inside = -INFINITY;
      for (int k = 0; k < 3; k++) {
        const mjtNum beyond = fabs(x[k]) - s->size[k];
        outside += beyond > 0 ? beyond * beyond : 0;
        inside = mju_max(inside, beyond);
      }
      return sqrt(outside) + mju_min(inside, 0);
    }
  }
}


// the contact point is midway: half the distance from both surfaces along the normal
static void checkMidway(cfCollider collider, int type1, int type2) {
  int contacts = 0;
  for (int trial = 0; trial < 3000; trial++) {
    const cfSolid a = cf_randomSolid(type1, 0.3), b = cf_randomSolid(type2, 0.3);
    mjContact con[mjMAXCONPAIR];
    const int n = collide(collider, con, &a, &b, 0.1);
    for (int k = 0; k < n; k++) {
      CF_TRUE(cf_contactIsFinite(con + k));
      CF_NEAR(mju_norm3(con[k].frame), 1, 1e-12);
      CF_TRUE(con[k].dist <= 0.1 + 1e-12);
      contacts++;

      // one exact contact per pair of round shapes
      if (n == 1 && type2 != mjGEOM_BOX && type2 != mjGEOM_CYLINDER && con[k].dist > 0) {
        CF_NEAR(solidDistance(&a, con[k].pos), con[k].dist / 2, 1e-12);
        CF_NEAR(solidDistance(&b, con[k].pos), con[k].dist / 2, 1e-12);
      }
    }
  }
  CF_TRUE(contacts > 500);
}


CF_TEST(closed_forms__any_pose__midway_unit_normal_within_margin) {
  forClosedForms(checkMidway);
}


// smallest distance from samples on the surface of b to a; an upper bound of the true distance
static mjtNum sampledDistance(const cfSolid* a, const cfSolid* b, int samples) {
  mjtNum best = INFINITY;
  for (int k = 0; k < samples; k++) {
    mjtNum local[3], point[3];
    mjtNum u[3] = {cf_uniform(-1, 1), cf_uniform(-1, 1), cf_uniform(-1, 1)};
    switch (b->type) {
      case mjGEOM_BOX:
        u[k % 3] = u[k % 3] > 0 ? 1 : -1;
        mju_copy3(local, u);
        for (int i = 0; i < 3; i++) {
          local[i] *= b->size[i];
        }
        break;
      case mjGEOM_CYLINDER: {
        const mjtNum angle = cf_uniform(0, 6.2831853), r = k & 1 ? 1 : sqrt(cf_uniform(0, 1));
        local[0] = b->size[0] * r * cos(angle);
        local[1] = b->size[0] * r * sin(angle);
        local[2] = b->size[1] * (k & 1 ? u[2] : (u[2] > 0 ? 1 : -1));
        break;
      }
      default:
        mju_normalize3(u);
        mju_scl3(local, u, b->size[0]);
        local[2] += b->type == mjGEOM_CAPSULE ? cf_uniform(-1, 1) * b->size[1] : 0;
    }
    mju_mulMatVec3(point, b->mat, local);
    mju_addTo3(point, b->pos);
    best = mju_min(best, solidDistance(a, point));
  }
  return best;
}


static void checkSampling(cfCollider collider, int type1, int type2) {
  int compared = 0;
  for (int trial = 0; trial < 40; trial++) {
    const cfSolid a = cf_randomSolid(type1, 0.8), b = cf_randomSolid(type2, 0.8);
    mjContact con[mjMAXCONPAIR];
    const int n = collide(collider, con, &a, &b, 10);
    mjtNum dist = INFINITY;
    for (int k = 0; k < n; k++) {
      dist = mju_min(dist, con[k].dist);
    }
    const mjtNum sampled = sampledDistance(&a, &b, 4000);

    // box : box far apart looks only at faces and edges that face each other, so it may
    // overestimate
    if (sampled > 0.02) {
      CF_TRUE(n > 0);
      if (type1 != mjGEOM_BOX) {
        CF_TRUE(dist <= sampled + 1e-9);
        CF_TRUE(dist > sampled - 0.05);
      }
      compared++;
    }
  }
  CF_TRUE(compared > 5);
}


CF_TEST(closed_forms__separated__distance_of_sampling) {
  forClosedForms(checkSampling);
}


// sizes and places that break naive code
static cfSolid brokenSolid(int type) {
  static const double scale[5] = {0, 1e-9, 1e-6, 1, 1e6};
  static const double place[4] = {0, 1e-12, 0.1, 1e6};
  cfSolid s = cf_randomSolid(type, 0);
  for (int k = 0; k < 3; k++) {
    s.size[k] = scale[(int)cf_uniform(0, 5)] * (cf_uniform(0, 1) < 0.5 ? 1 : cf_uniform(0.5, 1));
    s.pos[k] = place[(int)cf_uniform(0, 4)] * (cf_uniform(0, 1) < 0.5 ? 1 : -1);
  }
  if (cf_uniform(0, 1) < 0.5) {
    const mjtNum upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(s.mat, upright, sizeof(upright));
  }
  return s;
}


static void checkFinite(cfCollider collider, int type1, int type2) {
  const char* slow = getenv("CF_TRIALS");
  const int trials = slow ? atoi(slow) : 20000;
  for (int trial = 0; trial < trials; trial++) {
    const cfSolid a = brokenSolid(type1), b = brokenSolid(type2);
    mjContact con[mjMAXCONPAIR];
    const int n = collide(collider, con, &a, &b, trial & 1 ? 0 : 0.1);
    CF_TRUE(n >= 0 && n <= mjMAXCONPAIR);
    for (int k = 0; k < n; k++) {
      CF_TRUE(cf_contactIsFinite(con + k));
    }
  }
}


CF_TEST(closed_forms__degenerate_input__finite_contacts) {
  forClosedForms(checkFinite);
}


CF_TEST_MAIN("collision/properties")
