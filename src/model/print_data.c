// Text output of mjData: sizes and diagnostics, then arrays.
#include "base/assert.h"
#include "model/layout.h"
#include "model/print.h"


// fields held by value, except the structs, which have their own sections
static void printScalars(cfPrinter* p, const mjData* d) {
  fprintf(p->file, "SIZES\n");
  for (int k = 0; k < cfi_dataScalars.count; k++) {
    const cfFieldInfo* field = cfi_dataScalars.field + k;
    const mjtSize count = cfi_fieldCount(field, NULL, NULL);
    if (field->type <= CF_TYPE_mjtNum && count < 3) {
      cfi_printElements(p, field->name, field->type, (const char*)d + field->offset, 0, count);
    }
  }
  fputc('\n', p->file);
}


static void printWarnings(cfPrinter* p, const mjData* d) {
  fprintf(p->file, "WARNING\n");
  for (int k = 0; k < mjNWARNING; k++) {
    if (d->warning[k].number) {
      fprintf(p->file, "  %d:  lastinfo = %d   number = %d\n", k, d->warning[k].lastinfo,
              d->warning[k].number);
    }
  }
  fprintf(p->file, "\nTIMER\n");
  for (int k = 0; k < mjNTIMER; k++) {
    fprintf(p->file, "  %-18s number = %-8d", mjTIMERSTRING[k], d->timer[k].number);
    cfi_printElements(p, "duration =", CF_TYPE_mjtNum, &d->timer[k].duration, 0, 1);
  }
  fputc('\n', p->file);
}


static void printSolver(cfPrinter* p, const mjData* d) {
  const int nisland = d->nisland < 1 ? 1 : d->nisland < mjNISLAND ? d->nisland : mjNISLAND;
  for (int island = 0; island < nisland; island++) {
    const int niter = d->solver_niter[island] < mjNSOLVER ? d->solver_niter[island] : mjNSOLVER;
    for (int k = 0; k < niter; k++) {
      const mjSolverStat* stat = d->solver + island * mjNSOLVER + k;
      const mjtNum values[3] = {stat->improvement, stat->gradient, stat->lineslope};
      fprintf(p->file,
              "SOLVER STAT island %d, iteration %d: nactive = %d, nchange = %d, neval = %d, "
              "nupdate = %d\n",
              island, k, stat->nactive, stat->nchange, stat->neval, stat->nupdate);
      cfi_printElements(p, "impr, grad, slope", CF_TYPE_mjtNum, values, 0, 3);
    }
  }
}


static void printContact(cfPrinter* p, const mjContact* con, int k) {
  CF_ASSERT(con && k >= 0);
  fprintf(p->file,
          "CONTACT %d:\n  geom %d %d  flex %d %d  elem %d %d  vert %d %d  dim %d  exclude %d  "
          "efc_address %d\n",
          k, con->geom[0], con->geom[1], con->flex[0], con->flex[1], con->elem[0], con->elem[1],
          con->vert[0], con->vert[1], con->dim, con->exclude, con->efc_address);
  cfi_printElements(p, "dist", CF_TYPE_mjtNum, &con->dist, 0, 1);
  cfi_printElements(p, "pos", CF_TYPE_mjtNum, con->pos, 0, 3);
  cfi_printElements(p, "frame", CF_TYPE_mjtNum, con->frame, 0, 9);
  cfi_printElements(p, "includemargin", CF_TYPE_mjtNum, &con->includemargin, 0, 1);
  cfi_printElements(p, "friction", CF_TYPE_mjtNum, con->friction, 0, 5);
  cfi_printElements(p, "solref", CF_TYPE_mjtNum, con->solref, 0, mjNREF);
  cfi_printElements(p, "solreffriction", CF_TYPE_mjtNum, con->solreffriction, 0, mjNREF);
  cfi_printElements(p, "solimp", CF_TYPE_mjtNum, con->solimp, 0, mjNIMP);
  fputc('\n', p->file);
}


// arena arrays only while they are there
static void printArrays(cfPrinter* p, const mjModel* m, const mjData* d) {
  for (int k = 0; k < cfi_dataFields.count; k++) {
    const cfFieldInfo* field = cfi_dataFields.field + k;
    mjtSize shape[2];
    field->shape(m, d, shape);
    if (field->type == CF_TYPE_mjContact) {
      for (int i = 0; i < d->ncon; i++) {
        printContact(p, d->contact + i, i);
      }
    } else {
      cfi_printRows(p, field->name, field->type, cfi_arrayOf(field, d), shape[0], shape[1]);
    }
  }
}


void mj_printFormattedData(const mjModel* m, const mjData* d, const char* filename,
                           const char* float_format) {
  cfPrinter p;
  if (d->pstack) {
    mju_error("mj_printData: attempting to print mjData while stack is in use");
    return;
  }
  if (!cfi_openPrinter(&p, filename, float_format, "mjData")) {
    return;
  }
  fprintf(p.file, "MEMORY\n");
  cfi_printMemory(&p, "total", (mjtSize)sizeof(mjData) + d->nbuffer + d->narena);
  cfi_printMemory(&p, "struct", (mjtSize)sizeof(mjData));
  cfi_printMemory(&p, "buffer", d->nbuffer);
  cfi_printMemory(&p, "arena", d->narena);
  cfi_printMemory(&p, "arena used", d->maxuse_arena);
  fputc('\n', p.file);
  printScalars(&p, d);
  printWarnings(&p, d);
  printSolver(&p, d);
  printArrays(&p, m, d);
  cfi_closePrinter(&p);
}


void mj_printData(const mjModel* m, const mjData* d, const char* filename) {
  mj_printFormattedData(m, d, filename, "% -9.2g");
}
