// What the command line needs of the operating system beyond base/platform.h: processes, pipes,
// signals and terminals. system_posix.c and system_windows.c have it.
#ifndef CF_CLI_SYSTEM_H
#define CF_CLI_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/platform.h"

// what ends a child before it is done; other values are numbers of signals
enum { CLI_TIMEOUT = -1 };

bool cli_isTerminal(FILE* file);

// Call a function when the user or the system asks for an end (interrupt, termination).
void cli_onStop(void (*handler)(int));

// A pipe whose reader is gone is an error of writing, not the end of the program.
void cli_keepBrokenPipes(void);

// Arguments in UTF-8, bytes of the standard streams unchanged.
void cli_systemStart(int* argc, char*** argv);

// File of this program.
bool cli_ownProgram(char path[CF_PATH_MAX]);

// Run a program (words end with NULL) and keep what it prints, standard error included; of more
// than fits the end. Its exit status, 128 and more for a signal, -1 where it cannot be run.
int cli_runProgram(const char* const* words, char* output, size_t noutput);

// Run a program in the place of this one, with its streams; where that cannot be, beside it until
// it ends: its exit status, or -1 where it cannot be run.
int cli_becomeProgram(const char* const* words);

// A program that reads what we write.
typedef struct {
  void* process;  // its handle, or
  int pid;        // its number
  int pipe;       // -1 without one
} cliFeed;

bool cli_feedOpen(cliFeed* feed, const char* const* words);
bool cli_feedWrite(const cliFeed* feed, const unsigned char* bytes, size_t count);
bool cli_feedClose(cliFeed* feed);  // false where the program failed

// A file of its own in the folder for such, with these bytes; its name on the heap, or NULL.
char* cli_temporaryFile(const char* ending, const char* bytes, size_t count);

// A library in a name space of its own, where the system has such; NULL with the reason.
void* cli_libraryApart(const char* path, char* reason, size_t nreason);

// The first bytes of a text, on the heap.
char* cli_copyPart(const char* text, size_t count);

// The next line of a file, with its end, in memory that grows and is freed by the caller; its
// length, -1 at the end.
long cli_readLine(char** line, size_t* size, FILE* file);

#endif  // CF_CLI_SYSTEM_H
