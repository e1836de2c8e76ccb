// Keyframes of attached models: values travel with the elements they belong to.
#ifndef CF_SPEC_KEYS_H
#define CF_SPEC_KEYS_H

#include "spec/tree.h"

// remember that `twin` is the copy of `source` during an attach
void cfi_noteCopy(const cfCopy* copy, const cfElement* source, cfElement* twin);

// take over the keyframes of the attached model
void cfi_attachKeys(const cfCopy* copy);

#endif  // CF_SPEC_KEYS_H
