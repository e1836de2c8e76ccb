// Counted warnings of a simulation.
#include <stdio.h>

#include <mujoco/mujoco.h>

// what the info of a warning is, and its text
typedef enum { INDEX, COUNT, BYTES } Info;

static const struct {
  Info info;
  const char* text;
} warning_texts[mjNWARNING] = {
#define CF_WARNING(name, info, text) [name] = {info, text},
#include "tables/warnings.def"
#undef CF_WARNING
};

// memory of threads is scarce (tests/install/copies.c): room for the longest text with a number in
// it
enum { LONGEST_TEXT = 200, LONGEST_NUMBER = 21 };

#define CF_WARNING(name, info, text)                            \
  _Static_assert(sizeof(text) + LONGEST_NUMBER <= LONGEST_TEXT, \
                 "the text of " #name " is too long");
#include "tables/warnings.def"
#undef CF_WARNING

#pragma GCC diagnostic ignored "-Wformat-nonliteral"


const char* mju_warningText(int warning, size_t info) {
  static _Thread_local char text[LONGEST_TEXT];
  if (warning < 0 || warning >= mjNWARNING) {
    snprintf(text, sizeof(text), "Unknown warning type %d.", warning);
    return text;
  }
  char number[32];
  snprintf(number, sizeof(number), "%zu", info);
  snprintf(text, sizeof(text), warning_texts[warning].text,
           warning_texts[warning].info == BYTES ? mju_writeNumBytes(info) : number);
  return text;
}


// count; only the first of a kind is printed
void mj_warning(mjData* d, int warning, int info) {
  if (warning < 0 || warning >= mjNWARNING) {
    mju_error("mj_warning: invalid warning type %d", warning);
    return;
  }
  mjWarningStat* stat = d->warning + warning;
  stat->lastinfo = info;
  if (stat->number++ == 0) {
    mju_warning("%s Time = %.4f.", mju_warningText(warning, (size_t)info), d->time);
  }
}
