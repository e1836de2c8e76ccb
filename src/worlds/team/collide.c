// Contacts: pairs of geoms whose bounding spheres meet, then their colliders, a thread each.
//
// Candidates and contacts are packed in the order of the list of pairs, so that a world has the
// engine's contacts in the engine's order.  Colliders of up to two contacts keep them in registers
// until their place is known; the others run twice, to count and to write.
#include "model/hullstart.h"
#include "team/overlap.h"
#include "team/team.h"

// are the bounding spheres of a pair within its margin; a plane has none
CF_TEAM_FN bool isPairNear(const cfTeam* t, int pair) {
  const cfTeamModel* m = t->m;
  const int g1 = m->pair_first[pair], g2 = m->pair_second[pair];
  const cfReal* radius = CF_FORM(t, geom_rbound);
  const cfReal r1 = radius[g1], r2 = radius[g2], margin = CF_FORM(t, pair_margin)[pair];
  const cfReal *x1 = CF_WORLD(t, geom_xpos) + 3 * g1, *x2 = CF_WORLD(t, geom_xpos) + 3 * g2;
  cfReal offset[3];
  numSub3(offset, x2, x1);
  if (r1 > 0) {
    const cfReal bound = r1 + r2 + margin;
    return !(r2 > 0 && numDot3(offset, offset) > bound * bound);
  }
  const cfReal* mat = CF_WORLD(t, geom_xmat) + 9 * g1;
  const cfReal height = mat[2] * offset[0] + mat[5] * offset[1] + mat[8] * offset[2];
  return !(r2 > 0 && m->geom_type[g1] == mjGEOM_PLANE && height > margin + r2);
}


// the rest of a contact's frame, in registers
CF_TEAM_FN void completeFrame(cfReal frame[9]) {
  cfReal complete[9];
  numCopy(complete, frame, 6);
  numCompleteFrame(complete);
  numCopy(frame, complete, 9);
}


// the mesh of a geom that has one
CF_TEAM_FN void copyHull(cfOverlapGeom* to, const cfTeam* t, int g) {
  const cfTeamModel* m = t->m;
  const int hull = m->geom_hull[g];
  to->nvert = 0;
  to->radius = 0;
  if (hull < 0) {
    return;
  }
  const int graph = m->hull_graphadr[hull];
  to->nvert = m->hull_vertnum[hull];
  to->radius = (mjtNum)CF_FORM(t, geom_rbound)[g];
  to->vert = m->hull_vert + 3 * m->hull_vertadr[hull];
  to->graph = graph >= 0 ? m->hull_graph + graph : NULL;
  to->start = m->hull_start + CF_HULL_DIRECTIONS * hull;
  for (int k = 0; k < 6; k++) {
    to->box[k] = (mjtNum)m->geom_aabb[6 * g + k];
  }
}


// a geom in double precision
CF_TEAM_FN void copyGeom(cfOverlapGeom* to, const cfTeam* t, int g) {
  CF_ASSERT_INDEX(g, t->m->ngeom);
  const lawView s = teamGeom(t, g);
  to->type = t->m->geom_type[g];
  for (int k = 0; k < 9; k++) {
    to->mat[k] = (mjtNum)s.mat[k];
  }
  for (int k = 0; k < 3; k++) {
    to->pos[k] = (mjtNum)s.pos[k];
    to->size[k] = (mjtNum)s.size[k];
  }
  copyHull(to, t, g);
}


// two geoms
CF_TEAM_FN void readyPair(cfOverlap* both, const cfTeam* t, int pair) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(pair, t->m->npair);
  copyGeom(both->geom, t, m->pair_first[pair]);
  copyGeom(both->geom + 1, t, m->pair_second[pair]);
  both->margin = (mjtNum)CF_FORM(t, pair_margin)[pair];
  both->tolerance = m->ccd_tolerance;
  both->iterations = m->ccd_iterations;
}


// by EPA; false: there is no room for it
CF_TEAM_FN bool hitConvex(const cfTeam* t, cfOverlap* both, cfOverlapHits* hits) {
#if defined(__NVPTX__) && defined(CF_TEAM_CONVEX)
  void* room = t->room;
#else
  _Alignas(64) char room[CF_OVERLAP_BYTES];
  (void)t;
#endif
  return cfi_teamOverlapEnds(both, room, hits);
}


// contacts of two convex geoms, or of a plane and a mesh
CF_TEAM_FN void putOverlap(const cfTeam* t, int at, int pair, const cfOverlapHits* hits) {
  lawTouch hit;
  numSet3(hit.frame, (cfReal)hits->normal[0], (cfReal)hits->normal[1], (cfReal)hits->normal[2]);
  numZero3(hit.frame + 3);
  for (int i = 0; i < hits->count; i++) {
    const cfPlaneTouch* touch = hits->touch + i;
    hit.dist = (cfReal)touch->dist;
    numSet3(hit.pos, (cfReal)touch->pos[0], (cfReal)touch->pos[1], (cfReal)touch->pos[2]);
    putHit(t, at + i, pair, &hit);
  }
}


// colliders of up to two contacts
CF_TEAM_FN int hitFew(const cfTeam* t, int pair, lawTouch hit[2]) {
  const cfTeamModel* m = t->m;
  const lawView a = teamGeom(t, m->pair_first[pair]), b = teamGeom(t, m->pair_second[pair]);
  const cfReal margin = CF_FORM(t, pair_margin)[pair];
  switch (m->pair_kind[pair]) {
    case CF_PAIR_PLANE_SPHERE:
      return lawPlaneSphere(CF_ONE_WORLD, hit, a, b, margin);
    case CF_PAIR_PLANE_CAPSULE:
      return lawPlaneCapsule(CF_ONE_WORLD, hit, a, b, margin);
    case CF_PAIR_SPHERE_SPHERE:
      return lawTouchBalls(CF_ONE_WORLD, hit, a, b, margin);
    case CF_PAIR_SPHERE_CAPSULE:
      return lawSphereCapsule(CF_ONE_WORLD, hit, a, b, margin);
    case CF_PAIR_CAPSULE_CAPSULE:
      return lawCapsules(CF_ONE_WORLD, hit, a, b, margin);
    default:
      break;
  }
  if (CF_TEAM_RARE(m->pair_kind[pair] == CF_PAIR_SPHERE_CYLINDER)) {
    return lawSphereCylinder(CF_ONE_WORLD, hit, a, b, margin);
  }
  if (CF_TEAM_RARE(m->pair_kind[pair] == CF_PAIR_SPHERE_BOX)) {
    return lawSphereBox(CF_ONE_WORLD, hit, a, b, margin);
  }
  if (CF_TEAM_RARE(m->pair_kind[pair] == CF_PAIR_PLANE_ELLIPSOID)) {
    return hitPlaneEllipsoid(hit, a, b, margin);
  }
  return 0;
}


// colliders of more contacts write them from place `at` on; -1: only count
CF_TEAM_FN int hitMany(const cfTeam* t, int pair, int at) {
  const cfTeamModel* m = t->m;
  const lawView a = teamGeom(t, m->pair_first[pair]), b = teamGeom(t, m->pair_second[pair]);
  const cfReal margin = CF_FORM(t, pair_margin)[pair];
  const cfTouches sink = {t, pair, at};
  const int kind = m->pair_kind[pair];
  if (kind == CF_PAIR_PLANE_BOX) {
    return lawPlaneBox(CF_ONE_WORLD, sink, a, b, margin);
  }
  if (kind == CF_PAIR_PLANE_CYLINDER) {
    return lawPlaneCylinder(CF_ONE_WORLD, sink, a, b, margin);
  }
  return CF_TEAM_NAME(teamHitBox)(kind, a, b, margin, sink);
}


// where this thread's n contacts go; total: of the whole team
CF_TEAM_FN int placeHits(const cfTeam* t, int n, int* total) {
  const int sum = teamScan(t, n);
  *total = teamFromInt(t, sum, CF_TEAM_WIDTH - 1);
  return sum - n;
}


// Pairs that are found by GJK and those of planes with meshes, all at a time; what follows by EPA,
// one thread after the other.  A thread that has no room leaves the world open
CF_TEAM_FN void overlapTeam(const cfTeam* t, int pair, cfOverlapHits* hits) {
  cfOverlap both;
  bool waits = false;
  hits->count = 0;
  if (pair >= 0) {
    readyPair(&both, t, pair);
    if (t->m->pair_kind[pair] == CF_PAIR_PLANE_MESH) {
      cfi_teamPlaneHull(&both, hits);
    } else {
      waits = !cfi_areTeamApart(&both) && cfi_teamOverlapBegins(&both, hits);
    }
  }
  int total;
  const int turn = placeHits(t, waits, &total);
  bool has_room = true;
  for (int k = 0; k < total; k++) {
    if (waits && turn == k) {
      has_room = hitConvex(t, &both, hits);
    }
    teamSync(t);
  }
  if (teamOr(t, !has_room) && t->thread == 0) {
    CF_WORLD(t, trouble)[0] |= CF_TROUBLE_ROOM;
  }
}


// is a pair one of those
CF_TEAM_FN bool isOverlap(const cfTeam* t, int pair) {
  const int kind = pair >= 0 ? t->m->pair_kind[pair] : CF_PAIR_NONE;
  return kind == CF_PAIR_CONVEX || kind == CF_PAIR_PLANE_MESH;
}


// candidates c, c + 1, ... of the team, one per thread; returns the number of contacts after them
CF_TEAM_FN int collideTeam(const cfTeam* t, int c, int ncand, int ncon) {
  const cfTeamModel* m = t->m;
  const int pair = c < ncand ? CF_WORLD(t, candidate)[c] : -1;
  const bool is_many = CF_TEAM_RARE(m->has_many && pair >= 0 && m->pair_kind[pair] >= CF_PAIR_MANY);
  const bool is_overlap = CF_TEAM_GJK(m->has_convex && isOverlap(t, pair));
  lawTouch hit[2];
  cfOverlapHits hits;
  int n = pair >= 0 && !is_many ? hitFew(t, pair, hit) : 0, at = -1;
  if (CF_TEAM_GJK(m->has_convex)) {
    overlapTeam(t, is_overlap ? pair : -1, &hits);
    n = is_overlap ? hits.count : n;
  }
  for (int pass = 0; pass < 2; pass++) {
    // twice: to count them, and when their place is known
    if (is_many) {
      n = hitMany(t, pair, at);
    }
    if (pass == 0) {
      int total;
      at = ncon + placeHits(t, n, &total);
      ncon += total;
    }
  }
  if (is_overlap) {
    putOverlap(t, at, pair, &hits);
    return ncon;
  }
  if (n > 0 && !is_many) {
    putHit(t, at, pair, hit);
  }
  if (n > 1 && !is_many) {
    putHit(t, at + 1, pair, hit + 1);
  }
  return ncon;
}


// the pairs that are near, in their order; returns how many
CF_TEAM_FN int listCandidatePairs(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  int* candidate = CF_WORLD(t, candidate);
  int count = 0;
  for (int first = 0; first < m->npair; first += CF_TEAM_WIDTH) {
    const int pair = first + t->thread;
    const int is_near = pair < m->npair && isPairNear(t, pair);
    int total;
    const int at = count + placeHits(t, is_near, &total);
    if (is_near && at < m->ncand_max) {
      candidate[at] = pair;
    }
    count += total;
  }
  return count;
}


// stage COLLIDE.  reads: geom_xpos, geom_xmat.  writes: ncon, con_pair, con_dist, con_pos,
// con_frame
CF_TEAM_FN void cfi_teamCollide(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const int found = listCandidatePairs(t), ncand = found < m->ncand_max ? found : m->ncand_max;
  teamSync(t);
  int ncon = 0;
  for (int first = 0; first < ncand; first += CF_TEAM_WIDTH) {
    ncon = collideTeam(t, first + t->thread, ncand, ncon);
  }
  teamSync(t);
  for (int i = t->thread; i < ncon && i < m->ncon_max; i += CF_TEAM_WIDTH) {
    completeFrame(CF_WORLD(t, con_frame) + 9 * i);
  }
  if (t->thread == 0) {
    CF_WORLD(t, ncon)[0] = ncon < m->ncon_max ? ncon : m->ncon_max;
    if (found > m->ncand_max || ncon > m->ncon_max) {
      CF_WORLD(t, trouble)[0] |= CF_TROUBLE_ROOM;
    }
  }
  teamSync(t);
}
