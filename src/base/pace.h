// Whether threads help: decides call by call from what calls cost with help and without.
//
// On a quiet machine rounds on several threads are faster.  Where other programs want the
// processors, a thread that has taken a round may be put aside by the system for milliseconds, and
// its caller waits.  A pace compares the times of calls with the mean of calls alone.  Where help
// costs more than it saves it has the caller work alone for a while, and then tries again; pauses
// grow as long as trials fail.  Results must not depend on the answer.
#ifndef CF_BASE_PACE_H
#define CF_BASE_PACE_H

#include <stdbool.h>

typedef struct {
  double alone;    // mean seconds per unit of work without help; 0: not known yet
  double balance;  // what help cost beyond working alone, lately, in calls of work alone
  double start;    // of the call that runs
  double rested;   // when the pause began
  int ncall;       // calls since help was last taken up or given up
  int pause;       // calls of the next pause
  bool is_resting;
  bool is_helped;  // the call that runs
} cfPace;

// A call begins at this time in seconds; true if threads should help.
bool cfi_paceBegin(cfPace* pace, double now);

// The call ends, after so much work in any unit.
void cfi_paceEnd(cfPace* pace, double now, double work);

#endif  // CF_BASE_PACE_H
