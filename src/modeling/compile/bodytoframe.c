// mjs_bodyToFrame: a body without joints of its own becomes part of its parent.
#include <string.h>

#include "compile/bodyinertia.h"
#include "spec/keys.h"

// the parent takes over the mass that the body had in the last compiled model, as the specification
// gives it
static const char* passMass(const cfElement* body, cfElement* parent) {
  mjsBody* into = (mjsBody*)parent->attr;
  double full[6];
  if (!parent->body || body->compiled_mass < mjMINVAL) {
    return NULL;
  }
  if (!into->explicitinertial) {
    into->explicitinertial = 1;
    memset(into->ipos, 0, sizeof(into->ipos));
    memset(into->iquat, 0, sizeof(into->iquat));
    memset(into->inertia, 0, sizeof(into->inertia));
  }
  const char* trouble = cfi_fuseMass(into, (const mjsBody*)body->attr, full);
  if (into->mass >= mjMINVAL) {
    memcpy(into->fullinertia, full, sizeof(full));
  }
  return trouble;
}


mjsFrame* mjs_bodyToFrame(mjsBody** body) {
  cfElement* e = cfi_element((*body)->element);
  if (!e->body) {
    cfi_setError(e->spec, false, "Error: the world body cannot become a frame");
    return NULL;
  }
  if (!cfi_dissolveKeys(e->spec)) {
    return NULL;
  }
  const char* trouble = passMass(e, e->body);
  if (trouble) {
    cfi_setError(e->spec, false, "Error: error '%s' in fusing static body inertias", trouble);
    return NULL;
  }
  *body = NULL;
  return cfi_bodyToFrame(e);
}
