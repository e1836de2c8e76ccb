// Shared by the files of the WebAssembly module: one simulation with its scene, camera, mouse and
// past. What a page calls has a name that begins with cfw_; everything else it reads from memory,
// by the layout that cfw_layout describes.
#ifndef CF_WEB_H
#define CF_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cortenforge/cortenforge.h>

#define EXPORT(name) __attribute__((export_name(#name), visibility("default"))) name

enum { WEB_MESSAGE = 8000 };

typedef struct {
  mjVFS files;
  mjModel* m;  // NULL before the first model
  mjData* d;
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  mjvPerturb perturb;
  int state_size;             // numbers of mjSTATE_INTEGRATION
  int nwarning;               // warnings of the engine so far
  char message[WEB_MESSAGE];  // of the last call that failed, or a warning of the compiler
  char warning[WEB_MESSAGE];  // the newest one
} webState;

extern webState web;

// Call a function; false if an error of the engine ended it, whose text is then the message.
bool cfi_webGuard(void (*function)(void* argument), void* argument);

// Allocate room for the past of a new model and make its present state the only one in it.
void cfi_webStartPast(void);

// Append the present state to the past, in place of the oldest one when there is no room.
void cfi_webRemember(void);

// Make a scene for a new model.
void cfi_webStartScene(void);

// Compute everything that depends on the state; false with a message on errors.
bool cfi_webForward(void);

// JSON text that grows
typedef struct {
  char* text;
  size_t used, room;
  bool has_items;  // in the innermost object or list
} webJson;

void cfi_jsonOpen(webJson* json, const char* key, char bracket);
void cfi_jsonClose(webJson* json, char bracket);
void cfi_jsonText(webJson* json, const char* key, const char* text);
void cfi_jsonNumber(webJson* json, const char* key, long long number);

#endif  // CF_WEB_H
