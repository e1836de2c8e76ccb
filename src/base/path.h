// File names: join, reduce, split. Both slashes separate, as in MuJoCo.
#ifndef CF_BASE_PATH_H
#define CF_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

// bytes of the part that makes a path absolute ("/", "c:\", "http://", the scheme of a registered
// resource provider with its colon), 0 when the path is relative
size_t cfi_absolutePrefix(const char* path);

// directory and name as one reduced path on the heap (mju_free), "." and inner ".." taken out; the
// name alone when it is absolute. Directory may be NULL. NULL when memory is short.
char* cfi_joinPath(const char* directory, const char* name);

// part behind the last separator, and from its last dot on ("" when there is none)
const char* cfi_fileName(const char* path);
const char* cfi_fileExtension(const char* path);

#endif  // CF_BASE_PATH_H
