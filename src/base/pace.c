#include "base/pace.h"

#include "base/assert.h"

// FIRST_ALONE: the call without help that sets the measure; PROBE_EVERY: calls with help from one
// without to the next; TRUSTED: calls with help after which the next pause is short again
enum { FIRST_ALONE = 7, PROBE_EVERY = 64, TRUSTED = 128 };
enum { SHORT_PAUSE = 16, LONG_PAUSE = 4096, PAUSE_GROWTH = 4 };

// a pause lasts no longer than this, so that programs with long calls notice a quiet machine, too
static const double most_rest = 1;

// Help is given up when it has lost as much as this many calls alone take; what it saved before
// counts up to as many.
static const double most_loss = 3;


// True if the pause is over.
static bool hasRested(const cfPace* pace, double now) {
  CF_ASSERT(pace->is_resting && pace->pause >= SHORT_PAUSE);
  return pace->ncall >= pace->pause ||
         (pace->ncall >= SHORT_PAUSE && now - pace->rested > most_rest);
}


bool cfi_paceBegin(cfPace* pace, double now) {
  pace->start = now;
  if (pace->is_resting && hasRested(pace, now)) {
    pace->is_resting = false;
    pace->ncall = 0;
    pace->balance = 0;
    pace->pause = pace->pause < LONG_PAUSE ? pace->pause * PAUSE_GROWTH : LONG_PAUSE;
  }
  pace->is_helped = !pace->is_resting && pace->ncall % PROBE_EVERY != FIRST_ALONE;
  return pace->is_helped;
}


// A call without help.  The mean follows the work of programs within some calls; single ones count
// more, since there are few of them.  A call in which the caller itself was put aside says little.
static void learnAlone(cfPace* pace, double cost) {
  CF_ASSERT(cost >= 0);
  const double weight = pace->is_resting ? 0.125 : 0.5, most = pace->is_resting ? 8 : 2;
  if (pace->alone > 0) {
    const double counted = cost < most * pace->alone ? cost : most * pace->alone;
    pace->alone += weight * (counted - pace->alone);
  } else {
    pace->alone = cost;
  }
}


static void giveUpHelp(cfPace* pace, double now) {
  CF_ASSERT(!pace->is_resting);
  pace->is_resting = true;
  pace->rested = now;
  pace->ncall = -1;  // the call that ends is none of the pause
  pace->balance = 0;
}


// A call with help, compared with one without.
static void judgeHelp(cfPace* pace, double cost, double now) {
  CF_ASSERT(pace->alone > 0 && !pace->is_resting);
  const double sum = pace->balance + cost / pace->alone - 1;
  pace->balance = sum < -most_loss ? -most_loss : sum;
  if (pace->balance > most_loss) {
    giveUpHelp(pace, now);
  } else if (pace->ncall >= TRUSTED) {
    pace->pause = SHORT_PAUSE;
  }
}


void cfi_paceEnd(cfPace* pace, double now, double work) {
  CF_ASSERT(work > 0 && now >= pace->start);
  const double cost = (now - pace->start) / work;
  pace->pause = pace->pause ? pace->pause : SHORT_PAUSE;
  if (!pace->is_helped) {
    learnAlone(pace, cost);
  } else if (pace->alone > 0) {
    judgeHelp(pace, cost, now);
  }
  pace->ncall = pace->ncall < 1 << 30 ? pace->ncall + 1 : TRUSTED;
}
