// Copies of one subtree that differ by a numbered suffix.
#ifndef CF_SPEC_REPEAT_H
#define CF_SPEC_REPEAT_H

#include "spec/spec.h"

// Before and after a subtree is attached to its own specification again and again, with a separator
// and a number of so many digits as suffix.
void cfi_beginCopies(cfSpec* spec, const cfElement* subtree, const char* separator, int digits);
void cfi_endCopies(cfSpec* spec);

// the elements of a kind outside the tree that may follow a copy
const cfList* cfi_listToCopy(const cfSpec* spec, mjtObj type);

#endif  // CF_SPEC_REPEAT_H
