// References by name from one element to others.
#ifndef CF_SPEC_RESOLVE_H
#define CF_SPEC_RESOLVE_H

#include "spec/spec.h"

// Put prefix and suffix around the names an element refers to and look them up.  Where an element
// refers to several others, it is enough that one of them is found under its new name, the rest may
// be found under their old one.  False, and names possibly half changed, if something is missing.
bool cfi_resolveReferences(cfElement* e, const char* prefix, const char* suffix);

// True if an element follows a copy whatever names there are
bool cfi_followsAlways(const cfElement* e);

// A name that has to be found with prefix and suffix if an element is to follow, and what it is a
// name of.  NULL: none, or several
const cfString* cfi_decisiveName(const cfElement* e, mjtObj* type);

// False if cfi_resolveReferences will be, at the price of a look at one name
bool cfi_mayResolve(cfElement* e, const char* prefix, const char* suffix);

// the same without new names, among the names of the last compilation where there was one
bool cfi_resolveListed(cfElement* e);

#endif  // CF_SPEC_RESOLVE_H
