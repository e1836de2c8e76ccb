// A model inside the page of `make web`: one HTML file that simulates it in a browser.
#ifndef CF_CLI_WEBPAGE_H
#define CF_CLI_WEBPAGE_H

#include "cli.h"

// A run that the page simulates again: the state at its start and the controls of every step.
typedef struct {
  mjtNum *state, *ctrl;
  int nstate, nctrl;
  size_t steps, room;
  double timestep;
  char hash[20];  // of the state at its end
} cliRecording;

// Begin with the state of d; false without memory.
bool cli_startRecording(cliRecording* r, const mjModel* m, const mjData* d);

// Add the controls of a step; false without memory.
bool cli_recordStep(cliRecording* r, const mjData* d);

void cli_freeRecording(cliRecording* r);

// Write the page with a model, the files that it names and a recording if there is one; NULL is the
// embedded model. Messages where something fails.
cliExit cli_writePage(const char* model, const char* page, const cliRecording* recording);

// Open a page in the user's browser; false where there is no screen or no program for it.
bool cli_openPage(const char* page);

#endif  // CF_CLI_WEBPAGE_H
