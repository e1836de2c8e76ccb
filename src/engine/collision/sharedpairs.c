// The narrow phase on the threads of a pool.
//
// Pairs come in the order of bodies, those of the world first, so that pairs of one run of bodies
// (model/deal.h) stand together in few pieces.  Each piece is collided by the thread of its run
// into a place of its own; then the contacts are moved to where they belong, in the order of the
// pairs.
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "collision/collider.h"
#include "collision/halves.h"
#include "model/deal.h"
#include "model/extension.h"

// fewer pairs are done before another thread has noticed.  CONTACTS_A_PAIR: more than pairs have on
// the average, boxes in a heap among them; where a piece has more after all, one thread does all
// pairs again
enum { WORTH_SHARING_PAIRS = 64, PIECES_MAX = 4 * CF_RUNS_MAX, CONTACTS_A_PAIR = 4 };

typedef struct {
  int first, end;  // pairs
  int thread;
  int start;  // of its contacts among all
  cfContactSink sink;
} pairPiece;

typedef struct {
  const mjModel* m;
  mjData* d;
  const cfPairList* list;
  pairPiece* piece;
  int npiece;
  int* order;  // pieces by thread
} pairPieces;


// closed forms alone: others keep notes in mjData, or belong to the user
static bool isShareable(const mjModel* m, const mjData* d) {
  if (m->npair || m->nflex || m->nmesh || m->nhfield || m->nplugin || mjcb_contactfilter ||
      cfi_dataExtension(d)->slot[CF_EXTENSION_APART].content) {
    return false;
  }
  for (int a = 0; a < mjNGEOMTYPES; a++) {
    for (int b = a; b < mjNGEOMTYPES; b++) {
      if (!cfi_isOwnCollider(a, b)) {
        return false;
      }
    }
  }
  return true;
}


// the body of a pair that says who collides it: the first that moves
static int leaderOfPair(const mjModel* m, uint64_t key) {
  const int body = cfi_pairFirst(key);
  return m->body_treeid[body] >= 0 ? body : cfi_pairSecond(key);
}


// a piece ends where the run changes; when there are too many, the last takes all
static void cutPieces(pairPieces* all, const cfDeal* deal) {
  int run = -1;
  for (int k = 0; k < all->list->n; k++) {
    const int body = leaderOfPair(all->m, all->list->key[k]);
    const bool stays = run >= 0 && body >= deal->body[run] && body < deal->body[run + 1];
    if (!stays && all->npiece < PIECES_MAX) {
      run = cfi_runOf(deal, body);
      all->piece[all->npiece++] = (pairPiece){.first = k, .thread = run / CF_DEAL_RUNS};
    }
    all->piece[all->npiece - 1].end = k + 1;
  }
}


// pieces of each thread one behind the other
static void dealPieces(pairPieces* all, int nthread, int* first) {
  int n = 0;
  for (int t = 0; t < nthread; t++) {
    first[t] = n;
    for (int p = 0; p < all->npiece; p++) {
      if (all->piece[p].thread == t) {
        all->order[n++] = p;
      }
    }
  }
  first[nthread] = n;
  CF_ASSERT(n == all->npiece);
}


// room for the contacts of each piece, some a pair and what a single pair may bring; false if there
// is none
static bool takeSinks(pairPieces* all) {
  const size_t pairs = CONTACTS_A_PAIR * (size_t)all->list->n;
  const size_t room = pairs + (size_t)all->npiece * mjMAXCONPAIR;
  if (!cfi_stackFits(all->d, room * sizeof(mjContact), _Alignof(mjContact))) {
    return false;
  }
  mjContact* con = mj_stackAllocByte(all->d, room * sizeof(mjContact), _Alignof(mjContact));
  for (int p = 0; p < all->npiece; p++) {
    pairPiece* piece = all->piece + p;
    const int own = CONTACTS_A_PAIR * (piece->end - piece->first) + mjMAXCONPAIR;
    piece->sink = (cfContactSink){con, 0, own, false};
    con += own;
  }
  return true;
}


static void collidePiece(void* context, int k) {
  const pairPieces* all = context;
  const mjModel* m = all->m;
  mjData* d = all->d;
  pairPiece* piece = all->piece + all->order[k];
  mj_markStack(d);
  cfTreeScratch scratch = {.found = {.d = d}, .todo = {.d = d}};
  cfContactSink sink = piece->sink;
  for (int p = piece->first; p < piece->end && !sink.is_full; p++) {
    const uint64_t key = all->list->key[p];
    cfi_collideBodies(m, d, cfi_pairFirst(key), cfi_pairSecond(key), &scratch, &sink);
  }
  piece->sink = sink;
  mj_freeStack(d);
}


// everything but H, which nobody has written
static void moveContact(mjContact* to, const mjContact* from) {
  const size_t before = offsetof(mjContact, H), behind = before + sizeof(from->H);
  memcpy(to, from, before);
  memcpy((char*)to + behind, (const char*)from + behind, sizeof(mjContact) - behind);
}


static void movePiece(void* context, int k) {
  const pairPieces* all = context;
  const pairPiece* piece = all->piece + all->order[k];
  for (int c = 0; c < piece->sink.n; c++) {
    moveContact(all->d->contact + piece->start + c, piece->sink.con + c);
  }
}


// number of all contacts, -1 where some were left out
static int numberContacts(pairPieces* all) {
  int n = 0;
  for (int p = 0; p < all->npiece; p++) {
    if (all->piece[p].sink.is_full) {
      return -1;
    }
    all->piece[p].start = n;
    n += all->piece[p].sink.n;
  }
  return n;
}


// on the caller's stack; what does not fit in the arena is left to one thread, who warns
static bool sharePieces(pairPieces* all, const cfDeal* deal) {
  mjData* d = all->d;
  int first[CF_DEAL_THREADS + 1];
  cutPieces(all, deal);
  dealPieces(all, deal->nthread, first);
  if (!takeSinks(all)) {
    return false;
  }
  mjThreadPool* pool = (mjThreadPool*)d->threadpool;
  cfi_poolDeal(pool, deal->nthread, first, collidePiece, all);
  const int n = numberContacts(all);
  if (n < 0 || !cfi_arenaAlloc(d, (size_t)n * sizeof(mjContact), _Alignof(mjContact))) {
    return false;
  }
  d->ncon = n;
  cfi_poolDeal(pool, deal->nthread, first, movePiece, all);
  return true;
}


bool cfi_sharePairs(const mjModel* m, mjData* d, const cfPairList* list) {
  cfDeal deal;
  const size_t bytes = PIECES_MAX * (sizeof(pairPiece) + sizeof(int));
  if (list->n < WORTH_SHARING_PAIRS || !isShareable(m, d) || !cfi_dealBodies(&deal, m, d) ||
      !cfi_stackFits(d, bytes + 256, _Alignof(pairPiece))) {
    return false;
  }
  if (m->vis.global.bvactive) {
    cfi_noteMarks(cfi_dataExtension(d), (int)m->nbvh);
  }
  mj_markStack(d);
  pairPiece* piece = mj_stackAllocByte(d, bytes, _Alignof(pairPiece));
  pairPieces all = {m, d, list, piece, 0, (int*)(piece + PIECES_MAX)};
  const bool is_done = sharePieces(&all, &deal);
  mj_freeStack(d);
  return is_done;
}
