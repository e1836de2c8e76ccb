// Parts of the text of mjData, see printdata.c.
#ifndef CF_API_DATATEXT_H
#define CF_API_DATATEXT_H

#include "model/layout.h"
#include "model/print.h"

// what is printed and where to
typedef struct {
  cfPrinter out;
  const mjModel* m;
  const mjData* d;
} cfDataText;

// the name of an array in capitals
enum { CF_TITLE_MAX = 40 };
void cfi_titleOf(const cfFieldInfo* field, char title[CF_TITLE_MAX]);

// a row of numbers behind a text
void cfi_printNumbers(const cfDataText* t, const char* text, const mjtNum* number, int count);

// sizes, counters, solver, energy and time
void cfi_printSummary(const cfDataText* t);

// one array each, or where field is NULL several that belong together
void cfi_rowsText(const cfDataText* t, const cfFieldInfo* field);
void cfi_historyText(const cfDataText* t, const cfFieldInfo* field);
void cfi_lineText(const cfDataText* t, const cfFieldInfo* field);
void cfi_readingsText(const cfDataText* t, const cfFieldInfo* field);
void cfi_flexEdgesText(const cfDataText* t, const cfFieldInfo* field);
void cfi_tendonsText(const cfDataText* t, const cfFieldInfo* field);
void cfi_momentText(const cfDataText* t, const cfFieldInfo* field);
void cfi_triangleText(const cfDataText* t, const cfFieldInfo* field);
void cfi_dofMatrixText(const cfDataText* t, const cfFieldInfo* field);
void cfi_islandInertiaText(const cfDataText* t, const cfFieldInfo* field);
void cfi_implicitText(const cfDataText* t, const cfFieldInfo* field);
void cfi_listText(const cfDataText* t, const cfFieldInfo* field);
void cfi_writtenMatrixText(const cfDataText* t, const cfFieldInfo* field);
void cfi_contactsText(const cfDataText* t, const cfFieldInfo* field);
void cfi_jacobianText(const cfDataText* t, const cfFieldInfo* field);
void cfi_islandListText(const cfDataText* t, const cfFieldInfo* field);
void cfi_islandLineText(const cfDataText* t, const cfFieldInfo* field);
void cfi_islandOrderText(const cfDataText* t, const cfFieldInfo* field);

// drawing of a matrix with a block per island: rows ordered by island, in each the columns of its
// block.  owner[r] is the island of row r
typedef struct {
  cfPattern s;
  const int *order, *owner;
} cfBlockPattern;

void cfi_printBlocks(const cfDataText* t, const char* title, cfBlockPattern b);
void cfi_printDenseBlocks(const cfDataText* t);

#endif  // CF_API_DATATEXT_H
