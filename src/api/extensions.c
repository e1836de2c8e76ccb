// Extensions of a model that are kept in MJB files, by slot.
#include "contactsolver/contactsolver.h"
#include "dynamics/gain.h"
#include "flex/models.h"
#include "model/extension.h"

const cfExtensionClass* const cfi_extensionClasses[CF_NEXTENSION] = {
    [CF_EXTENSION_SOLVER] = &cfi_contactChoiceClass,
    [CF_EXTENSION_FLEX] = &cfi_flexChoiceClass,
    [CF_EXTENSION_GAIN] = &cfi_gainChoiceClass,
};
