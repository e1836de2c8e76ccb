// URDF: robots of the Robot Operating System.
#include "mjcf/reader.h"

void cfi_readRobot(cfReader* r, cfNode* root) {
  cfi_error(r->report, root, "URDF is not supported yet");
}
