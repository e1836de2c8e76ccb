// Which bodies come near each other, by the bounding spheres of their geoms: the tests of
// collision/narrow/pair.h, and of collision/broad/few.c for what is sure.

CF_LANE_INLINE cfVec laneSumAbs3(const cfVec v[3]) {
  return laneAbs(v[0]) + laneAbs(v[1]) + laneAbs(v[2]);
}


// lanes in which two geoms are not farther apart than their bound
CF_LANE_INLINE unsigned laneSpheresMeet(const cfLaneGroup* g, const cfLaneSpheres* s) {
  const cfVec *a = CF_AT(geom_xpos) + 3 * s->geom[0], *b = CF_AT(geom_xpos) + 3 * s->geom[1];
  cfVec offset[3];
  laneSub(offset, b, a, 3);
  if (s->kind == CF_NEAR_SPHERES) {
    return laneBits(~(laneDot3(offset, offset) > s->square));
  }
  const cfVec* R = CF_AT(geom_xmat) + 9 * s->geom[0];
  const cfVec height = R[2] * offset[0] + R[5] * offset[1] + R[8] * offset[2];
  return laneBits(~(height > s->bound));
}


// lanes in which spheres overlap by more than the boxes of bodies, in single precision, can hide
static inline unsigned laneSurelyMeet(const cfLaneGroup* g, const cfLaneSpheres* s) {
  const cfVec *a = CF_AT(geom_xpos) + 3 * s->geom[0], *b = CF_AT(geom_xpos) + 3 * s->geom[1];
  cfVec offset[3];
  laneSub(offset, b, a, 3);
  const cfVec sure = s->bound - 1e-6 * (laneSumAbs3(a) + laneSumAbs3(b) + s->bound);
  return laneBits((sure > 0.0) & (laneDot3(offset, offset) < sure * sure));
}


static void laneMeet(cfLaneGroup* g) {
  cfLaneCandidates* near = &g->near;
  near->nhit = 0;
  for (int k = 0; k < near->ncandidate; k++) {
    unsigned meets = 0, is_sure = 0;
    const cfLaneSpheres *s = near->spheres + near->first[k],
                        *end = near->spheres + near->first[k + 1];
    for (; s < end; s++) {
      if (s->kind == CF_NEAR_ALWAYS) {
        meets = (1u << CF_LANES) - 1;
        continue;
      }
      const unsigned one = laneSpheresMeet(g, s);
      meets |= one;
      if (one && s->kind == CF_NEAR_SPHERES) {
        is_sure |= laneSurelyMeet(g, s);
      }
    }
    near->hit[near->nhit] = k;
    near->nhit += meets != 0;
    near->meets[k] = (unsigned char)meets;
    near->is_sure[k] = (unsigned char)is_sure;
  }
}
