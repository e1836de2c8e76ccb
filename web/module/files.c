// Files of models: the page puts all of them into memory before it loads one.
#include "web.h"

// Add a file, in place of one of that name. 0, or what mj_addBufferVFS returns where there is no
// room.
int EXPORT(cfw_putFile)(const char* name, const void* bytes, int nbyte) {
  mj_deleteFileVFS(&web.files, name);
  return mj_addBufferVFS(&web.files, name, bytes, nbyte);
}


// Remove all files.
void EXPORT(cfw_dropFiles)(void) {
  mj_deleteVFS(&web.files);
  mj_defaultVFS(&web.files);
}
