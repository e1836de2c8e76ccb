// Models that a flex in a specification chooses.
#include <cortenforge/flex.h>

#include "base/assert.h"
#include "spec/spec.h"

enum { FLEX_BENDING, FLEX_ELASTICITY };


static cfElement* flexElement(const mjsFlex* flex) {
  cfElement* e = (cfElement*)flex->element;
  CF_ASSERT(e->head.elemtype == mjOBJ_FLEX);
  return e;
}


static void assignModel(mjsFlex* flex, int subject, const char* name) {
  cfi_assignString(&flexElement(flex)->part.flex.model[subject], name ? name : "");
}


void cf_setSpecFlexBending(mjsFlex* flex, const char* name) {
  assignModel(flex, FLEX_BENDING, name);
}


void cf_setSpecFlexElasticity(mjsFlex* flex, const char* name) {
  assignModel(flex, FLEX_ELASTICITY, name);
}


void cf_setSpecFlexImplicit(mjsFlex* flex, int is_implicit) {
  flexElement(flex)->part.flex.is_implicit = is_implicit != 0;
}


void cf_setSpecFlexModuli(mjsFlex* flex, int moduli) {
  flexElement(flex)->part.flex.moduli = moduli;
}


const char* cf_specFlexBending(const mjsFlex* flex) {
  return cfi_text(&flexElement(flex)->part.flex.model[FLEX_BENDING]);
}


const char* cf_specFlexElasticity(const mjsFlex* flex) {
  return cfi_text(&flexElement(flex)->part.flex.model[FLEX_ELASTICITY]);
}


int cf_specFlexImplicit(const mjsFlex* flex) {
  return flexElement(flex)->part.flex.is_implicit;
}


int cf_specFlexModuli(const mjsFlex* flex) {
  return flexElement(flex)->part.flex.moduli;
}
