// The narrow phase of W worlds: contacts of two geoms are found once for all worlds that take the
// same ways; each world picks up its own when it collides (collision/broad/near.h).  Worlds that
// are left alone, and pairs that have no form in lanes, go through the scalar colliders.

// ---------------------------------------- convex shapes

static bool laneIsRound(const laneShape* s) {
  return s->type == mjGEOM_SPHERE || s->type == mjGEOM_CAPSULE;
}


static void laneStartFromCenters(laneConvexPair* q) {
  numCopy3(q->x1, q->a.pos);
  numCopy3(q->x2, q->b.pos);
}


// the walk between the cores of round shapes; the worlds in which they are apart, so that the radii
// give the contact.  Worlds without one leave the set
static unsigned laneSolveRound(laneConvexPair* q) {
  const laneShape a = q->a, b = q->b;
  const laneSize none = {0};
  const laneSize ra = laneIsRound(&a) ? a.size[0] + 0.5 * a.margin : none;
  const laneSize rb = laneIsRound(&b) ? b.size[0] + 0.5 * b.margin : none;
  if (laneIsRound(&a)) {
    q->a.is_core = true;
    q->a.margin = 0;
  }
  if (laneIsRound(&b)) {
    q->b.is_core = true;
    q->b.margin = 0;
  }
  q->cutoff = ra + rb;
  q->has_cutoff = laneAgree(&q->set, laneWide(q->cutoff) > 0.0);
  laneWalkToOrigin(q);
  q->has_cutoff = false;
  q->a = a;
  q->b = b;
  const unsigned apart = q->set & ~laneBits(q->dist <= q->tolerance);
  if (!apart) {
    return 0;
  }
  cfVec n[3];
  numSub3(n, q->x2, q->x1);
  numNormalize3(n);
  if (laneIsRound(&a)) {
    numAddScaled3(q->x1, q->x1, n, laneWide(ra));
  }
  if (laneIsRound(&b)) {
    numAddScaled3(q->x2, q->x2, n, laneWide(-rb));
  }
  q->dist = q->dist - (ra + rb);
  laneSetApart(q, apart & ~laneBits(q->dist < 0.0));
  return apart & q->set;
}


// the walk of whole shapes, and the depth of those that touch
static void laneSolveWhole(const cfLaneGroup* g, laneConvexPair* q) {
  laneStartFromCenters(q);
  laneWalkToOrigin(q);
  laneSetApart(q, ~laneBits((q->dist <= q->tolerance) & (q->n >= 2)));
  if (q->set) {
    q->dist = laneOf(0);
    laneFindDepth(g, q);
  }
}


// distance and nearest points of the worlds that touch
static void laneSolveConvex(const cfLaneGroup* g, laneConvexPair* q) {
  if (!laneIsRound(&q->a) && !laneIsRound(&q->b)) {
    laneSolveWhole(g, q);
    return;
  }
  laneStartFromCenters(q);
  const unsigned apart = laneSolveRound(q);
  q->set &= ~apart;
  if (q->set) {
    const laneConvexPair known = *q;
    const cfMask is_known = laneOfBits(apart);
    laneSolveWhole(g, q);
    for (int k = 0; k < 3; k++) {
      q->x1[k] = laneSelect(is_known, known.x1[k], q->x1[k]);
      q->x2[k] = laneSelect(is_known, known.x2[k], q->x2[k]);
    }
    q->dist = laneSelect(is_known, known.dist, q->dist);
  }
  q->set |= apart;
}


// lanes in which the line between the centers shows that two shapes are apart, with a reserve
static cfMask laneClearlyApart(const cfLaneGroup* g, const laneConvexPair* q, mjtNum margin) {
  const mjtNum slack = fabs(margin) + 2 * fabs(g->m->opt.ccd_tolerance);
  const laneShape* const shape[2] = {&q->a, &q->b};
  cfVec axis[3], reach = {0};
  numSub3(axis, q->a.pos, q->b.pos);
  const cfVec square = numDot3(axis, axis), length = laneSqrt(square);
  const cfVec extent = laneSumAbs3(q->a.pos) + laneSumAbs3(q->b.pos);
  for (int k = 0; k < 2; k++) {
    const laneSize* size = shape[k]->size;
    cfVec x[3];
    numMulMatTVec3(x, shape[k]->R, axis);
    switch (shape[k]->type) {
      case mjGEOM_SPHERE:
        reach = reach + size[0] * length;
        break;
      case mjGEOM_CAPSULE:
        reach = reach + size[0] * length + size[1] * laneAbs(x[2]);
        break;
      case mjGEOM_CYLINDER:
        reach = reach + size[0] * laneSqrt(x[0] * x[0] + x[1] * x[1]) + size[1] * laneAbs(x[2]);
        break;
      case mjGEOM_ELLIPSOID:
        numSet3(x, x[0] * size[0], x[1] * size[1], x[2] * size[2]);
        reach = reach + laneSqrt(numDot3(x, x));
        break;
      default:
        reach = reach + size[0] * laneAbs(x[0]) + size[1] * laneAbs(x[1]) + size[2] * laneAbs(x[2]);
    }
  }
  return square - (slack + 2e-9 * (1.0 + extent)) * length > reach;
}


static void laneConvex(const cfLaneGroup* g, laneTouches* t, const laneShape* a, const laneShape* b,
                       mjtNum margin) {
  laneConvexPair q;
  q.set = t->set;
  q.none = 0;
  q.a = *a;
  q.b = *b;
  q.tolerance = g->m->opt.ccd_tolerance;
  q.has_cutoff = false;
  q.max_iterations = g->m->opt.ccd_iterations;
  q.n = (cfMask){0};
  q.dist = laneOf(0);
  q.a.margin = q.b.margin = margin;
  laneSetApart(&q, laneBits(laneClearlyApart(g, &q, margin)));
  if (q.set) {
    laneSolveConvex(g, &q);
  }
  t->none |= q.none;
  t->set = q.set;
  if (!q.set) {
    return;
  }
  lawTouch* contact = t->contact;
  t->n = 1;
  contact->dist = margin + q.dist;
  numSub3(contact->frame, q.x1, q.x2);
  numNormalize3(contact->frame);
  numZero3(contact->frame + 3);
  numAdd3(contact->pos, q.x1, q.x2);
  numScale3(contact->pos, contact->pos, laneOf(0.5));
}


// lanes in which the boxes around two geoms overlap along their axes, by more than rounding
static cfMask laneBoxesOverlap(const cfLaneGroup* g, const int geom[2],
                               const cfLaneSpheres* spheres) {
  const mjtNum margin = spheres->margin;
  cfVec center[2][3], offset[3];
  laneBoxCenter(center[0], g, geom[0]);
  laneBoxCenter(center[1], g, geom[1]);
  numSub3(offset, center[1], center[0]);
  const cfVec slack =
      spheres->doubt + 1e-9 * (1.0 + laneSumAbs3(center[0]) + laneSumAbs3(center[1]));
  cfMask overlaps = ~(cfMask){0};
  for (int side = 0; side < 2; side++) {
    const cfVec *own = CF_AT(geom_xmat) + 9 * geom[side],
                *other = CF_AT(geom_xmat) + 9 * geom[1 - side];
    for (int k = 0; k < 3; k++) {
      const cfVec axis[3] = {own[k], own[3 + k], own[6 + k]};
      cfVec along[3];
      numMulMatTVec3(along, other, axis);
      const cfVec reach = laneBoxReach(g, geom[1 - side], along[0], along[1], along[2]) +
                          (*CF_SIZES(geom_aabb, 6 * geom[side] + 3 + k) + margin);
      overlaps &= laneAbs(numDot3(offset, axis)) < reach - slack;
    }
  }
  return overlaps;
}


// Lanes in which a contact is so deep that boxes around the geoms, and around what holds them,
// overlap whatever their rounding.  The depth of convex shapes is not asked: GJK takes shapes for
// touching that are apart by less than its tolerance, and EPA finds any depth then
static unsigned laneSurelyTouch(const cfLaneGroup* g, const laneTouches* t, int kind,
                                const int geom[2], const cfLaneSpheres* spheres) {
  CF_ASSERT(t->n > 0 && spheres->doubt > 0);
  if (kind == CF_NARROW_CONVEX) {
    return laneBits(laneBoxesOverlap(g, geom, spheres));
  }
  cfVec dist = t->contact[0].dist;
  for (int k = 1; k < t->n; k++) {
    dist = laneSelect(t->contact[k].dist < dist, t->contact[k].dist, dist);
  }
  return laneBits(spheres->margin - dist > spheres->doubt);
}


// Bodies of several geoms have trees, and geoms whose boxes are apart are not asked for contacts:
// worlds in which the boxes leave a doubt are left to themselves
static void laneAskBoxes(const cfLaneGroup* g, laneTouches* t, int kind, const int geom[2],
                         const cfLaneSpheres* spheres) {
  CF_ASSERT(geom[0] != geom[1]);
  if (t->set && t->n && spheres->doubt > 0) {
    const unsigned close = t->set & ~laneSurelyTouch(g, t, kind, geom, spheres);
    t->alone |= close;
    t->set &= ~close;
  }
}


// ---------------------------------------- all pairs

// contacts of two geoms in the worlds of t->set
static void laneCollide(const cfLaneGroup* g, laneTouches* t, int kind, const int geom[2],
                        const cfLaneSpheres* spheres) {
  const mjtNum margin = spheres->margin;
  const laneShape a = laneShapeOf(g, geom[0], 0), b = laneShapeOf(g, geom[1], 0);
  const lawView one = {a.pos, a.R, a.size}, two = {b.pos, b.R, b.size};
  switch (kind) {
    case CF_NARROW_PLANE_SPHERE:
      t->n = lawPlaneSphere(t, t->contact, one, two, margin);
      break;
    case CF_NARROW_PLANE_CAPSULE:
      t->n = lawPlaneCapsule(t, t->contact, one, two, margin);
      break;
    case CF_NARROW_PLANE_BOX:
      t->n = lawPlaneBox(t, t->contact, one, two, margin);
      break;
    case CF_NARROW_SPHERES:
      t->n = lawTouchBalls(t, t->contact, one, two, margin);
      break;
    case CF_NARROW_SPHERE_CAPSULE:
      t->n = lawSphereCapsule(t, t->contact, one, two, margin);
      break;
    case CF_NARROW_CAPSULES:
      t->n = lawCapsules(t, t->contact, one, two, margin);
      break;
    case CF_NARROW_BOXES:
      t->n = lawBoxes(t, t->contact, one, two, margin);
      t->n = lawPruneBoxes(t, t->contact, t->n, one, two, margin);
      break;
    default:
      laneConvex(g, t, &a, &b, margin);
  }
  laneAskBoxes(g, t, kind, geom, spheres);
  laneCompleteFrames(t);
}


// numbers of all worlds, each in its place
static void laneHandOut(const mjtNum* lanes, mjtNum* const* world, int n) {
#if CF_LANES > 1
  for (int first = 0; first < CF_LANES; first += 4) {
    laneScatter4(lanes + first, world + first, n);
  }
#else
  memcpy(world[0], lanes, sizeof(mjtNum) * (size_t)n);
#endif
}


// the contacts of some worlds, world by world
static void laneKeepTouches(cfLaneCandidates* near, const laneTouches* t, int pair) {
  CF_ASSERT(near->nfound + t->n <= CF_LANE_FOUND);
  for (unsigned left = t->set | t->none; left; left &= left - 1) {
    const int w = __builtin_ctz(left), at = CF_LANES_MAX * pair + w;
    near->found_at[at] = near->nfound;
    near->found_count[at] = t->set >> w & 1 ? (unsigned char)t->n : 0;
  }
  near->known[pair] |= (unsigned char)(t->set | t->none);
  for (int k = 0; k < t->n && t->set; k++, near->nfound++) {
    mjtNum* world[CF_LANES_MAX];
    for (int w = 0; w < CF_LANES; w++) {
      world[w] = near->found + (size_t)CF_BARE_CONTACT * (size_t)(near->nfound * CF_LANES_MAX + w);
    }
    laneHandOut((const mjtNum*)&t->contact[k].dist, world, 13);
  }
}


// closed forms without corners cost less here, even for one world, than a way through its collider
static bool laneIsShort(int kind) {
  return kind == CF_NARROW_PLANE_SPHERE || kind == CF_NARROW_PLANE_CAPSULE ||
         kind == CF_NARROW_SPHERES || kind == CF_NARROW_SPHERE_CAPSULE ||
         kind == CF_NARROW_CAPSULES;
}


// two geoms in the worlds where they are near each other; sets of two worlds at least where it is
// long
static void laneNarrowPair(cfLaneGroup* g, int pair, unsigned worlds) {
  cfLaneCandidates* near = &g->near;
  const int fewest = laneIsShort(near->kind[pair]) ? 1 : 2;
  laneTouches t;
  while (__builtin_popcount(worlds) >= fewest &&
         near->nfound + CF_LANE_PAIR_CONTACTS <= CF_LANE_FOUND) {
    t.set = worlds;
    t.none = t.alone = 0;
    t.n = 0;
    laneCollide(g, &t, near->kind[pair], near->geoms[pair].geom, near->spheres + pair);
    laneKeepTouches(near, &t, pair);
    const unsigned done = t.set | t.none | t.alone;
    worlds = done ? worlds & ~done : 0;
  }
}


static void laneNarrow(cfLaneGroup* g) {
  cfLaneCandidates* near = &g->near;
  near->nfound = 0;
  near->is_all_known = true;
  for (int i = 0; i < near->nhit; i++) {
    const int candidate = near->hit[i];
    for (int k = near->first[candidate]; k < near->first[candidate + 1]; k++) {
      const int* geom = near->geoms[k].geom;
      near->known[k] = 0;
      if (near->kind[k] && near->geoms_meet[k] &&
          cfi_isOwnCollider(g->m->geom_type[geom[0]], g->m->geom_type[geom[1]])) {
        laneNarrowPair(g, k, near->geoms_meet[k]);
      }
      near->is_all_known &= !(near->geoms_meet[k] & ~near->known[k]);
    }
    // boxes around bodies decide where spheres do not
    near->is_all_known &= near->candidate[candidate].is_static ||
                          !(near->meets[candidate] & ~near->is_sure[candidate]);
  }
}
