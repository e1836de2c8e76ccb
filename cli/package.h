// The mujoco Python package of an environment, for `doctor` and `adopt`.
#ifndef CF_CLI_PACKAGE_H
#define CF_CLI_PACKAGE_H

#include "cli.h"

enum { CLI_PATH_MAX = 2000 };

typedef struct {
  char python[CLI_PATH_MAX];  // interpreter
  int python_status;          // 0, or why it could not be asked
  char version[64];           // of the package; empty where there is none
  char folder[CLI_PATH_MAX];
  char library[CLI_PATH_MAX];  // what it loads
  char backup[CLI_PATH_MAX];   // where adopt keeps the original
  bool is_adopted;             // the library is ours
} cliPackage;

// look into an environment (a folder with bin/python), the active one if NULL; false: no package
bool cli_findPackage(cliPackage* p, const char* environment);

// is a file our library
bool cli_isOurs(const char* library);

// our library under MuJoCo's name, beside the program or where it is installed
bool cli_ownLibrary(char path[CLI_PATH_MAX]);

// import the package in its interpreter and simulate a second; false with a message
bool cli_smokeTest(const cliPackage* p, bool wants_ours);

// run a line of Python in an interpreter, silently; its exit status, -1 if it cannot run
int cli_runPython(const char* python, const char* code);

#endif  // CF_CLI_PACKAGE_H
