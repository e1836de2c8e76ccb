// Attaching by reference: elements move from one specification to another and stay what they are.
#ifndef CF_SPEC_MOVE_H
#define CF_SPEC_MOVE_H

#include "spec/tree.h"

// may a body or frame, and what refers to it, move below a body of copy->to; false and an error in
// copy->to where it has moved before or is there already
bool cfi_mayMove(const cfCopy* copy, const cfElement* child, const cfElement* parent);

// a body with everything below it, or a frame with everything inside it, becomes part of another
// specification under names with prefix and suffix; the element itself is returned
cfElement* cfi_moveBody(const cfCopy* copy, cfElement* body, cfElement* parent);
cfElement* cfi_moveFrame(const cfCopy* copy, cfElement* frame, cfElement* body);

// all elements of one kind outside the tree that can follow; false and an error if a name repeats
bool cfi_moveKind(const cfCopy* copy, mjtObj type);

// the element that a stand-in stands for, else the element
cfElement* cfi_shown(cfElement* e);

// what programs see behind an element (first: NULL) of a list, or below a body depth first; NULL at
// the end
cfElement* cfi_nextListed(const cfList* list, const cfElement* after);
cfElement* cfi_nextInTree(cfElement* root, mjtObj type, const cfElement* after);

#endif  // CF_SPEC_MOVE_H
