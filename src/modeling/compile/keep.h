// What a specification keeps of its last compilation.
#ifndef CF_COMPILE_KEEP_H
#define CF_COMPILE_KEEP_H

#include "compile/draft.h"

// end of a compilation: final attributes of all elements, settings with sizes filled in
void cfi_keepModel(cfDraft* draft);

// numbers of a model, perhaps edited since, into what is kept; real attributes only
void cfi_keptBack(cfSpec* spec, const mjModel* m);

#endif  // CF_COMPILE_KEEP_H
