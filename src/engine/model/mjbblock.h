// Our own block in an MJB file: what the private block of a model holds beyond MuJoCo's fields.
//
// MuJoCo refuses a file with bytes behind its last array, so the block stands at the end of the
// array `paths`, whose size field says so: strings before it stay where they are, and MuJoCo loads
// the file, keeps the block and writes it again.  A genuine `paths` ends with a zero byte, a block
// with "CFBLOCK1".
//
//   sections     one for each class of extensions that has something to keep, in the order of
//   slots:
//                int32 bytes of the name, int32 version, int64 bytes of the content, name, content
//   int64        bytes of the whole block
//   uint64       FNV-1a of the sections
//   char x 8     "CFBLOCK1"
#ifndef CF_MODEL_MJBBLOCK_H
#define CF_MODEL_MJBBLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

// bytes of the block of a model, 0 if it has nothing to keep
mjtSize cfi_blockBytes(const mjModel* m);

// write the block of a model, cfi_blockBytes of them
void cfi_packBlock(const mjModel* m, char* block);

// bytes of the block that ends an array of strings: 0 without one, -1 and a message if it is broken
mjtSize cfi_findBlock(const char* paths, mjtSize npaths, char* message, size_t nmessage);

// restore the extensions of a model that is otherwise complete; false and a message
bool cfi_unpackBlock(mjModel* m, const char* block, mjtSize nblock, char* message, size_t nmessage);

#endif  // CF_MODEL_MJBBLOCK_H
