// Composite objects: chains of bodies made from one element.
#include "mjcf/reader.h"

void cfi_readComposite(cfReader* r, const cfNode* node, mjsBody* body, mjsFrame* frame) {
  (void)body;
  (void)frame;
  cfi_error(r->report, node, "composite is not supported yet");
}
