// One pair of geoms: filters, collider, contacts.
#include "collision/narrow/pair.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "collision/collider.h"
#include "collision/narrow/room.h"
#include "collision/parameters.h"
#include "model/data.h"

// geoms ordered by type, which is what the table of colliders and the meaning of the normal ask for
static void orderByType(const mjModel* m, int* g1, int* g2) {
  if (m->geom_type[*g1] > m->geom_type[*g2]) {
    const int swap = *g1;
    *g1 = *g2;
    *g2 = swap;
  }
}


// room for the contacts of a pair, NULL where there is none
static mjContact* roomForPair(mjData* d, cfContactSink* sink) {
  if (sink) {
    sink->is_full |= sink->room - sink->n < mjMAXCONPAIR;
    return sink->is_full ? NULL : sink->con + sink->n;
  }
  CF_ASSERT(d->parena == (size_t)d->ncon * sizeof(mjContact));
  mjContact* con = cfi_reserveContacts(d);
  if (!con) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
  }
  return con;
}


// contacts at the end of the contact list, bare; their number
static int detect(mjContact** con, const mjModel* m, mjData* d, int g1, int g2, mjtNum margin,
                  mjfCollision collider, cfContactSink* sink) {
  CF_ASSERT(m->geom_type[g1] <= m->geom_type[g2] && collider);
  *con = roomForPair(d, sink);
  if (!*con) {
    return 0;
  }
  int n = collider(m, d, *con, g1, g2, margin);
  if (n > mjMAXCONPAIR) {
    mju_error("collider of geom types %d and %d returned %d contacts, the limit is %d",
              m->geom_type[g1], m->geom_type[g2], n, mjMAXCONPAIR);
  }
  if (n && collider == cfi_collideBoxBox) {
    n = cfi_pruneBoxBox(*con, n, cfi_viewGeom(m, d, g1), cfi_viewGeom(m, d, g2), margin);
  }
  if (!n && !sink) {
    cfi_trimContacts(d);
  }
  return n;
}


static inline void nameGeoms(mjContact* con, int g1, int g2) {
  con->geom[0] = g1;
  con->geom[1] = g2;
  con->flex[0] = con->flex[1] = -1;
  con->elem[0] = con->elem[1] = -1;
  con->vert[0] = con->vert[1] = -1;
}


// name the geoms, complete the contacts, count them
static void accept(mjData* d, mjContact* con, int n, int g1, int g2, const cfContactParameters* p,
                   mjtNum includemargin, cfContactSink* sink) {
  CF_ASSERT(n > 0 && con == (sink ? sink->con + sink->n : d->contact + d->ncon));
  for (int i = 0; i < n; i++) {
    nameGeoms(con + i, g1, g2);
    cfi_setContact(con + i, p, includemargin);
  }
  if (sink) {
    sink->n += n;
    return;
  }
  d->ncon += n;
  cfi_trimContacts(d);
}


// user filter, or the masks of the two geoms
static bool isFiltered(const mjModel* m, mjData* d, int g1, int g2) {
  if (mjcb_contactfilter) {
    return mjcb_contactfilter(m, d, g1, g2);
  }
  return !(m->geom_contype[g1] & m->geom_conaffinity[g2]) &&
         !(m->geom_contype[g2] & m->geom_conaffinity[g1]);
}


void cfi_collideGeoms(const mjModel* m, mjData* d, int g1, int g2, bool is_near,
                      cfContactSink* sink) {
  CF_ASSERT(0 <= g1 && g1 < m->ngeom && 0 <= g2 && g2 < m->ngeom && g1 != g2);
  orderByType(m, &g1, &g2);
  const mjfCollision collider = mjCOLLISIONFUNC[m->geom_type[g1]][m->geom_type[g2]];
  if (!collider || isFiltered(m, d, g1, g2)) {
    return;
  }
  const mjtNum margin = cfi_geomMargin(m, g1, g2);
  if (!is_near && cfi_spheresApart(m, d, g1, g2, margin)) {
    return;
  }
  mjContact* con;
  const int n = detect(&con, m, d, g1, g2, margin, collider, sink);
  if (n) {
    cfContactParameters p;
    const cfContactSide a = cfi_geomSide(m, g1), b = cfi_geomSide(m, g2);
    cfi_mixParameters(&p, m, &a, &b);
    accept(d, con, n, g1, g2, &p, margin - p.gap, sink);
  }
}


void cfi_acceptFound(const mjModel* m, mjData* d, int g1, int g2, const cfContactParameters* p,
                     const mjtNum* found, size_t step, int n) {
  CF_ASSERT(m->geom_type[g1] <= m->geom_type[g2] && n <= mjMAXCONPAIR);
  mjContact* con = roomForPair(d, NULL);
  if (!con) {
    return;
  }
  const mjtNum includemargin = cfi_geomMargin(m, g1, g2) - p->gap;
  for (int i = 0; i < n; i++, found += step) {
    memcpy(con + i, found, offsetof(mjContact, includemargin));
    nameGeoms(con + i, g1, g2);
    cfi_setFramedContact(con + i, p, includemargin);
  }
  d->ncon += n;
  cfi_trimContacts(d);
}


void cfi_collidePredefined(const mjModel* m, mjData* d, int pair) {
  CF_ASSERT(0 <= pair && pair < m->npair);
  int g1 = m->pair_geom1[pair], g2 = m->pair_geom2[pair];
  if (cfi_enabled(m, mjENBL_SLEEP) && d->body_awake[m->geom_bodyid[g1]] != mjS_AWAKE &&
      d->body_awake[m->geom_bodyid[g2]] != mjS_AWAKE) {
    return;
  }
  orderByType(m, &g1, &g2);
  const mjfCollision collider = mjCOLLISIONFUNC[m->geom_type[g1]][m->geom_type[g2]];
  const mjtNum margin = cfi_overrideMargin(m, m->pair_margin[pair]);
  if (!collider || cfi_spheresApart(m, d, g1, g2, margin)) {
    return;
  }
  mjContact* con;
  const int n = detect(&con, m, d, g1, g2, margin, collider, NULL);
  if (n) {
    cfContactParameters p;
    cfi_pairParameters(&p, m, pair);
    accept(d, con, n, g1, g2, &p, margin - p.gap, NULL);
  }
}


// append a contact made by the caller; 1 when there is no room, with a warning.  Constraint rows
// are forgotten
int mj_addContact(const mjModel* m, mjData* d, const mjContact* con) {
  (void)m;
  cfi_clearEfc(d);
  cfi_trimContacts(d);
  mjContact* added = (mjContact*)cfi_arenaAlloc(d, sizeof(mjContact), _Alignof(mjContact));
  if (!added) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return 1;
  }
  *added = *con;
  d->ncon++;
  return 0;
}
