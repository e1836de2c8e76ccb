// Why a file cannot be opened.
#ifndef CF_BASE_MISSING_H
#define CF_BASE_MISSING_H

#include <stddef.h>

// add to a message, "" if nothing is known: the path that was tried, that it is a folder or cannot
// be read, that its folder does not exist, or the file of that folder with the most similar name
void cfi_explainMissing(const char* dir, const char* name, char* error, size_t nerror);

#endif  // CF_BASE_MISSING_H
