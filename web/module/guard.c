// Errors and warnings of the engine, and memory for the page.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "web.h"

webState web;
static jmp_buf* escape;

static void onError(const char* text) {
  snprintf(web.message, sizeof(web.message), "%s", text);
  if (escape) {
    longjmp(*escape, 1);
  }
}


static void onWarning(const char* text) {
  snprintf(web.warning, sizeof(web.warning), "%s", text);
  web.nwarning++;
}


bool cfi_webGuard(void (*function)(void* argument), void* argument) {
  jmp_buf here;
  jmp_buf* const before = escape;
  volatile bool is_done = false;
  escape = &here;
  if (setjmp(here) == 0) {
    function(argument);
    is_done = true;
  }
  escape = before;
  return is_done;
}


void EXPORT(cfw_start)(void) {
  mju_user_error = onError;
  mju_user_warning = onWarning;
  mj_defaultVFS(&web.files);
  mjv_defaultScene(&web.scene);
  mjv_defaultOption(&web.option);
  mjv_defaultPerturb(&web.perturb);
  mjv_defaultCamera(&web.camera);
}


void* EXPORT(cfw_malloc)(int nbyte) {
  return malloc((size_t)nbyte);
}


void EXPORT(cfw_free)(void* memory) {
  free(memory);
}


const char* EXPORT(cfw_message)(void) {
  return web.message;
}


const char* EXPORT(cfw_warning)(void) {
  return web.warning;
}


int EXPORT(cfw_warnings)(void) {
  return web.nwarning;
}


const char* EXPORT(cfw_version)(void) {
  return cf_versionString();
}
