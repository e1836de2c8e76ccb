// Version numbers: of the C API that the library follows, and of the library itself.
#include <cortenforge/cortenforge.h>

// the API: 3.5.0, encoded with three digits per part
int mj_version(void) {
  return mjVERSION_HEADER;
}


const char* mj_versionString(void) {
  return "3.5.0";
}


int cf_version(void) {
  return CF_VERSION_HEADER;
}


const char* cf_versionString(void) {
  return "0.1.0";
}
