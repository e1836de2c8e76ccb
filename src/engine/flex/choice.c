// Which models flexes use: the list of those that can be chosen, and the choice of each flex in the
// private block of the model.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/catalog.h"
#include "base/memory.h"
#include "flex/models.h"
#include "math/inline.h"
#include "model/extension.h"

typedef enum { BENDING, ELASTICITY, NSUBJECT } flexSubject;


// ---------------------------------------- models that can be chosen

static const char* flexModelName(const void* model) {
  return ((const cfFlexModel*)model)->name;
}


// MuJoCo's come first
static const void* const own_bending[] = {&cfi_cotangentBending, &cfi_bridsonBending,
                                          &cfi_cubicShellBending};
static const void* const own_elasticity[] = {&cfi_linearElasticity, &cfi_neoHookean,
                                             &cfi_stableNeoHookean};

static cfCatalog flex_models[NSUBJECT] = {
    [BENDING] = CF_CATALOG_INIT("model of bending", flexModelName, own_bending),
    [ELASTICITY] = CF_CATALOG_INIT("model of elasticity", flexModelName, own_elasticity)};


const cfFlexModel* cfi_flexBendingAt(int k) {
  return cfi_modelAt(flex_models + BENDING, k);
}


const cfFlexModel* cfi_flexElasticityAt(int k) {
  return cfi_modelAt(flex_models + ELASTICITY, k);
}


static const cfFlexModel* usualModel(flexSubject subject) {
  return flex_models[subject].own[0];
}


// why a model cannot be added, its name aside; NULL if it can
static const char* objection(const cfFlexModel* model) {
  if (!model->acts || !model->addForces || !model->energy) {
    return "it needs acts, addForces and energy";
  }
  if (!model->stencils != !model->stiffness) {
    return "stencils and stiffness come together";
  }
  return !model->numbers != !model->precompute ? "numbers and precompute come together" : NULL;
}


static int registerModel(flexSubject subject, const cfFlexModel* model) {
  const char* fault = cfi_nameFault(flex_models + subject, model);
  return cfi_addModel(flex_models + subject, model, fault ? fault : objection(model));
}


int cf_registerFlexBending(const cfFlexModel* model) {
  return registerModel(BENDING, model);
}


int cf_registerFlexElasticity(const cfFlexModel* model) {
  return registerModel(ELASTICITY, model);
}


// ---------------------------------------- choice of a model

// what a flex uses
typedef struct {
  cfFlexUse use[NSUBJECT];  // model NULL: MuJoCo's
  bool is_implicit;         // its stiffness
  mjtNum rigidity;          // of the plate, 0: not known
} flexChosen;

// content of the slot
typedef struct {
  int nflex, nimplicit;
  flexChosen flex[];
} flexChoice;


static size_t choiceBytes(int nflex) {
  return sizeof(flexChoice) + sizeof(flexChosen) * (size_t)nflex;
}


static const flexChoice* chosenIn(const mjModel* m) {
  return cfi_modelExtension(m)->slot[CF_EXTENSION_FLEX].content;
}


static void freeChoice(void* content) {
  flexChoice* choice = content;
  for (int f = 0; f < choice->nflex; f++) {
    for (int k = 0; k < NSUBJECT; k++) {
      mju_free(choice->flex[f].use[k].constant);
    }
  }
  mju_free(choice);
}


static void* copyChoice(const void* content) {
  const flexChoice* from = content;
  flexChoice* choice = cfi_tryCopy(from, choiceBytes(from->nflex));
  if (!choice) {
    return NULL;
  }
  bool is_complete = true;
  for (int k = 0; k < NSUBJECT * from->nflex; k++) {
    cfFlexUse* use = choice->flex[k / NSUBJECT].use + k % NSUBJECT;
    const mjtNum* constant = use->constant;
    use->constant =
        constant ? cfi_tryCopy(constant, sizeof(mjtNum) * (size_t)use->nconstant) : NULL;
    is_complete = is_complete && (use->constant || !constant);
  }
  if (!is_complete) {
    freeChoice(choice);
    return NULL;
  }
  return choice;
}


static inline cfFlexUse useOf(const mjModel* m, int f, flexSubject subject,
                              const cfFlexModel* usual) {
  CF_ASSERT(0 <= f && f < m->nflex);
  const flexChoice* choice = chosenIn(m);
  return choice && choice->flex[f].use[subject].model ? choice->flex[f].use[subject]
                                                      : (cfFlexUse){usual, NULL, 0};
}


cfFlexUse cfi_flexBending(const mjModel* m, int f) {
  return useOf(m, f, BENDING, &cfi_cotangentBending);
}


cfFlexUse cfi_flexElasticity(const mjModel* m, int f) {
  return useOf(m, f, ELASTICITY, &cfi_linearElasticity);
}


mjtNum cfi_flexRigidity(const mjModel* m, int f) {
  CF_ASSERT(0 <= f && f < m->nflex);
  const flexChoice* choice = chosenIn(m);
  return choice ? choice->flex[f].rigidity : 0;
}


bool cfi_hasImplicitFlexes(const mjModel* m) {
  const flexChoice* choice = chosenIn(m);
  return choice && choice->nimplicit > 0;
}


bool cfi_flexIsImplicit(const mjModel* m, int f) {
  CF_ASSERT(0 <= f && f < m->nflex);
  const flexChoice* choice = chosenIn(m);
  return choice && choice->flex[f].is_implicit;
}


// vertices of a flex in qpos0, padded; NULL without memory, to be freed
static mjtNum* restVertices(const mjModel* m, int f) {
  const int n = m->flex_vertnum[f];
  mjData* d = mj_makeData(m);
  mjtNum* rest = d ? cfi_tryMalloc(sizeof(mjtNum) * CF_POINT * (size_t)n) : NULL;
  if (rest) {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_flex(m, d);
    for (int v = 0; v < n; v++) {
      cfi_copy3(rest + CF_POINT * v, d->flexvert_xpos + 3 * (m->flex_vertadr[f] + v));
      rest[CF_POINT * v + 3] = 0;
    }
  }
  mj_deleteData(d);
  return rest;
}


// the model with its constants; false without memory
static bool prepareUse(cfFlexUse* use, const mjModel* m, int f, const cfFlexModel* model) {
  *use = (cfFlexUse){model, NULL, model->numbers ? model->numbers(m, f) : 0};
  if (use->nconstant <= 0 || !model->acts(m, f)) {
    use->nconstant = 0;
    return true;
  }
  mjtNum* rest = restVertices(m, f);
  use->constant = rest ? cfi_tryMalloc(sizeof(mjtNum) * (size_t)use->nconstant) : NULL;
  if (use->constant) {
    model->precompute(m, f, rest, use->constant);
  }
  mju_free(rest);
  return use->constant != NULL;
}


static flexChoice* choiceOf(mjModel* m) {
  cfExtensionSlot* slot = cfi_modelExtension(m)->slot + CF_EXTENSION_FLEX;
  if (!slot->content) {
    flexChoice* choice = cfi_tryMalloc(choiceBytes((int)m->nflex));
    if (!choice) {
      return NULL;
    }
    memset(choice, 0, choiceBytes((int)m->nflex));
    choice->nflex = (int)m->nflex;
    *slot = (cfExtensionSlot){&cfi_flexChoiceClass, choice};
  }
  return slot->content;
}


bool cfi_setFlexRigidity(mjModel* m, int f, mjtNum rigidity) {
  flexChoice* choice = choiceOf(m);
  if (choice) {
    choice->flex[f].rigidity = rigidity;
  }
  return choice != NULL;
}


// message for a choice that cannot be made; false
static bool refuseChoice(char* error, int nerror, const char* text, const char* detail) {
  if (error && nerror > 0) {
    snprintf(error, (size_t)nerror, text, detail);
  }
  return false;
}


static const char no_stiffness[] =
    "model '%s' has no stiffness, which a flex with implicit stiffness needs";


static bool hasStiffness(const cfFlexModel* model) {
  return model->stencils && model->stiffness;
}


static bool canChoose(const mjModel* m, int f, flexSubject subject, const char* name, char* error,
                      int nerror) {
  if (f < 0 || f >= m->nflex) {
    return refuseChoice(error, nerror, "there is no such flex%s", "");
  }
  const cfFlexModel* model = cfi_needModel(flex_models + subject, name, error, nerror);
  if (!model) {
    return false;
  }
  if (m->flex_interp[f] && model != usualModel(subject)) {
    return refuseChoice(error, nerror, "model '%s' cannot serve a flex that is interpolated", name);
  }
  const char* objection = NULL;
  if (model != usualModel(subject)) {
    objection = m->flex_rigid[f]   ? "cannot serve a flex that is rigid"
                : model->objection ? model->objection(m, f)
                                   : NULL;
  }
  if (objection) {
    char text[300];
    snprintf(text, sizeof(text), "model '%%s' %s", objection);
    return refuseChoice(error, nerror, text, name);
  }
  if (cfi_flexIsImplicit(m, f) && !hasStiffness(model)) {
    return refuseChoice(error, nerror, no_stiffness, name);
  }
  return true;
}


static int chooseModel(mjModel* m, int f, flexSubject subject, const char* name, char* error,
                       int nerror) {
  const cfFlexModel* usual = usualModel(subject);
  name = name ? name : usual->name;
  if (!canChoose(m, f, subject, name, error, nerror)) {
    return 0;
  }
  const cfFlexModel* model = cfi_modelNamed(flex_models + subject, name);
  cfFlexUse use = {NULL, NULL, 0};
  flexChoice* choice = choiceOf(m);
  if (!choice || (model != usual && !prepareUse(&use, m, f, model))) {
    return refuseChoice(error, nerror, "no memory for model '%s'", name);
  }
  mju_free(choice->flex[f].use[subject].constant);
  choice->flex[f].use[subject] = use;
  return 1;
}


static bool canBeImplicit(const mjModel* m, int f, char* error, int nerror) {
  const char* solver = cfi_modelExtension(m)->stiff_free;
  if (solver) {
    return refuseChoice(error, nerror,
                        "contact solver '%s' does not know implicit stiffness; 'lcp' and "
                        "'hunt_crossley' do",
                        solver);
  }
  if (m->flex_interp[f]) {
    return refuseChoice(error, nerror,
                        "implicit stiffness cannot serve a flex that is interpolated%s",
                        ": integrators implicit and implicitfast do");
  }
  for (flexSubject k = BENDING; k < NSUBJECT; k++) {
    const cfFlexModel* model = useOf(m, f, k, usualModel(k)).model;
    if (!hasStiffness(model)) {
      return refuseChoice(error, nerror, no_stiffness, model->name);
    }
  }
  return true;
}


int cf_setFlexImplicit(mjModel* m, int flex, int is_implicit, char* error, int nerror) {
  if (flex < 0 || flex >= m->nflex) {
    return refuseChoice(error, nerror, "there is no such flex%s", "");
  }
  if (!cfi_flexIsImplicit(m, flex) == !is_implicit) {
    return 1;
  }
  flexChoice* choice = choiceOf(m);
  if (!choice) {
    return refuseChoice(error, nerror, "no memory for implicit stiffness%s", "");
  }
  if (is_implicit && !canBeImplicit(m, flex, error, nerror)) {
    return 0;
  }
  choice->flex[flex].is_implicit = is_implicit != 0;
  choice->nimplicit += is_implicit ? 1 : -1;
  return 1;
}


int cf_flexImplicit(const mjModel* m, int flex) {
  return flex >= 0 && flex < m->nflex && cfi_flexIsImplicit(m, flex);
}


// ---------------------------------------- choices in a file
//
// For each choice that is not MuJoCo's, by flex and subject (bending, elasticity, implicit
// stiffness, rigidity): int32 flex, subject, bytes of the name; name.  The rigidity of a flex with
// a model of bending is a number in the place of a name.  What models precompute is not kept: it is
// made again from the rest shape.

enum { ENTRY_BYTES = 12, RIGIDITY = NSUBJECT + 1, IN_FILE };

static const char implicit_name[] = "implicit";


// name of what a flex uses, or its number, and how many bytes that is; NULL for MuJoCo's
static const void* chosenName(const flexChosen* flex, int subject, int32_t* nbyte) {
  const char* name = NULL;
  if (subject == RIGIDITY) {
    const bool is_known = flex->use[BENDING].model && flex->rigidity > 0;
    *nbyte = (int32_t)sizeof(flex->rigidity);
    return is_known ? &flex->rigidity : NULL;
  }
  if (subject == NSUBJECT) {
    name = flex->is_implicit ? implicit_name : NULL;
  } else {
    name = flex->use[subject].model ? flex->use[subject].model->name : NULL;
  }
  *nbyte = name ? (int32_t)strlen(name) : 0;
  return name;
}


static size_t packChoice(const mjModel* m, const void* content, char* buffer) {
  const flexChoice* choice = content;
  CF_ASSERT(choice->nflex == m->nflex);
  size_t total = 0;
  for (int32_t k = 0; k < IN_FILE * m->nflex; k++) {
    int32_t entry[3] = {k / IN_FILE, k % IN_FILE, 0};
    const void* name = chosenName(choice->flex + k / IN_FILE, k % IN_FILE, entry + 2);
    if (!name) {
      continue;
    }
    if (buffer) {
      memcpy(buffer + total, entry, ENTRY_BYTES);
      memcpy(buffer + total + ENTRY_BYTES, name, (size_t)entry[2]);
    }
    total += ENTRY_BYTES + (size_t)entry[2];
  }
  return total;
}


// rigidity of a flex with a model of bending, which is then made anew
static bool takeRigidity(mjModel* m, int f, const char* bytes, int32_t nbyte, char* reason,
                         size_t nreason) {
  mjtNum rigidity = 0;
  if (nbyte == (int32_t)sizeof(rigidity)) {
    memcpy(&rigidity, bytes, sizeof(rigidity));
  }
  const cfFlexModel* model = cfi_flexBending(m, f).model;
  if (!(rigidity > 0 && rigidity < mjMAXVAL) || model == usualModel(BENDING)) {
    snprintf(reason, nreason, "flex %d has a rigidity that is never written", f);
    return false;
  }
  return cfi_setFlexRigidity(m, f, rigidity) &&
         chooseModel(m, f, BENDING, model->name, reason, (int)nreason);
}


// make the choice that a file names; one that is never written is refused
static bool chooseNamed(mjModel* m, int f, int subject, const char* name, bool is_whole,
                        char* reason, size_t nreason) {
  const char* usual = subject < NSUBJECT ? usualModel((flexSubject)subject)->name : "";
  if (!is_whole || strcmp(name, usual) == 0 ||
      (subject == NSUBJECT && strcmp(name, implicit_name) != 0)) {
    snprintf(reason, nreason, "flex %d has a name that is never written", f);
    return false;
  }
  return subject == NSUBJECT ? cf_setFlexImplicit(m, f, 1, reason, (int)nreason)
                             : chooseModel(m, f, (flexSubject)subject, name, reason, (int)nreason);
}


// one entry at the front of the bytes; the bytes it takes, 0 and a reason
static size_t unpackFlexModel(mjModel* m, int* last, const char* bytes, size_t nbyte, char* reason,
                              size_t nreason) {
  int32_t entry[3];
  char name[CF_MODEL_NAME_MAX + 1];
  if (nbyte >= ENTRY_BYTES) {
    memcpy(entry, bytes, ENTRY_BYTES);
  }
  if (nbyte < ENTRY_BYTES || entry[2] < 1 || entry[2] > CF_MODEL_NAME_MAX ||
      (size_t)entry[2] > nbyte - ENTRY_BYTES) {
    snprintf(reason, nreason, "an entry does not fit in its section");
    return 0;
  }
  if (entry[0] < 0 || entry[0] >= m->nflex || entry[1] < 0 || entry[1] >= IN_FILE ||
      IN_FILE * entry[0] + entry[1] <= *last) {
    snprintf(reason, nreason, "there is no flex %d with subject %d, or it comes twice",
             (int)entry[0], (int)entry[1]);
    return 0;
  }
  memcpy(name, bytes + ENTRY_BYTES, (size_t)entry[2]);
  name[entry[2]] = 0;
  *last = IN_FILE * entry[0] + entry[1];
  if (entry[1] == RIGIDITY) {
    return takeRigidity(m, entry[0], bytes + ENTRY_BYTES, entry[2], reason, nreason)
               ? ENTRY_BYTES + (size_t)entry[2]
               : 0;
  }
  return chooseNamed(m, entry[0], entry[1], name, strlen(name) == (size_t)entry[2], reason, nreason)
             ? ENTRY_BYTES + (size_t)entry[2]
             : 0;
}


const cfExtensionClass cfi_flexChoiceClass = {.name = "flex models",
                                              .copy = copyChoice,
                                              .free = freeChoice,
                                              .pack = packChoice,
                                              .unpackEntry = unpackFlexModel};


// ---------------------------------------- what programs call

int cf_setFlexBending(mjModel* m, int flex, const char* name, char* error, int nerror) {
  return chooseModel(m, flex, BENDING, name, error, nerror);
}


int cf_setFlexElasticity(mjModel* m, int flex, const char* name, char* error, int nerror) {
  return chooseModel(m, flex, ELASTICITY, name, error, nerror);
}


const char* cf_flexBending(const mjModel* m, int flex) {
  return flex < 0 || flex >= m->nflex ? NULL : cfi_flexBending(m, flex).model->name;
}


const char* cf_flexElasticity(const mjModel* m, int flex) {
  return flex < 0 || flex >= m->nflex ? NULL : cfi_flexElasticity(m, flex).model->name;
}


mjtNum cf_flexEnergy(const mjModel* m, mjData* d, int flex) {
  return flex < 0 || flex >= m->nflex ? 0 : cfi_flexEnergy(m, d, flex);
}
