// Which geoms come near each other, by their bounding spheres: the tests of
// collision/narrow/pair.h, and of collision/broad/few.c for what is sure; then by the boxes around
// them, with a reserve that is larger than rounding.

CF_LANE_INLINE cfVec laneSumAbs3(const cfVec v[3]) {
  return laneAbs(v[0]) + laneAbs(v[1]) + laneAbs(v[2]);
}


// distance from which on two geoms are apart, as lanes/candidates.c has it for the shared ones
CF_LANE_INLINE laneSize laneBound(const cfLaneGroup* g, const cfLaneSpheres* s, const int geom[2]) {
#ifdef CF_LANE_HAS_OWN
  const cfVec r1 = CF_OF(geom_rbound, geom[0]), r2 = CF_OF(geom_rbound, geom[1]);
  return s->kind == CF_NEAR_SPHERES ? r1 + r2 + s->margin : s->margin + r2;
#else
  (void)g, (void)geom;
  return s->bound;
#endif
}


// lanes in which two geoms are not farther apart than their bound
CF_LANE_INLINE unsigned laneSpheresMeet(const cfLaneGroup* g, const cfLaneSpheres* s,
                                        const int geom[2]) {
  const cfVec *a = CF_AT(geom_xpos) + 3 * geom[0], *b = CF_AT(geom_xpos) + 3 * geom[1];
  cfVec offset[3];
  numSub3(offset, b, a);
  const laneSize bound = laneBound(g, s, geom);
  if (s->kind == CF_NEAR_SPHERES) {
    return laneBits(~(numDot3(offset, offset) > bound * bound));
  }
  const cfVec* R = CF_AT(geom_xmat) + 9 * geom[0];
  const cfVec height = R[2] * offset[0] + R[5] * offset[1] + R[8] * offset[2];
  return laneBits(~(height > bound));
}


// lanes in which spheres overlap by more than the boxes of bodies, in single precision, can hide
static inline unsigned laneSurelyMeet(const cfLaneGroup* g, const cfLaneSpheres* s,
                                      const int geom[2]) {
  const cfVec *a = CF_AT(geom_xpos) + 3 * geom[0], *b = CF_AT(geom_xpos) + 3 * geom[1];
  cfVec offset[3];
  numSub3(offset, b, a);
  const laneSize bound = laneBound(g, s, geom);
  const cfVec sure = bound - 1e-6 * (laneSumAbs3(a) + laneSumAbs3(b) + bound);
  return laneBits((sure > 0.0) & (numDot3(offset, offset) < sure * sure));
}


// center of the box around a geom
static void laneBoxCenter(cfVec center[3], const cfLaneGroup* g, int geom) {
  const mjtNum* local = g->m->geom_aabb + 6 * geom;
  const cfVec *R = CF_AT(geom_xmat) + 9 * geom, *pos = CF_AT(geom_xpos) + 3 * geom;
  for (int k = 0; k < 3; k++) {
    center[k] = pos[k];
    if (local[0] != 0 || local[1] != 0 || local[2] != 0) {
      center[k] =
          pos[k] + (R[3 * k] * local[0] + R[3 * k + 1] * local[1] + R[3 * k + 2] * local[2]);
    }
  }
}


// half the extent of the box around a geom along a direction with these components in its frame
CF_LANE_INLINE cfVec laneBoxReach(const cfLaneGroup* g, int geom, cfVec x, cfVec y, cfVec z) {
  const laneSize* half = CF_SIZES(geom_aabb, 6 * geom + 3);
  return laneAbs(x) * half[0] + laneAbs(y) * half[1] + laneAbs(z) * half[2];
}


// lanes in which the box around a geom is not clear of a plane
static unsigned laneBoxMeetsPlane(const cfLaneGroup* g, const cfLaneSpheres* s, const int geom[2]) {
  const cfVec *plane = CF_AT(geom_xmat) + 9 * geom[0], *R = CF_AT(geom_xmat) + 9 * geom[1];
  const cfVec* origin = CF_AT(geom_xpos) + 3 * geom[0];
  const cfVec n[3] = {plane[2], plane[5], plane[8]};
  cfVec center[3], offset[3], along[3];
  laneBoxCenter(center, g, geom[1]);
  numSub3(offset, center, origin);
  for (int k = 0; k < 3; k++) {
    along[k] = n[0] * R[k] + n[1] * R[3 + k] + n[2] * R[6 + k];
  }
  const cfVec reach = laneBoxReach(g, geom[1], along[0], along[1], along[2]);
  const cfVec slack = s->slack + 1e-9 * (1.0 + laneSumAbs3(center) + laneSumAbs3(origin));
  return laneBits(~(numDot3(n, offset) > reach + s->margin + slack));
}


// box around a geom along the axes of the world, made once in a step: center, half extents with a
// reserve
static const cfVec* laneBoxOf(cfLaneGroup* g, int geom) {
  cfVec* box = CF_AT(geom_box) + 6 * geom;
  if (g->near.has_box[geom]) {
    return box;
  }
  const cfVec* R = CF_AT(geom_xmat) + 9 * geom;
  laneBoxCenter(box, g, geom);
  const cfVec slack = 1e-9 * (1.0 + laneSumAbs3(box));
  for (int k = 0; k < 3; k++) {
    box[3 + k] = laneBoxReach(g, geom, R[3 * k], R[3 * k + 1], R[3 * k + 2]) + slack;
  }
  g->near.has_box[geom] = 1;
  return box;
}


// lanes in which the boxes around two geoms are not clear of each other along an axis of the world
static unsigned laneBoxesMeet(cfLaneGroup* g, const cfLaneSpheres* s, const int geom[2]) {
  const cfVec *a = laneBoxOf(g, geom[0]), *b = laneBoxOf(g, geom[1]);
  const mjtNum reserve = s->margin + s->slack;
  cfMask is_apart = {0};
  for (int k = 0; k < 3; k++) {
    is_apart |= laneAbs(a[k] - b[k]) > a[3 + k] + b[3 + k] + reserve;
  }
  return laneBits(~is_apart);
}


// lanes in which two geoms may touch
static unsigned laneGeomsMeet(cfLaneGroup* g, const cfLaneSpheres* s, const int geom[2],
                              unsigned* is_sure) {
  if (s->kind == CF_NEAR_ALWAYS) {
    return (1u << CF_LANES) - 1;
  }
  unsigned meet = laneSpheresMeet(g, s, geom);
  if (meet && s->kind == CF_NEAR_SPHERES) {
    meet &= laneBoxesMeet(g, s, geom);
    *is_sure |= meet ? laneSurelyMeet(g, s, geom) : 0;
  } else if (meet) {
    meet &= laneBoxMeetsPlane(g, s, geom);
  }
  return meet;
}


static void laneMeet(cfLaneGroup* g) {
  cfLaneCandidates* near = &g->near;
  near->nhit = 0;
  memset(near->has_box, 0, (size_t)g->m->ngeom);
  for (int k = 0; k < near->ncandidate; k++) {
    unsigned meets = 0, is_sure = 0;
    for (int i = near->first[k]; i < near->first[k + 1]; i++) {
      const unsigned one = laneGeomsMeet(g, near->spheres + i, near->geoms[i].geom, &is_sure);
      near->geoms_meet[i] = (unsigned char)one;
      meets |= one;
    }
    near->hit[near->nhit] = k;
    near->nhit += meets != 0;
    near->meets[k] = (unsigned char)meets;
    near->is_sure[k] = (unsigned char)is_sure;
  }
}
