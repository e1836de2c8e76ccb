// Steps of worlds that are driven by rows of controls, with a history of what they do.
#include "batch/course.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/data.h"


bool cfi_courseIsControl(const cfBatch* batch) {
  return batch->course && batch->course->control_spec == mjSTATE_CTRL;
}


// ---------------------------------------- while worlds are stepped

static size_t courseRow(const cfCourse* c, int world, int row) {
  CF_ASSERT_INDEX(row, c->nrow);
  const int place = c->place ? c->place[world] : world;
  return (size_t)place * (size_t)c->nrow + (size_t)row;
}


void cfi_courseDrive(const cfBatch* batch, const mjModel* m, mjData* d, int world, int k) {
  const cfCourse* c = batch->course;
  const int step = batch->first_step + k;
  if (c && c->control && step % c->nsubstep == 0) {
    const size_t row = courseRow(c, world, step / c->nsubstep);
    mj_setState(m, d, c->control + row * c->ncontrol, (int)c->control_spec);
  }
}


static void copyRecord(const cfBatch* batch, const cfCourseRecord* r, const mjModel* m,
                       const mjData* d, int world, char* values) {
  if (r->part) {
    cfi_batchCopyPart(batch, r->part, world, d, values);
  } else {
    mj_getState(m, d, (mjtNum*)(void*)values, (int)r->spec);
  }
}


void cfi_courseRecord(const cfBatch* batch, const mjModel* m, const mjData* d, int world, int k) {
  const cfCourse* c = batch->course;
  const int step = batch->first_step + k;
  if (!c || (step + 1) % c->nsubstep || (cfi_badNumbers(d) && !c->has_bad_rows)) {
    return;
  }
  const int row = step / c->nsubstep;
  for (int i = 0; i < c->nrecord; i++) {
    const cfCourseRecord* r = c->record + i;
    copyRecord(batch, r, m, d, world, r->values + courseRow(c, world, row) * r->bytes);
  }
  c->done[world] = row + 1;
}


// ---------------------------------------- around them

// what a world has without a step of this course
static void copyStill(cfBatch* batch, const cfCourseRecord* r, int world, char* values) {
  if (!r->part) {
    cf_batchGetState(batch, r->spec, &world, 1, (mjtNum*)(void*)values);
  } else if (r->bytes) {
    memcpy(values, cfi_batchValue(batch, r->part, world), r->bytes);
  }
}


void cfi_courseComplete(cfBatch* batch, const cfCourse* c, int world) {
  const int done = c->done[world] > 0 ? c->done[world] : 1;
  for (int i = 0; i < c->nrecord; i++) {
    const cfCourseRecord* r = c->record + i;
    char* last = r->values + courseRow(c, world, done - 1) * r->bytes;
    if (!c->done[world]) {
      copyStill(batch, r, world, last);
    }
    for (int row = done; row < c->nrow && r->bytes; row++) {
      memcpy(last + r->bytes * (size_t)(row - done + 1), last, r->bytes);
    }
  }
}


cfCourse* cfi_courseOpen(cfBatch* batch, int nrecord) {
  CF_ASSERT(nrecord >= 0);
  const size_t n = (size_t)batch->nworld;
  const size_t bytes = sizeof(cfCourse) + sizeof(cfCourseRecord) * (size_t)nrecord;
  cfCourse* c = cfi_tryMalloc(bytes + sizeof(int) * n);
  if (!c) {
    cfi_batchFail(batch, "no memory for a rollout of %d worlds", batch->nworld);
    return NULL;
  }
  memset(c, 0, bytes + sizeof(int) * n);
  c->record = (cfCourseRecord*)(void*)(c + 1);
  c->done = (int*)(void*)((char*)c + bytes);
  return c;
}


void cfi_courseFree(cfCourse* course) {
  mju_free(course);
}


int cfi_courseAddField(cfBatch* batch, cfCourse* course, const char* name, void* values) {
  cfBatchField field;
  if (!cf_batchField(batch, name, &field)) {
    return 0;
  }
  const cfBatchPart* part = cfi_batchPart(batch, name);
  if (!part) {
    return cfi_batchFail(batch, "'%s': a parameter of the model has no history", name);
  }
  if (!values && part->bytes) {
    return cfi_batchFail(batch, "'%s': its history is NULL", name);
  }
  course->record[course->nrecord++] = (cfCourseRecord){part, 0, part->bytes, values};
  return 1;
}


void cfi_courseAddState(const cfBatch* batch, cfCourse* course, unsigned spec, mjtNum* values) {
  const size_t bytes = sizeof(mjtNum) * (size_t)mj_stateSize(batch->model, (int)spec);
  course->record[course->nrecord++] = (cfCourseRecord){NULL, spec, bytes, (char*)values};
}


// ---------------------------------------- the call

static int checkRollout(cfBatch* batch, const cfBatchRollout* r) {
  if (batch->cuda) {
    return cfi_batchFail(batch, "rollouts of a batch are for worlds on the CPU");
  }
  if (!r) {
    return cfi_batchFail(batch, "the rollout is NULL");
  }
  if (r->nrow < 0 || r->nsubstep < 0 || r->nrecord < 0) {
    return cfi_batchFail(batch, "rows, substeps and records of a rollout cannot be negative");
  }
  if ((int64_t)r->nrow * (r->nsubstep ? r->nsubstep : 1) > INT32_MAX) {
    return cfi_batchFail(batch, "%d rows of %d steps: at most %d steps", r->nrow, r->nsubstep,
                         INT32_MAX);
  }
  if (r->control_spec >= 1u << mjNSTATE || r->state_spec >= 1u << mjNSTATE) {
    return cfi_batchFail(batch, "state signatures %u, %u: expected combinations of mjtState",
                         r->control_spec, r->state_spec);
  }
  if (r->nrecord && (!r->record || !r->history)) {
    return cfi_batchFail(batch, "%d records without names or memory", r->nrecord);
  }
  return 1;
}


static int fillCourse(cfBatch* batch, cfCourse* c, const cfBatchRollout* r) {
  c->nrow = r->nrow;
  c->nsubstep = r->nsubstep ? r->nsubstep : 1;
  c->control_spec = r->control_spec ? r->control_spec : mjSTATE_CTRL;
  c->ncontrol = (size_t)mj_stateSize(batch->model, (int)c->control_spec);
  c->control = r->control;
  if (r->state) {
    cfi_courseAddState(batch, c, r->state_spec ? r->state_spec : mjSTATE_FULLPHYSICS, r->state);
  }
  for (int i = 0; i < r->nrecord; i++) {
    if (!cfi_courseAddField(batch, c, r->record[i], r->history[i])) {
      return 0;
    }
  }
  return cfi_batchTakeLive(batch);
}


int cf_batchRollout(cfBatch* batch, const cfBatchRollout* rollout) {
  if (!checkRollout(batch, rollout)) {
    return 0;
  }
  cfCourse* c = cfi_courseOpen(batch, rollout->nrecord + 1);
  int is_good = c && fillCourse(batch, c, rollout);
  if (is_good && c->nrow) {
    batch->course = c;
    is_good = cfi_batchSteps(batch, rollout->mask, c->nrow * c->nsubstep);
    for (int k = 0; is_good && k < batch->nchosen; k++) {
      cfi_courseComplete(batch, c, batch->chosen[k]);
    }
    batch->course = NULL;
  }
  cfi_courseFree(c);
  return is_good;
}
