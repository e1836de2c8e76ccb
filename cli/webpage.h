// A model inside the page of `make web`: one HTML file that simulates it in a browser.
#ifndef CF_CLI_WEBPAGE_H
#define CF_CLI_WEBPAGE_H

#include "cli.h"

// Write the page with a model and the files that it names; NULL is the embedded model. Messages
// where something fails.
cliExit cli_writePage(const char* model, const char* page);

// Open a page in the user's browser; false where there is no screen or no program for it.
bool cli_openPage(const char* page);

#endif  // CF_CLI_WEBPAGE_H
