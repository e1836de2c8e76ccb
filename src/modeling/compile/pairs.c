// Contact pairs and exclusions: parameters mixed from the geoms, order by body signature.
#include "base/assert.h"
#include "base/sort.h"
#include "compile/phases.h"

#include <math.h>

#include "compile/placement.h"
#include "math/libm.h"

// one number per unordered pair of bodies
static int bodySignature(int body1, int body2) {
  return (int)(((unsigned)body1 << 16) + (unsigned)body2);
}


// weight of the first geom when solver parameters are mixed
static double pairMixWeight(double mix1, double mix2) {
  if (mix1 >= CF_EPS && mix2 >= CF_EPS) {
    return mix1 / (mix1 + mix2);
  }
  if (mix1 < CF_EPS && mix2 < CF_EPS) {
    return 0.5;
  }
  return mix1 < CF_EPS ? 0 : 1;
}


// sliding, torsional and rolling friction in the layout of a contact
static void spreadFriction(double friction[5], const double slide, const double spin,
                           const double roll) {
  friction[0] = friction[1] = slide;
  friction[2] = spin;
  friction[3] = friction[4] = roll;
}


// parameters that the pair leaves open, from the geom of higher priority
static void inheritFrom(mjsPair* attr, const mjsGeom* geom) {
  if (!cfi_isGiven(attr->friction[0])) {
    spreadFriction(attr->friction, geom->friction[0], geom->friction[1], geom->friction[2]);
  }
  for (int k = 0, open = !cfi_isGiven(attr->solref[0]); open && k < mjNREF; k++) {
    attr->solref[k] = geom->solref[k];
  }
  for (int k = 0, open = !cfi_isGiven(attr->solimp[0]); open && k < mjNIMP; k++) {
    attr->solimp[k] = geom->solimp[k];
  }
}


// parameters that the pair leaves open, from both geoms
static void mixFrom(mjsPair* attr, const mjsGeom* a, const mjsGeom* b) {
  if (!cfi_isGiven(attr->friction[0])) {
    spreadFriction(attr->friction, cfi_fmax(a->friction[0], b->friction[0]),
                   cfi_fmax(a->friction[1], b->friction[1]),
                   cfi_fmax(a->friction[2], b->friction[2]));
  }

  // an open reference is never positive, so MuJoCo takes the smaller one in all cases
  for (int k = 0, open = !cfi_isGiven(attr->solref[0]); open && k < mjNREF; k++) {
    attr->solref[k] = cfi_fmin(a->solref[k], b->solref[k]);
  }
  const double mix = pairMixWeight(a->solmix, b->solmix);
  for (int k = 0, open = !cfi_isGiven(attr->solimp[0]); open && k < mjNIMP; k++) {
    attr->solimp[k] = mix * a->solimp[k] + (1 - mix) * b->solimp[k];
  }
}


static cfGeomDraft* findGeom(cfDraft* draft, const cfPairDraft* pair, const void* name) {
  cfGeomDraft* geom = (cfGeomDraft*)cfi_findPart(draft, mjOBJ_GEOM, cfi_text(name));
  if (!geom) {
    cfi_failUnknown(draft, &pair->part, mjOBJ_GEOM, cfi_text(name),
                    "geom '%s' not found in collision %d", cfi_text(name), pair->part.id);
  }
  geom->is_visual = false;
  return geom;
}


static void compilePair(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_PAIR);
  cfPairDraft* pair = (cfPairDraft*)part;
  mjsPair* attr = &pair->attr;
  if (attr->condim != 1 && attr->condim != 3 && attr->condim != 4 && attr->condim != 6) {
    cfi_fail(draft, &pair->part, "invalid condim in contact pair; allowed: 1 3 4 6");
  }
  cfGeomDraft* a = findGeom(draft, pair, attr->geomname1);
  cfGeomDraft* b = findGeom(draft, pair, attr->geomname2);
  const bool is_swapped = a->body->part.id > b->body->part.id;
  pair->geom[0] = is_swapped ? b : a;
  pair->geom[1] = is_swapped ? a : b;
  if (is_swapped) {
    mjString* name = attr->geomname1;
    attr->geomname1 = attr->geomname2;
    attr->geomname2 = name;
  }
  pair->signature = bodySignature(pair->geom[0]->body->part.id, pair->geom[1]->body->part.id);

  const mjsGeom *first = &pair->geom[0]->attr, *second = &pair->geom[1]->attr;
  if (!cfi_isGiven(attr->margin)) {
    attr->margin = cfi_fmax(first->margin, second->margin);
  }
  if (!cfi_isGiven(attr->gap)) {
    attr->gap = cfi_fmax(first->gap, second->gap);
  }
  if (first->priority != second->priority) {
    inheritFrom(attr, first->priority > second->priority ? first : second);
  } else {
    mixFrom(attr, first, second);
  }
}


void cfi_compilePairs(cfDraft* draft) {
  cfi_guardList(draft, compilePair, mjOBJ_PAIR);
}


static int findBody(cfDraft* draft, const cfPart* part, const void* name) {
  const cfPart* body = cfi_findPart(draft, mjOBJ_BODY, cfi_text(name));
  if (!body) {
    cfi_failUnknown(draft, part, mjOBJ_BODY, cfi_text(name), "body '%s' not found in bodypair %d",
                    cfi_text(name), part->id);
  }
  return body->id;
}


static void compileExclude(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_EXCLUDE);
  cfExcludeDraft* exclude = (cfExcludeDraft*)part;
  const int a = findBody(draft, part, exclude->attr.bodyname1);
  const int b = findBody(draft, part, exclude->attr.bodyname2);
  if (a > b) {
    mjString* name = exclude->attr.bodyname1;
    exclude->attr.bodyname1 = exclude->attr.bodyname2;
    exclude->attr.bodyname2 = name;
  }
  exclude->signature = a < b ? bodySignature(a, b) : bodySignature(b, a);
}


void cfi_compileExcludes(cfDraft* draft) {
  cfi_guardList(draft, compileExclude, mjOBJ_EXCLUDE);
}


// order of signatures, then of appearance
static int byPairSignature(const void* a, const void* b) {
  const cfPairDraft *p = *(const cfPairDraft*const*)a, *q = *(const cfPairDraft*const*)b;
  if (p->signature != q->signature) {
    return p->signature < q->signature ? -1 : 1;
  }
  return p->part.id - q->part.id;
}


static int byExcludeSignature(const void* a, const void* b) {
  const cfExcludeDraft *p = *(const cfExcludeDraft*const*)a, *q = *(const cfExcludeDraft*const*)b;
  if (p->signature != q->signature) {
    return p->signature < q->signature ? -1 : 1;
  }
  return p->part.id - q->part.id;
}


// order one list and number it anew; the specification has that order from then on, as in MuJoCo
static void orderList(cfDraft* draft, mjtObj type, int (*compare)(const void*, const void*)) {
  cfPartList* parts = cfi_parts(draft, type);
  cfList* list = &draft->spec->list[type];
  if (parts->count < 2) {
    return;
  }
  cfi_sort(parts->item, parts->count, sizeof(cfPart*), compare);
  cfi_renumber(parts);
  CF_ASSERT(list->count == (int)parts->count);
  for (int i = 0; i < list->count; i++) {
    list->item[i] = cfi_element(&parts->item[i]->origin->head);
    list->item[i]->id = i;
  }
}


void cfi_orderPairs(cfDraft* draft) {
  orderList(draft, mjOBJ_PAIR, byPairSignature);
  orderList(draft, mjOBJ_EXCLUDE, byExcludeSignature);
}
