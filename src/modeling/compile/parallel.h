// Independent pieces of one compilation on several threads.
#ifndef CF_COMPILE_PARALLEL_H
#define CF_COMPILE_PARALLEL_H

#include "compile/draft.h"

// work on piece `index`; memory from the given draft's pool, failures through cfi_fail on it.
// The draft is the worker's own: its lists may be read, its data is the worker's to make.
typedef void cfPieceJob(cfDraft* draft, const void* argument, int index);

// all pieces, on up to `nthread` threads where the compiler may use threads. Results and messages
// do not depend on the number of threads: the first failing piece in order ends the compilation.
void cfi_runPieces(cfDraft* draft, cfPieceJob* job, const void* argument, int count, int nthread);

#endif  // CF_COMPILE_PARALLEL_H
