// Tables of items of the viewer's panels.
#ifndef CF_CLI_VIEWROWS_H
#define CF_CLI_VIEWROWS_H

#include "view.h"

enum { NO_DATA = -1 };

// an item: where its value is in the viewer or in the model, and what changing it does
typedef struct {
  int type;  // mjtItem
  const char* name;
  int state;  // mjPRESERVE, or when the item may be used: 1 always, 2 with a model, 3 with
              // keyframes
  ptrdiff_t offset;
  const char* other;  // shortcut, words or form, as in mjuiDef
  int command;
} viewRow;
typedef struct {
  const viewRow* rows;
  int count;
} viewTable;

enum { VIEW_FIXED = 4 };
extern const viewTable cli_rowsFixed[VIEW_FIXED];        // values in cliView
extern const viewTable cli_rowsPhysics, cli_rowsVisual;  // values in mjModel

#endif  // CF_CLI_VIEWROWS_H
