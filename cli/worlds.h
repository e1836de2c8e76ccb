// States of the worlds of `cortenforge batch` as files.
#ifndef CF_CLI_WORLDS_H
#define CF_CLI_WORLDS_H

#include <cortenforge/batch.h>

#include "cli.h"

// a row for each world, in the format of the suffix: .csv or .npy; false with a message
bool cli_writeWorlds(cfBatch* batch, const char* path);

#endif  // CF_CLI_WORLDS_H
