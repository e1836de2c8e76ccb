// Keyframes of attached models.
#include "spec/keys.h"

void cfi_noteCopy(const cfCopy* copy, const cfElement* source, cfElement* twin) {
  (void)copy;
  (void)source;
  (void)twin;
}

void cfi_attachKeys(const cfCopy* copy) {
  (void)copy;
}
