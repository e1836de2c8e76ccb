// Steps of worlds that are driven by rows of controls, with a history of what they do.
#ifndef CF_BATCH_COURSE_H
#define CF_BATCH_COURSE_H

#include "batch/batch.h"

// a history: rows of the worlds of a call, one world after the other
typedef struct {
  const cfBatchPart* part;  // a field; NULL: a state
  unsigned spec;            // of the state
  size_t bytes;             // of a row
  char* values;
} cfCourseRecord;

// one call
typedef struct cfCourse_ {
  int nrow, nsubstep;
  unsigned control_spec;
  size_t ncontrol;        // numbers of a row
  const mjtNum* control;  // NULL: inputs stay what they are
  const int* place;       // of a world among the rows; NULL: its number
  cfCourseRecord* record;
  int nrecord;
  int* done;          // rows of each world that are recorded
  bool has_bad_rows;  // steps that met bad numbers are recorded, too
} cfCourse;

// a course for the calls of a batch, with room for records; NULL and a message: no memory
cfCourse* cfi_courseOpen(cfBatch* batch, int nrecord);
void cfi_courseFree(cfCourse* course);

// append a field of worlds, or a state; 0 and a message: there is no such field
int cfi_courseAddField(cfBatch* batch, cfCourse* course, const char* name, void* values);
void cfi_courseAddState(const cfBatch* batch, cfCourse* course, unsigned spec, mjtNum* values);

// the rows of a world that was lost, or rested from the start
void cfi_courseComplete(cfBatch* batch, const cfCourse* course, int world);

#endif  // CF_BATCH_COURSE_H
