// Parameters of worlds that callers write in place.
//
// What they see is a copy beside the values that steps read.  The next call compares both, checks
// what is new as cf_batchSet does, and finds the constants that follow from it.
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "batch/batch.h"


static char* liveOf(const cfBatchParameter* p, int world) {
  return p->live + p->bytes * (size_t)world;
}


static char* valueOf(const cfBatchParameter* p, int world) {
  return p->value + p->bytes * (size_t)world;
}


void cfi_batchShowLive(cfBatch* batch) {
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    if (p->live && p->bytes) {
      memcpy(p->live, p->value, p->bytes * (size_t)batch->nworld);
    }
  }
}


// one call of cfi_batchTakeLive
typedef struct {
  cfBatch* batch;
  unsigned char* is_new;  // per parameter and world: its live values are not those of steps
  int world;              // the one that is asked for; -1: all
  int* list;              // worlds with anything new
  int n;
} liveNews;


static bool isNew(const liveNews* news, const cfBatchParameter* p, int world) {
  const size_t row = (size_t)(p - news->batch->parameter);
  return news->is_new[row * (size_t)news->batch->nworld + (size_t)world];
}


static void findNews(liveNews* news) {
  cfBatch* batch = news->batch;
  unsigned char* is_new = news->is_new;
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    for (int w = 0; w < batch->nworld; w++) {
      const bool is_asked = news->world < 0 || news->world == w;
      *is_new++ =
          is_asked && p->live && p->bytes && memcmp(liveOf(p, w), valueOf(p, w), p->bytes) != 0;
    }
  }
  for (int w = 0; w < batch->nworld; w++) {
    bool is_any = false;
    for (int k = 0; k < batch->nparameter && !is_any; k++) {
      is_any = isNew(news, batch->parameter + k, w);
    }
    if (is_any) {
      news->list[news->n++] = w;
    }
  }
}


static int checkNews(const liveNews* news) {
  cfBatch* batch = news->batch;
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    for (int i = 0; i < news->n; i++) {
      const int w = news->list[i];
      const size_t count = p->bytes / sizeof(mjtNum);
      if (isNew(news, p, w) && !cfi_batchChecksNumbers(batch, p->name, count, liveOf(p, w))) {
        return 0;
      }
    }
  }
  return 1;
}


// exchange what is new and what was there before
static void swapNews(const liveNews* news) {
  for (int k = 0; k < news->batch->nparameter; k++) {
    const cfBatchParameter* p = news->batch->parameter + k;
    for (int i = 0; i < news->n; i++) {
      const int w = news->list[i];
      for (size_t at = 0; isNew(news, p, w) && at < p->bytes; at++) {
        char *a = liveOf(p, w) + at, *b = valueOf(p, w) + at;
        const char kept = *a;
        *a = *b;
        *b = kept;
      }
    }
  }
}


// what follows from all of it at once
static int deriveNews(const liveNews* news) {
  cfBatch* batch = news->batch;
  const char* from = NULL;
  for (int k = 0; k < batch->nparameter; k++) {
    const cfBatchParameter* p = batch->parameter + k;
    bool is_any = false;
    for (int i = 0; i < news->n; i++) {
      is_any |= isNew(news, p, news->list[i]);
    }
    if (is_any && !cfi_batchChecksValues(batch, p->name, news->list, news->n)) {
      return 0;
    }
    from = is_any && cfi_batchHasConstants(p->name) ? p->name : from;
  }
  return !from || cfi_batchDerive(batch, from, news->list, news->n);
}


// constants that follow are live, too
static void showNews(const liveNews* news) {
  for (int k = 0; k < news->batch->nparameter; k++) {
    const cfBatchParameter* p = news->batch->parameter + k;
    for (int i = 0; i < news->n && p->live && p->bytes; i++) {
      memcpy(liveOf(p, news->list[i]), valueOf(p, news->list[i]), p->bytes);
    }
  }
}


// all of it, or nothing and a message: then it stays in the live values alone
static int takeNews(const liveNews* news) {
  cfBatch* batch = news->batch;
  if (!checkNews(news)) {
    return 0;
  }
  swapNews(news);
  if (deriveNews(news)) {
    showNews(news);
    return 1;
  }
  char reason[CF_BATCH_TEXT];
  snprintf(reason, sizeof(reason), "%s", batch->error);
  swapNews(news);
  deriveNews(news);
  return cfi_batchFail(batch, "live parameters: %s", reason);
}


int cfi_batchTakeLive(cfBatch* batch) {
  return cfi_batchTakeLiveOf(batch, -1);
}


int cfi_batchTakeLiveOf(cfBatch* batch, int world) {
  bool has_live = false;
  for (int k = 0; k < batch->nparameter; k++) {
    has_live |= batch->parameter[k].live != NULL;
  }
  if (!has_live) {
    return 1;
  }
  const size_t n = (size_t)batch->nworld;
  char* memory = cfi_tryMalloc((sizeof(int) + (size_t)batch->nparameter) * n);
  if (!memory) {
    return cfi_batchFail(batch, "no memory for a list of %d worlds", batch->nworld);
  }
  liveNews news = {batch, (unsigned char*)memory + sizeof(int) * n, world, (int*)(void*)memory, 0};
  findNews(&news);
  const int is_good = !news.n || takeNews(&news);
  mju_free(memory);
  return is_good;
}


char* cfi_batchLive(cfBatch* batch, const char* name) {
  const cfFieldInfo* info;
  if (!cfi_batchAllows(batch, name, &info)) {
    return NULL;
  }
  cfBatchParameter* p = cfi_batchAddParameter(batch, name, info);
  if (p && !p->live) {
    const size_t bytes = p->bytes * (size_t)batch->nworld;
    p->live = cfi_tryMalloc(bytes + 1);
    if (!p->live) {
      cfi_batchFail(batch, "'%s': no memory for %d worlds", name, batch->nworld);
      return NULL;
    }
    memcpy(p->live, p->value, bytes);
  }
  return p ? p->live : NULL;
}


int cf_batchCommit(cfBatch* batch) {
  return batch->cuda ? 1 : cfi_batchTakeLive(batch);
}
