// Loading and saving of models.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web.h"

// a model that is being loaded, with its data
typedef struct {
  const char* name;
  mjModel* m;
  mjData* d;
} loadJob;

static void compile(void* argument) {
  loadJob* job = argument;
  char error[WEB_MESSAGE] = "";
  const size_t length = strlen(job->name);
  const bool is_binary = length > 4 && !strcmp(job->name + length - 4, ".mjb");
  job->m = is_binary ? mj_loadModel(job->name, &web.files)
                     : mj_loadXML(job->name, &web.files, error, sizeof(error));
  if (error[0]) {
    snprintf(web.message, sizeof(web.message), "%s", error);
  } else if (!job->m) {
    snprintf(web.message, sizeof(web.message), "%s",
             web.warning[0] ? web.warning : "the file cannot be loaded");
  }
  if (job->m) {
    job->d = mj_makeData(job->m);
  }
}


// state of the old model where the new one has the same variables, otherwise NULL; to be freed
static mjtNum* stateToKeep(const mjModel* m) {
  const mjModel* old = web.m;
  if (!old || old->nq != m->nq || old->nv != m->nv || old->na != m->na || old->nu != m->nu ||
      web.state_size != mj_stateSize(m, mjSTATE_INTEGRATION)) {
    return NULL;
  }
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)(web.state_size + 1));
  if (state) {
    mj_getState(old, web.d, state, mjSTATE_INTEGRATION);
  }
  return state;
}


// Load a file of the page's. 1: a new model, 2: one that goes on from the state of the model
// before, 0: an error, whose text is the message; the model before stays.
int EXPORT(cfw_load)(const char* name, int keep) {
  loadJob job = {name, NULL, NULL};
  web.message[0] = web.warning[0] = 0;
  if (!cfi_webGuard(compile, &job) || !job.d) {
    mj_deleteModel(job.m);
    return 0;
  }
  mjtNum* state = keep ? stateToKeep(job.m) : NULL;
  mj_deleteData(web.d);
  mj_deleteModel(web.m);
  web.m = job.m;
  web.d = job.d;
  web.state_size = mj_stateSize(web.m, mjSTATE_INTEGRATION);
  if (state) {
    mj_setState(web.m, web.d, state, mjSTATE_INTEGRATION);
  } else {
    mjv_defaultPerturb(&web.perturb);
    mjv_defaultFreeCamera(web.m, &web.camera);
  }
  const bool is_kept = state != NULL;
  free(state);
  cfi_webStartScene();
  const bool is_sound = cfi_webForward();
  cfi_webStartPast();
  return !is_sound ? 0 : is_kept ? 2 : 1;
}


// The model as the bytes of an MJB file, to be freed; NULL without memory.
void* EXPORT(cfw_saveModel)(int* nbyte) {
  *nbyte = (int)mj_sizeModel(web.m);
  void* bytes = malloc((size_t)*nbyte);
  if (bytes) {
    mj_saveModel(web.m, NULL, bytes, *nbyte);
  }
  return bytes;
}
