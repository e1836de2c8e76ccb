// Comparison of models and data: the column `compare` of the field tables says how.
//
//   EXACT   equal in every byte
//   ABS     reals, the largest gap relative to the largest number of the reference
//   PLAIN   the same without a scale, for differences of larger numbers: their rounding is that of
//           what was subtracted
//   RESIDUE as ABS, but relative to the field behind it as well: what remains of it, zero but for
//           rounding where everything cancels
//   ROWS    entries of a sparse matrix whose pattern rounding decides: compared as dense rows
//   BLOCKS  reals in the order of islands: as ABS where constraint rows are sparse, else one block
//           of rows and dofs per island, and what lies between the blocks is not written
//   SPARSE  indices that exist only where constraint rows are sparse: EXACT there, not written
//           elsewhere
//   FILLED  EXACT where one side has constraint rows
//   SKIP    free to differ
#include "model/compare.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/libm.h"

// numbers below this are compared absolutely
static const mjtNum smallest_scale = 1e-6;

// what a comparison walks over, and the list it fills
typedef struct {
  const mjModel* m;
  const mjData *d, *reference_data;  // NULL when models are compared
  uint64_t writers;                  // only fields of these writers
  cfDifference* list;
  int max, count;
} cfComparison;


static void noteDifference(cfComparison* c, const char* part, const cfFieldInfo* field,
                           mjtNum error) {
  if (error == 0) {
    return;
  }
  if (c->count < c->max) {
    const mjtByte is_exact = field->compare == CF_COMPARE_EXACT ||
                             field->compare == CF_COMPARE_SPARSE ||
                             field->compare == CF_COMPARE_FILLED;
    c->list[c->count] = (cfDifference){part, field->name, error, is_exact};
  }
  c->count++;
}


static mjtNum realAt(cftType type, const void* elements, mjtSize i) {
  return type == CF_TYPE_float ? ((const float*)elements)[i] : ((const mjtNum*)elements)[i];
}


// largest gap and largest number of an array so far
typedef struct {
  mjtNum gap, scale;
} cfGap;


static void widenGap(cfGap* g, mjtNum x, mjtNum reference) {
  if (isfinite(reference)) {
    g->scale = cfi_fmax(g->scale, fabs(reference));
  }
  if (x == reference || (isnan(x) && isnan(reference))) {
    return;
  }
  const mjtNum gap = fabs(x - reference);
  g->gap = isnan(gap) ? INFINITY : cfi_fmax(g->gap, gap);
}


static cfGap largestGap(cftType type, const void* ours, const void* reference, mjtSize n) {
  cfGap g = {0, smallest_scale};
  for (mjtSize i = 0; i < n; i++) {
    widenGap(&g, realAt(type, ours, i), realAt(type, reference, i));
  }
  return g;
}


// n elements of a field on both sides, as its kind asks
static mjtNum elementsError(const cfFieldInfo* field, const void* ours, const void* reference,
                            mjtSize n) {
  if (n <= 0 || ours == reference) {
    return 0;
  }
  if (!ours || !reference) {
    return INFINITY;
  }
  if (field->compare == CF_COMPARE_ABS || field->compare == CF_COMPARE_PLAIN ||
      field->compare == CF_COMPARE_BLOCKS) {
    CF_ASSERT(field->type == CF_TYPE_mjtNum || field->type == CF_TYPE_float);
    const cfGap g = largestGap(field->type, ours, reference, n);
    return field->compare == CF_COMPARE_PLAIN ? g.gap : g.gap / g.scale;
  }
  return memcmp(ours, reference, field->size * (size_t)n) ? 1 : 0;
}


// the same for a field of which the next in the table is a part
static mjtNum residueError(const cfFieldInfo* field, const void* ours, const void* reference,
                           const mjtNum* part, mjtSize n) {
  cfGap g = largestGap(field->type, ours, reference, n);
  for (mjtSize i = 0; i < n; i++) {
    widenGap(&g, part[i], part[i]);
  }
  return g.gap / g.scale;
}


// ---- sparse rows

// a sparse matrix: in the tables its row lengths, row addresses and columns stand before its
// entries
typedef struct {
  const int *rownnz, *rowadr, *colind;
  const mjtNum* entry;
} cfSparseField;


static cfSparseField sparseField(const cfFieldInfo* field, const void* owner) {
  return (cfSparseField){cfi_fieldElements(field - 3, owner), cfi_fieldElements(field - 2, owner),
                         cfi_fieldElements(field - 1, owner), cfi_fieldElements(field, owner)};
}


// entry of a row in that column, zero if it is not stored
static mjtNum storedEntry(const cfSparseField* s, mjtSize row, int column) {
  for (int i = s->rowadr[row]; i < s->rowadr[row] + s->rownnz[row]; i++) {
    if (s->colind[i] == column) {
      return s->entry[i];
    }
  }
  return 0;
}


static mjtNum rowError(const cfSparseField* ours, const cfSparseField* reference, mjtSize row) {
  cfGap g = {0, smallest_scale};
  for (int i = reference->rowadr[row]; i < reference->rowadr[row] + reference->rownnz[row]; i++) {
    widenGap(&g, storedEntry(ours, row, reference->colind[i]), reference->entry[i]);
  }
  for (int i = ours->rowadr[row]; i < ours->rowadr[row] + ours->rownnz[row]; i++) {
    widenGap(&g, ours->entry[i], storedEntry(reference, row, ours->colind[i]));
  }
  return g.gap / g.scale;
}


static mjtNum rowsError(const cfComparison* c, const cfFieldInfo* field, const void* owner,
                        const void* reference) {
  const cfSparseField ours = sparseField(field, owner), theirs = sparseField(field, reference);
  const mjtSize rows = cfi_fieldCount(field - 3, c->m, c->d);
  mjtNum worst = 0;
  for (mjtSize row = 0; row < rows; row++) {
    worst = cfi_fmax(worst, rowError(&ours, &theirs, row));
  }
  return worst;
}


// ---- blocks of islands

// where the rows of one island begin, and how many entries they have; rows are dense
typedef struct {
  mjtSize first, count;
} cfIslandBlock;


static cfIslandBlock denseBlock(const mjData* d, int island) {
  return (cfIslandBlock){(mjtSize)d->nidof * d->island_iefcadr[island],
                         (mjtSize)d->island_nefc[island] * d->island_nv[island]};
}


// islands lie the same on both sides, or else their number or sizes are differences already
static bool sameBlocks(const cfComparison* c) {
  bool same =
      c->d->nisland == c->reference_data->nisland && c->d->nidof == c->reference_data->nidof;
  for (int i = 0; same && i < c->d->nisland; i++) {
    const cfIslandBlock a = denseBlock(c->d, i), b = denseBlock(c->reference_data, i);
    same = a.first == b.first && a.count == b.count;
  }
  return same;
}


static mjtNum blocksError(const cfComparison* c, const mjtNum* ours, const mjtNum* reference) {
  cfGap g = {0, smallest_scale};
  if (!c->d->nisland || !sameBlocks(c)) {
    return 0;
  }
  if (!ours || !reference) {
    return INFINITY;
  }
  for (int i = 0; i < c->d->nisland; i++) {
    const cfIslandBlock block = denseBlock(c->d, i);
    for (mjtSize k = block.first; k < block.first + block.count; k++) {
      widenGap(&g, ours[k], reference[k]);
    }
  }
  return g.gap / g.scale;
}


// ---- tables

// elements that can be lined up: those in use, none where the two sides differ in number
static mjtSize commonCount(const cfComparison* c, const cfFieldInfo* field) {
  const mjtSize n = cfi_fieldUsed(field, c->m, c->d);
  return n == cfi_fieldUsed(field, c->m, c->reference_data) ? n : 0;
}


static mjtNum fieldError(const cfComparison* c, const cfFieldInfo* field, const void* owner,
                         const void* reference) {
  if (field->compare == CF_COMPARE_SKIP || !(c->writers >> field->writer & 1) ||
      (field->compare == CF_COMPARE_SPARSE && !mj_isSparse(c->m)) ||
      (field->compare == CF_COMPARE_FILLED && !c->d->nefc && !c->reference_data->nefc)) {
    return 0;
  }
  if (field->compare == CF_COMPARE_ROWS) {
    return rowsError(c, field, owner, reference);
  }
  if (field->compare == CF_COMPARE_BLOCKS && !mj_isSparse(c->m)) {
    return blocksError(c, cfi_fieldElements(field, owner), cfi_fieldElements(field, reference));
  }
  if (field->compare == CF_COMPARE_RESIDUE) {
    CF_ASSERT(field->type == CF_TYPE_mjtNum && field[1].type == CF_TYPE_mjtNum);
    return residueError(field, cfi_fieldElements(field, owner), cfi_fieldElements(field, reference),
                        (const mjtNum*)cfi_fieldElements(field + 1, reference),
                        commonCount(c, field));
  }
  return elementsError(field, cfi_fieldElements(field, owner), cfi_fieldElements(field, reference),
                       commonCount(c, field));
}


static void compareTable(cfComparison* c, const char* part, const cfFieldTable* table,
                         const void* owner, const void* reference) {
  for (int k = 0; k < table->count; k++) {
    const cfFieldInfo* field = table->field + k;
    if (field->type != CF_TYPE_mjContact) {
      noteDifference(c, part, field, fieldError(c, field, owner, reference));
    }
  }
}


// every member of mjContact, the worst of all contacts
static void compareContacts(cfComparison* c) {
  if (c->d->ncon != c->reference_data->ncon) {
    return;
  }
  for (int k = 0; k < cfi_contactFields.count; k++) {
    const cfFieldInfo* field = cfi_contactFields.field + k;
    mjtNum worst = 0;
    for (int i = 0; i < c->d->ncon; i++) {
      worst =
          cfi_fmax(worst, fieldError(c, field, c->d->contact + i, c->reference_data->contact + i));
    }
    noteDifference(c, "contact", field, worst);
  }
}


// sizes that differ, as errors without bound
static void compareSizes(cfComparison* c, const mjModel* m, const mjModel* reference) {
  compareTable(c, "", &cfi_modelSizes, m, reference);
  for (int k = 0; k < c->count && k < c->max; k++) {
    c->list[k].error = INFINITY;
  }
}


int cf_compareModels(const mjModel* m, const mjModel* reference, cfDifference* list, int max) {
  cfComparison c = {.m = reference, .writers = UINT64_MAX, .list = list, .max = max};
  compareSizes(&c, m, reference);
  if (!c.count) {
    compareTable(&c, "", &cfi_modelFields, m, reference);
    compareTable(&c, "opt", &cfi_optionFields, &m->opt, &reference->opt);
    compareTable(&c, "vis", &cfi_visualFields, &m->vis, &reference->vis);
    compareTable(&c, "stat", &cfi_statisticFields, &m->stat, &reference->stat);
  }
  return c.count;
}


int cfi_compareWritten(const mjModel* m, const mjData* d, const mjData* reference, uint64_t writers,
                       cfDifference* list, int max) {
  cfComparison c = {m, d, reference, writers, list, max, 0};
  compareTable(&c, "", &cfi_dataScalars, d, reference);
  compareTable(&c, "", &cfi_dataFields, d, reference);
  compareContacts(&c);
  return c.count;
}


int cf_compareData(const mjModel* m, const mjData* d, const mjData* reference, cfDifference* list,
                   int max) {
  return cfi_compareWritten(m, d, reference, UINT64_MAX, list, max);
}
