// Text output of mjData, first part: sizes and diagnostics.
#include "api/datatext.h"

static void printDataMemory(const cfDataText* t) {
  const mjData* d = t->d;
  const struct {
    const char* name;
    size_t bytes;
  } line[4] = {{"total", sizeof(mjData) + (size_t)d->nbuffer + (size_t)d->narena},
               {"struct", sizeof(mjData)},
               {"buffer", (size_t)d->nbuffer},
               {"arena", (size_t)d->narena}};
  fprintf(t->out.file, "MEMORY\n");
  for (int k = 0; k < 4; k++) {
    fprintf(t->out.file, "%s  %-14s", k ? "\n" : "", line[k].name);
    cfi_printMemory(&t->out, line[k].bytes);
  }
  fprintf(t->out.file, ", used %.1f%%\n\n", 100 * (double)d->maxuse_arena / (double)d->narena);
}


// counts and flags; addresses inside the arena say nothing to a reader
static void printCounts(const cfDataText* t) {
  fprintf(t->out.file, "SIZES\n");
  for (int k = 0; k < cfi_dataScalars.count; k++) {
    const cfFieldInfo* field = cfi_dataScalars.field + k;
    const bool count = field->type == CF_TYPE_int || field->type == CF_TYPE_mjtSize ||
                       field->type == CF_TYPE_mjtByte;
    if (count && field->length == 1) {
      cfi_printName(&t->out, 2, field->name);
      cfi_printElement(&t->out, field->type, (const char*)t->d + field->offset, 0);
      fputc('\n', t->out.file);
    }
  }
  cfi_printName(&t->out, 2, "threadpool");
  fprintf(t->out.file, " %d\n\n", t->d->threadpool ? 1 : 0);
}


static void printCounters(const cfDataText* t) {
  FILE* const file = t->out.file;
  int warnings = 0;
  mjtNum seconds = 0;
  for (int k = 0; k < mjNWARNING; k++) {
    const mjWarningStat* w = t->d->warning + k;
    if (w->number) {
      fprintf(file, "%s    %d:  lastinfo = %d   number = %d\n", warnings ? "" : "WARNING\n", k,
              w->lastinfo, w->number);
      warnings++;
    }
  }
  fputs(warnings ? "\n" : "", file);
  for (int k = 0; k < mjNTIMER; k++) {
    seconds += t->d->timer[k].duration;
  }
  for (int k = 0; k < mjNTIMER && seconds != 0; k++) {
    fprintf(file, "%s    %d:  duration = ", k ? "" : "TIMER\n", k);
    cfi_printElement(&t->out, CF_TYPE_mjtNum, &t->d->timer[k].duration, 0);
    fprintf(file, "   number = %d\n%s", t->d->timer[k].number, k == mjNTIMER - 1 ? "\n" : "");
  }
}


// text, numbers with a blank before each, line end
void cfi_printNumbers(const cfDataText* t, const char* text, const mjtNum* number, int count) {
  fputs(text, t->out.file);
  for (int k = 0; k < count; k++) {
    fputc(' ', t->out.file);
    cfi_printElement(&t->out, CF_TYPE_mjtNum, number, k);
  }
  fputc('\n', t->out.file);
}


static void printIteration(const cfDataText* t, const mjSolverStat* stat, int k) {
  const mjtNum number[3] = {stat->improvement, stat->gradient, stat->lineslope};
  static const char* const name[3] = {"improvement", "gradient", "lineslope"};
  fprintf(t->out.file, "      %d:", k);
  for (int i = 0; i < 3; i++) {
    fprintf(t->out.file, "%s  %s = ", i ? "  " : "", name[i]);
    cfi_printElement(&t->out, CF_TYPE_mjtNum, number, i);
  }
  fprintf(t->out.file, "\n          nactive = %d   nchange = %d   neval = %d   nupdate = %d\n",
          stat->nactive, stat->nchange, stat->neval, stat->nupdate);
}


static void printSolver(const cfDataText* t) {
  const mjData* d = t->d;
  const int nisland = d->nisland < 1 ? 1 : d->nisland < mjNISLAND ? d->nisland : mjNISLAND;
  if (!d->nefc) {
    return;
  }
  fprintf(t->out.file, "SOLVER STAT\n");
  cfi_printNumbers(t, "  solver_fwdinv = ", d->solver_fwdinv, 2);
  for (int island = 0; island < nisland; island++) {
    const int niter = d->solver_niter[island] < mjNSOLVER ? d->solver_niter[island] : mjNSOLVER;
    if (!niter) {
      continue;
    }
    fprintf(t->out.file, "  ISLAND %d\n    solver_niter = %d\n    solver_nnz = %d\n", island,
            d->solver_niter[island], d->solver_nnz[island]);
    for (int k = 0; k < niter; k++) {
      printIteration(t, d->solver + island * mjNSOLVER + k, k);
    }
    fputc('\n', t->out.file);
  }
}


static void printTime(const cfDataText* t) {
  cfi_printNumbers(t, "ENERGY = ", t->d->energy, 2);
  fprintf(t->out.file, "\nTIME = ");
  cfi_printElement(&t->out, CF_TYPE_mjtNum, &t->d->time, 0);
  fprintf(t->out.file, "\n\n");
}


void cfi_printSummary(const cfDataText* t) {
  printDataMemory(t);
  printCounts(t);
  printCounters(t);
  printSolver(t);
  printTime(t);
}
