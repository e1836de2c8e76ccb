// Randomized worlds of `cortenforge batch`.
#ifndef CF_CLI_RANDOMIZE_H
#define CF_CLI_RANDOMIZE_H

#include <cortenforge/batch.h>

#include "cli.h"

// draw what the lines `FIELD scale|add LOW HIGH` of a file say, for every world; a message if not
// all is CLI_OK
cliExit cli_randomize(cfBatch* batch, const char* path, double seed);

#endif  // CF_CLI_RANDOMIZE_H
