// Copies of bodies and their contents, for copies of specifications, attach and replicate.
#ifndef CF_SPEC_TREE_H
#define CF_SPEC_TREE_H

#include "spec/spec.h"

// how elements are copied from one specification into another or into itself
typedef struct {
  cfSpec* to;
  cfSpec* from;
  bool is_attach;      // attached elements keep the compiler settings of their origin
  const char* prefix;  // around every name; NULL: none
  const char* suffix;
} cfCopy;

// deep copy of a body with everything on it; added to `parent` unless that is NULL
cfElement* cfi_copyBody(const cfCopy* copy, const cfElement* source, cfElement* parent);

// copy of one element with its name and references renamed; links are the caller's
cfElement* cfi_copyRenamed(const cfCopy* copy, const cfElement* source);

// give an attached element its new name, class and references
void cfi_renameAttached(const cfCopy* copy, cfElement* e);

// link a copy to the plugin instance that belongs to it
void cfi_linkCopiedPlugin(const cfCopy* copy, const cfElement* source, cfElement* e);

// the name by which an attached element outside the tree knows its plugin instance
void cfi_renameInstanceOf(cfElement* e, const char* prefix, const char* suffix);

// copy the named plugin instances that attached elements use
void cfi_copyNamedInstances(const cfCopy* copy);

// contents of a body move to its parent, into a new frame in its place; the body is freed
mjsFrame* cfi_bodyToFrame(cfElement* body);

// keep another specification alive as long as this one
void cfi_keepSpec(cfSpec* spec, cfSpec* child);

#endif  // CF_SPEC_TREE_H
