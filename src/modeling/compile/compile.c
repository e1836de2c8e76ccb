// mj_compile: from specification to model, the order of the phases and what happens when one fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "compile/draft.h"
#include "compile/keep.h"
#include "compile/phases.h"
#include "compile/plugins.h"
#include "model/model.h"
#include "spec/keys.h"

// compilation of this thread, for errors and warnings of the engine
static _Thread_local cfDraft* current_draft;


static void onEngineError(const char* message) {
  cfi_fail(current_draft, NULL, "engine error: %s%s%s", message,
           current_draft->warning[0] ? "\n" : "", current_draft->warning);
}


static void onEngineWarning(const char* message) {
  snprintf(current_draft->warning, sizeof(current_draft->warning), "%s", message);
}


enum { KEYS_MAX = 1000000 };


//---------------------------------- phases --------------------------------------------------------

static void checkBodyCount(cfDraft* draft) {
  if (cfi_list(draft->spec, mjOBJ_BODY)->count + cfi_list(draft->spec, mjOBJ_FLEX)->count >=
      65534) {
    cfi_fail(draft, NULL, "number of bodies plus flexes must be less than 65534");
  }
}


// copies of all elements, names known
static void draftSpecification(cfDraft* draft) {
  checkBodyCount(draft);
  cfi_draftElements(draft);
  cfi_takeKeyframes(draft);
  cfi_indexParts(draft);
  cfi_setUserRoom(draft);
}


// final attributes of every element
static void compileElements(cfDraft* draft) {
  cfi_linkAssets(draft);
  if (draft->compiler->discardvisual) {
    cfi_dropMaterials(draft);
  }
  cfi_linkMaterials(draft);
  cfi_linkMeshPlugins(draft);
  cfi_compileAssets(draft);
  cfi_compileTree(draft);
  if (draft->compiler->fusestatic) {
    cfi_fuseStatic(draft);
  }
  cfi_compileFlexes(draft);
  cfi_compileLateAssets(draft);
  cfi_compilePairs(draft);
  cfi_compileExcludes(draft);
  cfi_compileEqualities(draft);
  cfi_compileTendons(draft);
  cfi_compileActuators(draft);
  cfi_compileSensors(draft);
  cfi_compileCustom(draft);
  cfi_compilePlugins(draft);
  cfi_orderPairs(draft);
  if (draft->compiler->discardvisual) {
    cfi_dropVisual(draft);
  }
  cfi_checkMovingBodies(draft);
}


// the model itself
static void buildModel(cfDraft* draft) {
  cfi_countSizes(draft);
  draft->model = cfi_newModel(&draft->sizes);
  if (!draft->model) {
    cfi_fail(draft, NULL, "could not create mjModel%s%s", draft->warning[0] ? ": " : "",
             draft->warning);
  }
  draft->model->opt = draft->spec->pub.option;
  draft->model->vis = draft->spec->pub.visual;
  cfi_fillNames(draft);
  cfi_fillTree(draft);
  cfi_fillPlugins(draft);
  cfi_fillObjects(draft);
  cfi_fillAssets(draft);
  cfi_fillFlexes(draft);
  cfi_fillKeyframes(draft);
  if (draft->compiler->settotalmass > 0) {
    mj_setTotalmass(draft->model, draft->compiler->settotalmass);
  }
  cfi_fillArenaSize(draft);
  cfi_fillSparsity(draft->model);
  cfi_finishConstants(draft);
  cfi_chooseFlexModels(draft);
  cfi_chooseGainModels(draft);
  cfi_chooseContactSolver(draft);
  draft->model->signature = cfi_signature(draft);
  cfi_notePlaces(draft);
  cfi_keepModel(draft);
}


//---------------------------------- entry ---------------------------------------------------------

cfDraftScope cfi_enterDraft(cfDraft* draft) {
  CF_ASSERT(draft != NULL);
  const cfDraftScope scope = {_mjPRIVATE__get_tls_error_fn(), _mjPRIVATE__get_tls_warning_fn(),
                              current_draft};
  current_draft = draft;
  _mjPRIVATE__set_tls_error_fn(onEngineError);
  _mjPRIVATE__set_tls_warning_fn(onEngineWarning);
  return scope;
}


void cfi_leaveDraft(cfDraftScope scope) {
  _mjPRIVATE__set_tls_error_fn(scope.on_error);
  _mjPRIVATE__set_tls_warning_fn(scope.on_warning);
  current_draft = scope.outer;
}


// run all phases; the model, or NULL with a message in the draft
static mjModel* runPhases(cfDraft* draft) {
  const cfDraftScope scope = cfi_enterDraft(draft);
  jmp_buf here;
  draft->escape = &here;
  mjModel* volatile model = NULL;
  if (setjmp(here) == 0) {
    draftSpecification(draft);
    compileElements(draft);
    buildModel(draft);
    model = draft->model;
  } else {
    mj_deleteData(draft->data);
    mj_deleteModel(draft->model);
  }
  cfi_leaveDraft(scope);
  return model;
}


mjModel* mj_compile(mjSpec* s, const mjVFS* vfs) {
  cfSpec* spec = cfi_spec(s);
  cfDraft* draft = (cfDraft*)calloc(1, sizeof(cfDraft));
  if (!draft) {
    cfi_setError(spec, false, "Error: could not allocate memory for compilation");
    return NULL;
  }
  draft->spec = spec;
  draft->vfs = vfs;
  draft->compiler = &s->compiler;
  spec->error[0] = 0;
  spec->is_warning = false;
  if (spec->is_attached) {
    cfi_setError(spec, false,
                 "Error: cannot compile child spec if attached by reference to a parent spec");
    free(draft);
    return NULL;
  }

  cfi_listNames(spec);
  mjModel* model = NULL;
  if (s->nkey > KEYS_MAX) {
    snprintf(draft->message, sizeof(draft->message),
             "Error: nkey is %d, at most %d keyframes are allowed", s->nkey, KEYS_MAX);
  } else {
    cfi_addMissingKeys(spec);
    cfi_expandKeys(spec);
    cfi_resolveKeys(spec);
    model = runPhases(draft);
  }
  if (model) {
    cfi_completeKeys(spec, model);
    spec->is_compiled = true;
    spec->kept_edit = spec->nedit;
    const int sizes[6] = {(int)model->nq, (int)model->nv,         (int)model->na,
                          (int)model->nu, 3 * (int)model->nmocap, 4 * (int)model->nmocap};
    memcpy(spec->compiled_size, sizes, sizeof(sizes));
    spec->self.head.signature = model->signature;
    if (draft->warning[0]) {
      cfi_setError(spec, true, "%s", draft->warning);
    }
  } else {
    spec->is_compiled = false;
    cfi_setError(spec, false, "%s", draft->message);
  }
  cfi_poolFree(&draft->pool);
  free(draft);
  return model;
}
